//! The interface of an abstract domain: a configurable program analysis with dynamic precision adjustment
//! (D, Π, ⇝, merge, stop, prec) [BHT08], and the typed questions by which analyses that run side by side learn from
//! each other.

use crate::arg::ArgId;
use crate::place::{Place, Step};
use crate::reached::Reached;
use cfa::{EdgeId, ExprId, Exprs, Node};
use verdict::Stop;

/// A question to an abstract state, asked at the place it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// Which value has this expression?
    Value(ExprId),
    /// Does this truth value hold, or not?
    Holds(ExprId),
}

/// What an abstract state knows. Every answer is true of all concrete states that it represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The bits of the only possible value.
    Bits(u128),
    /// The only possible truth value.
    Truth(bool),
}

/// A configurable program analysis. Methods take `&mut self` because domains intern states.
///
/// γ(state) is a set of concrete data states; together with its [`Place`] a state stands for concrete states there.
pub trait Cpa {
    /// E, without location and call stack.
    type State: Clone + PartialEq + std::fmt::Debug;
    /// Π.
    type Precision;

    /// Whether `merge` ever does anything.
    const MERGES: bool = true;

    /// Whether [`Cpa::settle`] ever does anything.
    const SETTLES: bool = false;

    /// Every concrete data state at the start of the program.
    fn initial(&mut self) -> Self::State;

    /// ⇝: appends states that together cover all concrete successors of `from` along `step`.
    fn post(
        &mut self,
        from: &Self::State,
        step: &Step,
        precision: &Self::Precision,
        next: &mut Vec<Self::State>,
    ) -> Result<(), Stop>;

    /// Whether the call on an edge is summarised ([`crate::Move::Over`]) instead of entered. Only for calls that lead
    /// to no target and to no C that is not modelled before they return.
    fn steps_over(&mut self, _call: EdgeId, _precision: &Self::Precision) -> bool {
        false
    }

    /// Whether a state at the entry of a recursive function says nothing of other activations of it and of those that
    /// it calls and that call it, so that it does the same however deep the recursion is.
    fn is_depth_free(&self, _state: &Self::State, _entry: &Step) -> bool {
        false
    }

    /// prec: a state that stands for at least as much, and perhaps a new precision. `None`: for nothing at all.
    fn adjust(
        &mut self,
        state: Self::State,
        _at: Place,
        _precision: &mut Self::Precision,
    ) -> Result<Option<Self::State>, Stop> {
        Ok(Some(state))
    }

    /// prec when the state is taken from the waitlist, as in CPA+ [BHT08]: all paths that meet in it have been merged by
    /// then. `None`: it stands for nothing at all.
    fn settle(
        &mut self,
        state: &Self::State,
        _at: Place,
        _precision: &mut Self::Precision,
    ) -> Result<Option<Self::State>, Stop> {
        Ok(Some(state.clone()))
    }

    /// Whether the state stands for nothing at all; asked by proof checks of successors that nobody covers.
    fn is_empty(&mut self, _state: &Self::State, _at: Place) -> Result<bool, Stop> {
        Ok(false)
    }

    /// Whether a settled state must not be left without a second look, as at a target: what lies behind it is not modelled.
    fn is_goal(&self, _state: &Self::State) -> bool {
        false
    }

    /// Sorted waitlists take states of lower layers first.
    fn layer(&self, _state: &Self::State) -> u64 {
        0
    }

    /// merge: `old` extended by `new`, or `None` to keep both (merge-sep). Asked for states with the same
    /// [`Cpa::key`] only.
    fn merge(&mut self, _new: &Self::State, _old: &Self::State, _at: Place) -> Result<Option<Self::State>, Stop> {
        Ok(None)
    }

    /// stop-sep: whether `old` represents all that `new` does.
    fn covers(&mut self, old: &Self::State, new: &Self::State) -> Result<bool, Stop>;

    /// The drawer in which a reached state is filed; equal states have equal keys.
    fn key(&self, _state: &Self::State) -> u64 {
        0
    }

    /// A small number for a key, the same for equal keys. It should grow with the states that come into being, and
    /// other keys should have others; both only save time.
    fn number(&self, _key: u64) -> Option<u32> {
        None
    }

    /// Appends the drawers in which states that cover `state` may lie.
    fn covering_keys(&mut self, _state: &Self::State, _at: Place, keys: &mut Vec<u64>) {
        keys.push(0);
    }

    /// The state was added to the reached set.
    fn filed(&mut self, _state: &Self::State, _at: Place) {}

    /// The reached set was emptied.
    fn cleared(&mut self) {}

    /// What a state at a location knows, one line each, for pictures and reports.
    fn knows(&mut self, _state: &Self::State, _at: Node) -> Vec<String> {
        Vec::new()
    }

    /// fcover [BDW18]: tries to get a waiting node covered by strengthening it and its ancestors. Whether it is.
    fn force_cover(&mut self, _reached: &mut Reached<Self::State>, _node: ArgId) -> Result<bool, Stop>
    where
        Self: Sized,
    {
        Ok(false)
    }

    /// What a state knows.
    fn answer(&mut self, _state: &Self::State, _at: &Step, _query: Query) -> Option<Answer> {
        None
    }

    /// ↓: a stronger state by what the neighbour knows after the same step; `None` if nothing is possible any more.
    fn strengthen(
        &mut self,
        state: Self::State,
        _step: &Step,
        _ask: &mut dyn FnMut(Query) -> Option<Answer>,
    ) -> Result<Option<Self::State>, Stop> {
        Ok(Some(state))
    }
}

/// An analysis whose states can be written as expressions of the program.
pub trait Export: Cpa {
    /// A truth value that holds in all concrete states that the state stands for at a node, in the activation with
    /// that many of the same function below it. Names variables that are visible there only.
    fn formula(&self, state: &Self::State, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId;
}

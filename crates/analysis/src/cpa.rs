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
pub enum QueryAnswer {
    /// The bits of the only possible value.
    Bits(u128),
    /// The only possible truth value.
    Truth(bool),
}

/// A configurable program analysis: what every domain has. What only some have stands in extension traits below, whose
/// methods have no defaults: a composite cannot forget one, and a domain says with [`without!`] which it has not.
///
/// Methods take `&mut self` because domains intern states. γ(state) is a set of concrete data states; together with
/// its [`Place`] a state stands for concrete states there.
pub trait Cpa {
    /// E, without location and call stack.
    type State: Clone + PartialEq + std::fmt::Debug;
    /// Π.
    type Precision;

    /// Whether `merge` ever does anything.
    const MERGES: bool = true;

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

    /// prec: a state that stands for at least as much, and perhaps a new precision. `None`: for nothing at all.
    fn adjust(
        &mut self,
        state: Self::State,
        _at: Place,
        _precision: &mut Self::Precision,
    ) -> Result<Option<Self::State>, Stop> {
        Ok(Some(state))
    }

    /// merge: `old` extended by `new`, or `None` to keep both (merge-sep). Asked for states with the same
    /// [`Filing::key`] only.
    fn merge(&mut self, _new: &Self::State, _old: &Self::State, _at: Place) -> Result<Option<Self::State>, Stop> {
        Ok(None)
    }

    /// stop-sep: whether `old` represents all that `new` does.
    fn covers(&mut self, old: &Self::State, new: &Self::State) -> Result<bool, Stop>;
}

/// An analysis that steps over calls.
pub trait StepsOver: Cpa {
    /// Whether the call on an edge is summarised ([`crate::Move::Over`]) instead of entered. Only for calls that lead
    /// to no target and to no C that is not modelled before they return.
    fn steps_over(&mut self, call: EdgeId, precision: &Self::Precision) -> bool;

    /// Whether a state at the entry of a recursive function says nothing of other activations of it and of those that
    /// it calls and that call it, so that it does the same however deep the recursion is.
    fn is_depth_free(&self, state: &Self::State, entry: &Step) -> bool;
}

/// An analysis whose states are made final when they leave the waitlist.
pub trait Settles: Cpa {
    /// Whether [`Settles::settle`] ever does anything.
    const SETTLES: bool;

    /// prec when the state is taken from the waitlist, as in CPA+ [BHT08]: all paths that meet in it have been merged by
    /// then. `None`: it stands for nothing at all.
    fn settle(
        &mut self,
        state: &Self::State,
        at: Place,
        precision: &mut Self::Precision,
    ) -> Result<Option<Self::State>, Stop>;

    /// Whether the state stands for nothing at all; used by proof checks on successors that are not covered.
    fn is_empty(&mut self, state: &Self::State, at: Place) -> Result<bool, Stop>;

    /// Whether a settled state must not be left without a second look, as at a target: what lies after it is not modelled.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// Sorted waitlists take states of lower layers first.
    fn layer(&self, state: &Self::State) -> u64;
}

/// An analysis that knows where to look for states that cover others.
pub trait Filing: Cpa {
    /// The drawer in which a reached state is filed; equal states have equal keys.
    fn key(&self, state: &Self::State) -> u64;

    /// A small number for a key, the same for equal keys. It should grow with the states that come into being, and
    /// other keys should have others; both only save time.
    fn number(&self, key: u64) -> Option<u32>;

    /// Appends the drawers in which states that cover `state` may lie.
    fn covering_keys(&mut self, state: &Self::State, at: Place, keys: &mut Vec<u64>);
}

/// An analysis that follows what becomes of the reached set.
pub trait Watches: Cpa {
    /// The state was added to the reached set.
    fn filed(&mut self, state: &Self::State, at: Place);

    /// The reached set was emptied.
    fn cleared(&mut self);
}

/// An analysis that can force states to be covered.
pub trait ForcesCover: Cpa {
    /// fcover [BDW18]: tries to get a waiting node covered by strengthening it and its ancestors. Whether it is.
    fn force_cover(&mut self, reached: &mut Reached<Self::State>, node: ArgId) -> Result<bool, Stop>;
}

/// An analysis whose states tell what they know.
pub trait Tells: Cpa {
    /// What a state at a location knows, one line each, for pictures and reports.
    fn lines(&mut self, state: &Self::State, at: Node) -> Vec<String>;

    /// What a state knows.
    fn answer(&mut self, state: &Self::State, at: &Step, query: Query) -> Option<QueryAnswer>;
}

/// All that exploration asks of an analysis.
pub trait Analysis: StepsOver + Settles + Filing + Watches + ForcesCover + Tells {}

impl<C: StepsOver + Settles + Filing + Watches + ForcesCover + Tells> Analysis for C {}

/// Says which extensions a domain has not: `without! { LoopBound: StepsOver, Settles }`, in front of a generic one its
/// parameters in brackets.
#[macro_export]
macro_rules! without {
    ([$($generics:tt)*] $name:ty: $($what:ident),+) => { $crate::without!(@all [$($generics)*] $name: $($what),+); };
    (@all $generics:tt $name:ty: $($what:ident),+) => { $($crate::without!(@ $what $generics $name);)+ };
    (@ StepsOver [$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::StepsOver for $name {
            fn steps_over(&mut self, _: cfa::EdgeId, _: &Self::Precision) -> bool {
                false
            }

            fn is_depth_free(&self, _: &Self::State, _: &$crate::Step) -> bool {
                false
            }
        }
    };
    (@ Settles [$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::Settles for $name {
            const SETTLES: bool = false;

            fn settle(
                &mut self,
                state: &Self::State,
                _: $crate::Place,
                _: &mut Self::Precision,
            ) -> Result<Option<Self::State>, verdict::Stop> {
                Ok(Some(state.clone()))
            }

            fn is_empty(&mut self, _: &Self::State, _: $crate::Place) -> Result<bool, verdict::Stop> {
                Ok(false)
            }

            fn is_goal(&self, _: &Self::State) -> bool {
                false
            }

            fn layer(&self, _: &Self::State) -> u64 {
                0
            }
        }
    };
    (@ Filing [$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::Filing for $name {
            fn key(&self, _: &Self::State) -> u64 {
                0
            }

            fn number(&self, _: u64) -> Option<u32> {
                None
            }

            fn covering_keys(&mut self, _: &Self::State, _: $crate::Place, keys: &mut Vec<u64>) {
                keys.push(0);
            }
        }
    };
    (@ Watches [$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::Watches for $name {
            fn filed(&mut self, _: &Self::State, _: $crate::Place) {}

            fn cleared(&mut self) {}
        }
    };
    (@ ForcesCover [$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::ForcesCover for $name {
            fn force_cover(
                &mut self,
                _: &mut $crate::Reached<Self::State>,
                _: $crate::ArgId,
            ) -> Result<bool, verdict::Stop> {
                Ok(false)
            }
        }
    };
    (@ Tells [$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::Tells for $name {
            fn lines(&mut self, _: &Self::State, _: cfa::Node) -> Vec<String> {
                Vec::new()
            }

            fn answer(&mut self, _: &Self::State, _: &$crate::Step, _: $crate::Query) -> Option<$crate::QueryAnswer> {
                None
            }
        }
    };
    ($name:ty: $($what:ident),+) => { $crate::without!(@all [] $name: $($what),+); };
}

/// An analysis whose states can be written as expressions of the program.
pub trait Export: Cpa {
    /// A truth value that holds in all concrete states that the state stands for at a node, in the activation with
    /// that many of the same function below it. Names variables that are visible there only.
    fn formula(&self, state: &Self::State, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId;
    /// The same over the variables of all functions that run, of a program without recursion.
    fn whole(&self, state: &Self::State, node: Node, exprs: &mut Exprs) -> ExprId;
    /// About how many conjuncts `whole` writes down, counted without doing so.
    fn size(&self, state: &Self::State) -> usize;
}

//! What refinement by interpolation asks of a domain: strongest posts along one path with full precision, and states
//! from which single facts can be forgotten [BL13].

use crate::cpa::Analysis;
use crate::place::Step;
use base::Cancel;
use cfa::{EdgeId, Node, VarId};
use verdict::Stop;

/// A domain whose states are conjunctions of facts, along one path.
pub trait PathDomain {
    /// A conjunction of facts.
    type Facts: Clone + PartialEq + std::fmt::Debug;
    /// The name of one fact of a state: "the value of x".
    type Fact: Copy + Ord + std::hash::Hash + std::fmt::Debug;

    /// No fact at all (⊤).
    fn nothing_known(&mut self) -> Self::Facts;

    /// SP with full precision; `None` if the step is impossible (⊥). `position` counts the steps of the path, so that
    /// objects that come into being have names that do not depend on the facts.
    fn strongest_post(&mut self, from: &Self::Facts, step: &Step, position: usize)
    -> Result<Option<Self::Facts>, Stop>;

    /// Appends facts of `from` such that no other fact can influence what the step makes of the `wanted` ones.
    fn influences(&mut self, from: &Self::Facts, step: &Step, wanted: &[Self::Fact], facts: &mut Vec<Self::Fact>);

    /// Appends the names of all facts of a state.
    fn facts(&self, state: &Self::Facts, facts: &mut Vec<Self::Fact>);

    /// The state with just these facts (as far as it has them).
    fn restrict(&mut self, state: &Self::Facts, facts: &[Self::Fact]) -> Self::Facts;

    /// Whether both states have the fact, with the same content.
    fn agree(&self, a: &Self::Facts, b: &Self::Facts, fact: Self::Fact) -> bool;

    /// A number that a register may have, where something is known of it.
    fn number(&self, state: &Self::Facts, var: VarId, depth: u32) -> Option<u128>;

    /// The name of a fact for the user.
    fn name(&self, fact: Self::Fact) -> String;

    /// What tracking this fact costs: larger for facts that unroll loops.
    fn cost(&self, fact: Self::Fact) -> u64;
}

/// An analysis that knows which successors stay what they are when its precision is refined.
pub trait Incremental: Refinable {
    /// What was added to a precision.
    type Added;

    /// What was added to the precision since this was asked before.
    fn added(&mut self, precision: &mut Self::Precision) -> Self::Added;

    /// The edges whose steps the addition may change: other successors, or calls that are entered now. `None`: any.
    fn affected(&mut self, precision: &Self::Precision, added: &Self::Added) -> Option<Vec<EdgeId>>;

    /// Whether the addition may change the successor of a state along a step that was taken before.
    fn may_change(&self, from: &Self::State, step: &Step, precision: &Self::Precision, added: &Self::Added) -> bool;

    /// So many states of the reached set are left after those were taken out that had changed.
    fn pruned(&mut self, left: usize);
}

/// An analysis whose precision can be refined by the facts of interpolants.
pub trait Refinable: Analysis + PathDomain {
    /// Lets the precision track a fact at a location; whether that is new.
    fn track(&mut self, precision: &mut Self::Precision, node: Node, fact: Self::Fact) -> bool;

    /// Whether the precision can ever track a fact.
    fn trackable(&self, precision: &Self::Precision, fact: Self::Fact) -> bool;

    /// Lets the precision enter calls that a path steps over, those that may matter to it first; the position of the
    /// first such call. `None` if the path steps over no call.
    fn enter_calls(
        &mut self,
        precision: &mut Self::Precision,
        path: &[Step],
        cancel: &Cancel,
    ) -> Result<Option<usize>, Stop>;
}

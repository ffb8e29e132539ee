//! What refinement by interpolation asks of a domain: strongest posts along one path with full precision, and states
//! from which single facts can be forgotten [BL13].

use crate::place::Step;
use verdict::Stop;

/// A domain whose states are conjunctions of facts, along one path.
pub trait PathDomain {
    /// A conjunction of facts.
    type State: Clone + PartialEq + std::fmt::Debug;
    /// The name of one fact of a state: "the value of x".
    type Fact: Copy + Ord + std::hash::Hash + std::fmt::Debug;

    /// No fact at all (⊤).
    fn nothing_known(&mut self) -> Self::State;

    /// SP with full precision; `None` if the step is impossible (⊥). `position` counts the steps of the path, so that
    /// objects that come into being have names that do not depend on the facts.
    fn strongest_post(&mut self, from: &Self::State, step: &Step, position: usize)
    -> Result<Option<Self::State>, Stop>;

    /// Appends facts of `from` such that no other fact can influence what the step makes of the `wanted` ones.
    fn influences(&mut self, from: &Self::State, step: &Step, wanted: &[Self::Fact], facts: &mut Vec<Self::Fact>);

    /// The state with just these facts (as far as it has them).
    fn restrict(&mut self, state: &Self::State, facts: &[Self::Fact]) -> Self::State;

    /// Whether both states have the fact, with the same content.
    fn agree(&self, a: &Self::State, b: &Self::State, fact: Self::Fact) -> bool;

    /// What tracking this fact costs: larger for facts that unroll loops.
    fn cost(&self, fact: Self::Fact) -> u64;
}

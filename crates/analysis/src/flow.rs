//! Domains for data-flow analysis: one state per location, joined over all calls, with widening and narrowing [CC77].

use cfa::{EdgeId, ExprId, Exprs};

/// An abstract domain that a data-flow solver can iterate. A missing state stands for "not reached".
pub trait FlowDomain {
    /// What is known at a location.
    type State: Clone + PartialEq;

    /// At the start of the program.
    fn initial(&self) -> Self::State;
    /// Whether all that `a` stands for, `b` stands for.
    fn leq(&self, a: &Self::State, b: &Self::State) -> bool;
    /// Stands for at least what both stand for.
    fn join(&self, a: &Self::State, b: &Self::State) -> Self::State;
    /// Stands for at least what both have in common.
    fn meet(&self, a: &Self::State, b: &Self::State) -> Option<Self::State>;
    /// A state above both, such that chains of widenings end.
    fn widen(&self, old: &Self::State, new: &Self::State) -> Self::State;
    /// After an edge that is no call.
    fn post(&self, before: &Self::State, edge: EdgeId) -> Option<Self::State>;
    /// At the entry of the function that the edge calls.
    fn enter(&self, before: &Self::State, call: EdgeId) -> Self::State;
    /// Behind the call, from what was known before it and what is known at the callee's exit.
    fn leave(&self, before: &Self::State, call: EdgeId, exit: &Self::State) -> Self::State;
    /// The state as a truth value over the program's variables.
    fn invariant(&self, state: &Self::State, exprs: &mut Exprs) -> ExprId;
}

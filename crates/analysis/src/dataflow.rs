//! Domains for data-flow analysis: one state per location, joined over all calls, with widening and narrowing [CC77].

use crate::cpa::Cpa;
use crate::place::{Move, Place, Step};
use cfa::{EdgeId, ExprId, Exprs, Program};
use verdict::Stop;

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
    /// After an edge that is not a call.
    fn post(&self, before: &Self::State, edge: EdgeId) -> Option<Self::State>;
    /// At the entry of the function that the edge calls.
    fn enter(&self, before: &Self::State, call: EdgeId) -> Self::State;
    /// After the call, from what was known before it and what is known at the callee's exit.
    fn leave(&self, before: &Self::State, call: EdgeId, exit: &Self::State) -> Self::State;
    /// The state as a truth value over the program's variables.
    fn invariant(&self, state: &Self::State, exprs: &mut Exprs) -> ExprId;
}

/// Two domains side by side: what either excludes is excluded.
pub struct Both<A, B>(pub A, pub B);

impl<A: FlowDomain, B: FlowDomain> FlowDomain for Both<A, B> {
    type State = (A::State, B::State);

    fn initial(&self) -> Self::State {
        (self.0.initial(), self.1.initial())
    }

    fn leq(&self, a: &Self::State, b: &Self::State) -> bool {
        self.0.leq(&a.0, &b.0) && self.1.leq(&a.1, &b.1)
    }

    fn join(&self, a: &Self::State, b: &Self::State) -> Self::State {
        (self.0.join(&a.0, &b.0), self.1.join(&a.1, &b.1))
    }

    fn meet(&self, a: &Self::State, b: &Self::State) -> Option<Self::State> {
        Some((self.0.meet(&a.0, &b.0)?, self.1.meet(&a.1, &b.1)?))
    }

    fn widen(&self, old: &Self::State, new: &Self::State) -> Self::State {
        (self.0.widen(&old.0, &new.0), self.1.widen(&old.1, &new.1))
    }

    fn post(&self, before: &Self::State, edge: EdgeId) -> Option<Self::State> {
        Some((self.0.post(&before.0, edge)?, self.1.post(&before.1, edge)?))
    }

    fn enter(&self, before: &Self::State, call: EdgeId) -> Self::State {
        (self.0.enter(&before.0, call), self.1.enter(&before.1, call))
    }

    fn leave(&self, before: &Self::State, call: EdgeId, exit: &Self::State) -> Self::State {
        (self.0.leave(&before.0, call, &exit.0), self.1.leave(&before.1, call, &exit.1))
    }

    fn invariant(&self, state: &Self::State, exprs: &mut Exprs) -> ExprId {
        let a = self.0.invariant(&state.0, exprs);
        let b = self.1.invariant(&state.1, exprs);
        exprs.binary(cfa::BinOp::And, a, b)
    }
}

/// A data-flow domain as a [`Cpa`]: states under different callers are kept apart, states at one place are joined, and
/// widened at loop heads.
pub struct Exploring<'p, D> {
    program: &'p Program,
    domain: D,
}

impl<'p, D: FlowDomain> Exploring<'p, D> {
    /// The domain, on a program whose loop heads are marked.
    pub fn new(program: &'p Program, domain: D) -> Self {
        Self { program, domain }
    }
}

/// What is known here, and what was known where the callers are.
#[derive(Clone, PartialEq, Debug)]
pub struct Stacked<S> {
    /// Here.
    pub here: S,
    callers: Vec<S>,
}

impl<D: FlowDomain<State: std::fmt::Debug>> Cpa for Exploring<'_, D> {
    type State = Stacked<D::State>;
    type Precision = ();

    fn initial(&mut self) -> Self::State {
        Stacked { here: self.domain.initial(), callers: Vec::new() }
    }

    fn post(&mut self, from: &Self::State, step: &Step, _: &(), next: &mut Vec<Self::State>) -> Result<(), Stop> {
        let mut callers = from.callers.clone();
        let here = match step.kind {
            Move::Edge => self.domain.post(&from.here, step.edge),
            Move::Enter => {
                callers.push(from.here.clone());
                Some(self.domain.enter(&from.here, step.edge))
            }
            Move::Leave => {
                let before = callers.pop().expect("what is left was entered");
                Some(self.domain.leave(&before, step.edge, &from.here))
            }
            Move::Over => return Err(Stop::Evidence("a data-flow domain does not step over calls".to_owned())),
        };
        next.extend(here.map(|here| Stacked { here, callers }));
        Ok(())
    }

    fn merge(&mut self, new: &Self::State, old: &Self::State, at: Place) -> Result<Option<Self::State>, Stop> {
        if new.callers != old.callers || self.domain.leq(&new.here, &old.here) {
            return Ok(None);
        }
        let here = match self.program.nodes[at.node].loop_head {
            true => self.domain.widen(&old.here, &new.here),
            false => self.domain.join(&old.here, &new.here),
        };
        debug_assert!(self.domain.leq(&old.here, &here) && self.domain.leq(&new.here, &here), "a merge is above both");
        Ok(Some(Stacked { here, callers: old.callers.clone() }))
    }

    fn covers(&mut self, old: &Self::State, new: &Self::State) -> Result<bool, Stop> {
        Ok(old.callers == new.callers && self.domain.leq(&new.here, &old.here))
    }
}

crate::without! {
    ['p, D: FlowDomain<State: std::fmt::Debug>] Exploring<'p, D>:
    StepsOver, Settles, Filing, Watches, ForcesCover, Tells
}

//! The composite of two analyses [BHT07]: states and precisions are pairs, a successor is a pair of successors.
//! A [`Query`] is answered by the first component that knows the answer. More than two are pairs of pairs.

use crate::arg::ArgId;
use crate::cpa::{Cpa, Export, Filing, ForcesCover, Query, QueryAnswer, Settles, StepsOver, Tells, Watches};
use crate::place::{Place, Step};
use crate::reached::Reached;
use cfa::{BinOp, EdgeId, ExprId, Exprs, Node};
use verdict::Stop;

/// Two analyses side by side. The first one files the states, so the one with the better index goes first.
pub struct Pair<A, B>(pub A, pub B);

impl<A: Cpa, B: Cpa> Cpa for Pair<A, B> {
    type State = (A::State, B::State);
    type Precision = (A::Precision, B::Precision);
    const MERGES: bool = A::MERGES || B::MERGES;

    fn initial(&mut self) -> Self::State {
        (self.0.initial(), self.1.initial())
    }

    fn post(
        &mut self,
        from: &Self::State,
        step: &Step,
        precision: &Self::Precision,
        next: &mut Vec<Self::State>,
    ) -> Result<(), Stop> {
        let Self(first, second) = self;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        first.post(&from.0, step, &precision.0, &mut left)?;
        if left.is_empty() {
            return Ok(());
        }
        second.post(&from.1, step, &precision.1, &mut right)?;
        for a in &left {
            for b in &right {
                next.push((a.clone(), b.clone()));
            }
        }
        Ok(())
    }

    fn adjust(
        &mut self,
        state: Self::State,
        at: Place,
        precision: &mut Self::Precision,
    ) -> Result<Option<Self::State>, Stop> {
        let Some(a) = self.0.adjust(state.0, at, &mut precision.0)? else { return Ok(None) };
        let Some(b) = self.1.adjust(state.1, at, &mut precision.1)? else { return Ok(None) };
        Ok(Some((a, b)))
    }

    /// Merges the second component where the first ones are equal or merge themselves (merge-agree).
    fn merge(&mut self, new: &Self::State, old: &Self::State, at: Place) -> Result<Option<Self::State>, Stop> {
        let a = if new.0 == old.0 { None } else { self.0.merge(&new.0, &old.0, at)? };
        if a.is_none() && new.0 != old.0 {
            return Ok(None);
        }
        let b = if new.1 == old.1 { None } else { self.1.merge(&new.1, &old.1, at)? };
        if b.is_none() && new.1 != old.1 {
            return Ok(None);
        }
        match (a, b) {
            (None, None) => Ok(None),
            (a, b) => Ok(Some((a.unwrap_or_else(|| old.0.clone()), b.unwrap_or_else(|| old.1.clone())))),
        }
    }

    fn covers(&mut self, old: &Self::State, new: &Self::State) -> Result<bool, Stop> {
        Ok(self.0.covers(&old.0, &new.0)? && self.1.covers(&old.1, &new.1)?)
    }
}

impl<A: Cpa, B: Cpa> StepsOver for Pair<A, B> {
    /// Only what both can summarise would do, and no pair of analyses does.
    fn steps_over(&mut self, _: EdgeId, _: &Self::Precision) -> bool {
        false
    }

    fn is_depth_free(&self, _: &Self::State, _: &Step) -> bool {
        false
    }
}

impl<A: Settles, B: Settles> Settles for Pair<A, B> {
    const SETTLES: bool = A::SETTLES || B::SETTLES;

    fn settle(
        &mut self,
        state: &Self::State,
        at: Place,
        precision: &mut Self::Precision,
    ) -> Result<Option<Self::State>, Stop> {
        let Some(a) = self.0.settle(&state.0, at, &mut precision.0)? else { return Ok(None) };
        let Some(b) = self.1.settle(&state.1, at, &mut precision.1)? else { return Ok(None) };
        Ok(Some((a, b)))
    }

    fn is_empty(&mut self, state: &Self::State, at: Place) -> Result<bool, Stop> {
        Ok(self.0.is_empty(&state.0, at)? || self.1.is_empty(&state.1, at)?)
    }

    fn is_goal(&self, state: &Self::State) -> bool {
        self.0.is_goal(&state.0) || self.1.is_goal(&state.1)
    }

    fn layer(&self, state: &Self::State) -> u64 {
        self.0.layer(&state.0).max(self.1.layer(&state.1))
    }
}

impl<A: Filing, B: Cpa> Filing for Pair<A, B> {
    fn key(&self, state: &Self::State) -> u64 {
        self.0.key(&state.0)
    }

    fn number(&self, key: u64) -> Option<u32> {
        self.0.number(key)
    }

    fn covering_keys(&mut self, state: &Self::State, at: Place, keys: &mut Vec<u64>) {
        self.0.covering_keys(&state.0, at, keys);
    }
}

impl<A: Watches, B: Watches> Watches for Pair<A, B> {
    fn filed(&mut self, state: &Self::State, at: Place) {
        self.0.filed(&state.0, at);
        self.1.filed(&state.1, at);
    }

    fn cleared(&mut self) {
        self.0.cleared();
        self.1.cleared();
    }
}

impl<A: Cpa, B: Cpa> ForcesCover for Pair<A, B> {
    /// Ancestors are pairs, of which only one side could be strengthened.
    fn force_cover(&mut self, _: &mut Reached<Self::State>, _: ArgId) -> Result<bool, Stop> {
        Ok(false)
    }
}

impl<A: Tells, B: Tells> Tells for Pair<A, B> {
    fn lines(&mut self, state: &Self::State, at: Node) -> Vec<String> {
        let mut known = self.0.lines(&state.0, at);
        known.extend(self.1.lines(&state.1, at));
        known
    }

    fn answer(&mut self, state: &Self::State, at: &Step, query: Query) -> Option<QueryAnswer> {
        self.0.answer(&state.0, at, query).or_else(|| self.1.answer(&state.1, at, query))
    }
}

impl<A: Export, B: Export> Export for Pair<A, B> {
    fn formula(&self, state: &Self::State, node: Node, depth: u32, exprs: &mut Exprs) -> ExprId {
        let a = self.0.formula(&state.0, node, depth, exprs);
        let b = self.1.formula(&state.1, node, depth, exprs);
        both(exprs, a, b)
    }

    fn whole(&self, state: &Self::State, node: Node, exprs: &mut Exprs) -> ExprId {
        let a = self.0.whole(&state.0, node, exprs);
        let b = self.1.whole(&state.1, node, exprs);
        both(exprs, a, b)
    }

    fn size(&self, state: &Self::State) -> usize {
        self.0.size(&state.0) + self.1.size(&state.1)
    }
}

fn both(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    match (exprs.constant(a), exprs.constant(b)) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        _ => exprs.binary(BinOp::And, a, b),
    }
}

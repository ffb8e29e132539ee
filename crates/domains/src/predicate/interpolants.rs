//! What refinements need of the Predicate CPA: interpolants for chains of blocks, also where it is one part of an
//! analysis.

use super::Precision;
use super::cpa::{BlockId, PredicateCpa, State};
use analysis::{Analysis, Pair};
use encode::Chain;
use smt::TermId;
use smt::interpolation::{InterpolationFailure, InterpolationOptions, interpolate};
use std::time::Instant;
use verdict::Stop;

/// An analysis with the Predicate CPA in it.
pub trait WithPredicates<'p>: Analysis {
    /// The Predicate CPA.
    fn predicates(&mut self) -> &mut PredicateCpa<'p>;
    /// Its part of a state.
    fn part(state: &Self::State) -> State;
    /// Its part of a precision.
    fn precision(precision: &mut Self::Precision) -> &mut Precision;
}

impl<'p> WithPredicates<'p> for PredicateCpa<'p> {
    fn predicates(&mut self) -> &mut PredicateCpa<'p> {
        self
    }

    fn part(state: &State) -> State {
        *state
    }

    fn precision(precision: &mut Precision) -> &mut Precision {
        precision
    }
}

impl<'p, A: Analysis> WithPredicates<'p> for Pair<A, PredicateCpa<'p>> {
    fn predicates(&mut self) -> &mut PredicateCpa<'p> {
        &mut self.1
    }

    fn part(state: &(A::State, State)) -> State {
        state.1
    }

    fn precision(precision: &mut (A::Precision, Precision)) -> &mut Precision {
        &mut precision.1
    }
}

impl PredicateCpa<'_> {
    /// Appends the block that leads to an abstraction state.
    pub fn extend(&mut self, chain: &mut Chain, state: BlockId) {
        let (_, path) = self.blocks[state].before.expect("only the root has no block before it");
        let block = self.block(path);
        chain.push(&mut self.encoder, &block);
        let fact = self.fact(self.blocks[state].node);
        chain.assume(&mut self.encoder, fact);
    }

    /// τ0 ... τn for formulas without a model.
    pub fn interpolants(&mut self, groups: &[TermId]) -> Result<Vec<TermId>, Stop> {
        let found = self.interpolants_if_any(groups)?;
        found.ok_or_else(|| Stop::Solver(InterpolationFailure::Satisfiable.to_string()))
    }

    /// τ0 ... τn; `None` if the formulas have a model.
    pub fn interpolants_if_any(&mut self, groups: &[TermId]) -> Result<Option<Vec<TermId>>, Stop> {
        let start = Instant::now();
        let options = InterpolationOptions::default();
        let found = interpolate(&mut self.encoder.terms, &mut *self.interpolator, groups, &options, &self.cancel);
        self.counters.time_since("interpolation", start);
        match found {
            Ok(interpolants) => Ok(Some(interpolants.sequence)),
            Err(InterpolationFailure::Satisfiable) => Ok(None),
            Err(InterpolationFailure::Stopped(stopped)) => Err(Stop::Limit(stopped)),
            Err(failure) => Err(Stop::Solver(failure.to_string())),
        }
    }
}

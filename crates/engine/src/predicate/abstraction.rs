//! prec: the predicate abstraction of a block [BDW18, section 3.1.6], boolean by enumerating models, or cartesian.

use super::cpa::{PredicateCpa, State};
use super::{AbstractionKind, Precision, Refinement};
use crate::bmc::stop_of;
use cfa::Node;
use smt::{Answer, TermId, Value};
use verdict::Stop;

/// More cubes than this and the cartesian abstraction is taken, which is weaker.
const MOST_CUBES: usize = 256;

impl PredicateCpa<'_> {
    /// (ψ ∧ φ)^π(l), over the start of blocks. With an empty precision *true*, without a query.
    pub(super) fn abstraction(&mut self, state: &State, at: Node, precision: &Precision) -> Result<TermId, Stop> {
        let predicates = match self.options.refinement {
            Refinement::Impact => Vec::new(),
            Refinement::Predicates | Refinement::Both => precision.at(self.program, at),
        };
        if predicates.is_empty() {
            return Ok(self.encoder.terms.truth());
        }
        let block = self.block(state.path);
        if self.encoder.terms.as_bool(block.formula) == Some(false) {
            return Ok(self.encoder.terms.falsity());
        }
        self.counters.add("abstractions", 1);
        let instances: Vec<TermId> = predicates.iter().map(|&p| self.encoder.at_end(p, &block.path)).collect();
        let psi = self.known(state.block);
        let fact = self.fact_at_end(at, &block);
        let phi = self.encoder.terms.and([block.formula, fact]);
        self.solver.push();
        let result = self.enumerate(psi, phi, &predicates, &instances);
        self.solver.pop();
        result
    }

    fn check(&mut self, assumptions: &[TermId]) -> Result<Answer, Stop> {
        self.solver.check_assuming(&self.encoder.terms, assumptions, &self.cancel).map_err(stop_of)
    }

    /// 1. Predicates that hold in all models, or in none, are found one by one. 2. For the others, every combination
    ///    that has a model becomes a cube.
    fn enumerate(
        &mut self,
        psi: TermId,
        phi: TermId,
        predicates: &[TermId],
        instances: &[TermId],
    ) -> Result<TermId, Stop> {
        self.solver.assert(&self.encoder.terms, psi);
        self.solver.assert(&self.encoder.terms, phi);
        if self.check(&[])? == Answer::Unsat {
            return Ok(self.encoder.terms.falsity());
        }
        let first: Vec<bool> = self.values(instances)?;
        let mut fixed = Vec::new();
        let mut open = Vec::new();
        for (at, (&predicate, &instance)) in predicates.iter().zip(instances).enumerate() {
            let opposite = self.literal(instance, !first[at]);
            if self.check(&[opposite])? == Answer::Unsat {
                let literal = self.literal(predicate, first[at]); // 1
                fixed.push(literal);
                let known = self.literal(instance, first[at]);
                self.solver.assert(&self.encoder.terms, known);
            } else {
                open.push((predicate, instance));
            }
        }
        if open.len() < 2 || self.options.abstraction == AbstractionKind::Cartesian {
            return Ok(self.encoder.terms.and(fixed));
        }
        let mut cubes = Vec::new();
        while self.check(&[])? == Answer::Sat {
            // 2
            self.counters.add("models enumerated", 1);
            if cubes.len() == MOST_CUBES {
                return Ok(self.encoder.terms.and(fixed));
            }
            let asked: Vec<TermId> = open.iter().map(|(_, instance)| *instance).collect();
            let values = self.values(&asked)?;
            let cube: Vec<TermId> =
                open.iter().zip(&values).map(|((predicate, _), value)| self.literal(*predicate, *value)).collect();
            cubes.push(self.encoder.terms.and(cube));
            let model: Vec<TermId> =
                open.iter().zip(&values).map(|((_, instance), value)| self.literal(*instance, *value)).collect();
            let model = self.encoder.terms.and(model);
            let other = self.encoder.terms.not(model);
            self.solver.assert(&self.encoder.terms, other);
        }
        let any = self.encoder.terms.or(cubes);
        Ok(self.encoder.terms.and(fixed.into_iter().chain([any])))
    }

    fn literal(&mut self, formula: TermId, positive: bool) -> TermId {
        if positive { formula } else { self.encoder.terms.not(formula) }
    }

    /// The truth values of formulas in the solver's model.
    fn values(&mut self, formulas: &[TermId]) -> Result<Vec<bool>, Stop> {
        let mut values = Vec::new();
        for &formula in formulas {
            let value = self.solver.value(&self.encoder.terms, formula).map_err(stop_of)?;
            values.push(value == Value::Bool(true));
        }
        Ok(values)
    }
}

//! prec: the predicate abstraction of a block [BDW18, section 3.1.6], boolean by enumerating models, or cartesian. What
//! was computed once is kept: after a refinement most blocks are abstracted again with the predicates they had.

use super::cpa::{PredicateCpa, State};
use super::{AbstractionKind, Precision, RefinementKind};
use bdd::{Bdd, Interrupted};
use cfa::Node;
use encode::{PathId, stop_of};
use smt::{Answer, TermId, Value};
use verdict::Stop;

/// ψ of an abstraction state: a formula, and the same as a BDD over predicates unless something else strengthened it.
#[derive(Clone)]
pub(super) struct Abstract {
    pub formula: TermId,
    pub region: Option<Bdd>,
}

/// What an abstraction depends on: what is known at both ends of a block, the block, and the predicates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Question {
    psi: TermId,
    path: PathId,
    at: Node,
    predicates: Vec<TermId>,
}

/// A combination of predicates and their values.
type Cube = Vec<(TermId, bool)>;

/// More cubes than this and the cartesian abstraction is taken, which is weaker.
const MOST_CUBES: usize = 256;
/// More predicates than this about sums and the cartesian abstraction is taken: that there is no further cube is a
/// question that solvers take too long for.
const MOST_ABOUT_SUMS: usize = 5;

impl PredicateCpa<'_> {
    /// (ψ ∧ φ)^π(l), over the start of blocks. With an empty precision *true*, without a query.
    pub(super) fn abstraction(&mut self, state: &State, at: Node, precision: &Precision) -> Result<Abstract, Stop> {
        let predicates = match self.options.refinement {
            RefinementKind::Impact => Vec::new(),
            RefinementKind::Predicates | RefinementKind::Both => precision.at(self.program, at),
        };
        if predicates.is_empty() {
            return Ok(self.anything());
        }
        let question = Question { psi: self.known(state.block), path: state.path, at, predicates };
        if let Some(known) = self.abstractions.get(&question) {
            self.counters.add("abstractions known", 1);
            return Ok(known.clone());
        }
        let found = self.compute(&question)?;
        self.abstractions.insert(question, found.clone());
        Ok(found)
    }

    /// *true*.
    pub(super) fn anything(&mut self) -> Abstract {
        let region = self.regions.as_ref().map(|regions| regions.all());
        Abstract { formula: self.encoder.terms.truth(), region }
    }

    fn nothing(&mut self) -> Abstract {
        Abstract { formula: self.encoder.terms.falsity(), region: None }
    }

    fn compute(&mut self, question: &Question) -> Result<Abstract, Stop> {
        let &Question { psi, path, at, ref predicates } = question;
        let block = self.block(path);
        if self.encoder.terms.as_bool(block.formula) == Some(false) {
            return Ok(self.nothing());
        }
        self.counters.add("abstractions", 1);
        let instances: Vec<TermId> = predicates.iter().map(|&p| self.encoder.at_end(p, &block.path)).collect();
        assert_eq!(instances.len(), predicates.len(), "each predicate at the end of the block");
        let fact = self.fact_at_end(at, &block);
        let phi = self.encoder.terms.and([block.formula, fact]);
        self.solver.push();
        let result = self.enumerate(psi, phi, predicates, &instances);
        self.solver.pop();
        match result? {
            Some((fixed, cubes)) => self.describe(&fixed, &cubes),
            None => Ok(self.nothing()),
        }
    }

    /// The predicates that are fixed, and one of the cubes; without cubes nothing is said about other predicates.
    fn describe(&mut self, fixed: &Cube, cubes: &[Cube]) -> Result<Abstract, Stop> {
        let literals: Vec<TermId> = fixed.iter().map(|&(predicate, value)| self.literal(predicate, value)).collect();
        match self.region(fixed, cubes) {
            Ok(Some((region, open))) => {
                let formula = self.encoder.terms.and(literals.into_iter().chain(open));
                Ok(Abstract { formula, region: Some(region) })
            }
            Ok(None) | Err(Interrupted::Full) => {
                let cubes: Vec<TermId> = cubes.iter().map(|cube| self.conjunction(cube)).collect();
                let any = if cubes.is_empty() { self.encoder.terms.truth() } else { self.encoder.terms.or(cubes) };
                Ok(Abstract { formula: self.encoder.terms.and(literals.into_iter().chain([any])), region: None })
            }
            Err(Interrupted::Stopped(stopped)) => Err(stopped.into()),
        }
    }

    /// The same as a BDD, and the part of it that the cubes are as a formula; `None` if ψ is kept as formula only.
    fn region(&mut self, fixed: &Cube, cubes: &[Cube]) -> Result<Option<(Bdd, Option<TermId>)>, Interrupted> {
        let Some(regions) = &mut self.regions else { return Ok(None) };
        let terms = &mut self.encoder.terms;
        let region = regions.cube(terms, fixed)?;
        if cubes.is_empty() {
            return Ok(Some((region, None)));
        }
        let any = regions.union(terms, cubes)?;
        self.counters.max("nodes of the largest psi", regions.size(&any) as u64);
        let open = regions.formula(terms, &any);
        Ok(Some((regions.meet(&region, &any)?, Some(open))))
    }

    fn conjunction(&mut self, cube: &Cube) -> TermId {
        let literals: Vec<TermId> = cube.iter().map(|&(formula, value)| self.literal(formula, value)).collect();
        self.encoder.terms.and(literals)
    }

    /// Whether one abstraction implies another: by their BDDs, or else by the solver.
    pub(super) fn implies(&mut self, a: &Abstract, b: &Abstract) -> Result<bool, Stop> {
        if a.formula == b.formula {
            return Ok(true);
        }
        // The check of a proof trusts the solver alone.
        if !self.is_checking()
            && let (Some(regions), Some(a), Some(b)) = (&self.regions, &a.region, &b.region)
        {
            match regions.implies(a, b) {
                Ok(holds) => return Ok(holds),
                Err(Interrupted::Full) => {}
                Err(Interrupted::Stopped(stopped)) => return Err(stopped.into()),
            }
        }
        self.entails(a.formula, b.formula)
    }

    fn check(&mut self, assumptions: &[TermId]) -> Result<Answer, Stop> {
        self.solver.check_assuming(&self.encoder.terms, assumptions, &self.cancel).map_err(stop_of)
    }

    /// 1. Predicates that hold in all models, or in none, are found one by one. 2. For the others, every combination
    ///    that has a model becomes a cube. `None` if there is no model at all.
    fn enumerate(
        &mut self,
        psi: TermId,
        phi: TermId,
        predicates: &[TermId],
        instances: &[TermId],
    ) -> Result<Option<(Cube, Vec<Cube>)>, Stop> {
        let all: Vec<TermId> = [psi, phi].into_iter().chain(instances.iter().copied()).collect();
        let of_sums = self.encoder.terms.is_of_sums(&all);
        if of_sums && self.encoder.terms.is_refuted_by_sums(&[psi, phi]) {
            return Ok(None);
        }
        self.solver.assert(&self.encoder.terms, psi);
        self.solver.assert(&self.encoder.terms, phi);
        if self.check(&[])? == Answer::Unsat {
            return Ok(None);
        }
        let first: Vec<bool> = self.values(instances)?;
        let mut fixed = Vec::new();
        let mut open = Vec::new();
        for (at, (&predicate, &instance)) in predicates.iter().zip(instances).enumerate() {
            let opposite = self.literal(instance, !first[at]);
            let refuted = of_sums && self.encoder.terms.is_refuted_by_sums(&[psi, phi, opposite]);
            if refuted || self.check(&[opposite])? == Answer::Unsat {
                fixed.push((predicate, first[at])); // 1
                let known = self.literal(instance, first[at]);
                self.solver.assert(&self.encoder.terms, known);
            } else {
                open.push((predicate, instance));
            }
        }
        let few = open.len() < 2 || of_sums && open.len() > MOST_ABOUT_SUMS;
        if few || self.options.abstraction == AbstractionKind::Cartesian {
            return Ok(Some((fixed, Vec::new())));
        }
        let asked: Vec<TermId> = open.iter().map(|(_, instance)| *instance).collect();
        let mut cubes = Vec::new();
        while self.check(&[])? == Answer::Sat {
            // 2
            self.counters.add("models enumerated", 1);
            if cubes.len() == MOST_CUBES {
                return Ok(Some((fixed, Vec::new())));
            }
            let values = self.values(&asked)?;
            let model: Cube = asked.iter().copied().zip(values.iter().copied()).collect();
            cubes.push(open.iter().map(|(predicate, _)| *predicate).zip(values).collect());
            let model = self.conjunction(&model);
            let other = self.encoder.terms.not(model);
            self.solver.assert(&self.encoder.terms, other);
        }
        Ok(Some((fixed, cubes)))
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

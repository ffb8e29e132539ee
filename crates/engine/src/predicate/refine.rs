//! refine: the path to a goal, its feasibility, interpolants, and predicates from them [BDW18, section 3.2].

use super::art::ArtId;
use super::{Refined, Refinement, Search};
use crate::bmc::stop_of;
use encode::{Chain, Goal};
use smt::interpolation::{InterpolationFailure, InterpolationOptions, interpolate};
use smt::{Answer, TermId};
use std::time::Instant;
use verdict::Stop;

impl Search<'_, '_> {
    /// 1. the abstract counterexample is the path in the tree; 2. one query decides its feasibility; 3. interpolants
    ///    for its block formulas; 4. they refine the tree.
    pub(super) fn refine(&mut self, state: ArtId, goal: Goal, formula: TermId) -> Result<Refined, Stop> {
        self.counters.add("refinements", 1);
        let path = self.art.path(state); // 1
        let chain = self.chain(&path, formula)?;
        let start = Instant::now();
        self.solver.push();
        for &group in &chain.groups {
            self.solver.assert(&self.encoder.terms, group);
        }
        let answer = self.solver.check(&self.encoder.terms, &self.cancel).map_err(stop_of);
        let feasible = answer.map(|answer| answer == Answer::Sat);
        let result = match feasible {
            Ok(true) => self.confirm(goal, &chain).map(|verdict| Some(Refined::Verdict(verdict))), // 2
            Ok(false) => Ok(None),
            Err(stop) => Err(stop),
        };
        self.solver.pop();
        self.counters.time_since("feasibility", start);
        if let Some(verdict) = result? {
            return Ok(verdict);
        }
        let sequence = self.interpolants(&chain.groups)?; // 3
        let facts: Vec<TermId> = sequence[1..path.len()].iter().map(|&fact| self.encoder.at_start(fact)).collect();
        match self.options.refinement {
            // 4
            Refinement::Predicates => self.add_predicates(&path, &facts)?,
            Refinement::Impact => self.strengthen(&path[1..], &facts)?,
            Refinement::Both => {
                self.learn(&path, &facts, false);
                self.strengthen(&path[1..], &facts)?;
            }
        }
        Ok(Refined::Excluded)
    }

    /// The block formulas along a path and the goal behind it.
    fn chain(&mut self, path: &[ArtId], goal: TermId) -> Result<Chain, Stop> {
        let mut chain = Chain::default();
        for pair in path.windows(2) {
            let blocks = self.blocks_of(pair[0])?;
            let (_, at) = self.art.parent(pair[1]).expect("states on a path have parents");
            chain.push(&mut self.encoder, &blocks, &blocks.next[at]);
            let fact = self.fact(pair[1]);
            chain.assume(&mut self.encoder, fact);
        }
        let blocks = self.blocks_of(path[path.len() - 1])?;
        chain.finish(&mut self.encoder, &blocks, goal);
        chain.ground(&mut self.encoder);
        Ok(chain)
    }

    /// τ0 ... τn for formulas without a model.
    pub(super) fn interpolants(&mut self, groups: &[TermId]) -> Result<Vec<TermId>, Stop> {
        let start = Instant::now();
        let options = InterpolationOptions::default();
        let found = interpolate(&mut self.encoder.terms, &mut *self.interpolator, groups, &options, &self.cancel);
        self.counters.time_since("interpolation", start);
        match found {
            Ok(interpolants) => Ok(interpolants.sequence),
            Err(InterpolationFailure::Stopped(stopped)) => Err(Stop::Limit(stopped)),
            Err(failure) => Err(Stop::Solver(failure.to_string())),
        }
    }

    /// Predicate refinement: atoms of interpolants become predicates; the tree is cut at the pivot, the first state that
    /// would now be described by more predicates.
    fn add_predicates(&mut self, path: &[ArtId], facts: &[TermId]) -> Result<(), Stop> {
        let pivot = self.learn(path, facts, false).or_else(|| self.learn(path, facts, true));
        let Some(pivot) = pivot else {
            let state = path[path.len() - 1];
            let span =
                self.art.place(state).map(|(_, node)| self.program.functions[self.program.nodes[*node].function].span);
            let weak = self.weak_states(path, facts)?;
            let what = format!("interpolants do not exclude an infeasible path: blocks {weak:?} of {}", path.len());
            return Err(Stop::Undecided { what, span: span.unwrap_or_default() });
        };
        let (parent, _) = self.art.parent(path[pivot]).expect("the start of the program is not abstracted");
        // All blocks behind the parent are looked at again: other children may have been found with fewer predicates.
        for child in self.art.children(parent).to_vec() {
            self.art.remove(child);
        }
        self.art.wait(parent);
        Ok(())
    }

    /// The positions of states that do not imply their interpolant, for the report.
    fn weak_states(&mut self, path: &[ArtId], facts: &[TermId]) -> Result<Vec<usize>, Stop> {
        let mut weak = Vec::new();
        for (at, &fact) in facts.iter().enumerate() {
            let psi = self.known(path[at + 1]);
            if !self.entails(psi, fact)? {
                weak.push(at + 1);
            }
        }
        Ok(weak)
    }

    /// Adds the atoms of the facts, or the facts themselves, to the precision of their places; the position of the
    /// first state that is described by fewer predicates than its place has now.
    fn learn(&mut self, path: &[ArtId], facts: &[TermId], whole: bool) -> Option<usize> {
        for (&state, &fact) in path[1..].iter().zip(facts) {
            let Some(place) = self.art.place(state).cloned() else { continue };
            let predicates = if whole { vec![fact] } else { self.encoder.terms.atoms(fact) };
            for predicate in predicates {
                if self.encoder.terms.as_bool(predicate).is_none() {
                    self.precision.add(self.program, &place, predicate);
                }
            }
        }
        (1..path.len()).find(|&at| {
            let place = self.art.place(path[at]).expect("only the root has no place");
            self.precision.at(self.program, place).len() > self.art.predicates(path[at])
        })
    }
}

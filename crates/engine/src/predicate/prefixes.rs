//! Infeasible sliced prefixes of one path in the predicate domain [BLW15a], with interpolants at its abstraction states.

use super::cpa::PredicateCpa;
use super::refine::Spine;
use crate::refinement::Measured;
use analysis::{PathStep, Step};
use base::Id;
use cfa::Op;
use encode::{Chain, PathId, Paths, Place};
use smt::TermId;
use std::collections::BTreeSet;
use verdict::Stop;

/// A reason why a path is infeasible.
pub(super) struct Prefix {
    /// What excludes it, for each abstraction state of the path.
    pub facts: Vec<TermId>,
    pub measured: Measured,
}

/// What a predicate over something that is no variable costs.
const MEMORY: u64 = 256;

impl PredicateCpa<'_> {
    /// ExtractInfeasibleSlicedPrefixes [Loewe17, Alg. 2] with path formulas: a branch that contradicts what came before
    /// ends a prefix and counts as `[true]` in those that follow. Then interpolants for each.
    pub(super) fn prefixes(
        &mut self,
        path: &[PathStep],
        spine: &Spine,
        most: usize,
        costs: &[u64],
    ) -> Result<Vec<Prefix>, Stop> {
        let mut contradictions: Vec<usize> = Vec::new();
        let mut feasible = Paths::PROGRAM;
        let steps: Vec<Step> = path.iter().map(|step| step.step).collect();
        let known = self.exchange.refuted(&steps);
        for (at, PathStep { step, .. }) in path.iter().enumerate() {
            if matches!(self.program.edges[step.edge].op, Op::Unsupported(_)) {
                break;
            }
            let longer = self.longer(feasible, step);
            let branch = matches!(self.program.edges[step.edge].op, Op::Assume(_));
            // What is known is about the path itself: nothing was sliced away before its first contradiction.
            let refuted = contradictions.is_empty() && known == Some(at + 1);
            if branch && (refuted || !self.is_possible(longer)?) {
                if contradictions.is_empty() {
                    self.exchange.refute(&steps[..=at]);
                }
                contradictions.push(at);
                if contradictions.len() == most {
                    break;
                }
            } else {
                feasible = longer;
            }
        }
        let mut found = Vec::new();
        for &end in &contradictions {
            found.extend(self.prefix(path, spine, &contradictions, end, costs)?);
        }
        Ok(found)
    }

    fn is_possible(&mut self, path: PathId) -> Result<bool, Stop> {
        self.cancel.check()?;
        let block = self.block(path);
        self.satisfiable(&[block.formula])
    }

    /// The interpolants of the prefix that ends at one of the contradictions; `None` if there is no state to describe.
    fn prefix(
        &mut self,
        path: &[PathStep],
        spine: &Spine,
        contradictions: &[usize],
        end: usize,
        costs: &[u64],
    ) -> Result<Option<Prefix>, Stop> {
        let mut chain = Chain::default();
        let mut positions = Vec::new();
        let mut current = Paths::PROGRAM;
        let mut states = spine.states.iter();
        for (at, PathStep { step, node }) in path[..=end].iter().enumerate() {
            if at == end || !contradictions.contains(&at) {
                current = self.longer(current, step);
            }
            if let Some(&(_, state)) = states.as_slice().first().filter(|(start, _)| start == node) {
                states.next();
                let block = self.block(current);
                chain.push(&mut self.encoder, &block);
                let fact = self.fact(self.blocks[state].node);
                chain.assume(&mut self.encoder, fact);
                current = Paths::BLOCK;
                positions.push(at);
            }
        }
        if positions.is_empty() {
            return Ok(None);
        }
        let last = self.block(current);
        chain.finish(&mut self.encoder, &last);
        chain.ground(&mut self.encoder);
        let sequence = match self.interpolants(&chain.groups) {
            Ok(sequence) => sequence,
            Err(stop @ Stop::Limit(_)) => return Err(stop),
            Err(_) => return Ok(None),
        };
        let mut facts: Vec<TermId> =
            sequence[1..=positions.len()].iter().map(|&fact| self.encoder.at_start(fact)).collect();
        let measured = self.measure(&facts, &positions, end, costs);
        facts.resize(spine.states.len(), self.encoder.terms.truth());
        Ok(Some(Prefix { facts, measured }))
    }

    fn measure(&self, facts: &[TermId], positions: &[usize], end: usize, costs: &[u64]) -> Measured {
        let terms = &self.encoder.terms;
        let open: Vec<usize> = facts
            .iter()
            .zip(positions)
            .filter(|(fact, _)| terms.as_bool(**fact) != Some(true))
            .map(|(_, at)| *at)
            .collect();
        let mut named = BTreeSet::new();
        let mut score = 0;
        for variable in terms.free_vars(facts) {
            let (name, _) = terms.ssa_parts(variable);
            match self.encoder.slots.named(name).map(|slot| self.encoder.slots.place(slot)) {
                Some(Place::Register(var, _) | Place::Piece(var, ..) | Place::Address(var, _) | Place::Alive(var)) => {
                    named.insert(var);
                }
                Some(Place::Cell(_) | Place::Next(_) | Place::HeapCount) | None => score += MEMORY,
            }
        }
        score += named.iter().map(|var| costs[var.index()]).sum::<u64>();
        Measured {
            length: end as u64,
            width: open.len() as u64,
            depth: open.first().copied().unwrap_or(end) as u64,
            score,
        }
    }
}

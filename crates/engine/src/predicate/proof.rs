//! The check of a finished tree by a fresh solver: block by block, linear in the tree.

use super::Search;
use crate::bmc::stop_of;
use smt::{Answer, Solver, TermId};
use verdict::{Proof, Stop};

impl Search<'_, '_> {
    /// 1. The start is described by *true*. 2. No goal lies one block behind an open state. 3. What each block leads to
    ///    is described by a child at its end, or there is no such execution. 4. A covered state describes no more than
    ///    the open one that covers it.
    pub(super) fn proof(&mut self) -> Result<Proof, Stop> {
        let mut fresh = self.backend.solver();
        let states: Vec<_> = self.art.ids().collect();
        let mut open = 0;
        for state in states {
            self.cancel.check()?;
            if let Some(by) = self.art.covered_by(state) {
                let (a, b) = (self.art.psi(state), self.art.psi(by)); // 4
                let b = self.encoder.terms.not(b);
                self.refuted(&mut *fresh, &[a, b], "a covered state")?;
                if !self.art.is_open(by) {
                    return Err(Stop::Evidence("a state is covered by one that does not count".to_owned()));
                }
                continue;
            }
            if !self.art.is_open(state) {
                continue;
            }
            open += 1;
            let psi = self.known(state);
            let blocks = self.blocks_of(state)?;
            for (_, formula) in &blocks.goals {
                self.refuted(&mut *fresh, &[psi, *formula], "a target")?; // 2
            }
            let children = self.art.children(state).to_vec();
            for (at, block) in blocks.next.iter().enumerate() {
                let here = children.iter().filter(|&&child| self.art.parent(child) == Some((state, at)));
                let described: Vec<TermId> = here.map(|&child| self.art.psi(child)).collect();
                let described = self.encoder.terms.or(described);
                let described = self.encoder.at_end(described, &block.path);
                let outside = self.encoder.terms.not(described);
                let fact = self.fact_at_end(block);
                self.refuted(&mut *fresh, &[psi, block.formula, fact, outside], "a block")?; // 3
            }
        }
        let checked = format!(
            "The invariants at {open} places were confirmed to be inductive by a fresh solver, block by block."
        );
        Ok(Proof { exprs: self.program.exprs.clone(), invariants: Vec::new(), checked })
    }

    fn refuted(&mut self, fresh: &mut dyn Solver, formulas: &[TermId], what: &str) -> Result<(), Stop> {
        if formulas.iter().any(|&formula| self.encoder.terms.as_bool(formula) == Some(false)) {
            return Ok(());
        }
        match fresh.check_assuming(&self.encoder.terms, formulas, &self.cancel).map_err(stop_of)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => Err(Stop::Evidence(format!("a fresh solver finds a way past {what} of the proof"))),
        }
    }
}

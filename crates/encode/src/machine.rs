//! A transition system as a machine: registers with a value after the first step and after every further one, inputs, and
//! outputs. Only what decides whether a bad state is reached is kept.
//!
//! Step 0 goes from the start of the program to the first visit of the head, every later one from visit to visit. A machine
//! that is not where the program goes on (an assumption failed, the program ended) is *stuck*, and stays so.

use crate::system::System;
use smt::{Sort, TermId};
use std::collections::BTreeSet;

/// A register of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// Its value before a step.
    pub variable: TermId,
    /// What it is called.
    pub name: String,
    /// Its value after step 0.
    pub first: TermId,
    /// Its value after a later step.
    pub next: TermId,
}

/// A machine. Its formulas are over the variables of registers and over inputs.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What it remembers.
    pub registers: Vec<Register>,
    /// What is given at each step.
    pub inputs: Vec<TermId>,
    /// What inputs satisfy; whatever the registers are, some inputs do.
    pub definitions: Vec<TermId>,
    /// Whether step 0 is not stuck.
    pub starts: TermId,
    /// Whether a later step is not stuck.
    pub goes_on: TermId,
    /// Whether a target is reached in step 0.
    pub early: TermId,
    /// Whether a target is reached in a later step.
    pub bad: TermId,
}

impl System<'_> {
    /// The machine of the system.
    pub fn machine(&mut self) -> Machine {
        let (init, step) = (self.init.clone(), self.step.clone());
        let (bad, early) = (self.bad.clone(), self.early.clone());
        let definitions: Vec<TermId> = [&init, &step, &bad, &early]
            .iter()
            .flat_map(|block| self.encoder.terms.conjuncts(block.definitions))
            .filter(|&definition| self.encoder.terms.as_bool(definition) != Some(true))
            .collect::<BTreeSet<TermId>>()
            .into_iter()
            .collect();
        let outputs = [init.taken, step.taken, early.taken, bad.taken];
        let mut open: Vec<TermId> = definitions.iter().chain(&outputs).copied().collect();
        let (mut registers, mut inputs) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        while let Some(formula) = open.pop() {
            for variable in self.encoder.terms.free_vars(&[formula]) {
                let term = self.encoder.terms.var_term(variable);
                if !seen.insert(term) {
                    continue;
                }
                if !self.is_state(term) {
                    inputs.push(term);
                    continue;
                }
                let name = self.encoder.terms.ssa_parts(variable).0.to_owned();
                let first = self.encoder.at_end(term, &init.path);
                let next = self.encoder.at_end(term, &step.path);
                open.extend([first, next]);
                registers.push(Register { variable: term, name, first, next });
            }
        }
        Machine {
            registers,
            inputs,
            definitions,
            starts: init.taken,
            goes_on: step.taken,
            early: early.taken,
            bad: bad.taken,
        }
    }

    /// Whether a variable is part of the state at the head.
    fn is_state(&self, term: TermId) -> bool {
        let terms = &self.encoder.terms;
        let Some(variable) = terms.as_var(term) else { return false };
        let (name, index) = terms.ssa_parts(variable);
        index == Some(crate::blocks::START)
            && (self.encoder.slots.named(name).is_some() || matches!(terms.sort(term), Sort::Array { .. }))
    }
}

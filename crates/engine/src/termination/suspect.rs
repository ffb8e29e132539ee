//! Closed recurrent sets guessed from failed ranking proofs, as candidates for executions that never end: where no measure is
//! found, the steps that are left suggest states that may never be left (`ranking::closed_states`). An execution that
//! enters them gives inputs; whether it ends is then asked as for every other candidate.
//!
//! Inputs stay the same at each place that asks for one, so that they are part of the state; and an operation that
//! overflows gives anything, so that no set is closed only because integers wrap.

use super::ranking::{States, closed_states};
use super::recurrence::Candidate;
use crate::board::Conjectures;
use crate::facts::FactSource;
use base::{Cancel, Counters};
use cfa::{BinOp, Exprs, Node, Program, VarId};
use flow::Prepared;
use rustc_hash::FxHashMap;
use smt::Backend;
use verdict::{Counterexample, Stop};

/// States that may never be left.
pub struct Suspect {
    /// The program in which they are a target.
    pub entered: Prepared,
    states: States,
    /// Where inputs are asked for, in the order of choices, and the registers that hold them.
    inputs: Vec<(Node, VarId)>,
}

/// Sets of states of loops that have no measure.
pub fn suspects(
    program: &Program,
    backend: &dyn Backend,
    source: &FactSource,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Vec<Suspect>, Stop> {
    let Some(termination) = &program.termination else { return Ok(Vec::new()) };
    let heads: Vec<Node> = termination.loops.iter().map(|one| one.head).collect();
    let (steady, inputs) = transform::steady(&termination.plain);
    // What comes later has other numbers elsewhere.
    let known = steady.vars.len();
    let free = Prepared::new(transform::arbitrary_overflow(&steady));
    let counts = |var: VarId| base::Id::index(var) < known;
    let found = closed_states(&free, backend, source, (&heads, &counts), cancel)?;
    counters.add("sets of states that seem closed", found.len() as u64);
    Ok(found.into_iter().map(|states| suspect(&free, states, &inputs)).collect())
}

fn suspect(free: &Program, states: States, inputs: &[(Node, VarId)]) -> Suspect {
    let mut program = free.clone();
    program.exprs = states.exprs.clone();
    let mut all = states.conditions[0];
    for &one in &states.conditions[1..] {
        all = program.exprs.binary(BinOp::And, all, one);
    }
    let entered = Prepared::new(transform::meeting(&program, states.head, all));
    Suspect { entered, states, inputs: inputs.to_vec() }
}

impl Suspect {
    /// The execution that enters the states as a candidate, and what is claimed of it.
    pub fn candidate(&self, program: &Program, found: &Counterexample) -> Option<(Candidate, Conjectures)> {
        let loops = &program.termination.as_ref()?.loops;
        let watched = *loops.iter().find(|one| one.head == self.states.head)?;
        let chosen = found.replay_choices().havocs;
        let values = || self.inputs.iter().zip(chosen.iter().copied().chain(std::iter::repeat(0)));
        let inputs = values().map(|(&(node, _), value)| (node, value)).collect();
        let mut exprs: Exprs = self.states.exprs.clone();
        let mut known = FxHashMap::default();
        for (&(_, register), value) in values() {
            let ty = self.entered.register(register)?;
            let (register, value) = (exprs.var(register, ty), exprs.bits(ty, value));
            known.insert(register, value);
        }
        let claims = self.states.conditions.iter();
        let claims: Vec<_> = claims.map(|&one| (self.states.head, exprs.substitute(one, &mut known))).collect();
        Some((Candidate { inputs, watched }, Conjectures { exprs: Some(exprs), claims }))
    }
}

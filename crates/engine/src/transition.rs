//! Engines on transition systems: what a set of states at the head of the one loop proves, and what a number of steps to a
//! bad state shows.
//!
//! 1. The program is brought to a single loop (`transform::SingleLoop`) and encoded as a system (`encode::System`).
//! 2. An engine finds an inductive set of states without bad ones, or how many steps lead to a bad one.
//! 3. An inductive set is checked by a fresh solver. As invariants at the loop heads of the source it goes through the check
//!    of all invariants (`inductive`).
//! 4. A model of the steps gives choices, with which the interpreter runs the source.

mod counterexample;
pub mod dar;
mod frames;
pub mod ic3;
pub mod imc;
pub mod ismc;
pub mod pdr;
mod proof;
#[cfg(test)]
mod tests;

use crate::bmc::{self, Bounded, check_bound};
use base::{Cancel, Counters};
use encode::{Chain, Depth, MemoryModel, System, ask, check_room, memory_model, stop_of};
use flow::Prepared;
use smt::interpolation::{InterpolationFailure, InterpolationOptions, Strategy, interpolate};
use smt::{Answer, Backend, Solver, TermId};
use std::sync::Arc;
use std::time::Instant;
use transform::SingleLoop;
use verdict::{Goals, Stop, Verdict};

/// What an engine found out about a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// States, over the start of blocks: all of the first visit, with each state all that follow, and no bad one.
    Invariant(TermId),
    /// A bad state is reached.
    Execution(Depth),
}

/// A system and what engines ask solvers about it.
pub struct Search<'a, 'p> {
    /// The system.
    pub system: System<'p>,
    /// Makes solvers.
    pub backend: &'a dyn Backend,
    /// Has no assertions.
    pub solver: Box<dyn Solver>,
    /// Limits.
    pub cancel: &'a Cancel,
    /// What is counted on the way.
    pub counters: &'a mut Counters,
}

impl Search<'_, '_> {
    /// Whether formulas have a common model. A fresh solver simplifies what is asserted, and these are large.
    pub fn check(&mut self, formulas: &[TermId]) -> Result<Answer, Stop> {
        self.counters.add("questions about states", 1);
        let terms = &self.system.encoder.terms;
        let mut solver = self.backend.solver();
        for &formula in formulas {
            solver.assert(terms, formula);
        }
        solver.check(terms, self.cancel).map_err(stop_of)
    }

    /// Whether states are among others, both over the start of blocks.
    pub fn includes(&mut self, large: TermId, small: TermId) -> Result<bool, Stop> {
        let outside = self.system.encoder.terms.not(large);
        let terms = &mut self.system.encoder.terms;
        let both = terms.and([small, outside]);
        match terms.as_bool(both) {
            Some(false) => Ok(true),
            Some(true) => Ok(false),
            None => Ok(self.check(&[both])? == Answer::Unsat),
        }
    }

    /// Interpolants between groups, over the start of blocks; `None` if the groups have a common model. They were checked.
    pub fn interpolants(&mut self, groups: &[TermId], from: InterpolantSource) -> Result<Option<Vec<TermId>>, Stop> {
        assert!(groups.len() > 1, "interpolants lie between groups");
        let start = Instant::now();
        let all = InterpolationOptions::default();
        let own = InterpolationOptions { strategies: vec![Strategy::Own], ..InterpolationOptions::default() };
        let tries: Vec<&InterpolationOptions> = match from {
            InterpolantSource::Solver => vec![&own, &all],
            InterpolantSource::Best => vec![&all],
        };
        let mut found = Err(Stop::Solver("there are no interpolants".to_owned()));
        for options in tries {
            let terms = &mut self.system.encoder.terms;
            match interpolate(terms, &mut *self.solver, groups, options, self.cancel) {
                Ok(sequence) => {
                    found = Ok(Some(sequence.sequence));
                    break;
                }
                Err(InterpolationFailure::Satisfiable) => {
                    found = Ok(None);
                    break;
                }
                Err(InterpolationFailure::Stopped(stopped)) => return Err(Stop::Limit(stopped)),
                Err(failure) => found = Err(Stop::Solver(failure.to_string())),
            }
        }
        self.counters.time_since("interpolation", start);
        self.counters.add("interpolations", 1);
        let Some(sequence) = found? else { return Ok(None) };
        let inner = &sequence[1..sequence.len() - 1];
        assert_eq!(inner.len() + 1, groups.len(), "one interpolant between every two groups");
        Ok(Some(inner.iter().map(|&formula| self.system.encoder.at_start(formula)).collect()))
    }

    /// The group of the block that leads to the first visit of the head, for a chain of formulas that begins there.
    pub fn first(&mut self, chain: &mut Chain) -> TermId {
        assert!(chain.groups.is_empty(), "the first block comes first");
        let init = self.system.init.clone();
        chain.push(&mut self.system.encoder, &init);
        chain.groups[0]
    }

    /// What the start of the program says in addition to these formulas.
    pub fn grounded(&mut self, first: TermId, others: &[TermId]) -> TermId {
        let mut all = vec![first];
        all.extend_from_slice(others);
        let start = Chain::at_program_start(&mut self.system.encoder, &all);
        self.system.encoder.terms.and([start, first])
    }
}

base::choices! {
    /// Where interpolants come from. All are checked before they are used.
    pub enum InterpolantSource {
        /// The solver's own; if it has none, as `best`.
        Solver,
        /// The best of several strategies.
        Best,
    }
}

/// Runs an engine on the system of a program.
pub fn verify(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    engine: impl FnOnce(&mut Search) -> Result<Found, Stop>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    let (loops, calls) = (program.loops(), program.calls());
    if !loops.loops.iter().any(|(_, one)| calls.is_reachable(one.function)) {
        return without_loops((program, model), goals, backend, cancel, counters);
    }
    let asked = goals.asked(program);
    let single = SingleLoop::new(&asked).map_err(|why| Stop::Bound(format!("no program with a single loop: {why}")))?; // 1
    counters.max("places of the single loop", single.places.len() as u64);
    assert!(single.program.nodes[single.head].loop_head, "the single loop has a head");
    single.program.assert_valid();
    let start = Instant::now();
    let single_model = memory_model(&single.program, cancel)?;
    let system = System::new(&single.program, single_model, single.head, cancel)?;
    check_room(&system.encoder)?;
    counters.time_since("formula construction", start);
    counters.max("terms", system.encoder.terms.len() as u64);
    for (node, info) in program.nodes.iter() {
        if calls.is_reachable(info.function) {
            counters.trail.reach(node);
        }
    }
    let solver = backend.solver();
    let mut search = Search { system, backend, solver, cancel, counters };
    let early = search.system.execution(Depth::Early);
    let found = match ask(&mut *search.solver, &search.system.encoder, early.formula, cancel)? {
        Answer::Sat => Found::Execution(Depth::Early),
        Answer::Unsat => engine(&mut search)?, // 2
    };
    match found {
        Found::Invariant(states) => {
            proof::proof(&mut search, (&asked, model), &single, states).map(Verdict::Safe) // 3
        }
        Found::Execution(depth) => counterexample::counterexample(&mut search, (program, model), goals, depth), // 4
    }
}

/// A program without loops is unrolled.
fn without_loops(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    let (loops, bounds) = (program.loops(), bmc::bounds(1, 1));
    match check_bound((program, goals), (&loops, model), backend, bounds, cancel, counters)? {
        Bounded::Verdict(verdict) => Ok(verdict),
        Bounded::Inconclusive { doubt, .. } => {
            Err(doubt.unwrap_or_else(|| Stop::Bound("recursion is longer than the bound 1".to_owned())))
        }
    }
}

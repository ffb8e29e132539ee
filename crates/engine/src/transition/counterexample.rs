//! From a number of steps to a bad state to an execution of the source.
//!
//! 1. A model of the steps says how choices are made; the interpreter runs the source with them.
//! 2. If that meets undefined behaviour, a model without it, as far as formulas tell.
//! 3. If that is not an execution either, bounded model checking of the source with as many iterations. Objects come into
//!    being in another order in the program with the single loop, so what their bytes hold may be lost in 1.

use super::Search;
use crate::bmc::{self, Bounded, check_bound};
use crate::evidence::confirm_model;
use encode::{Depth, ErrorChain, MemoryModel, stop_of};
use flow::Prepared;
use smt::{Answer, TermId};
use std::sync::Arc;
use verdict::{Goals, Stop, Verdict};

/// The verdict on an execution that formulas say there is.
pub(super) fn counterexample(
    search: &mut Search,
    (source, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    depth: Depth,
) -> Result<Verdict, Stop> {
    let execution = search.system.execution(depth);
    let first = match replayed(search, source, goals, &execution, &[])? {
        Some(Verdict::Unknown(stop)) => stop, // 1
        Some(verdict) => return Ok(verdict),
        None => return Err(Stop::Evidence("a fresh solver finds no execution of this length".to_owned())),
    };
    let defined = execution.chain.defined(&mut search.system.encoder);
    if let Some(verdict @ Verdict::Unsafe(_)) = replayed(search, source, goals, &execution, &defined)? {
        return Ok(verdict); // 2
    }
    let Depth::Steps(steps) = depth else { return Err(first) };
    let bounds = bmc::bounds(steps as u32 + 1, bmc::CONSTANT_LOOPS);
    let loops = source.loops();
    let found = check_bound((source, goals), (&loops, model), search.backend, bounds, search.cancel, search.counters);
    match found {
        Ok(Bounded::Verdict(verdict @ Verdict::Unsafe(_))) => Ok(verdict), // 3
        Ok(_) | Err(_) => Err(first),
    }
}

/// What the interpreter says of a model of an execution and of further conditions; `None` if there is no model.
fn replayed(
    search: &mut Search,
    source: &Prepared,
    goals: &mut Goals,
    execution: &ErrorChain,
    conditions: &[TermId],
) -> Result<Option<Verdict>, Stop> {
    let mut solver = search.backend.solver();
    let encoder = &mut search.system.encoder;
    for &formula in conditions.iter().chain([&execution.formula]) {
        solver.assert(&encoder.terms, formula);
    }
    if solver.check(&encoder.terms, search.cancel).map_err(stop_of)? == Answer::Unsat {
        return Ok(None);
    }
    let choices = encoder.chain_choices(&mut *solver, &execution.chain).map_err(stop_of)?;
    let edges = (execution.chain.groups.len() * source.edges.len()) as u64;
    Ok(Some(match confirm_model(source, &choices, edges, search.cancel) {
        Verdict::Unsafe(found) if goals.is_open(source.targets[found.target].node) => match goals.violated(found) {
            Some(last) => Verdict::Unsafe(last),
            None => Verdict::Unknown(Stop::Bound("other targets are open".to_owned())),
        },
        Verdict::Unsafe(_) => {
            Verdict::Unknown(Stop::Bound("the execution reaches a target that is decided".to_owned()))
        }
        verdict => verdict,
    }))
}

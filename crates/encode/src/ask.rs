//! Questions to a solver about encoded programs, and what its answers and failures mean.

use crate::{Encoder, Guard};
use base::Cancel;
use cfa::{EdgeId, Op, Program};
use smt::{Answer, Solver, SolverFailure, TermId};
use verdict::Stop;

/// Formulas mean nothing where objects overlap.
pub fn check_room(encoder: &Encoder) -> Result<(), Stop> {
    if encoder.is_exhausted() {
        return Err(Stop::Bound("the objects of the unrolled program do not fit into the address space".to_owned()));
    }
    Ok(())
}

/// One of the guards holds.
pub fn any(encoder: &mut Encoder, guards: impl IntoIterator<Item = Guard>) -> TermId {
    let formulas: Vec<TermId> =
        guards.into_iter().map(|guard| encoder.guards.formula(&mut encoder.terms, guard)).collect();
    encoder.terms.or(formulas)
}

/// Whether a formula has a model, beside what the solver knows; plain truth values need no solver.
pub fn ask(solver: &mut dyn Solver, encoder: &Encoder, formula: TermId, cancel: &Cancel) -> Result<Answer, Stop> {
    match encoder.terms.as_bool(formula) {
        Some(false) => Ok(Answer::Unsat),
        Some(true) | None => solver.check_assuming(&encoder.terms, &[formula], cancel).map_err(stop_of),
    }
}

/// A solver's failure as the reason to give up.
pub fn stop_of(failure: SolverFailure) -> Stop {
    match failure {
        SolverFailure::Stopped(stopped) => Stop::Limit(stopped),
        SolverFailure::Incomplete(why) => Stop::Solver(why),
    }
}

/// Why an edge cannot be passed.
pub fn unsupported(program: &Program, edge: EdgeId) -> Stop {
    let span = program.edges[edge].span;
    let what = match &program.edges[edge].op {
        Op::Unsupported(what) => program.text(*what).to_owned(),
        _ => "call through a pointer".to_owned(),
    };
    Stop::Unsupported { what, span }
}

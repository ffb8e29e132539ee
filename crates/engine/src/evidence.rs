//! From choices to a confirmed counterexample. Whatever an engine believes, only a run of the interpreter that reaches a
//! target is evidence:
//!
//! - `replayed`: runs with given choices, and what a run that reached a target leaves;
//! - `path`: an abstract error path, followed with guesses or with a model of its formula;
//! - `guided`: runs that begin as chosen and go on by themselves;
//! - `simplify`: a simpler execution that reaches a target as well.

mod guided;
mod path;
mod replayed;
mod simplify;

pub use guided::{Guided, run_on};
pub use path::{Confirm, Solved, dereferenced, edges, guess, solve, try_choices};
pub use replayed::{confirm, confirm_model, confirm_within, counterexample, settle, without_addresses};
pub use simplify::simplify;

use verdict::{Counterexample, Stop};

/// What became of a path that the analysis cannot exclude.
#[derive(Clone, Debug)]
pub enum Confirmation {
    /// An execution takes it.
    Unsafe(Counterexample),
    /// No execution was found.
    Undecided(Stop),
}

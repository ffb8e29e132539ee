//! The concrete interpreter: runs a program on the CFA, exactly as gcc's `-O0 -fwrapv` would where C defines the
//! behaviour. Functions are compiled on first call to compact code (`code`), which a machine runs on slots and
//! byte-addressed objects (`memory`).
//!
//! What C leaves undefined ends the run with its position, or goes on with an arbitrary value; what is open (inputs,
//! uninitialised bytes) comes from a [`Chooser`].

mod addresses;
#[cfg(test)]
mod byte_tests;
#[cfg(test)]
mod choice_tests;
mod code;
mod compile;
mod decimal;
mod dispatch;
mod effects;
mod expression;
#[cfg(test)]
mod expression_tests;
mod library;
mod living;
mod machine;
mod memory;
#[cfg(test)]
mod memory_tests;
mod object;
mod printf;
#[cfg(test)]
mod tests;
mod value;

pub use compile::Tracing;

use crate::choices::{Choices, Chooser, Drawn, Draws};
use crate::history::History;
use base::{Cancel, Span, Stopped};
pub use cfa::Undefined;
use cfa::{EdgeId, Program};
use machine::Machine;
use std::io::Write;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to do about undefined behaviour.
    pub undefined: Undefined,
    /// The run ends after so many instructions.
    pub steps: u64,
    /// Whether to give the path back.
    pub tracing: Tracing,
    /// Whether to give the choices back.
    pub recording: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { undefined: Undefined::Report, steps: u64::MAX, tracing: Tracing::Off, recording: false }
    }
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// The program ended with this status, as a shell sees it: 0 to 255, 134 for `abort`.
    Exit(i32),
    /// It reached the target with this index in `Program::targets`.
    Target(usize),
    /// It met undefined behaviour.
    Undefined {
        /// For the user.
        what: &'static str,
        /// Where.
        span: Span,
    },
    /// It met something that the interpreter does not do.
    Unsupported {
        /// For the user.
        what: String,
        /// Where.
        span: Span,
    },
    /// An assumption failed: no execution looks like this.
    Assumed,
    /// It was still running after [`Options::steps`].
    StepLimit,
    /// It left the path that it was to follow.
    Diverged,
    /// It was stopped from outside.
    Stopped(Stopped),
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct InterpreterRun {
    /// How it ended.
    pub outcome: RunEnd,
    /// Instructions that it took.
    pub steps: u64,
    /// The edges that it took, with tracing on.
    pub path: Vec<EdgeId>,
    /// What the edges did, with values traced.
    pub history: History,
    /// The values it drew, with recording on.
    pub drawn: Vec<Drawn>,
    /// What makes it happen again, with recording on.
    pub choices: Choices,
}

/// Runs a program from its start. Output goes to `out`; write errors are ignored, as `printf` callers do.
pub fn run(
    program: &Program,
    chooser: &mut dyn Chooser,
    out: &mut dyn Write,
    options: &Options,
    cancel: &Cancel,
) -> InterpreterRun {
    run_along(program, chooser, out, options, cancel, None)
}

/// Like [`run`]; with a path, ends as soon as it leaves the path or has followed all of it.
pub(crate) fn run_along(
    program: &Program,
    chooser: &mut dyn Chooser,
    out: &mut dyn Write,
    options: &Options,
    cancel: &Cancel,
    path: Option<&[EdgeId]>,
) -> InterpreterRun {
    let draws = Draws::new(chooser, program.model, options.recording);
    let mut machine = Machine::new(program, draws, out, options, cancel, path);
    let outcome = machine.run();
    machine.finish(outcome)
}

//! Replay: whether a counterexample is one. Engines hand over the choices (and the path) they believe in; only a run
//! that reaches the target counts.

use crate::choices::{Choices, Replayer};
use crate::interpreter::{self, InterpreterRun, Options, RunEnd, Tracing, Undefined};
use base::Cancel;
use cfa::{EdgeId, Program};

/// Runs with these choices; the result holds the path and what was really drawn.
pub fn replay(program: &Program, choices: &Choices, steps: u64, cancel: &Cancel) -> InterpreterRun {
    let options = Options { undefined: program.undefined, steps, tracing: Tracing::On, recording: true };
    interpreter::run(program, &mut Replayer::new(choices), &mut std::io::sink(), &options, cancel)
}

/// Runs with these choices and notes what every edge does; continues past undefined behaviour.
pub fn observe(program: &Program, choices: &Choices, cancel: &Cancel) -> InterpreterRun {
    let options =
        Options { undefined: Undefined::Continue, steps: u64::MAX, tracing: Tracing::Values, recording: true };
    interpreter::run(program, &mut Replayer::new(choices), &mut std::io::sink(), &options, cancel)
}

/// A replay along a path.
#[derive(Clone, Debug)]
pub struct Followed {
    /// What happened. Ends with `Diverged` where the path was left.
    pub run: InterpreterRun,
    /// The index in the path of the first edge that was not taken, and the edge.
    pub left_at: Option<(usize, EdgeId)>,
}

/// Runs with these choices as long as the run takes the edges of `path`: those of calls included, the call edge before
/// the edges of the callee. Tells a wrong choice (an assumption of the path fails) from a path that no choice follows.
pub fn follow(program: &Program, path: &[EdgeId], choices: &Choices, cancel: &Cancel) -> Followed {
    let options = Options { undefined: program.undefined, steps: u64::MAX, tracing: Tracing::On, recording: true };
    let mut chooser = Replayer::new(choices);
    let run = interpreter::run_along(program, &mut chooser, &mut std::io::sink(), &options, cancel, Some(path));
    let at = run.path.len();
    let left_at = path.get(at).map(|&edge| (at, edge)).filter(|_| !matches!(run.outcome, RunEnd::Target(_)));
    Followed { run, left_at }
}

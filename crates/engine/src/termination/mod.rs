//! Whether every execution ends. An execution that does not is a lasso, which watches in the program make a target
//! ([`cfa::Termination`]), so that every engine for errors looks for it.

use cfa::Program;
use verdict::{Argument, Stop, Verdict};

/// A proof that no lasso is closed counts as one that executions end only where that follows: where all states of loops
/// are compared, or all executions lie in an unrolled part of the program.
pub fn admitted(program: &Program, verdict: Verdict) -> Verdict {
    let Some(termination) = &program.termination else { return verdict };
    match &verdict {
        Verdict::Safe(proof) if !termination.complete && proof.argument != Argument::Unrolled => {
            let what = "no execution was found that repeats itself, but loops change memory, so there may be others";
            Verdict::Unknown(Stop::Bound(what.to_owned()))
        }
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => verdict,
    }
}

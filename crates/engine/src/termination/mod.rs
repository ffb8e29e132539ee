//! Whether every execution ends. One that does not is a lasso, which watches in the program make a target
//! ([`cfa::Termination`]), so that every engine for errors looks for it. That all end is shown by complete unrolling
//! (`bmc`), by engines for errors where states of loops are finite, and here, by measures: every loop and every recursive
//! function has a number that gets smaller each time.

mod lexicographic;
mod measure;
mod ranking;
mod walk;

pub use ranking::verify;

use crate::bmc::{self, BmcOptions};
use base::{Cancel, Counters};
use cfa::Program;
use encode::MemoryModel;
use smt::Backend;
use verdict::{Argument, Goals, Proof, Stop, Verdict};

/// A proof that no lasso is closed counts as one that executions end only where that follows: where all states of loops
/// are compared, or all executions lie in an unrolled part of the program, or there are measures.
pub fn admitted(program: &Program, verdict: Verdict) -> Verdict {
    let Some(termination) = &program.termination else { return verdict };
    match &verdict {
        Verdict::Safe(proof) => match proof.argument {
            Argument::Unrolled | Argument::Measures => verdict,
            Argument::Described | Argument::Inductive | Argument::Induction(_) if termination.complete => verdict,
            Argument::Described | Argument::Inductive | Argument::Induction(_) => {
                let what = "no execution repeats itself, but there may be others that never end";
                Verdict::Unknown(Stop::Bound(what.to_owned()))
            }
        },
        Verdict::Unsafe(_) | Verdict::Unknown(_) => verdict,
    }
}

/// Complete unrolling of the program without watches: an execution that never ends leaves every unrolled part.
pub fn unwind(
    program: &Program,
    backend: &dyn Backend,
    options: &BmcOptions,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let Some(termination) = &program.termination else {
        return Verdict::Unknown(Stop::Bound("the question is not whether executions end".to_owned()));
    };
    let plain = &termination.plain;
    let model = match MemoryModel::new(plain, cancel) {
        Ok(model) => model,
        Err(stopped) => return Verdict::Unknown(stopped.into()),
    };
    let mut goals = Goals::any(plain);
    match bmc::verify((plain, &model), &mut goals, backend, options, &[], cancel, counters) {
        // Invariants may say more of targets, of which there are none; that executions end follows from the unrolling.
        Verdict::Safe(proof) => Verdict::Safe(Proof { argument: Argument::Unrolled, ..proof }),
        Verdict::Unsafe(_) => Verdict::Unknown(Stop::Evidence("a program without targets reaches one".to_owned())),
        unknown @ Verdict::Unknown(_) => unknown,
    }
}

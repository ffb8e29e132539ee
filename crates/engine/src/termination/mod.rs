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
use crate::board::Board;
use base::{Cancel, Counters};
use cfa::{Program, Source};

use flow::Prepared;
use semantics::interpreter::Outcome;
use semantics::replay::replay;
use smt::Backend;
use verdict::{Argument, Choice, Counterexample, Goals, Proof, Stop, Verdict};

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
        Verdict::Unsafe(found) if rests_on_others(program, found) => {
            let what = "an execution never ends, but only for some values of variables that are defined elsewhere";
            Verdict::Unknown(Stop::Undecided { what: what.to_owned(), span: program.targets[found.target].span })
        }
        Verdict::Unsafe(_) | Verdict::Unknown(_) => verdict,
    }
}

/// Instructions that a repeated execution may take.
const MOST_STEPS: u64 = 20_000_000;

/// Whether an execution is another one where variables that other files define hold 1 or 2. What they hold is not for
/// the program to say, and where it waits in a loop for a value that they never have, nobody calls it endless.
fn rests_on_others(program: &Program, found: &Counterexample) -> bool {
    let elsewhere = |choice: &Choice| {
        let function = program.nodes[program.edges[choice.edge].from].function;
        function == program.entry && matches!(choice.source, Source::Extern(_)) && choice.ty.is_int()
    };
    if !found.choices.iter().any(elsewhere) {
        return false;
    }
    [1, 2].into_iter().any(|value| {
        let mut other = found.clone();
        other.choices.iter_mut().filter(|choice| elsewhere(choice)).for_each(|choice| choice.bits = value);
        let run = replay(program, &other.replay_choices(), MOST_STEPS, &Cancel::never());
        !matches!(run.outcome, Outcome::Target(_))
    })
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
    let plain = &Prepared::new(Program::clone(&termination.plain));
    let model = match encode::memory_model(plain, cancel) {
        Ok(model) => model,
        Err(stopped) => return Verdict::Unknown(stopped.into()),
    };
    let mut goals = Goals::any(plain);
    match bmc::verify((plain, &model), &mut goals, backend, (options, &Board::default()), &[], cancel, counters) {
        // Invariants may say more of targets, of which there are none; that executions end follows from the unrolling.
        Verdict::Safe(proof) => Verdict::Safe(Proof { argument: Argument::Unrolled, ..proof }),
        Verdict::Unsafe(_) => Verdict::Unknown(Stop::Evidence("a program without targets reaches one".to_owned())),
        unknown @ Verdict::Unknown(_) => unknown,
    }
}

//! Whether every execution ends. One that does not is a lasso, which watches in the program make a target
//! ([`cfa::Termination`]), so that every engine for errors looks for it. That all end is shown by complete unrolling
//! (`bmc`), by engines for errors where states of loops are finite, and here, by measures: every loop and every recursive
//! function has a number that gets smaller each time.

mod balance;
mod brent;
mod change;
mod disjunctive;
mod lexicographic;
mod linear;
mod measure;
mod monotone;
mod ranking;
mod recurrence;
mod suspect;
mod walk;

pub use brent::Brent;
pub use ranking::{Partly, measures};
pub use recurrence::{Candidate, Candidates, enter};
pub use suspect::{Suspect, suspects};

use crate::bmc::{self, BmcOptions};
use crate::board::Board;
use base::{Cancel, Counters};
use cfa::{EdgeId, Op, Program, Scalar, Source};

use flow::Prepared;
use semantics::choices::{Chooser, Replayer};
use semantics::interpreter::{self, RunEnd};
use smt::Backend;
use verdict::{Argument, Counterexample, Goals, Proof, Stop, Verdict};

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
        // A closed set is closed whatever other files define, and whatever operations give that overflow.
        Verdict::Unsafe(found) if found.closed.is_some() => verdict,
        Verdict::Unsafe(found) if rests_on_others(program, found) => {
            let what = "an execution never ends, but only for some values of variables that are defined elsewhere";
            Verdict::Unknown(Stop::Undecided { what: what.to_owned(), span: program.targets[found.target].span })
        }
        Verdict::Unsafe(found) if overflows(program, found) => {
            let what = "an execution never ends, but a signed integer overflows on it, which C leaves undefined";
            Verdict::Unknown(Stop::Undecided { what: what.to_owned(), span: program.targets[found.target].span })
        }
        Verdict::Unsafe(_) | Verdict::Unknown(_) => verdict,
    }
}

/// Instructions that a repeated execution may take.
const MOST_STEPS: u64 = 20_000_000;

/// Whether an execution is another one where variables that other files define hold 1 or 2 (in each byte, if they lie in
/// memory). What they hold is not up to the program, and where it waits in a loop for a value that they never have,
/// it is not called endless.
fn rests_on_others(program: &Program, found: &Counterexample) -> bool {
    let statics = program.vars.iter().filter(|(id, var)| var.function.is_none() && program.register(*id).is_none());
    let start = program.edges.iter().filter(|(_, edge)| program.nodes[edge.from].function == program.entry);
    let (mut open, mut births) = (false, statics.count() as u32);
    for (_, edge) in start {
        let elsewhere =
            matches!(edge.op, Op::Havoc(_, Source::Extern(_)) | Op::HavocMemory { source: Source::Extern(_), .. });
        open |= elsewhere;
        births += u32::from(elsewhere);
    }
    open && [1, 2].into_iter().any(|value| {
        let choices = found.replay_choices();
        let mut chooser = Elsewhere { program, inner: Replayer::new(&choices), births, value };
        let options = interpreter::Options { undefined: program.undefined, steps: MOST_STEPS, ..Default::default() };
        let run = interpreter::run(program, &mut chooser, &mut std::io::sink(), &options, &Cancel::never());
        !matches!(run.outcome, RunEnd::Target(_))
    })
}

/// Whether a signed integer overflows on an execution, or it is too long to tell.
fn overflows(program: &Program, found: &Counterexample) -> bool {
    let exact = transform::without_overflow(program);
    let choices = found.replay_choices();
    let options = interpreter::Options { undefined: program.undefined, steps: MOST_STEPS, ..Default::default() };
    let mut chooser = Replayer::new(&choices);
    let run = interpreter::run(&exact, &mut chooser, &mut std::io::sink(), &options, &Cancel::never());
    !matches!(run.outcome, RunEnd::Target(_))
}

/// Repeats choices, but for what other files define.
struct Elsewhere<'c> {
    program: &'c Program,
    inner: Replayer<'c>,
    /// Objects with smaller numbers are created before the program starts: their uninitialised bytes are what another
    /// file defines.
    births: u32,
    value: u8,
}

impl Chooser for Elsewhere<'_> {
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        let repeated = self.inner.havoc(edge, source, ty);
        let function = self.program.nodes[self.program.edges[edge].from].function;
        let elsewhere = function == self.program.entry && matches!(source, Source::Extern(_)) && ty.is_int();
        if elsewhere { u128::from(self.value) } else { repeated }
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        let repeated = self.inner.byte(birth, offset);
        if birth < self.births { self.value } else { repeated }
    }
    fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128 {
        self.inner.undefined(edge, ty)
    }
    fn address(&mut self, birth: u32) -> Option<u64> {
        self.inner.address(birth)
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

//! Witnesses of executions that never end: the program runs with the inputs that the witness names, and has to come back to
//! a state in which it was before. Which visit of which loop is the one that repeats is tried out.

use super::{Told, Validation};
use base::Cancel;
use cfa::{EdgeId, Op, Program, Scalar, Source, VarId};
use engine::evidence::confirm;
use engine::termination::admitted;
use semantics::choices::Chooser;
use semantics::interpreter::{self, RunEnd};
use verdict::Verdict;
use witness::hints::Hint;

/// Visits of a loop that may be the first of the cycle.
const VISITS: u64 = 64;
/// Steps of one run.
const STEPS: u64 = 2_000_000;

/// Whether the inputs lead to an execution that repeats itself.
pub fn validate(program: &Program, hints: &[Hint], cancel: &Cancel) -> Validation {
    let choices = program.termination.as_ref().map_or(&[][..], |watched| &watched.choices);
    let options =
        interpreter::Options { undefined: program.undefined, steps: STEPS, recording: true, ..Default::default() };
    let mut reason = "the execution with its inputs was not seen to repeat itself".to_owned();
    for visit in 1..=VISITS {
        let mut left = false;
        for &choice in choices {
            if let Err(stopped) = cancel.check() {
                return Validation::Unknown(stopped.to_string());
            }
            let told = Told { program, hints: hints.to_vec(), next: 0 };
            let mut chooser = Remembering { told, choices, choice, visit, visited: 0 };
            let run = interpreter::run(program, &mut chooser, &mut std::io::sink(), &options, cancel);
            left |= chooser.visited >= visit;
            if !matches!(run.outcome, RunEnd::Target(_)) {
                continue;
            }
            match admitted(program, confirm(program, &run.choices, cancel)) {
                Verdict::Unsafe(_) => return Validation::Confirmed,
                Verdict::Unknown(stop) => reason = stop.describe(&program.sources),
                Verdict::Safe(_) => {}
            }
        }
        // No loop is visited so often.
        if !left {
            break;
        }
    }
    Validation::Unknown(reason)
}

/// The inputs of a witness; one visit of one loop is remembered.
struct Remembering<'a> {
    told: Told<'a>,
    choices: &'a [VarId],
    choice: VarId,
    visit: u64,
    visited: u64,
}

impl Chooser for Remembering<'_> {
    fn havoc(&mut self, edge: EdgeId, source: Source, ty: Scalar) -> u128 {
        match self.told.program.edges[edge].op {
            Op::Havoc(var, _) if self.choices.binary_search(&var).is_ok() => {
                self.visited += u64::from(var == self.choice);
                u128::from(var == self.choice && self.visited == self.visit)
            }
            _ => self.told.havoc(edge, source, ty),
        }
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        self.told.byte(birth, offset)
    }
    fn undefined(&mut self, edge: EdgeId, ty: Scalar) -> u128 {
        self.told.undefined(edge, ty)
    }
}

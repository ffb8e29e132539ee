//! Runs of the interpreter that start with given choices and go on by themselves.

use super::confirm;
use base::{Cancel, Counters};
use cfa::{EdgeId, Program, Scalar, Source};
use semantics::choices::{Choices, Chooser};
use semantics::interpreter::{self, InterpreterRun, Options, RunEnd, Tracing};
use semantics::random::Random;
use verdict::{Counterexample, Goals, Verdict};

/// Given choices; after them zeros or small numbers, and objects for pointers.
pub struct Guided {
    choices: Choices,
    drawn: usize,
    undefined: usize,
    random: Option<Random>,
}

impl Guided {
    /// These choices first, then zeros, or numbers that the seed gives.
    pub fn new(choices: Choices, seed: Option<u64>) -> Guided {
        Guided { choices, drawn: 0, undefined: 0, random: seed.map(Random::new) }
    }

    /// Runs the program for at most so many steps.
    pub fn run(mut self, program: &Program, steps: u64, tracing: Tracing, cancel: &Cancel) -> InterpreterRun {
        let options = Options { undefined: program.undefined, steps, recording: true, tracing };
        interpreter::run(program, &mut self, &mut std::io::sink(), &options, cancel)
    }
}

impl Chooser for Guided {
    fn havoc(&mut self, _: EdgeId, source: Source, ty: Scalar) -> u128 {
        self.drawn += 1;
        match (self.choices.havocs.get(self.drawn - 1), &mut self.random) {
            (Some(&value), _) => value,
            (None, _) if ty == Scalar::Ptr && source != Source::Uninitialised => (self.drawn as u128) << 12,
            (None, Some(random)) => u128::from(random.below(3)),
            (None, None) => 0,
        }
    }
    fn byte(&mut self, birth: u32, offset: u64) -> u8 {
        self.choices.bytes.get(&(birth, offset)).copied().unwrap_or(0)
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        self.undefined += 1;
        self.choices.undefined.get(self.undefined - 1).copied().unwrap_or(0)
    }
}

/// How many runs go on from one beginning; the first draws zeros.
const RUNS: u64 = 2;

/// An execution to an open target that begins as chosen; the answer if that ends the search.
pub fn run_on(
    program: &Program,
    goals: &mut Goals,
    beginning: &Choices,
    steps: u64,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Option<Counterexample> {
    let runs = if steps == 0 { 0 } else { RUNS };
    for number in 0..runs {
        let seed = (number > 0).then_some(number);
        let run = Guided::new(beginning.clone(), seed).run(program, steps, Tracing::Off, cancel);
        counters.add("continued runs", 1);
        counters.add("continued run instructions", run.steps);
        if let RunEnd::Target(target) = run.outcome
            && goals.is_open(program.targets[target].node)
            && let Verdict::Unsafe(found) = confirm(program, &run.choices, cancel)
            && let Some(last) = goals.violated(found)
        {
            return Some(last);
        }
    }
    None
}

//! Random testing: executes the program with arbitrary values drawn at random until a run reaches a target. Finds
//! shallow bugs quickly, proves nothing.

use crate::from_model::settle;
use base::{Cancel, Counters, Stopped};
use cfa::Program;
use semantics::choices::{Choices, Chooser, Replayer};
use semantics::interpreter::{self, Options, Outcome, Run, Tracing};
use semantics::random::Random;
use serde::Deserialize;
use verdict::{ByteChoice, Choice, Counterexample, Goals, Stop, Verdict};

/// How long and how often to try.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RandomOptions {
    /// Runs at most; the first draws zeros only.
    pub runs: u64,
    /// Instructions a run may take.
    pub steps: u64,
    /// How many of the runs that take more are repeated with a larger limit.
    pub long_runs: u64,
    /// Instructions such a run may take.
    pub long_steps: u64,
    /// Where the sequence of random values starts.
    pub seed: u64,
}

/// Runs the program again and again.
pub fn random(
    program: &Program,
    goals: &mut Goals,
    options: &RandomOptions,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let zeros = Choices::default();
    let mut long_runs = options.long_runs;
    // Only reports ask where runs came along; the path to an error is recorded by its replay.
    let tracing = if counters.trail.wanted { Tracing::On } else { Tracing::Off };
    for number in 0..options.runs {
        if let Err(stopped) = cancel.check() {
            return Verdict::Unknown(stopped.into());
        }
        let seed = options.seed.wrapping_add(number);
        let execute = |steps: u64, tracing: Tracing| match number {
            0 => execute(program, &mut Replayer::new(&zeros), (steps, tracing), cancel),
            _ => execute(program, &mut Random::new(seed), (steps, tracing), cancel),
        };
        let mut run = execute(options.steps, tracing);
        run.path.iter().for_each(|&edge| counters.trail.reach(program.edges[edge].from));
        if matches!(run.outcome, Outcome::StepLimit) && long_runs > 0 {
            long_runs -= 1;
            run = execute(options.long_steps, Tracing::Off);
        }
        counters.add("random runs", 1);
        counters.add("random run instructions", run.steps);
        match run.outcome {
            Outcome::Target(target) if goals.is_open(program.targets[target].node) => {
                if let Some(verdict) = settle(program, goals, &run.choices, cancel) {
                    return verdict;
                }
            }
            Outcome::Stopped(stopped @ (Stopped::Time | Stopped::Memory | Stopped::Asked)) => {
                return Verdict::Unknown(stopped.into());
            }
            // A program without open choices has no other execution.
            _ if run.drawn.is_empty() && run.choices.bytes.is_empty() && run.choices.undefined.is_empty() => break,
            Outcome::Exit(_) | Outcome::Undefined { .. } | Outcome::Unsupported { .. } | Outcome::Target(_) => {}
            Outcome::Assumed | Outcome::StepLimit | Outcome::Diverged => {}
        }
    }
    Verdict::Unknown(Stop::Bound("no random run reaches an error".into()))
}

fn execute(program: &Program, chooser: &mut dyn Chooser, (steps, tracing): (u64, Tracing), cancel: &Cancel) -> Run {
    let options = Options { undefined: program.undefined, steps, tracing, recording: true };
    interpreter::run(program, chooser, &mut std::io::sink(), &options, cancel)
}

/// The evidence that a run with tracing and recording left.
pub fn counterexample(target: usize, run: Run) -> Counterexample {
    let choice = |drawn: semantics::choices::Drawn| Choice {
        edge: drawn.edge,
        source: drawn.source,
        ty: drawn.ty,
        bits: drawn.value,
    };
    let bytes = run.choices.bytes.iter();
    let addresses = run.choices.addresses.iter();
    Counterexample {
        target,
        path: run.path,
        choices: run.drawn.into_iter().map(choice).collect(),
        undefined: run.choices.undefined.clone(),
        addresses: addresses.map(|(&object, &address)| (object, address)).collect(),
        bytes: bytes.map(|(&(object, offset), &value)| ByteChoice { object, offset, value }).collect(),
    }
}

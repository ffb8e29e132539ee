//! Random testing: executes the program with arbitrary values drawn at random until a run reaches a target. Finds
//! shallow bugs quickly. A program that asks for no values has one execution: it is followed to its end, however long
//! that takes, with loops that count in one step, and decides the program if that touches no memory, whose addresses
//! would be a choice, too.

use crate::acceleration::{End, accelerate};
use crate::evidence::{counterexample, settle};
use crate::termination::Brent;
use base::{Cancel, Counters, Id, Stopped, options};
use cfa::{EdgeId, Expr, ExprId, Op, Program, Source};
use semantics::choices::{Choices, Chooser, Replayer};
use semantics::interpreter::{self, InterpreterRun, Options, RunEnd, Tracing};
use semantics::random::Random;
use verdict::{Argument, Goals, Proof, Stop, Verdict};

/// The path of a longer execution without choices is left out: it is billions of edges, and has nothing to tell.
const MOST_TRACED: u64 = 20_000_000;

// ANCHOR: options
options! {
    /// How long and how often to try.
    pub struct RandomOptions {
        /// The largest number of runs; the first draws only zeros.
        pub runs: u64 = 20_000,
        /// The largest number of instructions of a run.
        pub steps: u64 = 1_000_000,
        /// How many of the runs that take more are repeated with a larger limit, but the one of zeros.
        pub long_runs: u64 = 3,
        /// The largest number of instructions of such a run.
        pub long_steps: u64 = 10_000_000,
        /// Where the sequence of random values starts.
        pub seed: u64 = 1,
    }
}
// ANCHOR_END: options

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
    let asks = |op: &Op| matches!(op, Op::Havoc(_, source) if *source != Source::Uninitialised);
    let has_inputs = program.edges.iter().any(|(_, edge)| asks(&edge.op));
    // Only reports ask where runs came along; the path to an error is recorded by its replay.
    let tracing = if counters.trail.wanted { Tracing::On } else { Tracing::Off };
    for number in 0..options.runs {
        if let Err(stopped) = cancel.check() {
            return Verdict::Unknown(stopped.into());
        }
        let seed = options.seed.wrapping_add(number);
        let execute = |steps: u64, tracing: Tracing| {
            let (mut replayer, mut drawn) = (Replayer::new(&zeros), Random::new(seed));
            let chooser: &mut dyn Chooser = if number == 0 { &mut replayer } else { &mut drawn };
            if program.termination.is_some() {
                execute(program, &mut Brent::new(program, chooser, number), (steps, tracing), cancel)
            } else {
                execute(program, chooser, (steps, tracing), cancel)
            }
        };
        let mut run = execute(options.steps, tracing);
        run.path.iter().for_each(|&edge| counters.trail.reach(program.edges[edge].from));
        if matches!(run.outcome, RunEnd::StepLimit) && is_alone(&run) && !has_inputs {
            let sped_up = match program.termination {
                Some(_) => Ok(None),
                None => accelerate(program, options.steps, cancel),
            };
            match sped_up {
                Err(stopped) => return Verdict::Unknown(stopped.into()),
                Ok(Some((End::Ended, edges))) => {
                    return Verdict::Safe(only_execution(program, &format!("ends after {edges} edges")));
                }
                Ok(Some((End::Endless, edges))) => {
                    return Verdict::Safe(only_execution(
                        program,
                        &format!("repeats itself for ever after {edges} edges"),
                    ));
                }
                Ok(Some((End::Target(target), edges))) if edges > u128::from(MOST_TRACED) => {
                    let steps = u64::try_from(edges).unwrap_or(u64::MAX);
                    run = InterpreterRun { outcome: RunEnd::Target(target), steps, ..run };
                }
                Ok(_) => run = execute(u64::MAX, Tracing::Off),
            }
        } else if matches!(run.outcome, RunEnd::StepLimit) && number > 0 && long_runs > 0 {
            // Zeros show less than other values where a run is long: most properties of arrays hold of equal elements.
            long_runs -= 1;
            run = execute(options.long_steps, Tracing::Off);
        }
        counters.add("random runs", 1);
        counters.add("random run instructions", run.steps);
        match run.outcome {
            RunEnd::Target(target) if run.steps > MOST_TRACED && is_alone(&run) => {
                if let Some(found) = goals.violated(counterexample(target, run)) {
                    return Verdict::Unsafe(found);
                }
                break;
            }
            RunEnd::Target(target) if goals.is_open(program.targets[target].node) => {
                if let Some(verdict) = settle(program, goals, &run.choices, cancel) {
                    return verdict;
                }
            }
            RunEnd::Stopped(stopped @ (Stopped::Time | Stopped::Memory | Stopped::Asked)) => {
                return Verdict::Unknown(stopped.into());
            }
            RunEnd::Exit(_) | RunEnd::Assumed if is_only(program, &run) && !has_addresses(program) => {
                return Verdict::Safe(only_execution(program, &format!("ends after {} instructions", run.steps)));
            }
            _ if is_alone(&run) => break,
            RunEnd::Exit(_) | RunEnd::Undefined { .. } | RunEnd::Unsupported { .. } | RunEnd::Target(_) => {}
            RunEnd::Assumed | RunEnd::StepLimit | RunEnd::Diverged => {}
        }
    }
    // ANCHOR: end
    Verdict::Unknown(Stop::Bound("no random run reached an error".into()))
    // ANCHOR_END: end
}

/// The proof that a program holds which has one execution.
fn only_execution(program: &Program, ends: &str) -> Proof {
    let checked = format!("The program's only execution {ends}.");
    Proof { exprs: program.exprs.clone(), checked, argument: Argument::Unrolled, ..Proof::default() }
}

/// Whether a run took no arbitrary values: then there is no other one, as far as it went.
fn is_alone(run: &InterpreterRun) -> bool {
    run.drawn.is_empty() && run.choices.bytes.is_empty() && run.choices.undefined.is_empty()
}

/// The same of a run that ended; whether it remembered a state on the way makes no difference to its end.
fn is_only(program: &Program, run: &InterpreterRun) -> bool {
    let remembers = |edge: EdgeId| match (&program.edges[edge].op, &program.termination) {
        (Op::Havoc(var, _), Some(watched)) => watched.choices.binary_search(var).is_ok(),
        _ => false,
    };
    let drawn = run.drawn.iter().all(|drawn| remembers(drawn.edge));
    drawn && run.choices.bytes.is_empty() && run.choices.undefined.is_empty()
}

/// Where variables, functions and allocated objects lie is a choice that no run asks for.
fn has_addresses(program: &Program) -> bool {
    let is_function = |at: usize| matches!(program.exprs.node(ExprId::new(at)), Expr::Function(_));
    program.vars.ids().any(|var| program.register(var).is_none())
        || (0..program.exprs.len()).any(is_function)
        || program.edges.iter().any(|(_, edge)| matches!(edge.op, Op::Allocate { .. }))
}

/// One run that records its choices.
pub(crate) fn execute(
    program: &Program,
    chooser: &mut dyn Chooser,
    (steps, tracing): (u64, Tracing),
    cancel: &Cancel,
) -> InterpreterRun {
    let options = Options { undefined: program.undefined, steps, tracing, recording: true };
    interpreter::run(program, chooser, &mut std::io::sink(), &options, cancel)
}

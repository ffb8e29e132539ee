//! From a model to a verdict: the interpreter runs with the choices that an engine believes in, and only a run that
//! reaches a target is a counterexample.

use base::Cancel;
use cfa::Program;
use semantics::choices::Choices;
use semantics::interpreter::{InterpreterRun, RunEnd};
use semantics::replay::replay;
use verdict::{ByteChoice, Choice, Counterexample, Goals, Stop, Verdict, Wanted};

/// Runs the program with these choices.
pub fn confirm(program: &Program, choices: &Choices, cancel: &Cancel) -> Verdict {
    confirm_within(program, choices, u64::MAX, cancel)
}

/// Instructions that a model's execution takes at least for granted, and for each edge of the unrolled program.
const MODEL_STEPS: (u64, u64) = (1_000_000, 64);

/// Runs the program with the choices of a model of `edges` unrolled edges. A run that takes much longer has left the
/// model's path, and where the program never ends it would not come back.
pub fn confirm_model(program: &Program, choices: &Choices, edges: u64, cancel: &Cancel) -> Verdict {
    let steps = edges.saturating_mul(MODEL_STEPS.1).saturating_add(MODEL_STEPS.0);
    confirm_within(program, choices, steps, cancel)
}

/// What a run that reached an open target settles: the verdict, if the search is over.
pub fn settle(program: &Program, goals: &mut Goals, choices: &Choices, cancel: &Cancel) -> Option<Verdict> {
    match confirm(program, choices, cancel) {
        Verdict::Unsafe(found) => goals.violated(found).map(Verdict::Unsafe),
        other if goals.wanted() == Wanted::One => Some(other),
        Verdict::Safe(_) | Verdict::Unknown(_) => None,
    }
}

/// The same choices, but objects lie where the interpreter puts them: what a condition says of an address is arbitrary
/// in formulas, so that the addresses of a model need not satisfy it.
pub fn without_addresses(choices: &Choices) -> Choices {
    Choices { addresses: Default::default(), ..choices.clone() }
}

/// Runs the program with these choices for at most so many steps.
pub fn confirm_within(program: &Program, choices: &Choices, steps: u64, cancel: &Cancel) -> Verdict {
    let verdict = replayed(program, choices, steps, cancel);
    match verdict {
        Verdict::Unknown(Stop::Undecided { .. }) if !choices.addresses.is_empty() => {
            replayed(program, &without_addresses(choices), steps, cancel)
        }
        _ => verdict,
    }
}

fn replayed(program: &Program, choices: &Choices, steps: u64, cancel: &Cancel) -> Verdict {
    let run = replay(program, choices, steps, cancel);
    match run.outcome {
        RunEnd::Target(target) => Verdict::Unsafe(counterexample(target, run)),
        RunEnd::Undefined { what, span } => Verdict::Unknown(Stop::UndefinedBehaviour { what: what.to_owned(), span }),
        RunEnd::Unsupported { what, span } => Verdict::Unknown(Stop::Unsupported { what, span }),
        RunEnd::Stopped(stopped) => Verdict::Unknown(stopped.into()),
        RunEnd::Exit(_) | RunEnd::Assumed | RunEnd::StepLimit | RunEnd::Diverged => {
            let span = run.path.last().map(|&edge| program.edges[edge].span).unwrap_or_default();
            let what = "the counterexample could not be confirmed: its replay stopped".to_owned();
            Verdict::Unknown(Stop::Undecided { what, span })
        }
    }
}

/// The evidence that a run with tracing and recording left.
pub fn counterexample(target: usize, run: InterpreterRun) -> Counterexample {
    let choice = |drawn: semantics::choices::Drawn| Choice {
        edge: drawn.edge,
        source: drawn.source,
        ty: drawn.ty,
        bits: drawn.value,
    };
    let bytes = run.choices.bytes.iter();
    let addresses = run.choices.addresses.iter();
    Counterexample {
        closed: None,
        target,
        path: run.path,
        choices: run.drawn.into_iter().map(choice).collect(),
        undefined: run.choices.undefined.clone(),
        addresses: addresses.map(|(&object, &address)| (object, address)).collect(),
        bytes: bytes.map(|(&(object, offset), &value)| ByteChoice { object, offset, value }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::program;

    /// A model that no execution has leads into a loop that never ends; the replay does.
    #[test]
    fn a_replay_ends_that_left_its_model() {
        let program = program("int main() { for (;;) if (nondet() == 7) reach_error(); }");
        let choices = Choices { havocs: vec![1, 2, 3], ..Choices::default() };
        let verdict = confirm_model(&program, &choices, 20, &Cancel::never());
        assert!(matches!(verdict, Verdict::Unknown(Stop::Undecided { .. })), "{verdict:?}");
        let choices = Choices { havocs: vec![1, 7], ..Choices::default() };
        assert!(matches!(confirm_model(&program, &choices, 20, &Cancel::never()), Verdict::Unsafe(_)));
    }
}

//! A simpler execution that reaches an error as well: values that need not be anything become 0. What is kept is what
//! a reader has to understand, and what a compiled program can be made to repeat.

use super::counterexample;
use base::{Budget, Cancel};
use cfa::{Program, Source};
use semantics::choices::Choices;
use semantics::interpreter::RunEnd;
use semantics::replay::replay;
use verdict::Counterexample;

/// How often a simpler execution is tried.
const MOST_REPLAYS: usize = 200;

/// 1. All that is not an input becomes 0 at once. 2. Then value after value. Only executions that reach a target count.
pub fn simplify(program: &Program, found: Counterexample, cancel: &Cancel) -> Counterexample {
    // A closed set belongs to its inputs.
    if !found.undefined.is_empty() || found.path.is_empty() || found.closed.is_some() {
        return found;
    }
    let cancel = cancel.within(Budget::Simplify);
    // An execution far longer than the one that was found is not simpler.
    let steps = (found.path.len() as u64).saturating_mul(64).max(1_000_000);
    let attempt = |choices: &Choices| {
        let run = replay(program, choices, steps, &cancel);
        match run.outcome {
            RunEnd::Target(target) => Some(counterexample(target, run)),
            _ => None,
        }
    };
    let mut best = found;
    let havocs = best.choices.iter().map(|choice| match choice.source {
        Source::Input(_) => choice.bits,
        Source::Uninitialised | Source::Indeterminate | Source::Extern(_) | Source::Asm | Source::Parameter => 0,
    });
    let only_inputs = Choices { havocs: havocs.collect(), ..Choices::default() };
    best = attempt(&only_inputs).unwrap_or(best); // 1
    let mut at = 0;
    for _ in 0..MOST_REPLAYS {
        while best.choices.get(at).is_some_and(|choice| choice.bits == 0) {
            at += 1;
        }
        if at >= best.choices.len() || cancel.check().is_err() {
            break;
        }
        let mut choices = best.replay_choices();
        choices.havocs[at] = 0;
        // A longer list of inputs is no progress, even if one of them is 0 now.
        if let Some(simpler) = attempt(&choices).filter(|simpler| simpler.choices.len() <= best.choices.len()) {
            best = simpler; // 2
        }
        at += 1;
    }
    best
}

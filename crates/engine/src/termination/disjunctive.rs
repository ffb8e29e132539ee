//! Several measures of which each sequence of iterations decreases one, not always the same [PR04b, CPR06]: if finitely many
//! well-founded relations cover all steps and all sequences of steps, there is no infinite one. Measures that no order
//! makes lexicographic are enough here.
//!
//! How the chosen measures change, smaller, same or larger for each, describes a sequence of steps, and there are
//! finitely many such descriptions [PR05: transition predicate abstraction]:
//!
//! 1. Look for a step whose description is not known, or one after a sequence with a known description such that the
//!    whole has none.
//! 2. If it decreases a chosen measure, its description is known from now on.
//! 3. Else a further measure is chosen, one that decreases there, and descriptions are collected anew.
//! 4. When nothing is found, the descriptions cover all sequences of steps.

use super::change::Change;
use base::Cancel;
use encode::{Encoder, ask};
use smt::{Answer, Solver, TermId};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use verdict::Stop;

/// A step after a sequence of steps, and how guesses change in them.
pub struct Sequence {
    /// When the sequence and the step are taken.
    pub guard: TermId,
    /// In the sequence.
    pub before: Vec<Change>,
    /// In the step.
    pub step: Vec<Change>,
    /// In both together.
    pub whole: Vec<Change>,
}

/// Chosen guesses, and how they change in sequences of steps.
#[derive(Clone, Default, Debug)]
pub struct Cover {
    pub chosen: Vec<usize>,
    descriptions: BTreeSet<Vec<Ordering>>,
}

/// Most measures that are chosen, and most questions about them.
const MOST_CHOSEN: usize = 4;
const MOST_QUESTIONS: usize = 300;

/// Guesses of which each sequence of steps decreases one; `None` if none are found.
pub fn choose(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    sequence: &Sequence,
    cancel: &Cancel,
) -> Result<Option<Cover>, Stop> {
    let mut cover = Cover::default();
    // How all guesses change in single steps that were seen.
    let mut steps: Vec<Vec<Ordering>> = Vec::new();
    for _ in 0..MOST_QUESTIONS {
        let Some((orders, is_step)) = uncovered(encoder, solver, sequence, &cover, cancel)? else {
            return Ok(Some(cover)); // 4
        };
        let description: Vec<Ordering> = cover.chosen.iter().map(|&guess| orders[guess]).collect();
        if is_step {
            steps.push(orders.clone());
        }
        if description.contains(&Ordering::Less) {
            cover.descriptions.insert(description); // 2
            continue;
        }
        // What seldom grows loses little when steps follow each other.
        let grows = |guess: usize| steps.iter().filter(|step| step[guess] == Ordering::Greater).count();
        let decreasing = (0..orders.len()).filter(|&guess| orders[guess] == Ordering::Less);
        let Some(next) = decreasing.min_by_key(|&guess| grows(guess)) else { return Ok(None) };
        if cover.chosen.len() == MOST_CHOSEN {
            return Ok(None);
        }
        cover.chosen.push(next); // 3
        cover.descriptions.clear();
    }
    Ok(None)
}

/// Each description of a cover decreases a measure, and none is missing: asked at once, of a solver that was asked
/// nothing else.
pub fn confirm(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    sequence: &Sequence,
    cover: &Cover,
    cancel: &Cancel,
) -> Result<bool, Stop> {
    let all_decrease = cover.descriptions.iter().all(|one| one.contains(&Ordering::Less));
    let [first, later] = missing(encoder, sequence, cover);
    let either = encoder.terms.or([first, later]);
    Ok(all_decrease && ask(solver, encoder, either, cancel)? == Answer::Unsat)
}

/// How all guesses change in a step, or a sequence of steps, that has no description, and whether it is a single step.
fn uncovered(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    sequence: &Sequence,
    cover: &Cover,
    cancel: &Cancel,
) -> Result<Option<(Vec<Ordering>, bool)>, Stop> {
    let [first, later] = missing(encoder, sequence, cover);
    for (formula, changes, is_step) in [(first, &sequence.step, true), (later, &sequence.whole, false)] {
        if ask(solver, encoder, formula, cancel)? == Answer::Sat {
            let orders = changes.iter().map(|change| change.in_model(encoder, solver)).collect::<Result<_, Stop>>()?;
            return Ok(Some((orders, is_step))); // 1
        }
    }
    Ok(None)
}

/// That a step has no description, and that a step after a described sequence makes one that has none.
fn missing(encoder: &mut Encoder, sequence: &Sequence, cover: &Cover) -> [TermId; 2] {
    let [before, step, whole] =
        [&sequence.before, &sequence.step, &sequence.whole].map(|changes| described(encoder, cover, changes));
    let (other_step, other_whole) = (encoder.terms.not(step), encoder.terms.not(whole));
    [encoder.terms.and([sequence.guard, other_step]), encoder.terms.and([sequence.guard, before, other_whole])]
}

/// That the measures change as one of the descriptions says.
fn described(encoder: &mut Encoder, cover: &Cover, changes: &[Change]) -> TermId {
    let mut any = Vec::new();
    for description in &cover.descriptions {
        let mut all = Vec::new();
        for (&guess, order) in cover.chosen.iter().zip(description) {
            all.push(changes[guess].how(encoder, *order));
        }
        any.push(encoder.terms.and(all));
    }
    encoder.terms.or(any)
}

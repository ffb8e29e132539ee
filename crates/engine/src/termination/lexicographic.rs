//! Lexicographic measures [BMS05], by greedy choice among guesses, which finds one if the guesses allow any [ADFG10]:
//!
//! 1. Take a step that is not covered yet, a model of what is left.
//! 2. Choose a guess that decreases there and increases in no step that is left; models of earlier failures rule out
//!    most guesses without the solver. Where no guess does, look for a sum with coefficients (`linear`).
//! 3. What is left are the steps in which it stays the same.
//! 4. When nothing is left, every step decreases the chosen guesses in lexicographic order.

use super::change::Change;
use super::linear;
use base::{Budget, Cancel};
use encode::{Encoder, ask, stop_of};
use smt::{Answer, Solver, TermId, Value};
use std::cmp::Ordering;
use std::time::Duration;
use verdict::Stop;

/// A step from one visit of a place to the next.
#[derive(Clone)]
pub struct Transition {
    /// When it is taken.
    pub guard: TermId,
    /// How the guesses change in it.
    pub changes: Vec<Change>,
    /// Variables before and after it, of which further guesses may be made.
    pub summands: Vec<linear::Moved>,
}

/// How long one question may take, and all of them.
pub type Patience<'c> = (Option<Duration>, &'c Cancel);

/// What came of a choice.
pub enum Choice {
    /// These decrease together in every step.
    Decreasing(Vec<usize>),
    /// There are none. An execution that goes on for ever only takes these steps from some time on, a formula for each
    /// transition: elsewhere, something decreases that never grows.
    Left(Vec<TermId>),
}

/// The guesses that together decrease in every step. Sums that were not guessed, but are needed, are added to the guesses
/// of each transition, and their coefficients to `sums`.
pub fn choose(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    transitions: &mut [Transition],
    sums: &mut Vec<linear::Coefficients>,
    cancel: &Cancel,
) -> Result<Choice, Stop> {
    let mut left: Vec<TermId> = transitions.iter().map(|one| one.guard).collect();
    let mut chosen: Vec<usize> = Vec::new();
    let mut failures: Vec<Vec<Ordering>> = Vec::new();
    let short = cancel.allowed(Budget::MeasureQuestion);
    loop {
        let count = transitions.first().map_or(0, |one| one.changes.len());
        let any = encoder.terms.or(left.iter().copied());
        if ask(solver, encoder, any, cancel)? == Answer::Unsat {
            return Ok(Choice::Decreasing(chosen)); // 4
        }
        let model = orders(encoder, solver, transitions, &left)?; // 1
        // Guesses that decrease in this very step first; one that is needed before them may stay the same here.
        let mut order: Vec<usize> = (0..count).filter(|&guess| model[guess] == Ordering::Less).collect();
        order.extend((0..count).filter(|&guess| model[guess] == Ordering::Equal && !chosen.contains(&guess)));
        let mut found = None;
        // Those that take the solver long have their turn when the others are of no use.
        for patience in [short, None] {
            for guess in std::mem::take(&mut order) {
                match judge(encoder, solver, (transitions, &left, &model), guess, &mut failures, (patience, cancel))? {
                    Judged::Useful => {
                        found = Some(guess); // 2
                        break;
                    }
                    Judged::Useless => {}
                    Judged::Late => order.push(guess),
                }
            }
            if found.is_some() {
                break;
            }
            if patience.is_some()
                && let Some(factors) = linear::find(encoder, solver, (transitions, &left), (short, cancel))?
            {
                for one in transitions.iter_mut() {
                    let sum = linear::combined(encoder, one, &factors);
                    one.changes.push(sum);
                }
                sums.push(factors);
                failures.clear();
                found = Some(count); // 2
                break;
            }
        }
        let Some(guess) = found else { return Ok(Choice::Left(left)) };
        chosen.push(guess);
        for (one, left) in transitions.iter().zip(&mut left) {
            *left = encoder.terms.and([*left, one.changes[guess].same]); // 3
        }
        failures.retain(|failure| failure[guess] == Ordering::Equal);
    }
}

/// What is known of a guess.
enum Judged {
    /// It increases in no step that is left, and decreases in one.
    Useful,
    /// It does not.
    Useless,
    /// It was not known in time.
    Late,
}

/// Whether a guess may be the next one; a model in which it grows is a failure, and tells of others, too.
fn judge(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    (transitions, left, model): (&[Transition], &[TermId], &[Ordering]),
    guess: usize,
    failures: &mut Vec<Vec<Ordering>>,
    (patience, cancel): Patience,
) -> Result<Judged, Stop> {
    if failures.iter().any(|failure| failure[guess] == Ordering::Greater) {
        return Ok(Judged::Useless);
    }
    let grows = anywhere(encoder, transitions, left, guess, Ordering::Greater);
    match ask_within(solver, encoder, grows, (patience, cancel))? {
        Some(Answer::Unsat) => {}
        Some(Answer::Sat) => {
            failures.push(orders(encoder, solver, transitions, left)?);
            return Ok(Judged::Useless);
        }
        None => return Ok(Judged::Late),
    }
    if model[guess] == Ordering::Less {
        return Ok(Judged::Useful);
    }
    let shrinks = anywhere(encoder, transitions, left, guess, Ordering::Less);
    Ok(match ask_within(solver, encoder, shrinks, (patience, cancel))? {
        Some(Answer::Sat) => Judged::Useful,
        Some(Answer::Unsat) => Judged::Useless,
        None => Judged::Late,
    })
}

/// The answer to a question that is one of many, if it comes soon.
pub fn ask_briefly(
    solver: &mut dyn Solver,
    encoder: &Encoder,
    formula: TermId,
    cancel: &Cancel,
) -> Result<Option<Answer>, Stop> {
    ask_within(solver, encoder, formula, (cancel.allowed(Budget::MeasureQuestion), cancel))
}

/// The answer to a question, if it comes in time.
pub fn ask_within(
    solver: &mut dyn Solver,
    encoder: &Encoder,
    formula: TermId,
    (patience, cancel): Patience,
) -> Result<Option<Answer>, Stop> {
    match ask(solver, encoder, formula, &cancel.child(patience)) {
        Ok(answer) => Ok(Some(answer)),
        Err(Stop::Limit(_)) if !cancel.is_stopped() => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Whether a guess changes like this in some step that is left.
fn anywhere(encoder: &mut Encoder, transitions: &[Transition], left: &[TermId], guess: usize, how: Ordering) -> TermId {
    let mut all = Vec::new();
    for (one, &left) in transitions.iter().zip(left) {
        let change = one.changes[guess];
        let changes = change.how(encoder, how);
        all.push(encoder.terms.and([left, changes]));
    }
    encoder.terms.or(all)
}

/// Every step decreases the chosen guesses: asked at once, of a solver that was asked nothing else.
pub fn confirm(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    transitions: &[Transition],
    chosen: &[usize],
    cancel: &Cancel,
) -> Result<bool, Stop> {
    let mut fails = Vec::new();
    for one in transitions {
        let mut decreases = encoder.terms.falsity();
        for &guess in chosen.iter().rev() {
            let Change { less, same, .. } = one.changes[guess];
            let later = encoder.terms.and([same, decreases]);
            decreases = encoder.terms.or([less, later]);
        }
        let not = encoder.terms.not(decreases);
        fails.push(encoder.terms.and([one.guard, not]));
    }
    let fails = encoder.terms.or(fails);
    Ok(ask(solver, encoder, fails, cancel)? == Answer::Unsat)
}

/// 1 or 0, if a guess is at least that in front of every step.
pub fn least(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    transitions: &[Transition],
    guess: usize,
    cancel: &Cancel,
) -> Result<Option<u64>, Stop> {
    for least in [1, 0] {
        let mut below = Vec::new();
        for one in transitions {
            let now = one.changes[guess].now;
            let width = encoder.terms.width(now);
            let bound = encoder.terms.bv_u64(width, least);
            let less = encoder.terms.bv_slt(now, bound);
            below.push(encoder.terms.and([one.guard, less]));
        }
        let below = encoder.terms.or(below);
        if ask(solver, encoder, below, cancel)? == Answer::Unsat {
            return Ok(Some(least));
        }
    }
    Ok(None)
}

/// How every guess changes in a step of the model that is left.
fn orders(
    encoder: &Encoder,
    solver: &mut dyn Solver,
    transitions: &[Transition],
    left: &[TermId],
) -> Result<Vec<Ordering>, Stop> {
    for (one, &left) in transitions.iter().zip(left) {
        if solver.value(&encoder.terms, left).map_err(stop_of)? != Value::Bool(true) {
            continue;
        }
        let orders = one.changes.iter().map(|change| change.in_model(encoder, solver)).collect::<Result<_, Stop>>()?;
        return Ok(orders);
    }
    Err(Stop::Solver("a model of some step is a model of none".to_owned()))
}

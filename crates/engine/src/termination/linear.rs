//! Sums with coefficients, by counterexamples: models of steps say how much each variable changes, small coefficients are
//! chosen that fit all of them, and the solver looks for a step in which the sum grows after all.
//!
//! 1. Take the coefficients with the smallest sum that decrease in the step in question and do not grow in other models.
//! 2. If the solver finds a step in which they grow, that is a further model.
//! 3. Else they never grow.

use super::balance::Part;
use super::change::{Change, weighted};
use super::lexicographic::{Patience, Transition, ask_within};
use encode::{Encoder, ask, stop_of};
use smt::{Answer, Solver, TermId, Value};
use verdict::Stop;

/// A summand before and behind a step.
pub type Moved = (Part, Part);

/// Coefficients, one for each summand.
pub type Coefficients = Vec<i32>;

/// The largest coefficient, how many are not 0, and of how many summands they are chosen.
const LARGEST: i32 = 4;
const MOST_USED: usize = 3;
pub const MOST_SUMMANDS: usize = 6;
/// Sums that the solver is asked about.
const ROUNDS: usize = 24;

/// Coefficients of a sum that grows in no step that is left, and decreases in one of them.
pub fn find(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    (transitions, left): (&[Transition], &[TermId]),
    (patience, cancel): Patience,
) -> Result<Option<Coefficients>, Stop> {
    let count = transitions.first().map_or(0, |one| one.summands.len());
    let any = encoder.terms.or(left.iter().copied());
    if count < 2 || ask(solver, encoder, any, cancel)? == Answer::Unsat {
        return Ok(None);
    }
    let mut models = vec![differences(encoder, solver, transitions, left)?];
    let mut candidates = coefficients(count);
    for _ in 0..ROUNDS {
        candidates
            .retain(|chosen| weigh(chosen, &models[0]) < 0 && models.iter().all(|model| weigh(chosen, model) <= 0));
        if candidates.is_empty() {
            break;
        }
        let chosen = candidates.remove(0); // 1
        let mut grows = Vec::new();
        for (one, &left) in transitions.iter().zip(left) {
            let more = combined(encoder, one, &chosen).more(encoder);
            grows.push(encoder.terms.and([left, more]));
        }
        let grows = encoder.terms.or(grows);
        match ask_within(solver, encoder, grows, (patience, cancel))? {
            Some(Answer::Sat) => models.push(differences(encoder, solver, transitions, left)?), // 2
            Some(Answer::Unsat) => return Ok(Some(chosen)),                                     // 3
            None => {}
        }
    }
    Ok(None)
}

/// How a sum changes in a step.
pub fn combined(encoder: &mut Encoder, step: &Transition, chosen: &[i32]) -> Change {
    let used = chosen.iter().zip(&step.summands).filter(|(factor, _)| **factor != 0);
    let used: Vec<(i32, Moved)> = used.map(|(&factor, &moved)| (factor, moved)).collect();
    weighted(encoder, &used)
}

fn weigh(chosen: &[i32], model: &[i128]) -> i128 {
    chosen.iter().zip(model).map(|(&factor, &by)| i128::from(factor).saturating_mul(by)).fold(0, i128::saturating_add)
}

/// Small coefficients without a common factor, those with the smallest sum first.
fn coefficients(count: usize) -> Vec<Coefficients> {
    let mut all: Vec<Coefficients> = vec![Vec::new()];
    for _ in 0..count {
        let mut longer = Vec::new();
        for begun in all {
            let used = begun.iter().filter(|&&factor| factor != 0).count();
            for factor in -LARGEST..=LARGEST {
                if factor == 0 || used < MOST_USED {
                    longer.push([begun.as_slice(), &[factor]].concat());
                }
            }
        }
        all = longer;
    }
    let common = |chosen: &Coefficients, by: i32| chosen.iter().all(|factor| factor % by == 0);
    all.retain(|chosen| !(2..=LARGEST).any(|by| common(chosen, by)));
    all.sort_by_cached_key(|chosen| {
        (
            chosen.iter().map(|factor| factor.abs()).sum::<i32>(),
            chosen.iter().map(|&factor| -factor).collect::<Vec<_>>(),
        )
    });
    all
}

/// How much each summand changes in a step of the model that is left.
fn differences(
    encoder: &Encoder,
    solver: &mut dyn Solver,
    transitions: &[Transition],
    left: &[TermId],
) -> Result<Vec<i128>, Stop> {
    for (one, &left) in transitions.iter().zip(left) {
        if solver.value(&encoder.terms, left).map_err(stop_of)? == Value::Bool(true) {
            let moved = one.summands.iter().map(|&(now, next)| {
                let (now, next) = (number(encoder, solver, now)?, number(encoder, solver, next)?);
                Ok(next - now)
            });
            return moved.collect();
        }
    }
    Err(Stop::Solver("a model of some step is a model of none".to_owned()))
}

fn number(encoder: &Encoder, solver: &mut dyn Solver, part: Part) -> Result<i128, Stop> {
    let value = solver.value(&encoder.terms, part.value).map_err(stop_of)?;
    let bits = value
        .as_bits()
        .and_then(|bits| if part.signed { bits.to_i128() } else { bits.to_u128().map(|bits| bits as i128) });
    bits.ok_or_else(|| Stop::Solver("a summand has no value in the model".to_owned()))
}

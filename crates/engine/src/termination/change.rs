//! How measures change from one state to another. What solvers are asked is whether a measure gets smaller, not what it
//! is: parts that stay the same cancel out (`balance`), so that `M - x` before and `M - (x + 1)` after is a question about
//! `x` alone.

use super::balance::{Part, compare, difference};
use super::measure::Measure;
use cfa::{ExprId, Scalar};
use encode::{Encoder, PathFormula, stop_of};
use smt::{Solver, TermId, Value};
use std::cmp::Ordering;
use verdict::Stop;

/// A measure before and after a step.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// It before the step, a signed number.
    pub now: TermId,
    /// It gets smaller.
    pub less: TermId,
    /// It stays the same.
    pub same: TermId,
}

impl Change {
    /// It changes like this.
    pub fn how(&self, encoder: &mut Encoder, order: Ordering) -> TermId {
        match order {
            Ordering::Less => self.less,
            Ordering::Equal => self.same,
            Ordering::Greater => self.more(encoder),
        }
    }

    /// It gets larger.
    pub fn more(&self, encoder: &mut Encoder) -> TermId {
        let neither = [encoder.terms.not(self.less), encoder.terms.not(self.same)];
        encoder.terms.and(neither)
    }

    /// How it changes in the solver's model.
    pub fn in_model(&self, encoder: &Encoder, solver: &mut dyn Solver) -> Result<Ordering, Stop> {
        for (formula, order) in [(self.less, Ordering::Less), (self.same, Ordering::Equal)] {
            if solver.value(&encoder.terms, formula).map_err(stop_of)? == Value::Bool(true) {
                return Ok(order);
            }
        }
        Ok(Ordering::Greater)
    }
}

/// A state: a path that ends in it, and how deep the calls are there.
pub struct State<'s> {
    pub path: &'s mut PathFormula,
    pub depth: u32,
}

impl<'s> State<'s> {
    pub fn new(path: &'s mut PathFormula, depth: u32) -> Self {
        State { path, depth }
    }
}

/// How `before` in one state relates to `after` in another. They are the same measure of two functions that call each
/// other, or of one place.
pub fn change(encoder: &mut Encoder, (before, start): (&Measure, State), (after, end): (&Measure, State)) -> Change {
    let width = before.width(encoder).max(after.width(encoder));
    let now = before.value(encoder, start.path, start.depth, width);
    let (less, same) = match (before, after) {
        (Measure::Sum(now), Measure::Sum(next)) => {
            let (small, large) = sides(encoder, (now, start), (next, end));
            compare(&mut encoder.terms, small, large)
        }
        (Measure::Positive(now), Measure::Positive(next)) => {
            // Where it was positive, it gets smaller if the sum does; where it was not, it is 0 before and not less after.
            let was = not_positive(encoder, now, State { path: start.path, depth: start.depth });
            let is = not_positive(encoder, next, State { path: end.path, depth: end.depth });
            let (small, large) = sides(encoder, (now, start), (next, end));
            let (less, same) = compare(&mut encoder.terms, small, large);
            let positive = encoder.terms.not(was);
            let less = encoder.terms.and([positive, less]);
            let zero = encoder.terms.and([was, is]);
            let same = encoder.terms.or([zero, same]);
            (less, same)
        }
        (Measure::Unsigned(now), Measure::Unsigned(next)) => {
            let unsigned = |encoder: &mut Encoder, part: ExprId, state: State| Part {
                value: encoder.eval(state.path, part, state.depth),
                signed: false,
            };
            let (now, next) = (unsigned(encoder, *now, start), unsigned(encoder, *next, end));
            compare(&mut encoder.terms, vec![next], vec![now])
        }
        (Measure::Truth(now), Measure::Truth(next)) => {
            let now = encoder.eval(start.path, *now, start.depth);
            let next = encoder.eval(end.path, *next, end.depth);
            let not = encoder.terms.not(next);
            (encoder.terms.and([now, not]), encoder.terms.eq(now, next))
        }
        _ => {
            let next = after.value(encoder, end.path, end.depth, width);
            let [next, now] = [next, now].map(|value| vec![Part { value, signed: true }]);
            compare(&mut encoder.terms, next, now)
        }
    };
    Change { now, less, same }
}

type Summands<'s> = (&'s Vec<(bool, ExprId)>, State<'s>);

/// Two lists of summands, of which the first is smaller if the sum gets smaller: what is subtracted changes sides.
fn sides(encoder: &mut Encoder, (now, start): Summands, (next, end): Summands) -> (Vec<Part>, Vec<Part>) {
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for &(negated, part) in next {
        let side = if negated { &mut large } else { &mut small };
        side.push(evaluated(encoder, end.path, part, end.depth));
    }
    for &(negated, part) in now {
        let side = if negated { &mut small } else { &mut large };
        side.push(evaluated(encoder, start.path, part, start.depth));
    }
    (small, large)
}

/// How a sum changes of which each part is known before and after, with a factor.
pub fn weighted(encoder: &mut Encoder, parts: &[(i32, (Part, Part))]) -> Change {
    let (mut small, mut large, mut plus, mut minus) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for &(factor, (now, next)) in parts {
        for _ in 0..factor.unsigned_abs() {
            let (added, taken) = if factor > 0 { (next, now) } else { (now, next) };
            small.push(added);
            large.push(taken);
            if factor > 0 { plus.push(now) } else { minus.push(now) }
        }
    }
    let (less, same) = compare(&mut encoder.terms, small, large);
    Change { now: difference(&mut encoder.terms, &plus, &minus), less, same }
}

/// An expression at the end of a path.
pub fn evaluated(encoder: &mut Encoder, path: &mut PathFormula, part: ExprId, depth: u32) -> Part {
    let signed = matches!(encoder.exprs.ty(part), Scalar::Int { signed: true, .. });
    Part { value: encoder.eval(path, part, depth), signed }
}

/// That a sum is at most 0.
fn not_positive(encoder: &mut Encoder, parts: &[(bool, ExprId)], state: State) -> TermId {
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for &(negated, part) in parts {
        let side = if negated { &mut large } else { &mut small };
        side.push(evaluated(encoder, state.path, part, state.depth));
    }
    let (less, same) = compare(&mut encoder.terms, small, large);
    encoder.terms.or([less, same])
}

//! How measures change from one state to another. What solvers are asked is whether a measure gets smaller, not what it
//! is: parts that stay the same cancel out, so that `M - x` before and `M - (x + 1)` after is a question about `x` alone,
//! without the arithmetic that makes it hard.

use super::measure::Measure;
use cfa::{ExprId, Scalar};
use encode::{Encoder, PathFormula, stop_of};
use smt::{Solver, TermId, Terms, Value};
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

/// The value of a summand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub value: TermId,
    pub signed: bool,
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

/// How `before` in one state relates to `behind` in another. They are the same measure of two functions that call each
/// other, or of one place.
pub fn change(encoder: &mut Encoder, (before, start): (&Measure, State), (behind, end): (&Measure, State)) -> Change {
    let width = before.width(encoder).max(behind.width(encoder));
    let now = before.value(encoder, start.path, start.depth, width);
    let (less, same) = match (before, behind) {
        (Measure::Sum(now), Measure::Sum(next)) => {
            let (small, large) = sides(encoder, (now, start), (next, end));
            compare(encoder, &small, &large)
        }
        (Measure::Positive(now), Measure::Positive(next)) => {
            // Where it was positive, it gets smaller if the sum does; where it was not, it is 0 before and not less behind.
            let was = not_positive(encoder, now, State { path: start.path, depth: start.depth });
            let is = not_positive(encoder, next, State { path: end.path, depth: end.depth });
            let (small, large) = sides(encoder, (now, start), (next, end));
            let (less, same) = compare(encoder, &small, &large);
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
            compare(encoder, &[next], &[now])
        }
        (Measure::Truth(now), Measure::Truth(next)) => {
            let now = encoder.eval(start.path, *now, start.depth);
            let next = encoder.eval(end.path, *next, end.depth);
            let not = encoder.terms.not(next);
            (encoder.terms.and([now, not]), encoder.terms.eq(now, next))
        }
        _ => {
            let next = behind.value(encoder, end.path, end.depth, width);
            compare(encoder, &[Part { value: next, signed: true }], &[Part { value: now, signed: true }])
        }
    };
    Change { now, less, same }
}

type Summands<'s> = (&'s Vec<(bool, ExprId)>, State<'s>);

/// Two lists of summands, of which the first is smaller if the sum gets smaller: what is subtracted changes sides, and
/// what is on both sides does not count.
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
    cancel_out(&mut small, &mut large);
    (small, large)
}

fn cancel_out(small: &mut Vec<Part>, large: &mut Vec<Part>) {
    small.retain(|part| {
        let both = large.iter().position(|other| other == part);
        both.map(|at| large.swap_remove(at)).is_none()
    });
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
    cancel_out(&mut small, &mut large);
    let (less, same) = compare(encoder, &small, &large);
    let [plus, minus] = sums(&mut encoder.terms, [&plus, &minus]);
    Change { now: encoder.terms.bv_sub(plus, minus), less, same }
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
    let (less, same) = compare(encoder, &small, &large);
    encoder.terms.or([less, same])
}

/// That the sum of some parts is less than that of others, and that it is the same, in enough bits that nothing wraps.
fn compare(encoder: &mut Encoder, small: &[Part], large: &[Part]) -> (TermId, TermId) {
    let terms = &mut encoder.terms;
    if let ([a], [b]) = (small, large)
        && a.signed == b.signed
        && terms.width(a.value) == terms.width(b.value)
    {
        let less = if a.signed { terms.bv_slt(a.value, b.value) } else { terms.bv_ult(a.value, b.value) };
        return (less, terms.eq(a.value, b.value));
    }
    let [small, large] = sums(terms, [small, large]);
    (terms.bv_slt(small, large), terms.eq(small, large))
}

/// Two sums, in enough bits that neither they nor their difference wrap.
fn sums(terms: &mut Terms, both: [&[Part]; 2]) -> [TermId; 2] {
    let bits = both.iter().copied().flatten().map(|part| terms.width(part.value)).max().unwrap_or(1);
    let most = both.iter().map(|parts| parts.len()).max().unwrap_or(0) as u32;
    // A sum of so many needs so many bits more, the difference of two one more, and the sign of what has none another.
    let width = bits + 2 + u32::BITS - most.leading_zeros();
    both.map(|parts| {
        let mut all = terms.bv_u64(width, 0);
        for part in parts {
            let wide = if part.signed {
                terms.bv_resize_signed(part.value, width)
            } else {
                terms.bv_resize_unsigned(part.value, width)
            };
            all = terms.bv_add(all, wide);
        }
        all
    })
}

//! When two offsets into an array are the same place, said of indices instead of bytes: `i * 6000 + j * 4` and
//! `x * 6000 + y * 4` are, for indices inside a row of 1500 elements, if and only if `i == x && j == y`. Solvers
//! do not see that in time.
//!
//! An offset is taken to pieces as a linear form over the integers, modulo 2^width. Two forms whose difference is below
//! 2^width by the ranges of their variables are equal iff they are so as integers. Those with the same factors are iff
//! their variables are, if each factor is larger than all that the smaller ones can make up for.

use cfa::{BinOp, Expr, ExprId, Exprs, Scalar, UnOp, VarId};
use std::collections::BTreeMap;

/// What values variables can have.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    known: BTreeMap<VarId, (i128, i128)>,
}

impl Ranges {
    /// The bounds that a truth value sets, if it holds.
    pub fn of(exprs: &Exprs, fact: ExprId) -> Ranges {
        let mut ranges = Ranges::default();
        let mut stack = vec![fact];
        while let Some(id) = stack.pop() {
            let Expr::Binary(op, a, b) = exprs.node(id) else { continue };
            match op {
                BinOp::And if exprs.ty(id) == Scalar::Bool => stack.extend([a, b]),
                BinOp::Or if exprs.ty(id) == Scalar::Bool => {
                    let hull = Ranges::of(exprs, a).hull(&Ranges::of(exprs, b));
                    ranges.meet(&hull);
                }
                BinOp::Eq | BinOp::Le | BinOp::Lt if exprs.ty(a).is_int() => ranges.compare(exprs, op, a, b),
                _ => {}
            }
        }
        ranges
    }

    /// Both hold.
    pub fn meet(&mut self, other: &Ranges) {
        for (&var, &(lo, hi)) in &other.known {
            let known = self.known.entry(var).or_insert((lo, hi));
            *known = (known.0.max(lo), known.1.min(hi));
        }
    }

    /// One of both holds.
    fn hull(&self, other: &Ranges) -> Ranges {
        let both = self.known.iter().filter_map(|(var, &(lo, hi))| {
            let &(low, high) = other.known.get(var)?;
            Some((*var, (lo.min(low), hi.max(high))))
        });
        Ranges { known: both.collect() }
    }

    fn compare(&mut self, exprs: &Exprs, op: BinOp, a: ExprId, b: ExprId) {
        let strict = i128::from(op == BinOp::Lt);
        if let (Expr::Var(var), Some(bound)) = (exprs.node(a), exprs.integer(b)) {
            let lo = if op == BinOp::Eq { bound } else { i128::MIN };
            self.meet(&Ranges { known: BTreeMap::from([(var, (lo, bound - strict))]) });
        }
        if let (Some(bound), Expr::Var(var)) = (exprs.integer(a), exprs.node(b)) {
            let hi = if op == BinOp::Eq { bound } else { i128::MAX };
            self.meet(&Ranges { known: BTreeMap::from([(var, (bound + strict, hi))]) });
        }
    }

    fn var(&self, var: VarId, ty: Scalar) -> Option<(i128, i128)> {
        let (lo, hi) = limits(ty)?;
        let &(low, high) = self.known.get(&var).unwrap_or(&(lo, hi));
        let range = (lo.max(low), hi.min(high));
        (range.0 <= range.1).then_some(range)
    }
}

/// The values of an integer type of at most 64 bits, so that sums of few of them are exact here.
fn limits(ty: Scalar) -> Option<(i128, i128)> {
    match ty {
        Scalar::Int { bits, signed: true } if bits <= 64 => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Scalar::Int { bits, signed: false } if bits <= 64 => Some((0, (1 << bits) - 1)),
        Scalar::Int { .. } | Scalar::Float(_) | Scalar::Ptr | Scalar::Bool => None,
    }
}

/// The integer `terms · variables + constant`, between `lo` and `hi`: a value modulo 2^width.
#[derive(Clone, Debug)]
struct Linear {
    /// By variable, as an expression; no factor is 0.
    terms: BTreeMap<ExprId, i128>,
    constant: i128,
    lo: i128,
    hi: i128,
}

impl Linear {
    /// The value of an expression modulo 2^width, if it is linear.
    fn new(exprs: &Exprs, id: ExprId, ranges: &Ranges) -> Option<Linear> {
        limits(exprs.ty(id))?;
        let value = match exprs.node(id) {
            Expr::Const { .. } => Linear::constant(exprs.integer(id)?),
            Expr::Var(var) => {
                let (lo, hi) = ranges.var(var, exprs.ty(id))?;
                Linear { terms: BTreeMap::from([(id, 1)]), constant: 0, lo, hi }
            }
            Expr::Cast(a) => {
                let value = Linear::new(exprs, a, ranges)?;
                let (lowest, highest) = limits(exprs.ty(a))?;
                let exact = lowest <= value.lo && value.hi <= highest;
                // More bits than before are right only if nothing wrapped.
                let narrows = exprs.ty(id).bits(exprs.model()) <= exprs.ty(a).bits(exprs.model());
                (exact || narrows).then_some(value)?
            }
            Expr::Unary(UnOp::Neg, a) => Linear::new(exprs, a, ranges)?.times(-1)?,
            Expr::Binary(op, a, b) => {
                let (a, b) = (Linear::new(exprs, a, ranges)?, Linear::new(exprs, b, ranges)?);
                match op {
                    BinOp::Add => a.plus(&b)?,
                    BinOp::Sub => a.plus(&b.times(-1)?)?,
                    BinOp::Mul if b.terms.is_empty() => a.times(b.constant)?,
                    BinOp::Mul if a.terms.is_empty() => b.times(a.constant)?,
                    _ => return None,
                }
            }
            Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Ite(..) => return None,
            Expr::Living(_) => return None,
        };
        Some(value)
    }

    fn constant(value: i128) -> Linear {
        Linear { terms: BTreeMap::new(), constant: value, lo: value, hi: value }
    }

    fn plus(&self, other: &Linear) -> Option<Linear> {
        let mut terms = self.terms.clone();
        for (&var, &factor) in &other.terms {
            let sum = terms.entry(var).or_default();
            *sum = sum.checked_add(factor)?;
        }
        terms.retain(|_, factor| *factor != 0);
        debug_assert!(self.lo <= self.hi && other.lo <= other.hi, "bounds are in order");
        let constant = self.constant.checked_add(other.constant)?;
        Some(Linear { terms, constant, lo: self.lo.checked_add(other.lo)?, hi: self.hi.checked_add(other.hi)? })
    }

    fn times(&self, by: i128) -> Option<Linear> {
        if by == 0 {
            return Some(Linear::constant(0));
        }
        debug_assert!(self.lo <= self.hi, "bounds are in order");
        let terms = self.terms.iter().map(|(&var, &factor)| Some((var, factor.checked_mul(by)?)));
        let (a, b) = (self.lo.checked_mul(by)?, self.hi.checked_mul(by)?);
        let constant = self.constant.checked_mul(by)?;
        Some(Linear { terms: terms.collect::<Option<_>>()?, constant, lo: a.min(b), hi: a.max(b) })
    }
}

/// `a == b` in a simpler form, given that variables are in their ranges.
pub(super) fn same(exprs: &mut Exprs, a: ExprId, b: ExprId, ranges: &Ranges) -> ExprId {
    by_index(exprs, a, b, ranges).unwrap_or_else(|| exprs.binary(BinOp::Eq, a, b))
}

/// Whether an offset lies between 0 and `last`; `None` if it does anyway.
pub(super) fn inside(exprs: &mut Exprs, offset: ExprId, last: u64, ranges: &Ranges) -> Option<ExprId> {
    let always = |value: Linear| value.lo >= 0 && value.hi <= i128::from(last);
    if Linear::new(exprs, offset, ranges).is_some_and(always) {
        return None;
    }
    let unsigned = Scalar::int(exprs.model().pointer_bits(), false);
    let (offset, last) = (exprs.cast(offset, unsigned), exprs.int(unsigned, i128::from(last)));
    Some(exprs.binary(BinOp::Le, offset, last))
}

fn by_index(exprs: &mut Exprs, a: ExprId, b: ExprId, ranges: &Ranges) -> Option<ExprId> {
    debug_assert_eq!(exprs.ty(a), exprs.ty(b), "offsets of one type");
    let (x, y) = (Linear::new(exprs, a, ranges)?, Linear::new(exprs, b, ranges)?);
    let width = exprs.ty(a).bits(exprs.model());
    if x.hi.checked_sub(y.lo)?.max(y.hi.checked_sub(x.lo)?) >= 1 << width {
        return None;
    }
    if x.hi < y.lo || y.hi < x.lo {
        return Some(exprs.bool(false));
    }
    let difference = y.constant.checked_sub(x.constant)?;
    let divisor = x.terms.values().chain(y.terms.values()).fold(0, |all, factor| gcd(all, factor.abs()));
    if divisor != 0 && difference % divisor != 0 {
        return Some(exprs.bool(false));
    }
    let pairs = matched(&x, &y)?;
    if let &[(v, w, factor)] = &pairs[..]
        && exprs.ty(v) == exprs.ty(w)
    {
        return shifted(exprs, v, w, difference / factor, ranges);
    }
    if difference != 0 || !is_unique(exprs, &pairs, ranges)? {
        return None;
    }
    let mut all = exprs.bool(true);
    for (v, w, _) in pairs {
        if exprs.ty(v) != exprs.ty(w) {
            return None;
        }
        let equal = exprs.binary(BinOp::Eq, v, w);
        all = if exprs.constant(all) == Some(1) { equal } else { exprs.binary(BinOp::And, all, equal) };
    }
    Some(all)
}

/// `v == w + by`, if that does not wrap.
fn shifted(exprs: &mut Exprs, v: ExprId, w: ExprId, by: i128, ranges: &Ranges) -> Option<ExprId> {
    let ty = exprs.ty(w);
    let (lowest, highest) = limits(ty)?;
    let Expr::Var(var) = exprs.node(w) else { return None };
    let (lo, hi) = ranges.var(var, ty)?;
    if lo.checked_add(by)? < lowest || hi.checked_add(by)? > highest || by < lowest || by > highest {
        return None;
    }
    let by_expr = exprs.int(ty, by);
    let sum = if by == 0 { w } else { exprs.binary(BinOp::Add, w, by_expr) };
    Some(exprs.binary(BinOp::Eq, v, sum))
}

/// The variables of two forms that have the same factors, largest factors first.
fn matched(x: &Linear, y: &Linear) -> Option<Vec<(ExprId, ExprId, i128)>> {
    let sorted = |form: &Linear| {
        let mut all: Vec<(i128, ExprId)> = form.terms.iter().map(|(var, factor)| (*factor, *var)).collect();
        all.sort_by_key(|(factor, var)| (std::cmp::Reverse(factor.abs()), *var));
        all
    };
    let (x, y) = (sorted(x), sorted(y));
    let same = x.len() == y.len() && !x.is_empty() && x.iter().zip(&y).all(|((a, _), (b, _))| a == b);
    same.then(|| x.into_iter().zip(y).map(|((factor, v), (_, w))| (v, w, factor)).collect())
}

/// Whether a difference of two variables is never made up for by those with smaller factors.
fn is_unique(exprs: &Exprs, pairs: &[(ExprId, ExprId, i128)], ranges: &Ranges) -> Option<bool> {
    let mut rest: i128 = 0;
    for &(v, w, factor) in pairs.iter().rev() {
        if factor.abs() <= rest {
            return Some(false);
        }
        let (Expr::Var(a), Expr::Var(b)) = (exprs.node(v), exprs.node(w)) else { return None };
        let ((lo, hi), (low, high)) = (ranges.var(a, exprs.ty(v))?, ranges.var(b, exprs.ty(w))?);
        rest = factor.abs().checked_mul((hi - low).max(high - lo))?.checked_add(rest)?;
    }
    Some(true)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::DataModel;

    const INT: Scalar = Scalar::Int { bits: 32, signed: true };
    const BYTE: Scalar = Scalar::Int { bits: 8, signed: false };

    /// `factor0 * v0 + factor1 * v1 + ... + shift` for variables from the `from`th on.
    fn form(exprs: &mut Exprs, from: u32, factors: &[i128], shift: i128, ty: Scalar) -> ExprId {
        let mut sum = exprs.int(INT, shift);
        for (at, factor) in (from..).zip(factors) {
            let (var, factor) = (exprs.var(VarId(at), ty), exprs.int(INT, *factor));
            let var = exprs.cast(var, INT);
            let product = exprs.binary(BinOp::Mul, var, factor);
            sum = exprs.binary(BinOp::Add, sum, product);
        }
        sum
    }

    /// Variables 0 and 1 index one access, 2 and 3 the other; all are below `bound`.
    fn check(factors: &[i128], shifts: [i128; 2], bound: i128, expected: impl Fn(&mut Exprs) -> Option<ExprId>) {
        let mut exprs = Exprs::new(DataModel::Ilp32);
        let known = (0..4).map(|at| (VarId(at), (0, bound - 1))).collect();
        let a = form(&mut exprs, 0, factors, shifts[0], INT);
        let b = form(&mut exprs, 2, factors, shifts[1], INT);
        let found = by_index(&mut exprs, a, b, &Ranges { known });
        assert_eq!(found, expected(&mut exprs));
    }

    fn equal(exprs: &mut Exprs, a: u32, b: u32) -> ExprId {
        let (a, b) = (exprs.var(VarId(a), INT), exprs.var(VarId(b), INT));
        exprs.binary(BinOp::Eq, a, b)
    }

    #[test]
    fn rows_and_columns() {
        let both = |exprs: &mut Exprs| {
            let (row, column) = (equal(exprs, 0, 2), equal(exprs, 1, 3));
            exprs.binary(BinOp::And, row, column)
        };
        check(&[400, 4], [0, 0], 100, |exprs| Some(both(exprs)));
        // The last column of a row would be the first of the next.
        check(&[400, 4], [0, 0], 101, |_| None);
        check(&[4, 4], [0, 0], 100, |_| None);
        // The first wraps, but not to where it was before.
        check(&[40_000_000, 4], [0, 0], 100, |exprs| Some(both(exprs)));
        check(&[50_000_000, 4], [0, 0], 100, |_| None);
    }

    #[test]
    fn neighbours() {
        check(&[4], [0, 0], 100, |exprs| Some(equal(exprs, 0, 2)));
        check(&[4], [0, 2], 100, |exprs| Some(exprs.bool(false)));
        check(&[4], [0, 400], 100, |exprs| Some(exprs.bool(false)));
        check(&[4], [0, 4], 100, |exprs| {
            let (v, w, one) = (exprs.var(VarId(0), INT), exprs.var(VarId(2), INT), exprs.int(INT, 1));
            let next = exprs.binary(BinOp::Add, w, one);
            Some(exprs.binary(BinOp::Eq, v, next))
        });
        check(&[4], [0, 0], 1 << 30, |exprs| Some(equal(exprs, 0, 2)));
        check(&[4], [0, 0], 1 << 31, |_| None);
    }

    #[test]
    fn casts_that_lose_bits_are_not_linear() {
        let mut exprs = Exprs::new(DataModel::Ilp32);
        let sum = form(&mut exprs, 0, &[2], 0, BYTE);
        let low = exprs.cast(sum, BYTE);
        let wide = exprs.cast(low, INT);
        assert!(Linear::new(&exprs, sum, &Ranges::default()).is_some());
        assert!(Linear::new(&exprs, low, &Ranges::default()).is_some());
        assert!(Linear::new(&exprs, wide, &Ranges::default()).is_none());
    }
}

//! Operations that intervals make simpler on a path: results that are one number, quotients and remainders by constants as
//! a few comparisons and subtractions instead of a divider, and comparisons with quotients as ones of products.

use crate::Encoder;
use crate::guard::Guard;
use crate::interval::{self, Interval};
use cfa::{BinOp, Scalar};
use smt::{BitVec, Op, TermId};

/// What a term is the quotient of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quotient {
    dividend: TermId,
    divisor: u64,
    /// Where the term is that quotient: only there is the dividend small enough.
    guard: Guard,
}

/// Bits that it takes to write a number.
fn bits(value: u64) -> u32 {
    64 - value.leading_zeros()
}

impl Encoder<'_> {
    /// A number of which only one value is possible where the guard holds is that value.
    pub(crate) fn folded(&mut self, guard: Guard, value: TermId) -> TermId {
        match self.known_interval(guard, value).and_then(|known| Some((known.width(), known.single()?))) {
            Some((width, only)) => self.terms.bv_u64(width, only),
            None => value,
        }
    }

    /// A signed number that is not negative where the guard holds, as wider as it is there: with zeros. A program that widens
    /// one number in two ways then has one term for both.
    pub(crate) fn widened(&mut self, guard: Guard, from: Scalar, to: Scalar, a: TermId) -> Option<TermId> {
        let (width, wide) = (from.bits(self.program.model), to.bits(self.program.model));
        if !from.is_int() || !from.is_signed() || !to.is_int() || wide <= width {
            return None;
        }
        self.known_interval(guard, a)?.is_natural().then(|| self.terms.bv_resize_unsigned(a, wide))
    }

    /// An operation on integers in a simpler form with the same value wherever the guard holds.
    pub(crate) fn narrowed(&mut self, guard: Guard, op: BinOp, ty: Scalar, [a, b]: [TermId; 2]) -> Option<TermId> {
        if self.known.is_none() || !ty.is_int() {
            return None;
        }
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.halved(guard, op, [a, b]),
            BinOp::Div | BinOp::Rem => self.divided(guard, op, ty.is_signed(), [a, b]),
            BinOp::Lt => self.less(guard, ty.is_signed(), a, b),
            BinOp::Le => {
                let less = self.less(guard, ty.is_signed(), b, a)?;
                Some(self.terms.not(less))
            }
            _ => None,
        }
    }

    /// An operation of 64 bits whose operands and result are natural numbers of 32 bits as one of 32 bits: a program that
    /// computes the same number in both widths then has one term for both.
    fn halved(&mut self, guard: Guard, op: BinOp, [a, b]: [TermId; 2]) -> Option<TermId> {
        if self.terms.width(a) != 64 {
            return None;
        }
        let (x, y) = (self.known_interval(guard, a)?.unsigned(), self.known_interval(guard, b)?.unsigned());
        let most = match op {
            BinOp::Add => x.1.checked_add(y.1)?,
            BinOp::Mul => x.1.checked_mul(y.1)?,
            _ if x.0 >= y.1 => x.1,
            _ => return None,
        };
        if most.max(x.1).max(y.1) > u64::from(u32::MAX) {
            return None;
        }
        let [a, b] = [a, b].map(|term| self.terms.bv_extract(term, 31, 0));
        let result = match op {
            BinOp::Add => self.terms.bv_add(a, b),
            BinOp::Mul => self.terms.bv_mul(a, b),
            _ => self.terms.bv_sub(a, b),
        };
        let least = match op {
            BinOp::Add => x.0 + y.0,
            BinOp::Mul => x.0 * y.0,
            _ => x.0 - y.1,
        };
        self.note_better(guard, result, Interval::full(32)?.meet_unsigned(least.into(), most.into())?);
        Some(self.terms.bv_resize_unsigned(result, 64))
    }

    fn divided(&mut self, guard: Guard, op: BinOp, signed: bool, [a, b]: [TermId; 2]) -> Option<TermId> {
        let (x, y) = (self.known_interval(guard, a)?, self.known_interval(guard, b)?);
        if y.unsigned().0 == 0 || (signed && !(x.is_natural() && y.is_natural())) {
            return None;
        }
        let divisor = y.single().filter(|divisor| !divisor.is_power_of_two());
        let Some(divisor) = divisor else {
            return Some(if op == BinOp::Div { self.terms.bv_udiv(a, b) } else { self.terms.bv_urem(a, b) });
        };
        let (least, most) = x.unsigned();
        if least / divisor == most / divisor {
            let quotient = self.terms.bv_u64(x.width(), least / divisor);
            let product = self.terms.bv_u64(x.width(), least / divisor * divisor);
            return Some(if op == BinOp::Div { quotient } else { self.terms.bv_sub(a, product) });
        }
        let [quotient, rest] = self.long_division(a, divisor, most);
        for (part, least, most) in [(quotient, least / divisor, most / divisor), (rest, 0, divisor - 1)] {
            let all = Interval::full(self.terms.width(part))?;
            self.note(guard, part, all.meet_unsigned(least.into(), most.into())?);
        }
        self.quotients.insert(quotient, Quotient { dividend: a, divisor, guard });
        let part = if op == BinOp::Div { quotient } else { rest };
        Some(self.terms.bv_resize_unsigned(part, x.width()))
    }

    /// Quotient and remainder of a number that is at most `most`, as narrow as they can be. Each step subtracts a multiple
    /// of the divisor by a power of two, if it fits, so that what is left is less than that multiple.
    fn long_division(&mut self, a: TermId, divisor: u64, most: u64) -> [TermId; 2] {
        let mut rest = self.terms.bv_extract(a, bits(most) - 1, 0);
        let mut quotient: Option<TermId> = None;
        for at in (0..bits(most / divisor)).rev() {
            let multiple = divisor << at;
            let by = self.terms.bv(BitVec::new(self.terms.width(rest), multiple.into()));
            let fits = self.terms.bv_ule(by, rest);
            let less = self.terms.bv_sub(rest, by);
            rest = self.terms.ite(fits, less, rest);
            rest = self.terms.bv_extract(rest, bits(multiple - 1) - 1, 0);
            let bit = self.terms.bv_from_bool(fits, 1);
            quotient = Some(quotient.map_or(bit, |above| self.terms.bv_concat(above, bit)));
        }
        [quotient.expect("the divisor fits at least once"), rest]
    }

    /// `a < b` where one of them is a quotient: match: x / c < v, v < x / c   result: x < v·c, (v + 1)·c ≤ x, both over
    /// integers, hence wide enough for all products.
    fn less(&mut self, guard: Guard, signed: bool, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.terms.width(a);
        let quotient = |encoder: &Self, mut term: TermId| {
            while let Op::BvZeroExtend(_) = encoder.terms.op(term) {
                term = encoder.terms.args(term)[0];
            }
            let found = encoder.quotients.get(&term).copied()?;
            // A quotient of a wider type may fill all bits of this one: read with a sign, it is another number.
            let same_number = !signed || encoder.terms.width(term) < width;
            (same_number && encoder.guards.continues(guard, found.guard)).then_some(found)
        };
        let (found, value, before) = match (quotient(self, a), quotient(self, b)) {
            (Some(found), None) => (found, b, true),
            (None, Some(found)) => (found, a, false),
            _ => return None,
        };
        if before && let Some(less) = self.less_by_sum(guard, signed, found, value) {
            return Some(less);
        }
        let wide = width + bits(found.divisor) + 2;
        let value = match signed {
            true => self.terms.bv_resize_signed(value, wide),
            false => self.terms.bv_resize_unsigned(value, wide),
        };
        let dividend = self.terms.bv_resize_unsigned(found.dividend, wide);
        let divisor = self.terms.bv(BitVec::new(wide, found.divisor.into()));
        if before {
            let product = self.terms.bv_mul(value, divisor);
            return Some(self.terms.bv_slt(dividend, product));
        }
        let one = self.terms.bv(BitVec::one(wide));
        let next = self.terms.bv_add(value, one);
        let product = self.terms.bv_mul(next, divisor);
        Some(self.terms.bv_sle(product, dividend))
    }
    /// `x / c < v` where `x` is a number less something: match: (k - d) / c < v   result: ¬(v ≤ k / c ∧ c·v + d ≤ k), where
    /// the sum does not wrap. Programs that ask whether `c·v + d` is at most `k` compute that sum next, and its bound is
    /// known then.
    fn less_by_sum(&mut self, guard: Guard, signed: bool, found: Quotient, value: TermId) -> Option<TermId> {
        let (v, x) = (self.known_interval(guard, value)?, self.known_interval(guard, found.dividend)?);
        if v.width() != x.width() || (signed && !v.is_natural()) {
            return None;
        }
        let (least, most) = x.unsigned();
        if most.checked_add(most - least)? > u64::MAX >> (64 - x.width()) {
            return None;
        }
        let bound = self.terms.bv_u64(x.width(), most);
        let rest = self.terms.bv_sub(bound, found.dividend);
        if self.is_negated(rest) {
            return None;
        }
        let [divisor, greatest] = [found.divisor, most / found.divisor].map(|it| self.terms.bv_u64(x.width(), it));
        let product = self.terms.bv_mul(value, divisor);
        let sum = self.terms.bv_add(product, rest);
        let (is_small, fits) = (self.terms.bv_ule(value, greatest), self.terms.bv_ule(sum, bound));
        let both = self.terms.and([is_small, fits]);
        Some(self.terms.not(both))
    }

    /// Whether a term is `-x` or `-x + c`.
    fn is_negated(&self, term: TermId) -> bool {
        match (self.terms.op(term), self.terms.args(term)) {
            (Op::BvNeg, _) => true,
            (Op::BvAdd, &[a, b]) => self.terms.op(a) == Op::BvNeg && self.terms.as_bv(b).is_some(),
            _ => false,
        }
    }

    /// Notes the interval of a sum, difference or product where that of its operands says more than its term, whose constants
    /// are gathered: a number that is made step by step, as of digits, stays known however many steps there are. Also that of
    /// a sum or product of natural numbers that may be too large for its signed type by their intervals, but is not on either
    /// side of what was asked before.
    pub(crate) fn settle(&mut self, guard: Guard, op: BinOp, ty: Scalar, operands: [TermId; 2], result: TermId) {
        let same = match op {
            BinOp::Add => Op::BvAdd,
            BinOp::Sub => Op::BvSub,
            BinOp::Mul => Op::BvMul,
            _ => return,
        };
        if self.known.is_none() || !ty.is_int() || self.terms.as_bv(result).is_some() {
            return;
        }
        let [Some(x), Some(y)] = operands.map(|term| self.known_interval(guard, term)) else { return };
        let by_operands = interval::binary(same, x, y, x.width()).or_else(|| Interval::full(x.width()));
        let Some(known) = by_operands.and_then(|interval| self.note_better(guard, result, interval)) else { return };
        if op != BinOp::Sub
            && x.is_natural()
            && y.is_natural()
            && !known.is_natural()
            && let Some(interval) = self.interval_by_sides(guard, result)
            && interval.is_natural()
        {
            self.note(guard, result, interval);
        }
    }

    /// A number that fits a narrower type where the guard holds stays the same there, though its term may not show that.
    pub(crate) fn settle_cast(&mut self, guard: Guard, from: Scalar, to: Scalar, a: TermId, result: TermId) {
        let (wide, width) = (from.bits(self.program.model), to.bits(self.program.model));
        if self.known.is_none() || !from.is_int() || !to.is_int() || wide <= width {
            return;
        }
        let (Some(before), Some(known)) = (self.known_interval(guard, a), self.known_interval(guard, result)) else {
            return;
        };
        let fits = before.unsigned().1 <= u64::MAX >> (64 - width);
        if fits
            && let Some(same) = before.truncated(width, false).and_then(|same| same.meet(known))
            && same != known
        {
            self.note(guard, result, same);
        }
    }
}

//! Rules of the orders on bit vectors.

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::terms::{TermId, Terms};

impl Terms {
    pub(super) fn simplify_ult(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        // match: a < a
        // result: false
        if a == b {
            return Some(self.falsity());
        }
        if let Some(value) = self.constant(a) {
            return self.value_less(Op::BvUlt, b, &value, BitVec::is_ones);
        }
        if let Some(value) = self.constant(b) {
            return self.simplify_ult_value(a, &value);
        }
        self.simplify_less_extended(Op::BvUlt, a, b)
    }

    pub(super) fn simplify_slt(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        // match: a < a
        // result: false
        if a == b {
            return Some(self.falsity());
        }
        if let Some(value) = self.constant(a) {
            return self.value_less(Op::BvSlt, b, &value, |value| *value == BitVec::max_signed(value.width()));
        }
        if let Some(value) = self.constant(b) {
            return self.simplify_slt_value(a, &value);
        }
        self.simplify_less_extended(Op::BvSlt, a, b)
    }

    /// match: c < x
    /// result: ¬(x < c + 1), or false if c is the greatest number
    fn value_less(
        &mut self,
        op: Op,
        x: TermId,
        value: &BitVec,
        is_greatest: impl Fn(&BitVec) -> bool,
    ) -> Option<TermId> {
        if is_greatest(value) {
            return Some(self.falsity());
        }
        let next = self.bv(value.add(&BitVec::one(value.width())));
        let less = self.make(op, &[x, next]);
        Some(self.not(less))
    }

    /// Rules of `a < value`, unsigned.
    fn simplify_ult_value(&mut self, a: TermId, value: &BitVec) -> Option<TermId> {
        // match: a < 0, a < 1, a < greatest
        // result: false, a = 0, a ≠ greatest
        if value.is_zero() {
            return Some(self.falsity());
        }
        if value.is_one() {
            let zero = self.zero(value.width());
            return Some(self.eq(a, zero));
        }
        if value.is_ones() {
            let greatest = self.bv(value.clone());
            return Some(self.ne(a, greatest));
        }
        match self.op(a) {
            // match: zext(x) < c
            // result: x < c's low bits, or true if c has higher bits
            Op::BvZeroExtend(_) => {
                let x = self.arg(a);
                let low = value.extract(self.width(x) - 1, 0);
                if low.zero_extend(value.width()) != *value {
                    return Some(self.truth());
                }
                let low = self.bv(low);
                Some(self.bv_ult(x, low))
            }
            _ => None,
        }
    }

    /// Rules of `a < value`, signed.
    fn simplify_slt_value(&mut self, a: TermId, value: &BitVec) -> Option<TermId> {
        let width = value.width();
        let (least, greatest) = (BitVec::min_signed(width), BitVec::max_signed(width));
        // match: a < least, a < least + 1, a < greatest
        // result: false, a = least, a ≠ greatest
        if *value == least {
            return Some(self.falsity());
        }
        if *value == least.add(&BitVec::one(width)) {
            let least = self.bv(least);
            return Some(self.eq(a, least));
        }
        if *value == greatest {
            let greatest = self.bv(greatest);
            return Some(self.ne(a, greatest));
        }
        match self.op(a) {
            // match: sext(x) < c
            // result: x < c's low bits, or what c's sign says if x cannot reach c
            Op::BvSignExtend(_) => {
                let x = self.arg(a);
                let low = value.extract(self.width(x) - 1, 0);
                if low.sign_extend(width) != *value {
                    return Some(self.bool(!value.is_negative()));
                }
                let low = self.bv(low);
                Some(self.bv_slt(x, low))
            }
            // match: zext(x) < c
            // result: false for negative c, else the unsigned comparison
            Op::BvZeroExtend(_) => {
                if value.is_negative() {
                    return Some(self.falsity());
                }
                let value = self.bv(value.clone());
                Some(self.bv_ult(a, value))
            }
            _ => None,
        }
    }

    /// match: zext(x) < zext(y), sext(x) < sext(y) with x and y of one width
    /// result: x < y, unsigned if zext or if the comparison is
    fn simplify_less_extended(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        match (self.op(a), self.op(b)) {
            (Op::BvZeroExtend(i), Op::BvZeroExtend(j)) if i == j => Some(self.bv_ult(self.arg(a), self.arg(b))),
            (Op::BvSignExtend(i), Op::BvSignExtend(j)) if i == j => Some(self.make(op, &[self.arg(a), self.arg(b)])),
            _ => None,
        }
    }
}

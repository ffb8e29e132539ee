//! Rules of bitwise operators, shifts, and of taking bit vectors apart and together.

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::terms::{TermId, Terms};

impl Terms {
    pub(super) fn simplify_bv_not(&mut self, a: TermId) -> Option<TermId> {
        // match: ~~x
        // result: x
        (self.op(a) == Op::BvNot).then(|| self.arg(a))
    }

    pub(super) fn simplify_bitwise(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        // match: a & a, a | a, a ^ a
        // result: a, a, 0
        if a == b {
            return Some(if op == Op::BvXor { self.zero(width) } else { a });
        }
        // match: a & ~a, a | ~a, a ^ ~a
        // result: 0, all ones, all ones
        let complement = (self.op(a) == Op::BvNot && self.arg(a) == b) || (self.op(b) == Op::BvNot && self.arg(b) == a);
        if complement {
            return Some(if op == Op::BvAnd { self.zero(width) } else { self.bv(BitVec::ones(width)) });
        }
        let (a, b) = self.value_last(a, b);
        let value = self.constant(b)?;
        // match: (x op c) op d, op one of & | ^
        // result: x op (c op d)
        if self.op(a) == op
            && let (x, c) = self.pair(a)
            && self.is_value(c)
        {
            let both = self.make(op, &[c, b]);
            return Some(self.make(op, &[x, both]));
        }
        match op {
            Op::BvAnd => self.simplify_mask(a, b, &value),
            // match: a | 0, a | all ones
            // result: a, all ones
            Op::BvOr if value.is_zero() => Some(a),
            Op::BvOr if value.is_ones() => Some(b),
            // match: a ^ 0, a ^ all ones
            // result: a, ~a
            Op::BvXor if value.is_zero() => Some(a),
            Op::BvXor if value.is_ones() => Some(self.bv_not(a)),
            _ => None,
        }
    }

    /// Rules of `a & b` where `b` is the value `mask`.
    fn simplify_mask(&mut self, a: TermId, b: TermId, mask: &BitVec) -> Option<TermId> {
        // match: a & 0, a & all ones
        // result: 0, a
        if mask.is_zero() {
            return Some(b);
        }
        if mask.is_ones() {
            return Some(a);
        }
        // match: a & (2^k - 1), k > 0
        // result: the low k bits of a
        let width = mask.width();
        let ones = mask.add(&BitVec::one(width)).power_of_two()?;
        let low = self.bv_extract(a, ones - 1, 0);
        Some(self.bv_resize_unsigned(low, width))
    }

    pub(super) fn simplify_shift(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        // match: 0 << b, 0 >> b, (-1) >> b arithmetically
        // result: the left side
        if let Some(value) = self.as_bv(a)
            && (value.is_zero() || (value.is_ones() && op == Op::BvAshr))
        {
            return Some(a);
        }
        let distance = self.constant(b)?.to_u64().unwrap_or(u64::MAX);
        // match: a << 0, a >> 0
        // result: a
        if distance == 0 {
            return Some(a);
        }
        let fits = distance < u64::from(width);
        let distance = distance as u32;
        match op {
            // match: a << k, a >> k with k at least the width
            // result: 0
            Op::BvShl | Op::BvLshr if !fits => Some(self.zero(width)),
            // match: a << k
            // result: concat(the low bits of a, k zeros)
            Op::BvShl => {
                let (kept, zeros) = (self.bv_extract(a, width - 1 - distance, 0), self.zero(distance));
                Some(self.bv_concat(kept, zeros))
            }
            // match: a >> k
            // result: the high bits of a, extended with zeros
            Op::BvLshr => {
                let kept = self.bv_extract(a, width - 1, distance);
                Some(self.bv_resize_unsigned(kept, width))
            }
            // match: a >> k arithmetically
            // result: the high bits of a (at least the sign), extended with the sign
            _ => {
                let kept = self.bv_extract(a, width - 1, if fits { distance } else { width - 1 });
                Some(self.bv_resize_signed(kept, width))
            }
        }
    }

    /// The concatenation of two parts as one simpler term.
    fn merge(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        // match: concat(v, w) with values v, w
        // result: the value
        if let (Some(v), Some(w)) = (self.constant(high), self.constant(low)) {
            return Some(self.bv(v.concat(&w)));
        }
        // match: concat(x[i:j+1], x[j:k])
        // result: x[i:k]
        if let (Op::BvExtract { high: i, low: above }, Op::BvExtract { high: j, low: k }) =
            (self.op(high), self.op(low))
            && self.arg(high) == self.arg(low)
            && above == j + 1
        {
            return Some(self.bv_extract(self.arg(high), i, k));
        }
        None
    }

    pub(super) fn simplify_concat(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        if let Some(merged) = self.merge(high, low) {
            return Some(merged);
        }
        // match: concat(0, x)
        // result: zext(x)
        if self.as_bv(high).is_some_and(BitVec::is_zero) {
            return Some(self.bv_resize_unsigned(low, self.width(high) + self.width(low)));
        }
        // match: concat(zext(x), y)
        // result: zext(concat(x, y))
        if matches!(self.op(high), Op::BvZeroExtend(_)) {
            let inner = self.bv_concat(self.arg(high), low);
            return Some(self.bv_resize_unsigned(inner, self.width(high) + self.width(low)));
        }
        // match: concat(concat(x, y), z) where y and z are one term together
        // result: concat(x, yz)
        if self.op(high) == Op::BvConcat {
            let (x, y) = self.pair(high);
            if let Some(yz) = self.merge(y, low) {
                return Some(self.bv_concat(x, yz));
            }
        }
        // match: concat(x, concat(y, z)) where x and y are one term together
        // result: concat(xy, z)
        if self.op(low) == Op::BvConcat {
            let (y, z) = self.pair(low);
            if let Some(xy) = self.merge(high, y) {
                return Some(self.bv_concat(xy, z));
            }
        }
        None
    }

    pub(super) fn simplify_extract(&mut self, a: TermId, high: u32, low: u32) -> Option<TermId> {
        let width = self.width(a);
        // match: x[n-1:0] with n the width of x
        // result: x
        if low == 0 && high == width - 1 {
            return Some(a);
        }
        match self.op(a) {
            // match: x[i:j][k:l]
            // result: x[j+k:j+l]
            Op::BvExtract { low: inner, .. } => Some(self.bv_extract(self.arg(a), inner + high, inner + low)),
            Op::BvConcat => {
                let (x, y) = self.pair(a);
                let cut = self.width(y);
                // match: concat(x, y)[k:l]
                // result: of y alone, of x alone, or concat(x[k':0], y[n-1:l])
                if high < cut {
                    return Some(self.bv_extract(y, high, low));
                }
                if low >= cut {
                    return Some(self.bv_extract(x, high - cut, low - cut));
                }
                let (x, y) = (self.bv_extract(x, high - cut, 0), self.bv_extract(y, cut - 1, low));
                Some(self.bv_concat(x, y))
            }
            Op::BvZeroExtend(_) | Op::BvSignExtend(_) => self.extract_of_extension(a, high, low),
            Op::BvAdd | Op::BvSub | Op::BvMul | Op::BvNeg if low == 0 => self.extract_of_operation(a, high, low),
            Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvNot => self.extract_of_operation(a, high, low),
            _ => None,
        }
    }

    fn extract_of_extension(&mut self, a: TermId, high: u32, low: u32) -> Option<TermId> {
        let x = self.arg(a);
        let cut = self.width(x);
        let signed = matches!(self.op(a), Op::BvSignExtend(_));
        // match: ext(x)[k:l] within x
        // result: x[k:l]
        if high < cut {
            return Some(self.bv_extract(x, high, low));
        }
        // match: zext(x)[k:l] above x
        // result: 0
        if low >= cut && !signed {
            return Some(self.zero(high - low + 1));
        }
        // match: ext(x)[k:l]
        // result: ext(x[n-1:l']), the sign bit alone where l is above x
        let kept = self.bv_extract(x, cut - 1, low.min(cut - 1));
        Some(if signed {
            self.bv_resize_signed(kept, high - low + 1)
        } else {
            self.bv_resize_unsigned(kept, high - low + 1)
        })
    }

    /// match: (x op y)[k:l] with op bitwise, or l = 0 and op +, -, ·; where each of x and y is a value or extends
    ///        something that has no bits above k
    /// result: x[k:l] op y[k:l]
    ///
    /// C computes on `char` and `short` in `int` and cuts the result; this takes it back.
    fn extract_of_operation(&mut self, a: TermId, high: u32, low: u32) -> Option<TermId> {
        let is_short = |term: TermId| match self.op(term) {
            Op::Bv(_) => true,
            Op::BvZeroExtend(_) | Op::BvSignExtend(_) => self.width(self.arg(term)) <= high + 1,
            _ => false,
        };
        if !self.args(a).iter().all(|&arg| is_short(arg)) {
            return None;
        }
        let op = self.op(a);
        let args: Vec<TermId> = self.args(a).to_vec();
        let args: Vec<TermId> = args.into_iter().map(|arg| self.bv_extract(arg, high, low)).collect();
        Some(self.make(op, &args))
    }

    pub(super) fn simplify_zero_extend(&mut self, a: TermId, by: u32) -> Option<TermId> {
        // match: zext(x) by no bits
        // result: x
        if by == 0 {
            return Some(a);
        }
        match self.op(a) {
            // match: zext(zext(x))
            // result: zext(x)
            Op::BvZeroExtend(more) => Some(self.make(Op::BvZeroExtend(by + more), &[self.arg(a)])),
            _ => None,
        }
    }

    pub(super) fn simplify_sign_extend(&mut self, a: TermId, by: u32) -> Option<TermId> {
        // match: sext(x) by no bits
        // result: x
        if by == 0 {
            return Some(a);
        }
        match self.op(a) {
            // match: sext(sext(x))
            // result: sext(x)
            Op::BvSignExtend(more) => Some(self.make(Op::BvSignExtend(by + more), &[self.arg(a)])),
            // match: sext(zext(x))
            // result: zext(x)
            Op::BvZeroExtend(more) => Some(self.make(Op::BvZeroExtend(by + more), &[self.arg(a)])),
            _ => None,
        }
    }
}

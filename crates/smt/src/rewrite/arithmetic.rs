//! Rules of sums, products and quotients.

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::terms::{TermId, Terms};

impl Terms {
    pub(super) fn simplify_add(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (a, b) = self.value_last(a, b);
        if let Some(value) = self.constant(b) {
            // match: a + 0
            // result: a
            if value.is_zero() {
                return Some(a);
            }
            // match: (x + c) + d
            // result: x + (c + d)
            let (x, c) = self.as_offset(a)?;
            let sum = self.bv(c.add(&value));
            return Some(self.bv_add(x, sum));
        }
        self.simplify_add_by_left(a, b).or_else(|| self.simplify_add_by_left(b, a))
    }

    /// Rules of `a + b` by the head of `a`, `b` no value.
    fn simplify_add_by_left(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match self.op(a) {
            // match: (x + c) + b
            // result: (x + b) + c
            Op::BvAdd => {
                let (x, c) = self.as_offset(a)?;
                let (sum, c) = (self.bv_add(x, b), self.bv(c));
                Some(self.bv_add(sum, c))
            }
            // match: -x + b
            // result: b - x
            Op::BvNeg => Some(self.bv_sub(b, self.arg(a))),
            // match: (x - y) + y
            // result: x
            Op::BvSub => {
                let (x, y) = self.pair(a);
                (y == b).then_some(x)
            }
            // match: ~x + x
            // result: all ones
            Op::BvNot if self.arg(a) == b => Some(self.bv(BitVec::ones(self.width(a)))),
            _ => None,
        }
    }

    pub(super) fn simplify_sub(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        // match: a - a
        // result: 0
        if a == b {
            return Some(self.zero(self.width(a)));
        }
        // match: a - c
        // result: a + (-c)
        if let Some(value) = self.constant(b) {
            let negated = self.bv(value.neg());
            return Some(self.bv_add(a, negated));
        }
        // match: c - b
        // result: -b + c
        if self.constant(a).is_some() {
            let negated = self.bv_neg(b);
            return Some(self.bv_add(negated, a));
        }
        // match: (x + c) - b
        // result: (x - b) + c
        if let Some((x, c)) = self.as_offset(a) {
            let (difference, c) = (self.bv_sub(x, b), self.bv(c));
            return Some(self.bv_add(difference, c));
        }
        // match: a - (y + c)
        // result: (a - y) + (-c)
        if let Some((y, c)) = self.as_offset(b) {
            let (difference, c) = (self.bv_sub(a, y), self.bv(c.neg()));
            return Some(self.bv_add(difference, c));
        }
        // match: a - (-y)
        // result: a + y
        if self.op(b) == Op::BvNeg {
            return Some(self.bv_add(a, self.arg(b)));
        }
        // match: (x + y) - y, (x + y) - x
        // result: x, y
        if self.op(a) == Op::BvAdd {
            let (x, y) = self.pair(a);
            if x == b || y == b {
                return Some(if x == b { y } else { x });
            }
        }
        // match: a - (a + y), a - (y + a)
        // result: -y
        if self.op(b) == Op::BvAdd {
            let (x, y) = self.pair(b);
            if x == a || y == a {
                return Some(self.bv_neg(if x == a { y } else { x }));
            }
        }
        None
    }

    pub(super) fn simplify_neg(&mut self, a: TermId) -> Option<TermId> {
        match self.op(a) {
            // match: --x
            // result: x
            Op::BvNeg => Some(self.arg(a)),
            // match: -(x - y)
            // result: y - x
            Op::BvSub => {
                let (x, y) = self.pair(a);
                Some(self.bv_sub(y, x))
            }
            // match: -(x + c)
            // result: -x + (-c)
            Op::BvAdd => {
                let (x, c) = self.as_offset(a)?;
                let (negated, c) = (self.bv_neg(x), self.bv(c.neg()));
                Some(self.bv_add(negated, c))
            }
            _ => None,
        }
    }

    pub(super) fn simplify_mul(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (a, b) = self.value_last(a, b);
        let value = self.constant(b)?;
        // match: a · 0, a · 1, a · (-1)
        // result: 0, a, -a
        if value.is_zero() {
            return Some(b);
        }
        if value.is_one() {
            return Some(a);
        }
        if value.is_ones() {
            return Some(self.bv_neg(a));
        }
        match self.op(a) {
            // match: (x · c) · d
            // result: x · (c · d)
            Op::BvMul => {
                let (x, c) = self.pair(a);
                let product = self.constant(c)?.mul(&value);
                let product = self.bv(product);
                Some(self.bv_mul(x, product))
            }
            // match: (x + c) · d
            // result: x · d + c · d
            Op::BvAdd => {
                let (x, c) = self.as_offset(a)?;
                let (product, rest) = (self.bv_mul(x, b), self.bv(c.mul(&value)));
                Some(self.bv_add(product, rest))
            }
            // match: (-x) · c
            // result: x · (-c)
            Op::BvNeg => {
                let negated = self.bv(value.neg());
                Some(self.bv_mul(self.arg(a), negated))
            }
            _ => None,
        }
    }

    pub(super) fn simplify_division(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        let value = self.constant(b)?;
        let width = value.width();
        // match: a / 0 unsigned, a % 0
        // result: all ones, a
        if value.is_zero() {
            return match op {
                Op::BvUdiv => Some(self.bv(BitVec::ones(width))),
                Op::BvUrem | Op::BvSrem => Some(a),
                _ => None,
            };
        }
        // match: a / 1, a % 1
        // result: a, 0
        if value.is_one() {
            return Some(if matches!(op, Op::BvUdiv | Op::BvSdiv) { a } else { self.zero(width) });
        }
        match op {
            // match: a / (-1), a % (-1), signed
            // result: -a, 0
            Op::BvSdiv if value.is_ones() => Some(self.bv_neg(a)),
            Op::BvSrem if value.is_ones() => Some(self.zero(width)),
            // match: a / 2^k, unsigned
            // result: a >> k
            Op::BvUdiv => {
                let distance = self.bv_u64(width, value.power_of_two()?.into());
                Some(self.bv_lshr(a, distance))
            }
            // match: a % 2^k, unsigned, k > 0
            // result: the low k bits of a
            Op::BvUrem => {
                let low = self.bv_extract(a, value.power_of_two()? - 1, 0);
                Some(self.bv_resize_unsigned(low, width))
            }
            _ => None,
        }
    }
}

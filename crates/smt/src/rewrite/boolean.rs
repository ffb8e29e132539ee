//! Rules of truth values and equality.

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};

/// Nested conjunctions of at most this many parts are merged into the outer one. A bound keeps a path formula that
/// grows by one conjunct at a time linear.
const MERGED_PARTS: usize = 16;

impl Terms {
    pub(super) fn simplify_not(&mut self, a: TermId) -> Option<TermId> {
        // match: ¬¬a
        // result: a
        (self.op(a) == Op::Not).then(|| self.arg(a))
    }

    /// Rules of ∧, and with roles exchanged of ∨.
    pub(super) fn simplify_junction(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        let absorbing = op == Op::Or;
        let mut parts = Vec::with_capacity(args.len());
        for &arg in args {
            // match: (a ∧ b) ∧ c
            // result: a ∧ b ∧ c
            if self.op(arg) == op && self.args(arg).len() <= MERGED_PARTS {
                parts.extend_from_slice(self.args(arg));
            } else {
                parts.push(arg);
            }
        }
        // match: a ∧ true, a ∧ a
        // result: a
        parts.retain(|&part| self.as_bool(part) != Some(!absorbing));
        parts.sort_unstable();
        parts.dedup();
        // match: a ∧ false, a ∧ ¬a
        // result: false
        let contradicts = |part: TermId| {
            self.as_bool(part) == Some(absorbing)
                || (self.op(part) == Op::Not && parts.binary_search(&self.arg(part)).is_ok())
        };
        if parts.iter().any(|&part| contradicts(part)) {
            return Some(self.bool(absorbing));
        }
        Some(match parts[..] {
            [] => self.bool(!absorbing),
            [only] => only,
            _ => self.intern(op, &parts, Sort::Bool),
        })
    }

    pub(super) fn simplify_eq(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        // match: a = a
        // result: true
        if a == b {
            return Some(self.truth());
        }
        let (a, b) = self.value_last(a, b);
        match self.sort(a) {
            Sort::Bool => self.simplify_iff(a, b),
            Sort::BitVec(_) => self.simplify_bv_eq(a, b).or_else(|| self.simplify_bv_eq(b, a)),
            Sort::Float(_) | Sort::Array { .. } => None,
        }
    }

    fn simplify_iff(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        // match: a = true, a = false
        // result: a, ¬a
        if let Some(value) = self.as_bool(b) {
            return Some(if value { a } else { self.not(a) });
        }
        // match: a = ¬a
        // result: false
        if self.are_opposite(a, b) {
            return Some(self.falsity());
        }
        // match: ¬a = b, a = ¬b, ¬a = ¬b
        // result: ¬(a = b), ¬(a = b), a = b
        match (self.op(a), self.op(b)) {
            (Op::Not, Op::Not) => Some(self.eq(self.arg(a), self.arg(b))),
            (Op::Not, _) => Some(self.ne(self.arg(a), b)),
            (_, Op::Not) => Some(self.ne(a, self.arg(b))),
            _ => None,
        }
    }

    /// Rules of bit vector equality by the head of `a`.
    fn simplify_bv_eq(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(value) = self.constant(b) {
            return self.simplify_bv_eq_value(a, &value);
        }
        match (self.op(a), self.op(b)) {
            (Op::BvAdd, _) => {
                let (x, y) = self.pair(a);
                // match: x + y = x, y + x = x
                // result: y = 0
                if x == b || y == b {
                    let rest = if x == b { y } else { x };
                    let zero = self.zero(self.width(b));
                    return Some(self.eq(rest, zero));
                }
                // match: x + c = y + d
                // result: x + (c - d) = y
                if let (Some((x, c)), Some((y, d))) = (self.as_offset(a), self.as_offset(b)) {
                    let difference = self.bv(c.sub(&d));
                    let left = self.bv_add(x, difference);
                    return Some(self.eq(left, y));
                }
                None
            }
            // match: ~x = ~y, -x = -y
            // result: x = y
            (Op::BvNot, Op::BvNot) | (Op::BvNeg, Op::BvNeg) => Some(self.eq(self.arg(a), self.arg(b))),
            // match: zext(x) = zext(y), sext(x) = sext(y) with x and y of one width
            // result: x = y
            (Op::BvZeroExtend(i), Op::BvZeroExtend(j)) | (Op::BvSignExtend(i), Op::BvSignExtend(j)) if i == j => {
                Some(self.eq(self.arg(a), self.arg(b)))
            }
            _ => None,
        }
    }

    fn simplify_bv_eq_value(&mut self, a: TermId, value: &BitVec) -> Option<TermId> {
        match self.op(a) {
            // match: x + c = v
            // result: x = v - c
            Op::BvAdd => {
                let (x, c) = self.as_offset(a)?;
                let value = self.bv(value.sub(&c));
                Some(self.eq(x, value))
            }
            // match: x - y = 0, x ^ y = 0
            // result: x = y
            Op::BvSub | Op::BvXor if value.is_zero() => {
                let (x, y) = self.pair(a);
                Some(self.eq(x, y))
            }
            // match: ~x = v
            // result: x = ~v
            Op::BvNot => {
                let value = self.bv(value.not());
                Some(self.eq(self.arg(a), value))
            }
            // match: -x = v
            // result: x = -v
            Op::BvNeg => {
                let value = self.bv(value.neg());
                Some(self.eq(self.arg(a), value))
            }
            // match: zext(x) = v
            // result: x = v's low bits, or false if the others are not 0
            Op::BvZeroExtend(_) => {
                let x = self.arg(a);
                let low = value.extract(self.width(x) - 1, 0);
                if low.zero_extend(value.width()) != *value {
                    return Some(self.falsity());
                }
                let low = self.bv(low);
                Some(self.eq(x, low))
            }
            // match: sext(x) = v
            // result: x = v's low bits, or false if the others are not its sign
            Op::BvSignExtend(_) => {
                let x = self.arg(a);
                let low = value.extract(self.width(x) - 1, 0);
                if low.sign_extend(value.width()) != *value {
                    return Some(self.falsity());
                }
                let low = self.bv(low);
                Some(self.eq(x, low))
            }
            // match: concat(x, y) = v
            // result: x = v's high bits ∧ y = v's low bits
            Op::BvConcat => {
                let (x, y) = self.pair(a);
                let cut = self.width(y);
                let (high, low) = (value.extract(value.width() - 1, cut), value.extract(cut - 1, 0));
                let (high, low) = (self.bv(high), self.bv(low));
                let (high, low) = (self.eq(x, high), self.eq(y, low));
                Some(self.and([high, low]))
            }
            _ => None,
        }
    }
}

//! Simplification at construction. Every rule is local, says what it matches and what it gives, and is tested by
//! evaluating random terms built with and without rules (`tests/rewriting.rs`).
//!
//! Normal forms that the rules lead to: values stand on the right of commutative operators, comparisons and sums;
//! `a ≤ b` is `¬(b < a)`, and `c < x` is `¬(x < c + 1)`; sums carry at most one constant, outermost; shifts by constants
//! are concatenations and extractions.

mod arithmetic;
mod array;
mod bits;
mod boolean;
mod compare;
mod float;
mod ite;

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use crate::value::Value;

impl Terms {
    /// A simpler term than `op` applied to `args`, if a rule knows one.
    pub(crate) fn simplify(&mut self, op: Op, args: &[TermId], sort: Sort) -> Option<TermId> {
        self.fold(op, args)
            .or_else(|| self.lift_ite(op, args))
            .or_else(|| self.simplify_by_theory(op, args))
            .or_else(|| self.order(op, args, sort))
    }

    fn simplify_by_theory(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        match (op, args) {
            (Op::Not, &[a]) => self.simplify_not(a),
            (Op::And | Op::Or, _) => self.simplify_junction(op, args),
            (Op::Eq, &[a, b]) => self.simplify_eq(a, b),
            (Op::Ite, &[condition, yes, no]) => self.simplify_ite(condition, yes, no),
            (Op::BvAdd, &[a, b]) => self.simplify_add(a, b),
            (Op::BvSub, &[a, b]) => self.simplify_sub(a, b),
            (Op::BvNeg, &[a]) => self.simplify_neg(a),
            (Op::BvMul, &[a, b]) => self.simplify_mul(a, b),
            (Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem, &[a, b]) => self.simplify_division(op, a, b),
            (Op::BvNot, &[a]) => self.simplify_bv_not(a),
            (Op::BvAnd | Op::BvOr | Op::BvXor, &[a, b]) => self.simplify_bitwise(op, a, b),
            (Op::BvShl | Op::BvLshr | Op::BvAshr, &[a, b]) => self.simplify_shift(op, a, b),
            (Op::BvConcat, &[a, b]) => self.simplify_concat(a, b),
            (Op::BvExtract { high, low }, &[a]) => self.simplify_extract(a, high, low),
            (Op::BvZeroExtend(by), &[a]) => self.simplify_zero_extend(a, by),
            (Op::BvSignExtend(by), &[a]) => self.simplify_sign_extend(a, by),
            (Op::BvUlt, &[a, b]) => self.simplify_ult(a, b),
            (Op::BvSlt, &[a, b]) => self.simplify_slt(a, b),
            (Op::BvUle, &[a, b]) => {
                // match: a ≤ b, unsigned
                // result: ¬(b < a)
                let greater = self.bv_ult(b, a);
                Some(self.not(greater))
            }
            (Op::BvSle, &[a, b]) => {
                // match: a ≤ b, signed
                // result: ¬(b < a)
                let greater = self.bv_slt(b, a);
                Some(self.not(greater))
            }
            (Op::Select, &[array, index]) => self.simplify_select(array, index),
            (Op::Store, &[array, index, element]) => self.simplify_store(array, index, element),
            _ => self.simplify_float(op, args),
        }
    }

    /// match: f(v1, ..., vn) with values vi
    /// result: its value
    fn fold(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        if args.is_empty() || matches!(op, Op::Apply(_) | Op::ConstArray(_)) {
            return None;
        }
        // The bits of a NaN say more than its value, and they can be read from the term.
        if let (Op::FpFromBits(format), &[bits]) = (op, args)
            && self.as_bv(bits).is_some_and(|bits| crate::float::is_nan(format, bits))
        {
            return None;
        }
        let values: Vec<Value> = args.iter().map(|&arg| self.term_value(arg)).collect::<Option<_>>()?;
        let result = self.apply_op(op, &values.iter().collect::<Vec<_>>())?;
        Some(self.value_term(&result))
    }

    /// The value that a term is; `None` for arrays.
    fn term_value(&self, term: TermId) -> Option<Value> {
        match self.op(term) {
            Op::Bool(value) => Some(Value::Bool(value)),
            Op::Bv(value) => Some(Value::BitVec(self.value(value).clone())),
            Op::Fp(format, value) => Some(Value::Float(format, self.value(value).clone())),
            // Of values only the encodings of NaN stay as they are.
            Op::FpFromBits(format) => {
                let bits = self.as_bv(self.arg(term))?.clone();
                Some(Value::Float(format, crate::float::canonical(format, bits)))
            }
            _ => None,
        }
    }

    /// match: f(b, a) with f commutative, and a value or made before b, b no value
    /// result: f(a, b), values last
    fn order(&mut self, op: Op, args: &[TermId], sort: Sort) -> Option<TermId> {
        let &[a, b] = args else { return None };
        let key = |term: TermId| (self.is_value(term), term);
        (op.is_commutative() && key(b) < key(a)).then(|| self.intern(op, &[b, a], sort))
    }

    /// The two arguments with a value, if there is one, on the right.
    fn value_last(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        if self.is_value(a) && !self.is_value(b) { (b, a) } else { (a, b) }
    }

    fn zero(&mut self, width: u32) -> TermId {
        self.bv(BitVec::zero(width))
    }

    /// The value of a bit vector term, copied.
    fn constant(&self, term: TermId) -> Option<BitVec> {
        self.as_bv(term).cloned()
    }

    /// `x` and `c` where the term is `x + c`.
    fn as_offset(&self, term: TermId) -> Option<(TermId, BitVec)> {
        if self.op(term) != Op::BvAdd {
            return None;
        }
        let (a, b) = self.pair(term);
        Some((a, self.constant(b)?))
    }

    /// Whether `a` is `¬b` or the other way round.
    fn are_opposite(&self, a: TermId, b: TermId) -> bool {
        (self.op(a) == Op::Not && self.arg(a) == b) || (self.op(b) == Op::Not && self.arg(b) == a)
    }
}

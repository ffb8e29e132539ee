//! Rules of floating-point numbers. Few: rounding leaves little to say.

use crate::op::Op;
use crate::terms::{TermId, Terms};

impl Terms {
    pub(super) fn simplify_float(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        match (op, args) {
            // match: --x, abs(-x), abs(abs(x))
            // result: x, abs(x), abs(x)
            (Op::FpNeg, &[a]) if self.op(a) == Op::FpNeg => Some(self.arg(a)),
            (Op::FpAbs, &[a]) if matches!(self.op(a), Op::FpNeg | Op::FpAbs) => Some(self.fp_abs(self.arg(a))),
            // match: x < x, x == x, x <= x
            // result: false, ¬isNaN(x), ¬isNaN(x)
            (Op::FpLt, &[a, b]) if a == b => Some(self.falsity()),
            (Op::FpEq | Op::FpLe, &[a, b]) if a == b => {
                let is_nan = self.fp_is_nan(a);
                Some(self.not(is_nan))
            }
            // match: x · 1, x / 1
            // result: x
            (Op::FpMul(_), &[a, b]) => {
                let (a, b) = self.value_last(a, b);
                self.is_float_one(b).then_some(a)
            }
            (Op::FpDiv(_), &[a, b]) => self.is_float_one(b).then_some(a),
            // match: isNaN(-x), isNaN(abs(x)), the same for infinity, zero, normal, subnormal
            // result: the same of x
            (Op::FpIsNan | Op::FpIsInf | Op::FpIsZero | Op::FpIsNormal | Op::FpIsSubnormal, &[a])
                if matches!(self.op(a), Op::FpNeg | Op::FpAbs) =>
            {
                Some(self.make(op, &[self.arg(a)]))
            }
            // match: isNaN of a converted integer
            // result: false
            (Op::FpIsNan, &[a]) if matches!(self.op(a), Op::FpFromSbv(..) | Op::FpFromUbv(..)) => Some(self.falsity()),
            (Op::FpFromFp(_, to), &[a]) => {
                // match: x converted to its own format
                // result: x
                if self.format(a) == to {
                    return Some(a);
                }
                // match: x widened and converted back to its own format
                // result: x
                let Op::FpFromFp(_, wide) = self.op(a) else { return None };
                let x = self.arg(a);
                let widens = wide.exponent >= to.exponent && wide.significand >= to.significand;
                (self.format(x) == to && widens).then_some(x)
            }
            _ => None,
        }
    }

    fn is_float_one(&self, term: TermId) -> bool {
        let Op::Fp(format, bits) = self.op(term) else { return false };
        let one = crate::float::from_integer(format, crate::RoundingMode::NearestEven, &1.into());
        *self.value(bits) == one
    }
}

//! The sort of an operator applied to arguments; `None` where they do not fit. This is the verifier of terms: nothing
//! enters the store without it.

use crate::op::Op;
use crate::sort::{ScalarSort, Sort};
use crate::terms::{TermId, Terms};

impl Terms {
    /// The sort of `op` applied to `args`, or `None` if it cannot be.
    pub fn sort_of(&self, op: Op, args: &[TermId]) -> Option<Sort> {
        match args {
            [] => self.sort_of_leaf(op),
            &[a] => self.sort_of_unary(op, a),
            &[a, b] => self.sort_of_binary(op, a, b),
            _ => self.sort_of_wide(op, args),
        }
    }

    fn sort_of_leaf(&self, op: Op) -> Option<Sort> {
        match op {
            Op::Bool(_) => Some(Sort::Bool),
            Op::Bv(value) => Some(Sort::BitVec(self.value(value).width())),
            Op::Fp(format, value) => (self.value(value).width() == format.width()).then_some(Sort::Float(format)),
            Op::Var(variable) => Some(self.sort(self.var_term(variable))),
            _ => None,
        }
    }

    fn sort_of_unary(&self, op: Op, a: TermId) -> Option<Sort> {
        let sort = self.sort(a);
        match (op, sort) {
            (Op::Apply(_), _) => self.sort_of_wide(op, &[a]),
            (Op::Not, Sort::Bool) => Some(Sort::Bool),
            (Op::BvNot | Op::BvNeg, Sort::BitVec(_)) => Some(sort),
            (Op::BvExtract { high, low }, Sort::BitVec(width)) => {
                (low <= high && high < width).then(|| Sort::BitVec(high - low + 1))
            }
            (Op::BvZeroExtend(by) | Op::BvSignExtend(by), Sort::BitVec(width)) => {
                width.checked_add(by).map(Sort::BitVec)
            }
            (Op::FpAbs | Op::FpNeg | Op::FpSqrt(_) | Op::FpRound(_), Sort::Float(_)) => Some(sort),
            (
                Op::FpIsNan
                | Op::FpIsInf
                | Op::FpIsZero
                | Op::FpIsNormal
                | Op::FpIsSubnormal
                | Op::FpIsNegative
                | Op::FpIsPositive,
                Sort::Float(_),
            ) => Some(Sort::Bool),
            (Op::FpFromBits(format), Sort::BitVec(width)) => (width == format.width()).then_some(Sort::Float(format)),
            (Op::FpFromFp(_, format), Sort::Float(_)) => Some(Sort::Float(format)),
            (Op::FpFromSbv(_, format) | Op::FpFromUbv(_, format), Sort::BitVec(_)) => Some(Sort::Float(format)),
            (Op::FpToSbv(_, width) | Op::FpToUbv(_, width), Sort::Float(_)) => {
                (width > 0).then_some(Sort::BitVec(width))
            }
            (Op::ConstArray(index), _) => sort.scalar().map(|element| Sort::Array { index, element }),
            _ => None,
        }
    }

    fn sort_of_binary(&self, op: Op, a: TermId, b: TermId) -> Option<Sort> {
        let (left, right) = (self.sort(a), self.sort(b));
        match (op, left) {
            (Op::Apply(_), _) => self.sort_of_wide(op, &[a, b]),
            (Op::And | Op::Or, Sort::Bool) => (right == Sort::Bool).then_some(Sort::Bool),
            (Op::Eq, _) => (left == right).then_some(Sort::Bool),
            (
                Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvSub
                | Op::BvMul
                | Op::BvUdiv
                | Op::BvUrem
                | Op::BvSdiv
                | Op::BvSrem
                | Op::BvShl
                | Op::BvLshr
                | Op::BvAshr,
                Sort::BitVec(_),
            ) => (left == right).then_some(left),
            (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, Sort::BitVec(_)) => (left == right).then_some(Sort::Bool),
            (Op::BvConcat, Sort::BitVec(high)) => match right {
                Sort::BitVec(low) => high.checked_add(low).map(Sort::BitVec),
                Sort::Bool | Sort::Float(_) | Sort::Array { .. } => None,
            },
            (Op::FpAdd(_) | Op::FpSub(_) | Op::FpMul(_) | Op::FpDiv(_) | Op::FpRem, Sort::Float(_)) => {
                (left == right).then_some(left)
            }
            (Op::FpEq | Op::FpLt | Op::FpLe, Sort::Float(_)) => (left == right).then_some(Sort::Bool),
            (Op::Select, Sort::Array { index, element }) => (right == index.into()).then_some(element.into()),
            _ => None,
        }
    }

    fn sort_of_wide(&self, op: Op, args: &[TermId]) -> Option<Sort> {
        let has = |arg: TermId, scalar: ScalarSort| self.sort(arg) == scalar.into();
        match (op, args) {
            (Op::And | Op::Or, _) => args.iter().all(|&arg| self.sort(arg) == Sort::Bool).then_some(Sort::Bool),
            (Op::Ite, &[condition, yes, no]) => {
                let fits = self.sort(condition) == Sort::Bool && self.sort(yes) == self.sort(no);
                fits.then(|| self.sort(yes))
            }
            (Op::Store, &[array, at, what]) => match self.sort(array) {
                sort @ Sort::Array { index, element } => (has(at, index) && has(what, element)).then_some(sort),
                Sort::Bool | Sort::BitVec(_) | Sort::Float(_) => None,
            },
            (Op::Apply(function), _) => {
                let (parameters, result) = self.signature(function);
                let fits = parameters.len() == args.len() && parameters.iter().zip(args).all(|(&p, &arg)| has(arg, p));
                fits.then(|| result.into())
            }
            _ => None,
        }
    }
}

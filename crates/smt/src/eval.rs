//! Evaluation: the meaning of every operator on values. Constants are folded with it, and rewrite rules and solvers are
//! tested against it.

use crate::bitvec::BitVec;
use crate::float;
use crate::op::Op;
use crate::sort::{FloatFormat, RoundingMode};
use crate::terms::{TermId, Terms};
use crate::value::{ArrayValue, Model, Value};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;

impl Terms {
    /// The value of `root` under `model`; what the model does not assign is zero. `None` where SMT-LIB leaves the value
    /// open: conversion of a float to an integer that cannot hold it.
    pub fn eval(&self, root: TermId, model: &Model) -> Option<Value> {
        let mut values: FxHashMap<TermId, Option<Value>> = FxHashMap::default();
        for term in self.reachable(&[root]) {
            let args: Option<Vec<&Value>> = self.args(term).iter().map(|arg| values[arg].as_ref()).collect();
            let value = match (self.op(term), args) {
                (Op::Var(variable), _) => {
                    let known = model.variables.get(&variable).cloned();
                    Some(known.unwrap_or_else(|| Value::zero(self.sort(term))))
                }
                (Op::Apply(function), Some(args)) => {
                    let zero = || Value::zero(self.sort(term));
                    let known = model.functions.get(&function);
                    Some(known.map_or_else(zero, |function| {
                        let args: Vec<Value> = args.into_iter().cloned().collect();
                        function.entries.get(&args).unwrap_or(&function.default).clone()
                    }))
                }
                (op, Some(args)) => self.apply_op(op, &args),
                (op, None) => self.apply_partly(op, self.args(term), &values),
            };
            values.insert(term, value);
        }
        values.remove(&root).expect("the root is reachable")
    }

    /// An operator with an open argument: some results do not depend on it.
    fn apply_partly(&self, op: Op, args: &[TermId], values: &FxHashMap<TermId, Option<Value>>) -> Option<Value> {
        let truth = |arg: TermId| values[&arg].as_ref().and_then(Value::as_bool);
        match op {
            Op::And if args.iter().any(|&arg| truth(arg) == Some(false)) => Some(Value::Bool(false)),
            Op::Or if args.iter().any(|&arg| truth(arg) == Some(true)) => Some(Value::Bool(true)),
            Op::Ite => match truth(args[0])? {
                true => values[&args[1]].clone(),
                false => values[&args[2]].clone(),
            },
            _ => None,
        }
    }

    /// `op` on values; `None` where the result is open. Not for variables and applications.
    pub(crate) fn apply_op(&self, op: Op, args: &[&Value]) -> Option<Value> {
        match (op, args) {
            (Op::Bool(value), _) => Some(Value::Bool(value)),
            (Op::Bv(value), _) => Some(Value::BitVec(self.value(value).clone())),
            (Op::Fp(format, value), _) => Some(Value::Float(format, self.value(value).clone())),
            (Op::Var(_) | Op::Apply(_), _) => None,
            (Op::And, _) => Some(Value::Bool(args.iter().all(|arg| arg.as_bool() == Some(true)))),
            (Op::Or, _) => Some(Value::Bool(args.iter().any(|arg| arg.as_bool() == Some(true)))),
            (Op::Not, [Value::Bool(a)]) => Some(Value::Bool(!a)),
            (Op::Eq, [a, b]) => Some(Value::Bool(a.same(b))),
            (Op::Ite, [Value::Bool(condition), yes, no]) => {
                Some(if *condition { (*yes).clone() } else { (*no).clone() })
            }
            (Op::Select, [Value::Array(array), index]) => Some(array.select(index).clone()),
            (Op::Store, [Value::Array(array), index, element]) => {
                Some(Value::Array(array.clone().store((*index).clone(), (*element).clone())))
            }
            (Op::ConstArray(index), [element]) => {
                let default = Box::new((*element).clone());
                Some(Value::Array(ArrayValue { index, default, entries: BTreeMap::new() }))
            }
            (_, [Value::BitVec(a)]) => unary_bv(op, a),
            (_, [Value::BitVec(a), Value::BitVec(b)]) => binary_bv(op, a, b),
            (_, [Value::Float(format, a)]) => unary_fp(op, *format, a),
            (_, [Value::Float(format, a), Value::Float(_, b)]) => binary_fp(op, *format, a, b),
            _ => unreachable!("{op:?} does not take {args:?}"),
        }
    }
}

fn unary_bv(op: Op, a: &BitVec) -> Option<Value> {
    let signed = |format: FloatFormat, mode: RoundingMode, value: BigInt| {
        Value::Float(format, float::from_integer(format, mode, &value))
    };
    Some(match op {
        Op::BvNot => Value::BitVec(a.not()),
        Op::BvNeg => Value::BitVec(a.neg()),
        Op::BvExtract { high, low } => Value::BitVec(a.extract(high, low)),
        Op::BvZeroExtend(by) => Value::BitVec(a.zero_extend(a.width() + by)),
        Op::BvSignExtend(by) => Value::BitVec(a.sign_extend(a.width() + by)),
        Op::FpFromBits(format) => Value::Float(format, float::canonical(format, a.clone())),
        Op::FpFromSbv(mode, format) => signed(format, mode, a.to_big_signed()),
        Op::FpFromUbv(mode, format) => signed(format, mode, a.to_big().into()),
        _ => unreachable!("{op:?} does not take one bit vector"),
    })
}

fn binary_bv(op: Op, a: &BitVec, b: &BitVec) -> Option<Value> {
    Some(match op {
        Op::BvAnd => Value::BitVec(a.and(b)),
        Op::BvOr => Value::BitVec(a.or(b)),
        Op::BvXor => Value::BitVec(a.xor(b)),
        Op::BvAdd => Value::BitVec(a.add(b)),
        Op::BvSub => Value::BitVec(a.sub(b)),
        Op::BvMul => Value::BitVec(a.mul(b)),
        Op::BvUdiv => Value::BitVec(a.udiv(b)),
        Op::BvUrem => Value::BitVec(a.urem(b)),
        Op::BvSdiv => Value::BitVec(a.sdiv(b)),
        Op::BvSrem => Value::BitVec(a.srem(b)),
        Op::BvShl => Value::BitVec(a.shl(b)),
        Op::BvLshr => Value::BitVec(a.lshr(b)),
        Op::BvAshr => Value::BitVec(a.ashr(b)),
        Op::BvConcat => Value::BitVec(a.concat(b)),
        Op::BvUlt => Value::Bool(a.ult(b)),
        Op::BvUle => Value::Bool(!b.ult(a)),
        Op::BvSlt => Value::Bool(a.slt(b)),
        Op::BvSle => Value::Bool(!b.slt(a)),
        _ => unreachable!("{op:?} does not take two bit vectors"),
    })
}

fn unary_fp(op: Op, format: FloatFormat, a: &BitVec) -> Option<Value> {
    let float = |bits: BitVec| Value::Float(format, bits);
    let is_nan = || float::is_nan(format, a);
    Some(match op {
        Op::FpAbs => float(float::abs(format, a)),
        Op::FpNeg => float(float::neg(format, a)),
        Op::FpSqrt(mode) => float(float::sqrt(format, mode, a)),
        Op::FpRound(mode) => float(float::round_to_integral(format, mode, a)),
        Op::FpIsNan => Value::Bool(is_nan()),
        Op::FpIsInf => Value::Bool(float::is_infinite(format, a)),
        Op::FpIsZero => Value::Bool(float::is_zero(format, a)),
        Op::FpIsNormal => Value::Bool(float::is_normal(format, a)),
        Op::FpIsSubnormal => Value::Bool(float::is_subnormal(format, a)),
        Op::FpIsNegative => Value::Bool(!is_nan() && a.is_negative()),
        Op::FpIsPositive => Value::Bool(!is_nan() && !a.is_negative()),
        Op::FpFromFp(mode, to) => Value::Float(to, float::convert(format, to, mode, a)),
        Op::FpToSbv(mode, width) => Value::BitVec(float::to_signed(format, mode, a, width)?),
        Op::FpToUbv(mode, width) => Value::BitVec(float::to_unsigned(format, mode, a, width)?),
        _ => unreachable!("{op:?} does not take one float"),
    })
}

fn binary_fp(op: Op, format: FloatFormat, a: &BitVec, b: &BitVec) -> Option<Value> {
    let float = |bits: BitVec| Value::Float(format, bits);
    let order = || float::compare(format, a, b);
    Some(match op {
        Op::FpAdd(mode) => float(float::add(format, mode, a, b)),
        Op::FpSub(mode) => float(float::sub(format, mode, a, b)),
        Op::FpMul(mode) => float(float::mul(format, mode, a, b)),
        Op::FpDiv(mode) => float(float::div(format, mode, a, b)),
        Op::FpRem => float(float::rem(format, a, b)),
        Op::FpEq => Value::Bool(order() == Some(Ordering::Equal)),
        Op::FpLt => Value::Bool(order() == Some(Ordering::Less)),
        Op::FpLe => Value::Bool(matches!(order(), Some(Ordering::Less | Ordering::Equal))),
        _ => unreachable!("{op:?} does not take two floats"),
    })
}

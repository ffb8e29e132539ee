//! What a condition teaches [BL13]: nothing is possible where it cannot hold; a register or cell gets a value where
//! only one satisfies the condition. Works through `!`, `&&`, `||`, comparisons and invertible operators.
//!
//! What is known by its sign only counts as unknown wherever more can be learnt.
//!
//! Two traps: equality with a floating-point zero fixes nothing, because there are two zeros; and an address that
//! equals another one does not inherit its provenance, so pointers are fixed to null and functions only.

use super::eval::{Scope, exact, number};
use super::memory::Range;
use super::precision::View;
use super::sign::Sign;
use super::store::{KnownValue, State, Store};
use cfa::{BinOp, Expr, ExprId, FloatKind, Scalar, UnOp, VarId};
use semantics::scalar;

/// Learns from conditions in one activation.
pub(super) struct Learner<'a, 'p> {
    pub store: &'a mut Store<'p>,
    pub depth: u32,
    pub large: &'a [bool],
    /// Whether to learn the sign of something.
    pub signs: bool,
    /// What was learnt, also of what the precision does not track: it may decide the rest of the condition.
    pub learnt: Vec<Learnt>,
}

/// Something that got a value.
pub(super) enum Learnt {
    /// A register of the activation.
    Register(VarId),
    /// Bytes of an object.
    Bytes(Range),
}

impl Learner<'_, '_> {
    fn scope(&self, state: State) -> Scope<'_, '_> {
        Scope { store: self.store, state, depth: self.depth, large: self.large }
    }

    fn node(&self, expr: ExprId) -> Expr {
        self.store.program.exprs.node(expr)
    }

    fn ty(&self, expr: ExprId) -> Scalar {
        self.store.program.exprs.ty(expr)
    }

    /// Forgets what was learnt of registers and cells that the precision does not track.
    pub fn forget_untracked(self, state: &mut State, view: View<'_>) {
        for learnt in self.learnt {
            match learnt {
                Learnt::Register(var) if !view.register(var) => {
                    *state = self.store.with_register(*state, var, self.depth, None);
                }
                Learnt::Bytes(range) if !view.cell(self.store.object_info(range.object).origin, range.offset) => {
                    self.store.write(state, range, None);
                }
                Learnt::Register(_) | Learnt::Bytes(_) => {}
            }
        }
    }

    /// Restricts the state to where the condition has the truth value; `false` if that is nowhere.
    pub fn assume(&mut self, state: &mut State, condition: ExprId, expected: bool) -> bool {
        if let Some(truth) = self.scope(*state).truth(condition) {
            return truth == expected;
        }
        debug_assert_eq!(self.ty(condition), Scalar::Bool, "conditions are truth values");
        if self.large[condition.0 as usize] {
            return true;
        }
        match self.node(condition) {
            Expr::Unary(UnOp::Not, a) => self.assume(state, a, !expected),
            Expr::Binary(BinOp::And, a, b) => self.both_or_one(state, (a, b), expected, true),
            Expr::Binary(BinOp::Or, a, b) => self.both_or_one(state, (a, b), expected, false),
            Expr::Binary(BinOp::Xor, a, b) => {
                let (x, y) = (self.scope(*state).truth(a), self.scope(*state).truth(b));
                match (x, y) {
                    (Some(x), None) => self.assume(state, b, expected != x),
                    (None, Some(y)) => self.assume(state, a, expected != y),
                    (Some(_), Some(_)) | (None, None) => true,
                }
            }
            Expr::Binary(BinOp::Eq, a, b) => {
                let (x, y) = (self.scope(*state).eval(a), self.scope(*state).eval(b));
                match (x, y) {
                    (Some(value), None) => self.compare_to(state, b, value, expected),
                    (None, Some(value)) => self.compare_to(state, a, value, expected),
                    (Some(KnownValue::Sign(_)), Some(value)) => self.compare_to(state, a, value, expected),
                    (Some(value), Some(KnownValue::Sign(_))) => self.compare_to(state, b, value, expected),
                    (Some(_), Some(_)) | (None, None) => true,
                }
            }
            Expr::Binary(BinOp::Lt, a, b) if expected => self.order(state, a, b, 1),
            Expr::Binary(BinOp::Lt, a, b) => self.order(state, b, a, 0),
            Expr::Binary(BinOp::Le, a, b) if expected => self.order(state, a, b, 0),
            Expr::Binary(BinOp::Le, a, b) => self.order(state, b, a, 1),
            Expr::Ite(condition, a, b) => {
                let (x, y) = (self.scope(*state).truth(a), self.scope(*state).truth(b));
                match (x == Some(!expected), y == Some(!expected)) {
                    (true, true) => false,
                    (true, false) => self.assume(state, condition, false) && self.assume(state, b, expected),
                    (false, true) => self.assume(state, condition, true) && self.assume(state, a, expected),
                    (false, false) => true,
                }
            }
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Living(_) => true,
        }
    }

    /// `a && b` (where `all` is the truth value that needs both): both are learnt, or, the other way round, one if the
    /// other is known not to help.
    fn both_or_one(&mut self, state: &mut State, (a, b): (ExprId, ExprId), expected: bool, all: bool) -> bool {
        if expected == all {
            return self.assume(state, a, expected)
                && self.assume(state, b, expected)
                && self.scope(*state).truth(a) != Some(!expected);
        }
        let (x, y) = (self.scope(*state).truth(a), self.scope(*state).truth(b));
        match (x, y) {
            (Some(_), None) => self.assume(state, b, expected),
            (None, Some(_)) => self.assume(state, a, expected),
            (Some(_), Some(_)) | (None, None) => true,
        }
    }

    fn compare_to(&mut self, state: &mut State, expr: ExprId, value: KnownValue, equal: bool) -> bool {
        if equal { self.learn(state, expr, value) } else { self.exclude(state, expr, value) }
    }

    /// The smallest and largest value that an integer expression may have whatever the state.
    fn bounds(&self, expr: ExprId) -> Option<(i128, i128)> {
        let ty = self.ty(expr);
        let Scalar::Int { bits, signed } = ty else { return None };
        if bits > 64 {
            return None;
        }
        if let Expr::Cast(inner) = self.node(expr) {
            if self.ty(inner) == Scalar::Bool {
                return Some((0, 1));
            }
            if let (Some((low, high)), Scalar::Int { bits: from, signed: from_signed }) =
                (self.bounds(inner), self.ty(inner))
                && from < bits
                && (signed || !from_signed)
            {
                return Some((low, high));
            }
        }
        Some(if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
    }

    /// An integer by its type.
    fn number(&self, expr: ExprId, value: Option<KnownValue>) -> Option<i128> {
        let (ty @ Scalar::Int { .. }, Some(KnownValue::Bits(raw))) = (self.ty(expr), value) else { return None };
        Some(number(self.store.program.model, ty, raw))
    }

    /// Learns `a + gap <= b` for integers.
    fn order(&mut self, state: &mut State, a: ExprId, b: ExprId, gap: i128) -> bool {
        debug_assert!(gap == 0 || gap == 1, "less, or less or equal");
        let (Some((a_min, a_max)), Some((b_min, b_max))) = (self.bounds(a), self.bounds(b)) else { return true };
        debug_assert!(a_min <= a_max && b_min <= b_max, "types have values");
        let (x, y) = (exact(self.scope(*state).eval(a)), exact(self.scope(*state).eval(b)));
        let (unknown, low, high) = match (x, y) {
            (None, Some(_)) => match self.number(b, y) {
                Some(y) => (a, a_min, a_max.min(y - gap)),
                None => return true,
            },
            (Some(_), None) => match self.number(a, x) {
                Some(x) => (b, b_min.max(x + gap), b_max),
                None => return true,
            },
            (None, None) => return a_min + gap <= b_max,
            (Some(_), Some(_)) => return true,
        };
        if low > high {
            return false;
        }
        let ty @ Scalar::Int { bits, .. } = self.ty(unknown) else { return true };
        if low != high {
            return self.restrict(state, unknown, Sign::between(self.store.program.model, ty, low, high));
        }
        self.learn(state, unknown, KnownValue::Bits(low as u128 & scalar::mask(u32::from(bits))))
    }

    /// Learns that an expression has the value.
    fn learn(&mut self, state: &mut State, expr: ExprId, value: KnownValue) -> bool {
        let ty = self.ty(expr);
        if ty == Scalar::Bool {
            return self.assume(state, expr, value != KnownValue::Bits(0));
        }
        if let KnownValue::Sign(sign) = value {
            return self.restrict(state, expr, sign);
        }
        let model = self.store.program.model;
        match (self.scope(*state).eval(expr), value) {
            (Some(KnownValue::Bits(known)), _) if !ty.is_float() => {
                return value == KnownValue::Bits(known) || !matches!(value, KnownValue::Bits(_));
            }
            (Some(KnownValue::Sign(sign)), KnownValue::Bits(bits))
                if sign.and(Sign::of(model, ty, bits)).is_empty() =>
            {
                return false;
            }
            (Some(KnownValue::Sign(_)) | None, _) => {}
            (Some(_), _) => return true,
        }
        match self.node(expr) {
            Expr::Var(var) => {
                if fixes(ty, value) {
                    *state = self.store.with_register(*state, var, self.depth, Some(value));
                    self.learnt.push(Learnt::Register(var));
                }
                true
            }
            Expr::Load(pointer) => {
                if let Some(KnownValue::Pointer(object, offset)) = self.scope(*state).eval(pointer)
                    && fixes(ty, value)
                    && let Some(range) = self.store.range(object, offset, ty.bytes(model))
                {
                    self.store.write(state, range, Some(value));
                    self.learnt.push(Learnt::Bytes(range));
                }
                true
            }
            Expr::Cast(inner) => self.learn_cast(state, inner, ty, value),
            Expr::Unary(op @ (UnOp::Neg | UnOp::BitNot), a) if ty.is_int() => {
                let KnownValue::Bits(bits) = value else { return true };
                scalar::unary(model, op, ty, bits).is_none_or(|bits| self.learn(state, a, KnownValue::Bits(bits)))
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Xor), a, b) if ty.is_int() => {
                let KnownValue::Bits(result) = value else { return true };
                let (x, y) = (self.scope(*state).eval(a), self.scope(*state).eval(b));
                let (unknown, solved) = match (x, y, op) {
                    (Some(KnownValue::Bits(x)), None, BinOp::Add) => {
                        (b, scalar::binary(model, BinOp::Sub, ty, ty, result, x))
                    }
                    (Some(KnownValue::Bits(x)), None, BinOp::Sub) => {
                        (b, scalar::binary(model, BinOp::Sub, ty, ty, x, result))
                    }
                    (Some(KnownValue::Bits(x)), None, _) => (b, scalar::binary(model, BinOp::Xor, ty, ty, result, x)),
                    (None, Some(KnownValue::Bits(y)), BinOp::Add) => {
                        (a, scalar::binary(model, BinOp::Sub, ty, ty, result, y))
                    }
                    (None, Some(KnownValue::Bits(y)), BinOp::Sub) => {
                        (a, scalar::binary(model, BinOp::Add, ty, ty, result, y))
                    }
                    (None, Some(KnownValue::Bits(y)), _) => (a, scalar::binary(model, BinOp::Xor, ty, ty, result, y)),
                    _ => return true,
                };
                solved.is_none_or(|bits| self.learn(state, unknown, KnownValue::Bits(bits)))
            }
            Expr::Ite(condition, a, b) => {
                let (x, y) = (self.scope(*state).eval(a), self.scope(*state).eval(b));
                match (differs(ty, x, value), differs(ty, y, value)) {
                    (true, true) => false,
                    (true, false) => self.assume(state, condition, false) && self.learn(state, b, value),
                    (false, true) => self.assume(state, condition, true) && self.learn(state, a, value),
                    (false, false) => true,
                }
            }
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) | Expr::Binary(..) => true,
            Expr::Living(_) => true,
        }
    }

    /// Learns that an integer or pointer has one of the signs.
    fn restrict(&mut self, state: &mut State, expr: ExprId, signs: Sign) -> bool {
        let (model, ty) = (self.store.program.model, self.ty(expr));
        if ty.is_float() || ty == Scalar::Bool || signs.is_all() {
            return true;
        }
        let left = match self.scope(*state).eval(expr) {
            Some(KnownValue::Bits(bits)) => return !signs.and(Sign::of(model, ty, bits)).is_empty(),
            Some(KnownValue::Sign(known)) => known.and(signs),
            Some(KnownValue::Pointer(..) | KnownValue::Function(_)) => return true,
            None => signs,
        };
        if left.is_empty() {
            return false;
        }
        if left == Sign::ZERO {
            return self.learn(state, expr, KnownValue::Bits(0));
        }
        match self.node(expr) {
            Expr::Var(var) if self.signs => {
                *state = self.store.with_register(*state, var, self.depth, Some(KnownValue::Sign(left)));
                self.learnt.push(Learnt::Register(var));
                true
            }
            Expr::Load(pointer) if self.signs => {
                if let Some(KnownValue::Pointer(object, offset)) = self.scope(*state).eval(pointer)
                    && let Some(range) = self.store.range(object, offset, ty.bytes(model))
                {
                    self.store.write(state, range, Some(KnownValue::Sign(left)));
                    self.learnt.push(Learnt::Bytes(range));
                }
                true
            }
            Expr::Cast(inner) => match left.before(model, self.ty(inner), ty) {
                Some(before) => self.restrict(state, inner, before),
                None if left == Sign::NONZERO => self.exclude(state, expr, KnownValue::Bits(0)),
                None => true,
            },
            Expr::Ite(..) if left == Sign::NONZERO => self.exclude(state, expr, KnownValue::Bits(0)),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Ite(..) | Expr::Living(_) => true,
        }
    }

    /// Learns that `inner` converted to `ty` has the value.
    fn learn_cast(&mut self, state: &mut State, inner: ExprId, ty: Scalar, value: KnownValue) -> bool {
        let model = self.store.program.model;
        let from = self.ty(inner);
        let widening = !from.is_float() && !ty.is_float() && from.bits(model) <= ty.bits(model);
        let KnownValue::Bits(bits) = value else {
            return from.is_float() || !matches!(value, KnownValue::Function(_)) || self.learn(state, inner, value);
        };
        if from == Scalar::Bool {
            return bits <= 1 && self.assume(state, inner, bits == 1);
        }
        if !widening {
            return true;
        }
        let back = bits & scalar::mask(from.bits(model));
        // No other value converts to it: conversion to a type that is not narrower loses nothing.
        scalar::cast(model, from, ty, back) == Some(bits) && self.learn(state, inner, KnownValue::Bits(back))
    }

    /// Learns that an expression does not have the value.
    fn exclude(&mut self, state: &mut State, expr: ExprId, value: KnownValue) -> bool {
        let ty = self.ty(expr);
        let KnownValue::Bits(bits) = value else { return true };
        match self.node(expr) {
            _ if ty == Scalar::Bool => self.assume(state, expr, bits == 0),
            Expr::Cast(inner) if self.ty(inner) == Scalar::Bool => bits > 1 || self.assume(state, inner, bits == 0),
            Expr::Cast(inner) if !self.ty(inner).is_float() && !ty.is_float() => {
                let model = self.store.program.model;
                let from = self.ty(inner);
                let back = bits & scalar::mask(from.bits(model));
                let exact = from.bits(model) <= ty.bits(model) && scalar::cast(model, from, ty, back) == Some(bits);
                !exact || self.exclude(state, inner, KnownValue::Bits(back))
            }
            Expr::Ite(condition, a, b) if !ty.is_float() => {
                let (x, y) = (self.scope(*state).eval(a), self.scope(*state).eval(b));
                match (x == Some(value), y == Some(value)) {
                    (true, true) => false,
                    (true, false) => self.assume(state, condition, false) && self.exclude(state, b, value),
                    (false, true) => self.assume(state, condition, true) && self.exclude(state, a, value),
                    (false, false) => true,
                }
            }
            Expr::Var(_) | Expr::Load(_) if bits == 0 && !ty.is_float() => self.restrict(state, expr, Sign::NONZERO),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => true,
        }
    }
}

/// Whether equality with the value is all that is known then.
fn fixes(ty: Scalar, value: KnownValue) -> bool {
    match (ty, value) {
        (Scalar::Ptr, KnownValue::Bits(bits)) => bits == 0,
        (_, KnownValue::Pointer(..)) => false,
        (Scalar::Float(FloatKind::F16), KnownValue::Bits(bits)) => bits & 0x7FFF != 0,
        (Scalar::Float(FloatKind::F32), KnownValue::Bits(bits)) => bits & 0x7FFF_FFFF != 0,
        (Scalar::Float(FloatKind::F64), KnownValue::Bits(bits)) => bits & 0x7FFF_FFFF_FFFF_FFFF != 0,
        // x87 has several encodings of one number, and zeros of both signs exist in all formats.
        (Scalar::Float(_), KnownValue::Bits(_)) => false,
        (Scalar::Bool | Scalar::Int { .. }, KnownValue::Bits(_)) => true,
        (_, KnownValue::Function(_)) => true,
        (Scalar::Int { .. } | Scalar::Ptr, KnownValue::Sign(_)) => true,
        (Scalar::Bool | Scalar::Float(_), KnownValue::Sign(_)) => false,
    }
}

/// Whether a known operand rules out the value.
fn differs(ty: Scalar, known: Option<KnownValue>, value: KnownValue) -> bool {
    match (known, value) {
        (Some(KnownValue::Bits(x)), KnownValue::Bits(y)) => !ty.is_float() && x != y,
        _ => false,
    }
}

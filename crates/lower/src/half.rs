//! `_Float16` as gcc computes it on x86 without instructions for it: operators work in `float`, and what they give
//! keeps the precision of `float`, although its type is `_Float16`, until it is assigned, passed, returned or cast.
//! Literals are such values, too. So an expression of scalar `f32` may have the C type `_Float16` here; variables,
//! members and results of functions are `f16`.

use crate::context::{Lowering, Lowers, Value};
use crate::math::Math;
use cfa::types::{Type, TypeId};
use cfa::{ExprId, FloatKind, Scalar, UnOp};
use syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

const HALF: Scalar = Scalar::Float(FloatKind::F16);
const SINGLE: Scalar = Scalar::Float(FloatKind::F32);

impl Lowering<'_> {
    pub fn half_type(&mut self) -> TypeId {
        self.has_half = true;
        self.intern(Type::Float(FloatKind::F16))
    }

    pub fn is_half(&self, ty: TypeId) -> bool {
        matches!(self.ty(self.program.types.unqualified(ty)), Type::Float(FloatKind::F16))
    }

    /// Whether a value of type `_Float16` is one that a variable of the type can hold as it is.
    fn is_stored_half(&self, value: Value) -> bool {
        self.is_half(value.ty) && self.scalar_of(value.expr) == HALF
    }

    /// Whether a value of type `_Float16` is kept as something else.
    fn is_wider_than_half(&self, value: Value) -> bool {
        self.is_half(value.ty) && self.scalar_of(value.expr) != HALF
    }

    /// Whether a value is what gcc 12 makes of `!x` ([`Lowering::not_type`]): a truth value of type `_Float16`, which
    /// arithmetic would take for an integer.
    fn is_half_truth(&self, value: Value) -> bool {
        self.is_wider_than_half(value) && self.scalar_of(value.expr) != SINGLE
    }

    /// What becomes of arithmetic with such a value.
    pub fn half_truth(&mut self, a: Value, b: Value) -> Option<Value> {
        let is_any = self.is_half_truth(a) || self.is_half_truth(b);
        let what = "arithmetic on the negation of a _Float16 expression";
        is_any.then(|| self.unsupported_value(what, self.basic.int))
    }

    /// What operands of a common type are converted to, and the branches of `?:`.
    pub fn common_scalar(&self, ty: TypeId, a: Value, b: Value) -> Scalar {
        let scalar = self.scalar(ty).expect("arithmetic types are scalars");
        let stored = self.is_stored_half(a) && self.is_stored_half(b);
        if scalar == HALF && !stored { SINGLE } else { scalar }
    }

    /// An operand of type `_Float16` as arithmetic takes it.
    pub fn in_single(&mut self, value: Value) -> Value {
        if !self.is_stored_half(value) {
            return value;
        }
        Value { expr: self.cast(value.expr, SINGLE), ..value }
    }

    /// Arithmetic gave this value of type `_Float16`.
    pub fn keeps_single(&mut self, value: Value) {
        if self.is_half(value.ty) && self.constant(value.expr).is_none() && !self.in_model {
            self.assume(
                "_Float16 is computed in float and rounded where it is converted (gcc without -mavx512fp16 and \
                 -fexcess-precision=16)",
            );
        }
    }

    /// `+x`, `-x` of type `_Float16`.
    pub fn half_unary(&mut self, op: UnaryOp, value: Value) -> Value {
        let scalar = self.common_scalar(value.ty, value, value);
        let x = self.cast(value.expr, scalar);
        Value { expr: if op == UnaryOp::Minus { self.unary_float(UnOp::Neg, x) } else { x }, ..value }
    }

    /// An operator from float to float. gcc leaves to `float` what it has no instruction for.
    pub fn unary_float(&mut self, op: UnOp, x: ExprId) -> ExprId {
        if self.scalar_of(x) != HALF {
            return self.unary(op, x);
        }
        // Of a NaN that signals this makes a quiet one.
        let single = self.cast(x, SINGLE);
        let result = self.unary(op, single);
        self.cast(result, HALF)
    }

    /// An argument of a function for any floating type: what kind of number it is, is asked of what its type holds.
    pub fn classified(&mut self, math: Math, value: Value) -> Value {
        let of_type = match math {
            Math::IsNan | Math::IsInf | Math::IsInfSign | Math::IsFinite | Math::IsNormal => true,
            Math::Classify | Math::ClassifyAs => true,
            Math::Unary(_) | Math::ToLong(_) | Math::ToLongLong(_) => false,
            Math::AsSet | Math::AsSetToLong | Math::AsSetToLongLong => false,
            Math::Min | Math::Max | Math::Rem | Math::Dim | Math::CopySign | Math::Nan | Math::Inf => false,
            Math::SignBit | Math::Greater | Math::GreaterEqual | Math::Less | Math::LessEqual => false,
            Math::LessGreater | Math::Unordered => false,
        };
        if of_type { self.rounded_half(value) } else { value }
    }

    /// A value of type `_Float16` as a variable of the type holds it; others stay.
    pub fn rounded_half(&mut self, value: Value) -> Value {
        if !self.is_wider_than_half(value) {
            return value;
        }
        if self.may_round(value.expr, HALF) {
            self.rounds();
        }
        Value { expr: self.cast(value.expr, HALF), ..value }
    }

    /// gcc 12 gives `!x` the type `_Float16` where `x` has more precision than its type.
    pub fn not_type(&mut self, mut operand: ast::ExprId) -> Lowers<TypeId> {
        while let ExprKind::Unary { op: UnaryOp::Not, operand: inner } = self.ast[operand].kind {
            operand = inner;
        }
        let is_truth = matches!(self.ast[operand].kind, ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. });
        if self.has_half && !is_truth {
            let value = self.unevaluated(|l| l.rvalue(operand))?;
            if self.is_wider_than_half(value) {
                return Ok(value.ty);
            }
        }
        Ok(self.basic.int)
    }

    /// The type of a register that holds an expression of this C type.
    pub fn register_type(&self, ty: TypeId, scalar: Scalar) -> TypeId {
        match (self.is_half(ty), scalar) {
            (true, SINGLE) => self.basic.float,
            (true, Scalar::Int { .. }) => self.basic.int,
            (true, _) | (false, _) => ty,
        }
    }
}

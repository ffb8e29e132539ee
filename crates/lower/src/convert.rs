//! Conversions between C types, all explicit from here on.

use crate::context::{Lowering, Lowers, Value};
use base::Span;
use cfa::types::{IntKind, Type, TypeId};
use cfa::{BinOp, DataModel, ExprId, FloatKind, Scalar};

impl Lowering<'_> {
    /// `value` as if cast or assigned to `to`.
    pub fn convert(&mut self, value: Value, to: TypeId, span: Span) -> Lowers<Value> {
        self.convert_checked(value, to, to, span)
    }

    /// [`Lowering::convert`] of a value that must fit `range`, which a bit-field makes narrower than its type.
    pub fn convert_checked(&mut self, value: Value, to: TypeId, range: TypeId, span: Span) -> Lowers<Value> {
        let to = self.program.types.unqualified(to);
        let from = self.program.types.unqualified(value.ty);
        if matches!(self.ty(to), Type::Void) {
            return Ok(self.void_value());
        }
        if from == to && (self.is_aggregate(to) || self.scalar(to) == Some(self.scalar_of(value.expr))) {
            return Ok(Value { ty: to, expr: value.expr });
        }
        if matches!(self.ty(to), Type::Complex(_)) || matches!(self.ty(from), Type::Complex(_)) {
            return self.convert_complex(value, to, span);
        }
        if let Some(value) = self.reinterpret(value, to, span)? {
            return Ok(value);
        }
        let Some(scalar) = self.scalar(to).filter(|_| self.scalar(from).is_some()) else {
            let message = format!("cannot convert '{}' to '{}'", self.show(from), self.show(to));
            return self.error(span, message);
        };
        if matches!(self.ty(to), Type::Bool) {
            let truth = self.truth_of(value);
            return Ok(Value { ty: to, expr: self.cast(truth, Scalar::BYTE) });
        }
        let source = self.scalar_of(value.expr);
        if source.is_float() && scalar == Scalar::Ptr || source == Scalar::Ptr && scalar.is_float() {
            let message = format!("cannot convert '{}' to '{}'", self.show(from), self.show(to));
            return self.error(span, message);
        }
        let value = if scalar.is_int() { self.in_single(value) } else { value };
        if self.may_round(value.expr, scalar) {
            self.rounds();
        }
        // Null leads to no function.
        if scalar == Scalar::Ptr && self.program.exprs.constant(value.expr) != Some(0) {
            self.program.types.note_cast(from, to);
        }
        self.check_conversion(value.expr, range, span);
        let expr = self.cast(value.expr, scalar);
        Ok(self.wrapped(to, expr))
    }

    /// A computed value of the type: one of a bit-field's width is cut to it.
    pub fn wrapped(&mut self, ty: TypeId, expr: ExprId) -> Value {
        let Type::Bits { width, signed } = *self.ty(ty) else { return Value { ty, expr } };
        let scalar = self.scalar_of(expr);
        let bits = scalar.bits(self.program.model);
        assert!(width <= bits, "{width} bits lie in a value of {bits}");
        let expr = if signed {
            let amount = self.number(Scalar::INT, i128::from(bits - width));
            let raised = self.binary(BinOp::Shl, expr, amount);
            self.binary(BinOp::Shr, raised, amount)
        } else {
            let mask = self.program.exprs.bits(scalar, semantics::scalar::mask(width));
            self.binary(BinOp::And, expr, mask)
        };
        Value { ty, expr }
    }

    /// Whether a scalar value is not zero.
    pub fn truth_of(&mut self, value: Value) -> ExprId {
        let scalar = self.scalar_of(value.expr);
        let zero = match scalar {
            Scalar::Bool => return value.expr,
            // An object or function has an address, and that is not null.
            Scalar::Ptr if self.is_named_address(value.expr) => return self.program.exprs.bool(true),
            Scalar::Int { .. } | Scalar::Ptr => self.number(scalar, 0),
            Scalar::Float(_) => self.program.exprs.bits(scalar, 0),
        };
        let equal = self.binary(BinOp::Eq, value.expr, zero);
        self.not(equal)
    }

    fn is_named_address(&self, value: ExprId) -> bool {
        matches!(self.program.exprs.node(value), cfa::Expr::Addr(_) | cfa::Expr::Function(_))
    }

    /// The value as a number of its C type, never as a truth value.
    pub fn as_number(&mut self, value: Value) -> Value {
        match self.scalar(value.ty) {
            Some(scalar) if !self.is_half(value.ty) => Value { ty: value.ty, expr: self.cast(value.expr, scalar) },
            Some(_) | None => value,
        }
    }

    /// Integer promotions.
    pub fn promote(&mut self, value: Value) -> Value {
        let ty = self.promoted(value.ty);
        match self.scalar(ty) {
            Some(scalar) => Value { ty, expr: self.cast(value.expr, scalar) },
            None => value,
        }
    }

    pub fn promoted(&mut self, ty: TypeId) -> TypeId {
        let ty = self.program.types.unqualified(ty);
        match *self.ty(ty) {
            Type::Bool => self.basic.int,
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort) => {
                self.basic.int
            }
            Type::Enum(id) => {
                let repr = self.program.types.enums[id].repr;
                let repr = self.intern(Type::Int(repr));
                self.promoted(repr)
            }
            _ => ty,
        }
    }

    /// What an argument without parameter is passed as.
    pub fn default_promote(&mut self, value: Value) -> Value {
        if matches!(self.ty(value.ty), Type::Float(FloatKind::F32)) {
            let expr = self.cast(value.expr, Scalar::Float(FloatKind::F64));
            return Value { ty: self.basic.double, expr };
        }
        if let Type::Bits { width, signed } = *self.ty(value.ty) {
            let kind = match (width, signed) {
                (..=64, true) => IntKind::LongLong,
                (..=64, false) => IntKind::ULongLong,
                (_, true) => IntKind::Int128,
                (_, false) => IntKind::UInt128,
            };
            let ty = self.intern(Type::Int(kind));
            let scalar = self.scalar(ty).expect("integers are scalars");
            return Value { ty, expr: self.cast(value.expr, scalar) };
        }
        self.promote(value)
    }

    /// The usual arithmetic conversions of both operands.
    pub fn arithmetic(&mut self, a: Value, b: Value) -> (Value, Value) {
        let ty = self.common_type(a.ty, b.ty);
        let (a, b) = (self.in_single(a), self.in_single(b));
        let scalar = self.common_scalar(ty, a, b);
        let mut converted = |value: Value| {
            if self.may_round(value.expr, scalar) {
                self.rounds();
            }
            let expr = self.cast(value.expr, scalar);
            if self.program.types.unqualified(value.ty) == ty { Value { ty, expr } } else { self.wrapped(ty, expr) }
        };
        let (a, b) = (converted(a), converted(b));
        assert_eq!(self.scalar_of(a.expr), self.scalar_of(b.expr), "both operands have the common type");
        (a, b)
    }

    /// The type that operands of arithmetic types are converted to.
    pub fn common_type(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let (a, b) = (self.promoted(a), self.promoted(b));
        match (self.ty(a), self.ty(b)) {
            (Type::Float(x), Type::Float(y)) => {
                if x >= y {
                    a
                } else {
                    b
                }
            }
            (Type::Float(_), _) => a,
            (_, Type::Float(_)) => b,
            (Type::Int(x), Type::Int(y)) => {
                let kind = common_kind(*x, *y, self.program.model);
                self.intern(Type::Int(kind))
            }
            (Type::Bits { .. }, _) | (_, Type::Bits { .. }) => self.wider(a, b),
            _ => a,
        }
    }

    /// The integer type of more bits; of equally wide ones an unsigned one.
    fn wider(&self, a: TypeId, b: TypeId) -> TypeId {
        let key = |ty| match *self.ty(ty) {
            Type::Bits { width, signed } => Some((width, !signed)),
            _ => self.scalar(ty).map(|scalar| (scalar.bits(self.program.model), !scalar.is_signed())),
        };
        if key(b) > key(a) { b } else { a }
    }
}

/// Rank, from `int` up.
fn rank(kind: IntKind) -> u32 {
    match kind {
        IntKind::Long | IntKind::ULong => 2,
        IntKind::LongLong | IntKind::ULongLong => 3,
        IntKind::Int128 | IntKind::UInt128 => 4,
        IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort => 0,
        IntKind::Int | IntKind::UInt => 1,
    }
}

/// The unsigned type of the same rank.
pub(crate) fn unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
        IntKind::Short | IntKind::UShort => IntKind::UShort,
        IntKind::Int | IntKind::UInt => IntKind::UInt,
        IntKind::Long | IntKind::ULong => IntKind::ULong,
        IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
        IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
    }
}

/// C11 6.3.1.8 for promoted integers.
fn common_kind(a: IntKind, b: IntKind, model: DataModel) -> IntKind {
    if a.signed() == b.signed() {
        return if rank(a) >= rank(b) { a } else { b };
    }
    let (signed, other) = if a.signed() { (a, b) } else { (b, a) };
    if rank(other) >= rank(signed) {
        other
    } else if signed.bits(model) > other.bits(model) {
        signed
    } else {
        unsigned(signed)
    }
}

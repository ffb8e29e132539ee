//! Arithmetic that C leaves undefined: signed overflow, division, shifts, conversion of floats to integers.
//!
//! What counts is the type of the operation after promotion. A condition says that the exact result does not fit:
//! - with a constant operand it compares the other one with a bound;
//! - up to 64 bits it computes the result in twice the width, which intervals understand as well as solvers;
//! - of 128 bits it looks at signs, or divides back.

use crate::context::{Lowering, Value};
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, Check, ExprId, FloatKind, Scalar, UnOp};

/// A signed integer type: its values, and the scalar that holds them.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: i128,
    most: i128,
    bits: u32,
    scalar: Scalar,
}

impl Lowering<'_> {
    /// Checks `a op b` of operands that were converted to one type, before it is computed.
    pub fn check_arithmetic(&mut self, op: BinOp, a: Value, b: Value, span: Span) {
        if !self.scalar_of(a.expr).is_int() {
            return;
        }
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul if self.wants(Check::Overflow) => {
                let Some(range) = self.signed_range(a.ty) else { return };
                let violated = match (self.signed_constant(a.expr), self.signed_constant(b.expr)) {
                    (_, Some(constant)) => self.overflows_by(op, range, a.expr, constant),
                    (Some(constant), None) if op == BinOp::Sub => self.overflows_from(range, constant, b.expr),
                    (Some(constant), None) => self.overflows_by(op, range, b.expr, constant),
                    (None, None) => self.overflows_both(op, range, a.expr, b.expr),
                };
                self.check_operator(violated, Check::Overflow, span, [Some(a.expr), Some(b.expr)], symbol(op));
            }
            BinOp::Div | BinOp::Rem => self.check_division(op, a, b, span),
            _ => {}
        }
    }

    fn check_division(&mut self, op: BinOp, a: Value, b: Value, span: Span) {
        if self.wants(Check::Division) {
            let zero = self.number(self.scalar_of(b.expr), 0);
            let violated = self.binary(BinOp::Eq, b.expr, zero);
            self.check_operator(violated, Check::Division, span, [Some(a.expr), Some(b.expr)], symbol(op));
        }
        let kinds = [Check::Overflow, Check::Division];
        let (Some(kind), Some(range)) = (self.first_wanted(&kinds), self.signed_range(a.ty)) else { return };
        let (least, minus_one) = (self.number(range.scalar, range.least), self.number(range.scalar, -1));
        let is_least = self.binary(BinOp::Eq, a.expr, least);
        let by_minus_one = self.binary(BinOp::Eq, b.expr, minus_one);
        let violated = self.binary(BinOp::And, is_least, by_minus_one);
        self.check_operator(violated, kind, span, [Some(a.expr), Some(b.expr)], symbol(op));
    }

    /// Checks `-value`, also as it is part of an absolute value.
    pub fn check_negation(&mut self, value: Value, span: Span) {
        if !self.wants(Check::Overflow) {
            return;
        }
        let Some(range) = self.signed_range(value.ty) else { return };
        let least = self.number(range.scalar, range.least);
        let violated = self.binary(BinOp::Eq, value.expr, least);
        self.check_operator(violated, Check::Overflow, span, [Some(value.expr), None], "-");
    }

    /// Checks `a << b` or `a >> b` of promoted operands. A left shift is arithmetic, so it may overflow.
    pub fn check_shift(&mut self, op: BinOp, a: Value, b: Value, span: Span) {
        let kinds: &[Check] = if op == BinOp::Shl { &[Check::Shift, Check::Overflow] } else { &[Check::Shift] };
        let Some(kind) = self.first_wanted(kinds) else { return };
        let range = self.signed_range(a.ty);
        // Overflow is about signed results only.
        if kind == Check::Overflow && range.is_none() {
            return;
        }
        let width = match *self.ty(a.ty) {
            Type::Bits { width, .. } => width,
            _ => self.scalar_of(a.expr).bits(self.program.model),
        };
        let values = [Some(a.expr), Some(b.expr)];
        let unsigned = Scalar::int(self.scalar_of(b.expr).bits(self.program.model), false);
        let (count, width) = (self.cast(b.expr, unsigned), self.number(unsigned, width.into()));
        let violated = self.binary(BinOp::Le, width, count);
        self.check_operator(violated, kind, span, values, symbol(op));
        let (BinOp::Shl, Some(range)) = (op, range) else { return };
        let (zero, most) = (self.number(range.scalar, 0), self.number(range.scalar, range.most));
        let negative = self.binary(BinOp::Lt, a.expr, zero);
        let bound = self.binary(BinOp::Shr, most, b.expr);
        let large = self.binary(BinOp::Lt, bound, a.expr);
        let violated = self.binary(BinOp::Or, negative, large);
        self.check_operator(violated, kind, span, values, symbol(op));
    }

    /// Checks the conversion of a float to an integer type: what is left without its fraction must fit.
    pub fn check_conversion(&mut self, value: ExprId, to: TypeId, span: Span) {
        let Scalar::Float(kind) = self.scalar_of(value) else { return };
        if !self.wants(Check::Conversion) {
            return;
        }
        let Some((bits, signed)) = self.integer_width(to) else { return };
        let value_bits = if signed { bits - 1 } else { bits };
        let above = self.power_of_two(value_bits, kind);
        let fits_above = self.binary(BinOp::Lt, value, above);
        let fits_below = if signed {
            let least = self.unary(UnOp::Neg, above);
            match self.one_less(least, value_bits, kind) {
                Some(below) => self.binary(BinOp::Lt, below, value),
                // No float lies between the least integer and the one below it.
                None => self.binary(BinOp::Le, least, value),
            }
        } else {
            let minus_one = self.number(Scalar::INT, -1);
            let below = self.cast(minus_one, Scalar::Float(kind));
            self.binary(BinOp::Lt, below, value)
        };
        let fits = self.binary(BinOp::And, fits_below, fits_above);
        let violated = self.not(fits);
        self.check(violated, Check::Conversion, span, [Some(value), None]);
    }

    /// Checks the length of a variable-length array, which must be positive.
    pub fn check_length(&mut self, length: ExprId, span: Span) {
        if self.wants(Check::Length) {
            let zero = self.number(self.scalar_of(length), 0);
            let violated = self.binary(BinOp::Le, length, zero);
            self.check(violated, Check::Length, span, [Some(length), None]);
        }
    }

    /// Checks an implicit conversion of an integer: the value must be one of the integer type.
    pub fn check_lossless(&mut self, value: ExprId, to: TypeId, span: Span) {
        let Scalar::Int { bits: from, signed: from_signed } = self.scalar_of(value) else { return };
        if !self.wants(Check::Lossy) || from > 64 {
            return;
        }
        let Some((bits, signed)) = self.integer_width(to) else { return };
        let range = |bits: u32, signed: bool| match signed {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits.min(126)) - 1),
        };
        let ((least, most), (low, high)) = (range(from.into(), from_signed), range(bits, signed));
        let (low, high) = ((least < low).then_some(low), (high < most).then_some(high));
        if low.is_some() || high.is_some() {
            let violated = self.outside(value, self.scalar_of(value), low, high);
            self.check(violated, Check::Lossy, span, [Some(value), None]);
        }
    }

    /// The bits of an integer type and its signedness; `None` for truth values, whose conversion asks for zero.
    fn integer_width(&self, ty: TypeId) -> Option<(u32, bool)> {
        let ty = self.program.types.unqualified(ty);
        match *self.ty(ty) {
            Type::Bool => None,
            Type::Bits { width, signed } => Some((width, signed)),
            _ => match self.scalar(ty) {
                Some(Scalar::Int { bits, signed }) => Some((u32::from(bits), signed)),
                _ => None,
            },
        }
    }

    /// 2 to this, which may be infinite.
    fn power_of_two(&mut self, exponent: u32, kind: FloatKind) -> ExprId {
        let half = self.number(Scalar::int(128, false), 1 << (exponent - 1));
        let half = self.cast(half, Scalar::Float(kind));
        self.binary(BinOp::Add, half, half)
    }

    /// -2^bits - 1 if the float type has it.
    fn one_less(&mut self, least: ExprId, bits: u32, kind: FloatKind) -> Option<ExprId> {
        let precision = match kind {
            FloatKind::F16 => 11,
            FloatKind::F32 => 24,
            FloatKind::F64 => 53,
            FloatKind::X87 => 64,
            FloatKind::F128 => 113,
        };
        (bits < precision).then(|| {
            let one = self.number(Scalar::INT, 1);
            let one = self.cast(one, Scalar::Float(kind));
            self.binary(BinOp::Sub, least, one)
        })
    }

    fn first_wanted(&self, kinds: &[Check]) -> Option<Check> {
        kinds.iter().copied().find(|&kind| self.wants(kind))
    }

    /// The values of a signed integer type; `None` for all others.
    fn signed_range(&self, ty: TypeId) -> Option<Range> {
        let ty = self.program.types.unqualified(ty);
        let scalar = self.scalar(ty).filter(|scalar| scalar.is_signed())?;
        // gcc computes with wide bit-fields in types of their own width, of which its sanitizer says nothing.
        if matches!(self.ty(ty), Type::Bits { .. }) {
            return None;
        }
        let bits = scalar.bits(self.program.model);
        let most = i128::MAX >> (128 - bits);
        Some(Range { least: -most - 1, most, bits, scalar })
    }

    fn signed_constant(&self, value: ExprId) -> Option<i128> {
        let Scalar::Int { bits, signed: true } = self.scalar_of(value) else { return None };
        Some(semantics::scalar::sign_extend(self.constant(value)?, bits.into()) as i128)
    }

    /// Whether `value + c`, `value - c` or `value * c` does not fit.
    fn overflows_by(&mut self, op: BinOp, range: Range, value: ExprId, c: i128) -> ExprId {
        let Range { least, most, .. } = range;
        let (low, high) = match (op, c) {
            (BinOp::Add, 0..) => (None, Some(most - c)),
            (BinOp::Add, _) => (Some(least - c), None),
            (BinOp::Sub, 0..) => (Some(least + c), None),
            (BinOp::Sub, _) => (None, Some(most + c)),
            (_, 0 | 1) => (None, None),
            // Only the least number has no opposite.
            (_, -1) => (Some(least + 1), None),
            (_, 2..) => (Some(least / c), Some(most / c)),
            (_, _) => (Some(most / c), Some(least / c)),
        };
        self.outside(value, range.scalar, low, high)
    }

    /// Whether `c - value` does not fit.
    fn overflows_from(&mut self, range: Range, c: i128, value: ExprId) -> ExprId {
        let (low, high) = if c >= 0 { (Some(c - range.most), None) } else { (None, Some(c - range.least)) };
        self.outside(value, range.scalar, low, high)
    }

    /// Whether the value is not between the bounds.
    fn outside(&mut self, value: ExprId, scalar: Scalar, low: Option<i128>, high: Option<i128>) -> ExprId {
        let below = match low {
            Some(low) => {
                let low = self.number(scalar, low);
                self.binary(BinOp::Lt, value, low)
            }
            None => self.program.exprs.bool(false),
        };
        let above = match high {
            Some(high) => {
                let high = self.number(scalar, high);
                self.binary(BinOp::Lt, high, value)
            }
            None => self.program.exprs.bool(false),
        };
        self.binary(BinOp::Or, below, above)
    }

    /// Whether the exact result of two operands does not fit.
    fn overflows_both(&mut self, op: BinOp, range: Range, a: ExprId, b: ExprId) -> ExprId {
        if range.bits > 64 {
            return self.overflows_widest(op, range, a, b);
        }
        let wide = Scalar::int(if range.bits <= 32 { 64 } else { 128 }, true);
        let (a, b) = (self.cast(a, wide), self.cast(b, wide));
        let exact = self.binary(op, a, b);
        self.outside(exact, wide, Some(range.least), Some(range.most))
    }

    /// The same where no type is wider.
    fn overflows_widest(&mut self, op: BinOp, range: Range, a: ExprId, b: ExprId) -> ExprId {
        let zero = self.number(range.scalar, 0);
        let wrapped = self.binary(op, a, b);
        if op == BinOp::Mul {
            let is_zero = self.binary(BinOp::Eq, a, zero);
            let one = self.number(range.scalar, 1);
            let divisor = self.ite(is_zero, one, a);
            let back = self.binary(BinOp::Div, wrapped, divisor);
            let same = self.binary(BinOp::Eq, back, b);
            let fits = self.binary(BinOp::Or, is_zero, same);
            let differs = self.not(fits);
            let (least, minus_one) = (self.number(range.scalar, range.least), self.number(range.scalar, -1));
            let is_least = self.binary(BinOp::Eq, b, least);
            let is_minus_one = self.binary(BinOp::Eq, a, minus_one);
            let opposite = self.binary(BinOp::And, is_least, is_minus_one);
            return self.binary(BinOp::Or, differs, opposite);
        }
        // The sign of a sum differs from that of both operands, the sign of a difference from that of the first
        // operand if the second has the other sign.
        let x = self.binary(BinOp::Xor, a, if op == BinOp::Add { wrapped } else { b });
        let y = self.binary(BinOp::Xor, if op == BinOp::Add { b } else { a }, wrapped);
        let both = self.binary(BinOp::And, x, y);
        self.binary(BinOp::Lt, both, zero)
    }
}

/// How C spells an operator that is checked.
fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => op.symbol(),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Eq | BinOp::Lt | BinOp::Le | BinOp::PtrAdd => "",
    }
}

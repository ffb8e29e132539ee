//! Unary and binary operators, with C's conversions.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::lvalue::Lvalue;
use base::Span;
use cfa::{BinOp, Scalar, UnOp};
use syntax::ast::{self, BinaryOp, UnaryOp};

impl Lowering<'_> {
    pub fn unary_operator(
        &mut self,
        op: UnaryOp,
        operand: ast::ExprId,
        expr: ast::ExprId,
        want: Want,
    ) -> Lowers<Value> {
        let span = self.ast[expr].span;
        match op {
            UnaryOp::AddressOf => self.address_of(operand, span),
            UnaryOp::Deref => {
                let place = self.place(expr)?;
                Ok(self.read(place))
            }
            UnaryOp::Not => {
                let ty = self.not_type(operand)?;
                let condition = self.condition(expr)?;
                Ok(Value { ty, ..self.condition_value(condition, want) })
            }
            UnaryOp::PreInc => self.step(operand, BinaryOp::Add, StepValue::New, want),
            UnaryOp::PreDec => self.step(operand, BinaryOp::Sub, StepValue::New, want),
            UnaryOp::PostInc => self.step(operand, BinaryOp::Add, StepValue::Old, want),
            UnaryOp::PostDec => self.step(operand, BinaryOp::Sub, StepValue::Old, want),
            UnaryOp::Real | UnaryOp::Imag => {
                let value = self.rvalue(operand)?;
                if self.complex_kind(value.ty).is_some() {
                    let place = self.complex_part(Lvalue::memory(value.ty, value.expr), op, span)?;
                    return Ok(self.read(place));
                }
                if op == UnaryOp::Real {
                    return Ok(value);
                }
                let zero = self.int_value(0);
                self.convert(zero, value.ty, span)
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {
                let value = self.rvalue(operand)?;
                if self.complex_kind(value.ty).is_some() {
                    return self.complex_unary(op, value, span);
                }
                if self.vector(value.ty).is_some() {
                    return self.vector_unary(op, value, span);
                }
                let value = self.unary_number(op, value, span)?;
                Ok(self.shallow(value))
            }
        }
    }

    /// `+x`, `-x`, `~x`
    pub fn unary_number(&mut self, op: UnaryOp, value: Value, span: Span) -> Lowers<Value> {
        if let Some(value) = self.half_truth(value, value) {
            return Ok(value);
        }
        let fits = self.is_integer(value.ty) || op != UnaryOp::BitNot && self.is_arithmetic(value.ty);
        if !fits {
            let message = format!("expected a number, found '{}'", self.show(value.ty));
            return self.error(span, message);
        }
        if self.is_half(value.ty) {
            return Ok(self.half_unary(op, value));
        }
        let value = self.promote(value);
        let expr = match op {
            UnaryOp::Minus => {
                self.check_negation(value, span);
                self.unary(UnOp::Neg, value.expr)
            }
            UnaryOp::BitNot => self.unary(UnOp::BitNot, value.expr),
            _ => value.expr,
        };
        Ok(self.wrapped(value.ty, expr))
    }

    pub fn binary_operator(
        &mut self,
        op: BinaryOp,
        left: ast::ExprId,
        right: ast::ExprId,
        expr: ast::ExprId,
        want: Want,
    ) -> Lowers<Value> {
        let span = self.ast[expr].span;
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            let condition = self.condition(expr)?;
            return Ok(self.condition_value(condition, want));
        }
        let start = self.start();
        let mut first = [self.rvalue(left)?];
        let is_variable = self.is_variable(left);
        let keep = |l: &mut Self, first: &[Value], b: &Value| {
            usize::from(!is_variable || !l.variable_last(op, first[0].ty, b.ty))
        };
        let b = self.then_keeping(start, &mut first, |l| l.rvalue(right), keep)?;
        let [a] = first;
        let value = self.apply(op, a, b, span)?;
        Ok(self.shallow(value))
    }

    /// `a op b` on values.
    pub fn apply(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowers<Value> {
        if self.complex_kind(a.ty).is_some() || self.complex_kind(b.ty).is_some() {
            return self.complex_apply(op, a, b, span);
        }
        if self.vector(a.ty).is_some() || self.vector(b.ty).is_some() {
            return self.vector_apply(op, a, b, span);
        }
        if self.pointee(a.ty).is_some() || self.pointee(b.ty).is_some() {
            return self.pointer_operator(op, a, b, span);
        }
        let numbers = self.is_arithmetic(a.ty) && self.is_arithmetic(b.ty);
        let integers = self.is_integer(a.ty) && self.is_integer(b.ty);
        // Comparing a truth value with 0 or 1 is that truth value.
        if let (BinaryOp::Eq | BinaryOp::Ne, Some(truth)) = (op, self.truth_compared(a, b)) {
            let truth = if op == BinaryOp::Ne { self.not(truth) } else { truth };
            return Ok(self.truth_value(truth));
        }
        if let Some(value) = self.half_truth(a, b) {
            return Ok(value);
        }
        let fits = match op {
            BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => integers,
            BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr => integers,
            _ => numbers,
        };
        if !fits {
            return self.wrong_operands(op, a, b, span);
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let (a, b) = (self.promote(a), self.promote(b));
            let op = if op == BinaryOp::Shl { BinOp::Shl } else { BinOp::Shr };
            self.check_shift(op, a, b, span);
            let expr = self.binary(op, a.expr, b.expr);
            return Ok(self.wrapped(a.ty, expr));
        }
        let (a, b) = self.arithmetic(a, b);
        let plain = match op {
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div => BinOp::Div,
            BinaryOp::Rem => BinOp::Rem,
            BinaryOp::Add => BinOp::Add,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::BitAnd => BinOp::And,
            BinaryOp::BitXor => BinOp::Xor,
            BinaryOp::BitOr => BinOp::Or,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => {
                return Ok(self.compare(op, a, b));
            }
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or => unreachable!("handled above"),
        };
        self.check_arithmetic(plain, a, b, span);
        let expr = self.binary(plain, a.expr, b.expr);
        // The remainder of floats is exact, but C has no operator for it.
        if let (Scalar::Float(kind), None) = (self.scalar_of(expr), self.constant(expr)) {
            self.rounds();
            self.keeps_precision(kind);
        }
        let value = self.wrapped(a.ty, expr);
        self.keeps_single(value);
        Ok(value)
    }

    /// `a == b` as a truth value, if one is a truth value and the other 0 or 1.
    fn truth_compared(&mut self, a: Value, b: Value) -> Option<cfa::ExprId> {
        let (truth, number) = match (self.scalar_of(a.expr), self.scalar_of(b.expr)) {
            (Scalar::Bool, Scalar::Int { .. }) => (a.expr, b.expr),
            (Scalar::Int { .. }, Scalar::Bool) => (b.expr, a.expr),
            _ => return None,
        };
        match self.constant(number)? {
            0 => Some(self.not(truth)),
            1 => Some(truth),
            _ => None,
        }
    }

    /// A comparison of two values of one type.
    pub fn compare(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let truth = match op {
            BinaryOp::Lt => self.binary(BinOp::Lt, a.expr, b.expr),
            BinaryOp::Gt => self.binary(BinOp::Lt, b.expr, a.expr),
            BinaryOp::Le => self.binary(BinOp::Le, a.expr, b.expr),
            BinaryOp::Ge => self.binary(BinOp::Le, b.expr, a.expr),
            BinaryOp::Ne => {
                let equal = self.binary(BinOp::Eq, a.expr, b.expr);
                self.not(equal)
            }
            _ => self.binary(BinOp::Eq, a.expr, b.expr),
        };
        self.truth_value(truth)
    }

    fn pointer_operator(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowers<Value> {
        let (a_pointer, b_pointer) = (self.pointee(a.ty), self.pointee(b.ty));
        let scalars = self.scalar(a.ty).is_some() && self.scalar(b.ty).is_some();
        match op {
            BinaryOp::Add if a_pointer.is_some() && self.is_integer(b.ty) => self.pointer_add(a, b, span),
            BinaryOp::Add if b_pointer.is_some() && self.is_integer(a.ty) => self.pointer_add(b, a, span),
            BinaryOp::Sub if a_pointer.is_some() && self.is_integer(b.ty) => {
                let offset = self.program.model.offset_type();
                let index = self.cast(b.expr, offset);
                let index = self.unary(UnOp::Neg, index);
                self.pointer_add(a, Value { ty: self.basic.offset, expr: index }, span)
            }
            BinaryOp::Sub => match (a_pointer, b_pointer) {
                (Some(to), Some(_)) => {
                    self.check_same_object(a, b, "-", span);
                    let offset = self.program.model.offset_type();
                    let size = self.size_expr(to, span)?;
                    if let (Some((var, x)), Some((other, y))) = (self.fixed_place(a.expr), self.fixed_place(b.expr))
                        && let Some(size) = self.constant(size).filter(|&size| size > 0 && var == other)
                    {
                        // Both lead into one object: a constant, wherever it lies.
                        let elements = self.number(offset, (x - y) / size as i128);
                        return Ok(Value { ty: self.basic.offset, expr: elements });
                    }
                    let (x, y) = (self.cast(a.expr, offset), self.cast(b.expr, offset));
                    let size = self.cast(size, offset);
                    let bytes = self.binary(BinOp::Sub, x, y);
                    if self.constant(size) == Some(1) {
                        return Ok(Value { ty: self.basic.offset, expr: bytes });
                    }
                    Ok(Value { ty: self.basic.offset, expr: self.binary(BinOp::Div, bytes, size) })
                }
                _ => self.wrong_operands(op, a, b, span),
            },
            _ if is_comparison(op)
                && scalars
                && !self.scalar_of(a.expr).is_float()
                && !self.scalar_of(b.expr).is_float() =>
            {
                let ty = if a_pointer.is_some() { a.ty } else { b.ty };
                let (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
                if let (Some(x), Some(y)) = (self.literal_of(a.expr), self.literal_of(b.expr))
                    && flow::may_share(&self.program, x, y)
                {
                    self.assumptions.entry(flow::SHARED.to_owned()).or_insert(1);
                }
                if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                    self.check_same_object(a, b, op.symbol(), span);
                }
                Ok(self.compare(op, a, b))
            }
            _ => self.wrong_operands(op, a, b, span),
        }
    }

    fn wrong_operands(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowers<Value> {
        let message = format!("'{}' does not take '{}' and '{}'", op.symbol(), self.show(a.ty), self.show(b.ty));
        self.error(span, message)
    }
}

/// Which value `++` and `--` have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepValue {
    Old,
    New,
}

pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne => true,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Add | BinaryOp::Sub => false,
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr => false,
        BinaryOp::And | BinaryOp::Or => false,
    }
}

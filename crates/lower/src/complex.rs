//! Complex numbers: two floats in memory. Operators as gcc computes them: what has no imaginary part takes no part in
//! its arithmetic. Division by a complex number, and products that are not a number, are the library's
//! (`models/complex.c`).

use crate::context::{Lowering, Lowers, Value};
use crate::lvalue::Lvalue;
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, ExprId, FloatKind, Op, Scalar, UnOp};
use syntax::ast::{self, BinaryOp, ExprKind, List, UnaryOp};

/// An operand.
#[derive(Clone, Copy)]
struct Parts {
    real: Value,
    /// A real number has none.
    imaginary: Option<Value>,
}

impl Lowering<'_> {
    pub fn complex_kind(&self, ty: TypeId) -> Option<FloatKind> {
        match *self.ty(self.program.types.unqualified(ty)) {
            Type::Complex(kind) => Some(kind),
            _ => None,
        }
    }

    /// Both parts of a number, as floats of this format; they keep their values.
    fn parts(&mut self, value: Value, kind: FloatKind, span: Span) -> Lowers<Parts> {
        let ty = self.intern(Type::Float(kind));
        let Some(own) = self.complex_kind(value.ty) else {
            let real = self.convert(value, ty, span)?;
            let real = Value { expr: self.spill(ty, real.expr), ..real };
            return Ok(Parts { real, imaginary: None });
        };
        let own = self.intern(Type::Float(own));
        let size = self.program.types.size(own).expect("floats have a size");
        let mut part = |offset: u64| {
            let at = self.offset(value.expr, offset);
            let value = self.read(Lvalue::memory(own, at));
            let value = self.convert(value, ty, span)?;
            Ok(Value { expr: self.spill(ty, value.expr), ..value })
        };
        let (real, imaginary) = (part(0)?, part(size)?);
        Ok(Parts { real, imaginary: Some(imaginary) })
    }

    fn new_complex(&mut self, kind: FloatKind, real: ExprId, imaginary: ExprId) -> Value {
        let (ty, part) = (self.intern(Type::Complex(kind)), self.intern(Type::Float(kind)));
        let size = self.program.types.size(part).expect("floats have a size");
        let object = self.temporary_object(ty, 2 * size);
        let address = self.addr(object);
        self.emit(Op::Store { to: address, value: real });
        let to = self.offset(address, size);
        self.emit(Op::Store { to, value: imaginary });
        Value { ty, expr: address }
    }

    /// `1.0i`
    pub fn imaginary_literal(&mut self, value: Value) -> Value {
        let Scalar::Float(kind) = self.scalar_of(value.expr) else {
            let ty = self.intern(Type::Complex(FloatKind::F64));
            return self.unsupported_value("complex integers", ty);
        };
        if self.is_half(value.ty) {
            let ty = self.opaque("_Complex", 4, 2);
            return self.unsupported_value("_Complex _Float16", ty);
        }
        if self.body.function.is_none() {
            let ty = self.intern(Type::Complex(kind));
            return self.unsupported_value("complex constants", ty);
        }
        let zero = self.program.exprs.bits(Scalar::Float(kind), 0);
        self.new_complex(kind, zero, value.expr)
    }

    /// Real and imaginary part of a constant such as `1.0 + 2.0i`, in this format.
    pub fn complex_constant(&mut self, expr: ast::ExprId, kind: FloatKind) -> Lowers<Option<[ExprId; 2]>> {
        let scalar = Scalar::Float(kind);
        let zero = self.program.exprs.bits(scalar, 0);
        match self.ast[expr].kind {
            ExprKind::Float { text, suffix, imaginary: true } => {
                let value = self.float_literal(text, suffix, self.ast[expr].span)?;
                Ok(Some([zero, self.cast(value.expr, scalar)]))
            }
            ExprKind::Unary { op: UnaryOp::Minus, operand } => {
                let parts = self.complex_constant(operand, kind)?;
                Ok(parts.map(|parts| parts.map(|part| self.unary(UnOp::Neg, part))))
            }
            // Nothing is rounded: one has the real part, the other one the imaginary.
            ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), left, right }
                if matches!(self.ast[right].kind, ExprKind::Float { imaginary: true, .. }) =>
            {
                let Some([real, _]) = self.real_constant(left, kind)? else { return Ok(None) };
                let Some([other, imaginary]) = self.complex_constant(right, kind)? else { return Ok(None) };
                if op == BinaryOp::Add {
                    return Ok(Some([self.binary(BinOp::Add, real, other), imaginary]));
                }
                let imaginary = self.unary(UnOp::Neg, imaginary);
                Ok(Some([self.binary(BinOp::Sub, real, other), imaginary]))
            }
            _ => self.real_constant(expr, kind),
        }
    }

    fn real_constant(&mut self, expr: ast::ExprId, kind: FloatKind) -> Lowers<Option<[ExprId; 2]>> {
        let value = self.unevaluated(|l| l.rvalue(expr))?;
        if !self.is_arithmetic(value.ty) || self.constant(value.expr).is_none() {
            return Ok(None);
        }
        let scalar = Scalar::Float(kind);
        let zero = self.program.exprs.bits(scalar, 0);
        Ok(Some([self.cast(value.expr, scalar), zero]))
    }

    /// To or from a complex type.
    pub fn convert_complex(&mut self, value: Value, to: TypeId, span: Span) -> Lowers<Value> {
        if self.body.function.is_none() {
            return Ok(self.unsupported_value("complex constants", to));
        }
        match (self.complex_kind(value.ty), self.complex_kind(to)) {
            (_, Some(kind)) if self.is_arithmetic(value.ty) || self.complex_kind(value.ty).is_some() => {
                let Parts { real, imaginary } = self.parts(value, kind, span)?;
                let zero = self.program.exprs.bits(Scalar::Float(kind), 0);
                Ok(self.new_complex(kind, real.expr, imaginary.map_or(zero, |part| part.expr)))
            }
            (Some(_), None) if self.is_bool(to) => {
                let truth = self.complex_truth(value, span)?;
                Ok(Value { ty: to, expr: self.cast(truth, Scalar::BYTE) })
            }
            (Some(kind), None) if self.is_arithmetic(to) => {
                let real = self.parts(value, kind, span)?.real;
                self.convert(real, to, span)
            }
            _ => {
                let message = format!("cannot convert '{}' to '{}'", self.show(value.ty), self.show(to));
                self.error(span, message)
            }
        }
    }

    /// Whether a complex number is not zero.
    pub fn complex_truth(&mut self, value: Value, span: Span) -> Lowers<ExprId> {
        let kind = self.complex_kind(value.ty).expect("a complex number");
        let Parts { real, imaginary } = self.parts(value, kind, span)?;
        let truth = self.truth_of(real);
        let other = self.truth_of(imaginary.expect("it has two parts"));
        Ok(self.binary(BinOp::Or, truth, other))
    }

    /// `a op b` where one is complex.
    pub fn complex_apply(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowers<Value> {
        let kind_of = |l: &Self, value: Value| {
            l.complex_kind(value.ty).or(match *l.ty(l.program.types.unqualified(value.ty)) {
                Type::Float(kind) => Some(kind),
                _ => None,
            })
        };
        let kind = kind_of(self, a).max(kind_of(self, b)).expect("one operand is complex");
        let ty = self.intern(Type::Complex(kind));
        let (a, b) = (self.parts(a, kind, span)?, self.parts(b, kind, span)?);
        let mut compute = |op: BinaryOp, x: Value, y: Value| {
            let value = self.apply(op, x, y, span)?;
            Ok(Value { expr: self.spill(value.ty, value.expr), ..value })
        };
        let (real, imaginary) = match (op, a.imaginary, b.imaginary) {
            (BinaryOp::Add | BinaryOp::Sub, Some(x), Some(y)) => (compute(op, a.real, b.real)?, compute(op, x, y)?),
            (BinaryOp::Add | BinaryOp::Sub, Some(x), None) => (compute(op, a.real, b.real)?, x),
            (BinaryOp::Add, None, Some(y)) => (compute(op, a.real, b.real)?, y),
            (BinaryOp::Sub, None, Some(y)) => {
                let real = compute(op, a.real, b.real)?;
                (real, self.unary_number(UnaryOp::Minus, y, span)?)
            }
            (BinaryOp::Mul | BinaryOp::Div, Some(x), None) => (compute(op, a.real, b.real)?, compute(op, x, b.real)?),
            (BinaryOp::Mul, None, Some(y)) => (compute(op, a.real, b.real)?, compute(op, a.real, y)?),
            (BinaryOp::Mul, Some(x), Some(y)) => {
                let (ac, bd) = (compute(op, a.real, b.real)?, compute(op, x, y)?);
                let (ad, bc) = (compute(op, a.real, y)?, compute(op, x, b.real)?);
                let (real, imaginary) = (compute(BinaryOp::Sub, ac, bd)?, compute(BinaryOp::Add, ad, bc)?);
                self.recovered(kind, [real, imaginary], [a.real, x, b.real, y])
            }
            (BinaryOp::Div, x, Some(y)) if kind != FloatKind::F128 => {
                self.rounds();
                let part = self.intern(Type::Float(kind));
                let zero = Value { ty: part, expr: self.program.exprs.bits(Scalar::Float(kind), 0) };
                let [real, imaginary] = self.by_library("__model_divide", kind, [a.real, x.unwrap_or(zero), b.real, y]);
                (real, imaginary)
            }
            (BinaryOp::Eq | BinaryOp::Ne, _, _) => return Ok(self.complex_equal(op, kind, a, b)),
            _ => return Ok(self.unsupported_value("complex arithmetic", ty)),
        };
        Ok(self.new_complex(kind, real.expr, imaginary.expr))
    }

    /// The library recovers infinities from products of which both parts are not a number.
    fn recovered(&mut self, kind: FloatKind, product: [Value; 2], parts: [Value; 4]) -> (Value, Value) {
        let [real, imaginary] = product;
        let fine = product.map(|part| self.binary(BinOp::Eq, part.expr, part.expr));
        let fine = self.binary(BinOp::Or, fine[0], fine[1]);
        let scalar = Scalar::Float(kind);
        let results = product.map(|part| self.temporary(part.ty, scalar));
        let (yes, no) = self.fork(fine);
        self.body.at = no;
        if kind == FloatKind::F128 {
            self.unsupported("complex product that is not a number");
        } else {
            let again = self.by_library("__model_multiply", kind, parts);
            self.emit(Op::Assign(results[0], again[0].expr));
            self.emit(Op::Assign(results[1], again[1].expr));
        }
        let again = self.body.at;
        self.body.at = yes;
        self.emit(Op::Assign(results[0], real.expr));
        self.emit(Op::Assign(results[1], imaginary.expr));
        let plain = self.body.at;
        self.join(again, plain);
        self.body.at = plain;
        (Value { expr: self.var(results[0]), ..real }, Value { expr: self.var(results[1]), ..imaginary })
    }

    /// Both parts of what a model makes of two complex numbers.
    fn by_library(&mut self, name: &str, kind: FloatKind, parts: [Value; 4]) -> [Value; 2] {
        let suffix = match kind {
            FloatKind::F16 => unreachable!("no complex number has such parts"),
            FloatKind::F32 => "f",
            FloatKind::F64 => "",
            FloatKind::X87 | FloatKind::F128 => "l",
        };
        let (ty, void) = (self.intern(Type::Float(kind)), self.basic.void);
        let size = self.program.types.size(ty).expect("floats have a size");
        let to = [0, 1].map(|_| {
            let object = self.temporary_object(ty, size);
            self.addr(object)
        });
        let args: Vec<ExprId> = parts.iter().map(|part| part.expr).chain(to).collect();
        self.call_model(&format!("{name}{suffix}"), &args, void);
        to.map(|at| {
            let value = self.read(Lvalue::memory(ty, at));
            Value { expr: self.spill(ty, value.expr), ..value }
        })
    }

    fn complex_equal(&mut self, op: BinaryOp, kind: FloatKind, a: Parts, b: Parts) -> Value {
        let ty = self.intern(Type::Float(kind));
        let zero = Value { ty, expr: self.program.exprs.bits(Scalar::Float(kind), 0) };
        let real = self.binary(BinOp::Eq, a.real.expr, b.real.expr);
        let (x, y) = (a.imaginary.unwrap_or(zero), b.imaginary.unwrap_or(zero));
        let imaginary = self.binary(BinOp::Eq, x.expr, y.expr);
        let both = self.binary(BinOp::And, real, imaginary);
        let truth = if op == BinaryOp::Ne { self.not(both) } else { both };
        self.truth_value(truth)
    }

    /// `conj`, `creal`, `cimag` and their like.
    pub fn complex_function(
        &mut self,
        op: UnaryOp,
        kind: FloatKind,
        args: List<ast::ExprId>,
        span: Span,
    ) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let [value] = values[..] else { return self.error(span, "expected one argument") };
        let ty = self.intern(Type::Complex(kind));
        let value = self.convert(value, ty, span)?;
        if op == UnaryOp::BitNot {
            return self.complex_unary(op, value, span);
        }
        let place = self.complex_part(Lvalue::memory(value.ty, value.expr), op, span)?;
        Ok(self.read(place))
    }

    /// `__builtin_classify_type`: a number that gcc has for each kind of type, after decay.
    pub fn classify_type(&mut self, expr: ast::ExprId) -> Lowers<Value> {
        let ty = self.unevaluated(|l| l.rvalue(expr))?.ty;
        let class = match *self.ty(self.program.types.unqualified(ty)) {
            _ if self.vector(ty).is_some() => -1,
            Type::Bool | Type::Int(_) | Type::Enum(_) | Type::Bits { .. } => 1,
            Type::Pointer(_) | Type::Function { .. } => 5,
            Type::Array(..) | Type::OpenArray(_) | Type::VariableArray(..) => 5,
            Type::Float(_) => 8,
            Type::Complex(_) => 9,
            Type::Record(record) => 12 + i128::from(self.program.types.records[record].is_union),
            Type::Void => 0,
            Type::Const(_) => return self.error(self.ast[expr].span, "expected an unqualified type"),
        };
        Ok(self.int_value(class))
    }

    /// `-z`, `~z` (the conjugate), `+z`
    pub fn complex_unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Lowers<Value> {
        let kind = self.complex_kind(value.ty).expect("a complex number");
        let Parts { real, imaginary } = self.parts(value, kind, span)?;
        let imaginary = imaginary.expect("it has two parts");
        let minus = |l: &mut Self, part: Value| l.unary_number(UnaryOp::Minus, part, span);
        let (real, imaginary) = match op {
            UnaryOp::Minus => (minus(self, real)?, minus(self, imaginary)?),
            UnaryOp::BitNot => (real, minus(self, imaginary)?),
            _ => (real, imaginary),
        };
        Ok(self.new_complex(kind, real.expr, imaginary.expr))
    }
}

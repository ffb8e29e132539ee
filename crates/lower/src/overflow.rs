//! `__builtin_add_overflow` and its relatives: arithmetic as if on unbounded integers that says whether the result fits.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::lvalue::Location;
use base::Span;
use cfa::types::{IntKind, Type, TypeId};
use cfa::{BinOp, ExprId, Op, Scalar};
use syntax::ast::{self, List};

/// The exact result, in twice the width.
struct Exact {
    value: ExprId,
    wide: Scalar,
}

impl Lowering<'_> {
    /// Stores the result in the type of the third argument's target, or in the type that the name says, to which the
    /// arguments are converted then.
    pub fn overflow(&mut self, op: BinOp, kind: Option<IntKind>, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let span = self.here;
        let [mut a, mut b, to] = values[..] else {
            return self.error(span, format!("expected 3 arguments, found {}", values.len()));
        };
        let Some(target) = self.pointee(to.ty).map(|ty| self.program.types.unqualified(ty)) else {
            return self.error(span, "expected a pointer to the result");
        };
        let ty = match kind {
            Some(kind) => {
                let ty = self.intern(Type::Int(kind));
                (a, b) = (self.convert(a, ty, span)?, self.convert(b, ty, span)?);
                ty
            }
            None => target,
        };
        let Some(result) = self.scalar(ty).filter(|ty| ty.is_int()) else {
            return self.error(span, "expected integers");
        };
        let Some(exact) = self.exact(op, a, b, result.bits(self.program.model), ty, span)? else {
            let bool = self.basic.bool;
            return Ok(self.unsupported_value("overflow check of 128-bit integers", bool));
        };
        let stored = self.cast(exact.value, result);
        self.emit(Op::Store { to: to.expr, value: stored });
        if want == Want::Nothing {
            return Ok(self.int_value(0));
        }
        let again = self.cast(stored, exact.wide);
        let mut fits = self.binary(BinOp::Eq, again, exact.value);
        if !exact.wide.is_signed() && result.is_signed() {
            // An unsigned product is not a negative result.
            let zero = self.number(result, 0);
            let negative = self.binary(BinOp::Lt, stored, zero);
            let positive = self.not(negative);
            fits = self.binary(BinOp::And, fits, positive);
        }
        Ok(self.overflowed(fits))
    }

    /// `__builtin_add_overflow_p(a, b, c)`: the type of `c` counts, which may be a bit-field.
    pub fn overflows(&mut self, op: BinOp, args: List<ast::ExprId>, span: Span) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let ast = self.ast;
        let ([a, b, _], &[_, _, like]) = (&values[..], &ast[args]) else {
            return self.error(span, format!("expected 3 arguments, found {}", values.len()));
        };
        let (a, b) = (*a, *b);
        let (bits, signed) = self.unevaluated(|l| l.width_and_sign(like))?;
        let Some(exact) = self.exact(op, a, b, bits, self.basic.llong, span)? else {
            let bool = self.basic.bool;
            return Ok(self.unsupported_value("overflow check of 128-bit integers", bool));
        };
        let (least, most) = match signed {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        let most = self.number(exact.wide, most);
        let mut fits = self.binary(BinOp::Le, exact.value, most);
        if exact.wide.is_signed() {
            let least = self.number(exact.wide, least);
            let enough = self.binary(BinOp::Le, least, exact.value);
            fits = self.binary(BinOp::And, enough, fits);
        }
        Ok(self.overflowed(fits))
    }

    fn overflowed(&mut self, fits: ExprId) -> Value {
        let overflowed = self.not(fits);
        Value { ty: self.basic.bool, expr: self.cast(overflowed, Scalar::BYTE) }
    }

    /// Width and signedness of an integer without promotion.
    fn width_and_sign(&mut self, expr: ast::ExprId) -> Lowers<(u32, bool)> {
        let ty = self.undecayed_type(expr)?;
        let is_place = matches!(self.ast[expr].kind, ast::ExprKind::Member { .. });
        let Some(scalar) = self.scalar(ty).filter(|scalar| scalar.is_int()) else {
            return self.error(self.ast[expr].span, "expected an integer");
        };
        if is_place && let Location::Bits(field) = self.place(expr)?.location {
            return Ok((field.width, scalar.is_signed()));
        }
        Ok((scalar.bits(self.program.model), scalar.is_signed()))
    }

    /// The exact result; `None` if no type is wide enough for it.
    fn exact(&mut self, op: BinOp, a: Value, b: Value, bits: u32, ty: TypeId, span: Span) -> Lowers<Option<Exact>> {
        let (a, b) = (self.as_number(a), self.as_number(b));
        let (sa, sb) = (self.scalar_of(a.expr), self.scalar_of(b.expr));
        if !sa.is_int() || !sb.is_int() {
            return self.error(span, "expected integers");
        }
        let model = self.program.model;
        let widest = sa.bits(model).max(sb.bits(model)).max(bits);
        if widest > 64 {
            return Ok(None);
        }
        // Twice the width and a sign hold every sum, difference and product, except of two unsigned factors.
        let signed = sa.is_signed() || sb.is_signed() || op != BinOp::Mul;
        let widest = [8, 16, 32, 64].into_iter().find(|&bits| bits >= widest).expect("at most 64 bits");
        let wide = Scalar::int(2 * widest, signed);
        let (x, y) = (self.cast(a.expr, wide), self.cast(b.expr, wide));
        let value = self.binary(op, x, y);
        Ok(Some(Exact { value: self.spill(ty, value), wide }))
    }
}

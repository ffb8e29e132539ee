//! Constant expressions: lowered like all others; they are constant if nothing but a constant is left.

use crate::context::{Lowering, Lowers, Value};
use cfa::types::TypeId;
use cfa::{BinOp, Expr, ExprId, Scalar};
use syntax::ast;

impl Lowering<'_> {
    /// The value of an integer constant expression and its type.
    pub fn constant_int(&mut self, expr: ast::ExprId) -> Lowers<(i128, TypeId)> {
        let value = self.unevaluated(|l| l.rvalue(expr))?;
        match self.int_constant(value) {
            Some(constant) => Ok((constant, value.ty)),
            None => self.error(self.ast[expr].span, "expected an integer constant"),
        }
    }

    /// The integer that a value is, if it is constant.
    pub fn int_constant(&self, value: Value) -> Option<i128> {
        if !self.is_integer(value.ty) {
            return None;
        }
        let bits = self.constant(value.expr)?;
        Some(match self.scalar_of(value.expr) {
            Scalar::Int { bits: width, signed: true } => semantics::scalar::sign_extend(bits, u32::from(width)) as i128,
            _ => i128::try_from(bits).unwrap_or(i128::MAX),
        })
    }

    /// Whether a linker could compute it: a constant, an address plus a constant, or such a one cast.
    pub fn is_static(&self, value: ExprId) -> bool {
        match self.program.exprs.node(value) {
            Expr::Const { .. } | Expr::Function(_) => true,
            Expr::Addr(var) => self.program.vars[var].function.is_none(),
            Expr::Cast(inner) => self.is_static(inner),
            Expr::Binary(BinOp::PtrAdd | BinOp::Add | BinOp::Sub, a, b) => {
                self.constant(b).is_some() && self.is_static(a) || self.constant(a).is_some() && self.is_static(b)
            }
            Expr::Binary(..) | Expr::Var(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Ite(..) | Expr::Living(_) => {
                false
            }
        }
    }

    /// Whether the value is known to be zero or null without being evaluated.
    pub fn is_zero(&self, value: ExprId) -> bool {
        self.constant(value) == Some(0)
    }
}

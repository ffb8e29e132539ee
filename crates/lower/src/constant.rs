//! Constant expressions: lowered like all others; they are constant if nothing but a constant is left.

use crate::context::{Lowering, Lowers, Value};
use cfa::types::TypeId;
use cfa::{BinOp, Expr, ExprId, Scalar, VarId};
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

    /// Object and offset of an address that is known but for where the object lies.
    pub fn fixed_place(&self, pointer: ExprId) -> Option<(VarId, i128)> {
        match self.program.exprs.node(pointer) {
            Expr::Addr(var) => Some((var, 0)),
            Expr::Binary(BinOp::PtrAdd, start, offset) => {
                let (var, before) = self.fixed_place(start)?;
                let bits = self.scalar_of(offset).bits(self.program.model);
                let offset = semantics::scalar::sign_extend(self.constant(offset)?, bits) as i128;
                Some((var, before + offset))
            }
            _ => None,
        }
    }

    /// Whether the value is known to be zero or null without being evaluated.
    pub fn is_zero(&self, value: ExprId) -> bool {
        self.constant(value) == Some(0)
    }
}

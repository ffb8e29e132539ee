//! `__builtin_object_size` as gcc computes it without optimisation: of a named object with a constant offset; all others
//! are unknown.

use crate::context::{Lowering, Lowers, Value};
use cfa::{BinOp, Expr, ExprId, Storage};
use syntax::ast::{self, ExprKind, UnaryOp};

impl Lowering<'_> {
    pub fn object_size(&mut self, pointer: ast::ExprId, kind: i128) -> Lowers<Value> {
        let unknown = if kind & 2 == 0 { u64::MAX } else { 0 };
        let mut known = None;
        if self.is_plain(pointer) {
            let value = self.unevaluated(|l| l.rvalue(pointer))?;
            known = self.rest_of_object(value.expr);
            if known.is_some() && kind & 1 != 0 {
                match self.part_size(pointer)? {
                    Some(part) => known = known.map(|rest| rest.min(part)),
                    None => {
                        let size = self.basic.size;
                        return Ok(self.unsupported_value("size of a part of an object", size));
                    }
                }
            }
        }
        Ok(Value { ty: self.basic.size, expr: self.size_const(known.unwrap_or(unknown)) })
    }

    /// Whether the expression only names objects, members, elements and constants.
    fn is_plain(&self, expr: ast::ExprId) -> bool {
        match self.ast[expr].kind {
            ExprKind::Name(_) | ExprKind::String(_) | ExprKind::Int { .. } | ExprKind::Char { .. } => true,
            ExprKind::Cast { operand, .. } => self.is_plain(operand),
            ExprKind::Unary { op: UnaryOp::AddressOf | UnaryOp::Deref, operand } => self.is_plain(operand),
            ExprKind::Index { base, index } => self.is_plain(base) && self.is_plain(index),
            ExprKind::Member { base, .. } => self.is_plain(base),
            ExprKind::Binary { left, right, .. } => self.is_plain(left) && self.is_plain(right),
            _ => false,
        }
    }

    /// Bytes from the pointer to the end of the object that it names.
    fn rest_of_object(&self, pointer: ExprId) -> Option<u64> {
        match self.program.exprs.node(pointer) {
            Expr::Addr(var) => match self.program.vars[var].storage {
                Storage::Memory { .. } => self.program.types.size(self.program.vars[var].ty),
                Storage::Register(_) => None,
            },
            Expr::Binary(BinOp::PtrAdd, base, offset) => {
                let offset = u64::try_from(self.program.exprs.integer(offset)?).ok()?;
                // Past the end, nothing is left, as gcc says.
                Some(self.rest_of_object(base)?.saturating_sub(offset))
            }
            _ => None,
        }
    }

    /// Bytes to the end of the innermost array or member that the pointer names.
    fn part_size(&mut self, pointer: ast::ExprId) -> Lowers<Option<u64>> {
        Ok(match self.ast[pointer].kind {
            ExprKind::Cast { operand, .. } => self.part_size(operand)?,
            ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::String(_) => {
                let ty = self.type_of(pointer)?;
                self.program.types.size(ty)
            }
            ExprKind::Unary { op: UnaryOp::AddressOf, operand } => match self.ast[operand].kind {
                ExprKind::Index { base, index } => {
                    let (array, element) = (self.type_of(base)?, self.type_of(operand)?);
                    let index = self.constant_int(index)?.0;
                    let size = |ty| self.program.types.size(ty);
                    match (size(array), size(element), u64::try_from(index)) {
                        (Some(whole), Some(one), Ok(index)) if self.element_type(array).is_some() => {
                            index.checked_mul(one).and_then(|before| whole.checked_sub(before))
                        }
                        _ => None,
                    }
                }
                ExprKind::Name(_) | ExprKind::Member { .. } => {
                    let ty = self.type_of(operand)?;
                    self.program.types.size(ty)
                }
                _ => None,
            },
            _ => None,
        })
    }
}

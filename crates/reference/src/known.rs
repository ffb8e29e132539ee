//! Equations that hold at a loop head, put in place of what they are about: a register that equals a number holds that
//! number, and memory that equals one is written once more. A state in which the equation holds stays as it is, so
//! nothing is added to what is assumed, but what follows from the number is plain while the formula is built.
//!
//! A register that equals an address need not carry the object there: a pointer to the end of one object may equal that
//! to the next. That it does is a claim of its own (`Origins::Carried`), which has to hold of arrivals, too.

use crate::Refusal;
use crate::segment::{Arrival, Encoder};
use crate::state::SymbolicValue;
use base::Span;
use cfa::{BinOp, Expr, ExprId, Exprs};

/// Whether equations of registers with addresses say that the registers carry the objects there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origins {
    Carried,
    Unknown,
}

impl Encoder<'_> {
    /// The arrival, of which the fact holds.
    pub(crate) fn know(
        &mut self,
        arrival: &mut Arrival,
        exprs: &Exprs,
        (fact, origins): (ExprId, Origins),
        span: Span,
    ) -> Result<(), Refusal> {
        self.frames.clone_from(&arrival.frames);
        for (this, that) in equations(exprs, fact) {
            let state = &mut arrival.state;
            let value = self.eval(exprs, state, that, span)?;
            match exprs.node(this) {
                Expr::Var(var) => {
                    let carried = if origins == Origins::Carried { value } else { SymbolicValue::plain(value.bits) };
                    self.assign(state, var, carried, span)?;
                }
                Expr::Load(pointer) if is_fixed(exprs, pointer) => {
                    let pointer = self.eval(exprs, state, pointer, span)?;
                    self.store(state, pointer, value.bits);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the registers that equal addresses carry the objects there.
    pub(crate) fn carries(
        &mut self,
        arrival: &Arrival,
        exprs: &Exprs,
        fact: ExprId,
        span: Span,
    ) -> Result<bool, Refusal> {
        self.frames.clone_from(&arrival.frames);
        for (this, that) in equations(exprs, fact) {
            let Expr::Var(var) = exprs.node(this) else { continue };
            let Some((claimed, _)) = self.eval(exprs, &arrival.state, that, span)?.origin else { continue };
            let carried = self.register(&arrival.state, var, span)?.origin;
            if carried.is_none_or(|(object, _)| object != claimed) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The equations of a conjunction with a number or an address on one side, which comes second. Floats that are equal may
/// have different bits.
fn equations(exprs: &Exprs, fact: ExprId) -> Vec<(ExprId, ExprId)> {
    let (mut found, mut waiting) = (Vec::new(), vec![fact]);
    while let Some(fact) = waiting.pop() {
        match exprs.node(fact) {
            Expr::Binary(BinOp::And, a, b) => waiting.extend([b, a]),
            Expr::Binary(BinOp::Eq, a, b) if !exprs.ty(a).is_float() => {
                found.extend([(a, b), (b, a)].into_iter().filter(|&(_, that)| is_fixed(exprs, that)));
            }
            _ => {}
        }
    }
    found
}

/// Whether an expression is a number, an address, or a sum of them.
fn is_fixed(exprs: &Exprs, expr: ExprId) -> bool {
    match exprs.node(expr) {
        Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => true,
        Expr::Binary(BinOp::PtrAdd, base, offset) => is_fixed(exprs, base) && is_fixed(exprs, offset),
        _ => false,
    }
}

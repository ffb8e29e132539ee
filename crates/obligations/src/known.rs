//! Equations that hold at a loop head, put in place of what they are about: a register that equals a number holds that
//! number, and memory that equals one is written once more. A state in which the equation holds stays as it is, so
//! nothing is added to what is assumed, but what follows from the number is plain while the formula is built.
//!
//! A register that equals an address need not carry the object there: a pointer to the end of one object may equal that
//! to the next. That it does is a claim of its own (`Origins::Carried`), which has to hold of arrivals, too.

use crate::segment::{Arrival, Follower, place};
use cfa::{BinOp, Expr, ExprId, Exprs};
use reference::SymbolicValue;

/// Whether equations of registers with addresses say that the registers carry the objects there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origins {
    Carried,
    Unknown,
}

impl Follower<'_> {
    /// The arrival, of which the fact holds.
    pub fn know(&self, arrival: &mut Arrival, exprs: &Exprs, (fact, origins): (ExprId, Origins)) {
        self.encoder.place.set(place(self.encoder.program, arrival.cut.node));
        let state = &mut arrival.state;
        for (this, that) in equations(exprs, fact) {
            let value = self.encoder.eval(exprs, state, that);
            match exprs.node(this) {
                Expr::Var(var) => {
                    let carried = if origins == Origins::Carried { value } else { SymbolicValue::plain(value.bits) };
                    self.encoder.assign(state, var, carried);
                }
                Expr::Load(pointer) if is_fixed(exprs, pointer) => {
                    let pointer = self.encoder.eval(exprs, state, pointer);
                    self.encoder.store(state, pointer, value.bits);
                }
                _ => {}
            }
        }
    }

    /// Whether the registers that equal addresses carry the objects there.
    pub fn carries(&self, arrival: &Arrival, exprs: &Exprs, fact: ExprId) -> bool {
        let object = |expr| self.encoder.eval(exprs, &arrival.state, expr).origin.map(|(object, _)| object);
        let registers =
            equations(exprs, fact).into_iter().filter(|(this, _)| matches!(exprs.node(*this), Expr::Var(_)));
        registers.into_iter().all(|(this, that)| object(that).is_none_or(|claimed| object(this) == Some(claimed)))
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

//! By how much values change from one iteration to the next.

use base::Id;
use cfa::{BinOp, Expr, ExprId, Exprs, UnOp};
use semantics::scalar::{mask, sign_extend};

/// Expressions with their values in one iteration, and by how much they differ in the next, modulo their width.
pub(super) struct Changing<'e> {
    pub exprs: &'e Exprs,
    pub values: &'e [u128],
    pub changes: &'e [u128],
}

/// A number that grows by the same step each time.
#[derive(Clone, Copy)]
struct Line {
    start: i128,
    step: i128,
}

/// No bound on iterations.
const ALWAYS: u128 = u128::MAX;

impl Changing<'_> {
    /// The change of an expression whose operands' are known, and for how many iterations it is that: this one is the
    /// first of them. Nothing if it is not the same each time, or not known to be.
    pub fn of(&self, id: ExprId) -> Option<(u128, u128)> {
        let exprs = self.exprs;
        let bits = exprs.ty(id).bits(exprs.model());
        let exact = |change: u128| Some((change & mask(bits), ALWAYS));
        if exprs.node(id).operands().all(|operand| self.change(operand) == 0) {
            return Some((0, ALWAYS));
        }
        match exprs.node(id) {
            Expr::Unary(UnOp::Neg | UnOp::BitNot, a) if exprs.ty(a).is_int() => exact(self.change(a).wrapping_neg()),
            Expr::Binary(op, a, b) if exprs.ty(a).is_int() && exprs.ty(b).is_int() => match op {
                BinOp::Add => exact(self.change(a).wrapping_add(self.change(b))),
                BinOp::Sub => exact(self.change(a).wrapping_sub(self.change(b))),
                BinOp::Mul if self.change(a) == 0 => exact(self.value(a).wrapping_mul(self.change(b))),
                BinOp::Mul if self.change(b) == 0 => exact(self.value(b).wrapping_mul(self.change(a))),
                BinOp::Shl if self.change(b) == 0 && self.value(b) < u128::from(bits) => {
                    exact(self.change(a) << self.value(b))
                }
                BinOp::Rem => self.remainder(a, b),
                BinOp::Eq | BinOp::Lt | BinOp::Le => Some((0, self.same_outcome(op, a, b)?)),
                _ => None,
            },
            // Where the condition stays, only one side counts.
            Expr::Ite(c, a, b) if self.change(c) == 0 => {
                Some((self.change(if self.value(c) != 0 { a } else { b }), ALWAYS))
            }
            Expr::Cast(a) if exprs.ty(a).is_int() && exprs.ty(id).is_int() => {
                if bits <= exprs.ty(a).bits(exprs.model()) {
                    return exact(self.change(a));
                }
                let line = self.line(a)?;
                Some((line.step as u128 & mask(bits), self.inside(a, line)))
            }
            _ => None,
        }
    }

    fn value(&self, id: ExprId) -> u128 {
        self.values[id.index()]
    }

    fn change(&self, id: ExprId) -> u128 {
        self.changes[id.index()]
    }
    /// An integer as a number.
    fn line(&self, id: ExprId) -> Option<Line> {
        let ty = self.exprs.ty(id);
        let bits = ty.bits(self.exprs.model());
        if !ty.is_int() || bits > 64 {
            return None;
        }
        let value = if ty.is_signed() { sign_extend(self.value(id), bits) } else { self.value(id) };
        Some(Line { start: value as i128, step: sign_extend(self.change(id), bits) as i128 })
    }

    /// For how many iterations the number is one of the expression's type.
    fn inside(&self, id: ExprId, line: Line) -> u128 {
        let ty = self.exprs.ty(id);
        let all = mask(ty.bits(self.exprs.model())) as i128;
        let (least, most) = if ty.is_signed() { (-(all >> 1) - 1, all >> 1) } else { (0, all) };
        line.minus(least).not_negative().min(line.negated().minus(-most).not_negative())
    }

    fn same_outcome(&self, op: BinOp, a: ExprId, b: ExprId) -> Option<u128> {
        let (left, right) = (self.line(a)?, self.line(b)?);
        let more = Line { start: right.start - left.start, step: right.step - left.step };
        let same = match op {
            BinOp::Lt if more.start > 0 => more.minus(1).not_negative(),
            BinOp::Lt => more.negated().not_negative(),
            BinOp::Le if more.start >= 0 => more.not_negative(),
            BinOp::Le => more.negated().minus(1).not_negative(),
            BinOp::Eq => more.same_zero(),
            _ => return None,
        };
        Some(same.min(self.inside(a, left)).min(self.inside(b, right)))
    }

    /// A remainder stays if the dividend changes by multiples of the divisor and keeps its sign.
    fn remainder(&self, a: ExprId, b: ExprId) -> Option<(u128, u128)> {
        let (line, divisor) = (self.line(a)?, self.line(b)?);
        if divisor.step != 0 || line.step.checked_rem(divisor.start)? != 0 {
            return None;
        }
        let same = if line.start >= 0 { line } else { line.negated() };
        Some((0, same.not_negative().min(self.inside(a, line))))
    }
}

impl Line {
    fn minus(self, number: i128) -> Line {
        Line { start: self.start - number, ..self }
    }

    fn negated(self) -> Line {
        Line { start: -self.start, step: -self.step }
    }

    /// How often it is not negative until it is for the first time.
    fn not_negative(self) -> u128 {
        match self {
            Line { start: ..0, .. } => 0,
            Line { step: 0.., .. } => ALWAYS,
            Line { start, step } => (start / -step + 1) as u128,
        }
    }

    /// How often it is zero, or other than zero, as it is at first.
    fn same_zero(self) -> u128 {
        match self {
            Line { step: 0, .. } => ALWAYS,
            Line { start: 0, .. } => 1,
            Line { start, step } if start % step == 0 && -start / step > 0 => (-start / step) as u128,
            Line { .. } => ALWAYS,
        }
    }
}

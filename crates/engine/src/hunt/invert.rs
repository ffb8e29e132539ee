//! Which choices would have given another value: expressions are inverted step by step, from what is wanted to the
//! variables and loads below, and on through the steps that computed those. Nothing is promised; a run shows whether a
//! guess was right.

use super::shadow::{Apply, Def, DefId};
use base::IdVec;
use cfa::{BinOp, Expr, ExprId, Program, Scalar, UnOp};
use semantics::scalar;

/// Choices to change, with their new values.
pub type Change = Vec<(DefId, u128)>;

/// Wanted values, or changes, that are looked at for one expression.
const MOST: usize = 12;
/// Longer chains of computations are not followed.
const DEEPEST: u32 = 60;

/// What changes are looked for in.
pub struct Inverse<'s> {
    /// The program.
    pub program: &'s Program,
    /// How values were computed.
    pub defs: &'s IdVec<DefId, Def>,
    /// A pointer from outside that no run has used.
    pub fresh: u128,
}

impl Inverse<'_> {
    /// Changes after which the expression may have one of the wanted values.
    pub fn changes(&self, apply: &Apply, wanted: &[u128]) -> Vec<Change> {
        self.expr(apply.expr, apply, wanted, DEEPEST)
    }

    fn def(&self, def: DefId, wanted: &[u128], depth: u32) -> Vec<Change> {
        match &self.defs[def] {
            Def::Havoc(_) | Def::Bytes(_) | Def::Undefined(_) => {
                wanted.iter().map(|&value| vec![(def, value)]).collect()
            }
            Def::Apply(apply) if depth > 0 => self.expr(apply.expr, apply, wanted, depth - 1),
            Def::Apply(_) => Vec::new(),
        }
    }

    fn expr(&self, expr: ExprId, apply: &Apply, wanted: &[u128], depth: u32) -> Vec<Change> {
        if wanted.is_empty() || depth == 0 {
            return Vec::new();
        }
        if let Some((_, def)) = apply.inputs.iter().find(|(input, _)| *input == expr) {
            return self.def(*def, wanted, depth);
        }
        let exprs = &self.program.exprs;
        let (ty, depth) = (exprs.ty(expr), depth - 1);
        let through = |inner: ExprId, map: &dyn Fn(u128) -> u128| {
            let mask = scalar::mask(self.bits(inner));
            let values: Vec<u128> = wanted.iter().map(|&value| map(value) & mask).collect();
            self.expr(inner, apply, &values, depth)
        };
        let mut found = match exprs.node(expr) {
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => Vec::new(),
            Expr::Unary(UnOp::Not, inner) => through(inner, &|value| value ^ 1),
            Expr::Unary(UnOp::Neg, inner) if ty.is_int() => through(inner, &u128::wrapping_neg),
            Expr::Unary(UnOp::BitNot, inner) => through(inner, &|value| !value),
            Expr::Unary(..) | Expr::Living(_) => Vec::new(),
            Expr::Cast(inner) if ty.is_float() || exprs.ty(inner).is_float() => Vec::new(),
            Expr::Cast(inner) if exprs.ty(inner) == Scalar::Bool => through(inner, &|value| u128::from(value != 0)),
            Expr::Cast(inner) => through(inner, &|value| value),
            Expr::Ite(condition, yes, no) => {
                let mut found = self.expr(yes, apply, wanted, depth);
                found.extend(self.expr(no, apply, wanted, depth));
                for (side, truth) in [(yes, 1), (no, 0)] {
                    if self.value(side, apply).is_some_and(|value| wanted.contains(&value)) {
                        found.extend(self.expr(condition, apply, &[truth], depth));
                    }
                }
                found
            }
            Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b) if ty == Scalar::Bool => {
                self.logical(op, [a, b], apply, wanted, depth)
            }
            Expr::Binary(op, a, b) if op.is_comparison() => self.comparison(op, [a, b], apply, wanted, depth),
            Expr::Binary(op, a, b) => self.arithmetic(op, [a, b], apply, wanted, depth),
        };
        found.truncate(MOST);
        found
    }

    fn bits(&self, expr: ExprId) -> u32 {
        self.program.exprs.ty(expr).bits(self.program.model)
    }

    fn logical(&self, op: BinOp, [a, b]: [ExprId; 2], apply: &Apply, wanted: &[u128], depth: u32) -> Vec<Change> {
        let mut found = Vec::new();
        for &truth in wanted {
            let (left, right) = (self.expr(a, apply, &[truth], depth), self.expr(b, apply, &[truth], depth));
            // Both sides have to be so, or one of them decides.
            if (op == BinOp::And) == (truth == 1) {
                for (x, y) in left.iter().take(2).zip(right.iter().take(2)) {
                    found.push(x.iter().chain(y).copied().collect());
                }
            }
            found.extend(left.into_iter().chain(right));
        }
        found
    }

    /// Tries the values at which comparisons change.
    fn comparison(&self, op: BinOp, sides: [ExprId; 2], apply: &Apply, wanted: &[u128], depth: u32) -> Vec<Change> {
        let ty = self.program.exprs.ty(sides[0]);
        if ty.is_float() {
            return Vec::new();
        }
        let (bits, mut found) = (self.bits(sides[0]), Vec::new());
        for side in 0..2 {
            let Some(other) = self.value(sides[1 - side], apply) else { continue };
            let mut plain = vec![0, 1, other, other.wrapping_add(1), other.wrapping_sub(1), u128::MAX, 1 << (bits - 1)];
            // Where narrower numbers end.
            plain.extend([31, 32, 15, 16, 7, 8].into_iter().filter(|end| *end < bits).map(|end| 1 << end));
            let outside = vec![0, self.fresh, other];
            let pool = if ty == Scalar::Ptr { outside } else { plain };
            let mut fitting: Vec<u128> = Vec::new();
            for value in pool.iter().map(|value| value & scalar::mask(bits)) {
                let (x, y) = if side == 0 { (value, other) } else { (other, value) };
                let truth = scalar::binary(self.program.model, op, ty, ty, x, y);
                if truth.is_some_and(|truth| wanted.contains(&truth)) && !fitting.contains(&value) {
                    fitting.push(value);
                }
            }
            found.extend(self.expr(sides[side], apply, &fitting, depth));
        }
        found
    }

    fn arithmetic(&self, op: BinOp, [a, b]: [ExprId; 2], apply: &Apply, wanted: &[u128], depth: u32) -> Vec<Change> {
        if self.program.exprs.ty(a).is_float() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (side, other, first) in [(a, b, true), (b, a, false)] {
            let mask = scalar::mask(self.bits(side));
            if matches!(op, BinOp::Add | BinOp::Or | BinOp::Xor)
                && let Some(unit) = self.unit(side).filter(|unit| *unit > 1)
            {
                for value in wanted.iter().map(|value| value & mask) {
                    let upper = self.expr(side, apply, &[value - value % unit], depth);
                    let lower = self.expr(other, apply, &[value % unit], depth);
                    for (upper, lower) in upper.iter().take(2).zip(&lower) {
                        found.push(upper.iter().chain(lower).copied().collect());
                    }
                }
                // The upper part alone would be looked at twice, and its own upper part four times.
                if !found.is_empty() {
                    continue;
                }
            }
            let Some(known) = self.value(other, apply) else { continue };
            let inverse = |value: u128| match op {
                BinOp::Add | BinOp::PtrAdd => Some(value.wrapping_sub(known)),
                BinOp::Sub if first => Some(value.wrapping_add(known)),
                BinOp::Sub => Some(known.wrapping_sub(value)),
                BinOp::Xor => Some(value ^ known),
                BinOp::And => Some(value & known),
                BinOp::Or => Some(value & !known),
                BinOp::Mul => value.checked_div(known),
                BinOp::Div if first => Some(value.wrapping_mul(known)),
                BinOp::Rem if first => Some(value),
                BinOp::Shl if first => value.checked_shr(known as u32),
                BinOp::Shr if first => value.checked_shl(known as u32),
                BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::Eq | BinOp::Lt | BinOp::Le => None,
            };
            let mut values: Vec<u128> = wanted.iter().filter_map(|&value| Some(inverse(value)? & mask)).collect();
            values.dedup();
            found.extend(self.expr(side, apply, &values, depth));
        }
        found
    }

    /// What an expression is a multiple of: `10 * value + digit` and `high << 8 | low` are numbers with two parts.
    fn unit(&self, expr: ExprId) -> Option<u128> {
        let exprs = &self.program.exprs;
        match exprs.node(expr) {
            Expr::Cast(inner) if exprs.ty(expr).is_int() && exprs.ty(inner).is_int() => self.unit(inner),
            Expr::Binary(BinOp::Mul, a, b) => exprs.constant(b).or_else(|| exprs.constant(a)),
            Expr::Binary(BinOp::Shl, _, by) => 1_u128.checked_shl(u32::try_from(exprs.constant(by)?).ok()?),
            _ => None,
        }
    }

    /// The value in the run, where it can be told.
    fn value(&self, expr: ExprId, apply: &Apply) -> Option<u128> {
        let (exprs, model) = (&self.program.exprs, self.program.model);
        match exprs.node(expr) {
            Expr::Const { .. } => exprs.constant(expr),
            Expr::Var(_) => apply.known.iter().find(|(known, _)| *known == expr).map(|(_, value)| *value),
            Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Ite(..) | Expr::Living(_) => None,
            Expr::Unary(op, a) => scalar::unary(model, op, exprs.ty(a), self.value(a, apply)?),
            Expr::Cast(a) => scalar::cast(model, exprs.ty(a), exprs.ty(expr), self.value(a, apply)?),
            Expr::Binary(op, a, b) => {
                scalar::binary(model, op, exprs.ty(a), exprs.ty(b), self.value(a, apply)?, self.value(b, apply)?)
            }
        }
    }
}

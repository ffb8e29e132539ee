//! Integer expressions as constants plus multiples of a constant, which is what array indexing makes of them.

use crate::expr::{BinOp, Expr, ExprId, UnOp};
use crate::points_to::place::{Offset, gcd};
use crate::program::Program;

/// Deeper sums are any offset.
const MAX_DEPTH: u32 = 40;

/// All values that an integer can have, as far as its form tells.
pub fn offset(program: &Program, id: ExprId) -> Offset {
    form(program, id, MAX_DEPTH)
}

fn form(program: &Program, id: ExprId, depth: u32) -> Offset {
    let exprs = &program.exprs;
    let width = exprs.ty(id).bits(program.model);
    if let Some(bits) = exprs.constant(id) {
        let value = (bits << (128 - width)) as i128 >> (128 - width);
        return i64::try_from(value).map_or(Offset::ANY, Offset::exact);
    }
    if depth == 0 {
        return Offset::ANY;
    }
    let inner = |id| form(program, id, depth - 1);
    match exprs.node(id) {
        Expr::Unary(UnOp::Neg, a) => inner(a).negated(),
        Expr::Binary(BinOp::Add, a, b) => inner(a).plus(inner(b)),
        Expr::Binary(BinOp::Sub, a, b) => inner(a).plus(inner(b).negated()),
        Expr::Binary(BinOp::Mul, a, b) => match (inner(a), inner(b)) {
            (by, Offset { start, stride: 0 }) | (Offset { start, stride: 0 }, by) => scaled(by, start),
            (a, b) => divisor(a).checked_mul(divisor(b)).map_or(Offset::ANY, multiple_of),
        },
        Expr::Binary(BinOp::Shl, a, b) => match exprs.constant(b) {
            Some(bits) if bits < 31 => scaled(inner(a), 1 << bits),
            _ => Offset::ANY,
        },
        Expr::Binary(BinOp::And, a, mask) => match (exprs.constant(mask), inner(a)) {
            (Some(mask), _) if mask != 0 => multiple_of(1 << mask.trailing_zeros().min(20)),
            _ => Offset::ANY,
        },
        Expr::Cast(a) if exprs.ty(a).is_int() => converted(program, a, inner(a), width),
        Expr::Ite(_, a, b) => joined(inner(a), inner(b)),
        _ => Offset::ANY,
    }
}

/// A number that divides all offsets.
fn divisor(by: Offset) -> u32 {
    gcd(by.stride, u32::try_from(by.start.unsigned_abs()).unwrap_or(1))
}

fn multiple_of(stride: u32) -> Offset {
    Offset { start: 0, stride }
}

/// match: `by * factor`; result: both parts multiplied, or any offset where that is too large to tell.
fn scaled(by: Offset, factor: i64) -> Offset {
    let stride = u64::from(by.stride).saturating_mul(factor.unsigned_abs());
    match (by.start.checked_mul(factor), u32::try_from(stride)) {
        (Some(start), Ok(stride)) if factor != 0 => {
            Offset { start: if stride == 0 { start } else { start.rem_euclid(i64::from(stride)) }, stride }
        }
        _ if factor == 0 => Offset::exact(0),
        _ => Offset::ANY,
    }
}

/// A narrower integer may have wrapped around: only powers of two still divide it.
fn converted(program: &Program, from: ExprId, by: Offset, width: u32) -> Offset {
    let narrow = program.exprs.ty(from).bits(program.model).min(width);
    if by.stride != 0 {
        let power = 1u32 << by.stride.trailing_zeros();
        return Offset { start: by.start.rem_euclid(i64::from(power)), stride: power };
    }
    // A sum of constants is not folded here; it is exact only if it cannot have wrapped.
    let fits = narrow > 64 || (by.start >= 0 && (by.start as u64) < 1 << (narrow - 1).min(63));
    if fits { by } else { Offset::ANY }
}

fn joined(a: Offset, b: Offset) -> Offset {
    if a == b {
        return a;
    }
    let distance = u32::try_from(a.start.abs_diff(b.start)).unwrap_or(1);
    let stride = gcd(gcd(a.stride, b.stride), distance).max(1);
    Offset { start: a.start.rem_euclid(i64::from(stride)), stride }
}

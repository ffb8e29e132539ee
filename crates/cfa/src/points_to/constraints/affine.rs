//! Integer expressions as constants plus multiples of a constant, which is what array indexing makes of them.
//!
//! Where a result does not fit into its type it wrapped around: by multiples of a power of two, and of a stride only
//! what divides that power too is left. Numbers as wide as a pointer are taken as signed, whatever their type says:
//! addresses are computed with them, where that makes no difference. Signed arithmetic of that width never wraps:
//! a pointer that was computed so points out of every object.

use crate::expr::{BinOp, Expr, ExprId, UnOp};
use crate::points_to::place::{Offset, gcd};
use crate::program::Program;
use crate::scalar::Scalar;

/// Deeper sums are any offset.
const MAX_DEPTH: u32 = 40;

/// All values that an integer can have, as far as its form tells.
pub fn offset(program: &Program, id: ExprId) -> Offset {
    form(program, id, MAX_DEPTH).offset
}

/// What is known of a number: its form and its range.
#[derive(Clone, Copy)]
struct Form {
    offset: Offset,
    least: i128,
    most: i128,
}

/// The least and the most number of a type.
fn range(program: &Program, ty: Scalar) -> (i128, i128) {
    let bits = ty.bits(program.model).min(120);
    if ty.is_signed() || bits == program.model.pointer_bits() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

impl Form {
    /// Any number of a type.
    fn any(program: &Program, ty: Scalar) -> Form {
        let (least, most) = range(program, ty);
        Form { offset: Offset::ANY, least, most }
    }

    /// The number as one of a type, in which it may not fit.
    fn wrapped(self, program: &Program, ty: Scalar) -> Form {
        let (least, most) = range(program, ty);
        if least <= self.least && self.most <= most {
            return self;
        }
        Form { offset: self.modulo(ty.bits(program.model)), least, most }
    }

    /// What is left of the form where only the low bits are. An exact number is as good as one with a large stride.
    fn modulo(self, bits: u32) -> Offset {
        let stride = 1u32 << self.offset.stride.trailing_zeros().min(bits).min(20);
        Offset { start: self.offset.start.rem_euclid(i64::from(stride)), stride }
    }

    /// The number after a conversion.
    fn converted(self, program: &Program, from: Scalar, to: Scalar) -> Form {
        let (old, new) = (from.bits(program.model), to.bits(program.model));
        let extended = old == program.model.pointer_bits() && new > old && !from.is_signed();
        if extended && self.least < 0 {
            let (least, most) = (0, (1 << old.min(120)) - 1);
            return Form { offset: self.modulo(old), least, most }.wrapped(program, to);
        }
        self.wrapped(program, to)
    }
}

fn form(program: &Program, id: ExprId, depth: u32) -> Form {
    let exprs = &program.exprs;
    let ty = exprs.ty(id);
    if let Some(value) = exprs.integer(id) {
        let beyond = 1 << program.model.pointer_bits();
        let negative = ty.bits(program.model) == program.model.pointer_bits() && value >= beyond / 2;
        let value = if negative { value - beyond } else { value };
        let offset = i64::try_from(value).map_or(Offset::ANY, Offset::exact);
        return Form { offset, least: value, most: value };
    }
    let any = Form::any(program, ty);
    if depth == 0 || !ty.is_int() {
        return any;
    }
    let inner = |id| form(program, id, depth - 1);
    let found = match exprs.node(id) {
        Expr::Unary(UnOp::Neg, a) => {
            let a = inner(a);
            Form { offset: a.offset.negated(), least: -a.most, most: -a.least }
        }
        Expr::Binary(BinOp::Add, a, b) => {
            let (a, b) = (inner(a), inner(b));
            Form { offset: a.offset.plus(b.offset), least: a.least + b.least, most: a.most + b.most }
        }
        Expr::Binary(BinOp::Sub, a, b) => {
            let (a, b) = (inner(a), inner(b));
            Form { offset: a.offset.plus(b.offset.negated()), least: a.least - b.most, most: a.most - b.least }
        }
        Expr::Binary(BinOp::Mul, a, b) => product(inner(a), inner(b)),
        Expr::Binary(BinOp::Shl, a, b) => match exprs.constant(b) {
            Some(bits) if bits < 31 => product(inner(a), exact(1 << bits)),
            _ => any,
        },
        Expr::Binary(BinOp::And, a, b) => match exprs.constant(a).or(exprs.constant(b)) {
            Some(mask) if mask != 0 => masked(any, mask),
            _ => any,
        },
        Expr::Cast(a) if exprs.ty(a).is_int() => return inner(a).converted(program, exprs.ty(a), ty),
        Expr::Ite(_, a, b) => {
            let (a, b) = (inner(a), inner(b));
            let offset = joined(a.offset, b.offset);
            return Form { offset, least: a.least.min(b.least), most: a.most.max(b.most) };
        }
        _ => any,
    };
    if ty.is_signed() && ty.bits(program.model) >= program.model.pointer_bits() {
        return Form { offset: found.offset, ..any };
    }
    found.wrapped(program, ty)
}

fn exact(value: i64) -> Form {
    Form { offset: Offset::exact(value), least: value.into(), most: value.into() }
}

/// match: `x & mask`; result: a multiple of the lowest bit of the mask, between 0 and the mask.
fn masked(any: Form, mask: u128) -> Form {
    let offset = multiple_of(1 << mask.trailing_zeros().min(20));
    match i128::try_from(mask) {
        Ok(mask) if mask <= any.most => Form { offset, least: 0, most: mask },
        _ => Form { offset, ..any },
    }
}

fn product(a: Form, b: Form) -> Form {
    let offset = match (a.offset, b.offset) {
        (by, Offset { start, stride: 0 }) | (Offset { start, stride: 0 }, by) => scaled(by, start),
        (a, b) => divisor(a).checked_mul(divisor(b)).map_or(Offset::ANY, multiple_of),
    };
    let corners = [a.least, a.most].map(|x| [b.least, b.most].map(|y| x.saturating_mul(y)));
    let corners = corners.as_flattened();
    let least = corners.iter().copied().min().unwrap_or(i128::MIN);
    Form { offset, least, most: corners.iter().copied().max().unwrap_or(i128::MAX) }
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

fn joined(a: Offset, b: Offset) -> Offset {
    if a == b {
        return a;
    }
    let distance = u32::try_from(a.start.abs_diff(b.start)).unwrap_or(1);
    let stride = gcd(gcd(a.stride, b.stride), distance).max(1);
    Offset { start: a.start.rem_euclid(i64::from(stride)), stride }
}

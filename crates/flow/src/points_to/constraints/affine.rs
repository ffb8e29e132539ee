//! Integer expressions as constants plus multiples of a constant, which is what array indexing makes of them.
//!
//! Where a result does not fit into its type it wrapped around: by multiples of a power of two, and of a stride only
//! what divides that power too is left. Numbers as wide as a pointer are taken as signed, whatever their type says:
//! addresses are computed with them, where that makes no difference. Signed arithmetic of that width never wraps:
//! a pointer that was computed so points out of every object.

use crate::points_to::pointee::{Offset, gcd};
use cfa::{BinOp, Expr, ExprId, Program, Scalar, UnOp};

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

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Interner, SourceMap};
    use cfa::{DataModel, VarId};

    /// `value` as a number of that type.
    fn cut(value: i128, (bits, signed): (u32, bool)) -> i128 {
        let shift = 128 - bits;
        if signed { value << shift >> shift } else { ((value << shift) as u128 >> shift) as i128 }
    }

    /// Whatever `x` is, `(to) (through) (x op factor + more)` has the form that it is said to have.
    fn check(model: DataModel, op: BinOp, numbers: (u32, u64), types: [(u32, bool); 3], xs: &[i128]) {
        let [from, through, to] = types;
        let mut program = Program::new(model, Interner::default(), SourceMap::new());
        let exprs = &mut program.exprs;
        let [ty, middle, last] = types.map(|(bits, signed)| Scalar::int(bits, signed));
        let x = exprs.var(VarId(0), ty);
        let (factor, more) = (exprs.int(ty, numbers.0.into()), exprs.int(ty, numbers.1.into()));
        let product = exprs.binary(op, x, factor);
        let sum = exprs.binary(BinOp::Add, product, more);
        let inner = exprs.cast(sum, middle);
        let outer = exprs.cast(inner, last);
        let offset = offset(&program, outer);
        for &x in xs {
            let (x, by, more) = (cut(x, from), cut(numbers.0.into(), from), cut(numbers.1.into(), from));
            let product = match op {
                BinOp::Mul => x.wrapping_mul(by),
                BinOp::Shl => x << by,
                BinOp::And => x & by,
                _ => unreachable!("not in the table"),
            };
            let sum = cut(cut(product, from) + more, from);
            let value = cut(cut(sum, through), to);
            let distance = value - i128::from(offset.start);
            let fits = if offset.stride == 0 { distance == 0 } else { distance % i128::from(offset.stride) == 0 };
            assert!(fits, "{op:?} {numbers:?} {types:?}, x = {x}: {value} is not of the form {offset:?}");
        }
    }

    #[test]
    fn forms_hold_where_numbers_wrap() {
        let types = [(8, false), (8, true), (16, false), (16, true), (32, false), (32, true)];
        let mut xs: Vec<i128> = (-300..300).collect();
        xs.extend((0..64).flat_map(|bit| [1 << bit, (1 << bit) - 1, -(1 << bit), 0x5555_5555_5555_5556 >> (63 - bit)]));
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            for from in types.into_iter().chain([(64, false)]) {
                // Signed numbers as wide as a pointer are taken not to wrap.
                if from == (model.pointer_bits(), true) {
                    continue;
                }
                for through in types {
                    for more in [0, 4, 260, 0xFFFF_FFFC] {
                        let check = |op, by| check(model, op, (by, more), [from, through, (64, true)], &xs);
                        [1, 3, 12, 1024, 0x10000, 0x0100_0001].into_iter().for_each(|by| check(BinOp::Mul, by));
                        (0..from.0.min(31)).for_each(|by| check(BinOp::Shl, by));
                        [4, 12, 96, 0xFFF0].into_iter().for_each(|by| check(BinOp::And, by));
                    }
                }
            }
        }
    }

    #[test]
    fn indices_keep_their_stride_where_they_do_not_wrap() {
        let mut program = Program::new(DataModel::Lp64, Interner::default(), SourceMap::new());
        let (int, wide) = (Scalar::int(32, true), [Scalar::int(64, true), Scalar::int(64, false)]);
        for wide in wide {
            let index = program.exprs.var(VarId(0), int);
            let index = program.exprs.cast(index, wide);
            let size = program.exprs.int(wide, 12);
            let scaled = program.exprs.binary(BinOp::Mul, index, size);
            assert_eq!(offset(&program, scaled), Offset { start: 0, stride: 12 });
            let back = program.exprs.int(wide, -4);
            let field = program.exprs.binary(BinOp::Add, scaled, back);
            assert_eq!(offset(&program, field), Offset { start: 8, stride: 12 });
        }
    }
}

//! Code for expressions agrees with the evaluator: unary operators, operators on floats, conversions; choices evaluate
//! the side that counts, and depth is no obstacle.

use super::{Options, RunEnd, run};
use crate::choices::{Choices, Replayer};
use crate::scalar;
use crate::testing::Build;
use base::Cancel;
use cfa::{BinOp, DataModel, ExprId, FloatKind, Scalar, UnOp, VarId};

const FLOATS: [Scalar; 4] = [
    Scalar::Float(FloatKind::F16),
    Scalar::Float(FloatKind::F32),
    Scalar::Float(FloatKind::F64),
    Scalar::Float(FloatKind::X87),
];
const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

fn end(build: Build) -> RunEnd {
    let (program, choices) = (build.finish(), Choices::default());
    let options = Options::default();
    run(&program, &mut Replayer::new(&choices), &mut std::io::sink(), &options, &Cancel::never()).outcome
}

/// A register with a value that nothing folds.
fn holding(b: &mut Build, ty: Scalar, bits: u128) -> ExprId {
    let var: VarId = b.register(ty);
    let value = b.program.exprs.bits(ty, bits);
    b.assign(var, value);
    b.get(var)
}

/// Whether an expression has the bits that the evaluator says, or is undefined where it says nothing.
fn agrees(mut b: Build, expr: ExprId, expected: Option<u128>, what: &str) {
    let ty = b.program.exprs.ty(expr);
    let var = b.register(ty);
    b.assign(var, expr);
    let mut value = b.get(var);
    let Some(bits) = expected else {
        return assert!(matches!(end(b), RunEnd::Undefined { .. }), "{what} is undefined");
    };
    let other = match ty {
        Scalar::Float(FloatKind::F16 | FloatKind::F32 | FloatKind::F64) => {
            // Bit by bit, since zeros are equal and NaN are not.
            let (width, cell) = (ty.bits(b.program.model), b.memory(8));
            b.op(cfa::Op::Store { to: cell, value });
            value = b.program.exprs.load(cell, Scalar::int(width, false));
            b.program.exprs.bits(Scalar::int(width, false), bits)
        }
        Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_) | Scalar::Ptr => b.program.exprs.bits(ty, bits),
    };
    let same = b.bin(BinOp::Eq, value, other);
    let different = b.program.exprs.not(same);
    b.target_if(different);
    b.ret(None);
    assert_eq!(end(b), RunEnd::Exit(0), "{what}, not {bits:#x}");
}

/// Types with some of their values.
fn values(model: DataModel) -> Vec<(Scalar, Vec<u128>)> {
    let integers = [8, 16, 32, 64, 128].into_iter().flat_map(|bits| [true, false].map(|s| Scalar::int(bits, s)));
    let mut all: Vec<(Scalar, Vec<u128>)> = integers
        .chain([Scalar::Ptr])
        .map(|ty| {
            let mask = scalar::mask(ty.bits(model));
            (ty, vec![0, 1, 77, mask >> 1, (mask >> 1) + 1, mask - 4, mask])
        })
        .collect();
    all.push((Scalar::Bool, vec![0, 1]));
    for ty in FLOATS {
        let numbers = [0.0, -0.0, 1.0, -1.5, 100.75, -2e9, 1e30];
        let bits = |number: f64| scalar::cast(model, Scalar::Float(FloatKind::F64), ty, u128::from(number.to_bits()));
        all.push((ty, numbers.into_iter().filter_map(bits).collect()));
    }
    all
}

#[test]
fn conversions() {
    for model in MODELS {
        let all = values(model);
        let are_pointers = |from: Scalar, to: Scalar| from == Scalar::Ptr || to == Scalar::Ptr;
        for ((from, bits), (to, _)) in all.iter().flat_map(|from| all.iter().map(move |to| (from, to))) {
            // A truth value is a comparison, not a conversion; addresses are not floats, and other types have one model.
            let is_conversion = match (*from, *to) {
                (from, to) if from == to => true,
                (_, Scalar::Bool) => false,
                (Scalar::Bool | Scalar::Ptr, to) => to.is_int(),
                (from, Scalar::Ptr) => from.is_int(),
                (Scalar::Int { .. } | Scalar::Float(_), Scalar::Int { .. } | Scalar::Float(_)) => true,
            };
            let is_new = model == DataModel::Lp64 || are_pointers(*from, *to);
            for &bits in bits.iter().filter(|_| is_conversion && is_new) {
                let expected = scalar::cast(model, *from, *to, bits);
                let mut b = Build::of(model);
                let value = holding(&mut b, *from, bits);
                let converted = b.program.exprs.cast(value, *to);
                agrees(b, converted, expected, &format!("{model:?}: ({to}) of {from} {bits:#x}"));
            }
        }
    }
}

#[test]
fn unary_operators() {
    for (ty, bits) in values(DataModel::Lp64) {
        let ops: &[UnOp] = match ty {
            Scalar::Bool => &[UnOp::Not],
            Scalar::Int { .. } => &[UnOp::Neg, UnOp::BitNot],
            Scalar::Float(_) => &[UnOp::Neg],
            Scalar::Ptr => &[],
        };
        for (&op, &bits) in ops.iter().flat_map(|op| bits.iter().map(move |bits| (op, bits))) {
            let mut b = Build::new();
            let value = holding(&mut b, ty, bits);
            let result = b.program.exprs.unary(op, value);
            agrees(b, result, scalar::unary(DataModel::Lp64, op, ty, bits), &format!("{op:?} of {ty} {bits:#x}"));
        }
    }
}

#[test]
fn operators_on_floats() {
    let model = DataModel::Lp64;
    let ops = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Eq, BinOp::Lt, BinOp::Le];
    for (ty, bits) in values(model).into_iter().filter(|(ty, _)| ty.is_float()) {
        for (op, &x, &y) in
            ops.into_iter().flat_map(|op| bits.iter().zip(bits.iter().rev()).map(move |(x, y)| (op, x, y)))
        {
            let mut b = Build::new();
            let (vx, vy) = (holding(&mut b, ty, x), holding(&mut b, ty, y));
            let result = b.bin(op, vx, vy);
            agrees(b, result, scalar::binary(model, op, ty, ty, x, y), &format!("{op:?} of {ty} {x:#x} {y:#x}"));
        }
    }
}

/// A division counts only where it is evaluated: `x` decides whether it is, and divides.
#[test]
fn sides_of_choices() {
    let wide = Scalar::int(128, true);
    for (ty, x) in [Scalar::INT, wide].into_iter().flat_map(|ty| [0, 2, 5].map(|x| (ty, x))) {
        let make = |b: &mut Build| {
            let vx = holding(b, ty, x);
            let [zero, ten, five] = [0, 10, 5].map(|n| b.program.exprs.int(ty, n));
            let quotient = b.bin(BinOp::Div, ten, vx);
            let (is_zero, is_five) = (b.bin(BinOp::Eq, vx, zero), b.bin(BinOp::Eq, quotient, five));
            (is_zero, is_five, quotient, vx)
        };
        let mut b = Build::new();
        let (is_zero, is_five, ..) = make(&mut b);
        let nonzero = b.program.exprs.not(is_zero);
        let both = b.bin(BinOp::And, nonzero, is_five);
        agrees(b, both, Some(u128::from(x == 2)), &format!("{x} != 0 && 10 / {x} == 5"));
        let mut b = Build::new();
        let (is_zero, is_five, ..) = make(&mut b);
        let one = b.bin(BinOp::Or, is_zero, is_five);
        agrees(b, one, Some(u128::from(x != 5)), &format!("{x} == 0 || 10 / {x} == 5"));
        let mut b = Build::new();
        let (is_zero, _, quotient, vx) = make(&mut b);
        let choice = b.program.exprs.ite(is_zero, vx, quotient);
        agrees(b, choice, Some(10u128.checked_div(x).unwrap_or(0)), &format!("{x} == 0 ? {x} : 10 / {x}"));
        let mut b = Build::new();
        let (is_zero, _, quotient, vx) = make(&mut b);
        let nonzero = b.program.exprs.not(is_zero);
        let choice = b.program.exprs.ite(nonzero, quotient, vx);
        agrees(b, choice, Some(10u128.checked_div(x).unwrap_or(0)), &format!("{x} != 0 ? 10 / {x} : {x}"));
        // Where both operands count, the second one always does.
        let mut b = Build::new();
        let (_, _, quotient, vx) = make(&mut b);
        let sum = b.bin(BinOp::Add, vx, quotient);
        agrees(b, sum, (x != 0).then(|| x + 10 / x.max(1)), &format!("{x} + 10 / {x}"));
    }
}

/// Code is generated without recursion, whichever operand is deep.
#[test]
fn depth() {
    let deep = 60_000;
    for left in [true, false] {
        let mut b = Build::new();
        b.result(Scalar::INT);
        let x = holding(&mut b, Scalar::INT, 1);
        let sum = (1..deep).fold(x, |sum, _| if left { b.bin(BinOp::Add, sum, x) } else { b.bin(BinOp::Add, x, sum) });
        b.ret(Some(sum));
        assert_eq!(end(b), RunEnd::Exit(deep & 255));
    }
    let mut b = Build::new();
    b.result(Scalar::INT);
    let x = holding(&mut b, Scalar::INT, 5);
    let (zero, one) = (b.int(0), b.int(1));
    let nonzero = b.bin(BinOp::Lt, zero, x);
    let choice = (0..2000).fold(x, |value, _| {
        let quotient = b.bin(BinOp::Div, value, one);
        b.program.exprs.ite(nonzero, quotient, zero)
    });
    b.ret(Some(choice));
    assert_eq!(end(b), RunEnd::Exit(5));
}

/// Only the last byte of what the program returns is its status.
#[test]
fn the_status_is_a_byte() {
    for (returned, status) in [(7, 7), (256 + 5, 5), (-1, 255)] {
        let mut b = Build::new();
        b.result(Scalar::INT);
        let value = b.int(returned);
        b.ret(Some(value));
        assert_eq!(end(b), RunEnd::Exit(status));
    }
}

//! Casts agree with the evaluator, choices evaluate one side, and results go where they belong and nowhere else.

use super::{Options, RunEnd, run};
use crate::choices::{Choices, Replayer};
use crate::scalar;
use crate::testing::Build;
use base::Cancel;
use cfa::{Allocation, BinOp, DataModel, ExprId, FunctionId, Living, Op, Scalar, Storage, UnOp};

/// How a program ends with these inputs.
fn outcome(build: Build, inputs: Vec<u128>) -> RunEnd {
    let choices = Choices { havocs: inputs, ..Choices::default() };
    let (mut replayer, mut out) = (Replayer::new(&choices), std::io::sink());
    run(&build.finish(), &mut replayer, &mut out, &Options::default(), &Cancel::never()).outcome
}

/// Whether what `make` computes of an input of one type is, as bits of another, what is expected.
fn check(from: Scalar, to: Scalar, input: u128, expected: u128, make: impl FnOnce(&mut Build, ExprId) -> ExprId) {
    let mut b = Build::new();
    let (x, y) = (b.register(from), b.register(to));
    b.havoc(x);
    b.havoc(y);
    let (x, y) = (b.get(x), b.get(y));
    let value = make(&mut b, x);
    let same = b.bin(BinOp::Eq, value, y);
    b.target_if(same);
    b.ret(None);
    let end = outcome(b, vec![input, expected]);
    assert_eq!(end, RunEnd::Target(0), "{from} to {to}: {input:#x}, not {expected:#x}");
}

#[test]
fn casts_agree_with_the_evaluator() {
    let ints =
        [8, 16, 24, 32, 64, 128].into_iter().flat_map(|width| [true, false].map(|signed| Scalar::int(width, signed)));
    let types: Vec<Scalar> = ints.collect();
    for (from, to) in types.iter().flat_map(|&from| types.iter().map(move |&to| (from, to))) {
        let mask = scalar::mask(from.bits(DataModel::Lp64));
        for input in [0, 1, 0x7F, 0x80, mask >> 1, (mask >> 1) + 1, mask, 0x1234_5678_9ABC_DEF0 & mask] {
            let expected = scalar::cast(DataModel::Lp64, from, to, input).expect("integers convert");
            check(from, to, input, expected, |b, x| b.program.exprs.cast(x, to));
            let pointer = scalar::cast(DataModel::Lp64, from, Scalar::Ptr, input).expect("integers convert");
            let expected = scalar::cast(DataModel::Lp64, Scalar::Ptr, to, pointer).expect("pointers do, too");
            check(from, to, input, expected, |b, x| {
                let pointer = b.program.exprs.cast(x, Scalar::Ptr);
                b.program.exprs.cast(pointer, to)
            });
        }
    }
    for (ty, op) in types.iter().flat_map(|&ty| [UnOp::Neg, UnOp::BitNot].map(|op| (ty, op))) {
        let mask = scalar::mask(ty.bits(DataModel::Lp64));
        for input in [0, 1, mask >> 1, (mask >> 1) + 1, mask] {
            let expected = scalar::unary(DataModel::Lp64, op, ty, input).expect("integers have one");
            check(ty, ty, input, expected, |b, x| b.program.exprs.unary(op, x));
        }
    }
}

/// A value that is not defined for 0.
fn quotient(b: &mut Build, x: ExprId) -> ExprId {
    let ten = b.int(10);
    b.bin(BinOp::Div, ten, x)
}

fn is_quotient(b: &mut Build, x: ExprId, value: i128) -> ExprId {
    let (quotient, value) = (quotient(b, x), b.int(value));
    b.bin(BinOp::Eq, quotient, value)
}

fn is_zero(b: &mut Build, x: ExprId) -> ExprId {
    let zero = b.int(0);
    b.bin(BinOp::Eq, x, zero)
}

/// The side of a choice that is not taken is not evaluated.
#[test]
fn choices_evaluate_one_side() {
    let int = Scalar::INT;
    for (input, expected) in [(0, 7), (5, 2)] {
        check(int, int, input, expected, |b, x| {
            let (c, seven, other) = (is_zero(b, x), b.int(7), quotient(b, x));
            b.program.exprs.ite(c, seven, other)
        });
        check(int, int, input, expected, |b, x| {
            let (c, seven, other) = (is_zero(b, x), b.int(7), quotient(b, x));
            let c = b.program.exprs.not(c);
            b.program.exprs.ite(c, other, seven)
        });
    }
    for (input, both, either) in [(0, 0, 1), (5, 1, 1), (1, 0, 0)] {
        check(int, int, input, both, |b, x| {
            let (c, other) = (is_zero(b, x), is_quotient(b, x, 2));
            let c = b.program.exprs.not(c);
            let both = b.bin(BinOp::And, c, other);
            b.program.exprs.cast(both, int)
        });
        check(int, int, input, either, |b, x| {
            let (c, other) = (is_zero(b, x), is_quotient(b, x, 2));
            let either = b.bin(BinOp::Or, c, other);
            b.program.exprs.cast(either, int)
        });
    }
    // Bits are not a choice.
    for (op, input, expected) in [(BinOp::Or, 5, 7), (BinOp::And, 3, 3), (BinOp::And, 10, 0), (BinOp::Or, 4, 6)] {
        check(int, int, input, expected, |b, x| {
            let other = quotient(b, x);
            b.bin(op, x, other)
        });
    }
}

/// What is assigned fills one slot, or two if it is wide.
#[test]
fn neighbours_keep_their_values() {
    for (ty, input) in [Scalar::INT, Scalar::int(128, false)].into_iter().flat_map(|ty| [(ty, 0), (ty, 1)]) {
        let mut b = Build::new();
        let (x, y, z) = (b.register(Scalar::INT), b.register(ty), b.register(Scalar::INT));
        b.havoc(x);
        let (six, one, two) = (b.int(6), b.program.exprs.int(ty, 1), b.program.exprs.int(ty, 2));
        b.assign(z, six);
        let vx = b.get(x);
        let c = is_zero(&mut b, vx);
        let value = b.program.exprs.ite(c, one, two);
        b.assign(y, value);
        let (vy, vz) = (b.get(y), b.get(z));
        let expected = b.program.exprs.int(ty, if input == 0 { 1 } else { 2 });
        let (right, kept) = (b.bin(BinOp::Eq, vy, expected), b.bin(BinOp::Eq, vz, six));
        let both = b.bin(BinOp::And, right, kept);
        b.target_if(both);
        b.ret(None);
        assert_eq!(outcome(b, vec![input]), RunEnd::Target(0), "{ty} {input}");
    }
}

/// What a local register held in an earlier frame keeps nothing reachable.
#[test]
fn registers_start_empty() {
    let mut b = Build::new();
    b.op(Op::Call { function: FunctionId(1), args: Box::new([]), result: None });
    b.op(Op::Call { function: FunctionId(2), args: Box::new([]), result: None });
    b.ret(None);
    b.function("allocates");
    let (p, size) = (b.register(Scalar::Ptr), b.size(4));
    b.op(Op::Allocate { result: p, size, how: Allocation::Heap });
    b.ret(None);
    b.function("asks");
    b.register(Scalar::Ptr);
    let tracked = b.program.exprs.living(Living::Tracked);
    let lost = b.program.exprs.not(tracked);
    b.target_if(lost);
    b.ret(None);
    assert_eq!(outcome(b, Vec::new()), RunEnd::Target(0));
}

#[test]
fn globals_are_written() {
    let mut b = Build::new();
    let global = b.var(Storage::Memory { size: 4, align: 4 }, true);
    let (place, value) = (b.program.exprs.addr(global), b.int(9));
    b.op(Op::Store { to: place, value });
    let loaded = b.load(place);
    let same = b.bin(BinOp::Eq, loaded, value);
    b.target_if(same);
    b.ret(None);
    assert_eq!(outcome(b, Vec::new()), RunEnd::Target(0));
}

//! How fast the interpreter is: `cargo run --release -p semantics --example speed`. Prints, per kernel, operations of the
//! CFA (edges) per second.

#[path = "../src/testing.rs"]
#[expect(dead_code, reason = "the kernels need only a part of it")]
mod testing;

use base::Cancel;
use cfa::{BinOp, FunctionId, Op, Scalar};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{Options, run};
use std::time::Instant;
use testing::Build;

const ROUNDS: i128 = 10_000_000;

fn main() {
    measure("registers: branch, xor, add, increment", 4, registers());
    measure("array: branch, store, load and add, increment", 4, array());
    measure("calls: branch, call, return, increment", 4, calls());
}

fn measure(name: &str, operations: u64, build: Build) {
    let program = build.finish();
    let choices = Choices::default();
    let start = Instant::now();
    let run = run(&program, &mut Replayer::new(&choices), &mut std::io::sink(), &Options::default(), &Cancel::never());
    let time = start.elapsed().as_secs_f64();
    let rate = (operations * ROUNDS as u64) as f64 / time / 1e6;
    println!("{name}: {rate:.0} million operations/s ({} instructions in {time:.2} s, {:?})", run.steps, run.outcome);
}

/// `for (i = 0; i < ROUNDS; i++) body(i, sum)`
fn counted(b: &mut Build, body: impl FnOnce(&mut Build, cfa::VarId, cfa::VarId)) {
    b.result(Scalar::INT);
    let (i, sum) = (b.register(Scalar::INT), b.register(Scalar::INT));
    let (one, rounds, value, total) = (b.int(1), b.int(ROUNDS), b.get(i), b.get(sum));
    let condition = b.bin(BinOp::Lt, value, rounds);
    b.repeat(condition, |b| {
        body(b, i, sum);
        let next = b.bin(BinOp::Add, value, one);
        b.assign(i, next);
    });
    b.ret(Some(total));
}

fn registers() -> Build {
    let mut b = Build::new();
    counted(&mut b, |b, i, sum| {
        let (value, total) = (b.get(i), b.get(sum));
        let mixed = b.bin(BinOp::Xor, total, value);
        b.assign(sum, mixed);
        let more = b.bin(BinOp::Add, total, value);
        b.assign(sum, more);
    });
    b
}

fn array() -> Build {
    let mut b = Build::new();
    let memory = b.memory(4096);
    counted(&mut b, |b, i, sum| {
        let (value, total, bound) = (b.get(i), b.get(sum), b.int(1023));
        let index = b.bin(BinOp::And, value, bound);
        let place = b.element(memory, index);
        b.op(Op::Store { to: place, value });
        let loaded = b.load(place);
        let more = b.bin(BinOp::Add, total, loaded);
        b.assign(sum, more);
    });
    b
}

fn calls() -> Build {
    let mut b = Build::new();
    let function = FunctionId(1);
    counted(&mut b, |b, i, sum| {
        let (value, total) = (b.get(i), b.get(sum));
        b.op(Op::Call { function, args: Box::new([total, value]), result: Some(sum) });
    });
    b.function("f");
    b.result(Scalar::INT);
    let (x, y) = (b.param(Scalar::INT), b.param(Scalar::INT));
    let (x, y) = (b.get(x), b.get(y));
    let sum = b.bin(BinOp::Add, x, y);
    b.ret(Some(sum));
    b
}

//! Hand-built programs. Whole C programs are compared with gcc in `testkit`.

use super::{Options, RunEnd, Undefined, run};
use crate::choices::{Choices, Replayer};
use crate::random::Random;
use crate::replay::{follow, replay};
use crate::testing::Build;
use base::Cancel;
use cfa::{Allocation, BinOp, FunctionId, Living, Op, Program, Scalar, Storage, VarKind};

fn check(build: Build, expected: RunEnd) {
    check_with(&build.finish(), &Options::default(), &Choices::default(), expected);
}

fn check_with(program: &Program, options: &Options, choices: &Choices, expected: RunEnd) {
    let run = run(program, &mut Replayer::new(choices), &mut std::io::sink(), options, &Cancel::never());
    assert_eq!(run.outcome, expected);
}

fn undefined(what: &'static str) -> RunEnd {
    RunEnd::Undefined { what, span: base::Span::default() }
}

/// `for (i = 0; i < n; i++) { a[i] = i * i; sum += a[i]; } return sum;`
fn squares(elements: u64, n: i128) -> Build {
    let mut b = Build::new();
    b.result(Scalar::INT);
    let (i, sum, a) = (b.register(Scalar::INT), b.register(Scalar::INT), b.memory(4 * elements));
    let (zero, one, n) = (b.int(0), b.int(1), b.int(n));
    b.assign(i, zero);
    b.assign(sum, zero);
    let (vi, vsum) = (b.get(i), b.get(sum));
    let condition = b.bin(BinOp::Lt, vi, n);
    b.repeat(condition, |b| {
        let (place, square) = (b.element(a, vi), b.bin(BinOp::Mul, vi, vi));
        b.op(Op::Store { to: place, value: square });
        let loaded = b.load(place);
        let more = b.bin(BinOp::Add, vsum, loaded);
        b.assign(sum, more);
        let next = b.bin(BinOp::Add, vi, one);
        b.assign(i, next);
    });
    b.ret(Some(vsum));
    b
}

#[test]
fn loops_and_arrays() {
    check(squares(10, 8), RunEnd::Exit(140));
}

#[test]
fn out_of_bounds_ends_the_run() {
    check(squares(7, 8), undefined("access outside the bounds of its object"));
}

#[test]
fn out_of_bounds_writes_change_nothing_when_going_on() {
    let options = Options { undefined: Undefined::Continue, ..Options::default() };
    let choices = Choices { undefined: vec![100], ..Choices::default() };
    // 0 + 1 + 4 + 9 and the arbitrary 100 in place of 16.
    check_with(&squares(4, 5).finish(), &options, &choices, RunEnd::Exit(114));
}

#[test]
fn the_step_limit_ends_endless_loops() {
    let mut b = Build::new();
    let truth = b.program.exprs.bool(true);
    b.repeat(truth, |_| {});
    let options = Options { steps: 1_000_000, ..Options::default() };
    check_with(&b.finish(), &options, &Choices::default(), RunEnd::StepLimit);
}

/// `f(n) = n <= 1 ? 1 : n * f(n - 1)`
#[test]
fn recursion() {
    let mut b = Build::new();
    b.result(Scalar::INT);
    let r = b.register(Scalar::INT);
    let (five, value) = (b.int(5), b.get(r));
    let f = cfa::FunctionId(1);
    b.op(Op::Call { function: f, args: Box::new([five]), result: Some(r) });
    b.ret(Some(value));
    assert_eq!(b.function("f"), f);
    let n = b.param(Scalar::INT);
    b.result(Scalar::INT);
    let r = b.register(Scalar::INT);
    let (n, value, one) = (b.get(n), b.get(r), b.int(1));
    let (large, less) = (b.bin(BinOp::Lt, one, n), b.bin(BinOp::Sub, n, one));
    b.repeat(large, |b| {
        b.op(Op::Call { function: f, args: Box::new([less]), result: Some(r) });
        let product = b.bin(BinOp::Mul, n, value);
        b.ret(Some(product));
    });
    b.ret(Some(one));
    check(b, RunEnd::Exit(120));
}

#[test]
fn heap_objects_die() {
    let program = |free: bool| {
        let mut b = Build::new();
        b.result(Scalar::INT);
        let p = b.register(Scalar::Ptr);
        let (size, seven, pointer) = (b.size(4), b.int(7), b.get(p));
        b.op(Op::Allocate { result: p, size, how: Allocation::Heap });
        b.op(Op::Store { to: pointer, value: seven });
        if free {
            b.op(Op::Free(pointer));
        }
        let value = b.load(pointer);
        b.ret(Some(value));
        b
    };
    check(program(false), RunEnd::Exit(7));
    check(program(true), undefined("access to an object after the end of its life"));
}

#[test]
fn null_and_division() {
    let mut b = Build::new();
    let null = b.program.exprs.int(Scalar::Ptr, 0);
    let seven = b.int(7);
    b.op(Op::Store { to: null, value: seven });
    check(b, undefined("null pointer dereference"));

    let mut b = Build::new();
    let x = b.register(Scalar::INT);
    let value = b.get(x);
    b.havoc(x);
    let quotient = b.bin(BinOp::Div, value, value);
    b.assign(x, quotient);
    check(b, undefined("division by zero"));
}

/// `x = nondet(); y = nondet(); if (x + y == 10 && buffer[1] == 3) reach_error();`
fn puzzle() -> Program {
    let mut b = Build::new();
    let (x, y, buffer) = (b.register(Scalar::INT), b.register(Scalar::INT), b.memory(8));
    b.havoc(x);
    b.havoc(y);
    let (vx, vy, ten, three, one) = (b.get(x), b.get(y), b.int(10), b.int(3), b.int(1));
    let sum = b.bin(BinOp::Add, vx, vy);
    let right_sum = b.bin(BinOp::Eq, sum, ten);
    let place = b.element(buffer, one);
    let loaded = b.load(place);
    let right_byte = b.bin(BinOp::Eq, loaded, three);
    let both = b.bin(BinOp::And, right_sum, right_byte);
    b.target_if(both);
    b.ret(None);
    b.finish()
}

#[test]
fn choices_lead_to_the_target() {
    let program = puzzle();
    let choices = Choices { havocs: vec![4, 6], bytes: [((0, 4), 3)].into_iter().collect(), ..Choices::default() };
    let cancel = Cancel::never();
    let good = replay(&program, &choices, 1000, &cancel);
    assert_eq!(good.outcome, RunEnd::Target(0));
    assert_eq!(good.choices, choices);
    assert_eq!(good.drawn.iter().map(|drawn| drawn.value).collect::<Vec<_>>(), [4, 6]);
    let bad = Choices { havocs: vec![4, 7], ..choices.clone() };
    assert_eq!(replay(&program, &bad, 1000, &cancel).outcome, RunEnd::Exit(0));

    assert_eq!(follow(&program, &good.path, &choices, &cancel).left_at, None);
    let followed = follow(&program, &good.path, &bad, &cancel);
    assert_eq!(followed.run.outcome, RunEnd::Diverged);
    assert_eq!(followed.left_at, Some((2, good.path[2])));
}

#[test]
fn recorded_random_runs_repeat() {
    let program = puzzle();
    let options = Options { recording: true, ..Options::default() };
    for seed in 0..50 {
        let cancel = Cancel::never();
        let first = run(&program, &mut Random::new(seed), &mut std::io::sink(), &options, &cancel);
        let again = replay(&program, &first.choices, u64::MAX, &cancel);
        assert_eq!((first.outcome, first.choices), (again.outcome, again.choices));
    }
}

#[test]
fn pointers_from_outside_have_objects_of_their_own() {
    let mut b = Build::new();
    b.result(Scalar::INT);
    let (p, q) = (b.register(Scalar::Ptr), b.register(Scalar::Ptr));
    b.havoc(p);
    b.havoc(q);
    let (vp, vq, seven, nine) = (b.get(p), b.get(q), b.int(7), b.int(9));
    b.op(Op::Store { to: vp, value: seven });
    b.op(Op::Store { to: vq, value: nine });
    let value = b.load(vp);
    b.ret(Some(value));
    let program = b.finish();
    for (havocs, status) in [(vec![1, 2], 7), (vec![1, 1], 9)] {
        let choices = Choices { havocs, ..Choices::default() };
        check_with(&program, &Options::default(), &choices, RunEnd::Exit(status));
    }
}

/// Every instruction for integers agrees with the evaluator.
#[test]
fn instructions_agree_with_the_evaluator() {
    let all = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
        BinOp::Eq,
        BinOp::Lt,
        BinOp::Le,
    ];
    let mut random = Random::new(7);
    let model = cfa::DataModel::Lp64;
    for (width, signed, op) in [8, 16, 24, 32, 64, 128]
        .iter()
        .flat_map(|&w| [true, false].map(|s| (w, s)))
        .flat_map(|(w, s)| all.map(|op| (w, s, op)))
    {
        let ty = Scalar::int(width, signed);
        let mut b = Build::new();
        b.result(Scalar::INT);
        let (x, y) = (b.register(ty), b.register(ty));
        b.havoc(x);
        b.havoc(y);
        let (vx, vy) = (b.get(x), b.get(y));
        let result = b.bin(op, vx, vy);
        let result_type = b.program.exprs.ty(result);
        // Printed in two halves through memory.
        let wide = b.program.exprs.cast(result, Scalar::int(128, false));
        let z = b.register(Scalar::int(128, false));
        b.assign(z, wide);
        let memory = b.memory(16);
        let vz = b.get(z);
        b.op(Op::Store { to: memory, value: vz });
        let format = b.memory(16);
        for (at, byte) in b"%016lx%016lx\0".iter().enumerate() {
            let offset = b.program.exprs.int(b.program.model.offset_type(), at as i128);
            let place = b.bin(BinOp::PtrAdd, format, offset);
            let value = b.program.exprs.int(Scalar::BYTE, i128::from(*byte));
            b.op(Op::Store { to: place, value });
        }
        let high = {
            let offset = b.program.exprs.int(b.program.model.offset_type(), 8);
            let place = b.bin(BinOp::PtrAdd, memory, offset);
            b.program.exprs.load(place, Scalar::int(64, true))
        };
        let low = b.program.exprs.load(memory, Scalar::int(64, true));
        let args = Box::new([format, high, low]);
        b.op(Op::Library { function: cfa::Library::Printf, args, result: None });
        let zero = b.int(0);
        b.ret(Some(zero));
        let program = b.finish();
        for _ in 0..40 {
            let mask = crate::scalar::mask(width);
            let mut draw = || match random.below(3) {
                0 => random.bits128() & mask,
                1 => u128::from(random.below(70)) & mask,
                _ => (mask >> 1).wrapping_add(u128::from(random.below(3))) & mask,
            };
            let (a, c) = (draw(), draw());
            let choices = Choices { havocs: vec![a, c], ..Choices::default() };
            let mut out = Vec::new();
            let run = run(&program, &mut Replayer::new(&choices), &mut out, &Options::default(), &Cancel::never());
            match crate::scalar::binary(model, op, ty, ty, a, c) {
                None => assert!(matches!(run.outcome, RunEnd::Undefined { .. }), "{op:?} {ty} {a:#x} {c:#x}"),
                Some(bits) => {
                    let bits =
                        crate::scalar::cast(model, result_type, Scalar::int(128, false), bits).expect("an integer");
                    assert_eq!(
                        String::from_utf8(out).expect("ASCII"),
                        format!("{bits:032x}"),
                        "{op:?} {ty} {a:#x} {c:#x}"
                    );
                }
            }
        }
    }
}

/// Temporaries have pointers longer than C does, so they keep nothing.
#[test]
fn registers_of_the_program_keep_memory_reachable() {
    let kinds = [VarKind::Local, VarKind::Parameter, VarKind::Global].map(|kind| (kind, RunEnd::Exit(0)));
    for (kind, expected) in kinds.into_iter().chain([(VarKind::Temporary, RunEnd::Target(0))]) {
        let mut b = Build::new();
        let p = b.var(Storage::Register(Scalar::Ptr), kind == VarKind::Global);
        b.program.vars[p].kind = kind;
        let size = b.size(9);
        b.op(Op::Allocate { result: p, size, how: Allocation::Heap });
        let tracked = b.program.exprs.living(Living::Tracked);
        let lost = b.program.exprs.not(tracked);
        b.target_if(lost);
        b.ret(None);
        check(b, expected);
    }
}

#[test]
fn heap_objects_are_counted() {
    for (allocates, expected) in [(false, RunEnd::Target(0)), (true, RunEnd::Exit(0))] {
        let mut b = Build::new();
        let (p, one) = (b.register(Scalar::Ptr), b.size(1));
        if allocates {
            b.op(Op::Allocate { result: p, size: one, how: Allocation::Heap });
        }
        let none = b.program.exprs.living(Living::NoHeap);
        b.target_if(none);
        let count = b.program.exprs.living(Living::Heap);
        let single = b.bin(BinOp::Eq, count, one);
        let other = b.program.exprs.not(single);
        b.target_if(other);
        b.ret(None);
        check(b, expected);
    }
}

#[test]
fn constant_locals_are_known_where_they_are_asked_about() {
    for (is_const, expected) in [(false, RunEnd::Exit(0)), (true, RunEnd::Target(0))] {
        let mut b = Build::new();
        let object = b.memory(4);
        let cfa::Expr::Addr(var) = b.program.exprs.node(object) else { unreachable!("a memory variable") };
        if is_const {
            let plain = b.program.vars[var].ty;
            b.program.vars[var].ty = b.program.types.intern(cfa::types::Type::Const(plain));
        }
        let writable = b.program.exprs.living(Living::Writable(object));
        let constant = b.program.exprs.not(writable);
        b.target_if(constant);
        b.ret(None);
        check(b, expected);
    }
}

/// Both halves of what fills two slots go in and come back.
#[test]
fn wide_values_are_passed_and_returned_whole() {
    let wide = Scalar::int(128, false);
    let mut b = Build::new();
    b.result(Scalar::INT);
    let y = b.register(wide);
    let value = b.program.exprs.bits(wide, 5 << 100);
    b.op(Op::Call { function: FunctionId(1), args: Box::new([value]), result: Some(y) });
    let (vy, by) = (b.get(y), b.int(100));
    let shifted = b.bin(BinOp::Shr, vy, by);
    let high = b.program.exprs.cast(shifted, Scalar::INT);
    b.ret(Some(high));
    b.function("f");
    let x = b.param(wide);
    b.result(wide);
    let vx = b.get(x);
    b.ret(Some(vx));
    check(b, RunEnd::Exit(5));
}

/// A pointer keeps its object through integers, memory and copies, and loses it to nothing but arithmetic on bytes and on
/// several addresses.
#[test]
fn origins_travel() {
    let program = |steps: i128| {
        let mut b = Build::new();
        b.result(Scalar::INT);
        let (first, second, cell, copy) = (b.memory(4), b.memory(4), b.memory(8), b.memory(8));
        let (seven, eight, size) = (b.int(7), b.int(8), b.size(8));
        b.op(Op::Store { to: first, value: seven });
        b.op(Op::Store { to: second, value: eight });
        let word = Scalar::int(64, false);
        let (a, c) = (b.program.exprs.cast(first, word), b.program.exprs.cast(second, word));
        let step = b.program.exprs.int(word, steps);
        let distance = b.bin(BinOp::Sub, c, a);
        let scaled = b.bin(BinOp::Mul, distance, step);
        let moved = b.bin(BinOp::Add, a, scaled);
        b.op(Op::Store { to: cell, value: moved });
        b.op(Op::Copy { to: copy, from: cell, size });
        let pointer = b.program.exprs.load(copy, Scalar::Ptr);
        let value = b.load(pointer);
        b.ret(Some(value));
        b
    };
    check(program(0), RunEnd::Exit(7));
    // Computed from both objects, it belongs to the one whose address it is.
    check(program(1), RunEnd::Exit(8));
    check(program(1000), undefined("access through an invalid pointer"));
}

/// Constants get their values while the program starts, before and after functions run that it calls.
#[test]
fn global_constants_are_written_by_the_start_alone() {
    let read_only = undefined("write to a string literal or a const object");
    for (is_const, in_function, calls, expected) in [
        (false, false, true, RunEnd::Exit(0)),
        (false, true, true, RunEnd::Exit(0)),
        (true, false, true, RunEnd::Exit(0)),
        (true, true, false, read_only.clone()),
        (true, true, true, read_only),
    ] {
        let mut b = Build::new();
        let global = b.var(Storage::Memory { size: 4, align: 4 }, true);
        if is_const {
            let plain = b.program.vars[global].ty;
            b.program.vars[global].ty = b.program.types.intern(cfa::types::Type::Const(plain));
        }
        let (place, seven) = (b.program.exprs.addr(global), b.int(7));
        b.op(Op::Store { to: place, value: seven });
        b.op(Op::Call { function: FunctionId(1), args: Box::new([]), result: None });
        b.op(Op::Store { to: place, value: seven });
        b.ret(None);
        b.function("f");
        // Nor do functions become the start again when one that they call returns.
        if calls {
            b.op(Op::Call { function: FunctionId(2), args: Box::new([]), result: None });
        }
        if in_function {
            b.op(Op::Store { to: place, value: seven });
        }
        b.ret(None);
        b.function("g");
        b.ret(None);
        check(b, expected);
    }
}

/// An address that lost its object is still one: memory that only a register of plain bytes leads to is not lost.
#[test]
fn numbers_keep_memory_reachable() {
    for (cleared, expected) in [(false, RunEnd::Exit(0)), (true, RunEnd::Target(0))] {
        let mut b = Build::new();
        let word = Scalar::int(64, false);
        let (p, q, cell) = (b.register(Scalar::Ptr), b.register(word), b.memory(16));
        let (size, vp) = (b.size(9), b.get(p));
        b.op(Op::Allocate { result: p, size, how: Allocation::Heap });
        let four = b.program.exprs.int(b.program.model.offset_type(), 4);
        let place = b.bin(BinOp::PtrAdd, cell, four);
        b.op(Op::Store { to: place, value: vp });
        let number = b.program.exprs.load(place, word);
        let (null, zero) = (b.program.exprs.int(Scalar::Ptr, 0), b.program.exprs.int(word, 0));
        b.assign(q, if cleared { zero } else { number });
        b.assign(p, null);
        b.op(Op::Store { to: place, value: zero });
        let tracked = b.program.exprs.living(Living::Tracked);
        let lost = b.program.exprs.not(tracked);
        b.target_if(lost);
        b.ret(None);
        check(b, expected);
    }
}

/// Addresses of 32 bits wrap around: a step back is a large step forwards.
#[test]
fn steps_backwards() {
    for model in [cfa::DataModel::Lp64, cfa::DataModel::Ilp32] {
        let mut b = Build::of(model);
        b.result(Scalar::INT);
        let (object, p, seven) = (b.memory(8), b.register(Scalar::Ptr), b.int(7));
        b.op(Op::Store { to: object, value: seven });
        let steps = [8, -8].map(|by| b.program.exprs.int(b.program.model.offset_type(), by));
        let end = b.bin(BinOp::PtrAdd, object, steps[0]);
        b.assign(p, end);
        let vp = b.get(p);
        let start = b.bin(BinOp::PtrAdd, vp, steps[1]);
        let value = b.load(start);
        b.ret(Some(value));
        check(b, RunEnd::Exit(7));
    }
}

/// What fills two slots is loaded and chosen whole, and numbers become floats by value.
#[test]
fn wide_values_are_loaded_and_chosen_whole() {
    for (chosen, expected) in [(0, 5), (1, 9)] {
        let wide = Scalar::int(128, false);
        let mut b = Build::new();
        b.result(Scalar::INT);
        let (x, y, cell) = (b.register(Scalar::INT), b.register(wide), b.memory(16));
        b.havoc(x);
        let [five, nine] = [5, 9].map(|value| b.program.exprs.bits(wide, value << 100));
        b.op(Op::Store { to: cell, value: five });
        let (vx, zero) = (b.get(x), b.int(0));
        let condition = b.bin(BinOp::Eq, vx, zero);
        let loaded = b.program.exprs.load(cell, wide);
        let choice = b.program.exprs.ite(condition, loaded, nine);
        b.assign(y, choice);
        let (vy, by) = (b.get(y), b.int(100));
        let shifted = b.bin(BinOp::Shr, vy, by);
        let low = b.program.exprs.cast(shifted, Scalar::INT);
        let float = b.program.exprs.cast(low, Scalar::Float(cfa::FloatKind::F64));
        let back = b.program.exprs.cast(float, Scalar::INT);
        b.ret(Some(back));
        let choices = Choices { havocs: vec![chosen], ..Choices::default() };
        check_with(&b.finish(), &Options::default(), &choices, RunEnd::Exit(expected));
    }
}

#[test]
fn calls_through_pointers_fit_the_function() {
    let other = "call through a pointer of another function type";
    for (count, expected) in [(1, RunEnd::Exit(5)), (2, undefined(other)), (0, undefined(other))] {
        let mut b = Build::new();
        b.result(Scalar::INT);
        let r = b.register(Scalar::INT);
        let (pointer, ty) = (b.program.exprs.function(FunctionId(1)), b.program.vars[r].ty);
        let (args, value) = (vec![b.int(5); count], b.get(r));
        b.op(Op::CallPointer { pointer, args: args.into(), result: Some(r), ty });
        b.ret(Some(value));
        b.function("f");
        let x = b.param(Scalar::INT);
        b.result(Scalar::INT);
        let vx = b.get(x);
        b.ret(Some(vx));
        check(b, expected);
    }
}

/// Every argument has the width of its parameter, not only some.
#[test]
fn arguments_through_pointers_are_as_wide_as_parameters() {
    let other = "call through a pointer of another function type";
    for (second, expected) in [(Scalar::INT, RunEnd::Exit(0)), (Scalar::int(64, true), undefined(other))] {
        let mut b = Build::new();
        let r = b.register(Scalar::INT);
        let (pointer, ty) = (b.program.exprs.function(FunctionId(1)), b.program.vars[r].ty);
        let args = [Scalar::INT, second].map(|ty| b.program.exprs.int(ty, 5));
        b.op(Op::CallPointer { pointer, args: args.into(), result: None, ty });
        b.ret(None);
        b.function("f");
        b.param(Scalar::INT);
        b.param(Scalar::INT);
        b.ret(None);
        check(b, expected);
    }
}

#[test]
fn calls_through_pointers_need_a_function() {
    for (address, what) in [(0, "call through a null pointer"), (5, "call through an invalid pointer")] {
        let mut b = Build::new();
        let r = b.register(Scalar::INT);
        let (pointer, ty) = (b.program.exprs.int(Scalar::Ptr, address), b.program.vars[r].ty);
        b.op(Op::CallPointer { pointer, args: Box::new([]), result: None, ty });
        check(b, undefined(what));
    }
}

/// What is arbitrary has as many bits as its type.
#[test]
fn undefined_results_fit_their_type() {
    let mut b = Build::new();
    b.result(Scalar::INT);
    let x = b.register(Scalar::INT);
    b.havoc(x);
    let (vx, ten, seven) = (b.get(x), b.int(10), b.int(7));
    let quotient = b.bin(BinOp::Div, ten, vx);
    b.assign(x, quotient);
    let is_seven = b.bin(BinOp::Eq, vx, seven);
    b.target_if(is_seven);
    b.ret(None);
    let options = Options { undefined: Undefined::Continue, ..Options::default() };
    let choices = Choices { undefined: vec![7 | 1 << 40], ..Choices::default() };
    check_with(&b.finish(), &options, &choices, RunEnd::Target(0));
}

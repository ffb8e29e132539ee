//! Tests of the pass.

use super::*;
use crate::expr::BinOp;
use crate::testing::Build;
use crate::types::{IntKind, Type};
use expect_test::{Expect, expect};

const INT: Type = Type::Int(IntKind::Int);

/// The slice of a program, cleaned up.
fn check(b: Build, expected: Expect) {
    let mut program = b.finish();
    let points_to = PointsTo::new(&program);
    let regions = Regions::new(&program, &points_to);
    let cone = Cone::new(&program, &points_to, &regions);
    program.slice(&cone);
    program.remove_dead();
    expected.assert_eq(&program.to_string());
}

/// `x = input(); y = input(); z = 0; while (y < 1) { y = z; z = y; } if (x == 1) error();`
#[test]
fn keeps_what_decides() {
    let mut b = Build::new();
    let n = b.start(9);
    let (x, y, z) = (b.register("x", INT), b.register("y", INT), b.register("z", INT));
    let (source, zero, one) = (b.input(), b.int(0), b.int(1));
    let [ex, ey, ez] = [x, y, z].map(|var| b.get(var));
    b.edge(n[0], n[1], Op::Havoc(x, source));
    b.edge(n[1], n[2], Op::Havoc(y, source));
    b.edge(n[2], n[3], Op::Assign(z, zero));
    let less = b.bin(BinOp::Lt, ey, one);
    b.branch(n[3], less, n[4], n[5]);
    b.edge(n[4], n[6], Op::Assign(y, ez));
    b.edge(n[6], n[3], Op::Assign(z, ey));
    let is_one = b.bin(BinOp::Eq, ex, one);
    b.branch(n[5], is_one, n[7], n[8]);
    b.target(n[7]);
    b.program.nodes.push(crate::NodeInfo { function: FunctionId(0), loop_head: false });
    let exit = Node(b.program.nodes.len() as u32 - 1);
    b.program.functions[FunctionId(0)].exit = exit;
    b.edge(n[8], exit, Op::Return(None));
    check(
        b,
        expect![[r#"

            start fn start() {
              x: i32;
              y: i32;
              z: i32;
              n0: entry
              n0 -> n1: x := input __VERIFIER_nondet_int();
              n1 -> n2: [x == 1]
              n1 -> n3: [x != 1]
              n2: target reach_error()
              n4: exit
            }
        "#]],
    );
}

/// `y = input(); stop_unless(y); error();` with `stop_unless(c) { if (c == 0) halt; }`: the call decides.
#[test]
fn calls_that_do_not_come_back_decide() {
    let mut b = Build::new();
    let n = b.start(4);
    let (x, y) = (b.register("x", INT), b.register("y", INT));
    let source = b.input();
    let ey = b.get(y);
    b.edge(n[0], n[1], Op::Havoc(y, source));
    b.edge(n[1], n[2], Op::Call { function: FunctionId(1), args: Box::new([ey]), result: Some(x) });
    b.target(n[2]);
    let m = b.function("stop_unless", 4);
    let c = b.param("c", INT);
    b.result(INT);
    let (ec, zero, one) = (b.get(c), b.int(0), b.int(1));
    let is_zero = b.bin(BinOp::Eq, ec, zero);
    b.branch(m[0], is_zero, m[1], m[2]);
    b.edge(m[1], m[2], Op::Halt(None));
    b.edge(m[2], m[3], Op::Return(Some(one)));
    check(
        b,
        expect![[r#"

            start fn start() {
              x: i32;
              y: i32;
              n0: entry
              n0 -> n1: y := input __VERIFIER_nondet_int();
              n1 -> n2: x := stop_unless(y);
              n2: target reach_error()
              n3: exit
            }

            fn stop_unless(c: i32) -> i32 {
              n4: entry
              n4 -> n5: [c == 0]
              n4 -> n6: [c != 0]
              n6 -> n7: return 1;
              n7: exit
            }
        "#]],
    );
}

/// Stores to memory that no condition reads go, others stay.
#[test]
fn memory_matters_by_region() {
    let mut b = Build::new();
    let n = b.start(6);
    let int = b.int_type();
    let (s, t) = (b.memory("s", crate::VarKind::Global, int), b.memory("t", crate::VarKind::Global, int));
    let (s, t, one) = (b.program.exprs.addr(s), b.program.exprs.addr(t), b.int(1));
    b.edge(n[0], n[1], Op::Store { to: s, value: one });
    b.edge(n[1], n[2], Op::Store { to: t, value: one });
    let load = b.program.exprs.load(t, crate::Scalar::INT);
    let is_one = b.bin(BinOp::Eq, load, one);
    b.edge(n[2], n[3], Op::Assume(is_one));
    b.target(n[3]);
    check(
        b,
        expect![[r#"
            s: int [4 bytes];
            t: int [4 bytes];

            start fn start() {
              n0: entry
              n0 -> n1: skip;
              n1 -> n2: t := 1;
              n2 -> n3: [t == 1]
              n3: target reach_error()
              n4: exit
            }
        "#]],
    );
}

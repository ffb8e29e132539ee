//! Tests of the pass.

use super::*;
use cfa::testing::Line;
use cfa::types::{IntKind, Type, TypeId};
use cfa::{Allocation, BinOp, FunctionKind, Op, Scalar, Source};
use expect_test::{Expect, expect};

/// Shows the targets of all pointer registers, each read once at the end.
fn check_within(limit: u64, make: impl FnOnce(&mut Line), expected: Expect) {
    let mut line = Line::new();
    make(&mut line);
    let asked = line.asked.clone();
    let program = line.finish();
    let found = PointsTo::with_limit(&program, limit, &Cancel::never()).expect("it is never stopped");
    if found.detail == Detail::Fields {
        [0, 1, 2].into_iter().for_each(|most| assert_crowd_covers(&program, &found, most));
    }
    let mut out = String::new();
    for var in asked {
        let mut exprs = program.exprs.clone();
        let value = exprs.var(var, Scalar::Ptr);
        out.push_str(&format!("{}: {}\n", program.var_name(var), found.targets_text(&program, value)));
    }
    for (id, object) in found.objects.iter().skip(1).filter(|(_, object)| object.escaped) {
        out.push_str(&format!("escaped {} {:?}\n", found.object_text(&program, id), object.size.unwrap_or(0)));
    }
    let mut calls: Vec<_> = found.calls.iter().collect();
    calls.sort_by_key(|(edge, _)| **edge);
    for (_, callees) in calls {
        let names: Vec<&str> = callees.functions.iter().map(|&f| program.function_name(f)).collect();
        out.push_str(&format!("calls {}{}\n", names.join(" "), if callees.unknown { " unknown" } else { "" }));
    }
    expected.assert_eq(&out);
}

/// With pointers to more than `most` places in a crowd, nothing is missing that the exact analysis finds.
fn assert_crowd_covers(program: &Program, exact: &PointsTo, most: usize) {
    let crowd = PointsTo::run(program, Some(most), LIMIT, &Cancel::never()).expect("the program is small");
    // Where a pointer may lead to more functions, those of another type are not called any more.
    if crowd.calls.values().any(|callees| callees.mistyped) {
        return;
    }
    let contains = |outer: Offset, inner: Offset| {
        let stride = i64::from(outer.stride);
        outer == inner
            || stride != 0 && (inner.start - outer.start) % stride == 0 && i64::from(inner.stride) % stride == 0
    };
    for id in (0..program.exprs.len()).map(ExprId::new).filter(|&id| exact.knows(id)) {
        let (few, many) = (exact.targets(id), crowd.targets(id));
        let text = |found: &PointsTo| found.targets_text(program, id);
        let mut all = !few.unknown || many.unknown;
        for place in few.places {
            let kind = exact.objects[place.object].kind;
            let found = many
                .places
                .iter()
                .any(|other| crowd.objects[other.object].kind == kind && contains(other.offset, place.offset));
            let escaped = crowd.objects.iter().any(|(_, object)| object.kind == kind && object.escaped);
            all &= found || many.unknown && escaped;
        }
        assert!(all && crowd.knows(id), "{} and in a crowd beyond {most} {}", text(exact), text(&crowd));
    }
    for (&edge, callees) in &exact.calls {
        let all = crowd.callees(edge);
        assert!(callees.functions.iter().all(|function| all.functions.contains(function)));
        assert!(!callees.unknown || all.unknown);
    }
    for (_, object) in exact.objects.iter().filter(|(_, object)| object.escaped) {
        assert!(crowd.objects.iter().any(|(_, other)| other.kind == object.kind && other.escaped));
    }
}

fn check(make: impl FnOnce(&mut Line), expected: Expect) {
    check_within(LIMIT, make, expected);
}

#[test]
fn fields_are_told_apart() {
    let make = |l: &mut Line| {
        let (a, b, s) = (l.object("a", 8), l.object("b", 8), l.object("s", 32));
        let (p, q, r) = (l.pointer("p"), l.pointer("q"), l.pointer("r"));
        let eight = l.b.offset(s, 8);
        l.store(s, a);
        l.store(eight, b);
        let (first, second) = (l.load(s), l.load(eight));
        l.set(p, first);
        l.set(q, second);
        l.set(r, eight);
    };
    check(
        make,
        expect![[r#"
        p: {a}
        q: {b}
        r: {s+8}
    "#]],
    );
    // With hardly any budget everything may point everywhere.
    check_within(
        3,
        make,
        expect![[r#"
        p: {unknown}
        q: {unknown}
        r: {unknown}
        escaped a 8
        escaped b 8
        escaped s 32
    "#]],
    );
}

#[test]
fn integers_carry_pointers() {
    check(
        |l| {
            let s = l.object("s", 32);
            let (x, y) = (l.word("x"), l.word("y"));
            let (p, q) = (l.pointer("p"), l.pointer("q"));
            let word = Scalar::int(64, false);
            let cast = l.b.program.exprs.cast(s, word);
            l.set(x, cast);
            let source = l.b.input();
            l.op(Op::Havoc(y, source));
            let (ex, ey) = (l.b.get(x), l.b.get(y));
            let eight = l.b.program.exprs.int(word, 8);
            let sum = l.b.bin(BinOp::Add, ex, eight);
            let back = l.b.program.exprs.cast(sum, Scalar::Ptr);
            l.set(p, back);
            // A pointer plus an input stays in its object.
            let sum = l.b.bin(BinOp::Add, ey, ex);
            let back = l.b.program.exprs.cast(sum, Scalar::Ptr);
            l.set(q, back);
        },
        expect![[r#"
            p: {s+8}
            q: {s+*}
        "#]],
    );
}

#[test]
fn walking_pointers_have_a_stride() {
    check(
        |l| {
            let a = l.object("a", 4000);
            let p = l.pointer("p");
            l.set(p, a);
            let ep = l.b.get(p);
            let next = l.b.offset(ep, 4);
            l.set(p, next);
        },
        expect![[r#"
            p: {a, a+0%4, a+4}
        "#]],
    );
}

#[test]
fn rows_of_arrays_keep_fields() {
    check(
        |l| {
            let (a, b, v) = (l.object("a", 8), l.object("b", 8), l.object("v", 160));
            let i = l.b.register("i", Type::Int(IntKind::Long));
            let (p, q, r) = (l.pointer("p"), l.pointer("q"), l.pointer("r"));
            let wide = Scalar::int(64, true);
            let source = l.b.input();
            l.op(Op::Havoc(i, source));
            let ei = l.b.get(i);
            let sixteen = l.b.program.exprs.int(wide, 16);
            let scaled = l.b.bin(BinOp::Mul, ei, sixteen);
            let element = l.b.bin(BinOp::PtrAdd, v, scaled);
            let second = l.b.offset(element, 8);
            l.store(element, a);
            l.store(second, b);
            let exact = l.b.offset(v, 24);
            let (x, y) = (l.load(element), l.load(exact));
            l.set(p, x);
            l.set(q, y);
            l.set(r, second);
        },
        expect![[r#"
            p: {a}
            q: {b}
            r: {v+8%16}
        "#]],
    );
}

#[test]
fn blocks_are_copied_field_by_field() {
    check(
        |l| {
            let (a, s, t) = (l.object("a", 8), l.object("s", 32), l.object("t", 32));
            let (p, q) = (l.pointer("p"), l.pointer("q"));
            let (s8, t16, t8) = (l.b.offset(s, 8), l.b.offset(t, 16), l.b.offset(t, 8));
            let size = l.size(16);
            l.op(Op::Copy { to: t8, from: s, size });
            l.store(s8, a);
            let (x, y) = (l.load(t16), l.load(t8));
            l.set(p, x);
            l.set(q, y);
        },
        expect![[r#"
            p: {a}
            q: {}
        "#]],
    );
}

#[test]
fn what_externs_get_escapes() {
    check(
        |l| {
            let (a, b, c) = (l.object("a", 8), l.object("b", 8), l.object("c", 8));
            let (p, q) = (l.pointer("p"), l.pointer("q"));
            l.store(a, b);
            l.op(Op::Call { function: FunctionId(1), args: Box::new([a]), result: Some(p) });
            let ep = l.b.get(p);
            l.store(ep, c);
            let x = l.load(a);
            l.set(q, x);
            let n = l.b.function("ext", 3);
            l.b.program.functions[FunctionId(1)].kind = FunctionKind::Extern;
            let void = l.b.ty(Type::Void);
            l.b.param("x", Type::Pointer(void));
            let result = l.b.result(Type::Pointer(void));
            let name = l.b.program.names.intern("ext");
            l.b.edge(n[0], n[1], Op::Havoc(result, Source::Extern(name)));
        },
        expect![[r#"
            p: {unknown}
            q: {b, unknown}
            escaped a 8
            escaped b 8
            escaped c 8
        "#]],
    );
}

#[test]
fn pointer_calls_find_their_functions() {
    check(
        |l| {
            let (a, s) = (l.object("a", 8), l.object("s", 16));
            let p = l.pointer("p");
            let s8 = l.b.offset(s, 8);
            let (f, g) = (l.b.program.exprs.function(FunctionId(1)), l.b.program.exprs.function(FunctionId(2)));
            l.store(s, f);
            l.store(s8, g);
            let pointer = l.load(s8);
            let void = l.b.ty(Type::Void);
            let ty = l.b.ty(Type::Function { result: void, params: Box::default(), variadic: false, prototyped: true });
            l.op(Op::CallPointer { pointer, args: Box::new([a]), result: Some(p), ty });
            for name in ["f", "g"] {
                let n = l.b.function(name, 2);
                let x = l.b.param("x", Type::Pointer(void));
                l.b.result(Type::Pointer(void));
                let value = l.b.get(x);
                l.b.edge(n[0], n[1], Op::Return(Some(value)));
            }
        },
        expect![[r#"
            p: {a}
            calls g
        "#]],
    );
}

/// Calls `void *(void *)` through a cell that holds `f(void)` and, if asked, `g(void *)` or a pointer from outside.
fn check_mistyped(with_g: bool, from_outside: bool, expected: Expect) {
    check(
        |l| {
            let s = l.object("s", 8);
            let (f, g) = (l.b.program.exprs.function(FunctionId(1)), l.b.program.exprs.function(FunctionId(2)));
            l.store(s, f);
            if with_g {
                l.store(s, g);
            }
            if from_outside {
                let p = l.pointer("p");
                let source = l.b.input();
                l.op(Op::Havoc(p, source));
                let p = l.b.get(p);
                l.store(s, p);
            }
            let pointer = l.load(s);
            let void = l.b.ty(Type::Void);
            let any = l.b.ty(Type::Pointer(void));
            let mut function = |params: &[TypeId]| {
                l.b.ty(Type::Function { result: any, params: params.into(), variadic: false, prototyped: true })
            };
            let types = [function(&[]), function(&[any])];
            l.op(Op::CallPointer { pointer, args: Box::new([s]), result: None, ty: types[1] });
            for (at, name) in ["f", "g"].into_iter().enumerate() {
                let n = l.b.function(name, 2);
                l.b.program.functions[FunctionId(at as u32 + 1)].ty = types[at];
                l.b.edge(n[0], n[1], Op::Return(None));
            }
        },
        expected,
    );
}

#[test]
fn functions_of_another_type_are_called_only_where_nothing_else_is() {
    check_mistyped(
        false,
        false,
        expect![[r#"
            calls f
        "#]],
    );
    check_mistyped(
        true,
        false,
        expect![[r#"
            calls g
        "#]],
    );
    check_mistyped(
        false,
        true,
        expect![[r#"
            p: {unknown}
            escaped s 8
            escaped &f 1
            calls  unknown
        "#]],
    );
}

#[test]
fn heap_and_memory_cycles() {
    check(
        |l| {
            let (p, q) = (l.pointer("p"), l.pointer("q"));
            let size = l.size(16);
            l.op(Op::Allocate { result: p, size, how: Allocation::Heap });
            let ep = l.b.get(p);
            let next = l.b.offset(ep, 8);
            l.store(next, ep);
            let x = l.load(next);
            l.set(p, x);
            l.set(q, next);
        },
        expect![[r#"
            p: {malloc@n0}
            q: {malloc@n0+8}
        "#]],
    );
}

#[test]
fn ends_when_it_is_stopped() {
    let mut line = Line::new();
    let (a, p) = (line.object("a", 8), line.pointer("p"));
    line.set(p, a);
    let program = line.finish();
    let cancel = Cancel::never();
    assert!(PointsTo::within(&program, &cancel).is_ok());
    cancel.stop();
    assert_eq!(PointsTo::within(&program, &cancel).err(), Some(Stopped::Asked));
}

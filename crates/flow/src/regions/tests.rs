//! Tests of the pass.

use super::*;
use cfa::testing::Line;
use cfa::types::{IntKind, Type};
use cfa::{BinOp, Scalar};
use expect_test::{Expect, expect};

/// Shows each region: element size, objects with their shapes.
fn check(make: impl FnOnce(&mut Line), expected: Expect) {
    let mut line = Line::new();
    make(&mut line);
    let program = crate::Prepared::new(line.finish());
    let points_to = PointsTo::new(&program);
    let regions = Regions::new(&program, &Uses::new(&program), &points_to);
    let mut out = String::new();
    for (id, shape) in regions.iter() {
        let mut parts = Vec::new();
        for (var, _) in program.vars.iter() {
            for field in regions.of_var(var).iter().filter(|field| field.region == id) {
                let Offset { start, stride } = field.offset;
                let stride = if stride == 0 { String::new() } else { format!("%{stride}") };
                let name = program.var_name(var);
                parts.push(match field.is_whole() {
                    true => name.to_owned(),
                    false => format!("{name}{start:+}{stride}:{}", field.width),
                });
            }
        }
        parts.extend((id == regions.outside()).then(|| "outside".to_owned()));
        let size = if shape.uniform { format!("element {}", shape.bytes) } else { "bytes".to_owned() };
        let cell = if shape.cell { ", a cell" } else { "" };
        out.push_str(&format!("{size}{cell}: {}\n", parts.join(" ")));
    }
    expected.assert_eq(&out);
}

fn store_int(l: &mut Line, at: ExprId) {
    let one = l.b.int(1);
    l.store(at, one);
}

#[test]
fn fields_are_regions() {
    check(
        |l| {
            let (s, t) = (l.object("s", 16), l.object("t", 16));
            let (s4, s6) = (l.b.offset(s, 4), l.b.offset(t, 6));
            store_int(l, s);
            store_int(l, s4);
            store_int(l, t);
            // Two accesses of t overlap.
            store_int(l, s6);
            let t4 = l.b.offset(t, 4);
            store_int(l, t4);
        },
        expect![[r#"
            bytes: outside
            element 4, a cell: s+0:4
            element 4, a cell: s+4:4
            element 4, a cell: t+0:4
            bytes: t+4:4 t+6:4
        "#]],
    );
}

#[test]
fn pointers_join_what_they_point_to() {
    check(
        |l| {
            let (a, b, c) = (l.object("a", 4), l.object("b", 4), l.object("c", 4));
            let p = l.pointer("p");
            l.set(p, a);
            l.set(p, b);
            let ep = l.b.get(p);
            store_int(l, ep);
            store_int(l, a);
            store_int(l, c);
        },
        expect![[r#"
            bytes: outside
            element 4: a+0:4 b+0:4
            element 4, a cell: c+0:4
        "#]],
    );
}

#[test]
fn rows_and_blocks() {
    check(
        |l| {
            let (v, s) = (l.object("v", 160), l.object("s", 16));
            let i = l.b.register("i", Type::Int(IntKind::Long));
            let source = l.b.input();
            l.op(Op::Havoc(i, source));
            let ei = l.b.get(i);
            let sixteen = l.b.program.exprs.int(Scalar::int(64, true), 16);
            let scaled = l.b.bin(BinOp::Mul, ei, sixteen);
            let element = l.b.bin(BinOp::PtrAdd, v, scaled);
            let second = l.b.offset(element, 8);
            store_int(l, element);
            store_int(l, second);
            let (s8, size) = (l.b.offset(s, 8), l.size(16));
            store_int(l, s8);
            l.op(Op::Copy { to: element, from: s, size });
            let (zero, all) = (l.b.program.exprs.int(Scalar::BYTE, 0), l.size(160));
            l.op(Op::Fill { to: v, byte: zero, size: all });
        },
        expect![[r#"
            bytes: outside
            element 4: v v+0%16:4 v+8%16:4
            element 4: s s+8:4
        "#]],
    );
}

#[test]
fn unknown_pointers_meet_escaped_objects() {
    check(
        |l| {
            let (a, b) = (l.object("a", 4), l.object("b", 4));
            let (p, q) = (l.pointer("p"), l.pointer("q"));
            let source = l.b.input();
            l.op(Op::Havoc(p, source));
            l.op(Op::Havoc(q, source));
            let (ep, eq) = (l.b.get(p), l.b.get(q));
            // `a` escapes through an unknown pointer.
            l.store(eq, a);
            store_int(l, ep);
            store_int(l, a);
            store_int(l, b);
        },
        expect![[r#"
            bytes: a+0:4 outside
            element 4, a cell: b+0:4
        "#]],
    );
}

#[test]
fn part_of_an_element_makes_bytes() {
    check(
        |l| {
            let s = l.object("s", 8);
            store_int(l, s);
            let (zero, two) = (l.b.program.exprs.int(Scalar::BYTE, 0), l.size(2));
            l.op(Op::Fill { to: s, byte: zero, size: two });
        },
        expect![[r#"
            bytes: outside
            bytes: s+0:4 s
        "#]],
    );
}

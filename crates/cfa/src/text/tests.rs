//! Golden tests of the text form.

use crate::expr::{BinOp, UnOp};
use crate::op::Op;
use crate::program::VarKind;
use crate::scalar::{FloatKind, Scalar};
use crate::testing::Build;
use crate::types::{Field, IntKind, Record, Type};
use crate::{ExprId, VarId};
use expect_test::{Expect, expect};

const INT: Type = Type::Int(IntKind::Int);

/// Two int registers `x`, `y` and the text of what `make` builds from them.
fn check(make: impl FnOnce(&mut Build, ExprId, ExprId) -> ExprId, expected: Expect) {
    let mut b = Build::new();
    b.function("f", 1);
    let (x, y) = (b.register("x", INT), b.register("y", INT));
    let (x, y) = (b.get(x), b.get(y));
    let e = make(&mut b, x, y);
    expected.assert_eq(&b.program.expr_text(e));
}

#[test]
fn few_parentheses() {
    let sum = |b: &mut Build, x, y| b.bin(BinOp::Add, x, y);
    check(
        |b, x, y| {
            let s = sum(b, x, y);
            let p = b.bin(BinOp::Mul, s, s);
            b.bin(BinOp::Sub, p, s)
        },
        expect!["(x + y) * (x + y) - (x + y)"],
    );
    check(
        |b, x, y| {
            let s = sum(b, x, y);
            let l = b.bin(BinOp::And, s, x);
            b.bin(BinOp::Eq, l, y)
        },
        expect!["(x + y & x) == y"],
    );
}

#[test]
fn comparisons_read_naturally() {
    check(
        |b, x, _| {
            let c = b.int(-5);
            b.bin(BinOp::Lt, c, x)
        },
        expect!["x > -5"],
    );
    check(
        |b, x, y| {
            let eq = b.bin(BinOp::Eq, x, y);
            let not = b.program.exprs.not(eq);
            let lt = b.bin(BinOp::Lt, x, y);
            b.bin(BinOp::Or, not, lt)
        },
        expect!["x != y || x < y"],
    );
    check(
        |b, x, y| {
            let eq = b.bin(BinOp::Eq, x, y);
            let lt = b.bin(BinOp::Le, x, y);
            let both = b.bin(BinOp::And, eq, lt);
            let not = b.program.exprs.not(both);
            b.program.exprs.ite(not, x, y)
        },
        expect!["!(x == y && x <= y) ? x : y"],
    );
}

#[test]
fn casts_and_signs() {
    check(
        |b, x, y| {
            let s = b.bin(BinOp::Add, x, y);
            let s = b.program.exprs.cast(s, Scalar::int(64, false));
            let c = b.program.exprs.int(Scalar::int(64, false), -1);
            b.bin(BinOp::Rem, s, c)
        },
        expect!["(u64)(x + y) % 18446744073709551615"],
    );
    check(
        |b, x, _| {
            let c = b.int(-1);
            let n = b.program.exprs.unary(UnOp::Neg, c);
            b.bin(BinOp::Sub, x, n)
        },
        expect!["x - -(-1)"],
    );
}

#[test]
fn floats_are_exact() {
    let check = |kind, bits, expected: &str| assert_eq!(super::float::text(kind, bits), expected);
    check(FloatKind::F16, 0x3e00, "1.5f16");
    check(FloatKind::F16, 0x8001, "-5.9604645e-8f16");
    check(FloatKind::F16, 0x7c00, "inff16");
    check(FloatKind::F16, 0x7e01, "nan(0x7e01)f16");
    check(FloatKind::F32, u128::from(0.1f32.to_bits()), "0.1f");
    check(FloatKind::F64, u128::from(1e300f64.to_bits()), "1e300");
    check(FloatKind::F64, u128::from((-0.0f64).to_bits()), "-0.0");
    check(FloatKind::F64, 0x7ff8_0000_0000_0000, "nan(0x7ff8000000000000)");
    check(FloatKind::X87, 0x3fff << 64 | 0xc000_0000_0000_0000, "1.5L");
    check(FloatKind::X87, 0xbfff << 64 | 0x8000_0000_0000_0001, "-0x8000000000000001p-63L");
    check(FloatKind::F128, 0x7fff << 112, "infQ");
    check(FloatKind::F128, 0x4000 << 112, "2.0Q");
}

/// `struct s { int a; struct s *next; int v[4]; }`
fn struct_s(b: &mut Build) -> crate::types::TypeId {
    let int = b.int_type();
    let record = Record {
        tag: Some(b.program.names.intern("s")),
        is_union: false,
        fields: None,
        size: 32,
        align: 8,
        user_align: false,
        transparent: false,
    };
    let id = b.program.types.records.push(record);
    let s = b.ty(Type::Record(id));
    let pointer = b.ty(Type::Pointer(s));
    let array = b.ty(Type::Array(int, 4));
    let mut field = |name: &str, ty, offset: u64| Field {
        name: Some(b.program.names.intern(name)),
        ty,
        bit_offset: offset * 8,
        bit_width: None,
        unit: None,
        align: 4,
    };
    let fields = vec![field("a", int, 0), field("next", pointer, 8), field("v", array, 16)];
    b.program.types.records[id].fields = Some(fields);
    s
}

#[test]
fn places_have_their_names() {
    let mut b = Build::new();
    b.function("f", 1);
    let s = struct_s(&mut b);
    let object = b.memory("s", VarKind::Local, s);
    let p: VarId = b.register("p", Type::Pointer(s));
    let i = b.register("i", INT);
    let base = b.program.exprs.addr(object);
    let p = b.get(p);
    let at = |b: &mut Build, base, offset, ty| {
        let pointer = b.offset(base, offset);
        b.program.exprs.load(pointer, ty)
    };
    let next = at(&mut b, base, 8, Scalar::Ptr);
    let arrow = at(&mut b, p, 8, Scalar::Ptr);
    let field = b.program.exprs.load(base, Scalar::INT);
    let third = at(&mut b, arrow, 24, Scalar::INT);
    let byte = at(&mut b, base, 1, Scalar::BYTE);
    let first = b.program.exprs.load(p, Scalar::INT);
    let v = b.offset(next, 16);
    let (i, four) = (b.get(i), b.program.exprs.int(Scalar::int(64, true), 4));
    let wide = b.program.exprs.cast(i, Scalar::int(64, true));
    let scaled = b.bin(BinOp::Mul, wide, four);
    let pointer = b.bin(BinOp::PtrAdd, v, scaled);
    let element = b.program.exprs.load(pointer, Scalar::INT);
    let outside = at(&mut b, p, 40, Scalar::Ptr);
    let text: Vec<String> =
        [next, arrow, field, third, byte, first, v, element, outside].iter().map(|&e| b.program.expr_text(e)).collect();
    expect![[r#"
        s.next
        p->next
        s.a
        p->next->v[2]
        *(u8*)(&s + 1)
        p->a
        &s.next->v
        s.next->v[i]
        p[1].next"#]]
    .assert_eq(&text.join("\n"));
}

#[test]
fn deep_expressions_do_not_overflow() {
    let mut b = Build::new();
    b.function("f", 1);
    let x = b.register("x", INT);
    let x = b.get(x);
    let deep = (0..200_000).fold(x, |e, _| b.bin(BinOp::Sub, x, e));
    let text = b.program.expr_text(deep);
    assert!(text.starts_with("x - (x - (x") && text.ends_with(" ..."));
}

#[test]
fn functions_list_their_edges() {
    let mut b = Build::new();
    let n = b.function("count", 5);
    let x = b.param("x", INT);
    b.result(INT);
    let y = b.register("y", INT);
    let source = b.input();
    b.edge(n[0], n[1], Op::Havoc(y, source));
    let (ex, ey) = (b.get(x), b.get(y));
    let less = b.bin(BinOp::Lt, ex, ey);
    b.branch(n[1], less, n[2], n[3]);
    let one = b.int(1);
    let next = b.bin(BinOp::Add, ex, one);
    b.edge(n[2], n[1], Op::Assign(x, next));
    b.edge(n[3], n[4], Op::Return(Some(ex)));
    b.target(n[3]);
    expect![[r#"

        fn count(x: i32) -> i32 {
          y: i32;
          n0: entry
          n0 -> n1: y := input __VERIFIER_nondet_int();
          n1 -> n2: [x < y]
          n1 -> n3: [y <= x]
          n2 -> n1: x := x + 1;
          n3: target reach_error()
          n3 -> n4: return x;
          n4: exit
        }
    "#]]
    .assert_eq(&b.finish().to_string());
}

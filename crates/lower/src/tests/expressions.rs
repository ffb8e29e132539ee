//! Every form of expression, with its conversions.

use super::*;
use expect_test::expect;

#[test]
fn conversions() {
    check(
        "int main(void) { char c; unsigned char u; short s; unsigned x; long l; x = c + u; l = x; l = l + x; s = l; return c * s; }",
        expect![[r#"
            fn main() -> i32 {
              c: i8;
              u: u8;
              s: i16;
              x: u32;
              l: i64;
              n0: entry
              n0 -> n1: c := uninitialised;
              n1 -> n2: u := uninitialised;
              n2 -> n3: s := uninitialised;
              n3 -> n4: x := uninitialised;
              n4 -> n5: l := uninitialised;
              n5 -> n6: x := (u32)((i32)c + (i32)u);
              n6 -> n7: l := (i64)x;
              n7 -> n8: l := l + (i64)x;
              n8 -> n9: s := (i16)l;
              n9 -> n10: return (i32)c * (i32)s;
              n10: exit
            }
        "#]],
    );
    check(
        "int main(void) { _Bool b; int x; b = x; b = 2.5; float f = x; double d = f; x = d; return b + x; }",
        expect![[r#"
            fn main() -> i32 {
              b: u8;
              x: i32;
              f: f32;
              d: f64;
              n0: entry
              n0 -> n1: b := uninitialised;
              n1 -> n2: [b <= 1]
              n2 -> n3: x := uninitialised;
              n3 -> n4: b := (u8)(x != 0);
              n4 -> n5: b := 1;
              n5 -> n6: f := (f32)x;
              n6 -> n7: d := (f64)f;
              n7 -> n8: x := (i32)d;
              n8 -> n9: return (i32)b + x;
              n9: exit
            }
        "#]],
    );
    check(
        "int main(void) { unsigned u; int i; long l; if (u < i) return 1; if (l < u) return 2; return -1 < 1u; }",
        expect![[r#"
            fn main() -> i32 {
              u: u32;
              i: i32;
              l: i64;
              n0: entry
              n0 -> n1: u := uninitialised;
              n1 -> n2: i := uninitialised;
              n2 -> n3: l := uninitialised;
              n3 -> n4: [u < (u32)i]
              n3 -> n5: [(u32)i <= u]
              n4 -> n8: return 1;
              n5 -> n6: [l < (i64)u]
              n5 -> n7: [(i64)u <= l]
              n6 -> n8: return 2;
              n7 -> n8: return 0;
              n8: exit
            }
        "#]],
    );
}

#[test]
fn conversions_ilp32() {
    check_ilp32(
        "int main(void) { unsigned u; long l; long long q; q = u; if (l < u) return 1; return sizeof(long) + sizeof(void *) + (q > u); }",
        expect![[r#"
            fn main() -> i32 {
              u: u32;
              l: i32;
              q: i64;
              n0: entry
              n0 -> n1: u := uninitialised;
              n1 -> n2: l := uninitialised;
              n2 -> n3: q := uninitialised;
              n3 -> n4: q := (i64)u;
              n4 -> n5: [(u32)l < u]
              n4 -> n6: [u <= (u32)l]
              n5 -> n7: return 1;
              n6 -> n7: return (i32)(8 + (u32)((i64)u < q));
              n7: exit
            }
        "#]],
    );
}

#[test]
fn pointers() {
    check(
        "int main(void) { int a[4], *p = a, *q = &a[3]; long d = q - p; p += 2; p = 1 + p; p--; if (p < q) return *p; return p == 0 ? d : q[-1]; }",
        expect![[r#"
            fn main() -> i32 {
              a: int [4] [16 bytes];
              p: ptr;
              q: ptr;
              d: i64;
              $1: i64;
              n0: entry
              n0 -> n1: declare a;
              n1 -> n2: p := &a;
              n2 -> n3: q := &a[3];
              n3 -> n4: d := ((i64)q - (i64)p) / 4;
              n4 -> n5: p := &p[2];
              n5 -> n6: p := &p[1];
              n6 -> n7: p := &p[-1];
              n7 -> n8: [p < q]
              n7 -> n9: [q <= p]
              n8 -> n13: return *p;
              n9 -> n10: [p == null]
              n9 -> n12: [p != null]
              n10 -> n11: $1 := d;
              n11 -> n13: return (i32)$1;
              n12 -> n11: $1 := (i64)q[-1];
              n13: exit
            }
        "#]],
    );
    check(
        "int main(void) { char *p; void *v = p + 1; unsigned long n = (unsigned long)v; int *q = (int *)(n + 4); return *q; }",
        expect![[r#"
            fn main() -> i32 {
              p: ptr;
              v: ptr;
              n: u64;
              q: ptr;
              n0: entry
              n0 -> n1: p := indeterminate;
              n1 -> n2: v := &p[1];
              n2 -> n3: n := (u64)v;
              n3 -> n4: q := (ptr)(n + 4);
              n4 -> n5: return *q;
              n5: exit
            }
        "#]],
    );
}

#[test]
fn structs() {
    check(
        "struct s { int a; struct { int b; union { char c; int d; }; } in; int arr[3]; } x, y; int main(void) { struct s *p = &x; p->in.d = 1; x.arr[2] = p->a; y = x; return (*p).in.c; }",
        expect![[r#"
            fn main() -> i32 {
              p: ptr;
              n0: entry
              n0 -> n1: p := &x;
              n1 -> n2: p->in.d := 1;
              n2 -> n3: x.arr[2] := p->a;
              n3 -> n4: copy(&y, &x, 24);
              n4 -> n5: return (i32)p->in.c;
              n5: exit
            }
        "#]],
    );
}

#[test]
fn bit_fields() {
    check(
        "struct s { unsigned a : 3; int b : 5; unsigned c : 24; } x; int main(void) { x.a = 9; x.b = x.a - 1; x.c++; return x.b = 31; }",
        expect![[r#"
            fn main() -> i32 {
              n0: entry
              n0 -> n1: *(u32*)&x := *(u32*)&x & 4294967288 | 1;
              n1 -> n2: *(u32*)&x := *(u32*)&x & 4294967047 | ((u32)((i32)(*(u32*)&x & 7) - 1) & 31) << 3;
              n2 -> n3: *(u32*)&x := *(u32*)&x & 255 | ((u32)((i32)(*(u32*)&x >> 8 & 16777215) + 1) & 16777215) << 8;
              n3 -> n4: *(u32*)&x := *(u32*)&x & 4294967047 | 248;
              n4 -> n5: return -1;
              n5: exit
            }
        "#]],
    );
}

#[test]
fn evaluation_order() {
    check(
        "int g; int f(void); int main(void) { int x = g + f(); int y = x + f(); return x + (x = 3); }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              $1: i32;
              y: i32;
              $2: i32;
              n0: entry
              n0 -> n1: $1 := f();
              n1 -> n2: x := g + $1;
              n2 -> n3: $2 := f();
              n3 -> n4: y := x + $2;
              n4 -> n5: x := 3;
              n5 -> n6: unsupported "unsequenced side effects on 'x'";
              n6 -> n7: return x + x;
              n7: exit
            }
        "#]],
    );
    check(
        "int a[3], i; int f(void); int main(void) { a[i] = f(); a[i++] += 2; return 0; }",
        expect![[r#"
        fn main() -> i32 {
          $1: i32;
          $2: ptr;
          $3: i32;
          n0: entry
          n0 -> n1: $2 := &a[i];
          n1 -> n2: $1 := f();
          n2 -> n3: *(i32*)$2 := $1;
          n3 -> n4: $3 := i;
          n4 -> n5: i := $3 + 1;
          n5 -> n6: a[$3] := a[$3] + 2;
          n6 -> n7: return 0;
          n7: exit
        }
    "#]],
    );
}

#[test]
fn side_effects_in_values() {
    check(
        "int main(void) { int x = 1, y = x++ + ++x; int *p; *p++ = 3; y = (x = x + 1) + 2; return y, x; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              y: i32;
              $1: i32;
              p: ptr;
              $2: ptr;
              n0: entry
              n0 -> n1: x := 1;
              n1 -> n2: $1 := x;
              n2 -> n3: x := $1 + 1;
              n3 -> n4: x := x + 1;
              n4 -> n5: unsupported "unsequenced side effects on 'x'";
              n5 -> n6: y := $1 + x;
              n6 -> n7: p := indeterminate;
              n7 -> n8: $2 := p;
              n8 -> n9: p := &$2[1];
              n9 -> n10: *$2 := 3;
              n10 -> n11: x := x + 1;
              n11 -> n12: y := x + 2;
              n12 -> n13: return x;
              n13: exit
            }
        "#]],
    );
    check(
        "struct s { struct s *next; } *p, *q; int main(void) { p->next = p = q; return 0; }",
        expect![[r#"
            fn main() -> i32 {
              n0: entry
              n0 -> n1: p := q;
              n1 -> n2: unsupported "unsequenced side effects on 'p'";
              n2 -> n3: p->next := p;
              n3 -> n4: return 0;
              n4: exit
            }
        "#]],
    );
}

#[test]
fn conditionals() {
    check(
        r#"int main(void) { int a, b; int x = a ? b : 3; double d = a ? 1 : 2.5; char *p = a ? 0 : "x"; return x ?: b; }"#,
        expect![[r#"
            fn main() -> i32 {
              a: i32;
              b: i32;
              x: i32;
              d: f64;
              p: ptr;
              n0: entry
              n0 -> n1: a := uninitialised;
              n1 -> n2: b := uninitialised;
              n2 -> n3: x := a != 0 ? b : 3;
              n3 -> n4: d := a != 0 ? 1.0 : 2.5;
              n4 -> n5: p := a != 0 ? null : &"x";
              n5 -> n6: return x != 0 ? x : b;
              n6: exit
            }
        "#]],
    );
    check(
        "int f(void); int main(void) { int a, *p; int x = a ? *p : f(); return f() ?: a; }",
        expect![[r#"
            fn main() -> i32 {
              a: i32;
              p: ptr;
              x: i32;
              $1: i32;
              $2: i32;
              n0: entry
              n0 -> n1: a := uninitialised;
              n1 -> n2: p := indeterminate;
              n2 -> n3: [a != 0]
              n2 -> n6: [a == 0]
              n3 -> n4: x := *p;
              n4 -> n5: $2 := f();
              n5 -> n8: return $2 != 0 ? $2 : a;
              n6 -> n7: $1 := f();
              n7 -> n4: x := $1;
              n8: exit
            }
        "#]],
    );
    check(
        "void f(void), g(void); int main(void) { int a; a ? f() : g(); return 0; }",
        expect![[r#"
        fn main() -> i32 {
          a: i32;
          n0: entry
          n0 -> n1: a := uninitialised;
          n1 -> n2: [a != 0]
          n1 -> n4: [a == 0]
          n2 -> n3: f();
          n3 -> n5: return 0;
          n4 -> n3: g();
          n5: exit
        }
    "#]],
    );
}

#[test]
fn logical_values() {
    check(
        "int main(void) { int a, b; int x = a && b; int y = !x; int z = (a < b) == 0; return (a == b) + !!z; }",
        expect![[r#"
            fn main() -> i32 {
              a: i32;
              b: i32;
              x: i32;
              y: i32;
              z: i32;
              n0: entry
              n0 -> n1: a := uninitialised;
              n1 -> n2: b := uninitialised;
              n2 -> n3: x := (i32)(a != 0 && b != 0);
              n3 -> n4: y := (i32)(x == 0);
              n4 -> n5: z := (i32)(b <= a);
              n5 -> n6: return (i32)(a == b) + (i32)(z != 0);
              n6: exit
            }
        "#]],
    );
    check(
        "int main(void) { int a, *p; int x = a && *p; return x; }",
        expect![[r#"
            fn main() -> i32 {
              a: i32;
              p: ptr;
              x: i32;
              n0: entry
              n0 -> n1: a := uninitialised;
              n1 -> n2: p := indeterminate;
              n2 -> n3: [a != 0]
              n2 -> n6: [a == 0]
              n3 -> n4: [*p != 0]
              n3 -> n6: [*p == 0]
              n4 -> n5: x := 1;
              n5 -> n7: return x;
              n6 -> n5: x := 0;
              n7: exit
            }
        "#]],
    );
}

#[test]
fn sizes_and_alignments() {
    check(
        "struct s { char c; long l; }; int main(void) { int x = sizeof(struct s) + sizeof x + _Alignof(long) + __alignof__(struct s); return x + __builtin_offsetof(struct s, l); }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              n0: entry
              n0 -> n1: x := 36;
              n1 -> n2: return (i32)((u64)x + 8);
              n2: exit
            }
        "#]],
    );
}

#[test]
fn literals() {
    check(
        "int main(void) { long a = 4294967295; unsigned long b = 0xffffffff + 1; int c = 'a' + '\\\\xff'; double d = 1.5e3 + .5f; long e = 2147483648 + 1u; return a + b + c + d + e; }",
        expect![[r#"
            fn main() -> i32 {
              a: i64;
              b: u64;
              c: i32;
              d: f64;
              e: i64;
              n0: entry
              n0 -> n1: a := 4294967295;
              n1 -> n2: b := 0;
              n2 -> n3: c := 1551394503;
              n3 -> n4: d := 1500.5;
              n4 -> n5: e := 2147483649;
              n5 -> n6: return (i32)((f64)((u64)a + b + (u64)c) + d + (f64)e);
              n6: exit
            }
        "#]],
    );
    check(
        r#"int main(void) { char *s = "ab" "c", *t = "abc"; return s[1] + *"x" + sizeof "hello" + sizeof __func__; }"#,
        expect![[r#"
            fn main() -> i32 {
              s: ptr;
              t: ptr;
              n0: entry
              n0 -> n1: s := &"abc";
              n1 -> n2: t := &"abc";
              n2 -> n3: return (i32)((u64)((i32)s[1] + (i32)*(i8*)&"x") + 6 + 5);
              n3: exit
            }
        "#]],
    );
}

#[test]
fn compound_literals() {
    check(
        "struct p { int x, y; }; int f(struct p *); int main(void) { struct p a = (struct p){ 1, .y = 2 }; int *q = (int[]){ 3, 4 }; return f(&(struct p){ 5 }) + q[1]; }",
        expect![[r#"
            fn main() -> i32 {
              a: struct p [8 bytes];
              $1: struct p [8 bytes];
              q: ptr;
              $2: int [2] [8 bytes];
              $3: struct p [8 bytes];
              $4: i32;
              n0: entry
              n0 -> n1: declare a;
              n1 -> n2: declare $1;
              n2 -> n3: $1.x := 1;
              n3 -> n4: $1.y := 2;
              n4 -> n5: copy(&a, &$1, 8);
              n5 -> n6: declare $2;
              n6 -> n7: $2[0] := 3;
              n7 -> n8: $2[1] := 4;
              n8 -> n9: q := &$2;
              n9 -> n10: declare $3;
              n10 -> n11: fill(&$3, 0, 8);
              n11 -> n12: $3.x := 5;
              n12 -> n13: $4 := f(&$3);
              n13 -> n14: return $4 + q[1];
              n14: exit
            }
        "#]],
    );
}

#[test]
fn generic_and_friends() {
    check(
        "int main(void) { long l; int x = _Generic(l, int: 1, long: 2, default: 3); x += __builtin_choose_expr(1, 4, l); x += __builtin_types_compatible_p(int, const int); __typeof__(l) y = x; __auto_type z = y; return z; }",
        expect![[r#"
            fn main() -> i32 {
              l: i64;
              x: i32;
              y: i64;
              z: i64;
              n0: entry
              n0 -> n1: l := uninitialised;
              n1 -> n2: x := 2;
              n2 -> n3: x := x + 4;
              n3 -> n4: x := x + 1;
              n4 -> n5: y := (i64)x;
              n5 -> n6: z := y;
              n6 -> n7: return (i32)z;
              n7: exit
            }
        "#]],
    );
}

#[test]
fn casts() {
    check(
        "int main(void) { long l; int x = (char)l; unsigned u = (unsigned short)x; (void)u; float f = (float)l; return (int)f + (_Bool)l; }",
        expect![[r#"
            fn main() -> i32 {
              l: i64;
              x: i32;
              u: u32;
              f: f32;
              n0: entry
              n0 -> n1: l := uninitialised;
              n1 -> n2: x := (i32)(i8)l;
              n2 -> n3: u := (u32)(u16)x;
              n3 -> n4: f := (f32)l;
              n4 -> n5: return (i32)f + (i32)(l != 0);
              n5: exit
            }
        "#]],
    );
}

#[test]
fn floats() {
    check(
        "int main(void) { float f; double d; long double e; if (f < d) return 1; if (f != f) return 2; e = d * f; return -e > 0; }",
        expect![[r#"
            fn main() -> i32 {
              f: f32;
              d: f64;
              e: f80;
              n0: entry
              n0 -> n1: f := uninitialised;
              n1 -> n2: d := uninitialised;
              n2 -> n3: e := uninitialised;
              n3 -> n4: [(f64)f < d]
              n3 -> n5: [!((f64)f < d)]
              n4 -> n9: return 1;
              n5 -> n6: [f != f]
              n5 -> n7: [f == f]
              n6 -> n9: return 2;
              n7 -> n8: e := (f80)(d * (f64)f);
              n8 -> n9: return (i32)(-e > 0.0L);
              n9: exit
            }
        "#]],
    );
}

#[test]
fn int128() {
    check(
        "int main(void) { unsigned __int128 x = 1; x <<= 100; return x >> 99; }",
        expect![[r#"
        fn main() -> i32 {
          x: u128;
          n0: entry
          n0 -> n1: x := 1;
          n1 -> n2: x := x << 100;
          n2 -> n3: return (i32)(x >> 99);
          n3: exit
        }
    "#]],
    );
}

#[test]
fn wide_bit_fields() {
    check(
        "struct s { unsigned long a : 32, b : 32; } x; int main(void) { return x.a + 1 == x.b; }",
        expect![[r#"
        fn main() -> i32 {
          n0: entry
          n0 -> n1: return (i32)((u32)(*(u64*)&x & 4294967295) + 1 == (u32)(*(u64*)&x >> 32 & 4294967295));
          n1: exit
        }
    "#]],
    );
    // gcc computes in 40 bits here, so the sum wraps.
    check(
        "struct s { unsigned long a : 40; } x; int main(void) { return x.a + 1 == 0; }",
        expect![[r#"
            fn main() -> i32 {
              n0: entry
              n0 -> n1: return (i32)(((u64)*(u40*)&x + 1 & 1099511627775) == 0);
              n1: exit
            }
        "#]],
    );
}

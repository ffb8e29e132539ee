//! Initialisers, static and local.

use super::*;
use expect_test::expect;

#[test]
fn static_ones() {
    check_all(
        r#"int a = 3, b[4] = { 1, [2] = 5, 6 }; char s[] = "hi", *t = "yo"; struct { int x; char y[2]; struct { short u, v; } in; } c = { 1, "z", 2, 3 }, d = { .in.v = 4, .x = 5 }; int *p = &b[1], (*q)[4] = &b; int main(void) { return 0; }"#,
        expect![[r#"
            a: i32;
            b: int [4] [16 bytes]; [0] = 1 [8] = 5 [12] = 6
            s: char [3] [3 bytes]; [0] = 104 [1] = 105
            t: ptr;
            c: struct <anonymous> [12 bytes]; [0] = 1 [4] = 122 [6] = 2 [8] = 3
            d: struct <anonymous> [12 bytes]; [0] = 5 [8] = 4
            p: ptr;
            q: ptr;

            fn main() -> i32 {
              n0: entry
              n0 -> n1: return 0;
              n1: exit
            }

            start fn $start() {
              $1: i32;
              n2: entry
              n2 -> n3: init "yo";
              n3 -> n4: a := 3;
              n4 -> n5: init b;
              n5 -> n6: init s;
              n6 -> n7: t := &"yo";
              n7 -> n8: init c;
              n8 -> n9: init d;
              n9 -> n10: p := &b[1];
              n10 -> n11: q := &b;
              n11 -> n12: $1 := main();
              n12 -> n13: halt $1;
              n14: exit
            }
        "#]],
    );
}

#[test]
fn ranges_and_overrides() {
    check_all(
        "int a[6] = { [0 ... 3] = 7, [1] = 8, [4 ... 5] = 1 }; union { int i; char c[4]; } u = { .c = { 1, 2 } }; struct { unsigned x : 3, y : 5; int z; } f = { 5, 9, .z = -1 }; struct { int n; int more[]; } v = { 1, { 2, 3 } }; int main(void) { return 0; }",
        expect![[r#"
            a: int [6] [24 bytes]; [0] = 7 [4] = 8 [8] = 7 [12] = 7 [16] = 1 [20] = 1
            u: union <anonymous> [4 bytes]; [0] = 1 [1] = 2
            f: struct <anonymous> [8 bytes]; [0] = 77 [4] = -1
            v: struct <anonymous> [12 bytes]; [0] = 1 [4] = 2 [8] = 3

            fn main() -> i32 {
              n0: entry
              n0 -> n1: return 0;
              n1: exit
            }

            start fn $start() {
              $1: i32;
              n2: entry
              n2 -> n3: init a;
              n3 -> n4: init u;
              n4 -> n5: init f;
              n5 -> n6: init v;
              n6 -> n7: $1 := main();
              n7 -> n8: halt $1;
              n9: exit
            }
        "#]],
    );
}

#[test]
fn addresses() {
    check_all(
        "int x[3]; struct s { int a, b; } y; int f(void) { return 0; } int *p = x + 2, *q = &y.b; int (*g)(void) = f; unsigned long n = (unsigned long)&y.b + 1; struct s *r = &(struct s){ 1, 2 }; int main(void) { static int *z = &x[1]; return 0; }",
        expect![[r#"
            x: int [3] [12 bytes];
            y: struct s [8 bytes];
            p: ptr;
            q: ptr;
            g: ptr;
            n: u64;
            r: ptr;
            $literal: struct s [8 bytes]; [0] = 1 [4] = 2
            z: ptr;

            fn f() -> i32 {
              n0: entry
              n0 -> n1: return 0;
              n1: exit
            }

            fn main() -> i32 {
              n2: entry
              n2 -> n3: return 0;
              n3: exit
            }

            start fn $start() {
              $1: i32;
              n4: entry
              n4 -> n5: init $literal;
              n5 -> n6: init x;
              n6 -> n7: init y;
              n7 -> n8: p := &x[2];
              n8 -> n9: q := &y.b;
              n9 -> n10: g := &f;
              n10 -> n11: n := (u64)&y.b + 1;
              n11 -> n12: r := &$literal;
              n12 -> n13: z := &x[1];
              n13 -> n14: $1 := main();
              n14 -> n15: halt $1;
              n16: exit
            }
        "#]],
    );
}

#[test]
fn local_ones() {
    check(
        r#"int f(void); int main(void) { int a[3] = { 1, 2 }, b[2] = { f(), 4 }; struct { int x; struct { int y, z; } in; } s = { 1, 2, 3 }; char t[8] = "abc", u[] = "de"; int n = { 5 }; return a[0] + b[1] + s.x + t[0] + u[0] + n; }"#,
        expect![[r#"
            fn main() -> i32 {
              a: int [3] [12 bytes];
              b: int [2] [8 bytes];
              $1: i32;
              s: struct <anonymous> [12 bytes];
              t: char [8] [8 bytes];
              u: char [3] [3 bytes];
              n: i32;
              n0: entry
              n0 -> n1: declare a;
              n1 -> n2: fill(&a, 0, 12);
              n2 -> n3: a[0] := 1;
              n3 -> n4: a[1] := 2;
              n4 -> n5: declare b;
              n5 -> n6: $1 := f();
              n6 -> n7: b[0] := $1;
              n7 -> n8: b[1] := 4;
              n8 -> n9: declare s;
              n9 -> n10: s.x := 1;
              n10 -> n11: s.in.y := 2;
              n11 -> n12: s.in.z := 3;
              n12 -> n13: declare t;
              n13 -> n14: fill(&t, 0, 8);
              n14 -> n15: copy(&t, &"abc", 4);
              n15 -> n16: declare u;
              n16 -> n17: copy(&u, &"de", 3);
              n17 -> n18: n := 5;
              n18 -> n19: return a[0] + b[1] + s.x + (i32)t[0] + (i32)u[0] + n;
              n19: exit
            }
        "#]],
    );
}

#[test]
fn copies() {
    check(
        "struct s { int a, b; } g; struct s f(void); int main(void) { struct s x = g, y = f(), z[2] = { g, { 1, 2 } }; return x.a + y.b + z[0].a; }",
        expect![[r#"
            fn main() -> i32 {
              x: struct s [8 bytes];
              y: struct s [8 bytes];
              $1: struct s [8 bytes];
              z: struct s [2] [16 bytes];
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: copy(&x, &g, 8);
              n2 -> n3: declare y;
              n3 -> n4: declare $1;
              n4 -> n5: f(&$1);
              n5 -> n6: copy(&y, &$1, 8);
              n6 -> n7: end(&$1);
              n7 -> n8: declare z;
              n8 -> n9: copy(&z, &g, 8);
              n9 -> n10: z[1].a := 1;
              n10 -> n11: z[1].b := 2;
              n11 -> n12: return x.a + y.b + z[0].a;
              n12: exit
            }
        "#]],
    );
}

#[test]
fn nested_elision() {
    check(
        "struct in { int a[2]; int b; }; int main(void) { struct in x[2] = { 1, 2, 3, 4, [1].b = 5 }; return x[0].b; }",
        expect![[r#"
            fn main() -> i32 {
              x: struct in [2] [24 bytes];
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: fill(&x, 0, 24);
              n2 -> n3: x[0].a[0] := 1;
              n3 -> n4: x[0].a[1] := 2;
              n4 -> n5: x[0].b := 3;
              n5 -> n6: x[1].a[0] := 4;
              n6 -> n7: x[1].b := 5;
              n7 -> n8: return x[0].b;
              n8: exit
            }
        "#]],
    );
}

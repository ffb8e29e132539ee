//! Calls, parameters, results, linking.

use super::*;
use expect_test::expect;

#[test]
fn direct() {
    check_all(
        "int f(int a, char b) { return a + b; } int main(void) { int x = f(1, 2); f(x, 'c'); return f(f(1, 2), 3); }",
        expect![[r#"

            fn f(a: i32, b: i8) -> i32 {
              n0: entry
              n0 -> n1: return a + (i32)b;
              n1: exit
            }

            fn main() -> i32 {
              x: i32;
              $1: i32;
              $2: i32;
              n2: entry
              n2 -> n3: x := f(1, 2);
              n3 -> n4: f(x, 99);
              n4 -> n5: $1 := f(1, 2);
              n5 -> n6: $2 := f($1, 3);
              n6 -> n7: return $2;
              n7: exit
            }

            start fn $start() {
              $1: i32;
              n8: entry
              n8 -> n9: $1 := main();
              n9 -> n10: halt $1;
              n11: exit
            }
        "#]],
    );
}

#[test]
fn through_pointers() {
    check(
        "int f(int); int main(void) { int (*p)(int) = f, (*t[2])(int); int x = p(1); x = (*p)(2); x += t[1](x); return (&f)(4); }",
        expect![[r#"
            fn main() -> i32 {
              p: ptr;
              t: int (int) * [2] [16 bytes];
              x: i32;
              $1: i32;
              $2: i32;
              n0: entry
              n0 -> n1: p := &f;
              n1 -> n2: declare t;
              n2 -> n3: x := (*p)(1);
              n3 -> n4: x := (*p)(2);
              n4 -> n5: $1 := (*t[1])(x);
              n5 -> n6: x := x + $1;
              n6 -> n7: $2 := f(4);
              n7 -> n8: return $2;
              n8: exit
            }
        "#]],
    );
}

#[test]
fn aggregates() {
    check_all(
        "struct s { int a; char b[20]; }; struct s f(struct s x) { x.a++; return x; } int main(void) { struct s y; y = f(y); return f(f(y)).a; }",
        expect![[r#"

            fn f($result: ptr, x: ptr) {
              n0: entry
              n0 -> n1: *(i32*)x := *(i32*)x + 1;
              n1 -> n2: copy($result, x, 24);
              n2 -> n3: return;
              n3: exit
            }

            fn main() -> i32 {
              y: struct s [24 bytes];
              $1: struct s [24 bytes];
              $2: struct s [24 bytes];
              $3: struct s [24 bytes];
              $4: struct s [24 bytes];
              $5: struct s [24 bytes];
              $6: struct s [24 bytes];
              n4: entry
              n4 -> n5: declare y;
              n5 -> n6: declare $1;
              n6 -> n7: copy(&$1, &y, 24);
              n7 -> n8: declare $2;
              n8 -> n9: f(&$2, &$1);
              n9 -> n10: end(&$1);
              n10 -> n11: copy(&y, &$2, 24);
              n11 -> n12: end(&$2);
              n12 -> n13: declare $3;
              n13 -> n14: copy(&$3, &y, 24);
              n14 -> n15: declare $4;
              n15 -> n16: f(&$4, &$3);
              n16 -> n17: end(&$3);
              n17 -> n18: declare $5;
              n18 -> n19: copy(&$5, &$4, 24);
              n19 -> n20: declare $6;
              n20 -> n21: f(&$6, &$5);
              n21 -> n22: end(&$5);
              n22 -> n23: return $6.a;
              n23: exit
            }

            start fn $start() {
              $1: i32;
              n24: entry
              n24 -> n25: $1 := main();
              n25 -> n26: halt $1;
              n27: exit
            }
        "#]],
    );
}

#[test]
fn variadic() {
    check_all(
        "int sum(int n, ...) { __builtin_va_list ap, aq; __builtin_va_start(ap, n); __builtin_va_copy(aq, ap); int s = __builtin_va_arg(ap, int); double d = __builtin_va_arg(aq, double); __builtin_va_end(ap); return s + d; } int main(void) { return sum(2, 3, 4.5f) + sum(0); }",
        expect![[r#"

            fn sum(n: i32, $further: ptr) -> i32 {
              ap: struct __va_list_tag [1] [24 bytes];
              aq: struct __va_list_tag [1] [24 bytes];
              s: i32;
              $1: ptr;
              $2: i32;
              d: f64;
              $3: ptr;
              $4: f64;
              n0: entry
              n0 -> n1: declare ap;
              n1 -> n2: declare aq;
              n2 -> n3: ap[0].$next := $further;
              n3 -> n4: aq[0].$next := ap[0].$next;
              n4 -> n5: $1 := ap[0].$next;
              n5 -> n6: ap[0].$next := &$1[8];
              n6 -> n7: $2 := *(i32*)$1;
              n7 -> n8: s := $2;
              n8 -> n9: $3 := aq[0].$next;
              n9 -> n10: aq[0].$next := &$3[8];
              n10 -> n11: $4 := *(f64*)$3;
              n11 -> n12: d := $4;
              n12 -> n13: return (i32)((f64)s + d);
              n13: exit
            }

            fn main() -> i32 {
              $1: long [2] [16 bytes];
              $2: i32;
              $3: i32;
              n14: entry
              n14 -> n15: declare $1;
              n15 -> n16: *(i32*)&$1 := 3;
              n16 -> n17: *(f64*)&$1[1] := 4.5;
              n17 -> n18: $2 := sum(2, &$1);
              n18 -> n19: end(&$1);
              n19 -> n20: $3 := sum(0, null);
              n20 -> n21: return $2 + $3;
              n21: exit
            }

            start fn $start() {
              $1: i32;
              n22: entry
              n22 -> n23: $1 := main();
              n23 -> n24: halt $1;
              n25: exit
            }
        "#]],
    );
}

#[test]
fn variadic_ilp32() {
    check_ilp32(
        "int sum(int n, ...); int main(void) { return sum(2, 3, 4.5f, 'c'); }",
        expect![[r#"
            fn main() -> i32 {
              $1: long [4] [16 bytes];
              $2: i32;
              n0: entry
              n0 -> n1: declare $1;
              n1 -> n2: $1[0] := 3;
              n2 -> n3: *(f64*)&$1[1] := 4.5;
              n3 -> n4: $1[3] := 99;
              n4 -> n5: $2 := sum(2, &$1);
              n5 -> n6: end(&$1);
              n6 -> n7: return $2;
              n7: exit
            }
        "#]],
    );
}

#[test]
fn old_style() {
    check_all(
        "int f(); int g(a, b) int a; char b; { return a + b; } int main(void) { f(1, 2.5f); g(3, 'x'); return h(4); } long h(int x) { return x; }",
        expect![[r#"

            fn g(a: i32, b: i8) -> i32 {
              n0: entry
              n0 -> n1: return a + (i32)b;
              n1: exit
            }

            fn main() -> i32 {
              $1: i32;
              $linked: i64;
              n2: entry
              n2 -> n3: f();
              n3 -> n4: g(3, 120);
              n4 -> n16: $linked := h(4);
              n5 -> n6: return $1;
              n6: exit
              n16 -> n5: $1 := (i32)$linked;
            }

            extern fn f() -> i32 {
              $1: i32;
              n9: entry
              n9 -> n10: $1 := extern f();
              n10 -> n11: return $1;
              n11: exit
            }

            fn h(x: i32) -> i64 {
              n7: entry
              n7 -> n8: return (i64)x;
              n8: exit
            }

            start fn $start() {
              $1: i32;
              n12: entry
              n12 -> n13: $1 := main();
              n13 -> n14: halt $1;
              n15: exit
            }
        "#]],
    );
}

#[test]
fn address_taken_parameters() {
    check_function(
        "int f(int a, int b) { int *p = &a; *p = b; return a; } int main(void) { return f(1, 2); }",
        "f",
        expect![[r#"
            fn f(a: i32, b: i32) -> i32 {
              a'2: int [4 bytes];
              p: ptr;
              n0: entry
              n0 -> n1: declare a'2;
              n1 -> n2: a'2 := a;
              n2 -> n3: p := &a'2;
              n3 -> n4: *p := b;
              n4 -> n5: return a'2;
              n5: exit
            }
        "#]],
    );
}

#[test]
fn externs() {
    check_all(
        "struct s; int f(int *p, const char *q, struct s *r, int n); struct t { int a, b; } g(void); void die(void) __attribute__((noreturn)); extern int e, arr[3]; int main(void) { int x; f(&x, 0, 0, 1); g(); if (x) die(); return e + arr[1]; }",
        expect![[r#"
            e: i32;
            arr: int [3] [12 bytes];

            fn main() -> i32 {
              x: int [4 bytes];
              $1: struct t [8 bytes];
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: f(&x, null, null, 1);
              n2 -> n3: declare $1;
              n3 -> n4: g(&$1);
              n4 -> n5: end(&$1);
              n5 -> n6: [x != 0]
              n5 -> n7: [x == 0]
              n6 -> n7: die();
              n7 -> n8: return e + arr[1];
              n8: exit
            }

            extern fn f($unnamed: ptr, $unnamed'2: ptr, $unnamed'3: ptr, $unnamed'4: i32) -> i32 {
              $1: i32;
              n9: entry
              n9 -> n10: havoc($unnamed, all) := extern f();
              n10 -> n11: havoc($unnamed'3, all) := extern f();
              n11 -> n12: $1 := extern f();
              n12 -> n13: return $1;
              n13: exit
            }

            extern fn g($result: ptr) {
              n14: entry
              n14 -> n15: havoc($result, 8) := extern g();
              n15 -> n16: return;
              n16: exit
            }

            extern fn die() {
              n17: entry
              n17 -> n18: halt;
              n19: exit
            }

            start fn $start() {
              $1: i32;
              n22: entry
              n22 -> n23: e := extern e();
              n23 -> n24: havoc(&arr, all) := extern arr();
              n24 -> n25: outside$(&arr);
              n25 -> n26: $1 := main();
              n26 -> n27: halt $1;
              n28: exit
            }

            extern fn outside$(call$: ptr) {
              n20: entry
              n20 -> n21: return;
              n21: exit
            }
        "#]],
    );
}

#[test]
fn main_with_arguments() {
    check_all(
        "int main(int argc, char **argv) { return argc; }",
        expect![[r#"

            fn main(argc: i32, argv: ptr) -> i32 {
              n0: entry
              n0 -> n1: return argc;
              n1: exit
            }

            start fn $start() {
              $1: i32;
              $2: ptr;
              $3: i32;
              n2: entry
              n2 -> n3: $1 := parameter;
              n3 -> n4: [$1 >= 0 && $1 <= 1048576]
              n4 -> n5: $2 := alloca(((u64)$1 + 1) * 8);
              n5 -> n6: *(ptr*)&$2[(u64)$1 * 8] := null;
              n6 -> n7: $3 := main($1, $2);
              n7 -> n8: halt $3;
              n9: exit
            }
        "#]],
    );
}

#[test]
fn transparent_unions() {
    check(
        "typedef union { int *i; char *c; } any __attribute__((transparent_union)); int f(any); int main(void) { int x; return f(&x); }",
        expect![[r#"
            fn main() -> i32 {
              x: int [4 bytes];
              $1: union <anonymous> [8 bytes];
              $2: i32;
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: declare $1;
              n2 -> n3: $1.i := &x;
              n3 -> n4: $2 := f(&$1);
              n4 -> n5: return $2;
              n5: exit
            }
        "#]],
    );
}

#[test]
fn files_are_linked() {
    check_units(
        &[
            "static int s = 1; extern int g; int *p = &g; int f(int); static int h(void) { return s; } int main(void) { return f(h()) + g; }",
            "static int s = 2; int g = 5; static int h(void) { return s; } int f(int x) { return x + h() + g; }",
        ],
        expect![[r#"
            s: i32;
            g: int [4 bytes]; [0] = 5
            p: ptr;
            s: i32;

            fn h() -> i32 {
              n0: entry
              n0 -> n1: return s;
              n1: exit
            }

            fn main() -> i32 {
              $1: i32;
              $2: i32;
              n2: entry
              n2 -> n3: $1 := h();
              n3 -> n4: $2 := f($1);
              n4 -> n5: return $2 + g;
              n5: exit
            }

            fn f(x: i32) -> i32 {
              $1: i32;
              n8: entry
              n8 -> n9: $1 := h();
              n9 -> n10: return x + $1 + g;
              n10: exit
            }

            fn h() -> i32 {
              n6: entry
              n6 -> n7: return s;
              n7: exit
            }

            start fn $start() {
              $1: i32;
              n11: entry
              n11 -> n12: s := 1;
              n12 -> n13: init g;
              n13 -> n14: p := &g;
              n14 -> n15: s := 2;
              n15 -> n16: $1 := main();
              n16 -> n17: halt $1;
              n18: exit
            }
        "#]],
    );
    check_units(
        &["int x = 1; int main(void) { return x; }", "int x = 2;"],
        expect![[r#"
        1.c:1:5: error: the object is initialised twice
          int x = 2;
              ^"#]],
    );
}

#[test]
fn records_of_several_files_are_one_type() {
    check_units(
        &[
            "struct s { int a; struct s *n; }; extern struct s g; int f(struct s *); int main(void) { return f(&g) + g.a; }",
            "struct s { int a; struct s *n; } g = { 1, &g }; int f(struct s *p) { return p->a; }",
        ],
        expect![[r#"
            g: struct s [16 bytes]; [0] = 1 [8] = &g

            fn main() -> i32 {
              $1: i32;
              n0: entry
              n0 -> n1: $1 := f(&g);
              n1 -> n2: return $1 + g.a;
              n2: exit
            }

            fn f(p: ptr) -> i32 {
              n3: entry
              n3 -> n4: return p->a;
              n4: exit
            }

            start fn $start() {
              $1: i32;
              n5: entry
              n5 -> n6: init g;
              n6 -> n7: $1 := main();
              n7 -> n8: halt $1;
              n9: exit
            }
        "#]],
    );
}

/// The machine passes a small struct as it passes an integer.
#[test]
fn small_structs_and_integers_through_pointers() {
    let source = "struct m { int event; }; int f(int x) { return x; } int g(struct m m) { return m.event; }
        int main(void) {
          int (*p)(struct m) = (int (*)(struct m))f, (*q)(int) = (int (*)(int))g;
          struct m m = { 7 };
          return p(m) + q(5);
        }";
    let mut program = program(source, &Options::default()).expect("correct C");
    let points_to = flow::PointsTo::new(&program);
    transform::resolve_pointer_calls(&mut program, &points_to, cfa::Outside::Writes);
    transform::remove_dead(&mut program);
    expect![[r#"
        fn main() -> i32 {
          p: ptr;
          q: ptr;
          m: struct m [4 bytes];
          $1: struct m [4 bytes];
          $2: i32;
          $3: i32;
          call$: u8;
          call$'2: struct m [4 bytes];
          call$'3: u8;
          n4: entry
          n4 -> n5: p := &f;
          n5 -> n6: q := &g;
          n6 -> n7: declare m;
          n7 -> n8: m.event := 7;
          n8 -> n9: declare $1;
          n9 -> n10: copy(&$1, &m, 4);
          n10 -> n19: [p == &f]
          n10 -> n20: [p != &f]
          n11 -> n12: end(&$1);
          n12 -> n22: [q == &g]
          n12 -> n23: [q != &g]
          n13 -> n14: return $2 + $3;
          n14: exit
          n19 -> n11: $2 := f((i32)*(u32*)&$1);
          n20 -> n21: call$ := *(u8*)p;
          n21 -> n11: $2 := extern a function outside the program();
          n22 -> n24: declare call$'2;
          n23 -> n26: call$'3 := *(u8*)q;
          n24 -> n25: *(u32*)&call$'2 := (u32)5;
          n25 -> n13: $3 := g(&call$'2);
          n26 -> n13: $3 := extern a function outside the program();
        }
    "#]]
    .assert_eq(&program.function_text(program.function_named("main").expect("a main function")));
}

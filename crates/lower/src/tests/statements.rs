//! Every form of statement.

use super::*;
use expect_test::expect;

#[test]
fn loops() {
    check(
        "int main(void) { int x = 1; while (x < 10) x = x + 1; return x; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          n0: entry
          n0 -> n1: x := 1;
          n1 -> n2: [x < 10]
          n1 -> n3: [x >= 10]
          n2 -> n1: x := x + 1;
          n3 -> n4: return x;
          n4: exit
        }
    "#]],
    );
    check(
        "int main(void) { int x; do { x++; if (x == 3) continue; if (x == 4) break; } while (x < 10); return x; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: x := x + 1;
              n2 -> n3: [x == 3]
              n2 -> n5: [x != 3]
              n3 -> n1: [x < 10]
              n3 -> n4: [x >= 10]
              n4 -> n6: return x;
              n5 -> n4: [x == 4]
              n5 -> n3: [x != 4]
              n6: exit
            }
        "#]],
    );
    check(
        "int main(void) { int s = 0; for (int i = 0; i < 3; ++i) { if (i == 1) continue; s += i; } return s; }",
        expect![[r#"
            fn main() -> i32 {
              s: i32;
              i: i32;
              n0: entry
              n0 -> n1: s := 0;
              n1 -> n2: i := 0;
              n2 -> n3: [i < 3]
              n2 -> n6: [i >= 3]
              n3 -> n4: [i == 1]
              n3 -> n5: [i != 1]
              n4 -> n2: i := i + 1;
              n5 -> n4: s := s + i;
              n6 -> n7: return s;
              n7: exit
            }
        "#]],
    );
    check(
        "int main(void) { for (;;); }",
        expect![[r#"
        fn main() -> i32 {
          n0: entry
          n0 -> n0: skip;
          n1: exit
        }
    "#]],
    );
    check(
        "int main(void) { while (1) { } }",
        expect![[r#"
        fn main() -> i32 {
          n0: entry
          n0 -> n0: skip;
          n1: exit
        }
    "#]],
    );
    check(
        "int main(void) { do { } while (0); return 1; }",
        expect![[r#"
        fn main() -> i32 {
          n0: entry
          n0 -> n1: return 1;
          n1: exit
        }
    "#]],
    );
}

#[test]
fn branches() {
    check(
        "int f(void); int main(void) { int x; if (x) x = 1; else if (x == 2) x = 3; else x = 4; return x; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: [x != 0]
              n1 -> n4: [x == 0]
              n2 -> n3: x := 1;
              n3 -> n7: return x;
              n4 -> n5: [x == 2]
              n4 -> n6: [x != 2]
              n5 -> n3: x := 3;
              n6 -> n3: x := 4;
              n7: exit
            }
        "#]],
    );
    check(
        "int main(void) { int a, b, c; if (a == 1 && (b == 2 || !c)) return 1; return 2; }",
        expect![[r#"
        fn main() -> i32 {
          a: i32;
          b: i32;
          c: i32;
          n0: entry
          n0 -> n1: a := uninitialised;
          n1 -> n2: b := uninitialised;
          n2 -> n3: c := uninitialised;
          n3 -> n4: [a == 1 && (b == 2 || c == 0)]
          n3 -> n5: [!(a == 1 && (b == 2 || c == 0))]
          n4 -> n6: return 1;
          n5 -> n6: return 2;
          n6: exit
        }
    "#]],
    );
}

#[test]
fn conditions_with_traps_split() {
    check(
        "int main(void) { int *p, x; if (p && *p == 3) x = 1; return x; }",
        expect![[r#"
        fn main() -> i32 {
          p: ptr;
          x: i32;
          n0: entry
          n0 -> n1: p := indeterminate;
          n1 -> n2: x := uninitialised;
          n2 -> n3: [p != null]
          n2 -> n5: [p == null]
          n3 -> n4: [*p == 3]
          n3 -> n5: [*p != 3]
          n4 -> n5: x := 1;
          n5 -> n6: return x;
          n6: exit
        }
    "#]],
    );
    check(
        "int main(void) { int a, b; if (a != 0 && b / a == 2 || b) return 1; return 0; }",
        expect![[r#"
        fn main() -> i32 {
          a: i32;
          b: i32;
          n0: entry
          n0 -> n1: a := uninitialised;
          n1 -> n2: b := uninitialised;
          n2 -> n3: [a != 0]
          n2 -> n5: [a == 0]
          n3 -> n4: [b / a == 2]
          n3 -> n5: [b / a != 2]
          n4 -> n7: return 1;
          n5 -> n4: [b != 0]
          n5 -> n6: [b == 0]
          n6 -> n7: return 0;
          n7: exit
        }
    "#]],
    );
    check(
        "int f(void); int main(void) { int a; if (a || f()) return 1; return 0; }",
        expect![[r#"
        fn main() -> i32 {
          a: i32;
          $1: i32;
          n0: entry
          n0 -> n1: a := uninitialised;
          n1 -> n2: [a != 0]
          n1 -> n3: [a == 0]
          n2 -> n6: return 1;
          n3 -> n4: $1 := f();
          n4 -> n2: [$1 != 0]
          n4 -> n5: [$1 == 0]
          n5 -> n6: return 0;
          n6: exit
        }
    "#]],
    );
    check(
        "int main(void) { int a[3]; if (a[0] && a[1]) return 1; return 0; }",
        expect![[r#"
        fn main() -> i32 {
          a: int [3] [12 bytes];
          n0: entry
          n0 -> n1: declare a;
          n1 -> n2: [a[0] != 0 && a[1] != 0]
          n1 -> n3: [!(a[0] != 0 && a[1] != 0)]
          n2 -> n4: return 1;
          n3 -> n4: return 0;
          n4: exit
        }
    "#]],
    );
}

#[test]
fn switches() {
    check(
        "int main(void) { int x, y = 0; switch (x) { case 1: y = 1; case 2: y = 2; break; default: y = 3; case 5 ... 7: y = 4; } return y; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              y: i32;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: y := 0;
              n2 -> n3: [x == 1]
              n2 -> n6: [x != 1]
              n3 -> n4: y := 1;
              n4 -> n5: y := 2;
              n5 -> n10: return y;
              n6 -> n4: [x == 2]
              n6 -> n7: [x != 2]
              n7 -> n8: [x >= 5 && x <= 7]
              n7 -> n9: [!(x >= 5 && x <= 7)]
              n8 -> n5: y := 4;
              n9 -> n8: y := 3;
              n10: exit
            }
        "#]],
    );
    check(
        "int main(void) { unsigned char c; switch (c + 1) { case 'a': return 1; } return 0; }",
        expect![[r#"
        fn main() -> i32 {
          c: u8;
          $1: i32;
          n0: entry
          n0 -> n1: c := uninitialised;
          n1 -> n2: $1 := (i32)c + 1;
          n2 -> n3: [$1 == 97]
          n2 -> n4: [$1 != 97]
          n3 -> n5: return 1;
          n4 -> n5: return 0;
          n5: exit
        }
    "#]],
    );
    check(
        "int main(void) { int n, x = 0; switch (n % 2) { case 0: do { x++; case 1: x++; } while (--n > 0); } return x; }",
        expect![[r#"
            fn main() -> i32 {
              n: i32;
              x: i32;
              $1: i32;
              n0: entry
              n0 -> n1: n := uninitialised;
              n1 -> n2: x := 0;
              n2 -> n3: $1 := n % 2;
              n3 -> n4: [$1 == 0]
              n3 -> n9: [$1 != 0]
              n4 -> n5: x := x + 1;
              n5 -> n6: x := x + 1;
              n6 -> n7: n := n - 1;
              n7 -> n4: [n > 0]
              n7 -> n8: [n <= 0]
              n8 -> n10: return x;
              n9 -> n5: [$1 == 1]
              n9 -> n8: [$1 != 1]
              n10: exit
            }
        "#]],
    );
    check(
        "int main(void) { int x; switch (x) { } return 0; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          n0: entry
          n0 -> n1: x := uninitialised;
          n1 -> n2: return 0;
          n2: exit
        }
    "#]],
    );
}

#[test]
fn jumps() {
    check(
        "int main(void) { int x = 0; again: x++; if (x < 3) goto again; goto out; x = 7; out: return x; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              n0: entry
              n0 -> n1: x := 0;
              n1 -> n2: x := x + 1;
              n2 -> n1: [x < 3]
              n2 -> n3: [x >= 3]
              n3 -> n4: return x;
              n4: exit
            }
        "#]],
    );
    check(
        "int main(void) { loop: goto loop; }",
        expect![[r#"
        fn main() -> i32 {
          n0: entry
          n0 -> n0: skip;
          n1: exit
        }
    "#]],
    );
}

#[test]
fn computed_goto() {
    check(
        "int main(void) { void *t[2] = { &&a, &&b }; int i; goto *t[i]; a: return 1; b: return 2; }",
        expect![[r#"
        fn main() -> i32 {
          t: void * [2] [16 bytes];
          i: i32;
          n0: entry
          n0 -> n1: declare t;
          n1 -> n2: t[0] := &&&a;
          n2 -> n3: t[1] := &&&b;
          n3 -> n4: i := uninitialised;
          n4 -> n5: [t[i] == &&&a]
          n4 -> n6: [t[i] != &&&a]
          n5 -> n10: return 1;
          n6 -> n7: [t[i] == &&&b]
          n6 -> n8: [t[i] != &&&b]
          n7 -> n10: return 2;
          n8 -> n9: unsupported "computed goto to an unknown label";
          n10: exit
        }
    "#]],
    );
}

#[test]
fn declarations() {
    check(
        "int main(void) { int x, *p = &x; static int s = 4; extern int e; struct { int a; char b; } r; return s + e + *p + r.a; }",
        expect![[r#"
            fn main() -> i32 {
              x: int [4 bytes];
              p: ptr;
              r: struct <anonymous> [8 bytes];
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: p := &x;
              n2 -> n3: declare r;
              n3 -> n4: return s + e + *p + r.a;
              n4: exit
            }
        "#]],
    );
}

#[test]
fn blocks_shadow() {
    check(
        "int main(void) { int x = 1; { int x = 2; x++; } return x; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          x'2: i32;
          n0: entry
          n0 -> n1: x := 1;
          n1 -> n2: x'2 := 2;
          n2 -> n3: x'2 := x'2 + 1;
          n3 -> n4: return x;
          n4: exit
        }
    "#]],
    );
}

#[test]
fn statement_expressions() {
    check(
        "int main(void) { int x = ({ int t = 3; t + 1; }); return x; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          t: i32;
          n0: entry
          n0 -> n1: t := 3;
          n1 -> n2: x := t + 1;
          n2 -> n3: return x;
          n3: exit
        }
    "#]],
    );
}

#[test]
fn variable_length_arrays() {
    check(
        "int main(void) { int n; int a[n], b[2][n]; a[1] = 2; b[1][0] = 3; return sizeof(a) + sizeof b[0]; }",
        expect![[r#"
            fn main() -> i32 {
              n: i32;
              $1: u64;
              a: ptr;
              $2: u64;
              b: ptr;
              n0: entry
              n0 -> n1: n := uninitialised;
              n1 -> n2: $1 := (u64)n;
              n2 -> n3: a := alloca($1 * 4);
              n3 -> n4: $2 := (u64)n;
              n4 -> n5: b := alloca(2 * ($2 * 4));
              n5 -> n6: *(i32*)(a + 4) := 2;
              n6 -> n7: *(i32*)(b + (i64)($2 * 4)) := 3;
              n7 -> n8: return (i32)($1 * 4 + $2 * 4);
              n8: exit
            }
        "#]],
    );
}

#[test]
fn returns() {
    check(
        "struct s { int a, b; } g; struct s main(void) { return g; }",
        expect![[r#"
        fn main($result: ptr) {
          n0: entry
          n0 -> n1: copy($result, &g, 8);
          n1 -> n2: return;
          n2: exit
        }
    "#]],
    );
    check(
        "void main(void) { return; }",
        expect![[r#"
        fn main() {
          n0: entry
          n0 -> n1: return;
          n1: exit
        }
    "#]],
    );
    check_function(
        "int f(int x) { if (x) return 1; } int main(void) { return f(1); }",
        "f",
        expect![[r#"
        fn f(x: i32) -> i32 {
          $1: i32;
          n0: entry
          n0 -> n1: [x != 0]
          n0 -> n2: [x == 0]
          n1 -> n4: return 1;
          n2 -> n3: $1 := uninitialised;
          n3 -> n4: return $1;
          n4: exit
        }
    "#]],
    );
}

#[test]
fn dead_code_goes() {
    check(
        "int main(void) { return 1; int x = 2; return x; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          n0: entry
          n0 -> n1: return 1;
          n1: exit
        }
    "#]],
    );
}

#[test]
fn labels_and_errors_are_targets() {
    check(
        "int main(void) { int x; if (x) { ERROR: x = 1; } return 0; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          n0: entry
          n0 -> n1: x := uninitialised;
          n1 -> n2: [x != 0]
          n1 -> n4: [x == 0]
          n2 -> n3: skip;
          n3: target label
          n4 -> n5: return 0;
          n5: exit
        }
    "#]],
    );
    check(
        "void reach_error(void); int main(void) { int x; if (x) reach_error(); return 0; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          n0: entry
          n0 -> n1: x := uninitialised;
          n1 -> n2: [x != 0]
          n1 -> n4: [x == 0]
          n2 -> n3: skip;
          n3: target reach_error()
          n4 -> n5: return 0;
          n5: exit
        }
    "#]],
    );
    check_all(
        "void reach_error(void) { } int main(void) { void (*f)(void) = reach_error; f(); }",
        expect![[r#"

        fn reach_error() {
          n0: entry
          n0 -> n1: skip;
          n1: target reach_error()
          n2: exit
        }

        fn main() -> i32 {
          f: ptr;
          n3: entry
          n3 -> n4: f := &reach_error;
          n4 -> n5: (*f)();
          n5 -> n6: return 0;
          n6: exit
        }

        start fn $start() {
          $1: i32;
          n7: entry
          n7 -> n8: $1 := main();
          n8 -> n9: halt $1;
          n10: exit
        }
    "#]],
    );
}

//! Functions known by name.

use super::*;
use expect_test::expect;

#[test]
fn inputs() {
    check(
        "int __VERIFIER_nondet_int(void); _Bool __VERIFIER_nondet_bool(void); char *__VERIFIER_nondet_pointer(void); void __VERIFIER_assume(int); int main(void) { int x = __VERIFIER_nondet_int(); _Bool b = __VERIFIER_nondet_bool(); char *p = __VERIFIER_nondet_pointer(); __VERIFIER_assume(x > 3 && b); return *p; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              b: u8;
              p: ptr;
              n0: entry
              n0 -> n1: x := input __VERIFIER_nondet_int();
              n1 -> n2: b := input __VERIFIER_nondet_bool();
              n2 -> n3: [b <= 1]
              n3 -> n4: p := input __VERIFIER_nondet_pointer();
              n4 -> n5: [x > 3 && b != 0]
              n5 -> n6: return (i32)*p;
              n6: exit
            }
        "#]],
    );
}

#[test]
fn ends() {
    check(
        "void abort(void); void exit(int); int main(void) { int x; if (x == 1) abort(); if (x == 2) exit(3); if (x == 3) __builtin_unreachable(); return 0; }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: [x == 1]
              n1 -> n4: [x != 1]
              n2 -> n3: halt;
              n4 -> n5: [x == 2]
              n4 -> n7: [x != 2]
              n5 -> n6: halt 3;
              n7 -> n8: [x == 3]
              n7 -> n10: [x != 3]
              n8 -> n9: halt;
              n10 -> n11: return 0;
              n11: exit
            }
        "#]],
    );
}

#[test]
fn assertions() {
    check(
        r#"void __assert_fail(const char *, const char *, unsigned, const char *); int main(void) { int x; ((void)sizeof((x) ? 1 : 0), ({ if (x) ; else __assert_fail("x", "t.c", 1, __func__); })); return 0; }"#,
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: [x != 0]
              n1 -> n3: [x == 0]
              n2 -> n5: return 0;
              n3 -> n4: skip;
              n4: target assertion
              n5: exit
            }
        "#]],
    );
}

#[test]
fn heap() {
    check(
        "void *malloc(unsigned long), *calloc(unsigned long, unsigned long), *realloc(void *, unsigned long); void free(void *); int main(void) { int *p = malloc(4 * sizeof *p), *q = calloc(2, 8); p = realloc(p, 32); free(q); char *s = __builtin_alloca(3); return *p + *s; }",
        expect![[r#"
            fn main() -> i32 {
              p: ptr;
              q: ptr;
              s: ptr;
              n0: entry
              n0 -> n1: p := malloc(16);
              n1 -> n2: q := calloc(16);
              n2 -> n3: p := realloc(p, 32);
              n3 -> n4: free(q);
              n4 -> n5: s := alloca(3);
              n5 -> n6: return *p + (i32)*s;
              n6: exit
            }
        "#]],
    );
}

#[test]
fn memory() {
    check(
        "void *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long); int main(void) { char a[8], b[8]; memset(a, 'x', 8); char *p = memcpy(b, a, 4); return *p; }",
        expect![[r#"
            fn main() -> i32 {
              a: char [8] [8 bytes];
              b: char [8] [8 bytes];
              p: ptr;
              n0: entry
              n0 -> n1: declare a;
              n1 -> n2: declare b;
              n2 -> n3: fill(&a, 120, 8);
              n3 -> n4: copy(&b, &a, 4);
              n4 -> n5: p := &b;
              n5 -> n6: return (i32)*p;
              n6: exit
            }
        "#]],
    );
}

#[test]
fn mathematics() {
    check(
        "double fabs(double), fmin(double, double), floor(double); float sqrtf(float); int main(void) { double x, y = fabs(x) + fmin(x, 2) + floor(x); float f = sqrtf(x); if (__builtin_isnan(y) || __builtin_isinf(f)) return 1; return __builtin_signbit(x) + (x == __builtin_inf()); }",
        expect![[r#"
            fn main() -> i32 {
              x: f64;
              y: f64;
              f: f32;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: y := fabs(x) + (x != x ? 2.0 : x < 2.0 ? x : 2.0) + floor(x);
              n2 -> n3: f := sqrt((f32)x);
              n3 -> n4: [y != y || fabs(f) == inff]
              n3 -> n5: [!(y != y || fabs(f) == inff)]
              n4 -> n6: return 1;
              n5 -> n6: return (i32)signbit(x) + (i32)(x == inf);
              n6: exit
            }
        "#]],
    );
}

#[test]
fn builtins() {
    check(
        "int main(void) { int x, y; if (__builtin_expect(!!(x > 3), 0)) return 1; if (__builtin_constant_p(x)) return 2; if (__builtin_add_overflow(x, 1, &y)) return 3; return __builtin_bswap16(x) + __builtin_object_size(&y, 0); }",
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              y: int [4 bytes];
              $1: i64;
              $2: u16;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: declare y;
              n2 -> n3: [x > 3]
              n2 -> n4: [x <= 3]
              n3 -> n10: return 1;
              n4 -> n5: $1 := (i64)x + 1;
              n5 -> n6: y := (i32)$1;
              n6 -> n7: [(i64)(i32)$1 != $1]
              n6 -> n8: [(i64)(i32)$1 == $1]
              n7 -> n10: return 3;
              n8 -> n9: $2 := (u16)x;
              n9 -> n10: return (i32)((u64)(($2 & 255) << 8 | $2 >> 8 & 255) + 4);
              n10: exit
            }
        "#]],
    );
}

#[test]
fn atomics() {
    check(
        "int main(void) { int x = 1, e = 2; __sync_fetch_and_add(&x, 2); int y = __sync_add_and_fetch(&x, 1); if (__sync_bool_compare_and_swap(&x, 4, 5)) y++; __atomic_store_n(&x, 7, 5); return __atomic_load_n(&x, 5) + y; }",
        expect![[r#"
            fn main() -> i32 {
              x: int [4 bytes];
              e: i32;
              $1: i32;
              y: i32;
              $2: i32;
              $3: i32;
              $4: i32;
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: x := 1;
              n2 -> n3: e := 2;
              n3 -> n4: $1 := x;
              n4 -> n5: x := $1 + 2;
              n5 -> n6: $2 := x;
              n6 -> n7: x := $2 + 1;
              n7 -> n8: y := $2 + 1;
              n8 -> n9: $3 := x;
              n9 -> n10: x := $3 == 4 ? 5 : $3;
              n10 -> n11: [$3 == 4]
              n10 -> n12: [$3 != 4]
              n11 -> n12: y := y + 1;
              n12 -> n13: x := 7;
              n13 -> n14: $4 := x;
              n14 -> n15: return $4 + y;
              n15: exit
            }
        "#]],
    );
}

#[test]
fn models() {
    check_all(
        r#"unsigned long strlen(const char *); int main(void) { return strlen("abc"); }"#,
        expect![[r#"

            fn main() -> i32 {
              $1: u64;
              n0: entry
              n0 -> n1: $1 := strlen(&"abc");
              n1 -> n2: return (i32)$1;
              n2: exit
            }

            model fn strlen(s: ptr) -> u64 {
              n: u64;
              n3: entry
              n3 -> n4: n := 0;
              n4 -> n5: [(i32)s[n] != 0]
              n4 -> n6: [(i32)s[n] == 0]
              n5 -> n4: n := n + 1;
              n6 -> n7: return n;
              n7: exit
            }

            start fn $start() {
              $1: i32;
              n8: entry
              n8 -> n9: init "abc";
              n9 -> n10: $1 := main();
              n10 -> n11: halt $1;
              n12: exit
            }
        "#]],
    );
}

#[test]
fn output() {
    check(
        r#"int printf(const char *, ...); int main(void) { float f; char c; printf("%f %d\\n", f, c); return 0; }"#,
        expect![[r#"
            fn main() -> i32 {
              f: f32;
              c: i8;
              n0: entry
              n0 -> n1: f := uninitialised;
              n1 -> n2: c := uninitialised;
              n2 -> n3: library printf(&"%f %d\\n", (f64)f, (i32)c);
              n3 -> n4: return 0;
              n4: exit
            }
        "#]],
    );
}

#[test]
fn unsupported() {
    check(
        "typedef int jmp_buf[8]; int setjmp(jmp_buf); int main(void) { jmp_buf b; return setjmp(b); }",
        expect![[r#"
            fn main() -> i32 {
              b: int [8] [32 bytes];
              $activation: u64;
              $1: i32;
              n0: entry
              n0 -> n1: $activations := $activations + 1;
              n1 -> n2: $activation := $activations;
              n2 -> n3: declare b;
              n3 -> n4: *(u64*)&b := $activation;
              n4 -> n5: b[2] := 0;
              n5 -> n6: $1 := 0;
              n6 -> n7: return $1;
              n7: exit
            }
        "#]],
    );
}

#[test]
fn rounding_modes() {
    check(
        "int fesetround(int); double rint(double);
         int main(void) { double x = 2.5, y; fesetround(0x400); y = rint(x); return x + y > 3; }",
        expect![[r#"
            fn main() -> i32 {
              x: f64;
              y: f64;
              n0: entry
              n0 -> n1: x := 2.5;
              n1 -> n2: y := uninitialised;
              n2 -> n3: fesetround(1024);
              n3 -> n4: y := $rounding == 3072 ? trunc(x) : $rounding == 2048 ? ceil(x) : $rounding == 1024 ? floor(x) : rint(x);
              n4 -> n5: [$rounding == 0]
              n4 -> n6: [$rounding != 0]
              n5 -> n7: return (i32)(x + y > 3.0);
              n6 -> n5: unsupported "arithmetic in another rounding mode";
              n7: exit
            }
        "#]],
    );
}

#[test]
fn other_libraries_round_otherwise() {
    check(
        "double cbrt(double); double sin(double); int main(void) { double x; return cbrt(x) < cbrt(27.0) + sin(x); }",
        expect![[r#"
            fn main() -> i32 {
              x: f64;
              $1: f64;
              $2: f64;
              $3: f64;
              n0: entry
              n0 -> n1: x := uninitialised;
              n1 -> n2: $1 := extern cbrt of the C library();
              n2 -> n3: $2 := 3.0;
              n3 -> n4: $3 := library sin(x);
              n4 -> n5: [$3 != $3 || $3 >= -1.0 && $3 <= 1.0]
              n5 -> n6: return (i32)($1 < $2 + $3);
              n6: exit
            }
        "#]],
    );
}

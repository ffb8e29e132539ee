//! The trees of every form of declaration, declarator and type.

mod check;
use check::check;
use expect_test::expect;

#[test]
fn basic_types() {
    check(
        "void *a; _Bool b; char c; signed char d; unsigned char e; short f; short unsigned int g; int h; signed i; unsigned j;
         long k; unsigned long int l; long long m; long unsigned long n; __int128 o; unsigned __int128 p; float q; double r; long double s;
         double long t; _Complex double u; float _Complex v; _Complex w; __float128 x; _Float128 y; _Float32x z; __int128_t aa; __uint128_t bb;
         __builtin_va_list cc; __signed__ char dd; long signed ee; _Complex int ff; _Float64 _Complex gg; _Complex _Float64 hh; __float80 ii;",
        expect![[r#"
            declare a: ptr(void)
            declare b: _Bool
            declare c: char
            declare d: schar
            declare e: uchar
            declare f: short
            declare g: ushort
            declare h: int
            declare i: int
            declare j: uint
            declare k: long
            declare l: ulong
            declare m: llong
            declare n: ullong
            declare o: int128
            declare p: uint128
            declare q: float
            declare r: double
            declare s: ldouble
            declare t: ldouble
            declare u: _Complex double
            declare v: _Complex float
            declare w: _Complex double
            declare x: _Float128
            declare y: _Float128
            declare z: _Float32x
            declare aa: int128
            declare bb: uint128
            declare cc: va_list
            declare dd: schar
            declare ee: long
            declare ff: _Complex int
            declare gg: _Complex _Float64
            declare hh: _Complex _Float64
            declare ii: _Float64x
        "#]],
    );
}

#[test]
fn specifiers() {
    check(
        "static int a; extern b; register int c; auto int d; typedef int e; _Thread_local int f; static __thread int g;
         inline int h(void); static __inline__ _Noreturn void i(void); const volatile int j; int const k; int long unsigned const typedef l;
         _Alignas(8) _Alignas(long) int m; _Atomic int n; _Atomic(int *) o; typeof(a) p; __typeof__(int *) q; typeof(a + 1) const r; __const e s;
         e t; const e *const u; int restrict * __restrict v; __volatile__ int w;",
        expect![[r#"
            declare static a: int
            declare extern b: <implicit>
            declare register c: int
            declare auto d: int
            declare typedef e: int
            declare _Thread_local f: int
            declare static _Thread_local g: int
            declare inline h: fn() -> int
            declare static inline _Noreturn i: fn() -> void
            declare j: const volatile int
            declare k: const int
            declare typedef l: const ulong
            declare _Alignas(8) _Alignas(long) m: int
            declare n: _Atomic int
            declare o: atomic(ptr(int))
            declare p: typeof a
            declare q: typeof-type(ptr(int))
            declare r: const typeof (+ a 1)
            declare s: const e
            declare t: e
            declare u: const ptr(const e)
            declare v: restrict ptr(restrict int)
            declare w: volatile int
        "#]],
    );
}

#[test]
fn declarators() {
    check(
        "int *a, **b, *const *c; int d[3], e[2][3], f[]; int *g[3], (*h)[3]; int i(void), *j(void), (*k)(void), (*l[3])(void);
         int (*m(int))(char); int (*(*n)(void))[3]; int ((((o)))); int (*(*p[2])(int (*)(char), ...))[4]; void (*signal(int, void (*)(int)))(int);
         int *(*(*q)); int (r[2]); int ((*s));",
        expect![[r#"
            declare a: ptr(int)
            declare b: ptr(ptr(int))
            declare c: ptr(const ptr(int))
            declare d: array(int, 3)
            declare e: array(array(int, 3), 2)
            declare f: array(int)
            declare g: array(ptr(int), 3)
            declare h: ptr(array(int, 3))
            declare i: fn() -> int
            declare j: fn() -> ptr(int)
            declare k: ptr(fn() -> int)
            declare l: array(ptr(fn() -> int), 3)
            declare m: fn(int) -> ptr(fn(char) -> int)
            declare n: ptr(fn() -> ptr(array(int, 3)))
            declare o: int
            declare p: array(ptr(fn(ptr(fn(char) -> int), ...) -> ptr(array(int, 4))), 2)
            declare signal: fn(int, ptr(fn(int) -> void)) -> ptr(fn(int) -> void)
            declare q: ptr(ptr(ptr(int)))
            declare r: array(int, 2)
            declare s: ptr(int)
        "#]],
    );
}

#[test]
fn parameters() {
    check(
        "void a(); void b(void); void c(int); void d(int x, char *y); void e(int, ...); void f(int [], int x[const static 3], int y[*]);
         void g(int f(int), int (char), int (*)(char)); void h(register int x); void i(const struct S *s); void j(int n, int a[n][n + 1]);
         typedef int T; void k(T), l(T x), m(T (*)(T)), n(int (T)), o(int (x)), p(void (*)()), q(int (*)[3]), r(T *), s(unsigned T);",
        expect![[r#"
            declare a: fn(?) -> void
            declare b: fn() -> void
            declare c: fn(int) -> void
            declare d: fn(x: int, y: ptr(char)) -> void
            declare e: fn(int, ...) -> void
            declare f: fn(array(int), x: const array(int, static 3), y: array(int, *)) -> void
            declare g: fn(f: fn(int) -> int, fn(char) -> int, ptr(fn(char) -> int)) -> void
            declare h: fn(register x: int) -> void
            declare i: fn(s: ptr(const struct S)) -> void
            declare j: fn(n: int, a: array(array(int, (+ n 1)), n)) -> void
            declare typedef T: int
            declare k: fn(T) -> void
            declare l: fn(x: T) -> void
            declare m: fn(ptr(fn(T) -> T)) -> void
            declare n: fn(fn(T) -> int) -> void
            declare o: fn(x: int) -> void
            declare p: fn(ptr(fn(?) -> void)) -> void
            declare q: fn(ptr(array(int, 3))) -> void
            declare r: fn(ptr(T)) -> void
            declare s: fn(T: uint) -> void
        "#]],
    );
}

#[test]
fn functions() {
    check(
        "int f(int a, char b) { return a; } static inline void g(void) {} h() { } main(argc, argv) int argc; char **argv; { return 0; }
         int (*k(int x))(char) { return 0; } int *m(a, b) register int *a, b; { } extern int (n)(int x) { } ; int o(p) { } T(q) { }",
        expect![[r#"
            function f: fn(a: int, b: char) -> int
              block
                return a
            function static inline g: fn() -> void
              block
            function h: fn(?) -> <implicit>
              block
            function main: fn(K&R argc argv) -> <implicit>
              declare argc: int
              declare argv: ptr(ptr(char))
              block
                return 0
            function k: fn(x: int) -> ptr(fn(char) -> int)
              block
                return 0
            function m: fn(K&R a b) -> ptr(int)
              declare register a: ptr(int)
              declare register b: int
              block
            function extern n: fn(x: int) -> int
              block
            function o: fn(K&R p) -> int
              block
            function T: fn(K&R q) -> <implicit>
              block
        "#]],
    );
}

#[test]
fn records() {
    check(
        "struct S; struct S { int a, *b; char c : 3, : 0, d : 1 + 1; struct { int e; }; union { int f; float g; } h; int i[]; };
         union U { int a; }; struct { } x; struct S *p, q; struct A { struct B { int x } y; } z; struct L { struct L *next; int T; };
         struct E { _Static_assert(1, \"\"); const unsigned : 4; ; __extension__ int k; };",
        expect![[r#"
            declare struct S
            declare struct S {
              declare a: int
              declare b: ptr(int)
              declare c: char bits 3
              declare _: char bits 0
              declare d: char bits (+ 1 1)
              declare struct {
                declare e: int
              }
              declare h: union {
                declare f: int
                declare g: float
              }
              declare i: array(int)
            }
            declare union U {
              declare a: int
            }
            declare x: struct {
            }
            declare p: ptr(struct S)
            declare q: struct S
            declare z: struct A {
              declare y: struct B {
                declare x: int
              }
            }
            declare struct L {
              declare next: ptr(struct L)
              declare T: int
            }
            declare struct E {
              static_assert 1 ""
              declare _: const uint bits 4
              declare k: int
            }
        "#]],
    );
}

#[test]
fn enums() {
    check(
        "enum E; enum E { A, B = 2, C = A + B, D, }; enum { X } x; enum E y; enum __attribute__((packed)) P { Q __attribute__((deprecated)) = 1 } z;",
        expect![[r#"
            declare enum E
            declare enum E {A, B = 2, C = (+ A B), D}
            declare x: enum {X}
            declare y: enum E
            declare z: enum P [packed] {Q [deprecated] = 1}
        "#]],
    );
}

#[test]
fn packing() {
    check(
        "#pragma pack(push, 1)\nstruct A { int x; };\n#pragma pack(pop)\nstruct B { int x; };\n  # pragma pack(2)\nstruct C { int x;\n#pragma pack()\n};\n#pragma once\n# 1 \"file.c\" 3 4\n#line 7\nstruct D { int x; };",
        expect![[r#"
            declare struct A pack(1) {
              declare x: int
            }
            declare struct B {
              declare x: int
            }
            declare struct C {
              declare x: int
            }
            declare struct D {
              declare x: int
            }
        "#]],
    );
}

#[test]
fn attributes_everywhere() {
    check(
        "__attribute__((a)) int x __attribute__((b)), __attribute__((c)) y; int __attribute__((d)) *__attribute__((e)) z;
         struct __attribute__((__packed__)) S { int m __attribute__((aligned(8))), n : 3 __attribute__((f)); } __attribute__((aligned(16), g)) s __attribute__((h));
         typedef struct T T; T *(__attribute__((regparm(3))) f)(int x) { return 0; } void g(int x __attribute__((unused)), __attribute__((i)) int);
         void h(const char *, ...) __attribute__((format(printf, 1, 2), __const__, nonnull)) __attribute__((noreturn)); int i asm(\"j\") __attribute__((k));
         void l(void) __attribute__((alias(\"m\"))) ; typedef int word __attribute__((mode(word), vector_size(4 * sizeof(int)))); int n __attribute__(()) = 1;
         int (__attribute__((o)) *p)(void) = (int (__attribute__((o)) *)(void))0; int q = sizeof(int __attribute__((aligned(2)))); __attribute__((r)) void s(void) {} enum E { E1 } __attribute__((t)); void u(int v[__attribute__((w)) const 3]);",
        expect![[r#"
            declare [a] x: int [b]
            declare [a] y: int [c]
            declare [d] z: ptr(int) [e]
            declare s: struct S [packed aligned(16) g] {
              declare m: int [aligned(8)]
              declare n: int bits 3 [f]
            } [h]
            declare typedef T: struct T
            function f: fn(x: int) -> ptr(T) [regparm(3)]
              block
                return 0
            declare g: fn(x: int [unused], [i] int) -> void
            declare h: fn(ptr(const char), ...) -> void [format(printf, 1, 2) const nonnull noreturn]
            declare i: int asm "j" [k]
            declare l: fn() -> void [alias("m")]
            declare typedef word: int [mode(word) vector_size((* 4 (sizeof-type int)))]
            declare n: int = 1
            declare p: ptr(fn() -> int) [o] = (cast ptr(fn() -> int) [o] 0)
            declare q: int = (sizeof-type int [aligned(2)])
            function [r] s: fn() -> void
              block
            declare enum E [t] {E1}
            declare u: fn(v: const array(int, 3) [w]) -> void
        "#]],
    );
}

#[test]
fn file_scope() {
    check(
        ";; asm(\"nop\"); _Static_assert(1); _Static_assert(sizeof(int) == 4, \"a\" \"b\"); __extension__ typedef int T; __extension__ extern T x; T;",
        expect![[r#"
            asm "nop"
            static_assert 1
            static_assert (== (sizeof-type int) 4) "ab"
            declare typedef T: int
            declare extern x: T
            declare T
        "#]],
    );
}

#[test]
fn headers_of_other_compilers_may_declare_builtin_types() {
    check(
        "typedef float _Float32; typedef struct __va_list_tag *__builtin_va_list; _Float32 x; __builtin_va_list y;",
        expect![[r#"
            declare typedef _Float32: float
            declare typedef __builtin_va_list: ptr(struct __va_list_tag)
            declare x: _Float32
            declare y: __builtin_va_list
        "#]],
    );
}

#[test]
fn blanks_comments_and_joined_lines() {
    check(
        "\u{feff}int/*c*/a;// d\nint b; // e \\\n int c;\n int \\\n d; int é, $x; char *s = \"a\\\nb\"; int e<:2:> = <%1%>; int f = a/**/+ +b;",
        expect![[r#"
            declare a: int
            declare b: int
            declare c: int
            declare d: int
            declare é: int
            declare $x: int
            declare s: ptr(char) = "ab"
            declare e: array(int, 2) = {1}
            declare f: int = (+ a (+ b))
        "#]],
    );
}

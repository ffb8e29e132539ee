//! The trees of every form of statement.

mod check;
use check::{check, check_body};
use expect_test::expect;

#[test]
fn simple() {
    check_body(
        "; x; f(1); { } { a; { b; } } return; return a, b; break; continue; goto l; goto *p; l: ;",
        expect![[r#"
            empty
            x
            (call f 1)
            block
            block
              a
              block
                b
            return
            return (, a b)
            break
            continue
            goto l
            goto * p
            label l
              empty
        "#]],
    );
}

#[test]
fn branches() {
    check_body(
        "if (a) b; if (a) b; else c; if (a) b; else if (c) d; else if (e) f; else { g; } if (a) if (b) c; else d;",
        expect![[r#"
            if a
              b
            if a
              b
            else
              c
            if a
              b
            else if c
              d
            else if e
              f
            else
              block
                g
            if a
              if b
                c
              else
                d
        "#]],
    );
}

#[test]
fn loops() {
    check_body(
        "while (a) b; do c; while (d); do { e; } while (f); for (;;) g; for (a = 0, b = 1; a < 2; a++) { h; }
         for (int i = 0, j; i < 2; ++i) ; for (T i = 0; ; ) break; while (1) while (2) ;",
        expect![[r#"
            while a
              b
            do
              c
            while d
            do
              block
                e
            while f
            for;;
              g
            for (, (= a 0) (= b 1)); (< a 2); (_++ a)
              block
                h
            for
                declare i: int = 0
                declare j: int; (< i 2); (++_ i)
              empty
            for
                declare i: T = 0;;
              break
            while 1
              while 2
                empty
        "#]],
    );
}

#[test]
fn switches_and_labels() {
    check_body(
        "switch (a) { case 1: case 2 ... 4: b; break; case (1 ? 2 : 3): c; default: ; } switch (a) case 1: b;
         l: m: case 5: x; T: y; n: __attribute__((unused)) z; o: int d; p: T e; { q: }",
        expect![[r#"
            switch a
              block
                case 1
                case 2 ... 4
                  b
                break
                case (? 1 2 3)
                  c
                default
                  empty
            switch a
              case 1
                b
            label l
            label m
            case 5
              x
            label T
              y
            label n [unused]
              z
            label o
              declare d: int
            label p
              declare e: T
            block
              label q
                empty
        "#]],
    );
}

#[test]
fn local_declarations() {
    check_body(
        "int a; T b = 1, *c; static const unsigned d; T; struct S { int x; } e; extern int g(int); typedef char U; U h;
         _Static_assert(1, \"m\"); __label__ l1, l2; __extension__ int i; __attribute__((unused)) int j;
         __attribute__((fallthrough)); register T k; __auto_type m = 1; T (n); T *o; T (*q)(T); __extension__ (void)a;",
        expect![[r#"
            declare a: int
            declare b: T = 1
            declare c: ptr(T)
            declare static d: const uint
            declare T
            declare e: struct S {
              declare x: int
            }
            declare extern g: fn(int) -> int
            declare typedef U: char
            declare h: U
            static_assert 1 "m"
            __label__ l1 l2
            declare i: int
            declare [unused] j: int
            empty [fallthrough]
            declare register k: T
            declare m: __auto_type = 1
            declare n: T
            declare o: ptr(T)
            declare q: ptr(fn(T) -> T)
            (cast void a)
        "#]],
    );
}

#[test]
fn inline_assembly() {
    check_body(
        r#"asm("nop"); __asm__ volatile ("a" "b" : "=r" (x), [y] "+m" (*y) : "r" (1), "i" (2) : "memory", "cc");
           asm goto ("" : : "r"(x) : : l1, l2); asm volatile ("" ::: "memory"); asm("" :); asm inline ("x" : : ); l1: l2: ;"#,
        expect![[r#"
            asm "nop"
            asm volatile "ab" out ("=r" x) (y "+m" (* y)) in ("r" 1) ("i" 2) clobber "memory" "cc"
            asm goto "" out in ("r" x) labels l1 l2
            asm volatile "" out in clobber "memory"
            asm "" out in
            asm "x" out in
            label l1
            label l2
              empty
        "#]],
    );
}

#[test]
fn scopes_decide_what_is_a_type() {
    check(
        "typedef int T;
         void f(int T) { T * x; }
         void g(void) { T * x; { int T; T * x; } T * y; }
         void h(void) { enum { T }; T * x; }
         void i(void) { struct S { int T; }; T * x; goto T; T: ; T z; }
         void j(void) { for (int T = 0; T < 1; ) T * x; T * y; }
         void k(T T, int a[T]) { T * x; }
         T *l(void);
         void m(void) { T T = 1, x = (T) + 1; }
         int n(T), o(int (T)), p(int T), q(T (T));
         void r(void) { typedef char T; T * x; }
         T s;",
        expect![[r#"
            declare typedef T: int
            function f: fn(T: int) -> void
              block
                (* T x)
            function g: fn() -> void
              block
                declare x: ptr(T)
                block
                  declare T: int
                  (* T x)
                declare y: ptr(T)
            function h: fn() -> void
              block
                declare enum {T}
                (* T x)
            function i: fn() -> void
              block
                declare struct S {
                  declare T: int
                }
                declare x: ptr(T)
                goto T
                label T
                  empty
                declare z: T
            function j: fn() -> void
              block
                for
                    declare T: int = 0; (< T 1);
                  (* T x)
                declare y: ptr(T)
            function k: fn(T: T, a: array(int, T)) -> void
              block
                (* T x)
            declare l: fn() -> ptr(T)
            function m: fn() -> void
              block
                declare T: T = 1
                declare x: T = (+ T 1)
            declare n: fn(T) -> int
            declare o: fn(fn(T) -> int) -> int
            declare p: fn(T: int) -> int
            declare q: fn(fn(T) -> T) -> int
            function r: fn() -> void
              block
                declare typedef T: char
                declare x: ptr(T)
            declare s: T
        "#]],
    );
}

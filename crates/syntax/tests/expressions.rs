//! The trees of every form of expression and initialiser.

mod check;
use check::{check, check_exprs};
use expect_test::expect;

#[test]
fn primaries() {
    check_exprs(
        &[
            "x",
            "42",
            "0x2aUL",
            "017",
            "0",
            "0b11ll",
            "3i",
            "'a'",
            "L'a'",
            r"'\n'",
            "1.5e3f",
            "0x1p-3",
            "1.0Q",
            "1.0i",
            r#""a" "b\n\x41\0""#,
            r#"L"ab""#,
            r#"u8"é""#,
            r#""a" L"b""#,
            "(x)",
            "((x))",
            "__func__",
        ],
        expect![[r#"
            x  =>  x
            42  =>  42
            0x2aUL  =>  0x2aul
            017  =>  017
            0  =>  0
            0b11ll  =>  0b11ll
            3i  =>  3i
            'a'  =>  '97'
            L'a'  =>  L'97'
            '\n'  =>  '10'
            1.5e3f  =>  1.5e3f
            0x1p-3  =>  0x1p-3
            1.0Q  =>  1.0f128
            1.0i  =>  1.0i
            "a" "b\n\x41\0"  =>  "ab\nA\x00"
            L"ab"  =>  L"a\x00\x00\x00b\x00\x00\x00"
            u8"é"  =>  u8"\xc3\xa9"
            "a" L"b"  =>  L"a\x00\x00\x00b\x00\x00\x00"
            (x)  =>  x
            ((x))  =>  x
            __func__  =>  __func__
        "#]],
    );
}

#[test]
fn postfix() {
    check_exprs(
        &[
            "f()",
            "f(a)",
            "f(a, (b, c), d = e)",
            "f(a)(b)",
            "a[1]",
            "a[b, c][d]",
            "a.b",
            "a->b.c",
            "a++",
            "a--",
            "f(a)[b].c->d++",
            "(*f)(a)",
            "f((T)a, sizeof(T))",
            "a.T",
        ],
        expect![[r#"
            f()  =>  (call f)
            f(a)  =>  (call f a)
            f(a, (b, c), d = e)  =>  (call f a (, b c) (= d e))
            f(a)(b)  =>  (call (call f a) b)
            a[1]  =>  (index a 1)
            a[b, c][d]  =>  (index (index a (, b c)) d)
            a.b  =>  (. a b)
            a->b.c  =>  (. (-> a b) c)
            a++  =>  (_++ a)
            a--  =>  (_-- a)
            f(a)[b].c->d++  =>  (_++ (-> (. (index (call f a) b) c) d))
            (*f)(a)  =>  (call (* f) a)
            f((T)a, sizeof(T))  =>  (call f (cast T a) (sizeof-type T))
            a.T  =>  (. a T)
        "#]],
    );
}

#[test]
fn prefix() {
    check_exprs(
        &[
            "-a",
            "+a",
            "~a",
            "!a",
            "&a",
            "*a",
            "++a",
            "--a",
            "-~!*&a",
            "- -a",
            "-a++",
            "*p++",
            "*p[1]",
            "-f(a)",
            "__real__ a",
            "__imag__ a",
            "__extension__ a",
            "__extension__ -a + b",
            "&&label",
            "*&&label",
        ],
        expect![[r#"
            -a  =>  (- a)
            +a  =>  (+ a)
            ~a  =>  (~ a)
            !a  =>  (! a)
            &a  =>  (& a)
            *a  =>  (* a)
            ++a  =>  (++_ a)
            --a  =>  (--_ a)
            -~!*&a  =>  (- (~ (! (* (& a)))))
            - -a  =>  (- (- a))
            -a++  =>  (- (_++ a))
            *p++  =>  (* (_++ p))
            *p[1]  =>  (* (index p 1))
            -f(a)  =>  (- (call f a))
            __real__ a  =>  (__real__ a)
            __imag__ a  =>  (__imag__ a)
            __extension__ a  =>  a
            __extension__ -a + b  =>  (+ (- a) b)
            &&label  =>  (&& label)
            *&&label  =>  (* (&& label))
        "#]],
    );
}

#[test]
fn types_in_expressions() {
    check_exprs(
        &[
            "(T)a",
            "(T)-a",
            "(T)(a)",
            "(T)a + b",
            "(T)a[1]",
            "(T)a++",
            "(T)(T)a",
            "(const char *)a",
            "(int (*)(int))a",
            "(T){1}",
            "(T[]){1, 2}[0]",
            "&(struct S){.a = 1}.a",
            "sizeof a",
            "sizeof(a)",
            "sizeof(a)[1]",
            "sizeof(T)",
            "sizeof(T) * 2",
            "sizeof (T){1}",
            "sizeof (T){1}.a",
            "sizeof -a",
            "sizeof(T[3])",
            "-sizeof(T)",
            "_Alignof(T)",
            "__alignof__(T)",
            "__alignof__ a",
            "__alignof(a)",
            "sizeof sizeof a",
            "sizeof(int(*)[3])",
            "(a) + b",
            "(a)(b)",
        ],
        expect![[r#"
            (T)a  =>  (cast T a)
            (T)-a  =>  (cast T (- a))
            (T)(a)  =>  (cast T a)
            (T)a + b  =>  (+ (cast T a) b)
            (T)a[1]  =>  (cast T (index a 1))
            (T)a++  =>  (cast T (_++ a))
            (T)(T)a  =>  (cast T (cast T a))
            (const char *)a  =>  (cast ptr(const char) a)
            (int (*)(int))a  =>  (cast ptr(fn(int) -> int) a)
            (T){1}  =>  (literal T {1})
            (T[]){1, 2}[0]  =>  (index (literal array(T) {1, 2}) 0)
            &(struct S){.a = 1}.a  =>  (& (. (literal struct S {.a = 1}) a))
            sizeof a  =>  (sizeof a)
            sizeof(a)  =>  (sizeof a)
            sizeof(a)[1]  =>  (sizeof (index a 1))
            sizeof(T)  =>  (sizeof-type T)
            sizeof(T) * 2  =>  (* (sizeof-type T) 2)
            sizeof (T){1}  =>  (sizeof (literal T {1}))
            sizeof (T){1}.a  =>  (sizeof (. (literal T {1}) a))
            sizeof -a  =>  (sizeof (- a))
            sizeof(T[3])  =>  (sizeof-type array(T, 3))
            -sizeof(T)  =>  (- (sizeof-type T))
            _Alignof(T)  =>  (_Alignof-type T)
            __alignof__(T)  =>  (__alignof__-type T)
            __alignof__ a  =>  (__alignof__ a)
            __alignof(a)  =>  (__alignof__ a)
            sizeof sizeof a  =>  (sizeof (sizeof a))
            sizeof(int(*)[3])  =>  (sizeof-type ptr(array(int, 3)))
            (a) + b  =>  (+ a b)
            (a)(b)  =>  (call a b)
        "#]],
    );
}

#[test]
fn binary_operators() {
    check_exprs(
        &[
            "a + b * c",
            "a * b + c",
            "a - b - c",
            "a - (b - c)",
            "a << b + c",
            "a < b << c",
            "a == b < c",
            "a & b == c",
            "a ^ b & c",
            "a | b ^ c",
            "a && b | c",
            "a || b && c",
            "a / b % c",
            "a > b",
            "a <= b",
            "a >= b",
            "a != b",
            "a >> b",
            "(a + b) * c",
            "a + b + c * d * e - f",
        ],
        expect![[r#"
            a + b * c  =>  (+ a (* b c))
            a * b + c  =>  (+ (* a b) c)
            a - b - c  =>  (- (- a b) c)
            a - (b - c)  =>  (- a (- b c))
            a << b + c  =>  (<< a (+ b c))
            a < b << c  =>  (< a (<< b c))
            a == b < c  =>  (== a (< b c))
            a & b == c  =>  (& a (== b c))
            a ^ b & c  =>  (^ a (& b c))
            a | b ^ c  =>  (| a (^ b c))
            a && b | c  =>  (&& a (| b c))
            a || b && c  =>  (|| a (&& b c))
            a / b % c  =>  (% (/ a b) c)
            a > b  =>  (> a b)
            a <= b  =>  (<= a b)
            a >= b  =>  (>= a b)
            a != b  =>  (!= a b)
            a >> b  =>  (>> a b)
            (a + b) * c  =>  (* (+ a b) c)
            a + b + c * d * e - f  =>  (- (+ (+ a b) (* (* c d) e)) f)
        "#]],
    );
}

#[test]
fn assignment_conditional_comma() {
    check_exprs(
        &[
            "a = b",
            "a = b = c",
            "a += b -= c",
            "a *= b",
            "a /= b",
            "a %= b",
            "a <<= b",
            "a >>= b",
            "a &= b",
            "a ^= b",
            "a |= b",
            "a ? b : c",
            "a ? b : c ? d : e",
            "a ? b ? c : d : e",
            "a ? b, c : d",
            "a ? b = c : d",
            "a ?: b",
            "a ?: b ?: c",
            "a ? : b",
            "a || b ? c : d",
            "a = b ? c : d",
            "a, b, c",
            "a = b, c = d",
            "(a, b) + c",
            "a ? (b) : (c)",
            "f(a ? b : c, d)",
            "*a = b",
        ],
        expect![[r#"
            a = b  =>  (= a b)
            a = b = c  =>  (= a (= b c))
            a += b -= c  =>  (+= a (-= b c))
            a *= b  =>  (*= a b)
            a /= b  =>  (/= a b)
            a %= b  =>  (%= a b)
            a <<= b  =>  (<<= a b)
            a >>= b  =>  (>>= a b)
            a &= b  =>  (&= a b)
            a ^= b  =>  (^= a b)
            a |= b  =>  (|= a b)
            a ? b : c  =>  (? a b c)
            a ? b : c ? d : e  =>  (? a b (? c d e))
            a ? b ? c : d : e  =>  (? a (? b c d) e)
            a ? b, c : d  =>  (? a (, b c) d)
            a ? b = c : d  =>  (? a (= b c) d)
            a ?: b  =>  (?: a b)
            a ?: b ?: c  =>  (?: a (?: b c))
            a ? : b  =>  (?: a b)
            a || b ? c : d  =>  (? (|| a b) c d)
            a = b ? c : d  =>  (= a (? b c d))
            a, b, c  =>  (, (, a b) c)
            a = b, c = d  =>  (, (= a b) (= c d))
            (a, b) + c  =>  (+ (, a b) c)
            a ? (b) : (c)  =>  (? a b c)
            f(a ? b : c, d)  =>  (call f (? a b c) d)
            *a = b  =>  (= (* a) b)
        "#]],
    );
}

#[test]
fn builtins() {
    check_exprs(
        &[
            "({ 1; x; })",
            "({ T y = 1; y; }) + 1",
            "_Generic(a, int: 1, char *: 2, default: 3)",
            "__builtin_offsetof(struct S, a)",
            "__builtin_offsetof(T, a.b[1].c[x + 1])",
            "__builtin_va_arg(ap, int *)",
            "__builtin_types_compatible_p(int, T *)",
            "__builtin_choose_expr(1, a, b)",
            "__builtin_expect(a, 0)",
        ],
        expect![[r#"
            ({ 1; x; })  =>  (stmt block 1 x )
            ({ T y = 1; y; }) + 1  =>  (+ (stmt block declare y: T = 1 y ) 1)
            _Generic(a, int: 1, char *: 2, default: 3)  =>  (generic a [int 1] [ptr(char) 2] [default 3])
            __builtin_offsetof(struct S, a)  =>  (offsetof struct S .a)
            __builtin_offsetof(T, a.b[1].c[x + 1])  =>  (offsetof T .a.b[1].c[(+ x 1)])
            __builtin_va_arg(ap, int *)  =>  (va_arg ptr(int) ap)
            __builtin_types_compatible_p(int, T *)  =>  (types_compatible int ptr(T))
            __builtin_choose_expr(1, a, b)  =>  (choose_expr 1 a b)
            __builtin_expect(a, 0)  =>  (call __builtin_expect a 0)
        "#]],
    );
}

#[test]
fn initialisers() {
    check(
        "int a = 1, b[] = {1, 2,}, c[2][2] = {{1, 2}, {3}};
         struct S s = {.a = 1, .b.c[2] = {4}, d: 5, [3] = 6, [4 ... 5] = 7, [6] 8, 9};
         char t[] = \"abc\", u[] = {\"abc\"};
         struct S e = {};",
        expect![[r#"
            declare a: int = 1
            declare b: array(int) = {1, 2}
            declare c: array(array(int, 2), 2) = {{1, 2}, {3}}
            declare s: struct S = {.a = 1, .b.c[2] = {4}, .d = 5, [3] = 6, [4 ... 5] = 7, [6] = 8, 9}
            declare t: array(char) = "abc"
            declare u: array(char) = {"abc"}
            declare e: struct S = {}
        "#]],
    );
}

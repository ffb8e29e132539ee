//! Rows about expressions and about what conditions teach.

use super::{Options, check, check_all, each, everything};

#[test]
fn operators_on_what_is_known_in_part() {
    check_all(&[
        ("int main() { int x = any(-1), z = 0; return x & z; }", "0"),
        ("int main() { int x = any(-1), z = 0; return z & x; }", "0"),
        ("int main() { int x = any(-1), z = 0; return z * x; }", "0"),
        ("int main() { int x = any(-1), z = 0; return x * z; }", "0"),
        ("int main() { int x = any(-1), z = 1; return x & z; }", "?"),
        ("int main() { int x = any(-1), z = 0; return x | z; }", "?"),
        ("int main() { int x = any(-1), z = 1; return x | z; }", "?"),
        ("int main() { int x = any(-1), z = 1; return x * z; }", "?"),
        ("int main() { double x = any(1), z = 0; x = x / z; x = z * x; return x != x ? 1 : 2; }", "?"),
        ("int main() { int x = any(-1), y = x; return x - x + (y ^ y) + (x < x); }", "0"),
        ("int main() { int x = any(-1); return (x == x) * 2 + (x <= x); }", "3"),
        ("int main() { int x = any(-1); return (long)x - (long)x; }", "0"),
        ("int main() { int x = any(-1); return x + x; }", "?"),
        ("int main() { double x = any(1), y = any(0); x = x / y; return x == x ? 1 : 2; }", "?"),
        ("int main() { int x = any(1), t = x ? 5 : 5; return t; }", "5"),
        ("int main() { int x = -7; return abs(x); }", "7"),
        ("int main() { int x = any(3); int y = abs(x); return y == 3 ? x : 9; }", "?"),
    ]);
}

#[test]
fn pointers() {
    check_all(&[
        ("int main() { int a[4] = {1, 2, 3, 4}, *p = a + 1; p = p + 2; return *p; }", "4"),
        ("int main() { int a[4] = {1, 2, 3, 4}, *p = a + 3; p = p - 2; return *p + (p - a); }", "3"),
        (
            "int main() { int a[4] = {1, 2, 3, 4}; unsigned long u = (unsigned long)a; u = 8 + u; return *(int *)u; }",
            "3",
        ),
        (
            "int main() { int a[4] = {1, 2, 3, 4}; unsigned long u = (unsigned long)(a + 3); return *(int *)(u - 8); }",
            "2",
        ),
        (
            "int main() { int a[4], *p = a + 1, *q = a + 3; return (p < q) * 16 + (q < p) * 8 + (p <= p) * 4 + (q <= p) * 2 + (p < p); }",
            "20",
        ),
        ("int main() { int a[4], *p = a + 1, *q = a + 1; return (p == q) * 2 + (p != a); }", "3"),
        ("int main() { int a, b, *p = &a, *q = &b; return (p == q) + 1; }", "1"),
        ("int main() { int a[2], *p = a + 2; return (p != 0) * 2 + (0 == p); }", "2"),
        ("int main() { int a[2], b[2], *p = a + 2, *q = b; return p == q ? 1 : 2; }", "?"),
        (
            "int f(void) { return 1; } int g(void) { return 2; } int main() { int (*p)(void) = f;
            return (p == f) * 4 + (p == g) * 2 + (p == 0); }",
            "4",
        ),
        (
            "int f(void) { return 1; } int a; int main() { void *p = (void *)f, *q = &a; return (p == q) + (q == p) + 1; }",
            "1",
        ),
        ("int a; int main() { int *p = &a; int n = (int)(long)p; return n == 5 ? 1 : 2; }", "?"),
        ("int a[2]; int main() { int *p = a; return (unsigned long)p == 5 ? 1 : 2; }", "?"),
        (
            "int a[2]; int main() { long d = (char *)(a + 1) - (char *)a; int n = a - (a + 1); return d * 16 + n; }",
            "63",
        ),
        ("int a[2] = {1, 2}; int main() { int *p = a + 1; return p[-1]; }", "1"),
        ("int a[2] = {1, 2}; int main() { long p = (long)a, q = (long)(a + 1); return p < q ? 1 : 2; }", "?"),
        (
            "int a[2] = {1, 2}; int main() { unsigned long p = (unsigned long)a, q = (unsigned long)(a + 1);
            return p < q ? 1 : 2; }",
            "1",
        ),
    ]);
}

/// Expressions that are evaluated without recursion.
#[test]
fn large_expressions() {
    let sum = |term: &str| vec![term; 1100].join(" + ");
    let rows = [
        ("int x = 1;", "x"),
        ("int x = 1;", "(x < 2)"),
        ("int x = -1;", "-x"),
        ("int y = 1, *x = &y;", "*x"),
        ("short x = 1;", "x"),
        ("int x = 1, c = any(1);", "(c & x ? x : x)"),
        ("int x = 1;", "(x ? x : 0)"),
        ("int x = 0;", "(x ? x : 1)"),
        ("int y[2], *x = y;", "(&y[0] == x)"),
        ("int (*x)(void) = main;", "(x == main)"),
    ];
    each(&rows, |(before, term)| {
        let text = format!("int main() {{ {before} int r = {}; return r == 1100; }}", sum(term));
        check(&text, "1", &|_| everything(Options::default()));
    });
    let text = format!("int main() {{ int x = any(1); if ({} == 1100) return x + 1; return 5; }}", sum("x"));
    check(&text, "? 5", &|_| everything(Options::default()));
}

#[test]
fn equations() {
    check_all(&[
        ("int main() { int x = any(7); if (x == 5) return x; return 9; }", "5 9"),
        ("int main() { int x = any(7); if (5 == x) return x; return 9; }", "5 9"),
        ("int main() { int x = any(7); if (x != 5) return 9; return x; }", "5 9"),
        ("int main() { int x = any(7); if (x + 3 == 7) return x; return 9; }", "4 9"),
        ("int main() { int x = any(7); if (3 + x == 7) return x; return 9; }", "4 9"),
        ("int main() { int x = any(7); if (x - 3 == 4) return x; return 9; }", "7 9"),
        ("int main() { int x = any(7), y = 7; if (y - x == 4) return x; return 9; }", "3 9"),
        ("int main() { int x = any(7), y = 5; if ((x ^ y) == 1) return x; return 9; }", "4 9"),
        ("int main() { int x = any(7), y = 5; if ((y ^ x) == 1) return x; return 9; }", "4 9"),
        ("int main() { int x = any(7), y = 3; if (y + x == 7) return x; return 9; }", "4 9"),
        ("int main() { int x = any(7), y = 3; if (-x == -y) return x; return 9; }", "3 9"),
        ("int main() { int x = any(7), y = 6; if (~x == ~y) return x; return 9; }", "6 9"),
        ("int main() { int x = any(7); if (x * 2 == 6) return x; return 9; }", "? 9"),
        ("int main() { int x = any(7); if (x == 2) { if (x == 3) return 1; return 2; } return 0; }", "0 2"),
        ("int main() { int x = any(3); if (x == 2 && x == 3) return 1; return 2; }", "2"),
        ("int main() { int x = any(3); if (x == 2 && x + 1 == 4) return 1; return 2; }", "2"),
        ("int main() { int x = any(3), y = any(3); if (x == 2 && y == 3) return x * 10 + y; return 1; }", "1 23"),
        ("int main() { int x = any(3), y = any(3); if (x != 2 || y != 3) return 1; return x * 10 + y; }", "1 23"),
        ("int main() { int x = any(3), z = 0; if (x == 2 || z) return x; return 1; }", "1 2"),
        ("int main() { int x = any(3), z = 0; if (z | (x == 2)) return x; return 1; }", "1 ?"),
        ("int main() { int x = any(3), z = 1; if ((x == 2) & z) return x; return 1; }", "1 ?"),
        ("int main() { int x = any(3); int t = x == 2; if (t) return 3; return t; }", "0 3"),
        ("int main() { _Bool b = any(1); if (b) return b; return b + 5; }", "5 ?"),
        ("int main() { _Bool b = any(1); int x = b; if (x == 1) return x; return x + 5; }", "1 ?"),
        ("int main() { unsigned char c = any(255); if (c == 200) return c; return 1; }", "1 200~"),
        ("int main() { unsigned char c = any(3); if (c + 256 == 258) return c; return 1; }", "1 2"),
        ("int main() { unsigned char c = any(3); if (c == 300) return 2; return 1; }", "1"),
        ("int main() { signed char c = any(1) - 1; if (c == -1) return c + 3; return 1; }", "1 2"),
        ("int main() { int x = any(1) * 256 + 1; if ((char)x == 1) return x == 1; return 7; }", "7~ ?"),
        ("int main() { double d = any(3); if (d == 2) return d * 2; return 1; }", "1 4"),
        ("int main() { float d = any(3); if (d == 2) return d * 2; return 1; }", "1 4"),
        ("int main() { double d = any(1) * -0.0; if (d == 0) return 1 / d < 0 ? 1 : 2; return 3; }", "3~ ?"),
        ("int main() { float d = any(1) * -0.0f; if (d == 0) return 1 / d < 0 ? 1 : 2; return 3; }", "3~ ?"),
        ("int main() { long double d = any(3); if (d == 2) return d * 2; return 1; }", "? 1"),
        (
            "int a; int main() { int *p = any(1) ? &a : 0; int *q[1]; q[any(0)] = p; p = q[0];
            if (p == 0) return p == 0; return 3; }",
            "1 3",
        ),
        (
            "int a, b; int main() { int *q[2] = {&a, &b}; int *p = q[any(1)]; if (p == &a) { a = 4; *p = 5; return a; } return 3; }",
            "? 3",
        ),
        (
            "int f(void) { return 1; } int g(void) { return 2; } int (*t[2])(void) = {f, g};
            int main() { int (*p)(void) = t[any(1)]; if (p == f) return (p == f) + (p == g); return 3; }",
            "1 3",
        ),
        ("int x; int main() { int *p = &x; *p = any(3); if (x == 2) return *p + 3; return 1; }", "1 5"),
        ("int x; int main() { int *p = &x; *p = any(3); if (*p != 2) return 1; return x; }", "1 2"),
        (
            "int main() { int x = any(7); switch (x) { case 3: return x; case 4 ... 5: return 8; default: return 9; } }",
            "3 8 9",
        ),
        ("int main() { int c = any(1), y = any(3); int t = c ? 1 : y; if (t == 1) return 4; return t; }", "4 ?"),
        ("int main() { int x = any(3); if ((double)x == 2) return x; return 1; }", "1 ?"),
        ("int main() { double d = any(3); if ((int)d == 2) return d; return 1; }", "1 ?"),
        ("int main() { unsigned char c = any(3); if (c != 1) return c; return 9; }", "9 ?"),
        ("int main() { unsigned char c = any(3); if (c) return c; return c + 9; }", "9 ?"),
        ("int a; int main() { int *p = &a; if ((unsigned long)p != any(-1)) return 1; return 2; }", "1 2~"),
    ]);
}

#[test]
fn orders() {
    check_all(&[
        ("int main() { unsigned char c = any(255); if (c > 254) return c; return 1; }", "1 255~"),
        ("int main() { unsigned char c = any(3); if (c < 1) return c + 7; return 1; }", "1 7"),
        ("int main() { unsigned char c = any(3); if (1 > c) return c + 7; return 1; }", "1 7"),
        ("int main() { unsigned char c = any(3); if (!(c >= 1)) return c + 7; return 1; }", "1 7"),
        ("int main() { unsigned char c = any(3); if (c <= 0) return c + 7; return 1; }", "1 7"),
        ("int main() { unsigned char c = any(3); if (c > 255) return 2; if (c < 0) return 3; return 1; }", "1"),
        ("int main() { unsigned char c = any(3); if (c <= 1) return c; return 7; }", "? 7"),
        ("int main() { unsigned c = any(3); if (c < 1) return c + 7; return 1; }", "1 7"),
        ("int main() { unsigned c = any(3); if (c < 2) return c + 7; return 1; }", "1 ?"),
        ("int main() { signed char c = any(3) - 128; if (c < -127) return c + 130; return 1; }", "1 2"),
        ("int main() { signed char c = any(3) + 124; if (c > 126) return c - 120; return 1; }", "1 7"),
        ("int main() { signed char c = any(3) + 124; if (c >= 127) return c - 120; return 1; }", "1 7"),
        ("int main() { _Bool b = any(1); int x = b; if (x > 0) return x; return x + 5; }", "?"),
        ("int main() { _Bool b = any(1); if ((int)b < 1) return 5; return 7; }", "5 7"),
        ("int main() { _Bool b = any(1); if (b + 0u < 1u) return 5; return 7; }", "5 7"),
        ("int main() { unsigned char c = any(1); unsigned x = c; if (x >= 255) return x; return 1; }", "1 ?"),
        ("int main() { signed char c = any(1) - 1; unsigned x = c; if (x >= 255) return 2; return 1; }", "1 2"),
        ("int main() { long x = any(3); if (x > 0x7ffffffffffffffe) return 2; return 1; }", "1 2~"),
        ("int main() { unsigned char c = any(3), d = any(3); if (c < d) return 2; return 1; }", "1 2"),
        ("int main() { unsigned char c = any(1); if ((unsigned)c > 255) return 2; return 1; }", "1"),
        ("int main() { signed char c = any(1) - 1; if ((unsigned)c > 255) return 2; return 1; }", "1 2"),
        ("int main() { int c = any(1); if ((long)c > 0x7fffffff) return 2; return 1; }", "1"),
        ("int main() { int c = any(1); if ((long)c < -0x80000000l) return 2; return 1; }", "1"),
        ("int main() { int x = any(3), y = 2; if (x == y) { if (x < y) return 3; return x; } return 1; }", "1 2"),
        ("int main() { int x = any(3); if (x < 2 && x > 2) return 2; return 1; }", "1 2~"),
    ]);
}

/// What the option `signs` adds.
#[test]
fn signs() {
    let rows = [
        ("int main() { int x = any(3); if (x) { if (x == 0) return 2; return 3; } return x; }", "0 3"),
        ("int main() { int x = any(3); if (x != 0) return !x; return 4; }", "0 4"),
        ("int main() { int x = any(3) - 1; if (x < 0) return x < 0; return (x >= 0) + 4; }", "1 5"),
        ("int main() { int x = any(3) - 1; if (x < 0) return x <= 0; return (x < 0) + 4; }", "1 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) return x > 0; return (x <= 0) + 4; }", "1 5"),
        (
            "int main() { int x = any(3) - 1; if (x >= 0) { if (x != 0) return x > 0; return x + 7; } return 4; }",
            "1 4 7",
        ),
        ("int main() { int x = any(3) - 1; if (x > 0) return x > 1; return 4; }", "? 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) return x != -5; return 4; }", "1 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) return x == 5; return 4; }", "? 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) { if (x == -1) return 2; return 3; } return 4; }", "3 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) { if (x == 2) return x; return 3; } return 4; }", "2 3 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) { long y = x; return y > 0; } return 4; }", "1 4"),
        ("int main() { unsigned x = any(3); if (x > 0) { return x > 0; } return x + 4; }", "1 4"),
        ("int main() { unsigned x = any(3); if (x > 0) { long y = x; return y > 0; } return 4; }", "1 4"),
        ("int main() { int x = any(3) - 1; if ((long)x > 0) { return x > 0; } return 4; }", "1 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) { char y = x; return y > 0; } return 4; }", "? 4"),
        ("int main() { int x = any(3) - 1; if (x > 0) { return x + 1 > 0; } return 4; }", "? 4"),
        ("int main() { int x = any(3) - 1; if (x < 0) { double y = x; return y == -1; } return 4; }", "? 4"),
        ("int main() { double x = any(3) - 1; if (x < 0) { long y = x; return y == -1; } return 4; }", "? 4"),
        (
            "int x; int main() { int *p = &x; *p = any(3); if (x) { if (*p == 0) return 2; return 3; } return *p; }",
            "0 3",
        ),
        ("int main() { int x = any(3), y = any(3); if (x > 0 && y < 0) return x < y; return 4; }", "0~ 4"),
        (
            "int main() { int x = any(3) - 1, y = any(3) - 3; if (x > 0 && y < 0) return (x == y) + (y < x); return 4; }",
            "1 4",
        ),
        (
            "float d; int main() { char *p = (char *)&d; *(int *)p = any(1) ? -1 << 31 : 0; if (*(int *)p < 0) return d == 0; return 4; }",
            "? 4",
        ),
    ];
    each(&rows, |(text, expected)| {
        check(text, expected, &|_| everything(Options { signs: true, ..Options::default() }));
    });
}

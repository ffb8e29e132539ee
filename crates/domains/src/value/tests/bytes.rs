//! Rows about memory: bytes of scalars, fills, copies, and objects that come and go.

use super::{Options, check, check_all, each, everything};

#[test]
fn parts_of_scalars() {
    check_all(&[
        ("int main() { int x = 0x01020304; char *p = (char *)&x; return p[2]; }", "2"),
        ("int main() { int x = 0x01020304; char *p = (char *)&x; return *(short *)(p + 1) & 255; }", "3"),
        ("int main() { short s[2] = {1, 2}; return *(int *)s >> 16; }", "2"),
        ("int main() { short s[3] = {1, 0x203, 0x405}; return *(int *)((char *)s + 1) >> 16; }", "2"),
        ("int main() { int x = 0x01020304; char *p = (char *)&x; p[1] = 9; return x >> 8 & 255; }", "9"),
        ("int main() { int x = 0x01020304; char *p = (char *)&x; p[1] = 9; return p[0] * 16 + p[3]; }", "65"),
        ("int main() { char a[8] = {1, 2, 3, 4, 5, 6, 7, 8}; *(int *)(a + 2) = 0; return a[1] * 16 + a[6]; }", "39"),
        ("int main() { char a[8] = {1, 2, 3, 4, 5, 6, 7, 8}; *(int *)(a + 2) = 0; return a[2] + a[5]; }", "0"),
        ("int main() { int x = any(-1); char *p = (char *)&x; p[1] = 3; return p[1]; }", "3"),
        ("int main() { int x = any(-1); char *p = (char *)&x; p[1] = 3; return p[0]; }", "?"),
        ("int main() { int x = any(-1); char *p = (char *)&x; p[1] = 3; return x; }", "?"),
        ("int main() { int x = any(-1); char *p = (char *)&x; p[0] = p[1] = p[2] = p[3] = 2; return x >> 24; }", "2"),
        ("int main() { int y = 4; int *x = &y; char *p = (char *)&x; p[0] = p[0]; return *x; }", "?"),
        ("int main() { int y = 4; int *x[2] = {&y, &y}; char *p = (char *)x; p[0] = 1; return *x[1]; }", "4"),
        ("int main() { __int128 v = (__int128)7 << 120 | 5; char *p = (char *)&v; return p[15] * 16 + p[0]; }", "117"),
        ("int main() { long v[2] = {1, 2}; char *p = (char *)v; return *(__int128 *)p >> 64; }", "2"),
        (
            "int main() { char a[24] = {0}; __int128 *p = (__int128 *)a; *p = -1; a[15] = 3; return a[15] + a[16]; }",
            "3",
        ),
        ("int main() { unsigned char a[4] = {1, 2, 3, 255}; return a[3]; }", "255"),
        ("int main() { long v = 1L << 40; return v >> 38; }", "4"),
        ("int main() { unsigned v = 0x80000000u, w = 0x7fffffff; return (v >> 28) + (w >> 28); }", "15"),
        ("int g = 5; int *at = &g; int main() { *at += 2; return g; }", "7"),
        ("struct { int a; short b, c; } s = {3, 4, 5}; int main() { return s.a * 9 + s.b * 3 + s.c; }", "44"),
        (
            "union { int i; char c[4]; } u = {0x01020304}; int main() { u.c[1] = 7; return (u.i >> 8 & 255) + u.c[3]; }",
            "8",
        ),
        ("struct { int a : 4, b : 9; } s = {3, 100}; int main() { s.a = 2; return s.b + s.a; }", "102"),
        ("int a[3][2] = {{1, 2}, {3, 4}, {5}}; int main() { return a[1][1] * 16 + a[2][0] + a[2][1]; }", "69"),
    ]);
}

#[test]
fn fills() {
    check_all(&[
        ("char a[200]; int main() { a[100] = 5; return a[99] + a[100] * 2 + a[101]; }", "10"),
        ("char a[200]; int main() { a[100] = 5; return *(int *)(a + 98) >> 16; }", "5"),
        ("char a[200]; int main() { a[4] = any(255); return a[4]; }", "?"),
        ("char a[200]; int main() { a[4] = any(255); return a[5]; }", "0"),
        ("char a[200]; int main() { a[4] = any(255); return *(short *)(a + 3); }", "?"),
        ("char a[200]; int main() { a[4] = any(255); a[4] = 0; return *(int *)(a + 2); }", "0"),
        ("char a[200]; int main() { int i = any(1); a[i + 4] = 7; return a[9]; }", "?"),
        (
            "char a[200]; int main() { *(int *)(a + 8) = 0x01010101; a[9] = 0; int x = *(int *)(a + 8);
            return (x >> 8 & 255) * 16 + (x >> 16 & 255); }",
            "1",
        ),
        ("int main() { char a[300]; memset(a, 3, 300); return a[299] * 16 + a[0]; }", "51"),
        ("int main() { char a[300]; memset(a, 3, 300); return *(short *)(a + 7) == 0x303; }", "1"),
        (
            "int main() { char a[300]; memset(a, 3, 300); a[7] = 1; char b[300]; memcpy(b, a, 300); return b[7] + b[8]; }",
            "4",
        ),
        ("int main() { char a[300], b[300]; memset(a, 3, 300); memcpy(b, a + 1, 299); return b[298]; }", "3"),
        (
            "int main() { char a[300], b[400]; memset(a, 3, 300); memset(b, 0, 400); memcpy(b, a, 300);
            return b[299]; }",
            "3",
        ),
        (
            "int main() { char a[300], b[400]; memset(a, 3, 300); memset(b, 0, 400); memcpy(b, a, 300);
            return b[300]; }",
            "?",
        ),
        (
            "int main() { char a[300], b[400]; memset(a, 3, 300); a[0] = 9; memcpy(b + 100, a, 300); return b[100] + b[399]; }",
            "12",
        ),
        ("int main() { char a[3000], b[4000]; memset(a, 3, 3000); a[5] = 9; memcpy(b, a, 3000); return b[5]; }", "9"),
        ("int main() { char a[3000], b[4000]; memset(a, 3, 3000); a[5] = 9; memcpy(b, a, 3000); return b[6]; }", "?"),
        ("int main() { int a[5]; memset(a, 1, sizeof a); return a[4] >> 24; }", "1"),
        ("int main() { int a[5]; memset(a, 1, sizeof a - 1); return ((char *)a)[18]; }", "1"),
        ("int main() { int a[5]; memset(a, 1, sizeof a - 1); return a[4]; }", "?"),
        ("int main() { int a[5]; a[4] = 0; memset(a, 1, sizeof a - 1); return (a[4] >> 24) + 1; }", "1"),
        ("int main() { int a[5] = {0}; memset(a, any(3), sizeof a); return a[4]; }", "?"),
        ("int main() { int a[5] = {0}; memset(a + 1, any(3), 4); return a[2]; }", "0"),
        ("int main() { char a[90] = {7}; memset(a + 1, 2, 70); return a[1] * 16 + a[70]; }", "34"),
        ("int main() { char a[90] = {7}; memset(a + 1, 2, 70); return a[71]; }", "?"),
        ("int main() { char a[90] = {7}; a[80] = 5; memset(a, any(3), 80); return a[80]; }", "?"),
        ("int main() { char a[90]; a[80] = 5; a[3] = 6; memset(a, any(3), 80); return a[80]; }", "5"),
        ("int main() { char a[90]; a[80] = 5; a[3] = 6; memset(a, any(3), 80); return a[3]; }", "?"),
        ("int main() { char a[90]; *(int *)(a + 78) = 0x05040302; memset(a, any(3), 80); return a[80]; }", "4"),
        (
            "int main() { char a[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}; memmove(a + 2, a, 9); return a[10] * 9 + a[11]; }",
            "83",
        ),
        (
            "int main() { char a[80]; a[0] = 1; a[69] = 2; a[71] = 4; memmove(a + 1, a, 70); return a[1] * 16 + a[70] + a[71]; }",
            "22",
        ),
        ("int main() { int n = any(1), a[2] = {1, 2}, b[2] = {3, 4}; memcpy(a, b, 4 * n + 4); return a[0]; }", "?"),
        ("int main() { int n = 0, a[2] = {1, 2}, b[2] = {3, 4}; memcpy(a, b, n); return a[0]; }", "1"),
        ("int main() { int a[2] = {1, 2}, b[2] = {3, 4}; memcpy(a, (char *)b + 2, 4); return a[0] >> 16; }", "4"),
        ("int main() { int x = 6, y = 7, *a[2] = {&x, &y}, *b[2]; memcpy(b, a, sizeof a); return *b[1]; }", "7"),
        ("int main() { int x = 6, y = 7, *a[2] = {&x, &y}, *b[2]; memcpy(b, a, 12); return *b[0]; }", "6"),
        (
            "struct s { char c[100]; int n; } t; int main() { struct s u = t; u.n = 4; t = u; return t.n + t.c[99]; }",
            "4",
        ),
    ]);
}

#[test]
fn objects_come_and_go() {
    check_all(&[
        ("int main() { int *p = malloc(8); p[0] = 3; p[1] = 4; return p[0] * 16 + p[1]; }", "52"),
        ("int main() { int *p = malloc(4), *q = malloc(4); *p = 3; *q = 4; return *p * 16 + *q + (p == q); }", "52"),
        ("int main() { int *p = calloc(3, 4); p[1] = 2; return p[0] + p[1] + p[2]; }", "2"),
        ("int main() { char *p = calloc(1000, 1); p[1] = 2; return p[0] + p[1] + p[999]; }", "2"),
        ("int main() { int *p = malloc(4); *p = 3; p = realloc(p, 8); p[1] = 5; return p[0] + p[1]; }", "8"),
        ("int main() { int *p = calloc(2, 4); p[0] = 3; p = realloc(p, 4); return p[0]; }", "3"),
        ("int main() { int *p = calloc(2, 4); p = realloc(p, 400); p[90] = 3; return p[90]; }", "3"),
        ("int main() { int *p = malloc(4), *q = p; *p = 3; free(q); p = malloc(4); *p = 5; return *p; }", "5"),
        (
            "int main() { int *p[3]; for (int i = 0; i < 3; i++) { p[i] = malloc(4); *p[i] = i + 1; }
            return *p[0] * 16 + *p[1] * 4 + *p[2]; }",
            "27",
        ),
        (
            "int main() { int *p[3]; for (int i = 0; i < 3; i++) { p[i] = alloca(4); *p[i] = i + 1; }
            return *p[0] * 16 + *p[1] * 4 + *p[2]; }",
            "27",
        ),
        (
            "struct s { int x; struct s *next; }; int main() { struct s *head = 0;
            for (int i = 0; i < 3; i++) { struct s *e = malloc(sizeof *e); e->x = i; e->next = head; head = e; }
            int t = 0; while (head) { t = t * 4 + head->x; struct s *dead = head; head = head->next; free(dead); }
            return t; }",
            "36",
        ),
        (
            "int f(int n) { int own = n, *p = &own, r = n > 0 ? f(n - 1) : 0; return *p + r; } int main() { return f(3); }",
            "6",
        ),
        (
            "void f(int n, int *out) { int own = n; if (n > 0) f(n - 1, &own); *out += own; }
            int main() { int r = 1; f(3, &r); return r; }",
            "7",
        ),
        ("int f(int n) { int r = n; if (n > 0) r += 2 * f(n - 1); return r + n; } int main() { return f(3); }", "22"),
        (
            "int f(int n) { int a[2] = {n, n}; if (n) { f(n - 1); } int *p = a; return p[1]; } int main() { return f(2); }",
            "2",
        ),
        ("int main() { int t = 0; for (int i = 0; i < 3; i++) { int x = i, *p = &x; t += *p; } return t; }", "3"),
        ("int main() { int n = 3; int v[n]; v[2] = 5; v[0] = 1; return v[2] + v[0]; }", "6"),
        (
            "int main() { unsigned long u, v; { int x; u = (unsigned long)&x; } { int y; v = (unsigned long)&y; }
            return u == v ? 1 : 2; }",
            "?",
        ),
        (
            "int main() { int *p = malloc(4); unsigned long u = (unsigned long)p; free(p); p = malloc(4);
            return u == (unsigned long)p ? 1 : 2; }",
            "?",
        ),
        ("int a[2] = {1, 2}, b[2] = {3, 4}; int main() { int *p = b; if (any(1)) p = a; return p[1]; }", "2 4"),
        ("int a[2] = {1, 2}; int main() { int i = any(1); a[i] = 7; return a[0]; }", "?"),
        ("int a[2] = {1, 2}, b = 5; int main() { int i = any(1); a[i] = 7; int *p = &b; return *p; }", "5"),
        (
            "struct { int x, y; } a[2] = {{1, 2}, {3, 4}}; int main() { int i = any(1); a[i].x = 7; return a[1].y; }",
            "4",
        ),
        (
            "struct { int x, y; } a[2] = {{1, 2}, {3, 4}}; int main() { int i = any(1); a[i].x = 7; return a[1].x; }",
            "?",
        ),
        ("int x = 1, y = 2; int main() { int *p[2] = {&x, &y}; int *q = p[any(1)]; *q = 2; return y; }", "?"),
        ("int x = 1; int main() { int *p = &x; if (any(1)) p = 0; if (p) *p = 3; return x; }", "1 3"),
    ]);
}

/// Which of two states covers the other one.
#[test]
fn covering() {
    let rows = [
        ("char a[200]", "a[3] = any(255);", "a[3] = 1;", (true, false)),
        ("char a[200]", "a[3] = any(255);", "a[4] = any(255);", (false, false)),
        ("char a[200]", "a[3] = any(255);", "", (true, false)),
        ("char a[200]", "a[3] = 1;", "a[3] = 2;", (false, false)),
        ("char a[200]", "*(short *)(a + 4) = any(1);", "a[4] = 1;", (false, false)),
        ("char a[200]", "memset(a, any(1), 200); a[7] = 0;", "", (true, false)),
        ("char a[200]", "memset(a, any(1), 200); a[7] = 1;", "", (false, false)),
        ("char a[200]", "memset(a, any(1), 200); a[7] = 1;", "a[7] = 1;", (true, false)),
        ("char a[200]", "memset(a, any(1), 200); a[7] = 0;", "a[7] = any(1);", (false, false)),
        ("char a[200]", "memset(a, any(1), 200); *(int *)(a + 8) = 0;", "a[9] = 1;", (false, false)),
        ("char a[200]", "memset(a, 1, 200);", "", (false, false)),
        ("char a[200]", "memset(a, 0, 200);", "", (true, true)),
        ("int a[2]", "a[1] = any(1);", "", (true, false)),
        ("int a[2]", "a[1] = any(1); a[0] = any(1);", "", (true, false)),
        ("int a[2]", "a[1] = any(1);", "a[0] = any(1);", (false, false)),
        ("int x; int *a; int **at = &a", "a = &x;", "a = 0;", (false, false)),
    ];
    each(&rows, |&(object, one, other, expected)| {
        // The second branch is followed first: there are two ends unless its state covers that of the first.
        let ends = |first: &str, second: &str| {
            let text = format!("{object}; int main() {{ if (any(1)) {{ {second} }} else {{ {first} }} return 0; }}");
            check(&text, "0", &|_| everything(Options::default())).last.len()
        };
        assert_eq!((ends(one, other) == 1, ends(other, one) == 1), expected, "{one} {other}");
    });
}

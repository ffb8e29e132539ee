//! How formulas keep memory, and what they compute. These rows are about the size of formulas, not about what they mean.

use smt::Op;

/// The pieces of variables, by offset and width.
pub const PIECES: &[(&str, &str)] = &[
    ("int t[3]; t[0] = n; t[2] = 5; out = t[2];", "t.0:32 t.8:32"),
    ("struct { short a; int b; char c; } s; s.a = 1; s.b = n; s.c = 2; out = s.b;", "s.0:16 s.4:32 s.8:8"),
    ("union { int i; short h[2]; } u; u.i = n; u.h[1] = 2; out = u.i;", "u.0:16 u.2:16"),
    ("union { float f; char c; } u; u.f = n; out = u.f;", "u.0:f32"),
    ("union { float f; int i; } u; u.f = n; out = u.i;", "u.0:32"),
    ("union { int i; float f[2]; } u; u.i = n; u.f[1] = 2; out = u.f[1];", "u.0:32 u.4:f32"),
    ("union { double d; struct { float f; int i; } s; } u; u.d = n; out = u.s.f;", "u.0:32 u.4:32"),
    (
        "struct { char c; int i; } __attribute__((packed)) s; s.i = n; out = *(short *) ((char *) &s + 3);",
        "s.1:16 s.3:16",
    ),
    // The last byte is one, what lies after it is not.
    ("char t[2000]; t[1999] = n; out = t[1999];", "t.1999:8"),
    ("int t[2]; if (n == 9) t[2] = 1; t[0] = n; out = t[0];", ""),
    ("int t[2]; if (n == 9) out = *(short *) ((char *) t + 7); t[0] = n;", ""),
    ("char t[2000]; memset(t, n, 1500); out = t[3];", "t.0:24 t.3:8 t.4:11968"),
    ("char t[8]; memset(t, n, 8); out = t[7];", "t.0:56 t.7:8"),
    ("char t[8]; memset(t + 1, n, 7); out = t[7];", "t.1:48 t.7:8"),
    ("char t[8]; if (n == 9) memset(t, n, 9); t[7] = n; out = t[7];", ""),
    ("char t[8]; if (n == 9) memset(t + 1, n, 8); t[7] = n; out = t[7];", ""),
    // So much is written byte by byte, and no more.
    ("char t[64]; t[5] = n; memset(t, 1, n); out = t[5];", "t.0:40 t.5:8 t.6:464"),
    ("char t[65]; t[5] = n; memset(t, 1, n); out = t[5];", ""),
    ("char t[65]; t[5] = n; memset(t + 1, 1, n); out = t[5];", "t.1:32 t.5:8 t.6:472"),
    ("char t[4]; t[0] = n; memset(t + 4, 1, n); out = t[0];", "t.0:8"),
    ("char t[4]; t[0] = n; if (n == 9) memset(t + 5, 1, n); out = t[0];", ""),
    ("int t[2]; int *p = t; p[n & 1] = 1; out = t[0];", ""),
    ("int t[2]; t[n & 1] = 1; out = t[0];", ""),
    ("int t[2]; t[1] = 1; __VERIFIER_nondet_memory(t, 4); out = t[0];", "t.0:32 t.4:32"),
    // What is told apart on one side of a copy is so on the other.
    (
        "struct S { int a; short b, c; }; MAIN struct S s, t; s.a = n; s.b = 1; s.c = 2; t = s; out = t.a;",
        "s.0:32 s.4:16 s.6:16 t.0:32 t.4:16 t.6:16",
    ),
    (
        "struct S { int a; short b, c; }; MAIN struct S s, t; memset(&s, n, 8); t = s; out = t.b;",
        "s.0:32 s.4:16 s.6:16 t.0:32 t.4:16 t.6:16",
    ),
    (
        "struct S { int a; short b, c; }; MAIN struct S s, t, u; memset(&s, n, 8); t = s; u = t; out = u.c;",
        "s.0:48 s.6:16 t.0:48 t.6:16 u.0:48 u.6:16",
    ),
    (
        "struct S { int a; short b, c; }; MAIN struct S s, t, u; s.b = n; u = t; t = s; out = u.a;",
        "s.0:32 s.4:16 s.6:16 t.0:32 t.4:16 t.6:16 u.0:32 u.4:16 u.6:16",
    ),
    (
        "struct S { int a; short b, c; }; MAIN struct { struct S a, b; } p; struct S s; s.a = n; s.c = 1; p.b = s; p.a.b = 3; out = p.a.b;",
        "p.4:16 p.8:32 p.12:16 p.14:16 s.0:32 s.4:16 s.6:16",
    ),
    (
        "struct S { int a; short b, c; }; MAIN struct { struct S a, b; } p; struct S s; p.b.a = n; p.a.c = 1; s = p.b; out = s.c;",
        "p.6:16 p.8:32 p.12:16 p.14:16 s.0:32 s.4:16 s.6:16",
    ),
    (
        "struct F { float f; int i; }; MAIN struct F a, b; a.f = n; a.i = 1; b = a; out = b.i;",
        "a.0:f32 a.4:32 b.0:f32 b.4:32",
    ),
    (
        "struct F { float f; int i; }; struct I { int f; int i; }; MAIN struct F a; struct I b; a.f = n; a.i = 1; memcpy(&b, &a, 8); out = b.f;",
        "a.0:32 a.4:32 b.0:32 b.4:32",
    ),
    (
        "struct F { float f; int i; }; MAIN struct F a, b; a.f = n; a.i = 1; memcpy(&b, &a, 4); out = b.f;",
        "a.0:f32 a.4:32 b.0:f32",
    ),
    (
        "struct F { int i; float f; }; MAIN struct F a, b; a.i = 1; a.f = n; b = a; out = b.i;",
        "a.0:32 a.4:f32 b.0:32 b.4:f32",
    ),
    (
        "struct F { int i; float f; }; MAIN struct F a, b, c; a.f = n; c = b; b = a; out = c.i;",
        "a.0:32 a.4:f32 b.0:32 b.4:f32 c.0:32 c.4:f32",
    ),
    (
        "char s[8], t[8], u[8]; memset(s + 3, n, 2); memcpy(u, t, 7); memcpy(t, s, 7); u[7] = n; out = u[7];",
        "s.0:24 s.3:16 s.5:16 t.0:24 t.3:16 t.5:16 u.0:24 u.3:16 u.5:16 u.7:8",
    ),
    ("int t[4]; t[0] = n; t[3] = 1; memcpy(t + 2, t, 4); out = t[2];", "t.0:32 t.8:32 t.12:32"),
    // What a part is accessed as, too, in either direction.
    (
        "struct F { float f; int i; }; MAIN struct { struct F a, b; } p; struct F s; s.f = n; s.i = 1; p.b = s; out = p.b.i;",
        "p.8:f32 p.12:32 s.0:f32 s.4:32",
    ),
    (
        "struct F { float f; int i; }; MAIN struct { struct F a, b; } p; struct F s; p.b.f = n; p.b.i = 1; s = p.b; out = s.i;",
        "p.8:f32 p.12:32 s.0:f32 s.4:32",
    ),
];

/// How many comparisons there are in formulas: whole elements are written at once where sizes are known to be whole.
pub const COMPARISONS: &[(&str, usize)] = &[
    ("int t[2] = {1, 2}; memset(t, 1, n); out = t[0] ^ t[1];", 7),
    ("int t[2] = {1, 2}; memset(t, 1, 4 * n); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, 4ul * n); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, 2ul * n); out = t[0] ^ t[1];", 7),
    ("int t[2] = {1, 2}; memset(t, 1, 2 * (2ul * n)); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, 2 * (2ul * n + 2)); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, (unsigned long) n << 2); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, 4ul * n + 4); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, 4ul * n + 2); out = t[0] ^ t[1];", 7),
    ("int t[2] = {1, 2}; memset(t, 1, (long) (int) (4 * n)); out = t[0] ^ t[1];", 1),
    ("int t[2] = {1, 2}; memset(t, 1, n & 4); out = t[0] ^ t[1];", 3),
    ("short t[2] = {1, 2}; memset(t, 1, 2 * n); out = t[0] ^ t[1];", 1),
    ("struct { short a; int b; } s = {1, 2}; memset(&s, 1, 4 * n); out = s.a ^ s.b;", 1),
    ("struct { char a; int b; } __attribute__((packed)) s = {1, 2}; memset(&s, 1, 4 * n + 1); out = s.a ^ s.b;", 4),
    ("int t[2] = {1, 2}; memset(t, 1, (unsigned long) (2 * n) << 1); out = t[0] ^ t[1];", 1),
    // Sizes are looked at so deep and no deeper.
    (
        "unsigned long k = 4ul * n; k = 3 * k + 4ul * nondet_uint(); k = 3 * k + 4ul * nondet_uint(); k = 3 * k + 4ul * nondet_uint(); k = 3 * k + 4ul * nondet_uint(); k = 3 * k + 4ul * nondet_uint(); int t[2] = {1, 2}; memset(t, 1, k); out = t[0] ^ t[1];",
        1,
    ),
    (
        "unsigned long k = 2ul * n; k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); k = 3 * k + 2ul * nondet_uint(); short t[2] = {1, 2}; memset(t, 1, k); out = t[0] ^ t[1];",
        3,
    ),
];

/// How many operations of a kind are left in a formula where intervals decide what they can.
pub const OPERATIONS: &[(&str, Op, usize)] = &[
    // Quotients by constants need no divider, and a sum has one width.
    ("out = 5; if (n < 100) out = n / 7;", Op::BvUdiv, 0),
    ("out = n / 7;", Op::BvUdiv, 0),
    ("out = 5; int m = n; if (m >= 0 && m < 40) out = m / 12;", Op::BvSdiv, 0),
    ("out = 5; if (n < 10) { unsigned long long w = n; out = w + 1 == n + 1; }", Op::BvAdd, 0),
    // A sum that fits because the program asked first has a sign that needs no comparison.
    (
        "out = 0; int d = n & 7, v = 214748362 + (n >> 3); if (v <= 214748365) { v = 10 * v + d; out = v < 0; }",
        Op::BvSlt,
        2,
    ),
    (
        "out = 0; int d = n & 15, v = 214748362 + (n >> 4); if (d < 10 && v <= (2147483647 - d) / 10) { v = 10 * v + d; out = v < 0; }",
        Op::BvSlt,
        0,
    ),
    (
        "out = 0; int d = n & 7, v = 214748362 + (n >> 3); if (!(v > 214748364 || (v == 214748364 && d > 6))) { v = 10 * v + d + 1; out = v < 0; }",
        Op::BvSlt,
        0,
    ),
    (
        "out = 0; int d = n & 7, v = 214748362 + (n >> 3); long long w = 10LL * v + d; if (w <= 2147483647) { v = (int)w; out = v < 0; }",
        Op::BvSlt,
        0,
    ),
    // So many elements stay scalars, and no more.
    ("static int t[16]; MAIN t[0] = 1; out = 7; if (n < 16) { t[n] = 5; out = t[3]; }", Op::Select, 0),
    ("static int t[40]; MAIN t[3] = 1; int *p = n ? t + 3 : t + 30; *p = 5; out = t[3];", Op::Select, 0),
    ("static int t[17]; MAIN t[0] = 1; out = 7; if (n < 17) { t[n] = 5; out = t[3]; }", Op::Select, 1),
];

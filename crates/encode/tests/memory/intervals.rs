//! Small programs in which intervals of values decide something: ends of loops, addresses, quotients, sizes of copies.

use super::Says::Exactly;
use super::rows::Row;

pub const INTERVALS: &[Row] = &[
    ("unsigned s = 0; if (n <= 4) for (unsigned i = 0; i < n; i++) s += i + 1; out = s;", 7, Exactly),
    ("unsigned s = 0, k = n; if (k <= 4) for (; k--;) s = 3 * s + k; out = s;", 7, Exactly),
    ("int s = 0, k = (int)n - 3; if (k > -4 && k <= 2) for (; k < 1; k++) s = 2 * s - k; out = s + 100;", 8, Exactly),
    (
        "byte b[5] = {1, 2, 3, 4, 5}; if (n < 5) b[n] = 9; out = b[0] + 16 * b[1] + 256 * b[2] + 4096 * b[4];",
        7,
        Exactly,
    ),
    ("int t[5] = {1, 2, 3, 4, 5}; if (n < 5) { t[n] += 7; t[4 - n] *= 2; out = t[n] + 100 * t[2]; }", 6, Exactly),
    ("static const int t[11] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}; MAIN out = 77; if (n < 11) out = t[n];", 12, Exactly),
    (
        "static short t[20]; MAIN for (int i = 0; i < 20; i++) t[i] = i * i; out = 1; if (n < 17) out = t[n + 3];",
        19,
        Exactly,
    ),
    (
        "int a = 1, b = 2, c = 3, *p = n == 0 ? &a : n == 1 ? &b : &c; *p += 10; out = a + 100 * b + 10000 * c + *p;",
        4,
        Exactly,
    ),
    ("char t[6] = \"-1234\"; char *p = t; if (n & 1) p++; p += n >> 1 & 1; out = p[0] + 256 * p[1];", 4, Exactly),
    ("out = 5; unsigned m = 37 * n; if (m <= 1400) out = m / 7 + 10000 * (m % 7);", 40, Exactly),
    ("out = 5; int m = 37 * (int)n - 60; if (m >= 0 && m < 999) out = m / 12 + 10000 * (m % 12);", 30, Exactly),
    ("out = 5; int m = 7 * (int)n - 60; if (m < 60) out = m / 12 + 100 + 10000 * (m % 12 + 12);", 18, Exactly),
    ("out = n / 7 + 10000ull * (n % 7); if (n >> 31) out = (n / 3 < n) + 2 * (n / 3 < 5);", 20, Exactly),
    ("out = 5; unsigned long long m = 1000003ull * n; if (n < 9) out = m / 1000 + (m % 1000) * 100000;", 11, Exactly),
    (
        "out = 9; int v = 2 * (int)n - 8; if (n < 30) out = ((100 - (int)n) / 10 < v) + 2 * (v < (100 - (int)n) / 10);",
        32,
        Exactly,
    ),
    ("out = 9; unsigned v = 3 * n; if (n < 30) out = ((500 - n) / 9 <= v) + 2 * (v <= (500 - n) / 9);", 32, Exactly),
    ("out = 3; if (n < 10) { unsigned long long w = n; w = 10 * w + 3; out = w - 2 + (w - n) * 1000; }", 12, Exactly),
    ("out = 3; if (n < 10) { long long w = (int)n; w = 10 * w - 3; out = w * w; }", 12, Exactly),
    ("out = 3; if (n == 2 || n == 5) { out = n % 3; if (n != 2) out += 100 * (n == 5) + (n < 4); }", 7, Exactly),
    (
        "byte a[4] = {1, 2, 3, 4}, *p = malloc(4), *q = malloc(4); memset(p, 0, 4); memset(q, 7, 4); out = 0; \
      if (n <= 4) { memcpy(p, a, n); memmove(q + 1, q, n & 3); out = p[0] + 16 * p[1] + 256 * p[3] + 4096 * q[1]; }",
        6,
        Exactly,
    ),
    (
        "out = 1; if (n >= 1 && n <= 4) { byte *p = calloc(n, 1); p[n - 1] += 3; byte *q = realloc(p, n + 2); \
      out = q[n - 1] + 16 * q[0]; }",
        6,
        Exactly,
    ),
    (
        "unsigned s = 0; for (int i = 0; i < 3; i++) { if (n >> i & 1) s += 1u << i; else s += 16u << i; } out = s % 100;",
        8,
        Exactly,
    ),
];

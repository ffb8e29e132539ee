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
    // Results that need more bits than half of them, and those that are negative.
    ("out = 3; if (n < 5) { unsigned long long a = n, b = 2; out = a - b; }", 6, Exactly),
    ("out = 3; if (n < 5) { unsigned long long a = n + 4, b = 4 - n; out = a - b; }", 6, Exactly),
    ("out = 3; if (n < 5) { unsigned long long w = 0xfffffffeull + n; out = w + n; }", 6, Exactly),
    ("out = 3; if (n < 5) { unsigned long long w = 65534 + n; out = w * w; }", 6, Exactly),
    ("out = 3; int k = (int)n - 3; if (k < 2) { long long w = k; out = w + 100; }", 6, Exactly),
    // Divisors that vary, powers of two, and quotients that do not vary.
    ("out = 3; unsigned d = n + 1; if (n < 5) out = 100 / d + 1000 * (100 % d);", 6, Exactly),
    ("out = 3; int m = n; if (m >= 0 && m < 40) out = m / 8 + 100 * (m % 8);", 42, Exactly),
    ("out = 3; int m = (int)n - 4, d = n + 1; if (n < 9) out = m / d + 100 + 1000 * (m % d + 10);", 10, Exactly),
    ("out = 3; int d = (int)n - 5; if (n < 5) out = 100 / d + 100 + 1000 * (100 % d);", 6, Exactly),
    ("out = 3; unsigned m = 14 + n; if (n < 7) out = m / 7 + 100 * (m % 7);", 8, Exactly),
    ("out = 3; if (n < 5) out = n / 7 + 100 * (n % 7);", 6, Exactly),
    ("out = 3; int k = n; if (k >= 0 && k < 5) { double f = k; float g = k; out = 2 * f + 100 * g; }", 6, Exactly),
    // A quotient that fills all bits of a signed type.
    (
        "out = 3; unsigned long long m = 0x240000000ull + n; if (n < 9) { int q = m / 3; out = (q < 5) + 2 * (5 < q) + 4 * (q <= 5); }",
        10,
        Exactly,
    ),
    (
        "out = 3; int v = (int)n - 4; if (n < 20) out = ((int)n / 3 < v) + 2 * (v < (int)n / 3) + 4 * ((int)n / 3 <= v) + 8 * (v <= (int)n / 3);",
        21,
        Exactly,
    ),
    (
        "out = 3; if (n < 20) out = (n / 3 < n / 5) + 2 * (n / 5 < n / 3) + 4 * (n / 3 < 5u - n) + 8 * (5u - n < n / 3);",
        21,
        Exactly,
    ),
    // Whether a sum fits, asked by a quotient and by cases, before it is computed.
    (
        "out = 3; int d = n & 7, v = 5 * (n >> 3); if (v <= (47 - d) / 10) { v = 10 * v + d; long long w = v; out = w * 2; } \
         else out = 1000 + ((47 - d) / 10 < v);",
        64,
        Exactly,
    ),
    (
        "out = 3; int d = n & 7, v = 214748356 + (n >> 3); if (v <= (2147483647 - d) / 10) { v = 10 * v + d; out = (long long)v; }",
        100,
        Exactly,
    ),
    (
        "out = 3; unsigned d = n & 7, v = 429496725 + (n >> 3); if (v <= (4294967295u - d) / 10) { v = 10 * v + d; out = v; }",
        40,
        Exactly,
    ),
    (
        "out = 3; int d = n & 7, v = (int)(n >> 3) - 3; if (!(v > (47 - d) / 10)) { v = 10 * v + d; out = (long long)v + 100; }",
        64,
        Exactly,
    ),
    (
        "out = 3; int d = n & 15, v = 214748362 + (n >> 4); if (d < 10 && !(v > 214748364 || (v == 214748364 && d > 7))) \
         { v = 10 * v + d; out = (long long)v; }",
        80,
        Exactly,
    ),
    (
        "out = 3; int d = n & 15, v = 214748362 + (n >> 4); if (d < 10 && (v < 214748364 || (v == 214748364 && d <= 8))) \
         { v = 10 * v + d; out = (long long)v; }",
        80,
        Exactly,
    ),
    // A table of sums, and one of which the last elements are not there.
    (
        "static const byte t[16] = {5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8, 11, 10}; MAIN out = 77; if (n < 16) out = t[n];",
        17,
        Exactly,
    ),
    (
        "static const short t[9] = {3, 1, 4, 1, 5, 9, 2, 6, 5}; MAIN out = 77; if (n < 7) out = t[n + 2]; if (n == 7) out = t[n - 7];",
        9,
        Exactly,
    ),
    ("static int t[18]; MAIN out = 7; if (n < 18) { t[n] = 5; out = t[3] + 8 * t[17] + 64 * t[n]; }", 19, Exactly),
    (
        "static const byte t[16] = {5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9, 8, 11, 12}; MAIN out = 77; if (n < 16) out = t[n];",
        17,
        Exactly,
    ),
    // More choices than are looked at: the first address is behind them.
    (
        "static byte t[4] = {1, 2, 3, 4}; MAIN byte *p = t + 3; for (unsigned i = 0; i < 20; i++) { if (n == 2 * i + 1) p = t; \
      if (n == 2 * i + 2) p = t + 1; } out = *p;",
        4,
        Exactly,
    ),
    ("out = 1; if (n <= 4) { byte *p = malloc(n + 4); p[0] = 7; memset(p, 1, n); out = *p; }", 6, Exactly),
    ("out = 3; unsigned d = 0; if (n > 8) out = n / d + n % d;", 3, Exactly),
    ("out = 3; float f = n; if (n < 5) out = f * 2 + 10 * (f < 3) + 100 * (f / 2 <= 1);", 6, Exactly),
];

/// So many rounds are only followed where intervals decide that there is a next one.
pub const ROUNDS: &[Row] = &[
    ("out = 0; if (n < 3) for (unsigned i = 0; i < n + 8; i++) out += i;", 4, Exactly),
    ("out = 0; if (n >= 3) out = 1; else for (unsigned i = 0; i < n + 8; i++) out += i;", 4, Exactly),
    ("out = 0; int k = n; if (k > -1 && k <= 2) for (int i = 0; i < k + 8; i++) out += i;", 4, Exactly),
    ("out = 0; int k = (int)n - 2; if (k > -3 && k < 1) for (int i = -9; i < k; i++) out += 1;", 4, Exactly),
    (
        "out = 0; switch (n) { case 2: out = 100; break; case 3: out = 200; break; default: goto done; } \
      for (unsigned i = 0; i < n + 6; i++) out += i; done:;",
        5,
        Exactly,
    ),
    ("out = 0; if (n != 0 && n < 2) for (unsigned i = 0; i < 8 * n; i++) out += i;", 3, Exactly),
    ("out = 0; if (n == 1) for (unsigned i = 0; i < 8 * n; i++) out += i;", 3, Exactly),
    (
        "out = 0; unsigned m = 8 * n; if (n < 99 && m < 20 && m > 7) for (unsigned i = 0; i < n + 7; i++) out += i;",
        4,
        Exactly,
    ),
    (
        "out = 0; unsigned m = n + 100; if (m <= 102 && m >= 101) for (unsigned i = 0; i < 7 * n; i++) out += i;",
        2,
        Exactly,
    ),
    ("out = 0; unsigned long long w = n; if (w < 3) for (unsigned i = 0; i < n + 8; i++) out += i;", 4, Exactly),
    ("out = 0; long long w = (int)n; if (w >= 0 && w < 3) for (unsigned i = 0; i < n + 8; i++) out += i;", 4, Exactly),
    ("out = 0; byte b = n; if (b < 3) for (unsigned i = 0; i < b + 8; i++) out += i;", 4, Exactly),
    ("out = 0; unsigned k = n & 1 ? 2 : 40; if (k < 10) for (unsigned i = 0; i < 4 * k; i++) out += i;", 3, Exactly),
    (
        "out = 0; unsigned k = n < 2 ? 1 : 40, j = n < 2 ? 8 : 30; if (k < 10) for (unsigned i = 0; i < j; i++) out += i;",
        4,
        Exactly,
    ),
    (
        "out = 0; unsigned k = 3; if (n < 2) k = 1; else if (n < 4) k = 2; for (unsigned i = 0; i < k + 7; i++) out += i;",
        6,
        Exactly,
    ),
    ("out = 0; if (n == 1 || n > 50) if (n < 50) for (unsigned i = 0; i < 8 * n; i++) out += i;", 3, Exactly),
    ("out = 0; if (n < 50) if (n == 1 || n > 50) for (unsigned i = 0; i < 8 * n; i++) out += i;", 3, Exactly),
    ("out = 0; _Bool a = n == 1; if (a) for (unsigned i = 0; i < 8 * n; i++) out += i;", 3, Exactly),
    ("out = 0; _Bool a = n == 1, b = !a; if (!b) for (unsigned i = 0; i < 8 * n; i++) out += i;", 3, Exactly),
    // Signs of sums that fit because the program asked first.
    (
        "out = 0; int d = n & 7, v = 214748362 + (n >> 3); \
         if (v <= (2147483647 - d) / 10) { v = 10 * v + d; for (int i = 0; i < 8 * (v >= 0); i++) out += i; }",
        40,
        Exactly,
    ),
    (
        "out = 0; int d = n & 7, v = 214748362 + (n >> 3); if (!(v > 214748364 || (v == 214748364 && d > 6))) \
         { v = 10 * v + d + 1; for (int i = 0; i < 8 * (v >= 0); i++) out += i; }",
        40,
        Exactly,
    ),
    (
        "out = 0; int d = n & 7, v = 214748362 + (n >> 3); long long w = 10LL * v + d; \
         if (w <= 2147483647) { v = (int)w; for (int i = 0; i < 8 * (v >= 0); i++) out += i; }",
        40,
        Exactly,
    ),
    (
        "out = 0; long long w = 4294967290ll + n; if (w <= 4294967295ll) { int v = (int)w; out = 1000 - v; } \
         if (w >= 4294967298ll) { int v = (int)w; out = v; }",
        12,
        Exactly,
    ),
    // A number of many digits, each of which a condition bounds.
    (
        "out = 0; if (n < 4) { unsigned v = 0; for (int i = 0; i < 9; i++) v = 3 * v + n; \
         for (int i = 0; i < 8 * (v < 30000); i++) out += i; }",
        6,
        Exactly,
    ),
    ("out = 0; unsigned w = 250 + n; if (n < 10) { byte b = w; out = b; if (b < 100) out += 1000; }", 11, Exactly),
    ("out = 0; for (unsigned i = 0; i < 9 - (n & 1); i++) out += i;", 2, Exactly),
    ("out = 0; for (unsigned i = 0; i < 8 + n % 3; i++) out += i;", 4, Exactly),
    ("out = 0; unsigned t[4] = {8, 9, 8, 9}; for (unsigned i = 0; i < t[n & 3]; i++) out += i;", 4, Exactly),
];

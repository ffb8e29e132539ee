//! Small programs about ranges of bytes: fills, copies, and memory that becomes arbitrary.

use super::Says::{Anything, AtLeast, Exactly, Within};
use super::rows::Row;

pub const FILLS: &[Row] = &[
    // So many elements are told apart, and no more; where the range begins may depend on the execution.
    ("static int t[20]; MAIN t[n & 1] = 5; memset(t, 1, 4 * n); out = t[0] + t[1];", 3, Exactly),
    ("static byte t[64]; MAIN t[n & 1] = 5; memset(t, 1, n); out = t[0];", 2, Exactly),
    (
        "static byte t[1024]; static void put(byte *p, unsigned k) { memset(p, 1, k); } MAIN put(t, 1024); out = t[1023] + n;",
        1,
        Exactly,
    ),
    ("byte t[4] = {1, 2, 3, 4}; memset(t + (n >> 3), 9, n); out = t[3];", 5, Exactly),
    (
        "struct { int a, b, c, d; } s = {1, 2, 3, 4}; memset(&s.b, 0, 8); out = s.a + 16 * s.b + 256 * s.c + 4096 * s.d;",
        1,
        Exactly,
    ),
    (
        "static int g[4]; MAIN int h[4] = {1, 2, 3, 4}; int *p = n & 1 ? g : h; p[n >> 1] = 9; \
      out = g[0] + 16 * g[1] + 256 * h[0] + 4096 * h[1];",
        4,
        Exactly,
    ),
    (
        "static int g[4]; MAIN int *h = malloc(16); h[0] = 1; h[1] = 2; int *p = n & 1 ? g : h; p[n >> 1] = 9; \
      out = g[0] + 16 * g[1] + 256 * h[0] + 4096 * h[1];",
        4,
        Exactly,
    ),
    ("int t[3] = {1, 7, 9}; memset(t, 0, n); out = t[0] + 16 * t[1] + 256 * t[2];", 13, Exactly),
    ("int t[3] = {1, 7, 9}; memset(t, 3, n & 4); out = t[0] ^ t[1] ^ t[2];", 5, Exactly),
    ("int t[3] = {1, 7, 9}; memset(t + 1, 3, n); out = t[0] ^ t[1] ^ t[2];", 9, Exactly),
    ("unsigned k = 2; int x = -1; memset(&x, 0, k); out = x;", 1, Exactly),
    (
        "unsigned k = 5; struct { short a; int b; char c; } s = {-1, -1, -1}; memset(&s, 0, k); out = s.a ^ s.b ^ s.c;",
        1,
        Exactly,
    ),
    (
        "struct { short a; int b; char c; } s = {1, 2, 3}; memset(&s, 0, n); out = s.a + 16 * s.b + 256 * s.c;",
        10,
        Exactly,
    ),
    (
        "struct { unsigned a : 3, b : 7; char c; } s = {5, 77, 3}; memset(&s, 0, n); out = s.a + 16 * s.b + 4096 * s.c;",
        5,
        Exactly,
    ),
    ("union { long long l; byte b[8]; } u = {-1}; memset(u.b + 2, n, n); out = u.l;", 7, Exactly),
    (
        "static void clear(void *p, unsigned k) { memset(p, 0, k); } MAIN int x = -1; char c[3] = {1, 2, 3}; \
      clear(&x, n); clear(c, 2); out = x ^ c[0] ^ c[1] ^ c[2];",
        5,
        Exactly,
    ),
    (
        "static int g[4] = {1, 2, 3, 4}; static void clear(int *p, unsigned k) { memset(p, 0, k); } MAIN \
      clear(g + 1, n); out = g[0] + 8 * g[1] + 64 * g[2] + 512 * g[3];",
        13,
        Exactly,
    ),
    (
        "static int g[4] = {1, 2, 3, 4}; MAIN int i = n & 3; g[i] = 9; memset(g, 1, 4 * n); out = g[0] ^ g[1] ^ g[2] ^ g[3];",
        5,
        Exactly,
    ),
    (
        "static char big[100]; static void set(char *p, unsigned k) { memset(p, 7, k); } MAIN set(big, n); out = big[n];",
        3,
        AtLeast,
    ),
    ("char big[100] = {1}; memset(big, 7, n); out = big[0];", 3, AtLeast),
    ("char big[2000]; big[0] = 1; unsigned i = n; memset(big, 7, 1500); out = big[i];", 3, AtLeast),
    ("char b[12] = {0}; unsigned i = n & 7; memset(b + i, 5, 3); out = b[2] + 16 * b[4] + 256 * b[9];", 8, Exactly),
    ("short b[6] = {0}; unsigned i = n & 3; memset(b + i, 5, 3); out = b[2] + b[3] * 65536;", 4, Exactly),
    ("unsigned k = 0; int x = 5; memset(&x, 0, k); out = x;", 1, Exactly),
    (
        "char *p = malloc(4); memset(p, 1, 4); memset(p, 2, n); out = p[0] + 4 * p[1] + 16 * p[2] + 64 * p[3];",
        5,
        Exactly,
    ),
    ("int *p = malloc(8); p[0] = 5; p[1] = 6; memset(p, 1, n); out = p[0] ^ p[1];", 9, Exactly),
    (
        "int t[4] = {1, 2, 3, 4}, *p = t + (n & 1); memset(p, 0, 8); out = t[0] + 8 * t[1] + 64 * t[2] + 512 * t[3];",
        2,
        Exactly,
    ),
    ("int t[2] = {1, 2}; memset(t, 1, 4 * n); out = t[0] ^ t[1];", 3, Exactly),
    ("int t[2] = {1, 2}; memset(t, 1, 2 * n); out = t[0] ^ t[1];", 5, Exactly),
    ("int t[2] = {1, 2}; memset(t, 1, 2ul * n); out = t[0] ^ t[1];", 5, Exactly),
    ("int t[2] = {1, 2}; memset(t, 1, 4ul * n + 2); out = t[0] ^ t[1];", 2, Exactly),
    ("int t[2] = {1, 2}; memset(t, 1, 2 * (2ul * n + 1)); out = t[0] ^ t[1];", 2, Exactly),
    ("int t[2] = {1, 2}; memset(t, 1, (long) (int) (2 * n)); out = t[0] ^ t[1];", 5, Exactly),
    ("int t[3] = {1, 2, 3}; memset((char *) t + 2, 1, 4 * n); out = t[0] ^ t[1] ^ t[2];", 3, Exactly),
    (
        "struct { short a; int b; } __attribute__((packed)) s = {1, 2}; memset(&s, 1, 4 * n); out = s.a ^ s.b;",
        2,
        Exactly,
    ),
    (
        "struct { char c[3]; short s; } s = {{1, 2, 3}, 4}; memset(&s, 9, 2 * n); out = s.c[0] + 16 * s.c[2] + 256 * s.s;",
        4,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN set(g, n & 31); out = g[0] + 8 * g[1] + 64 * g[30] + 512 * g[31];",
        4,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN set(g, (n + 61) % 65); out = g[0] + 8 * g[61] + 64 * g[63] + 512 * g[64];",
        4,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN set(g, n % 66); out = g[0];",
        1,
        AtLeast,
    ),
    (
        "static int g[200]; static void set(int *p, byte k) { memset(p, 7, k); } MAIN set(g, n + 252); out = g[0] + g[62] + 5 * g[63];",
        4,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, byte k) { memset(p, 7, k); } MAIN set(g, n); out = g[0];",
        1,
        AtLeast,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN unsigned k = 3; if (n & 1) k = 60; set(g, k); out = g[2] + 8 * g[3] + 64 * g[59] + 512 * g[60];",
        2,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN unsigned k = n & 7; if (n & 1) k = 60; set(g, k); out = g[2] + 8 * g[3] + 64 * g[59] + 512 * g[60];",
        3,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN unsigned k = n & 7; if (n & 1) k = 66; set(g, k); out = g[2];",
        1,
        AtLeast,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN set(g, n & 64); out = g[0];",
        1,
        Exactly,
    ),
    (
        "static byte g[200]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN set(g, n & 65); out = g[0];",
        1,
        AtLeast,
    ),
    (
        "static int g[64]; static void set(int *p, unsigned k) { memset(p, 1, k); } MAIN g[63] = 2; set(g, n + 252); out = g[62] ^ g[63];",
        5,
        Exactly,
    ),
    (
        "static int g[65]; static void set(int *p, unsigned k) { memset(p, 1, k); } MAIN set(g, n); out = g[0];",
        1,
        AtLeast,
    ),
    ("static byte g[1024]; MAIN byte *p = g + (n >> 3); memset(p, 7, 1024); out = g[n];", 2, Exactly),
    ("static byte g[1025]; MAIN byte *p = g + (n >> 3); memset(p, 7, 1025); out = g[n];", 2, AtLeast),
    ("char big[2000] = {1}; memset(big, 7, 1500); out = big[0] + 16 * big[1499] + 256 * big[1500] + n;", 2, Exactly),
    (
        "byte b[4] = {1, 2, 3, 4}; memset(b + (n >> 3), 5, n); out = b[0] + 16 * b[1] + 256 * b[2] + 4096 * b[3];",
        5,
        Exactly,
    ),
    (
        "byte b[4] = {1, 2, 3, 4}; memset(b + (n & 1), 5, n); out = b[0] + 16 * b[1] + 256 * b[2] + 4096 * b[3];",
        4,
        Exactly,
    ),
    ("int t[3] = {1, 2, 3}; memset(t + (n & 1), 5, 2 * n); out = t[0] ^ t[1] ^ t[2];", 4, Exactly),
    ("byte big[100] = {1}; big[1] = n; memset(big + 2, 7, n); out = big[1];", 3, AtLeast),
    (
        "static byte g[300]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN union { byte b[2]; unsigned short k; } u; u.b[0] = 3; u.b[1] = n; set(g, u.k); out = g[2];",
        1,
        AtLeast,
    ),
    (
        "static byte g[300]; static void set(byte *p, unsigned k) { memset(p, 7, k); } MAIN union { byte b[2]; unsigned short k; } u; u.b[0] = n & 31; u.b[1] = 0; set(g, u.k); out = g[2];",
        4,
        Exactly,
    ),
    (
        "unsigned long k = n; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; k = 3 * k + 2; \
      short t[2] = {1, 2}; memset(t, 7, k - 19679); out = t[0] ^ t[1];",
        1,
        Exactly,
    ),
    ("int x = 5; memset(&x, 7, n & 1); out = x;", 2, Exactly),
    (
        "union { byte b[2]; unsigned short k; } u; u.b[0] = 2 * n; u.b[1] = 4 * (n >> 7); int t[2] = {1, 2}; memset(t, 1, u.k); out = t[0] ^ t[1];",
        5,
        Exactly,
    ),
];

pub const COPIES: &[Row] = &[
    // What lies between members is copied, too, and nobody knows it.
    (
        "struct { char c; int i; } s; s.c = 1; s.i = n; long long *p = malloc(8); memcpy(p, &s, 8); out = (unsigned) (*p >> 32) + 16 * (byte) *p;",
        3,
        Exactly,
    ),
    (
        "struct { char c; int i; } s; s.c = 1; s.i = n; long long *p = malloc(8); memcpy(p, &s, 8); out = (byte) (*p >> 8);",
        1,
        Anything,
    ),
    (
        "static void put(void *d, const void *s, unsigned k) { memcpy(d, s, k); } MAIN \
      char b[4] = {1, 2, 3, 4}; int x = 0; put(&x, b, 4); out = x;",
        1,
        Exactly,
    ),
    (
        "static void put(void *d, const void *s, unsigned k) { memcpy(d, s, k); } MAIN \
      char b[4] = {1, 2, 3, 4}; int x = -1; put(&x, b, n); out = x;",
        5,
        Exactly,
    ),
    (
        "static void put(void *d, const void *s, unsigned k) { memcpy(d, s, k); } MAIN \
      char b[4] = {1, 1, 1, 1}; int x = 0x4030201; put(b, &x, n); out = b[0] + 16 * b[1] + 256 * b[2] + 4096 * b[3];",
        5,
        Exactly,
    ),
    (
        "static void put(void *d, const void *s, unsigned k) { memcpy(d, s, k); } MAIN \
      short s[4] = {1, 2, 3, 4}; int x[2] = {7, 8}; long long l = 9; put(x, s, n); put(&l, x, n); put(s, &l, n / 2); \
      out = x[0] + x[1] + l + s[0] + 16 * s[1] + 256 * s[2] + 4096 * s[3];",
        9,
        Exactly,
    ),
    ("int b[2] = {1, 2}; long long a = 0; unsigned long k = 2; memcpy(&a, b, k * sizeof(int)); out = a;", 1, Exactly),
    ("int b[2] = {1, 2}; long long a = 0; memcpy(&a, b, n * sizeof(int)); out = a;", 3, Exactly),
    (
        "long long b = 0x100000002LL; int a[2] = {0, 0}; unsigned long k = 2; memcpy(a, &b, k * sizeof(int)); out = a[0] + 16 * a[1];",
        1,
        Exactly,
    ),
    ("long long b = 0x100000002LL; int a[2] = {5, 7}; memcpy(a, &b, n); out = a[0] + 16 * a[1];", 9, Exactly),
    (
        "static void swap(void *a, void *b, unsigned long k) { char t[8]; memcpy(t, a, k); memcpy(a, b, k); memcpy(b, t, k); } MAIN \
      int x = 1, y = 2; long long v = 3, w = 4; swap(&x, &y, sizeof x); swap(&v, &w, n); out = x + 8 * y + 64 * v + 512 * w;",
        9,
        Exactly,
    ),
    (
        "char a[6] = {1, 2, 3, 4, 5, 6}; memmove(a + 1, a, n); out = a[0] + a[1] * 8 + a[2] * 64 + a[3] * 512 + a[4] * 4096;",
        6,
        Exactly,
    ),
    (
        "char a[6] = {1, 2, 3, 4, 5, 6}; memmove(a, a + 2, n); out = a[0] + a[1] * 8 + a[2] * 64 + a[3] * 512 + a[4] * 4096;",
        5,
        Exactly,
    ),
    (
        "static void move(int *p, unsigned k) { memmove(p + 1, p, k); } MAIN int a[4] = {1, 2, 3, 4}; move(a, 4 * n); \
      out = a[0] + a[1] * 8 + a[2] * 64 + a[3] * 512;",
        4,
        Exactly,
    ),
    (
        "struct S { char c[4]; int i; short s[2]; }; MAIN struct S a = {{1, 2}, 2, {3, 4}}, b = {{4, 5}, 5, {6, 7}}; \
      char *p = (char *) &a, *q = (char *) &b; p[4] = q[n & 3]; p[8] = q[4 + (n & 3)]; out = a.i + 256 * a.s[0];",
        4,
        Exactly,
    ),
    (
        "struct S { int i; short s; char c; }; MAIN struct S a = {1, 2, 3}, b; b = a; b.s = n; a = b; out = a.i + 16 * a.s + 256 * a.c;",
        3,
        Exactly,
    ),
    (
        "struct S { int i; short s; char c; }; static void set(struct S *d, struct S *s) { *d = *s; } MAIN \
      struct S a = {1, 2, 3}, b = {4, 5, 6}; set(n ? &a : &b, n ? &b : &a); out = a.i + 16 * b.s + 256 * a.c;",
        2,
        Exactly,
    ),
    (
        "char a[16] = {0}; int b = 0x1010101 * n, c = 0x2020202, d; char *p = a; memcpy(p, &b, 4); memcpy(p + 2, &c, 4); \
      memcpy(&d, p, 4); out = d;",
        3,
        Exactly,
    ),
    (
        "static char a[16]; static void in(char *p, int *v) { memcpy(p, v, 4); } static void from(int *v, char *p) { memcpy(v, p, 4); } MAIN \
      int b = 0x1010101 * n, c = 0x2020202, d; in(a, &b); in(a + 2, &c); from(&d, a); out = d;",
        3,
        Exactly,
    ),
    (
        "int t[4] = {1, 2, 3, 4}; int *p = t + (n & 1), *q = t + 2; memcpy(q, p, 4); out = t[0] + 8 * t[1] + 64 * t[2] + 512 * t[3];",
        2,
        Exactly,
    ),
    ("char big[100] = {1, 2, 3}, other[100] = {0}; memcpy(other, big, n); out = other[2];", 5, AtLeast),
    (
        "struct { char c[3]; int i; } s = {{1, 2, 3}, 4}; byte b[8]; memcpy(b, &s, 8); out = b[0] + b[2] * 256 + b[4] * 65536;",
        1,
        Exactly,
    ),
    (
        "struct { char c; int i; } __attribute__((packed)) s = {1, 0x01020304}; byte b[5]; memcpy(b, &s, n); memcpy(&s, b, n); out = s.i;",
        6,
        Exactly,
    ),
    (
        "short m[2][3] = {{1, 2, 3}, {4, 5, 6}}; memcpy(m[1], m[0], n); out = m[1][0] + 16 * m[1][1] + 256 * m[1][2];",
        7,
        Exactly,
    ),
    (
        "static short m[4] = {1, 2, 3, 4}; static void cp(short *d, short *s, unsigned k) { memcpy(d, s, k); } MAIN \
      cp(m + (n & 1), m + 2, 4); out = m[0] + 8 * m[1] + 64 * m[2] + 512 * m[3];",
        2,
        Exactly,
    ),
    (
        "char d[4] = {0}, s[8] = {1, 2, 3, 4, 5}; memcpy(d, s, n); out = d[0] + 8 * d[1] + 64 * d[2] + 512 * d[3];",
        5,
        Exactly,
    ),
    (
        "static char d[4], s[8] = {1, 2, 3, 4, 5}; static void put(char *d, char *s, unsigned k) { memcpy(d, s, k); } MAIN put(d, s, n); out = d[0] + 8 * d[1] + 64 * d[2] + 512 * d[3];",
        5,
        Exactly,
    ),
    (
        "static char d[60], s[100] = {1, 2, 3, 4, 5}; MAIN memcpy(d + (n >> 4), s + (n >> 4), n); out = d[0] + 8 * d[1] + 64 * d[2] + 512 * d[3];",
        5,
        Exactly,
    ),
    (
        "static byte d[2000]; MAIN byte s[2000]; memset(s, 1, 2000); byte *p = d + (n >> 4); memcpy(p, s, 2000); out = d[0];",
        1,
        AtLeast,
    ),
    ("int b[3] = {1, 2, 3}; short s[2] = {7, 8}; memcpy((char *) b + 2, s, n); out = b[0] ^ b[1];", 5, Exactly),
    (
        "struct { short a; int b; short c; } __attribute__((packed)) s = {1, 2, 3}; int t[2] = {9, 9}; memcpy(t, &s, n); out = t[0] ^ t[1];",
        9,
        Exactly,
    ),
    (
        "byte s[6] = {1, 2, 3, 4, 5, 6}; struct { short a; int b; } __attribute__((packed)) t; memcpy(&t, s + (n & 0), 6); out = t.a + t.b;",
        1,
        Exactly,
    ),
    (
        "long long l = 0x0102030405060708; byte b[3] = {0}; memcpy(b, (char *) &l + 3, 3); out = b[0] + 256 * b[1] + 65536 * b[2] + n;",
        2,
        Exactly,
    ),
    ("long long l = 0x0102030405060708; byte b[3] = {9, 8, 7}; memcpy((char *) &l + 3, b, n); out = l;", 4, Exactly),
    (
        "static long long l[2] = {0x0102030405060708, 5}; MAIN byte b[3] = {9, 8, 7}; l[n & 1] = 3; memcpy((char *) l + 6, b, 3); out = l[0] ^ l[1];",
        2,
        Exactly,
    ),
    (
        "unsigned k = 0; char s[4] = {1, 2, 3, 4}, d[4] = {5, 6, 7, 8}; memcpy(d + 1, s + 1, k); out = d[1] + n;",
        2,
        Exactly,
    ),
    (
        "unsigned k = 3; long long l = 0x0102030405060708; byte b[8] = {9, 8, 7, 6}; memcpy(&l, b, k); out = l + n;",
        2,
        Exactly,
    ),
    ("unsigned k = 3; long long l = 0x0102030405060708; int i = -1; memcpy(&i, &l, k); out = i + n;", 2, Exactly),
    (
        "unsigned k = 6; static double d = 1.5; int i[2] = {5, 6}; memcpy(&d, i, k); memcpy(i, &d, 8); out = i[0] + i[1];",
        1,
        Exactly,
    ),
    (
        "static byte g[2000] = {1}; MAIN byte t[2000]; byte *p = g + (n >> 4); memcpy(t, p, 2000); out = t[0];",
        1,
        AtLeast,
    ),
];

/// Memory that becomes arbitrary, and what stays as it is.
pub const ARBITRARY: &[Row] = &[
    ("int x = 1; __VERIFIER_nondet_memory(&x, 4); out = x;", 1, Anything),
    ("int x = 0x11223344; __VERIFIER_nondet_memory(&x, 2); out = x >> 16;", 1, Exactly),
    ("int x = 0x11223344; __VERIFIER_nondet_memory(&x, 2); out = x & 0xff;", 1, Anything),
    ("struct { int a, b; } s = {1, 2}; __VERIFIER_nondet_memory(&s.b, 4); out = s.a + n;", 2, Exactly),
    ("struct { int a, b; } s = {1, 2}; __VERIFIER_nondet_memory(&s.b, 4); out = s.b + n;", 2, Anything),
    ("struct { int a; byte b, c; } s = {1, 2, 3}; __VERIFIER_nondet_memory(&s.b, 2); out = s.c + n;", 2, Anything),
    ("byte t[4] = {1, 2, 3, 4}; __VERIFIER_nondet_memory(t, n); out = t[3];", 4, Exactly),
    ("byte t[4] = {1, 2, 3, 4}; __VERIFIER_nondet_memory(t + 1, n + 1); out = t[1];", 3, Anything),
    ("byte t[4] = {1, 2, 3, 4}; t[n & 3] = 5; __VERIFIER_nondet_memory(t, n + 1); out = t[0];", 3, Anything),
    ("byte t[4] = {1, 2, 3, 4}; t[n & 3] = 5; __VERIFIER_nondet_memory(t, 2); out = t[3];", 3, Exactly),
    ("byte t[4] = {1, 2, 3, 4}; t[n & 3] = 5; __VERIFIER_nondet_memory(t, 2); out = t[1];", 3, Anything),
    ("byte t[4] = {1, 2, 3, 4}; __VERIFIER_nondet_memory(t + (n & 1), 2); out = t[1];", 2, Anything),
    ("byte t[4] = {1, 2, 3, 4}; __VERIFIER_nondet_memory(t + (n & 1), 2); out = t[3];", 2, Exactly),
    ("byte *p = malloc(4); p[0] = 1; p[3] = n; __VERIFIER_nondet_memory(p, 2); out = p[0];", 2, Anything),
    ("byte *p = malloc(4); p[0] = 1; p[3] = n; __VERIFIER_nondet_memory(p, 2); out = p[3];", 2, Exactly),
    (
        "byte t[4] = {1, 2, 3, 4}; __VERIFIER_nondet_memory(t, 2); byte *p = malloc(2); p[1] = 0; out = t[0] + 256 * p[n & 1];",
        1,
        Anything,
    ),
    (
        "static byte t[4]; MAIN byte *q = n ? t : 0; if (q) __VERIFIER_nondet_memory(q, 2); byte *p = malloc(2); p[1] = 0; out = t[0] + 256 * p[n & 0];",
        2,
        Anything,
    ),
    (
        "static byte t[4]; MAIN byte *q = n ? t : 0; __VERIFIER_nondet_memory(q, 2); byte *p = malloc(2); p[1] = 0; out = p[n & 0];",
        2,
        Anything,
    ),
    (
        "static byte big[100]; MAIN byte *q = big + (n & 1); __VERIFIER_nondet_memory(q, n + 1); out = big[2];",
        2,
        AtLeast,
    ),
    ("byte big[100]; big[2] = 1; __VERIFIER_nondet_memory(big, n + 1); out = big[2];", 2, AtLeast),
    ("int x = 1; change(&x); out = x + n;", 2, Anything),
    ("int x = 1, y = 2; change(&x); out = y + n;", 2, Exactly),
    ("struct { int a; byte b; } s = {1, 2}; change(&s.b); out = s.a + n;", 2, Anything),
    ("static int t[3] = {1, 2, 3}; MAIN change(t + (n & 1)); out = t[2];", 2, Anything),
    (
        "static int t[3] = {1, 2, 3}; MAIN change(t + (n & 1)); byte *p = malloc(2); p[1] = 0; out = t[2] + *p;",
        2,
        Anything,
    ),
    ("int *p = malloc(8); p[1] = 5; change(p); out = p[n & 1];", 2, Anything),
    ("static int x = 1; MAIN int *p = n ? &x : 0; change(p); byte *q = malloc(1); out = *q;", 2, Anything),
    ("static int x = 1; MAIN int *p = n ? &x : 0; change(p); byte *q = malloc(1); out = n ? x : *q;", 2, Anything),
    (
        "static struct { int a; short b; } s = {1, 2}; MAIN short *p = n ? &s.b : 0; change(p); byte *q = malloc(1); out = n ? s.b : *q;",
        2,
        Anything,
    ),
    (
        "static struct { int a; short b; } s = {1, 2}; MAIN short *p = n ? &s.b : 0; change(p); byte *q = malloc(1); out = n ? s.a : *q;",
        2,
        Anything,
    ),
    ("static int x = 1; static void f(int *p) { change(p); } MAIN f(&x); out = x + n;", 2, Anything),
    (
        "static struct { int a, b; } s = {1, 2}; static void f(int *p) { change(p); } MAIN f(&s.b); out = s.b + n;",
        2,
        Anything,
    ),
    ("static int x = 1, y = 2; MAIN int *p = n ? &x : &y; change(p); out = n ? x : y;", 2, Anything),
    ("static int x = 1, y = 2; MAIN int *p = n ? &x : &y; change(p); out = n ? y : x;", 2, Within),
    ("int x = 1; __asm__ volatile (\"nop\" : : \"r\" (&x) : \"memory\"); out = x + n;", 2, Anything),
    (
        "struct { int a; byte b[4]; } s = {1, {2}}; __asm__ volatile (\"nop\" : : \"r\" (s.b) : \"memory\"); out = s.a + s.b[n & 3];",
        2,
        Anything,
    ),
    (
        "static int t[3] = {1, 2, 3}; MAIN t[n & 1] = 4; __asm__ volatile (\"nop\" : : \"r\" (t + 1) : \"memory\"); out = t[2];",
        2,
        Anything,
    ),
    ("char b[8] = {1, 2}; sprintf(b, n ? \"x\" : \"%s\", \"y\"); out = b[0];", 2, Within),
    ("char b[8] = {1, 2}; sprintf(b + 1, n ? \"x\" : \"%s\", \"y\"); byte *p = malloc(1); out = *p;", 2, Anything),
    ("static char b[8] = {1, 2}; MAIN b[n] = 3; sprintf(b, n ? \"x\" : \"%s\", \"y\"); out = b[0];", 2, Within),
    ("byte t[40]; byte *p = malloc(40); memcpy(p, t, 40); out = p[20 + n];", 2, Anything),
    ("byte t[4] = {1, 2, 3, 4}; t[n & 3] = 5; __VERIFIER_nondet_memory(t + 2, 2); out = t[3];", 2, Anything),
    (
        "struct { int a; byte b[4]; } *p = malloc(8); p->a = 1; __VERIFIER_nondet_memory(p->b + n, 2); out = p->b[1];",
        2,
        Anything,
    ),
];

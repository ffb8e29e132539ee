//! Small programs about memory: what comes before `MAIN` stands outside of the function, if there is something.

use super::Says::{self, Anything, AtLeast, Exactly, Within};

type Row = (&'static str, u32, Says);

pub const FILLS: &[Row] = &[
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
];

pub const COPIES: &[Row] = &[
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
];

pub const WIDTHS: &[Row] = &[
    ("union { int i; short s[2]; byte b[4]; } u; u.i = 0x01020304 * n; u.b[1] = 7; u.s[1] = 9; out = u.i;", 3, Exactly),
    (
        "long long l = 0x0102030405060708; int *p = (int *) &l; short *q = (short *) &l; p[1] = n; q[0] = 5; out = l;",
        3,
        Exactly,
    ),
    ("static long long l = 0x0102030405060708; MAIN byte *p = (byte *) &l + (n & 7); *p = 9; out = l;", 8, Exactly),
    (
        "static int a[4]; MAIN a[n & 3] = 5; byte *p = (byte *) (a + 1); p[1] = 1; out = a[0] + a[1] + a[2] * 16 + a[3] * 256;",
        4,
        Exactly,
    ),
    (
        "struct { unsigned a : 5, b : 9, c : 18; } s = {1, 2, 3}; s.b = n; out = s.a + s.b * 32 + s.c * 65536;",
        4,
        Exactly,
    ),
    (
        "struct S { char c; int i; } __attribute__((packed)); MAIN struct S t[2] = {{1, 2}, {3, 4}}; t[n & 1].i = 0x01020304; \
      byte *p = (byte *) t; out = p[1] + p[4] * 256 + p[6] * 65536 + t[1].c;",
        2,
        Exactly,
    ),
    ("int x = 0x01020304; short *p = (short *) ((char *) &x + 1); out = *p + n;", 2, Exactly),
    ("char a[8] = {0}; a[(byte) (n * 1024 + 260)] = 1; out = a[4];", 3, Exactly),
    (
        "static char a[16]; MAIN unsigned long i = n; unsigned long j = i * 12; *(char *) ((unsigned long) a + (j & 15)) = 3; out = a[12] + 16 * a[4] + 256 * a[8];",
        4,
        Exactly,
    ),
    ("static char a[16]; MAIN signed char i = n * 96; a[(byte) i & 15] = 1; out = a[0];", 3, Exactly),
    (
        "static struct { int x, y, z; } t[4]; MAIN t[n & 3].y = 5; t[1].z = 7; out = t[0].y + t[1].y * 8 + t[1].z * 64;",
        4,
        Exactly,
    ),
    (
        "union { long long l; int i[2]; short s[4]; byte b[8]; } u; u.l = 0x0102030405060708; u.s[1] = n; u.b[7] = 9; out = u.i[0] + u.l + u.s[3];",
        3,
        Exactly,
    ),
    ("static int a[2] = {1, 2}; MAIN a[n & 1] = 7; out = *(short *) ((char *) a + 2) + *(long long *) a;", 2, Exactly),
    (
        "static short a[4] = {1, 2, 3, 4}; MAIN a[n & 3] = 7; *(int *) (a + 1) = 0x01020304; out = a[0] + 16 * a[1] + a[2] + a[3];",
        4,
        Exactly,
    ),
];

pub const HEAP: &[Row] = &[
    ("int *p = calloc(1, 4); p[0] = n; p = realloc(p, 8); out = p[0];", 3, Exactly),
    ("int *p = calloc(1, 4); p = realloc(p, 8); out = p[1];", 1, Anything),
    (
        "char *p = malloc(2); p[0] = 1; p[1] = n; char *q = realloc(p, 4); q[3] = 5; out = q[0] + 16 * q[1] + 256 * q[3];",
        3,
        Exactly,
    ),
    ("byte *p = malloc(2); p[0] = 1; p[1] = 2; byte *q = realloc(p, 4); out = q[2];", 1, Anything),
    ("int *p = malloc(12); p[0] = 1; p[1] = n; p[2] = 3; p = realloc(p, 8); out = p[0] + 16 * p[1];", 3, Exactly),
    ("int *p = malloc(4); p[0] = 5; p = realloc(p, 4 * n + 4); out = p[0];", 3, Exactly),
    ("byte *p = malloc(n + 1); p[0] = 5; p[n] = 6; p = realloc(p, 4); out = p[n];", 4, Exactly),
    ("byte *p = malloc(n + 1); p[0] = 5; p = realloc(p, 4); out = p[n + 1];", 3, Anything),
    ("char *p = realloc(0, 4); p[0] = n; out = p[0];", 3, Exactly),
    ("char *p = realloc(0, 4); out = p[n];", 3, Anything),
    (
        "struct S { char c; int i; } __attribute__((packed)); MAIN struct S *p = malloc(5); p->c = 1; p->i = n; p = realloc(p, 10); \
      p[1].i = 9; out = p->c + 16 * p->i + 256 * p[1].i;",
        3,
        Exactly,
    ),
    (
        "struct S { short s; int i; }; MAIN struct S *p = calloc(2, sizeof *p); p[n & 1].i = 3; p[1].s = 4; p = realloc(p, 3 * sizeof *p); \
      p[2].i = 5; out = p[0].i + 8 * p[1].i + 64 * p[1].s + 512 * p[2].i;",
        2,
        Exactly,
    ),
    (
        "int *p = malloc(8), *q = malloc(8); p[0] = 1; q[0] = 2; q[1] = 7; int *r = n ? p : q; r = realloc(r, 16); out = r[0];",
        2,
        Exactly,
    ),
    ("int *p = calloc(2, 4), *q = malloc(8); q[0] = n; out = p[0] + p[1] + q[0];", 3, Exactly),
    ("char *p = calloc(2, 1); p[1] = 4; p[0] = n; out = p[n & 1] + 16 * p[0];", 4, Exactly),
    ("int *p = malloc(8); out = p[n & 1];", 2, Anything),
    ("char *p = alloca(4); p[0] = n; p[1] = 2; memcpy(p + 2, p, 2); out = p[2] + 16 * p[3];", 3, Exactly),
    ("unsigned k = n + 1; short v[k]; v[0] = 1; v[n] = 7; out = v[0];", 3, Exactly),
    (
        "int *a[2]; a[0] = malloc(4); a[1] = malloc(4); *a[0] = 1; *a[1] = 2; *a[n & 1] = 3; out = *a[0] + 4 * *a[1];",
        2,
        Exactly,
    ),
    (
        "struct L { struct L *next; int v; }; MAIN struct L *a = malloc(sizeof *a), *b = malloc(sizeof *b); a->next = b; a->v = 1; \
      b->next = 0; b->v = n; free(b->next); out = a->next->v;",
        3,
        Exactly,
    ),
    ("int *p = n & 1 ? calloc(2, 4) : malloc(8); p[0] = 3; out = p[0];", 2, Exactly),
    (
        "int *p = calloc(2, 4), *q = malloc(8); q[0] = 4; q[1] = 5; int *r = n & 1 ? p : q; r[0] = 3; out = p[0] + 8 * q[0] + 64 * p[1] + 512 * q[1];",
        2,
        Exactly,
    ),
    (
        "static int g[2] = {1, 2}; MAIN int *q = malloc(8); q[0] = 4; q[1] = 5; int *r = n & 1 ? g : q; r[n >> 1] = 3; out = g[0] + 8 * q[0] + 64 * g[1] + 512 * q[1];",
        4,
        Exactly,
    ),
    (
        "static int g[2] = {1, 2}; MAIN int h[2] = {4, 5}; int *r = n & 1 ? g : h, *s = n & 1 ? h : g; *r = *s + 1; out = g[0] + 8 * h[0] + 64 * *r + 512 * *s;",
        2,
        Exactly,
    ),
    (
        "static int g; MAIN int *h = malloc(4); *h = 4; int *p = n ? &g : h; *p = 5; p = &g; *p += 1; out = g + 16 * *h;",
        2,
        Exactly,
    ),
];

/// Memory that becomes arbitrary, and what stays as it is.
pub const ARBITRARY: &[Row] = &[
    ("int x = 1; __VERIFIER_nondet_memory(&x, 4); out = x;", 1, Anything),
    ("int x = 0x11223344; __VERIFIER_nondet_memory(&x, 2); out = x >> 16;", 1, Exactly),
    ("int x = 0x11223344; __VERIFIER_nondet_memory(&x, 2); out = x & 0xff;", 1, Anything),
    ("struct { int a, b; } s = {1, 2}; __VERIFIER_nondet_memory(&s.b, 4); out = s.a + n;", 2, Exactly),
    ("struct { int a, b; } s = {1, 2}; __VERIFIER_nondet_memory(&s.b, 4); out = s.b + n;", 2, Anything),
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

pub const OBJECTS: &[Row] = &[
    ("int later; if (n) later = 5; int *p = n ? &later : 0; out = n ? *p : 7;", 2, Exactly),
    (
        "static int twice(int k) { int seen; if (k) seen = k; return seen; } MAIN twice(3); out = (unsigned char) twice(n);",
        1,
        Within,
    ),
    (
        "static int g[3] = {1, 2}; static short h; MAIN g[n % 3] += 4; h = g[2]; out = g[0] + 8 * g[1] + 64 * h;",
        3,
        Exactly,
    ),
    (
        "struct S { int a; char b[3]; long long c; }; static struct S g = {1, {2, 3}, 4}; static struct S *p = &g; MAIN \
      p->b[n % 3] = 7; out = p->a + 8 * p->b[0] + 64 * p->b[1] + 512 * p->b[2] + 4096 * p->c;",
        3,
        Exactly,
    ),
    (
        "static int *where = 0; static int one = 1, two = 2; MAIN where = n ? &one : &two; *where = 5; out = one + 8 * two;",
        2,
        Exactly,
    ),
    ("byte a; byte *p = &a; out = *p + n;", 2, Anything),
    ("byte t[4]; t[0] = 1; out = t[1 + (n & 1)];", 2, Anything),
    (
        "struct S { int a, b; }; static void cp(struct S *d, struct S *s) { *d = *s; } MAIN struct S z = {1, 5}, y = {0, 0}; \
      for (int i = 0; i < 2; i++) { struct S x; if (i == 0) cp(&x, &z); x.a = n; cp(&y, &x); } out = y.b;",
        2,
        Anything,
    ),
    (
        "static void out_of(int **p) { static int s; s++; *p = &s; } MAIN int *p; out_of(&p); out_of(&p); out = *p + n;",
        2,
        Exactly,
    ),
    (
        "static int recursive(int k, int *up) { int here = k; if (k == 0) { *up = 7; return 0; } int r = recursive(k - 1, &here); \
      *up = 1; return here * 10 + r; } MAIN int top = 3; out = recursive(n & 1, &top) * 10 + top;",
        2,
        Exactly,
    ),
    (
        "static int first(const int *p) { return p[0]; } static int second(const short *p) { return p[1]; } MAIN \
      int a[2] = {n, 2}; short b[3] = {1, n + 4, 3}; out = first(a) + 16 * second(b);",
        3,
        Exactly,
    ),
    ("static const char *text = \"abc\"; MAIN out = text[n & 3];", 4, Exactly),
    (
        "int a[3] = {1, 2, 3}; for (unsigned i = 0; i < 3; i++) a[i] += n; out = a[0] + 16 * a[1] + 256 * a[2];",
        3,
        Exactly,
    ),
    (
        "static int recursive(int k) { int here[2] = {k, 7}; if (k > 0) here[1] = recursive(k - 1); return here[0] * 8 + here[1]; } MAIN out = recursive(n);",
        3,
        Exactly,
    ),
    (
        "static int recursive(int k) { int here[2]; here[1] = k; if (k > 0) recursive(k - 1); return here[1]; } MAIN out = recursive(n);",
        3,
        Exactly,
    ),
];

pub const FLOATS: &[Row] = &[
    ("float f = (float)n * 0.5f; unsigned u; memcpy(&u, &f, 4); out = u;", 3, Exactly),
    ("double d = (double)n / 3, e; memcpy(&e, &d, 8); out = e == d && e * 3 < n + 1;", 3, Exactly),
    (
        "unsigned i = 0x7fc12345, j = 0; float f, g = 1; memcpy(&f, &i, 4); if (n) g = f; memcpy(&j, &g, 4); out = j;",
        2,
        Exactly,
    ),
    (
        "unsigned j; float z = n, f = z / z; memcpy(&j, &f, 4); out = j == 0x7fc00000 || j == 0xffc00000 || j == 0x3f800000;",
        1,
        Within,
    ),
    ("union { float f; unsigned i; } a, b; a.i = 0x7fc12345; float f = a.f; b.f = f; out = b.i + n;", 2, Exactly),
    (
        "unsigned i = 0x7fc12345, j = 0; float f; memcpy(&f, &i, 4); float g = f; memcpy(&j, &g, 4); out = j + n;",
        2,
        Exactly,
    ),
    (
        "unsigned i = 0x7f812345 + n, j = 0; float f; memcpy(&f, &i, 4); float g = f; memcpy(&j, &g, 4); out = j;",
        2,
        Exactly,
    ),
    (
        "unsigned long long i = 0x7ff8000000001234ULL, j; double d; memcpy(&d, &i, 8); double t[2] = {1, 2}; t[n & 1] = d; memcpy(&j, t + (n & 1), 8); out = j;",
        2,
        Exactly,
    ),
    ("float t[3] = {1, 2, 3}; memset(t, 0, n); out = t[0] + 10 * t[1] + 100 * t[2];", 9, Exactly),
    ("double d = 1.5; byte b[8]; memcpy(b, &d, 8); b[7] = 0xC0; memcpy(&d, b, 4 + n); out = d > 0;", 5, Exactly),
    (
        "float f[2] = {1, 2}; double d = 3; memcpy(&d, f, n); unsigned long long l; memcpy(&l, &d, 8); out = l;",
        9,
        Exactly,
    ),
    ("long double x = 1.25; long double t[2] = {x, 2}; t[n & 1] = 3; out = t[0] * 100 + t[1] * 1000;", 2, Exactly),
    ("struct { float f; int i; } a = {1.5, 2}, b; b = a; b.f += n; out = b.f * 2 + b.i * 100;", 2, Exactly),
    ("float f = n, g = f / f; unsigned i, j; memcpy(&i, &g, 4); memcpy(&j, &g, 4); out = i == j;", 2, Exactly),
    ("struct { float f; double d; } s; memset(&s, 0, sizeof s); s.f += n; out = s.f + s.d;", 2, Exactly),
    (
        "static float t[3]; static double d[2]; MAIN t[n % 3] = 2; d[n & 1] = 3; out = t[0] + 10 * t[1] + 100 * d[0];",
        3,
        Exactly,
    ),
    ("float t[2] = {1.5, 2.5}; byte b[8]; memcpy(b, t, 8); b[3] = n; memcpy(t, b, 8); out = t[1] * 2;", 2, Exactly),
    ("long double t[2] = {1, 2}; memset(t, 0, n); out = t[0] * 100 + t[1] * 1000;", 1, Exactly),
    (
        "static long double t[2] = {1, 2}; MAIN t[n & 1] = 3; long double u[2]; memcpy(u, t, sizeof t); out = u[0] * 100 + u[1] * 1000;",
        2,
        Exactly,
    ),
];

/// What may be undefined, depending on `n`: accesses near null, and outside of arrays that the program names.
pub const DEFINED: &[(&str, u32)] = &[
    ("int x = 1, *p = n ? &x : 0; out = *p;", 2),
    ("int x = 1, *p = n == 1 ? 0 : &x; *p = 4;", 3),
    ("struct s { int a, b; } s = {1, 2}, *p = n ? &s : 0; out = p->b;", 2),
    ("struct s { int a, b; } s = {1, 2}, *p = n ? &s : 0; p->b = 3;", 2),
    ("char t[4] = {0}, *p = n == 2 ? 0 : t; memset(p, 1, n + 1);", 3),
    ("char t[4] = {0}, u[4] = {1}, *p = n == 2 ? 0 : t; memcpy(p, u, n + 1);", 3),
    ("char t[4] = {0}, u[4] = {1}, *p = n == 2 ? 0 : u; memcpy(t, p, n + 1);", 3),
    ("static int t[3] = {1, 2, 3}, u[3]; MAIN u[n & 1] = 4; out = t[n];", 5),
    ("char t[4] = {0}; memset(t, 1, n);", 7),
    ("char t[4] = {0}; memset(t + 1, 1, n);", 7),
    ("static char t[4], u[4]; MAIN u[n & 3] = 1; t[n & 3] = 1; memset(t, 1, n);", 7),
    ("char t[4] = {0}, u[8] = {0}; memcpy(t, u, n);", 7),
    ("char t[8] = {0}, u[4] = {0}; memcpy(t, u, n);", 7),
    ("static char t[4], u[8]; MAIN u[n & 3] = 1; t[n & 3] = 1; memcpy(t, u, n);", 7),
    ("static char t[8], u[4]; MAIN u[n & 3] = 1; t[n & 3] = 1; memcpy(t, u, n);", 7),
    ("char t[4] = {0}, *p = n < 2 ? 0 : t; memset(p, 1, n);", 4),
    ("char t[4] = {0}, u[4] = {1}, *p = n < 2 ? 0 : t; memcpy(p, u, n);", 4),
    ("char t[4] = {0}, u[4] = {1}, *p = n < 2 ? 0 : u; memcpy(t, p, n);", 4),
    ("static int t[2]; MAIN if (n) out = t[2];", 2),
    (
        "static char t[4], u[4]; static void put(char *d, char *s, unsigned k) { memcpy(d, s, k); } MAIN put(t, u, n);",
        7,
    ),
];

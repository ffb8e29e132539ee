//! Small programs about memory: what comes before `MAIN` stands outside of the function, if there is something.

use super::Says::{self, Anything, AtLeast, Exactly, Within};

/// A body, how many inputs there are, and what the formula says of `out`.
pub type Row = (&'static str, u32, Says);

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
    // Sizes of which only the largest is known.
    ("byte *p = malloc(n + 8); p[3] = 7; memset(p, 1, n % 5); out = p[3];", 6, Exactly),
    ("int *p = malloc(4 * n + 256); p[0] = 0x0707; byte k = n; memset(p, 1, k); out = p[0];", 3, Exactly),
    // Two bytes may be a large number.
    (
        "byte b[2] = {4 * n, n}; unsigned short k; memcpy(&k, b, 2); int *p = malloc(264); p[64] = 5; memset(p, 1, k); out = p[64];",
        2,
        AtLeast,
    ),
    // More than there is to copy, where no execution comes.
    (
        "unsigned k = 9; char s[8] = {1, 2}, *d = malloc(16); d[0] = 3; if (n > 5) memcpy(d, s, k); out = d[0];",
        2,
        Exactly,
    ),
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
    (
        "float f = n, g = f / f; byte s[4], t[4]; *(float *) s = g; *(float *) t = g; out = s[3] == t[3] && s[0] == t[0];",
        2,
        Exactly,
    ),
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
    ("static char t[8], u[4] = {1}; MAIN unsigned i = 2 + (n >> 3); memcpy(t, u + i, n);", 5),
    ("static char t[8], u[4] = {1}; MAIN unsigned i = n >> 3; memcpy(t, u + i, n);", 6),
    ("int t[2] = {1, 2}, *p = n ? t + (n & 1) : 0; out = *p;", 3),
];

//! Which checks of memory fail: what formulas keep of living objects, and of bytes that were written. A row is the body
//! of a function with an input `n`; for every value of `n` the interpreter says which check fails, if any, and the formula
//! must reach that target and, where it is exact, no other one. A row says `Exactly` if no execution goes on past a check
//! that fails, `AtLeast` if some may, and `Within` if checks may fail in formulas that do not in executions.

use super::Says::{self, AtLeast, Exactly, Within};
use super::{HEAD, Way, inputs_of, lower_checked, reached, replay};
use base::Cancel;
use cfa::{Check, Checks, DataModel, EdgeId, Living, Op, Program, Undefined};
use encode::SlotKind;
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{self, Options, RunEnd};
use smt::{Answer, Solver, TermId};
use smt_bitwuzla::Bitwuzla;
use std::collections::BTreeSet;

/// A body, how many inputs there are, and whether the formula is exact.
type Row = (&'static str, u32, Says);

/// Accesses that lie in one living object, or do not.
const DEREF: &[Row] = &[
    ("int x = 1, t[2] = {1, 2}, *p = n == 0 ? &x : n == 1 ? t + 1 : n == 2 ? t + 2 : 0; out = *p;", 4, Exactly),
    ("int t[2] = {1, 2}; char *p = (char *) t + n; out = *(int *) p;", 10, Exactly),
    ("static int t[2]; MAIN int *p = t; p += n; *p = 1;", 4, Exactly),
    ("char *p = malloc(n + 1); p[2] = 1;", 4, Exactly),
    ("int *p = malloc(8); p[n] = 1;", 4, Exactly),
    ("int *p = malloc(8); p[(int) n - 1] = 1;", 4, Exactly),
    ("char *p = malloc(4), *q = p + 4; q[-(int) n] = 1;", 6, Exactly),
    ("char *p = malloc(4), *q = p + n; *(short *) q = 1;", 5, Exactly),
    ("char *p = malloc(n); memset(p, 1, 2);", 4, Exactly),
    ("char t[2], *p = n ? t : 0; memset(p, 1, n);", 4, Exactly),
    ("struct { int a, b[2000]; } *p = n ? malloc(sizeof *p) : 0; p->b[1500] = 1;", 2, Exactly),
    ("struct { int a, b; } s, *p = n ? &s : 0; p->b = 1;", 2, Exactly),
    ("int *p = malloc(4); *p = 1; if (n) free(p); out = *p;", 2, Exactly),
    ("int *p = malloc(4), *q = malloc(4); *q = 5; if (n) free(p); out = *q; *p = 1;", 2, Exactly),
    ("int *p = malloc(4), *q = p; if (n & 1) p = realloc(p, 8); *p = 1; *q = 1;", 2, Exactly),
    ("int *p = malloc(4); if (n & 1) p = realloc(p, 8); p[1] = 1;", 2, Exactly),
    ("int *p = malloc(4); free(n ? 0 : p); *p = 1;", 2, Exactly),
    // The first heap object does not lie where the last variable does.
    ("char z, *p = &z; if (n) { p = malloc(1); free(p); } *p = 2;", 2, Exactly),
    ("char z, *p = &z; if (n) p = calloc(2, 1); p[1] = 2;", 2, AtLeast),
    ("static char z; MAIN char *p = &z; if (n) p = calloc(2, 1); p[1] = 2;", 2, AtLeast),
    // Scopes.
    ("int z = 3, *p = &z; { int x = n; if (n == 1) p = &x; out = *p; } out = *p;", 3, Exactly),
    ("int z = 3, *p = &z; for (int i = 0; i < 2; i++) { int x = 5; p = n == i ? &x : &z; *p = 1; } *p = 2;", 3, Within),
    // What holds the address ends with the object, or does not.
    ("for (int i = 0; i < 2; i++) { int x = i, *a[1] = {&x}; a[0][n] = 1; }", 2, Exactly),
    (
        "for (int i = 0; i < 2; i++) { int x = i, *a[1] = {&x}, *b[1]; memcpy(b, a, sizeof a); b[0][n] = 1; }",
        2,
        Exactly,
    ),
    (
        "int *b[1] = {0}; for (int i = 0; i < 2; i++) { int x = i, *a[1] = {&x}; if (n && b[0]) *b[0] = 1; memcpy(b, a, sizeof a); }",
        2,
        Within,
    ),
    ("int **r = 0; for (int i = 0; i < 2; i++) { int x = i, *a[1] = {&x}; if (n && r) **r = 1; r = a; }", 2, Within),
    ("char z, *p = &z; if (n) { char v[n]; p = v; *p = 1; if (n == 2) p = &z; } *p = 2;", 3, Exactly),
    ("char *p = alloca(n + 1); p[2] = 1;", 4, Exactly),
    // Functions that return.
    ("static int f(unsigned k) { char *p = alloca(k + 1); p[2] = 1; return p[2]; } MAIN out = f(n);", 4, Exactly),
    (
        "static int *f(int k) { static int s = 7; int x = k; int *p = k == 1 ? &x : &s; *p = 1; return p; } MAIN *f(n) = 2;",
        3,
        Exactly,
    ),
    (
        "static int *g, s; static void f(int k) { int x = k; g = &x; *g = 1; } MAIN f(n); if (n == 2) g = &s; *g = 2;",
        3,
        Exactly,
    ),
    (
        "static void f(int **p, int *q) { int x; *p = &x; **p = 1; if (q) *p = q; } MAIN int y, *p; f(&p, n ? &y : 0); *p = 1;",
        2,
        Exactly,
    ),
    ("static void f(int *p) { *p = 1; } MAIN int x; f(n ? &x : 0);", 2, Exactly),
    (
        "static int *g, s; static void recursive(int k) { int x = k; if (k == 0) g = &x; else recursive(k - 1); if (k == 0) *g = 1; } MAIN \
      g = &s; recursive(n & 1); if (n == 2) g = &s; *g = 2;",
        3,
        Within,
    ),
    (
        "static void recursive(int k, int *up) { int x[2]; if (k == 0) up[2] = 1; else recursive(k - 1, x); } MAIN int t[4]; recursive(n & 1, t);",
        2,
        Exactly,
    ),
    (
        "static char *f(void) { char *p = alloca(1); *p = 1; return p; } MAIN char *p = n ? f() : malloc(1); *p = 2;",
        2,
        Within,
    ),
    // Functions that the start of the program calls.
    (
        "static int *g, s; static void __attribute__((constructor)) f(void) { int x; g = &x; *g = 1; } MAIN if (n) g = &s; *g = 2;",
        2,
        Exactly,
    ),
    (
        "static int *g, s; static void __attribute__((constructor)) f(void) { int x; g = &x; *g = 1; } MAIN g = &s; if (n) f(); *g = 2;",
        2,
        Within,
    ),
    (
        "static int *g, s; static void __attribute__((destructor)) f(void) { *g = 2; } MAIN int x; g = &x; *g = 1; if (n) g = &s;",
        2,
        Exactly,
    ),
    (
        "extern int atexit(void (*)(void)); static int *g, s; static void f(void) { *g = 2; } MAIN int x; g = &x; *g = 1; atexit(f); if (n) g = &s;",
        2,
        Exactly,
    ),
    (
        "static char *g, s; static void __attribute__((constructor)) f(void) { g = alloca(4); *g = 3; } MAIN if (n) g = &s; *g = 2;",
        2,
        Within,
    ),
    ("static char *g, s; static void f(void) { g = alloca(4); *g = 3; } MAIN f(); if (n) g = &s; *g = 2;", 2, Within),
    (
        "static int *g, s; static void __attribute__((destructor)) f(void) { int x; g = &x; } MAIN g = &s; if (n) f(); *g = 2;",
        2,
        Exactly,
    ),
    // What is kept of the heap, and of the stack until the program ends.
    ("static char *g; static void f(void) { g = malloc(1); } MAIN f(); g[n] = 1;", 2, Exactly),
    ("static char *g; MAIN g = alloca(1); g[n] = 1;", 2, Exactly),
    // More variables than a formula tells apart by their addresses.
    (
        "int a, b, c, d, e, f, g, h, i, *p = n == 0 ? &a : n == 1 ? &b : n == 2 ? &c : n == 3 ? &d : n == 4 ? &e : n == 5 ? &f : n == 6 ? &g : n == 7 ? &h : &i; \
      p[n == 8] = 1;",
        9,
        Exactly,
    ),
    (
        "int z, *p = &z; { int a, b, c, d, e, f, g, h; if (n) p = n == 1 ? &a : n == 2 ? &b : n == 3 ? &c : n == 4 ? &d : n == 5 ? &e : n == 6 ? &f : n == 7 ? &g : &h; *p = 1; } *p = 2;",
        3,
        Exactly,
    ),
    // Arithmetic never leads into another object, wherever that lies.
    ("char *p = malloc(4), *q = malloc(4), *r = p + (1ul << 4 * sizeof(long)) * n; *q = 1; *r = 1;", 2, AtLeast),
    ("char t[4], u[4], *p = t, *q = n == 2 ? u : t; q = q + (u - t) * (n & 1); *q = 1;", 3, AtLeast),
    ("char t[4], u[4], *q = n == 2 ? u : t; q = q + (1ul << 4 * sizeof(long)) * (n & 1); *q = 1;", 3, AtLeast),
    ("static char t[70000]; MAIN char *p = t; p = p + (69998 + n); *p = 1;", 4, Exactly),
    ("char *p = malloc(4), *q = malloc(4); *q = 1; p[(1ul << 4 * sizeof(long)) * n] = 1;", 2, Exactly),
    (
        "static char *f(char *p) { return p; } MAIN char *p = malloc(4), *q = malloc(4), *r = f(p + (1ul << 4 * sizeof(long)) * n); *q = 1; *r = 1;",
        2,
        AtLeast,
    ),
    (
        "static char *g; MAIN char *p = malloc(4), *q = malloc(4); g = p + (1ul << 4 * sizeof(long)) * n; *q = 1; *g = 1;",
        2,
        AtLeast,
    ),
    ("int x[2], *p = x; *(int *) ((unsigned long) p + 8 * n) = 1;", 2, AtLeast),
    // What lies outside of the program may be there.
    (
        "extern int *get(void); MAIN int x, *p = n == 1 ? 0 : n ? &x : get(); if (!p && n != 1) return 0; *p = 1;",
        3,
        Within,
    ),
    // A local of the last call lies where that of this one does.
    (
        "static int *g, s; static void recursive(int k) { int x = k; if (k == 0) { if (g) *g = 1; g = &x; } else recursive(k - 1); } MAIN \
      recursive(1); if (n) g = &s; recursive(1);",
        2,
        Within,
    ),
    (
        "static int *g, s; static void f(void) { int x = 1; if (g) *g = x; g = &x; } MAIN f(); if (n) g = &s; f();",
        2,
        Within,
    ),
    (
        "static int *g, s; static void f(void) { int x = 1; if (g) *g = x; g = &x; } static void h(void) { f(); } MAIN \
      for (int i = 0; i < 2; i++) { if (n) g = &s; h(); }",
        2,
        Within,
    ),
    ("static int *g, s; MAIN for (int i = 0; i < 2; i++) { int x = 1; if (g) *g = x; g = n ? &s : &x; }", 2, Within),
    (
        "static int *g, s; static void f(void) { int x = 1; if (g) *g = x; g = &x; } static void h(void) { f(); } MAIN \
      h(); if (n) g = &s; h();",
        2,
        Within,
    ),
    // One that is entered once has no other one before it.
    ("static int *g; static void f(int k) { int x[2]; g = x; g[k] = 1; } MAIN f(n);", 3, Exactly),
];

/// What `free` and `realloc` take.
const FREE: &[Row] = &[
    ("int x, *p = n == 0 ? 0 : n == 1 ? malloc(4) : &x; free(p);", 3, AtLeast),
    ("int *p = malloc(4); if (n) free(p); free(p);", 2, Exactly),
    ("char *p = malloc(4); free(p + n);", 3, AtLeast),
    ("char *p = malloc(4), *q = realloc(p, 8); free(n ? p : q);", 2, Exactly),
    ("int x, *p = n ? &x : 0; free(p);", 2, Exactly),
    ("char *p = n ? alloca(4) : malloc(4); free(p);", 2, AtLeast),
    ("char *p = realloc(n ? malloc(2) : 0, 4); free(p + (n == 2));", 3, AtLeast),
    ("char *p = calloc(2, 2); p = realloc(p + n, 8); free(p);", 2, AtLeast),
    ("int *p = malloc(4); free((void *) ((unsigned long) p + 4 * n));", 2, Within),
    ("static int *g; static void f(void) { free(g); } MAIN g = malloc(4); f(); if (n) g = 0; f();", 2, Exactly),
    // What lies outside of the program may be given back.
    ("extern int *get(void); MAIN int x, *p = n ? &x : get(); if (!p) return 0; free(p);", 2, Within),
];

/// Heap objects that are not free in the end.
const CLEANUP: &[Row] = &[
    ("int *p = malloc(4); if (n) free(p);", 2, Exactly),
    ("int *p = n ? malloc(4) : 0; free(p); if (n == 2) p = malloc(1);", 3, Exactly),
    ("char *p = malloc(2); p = realloc(p, 4); if (n) free(p);", 2, Exactly),
    ("char *p = 0; p = realloc(p, 4); if (n) free(p);", 2, Exactly),
    ("char *p = alloca(4), *q = calloc(1, 1); p[0] = 1; if (n) free(q);", 2, Exactly),
    ("char *p = malloc(1), *q = malloc(1); free(n == 1 ? q : p); if (n) free(n == 1 ? p : q);", 3, Exactly),
    ("char *p = malloc(4); if (n) p = realloc(p, 0);", 2, Exactly),
    ("for (unsigned i = 0; i < 2; i++) { char *p = malloc(1); if (n > i) free(p); }", 3, Exactly),
];

/// Heap objects that no pointer leads to: formulas know where there are none, and what global variables lead to.
const TRACK: &[Row] = &[
    ("int *p = malloc(4); if (n) free(p); p = 0;", 2, Exactly),
    ("static int *g; MAIN int *p = malloc(4); if (n) g = p; p = 0;", 2, Within),
    // Loops are for unrolled programs, which know more.
    ("static int *g; MAIN for (int i = 0; i < 1; i++) { int *p = malloc(4); if (n) g = p; }", 2, Exactly),
    (
        "static char *g; static double d; static _Bool b; static int k; MAIN for (int i = 0; i < 1; i++) { char *p = malloc(1); d = b = k = n; if (b && d && k) g = p; }",
        2,
        Exactly,
    ),
    (
        "static char *g; static void put(char **at, char *p) { *at = p; } MAIN for (int i = 0; i < 1; i++) { char *p = malloc(1); if (n) put(&g, p); }",
        2,
        Exactly,
    ),
    ("static char *g; MAIN for (int i = 0; i < 1; i++) { char *p = malloc(2); g = p + n; }", 4, Exactly),
    (
        "static char *g; MAIN for (unsigned i = 0; i < 2; i++) { char *p = malloc(1); if (n) free(p); else g = p; }",
        2,
        Exactly,
    ),
    (
        "static struct { int a; char *p; } s; MAIN for (int i = 0; i < 1; i++) { char *p = malloc(1); if (n) s.p = p; }",
        2,
        Exactly,
    ),
    (
        "static char *t[2]; MAIN for (int i = 0; i < 2; i++) { char *p = malloc(1); if (n) t[i] = p; else t[0] = p; }",
        2,
        Exactly,
    ),
    (
        "struct L { int v; struct L *next; }; static struct L *g; MAIN for (int i = 0; i < 3; i++) { struct L *p = malloc(sizeof *p); \
      p->next = g; p->v = n; if (n != i) g = p; }",
        4,
        Exactly,
    ),
    (
        "struct L { int v; struct L *next; }; static struct L *g; MAIN for (int i = 0; i < 3; i++) { struct L *p = malloc(sizeof *p); \
      p->next = g; g = p; } if (n == 1) g->next = 0; if (n == 2) g = g->next;",
        3,
        Exactly,
    ),
    // What is free leads nowhere.
    (
        "struct L { int v; struct L *next; }; static struct L *g; MAIN for (int i = 0; i < 2; i++) { struct L *p = malloc(sizeof *p); \
      p->next = g; g = p; } if (n) free(g);",
        2,
        Exactly,
    ),
    (
        "static char *t[12]; MAIN for (int i = 0; i < 12; i++) { char *p = malloc(1); if (i < 11 || n) t[i] = p; }",
        2,
        Exactly,
    ),
    // Globals of other types, and locals that lie behind the last global.
    (
        "static char *g; static short s; static void put(short *at, int v) { *at = v; } MAIN for (int i = 0; i < 1; i++) { char *p = malloc(1); \
      put(&s, n); if (s) g = p; }",
        2,
        Exactly,
    ),
    (
        "static char *g[2]; static void put(char **at, char *p) { *at = p; } MAIN for (int i = 0; i < 1; i++) { char *t[2], *p = malloc(1); \
      put(g, 0); put(t, p); put(t + 1, 0); if (n) free(p); }",
        2,
        Exactly,
    ),
    // A place that only an execution tells.
    (
        "static char *t[2]; MAIN for (int i = 0; i < 1; i++) { char *p = malloc(1); t[n & 1] = p; if (n > 1) t[0] = 0; }",
        4,
        Within,
    ),
    (
        "static char *g, *h; static void put(char **at, char *p) { *at = p; } MAIN for (int i = 0; i < 1; i++) { char *p = malloc(1); \
      put(n ? &g : &h, p); if (n == 2) g = 0; }",
        3,
        Within,
    ),
    // `abort` leaves all frames: their locals and parameters count, those of functions that returned do not.
    ("int *p = malloc(4); if (n) p = 0; abort();", 2, Exactly),
    (
        "static void stop(int k) { if (k) abort(); } MAIN int *p = malloc(4); if (n == 1) p = 0; stop(n); free(p);",
        3,
        Exactly,
    ),
    ("static void stop(int *p, int k) { if (k == 1) p = 0; abort(); } MAIN stop(malloc(4), n);", 3, Exactly),
    ("static int *f(int k) { int *p = malloc(4); return k ? p : 0; } MAIN int *q = f(n); abort();", 2, Exactly),
    (
        "static int g; static void f(int k) { if (g) abort(); int *p = malloc(4); if (k) free(p); g = 1; } MAIN f(n); f(n);",
        2,
        Exactly,
    ),
    (
        "static int g; static void f(int k) { int *t[2], **q = t; if (g) abort(); q[0] = malloc(4); q[k & 1] = q[0]; if (k) free(q[0]); \
      g = 1; } MAIN f(n); f(n);",
        2,
        Exactly,
    ),
    (
        "static void recursive(int k) { int *p = malloc(4); if (k == 0) abort(); if (k == 2) p = 0; recursive(k - 1); } MAIN recursive(n);",
        3,
        Exactly,
    ),
    ("{ int *p = malloc(4); if (n) free(p); } abort();", 2, Exactly),
    ("{ int *t[2], **q = t; q[0] = malloc(4); q[1] = 0; if (n) free(q[0]); } abort();", 2, Exactly),
    ("int *t[2], **q = t; q[1] = malloc(4); q[0] = 0; if (n) q[1] = 0; abort();", 2, Exactly),
    ("struct { int a; int *p; } s; s.a = n; s.p = malloc(4); if (s.a) s.p = 0; abort();", 2, Exactly),
    (
        "struct L { struct L *next; }; MAIN struct L *p = malloc(sizeof *p); p->next = malloc(sizeof *p); p->next->next = 0; \
      if (n == 2) p->next = 0; if (n == 1) p = p->next; abort();",
        4,
        Exactly,
    ),
];

/// What invariants ask.
const ASKED: &[Row] = &[
    ("byte *p = malloc(3); p[0] = 0; p[1] = 1; p[2] = n; if (!is_ended(p)) reach_error();", 2, Within),
    ("byte *p = calloc(3, 1); p[n] = 1; if (!is_ended(p)) reach_error();", 3, Exactly),
    ("byte *p = calloc(3, 1); p[n] = 1; p += 1; if (!is_ended(p)) reach_error();", 3, Exactly),
    ("byte *p = malloc(3); memset(p, 1, 3); p[n] = 0; if (!is_ended(p)) reach_error();", 3, Exactly),
    ("static byte t[3]; MAIN byte *p = t; p[n & 1] = 1; p += n; if (!is_ended(p)) reach_error();", 4, Exactly),
    ("byte *p = calloc(2, 1); p[n] = 0; if (n) free(p); if (!is_ended(p)) reach_error();", 2, Exactly),
    ("byte *p = n ? calloc(2, 1) : 0; if (n) p[n & 1] = 0; if (!is_ended(p)) reach_error();", 2, Exactly),
    ("short *p = calloc(2, 2); p[0] = 1; p[1] = n << 8; if (!is_ended((byte *) p)) reach_error();", 2, Within),
    ("byte x = 0, *p = &x; *p = n; if (!is_ended(p)) reach_error();", 2, Within),
    (
        "static short t[2]; MAIN short *p = t; p[0] = 1; p[1] = n << 8; if (!is_ended((byte *) p)) reach_error();",
        2,
        Within,
    ),
    (
        "char *p = malloc(1), *q = n ? malloc(1) : 0; if (n == 2) free(p); if (heap_count() != 1) reach_error();",
        3,
        Exactly,
    ),
    ("char *p = malloc(1); p = realloc(p, 2); if (n) free(p); if (heap_count() == 0) reach_error();", 2, Exactly),
];

/// Writes to constants.
const READ_ONLY: &[Row] = &[
    ("char t[4] = \"abc\", *p = n ? t : \"xyz\"; p[1] = 1;", 2, Exactly),
    ("static const int c = 5; MAIN int x, *p = n ? &x : (int *) &c; *p = 1;", 2, Exactly),
    ("static const char c[2] = {1, 2}; MAIN char t[4], *p = n < 2 ? (char *) c : t; p[n & 1] = 1;", 4, Exactly),
    ("static const char c[2] = {1, 2}; MAIN char *p = n ? malloc(2) : (char *) c; memset(p, 1, 2);", 2, Exactly),
    (
        "static const int c = 5, d = 6; MAIN int x, *p = n == 0 ? &x : n == 1 ? (int *) &c : (int *) &d; *p = 1;",
        3,
        Exactly,
    ),
    (
        "static const int c = 5; MAIN int x, *p = n ? &x : (int *) &c; *(int *) ((unsigned long) p + (n >> 31)) = 1;",
        2,
        Within,
    ),
    ("static void f(int *p) { *p = 1; } MAIN const int c = 5; int x; f(n ? &x : (int *) &c);", 2, Exactly),
    (
        "static const int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8; MAIN int x, *p = n == 0 ? &x : (int *) (n == 1 ? &a : n == 2 ? &b : n == 3 ? &c : n == 4 ? &d : n == 5 ? &e : n == 6 ? &f : n == 7 ? &g : &h); *p = 1;",
        9,
        Exactly,
    ),
    (
        "static const int d = 6; static void recursive(int k, int deep) { const int c = k; int x, *p = k == 0 ? &x : k == 1 ? (int *) &c : (int *) &d; \
      if (deep) recursive(k, 0); else *p = 1; } MAIN recursive(n, 1);",
        3,
        Within,
    ),
];

/// Reads of bytes that were never written.
const UNINITIALISED: &[Row] = &[
    ("int x, *p = &x; if (n) *p = 1; out = *p;", 2, Exactly),
    ("byte t[4], *p = t; p[n] = 1; out = p[1];", 4, Exactly),
    ("byte t[4], *p = t; p[0] = 1; p[n] = 2; out = *(short *) p;", 3, Exactly),
    ("byte t[4], *p = t; p[1 + n] = 1; p[1] = 2; out = *(short *) (p + 1);", 3, Exactly),
    ("int x; memset(&x, 1, 2); if (n) memset((char *) &x + 2, 0, 2); int *p = &x; out = *p;", 2, Exactly),
    ("int a[2], b[2], *p = a, *q = b; p[n & 1] = 1; memcpy(b, a, 8); out = q[0];", 2, Exactly),
    (
        "int a[2], b[2], *p = a, *q = b; q[0] = 1; if (n) p[1] = 2; memcpy(b, a, 8 * (n & 1) + 4 * (n >> 1)); out = q[0];",
        3,
        Within,
    ),
    ("static int s[2] = {1, 2}; MAIN int b[2], *q = b; if (n) memcpy(b, s, 8); out = q[1];", 2, Exactly),
    ("static int s[2] = {1, 2}; MAIN int b[2], *q = n ? s : b; out = q[1];", 2, Within),
    // Static objects hold something until bytes are copied there that were never written.
    ("static int s[2]; MAIN int b[2], *q = s; if (n) memcpy(s, b, 8); out = q[1];", 2, Exactly),
    ("static int s[2]; MAIN int b[2], *q = s; if (n) b[0] = b[1] = 1; memcpy(s, b, 8); out = q[1];", 2, Exactly),
    ("static int s[2]; MAIN int b[2], *q = s; if (n) memcpy(s, b, 8); out = q[0];", 2, Exactly),
    ("static int s[2]; MAIN int b[2], *q = s; memcpy(s, b, 4 * (n + 1)); out = q[1];", 2, Within),
    ("static char s[1025]; MAIN char b[4], *q = s; if (n) memcpy(s, b, 4); out = q[1];", 2, Within),
    ("static int s; MAIN int b, *p = &b, *q = n ? &s : &b; if (n == 2) *p = 1; out = *q;", 3, Within),
    ("int *p = malloc(8); p[n] = 1; out = p[1];", 2, Exactly),
    ("int *p = n ? calloc(2, 4) : malloc(8); out = p[1];", 2, Exactly),
    ("int *p = malloc(8); p[n] = 1; p = realloc(p, 16); out = p[0];", 2, Within),
    ("char t[64], *p = t; if (n) memset(t, 1, 64); out = p[63];", 2, Exactly),
    ("char t[65], *p = t; if (n) memset(t, 1, 65); out = p[50];", 2, Within),
    ("char *p = malloc(64); if (n) memset(p, 1, 64); out = p[63];", 2, Exactly),
    ("char *p = n ? calloc(65, 1) : malloc(65); out = p[50];", 2, Within),
    ("int x, *p = &x; if (n) change(&x); out = *p;", 2, Exactly),
    ("int x, y, *p = n ? &x : &y; change(p); p = &x; out = *p;", 2, Exactly),
    ("int a, b, c, d, *p = n == 0 ? &a : n == 1 ? &b : n == 2 ? &c : &d; if (n) change(p); out = *p;", 4, Exactly),
    (
        "byte t[8], *p = n == 0 ? t : n == 1 ? t + 1 : n == 2 ? t + 2 : n == 3 ? t + 3 : t + 4; if (n) change(p); p = t; out = p[7];",
        5,
        Exactly,
    ),
    ("struct { byte a[70]; } s; byte *p = s.a; if (n) change(p); out = p[3];", 2, Within),
    ("for (int i = 0; i < 2; i++) { int x, *p = &x; if (i == 0 || n) *p = 1; out = *p; }", 2, Exactly),
    ("static int f(int k) { int x, *p = &x; if (k) *p = 1; return *p; } MAIN f(1); out = f(n);", 2, Exactly),
    (
        "static int recursive(int k) { int x, *p = &x; if (k) { *p = 1; recursive(k - 1); } return *p; } MAIN int k = n; if (k) out = recursive(k);",
        2,
        Exactly,
    ),
];

/// Which locals have a flag that says whether they live: those whose address may be found when they do not. These rows are
/// about the size of formulas, not about what they mean.
const FLAGS: &[(&str, &str)] = &[
    ("int x, *p = &x; *p = n;", ""),
    ("static int *g; MAIN int x; g = &x; *g = n;", ""),
    ("static void f(int *p) { *p = 1; } MAIN int x; f(&x);", ""),
    ("static int f(int k) { int x[2], *p = x; p[k & 1] = 1; return *p; } MAIN out = f(n);", ""),
    ("static int *g; static void f(int k) { int x = k; g = &x; *g = 1; } MAIN f(n); *g = 2;", "x"),
    ("static int *f(int k) { int x, *p = &x; *p = k; return p; } MAIN *f(n) = 2;", "x"),
    ("static int **g; static void f(int k) { int x, *p = &x; g = &p; **g = k; } MAIN f(n); **g = 2;", "p x"),
    ("int z, *p = &z; { int x; if (n) p = &x; *p = 1; } *p = 2;", "x"),
    // So many variables are told apart, wherever in them a pointer points to.
    (
        "int z, *p = &z; { int a, b, c, d, e, f, g; if (n) p = n == 1 ? &a : n == 2 ? &b : n == 3 ? &c : n == 4 ? &d : n == 5 ? &e : n == 6 ? &f : &g; \
      *p = 1; } *p = 2;",
        "a b c d e f g",
    ),
    (
        "int z, *p = &z; { int t[8]; if (n) p = n == 1 ? t : n == 2 ? t + 1 : n == 3 ? t + 2 : n == 4 ? t + 3 : n == 5 ? t + 4 : n == 6 ? t + 5 : n == 7 ? t + 6 : t + 7; \
      *p = 1; } *p = 2;",
        "t",
    ),
    (
        "static int *g; static void __attribute__((destructor)) f(void) { *g = 2; } MAIN int x, y, *p = &y; g = &x; *g = n; *p = 1;",
        "x",
    ),
];

/// What runs after `main`.
const LATER: [&str; 2] = ["atexit", "destructor"];

/// Functions that stand for questions, and one that ends the program.
const ASK: &str =
    "extern void abort(void); extern _Bool is_ended(const void *); extern unsigned long heap_count(void);";

/// Calls of [`ASK`] become questions, which C has no words for.
pub fn ask(program: &mut Program) {
    for edge in program.edges.ids().collect::<Vec<EdgeId>>() {
        let Op::Call { function, args, result: Some(result) } = program.edges[edge].op.clone() else { continue };
        let question = match (program.names.text(program.functions[function].name), &args[..]) {
            ("is_ended", &[pointer]) => Living::Ended(pointer),
            ("heap_count", []) => Living::Heap,
            _ => continue,
        };
        let (ty, answer) = (program.register(result).unwrap(), program.exprs.living(question));
        program.edges[edge].op = Op::Assign(result, program.exprs.cast(answer, ty));
    }
}

/// The program of a row, with what comes after it.
pub fn program_text(body: &str, end: &str) -> String {
    let (before, body) = body.split_once("MAIN").unwrap_or(("", body));
    format!("{ASK}{HEAD}{before}\nint main(void) {{ unsigned n = nondet_uint(); {body} {end} }}")
}

fn check(body: &str, inputs: u32, checks: Checks, says: Says, model: DataModel, way: Way) {
    let what = format!("{model:?}, {way:?}, {checks:?}: {body}");
    // The end of the body is a target, too, unless checks come after it.
    let is_over =
        !checks.has(Check::Cleanup) && !checks.has(Check::Track) && !LATER.iter().any(|word| what.contains(word));
    let text = program_text(body, if is_over { "reach_error();" } else { "return 0;" });
    let program = lower_checked(text, model, Undefined::Report, checks);
    let mut encoder = way.encoder(&program);
    let guards = reached(&mut encoder, way.addressing());
    let (n, _) = inputs_of(&encoder);
    let last = (0..program.targets.len()).max_by_key(|&target| program.targets[target].span.start);
    let last = last.filter(|_| is_over);
    let mut solver = Bitwuzla::new();
    let definitions: Vec<TermId> = encoder.definitions(0).collect();
    definitions.iter().for_each(|definition| solver.assert(&encoder.terms, *definition));
    let (mut kinds, mut exact, mut stops) = (BTreeSet::new(), true, true);
    for value in 0..inputs {
        // What comes from outside is not null.
        let choices = Choices { havocs: vec![value.into(), 1], ..Choices::default() };
        let options = Options { undefined: Undefined::Report, ..Options::default() };
        let run = interpreter::run(&program, &mut Replayer::new(&choices), &mut Vec::new(), &options, &Cancel::never());
        let expected = match run.outcome {
            RunEnd::Target(target) => Some(target),
            RunEnd::Exit(_) => None,
            other => panic!("n = {value}: {other:?}: {what}"),
        };
        kinds.insert(expected);
        let given = encoder.terms.bv_u64(32, value.into());
        let given = encoder.terms.eq(n, given);
        for target in 0..program.targets.len() {
            let ways: Vec<TermId> = guards.iter().filter(|(at, _)| *at == target).map(|(_, term)| *term).collect();
            let here = encoder.terms.or(ways);
            let answer = solver.check_assuming(&encoder.terms, &[given, here], &Cancel::never()).unwrap();
            let fails = expected == Some(target);
            assert!(answer == Answer::Sat || !fails, "n = {value}: check {target} is lost: {what}");
            let is_exact = (answer == Answer::Sat) == fails;
            if last == Some(target) {
                stops &= is_exact;
            } else {
                exact &= is_exact;
            }
            if fails {
                let outcome = replay(&mut encoder, &program, &mut solver);
                assert_eq!(outcome, RunEnd::Target(target), "n = {value}: in a replay: {what}");
            }
        }
    }
    assert!(kinds.len() > 1, "some inputs fail, others do not: {what}");
    let found = match (exact, stops) {
        (true, true) => Exactly,
        (true, false) => AtLeast,
        (false, _) => Within,
    };
    assert!(found == says || says == Within, "{found:?} instead of {says:?}: {what}");
}

fn check_all(rows: &[Row], checks: Checks) {
    for &(body, inputs, says) in rows {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            check(body, inputs, checks, says, model, Way::Events);
            check(body, inputs, checks, says, model, Way::Intervals);
            if !["for (", "recursive", "atexit", "abort"].iter().any(|loops| body.contains(loops)) {
                check(body, inputs, checks, says, model, Way::Fixed);
            }
        }
    }
}

#[test]
fn flags_of_locals() {
    for &(body, expected) in FLAGS {
        let text = program_text(body, "return 0;");
        let program = lower_checked(text, DataModel::Lp64, Undefined::Report, Checks::of(&[Check::Deref]));
        let mut encoder = Way::Events.encoder(&program);
        reached(&mut encoder, Way::Events.addressing());
        let flag = |slot| match encoder.slots.kind(slot) {
            SlotKind::Alive(var) => Some(program.var_name(var)),
            _ => None,
        };
        let flags: BTreeSet<_> = encoder.slots.ids().filter_map(flag).collect();
        assert_eq!(flags.into_iter().collect::<Vec<_>>().join(" "), expected, "{body}");
    }
}

#[test]
fn accesses() {
    check_all(DEREF, Checks::of(&[Check::Deref]));
}

#[test]
fn frees() {
    check_all(FREE, Checks::of(&[Check::Free]));
}

#[test]
fn lost_memory() {
    check_all(CLEANUP, Checks::of(&[Check::Cleanup]));
    check_all(TRACK, Checks::of(&[Check::Track]));
}

#[test]
fn questions() {
    check_all(ASKED, Checks::NONE);
}

#[test]
fn writes_to_constants() {
    check_all(READ_ONLY, Checks::of(&[Check::ReadOnly]));
}

#[test]
fn reads_of_unwritten_bytes() {
    check_all(UNINITIALISED, Checks::of(&[Check::Uninitialised]));
}

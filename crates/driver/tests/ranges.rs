//! Fills, copies and resized objects whose sizes the text of the program does not say, and accesses at bytes that it
//! does not say: no engine that trusts formulas takes a value for unreachable that an execution reaches, or the other
//! way round. gcc says of every row which value is reached.

#[allow(dead_code, reason = "other tests ask for proofs")]
mod common;

use cfa::DataModel;
use common::verdict;
use verdict::{Stop, Verdict};

const HEAD: &str = "
    extern unsigned __VERIFIER_nondet_uint(void); extern void *__VERIFIER_nondet_pointer(void);
    void *memcpy(void *, const void *, unsigned long); void *memmove(void *, const void *, unsigned long);
    void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long); void *alloca(unsigned long);
    typedef unsigned char byte;
    static void put(void *d, const void *s, unsigned k) { memcpy(d, s, k); }
    static void fill(void *d, int c, unsigned k) { memset(d, c, k); }
    static void swap(void *a, void *b, unsigned long k) { char t[8]; memcpy(t, a, k); memcpy(a, b, k); memcpy(b, t, k); }
    struct P { char c; int i; } __attribute__((packed));
    struct S { short s; int i; char c[2]; };
";

/// A body with an input `n` below a limit, a condition that some execution makes true, and one that none does.
type Row = (&'static str, u32, &'static str, &'static str);

const ROWS: &[Row] = &[
    ("int t[3] = {1, 7, 9}; memset(t, 0, n);", 13, "t[1]", "t[1] > 7"),
    ("char b[4] = {1, 1, 1, 1}; int x = 0; put(&x, b, 4);", 1, "x != 0", "x != 0x1010101"),
    ("char b[4] = {1, 1, 1, 1}; int x = 0; put(&x, b, n);", 5, "x == 0x10101", "x == 0x10100"),
    ("unsigned k = 2; int x = -1; memset(&x, 0, k);", 1, "x != -1", "x != -65536"),
    (
        "int b[2] = {1, 2}; long long a = 0; unsigned long k = 2; memcpy(&a, b, k * sizeof(int));",
        1,
        "a",
        "a != 0x200000001",
    ),
    (
        "long long b = 0x100000002; int a[2] = {0, 0}; unsigned long k = 2; memcpy(a, &b, k * sizeof(int));",
        1,
        "a[1]",
        "a[0] != 2",
    ),
    ("int x = 1, y = 2; swap(&x, &y, sizeof x);", 1, "x == 2 && y == 1", "x == y"),
    ("long long x = 1, y = 2; swap(&x, &y, n);", 9, "x == 1", "x == y"),
    (
        "union { float f; unsigned i; } a, b; a.i = 0x7fc12345; float f = a.f; b.f = f;",
        1,
        "b.i == 0x7fc12345",
        "b.i != 0x7fc12345",
    ),
    (
        "unsigned i = 0x7fc12345, j = 0; float f; memcpy(&f, &i, 4); float g = f; memcpy(&j, &g, 4);",
        1,
        "j == i",
        "j != i",
    ),
    ("char a[8] = {0}; a[(byte) (n * 1024 + 260)] = 1;", 9, "a[4]", "a[3]"),
    ("static char a[16]; unsigned long k = 0xaaaaaaaaaaaaaaabul * n; a[k * 12] = 1;", 2, "a[4 * n]", "a[1]"),
    ("int *p = calloc(1, 4); p[0] = 3; p = realloc(p, 8);", 1, "p[0] == 3", "p[0] == 0"),
    ("int *p = malloc(12); p[0] = 1; p[1] = n; p[2] = 3; p = realloc(p, 8);", 4, "p[1] == 3", "p[1] == 4"),
    ("byte *p = malloc(n + 1); p[0] = 5; p[n] = 6; p = realloc(p, 4);", 4, "p[3] == 6 && n == 3", "p[0] != 5 && n > 0"),
    ("char a[6] = {1, 2, 3, 4, 5, 6}; memmove(a + 1, a, n);", 6, "a[4] == 4", "a[5] == 6 && n == 5"),
    ("struct S a = {1, 2, {3, 4}}; fill(&a, 0, n);", 11, "a.s == 0 && a.i == 2", "a.s == 1 && a.i == 0"),
    ("struct P t[2] = {{1, 2}, {3, 4}}; put((char *) &t[1], &t[0], n);", 6, "t[1].i == 2", "t[1].i == 3"),
    ("struct { unsigned a : 3, b : 7; } s = {5, 77}; fill(&s, 0, n);", 3, "s.a == 0 && s.b == 64", "s.a && s.b == 0"),
    ("char *p = alloca(4); fill(p, 1, 4); fill(p, 2, n);", 5, "p[0] == 2 && p[3] == 1", "p[0] == 1 && p[3] == 2"),
    ("short s[4] = {1, 2, 3, 4}; put(s + 2, s, 2 * n);", 3, "s[3] == 2", "s[3] == 1"),
    // A quotient that fills all bits of the type it is converted to.
    ("unsigned long long u = n * 3000000000ull; int q = (int) (u / 3);", 5, "q < -5", "q < 0 && n < 3"),
    ("unsigned long long u = n * 3000000000ull; int q = (int) (u / 3);", 5, "n > 2 && 5 > q", "n == 3 && -5 < q"),
    // Wide accesses at any byte.
    (
        "byte *a = __VERIFIER_nondet_pointer(); struct P *p = (void *) (a + n / 4), *q = (void *) (a + n % 4); p->i = 0; q->i = -1;",
        16,
        "p->i == (int) 0xffffff00",
        "p->i == 0xff00",
    ),
    (
        "char *a = __VERIFIER_nondet_pointer(); int *p = (void *) a, *q = (void *) (a + 1); *p = 0; *q = -1;",
        1,
        "*p == (int) 0xffffff00",
        "*p == 0",
    ),
    (
        "static char a[16]; unsigned m = n % 4; struct P *p = (void *) (a + n / 4), *q = (void *) (a + m); p->i = 0; q->i = -1;",
        16,
        "p->i == (int) 0xffffff00",
        "p->i == 0xff00",
    ),
    (
        "char *a = calloc(16, 1); int *p = (void *) (a + n); *p = 5; p = (void *) (a + 2 * n); *p = 6; p = (void *) (a + n);",
        4,
        "*p == 0x60005",
        "*p == 0x606",
    ),
    ("int a[4] = {1, 2, 3, 4}; struct P *p = (void *) ((char *) a + n);", 4, "p->i == 0x20000", "p->i == 0x30000"),
    ("double d = 1.5; byte b[8]; put(b, &d, 8); b[7] = 0xC0; put(&d, b, n);", 9, "d < 0", "d == 2"),
];

fn program(row: &Row, condition: &str) -> String {
    let (body, inputs, ..) = row;
    format!(
        "{HEAD} int main(void) {{ unsigned n = __VERIFIER_nondet_uint(); if (n >= {inputs}) return 0; {body} \
         if ({condition}) reach_error(); return 0; }}"
    )
}

fn says(preset: &str, source: &str, model: DataModel) -> &'static str {
    match verdict(preset, source, model) {
        Verdict::Safe(_) => "TRUE",
        Verdict::Unsafe(_) => "FALSE",
        Verdict::Unknown(Stop::Internal(what)) => panic!("{preset}: {what}: {source}"),
        Verdict::Unknown(_) => "UNKNOWN",
    }
}

fn check(presets: &[&str], models: &[DataModel]) {
    for row in ROWS {
        for (condition, wrong) in [(row.2, "TRUE"), (row.3, "FALSE")] {
            let source = program(row, condition);
            for &preset in presets {
                for &model in models {
                    let verdict = says(preset, &source, model);
                    assert_ne!(verdict, wrong, "{preset}, {model:?}: {condition}: {}", row.0);
                    assert!(preset != "bmc" || verdict != "UNKNOWN", "{model:?}: {condition}: {}", row.0);
                }
            }
        }
    }
}

#[test]
fn formulas_write_the_bytes_they_are_asked_to() {
    check(&["bmc"], &[DataModel::Lp64, DataModel::Ilp32]);
    check(&["k-induction", "pred", "impact", "symbolic-execution"], &[DataModel::Lp64]);
}

#[test]
fn whatever_part_answers() {
    check(&["auto", "expl-itp"], &[DataModel::Lp64]);
}

//! Verdicts do not depend on the addresses that formulas give to objects: what holds in one layout only is never TRUE.

use base::Cancel;
use driver::{Options, Preset};
use flow::Prepared;
use verdict::{Stop, Verdict};

const HEAD: &str = "extern void reach_error(void); extern int nondet(void); extern void *malloc(unsigned long);
    extern void free(void *);";

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", &format!("{HEAD}\n{source}")).expect("a correct program")
}

fn verdict(program: &Prepared, preset: &str) -> &'static str {
    let preset = Preset::named(preset).expect("the preset exists");
    let outcome = driver::run(program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
    match outcome.expect("no options").verdict {
        Verdict::Safe(_) => "TRUE",
        Verdict::Unsafe(_) => "FALSE",
        Verdict::Unknown(stop) => {
            assert!(!matches!(stop, Stop::Internal(_)), "{stop:?}");
            "UNKNOWN"
        }
    }
}

/// What the SMT engines say about a body of `main`.
fn check(body: &str, expected: &str) {
    let program = lower(&format!("int main(void) {{ {body} return 0; }}"));
    for preset in ["bmc", "k-induction", "pred", "impact"] {
        assert_eq!(verdict(&program, preset), expected, "{preset}: {body}");
    }
}

/// What holds in some layouts is not TRUE; no engine may prove the error unreachable.
fn check_depends(condition: &str, declarations: &str) {
    for condition in [condition.to_owned(), format!("!({condition})")] {
        let program = lower(&format!("int main(void) {{ {declarations} if ({condition}) reach_error(); return 0; }}"));
        for preset in ["bmc", "k-induction", "pred", "impact"] {
            assert_ne!(verdict(&program, preset), "TRUE", "{preset}: {condition}");
        }
    }
}

#[test]
fn order_and_distance_of_objects() {
    check_depends("&a < &b", "int a, b;");
    check_depends("(long)&a <= (long)&b", "int a, b;");
    check_depends("&b - &a > 0", "int a, b;");
    check_depends("p < q", "char *p = malloc(4), *q = malloc(4);");
    check_depends("(char *)&a < p", "char *p = malloc(4); static int a;");
    check_depends("main < reach_error", "");
    check_depends("a[1] < a[0]", "char *a[2]; for (int i = 0; i < 2; i++) a[i] = malloc(1);");
}

#[test]
fn addresses_as_numbers() {
    check_depends("((unsigned long)&a & 4095) == 0", "int a;");
    check_depends("(unsigned long)&a % 64 == 0", "int a;");
    check_depends("((unsigned long)p >> 12) == 77", "char *p = malloc(4);");
    check_depends("(int)(unsigned long)p > 0", "char *p = malloc(4);");
    check_depends("(unsigned long)&a > 0x500000000000", "int a;");
    check_depends("u.half[0] - v.half[0] > 4", "int a, b; union { int half[2]; int *p; } u, v; u.p = &a; v.p = &b;");
    check_depends("u.bytes[5] == 0", "int a; union { int *p; unsigned char bytes[8]; } u; u.p = &a;");
    check_depends("x * 2 > 0x700000000000", "int a; unsigned long x = (unsigned long)&a + 8;");
}

/// What analyses of every kind may not prove.
fn check_never_true(globals: &str, body: &str) {
    let program = lower(&format!("{globals} int main(void) {{ {body} return 0; }}"));
    for preset in ["bmc", "pred", "symbolic-execution", "expl-itp", "bdd", "lists"] {
        let preset = Preset::named(preset).expect("the preset exists");
        let cancel = Cancel::with_limits(Some(std::time::Duration::from_secs(1)), None);
        let outcome = driver::run(&program, &preset, &Options::default(), None, &cancel, &mut |_| {});
        let verdict = outcome.expect("no options").verdict;
        assert!(!matches!(verdict, Verdict::Safe(_)), "{}: {globals} {body}", preset.name);
    }
}

/// An integer that was not computed from an address may be that address. gcc reaches the error in all of these (where
/// the address must be a certain one, in some of its layouts).
#[test]
fn addresses_that_come_back_in_other_integers() {
    let table = [
        // Bit by bit, through branches.
        ("int a;", "unsigned long u = (unsigned long)&a, v = 0;
            for (unsigned long b = 1; b; b <<= 1) if (u & b) v |= b; *(int *)v = 2; if (a == 2) reach_error();"),
        ("int a;", "unsigned long u = (unsigned long)&a, v = 0; int n = 0;
            while (n < 64) { unsigned long t = u >> n; if (t % 2) v += 1UL << n; n++; } *(int *)v = 2;
            if (a == 2) reach_error();"),
        // Known by comparison.
        ("int a; extern unsigned long input(void);",
            "unsigned long v = input(); if (v == (unsigned long)&a) { *(int *)v = 2; if (a == 2) reach_error(); }"),
        ("int a; extern unsigned long input(void);",
            "unsigned long v = input(), u = (unsigned long)&a; if (v >= u && v <= u) { *(int *)v = 2;
            if (a == 2) reach_error(); }"),
        ("int a; extern unsigned long input(void);",
            "unsigned long v = input(); int *p = (int *)v; if (p == &a) { *p = 2; if (a == 2) reach_error(); }"),
        ("int a;", "unsigned long u = (unsigned long)&a; if (u == 0x601040) { *(int *)0x601040 = 2; if (a == 2) reach_error(); }"),
        // Through a table.
        ("int a; unsigned char same[256];", "unsigned long u = (unsigned long)&a, v = 0;
            for (int i = 0; i < 256; i++) same[i] = i;
            for (int i = 0; i < 8; i++) v |= (unsigned long)same[u >> 8 * i & 255] << 8 * i;
            *(int *)v = 2; if (a == 2) reach_error();"),
        // The bytes of a pointer, and a pointer made of bytes.
        ("int a;", "int *p = &a, *q; unsigned char *s = (unsigned char *)&p, *d = (unsigned char *)&q;
            for (int i = 0; i < 8; i++) { unsigned char c = 0; for (int k = 0; k < 8; k++) if (s[i] >> k & 1) c |= 1 << k;
            d[i] = c; } *q = 2; if (a == 2) reach_error();"),
        ("int a; union { unsigned long n; int *p; } w;", "unsigned long u = (unsigned long)&a, v = 0;
            for (unsigned long b = 1; b; b <<= 1) if (u & b) v |= b; w.n = v; *w.p = 2; if (a == 2) reach_error();"),
        // What is reached is a function.
        ("int hit; void f(void) { hit = 1; }", "unsigned long u = (unsigned long)&f, v = 0;
            for (unsigned long b = 1; b; b <<= 1) if (u & b) v |= b; ((void (*)(void))v)(); if (hit) reach_error();"),
    ];
    for (globals, body) in table {
        check_never_true(globals, body);
    }
}

/// Addresses of dead objects may be used again, and need not be.
#[test]
fn addresses_of_dead_objects() {
    let calls =
        "unsigned long f(void) { int x = 1; return (unsigned long)&x; } unsigned long g(void) { int y[9]; y[0] = 1;
        return f() + y[0] - 1; }";
    let table = [
        ("", "int *p = malloc(4); unsigned long u = (unsigned long)p; free(p); int *q = malloc(4);
            if ((unsigned long)q == u) reach_error();"),
        ("", "int *p = malloc(4); unsigned long u = (unsigned long)p; free(p); int *q = malloc(4);
            if ((unsigned long)q != u) reach_error();"),
        ("", "int *p = malloc(4); unsigned long u = (unsigned long)p; free(p); int *q = malloc(4);
            if ((unsigned long)q - u == 0) reach_error();"),
        ("", "int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) reach_error();"),
        (calls, "unsigned long u = f(), v = f(); if (u == v) reach_error();"),
        (calls, "unsigned long u = f(), v = g(); if (u != v) reach_error();"),
        ("int *last; int again(void) { int x = 1, same = last == &x; last = &x; return same; }",
            "again(); if (again()) reach_error();"),
        ("", "unsigned long u, v; { int x[9]; x[0] = 1; u = (unsigned long)x; } { int y[9]; y[0] = 1; v = (unsigned long)y; }
            if (u == v) reach_error();"),
    ];
    for (globals, body) in table {
        check_never_true(globals, body);
    }
    // Objects that live at the same time lie apart.
    check(
        "int a, b; unsigned long u = (unsigned long)&a; static int c; if ((unsigned long)&c == u) reach_error();",
        "TRUE",
    );
    check("int *p = malloc(4), *q = malloc(4); if ((unsigned long)p == (unsigned long)q) reach_error();", "TRUE");
    check(
        "char *p = malloc(4); unsigned long u = (unsigned long)p; if ((unsigned long)(p + 1) - u != 1) reach_error();",
        "TRUE",
    );
}

#[test]
fn one_object_has_an_order() {
    let copy = "char a[4], b[4]; char *s = nondet() ? a : b; char *e = s + 4; int n = 0;
        for (char *p = s; p < e; p++) n++;";
    check(&format!("{copy} if (n != 4) reach_error();"), "TRUE");
    check(&format!("{copy} if (n == 4) reach_error();"), "FALSE");
    check(
        "for (int i = 0; i < 2; i++) { char *p = malloc(4); char *e = p + 3; if (e - p != 3 || e < p) reach_error(); }",
        "TRUE",
    );
}

#[test]
fn what_every_layout_has() {
    check("int a; if (!&a || (unsigned long)&a < 10 || (unsigned long)&a > -4095UL) reach_error();", "TRUE");
    check("int a, b; int *p = nondet() ? &a : &b; if (p != &a && p != &b) reach_error();", "TRUE");
    check("int a; unsigned long x = (unsigned long)&a | 1; if (*(int *)(x & ~1UL) != a) reach_error();", "TRUE");
    check("char *p = malloc(8); if ((unsigned long)p & 7) reach_error();", "TRUE");
    check("char *p = malloc(8); if ((unsigned long)p % 16 || (unsigned long)(p + 3) % 8 != 3) reach_error();", "TRUE");
    check("char *p = malloc(8); if ((unsigned long)(p + 3) % 8 == 3) reach_error();", "FALSE");
    check("_Alignas(64) char a[3]; if ((unsigned long)a % 64) reach_error();", "TRUE");
    check(
        "struct { int a, b; } s; s.b = 3; unsigned long x = (unsigned long)&s; x += 4; if (*(int *)x != 3) reach_error();",
        "TRUE",
    );
}

#[test]
fn what_is_assumed_is_listed() {
    let listed = |body: &str| lower(&format!("int main(void) {{ {body} return 0; }}")).assumptions.join("; ");
    assert_eq!(listed("int a[3]; a[2] = 1; struct { int x, y; } s; s.y = a[2];"), "");
    let places = "memory is accessed inside live objects, aligned as its type requires";
    assert_eq!(listed("int a[3], i; a[i] = 1;"), format!("{places} (1 place)"));
    let comparisons = "compared pointers point into live objects, not past their end";
    assert_eq!(
        listed("int *p = malloc(4), *q = malloc(4); if (p == q) return 1;"),
        format!("{comparisons} (1 comparison)")
    );
}

#[test]
fn ranges_of_bytes_touch_what_lies_in_them_only() {
    let with = |body: &str| {
        format!(
            "extern void *memset(void *, int, unsigned long); extern void *memcpy(void *, const void *, unsigned long); extern void use(const int *); int t[3]; use(t); {body}"
        )
    };
    check(&with("t[1] = 7; memset(t, 0, 4); if (t[1] != 7) reach_error();"), "TRUE");
    check(&with("t[1] = 7; memset(t, 0, 4); if (t[1] == 7) reach_error();"), "FALSE");
    check(&with("t[0] = t[1] = -1; memset((char *)t + 2, 0, 4); if (t[0] != 0xffff) reach_error();"), "TRUE");
    check(&with("t[0] = t[1] = -1; memset(t, 0, 6); if (t[1] == (int)0xffff0000) reach_error();"), "FALSE");
    check(&with("int n = nondet() != 0; t[1] = 7; memset(t + n, 0, 4); if (t[1] == 7) reach_error();"), "FALSE");
    check(&with("int s[3]; use(s); t[1] = 7; s[0] = 1; memcpy(t, s, 4); if (t[1] != 7) reach_error();"), "TRUE");
}

/// Drivers take addresses above those of an `int` for error codes.
#[test]
fn an_error_behind_a_check_of_an_address_is_found() {
    let body =
        "int *p = malloc(4); if ((unsigned long)p > 4294967295UL) return 0; *p = nondet(); if (*p == 5) reach_error();";
    let program = lower(&format!("int main(void) {{ {body} return 0; }}"));
    for preset in ["bmc", "k-induction", "expl-itp"] {
        assert_eq!(verdict(&program, preset), "FALSE", "{preset}");
    }
}

/// What a null pointer leads to is arbitrary, also where the same memory holds zeros.
#[test]
fn null_does_not_lead_to_zeros() {
    let source = "struct h { unsigned char n; }; struct intf { struct h *cur; }; struct dev { int number; };
        extern struct dev *find(void); struct intf *global;
        int main(void) { struct dev *dev = find(); struct h *h = global->cur; if (h->n != 1) return 0;
            int t = dev->number << 8; reach_error(); return t; }";
    let program = lower(source);
    for preset in ["bmc", "k-induction", "pred", "impact", "expl-pred"] {
        assert_ne!(verdict(&program, preset), "TRUE", "{preset}");
    }
}

/// An access outside its object reads anything, also where formulas have zeros or another object, and changes nothing
/// else.
#[test]
fn accesses_outside_objects() {
    let check = |globals: &str, body: &str, inside: &str, outside: &str| {
        let text = |range: &str| {
            format!("{globals} int main(void) {{ int i = nondet(); if (!({range})) return 0; {body} return 0; }}")
        };
        for preset in ["auto", "bmc", "k-induction", "pred", "impact", "cells", "expl-itp-pred", "intervals"] {
            assert_ne!(verdict(&lower(&text(outside)), preset), "TRUE", "{preset}: {body}");
        }
        for preset in ["auto", "bmc", "k-induction", "pred"] {
            assert_eq!(verdict(&lower(&text(inside)), preset), "TRUE", "{preset}: {body}");
        }
    };
    let (inside, outside) = ("0 <= i && i < 10", "0 <= i && i < 40");
    check("int a[10];", "if (a[i] == 5) reach_error();", inside, outside);
    let either = "int *p = nondet() ? a : b;";
    check("int a[10], b[10];", &format!("{either} if (p[i] == 5) reach_error();"), inside, outside);
    check("", "if (\"word\"[i] == '!') reach_error();", "0 <= i && i < 5", "0 <= i && i < 9");
    check("int a[10];", "a[i] = 1; if (a[i] != 1) reach_error();", inside, outside);
    check("int a[10];", "int x = a[i], y = a[i]; if (x != y) reach_error();", inside, outside);
    check("int g;", "int *p = i ? &g : 0; if (*p == 5) reach_error();", "i == 1", "1");
    // The first element of the second array is where the nineteenth of the first one would be.
    let body = format!("{either} *p = 7; b[0] = 1; a[i] = 3; if (a[9] == 1 || i == 18 && b[0] == 1) reach_error();");
    check("int a[10], b[10];", &body, inside, outside);
}

/// The reason tells what is known of the program, whichever analysis comes last.
#[test]
fn the_reason_that_tells_most() {
    let program = lower("int a[10]; int main(void) { if (a[nondet()] == 5) reach_error(); return 0; }");
    let preset = Preset::named("auto").expect("the preset exists");
    let outcome = driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
    let verdict = outcome.expect("no options").verdict;
    assert!(matches!(verdict, Verdict::Unknown(Stop::UndefinedBehaviour { .. })), "{verdict:?}");
}

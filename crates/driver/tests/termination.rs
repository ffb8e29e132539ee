//! Whether executions end: small programs with known answers, each put to the presets that should give them. Programs
//! wrap integers, call functions, use memory and come back to where they were.

use base::{Cancel, Interner, SourceMap};
use cfa::Question;
use driver::{Options, Preset};
use flow::Prepared;
use std::time::Duration;
use verdict::{Measured, Stop, Verdict};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
    extern void *malloc(unsigned long); int x, y;\n";

fn program(text: &str) -> Prepared {
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("test.c", format!("{HEAD}{text}"));
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let lowered = lower::lower(vec![ast], names, sources, &lower::Options::default());
    let mut program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    program.question = Question::End;
    driver::prepare(&mut program, cfa::Outside::Pure);
    Prepared::new(program)
}

/// For answers.
const PATIENT: Duration = Duration::from_secs(60);
/// Where there is none.
const SHORT: Duration = Duration::from_secs(2);

fn verdict(program: &Prepared, preset: &str, time: Duration) -> Verdict {
    let cancel = Cancel::with_limits(Some(time), None);
    let preset = Preset::named(preset).expect("the preset exists");
    driver::run(program, &preset, &Options::default(), None, &cancel, &mut |_| {}).expect("good options").verdict
}

#[track_caller]
fn check(text: &str, presets: &[&str], expected: &str) {
    let program = program(text);
    let time = if expected == "UNKNOWN" { SHORT } else { PATIENT };
    for preset in presets {
        assert_eq!(verdict(&program, preset, time).to_string(), expected, "{preset}: {text}");
    }
}

fn measures(text: &str) -> Vec<Measured> {
    match verdict(&program(text), "ranking", PATIENT) {
        Verdict::Safe(proof) => proof.measures,
        other => panic!("{other:?}: {text}"),
    }
}

#[test]
fn executions_that_repeat_themselves_are_found() {
    for text in [
        "int main(void) { while (1); return 0; }",
        "int main(void) { int n = 0; while (1) n++; return n; }",
        "int main(void) { int n = __VERIFIER_nondet_int(); while (n > 0) if (__VERIFIER_nondet_int()) n--; return 0; }",
        "int main(void) { unsigned char n = 7; while (n != 0) n -= 2; return 0; }",
        "void block(int c) { if (!c) { again: goto again; } } int main(void) { block(__VERIFIER_nondet_int()); return 0; }",
        "void spin(void) { spin(); } void block(int c) { if (!c) spin(); }
            int main(void) { block(__VERIFIER_nondet_int()); return 0; }",
        "struct node { struct node *next; }; int main(void) { struct node a, b; a.next = &b; b.next = &a;
            struct node *p = &a; while (p) p = p->next; return 0; }",
        "void step(void) { x = y; y = 1 - y; } int main(void) { while (x < 2) step(); return 0; }",
    ] {
        check(text, &["bmc", "k-induction"], "FALSE");
    }
}

#[test]
fn measures_prove_that_loops_end() {
    for text in [
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++); return 0; }",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); while (n) n &= n - 1; return 0; }",
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            while (a > 0 && b > 0) { if (a > b) a -= b; else b -= a; } return 0; }",
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
            while (a > 0 && b > 0 && c > 0) { if (__VERIFIER_nondet_int()) a--;
            else if (__VERIFIER_nondet_int()) { b--; c = __VERIFIER_nondet_int(); }
            else { c--; a = __VERIFIER_nondet_int(); } } return 0; }",
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) for (int j = i; j < n; j++);
            return 0; }",
        "int main(void) { int *p = malloc(4); *p = __VERIFIER_nondet_int(); while (*p > 0) *p = *p - 1; return 0; }",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int main(void) { return fib(__VERIFIER_nondet_int()); }",
        // What was tested in front of the loop holds until its last round.
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x > 65535 || y > 65535) return 0;
            if (x + y <= 0) while (x > 0) { x = x + x + y; y = y - 1; } return 0; }",
        // One of two functions decides.
        "void g(int p, int q); void f(int p, int q) { if (p + q < 0) return; g(q, p - 1); } void g(int p, int q) { f(q, p); }
            int main(void) { f(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()); return 0; }",
        "int ack(int m, int n) { if (m <= 0) return n + 1; if (n <= 0) return ack(m - 1, 1);
            return ack(m - 1, ack(m, n - 1)); } int main(void) { return ack(3, __VERIFIER_nondet_int()); }",
    ] {
        check(text, &["ranking"], "TRUE");
    }
}

/// What decreases is not what the loop compares, or not in every iteration.
#[test]
fn measures_are_made_and_iterations_are_taken_together() {
    for text in [
        // A sum with coefficients.
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a > 1000 || b > 1000) return 0;
            while (a > 0 && b > 0) { if (__VERIFIER_nondet_int()) { a--; b = b + 1; } else { a = a + 1; b = b - 3; } } return 0; }",
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
            while (a > 0) { int t = a; a = b; b = c; c = t - 1; } return 0; }",
        // The distance to what a counter is compared with, whatever wraps.
        "int main(void) { int n = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int(); while (i != n) i++; return 0; }",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i != n; i--); return 0; }",
        // Two iterations go forward and one goes back.
        "int main(void) { int a = __VERIFIER_nondet_int(), back = 0; if (a < 0 || a > 1000) return 0;
            while (a < 2000 && a > -10) { if (back) { a += 2; back = 0; } else { a -= 1; back = 1; } } return 0; }",
        // What is added is not 0, though it may have either sign.
        "int main(void) { int a = __VERIFIER_nondet_int(), by; if (__VERIFIER_nondet_int()) by = 3; else by = -3;
            while (a < 100 && a > -100) a = a + by; return 0; }",
    ] {
        check(text, &["ranking"], "TRUE");
    }
}

/// Each comes close to a program that ends.
#[test]
fn what_does_not_end_has_no_measure() {
    for text in [
        // The counter wraps before it reaches the limit.
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i <= n; i++); return 0; }",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i != n; i += 2); return 0; }",
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); while (a > 0 && b > 0) { int old = a;
            if (__VERIFIER_nondet_int()) { a = a - 1; b = old; } else { a = b; b = old; } } return 0; }",
        // One forward, one back.
        "int main(void) { int a = __VERIFIER_nondet_int(), back = 0; if (a < 0 || a > 1000) return 0;
            while (a < 2000 && a > -10) { if (back) { a += 1; back = 0; } else { a -= 1; back = 1; } } return 0; }",
        // Addresses of new objects.
        "int main(void) { char *p = malloc(4); while (p) p = malloc(4); return 0; }",
        // The callee undoes what the loop does.
        "void undo(void) { x = 5; } int main(void) { x = 5; while (x > 0) { x--; undo(); } return 0; }",
        // The inner loop changes the outer counter.
        "int main(void) { int i = 9; while (i > 0) { i--; for (int j = 0; j < 3; j++) i = 5; } return 0; }",
        // A write through a pointer.
        "int main(void) { int i = 9, *p = &i; while (i > 0) { i--; *p = 9; } return 0; }",
        // What a recursive call does to a global, in two steps.
        "void f(int n) { y = 0; if (n > 0) f(n - 1); if (y != 0) x = 9; y = 1; }
            int main(void) { x = 5; while (x > 0) { x--; f(3); } return 0; }",
        // Where calls allocate, addresses tell nothing.
        "void f(char *p) { f(malloc(4)); } int main(void) { f(0); return 0; }",
        "void f(unsigned long p) { f((unsigned long)malloc(4)); } int main(void) { f(0); return 0; }",
        "char *last; void f(void) { last = malloc(4); f(); } int main(void) { f(); return 0; }",
        // A jump into the loop.
        "int main(void) { int i = __VERIFIER_nondet_int(); if (i) goto in; while (i < 9) { i++; in: i--; } return 0; }",
        "int f(int n) { if (n == 0) return 0; return f(n); } int main(void) { return f(__VERIFIER_nondet_int()); }",
    ] {
        check(text, &["ranking", "unwinding"], "UNKNOWN");
    }
}

#[test]
fn constant_loops_are_unrolled_and_finite_states_explored() {
    let text = "int main(void) { double d = 1; for (int i = 0; i < 100; i++) d = d / 2; return 0; }";
    check(text, &["unwinding"], "TRUE");
    let text = "int main(void) { unsigned char n = __VERIFIER_nondet_int() & 15; while (n != 0) n = n - 1; return 0; }";
    check(text, &["bdd", "k-induction", "ranking"], "TRUE");
}

#[test]
fn no_repetition_is_no_proof_where_loops_change_memory() {
    let text = "int main(void) { int a[4], i = 0; while (i < 4) { a[0] = a[0] + 1; if (a[0] == 7) i++; } return 0; }";
    for preset in ["k-induction", "expl-itp", "intervals"] {
        assert!(!matches!(verdict(&program(text), preset, SHORT), Verdict::Safe(_)), "{preset}");
    }
}

const NODE: &str = "extern void free(void *); struct node { struct node *next; int data; }; struct node *list;";

/// No state is reached twice, but what decides how the loop goes on is the same again.
#[test]
fn executions_that_only_grow_are_found() {
    for text in [
        // A list that is never read.
        "int main(void) { while (1) { struct node *n = malloc(sizeof *n); n->data = x; n->next = list; list = n; } }",
        // Counters that no condition reads, next to one that a condition does.
        "struct { int run, ticks; } s; int main(void) { s.run = 1; s.ticks = 0; while (s.run) s.ticks++; return 0; }",
        "int a[4]; int main(void) { unsigned at = 0; while (1) { a[at] = a[at] + x; at = (at + 1) % 4; x++; } return 0; }",
        // Objects that come and go.
        "int main(void) { while (1) { int *p = malloc(4); if (!p) return 1; *p = 1; free(p); } }",
        "void *get(void) { return malloc(4); } void drop(void *p) { free(p); }
            int main(void) { while (1) { char *p = get(); *p = 1; drop(p); } }",
        // What a recursive function leaves on the heap while a loop goes on.
        "void add(int n) { if (n == 0) return; struct node *e = malloc(sizeof *e); e->next = list; list = e; add(n - 1); }
            int main(void) { while (1) add(2); }",
    ] {
        check(&format!("{NODE} {text}"), &["bmc"], "FALSE");
    }
}

/// No state repeats soon, but some states are never left.
#[test]
fn closed_sets_are_found() {
    for text in [
        "int main(void) { unsigned long x = 1, step = 6; while (x != 0) { x = x + step; step = step * 3; } return 0; }",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = 1; while (x >= 5) { x = x ^ (y << 3); if (x < 5) x = 8;
            y = y * 2654435761u + 1u; } return 0; }",
        // What overflows decides nothing, whatever it is; the condition that asks for it is not reached.
        "int main(void) { int w = 0, z = 0, y = 0; while (__VERIFIER_nondet_int() && y < 100) { if (__VERIFIER_nondet_int()) y += 10;
            else if (__VERIFIER_nondet_int()) { if (y > 10 * w && z > 5) y = -y; } w++; z += 10; } return 0; }",
        // Memory that decides.
        "int main(void) { unsigned a[4]; unsigned i = 0; a[0] = a[1] = a[2] = a[3] = 1; while (a[i % 4] % 2) { a[i % 4] += 2; i++; }
            return 0; }",
    ] {
        check(text, &["recurrence"], "FALSE");
    }
}

/// What a search for measures leaves over leads to inputs that nothing else suggests.
#[test]
fn closed_sets_are_guessed_from_failed_measures() {
    for text in [
        "int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
            while (a == 3 * b + 7) { a = a + 3; b = b + 1; } return 0; }",
        "int main(void) { unsigned long a = __VERIFIER_nondet_uint(); while (a > 12345) { unsigned d = __VERIFIER_nondet_uint();
            if (d != 77777) return 0; a = (a * 3) | 0x100000; } return 0; }",
        "int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), n = 0;
            if (a < 5000 || b != a * 5 + 11) return 0; while (b == a * 5 + 11) n = n * 7 + 1; return n; }",
    ] {
        check(text, &["recurrence"], "FALSE");
    }
}

/// An end that comes late, by overflow, after what is undefined, or only for the inputs of the run.
#[test]
fn what_is_not_closed_is_no_closed_set() {
    for text in [
        "int main(void) { unsigned i = 0; while (i < 4000000000u) i++; return 0; }",
        "int main(void) { unsigned long i = 1; while (i != 0) i = i * 6; return 0; }",
        "int main(void) { int i = 1; while (i != 0) i = i * 3; return 0; }",
        "int main(void) { int a[2], i = 1; a[1] = 1; while (a[1] != 0) { i = i * 3; a[1] = i; } return 0; }",
        "int f(int n) { return n != 0; } int main(void) { int i = 1; while (f(i * 3)) i = i * 3; return 0; }",
        "int main(void) { __int128 i = 1; while (i != 0) i = i * 3; return 0; }",
        "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i <= n; i++); return 0; }",
        "int main(void) { unsigned a[4], i = 0; a[0] = 1; while (1) { a[i] = 1; i++; if (i > 900000000u) i = 900000000u; } }",
        "int main(void) { unsigned n = 0; while (1) { n++; if (5 / (3000000000u - n) == 7) return 0; } }",
        // On the line, but not for ever; and only because a signed number wraps.
        "int main(void) { unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
            while (a == 3 * b + 7 && b != 9) { a = a + 3; b = b + 1; } return 0; }",
        "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
            while (a == 3 * b + 7) { a = a + 3; b = b + 1; } return 0; }",
        "int main(void) { unsigned n = 0; while (1) { n++; if (n == 3000000000u) __VERIFIER_assume(0); } }",
    ] {
        let text = format!("extern void __VERIFIER_assume(int); {text}");
        for preset in ["recurrence", "bmc", "random"] {
            let found = verdict(&program(&text), preset, SHORT);
            assert!(!matches!(found, Verdict::Unsafe(_)), "{preset}: {text}");
        }
    }
}

/// What such a call does is not modelled: it may be the end.
#[test]
fn what_a_library_function_may_end_is_no_endless_execution() {
    for text in [
        "extern int raise(int); int main(void) { while (1) raise(9); }",
        "extern int kill(int, int); int main(void) { kill(x, 9); while (1); }",
        "extern unsigned alarm(unsigned); int main(void) { alarm(1); unsigned n = 1; while (n != 0) n += 2; return 0; }",
        "extern int execl(const char *, const char *, ...); int main(void) { while (1) execl(\"/bin/true\", \"true\", (char *) 0); }",
    ] {
        check(text, &["recurrence", "bmc", "random", "ranking"], "UNKNOWN");
    }
}

/// Clocks go on, generators give other numbers, the stack grows, and what runs at the end does not run again.
#[test]
fn what_moves_on_is_no_repetition() {
    for text in [
        "extern int rand(void); int main(void) { while (rand() > 5000000); return 0; }",
        "extern double drand48(void); int main(void) { while (drand48() > 0.5); return 0; }",
        "extern long time(long *); int main(void) { long t = time(0); while (time(0) < t + 1); return 0; }",
        "extern long time(long *); int main(void) { long t, u; time(&t); do time(&u); while (u == t); return 0; }",
        "extern long clock(void); int main(void) { long t = clock(); unsigned n = 1; while (clock() < t + 100) n += 2; return 0; }",
        "unsigned long low; void f(int n) { char a; if ((unsigned long)&a < low) return; f(n); }
            int main(void) { char b; low = (unsigned long)&b - 10000; f(3); return 0; }",
        "extern void exit(int); __attribute__((destructor)) void h(void) { exit(0); } int main(void) { return 0; }",
    ] {
        check(text, &["recurrence", "bmc", "random", "k-induction"], "UNKNOWN");
    }
    // Where they do not matter, the loop never ends.
    check("extern int rand(void); int main(void) { int t = 0; while (1) t = rand(); }", &["bmc"], "FALSE");
}

/// What is written is read, or addresses are looked at, or memory is freed that was there before: the next iteration may
/// be another one. All of these end, or do something undefined.
#[test]
fn what_grows_and_is_read_is_no_repetition() {
    for text in [
        "int main(void) { while (1) { struct node *n = malloc(sizeof *n); n->data = list ? list->data + 1 : 0; n->next = list;
            list = n; if (list->data > 300) return 0; } }",
        "int main(void) { int n = 0; list = 0; while (1) { struct node *e = malloc(sizeof *e); e->next = list; list = e; n = 0;
            for (struct node *p = list; p; p = p->next) n++; if (n > 9) return 0; } }",
        "struct { int run, ticks; } s; int main(void) { s.run = 1; s.ticks = 0; while (s.run) { s.ticks++; if (s.ticks > 999)
            s.run = 0; } return 0; }",
        "int a[3]; int main(void) { a[0] = a[1] = a[2] = 0; int *p = a + 1; while (a[1] < 200) (*p)++; return 0; }",
        "char b[8]; int main(void) { int n = 0; b[4] = 0; while (!b[4]) { n++; if (n == 500) for (int i = 0; i < 8; i++) b[i] = 1; }
            return 0; }",
        // Addresses.
        "int main(void) { while (1) { char *p = malloc(1024); if ((unsigned long)p > 100000000) return 0; } }",
        "int main(void) { char *q = malloc(4), *r = malloc(4); free(q); free(r);
            while (1) { char *p = malloc(4); if (p != q && p != r) return 0; } }",
        // Undefined in the second iteration.
        "int main(void) { int *q = malloc(4); while (1) free(q); }",
        "int main(void) { int *p = malloc(4); while (1) { int *q = p; p = malloc(4); free(q); if (x++ == 300) return 0; } }",
        // A copy carries what is read.
        "struct { int a, b; } s, t; int main(void) { s.a = t.a = 0; while (t.a < 400) { s.a++; t = s; } return 0; }",
    ] {
        let text = format!("{NODE} {text}");
        for preset in ["bmc", "random", "k-induction"] {
            let found = verdict(&program(&text), preset, SHORT);
            assert!(!matches!(found, Verdict::Unsafe(_)), "{preset}: {text}");
        }
    }
}

/// One loop has a measure, and the other one does not come back to where it was.
#[test]
fn walks_along_lists_end() {
    let build = "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) { struct node *e = malloc(sizeof *e);
        e->data = i; e->next = list; list = e; }";
    let walk = "struct node *p = list; while (p && p->data != x) p = p->next; return 0; }";
    check(&format!("{NODE} {build} {walk}"), &["ranking"], "TRUE");
    let circle = "struct node *end = list; while (end && end->next) end = end->next; if (end) end->next = list;";
    check(&format!("{NODE} {build} {circle} {walk}"), &["ranking"], "UNKNOWN");
    let found = measures(&format!("{NODE} {build} {walk}"));
    assert_eq!(found.len(), 2);
    assert!(
        found[1].sentence.contains("no iteration ends in one in which an earlier one did"),
        "{}",
        found[1].sentence
    );
    // The walk writes what it reads, so its states are more than where it is.
    let write = "struct node *p = list; while (p) { p->next = p->data == 77 ? p : p->next; p = p->next; } return 0; }";
    check(&format!("{NODE} {build} {write}"), &["ranking"], "UNKNOWN");
}

#[test]
fn an_open_loop_is_named() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); while (n != 0) n += n & 1 ? 1 : -2; return 0; }";
    match verdict(&program(text), "ranking", PATIENT) {
        Verdict::Unknown(Stop::Open { what, .. }) => assert!(what.starts_with("whether the loop ends"), "{what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn measures_and_bounds_are_c_expressions() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); int i = 0; while (i < n) i++; return 0; }";
    let found = measures(text);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].measure.as_slice(), found[0].bound.as_deref()), (&["`n - i`".to_owned()][..], Some("n - i")));
    assert!(found[0].sentence.ends_with("ends: `n - i` decreases in every iteration"), "{}", found[0].sentence);
}

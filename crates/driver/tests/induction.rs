//! k-induction on C: programs that need particular auxiliary invariants.

use base::{Cancel, Counters};
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use driver::{Options, Preset};
use encode::memory_model;
use engine::facts::{Facts, dataflow_facts};
use engine::inductive::{self, Claim};
use expect_test::{Expect, expect};
use flow::Prepared;

fn lower(source: &str) -> Prepared {
    lower_file(&format!("int main(void) {{ {source} return 0; }}"))
}

fn lower_file(source: &str) -> Prepared {
    let head = "extern void reach_error(void); extern int nondet(void); void check(int c) { if (!c) reach_error(); }";
    driver::load_text("test.c", &format!("{head}\n{source}")).expect("a correct program")
}

fn run(source: &str, settings: &[(&str, &str)]) -> (String, Counters) {
    verify(&lower(source), settings)
}

fn verify(program: &Prepared, settings: &[(&str, &str)]) -> (String, Counters) {
    let mut options = Options::default();
    settings.iter().for_each(|(key, value)| options.set(key, value));
    let preset = Preset::named("k-induction").expect("the preset exists");
    let outcome = driver::run(program, &preset, &options, None, &Cancel::never(), &mut |_| {});
    let outcome = outcome.expect("the options exist");
    (outcome.verdict.to_string(), outcome.counters)
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&run(source, &[]).0);
}

/// `l` does not overflow because it is never far ahead of `k`.
#[test]
fn distances_of_variables() {
    check(
        "int l = nondet(), n = nondet(); if (l < 1 || l >= 1000000 || n >= 1000000) return 0;
         for (int k = 1; k < n; k++) { for (int i = l; i < n; i++) check(1 <= i); if (nondet()) l++; }",
        expect!["TRUE"],
    );
}

/// `j` starts at `2 * i`: what is assigned, and what the program claims, are candidates.
#[test]
fn terms_of_the_program() {
    check(
        "int n = nondet(); if (n >= 1000000) return 0;
         for (int i = 0; i < n; i++) for (int j = 2 * i; j < n; j++) for (int k = j; k < n; k++) check(k >= 2 * i);",
        expect!["TRUE"],
    );
}

/// What a loop is compared with lies in memory: one of several objects, that of a caller, a part of a structure.
#[test]
fn places_in_memory() {
    check(
        "int a = nondet(), b = nondet(), *p = nondet() ? &a : &b; if (*p < 0) return 0;
         int i = 0; while (i < *p) i++; check(i == *p);",
        expect!["TRUE"],
    );
    let count = "struct s { int n, m; }; static int count(struct s *p) { int i = 0; while (i < p->n) i++; return i; }
        int main(void) { struct s s, t, *p = nondet() ? &s : &t; s.n = t.n = nondet(); if (s.n < 0) return 0;";
    let found = |claim: &str| verify(&lower_file(&format!("{count} {claim} return 0; }}")), &[]).0;
    assert_eq!(found("check(count(p) == p->n);"), "TRUE");
    assert_eq!(found("check(count(p) < 3);"), "FALSE");
    let ring = "struct ring { unsigned head, tail, size; int data[16]; } r;
        int main(void) { struct ring *q = &r; q->size = 16; while (nondet()) { if (q->head >= q->size) reach_error();
        q->data[q->head] = 1; q->head = (q->head + 1) % q->size; } return 0; }";
    assert_eq!(verify(&lower_file(ring), &[]).0, "TRUE");
}

/// Loops over constants end by themselves, but nested ones are too long to unroll before the step case is tried.
#[test]
fn long_nests_of_constant_loops() {
    check(
        "unsigned v = 0;
         for (int w = 0; w < 100000000; w++) for (int x = 0; x < 10; x++) for (int y = 0; y < 10; y++) {
             for (v = 0; v < 10; v++) { } check(v % 4 == 2); }",
        expect!["TRUE"],
    );
}

#[test]
fn bounds_are_options() {
    let (source, k) = ("int x = 0; while (nondet()) if (++x == 9) reach_error();", |n: &str| ("k-max", n.to_owned()));
    for (settings, expected) in [
        (vec![k("5")], "UNKNOWN"),
        (vec![k("12"), ("k-init", "12".to_owned())], "FALSE"),
        (vec![k("16"), ("increment", "double".to_owned())], "FALSE"),
    ] {
        let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let (verdict, counters) = run(source, &settings);
        assert!(verdict.starts_with(expected), "{settings:?}: {verdict}");
        assert!(counters.value("solver queries") > 0 && counters.value("k") > 0);
    }
}

/// What flows through calls: results that go to globals, globals that callees change, arguments, several callers.
#[test]
fn facts_behind_calls_hold() {
    let programs = [
        "int g, h; int pick(void) { if (nondet()) return 1; return 0; }
         int main(void) { g = pick(); h = pick(); while (nondet()) { h = pick(); check(g + h != 2); } return 0; }",
        "int g = 3; int pick(void) { g = g + 1; return 7; }
         int main(void) { g = pick(); for (int i = 0; i < 5; i++) { } check(g != 7); return 0; }",
        "int g; long wide(int x) { g = x; return x; } char narrow(int x) { g = 2 * x; return x; }
         int main(void) { int n = nondet(); g = wide(n); g = narrow(g); while (nondet()) { } check(g != 300 && g != -3); return 0; }",
        "int g; int down(int x) { if (x <= 0) { g = x; return 0; } int r = down(x - 1); g = g + 1; return r + 1; }
         int main(void) { g = down(4); int i = 0; while (i < 3) i++; check(g != 4); return 0; }",
        "int g, h; void set(int x) { g = x; } int get(int x) { set(x + 1); return g; }
         int main(void) { int a = get(1); h = get(a); do { } while (nondet()); check(a + h != 5); return 0; }",
    ];
    assert_eq!(verify(&lower_file(programs[0]), &[]).0, "FALSE");
    for source in programs {
        let program = lower_file(source);
        let [intervals, affine] = [
            dataflow_facts(&program, &IntervalDomain::new(&program), &Cancel::never()),
            dataflow_facts(&program, &AffineDomain::new(&program), &Cancel::never()),
        ];
        for facts in [intervals, affine] {
            let Facts { exprs, facts } = facts.expect("no limit");
            let model = memory_model(&program, &Cancel::never()).expect("no limit");
            let confirmed = inductive::check(
                (&program, &model),
                &smt_bitwuzla::BitwuzlaBackend,
                &exprs,
                &facts,
                Claim::Invariant,
                &Cancel::never(),
            );
            assert!(confirmed.is_ok(), "{confirmed:?}: {source}");
        }
    }
}

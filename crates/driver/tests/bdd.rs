//! The BDD analysis on C: the paper's example with the sets of its figure, verdicts, refinement of classes.

use analysis::sets::SetDomain;
use base::{Cancel, Counters, Interner, SourceMap};
use cfa::{Node, Program};
use domains::bdd::BddDomain;
use engine::symbolic::{Outcome, explore, verify};
use expect_test::{Expect, expect};
use std::collections::BTreeMap;
use std::fmt::Write;

const ROOM: usize = 1 << 18;

fn lower(source: &str) -> Program {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add("test.c", source.to_owned());
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let lowered = lower::lower(vec![ast], names, sources, &lower::Options::default());
    let mut program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    driver::prepare(&mut program, cfa::Outside::Pure);
    program
}

/// The set at each reached location of `main`.
fn check_sets(source: &str, expected: Expect) {
    let program = lower(source);
    let mut domain = BddDomain::new(&program, ROOM).expect("room");
    let outcome = explore(&program, &mut domain, &Cancel::never(), &mut Counters::default()).expect("supported");
    let Outcome::Unreachable(reached, _) = outcome else { panic!("a path to a target") };
    let main = program.function_named("main");
    let mut exprs = program.exprs.clone();
    let mut sets: BTreeMap<Node, cfa::ExprId> = BTreeMap::new();
    for (place, set) in &reached {
        if Some(program.nodes[place.node].function) == main {
            let known = sets.insert(place.node, domain.invariant(&program, &mut exprs, set));
            assert!(known.is_none(), "one set per location");
        }
    }
    let mut shown = program.clone();
    shown.exprs = exprs;
    let mut text = String::new();
    for (node, set) in sets {
        writeln!(text, "{node}: {}", shown.expr_text(set)).expect("strings take all text");
    }
    expected.assert_eq(&text);
}

fn check(source: &str, expected: Expect) {
    let program = lower(source);
    let mut domain = BddDomain::new(&program, ROOM).expect("room");
    let mut counters = Counters::default();
    let verdict = verify(&program, &mut domain, &Cancel::never(), &mut counters);
    expected.assert_eq(&format!("{verdict}, {} refinements", counters.value("refinements")));
}

/// [BS12, Fig. 1]: the join behind the branches, nothing where `a == 3` meets `in != 1`, no error.
#[test]
fn figure_1() {
    check_sets(
        include_str!("../../../examples/papers/bs12-figure-1.c"),
        expect![[r#"
            n0: true
            n1: !(a == 1 || a == 3) && (a == 0 || a == 3)
            n2: !(a == 1 || a == 3) && (a == 0 || a == 3)
            n3: !(a == 1 || a == 3) && (a == 0 || a == 3)
            n4: in != 1 && (!(a == 1 || a == 3) && (a == 0 || a == 3))
            n6: in == 1 ? (a == 1 || a == 3) && (a == 0 || a == 3) : !(a == 1 || a == 3) && (a == 0 || a == 3)
            n7: (a == 1 || a == 3) && (a == 0 || a == 3)
            n9: true
            n10: in == 1 && (!(a == 1 || a == 3) && (a == 0 || a == 3))
            n11: in == 1
            n12: true
        "#]],
    );
}

#[test]
fn conditions_on_constants_are_exact() {
    check(
        "extern int nondet(void); extern void reach_error(void);
         int main(void) { int s = 0; while (1) { int in = nondet();
           if (s == 0 && in == 4) s = 7; else if (s == 7 && in == 2) s = 9; else if (s == 9 && in != 2) s = 0;
           if (s == 5) reach_error(); } }",
        expect![["TRUE, 0 refinements"]],
    );
}

#[test]
fn inputs_of_a_deep_error_are_found() {
    check(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) { int s = 0; while (1) { int in = __VERIFIER_nondet_int();
           if (s == 0 && in == 4) s = 7; else if (s == 7 && in == -2) s = 9; else if (s == 9 && in == 300) s = 5;
           if (s == 5) reach_error(); } }",
        expect![["FALSE, 0 refinements"]],
    );
}

/// Halves of values up to 100 are at most 50; only a cut at 80 tells that those of values up to 80 are at most 40.
#[test]
fn spurious_paths_cut_classes() {
    check(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 100) return 0;
           int y = x / 2; if (y > 40) { if (y < 41) reach_error(); y = y + x; if (y < 100) reach_error(); } return 0; }",
        expect!["TRUE, 1 refinements"],
    );
}

#[test]
fn recursion_is_refused() {
    check(
        "extern void reach_error(void); int f(int n) { return n == 0 ? 0 : f(n - 1); }
         int main(void) { if (f(3) != 0) reach_error(); return 0; }",
        expect![["UNKNOWN, 0 refinements"]],
    );
}

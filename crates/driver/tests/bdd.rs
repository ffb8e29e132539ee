//! The BDD analysis on C, alone and beside values: the paper's example with the sets of its figure, verdicts,
//! refinement of classes, board with the value analysis.

use analysis::sets::SetDomain;
use analysis::{Mixed, Nothing, Stacks, Step};
use base::{Cancel, Counters, Stopped};
use cfa::Node;
use domains::bdd::{BddDomain, Fit};
use domains::value::{Options, Precision, ValueAnalysis};
use engine::evidence::Confirm;
use engine::symbolic::{BySets, ByValues, ExplorationSettings, Images, Recursion, SetExploration, explore, verify};
use expect_test::{Expect, expect};
use flow::{PointsTo, Prepared};
use semantics::random::Random;
use smt_bitwuzla::BitwuzlaBackend;
use std::collections::BTreeMap;
use std::fmt::Write;
use verdict::{Goals, Stop, Verdict};

const ROOM: usize = 1 << 18;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", source).expect("a correct program")
}

fn alone(program: &Prepared) -> Mixed<Nothing, BddDomain<'_>> {
    Mixed::new(Nothing, BddDomain::new(program, Fit::Classes, ROOM, &Cancel::never()).expect("room"))
}

fn settings<'a>(recursion: Recursion, images: Images, cancel: &'a Cancel) -> ExplorationSettings<'a> {
    ExplorationSettings { recursion, images, most_undecided: 3, backend: &BitwuzlaBackend, cancel }
}

/// The set at each reached location of `main`.
fn check_sets(source: &str, expected: Expect) {
    let program = lower(source);
    let mut mixed = alone(&program);
    let outcome = explore(&program, &mut mixed, &Cancel::never()).expect("supported");
    let SetExploration::Unreachable(reached, _) = outcome else { panic!("a path to a target") };
    let main = program.function_named("main");
    let mut exprs = program.exprs.clone();
    let mut sets: BTreeMap<Node, cfa::ExprId> = BTreeMap::new();
    for (place, set) in &reached {
        if Some(program.nodes[place.node].function) == main {
            let set = mixed.sets.invariant(&program, &mut exprs, set, place.node).expect("room");
            let known = sets.insert(place.node, set);
            assert!(known.is_none(), "one set per location");
        }
    }
    let shown = program.with_exprs(exprs);
    let mut text = String::new();
    for (node, set) in sets {
        writeln!(text, "{node}: {}", shown.expr_text(set)).expect("strings take all text");
    }
    expected.assert_eq(&text);
}

/// The same by images of edges and of branches.
fn check(source: &str, expected: Expect) {
    for images in [Images::Edges, Images::Branches] {
        check_by(source, images, &expected);
    }
}

fn check_by(source: &str, images: Images, expected: &Expect) {
    let program = lower(source);
    let mut mixed = alone(&program);
    let mut counters = Counters::default();
    let cancel = Cancel::never();
    let settings = settings(Recursion::Refuse, images, &cancel);
    let asked = (&program, &mut Goals::any(&program));
    let verdict = verify(asked, &mut mixed, &mut (), &mut BySets(&cancel), &settings, &mut counters);
    let confirmed = confirmed(&verdict);
    expected.assert_eq(&format!("{verdict}{confirmed}, {} refinements", counters.value("refinements")));
}

/// Whether a solver agrees with the invariants.
fn confirmed(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe(proof) if proof.checked.contains("A solver confirmed") => ", confirmed",
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => "",
    }
}

/// [BS12, Fig. 1]: the join after the branches, nothing where `a == 3` meets `in != 1`, no error.
#[test]
fn figure_1() {
    check_sets(
        include_str!("../../../examples/papers/bs12-figure-1.c"),
        expect![[r#"
            n0: true
            n1: a == 0
            n2: a == 0
            n3: a == 0
            n4: in != 1 && a == 0
            n6: in == 1 ? a == 3 : a == 0
            n7: a == 3
            n9: true
            n10: in == 1 && a == 0
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
        expect!["TRUE, confirmed, 0 refinements"],
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

/// The solver sees sets with their call stacks: the same function keeps apart what its callers keep apart.
#[test]
fn sets_at_calls_are_confirmed() {
    check(
        "extern int nondet(void); extern void reach_error(void); int mode = 0;
         int step(int in) { while (nondet()) { if (in == 3) mode = 1; } return mode; }
         int main(void) { int first = step(2); if (first != 0) reach_error();
           while (1) { int next = step(3); if (next != 0 && next != 1) reach_error(); } }",
        expect!["TRUE, confirmed, 0 refinements"],
    );
}

/// The image of a path at once is the image of its steps one after the other, and so is what leads there.
fn check_paths(source: &str) -> usize {
    let program = lower(source);
    let mut mixed = alone(&program);
    let mut stacks = Stacks::new(&program);
    let (mut open, mut compared) = (vec![(stacks.start(&program), Vec::new())], 0);
    while let Some((place, path)) = open.pop() {
        let mut steps = Vec::new();
        stacks.steps(&program, place, &mut steps);
        for step in steps {
            let mut path: Vec<Step> = path.clone();
            path.push(step);
            for length in 1..=path.len() {
                let part = &path[path.len() - length..];
                let all = mixed.sets.initial();
                let one_by_one = part.iter().try_fold(all.clone(), |set, step| {
                    mixed.sets.post(&program, std::slice::from_ref(step), &set, &mut |_| None)
                });
                let one_by_one = one_by_one.expect("room");
                let back = part.iter().rev().try_fold(one_by_one.clone(), |set, step| {
                    mixed.sets.pre(&program, std::slice::from_ref(step), &set, &mut |_| None)
                });
                let mut fresh = alone(&program);
                let sets = &mut fresh.sets;
                let at_once = sets.post(&program, part, &sets.initial(), &mut |_| None).expect("room");
                let back_at_once = sets.pre(&program, part, &at_once, &mut |_| None).expect("room");
                let mut exprs = program.exprs.clone();
                for (ours, theirs) in [(at_once, one_by_one), (back_at_once, back.expect("room"))] {
                    let formula = sets.formula(&program, &mut exprs, &ours).expect("room");
                    let expected = mixed.sets.formula(&program, &mut exprs, &theirs).expect("room");
                    assert_eq!(formula, expected, "{part:?} of {source}");
                }
                compared += 1;
            }
            open.push((step.to, path));
        }
    }
    compared
}

#[test]
fn paths_are_chains_of_edges() {
    let compared = check_paths(
        "extern int __VERIFIER_nondet_int(void);
         int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = 2;
           if (a == 1 && b != 3) { b = a; a = 3; c = b; if (c == a || b == 4) { a = c; b = __VERIFIER_nondet_int();
             if (b == a) { c = 3; a = 4; } } }
           if (a == b && c == 2) return 1; return 0; }",
    );
    assert!(compared > 100);
}

/// Copies, constants, conditions and sums in any order: what one assignment reads the next may overwrite.
#[test]
fn paths_of_copies_are_chains_of_edges() {
    let mut random = Random::new(7);
    let mut below = |bound: u64| random.below(bound) as usize;
    for _ in 0..4 {
        let name = |at: usize| ["a", "b", "c", "d"][at];
        let mut text = String::new();
        for _ in 0..8 {
            let (x, y, constant) = (name(below(4)), name(below(4)), below(3));
            match below(8) {
                0 => write!(text, "{x} = {constant}; "),
                1 => write!(text, "assume({x} == {y}); "),
                2 => write!(text, "assume({x} != {constant}); "),
                3 => write!(text, "{x} = {y} + 1; "),
                _ => write!(text, "{x} = {y}; "),
            }
            .expect("strings take all text");
        }
        check_paths(&format!(
            "void assume(int holds) {{ if (!holds) while (1) ; }} int a, b, c, d;
             int main(void) {{ {text} return a == 1 || b == 2 || c == 0 || d == 4; }}"
        ));
    }
}

/// What is asked about a copy is asked about its source, but not the other way round.
#[test]
fn questions_flow_against_copies() {
    let program = lower(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) { int a = __VERIFIER_nondet_int(), b = a, c = __VERIFIER_nondet_int(), flag = 0;
           if (b == 5) flag = 1; if (a == 7) flag = 0; if (c == 9) flag = 1; if (flag == 1) reach_error(); return 0; }",
    );
    let statistics = alone(&program).sets.statistics();
    // `a`: 5, 7, other; `b`: 5, other; `c`: 9, other; `flag`: 0, 1, other.
    expect!["4 variables, 6 bits"].assert_eq(&format!("{} variables, {} bits", statistics.tracked, statistics.bits));
}

/// A chain of copies of which each is compared with something else.
#[test]
fn copies_lose_only_what_is_not_asked() {
    let copies = |error: &str| {
        format!(
            "{HEAD} int main(void) {{ int a = __VERIFIER_nondet_int(), b = a, c = b, d = c;
               while (__VERIFIER_nondet_int()) ; if ({error}) reach_error(); return 0; }}"
        )
    };
    check(&copies("a == 1 && (b == 2 || d == 3)"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&copies("d == 3 && (a != 3 || b == 2)"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&copies("a != 1 && b != 2 && d == 3"), expect!["FALSE, 0 refinements"]);
    check(&copies("a != 1 && b != 2 && d != 3"), expect!["FALSE, 0 refinements"]);
}

/// Copies in a circle: all are asked what one is asked.
#[test]
fn copies_in_loops() {
    let rotate = |error: &str| {
        format!(
            "{HEAD} int main(void) {{ int a = 1, b = 2, c = 3, t;
               while (__VERIFIER_nondet_int()) {{ t = a; a = b; b = c; c = t; if ({error}) reach_error(); }} return 0; }}"
        )
    };
    check(&rotate("a == 1 && b == 1"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&rotate("a == 1 && b == 3"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&rotate("a == b"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&rotate("c == 2"), expect!["FALSE, 0 refinements"]);
    // The third value is compared with nothing, but two variables that may have it are.
    check(&rotate("b == c || t == 4"), expect!["TRUE, confirmed, 0 refinements"]);
}

#[test]
fn swaps_are_not_lost() {
    let swap = |error: &str| {
        format!(
            "{HEAD} int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), t;
               if (a != 4 || b != 6) return 0;
               while (__VERIFIER_nondet_int()) {{ t = a; a = b; b = t; if ({error}) reach_error(); }} return 0; }}"
        )
    };
    check(&swap("a == 4 && b != 6"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&swap("a == 6 && b == 4"), expect!["FALSE, 0 refinements"]);
    check(&swap("t == 6 && a != 4"), expect!["TRUE, confirmed, 0 refinements"]);
}

/// Variables that are compared with each other are asked the same, and so is what they are copied from.
#[test]
fn comparisons_of_variables_with_different_questions() {
    let compare = |error: &str| {
        format!(
            "{HEAD} int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = a, d = b;
               while (__VERIFIER_nondet_int()) ; if ({error}) reach_error(); return 0; }}"
        )
    };
    check(&compare("c == d && a == 3 && b != 3"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&compare("c == d && b == 7 && a != 7"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&compare("c != d && a == 3 && b == 3"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&compare("c == d && a != 3 && b != 7"), expect!["FALSE, 0 refinements"]);
    // Nothing is asked about either but whether they are equal; where they come from there are constants.
    check(
        "extern int nondet(void); extern void reach_error(void);
         int main(void) { int x = 5, y = 6; if (nondet()) x = 7; int a = x, b = y; while (nondet()) ;
           if (a == b) reach_error(); return 0; }",
        expect!["TRUE, confirmed, 0 refinements"],
    );
}

#[test]
fn questions_cross_calls() {
    let calls = |error: &str| {
        format!(
            "{HEAD} int same(int x) {{ return x; }} int replaced(int x) {{ if (x == 4) return 9; return same(x); }}
             int main(void) {{ int a = __VERIFIER_nondet_int(), b = replaced(a), c = same(a);
               while (__VERIFIER_nondet_int()) ; if ({error}) reach_error(); return 0; }}"
        )
    };
    check(&calls("b == 4"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&calls("a == 4 && b != 9"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&calls("c == 8 && b != 8"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&calls("c == 8 && b == 8"), expect!["FALSE, 0 refinements"]);
    check(&calls("b == 9 && c != 4"), expect!["FALSE, 0 refinements"]);
}

/// What is computed from a copy is as exact as what is computed from the constants that it comes from.
#[test]
fn computing_with_copies_is_exact() {
    let compute = |what: &str| {
        format!(
            "{HEAD} int main(void) {{ int a = __VERIFIER_nondet_int(); if (a != 5 && a != 261) a = 8; int b = a, c;
               {what} return 0; }}"
        )
    };
    check(&compute("c = b * 2; if (c != 10 && c != 16 && c != 522) reach_error();"), expect!["TRUE, 0 refinements"]);
    check(
        &compute("c = (unsigned char)b; if (c != 5 && c != 8) reach_error();"),
        expect!["TRUE, confirmed, 0 refinements"],
    );
    check(
        &compute("if (b + 1 != 6 && b + 1 != 9 && b + 1 != 262) reach_error();"),
        expect!["TRUE, confirmed, 0 refinements"],
    );
    check(&compute("c = b - 5; if (c == 3) reach_error();"), expect!["FALSE, 0 refinements"]);
}

#[test]
fn switches_on_copies() {
    let switch = |error: &str| {
        format!(
            "{HEAD} int main(void) {{ int in = __VERIFIER_nondet_int(), s = in, y;
               switch (s) {{ case 1: y = 1; break; case 2: y = 2; break; default: y = 0; }}
               while (__VERIFIER_nondet_int()) ; if ({error}) reach_error(); return 0; }}"
        )
    };
    check(&switch("in == 1 && y != 1"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&switch("in == 7 && y != 0"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&switch("y == 2 && in != 2"), expect!["TRUE, confirmed, 0 refinements"]);
    check(&switch("y == 0 && in == 7"), expect!["FALSE, 0 refinements"]);
}

/// A store without room for the sets ends the analysis with the limit as the reason, not with a verdict.
#[test]
fn memory_is_a_limit() {
    let source = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) { int a = 0, b = 0, c = 0, d = 0, e = 0; while (1) { int in = __VERIFIER_nondet_int();
           if (in == 1 && a != 3) a = b; else if (in == 2) b = c; else if (in == 3) c = d; else if (in == 4) d = 7;
           else if (in == 5 && b == 7 && a != 7) e = d; if (e == 5 && a == 7 && b == c) reach_error(); } }";
    let program = lower(source);
    let cancel = Cancel::never();
    let verdict = match BddDomain::new(&program, Fit::Classes, 64, &cancel) {
        Err(stop) => Verdict::Unknown(stop),
        Ok(domain) => {
            let mut mixed = Mixed::new(Nothing, domain);
            let settings = settings(Recursion::Refuse, Images::Branches, &cancel);
            verify(
                (&program, &mut Goals::any(&program)),
                &mut mixed,
                &mut (),
                &mut BySets(&cancel),
                &settings,
                &mut Counters::default(),
            )
        }
    };
    assert!(matches!(verdict, Verdict::Unknown(Stop::Limit(Stopped::Memory))), "{verdict}");
}

/// What was done is counted, and every phase is timed.
#[test]
fn statistics_tell_what_was_done() {
    let program = lower(include_str!("../../../examples/papers/bs12-figure-1.c"));
    let mut mixed = alone(&program);
    let (mut counters, cancel) = (Counters::default(), Cancel::never());
    let settings = settings(Recursion::Refuse, Images::Branches, &cancel);
    let verdict = verify(
        (&program, &mut Goals::any(&program)),
        &mut mixed,
        &mut (),
        &mut BySets(&cancel),
        &settings,
        &mut counters,
    );
    assert!(matches!(verdict, Verdict::Safe(_)));
    for name in ["rings", "reached sets", "iterations"] {
        assert!(counters.value(name) > 0, "{name}");
    }
    let phases: Vec<&str> = counters.times().map(|(name, _)| name).collect();
    for phase in ["exploration", "recomputation of successors", "check by a solver"] {
        assert!(phases.contains(&phase), "{phase} in {phases:?}");
    }
    let store = mixed.sets.statistics().store;
    assert!(store.operations > 0 && store.steps > 0 && store.cache_lookups >= store.cache_hits);
    assert!(store.most_nodes >= store.nodes && store.nodes > 0);
}

#[test]
fn recursion_is_refused() {
    check(
        "extern void reach_error(void); int f(int n) { return n == 0 ? 0 : f(n - 1); }
         int main(void) { if (f(3) != 0) reach_error(); return 0; }",
        expect![["UNKNOWN, 0 refinements"]],
    );
}

/// Beside values: the verdict, and what the values track.
fn check_beside(source: &str, expected: Expect) {
    let program = lower(source);
    let cancel = Cancel::never();
    let points_to = PointsTo::new(&program);
    let values = ValueAnalysis::new(&program, &points_to, Options::default());
    let mut mixed = Mixed::new(values, BddDomain::new(&program, Fit::Constants, ROOM, &cancel).expect("room"));
    let mut precision = Precision::scoped();
    let settings = settings(Recursion::Follow, Images::Edges, &cancel);
    let confirm = Confirm::new(&program, &BitwuzlaBackend, &cancel);
    let selection = "none".parse().expect("a heuristic");
    let mut judge = ByValues { confirm, selection, most_prefixes: 40 };
    let verdict = verify(
        (&program, &mut Goals::any(&program)),
        &mut mixed,
        &mut precision,
        &mut judge,
        &settings,
        &mut Counters::default(),
    );
    let names: Vec<String> = precision.items().iter().map(|item| item.display(&program)).collect();
    let confirmed = confirmed(&verdict);
    expected.assert_eq(&format!("{verdict}{confirmed}, values of [{}]", names.join(", ")));
}

/// `mode` is for the diagrams, `count` for the values, and each decides about the other.
const COUNTS_MODES: &str = "
int main(void) {
    int mode = 0, count = 0;
    while (count < 6) {
        int in = __VERIFIER_nondet_int();
        if (in == 1) mode = 1; else if (in == 2) mode = 2;
        if (mode == 2 && in != 2) mode = 0;
        count = count + 2;
        if (mode == 2 && in != 2) reach_error();
    }
    if (count != 6) reach_error();
    return 0;
}";

#[test]
fn each_variable_goes_where_it_suits() {
    check_beside(&format!("{HEAD}{COUNTS_MODES}"), expect![["TRUE, confirmed, values of [main::count]"]]);
}

/// A number that is computed from a variable of the diagrams: the set is split by its values.
#[test]
fn values_learn_from_diagrams() {
    check_beside(
        &format!(
            "{HEAD} int main(void) {{ int m = __VERIFIER_nondet_int(); if (m != 3) m = 5;
               int y = m * 2 + 1; if (y != 7 && y != 11) reach_error(); if (m == 3 && y != 7) reach_error(); return 0; }}"
        ),
        expect![["TRUE, confirmed, values of [main::y]"]],
    );
}

/// A variable of the diagrams that gets a computed number: the number is put into the assignment.
#[test]
fn diagrams_learn_from_values() {
    check_beside(
        &format!(
            "{HEAD} int main(void) {{ int n = 0, m = 0; while (n < 3) n = n + 1;
               int big = n * n; if (big > 8) m = 1; while (__VERIFIER_nondet_int()) {{ if (m == 0) reach_error(); m = 1; }}
               return 0; }}"
        ),
        expect!["TRUE, confirmed, values of [main::n, main::big]"],
    );
}

/// Memory belongs to the values; an index that only the diagrams know selects the cell.
#[test]
fn memory_is_read_at_indices_of_diagrams() {
    check_beside(
        &format!(
            "{HEAD} int a[4] = {{4, 5, 6, 7}};
             int main(void) {{ int i = __VERIFIER_nondet_int(); if (i != 1) i = 2;
               int x = a[i]; if (i == 2 && x != 6) reach_error(); if (i == 1 && x != 5) reach_error(); return 0; }}"
        ),
        expect!["TRUE, confirmed, values of [a+4, a+8]"],
    );
}

/// A copy that is an index has all values of its source.
#[test]
fn copies_tell_values() {
    check_beside(
        &format!(
            "{HEAD} int a[4] = {{4, 5, 6, 7}};
             int main(void) {{ int i = __VERIFIER_nondet_int(); if (i != 1) i = 2; int j = i;
               int x = a[j]; if (i == 2 && x != 6) reach_error(); if (i == 1 && x != 5) reach_error(); return 0; }}"
        ),
        expect!["TRUE, confirmed, values of [a+4, a+8]"],
    );
}

#[test]
fn recursion_is_followed_beside_values() {
    check_beside(
        &format!(
            "{HEAD} int f(int n) {{ return n == 0 ? 0 : f(n - 1); }}
             int main(void) {{ if (f(3) != 0) reach_error(); return 0; }}"
        ),
        expect!["TRUE, values of [f::$return, f::n, f::$1, f::$2, main::$1]"],
    );
}

/// A loop in a function that is called from two places with different values: each call has its own formulas.
#[test]
fn loops_in_functions_are_confirmed_beside_values() {
    check_beside(
        &format!(
            "{HEAD} int mode = 0; int total = 0;
             void step(int in, int many) {{ int i = 0; while (i < many) {{ if (in == 3) mode = 1; i = i + 1; total = i; }} }}
             int main(void) {{ step(2, 2); if (mode != 0 || total != 2) reach_error();
               while (__VERIFIER_nondet_int()) {{ step(3, 3); if (mode != 1 || total != 3) reach_error(); }} return 0; }}"
        ),
        expect!["TRUE, confirmed, values of [total, step::many, step::i]"],
    );
}

/// The inputs of an error that needs both.
#[test]
fn errors_beside_values_are_replayed() {
    check_beside(
        &format!(
            "{HEAD} int main(void) {{ int n = 0, m = 0; while (n < 3) {{ int in = __VERIFIER_nondet_int();
               if (m == n && in == 7) m = m == 0 ? 1 : m == 1 ? 2 : 3; n = n + 1; }}
               if (m == 3) reach_error(); return 0; }}"
        ),
        expect!["FALSE, values of [main::n]"],
    );
}

/// A condition that neither understands, and no execution satisfies.
#[test]
fn squares_are_undecided() {
    check_beside(
        &format!(
            "{HEAD} int main(void) {{ unsigned x = __VERIFIER_nondet_int(); if (x * x == 3) reach_error(); return 0; }}"
        ),
        expect!["UNKNOWN, values of []"],
    );
}

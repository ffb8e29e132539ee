//! Values and predicates in one analysis: who excludes what, and which domain is refined.

use base::Cancel;
use driver::{Options, Preset};
use expect_test::{Expect, expect};
use flow::Prepared;
use std::fmt::Write;
use verdict::Verdict;

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", source).expect("a correct program")
}

/// The verdict with what was refined, and the invariants of a proof.
fn check(preset: &str, settings: &[(&str, &str)], source: &str, expected: Expect) {
    let program = lower(source);
    let preset = Preset::named(preset).expect("a preset");
    let mut options = Options::default();
    for (key, value) in settings {
        options.set(key, value);
    }
    let outcome = driver::run(&program, &preset, &options, None, &Cancel::never(), &mut |_| {}).expect("good options");
    let count = |name: &str| outcome.counters.value(name);
    let verdict = match &outcome.verdict {
        Verdict::Safe(_) => "TRUE",
        Verdict::Unsafe(_) => "FALSE",
        Verdict::Unknown(_) => "UNKNOWN",
    };
    let mut text = format!(
        "{verdict}: {} refinements, {} of values, {} values, {} predicates\n",
        count("refinements"),
        count("refinements of the first domain"),
        count("precision size"),
        count("predicates"),
    );
    if let Verdict::Safe(proof) = &outcome.verdict {
        let shown = program.with_exprs(proof.exprs.clone());
        for (node, invariant) in &proof.invariants {
            writeln!(text, "{node}: {}", shown.expr_text(*invariant)).expect("strings take all text");
        }
        assert!(count("reached states") < 1000, "the loop is not unrolled");
    }
    expected.assert_eq(&text);
}

/// Predicates without invariants of other analyses.
const UNAIDED: (&str, &str) = ("predicate", r#"{ blocks = "loops", feasibility = "lazy" }"#);

/// Inter-analysis refinement selection in [Loewe17]: the values of `i` exclude the path, but unroll the loop; a
/// predicate on `b` does not.
const LOCKSTEP: &str = "int nondet(void); int f(int x); int main() { int b = nondet(); int i = 0;
    if (b != 0) { while (i < 1000) { f(i++); } }
    if (i != 0) { if (b == 0) { ERROR: return 1; } } return 0; }";

#[test]
fn the_predicate_on_b_is_selected() {
    check(
        "va-pa-refsel",
        &[],
        LOCKSTEP,
        expect![[r#"
            TRUE: 1 refinements, 0 of values, 0 values, 1 predicates
            n3: b != 0
        "#]],
    );
}

/// Values come first; once `i` has had too many of them, it is left to the predicates.
#[test]
fn values_over_the_threshold_are_left_to_predicates() {
    check(
        "expl-itp-pred",
        &[("threshold", "10"), ("patience", "0"), ("signs", "false"), UNAIDED],
        &LOCKSTEP.replace("f(i++);", "f(i); i++;"),
        expect![[r#"
            TRUE: 3 refinements, 1 of values, 0 values, 2 predicates
            n3: b != 0 || i < 1000 && b != 0
        "#]],
    );
}

/// [Loewe17]: a contradiction that values do not see.
#[test]
fn predicates_know_inequalities() {
    let source = "int nondet(void); int main() { int a = nondet(); int n = 0;
        while (n < 3) { n++; } if (a != 1) { if (a == 1) { ERROR: return 1; } } return 0; }";
    check(
        "expl-itp-pred",
        &[],
        source,
        expect![[r#"
            TRUE: 2 refinements, 2 of values, 1 values, 0 predicates
            n2: n == 0 && (n < 4 && n >= 0) || n == 1 && (n < 4 && n >= 0) || n == 2 && (n < 4 && n >= 0) || n == 3 && (n < 4 && n >= 0)
        "#]],
    );
    check(
        "expl-pred",
        &[],
        source,
        expect![[r#"
            TRUE: 0 refinements, 0 of values, 0 values, 0 predicates
            n2: n == 0 && (n < 4 && n >= 0) || n == 1 && (n < 4 && n >= 0) || n == 2 && (n < 4 && n >= 0) || n == 3 && (n < 4 && n >= 0)
        "#]],
    );
}

/// Each domain has to do its part.
#[test]
fn both_domains_are_needed() {
    let source = "int nondet(void); int main() { int state = 0; int x = nondet(); int y = x;
        while (nondet()) { if (state == 0) { state = 1; } else if (state == 1) { state = 0; x++; y++; }
        if (state > 1) { ERROR: return 1; } }
        if (x != y) { FAIL: goto ERROR; } return 0; }";
    check(
        "expl-itp-pred",
        &[UNAIDED],
        source,
        expect![[r#"
            TRUE: 3 refinements, 2 of values, 1 values, 1 predicates
            n3: state == 0 && y == x || state == 1 && y == x
        "#]],
    );
}

#[test]
fn errors_are_found() {
    let source = "int nondet(void); int main() { int n = nondet(); int i = 0; int s = 0;
        while (i < 5) { i++; s += n; } if (s == 35) { ERROR: return 1; } return 0; }";
    for preset in ["expl-pred", "expl-itp-pred", "va-pa-refsel"] {
        let program = lower(source);
        let preset = Preset::named(preset).expect("a preset");
        let outcome =
            driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {}).expect("options");
        assert!(matches!(outcome.verdict, Verdict::Unsafe(_)), "{:?}", outcome.verdict);
    }
}

/// Predicates given as C, for all functions that have their variables.
#[test]
fn predicates_are_given_as_c() {
    let source = "int nondet(void); int main() { unsigned x = 0; int y = 1000;
        while (x < 1000u) { x++; } if (x != 1000u) { ERROR: return 1; } return y; }";
    let abstraction = [("predicates", "[\"main: x <= 1000\"]"), ("invariants", "false"), ("abstraction", "cartesian")];
    check(
        "pred",
        &abstraction,
        source,
        expect![[r#"
        TRUE: 0 refinements, 0 of values, 0 values, 1 predicates
        n2: x < 1001
    "#]],
    );
}

#[test]
fn bad_predicates_are_the_users_mistake() {
    let wrong = |text: &str| {
        let program = lower("int g; int main() { int x = g; return x; }");
        let mut options = Options::default();
        options.set_list("predicates", &[text.to_owned()]);
        let preset = Preset::named("pred").expect("a preset");
        let outcome = driver::run(&program, &preset, &options, None, &Cancel::never(), &mut |_| {});
        outcome.err().map_or_else(|| "accepted".to_owned(), |error| error.to_string())
    };
    let texts = ["x < 3", "g == 3", "y < 3", "x < ", "x < 3 && g < 3", "f: x < 3", "main: x < 3"];
    let told: Vec<String> = texts.iter().map(|text| wrong(text)).collect();
    expect![[r#"
        accepted
        accepted
        predicate `y < 3`: 'y' is not declared
        predicate `x < `: expected an expression, found ')'
        accepted
        predicate `f: x < 3`: no function is called `f`
        accepted"#]]
    .assert_eq(&told.join("\n"));
}

/// Every path on its own; what branches exclude is not followed.
#[test]
fn symbolic_execution_follows_feasible_paths() {
    let source = "int nondet(void); int main() { int n = nondet(); int i = 0;
        if (n < 0 || n > 3) return 0; while (i < n) { i++; } if (i != n) { ERROR: return 1; } return 0; }";
    check(
        "symbolic-execution",
        &[],
        source,
        expect![[r#"
        TRUE: 0 refinements, 0 of values, 0 values, 0 predicates
    "#]],
    );
}

#[test]
fn predicate_refinements_are_selected() {
    check(
        "pred-refsel",
        &[("invariants", "false")],
        LOCKSTEP,
        expect![[r#"
        TRUE: 1 refinements, 0 of values, 0 values, 1 predicates
        n3: b != 0
    "#]],
    );
}

/// [BDW18, Example 6]: bounded model checking of its Figure 2 is inconclusive with one iteration; with
/// three, the loop head cannot be reached once more.
#[test]
fn the_forward_condition_decides_whether_a_bound_suffices() {
    let source = "int main() { unsigned int x = 0; unsigned int y = 0;
        while (x < 2) { x++; y++; if (x != y) { ERROR: return 1; } } return 0; }";
    for (bound, expected) in [("1", "UNKNOWN"), ("3", "TRUE")] {
        let program = lower(source);
        let preset = Preset::named("pred").expect("a preset");
        let mut options = Options::default();
        options.set("blocks", "never");
        options.set("loop-bound", bound);
        let outcome = driver::run(&program, &preset, &options, None, &Cancel::never(), &mut |_| {}).expect("options");
        assert!(outcome.verdict.to_string().starts_with(expected), "{bound}: {}", outcome.verdict);
    }
}

/// A function that calls itself only in unreachable code is not recursive. One that really does is unrolled by predicates
/// alone; alongside values it is not modelled.
#[test]
fn recursion_is_looked_at_where_it_happens() {
    let program = |condition: &str| {
        format!(
            "int nondet(void); int f(int n) {{ if ({condition}) return f(n - 1) + 1; return 0; }}
            int main() {{ int n = nondet(); if (n < 0 || n > 2) return 0; int r = 0;
            while (nondet()) {{ r = f(n); if (r > 2) {{ ERROR: return 1; }} }} return 0; }}"
        )
    };
    for (preset, recursion) in [("pred", "TRUE"), ("impact", "TRUE"), ("expl-itp-pred", "UNKNOWN")] {
        for (condition, expected) in [("n > 5", "TRUE"), ("n > 0", recursion)] {
            let program = lower(&program(condition));
            let preset = Preset::named(preset).expect("a preset");
            let (options, cancel) = (Options::default(), Cancel::never());
            let outcome = driver::run(&program, &preset, &options, None, &cancel, &mut |_| {}).expect("options");
            assert!(outcome.verdict.to_string().starts_with(expected), "{condition}: {}", outcome.verdict);
        }
    }
}

/// The threshold takes `i` out, and predicates have no formula for a recursion: values are asked again without it.
#[test]
fn values_without_a_threshold_are_the_last_resort() {
    let source = "int nondet(void); int f(int n) { return n == 0 ? 0 : f(n - 1); }
        int main() { int i = 0; while (i < 5) i++;
        if (f(2) != 0 || i != 5) { ERROR: return 1; } return 0; }";
    check(
        "expl-itp-pred",
        &[("threshold", "2"), ("patience", "0")],
        source,
        expect![[r#"
        TRUE: 10 refinements, 5 of values, 6 values, 5 predicates
        n0: n == 0 || n == 2 || n == 1
        n7: i == 5 || i == 0 || i == 1 || i == 2 || i == 3 || i == 4
    "#]],
    );
}

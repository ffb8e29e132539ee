//! One verdict for each target from one run: what each analysis says of programs whose errors differ.

use base::{Cancel, Interner, SourceMap};
use driver::{Options, Outcome, Preset, Recording, Settings};
use expect_test::{Expect, expect};
use flow::Prepared;
use verdict::{Verdict, Wanted};

fn lower(source: &str) -> Prepared {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add("test.c", format!("{PRELUDE}{source}"));
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let lowered = lower::lower(vec![ast], names, sources, &lower::Options::default());
    let mut program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    driver::prepare(&mut program, cfa::Outside::Pure);
    driver::separate_targets(&mut program);
    Prepared::new(program)
}

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); \
    void check(int condition) { if (!condition) reach_error(); } \
    void positive(int value) { check(value > 0); } ";

fn run(preset: &str, program: &Prepared) -> Outcome {
    let preset = Preset::named(preset).expect("a preset");
    let settings = Settings { threads: 1, after: None, record: Recording::default(), wanted: Wanted::Each };
    let (options, cancel) = (Options::default(), Cancel::never());
    driver::run_with(&settings, program, &preset, &options, &cancel, &mut |_| {}).expect("good options")
}

/// The line of every target and its verdict, by preset.
fn check(presets: &[&str], source: &str, expected: Expect) {
    let program = lower(source);
    let mut text = String::new();
    for preset in presets {
        let outcome = run(preset, &program);
        assert_eq!(outcome.targets.len(), program.targets.len(), "{preset}");
        let answers = program.targets.iter().zip(&outcome.targets).enumerate().map(|(at, (target, verdict))| {
            if let Verdict::Unsafe(found) = verdict {
                assert_eq!(found.target, at, "{preset}: the execution reaches this target");
            }
            format!("{}:{verdict}", program.sources.position(target.span).line)
        });
        text += &format!("{preset}: {}, all {}\n", answers.collect::<Vec<_>>().join(" "), outcome.verdict);
    }
    expected.assert_eq(&text);
}

/// Errors that hold and errors that do not, before, in and after a loop.
const MIXED: &str = "int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 3) return 0;
    check(x < 4);
    if (x == 2) reach_error();
    int i = 0;
    while (i < 3) { if (x == 1) check(i != 2); i++; }
    check(i == 3);
    positive(x);
    return 0;
}";

#[test]
fn all_errors_are_decided_in_one_run() {
    check(
        &["bdd", "bdd-value", "bmc", "k-induction", "pred", "impact", "expl-itp-pred", "auto"],
        MIXED,
        expect![[r#"
            bdd: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            bdd-value: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            bmc: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            k-induction: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            pred: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            impact: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            expl-itp-pred: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
            auto: 4:TRUE 5:FALSE 7:FALSE 8:TRUE 9:FALSE, all FALSE
        "#]],
    );
}

#[test]
fn what_an_analysis_cannot_decide_stays_unknown() {
    check(
        &["expl", "expl-itp", "intervals", "random", "cells"],
        MIXED,
        expect![[r#"
            expl: 4:UNKNOWN 5:FALSE 7:UNKNOWN 8:TRUE 9:FALSE, all FALSE
            expl-itp: 4:UNKNOWN 5:FALSE 7:UNKNOWN 8:TRUE 9:FALSE, all FALSE
            intervals: 4:TRUE 5:UNKNOWN 7:UNKNOWN 8:TRUE 9:UNKNOWN, all UNKNOWN
            random: 4:UNKNOWN 5:FALSE 7:FALSE 8:UNKNOWN 9:FALSE, all FALSE
            cells: 4:UNKNOWN 5:UNKNOWN 7:UNKNOWN 8:UNKNOWN 9:UNKNOWN, all UNKNOWN
        "#]],
    );
}

#[test]
fn unsupported_c_leaves_what_is_behind_it_open() {
    check(
        &["expl-itp", "expl-itp-pred", "bdd", "k-induction", "pred", "intervals"],
        "int main(void) { int x = __VERIFIER_nondet_int();
         if (x == 1) reach_error();
         int y = 1; y = y++ + 1;
         if (x == 1) reach_error();
         return 0; }",
        expect![[r#"
            expl-itp: 2:FALSE 4:UNKNOWN, all FALSE
            expl-itp-pred: 2:FALSE 4:UNKNOWN, all FALSE
            bdd: 2:UNKNOWN 4:UNKNOWN, all UNKNOWN
            k-induction: 2:FALSE 4:UNKNOWN, all FALSE
            pred: 2:FALSE 4:UNKNOWN, all FALSE
            intervals: 2:UNKNOWN 4:UNKNOWN, all UNKNOWN
        "#]],
    );
}

/// Values leave the first error to predicates, and then decide the second one, which is the last that is open.
#[test]
fn predicates_decide_what_values_left() {
    check(
        &["expl-itp", "expl-itp-pred", "expl-pred"],
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         if (x > y && y > x) reach_error();
         if (x == 2) reach_error();
         return 0; }",
        expect![[r#"
            expl-itp: 2:UNKNOWN 3:FALSE, all FALSE
            expl-itp-pred: 2:TRUE 3:FALSE, all FALSE
            expl-pred: 2:TRUE 3:FALSE, all FALSE
        "#]],
    );
}

/// An error is left to predicates, another one is decided by values alone: it stays decided.
#[test]
fn what_values_prove_stays_proved() {
    check(
        &["expl-itp-pred", "expl-pred"],
        "int f(int n) { return n == 0 ? 0 : f(n - 1); }
         int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         if (f(3) != 0) reach_error();
         if (x > y && y > x) reach_error();
         return 0; }",
        expect![[r#"
            expl-itp-pred: 3:TRUE 4:UNKNOWN, all UNKNOWN
            expl-pred: 3:TRUE 4:UNKNOWN, all UNKNOWN
        "#]],
    );
}

#[test]
fn a_program_without_errors_has_no_targets() {
    let program = lower("int main(void) { return 0; }");
    let outcome = run("auto", &program);
    assert!(outcome.targets.is_empty() && matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
}

#[test]
fn whole_arrays_fall_back_to_one_run_each() {
    check(
        &["cells"],
        "int a[1000]; int main(void) {
             for (int i = 0; i < 1000; i++) a[i] = 42;
             for (int i = 0; i < 1000; i++) { check(a[i] == 42);
                 check(a[i] == 41); }
             return 0; }",
        expect![[r#"
            cells: 3:TRUE 4:UNKNOWN, all UNKNOWN
        "#]],
    );
}

#[test]
fn an_execution_is_simplified_to_the_same_error() {
    let program = lower(
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
         if (x == 0) reach_error();
         if (y > 5) reach_error();
         return 0; }",
    );
    for verdict in run("bmc", &program).targets {
        let Verdict::Unsafe(found) = verdict else { panic!("both errors are reached") };
        let node = program.targets[found.target].node;
        let last = found.path.last().map(|&edge| program.edges[edge].to);
        assert_eq!(last, Some(node));
    }
}

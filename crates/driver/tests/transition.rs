//! Engines on transition systems, through presets: the running example of [BDW18] with what each engine does on it, and
//! proofs that the second encoder confirms.

use base::{Cancel, Counters};
use driver::{Effort, Options, Preset};
use flow::Prepared;
use std::time::Duration;
use verdict::{Argument, Independent, Verdict};

const PRESETS: [&str; 5] = ["dar", "ic3", "imc", "ismc", "pdr"];

/// [BDW18, Fig. 2], and the same without a bound on the number of iterations.
const FIGURE_2: &str = "int main(void) { unsigned x = 0, y = 0;
    while (x < 2) { x++; y++; if (x != y) { ERROR: return 1; } } return 0; }";
const FIGURE_2_NONDET: &str = "int nondet(void); int main(void) { unsigned x = 0, y = 0;
    while (nondet()) { x++; y++; if (x != y) { ERROR: return 1; } } return 0; }";

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", source).expect("a correct program")
}

fn run(preset: &str, program: &Prepared) -> (Verdict, Counters) {
    let preset = Preset::named(preset).expect("the preset exists");
    let outcome = driver::run(program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
    let outcome = outcome.expect("no bad options");
    (outcome.verdict, outcome.counters)
}

fn check(source: &str, counted: &[&str], expected: &str) {
    let program = lower(source);
    let mut parts = Vec::new();
    for preset in PRESETS {
        let (verdict, counters) = run(preset, &program);
        let mut part = format!("{preset}: {verdict}");
        for name in counted.iter().filter(|name| counters.value(name) > 0) {
            part += &format!(" {name} {}", counters.value(name));
        }
        parts.push(part);
    }
    assert_eq!(parts.join(", "), expected);
}

#[test]
fn the_running_example() {
    let expected = "dar: TRUE k 1, ic3: TRUE levels 33, imc: TRUE, ismc: TRUE k 1, pdr: TRUE levels 1";
    check(FIGURE_2, &["k", "levels"], expected);
    check(FIGURE_2_NONDET, &["k", "levels"], expected);
}

/// The invariant at the loop head carries the proof alone, in both encoders.
#[test]
fn proofs_are_inductive_and_confirmed() {
    let program = lower(FIGURE_2_NONDET);
    for preset in PRESETS {
        let (mut verdict, mut counters) = run(preset, &program);
        let effort = (Effort::Required, Duration::from_secs(60));
        driver::check_independently(&program, &mut verdict, effort, &Cancel::never(), &mut counters);
        let Verdict::Safe(proof) = verdict else { panic!("{preset}: {verdict}") };
        assert_eq!(proof.argument, Argument::Inductive, "{preset}");
        assert_eq!(proof.invariants.len(), 1, "{preset}");
        assert!(matches!(proof.independent, Independent::Confirmed { .. }), "{preset}: {:?}", proof.independent);
    }
}

/// Loops in functions, one in the other and one after the other: the counter tells them apart.
#[test]
fn several_loops() {
    let safe = "int nondet(void); void reach_error(void);
        int main(void) { unsigned x = 0;
            while (nondet()) { x |= 4; while (nondet()) x |= 2; }
            while (nondet()) x &= 6;
            if (x & 1) reach_error(); return 0; }";
    let unsafe_one = "int nondet(void); void reach_error(void); int up(int n) { while (nondet() == 1) n++; return n; }
        int main(void) { int x = up(0); x = up(x + 1); if (x == 3) reach_error(); return 0; }";
    for (preset, source, wrong) in PRESETS.into_iter().flat_map(|it| [(it, safe, "FALSE"), (it, unsafe_one, "TRUE")]) {
        let (verdict, _) = run(preset, &lower(source));
        assert!(!verdict.to_string().starts_with(wrong), "{preset}: {verdict}");
        assert!(!matches!(verdict, Verdict::Unknown(_)), "{preset}: {verdict:?}");
    }
}

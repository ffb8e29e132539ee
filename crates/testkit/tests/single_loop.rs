//! Programs and their single loops: the interpreter reaches the same targets with the same inputs.

use base::Cancel;
use cfa::{DataModel, Program};
use flow::Prepared;
use semantics::choices::Choices;
use semantics::interpreter::RunEnd;
use semantics::random::Random;
use semantics::replay::replay;
use testkit::agreement::generate;
use testkit::program::lower;
use transform::SingleLoop;

const STEPS: u64 = 200_000;
const RUNS: u64 = 20;

/// What a run came to, in terms of the source.
fn end(program: &Program, targets: &[usize], choices: &Choices) -> String {
    match replay(program, choices, STEPS, &Cancel::never()).outcome {
        RunEnd::Target(target) => format!("target {}", targets[target]),
        RunEnd::Exit(_) => "exit".to_owned(),
        RunEnd::Assumed => "assumed".to_owned(),
        other => format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
    }
}

/// How many of the runs reached a target.
fn check(text: &str) -> Result<usize, String> {
    let mut program = lower(text, DataModel::Lp64).expect("it is C");
    driver::prepare(&mut program, cfa::Outside::Pure);
    let source = Prepared::new(program);
    let single = SingleLoop::new(&source)?;
    let same: Vec<usize> = (0..source.targets.len()).collect();
    let mut reached = 0;
    for seed in 0..RUNS {
        let mut random = Random::new(seed + 1);
        let bound = [2, 5, 20, 1000][seed as usize % 4];
        let havocs = (0..5000).map(|_| u128::from(random.below(bound))).collect();
        let choices = Choices { havocs, ..Choices::default() };
        let (before, after) = (end(&source, &same, &choices), end(&single.program, &single.targets, &choices));
        // Further nodes take further steps.
        if before != "StepLimit" && after != "StepLimit" {
            assert_eq!(before, after, "seed {seed} of\n{text}");
        }
        reached += usize::from(before.starts_with("target"));
    }
    Ok(reached)
}

#[test]
fn generated_programs() {
    let (mut tried, mut reached) = (0, 0);
    for seed in (0..60).filter(|seed| seed % 5 != 4) {
        let known = generate(seed).expect("these need no tool");
        if let Ok(found) = check(&known.text) {
            tried += 1;
            reached += usize::from(found > 0);
        }
    }
    assert!(tried >= 20 && reached >= 3, "{tried} tried, {reached} with targets");
}

#[test]
fn loops_in_functions_in_loops() {
    let found = check(
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         int sum(int n) { int s = 0; for (int i = 0; i < n && i < 50; i++) s += __VERIFIER_nondet_int(); return s; }
         int both(int n) { return sum(n) + sum(n / 2); }
         int main(void) {
             int total = 0;
             while (__VERIFIER_nondet_int()) { total += both(__VERIFIER_nondet_int()); do total++; while (total % 7); }
             if (total % 3 == 1) reach_error();
             return 0;
         }",
    );
    assert!(found.expect("no recursion") > 0);
}

#[test]
fn loops_that_are_entered_in_the_middle() {
    let found = check(
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         int main(void) {
             int x = __VERIFIER_nondet_int(), y = 0;
             if (x == 1) goto inside;
             while (y < 100) { y += __VERIFIER_nondet_int(); if (y == 3) break; inside: y++; }
             if (y == 3) reach_error();
             return 0;
         }",
    );
    assert!(found.expect("no recursion") > 0);
}

/// What comes after the first loop is also reached without it.
#[test]
fn loops_that_are_passed_by() {
    let found = check(
        "int __VERIFIER_nondet_int(void); void reach_error(void);
         int main(void) {
             int x = __VERIFIER_nondet_int(), y = 0;
             if (x > 1) while (y < x && y < 30) y += __VERIFIER_nondet_int() > 0;
             y++;
             while (y < 40) { if (__VERIFIER_nondet_int() == 1) y++; y++; }
             if (y == 41) reach_error();
             return 0;
         }",
    );
    assert!(found.expect("no recursion") > 0);
}

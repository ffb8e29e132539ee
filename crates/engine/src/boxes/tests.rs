//! Programs over few floats whose arithmetic solvers take long for.

use super::*;
use crate::test_program::{memory, program};
use base::Budgets;
use smt_bitwuzla::BitwuzlaBackend;
use std::time::Duration;

/// What the analysis says of a `main` with this body.
fn answer(body: &str, options: &BoxesOptions, cancel: &Cancel) -> Verdict {
    let source = format!(
        "float __VERIFIER_nondet_float(void); double __VERIFIER_nondet_double(void); int __VERIFIER_nondet_int(void);
         void __VERIFIER_assume(int);
         float f(float x) {{ return x - (x*x*x)/6.0f + (x*x*x*x*x)/120.0f; }}
         float d(float x) {{ return 1 - (x*x)/2.0f + (x*x*x*x)/24.0f; }}
         int main() {{ {body} return 0; ERROR: return 1; }}"
    );
    let program = program(&source);
    let (mut goals, mut counters) = (Goals::any(&program), Counters::default());
    let subject = (&program, &memory(&program));
    verify(subject, &mut goals, &BitwuzlaBackend, options, &[], cancel, &mut counters)
}

#[test]
fn verdicts() {
    let x = "float x = __VERIFIER_nondet_float(); ";
    let rows = [
        // Polynomials, and an iteration of Newton's.
        (
            "__VERIFIER_assume(x >= 0 && x < 1); float y = 1 + 0.5f*x - 0.125f*x*x; if (!(y >= 1 && y < 1.376f)) goto ERROR;",
            "TRUE",
        ),
        (
            "__VERIFIER_assume(x >= 0 && x < 1); float y = 1 + 0.5f*x - 0.125f*x*x; if (!(y >= 1 && y < 1.3749f)) goto ERROR;",
            "FALSE",
        ),
        ("__VERIFIER_assume(x > -0.5f && x < 0.5f); x = x - f(x)/d(x); if (!(x < 0.1)) goto ERROR;", "TRUE"),
        ("__VERIFIER_assume(x > -0.5f && x < 0.5f); x = x - f(x)/d(x); if (!(x < 0.01)) goto ERROR;", "FALSE"),
        // NaN, infinities, zeros and their signs.
        ("if (x * x < 0) goto ERROR;", "TRUE"),
        ("if (!(x * x >= 0)) goto ERROR;", "FALSE"),
        ("if (x == x && x - x != 0) goto ERROR;", "FALSE"),
        ("__VERIFIER_assume(x >= -1 && x <= 1); if (x - x != 0) goto ERROR;", "TRUE"),
        ("__VERIFIER_assume(x == 0); if (1 / x < 0) goto ERROR;", "FALSE"),
        ("__VERIFIER_assume(x == 0); if (1 / (x * x) < 0) goto ERROR;", "TRUE"),
        ("__VERIFIER_assume(x >= 1 && x <= 2); if (1 / (x - 1) < 0) goto ERROR;", "TRUE"),
        // Integers, doubles, branches and loops.
        ("__VERIFIER_assume(x >= 0 && x < 100); int i = x * 2; if (i < 0 || i > 199) goto ERROR;", "TRUE"),
        ("__VERIFIER_assume(x >= 0 && x < 100); int i = x * 2; if (i == 199) goto ERROR;", "FALSE"),
        ("__VERIFIER_assume(x >= 1 && x < 9); while (x < 1000) x = x * 2; if (x >= 2000) goto ERROR;", "TRUE"),
        ("__VERIFIER_assume(x >= 1 && x < 9); while (x < 1000) x = x * 2; if (x >= 1999) goto ERROR;", "FALSE"),
        (
            "double y = x; __VERIFIER_assume(x >= -1 && x <= 1); if ((float) (y * y * y) != x * x * x) goto ERROR;",
            "FALSE",
        ),
        ("int i = __VERIFIER_nondet_int(); x = i; if (x > 2147483648.0f) goto ERROR;", "TRUE"),
        ("int i = __VERIFIER_nondet_int(); x = i; if (x >= 2147483648.0f) goto ERROR;", "FALSE"),
    ];
    // A moment for the solver that looks at proofs.
    let mut budgets = Budgets::default();
    budgets.change("box-samples", |allowance| allowance.most = Some(Duration::from_millis(20))).expect("a budget");
    let cancel = Cancel::never().with_budgets(budgets);
    for (body, expected) in rows {
        let options = BoxesOptions { boxes: 20_000, ..BoxesOptions::default() };
        let found = answer(&format!("{x}{body}"), &options, &cancel);
        assert_eq!(found.to_string(), expected, "{body}");
    }
}

#[test]
fn a_proof_says_what_was_checked() {
    let body = "float x = __VERIFIER_nondet_float(); if (x * x < 0) goto ERROR;";
    let Verdict::Safe(proof) = answer(body, &BoxesOptions::default(), &Cancel::never()) else { panic!("it is safe") };
    let texts = ["1 boxes of inputs", "for 768 inputs, at corners", "for 1 of 1 boxes drawn at random"];
    assert!(texts.iter().all(|text| proof.checked.contains(text)), "{}", proof.checked);
}

#[test]
fn what_is_too_much_is_left_open() {
    let body = "float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();
        __VERIFIER_assume(x > 1 && x < 2 && y > 1 && y < 2); if (x * y != y * x + 0 * x) goto ERROR;";
    let options = BoxesOptions { boxes: 100, ..BoxesOptions::default() };
    let found = answer(body, &options, &Cancel::never());
    let Verdict::Unknown(Stop::Bound(why)) = &found else { panic!("{found}") };
    assert_eq!(why, "100 boxes of inputs were not enough");
}

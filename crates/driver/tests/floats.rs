//! Floats: what boxes of inputs decide and what a solver decides, which must not contradict each other.

use base::Cancel;
use driver::{Options, Preset};
use std::time::Duration;

const HEAD: &str = "extern void reach_error(void); extern float input(void); extern const char *text(void);
    extern double nan(const char *);
    static float f(float x) { return x - (x*x*x)/6.0f + (x*x*x*x*x)/120.0f + (x*x*x*x*x*x*x)/5040.0f; }
    static float d(float x) { return 1 - (x*x)/2.0f + (x*x*x*x)/24.0f + (x*x*x*x*x*x)/720.0f; }";

fn check(presets: &[&str], body: &str, expected: &str) {
    let program = driver::load_text("test.c", &format!("{HEAD} int main(void) {{ {body} return 0; }}")).expect("C");
    for name in presets {
        let preset = Preset::named(name).expect("the preset exists");
        let cancel = Cancel::with_limits(Some(Duration::from_secs(20)), None);
        let outcome = driver::run(&program, &preset, &Options::default(), None, &cancel, &mut |_| {});
        assert_eq!(outcome.expect("no options").verdict.to_string(), expected, "{name}: {body}");
    }
}

#[test]
fn iterations() {
    let start = "float x = input(); if (!(x > -1 && x < 1)) return 0; x = x - f(x)/d(x); x = x - f(x)/d(x);";
    check(&["boxes"], &format!("{start} if (!(x < 0.1)) reach_error();"), "TRUE");
    check(&["boxes"], &format!("{start} if (!(x < 0.05)) reach_error();"), "FALSE");
}

#[test]
fn one_step_of_an_iteration() {
    let start = "float x = input(); if (!(x > -0.2f && x < 0.2f)) return 0;";
    check(&["boxes", "bmc"], &format!("{start} if (!(x * x < 0.041f)) reach_error();"), "TRUE");
    check(&["boxes", "bmc"], &format!("{start} if (!(x * x < 0.039f)) reach_error();"), "FALSE");
}

/// Which NaN it is depends on a text that is only known at run time, so no error rests on it.
#[test]
fn nan_of_a_text() {
    check(&["boxes", "bmc"], "double x = nan(text()); if (x == x) reach_error();", "TRUE");
    check(&["bmc"], "double x = nan(text()); if (x != x) reach_error();", "UNKNOWN");
    check(&["bmc"], "double x = nan(\"12\"); if (x != x) reach_error();", "FALSE");
}

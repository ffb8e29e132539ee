//! Programs without inputs have one execution, however long it is; it decides them where no choice is left in it.

use base::Cancel;
use driver::{Options, Preset};
use verdict::Verdict;

fn verdict(body: &str) -> Verdict {
    let head = "extern void reach_error(void); extern int input(void); extern void *malloc(unsigned long);";
    let program = driver::load_text("test.c", &format!("{head} int main(void) {{ {body} }}")).expect("a program");
    let preset = Preset::named("random").expect("the preset exists");
    driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {})
        .expect("no options")
        .verdict
}

fn check(body: &str, expected: &str) {
    assert_eq!(verdict(body).to_string(), expected, "{body}");
}

const LONG: &str = "unsigned x = 0; while (x < 10000000) { if (x < 1000) x++; else x += 3; }";

#[test]
fn one_execution_decides() {
    check(&format!("{LONG} if (x != 10000000) reach_error(); return 0;"), "TRUE");
    check("for (unsigned char c = 1; c != 0; c++) ; return 0;", "TRUE");
    check("int x = 1; if (x) return 0; reach_error();", "TRUE");
}

/// The steps of a very long one are not kept.
#[test]
fn a_long_execution_to_an_error() {
    let Verdict::Unsafe(found) = verdict(&format!("{LONG} {LONG_AGAIN} reach_error(); return 0;")) else {
        panic!("the error is reached");
    };
    assert!(found.path.is_empty() && found.choices.is_empty());
    let Verdict::Unsafe(found) = verdict(&format!("{LONG} reach_error(); return 0;")) else {
        panic!("the error is reached");
    };
    assert!(!found.path.is_empty());
}

const LONG_AGAIN: &str = "for (unsigned y = 0; y < 10000000; y++) ;";

/// Inputs, uninitialised variables and addresses are choices: one execution says nothing about the others.
#[test]
fn an_execution_with_choices_proves_nothing() {
    check("if (input() == 12345) reach_error(); return 0;", "UNKNOWN");
    check("int x; if (x == 12345) reach_error(); return 0;", "UNKNOWN");
    check("int a, b; if ((long)&a % 4096 == (long)&b % 64 + 8) reach_error(); return 0;", "UNKNOWN");
    check("if ((unsigned long)main % 4096 == 5) reach_error(); return 0;", "UNKNOWN");
    check("char *p = malloc(1); if (*p == 77) reach_error(); return 0;", "UNKNOWN");
    check("int x = 1, zero = 0; if (x / zero == 77) reach_error(); return 0;", "UNKNOWN");
}

//! An uninitialised pointer may lead to an object outside the program: errors that depend on it are found, and what
//! is put there and read again is not lost for proofs.

use base::Cancel;
use driver::{Options, Preset};
use verdict::Verdict;

const HEAD: &str = "extern void reach_error(void); extern int nondet(void); int g;
    struct s { struct s *next; int *to; void (*call)(void); int value; };";

/// What presets say about a body of `main`.
fn check(presets: &[&str], body: &str, expected: &str) {
    let source = format!("{HEAD}\nint main(void) {{ {body} return 0; }}");
    let program = driver::load_text("test.c", &source).expect("a correct program");
    for name in presets {
        let preset = Preset::named(name).expect("the preset exists");
        let outcome = driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
        let verdict = match outcome.expect("no options").verdict {
            Verdict::Safe(_) => "TRUE",
            Verdict::Unsafe(_) => "FALSE",
            Verdict::Unknown(_) => "UNKNOWN",
        };
        assert_eq!(verdict, expected, "{name}: {body}");
    }
}

#[test]
fn errors_behind_it_are_found() {
    check(&["hunt"], "struct s *p; if (p->next->value == 400) reach_error();", "FALSE");
    check(&["hunt"], "struct s *p; int hit = 0; if (p->call) { p->call(); hit = 1; } if (hit) reach_error();", "FALSE");
    let distinct =
        "struct s *p, *q; if (p && q && p != q) { p->value = 3; q->value = 4; if (p->value == 3) reach_error(); }";
    check(&["hunt", "expl-itp", "bmc", "k-induction", "pred"], distinct, "FALSE");
}

#[test]
fn what_is_put_there_is_read_again() {
    let body = "struct s *p; if (p) { p->to = &g; *p->to = 5; if (g == 5) reach_error(); }";
    check(&["hunt", "expl-itp", "bmc", "k-induction", "pred"], body, "FALSE");
    check(
        &["bmc", "k-induction", "pred"],
        "struct s *p; if (p) { p->value = 3; if (p->value != 3) reach_error(); }",
        "TRUE",
    );
}

#[test]
fn it_leads_to_no_variable_of_the_program() {
    let presets = ["expl-itp", "bmc", "k-induction", "pred"];
    check(&presets, "int *p, x = 1, *q = &x; *p = 7; if (g != 0 || *q != 1) reach_error();", "TRUE");
}

#[test]
fn a_pointer_that_is_always_set_is_as_ever() {
    let body = "int *p, x = 1; if (nondet()) p = &x; else p = &g; *p = 7; if (x == 7 && g == 7) reach_error();";
    check(&["expl-itp", "bmc", "k-induction", "pred"], body, "TRUE");
}

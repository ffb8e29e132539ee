//! Every engine on small programs: verdicts, what proofs carry, and what is not possible.

use super::*;
use crate::test_program::{memory, program};
use smt_bitwuzla::BitwuzlaBackend;
use std::time::Duration;
use verdict::Argument;

type Engine = fn(&mut Search) -> Result<Found, Stop>;

fn engines() -> [(&'static str, Engine); 5] {
    [
        ("dar", |search| dar::search(search, &dar::DarOptions::default())),
        ("ic3", |search| ic3::search(search, &ic3::Ic3Options::default())),
        ("imc", |search| imc::search(search, &imc::ImcOptions::default())),
        ("ismc", |search| ismc::search(search, &ismc::IsmcOptions::default())),
        ("pdr", |search| pdr::search(search, &pdr::PdrOptions::default())),
    ]
}

fn run(source: &str, engine: Engine) -> Verdict {
    let (program, mut counters) = (program(source), Counters::default());
    let cancel = Cancel::never().child(Some(Duration::from_secs(20)));
    let (subject, goals) = ((&program, &memory(&program)), &mut Goals::any(&program));
    verify(subject, goals, &BitwuzlaBackend, engine, &cancel, &mut counters).unwrap_or_else(Verdict::Unknown)
}

fn check(source: &str, expected: &str) {
    let mut lines = Vec::new();
    for (name, engine) in engines() {
        let verdict = run(source, engine);
        let how = match &verdict {
            Verdict::Safe(proof) if proof.argument == Argument::Inductive => " by induction",
            Verdict::Safe(_) | Verdict::Unsafe(_) => "",
            Verdict::Unknown(_) => " for a reason",
        };
        lines.push(format!("{name} {verdict}{how}"));
    }
    assert_eq!(lines.join(", "), expected, "{source}");
}

const ALL_BY_INDUCTION: &str = "dar TRUE by induction, ic3 TRUE by induction, imc TRUE by induction, \
                                ismc TRUE by induction, pdr TRUE by induction";
const ALL_TRUE: &str = "dar TRUE, ic3 TRUE, imc TRUE, ismc TRUE, pdr TRUE";
const ALL_FALSE: &str = "dar FALSE, ic3 FALSE, imc FALSE, ismc FALSE, pdr FALSE";
const NONE: &str = "dar UNKNOWN for a reason, ic3 UNKNOWN for a reason, imc UNKNOWN for a reason, \
                    ismc UNKNOWN for a reason, pdr UNKNOWN for a reason";

const INPUT: &str = "int __VERIFIER_nondet_int(void);";

#[test]
fn one_loop() {
    let even = format!(
        "{INPUT} int main() {{ unsigned x = 0; while (__VERIFIER_nondet_int()) x += 2; if (x % 2) {{ ERROR: return 1; }} \
         return 0; }}"
    );
    check(&even, ALL_BY_INDUCTION);
}

#[test]
fn loops_one_after_the_other() {
    let two = format!(
        "{INPUT} int main() {{ unsigned x = 0; while (__VERIFIER_nondet_int()) {{ x |= 4; while (__VERIFIER_nondet_int()) x |= 2; }}
         while (__VERIFIER_nondet_int()) x &= 6; if (x & 1) {{ ERROR: return 1; }} return 0; }}"
    );
    check(&two, ALL_BY_INDUCTION);
}

#[test]
fn a_loop_that_is_called_twice() {
    let twice = format!(
        "{INPUT} unsigned g; void up(void) {{ while (__VERIFIER_nondet_int()) g |= 2; }}
         int main() {{ up(); g &= 6; up(); if (g & 1) {{ ERROR: return 1; }} return 0; }}"
    );
    for (name, engine) in engines() {
        let verdict = run(&twice, engine);
        assert!(matches!(verdict, Verdict::Safe(_)), "{name}: {verdict:?}");
    }
}

#[test]
fn errors_after_some_steps() {
    let deep = format!(
        "{INPUT} int main() {{ int x = 0; while (__VERIFIER_nondet_int() == 5) {{ x++; if (x == 3) {{ ERROR: return 1; }} }}
         return 0; }}"
    );
    check(&deep, ALL_FALSE);
}

#[test]
fn errors_before_and_without_loops() {
    let early = format!(
        "{INPUT} int main() {{ if (__VERIFIER_nondet_int() == 9) {{ ERROR: return 1; }} while (__VERIFIER_nondet_int()); \
         return 0; }}"
    );
    check(&early, ALL_FALSE);
    check("int main() { return 0; ERROR: return 1; }", ALL_TRUE);
}

#[test]
fn recursion_is_not_possible() {
    let recursive = format!(
        "{INPUT} int f(int n) {{ return n > 0 ? f(n - 1) : 0; }}
         int main() {{ while (f(__VERIFIER_nondet_int())); return 0; ERROR: return 1; }}"
    );
    check(&recursive, NONE);
}

#[test]
fn a_set_that_is_not_inductive_is_not_a_proof() {
    let source =
        format!("{INPUT} int main() {{ int x = 0; while (x < 5) x++; if (x > 5) {{ ERROR: return 1; }} return 0; }}");
    let all = run(&source, |search| Ok(Found::Invariant(search.system.encoder.terms.truth())));
    assert!(matches!(all, Verdict::Unknown(Stop::Evidence(_))));
    let none = run(&source, |_| Ok(Found::Execution(Depth::Steps(2))));
    assert!(matches!(none, Verdict::Unknown(Stop::Evidence(_))));
}

//! Bounds, their growth, what happens at undefined behaviour, what proofs say, and what unrolling costs.

use super::*;
use crate::board::Board;
use crate::k_induction::KInductionOptions;
use crate::test_program::{induction, memory, program};
use expect_test::{Expect, expect};
use smt_bitwuzla::BitwuzlaBackend;

/// Counts to ten.
const TEN: &str = "int main() { int i = 0; while (i < 10) { i++; } if (i != 10) { ERROR: return 1; } return 0; }";

fn run(source: &str, options: &BmcOptions, cancel: &Cancel) -> (Verdict, u64) {
    let (program, mut counters) = (program(source), Counters::default());
    let verdict = verify(
        (&program, &memory(&program)),
        &mut Goals::any(&program),
        &BitwuzlaBackend,
        (options, &Board::default()),
        &[],
        cancel,
        &mut counters,
    );
    (verdict, counters.value("k"))
}

fn check(source: &str, options: &BmcOptions, expected: Expect) {
    let (verdict, k) = run(source, options, &Cancel::never());
    expected.assert_eq(&format!("{verdict} with k = {k}"));
}

/// An error after six iterations that depend on an input: the bound grows until the error is found.
const SIX: &str = "int __VERIFIER_nondet_int(void); int main() { int n = __VERIFIER_nondet_int(); int i = 0;
    while (i < n) { i++; if (i == 6) { ERROR: return 1; } } return 0; }";

#[test]
fn bounds_grow_by_one_or_double() {
    let with = |k_init, k_max, increment| BmcOptions { k_init, k_max, increment, complete: 0, ..BmcOptions::default() };
    check(SIX, &with(1, u32::MAX, Increment::One), expect!["FALSE with k = 6"]);
    check(SIX, &with(1, u32::MAX, Increment::Double), expect!["FALSE with k = 8"]);
    check(SIX, &with(5, u32::MAX, Increment::Half), expect!["FALSE with k = 7"]);
    check(SIX, &with(100, u32::MAX, Increment::One), expect!["FALSE with k = 100"]);
    check(SIX, &with(1, 5, Increment::One), expect!["UNKNOWN with k = 5"]);
}

/// An error after 300 iterations, which only some inputs lead to: formulas find the inputs, a run the error.
const FAR: &str = "int __VERIFIER_nondet_int(void); int main() {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int();
    if (a < 1000 || a != b * 7 + 3 || r != 0) return 0;
    while (1) { r++; if (r == 300) { ERROR: return 1; } } }";

#[test]
fn executions_that_leave_the_unrolled_part_are_run_on() {
    let with = |run_on| BmcOptions { k_max: 4, run_on, complete: 0, ..BmcOptions::default() };
    // Intervals of values find it alone: iterations that they decide do not count.
    check(FAR, &with(0), expect!["FALSE with k = 1"]);
    check(FAR, &with(10_000), expect!["FALSE with k = 1"]);
    let options = KInductionOptions { k_max: 1, run_on: 10_000, ..KInductionOptions::default() };
    assert!(matches!(induction(&program(FAR), &options, &Cancel::never()), Verdict::Unsafe(_)));
}

/// The first execution to the error reads through null, the second does not.
const NULL_FIRST: &str = "int __VERIFIER_nondet_int(void); int a; int main() { int *p = 0; int i = 0;
    while (__VERIFIER_nondet_int()) { i++; if (i == 3) p = &a; }
    if (*p == 0) { if (i < 10) { ERROR: return 1; } } return 0; }";

#[test]
fn executions_with_undefined_behaviour_are_passed_over() {
    let options = BmcOptions { increment: Increment::One, ..BmcOptions::default() };
    check(NULL_FIRST, &options, expect!["FALSE with k = 4"]);
    let program = program(NULL_FIRST);
    let (options, cancel) = (KInductionOptions::default(), Cancel::never());
    let verdict = induction(&program, &options, &cancel);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict}");
}

/// Where only executions with undefined behaviour reach the error, that is the answer, never TRUE.
#[test]
fn undefined_behaviour_is_no_proof() {
    let source = "int main() { int *p = 0; if (*p == 0) { ERROR: return 1; } return 0; }";
    let (verdict, _) = run(source, &BmcOptions::default(), &Cancel::never());
    assert!(matches!(verdict, Verdict::Unknown(Stop::UndefinedBehaviour { .. })), "{verdict}");
    let looping = "int __VERIFIER_nondet_int(void); int main() { int *p = 0; while (__VERIFIER_nondet_int()) { }
        if (*p == 0) { ERROR: return 1; } return 0; }";
    let (verdict, k) = run(looping, &BmcOptions { k_max: 4, ..BmcOptions::default() }, &Cancel::never());
    assert!(matches!(verdict, Verdict::Unknown(Stop::UndefinedBehaviour { .. })), "{verdict}");
    assert_eq!(k, 4);
}

#[test]
fn limits_end_the_search() {
    let cancel = Cancel::never();
    cancel.stop();
    let (verdict, _) = run(SIX, &BmcOptions::default(), &cancel);
    assert!(matches!(verdict, Verdict::Unknown(Stop::Limit(_))), "{verdict}");
}

/// How a proof by unrolling ends: what was checked about its invariants, one for every loop head, here `i <= BOUND`.
fn check_proof(source: &str, bound: u128, expected: Expect) {
    let program = program(source);
    let head = program.nodes.ids().find(|&node| program.nodes[node].loop_head).unwrap();
    let at_most: FactSource = Box::new(|program, _| {
        let (var, _) = program.vars.iter().find(|(_, var)| program.text(var.name) == "i").unwrap();
        let (mut exprs, ty) = (program.exprs.clone(), program.register(var).unwrap());
        let (i, bound) = (exprs.var(var, ty), exprs.bits(ty, bound));
        let fact = exprs.binary(cfa::BinOp::Le, i, bound);
        Ok(crate::facts::Facts { exprs, facts: vec![(head, fact)] })
    });
    let (options, cancel, mut counters) =
        (BmcOptions { complete: 0, ..BmcOptions::default() }, Cancel::never(), Counters::default());
    let memory = memory(&program);
    let verdict = verify(
        (&program, &memory),
        &mut Goals::any(&program),
        &BitwuzlaBackend,
        (&options, &Board::default()),
        &[at_most],
        &cancel,
        &mut counters,
    );
    let Verdict::Safe(proof) = verdict else { panic!("{verdict}") };
    assert_eq!(proof.invariants.iter().map(|(node, _)| *node).collect::<Vec<_>>(), [head]);
    expected.assert_eq(proof.checked.rsplit("; ").next().unwrap_or_default());
}

#[test]
fn proofs_state_invariants() {
    let alone = expect!["a fresh solver confirmed that they are inductive and exclude all targets by themselves."];
    check_proof(TEN, 10, alone);
    // The last iteration says that i is 10 after the loop.
    check_proof(TEN, 20, expect!["a fresh solver confirmed that with them the program is safe by 1-induction."]);
    let unrelated =
        TEN.replace("int i = 0;", "int i = 0; int j = 0;").replace("i++;", "i++; j++;").replace("i !=", "j !=");
    check_proof(&unrelated, 10, expect!["that no target is reached relies on the unrolled program alone."]);
}

/// Terms for an iteration do not depend on how many there are.
#[test]
fn unrolling_is_linear() {
    let list = "void *malloc(unsigned long); int __VERIFIER_nondet_int(void);
        struct node { struct node *next; int value; }; int main() { struct node *list = 0;
        while (__VERIFIER_nondet_int()) { struct node *n = malloc(16); n->next = list; n->value = 1; list = n; }
        if (list && list->value != 1) { ERROR: return 1; } return 0; }";
    for source in [SIX, list] {
        let program = program(source);
        let (loops, model) = (program.loops(), memory(&program));
        let cost = |bound: u32| {
            let mut encoder = Encoder::new(&program, model.clone(), Addressing::Events);
            let bounds = Bounds { iterations: bound, recursion: 0, constant_iterations: 0, edges: u64::MAX };
            let unrolled = unroll(&mut encoder, &loops, bounds, &Cancel::never()).unwrap();
            any(&mut encoder, unrolled.targets.iter().map(|(_, guard)| *guard));
            (encoder.terms.len() as u64, unrolled.steps)
        };
        let (few, many, most) = (cost(10), cost(100), cost(1000));
        assert_eq!((most.1 - many.1) / 900, (many.1 - few.1) / 90, "edges for an iteration");
        assert_eq!((most.0 - many.0) / 900, (many.0 - few.0) / 90, "terms for an iteration");
    }
}

/// The step case starts in any state of memory, of the heap and of the calls that lead there: what only holds in the
/// first iterations is not proved by it.
#[test]
fn the_step_case_starts_anywhere() {
    let globals = "int __VERIFIER_nondet_int(void); int n; int *p = &n; int main() {
        while (__VERIFIER_nondet_int()) { (*p)++; if (n == 5) { ERROR: return 1; } } return 0; }";
    let heap = "void *malloc(unsigned long); int __VERIFIER_nondet_int(void); int main() {
        int *p = malloc(4); *p = 0; while (__VERIFIER_nondet_int()) { int *q = malloc(4); *q = *p + 1; p = q;
        if (*p == 5) { ERROR: return 1; } } return 0; }";
    let calls = "int __VERIFIER_nondet_int(void); int n; void f(int bad) { while (__VERIFIER_nondet_int()) {
        if (bad) { ERROR: return; } } } int main() { f(0); f(0); f(0); f(0); f(1); return 0; }";
    let recursion = "int __VERIFIER_nondet_int(void); int f(int n) { while (__VERIFIER_nondet_int()) { }
        if (n == 5) { ERROR: return 1; } return f(n + 1); } int main() { return f(0); }";
    for source in [globals, heap, calls, recursion] {
        let (program, cancel) = (program(source), Cancel::never());
        let options = KInductionOptions { k_max: 3, ..KInductionOptions::default() };
        let verdict = induction(&program, &options, &cancel);
        assert!(!matches!(verdict, Verdict::Safe(_)), "{verdict}: {source}");
    }
}

/// Programs of which intervals show no end, but all executions of each case end: verdicts, and how many inputs lead to
/// the error.
#[test]
fn cases_are_looked_at_one_by_one() {
    // How long it takes to come to 1, for numbers that are small: 16 steps for 7, 8 for 6.
    let steps = "unsigned nondet(void); int steps(unsigned most) { unsigned n = nondet(); int count = 0;
        if (n > most) return 0; while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; count++; } return count; }";
    let ends = |main: &str, expected: &str| {
        let source = format!("{steps} int main() {{ {main} {{ ERROR: return 1; }} return 0; }}");
        let options = BmcOptions { k_max: 0, ..BmcOptions::default() };
        let (verdict, _) = run(&source, &options, &Cancel::never());
        assert_eq!(verdict.to_string(), expected, "{main}");
    };
    ends("if (steps(7) > 16)", "TRUE");
    ends("if (steps(7) > 15)", "FALSE");
    // One edge that reads two inputs, each with its own range.
    ends("int first = steps(7), second = steps(7); if (first + second == 24 && first < second)", "FALSE");
    ends("int first = steps(3), second = steps(3); if (first + second == 9)", "TRUE");
    // An input that is read only in some cases.
    ends("int first = steps(7); if (first == 8) first += steps(7); if (first == 24)", "FALSE");
    ends("int first = steps(7); if (first == 8) first += steps(7); if (first == 25)", "TRUE");
}

/// A checksum by a table and bit by bit; the last one differs for one byte only.
#[test]
fn checksums_are_sums_of_bits() {
    let check = |bitwise: &str, expected: &str| {
        let source = format!(
            "unsigned char nondet(void); unsigned table[256]; int main() {{
            for (unsigned byte = 0; byte < 256; byte++) {{ unsigned sum = byte;
                for (int i = 0; i < 8; i++) sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1; table[byte] = sum; }}
            unsigned char data[3]; unsigned a = ~0u, b = ~0u;
            for (int i = 0; i < 3; i++) data[i] = nondet();
            for (int i = 0; i < 3; i++) a = table[(a ^ data[i]) & 0xff] ^ a >> 8;
            for (int i = 0; i < 3; i++) {{ b ^= data[i]; for (int k = 0; k < 8; k++) {bitwise} }}
            if (a != b) {{ ERROR: return 1; }} return 0; }}"
        );
        let options = BmcOptions { k_max: 0, ..BmcOptions::default() };
        let (verdict, _) = run(&source, &options, &Cancel::never());
        assert_eq!(verdict.to_string(), expected, "{bitwise}");
    };
    check("b = b >> 1 ^ (0xedb88320u & -(b & 1));", "TRUE");
    check("b = b & 1 ? b >> 1 ^ 0xedb88320u : b >> 1;", "TRUE");
    check("b = b >> 1 ^ (0xedb88320u & -(b & 1)) ^ (data[2] == 77);", "FALSE");
}

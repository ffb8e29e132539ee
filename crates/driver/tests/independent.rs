//! The check by the second encoder: it confirms what holds, and does not let pass what does not.

use base::{Cancel, Counters};
use cfa::{BinOp, Node, Scalar};
use driver::{Effort, Options, Preset};
use expect_test::{Expect, expect};
use flow::Prepared;
use std::time::Duration;
use verdict::{Argument, HeadStates, Independent, Proof, Verdict};

fn lower(source: &str) -> Prepared {
    let head = "extern void reach_error(void); extern int nondet(void); extern unsigned size(void);
        extern void *memset(void *, int, unsigned long), *memcpy(void *, const void *, unsigned long);
        extern void *malloc(unsigned long); extern void free(void *);
        void check(int c) { if (!c) reach_error(); }";
    let text = format!("{}\n{source}", head.replace('\n', " "));
    driver::load_text("test.c", &text).expect("a correct program")
}

/// What the check says, with all the time that it wants.
fn told(program: &Prepared, mut verdict: Verdict, effort: Effort) -> String {
    let (cancel, took) = (Cancel::never(), Duration::from_secs(60));
    driver::check_independently(program, &mut verdict, (effort, took), &cancel, &mut Counters::default());
    match verdict {
        Verdict::Safe(proof) => match proof.independent {
            Independent::Confirmed { how, .. } => format!("TRUE, by {how}"),
            Independent::Not(why) => format!("TRUE, but {why}"),
            Independent::NotAsked => "TRUE, not asked".into(),
        },
        Verdict::Unsafe(_) => "FALSE".into(),
        Verdict::Unknown(stop) => format!("UNKNOWN ({})", stop.describe(&program.sources)),
    }
}

fn check(preset: &str, source: &str, expected: Expect) {
    let program = lower(source);
    let preset = Preset::named(preset).expect("the preset exists");
    let outcome = driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
    expected.assert_eq(&told(&program, outcome.expect("no options").verdict, Effort::Share));
}

/// A made-up claim: at the only loop head the first global is less or equal to a number.
fn claim(argument: Argument, most: i128, effort: Effort, expected: Expect) {
    let program = lower("unsigned x; int main(void) { while (nondet()) {\nx = x + 1;\n} check(x <= 1000); return 0; }");
    let head = program.nodes.iter().find(|(_, node)| node.loop_head).map(|(head, _): (Node, _)| head).expect("a loop");
    let x = program.vars.iter().find(|(_, var)| program.text(var.name) == "x").map(|(x, _)| x).expect("x");
    let mut exprs = program.exprs.clone();
    let ty = Scalar::int(32, false);
    let (x, most) = (exprs.var(x, ty), exprs.int(ty, most));
    let invariant = exprs.binary(BinOp::Le, x, most);
    let proof = Proof { exprs, invariants: vec![(head, invariant)], argument, ..Proof::default() };
    expected.assert_eq(&told(&program, Verdict::Safe(proof), effort));
}

#[test]
fn invariants_are_confirmed() {
    let source = "int main(void) { int x = 0; while (nondet()) if (x < 10) x++; check(x <= 10); return 0; }";
    check("intervals", source, expect!["TRUE, by its own argument"]);
    check("pred", source, expect!["TRUE, by its own argument"]);
    check("k-induction", source, expect!["TRUE, by its own argument"]);
}

#[test]
fn unrolled_programs_are_confirmed() {
    let source = "int a[6]; int main(void) { for (int i = 0; i < 6; i++) a[i] = i * i; check(a[5] == 25); return 0; }";
    check("expl-itp", source, expect!["TRUE, by its own argument"]);
    let source =
        "int a[6]; int main(void) { for (int i = 0; i < 6; i++) a[i] = i * nondet(); check(a[0] == 0); return 0; }";
    check("bmc", source, expect!["TRUE, by its own argument"]);
    let source = "int f(int n) { return n < 2 ? 1 : n * f(n - 1); } int main(void) { check(f(5) == 120); return 0; }";
    check("expl-itp", source, expect!["TRUE, by complete unrolling"]);
}

/// Claims without any evidence that a program is safe, and says whether the second encoder believes it.
fn believe(main: &str, expected: Expect) {
    let program = lower(&format!(
        "static void put(void *d, const void *s, unsigned n) {{ memcpy(d, s, n); }}\nint main(void) {{ {main} return 0; }}"
    ));
    let proof = Proof { exprs: program.exprs.clone(), ..Proof::default() };
    expected.assert_eq(&told(&program, Verdict::Safe(proof), Effort::Share));
}

#[test]
fn what_holds_of_memory_is_believed() {
    for main in [
        "int *p = malloc(8); *p = 3; int *q = malloc(4); *q = 4; check(*p + *q == 7); free(p);",
        "unsigned char b[4] = { 1, 2, 3, 4 }; unsigned n = size(); if (n > 2) return 0; memset(b, 0, n); check(b[2] == 3);",
        "int t[3] = { 1, 7, 9 }; unsigned n = size(); if (n > 4) return 0; memset(t, 0, n); check(t[1] == 7);",
        "char b[4] = { 1, 1, 1, 1 }; int x = 0; put(&x, b, 4); check(x == 0x01010101);",
        "unsigned n = 2; int x = -1; memset(&x, 0, n); check(x == -65536);",
        "int b[2] = { 1, 2 }; long a = 0; unsigned long n = 2; memcpy(&a, b, n * sizeof(int)); check(a == 0x200000001);",
        "double d = 0.5; check((int)(d * 4) == 2); float f = 16777216; check(f + 1 == f);",
        "union { float f; unsigned u; } v; v.u = 0x7fc01234; check(v.u == 0x7fc01234);",
        "int a[2] = { 1, 2 }, i = nondet(); int *p = nondet() ? a : &i; *p = 5; check(a[0] == 5 || i == 5);",
        "char a[8] = { 0 }; unsigned i = size(); a[(unsigned char)(i * 1024 + 260)] = 1; check(a[3] == 0);",
    ] {
        believe(main, expect!["TRUE, by its own argument"]);
    }
}

/// Among them programs that the first encoder proved safe once.
#[test]
fn what_does_not_hold_of_memory_is_not_believed() {
    for main in [
        "int t[3] = { 1, 7, 9 }; unsigned n = size(); if (n > 12) return 0; memset(t, 0, n); check(t[1]);",
        "char b[4] = { 1, 1, 1, 1 }; int x = 0; put(&x, b, 4); check(x == 0);",
        "unsigned n = 2; int x = -1; memset(&x, 0, n); check(x == -1);",
        "int b[2] = { 1, 2 }; long a = 0; unsigned long n = 2; memcpy(&a, b, n * sizeof(int)); check(a == 0);",
        "char a[8] = { 0 }; unsigned i = size(); a[(unsigned char)(i * 1024 + 260)] = 1; check(a[4] == 0);",
        "int *p = malloc(4); *p = 1; free(p); int *q = malloc(4); check(p != q);",
        "int x = nondet(), y = nondet(); check(y == 0 || x / y * y <= x);",
    ] {
        believe(main, expect!["UNKNOWN (evidence rejected: the independent check refutes the proof at test.c:1:290)"]);
    }
    // What fails only where an access is outside its object contradicts an assumption that is listed, not the proof.
    believe(
        "int a[2] = { 1, 2 }; int i = nondet(); check(a[i] < 3);",
        expect![
            "TRUE, but not shown: from the start the invariants hold at the first loop heads, and no target is reached \
             (fails at test.c:1:290)"
        ],
    );
}

#[test]
fn claims_that_do_not_hold_are_no_proofs() {
    claim(
        Argument::Inductive,
        10,
        Effort::Share,
        expect!["UNKNOWN (evidence rejected: the independent check refutes the proof at test.c:2:37)"],
    );
    claim(
        Argument::Induction(1),
        10,
        Effort::Share,
        expect!["TRUE, but not shown: from the loop at test.c:2:37 the invariants hold next (fails at test.c:2:37)"],
    );
    claim(
        Argument::Described,
        10,
        Effort::Share,
        expect![
            "TRUE, but not shown: from the loop at test.c:2:37 the invariants hold next, and no target is reached (fails at test.c:2:37)"
        ],
    );
    claim(
        Argument::Described,
        10,
        Effort::Required,
        expect![
            "UNKNOWN (the proof is not confirmed independently: not shown: from the loop at test.c:2:37 the invariants hold next, and no target is reached (fails at test.c:2:37))"
        ],
    );
}

/// The same function with a loop is called with two numbers, and what the callers know matters after it.
#[test]
fn states_are_confirmed_with_the_calls_that_lead_there() {
    let twice = "int f(int n) { int s = 0; while (nondet()) s = n; return s; }
        int main(void) { int a = 3, x = f(1), y = f(2); check(x <= 1 && y != 1 && a == 3); return 0; }";
    check("expl-itp", twice, expect!["TRUE, by its own argument"]);
    let states = "int main(void) { int s = 1; while (nondet()) { if (s == 1) s = 4; else if (s == 4) s = 9; else s = 1;
        check(s != 2); } return 0; }";
    check("expl-itp", states, expect!["TRUE, by its own argument"]);
    check("bdd", states, expect!["TRUE, by its own argument"]);
    let pointers =
        "int a, b; int main(void) { int *p = &a; while (nondet()) { *p = 1; p = &a; } check(b == 0); return 0; }";
    check("expl-itp", pointers, expect!["TRUE, by its own argument"]);
}

/// Recursion and loops that no target depends on are left out.
#[test]
fn calls_that_do_not_matter_are_left_out() {
    let recursive = "int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); } int lock;
        int main(void) { while (nondet()) { check(lock == 0); lock = 1; f(nondet()); check(lock == 1); lock = 0; }
        return 0; }";
    check("expl-itp", recursive, expect!["TRUE, by its own argument"]);
    let nothing = "int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); } int main(void) { return f(nondet()); }";
    check("auto", nothing, expect!["TRUE, by its own argument"]);
}

/// The claim is that the global `x` is 0 at the loop head of `main`, and that other functions do not matter.
fn claim_unseen(functions: &str) -> String {
    let program =
        lower(&format!("{functions}\nint main(void) {{ while (nondet()) {{\nf();\n}} check(x == 0); return 0; }}"));
    let main = program.functions.ids().find(|&id| program.function_name(id) == "main").expect("main");
    let is_head = |node: &cfa::NodeInfo| node.loop_head && node.function == main;
    let head = program.nodes.iter().find(|(_, node)| is_head(node)).map(|(head, _)| head).expect("a loop");
    let calls_main = |op: &cfa::Op| matches!(op, cfa::Op::Call { function, .. } if *function == main);
    let call = program.edges.iter().find(|(_, edge)| calls_main(&edge.op)).map(|(id, _)| id).expect("a call of main");
    let var = program.vars.iter().find(|(_, var)| program.text(var.name) == "x").map(|(x, _)| x).expect("x");
    let (mut exprs, ty) = (program.exprs.clone(), Scalar::int(32, false));
    let x = match program.register(var) {
        Some(_) => exprs.var(var, ty),
        None => {
            let address = exprs.addr(var);
            exprs.load(address, ty)
        }
    };
    let zero = exprs.int(ty, 0);
    let any_of = vec![exprs.binary(BinOp::Eq, x, zero)];
    let states = vec![HeadStates { calls: vec![call], node: Some(head), any_of }];
    let proof = Proof { exprs, states, entered: vec![program.entry, main], ..Proof::default() };
    told(&program, Verdict::Safe(proof), Effort::Share)
}

#[test]
fn what_is_left_out_may_change_all_that_it_could() {
    for functions in [
        "unsigned x; int f(void) { while (nondet()); return 1; }",
        "unsigned x, y; void g(void) { if (nondet()) g(); y = 1; } void f(void) { g(); }",
    ] {
        assert_eq!(claim_unseen(functions), "TRUE, by its own argument", "{functions}");
    }
    for functions in [
        "unsigned x; void f(void) { while (nondet()) x = 1; }",
        "unsigned x; void g(void) { if (nondet()) g(); x = 1; } void f(void) { g(); }",
        "unsigned x; unsigned *p = &x; void f(void) { while (nondet()) *p = 1; }",
        "unsigned x; unsigned *p = &x; void f(void) { while (nondet()) memset(p, 1, 4); }",
        "unsigned x; unsigned y; void f(void) { while (nondet()) check(y++ == 0); }",
    ] {
        let told = claim_unseen(functions);
        assert!(told.starts_with("TRUE, but ") || told.starts_with("UNKNOWN"), "{functions}: {told}");
    }
}

/// The check compares each state with all others: where there is too much to compare, none are written down.
#[test]
fn states_are_written_down_up_to_a_size() {
    let states = |elements: u32| {
        let program = lower(&format!(
            "int main(void) {{ int a[{elements}]; for (int i = 0; i < {elements}; i++) a[i] = i;
            for (int i = 0; i < {elements}; i++) if (a[i] != i) reach_error(); return 0; }}"
        ));
        let preset = Preset::named("expl-itp").expect("the preset exists");
        let outcome = driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
        let Verdict::Safe(proof) = outcome.expect("no options").verdict else { panic!("no error is reached") };
        proof.states.iter().map(|states| states.any_of.len()).sum::<usize>()
    };
    assert!(states(10) > 10);
    assert_eq!(states(500), 0);
}

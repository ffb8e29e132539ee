//! Which calls become assumptions, and which stay calls.

use cfa::Op;
use expect_test::{Expect, expect};

/// The calls and assumptions of `main`.
fn check(functions: &str, body: &str, expected: Expect) {
    let source = format!(
        "extern void abort(void); extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int g; \
         {functions} int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}"
    );
    let program = driver::load_text("test.c", &source).expect("a program");
    let in_main = |node| program.text(program.functions[program.nodes[node].function].name) == "main";
    let steps = program.edges.iter().filter(|(_, edge)| in_main(edge.from)).filter_map(|(_, edge)| match &edge.op {
        Op::Assume(condition) => Some(format!("[{}]", program.expr_text(*condition))),
        Op::Call { function, .. } => Some(format!("{}()", program.text(program.functions[*function].name))),
        _ => None,
    });
    expected.assert_eq(&steps.collect::<Vec<_>>().join(" "));
}

#[test]
fn filters_become_assumptions() {
    check("void assume(int c) { if (!c) abort(); }", "assume(x == 3);", expect!["[x == 3]"]);
    check(
        "void stop(void) { STOP: goto STOP; } void assume(int c) { if (c == 0) stop(); else ; return; }",
        "assume(x); assume(x > 1 && g);",
        expect!["[x != 0] [x > 1 && g != 0]"],
    );
    check("void nothing(int c) { }", "nothing(x);", expect![""]);
    check(
        "void assume(int c) { if (!c) { g = 5; while (1) g++; } } void within(int v, int n) { assume(v >= 0); assume(v < n); }",
        "within(x, 9);",
        expect!["[x >= 0 && x < 9]"],
    );
}

/// Whatever returns a value, changes something, or may meet an error where it does not return.
#[test]
fn others_stay_calls() {
    check("void f(int c) { if (!c) reach_error(); }", "f(x);", expect!["f()"]);
    check("void f(int c) { g = c; if (!c) abort(); }", "f(x);", expect!["f()"]);
    check("int f(int c) { if (!c) abort(); return c; }", "x = f(x);", expect!["f()"]);
    check("void f(int c) { if (!c) { if (g) reach_error(); abort(); } }", "f(x);", expect!["f()"]);
    check("void f(int c) { if (g < c) abort(); }", "f(x);", expect!["f()"]);
    check("void f(int c) { while (c) c--; }", "f(x);", expect!["f()"]);
    check("void f(int c) { if (c) f(c - 1); else abort(); }", "f(x);", expect!["f()"]);
}

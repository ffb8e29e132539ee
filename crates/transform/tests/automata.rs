//! Passes on automata in the notation: before and after.

use cfa::Program;
use expect_test::{Expect, expect};

/// What a pass makes of the lines of the first function, in a program with these further functions.
fn check(text: &str, pass: impl FnOnce(&mut Program), expected: Expect) {
    let mut program = cfa::notation::read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    pass(&mut program);
    let violations = program.violations();
    assert!(violations.is_empty(), "{violations:?}");
    let written = cfa::notation::write(&program);
    let again = cfa::notation::read(&written).unwrap_or_else(|wrong| panic!("{wrong}\n{written}"));
    assert_eq!(cfa::notation::write(&again), written);
    expected.assert_eq(&program.function_text(program.entry));
}

#[test]
fn what_nobody_reaches_is_removed() {
    check(
        "start fn s() { x: int; n0: entry; n0 -> n1: [true]; n0 -> n2: [false]; n1 -> n3: skip; n3 -> n4: x := 1;
         n2 -> n4: x := 2; n4 -> n5: return; n5: exit; }",
        transform::remove_dead,
        expect![[""]],
    );
}

#[test]
fn filters_are_assumptions() {
    check(
        "start fn s() { x: int; n0: entry; n0 -> n1: call assume(x); n1 -> n2: return; n2: exit; }
         fn assume(c: int) { n3: entry; n3 -> n4: [c == 0]; n3 -> n5: [c != 0]; n4 -> n6: halt; n5 -> n6: return;
         n6: exit; }",
        transform::inline_filters,
        expect![[""]],
    );
}

#[test]
fn pointer_calls_are_chains() {
    check(
        "start fn s() { p: *fn() -> void; x: int; n0: entry; n0 -> n1: [x == 0]; n0 -> n2: [x != 0]; n1 -> n3: p := &fn f;
         n2 -> n3: p := &fn g; n3 -> n4: call through p as fn() -> void (); n4 -> n5: return; n5: exit; }
         fn f() { n6: entry; n6 -> n7: return; n7: exit; }
         fn g() { n8: entry; n8 -> n9: return; n9: exit; }",
        |program| {
            let points_to = flow::PointsTo::new(program);
            transform::resolve_pointer_calls(program, &points_to, cfa::Outside::Pure);
        },
        expect![[""]],
    );
}

//! Passes on automata in the notation: before and after.

use cfa::{Op, Program};

/// The program after a pass, which verifies and can be written and read again.
fn after(text: &str, pass: impl FnOnce(&mut Program)) -> Program {
    let mut program = cfa::notation::read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    pass(&mut program);
    let violations = program.violations();
    assert!(violations.is_empty(), "{violations:?}");
    let written = cfa::notation::write(&program);
    let again = cfa::notation::read(&written).unwrap_or_else(|wrong| panic!("{wrong}\n{written}"));
    assert_eq!(cfa::notation::write(&again), written);
    program
}

/// The edges of the function where the program starts.
fn check(program: &Program, expected: &[&str]) {
    let own = |edge: &cfa::EdgeId| program.nodes[program.edges[*edge].from].function == program.entry;
    let edges: Vec<String> = program.edges.ids().filter(own).map(|edge| program.edge_text(edge)).collect();
    assert_eq!(edges, expected);
}

#[test]
fn what_nobody_reaches_is_removed() {
    let program = after(
        "start fn s() { x: int; n0: entry; n0 -> n1: [true]; n0 -> n2: [false]; n1 -> n3: skip; n3 -> n4: x := 1;
         n2 -> n4: x := 2; n4 -> n5: return; n5: exit; }",
        transform::remove_dead,
    );
    check(&program, &["n0 -> n1: skip;", "n1 -> n2: x := 1;", "n2 -> n3: return;"]);
}

#[test]
fn filters_are_assumptions() {
    let program = after(
        "start fn s() { x: int; n0: entry; n0 -> n1: call assume(x); n1 -> n2: return; n2: exit; }
         fn assume(c: int) { n3: entry; n3 -> n4: [c == 0]; n3 -> n5: [c != 0]; n4 -> n7: halt; n5 -> n6: return;
         n6: exit; }",
        transform::inline_filters,
    );
    check(&program, &["n0 -> n1: [x != 0]", "n1 -> n2: return;"]);
}

#[test]
fn pointer_calls_become_calls_of_what_they_lead_to() {
    let program = after(
        "start fn s() { p: *fn() -> void; x: int; n0: entry; n0 -> n1: [x == 0]; n0 -> n2: [x != 0]; n1 -> n3: p := &fn f;
         n2 -> n3: p := &fn g; n3 -> n4: call through p as fn() -> void (); n4 -> n5: return; n5: exit; }
         fn f() { n6: entry; n6 -> n7: return; n7: exit; }
         fn g() { n8: entry; n8 -> n9: return; n9: exit; }
         fn h() { n10: entry; n10 -> n11: return; n11: exit; }",
        |program| {
            let points_to = flow::PointsTo::new(program);
            transform::resolve_pointer_calls(program, &points_to, cfa::Outside::Pure);
        },
    );
    let mut called = Vec::new();
    for (_, edge) in program.edges.iter() {
        assert!(!matches!(edge.op, Op::CallPointer { .. }), "a call through a pointer is left");
        if let Op::Call { function, .. } = edge.op {
            called.push(program.function_name(function));
        }
    }
    assert_eq!(called, ["f", "g"]);
}

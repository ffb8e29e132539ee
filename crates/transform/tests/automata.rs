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

/// The edges of the program with a single loop, and what its places stand for.
fn single_loop(text: &str) -> Result<(Vec<String>, Vec<u32>), String> {
    let mut program = cfa::notation::read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    flow::find_loops(&mut program);
    let single = transform::SingleLoop::new(&flow::Prepared::new(program))?;
    let program = &single.program;
    assert!(program.violations().is_empty());
    let own = |edge: &cfa::EdgeId| program.nodes[program.edges[*edge].from].function == program.entry;
    let edges = program.edges.ids().filter(own).map(|edge| program.edge_text(edge)).collect();
    Ok((edges, single.places.iter().map(|node| node.0).collect()))
}

#[test]
fn a_program_with_one_loop_is_taken_as_it_is() {
    let (edges, places) = single_loop(
        "start fn s() { n0: entry; n0 -> n1: call main(); n1 -> n2: return; n2: exit; }
         fn main() { x: int; n3: entry; n3 -> n4: x := 0; n4 -> n5: [x < 9]; n4 -> n6: [9 <= x]; n5 -> n4: x := x + 1;
         n6 -> n7: return; n7: exit; }",
    )
    .expect("one loop");
    assert_eq!(edges, ["n0 -> n1: main();", "n1 -> n2: return;"]);
    assert_eq!(places, [4]);
}

#[test]
fn several_loops_become_one_with_a_counter() {
    let (edges, places) = single_loop(
        "start fn s() { x: int; n0: entry; n0 -> n1: x := 0; n1 -> n2: [x < 9]; n1 -> n3: [9 <= x];
         n2 -> n1: x := x + 1; n3 -> n4: [x < 20]; n3 -> n5: [20 <= x]; n4 -> n3: x := x + 2; n5 -> n6: return; n6: exit; }",
    )
    .expect("two loops");
    assert_eq!(places, [1, 3]);
    let has = |text: &str| assert!(edges.iter().any(|edge| edge.ends_with(text)), "{text} in {edges:#?}");
    has("$pc := 0;");
    has("$pc := 1;");
    has("[$pc == 0]");
    // Two edges lead to each loop, and each sets the counter.
    assert_eq!(edges.iter().filter(|edge| edge.contains("$pc := ")).count(), 4);
}

#[test]
fn functions_with_loops_are_inlined_at_every_call_and_others_stay() {
    let text = "start fn s() { x: int; n0: entry; n0 -> n1: x := call count(3); n1 -> n2: x := call count(x);
         n2 -> n3: x := call twice(x); n3 -> n4: return; n4: exit; }
         fn count(n: int) -> r: int { i: int; n5: entry; n5 -> n6: i := 0; n6 -> n7: [i < n]; n6 -> n8: [n <= i];
         n7 -> n6: i := i + 1; n8 -> n9: return i; n9: exit; }
         fn twice(n: int) -> r: int { n10: entry; n10 -> n11: return 2 * n; n11: exit; }";
    let (edges, places) = single_loop(text).expect("a loop, twice");
    assert_eq!(places, [6, 6]);
    let calls: Vec<&String> = edges.iter().filter(|edge| edge.contains("twice(")).collect();
    assert_eq!(calls.len(), 1, "{edges:#?}");
    assert!(!edges.iter().any(|edge| edge.contains("count(")), "{edges:#?}");
    assert_eq!(edges.iter().filter(|edge| edge.ends_with("n := 3;") || edge.ends_with("n := x;")).count(), 2);
}

#[test]
fn recursion_and_programs_without_loops_are_not_for_it() {
    let recursive = "start fn s() { n0: entry; n0 -> n1: call f(1); n1 -> n2: return; n2: exit; }
         fn f(x: int) { n3: entry; n3 -> n4: call f(x); n4 -> n5: return; n5: exit; }";
    assert_eq!(single_loop(recursive).expect_err("it recurses"), "`f` is recursive");
    let straight = "start fn s() { n0: entry; n0 -> n1: return; n1: exit; }";
    assert_eq!(single_loop(straight).expect_err("no loops"), "there are no loops");
}

/// `*p++` goes through a copy; where memory is checked, the pointer itself walks, and the copy is where it was before.
#[test]
fn copies_of_stepping_pointers_are_said_by_the_pointers() {
    let checks = cfa::Checks::of(&[cfa::Check::Deref]);
    let program = after(
        "start fn s() { n9: entry; n9 -> n10: call f(0); n10 -> n11: return; n11: exit; }
         fn f(p: *char) { t: *char; c: char; n0: entry; n0 -> n1: skip; n1 -> n2: t := p; n2 -> n3: p := t + 1:i64;
         n3 -> n4: c := i8[t]; n4 -> n1: [c != 0]; n4 -> n5: [c == 0]; n5 -> n6: return; n6: exit; }",
        |program| transform::check_memory(program, checks),
    );
    let edges: Vec<String> = program.edges.ids().map(|edge| program.edge_text(edge)).collect();
    for part in ["p := &p[1];", "c := p[-1];", "room(&p$start[p$offset + -1])"] {
        assert!(edges.iter().any(|edge| edge.contains(part)), "{part}:\n{}", edges.join("\n"));
    }
}

/// Two accesses in a loop that a function begins with: that the second one was right says nothing about the first one of
/// the next call.
#[test]
fn what_was_checked_in_a_loop_is_checked_where_its_function_begins() {
    let checks = cfa::Checks::of(&[cfa::Check::Deref]);
    let program = after(
        "start fn s() { n9: entry; n9 -> n10: call f(0); n10 -> n11: return; n11: exit; }
         fn f(p: *char) { c: char; n0: entry; n0 -> n1: i8[p] := 1; n1 -> n2: p := malloc(1); n2 -> n3: c := input i;
         n3 -> n4: [c != 0]; n3 -> n4: [c == 0]; n4 -> n0: i8[p] := 2; n5: exit; }",
        |program| transform::check_memory(program, checks),
    );
    assert_eq!(program.targets.len(), 2);
}

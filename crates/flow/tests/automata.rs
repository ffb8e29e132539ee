//! Analyses of automata in the notation.

use cfa::{EdgeId, FunctionId, Program};
use flow::{CallGraph, Liveness, Loops, PointsTo, Reachable, Uses};

fn read(text: &str) -> Program {
    cfa::notation::read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

/// Who dies along each edge, and who is live at the entry of the first function.
fn check_liveness(text: &str, dying: &[&str], at_entry: &str) {
    let program = read(text);
    let liveness = Liveness::new(&program);
    let names = |vars: &[cfa::VarId]| vars.iter().map(|&var| program.var_name(var)).collect::<Vec<_>>().join(" ");
    let found: Vec<String> = program.edges.ids().map(|edge: EdgeId| names(liveness.deaths(edge))).collect();
    assert_eq!(found, dying);
    assert_eq!(names(liveness.at_entry(FunctionId(0))), at_entry);
}

#[test]
fn registers_die_behind_their_last_read() {
    check_liveness(
        "start fn s() { x: int; y: int; n0: entry; n0 -> n1: y := x + 1; n1 -> n2: x := 2; n2 -> n3: [x < y];
         n2 -> n4: [y <= x]; n3 -> n2: y := y - 1; n4 -> n5: return; n5: exit; }",
        &["x", "", "", "x y", "", ""],
        "x",
    );
    // The result lives until the exit, but where nothing is returned it may be read before it is written.
    check_liveness(
        "start fn s() -> r: int { x: int; n0: entry; n0 -> n1: x := 1; n1 -> n2: [x == 0]; n1 -> n3: [x != 0];
         n2 -> n4: return x; n3 -> n4: return; n4: exit; }",
        &["", "r", "x", "x", ""],
        "r",
    );
}

#[test]
fn calls_that_never_return_end_the_way() {
    let program = read(
        "start fn s() { n0: entry; n0 -> n1: call f(); n1 -> n2: call g(); n2 -> n3: return; n3: exit; }
         fn f() { n4: entry; n4 -> n5: return; n5: exit; }
         fn g() { n6: entry; n6 -> n7: halt; n7 -> n8: return; n8: exit; }
         fn h() { n9: entry; n9 -> n10: call h(); n10 -> n11: return; n11: exit; }",
    );
    let reachable = Reachable::new(&program);
    let reached: Vec<u32> = program.nodes.ids().filter(|&node| reachable.contains(node)).map(|node| node.0).collect();
    assert_eq!(reached, [0, 1, 4, 5, 6]);
    let calls = CallGraph::new(&program);
    let all = |holds: fn(&CallGraph, FunctionId) -> bool| {
        program.functions.ids().map(|id| holds(&calls, id)).collect::<Vec<bool>>()
    };
    assert_eq!(all(CallGraph::is_recursive), [false, false, false, true]);
    assert_eq!(all(CallGraph::is_reachable), [true, true, true, false]);
}

#[test]
fn loops_nest() {
    let mut program = read(
        "start fn s() { x: int; y: int; n0: entry; n0 -> n1: [x < 9]; n0 -> n4: [9 <= x]; n1 -> n2: skip;
         n2 -> n3: [y < 9]; n2 -> n0: [9 <= y]; n3 -> n2: y := y + 1; n4 -> n5: return; n5: exit; }",
    );
    flow::find_loops(&mut program);
    let heads: Vec<u32> = program.nodes.iter().filter(|(_, info)| info.loop_head).map(|(node, _)| node.0).collect();
    assert_eq!(heads, [0, 2]);
    let loops = Loops::new(&program);
    let parents: Vec<bool> = loops.loops.iter().map(|(_, found)| found.parent.is_some()).collect();
    assert_eq!(parents, [false, true]);
}

#[test]
fn pointers_lead_where_they_were_set() {
    let program = read(
        "global memory a: int; global memory b: int; global memory c: int;
         start fn s() { p: *int; x: int; n0: entry; n0 -> n1: [x == 0]; n0 -> n2: [x != 0]; n1 -> n3: p := &@a;
         n2 -> n3: p := &@b; n3 -> n4: i32[p] := 1; n4 -> n5: i32[&@c] := i32[p]; n5 -> n6: return; n6: exit; }",
    );
    let (points_to, uses) = (PointsTo::new(&program), Uses::new(&program));
    let objects: Vec<Vec<String>> = uses
        .accesses
        .iter()
        .map(|access| points_to.targets(access.pointer))
        .map(|targets| targets.places.iter().map(|place| points_to.object_text(&program, place.object)).collect())
        .collect();
    let p = ["a".to_owned(), "b".to_owned()];
    assert_eq!(objects, [&p[..], &p[..], &["c".to_owned()]]);
    assert_eq!(uses.escapes.iter().map(|(_, &escapes)| escapes).collect::<Vec<_>>()[..3], [true, true, false]);
}

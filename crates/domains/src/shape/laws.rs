//! The laws of shapes on all graphs that a program with lists makes in a few rounds: covering is a preorder, a join stands
//! for both sides, and a step of a larger state covers the step of a smaller one.

use super::*;
use analysis::{Cpa, Stacks};

/// Puts nodes before a list, then takes them away.
const PROGRAM: &str = "
    record 0 s: struct 16 8 {next: *record 0 at 0 8, value: int at 64 4};
    start fn s() {
      list: *record 0; new: *record 0; x: int;
      n0: entry;
      n0 -> n1: list := 0;
      n1: loop_head;
      n1 -> n2: x := input __VERIFIER_nondet_int;
      n2 -> n3: [x == 0];
      n2 -> n6: [x != 0];
      n3 -> n4: new := malloc(16);
      n4 -> n5: ptr[new] := list;
      n5 -> n1: list := new;
      n6: loop_head;
      n6 -> n7: [list == 0];
      n6 -> n8: [list != 0];
      n8 -> n9: new := ptr[list];
      n9 -> n10: free(list);
      n10 -> n6: list := new;
      n7 -> n11: return;
      n11: exit;
    }";

/// Graphs by node, breadth first, as many rounds as given.
fn reached(analysis: &mut ShapeAnalysis<'_>, program: &Prepared, rounds: usize) -> Vec<(Place, Rc<Graph>)> {
    let mut stacks = Stacks::new(program);
    let mut all = vec![(stacks.start(program), analysis.initial())];
    let mut from = 0;
    for _ in 0..rounds {
        let until = all.len();
        for at in from..until {
            let (place, graph) = all[at].clone();
            let mut steps = Vec::new();
            stacks.steps(program, place, &mut steps);
            for step in steps {
                let mut next = Vec::new();
                analysis.post(&graph, &step, &(), &mut next).expect("small graphs");
                for graph in next {
                    if !all.contains(&(step.to, graph.clone())) {
                        all.push((step.to, graph));
                    }
                }
            }
        }
        from = until;
    }
    all
}

#[test]
fn laws() {
    let program = Prepared::new(cfa::notation::read(PROGRAM).expect("a program"));
    let folding = Some(Folding { reach: 2, least: 2 });
    let options = Options { folding, kept: Kept::All, most_objects: 50, most_graphs: 50, patience: 3 };
    let mut analysis = ShapeAnalysis::new(&program, options);
    let all = reached(&mut analysis, &program, 32);
    assert!(all.len() > 20, "{} graphs", all.len());
    let mut stacks = Stacks::new(&program);
    let width = analysis.width;
    let (mut larger, mut joined) = (0, 0);
    for (place, a) in &all {
        assert!(cover::covers(a, a, width), "covering is reflexive: {a:?}");
        for (_, b) in all.iter().filter(|(at, _)| at == place) {
            if let Some(join) = cover::join(a, b) {
                joined += 1;
                assert!(cover::covers(&join, a, width) && cover::covers(&join, b, width), "{a:?} and {b:?}: {join:?}");
            }
            if a == b || !cover::covers(a, b, width) {
                continue;
            }
            larger += 1;
            for (_, c) in all.iter().filter(|(at, _)| at == place) {
                assert!(!cover::covers(b, c, width) || cover::covers(a, c, width), "{a:?}, {b:?}, {c:?}");
            }
            let mut steps = Vec::new();
            stacks.steps(&program, *place, &mut steps);
            for step in steps {
                let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
                analysis.post(a, &step, &(), &mut of_a).expect("small graphs");
                analysis.post(b, &step, &(), &mut of_b).expect("small graphs");
                for next in of_b {
                    let covered = of_a.iter().any(|old| cover::covers(old, &next, width));
                    assert!(covered, "{step:?} of {a:?} loses {next:?}");
                }
            }
        }
    }
    assert!(larger > 0 && joined > 0, "{larger} pairs, {joined} joins");
}

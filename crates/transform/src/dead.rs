//! Removes what no execution reaches, and steps that do nothing.

use base::{Id, IdVec};
use cfa::{Edge, Node, NodeInfo, Op, Program};
use flow::Reachable;

/// Removes nodes and edges that no execution reaches and joins nodes that only a step without effect separates.
/// Functions keep their ids; one that is never called keeps only its entry and exit. Nodes and edges get new ids.
pub fn remove_dead(program: &mut Program) {
    debug_assert!(program.is_indexed(), "edges changed without index()");
    let live = Reachable::new(program);
    let edges = std::mem::take(&mut program.edges);
    program.edges = IdVec::from(
        edges
            .into_iter()
            .filter(|edge| live.contains(edge.from))
            .filter(|edge| !matches!(edge.op, Op::Assume(c) if program.exprs.constant(c) == Some(0)))
            .map(|mut edge| {
                if matches!(edge.op, Op::Assume(c) if program.exprs.constant(c) == Some(1)) {
                    edge.op = Op::Skip;
                }
                edge
            })
            .collect::<Vec<Edge>>(),
    );
    let targets = program.targets.len();
    program.targets.retain(|target| live.contains(target.node));
    program.dead_targets += (targets - program.targets.len()) as u32;
    program.index();
    join_skips(program);
    renumber(program);
    program.assert_valid();
}

/// Leads every edge past nodes that are only left by `Skip`. Loop heads, entries and targets stay.
fn join_skips(program: &mut Program) {
    let mut stays = vec![false; program.nodes.len()];
    for (_, function) in program.functions.iter() {
        stays[function.entry.index()] = true;
    }
    for (id, info) in program.nodes.iter() {
        stays[id.index()] |= info.loop_head;
    }
    let next: Vec<Option<Node>> = program
        .nodes
        .ids()
        .map(|node| {
            let mut leaving = program.leaving(node);
            let first = &program.edges[leaving.next()?];
            let second = leaving.next().map(|edge| &program.edges[edge]);
            // A branch whose sides meet at once decides nothing.
            let idle = match (&first.op, second) {
                (Op::Skip, None) => true,
                (Op::Assume(_), Some(second)) => second.to == first.to,
                _ => false,
            };
            (idle && !stays[node.index()] && first.to != node).then_some(first.to)
        })
        .collect();
    let ends = ends(&next);
    for (_, edge) in program.edges.iter_mut() {
        edge.to = ends[edge.to.index()];
    }
    program.index();
}

/// Drops nodes that no edge touches, except entries and exits, and what only they led to.
fn renumber(program: &mut Program) {
    let live = Reachable::new(program);
    let mut kept = vec![false; program.nodes.len()];
    for (_, function) in program.functions.iter() {
        kept[function.entry.index()] = true;
        kept[function.exit.index()] = true;
    }
    let edges: Vec<Edge> =
        std::mem::take(&mut program.edges).into_iter().filter(|edge| live.contains(edge.from)).collect();
    for edge in &edges {
        kept[edge.from.index()] = true;
        kept[edge.to.index()] = true;
    }
    let old = std::mem::take(&mut program.nodes);
    let mut number = vec![Node(u32::MAX); old.len()];
    let mut nodes: IdVec<Node, NodeInfo> = IdVec::new();
    for (id, info) in old.iter().filter(|(id, _)| kept[id.index()]) {
        number[id.index()] = nodes.push(*info);
    }
    program.nodes = nodes;
    for (_, function) in program.functions.iter_mut() {
        function.entry = number[function.entry.index()];
        function.exit = number[function.exit.index()];
    }
    program.targets.retain(|target| kept[target.node.index()]);
    for target in &mut program.targets {
        target.node = number[target.node.index()];
    }
    program.edges = IdVec::from(
        edges
            .into_iter()
            .map(|mut edge| {
                edge.from = number[edge.from.index()];
                edge.to = number[edge.to.index()];
                edge
            })
            .collect::<Vec<Edge>>(),
    );
    program.index();
}

/// Where following `next` ends, from every node. A circle is cut where it is first entered.
fn ends(next: &[Option<Node>]) -> Vec<Node> {
    let mut ends: Vec<Option<Node>> = vec![None; next.len()];
    let mut on_path = vec![false; next.len()];
    let mut path = Vec::new();
    for start in 0..next.len() {
        let mut node = Node::new(start);
        let end = loop {
            if let Some(end) = ends[node.index()] {
                break end;
            }
            match next[node.index()] {
                Some(to) if !on_path[node.index()] => {
                    on_path[node.index()] = true;
                    path.push(node);
                    node = to;
                }
                _ => break node,
            }
        };
        for node in path.drain(..) {
            ends[node.index()] = Some(end);
            on_path[node.index()] = false;
        }
        ends[start].get_or_insert(end);
    }
    ends.into_iter().map(|end| end.expect("every node was a start")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::testing::Build;
    use cfa::types::{IntKind, Type};
    use expect_test::expect;

    #[test]
    fn keeps_what_is_reached() {
        let mut b = Build::new();
        let n = b.start(9);
        let x = b.register("x", Type::Int(IntKind::Int));
        let (no, yes, one) = (b.program.exprs.bool(false), b.program.exprs.bool(true), b.int(1));
        b.edge(n[0], n[1], Op::Skip);
        b.edge(n[1], n[2], Op::Assume(yes));
        b.edge(n[1], n[7], Op::Assume(no));
        b.edge(n[2], n[3], Op::Skip);
        b.edge(n[3], n[4], Op::Assign(x, one));
        b.edge(n[4], n[5], Op::Call { function: cfa::FunctionId(1), args: Box::default(), result: None });
        b.edge(n[5], n[8], Op::Return(None));
        b.target(n[7]);
        let m = b.function("stop", 4);
        b.edge(m[0], m[1], Op::Halt(None));
        b.edge(m[1], m[3], Op::Return(None));
        let k = b.function("never", 2);
        b.edge(k[0], k[1], Op::Return(None));
        let mut program = b.finish();
        remove_dead(&mut program);
        expect![[r#"

            start fn start() {
              x: i32;
              n0: entry
              n0 -> n1: skip;
              n1 -> n2: x := 1;
              n2 -> n3: stop();
              n4: exit
            }

            fn stop() {
              n5: entry
              n5 -> n6: halt;
              n7: exit
            }

            fn never() {
              n8: entry
              n9: exit
            }
        "#]]
        .assert_eq(&program.to_string());
        assert!(program.targets.is_empty());
    }

    #[test]
    fn idle_circles_stay_circles() {
        let mut b = Build::new();
        let n = b.start(4);
        b.edge(n[0], n[1], Op::Skip);
        b.edge(n[1], n[2], Op::Skip);
        b.edge(n[2], n[1], Op::Skip);
        let mut program = b.finish();
        remove_dead(&mut program);
        flow::find_loops(&mut program);
        assert!(program.edges.iter().any(|(_, edge)| edge.from == edge.to));
    }
}

//! How far it is to a target, in edges: what a search for bugs goes by.

use cfa::{EdgeId, Node, Op, Program};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Farther than anything.
pub const FAR: u32 = u32::MAX;

/// Lengths of shortest paths through calls.
pub struct Distances {
    /// To a target, without leaving the function but by calls.
    inward: Vec<u32>,
    /// To the function's exit.
    outward: Vec<u32>,
}

impl Distances {
    /// 1. How long it takes from each node to its function's exit; calls count with what is known of the callee, and
    ///    are looked at again when that is known. 2. From the targets backwards, into callers and over calls.
    pub fn new(program: &Program) -> Self {
        let mut calls_of = vec![Vec::new(); program.functions.len()];
        for (id, edge) in program.edges.iter() {
            if let Op::Call { function, .. } = edge.op {
                calls_of[base::Id::index(function)].push(id);
            }
        }
        let exits: Vec<Node> = program.functions.iter().map(|(_, function)| function.exit).collect();
        let nowhere = vec![FAR; program.nodes.len()];
        let outward = shortest(program, &exits, &calls_of, &nowhere, Into::Callees); // 1
        let targets: Vec<Node> = program.targets.iter().map(|target| target.node).collect();
        let inward = shortest(program, &targets, &calls_of, &outward, Into::Callers); // 2
        Self { inward, outward }
    }

    /// From a node to a target, where the function returns to a place that is `after` away from one.
    pub fn from(&self, node: Node, after: u32) -> u32 {
        let at = base::Id::index(node);
        self.inward[at].min(self.outward[at].saturating_add(after))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    /// Distances to exits: a call costs what its callee costs.
    Callees,
    /// Distances to targets: a function is as close as what it calls.
    Callers,
}

/// Dijkstra's algorithm backwards from `goals`.
fn shortest(program: &Program, goals: &[Node], calls_of: &[Vec<EdgeId>], over: &[u32], into: Into) -> Vec<u32> {
    let index = |node: Node| base::Id::index(node);
    let mut distance = vec![FAR; program.nodes.len()];
    let mut heap = BinaryHeap::new();
    for &goal in goals {
        distance[index(goal)] = 0;
        heap.push(Reverse((0, goal)));
    }
    while let Some(Reverse((length, node))) = heap.pop() {
        if length > distance[index(node)] {
            continue;
        }
        let mut relax = |distance: &mut Vec<u32>, from: Node, length: u32| {
            if length < distance[index(from)] {
                distance[index(from)] = length;
                heap.push(Reverse((length, from)));
            }
        };
        for &edge in program.entering(node) {
            let edge = &program.edges[edge];
            let callee = match edge.op {
                Op::Call { function, .. } => {
                    let entry = index(program.functions[function].entry);
                    if into == Into::Callees { distance[entry] } else { over[entry] }
                }
                _ => 0,
            };
            relax(&mut distance, edge.from, length.saturating_add(1).saturating_add(callee));
        }
        let function = program.nodes[node].function;
        if program.functions[function].entry == node {
            for &call in &calls_of[base::Id::index(function)] {
                let call = &program.edges[call];
                let behind = match into {
                    Into::Callees => distance[index(call.to)],
                    Into::Callers => 0,
                };
                relax(&mut distance, call.from, length.saturating_add(1).saturating_add(behind));
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::program;

    #[test]
    fn the_way_leads_through_calls_and_out_of_them() {
        let program = program(
            "void reach_error(void); void check(int x) { if (x) reach_error(); }
            int idle(int y) { while (y) y--; return y; }
            int main(void) { idle(3); check(1); idle(2); return 0; }",
        );
        let distances = Distances::new(&program);
        let entry = |name: &str| program.functions[program.function_named(name).expect("it is there")].entry;
        let (main, check, idle) = (entry("main"), entry("check"), entry("idle"));
        assert!(distances.from(check, FAR) < distances.from(main, FAR));
        assert_eq!(distances.from(idle, FAR), FAR);
        assert!(distances.from(idle, 7) > 7 && distances.from(idle, 7) < 20);
    }
}

//! Control dependence: which branches decide whether a location is reached.
//!
//! A location depends on a branch if one side always leads to it and the other may not [FOW87]. Locations from which
//! the function's exit cannot be reached (errors, `abort`) do not count as a way around: else everything after an
//! assertion would depend on it.

use cfa::{FunctionId, Node, Program};
use flow::graph::{Dominators, Graph};
use std::collections::HashMap;

/// The branches that locations of some functions depend on.
#[derive(Default)]
pub struct Control {
    known: HashMap<FunctionId, HashMap<Node, Vec<Node>>>,
}

impl Control {
    /// The branching nodes that `node` depends on directly, in its own function.
    pub fn parents(&mut self, program: &Program, node: Node) -> &[Node] {
        let function = program.nodes[node].function;
        let parents = self.known.entry(function).or_insert_with(|| dependences(program, function));
        parents.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// 1. Number the function's nodes; the virtual exit comes last.
/// 2. Without the edges that lead away from the exit for good, compute post-dominators.
/// 3. What lies on the tree between a branch's successor and the branch's own post-dominator depends on it.
fn dependences(program: &Program, function: FunctionId) -> HashMap<Node, Vec<Node>> {
    let nodes: Vec<Node> = program.nodes.ids().filter(|&node| program.nodes[node].function == function).collect(); // 1
    let number: HashMap<Node, u32> = (0..).zip(&nodes).map(|(at, &node)| (node, at)).collect();
    let exit = nodes.len() as u32;
    let backwards = |filter: &dyn Fn(u32, u32) -> bool| {
        let mut edges = Vec::new();
        for (at, &node) in (0..).zip(&nodes) {
            let leaving = program.leaving(node);
            if leaving.len() == 0 {
                edges.push((exit, at));
            }
            let leaving = leaving.map(|edge| number[&program.edges[edge].to]);
            edges.extend(leaving.filter(|&to| filter(at, to)).map(|to| (to, at)));
        }
        Graph::new(nodes.len() + 1, &edges)
    };
    let returns = backwards(&|_, _| true).reachable([number[&program.functions[function].exit]]);
    let stays = |from: u32, to: u32| !returns[from as usize] || returns[to as usize];
    let after = Dominators::new(&backwards(&stays), exit); // 2
    let mut parents: HashMap<Node, Vec<Node>> = HashMap::new();
    for (at, &node) in (0..).zip(&nodes).filter(|(_, node)| program.leaving(**node).len() > 1) {
        let own = after.immediate(at);
        for to in program.leaving(node).map(|edge| number[&program.edges[edge].to]) {
            let mut depends = Some(to); // 3
            while let Some(next) = depends.filter(|&next| Some(next) != own && next != exit) {
                let list = parents.entry(nodes[next as usize]).or_default();
                if !list.contains(&node) {
                    list.push(node);
                }
                depends = after.immediate(next);
            }
        }
    }
    parents
}

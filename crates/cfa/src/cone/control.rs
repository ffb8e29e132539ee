//! Control dependence [FOW87]: a node depends on a branch if one side of the branch always leads to the node and
//! another may avoid it, that is, if it lies on the path in the tree of post-dominators from a successor of the
//! branch up to, and not including, the branch's own parent.

use crate::graph::{Dominators, Graph};
use crate::op::Op;
use crate::program::{FunctionId, Node, Program};
use base::{Id, IdVec};

/// Post-dominators of all functions, in one tree under a virtual end of all paths.
#[derive(Clone, Debug)]
pub struct Control {
    dominators: Dominators,
    end: u32,
    /// Nodes in an order such that parents in the tree come first.
    order: Vec<u32>,
    /// Nodes where paths divide.
    branches: Vec<Node>,
    decided: Vec<bool>,
}

impl Control {
    pub fn new(program: &Program) -> Control {
        let may_stop = may_stop(program);
        let end = program.nodes.len() as u32;
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for node in program.nodes.ids() {
            let leaving = program.leaving(node);
            let mut ends = leaving.len() == 0;
            for id in leaving {
                let edge = &program.edges[id];
                match edge.op {
                    Op::Halt(_) => ends = true,
                    Op::Call { function, .. } => {
                        ends |= may_stop[function.index()];
                        edges.push((node.0, edge.to.0));
                    }
                    Op::Assume(_) => {
                        ends |= program.leaving(node).len() == 1;
                        edges.push((node.0, edge.to.0));
                    }
                    _ => edges.push((node.0, edge.to.0)),
                }
            }
            if ends {
                edges.push((node.0, end));
            }
        }
        endless_loops_end(program.nodes.len(), &mut edges);
        let graph = Graph::new(program.nodes.len() + 1, &edges);
        let dominators = Dominators::new(&graph.reversed(), end);
        let branches = program.nodes.ids().filter(|node| graph.successors(node.0).len() > 1).collect();
        let order = tree_order(&dominators, end);
        let decided = vec![false; program.nodes.len()];
        Control { dominators, end, order, branches, decided }
    }

    /// The branches, not named before, on which some node that matters depends.
    pub fn deciding(&mut self, program: &Program, matters: &[bool]) -> Vec<Node> {
        let mut count = vec![0u32; self.end as usize + 1];
        for &node in &self.order {
            let above = self.dominators.immediate(node).map_or(0, |parent| count[parent as usize]);
            count[node as usize] = above + u32::from(matters.get(node as usize).copied().unwrap_or(false));
        }
        let mut found = Vec::new();
        for &node in &self.branches {
            if self.decided[node.index()] {
                continue;
            }
            let top = self.dominators.immediate(node.0).map_or(0, |parent| count[parent as usize]);
            let ahead = program.leaving(node).map(|edge| program.edges[edge].to.0);
            if ahead.into_iter().any(|to| count[to as usize] > top) {
                self.decided[node.index()] = true;
                found.push(node);
            }
        }
        found
    }

    /// Where all paths from a node meet again; `None` if only the end of the program is common to them.
    pub fn meeting_point(&self, node: Node) -> Option<Node> {
        self.dominators.immediate(node.0).filter(|&parent| parent != self.end).map(Node)
    }
}

/// By function, whether a call of it may not come back; loops are taken to end.
fn may_stop(program: &Program) -> Vec<bool> {
    let mut callers: IdVec<FunctionId, Vec<FunctionId>> = IdVec::filled(program.functions.len(), Vec::new());
    let mut stack: Vec<FunctionId> = program.targets.iter().map(|target| program.nodes[target.node].function).collect();
    for (_, edge) in program.edges.iter() {
        let function = program.nodes[edge.from].function;
        match edge.op {
            Op::Call { function: callee, .. } => callers[callee].push(function),
            Op::Halt(_) => stack.push(function),
            Op::Assume(_) if program.leaving(edge.from).len() == 1 => stack.push(function),
            _ => {}
        }
    }
    let mut may_stop = vec![false; program.functions.len()];
    while let Some(function) = stack.pop() {
        if !std::mem::replace(&mut may_stop[function.index()], true) {
            stack.extend(&callers[function]);
        }
    }
    may_stop
}

/// Gives every loop without exit a way to the end, so that all nodes have post-dominators.
fn endless_loops_end(nodes: usize, edges: &mut Vec<(u32, u32)>) {
    let end = nodes as u32;
    let graph = Graph::new(nodes + 1, edges);
    let mut ending = graph.reversed().reachable([end]);
    let components = graph.components();
    // Components come successors first: what is still without an end there is an endless loop itself.
    for component in 0..components.len() as u32 {
        let members = components.members(component);
        let reaches =
            |ending: &[bool]| members.iter().any(|&node| graph.successors(node).iter().any(|&to| ending[to as usize]));
        if members.iter().all(|&node| !ending[node as usize]) && !reaches(&ending) {
            let head = *members.last().expect("components have a node");
            edges.push((head, end));
        }
        for &node in members {
            ending[node as usize] = true;
        }
    }
}

/// Parents before children.
fn tree_order(dominators: &Dominators, root: u32) -> Vec<u32> {
    let edges: Vec<(u32, u32)> = (0..=root).filter_map(|node| Some((dominators.immediate(node)?, node))).collect();
    let tree = Graph::new(root as usize + 1, &edges);
    let mut order = vec![root];
    let mut at = 0;
    while at < order.len() {
        let node = order[at];
        order.extend_from_slice(tree.successors(node));
        at += 1;
    }
    order
}

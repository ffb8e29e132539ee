//! Which nodes executions may reach, as far as control flow tells.

use crate::call_graph::address_taken_functions;
use base::{Id, IdVec};
use cfa::{FunctionId, Node, Op, Program};

/// Nodes that executions may reach: calls are followed, and go on only where the callee returns.
pub struct Reachable {
    nodes: Vec<bool>,
}

impl Reachable {
    /// 1. Follow edges from the program's start.
    /// 2. A call enters its callee, and goes on once the callee's exit is reached.
    pub fn new(program: &Program) -> Reachable {
        let mut reached = Reachable { nodes: vec![false; program.nodes.len()] };
        let mut waiting: IdVec<FunctionId, Vec<Node>> = IdVec::filled(program.functions.len(), Vec::new());
        let taken = address_taken_functions(program);
        let mut stack = vec![program.functions[program.entry].entry];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut reached.nodes[node.index()], true) {
                continue;
            }
            let function = program.nodes[node].function;
            debug_assert!(reached.contains(program.functions[function].entry), "functions are entered first");
            if program.functions[function].exit == node {
                stack.append(&mut waiting[function]); // 2
            }
            for id in program.leaving(node) {
                let edge = &program.edges[id];
                match &edge.op {
                    Op::Assume(condition) if program.exprs.constant(*condition) == Some(0) => {}
                    Op::Halt(_) => {}
                    Op::Call { function: callee, .. } => {
                        let callee_info = &program.functions[*callee];
                        stack.push(callee_info.entry);
                        if reached.nodes[callee_info.exit.index()] {
                            stack.push(edge.to);
                        } else {
                            waiting[*callee].push(edge.to);
                        }
                    }
                    Op::CallPointer { .. } => {
                        stack.extend(taken.iter().map(|&callee| program.functions[callee].entry));
                        stack.push(edge.to);
                    }
                    _ => stack.push(edge.to), // 1
                }
            }
        }
        reached
    }

    /// Whether some execution may reach the node, as far as control flow tells.
    pub fn contains(&self, node: Node) -> bool {
        self.nodes[node.index()]
    }
}

//! Which functions call which. Before pointer calls are resolved, a call through a pointer counts as a call of every function
//! whose address the program takes.

use crate::graph::{Components, Graph, TopologicalOrder};
use base::{Id, IdVec};
use cfa::{EdgeId, Expr, FunctionId, Op, Program};

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    calls: IdVec<FunctionId, Vec<(EdgeId, FunctionId)>>,
    callers: IdVec<FunctionId, Vec<(EdgeId, FunctionId)>>,
    graph: Graph,
    components: Components,
    reachable: Vec<bool>,
    heads: Vec<FunctionId>,
}

impl CallGraph {
    /// The calls on all edges.
    pub fn new(program: &Program) -> CallGraph {
        let mut calls = IdVec::filled(program.functions.len(), Vec::new());
        let mut callers = IdVec::filled(program.functions.len(), Vec::new());
        let mut edges = Vec::new();
        let mut taken = None;
        for (id, edge) in program.edges.iter() {
            let caller = program.nodes[edge.from].function;
            let one;
            let callees: &[FunctionId] = match edge.op {
                Op::Call { function, .. } => {
                    one = [function];
                    &one
                }
                Op::CallPointer { .. } => taken.get_or_insert_with(|| address_taken_functions(program)),
                _ => &[],
            };
            for &callee in callees {
                calls[caller].push((id, callee));
                callers[callee].push((id, caller));
                edges.push((caller.0, callee.0));
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let graph = Graph::new(program.functions.len(), &edges);
        let components = graph.components();
        let reachable = graph.reachable([program.entry.0]);
        let heads =
            TopologicalOrder::new(&graph, &[program.entry.0]).components.iter().map(|c| FunctionId(c.head)).collect();
        let found = CallGraph { calls, callers, graph, components, reachable, heads };
        debug_assert!(found.heads.iter().all(|&head| found.is_recursive(head)), "what cuts cycles is in one");
        found
    }

    /// The calls that a function makes, with the callees, by edge.
    pub fn calls(&self, function: FunctionId) -> &[(EdgeId, FunctionId)] {
        &self.calls[function]
    }

    /// The calls of a function, with the callers, by edge.
    pub fn callers(&self, function: FunctionId) -> &[(EdgeId, FunctionId)] {
        &self.callers[function]
    }

    /// Whether calls lead from the program's start to the function.
    pub fn is_reachable(&self, function: FunctionId) -> bool {
        self.reachable[function.index()]
    }

    /// Whether the function may be active twice at a time.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        let component = self.components.of(function.0);
        self.components.members(component).len() > 1 || self.graph.successors(function.0).contains(&function.0)
    }

    /// Functions that cut every cycle of calls: each recursion passes the entry of one of them.
    pub fn recursion_heads(&self) -> &[FunctionId] {
        &self.heads
    }

    /// Groups of functions that call each other, callees before callers.
    pub fn bottom_up(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        (0..self.components.len() as u32).map(|component| self.components.members(component))
    }
}

/// The functions whose address some operation or static initialiser takes, ascending.
pub fn address_taken_functions(program: &Program) -> Vec<FunctionId> {
    let mut seen = vec![false; program.exprs.len()];
    let mut taken = Vec::new();
    let operands = program.edges.iter().flat_map(|(_, edge)| edge.op.operands());
    let initial = program.vars.iter().flat_map(|(_, var)| var.init.iter().map(|cell| cell.value));
    for root in operands.chain(initial) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                match program.exprs.node(id) {
                    Expr::Function(function) => taken.push(function),
                    node => stack.extend(node.operands()),
                }
            }
        }
    }
    taken.sort_unstable();
    debug_assert!(taken.is_sorted_by(|a, b| a < b), "expressions are unique, so functions are named once");
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::testing::Build;

    fn call(function: u32) -> Op {
        Op::Call { function: FunctionId(function), args: Box::default(), result: None }
    }

    #[test]
    fn recursion_and_reachability() {
        let mut b = Build::new();
        let start = b.start(2);
        b.edge(start[0], start[1], call(1));
        for callees in [&[2][..], &[1, 3], &[], &[4]] {
            let n = b.function("f", callees.len() + 1);
            for (at, &callee) in callees.iter().enumerate() {
                b.edge(n[at], n[at + 1], call(callee));
            }
        }
        let calls = CallGraph::new(&b.finish());
        let all = |holds: fn(&CallGraph, FunctionId) -> bool| {
            (0..5).map(|f| holds(&calls, FunctionId(f))).collect::<Vec<_>>()
        };
        assert_eq!(all(CallGraph::is_recursive), [false, true, true, false, true]);
        assert_eq!(all(CallGraph::is_reachable), [true, true, true, true, false]);
        assert_eq!(calls.recursion_heads().len(), 2);
        assert_eq!(calls.callers(FunctionId(1)).len(), 2);
        let order: Vec<&[u32]> = calls.bottom_up().collect();
        assert!(order.iter().position(|g| g.contains(&3)) < order.iter().position(|g| g.contains(&1)));
    }
}

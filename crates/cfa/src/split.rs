//! One target per place in the user's text: programs call a helper such as `assert(condition)` from many places, and the
//! error itself stands once, in the helper. Every call gets a helper of its own here, so that each has its own target.
//!
//! A helper is a small function of the user without loops and without locals in memory, that has one target and calls
//! nothing, or that calls one other helper and has no target. Its target is where the outermost helper is called.

use crate::call_graph::CallGraph;
use crate::op::Op;
use crate::program::{Edge, EdgeId, FunctionId, FunctionKind, Node, Program, VarId};
use crate::target::Target;
use base::{Id, Span};
use rustc_hash::FxHashMap;

/// A function with more edges than this is no helper.
const MOST_EDGES: usize = 24;
/// A program does not get more copies than this; calls behind them share a target.
const MOST_COPIES: usize = 1000;

impl Program {
    /// Gives every call of a helper its own helper. Edges get new ids.
    pub fn split_helpers(&mut self) {
        let mut helpers = self.helpers();
        // Callers come before what they call.
        helpers.reverse();
        let mut left = MOST_COPIES;
        // Where the outermost helper is called, by function.
        let mut called: FxHashMap<FunctionId, Span> = FxHashMap::default();
        for helper in helpers {
            let is_call = |edge: &Edge| matches!(edge.op, Op::Call { function, .. } if function == helper);
            let calls: Vec<EdgeId> = self.edges.iter().filter(|(_, edge)| is_call(edge)).map(|(id, _)| id).collect();
            if calls.len() > left + 1 {
                continue;
            }
            for (count, call) in calls.into_iter().enumerate() {
                let caller = self.nodes[self.edges[call].from].function;
                let span = called.get(&caller).copied().unwrap_or(self.edges[call].span);
                let own = if count == 0 { helper } else { self.copy_function(helper) };
                left -= usize::from(count > 0);
                called.insert(own, span);
                if let Op::Call { function, .. } = &mut self.edges[call].op {
                    *function = own;
                }
                let nodes = &self.nodes;
                for target in self.targets.iter_mut().filter(|target| nodes[target.node].function == own) {
                    target.span = span;
                }
            }
        }
        self.index();
        self.assert_valid();
    }

    /// The helpers, each behind the one it calls.
    fn helpers(&self) -> Vec<FunctionId> {
        let calls = CallGraph::new(self);
        let mut helpers: Vec<FunctionId> = Vec::new();
        loop {
            let before = helpers.len();
            for id in self.functions.ids().filter(|&id| calls.is_reachable(id)) {
                if !helpers.contains(&id) && self.is_helper(id, &calls, &helpers) {
                    helpers.push(id);
                }
            }
            if helpers.len() == before {
                return helpers;
            }
        }
    }

    fn is_helper(&self, id: FunctionId, calls: &CallGraph, helpers: &[FunctionId]) -> bool {
        let function = &self.functions[id];
        let is_first = calls.callers(id).iter().any(|(_, caller)| *caller == self.entry);
        let in_memory = function.locals.iter().any(|&var| self.register(var).is_none());
        let here = |node: Node| self.nodes[node].function == id;
        let edges = self.edges.iter().filter(|(_, edge)| here(edge.from)).count();
        let loops = self.nodes.iter().any(|(node, info)| info.loop_head && here(node));
        if function.kind != FunctionKind::Defined || is_first || in_memory || edges > MOST_EDGES || loops {
            return false;
        }
        let targets = self.targets.iter().filter(|target| here(target.node)).count();
        match calls.calls(id) {
            [] => targets == 1,
            [(_, callee)] => targets == 0 && helpers.contains(callee),
            _ => false,
        }
    }

    fn copy_function(&mut self, id: FunctionId) -> FunctionId {
        let mut function = self.functions[id].clone();
        let new = FunctionId::new(self.functions.len());
        let mut vars: FxHashMap<VarId, VarId> = FxHashMap::default();
        let mut exprs = FxHashMap::default();
        for var in &function.locals {
            let mut variable = self.vars[*var].clone();
            variable.function = Some(new);
            let copy = self.vars.push(variable);
            let ty = self.register(*var).expect("helpers have no locals in memory");
            exprs.insert(self.exprs.var(*var, ty), self.exprs.var(copy, ty));
            vars.insert(*var, copy);
        }
        let of = |var: VarId| vars.get(&var).copied().unwrap_or(var);
        let own: Vec<Node> = self.nodes.ids().filter(|&node| self.nodes[node].function == id).collect();
        let mut nodes: FxHashMap<Node, Node> = FxHashMap::default();
        for node in own {
            let mut info = self.nodes[node];
            info.function = new;
            nodes.insert(node, self.nodes.push(info));
        }
        let edges: Vec<Edge> = self
            .edges
            .iter()
            .filter(|(_, edge)| nodes.contains_key(&edge.from))
            .map(|(_, edge)| edge.clone())
            .collect();
        for edge in edges {
            let op = edge.op.map_operands(|operand| self.exprs.substitute(operand, &mut exprs));
            let op = op.map_variable(of);
            self.edges.push(Edge { from: nodes[&edge.from], to: nodes[&edge.to], op, span: edge.span });
        }
        let targets: Vec<Target> =
            self.targets.iter().filter(|target| nodes.contains_key(&target.node)).copied().collect();
        self.targets.extend(targets.into_iter().map(|target| Target { node: nodes[&target.node], ..target }));
        function
            .params
            .iter_mut()
            .chain(&mut function.locals)
            .chain(&mut function.result)
            .for_each(|var| *var = of(*var));
        function.entry = nodes[&function.entry];
        function.exit = nodes[&function.exit];
        self.functions.push(function)
    }
}

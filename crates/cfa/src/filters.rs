//! Calls of filters become assumptions. A filter is a function that only decides whether the execution goes on, such as
//! `void assume(int c) { if (!c) abort(); }`: where a condition over its parameters fails, it never returns and meets no
//! error. Where it is called, its condition holds behind it, over the caller's variables, so that analyses learn from
//! `assume(state == 3)` what they would learn from a branch.

use crate::call_graph::CallGraph;
use crate::dead::Live;
use crate::expr::{BinOp, Expr, ExprId};
use crate::op::Op;
use crate::program::{EdgeId, FunctionId, FunctionKind, Node, Program};
use crate::scalar::Scalar;
use base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function with more conditions than this is no filter.
const MOST_CONDITIONS: usize = 8;

impl Program {
    /// Replaces every call of a filter; filters may call others. Edges keep their ids. For programs without calls
    /// through pointers and without dead code.
    pub fn inline_filters(&mut self) {
        let live = Live::new(self);
        let calls = CallGraph::new(self);
        let harmful = self.harmful(&calls);
        let order: Vec<FunctionId> = calls.bottom_up().flatten().map(|&id| FunctionId(id)).collect();
        for function in order {
            let Some(conditions) = self.filter(function, &calls, &live, &harmful) else { continue };
            let condition = conditions.into_iter().reduce(|all, next| self.exprs.binary(BinOp::And, all, next));
            for &(call, _) in calls.callers(function) {
                self.inline_filter(call, function, condition);
            }
        }
    }

    /// Functions that may meet an error or what is not modelled, by themselves or in what they call.
    fn harmful(&self, calls: &CallGraph) -> Vec<bool> {
        let mut harmful = vec![false; self.functions.len()];
        let errors = self.targets.iter().map(|target| target.node);
        let open = self.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Unsupported(_) | Op::CallPointer { .. }));
        let mut stack: Vec<FunctionId> =
            errors.chain(open.map(|(_, edge)| edge.from)).map(|node| self.nodes[node].function).collect();
        while let Some(function) = stack.pop() {
            if !std::mem::replace(&mut harmful[function.index()], true) {
                stack.extend(calls.callers(function).iter().map(|&(_, caller)| caller));
            }
        }
        harmful
    }

    /// The conditions under which a filter returns; `None` if the function is none.
    fn filter(&self, id: FunctionId, calls: &CallGraph, live: &Live, harmful: &[bool]) -> Option<Vec<ExprId>> {
        let function = &self.functions[id];
        // Calls of those without body say what leaves the program.
        let is_plain =
            function.kind == FunctionKind::Defined && function.result.is_none() && !function.params.is_empty();
        if !is_plain || harmful[id.index()] || calls.is_recursive(id) || !live.contains(function.exit) {
            return None;
        }
        let mut conditions = Vec::new();
        let mut at = function.entry;
        // Ends: a loop that one leaves has two ways that may return.
        while at != function.exit {
            let mut returning = self.leaving(at).filter(|&edge| self.may_return(edge, live));
            let (Some(next), None) = (returning.next(), returning.next()) else { return None };
            match self.edges[next].op {
                Op::Skip | Op::Return(None) => {}
                Op::Assume(condition) if conditions.len() < MOST_CONDITIONS && self.is_over_params(id, condition) => {
                    conditions.push(condition);
                }
                _ => return None,
            }
            at = self.edges[next].to;
        }
        Some(conditions)
    }

    /// Whether the function's exit may be reached by way of an edge.
    fn may_return(&self, edge: EdgeId, live: &Live) -> bool {
        let exit = self.functions[self.nodes[self.edges[edge].from].function].exit;
        let goes_on = |edge: EdgeId| match &self.edges[edge].op {
            Op::Halt(_) => None,
            Op::Call { function, .. } if !live.contains(self.functions[*function].exit) => None,
            _ => Some(self.edges[edge].to),
        };
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Node> = goes_on(edge).into_iter().collect();
        while let Some(node) = stack.pop() {
            if node == exit {
                return true;
            }
            if seen.insert(node) {
                stack.extend(self.leaving(node).filter_map(goes_on));
            }
        }
        false
    }

    /// Whether a condition is about nothing but parameters and constants.
    fn is_over_params(&self, function: FunctionId, condition: ExprId) -> bool {
        let mut all = true;
        self.exprs.visit(condition, |_, node| {
            all &= match node {
                Expr::Var(var) => self.functions[function].params.contains(&var),
                Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Living(_) => false,
                Expr::Const { .. } | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => true,
            };
        });
        all
    }

    fn inline_filter(&mut self, call: EdgeId, function: FunctionId, condition: Option<ExprId>) {
        let Op::Call { args, .. } = &self.edges[call].op else { return };
        let params = self.functions[function].params.clone();
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for (param, arg) in params.into_iter().zip(args.clone()) {
            let ty = self.register(param).expect("parameters are registers");
            let param = self.exprs.var(param, ty);
            known.insert(param, arg);
            if let Expr::Cast(truth) = self.exprs.node(arg)
                && self.exprs.ty(truth) == Scalar::Bool
            {
                let zero = self.exprs.int(ty, 0);
                let fails = self.exprs.binary(BinOp::Eq, param, zero);
                known.insert(fails, self.exprs.not(truth));
            }
        }
        self.edges[call].op = match condition {
            Some(condition) => Op::Assume(self.exprs.substitute(condition, &mut known)),
            None => Op::Skip,
        };
    }
}

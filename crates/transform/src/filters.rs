//! Calls of filters become assumptions. A filter is a function that only decides whether the execution goes on, such as
//! `void assume(int c) { if (!c) abort(); }`: where a condition over its parameters fails, it never returns and meets no
//! error. Where it is called, its condition holds after it, over the caller's variables, so that analyses learn from
//! `assume(state == 3)` what they would learn from a branch.

use base::Id;
use cfa::{BinOp, EdgeId, Expr, ExprId, FunctionId, FunctionKind, Node, Op, Program, Question, Scalar};
use flow::{CallGraph, Loops, Reachable};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function with more conditions than this is not a filter.
const MOST_CONDITIONS: usize = 8;

/// Replaces every call of a filter; filters may call others. Edges keep their ids. For programs without calls
/// through pointers and without dead code.
pub fn inline_filters(program: &mut Program) {
    debug_assert!(program.is_indexed(), "edges changed without index()");
    let live = Reachable::new(program);
    let calls = CallGraph::new(program);
    let harmful = harmful(program, &calls);
    let order: Vec<FunctionId> = calls.bottom_up().flatten().map(|&id| FunctionId(id)).collect();
    for function in order {
        let Some(conditions) = filter(program, function, &calls, &live, &harmful) else { continue };
        let condition = conditions.into_iter().reduce(|all, next| program.exprs.binary(BinOp::And, all, next));
        for &(call, _) in calls.callers(function) {
            inline_filter(program, call, function, condition);
        }
    }
    program.assert_valid();
}

/// Functions that may meet an error or what is not modelled, by themselves or in what they call. Where the question is
/// whether executions end, those with loops and recursive ones are among them: they decide it.
fn harmful(program: &Program, calls: &CallGraph) -> Vec<bool> {
    let mut harmful = vec![false; program.functions.len()];
    let errors = program.targets.iter().map(|target| target.node);
    let open = program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Unsupported(_) | Op::CallPointer { .. }));
    let mut stack: Vec<FunctionId> =
        errors.chain(open.map(|(_, edge)| edge.from)).map(|node| program.nodes[node].function).collect();
    if program.question == Question::End {
        stack.extend(Loops::new(program).loops.iter().map(|(_, one)| one.function));
        stack.extend(program.functions.ids().filter(|&function| calls.is_recursive(function)));
    }
    while let Some(function) = stack.pop() {
        if !std::mem::replace(&mut harmful[function.index()], true) {
            stack.extend(calls.callers(function).iter().map(|&(_, caller)| caller));
        }
    }
    harmful
}

/// The conditions under which a filter returns; `None` if the function is not one.
fn filter(
    program: &Program,
    id: FunctionId,
    calls: &CallGraph,
    live: &Reachable,
    harmful: &[bool],
) -> Option<Vec<ExprId>> {
    let function = &program.functions[id];
    // Calls of those without body say what leaves the program.
    let is_plain = function.kind == FunctionKind::Defined && function.result.is_none() && !function.params.is_empty();
    if !is_plain || harmful[id.index()] || calls.is_recursive(id) || !live.contains(function.exit) {
        return None;
    }
    let mut conditions = Vec::new();
    let mut at = function.entry;
    // Ends: a loop that one leaves has two ways that may return.
    while at != function.exit {
        let mut returning = program.leaving(at).filter(|&edge| may_return(program, edge, live));
        let (Some(next), None) = (returning.next(), returning.next()) else { return None };
        match program.edges[next].op {
            Op::Skip | Op::Return(None) => {}
            Op::Assume(condition) if conditions.len() < MOST_CONDITIONS && is_over_params(program, id, condition) => {
                conditions.push(condition);
            }
            _ => return None,
        }
        at = program.edges[next].to;
    }
    Some(conditions)
}

/// Whether the function's exit may be reached by way of an edge.
fn may_return(program: &Program, edge: EdgeId, live: &Reachable) -> bool {
    let exit = program.functions[program.nodes[program.edges[edge].from].function].exit;
    let goes_on = |edge: EdgeId| match &program.edges[edge].op {
        Op::Halt(_) => None,
        Op::Call { function, .. } if !live.contains(program.functions[*function].exit) => None,
        _ => Some(program.edges[edge].to),
    };
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Node> = goes_on(edge).into_iter().collect();
    while let Some(node) = stack.pop() {
        if node == exit {
            return true;
        }
        if seen.insert(node) {
            stack.extend(program.leaving(node).filter_map(goes_on));
        }
    }
    false
}

/// Whether a condition is about nothing but parameters and constants.
fn is_over_params(program: &Program, function: FunctionId, condition: ExprId) -> bool {
    let mut all = true;
    program.exprs.visit(condition, |_, node| {
        all &= match node {
            Expr::Var(var) => program.functions[function].params.contains(&var),
            Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Living(_) => false,
            Expr::Const { .. } | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => true,
        };
    });
    all
}

fn inline_filter(program: &mut Program, call: EdgeId, function: FunctionId, condition: Option<ExprId>) {
    let Op::Call { args, .. } = &program.edges[call].op else { return };
    let params = program.functions[function].params.clone();
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for (param, arg) in params.into_iter().zip(args.clone()) {
        let ty = program.register(param).expect("parameters are registers");
        let param = program.exprs.var(param, ty);
        known.insert(param, arg);
        if let Expr::Cast(truth) = program.exprs.node(arg)
            && program.exprs.ty(truth) == Scalar::Bool
        {
            let zero = program.exprs.int(ty, 0);
            let fails = program.exprs.binary(BinOp::Eq, param, zero);
            known.insert(fails, program.exprs.not(truth));
        }
    }
    program.edges[call].op = match condition {
        Some(condition) => Op::Assume(program.exprs.substitute(condition, &mut known)),
        None => Op::Skip,
    };
}

//! Functions whose calls change nothing: what they say does not count when programs are compared.
//!
//! A function is *harmless* if every call of it returns and writes nothing but the function's own registers. It is *idle* if
//! moreover the value of a call is not read, or only by idle functions. A call of it is then a step that does nothing,
//! so that the program has the same executions, but for those steps, whatever the function's body says, as long as it
//! stays idle. Executions go on after undefined behaviour, so none of it ends a call.
//!
//! 1. No path inside comes back, ends before the exit, or reaches a target: branches are complete, there is no loop, no
//!    `Halt` and nothing unsupported. Only harmless functions are called, so none calls itself.
//! 2. No operation writes memory or a register of another function.
//! 3. No call's result is read by a function that is not idle.

use base::{Id, IdVec};
use cfa::{Expr, FunctionId, FunctionKind, Node, Op, Program, VarId};
use flow::CallGraph;
use std::collections::{HashMap, HashSet};

/// For each function whether it is idle.
pub fn idle_functions(program: &Program, calls: &CallGraph) -> IdVec<FunctionId, bool> {
    let nodes = program.nodes_by_function();
    let mut idle = IdVec::filled(program.functions.len(), false);
    let is_candidate = |&id: &FunctionId| {
        id != program.entry
            && calls.is_reachable(id)
            && program.functions[id].kind == FunctionKind::Defined
            && nodes[id].iter().all(|&node| is_harmless(program, id, node))
            && is_acyclic(program, &nodes[id])
    };
    let candidates: Vec<FunctionId> = program.functions.ids().filter(is_candidate).collect();
    if candidates.is_empty() {
        return idle;
    }
    // 1, callees before callers: what calls itself never has its turn.
    let calls_harmless = |id: FunctionId, known: &IdVec<FunctionId, bool>| {
        let mut edges = nodes[id].iter().flat_map(|&node| program.leaving(node));
        edges.all(|edge| match &program.edges[edge].op {
            Op::Call { function, .. } => known[*function],
            _ => true,
        })
    };
    let mut left = candidates.len() + 1;
    let mut waiting = candidates;
    while waiting.len() < left {
        left = waiting.len();
        waiting.retain(|&id| {
            idle[id] = calls_harmless(id, &idle);
            !idle[id]
        });
    }
    let mut reads = result_readers(program, calls);
    // 3, from all that are harmless downwards.
    let mut left = reads.len() + 1;
    while reads.len() < left {
        left = reads.len();
        reads.retain(|&(caller, callee)| {
            idle[callee] &= idle[caller];
            idle[caller]
        });
    }
    idle
}

/// 1, 2 for the edges that leave one location.
fn is_harmless(program: &Program, function: FunctionId, node: Node) -> bool {
    let is_exit = node == program.functions[function].exit;
    let own = |var: VarId| program.vars[var].function == Some(function) && program.register(var).is_some();
    let leaving: Vec<&Op> = program.leaving(node).map(|edge| &program.edges[edge].op).collect();
    let goes_on = match leaving.as_slice() {
        [] => is_exit,
        [Op::Assume(a), Op::Assume(b)] => program.complementary(*a, *b),
        [op] => !matches!(op, Op::Assume(_)),
        _ => false,
    };
    let is_harmless = |op: &&Op| match op {
        Op::Skip | Op::Assume(_) | Op::Return(_) | Op::Declare(_) | Op::End(_) => true,
        Op::Assign(var, _) | Op::Havoc(var, _) => own(*var),
        Op::Call { result, .. } => result.is_none_or(own),
        Op::Library { function, result, .. } => function.writes().is_empty() && result.is_none_or(own),
        Op::Init(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => false,
        Op::Allocate { .. } | Op::Free(_) | Op::CallPointer { .. } | Op::Halt(_) | Op::Unsupported(_) => false,
    };
    goes_on && program.target_at(node).is_none() && leaving.iter().all(is_harmless)
}

/// Whether no path inside a function comes back to where it was.
fn is_acyclic(program: &Program, nodes: &[Node]) -> bool {
    let mut entering: HashMap<Node, usize> = nodes.iter().map(|&node| (node, 0)).collect();
    let targets = |node: Node| program.leaving(node).map(|edge| program.edges[edge].to);
    for &node in nodes {
        for to in targets(node) {
            *entering.entry(to).or_default() += 1;
        }
    }
    let mut free: Vec<Node> = nodes.iter().copied().filter(|node| entering[node] == 0).collect();
    let mut done = 0;
    while let Some(node) = free.pop() {
        done += 1;
        for to in targets(node) {
            let left = entering.get_mut(&to).expect("counted above");
            *left -= 1;
            if *left == 0 {
                free.push(to);
            }
        }
    }
    done == nodes.len()
}

/// Callers and callees of calls whose result is read.
fn result_readers(program: &Program, calls: &CallGraph) -> Vec<(FunctionId, FunctionId)> {
    let edges = || {
        let used = |from: Node| calls.is_reachable(program.nodes[from].function);
        program.edges.iter().map(|(_, edge)| edge).filter(move |edge| used(edge.from))
    };
    // Operands have smaller ids, so one pass downwards meets all parts of what is evaluated.
    let mut evaluated = vec![false; program.exprs.len()];
    edges().flat_map(|edge| edge.op.operands()).for_each(|operand| evaluated[operand.index()] = true);
    let mut read: HashSet<VarId> = HashSet::new();
    for at in (0..evaluated.len()).rev() {
        if !evaluated[at] {
            continue;
        }
        let mut part = |id: cfa::ExprId| evaluated[id.index()] = true;
        match program.exprs.node(cfa::ExprId::new(at)) {
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => {}
            Expr::Var(var) => {
                read.insert(var);
            }
            Expr::Load(a) | Expr::Unary(_, a) | Expr::Cast(a) => part(a),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(part),
            Expr::Ite(a, b, c) => [a, b, c].into_iter().for_each(part),
            Expr::Living(question) => question.pointer().into_iter().for_each(part),
        }
    }
    let calls = edges().filter_map(|edge| match &edge.op {
        Op::Call { function, result: Some(result), .. } => {
            let is_read = read.contains(result) || program.vars[*result].function.is_none();
            is_read.then_some((program.nodes[edge.from].function, *function))
        }
        _ => None,
    });
    calls.collect()
}

//! One target per place in the user's text: programs call a helper such as `assert(condition)` from many places, and the
//! error itself stands once, in the helper. Every call gets a helper of its own here, so that each has its own target.
//!
//! A helper is a small function of the user without loops and without locals in memory, that has one target and calls
//! nothing, or that calls one other helper and has no target. Its target is where the outermost helper is called.

use crate::copied::copy_function;
use base::Span;
use cfa::{Edge, EdgeId, FunctionId, FunctionKind, Node, Op, Program};
use flow::CallGraph;
use rustc_hash::FxHashMap;

/// A function with more edges than this is not a helper.
const MOST_EDGES: usize = 24;
/// A program does not get more copies than this; calls after them share a target.
const MOST_COPIES: usize = 1000;

/// Gives every call of a helper its own helper. Edges get new ids.
pub fn split_helpers(program: &mut Program) {
    let mut helpers = helpers(program);
    // Callers come before what they call.
    helpers.reverse();
    debug_assert!(program.is_indexed(), "edges changed without index()");
    let mut left = MOST_COPIES;
    // Where the outermost helper is called, by function.
    let mut called: FxHashMap<FunctionId, Span> = FxHashMap::default();
    for helper in helpers {
        let is_call = |edge: &Edge| matches!(edge.op, Op::Call { function, .. } if function == helper);
        let calls: Vec<EdgeId> = program.edges.iter().filter(|(_, edge)| is_call(edge)).map(|(id, _)| id).collect();
        if calls.len() > left + 1 {
            continue;
        }
        for (count, call) in calls.into_iter().enumerate() {
            let caller = program.nodes[program.edges[call].from].function;
            let span = called.get(&caller).copied().unwrap_or(program.edges[call].span);
            let own = if count == 0 { helper } else { copy_function(program, helper).function };
            left -= usize::from(count > 0);
            called.insert(own, span);
            if let Op::Call { function, .. } = &mut program.edges[call].op {
                *function = own;
            }
            let nodes = &program.nodes;
            for target in program.targets.iter_mut().filter(|target| nodes[target.node].function == own) {
                target.span = span;
            }
        }
    }
    program.index();
    program.assert_valid();
}

/// The helpers, each after the one it calls.
fn helpers(program: &Program) -> Vec<FunctionId> {
    let calls = CallGraph::new(program);
    let mut helpers: Vec<FunctionId> = Vec::new();
    loop {
        let before = helpers.len();
        for id in program.functions.ids().filter(|&id| calls.is_reachable(id)) {
            if !helpers.contains(&id) && is_helper(program, id, &calls, &helpers) {
                helpers.push(id);
            }
        }
        if helpers.len() == before {
            return helpers;
        }
    }
}

fn is_helper(program: &Program, id: FunctionId, calls: &CallGraph, helpers: &[FunctionId]) -> bool {
    let function = &program.functions[id];
    let is_first = calls.callers(id).iter().any(|(_, caller)| *caller == program.entry);
    let in_memory = function.locals.iter().any(|&var| program.register(var).is_none());
    let here = |node: Node| program.nodes[node].function == id;
    let edges = program.edges.iter().filter(|(_, edge)| here(edge.from)).count();
    let loops = program.nodes.iter().any(|(node, info)| info.loop_head && here(node));
    if function.kind != FunctionKind::Defined || is_first || in_memory || edges > MOST_EDGES || loops {
        return false;
    }
    let targets = program.targets.iter().filter(|target| here(target.node)).count();
    match calls.calls(id) {
        [] => targets == 1,
        [(_, callee)] => targets == 0 && helpers.contains(callee),
        _ => false,
    }
}

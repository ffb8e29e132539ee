//! What belongs to a loop: its members, and the functions that are called from there. And which writes to memory may
//! change what a loop reads when it goes on.

use cfa::{Allocation, BinOp, EdgeId, Expr, ExprId, FunctionId, Node, Op, Program, Scalar, VarId};
use flow::{CallGraph, LoopId, Loops};
use std::collections::BTreeSet;

/// A loop with all that happens while it runs.
pub struct Scope {
    /// Which loop.
    pub id: LoopId,
    /// Whose loop.
    pub function: FunctionId,
    /// Its head.
    pub head: Node,
    /// The functions that it calls, and those that they call.
    pub functions: BTreeSet<FunctionId>,
    /// Edges between members of the loop.
    pub own: Vec<EdgeId>,
    /// Those, and all edges of the functions.
    pub edges: Vec<EdgeId>,
}

impl Scope {
    pub fn new(program: &Program, loops: &Loops, calls: &CallGraph, id: LoopId) -> Scope {
        let one = &loops.loops[id];
        let inside = |&edge: &EdgeId| loops.contains(id, program.edges[edge].to);
        let own: Vec<EdgeId> =
            loops.members(id).iter().flat_map(|&node| program.leaving(node)).filter(inside).collect();
        let called = |edge: &EdgeId| match program.edges[*edge].op {
            Op::Call { function, .. } => Some(function),
            _ => None,
        };
        let mut stack: Vec<FunctionId> = own.iter().filter_map(called).collect();
        let mut functions = BTreeSet::new();
        while let Some(function) = stack.pop() {
            if functions.insert(function) {
                stack.extend(calls.calls(function).iter().map(|(_, callee)| *callee));
            }
        }
        let elsewhere = program.edges.iter().filter(|(_, edge)| functions.contains(&program.nodes[edge.from].function));
        let edges = own.iter().copied().chain(elsewhere.map(|(edge, _)| edge)).collect();
        Scope { id, function: one.function, head: one.head, functions, own, edges }
    }
}

/// A write: which loops may find memory changed by it when they go on.
pub struct Wiped {
    /// Those; `None` if it may be any. What changes is gone when the others come to their heads.
    pub loops: Option<Vec<LoopId>>,
    /// Where, and what, if nothing changes where that is there already.
    pub store: Option<(ExprId, ExprId)>,
}

/// What an edge does to memory, if it belongs to a loop of `scopes`.
pub fn wiped(program: &Program, loops: &Loops, scopes: &[Scope], id: EdgeId) -> Option<Wiped> {
    let edge = &program.edges[id];
    let function = program.nodes[edge.from].function;
    let written = match &edge.op {
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Call { .. } | Op::Return(_) => return None,
        Op::Halt(_) | Op::Unsupported(_) => return None,
        Op::Library { function, .. } if function.writes().is_empty() => return None,
        Op::Declare(var) => Some(*var),
        Op::Store { to, .. } | Op::Copy { to, .. } | Op::Fill { to, .. } => object(program, *to),
        Op::HavocMemory { to, .. } | Op::End(to) => object(program, *to),
        // Gone when the function returns.
        Op::Allocate { how: Allocation::Stack, .. } => None,
        Op::Allocate { .. } | Op::Free(_) | Op::Init(_) | Op::CallPointer { .. } | Op::Library { .. } => None,
    };
    let around = |scope: &Scope| loops.contains(scope.id, edge.from) && loops.contains(scope.id, edge.to);
    let is_own = written.is_some_and(|var| program.vars[var].function == Some(function));
    let store = compared(program, &edge.op);
    if is_own || matches!(edge.op, Op::Allocate { how: Allocation::Stack, .. }) {
        let own: Vec<LoopId> = scopes.iter().filter(|scope| around(scope)).map(|scope| scope.id).collect();
        return (!own.is_empty()).then_some(Wiped { loops: Some(own), store });
    }
    let touched = scopes.iter().any(|scope| scope.functions.contains(&function) || around(scope));
    touched.then_some(Wiped { loops: None, store })
}

/// A store whose value can be compared with what is there. Pointers also have an origin, which cannot.
fn compared(program: &Program, op: &Op) -> Option<(ExprId, ExprId)> {
    match *op {
        Op::Store { to, value } if program.exprs.ty(value).is_int() => Some((to, value)),
        _ => None,
    }
}

/// The variable that a pointer is made from.
fn object(program: &Program, pointer: ExprId) -> Option<VarId> {
    match program.exprs.node(pointer) {
        Expr::Addr(var) => Some(var),
        Expr::Binary(BinOp::PtrAdd, base, _) => object(program, base),
        Expr::Cast(inner) if program.exprs.ty(inner) == Scalar::Ptr => object(program, inner),
        _ => None,
    }
}

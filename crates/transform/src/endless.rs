//! Executions that never end, as a program that has to be safe [CCFNO14]. With inputs fixed, each end of the program is a
//! target: if none is reached, what the invariants of the proof describe is a closed recurrent set [GHMRX08]. From every
//! state of it some step stays inside, with these inputs, and the start of the program leads there.
//!
//! 1. An input that is given a value has it each time; all others stay arbitrary, so that the proof is about each value.
//! 2. What is undefined is an end: an execution is not called endless for what comes after it. A signed operation that
//!    overflows gives any value, so that the set is closed whatever that is.
//! 3. So are `exit`, the return from `main`, assumptions that fail, code that is not modelled, and dead ends.

use crate::exact::arbitrary_overflow;
use crate::lassos::moves_on;
use crate::memory_checks::{Need, check_memory, insert};
use base::Span;
use cfa::{
    BinOp, Check, Checks, Edge, EdgeId, Expr, ExprId, FunctionId, Node, NodeInfo, Op, Program, Question, Scalar,
    Target, TargetKind,
};
use flow::{CallGraph, Loops};
use std::collections::{BTreeMap, BTreeSet};

/// The program in which no end may be reached, where inputs have the values that are given for the nodes where they are
/// asked for. Nodes keep their numbers. `None` if memory may run out before.
pub fn without_end(plain: &Program, inputs: &BTreeMap<Node, u128>) -> Option<Program> {
    debug_assert!(plain.is_indexed(), "edges changed without index()");
    debug_assert!(plain.targets.is_empty(), "a program without watches has no targets");
    if allocates_again(plain) {
        return None;
    }
    let mut program = plain.clone();
    program.question = Question::Targets;
    fix(&mut program, inputs); // 1
    let mut program = arbitrary_overflow(&program); // 2
    check_arithmetic(&mut program);
    check_memory(&mut program, Checks::of(&[Check::Deref, Check::ReadOnly, Check::Free]));
    close_ends(&mut program); // 3
    program.index();
    flow::find_loops(&mut program);
    program.assert_valid();
    Some(program)
}

/// Whether memory is allocated in a loop or a recursion: formulas have room for finitely many objects.
fn allocates_again(program: &Program) -> bool {
    let (loops, calls) = (Loops::new(program), CallGraph::new(program));
    let in_loop = |node: Node| loops.innermost(node).is_some();
    let mut stack: Vec<FunctionId> = program.functions.ids().filter(|&id| calls.is_recursive(id)).collect();
    stack.extend(program.edges.iter().filter_map(|(_, edge)| match edge.op {
        Op::Call { function, .. } if in_loop(edge.from) => Some(function),
        _ => None,
    }));
    let mut repeated: BTreeSet<FunctionId> = BTreeSet::new();
    while let Some(function) = stack.pop() {
        if repeated.insert(function) {
            stack.extend(calls.calls(function).iter().map(|(_, callee)| *callee));
        }
    }
    let again = |edge: &Edge| in_loop(edge.from) || repeated.contains(&program.nodes[edge.from].function);
    program.edges.iter().any(|(_, edge)| matches!(edge.op, Op::Allocate { .. }) && again(edge))
}

/// Step 1.
fn fix(program: &mut Program, inputs: &BTreeMap<Node, u128>) {
    for id in program.edges.ids() {
        let Op::Havoc(var, _) = program.edges[id].op else { continue };
        let (Some(&value), Some(ty)) = (inputs.get(&program.edges[id].from), program.register(var)) else { continue };
        // Which object a pointer from outside leads to is not a number; clocks do not say the same for ever.
        if ty != Scalar::Ptr && !moves_on(program, id) {
            let value = program.exprs.bits(ty, value);
            program.edges[id].op = Op::Assign(var, value);
        }
    }
}

/// Step 2, for numbers: branches to targets before operations that are undefined.
fn check_arithmetic(program: &mut Program) {
    let nodes: Vec<Node> = program.nodes.ids().collect();
    let leaving: Vec<Vec<EdgeId>> = nodes.iter().map(|&node| program.leaving(node).collect()).collect();
    for (node, leaving) in nodes.into_iter().zip(leaving) {
        let mut needs: Vec<Need> = Vec::new();
        for &edge in &leaving {
            let (op, span) = (program.edges[edge].op.clone(), program.edges[edge].span);
            for operand in op.operands() {
                let undefined = undefined(program, operand);
                needs.extend(undefined.map(|violated| Need {
                    violated,
                    kind: Check::Division,
                    span,
                    values: [None; 2],
                    symbol: "",
                }));
            }
        }
        let mut seen = BTreeSet::new();
        needs.retain(|need| program.exprs.constant(need.violated) != Some(0) && seen.insert(need.violated));
        insert(program, node, leaving, &needs);
    }
    program.index();
}

/// That a part of an expression is undefined, but for overflow; `None` if no part can be. Conversions from floats count as
/// undefined.
fn undefined(program: &mut Program, root: ExprId) -> Option<ExprId> {
    let mut parts: Vec<(ExprId, Expr)> = Vec::new();
    program.exprs.visit(root, |id, node| parts.push((id, node)));
    let exprs = &mut program.exprs;
    let mut all: Option<ExprId> = None;
    for (id, node) in parts {
        let violated = match node {
            Expr::Binary(BinOp::Div | BinOp::Rem, a, b) if exprs.ty(b).is_int() => {
                let ty = exprs.ty(b);
                let zero = exprs.int(ty, 0);
                let by_zero = exprs.binary(BinOp::Eq, b, zero);
                match ty {
                    Scalar::Int { bits, signed: true } => {
                        let (minus, least) = (exprs.int(ty, -1), exprs.int(ty, -(1i128 << (bits - 1))));
                        let (minus, least) = (exprs.binary(BinOp::Eq, b, minus), exprs.binary(BinOp::Eq, a, least));
                        let overflows = exprs.binary(BinOp::And, minus, least);
                        exprs.binary(BinOp::Or, by_zero, overflows)
                    }
                    _ => by_zero,
                }
            }
            Expr::Binary(BinOp::Shl | BinOp::Shr, a, by) => {
                let (ty, width) = (exprs.ty(by), exprs.ty(a).bits(exprs.model()));
                let (zero, last) = (exprs.int(ty, 0), exprs.int(ty, i128::from(width) - 1));
                let (negative, wide) = (exprs.binary(BinOp::Lt, by, zero), exprs.binary(BinOp::Lt, last, by));
                exprs.binary(BinOp::Or, negative, wide)
            }
            Expr::Cast(inner) if exprs.ty(inner).is_float() && exprs.ty(id).is_int() => exprs.bool(true),
            _ => continue,
        };
        all = Some(all.map_or(violated, |all| exprs.binary(BinOp::Or, all, violated)));
    }
    all
}

/// Step 3.
fn close_ends(program: &mut Program) {
    let exit = program.functions[program.entry].exit;
    for id in program.edges.ids() {
        let Edge { from, to, ref op, span } = program.edges[id];
        let ends = matches!(op, Op::Halt(_) | Op::Unsupported(_) | Op::CallPointer { .. }) || reads_texts(program, op);
        if ends || to == exit {
            let target = end(program, from, span);
            program.edges[id] = Edge { from, to: target, op: Op::Skip, span };
        }
    }
    let exits: BTreeSet<Node> = program.functions.iter().map(|(_, function)| function.exit).collect();
    let targets: BTreeSet<Node> = program.targets.iter().map(|target| target.node).collect();
    let mut leaving: BTreeMap<Node, Vec<EdgeId>> = program.nodes.ids().map(|node| (node, Vec::new())).collect();
    for (id, edge) in program.edges.iter() {
        leaving.entry(edge.from).or_default().push(id);
    }
    for (node, edges) in leaving {
        if edges.is_empty() && !exits.contains(&node) && !targets.contains(&node) {
            program.targets.push(Target::new(node, TargetKind::Label, Span::default()));
        }
        close_assumption(program, node, &edges);
    }
}

/// Where none of the conditions at a node holds, an assumption failed.
fn close_assumption(program: &mut Program, node: Node, leaving: &[EdgeId]) {
    let mut none: Option<ExprId> = None;
    for &edge in leaving {
        let Op::Assume(condition) = program.edges[edge].op else { return };
        let not = program.exprs.not(condition);
        if none == Some(condition) {
            return;
        }
        none = Some(none.map_or(not, |none| program.exprs.binary(BinOp::And, none, not)));
    }
    let Some(none) = none else { return };
    let span = program.edges[leaving[0]].span;
    let target = end(program, node, span);
    program.edges.push(Edge { from: node, to: target, op: Op::Assume(none), span });
}

/// Output that reads memory: what it may read is not said by other operations.
fn reads_texts(program: &Program, op: &Op) -> bool {
    let fixed =
        |arg: ExprId| !program.exprs.ty(arg).eq(&Scalar::Ptr) || matches!(program.exprs.node(arg), Expr::Addr(_));
    matches!(op, Op::Library { args, .. } if !args.iter().all(|&arg| fixed(arg)))
}

/// A new target of the function of a node.
fn end(program: &mut Program, near: Node, span: Span) -> Node {
    let function = program.nodes[near].function;
    let node = program.nodes.push(NodeInfo { function, loop_head: false });
    program.targets.push(Target::new(node, TargetKind::Label, span));
    node
}

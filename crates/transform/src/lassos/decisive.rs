//! The registers that decide how a loop goes on: where they, memory and inputs are the same at its head, the same
//! happens again. A counter that no condition reads is not among them, so that a loop which only counts repeats itself.
//!
//! 1. Decisive are registers in conditions, in pointers that are accessed, in operands whose values may be undefined
//!    behaviour, and in what is written to memory.
//! 2. So is what is assigned to such a register, by arguments, results and returned values as well.
//! 3. Of these count those that the loop changes and that may be read at its head before they are written; of a recursive
//!    function, its parameters and the globals that change.

use super::scope::{Scope, Watched};
use cfa::{BinOp, EdgeId, Expr, ExprId, Node, Op, Program, Scalar, VarId};
use std::collections::BTreeSet;

/// The registers of the loop's function and globals that have to be equal.
pub fn registers(program: &Program, scope: &Scope) -> Vec<VarId> {
    let mut decisive = BTreeSet::new();
    for &edge in &scope.edges {
        seeds(program, &program.edges[edge].op, &mut decisive); // 1
    }
    loop {
        let before = decisive.len();
        for &edge in &scope.edges {
            sources(program, edge, &mut decisive); // 2
        }
        if decisive.len() == before {
            break;
        }
    }
    let changed = scope.changed(program);
    if let Watched::Function(function) = scope.what {
        let params = &program.functions[function].params;
        let is_global = |var: &VarId| program.vars[*var].function.is_none() && changed.contains(var);
        let seen = |var: &VarId| params.contains(var) || is_global(var);
        let counts = |var: &VarId| seen(var) && program.register(*var).is_some();
        return decisive.into_iter().filter(counts).collect();
    }
    let here = |var: &VarId| program.vars[*var].function.is_none_or(|function| function == scope.function);
    let counts = |var: &VarId| here(var) && program.register(*var).is_some() && changed.contains(var);
    decisive.iter().copied().filter(counts).filter(|&var| is_live(program, scope, var)).collect() // 3
}

fn add(program: &Program, root: ExprId, found: &mut BTreeSet<VarId>) {
    program.exprs.visit(root, |_, node| {
        if let Expr::Var(var) = node {
            found.insert(var);
        }
    });
}

fn seeds(program: &Program, op: &Op, found: &mut BTreeSet<VarId>) {
    let exprs = &program.exprs;
    for operand in op.operands() {
        exprs.visit(operand, |id, node| match node {
            Expr::Load(pointer) => add(program, pointer, found),
            Expr::Living(question) => question.pointer().into_iter().for_each(|pointer| add(program, pointer, found)),
            Expr::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, a, b) => {
                add(program, a, found);
                add(program, b, found);
            }
            Expr::Cast(inner) if exprs.ty(inner).is_float() && exprs.ty(id).is_int() => add(program, inner, found),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => {}
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
        });
    }
    match op {
        Op::Assign(..) | Op::Havoc(..) | Op::Call { .. } | Op::Return(_) | Op::Halt(_) | Op::Skip => {}
        Op::Library { args, .. } => {
            let pointers = args.iter().filter(|arg| exprs.ty(**arg) == Scalar::Ptr);
            pointers.for_each(|&arg| add(program, arg, found));
        }
        Op::Assume(_) | Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => {
            op.operands().for_each(|operand| add(program, operand, found));
        }
        Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) | Op::End(_) => {
            op.operands().for_each(|operand| add(program, operand, found));
        }
        Op::CallPointer { .. } | Op::Unsupported(_) => {
            op.operands().for_each(|operand| add(program, operand, found));
        }
    }
}

/// What flows into decisive registers along an edge.
fn sources(program: &Program, id: EdgeId, decisive: &mut BTreeSet<VarId>) {
    let edge = &program.edges[id];
    match &edge.op {
        Op::Assign(var, value) if decisive.contains(var) => add(program, *value, decisive),
        Op::Call { function, args, result } => {
            let callee = &program.functions[*function];
            for (param, &arg) in callee.params.iter().zip(args) {
                if decisive.contains(param) {
                    add(program, arg, decisive);
                }
            }
            if result.is_some_and(|result| decisive.contains(&result)) {
                decisive.extend(callee.result);
            }
        }
        Op::Return(Some(value)) => {
            let result = program.functions[program.nodes[edge.from].function].result;
            if result.is_some_and(|result| decisive.contains(&result)) {
                add(program, *value, decisive);
            }
        }
        Op::Library { args, result: Some(result), .. } if decisive.contains(result) => {
            args.iter().for_each(|&arg| add(program, arg, decisive));
        }
        _ => {}
    }
}

/// Whether the register may be read on a way from the head that stays in the loop and did not write it.
fn is_live(program: &Program, scope: &Scope, var: VarId) -> bool {
    let global = program.vars[var].function.is_none();
    let mut seen: BTreeSet<Node> = BTreeSet::new();
    let mut stack = vec![scope.head];
    while let Some(node) = stack.pop() {
        if !seen.insert(node) {
            continue;
        }
        for id in program.leaving(node) {
            let edge = &program.edges[id];
            if edge.op.operands().any(|operand| reads(program, operand, var))
                || global && matches!(edge.op, Op::Call { .. })
            {
                return true;
            }
            if scope.own.contains(&id) && edge.op.variable() != Some(var) {
                stack.push(edge.to);
            }
        }
    }
    false
}

fn reads(program: &Program, root: ExprId, var: VarId) -> bool {
    let mut found = false;
    program.exprs.visit(root, |_, node| found |= node == Expr::Var(var));
    found
}

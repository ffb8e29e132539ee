//! Locals that may come into being again while something has the address of the one before.

use cfa::{EdgeId, Expr, FunctionId, Op, Program, VarId};
use flow::points_to::PointsTo;
use flow::uses::size_of;
use flow::{Holders, Prepared};
use rustc_hash::FxHashSet;

/// Variables of which a pointer may be older than the object.
pub(super) fn reborn(program: &Prepared, points_to: &PointsTo) -> FxHashSet<VarId> {
    let holders = Holders::new(program, points_to);
    let again = entered_again(program);
    let mut reborn = FxHashSet::default();
    for (id, variable) in program.vars.iter() {
        if let Some(function) = variable.function
            && size_of(program, id).is_some()
            && holders.after_return(id)
            && again.contains(&function)
        {
            reborn.insert(id);
        }
    }
    for (id, edge) in program.edges.iter() {
        if let Op::End(pointer) = edge.op
            && let Expr::Addr(var) = program.exprs.node(pointer)
            && !reborn.contains(&var)
            && is_in_loop(program, id)
            && holders.after_scope(id)
        {
            reborn.insert(var);
        }
    }
    reborn
}

/// Functions that may be entered more than once: those with several calls or one in a loop, and what they call.
fn entered_again(program: &Prepared) -> FxHashSet<FunctionId> {
    let calls = program.calls();
    let is_called_again = |function: &FunctionId| match calls.callers(*function) {
        [] => false,
        [(edge, _)] => is_in_loop(program, *edge),
        _ => true,
    };
    let mut work: Vec<FunctionId> = program.functions.ids().filter(is_called_again).collect();
    let mut again = FxHashSet::default();
    while let Some(function) = work.pop() {
        if again.insert(function) {
            work.extend(calls.calls(function).iter().map(|(_, callee)| callee));
        }
    }
    again
}

/// Whether a path of the function leads from the edge back to it.
fn is_in_loop(program: &Program, edge: EdgeId) -> bool {
    let (start, end) = (program.edges[edge].to, program.edges[edge].from);
    let mut seen = FxHashSet::from_iter([start]);
    let mut work = vec![start];
    while let Some(node) = work.pop() {
        if node == end {
            return true;
        }
        let next = program.leaving(node).map(|edge| program.edges[edge].to);
        work.extend(next.filter(|&node| seen.insert(node)));
    }
    false
}

//! Checks that no call uses the value of a function that ended without one. Lowering sets a register where a function does
//! so; after each call that may lead there it is looked at, if the result is used, and cleared. So it is never set
//! anywhere else.

use crate::memory_checks::{Need, insert};
use cfa::{BinOp, Check, Checks, Edge, EdgeId, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar, VarId};
use rustc_hash::FxHashSet;

/// Adds the checks if they are wanted. Edges get new ids; loop heads are not known yet.
pub fn check_returned(program: &mut Program, wanted: Checks) {
    let Some(flag) = flag(program).filter(|_| wanted.has(Check::Uninitialised)) else { return };
    let lacking = lacking(program, flag);
    let concerns = |edge: &Edge| match &edge.op {
        Op::Call { function, .. } => lacking.contains(function),
        Op::CallPointer { .. } => !lacking.is_empty(),
        _ => false,
    };
    let calls: Vec<EdgeId> = program.edges.iter().filter(|(_, edge)| concerns(edge)).map(|(id, _)| id).collect();
    let cleared: Vec<(Node, Need)> = calls.into_iter().filter_map(|call| clear(program, call, flag)).collect();
    program.index();
    for (node, need) in cleared {
        let leaving: Vec<EdgeId> = program.leaving(node).collect();
        program.checks.made += 1;
        insert(program, node, leaving, &[need]);
    }
    program.index();
    program.assert_valid();
}

fn flag(program: &Program) -> Option<VarId> {
    let named = |var: &VarId| program.text(program.vars[*var].name) == cfa::UNRETURNED;
    program.vars.ids().find(|var| program.vars[*var].function.is_none() && named(var))
}

/// The functions of the program that set the flag.
fn lacking(program: &Program, flag: VarId) -> FxHashSet<FunctionId> {
    let sets = program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Assign(var, _) if var == flag));
    let functions = sets.map(|(_, edge)| program.nodes[edge.from].function);
    functions.filter(|&function| program.functions[function].kind == FunctionKind::Defined).collect()
}

/// Clears the flag after a call; gives the check before that, if the result of the call is used.
fn clear(program: &mut Program, call: EdgeId, flag: VarId) -> Option<(Node, Need)> {
    let Edge { from, to, span, ref op } = program.edges[call];
    let result = op.variable();
    let after = program.nodes.push(NodeInfo { function: program.nodes[from].function, loop_head: false });
    program.edges[call].to = after;
    let zero = program.exprs.int(Scalar::BYTE, 0);
    program.edges.push(Edge { from: after, to, op: Op::Assign(flag, zero), span });
    let result = result?;
    let flag = program.exprs.var(flag, Scalar::BYTE);
    let given = program.exprs.binary(BinOp::Eq, flag, zero);
    let violated = program.exprs.not(given);
    let scalar = program.register(result).expect("results of calls are registers");
    let values = [Some(program.exprs.var(result, scalar)), None];
    Some((after, Need { violated, kind: Check::Uninitialised, span, values, symbol: "" }))
}

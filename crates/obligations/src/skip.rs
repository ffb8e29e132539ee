//! Calls that are not followed. Whatever a function and all that it calls may change becomes arbitrary: registers of others
//! that some operation there assigns, and all of memory if anything there writes to it. So the call stands for every
//! call that could be. Only functions from which no target and no C that is not modelled is reached can be left out.

use crate::frames::forget_memory;
use cfa::{EdgeId, Expr, FunctionId, Op, Program, VarId};
use flow::CallGraph;
use reference::{Encoder, SymbolicState};
use std::collections::{BTreeMap, BTreeSet};

/// What a call may change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Effects {
    /// Registers of other functions, or of none.
    registers: BTreeSet<VarId>,
    /// Whether something writes to memory, allocates or frees. Variables live as long as their own functions say.
    memory: bool,
}

/// The functions among those that are wanted which can be left out, and what calls of them may change.
pub(crate) fn skippable(
    program: &Program,
    calls: &CallGraph,
    wanted: &BTreeSet<FunctionId>,
) -> BTreeMap<FunctionId, Effects> {
    let own = own_effects(program);
    let whole = |&function: &FunctionId| {
        let mut all = Effects::default();
        for callee in closure(calls, function) {
            let Effects { registers, memory } = own.get(&callee)?.as_ref()?;
            all.registers.extend(registers);
            all.memory |= memory;
        }
        Some((function, all))
    };
    wanted.iter().filter(|&&function| function != program.entry).filter_map(whole).collect()
}

/// A function and all that it calls.
fn closure(calls: &CallGraph, function: FunctionId) -> BTreeSet<FunctionId> {
    let (mut all, mut waiting) = (BTreeSet::from([function]), vec![function]);
    while let Some(function) = waiting.pop() {
        waiting.extend(calls.calls(function).iter().map(|(_, callee)| *callee).filter(|&callee| all.insert(callee)));
    }
    all
}

/// What the operations of each function change; `None` if one of them must not be left out.
fn own_effects(program: &Program) -> BTreeMap<FunctionId, Option<Effects>> {
    let mut all: BTreeMap<FunctionId, Option<Effects>> =
        program.functions.ids().map(|function| (function, Some(Effects::default()))).collect();
    for (_, edge) in program.edges.iter() {
        let function = program.nodes[edge.from].function;
        let known = all.get_mut(&function).expect("every function is listed");
        *known = known.take().and_then(|known| with_operation(program, function, &edge.op, known));
    }
    for target in program.targets.iter() {
        all.insert(program.nodes[target.node].function, None);
    }
    all
}

fn with_operation(program: &Program, function: FunctionId, op: &Op, mut known: Effects) -> Option<Effects> {
    let is_own = |var: VarId| program.vars[var].function == Some(function);
    let assigned = match op {
        Op::Assign(var, _) | Op::Havoc(var, _) => Some(*var),
        Op::Call { result, .. } => *result,
        Op::Library { result, .. } => {
            known.memory = true;
            *result
        }
        Op::Allocate { result, .. } => {
            known.memory = true;
            Some(*result)
        }
        Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } | Op::Free(_) | Op::Init(_) => {
            known.memory = true;
            None
        }
        Op::Declare(var) if !is_own(*var) => return None,
        Op::End(pointer) if !matches!(program.exprs.node(*pointer), Expr::Addr(var) if is_own(var)) => return None,
        Op::Declare(_) | Op::End(_) => None,
        Op::Skip | Op::Assume(_) | Op::Return(_) | Op::Halt(_) => None,
        Op::CallPointer { .. } | Op::Unsupported(_) => return None,
    };
    known.registers.extend(assigned.filter(|&var| !is_own(var)));
    Some(known)
}

/// A call that is left out.
pub(crate) fn skip(encoder: &Encoder, edge: EdgeId, state: &mut SymbolicState, effects: &Effects) {
    let edge = &encoder.program.edges[edge];
    let Op::Call { function, result, .. } = &edge.op else { unreachable!("only calls are left out") };
    encoder.place.set(edge.span);
    encoder.inexact.set(true);
    for &var in &effects.registers {
        if state.frames.iter().any(|frame| frame.registers.contains_key(&var)) {
            encoder.assign(state, var, encoder.arbitrary(var));
        }
    }
    if effects.memory {
        forget_memory(encoder, state);
    }
    if let (&Some(result), Some(var)) = (result, encoder.program.functions[*function].result) {
        encoder.assign(state, result, encoder.arbitrary(var));
    }
}

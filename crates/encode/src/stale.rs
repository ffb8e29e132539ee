//! Registers of a function that may be read before they are written: a new activation makes them arbitrary, all others
//! can keep what an earlier activation left.

use base::{Id, IdVec};
use cfa::{Allocation, Expr, ExprId, FunctionId, Op, Program, VarId};
use rustc_hash::FxHashMap;

/// The registers that are live at the entry of every function, without its parameters.
pub fn stale(program: &Program) -> IdVec<FunctionId, Box<[VarId]>> {
    let mut leaving: IdVec<FunctionId, Vec<cfa::EdgeId>> = IdVec::filled(program.functions.len(), Vec::new());
    for (id, edge) in program.edges.iter() {
        leaving[program.nodes[edge.from].function].push(id);
    }
    let mut result = IdVec::new();
    for (id, function) in program.functions.iter() {
        result.push(live_at_entry(program, &function.locals, &leaving[id], function.entry, &function.params));
    }
    result
}

fn live_at_entry(
    program: &Program,
    locals: &[VarId],
    edges: &[cfa::EdgeId],
    entry: cfa::Node,
    params: &[VarId],
) -> Box<[VarId]> {
    let registers: Vec<VarId> = locals.iter().copied().filter(|var| program.register(*var).is_some()).collect();
    let number: FxHashMap<VarId, usize> = registers.iter().enumerate().map(|(at, var)| (*var, at)).collect();
    let words = registers.len().div_ceil(64);
    let mut live: FxHashMap<cfa::Node, Vec<u64>> = FxHashMap::default();
    let effects: Vec<(Vec<usize>, Option<usize>)> = edges
        .iter()
        .map(|edge| {
            let (reads, write) = effect(program, &program.edges[*edge].op);
            let reads = reads.iter().filter_map(|var| number.get(var).copied()).collect();
            (reads, write.and_then(|var| number.get(&var).copied()))
        })
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (edge, (reads, write)) in edges.iter().zip(&effects).rev() {
            let edge = &program.edges[*edge];
            let mut set = live.get(&edge.to).cloned().unwrap_or_else(|| vec![0; words]);
            if let Some(write) = write {
                set[write / 64] &= !(1 << (write % 64));
            }
            for read in reads {
                set[read / 64] |= 1 << (read % 64);
            }
            let before = live.entry(edge.from).or_insert_with(|| vec![0; words]);
            for (old, new) in before.iter_mut().zip(&set) {
                changed |= *old | new != *old;
                *old |= new;
            }
        }
    }
    let at_entry = live.remove(&entry).unwrap_or_else(|| vec![0; words]);
    let is_live = |at: usize| at_entry[at / 64] >> (at % 64) & 1 == 1;
    registers
        .iter()
        .enumerate()
        .filter(|(at, var)| is_live(*at) && !params.contains(var))
        .map(|(_, var)| *var)
        .collect()
}

/// The registers that an operation reads, and the one it writes.
fn effect(program: &Program, op: &Op) -> (Vec<VarId>, Option<VarId>) {
    let mut roots: Vec<ExprId> = Vec::new();
    let mut write = None;
    match op {
        Op::Skip | Op::Init(_) | Op::Declare(_) | Op::Unsupported(_) => {}
        Op::Assume(value) => roots.push(*value),
        Op::Assign(var, value) => {
            roots.push(*value);
            write = Some(*var);
        }
        Op::Havoc(var, _) => write = Some(*var),
        Op::Store { to, value } => roots.extend([*to, *value]),
        Op::Copy { to, from, size } => roots.extend([*to, *from, *size]),
        Op::Fill { to, byte, size } => roots.extend([*to, *byte, *size]),
        Op::HavocMemory { to, size, .. } => {
            roots.push(*to);
            roots.extend(size);
        }
        Op::Allocate { result, size, how } => {
            roots.push(*size);
            if let Allocation::Resize(old) = how {
                roots.push(*old);
            }
            write = Some(*result);
        }
        Op::Free(pointer) | Op::End(pointer) => roots.push(*pointer),
        Op::Call { args, result, .. } | Op::Library { args, result, .. } => {
            roots.extend(args);
            write = *result;
        }
        Op::CallPointer { pointer, args, result, .. } => {
            roots.push(*pointer);
            roots.extend(args);
            write = *result;
        }
        Op::Return(value) | Op::Halt(value) => roots.extend(value),
    }
    let mut reads = Vec::new();
    for root in roots {
        program.exprs.visit(root, |_, node| {
            if let Expr::Var(var) = node {
                debug_assert!(var.index() < program.vars.len());
                reads.push(var);
            }
        });
    }
    (reads, write)
}

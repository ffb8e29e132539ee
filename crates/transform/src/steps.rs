//! Pointers that step after they were copied: `*p++` is `t = p; p = t + 1; *t`. The copy is said by the pointer itself, `p = p +
//! 1; *(p - 1)`, so that the pointer is seen to walk, and questions about the copy are questions about it.
//!
//! A forward analysis of what holds on all paths finds where a copy is its pointer and a constant.

use cfa::{BinOp, Expr, ExprId, FunctionId, Node, Op, Program, Scalar, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each copy how far it is from which pointer.
type Copies = FxHashMap<VarId, (VarId, i128)>;

/// Says copies of stepping pointers by the pointers. The program must be indexed.
pub(crate) fn follow_copies(program: &mut Program) {
    let pairs = pairs(program);
    if pairs.is_empty() {
        return;
    }
    let functions: FxHashSet<FunctionId> =
        pairs.iter().filter_map(|&(_, pointer)| program.vars[pointer].function).collect();
    let known = solve(program, &pairs, &functions);
    for (node, copies) in known {
        let edges: Vec<_> = program.leaving(node).collect();
        for id in edges {
            let op = program.edges[id].op.clone();
            program.edges[id].op = rewritten(program, &op, &copies);
        }
    }
}

/// A sum that starts with a pointer in a register and adds a constant.
fn sum(program: &Program, value: ExprId) -> Option<(VarId, i128)> {
    match program.exprs.node(value) {
        Expr::Var(var) if program.register(var) == Some(Scalar::Ptr) && program.vars[var].function.is_some() => {
            Some((var, 0))
        }
        Expr::Binary(BinOp::PtrAdd, base, by) => {
            let (var, before) = sum(program, base)?;
            Some((var, before + program.exprs.integer(by)?))
        }
        _ => None,
    }
}

/// Copies with the pointers that step by way of them.
fn pairs(program: &Program) -> FxHashSet<(VarId, VarId)> {
    let assigned = || {
        program.edges.iter().filter_map(|(_, edge)| match edge.op {
            Op::Assign(var, value) => sum(program, value).map(|(from, by)| (var, from, by)),
            _ => None,
        })
    };
    let copied: FxHashSet<(VarId, VarId)> =
        assigned().filter(|(_, _, by)| *by == 0).map(|(copy, pointer, _)| (copy, pointer)).collect();
    assigned().map(|(pointer, copy, _)| (copy, pointer)).filter(|pair| copied.contains(pair)).collect()
}

/// What is known at each node of the functions.
fn solve(
    program: &Program,
    pairs: &FxHashSet<(VarId, VarId)>,
    functions: &FxHashSet<FunctionId>,
) -> FxHashMap<Node, Copies> {
    let mut known: FxHashMap<Node, Copies> = FxHashMap::default();
    let mut waiting: Vec<Node> = functions.iter().map(|&function| program.functions[function].entry).collect();
    known.extend(waiting.iter().map(|&entry| (entry, Copies::default())));
    while let Some(node) = waiting.pop() {
        for id in program.leaving(node) {
            let edge = &program.edges[id];
            let after = after(program, &edge.op, pairs, known[&node].clone());
            let changed = match known.get_mut(&edge.to) {
                None => {
                    known.insert(edge.to, after);
                    true
                }
                Some(old) => {
                    let before = old.len();
                    old.retain(|copy, place| after.get(copy) == Some(place));
                    old.len() < before
                }
            };
            if changed {
                waiting.push(edge.to);
            }
        }
    }
    known
}

fn after(program: &Program, op: &Op, pairs: &FxHashSet<(VarId, VarId)>, mut copies: Copies) -> Copies {
    let Some(set) = op.variable() else { return copies };
    let from = match *op {
        Op::Assign(_, value) => sum(program, value),
        _ => None,
    };
    let step = from.and_then(|from| stepped(set, from, &copies));
    copies.remove(&set);
    match step {
        Some(by) => copies.values_mut().filter(|(pointer, _)| *pointer == set).for_each(|(_, at)| *at -= by),
        None => {
            copies.retain(|_, (pointer, _)| *pointer != set);
            if let Some((pointer, by)) = from.filter(|(pointer, _)| pairs.contains(&(set, *pointer))) {
                copies.insert(set, (pointer, by));
            }
        }
    }
    copies
}

/// How far the pointer steps that is set to the sum, if it was itself before.
fn stepped(set: VarId, (from, by): (VarId, i128), copies: &Copies) -> Option<i128> {
    match copies.get(&from) {
        _ if from == set => Some(by),
        Some(&(pointer, at)) if pointer == set => Some(at + by),
        _ => None,
    }
}

fn rewritten(program: &mut Program, op: &Op, copies: &Copies) -> Op {
    if let Op::Assign(set, value) = *op
        && let Some(from) = sum(program, value)
        && let Some(by) = stepped(set, from, copies)
    {
        return Op::Assign(set, at(program, set, by));
    }
    let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for (&copy, &(pointer, by)) in copies.iter().filter(|(_, (_, by))| *by != 0) {
        new.insert(program.exprs.var(copy, Scalar::Ptr), at(program, pointer, by));
    }
    if new.is_empty() { op.clone() } else { op.map_operands(|operand| program.exprs.substitute(operand, &mut new)) }
}

fn at(program: &mut Program, pointer: VarId, by: i128) -> ExprId {
    let exprs = &mut program.exprs;
    let by = exprs.int(exprs.model().offset_type(), by);
    let pointer = exprs.var(pointer, Scalar::Ptr);
    exprs.binary(BinOp::PtrAdd, pointer, by)
}

//! The values that a violated check had: of what was divided, added, shifted or accessed.

use base::Cancel;
use cfa::{Edge, NodeInfo, Op, Program, Scalar, Storage, VarKind, Variable};
use semantics::history::EdgeEffect;
use semantics::interpreter::RunEnd;
use semantics::replay::observe;
use verdict::Counterexample;

/// The type and the bits of a value.
pub type Operand = (Scalar, u128);

/// The operands of the check that a counterexample violates, where it has some. The execution is repeated on a program
/// that assigns them just before the target.
pub fn operands(program: &Program, counterexample: &Counterexample, cancel: &Cancel) -> [Option<Operand>; 2] {
    let target = program.targets[counterexample.target];
    let mut watched = program.clone();
    let mut edges: Vec<Edge> = std::mem::take(&mut watched.edges).into_iter().collect();
    let function = watched.nodes[target.node].function;
    let mut assigned = Vec::new();
    let mut end = target.node;
    for &value in target.values.iter().rev().flatten() {
        let ty = watched.exprs.ty(value);
        if ty == Scalar::Bool {
            continue;
        }
        let before = watched.nodes.push(NodeInfo { function, loop_head: false });
        let var = watched.vars.push(Variable {
            name: watched.names.intern(&format!("$operand{}", assigned.len())),
            function: Some(function),
            kind: VarKind::Temporary,
            ty: watched.types.intern(cfa::types::Type::Void),
            storage: Storage::Register(ty),
            init: Box::default(),
            span: target.span,
        });
        watched.functions[function].locals.push(var);
        edges.push(Edge { from: before, to: end, op: Op::Assign(var, value), span: target.span });
        assigned.push(ty);
        end = before;
    }
    if assigned.is_empty() {
        return [None; 2];
    }
    let first_new = edges.len() - assigned.len();
    for edge in edges[..first_new].iter_mut().filter(|edge| edge.to == target.node) {
        edge.to = end;
    }
    watched.edges = base::IdVec::from(edges);
    watched.index();
    let run = observe(&watched, &counterexample.replay_choices(), cancel);
    if run.outcome != RunEnd::Target(counterexample.target) {
        return [None; 2];
    }
    let mut values = run.history.facts.iter().rev().filter_map(|noticed| match noticed.fact {
        EdgeEffect::Value { ty, bits } => Some((ty, bits)),
        EdgeEffect::Read(_) | EdgeEffect::Written(_) | EdgeEffect::Nothing => None,
    });
    // The last one was assigned last.
    let mut found: Vec<Operand> = values.by_ref().take(assigned.len()).collect();
    found.reverse();
    let mut found = found.into_iter();
    target.values.map(|value| value.filter(|&value| program.exprs.ty(value) != Scalar::Bool).and_then(|_| found.next()))
}

//! Checks that nothing is written into string literals and objects that are defined `const`. Points-to knows which of them
//! a pointer may lead to; most lead to none, and need no check. For the others a condition on addresses says whether
//! the written place begins inside one of them.

use crate::memory_checks::{Need, insert};
use base::Span;
use cfa::{BinOp, Check, Edge, EdgeId, ExprId, Node, Op, Program, Storage, VarId, VarKind};
use flow::PointsTo;
use flow::points_to::ObjectKind;
use std::collections::BTreeMap;

/// Objects that one condition may name; if there are more, none is checked.
const MOST: usize = 32;

/// Adds the checks if they are wanted. Edges get new ids; loop heads are not known yet.
pub fn check_read_only(program: &mut Program, points_to: &PointsTo) {
    if !std::mem::take(&mut program.checks.constants) {
        return;
    }
    debug_assert!(program.is_indexed(), "edges changed without index()");
    let writes: Vec<(Node, Span, ExprId)> = program.edges.iter().filter_map(|(_, edge)| written(edge)).collect();
    let mut needs: BTreeMap<Node, Vec<Need>> = BTreeMap::new();
    for (node, span, to) in writes {
        let (constants, unknown) = constants(program, points_to, to);
        if unknown || constants.len() > MOST {
            assume(program);
        }
        if points_to.is_reachable(program.nodes[node].function) && (1..=MOST).contains(&constants.len()) {
            let violated = inside_any(program, to, &constants);
            let need = Need { violated, kind: Check::Argument, span, values: [Some(to), None] };
            needs.entry(node).or_default().push(need);
        }
    }
    let leaving: Vec<Vec<EdgeId>> = needs.keys().map(|&node| program.leaving(node).collect()).collect();
    let first = program.targets.len();
    for ((&node, needs), leaving) in needs.iter().zip(leaving) {
        program.checks.made += needs.len() as u32;
        insert(program, node, leaving, needs);
    }
    program.targets[first..].iter_mut().for_each(|target| target.symbol = "=");
    program.index();
}

/// Where an operation of the program writes.
fn written(edge: &Edge) -> Option<(Node, Span, ExprId)> {
    match edge.op {
        Op::Store { to, .. } | Op::Copy { to, .. } | Op::Fill { to, .. } => Some((edge.from, edge.span, to)),
        _ => None,
    }
}

/// The constants that a pointer may lead to, and whether it may also lead to what points-to does not know.
fn constants(program: &Program, points_to: &PointsTo, to: ExprId) -> (Vec<VarId>, bool) {
    let targets = points_to.targets(to);
    let constant = |var: VarId| matches!(program.vars[var].kind, VarKind::Literal | VarKind::Constant);
    let mut found: Vec<VarId> = targets
        .places
        .iter()
        .filter_map(|place| match points_to.objects[place.object].kind {
            ObjectKind::Variable(var) if constant(var) => Some(var),
            _ => None,
        })
        .collect();
    found.dedup();
    (found, targets.unknown && program.vars.ids().any(constant))
}

fn assume(program: &mut Program) {
    let text = "pointers of which it is not known where they lead write into no string literal or constant";
    if !program.assumptions.iter().any(|known| known == text) {
        program.assumptions.push(text.to_owned());
    }
}

/// Whether a pointer leads into one of the objects.
fn inside_any(program: &mut Program, to: ExprId, objects: &[VarId]) -> ExprId {
    let (offset, size_type) = (program.model.offset_type(), program.model.size_type());
    let mut any = program.exprs.bool(false);
    for &var in objects {
        let Storage::Memory { size, .. } = program.vars[var].storage else { continue };
        let exprs = &mut program.exprs;
        let start = exprs.addr(var);
        // A difference of pointers, so that no address counts as exposed.
        let (here, start) = (exprs.cast(to, offset), exprs.cast(start, offset));
        let distance = exprs.binary(BinOp::Sub, here, start);
        let (distance, size) = (exprs.cast(distance, size_type), exprs.int(size_type, size.into()));
        let inside = exprs.binary(BinOp::Lt, distance, size);
        any = exprs.binary(BinOp::Or, any, inside);
    }
    any
}

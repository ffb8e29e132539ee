//! Branches that always go one way, by intervals and congruences, before loops are watched for repetition: what no condition
//! depends on need not repeat, so that `for (short i = 0; i < 40000; i++)` is seen to run forever after one iteration, and not
//! after 65,536.

use crate::discharge::interval_states;
use analysis::dataflow::FlowDomain;
use base::{Budget, Cancel, IdVec};
use cfa::{BinOp, Edge, EdgeId, Expr, ExprId, Op, Program};
use domains::interval::IntervalDomain;
use flow::Prepared;
use std::collections::HashMap;
use verdict::Stop;

/// What becomes of one side of a branch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Always,
    Never,
}

/// Removes sides of branches that no execution takes. Giving up is no loss.
pub(crate) fn settle_branches(program: &mut Program, cancel: &Cancel) {
    let Ok(sides) = settled(&Prepared::new(program.clone()), &cancel.within(Budget::CheapBranches)) else { return };
    if sides.is_empty() {
        return;
    }
    let mut edges: Vec<Edge> = Vec::new();
    for (id, edge) in program.edges.iter() {
        match sides.get(&id) {
            None => edges.push(edge.clone()),
            Some(Side::Always) => edges.push(Edge { op: Op::Skip, ..edge.clone() }),
            Some(Side::Never) => {}
        }
    }
    program.edges = IdVec::from(edges);
    program.index();
    transform::remove_dead(program);
    flow::find_loops(program);
    program.assert_valid();
}

/// Whether a condition has a value that C defines, whatever its variables hold: an execution that is shown to a user does
/// not leave out what is undefined.
fn is_total(program: &Program, condition: ExprId) -> bool {
    let exprs = &program.exprs;
    let mut total = true;
    exprs.visit(condition, |id, node| {
        total &= match node {
            Expr::Load(_) | Expr::Living(_) => false,
            Expr::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..) => false,
            Expr::Cast(inner) => !(exprs.ty(inner).is_float() && exprs.ty(id).is_int()),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Ite(..) => true,
        };
    });
    total
}

/// The branches of which one side is never taken.
fn settled(program: &Prepared, cancel: &Cancel) -> Result<HashMap<EdgeId, Side>, Stop> {
    let domain = IntervalDomain::new(program);
    let Some(states) = interval_states(program, &domain, cancel)? else { return Ok(HashMap::new()) };
    let mut sides = HashMap::new();
    for node in program.nodes.ids() {
        let Some(state) = &states[node] else { continue };
        let leaving: Vec<EdgeId> = program.leaving(node).collect();
        let &[yes, no] = leaving.as_slice() else { continue };
        if ![yes, no]
            .iter()
            .all(|&edge| matches!(program.edges[edge].op, Op::Assume(condition) if is_total(program, condition)))
        {
            continue;
        }
        match (domain.post(state, yes), domain.post(state, no)) {
            (Some(_), None) => sides.extend([(yes, Side::Always), (no, Side::Never)]),
            (None, Some(_)) => sides.extend([(yes, Side::Never), (no, Side::Always)]),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
    Ok(sides)
}

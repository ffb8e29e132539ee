//! Branches that always go one way, by intervals and congruences, before loops are watched for repetition: what no condition
//! depends on need not repeat, so that `for (short i = 0; i < 40000; i++)` is seen to run forever after one iteration, and not
//! after 65,536.

use analyses::interval_states;
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

/// Removes sides of branches that no execution takes. Giving up loses nothing.
pub(crate) fn settle_branches(program: &mut Program, cancel: &Cancel) {
    let Ok(sides) = settled(program, &cancel.within(Budget::CheapBranches)) else { return };
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

/// The branches of which one side is never taken, whatever signed operations give that overflow: that an execution never ends
/// must not rest on it.
fn settled(program: &Program, cancel: &Cancel) -> Result<HashMap<EdgeId, Side>, Stop> {
    let free = &Prepared::new(transform::arbitrary_overflow(program));
    let domain = IntervalDomain::new(free);
    let Some(states) = interval_states(free, &domain, cancel)? else { return Ok(HashMap::new()) };
    let mut sides = HashMap::new();
    for node in program.nodes.ids() {
        let leaving: Vec<EdgeId> = program.leaving(node).collect();
        let &[yes, no] = leaving.as_slice() else { continue };
        if ![yes, no]
            .iter()
            .all(|&edge| matches!(program.edges[edge].op, Op::Assume(condition) if is_total(program, condition)))
        {
            continue;
        }
        // Where the condition may overflow, the branch comes after the question whether it does.
        let mut at = node;
        while let Some(state) = &states[at] {
            let asked: Vec<EdgeId> = free.leaving(at).collect();
            let &[first, second] = asked.as_slice() else { break };
            let taken = (domain.post(state, first).is_some(), domain.post(state, second).is_some());
            if free.edges[first].op == program.edges[yes].op {
                match taken {
                    (true, false) => sides.extend([(yes, Side::Always), (no, Side::Never)]),
                    (false, true) => sides.extend([(yes, Side::Never), (no, Side::Always)]),
                    (true, true) | (false, false) => {}
                }
                break;
            }
            if taken.1 {
                break;
            }
            at = free.edges[first].to;
        }
    }
    Ok(sides)
}

//! Ends of scopes that no execution can notice. An execution that uses a local after its block has ended is undefined, so the
//! replay of a counterexample must see where blocks end. Where no check asks what lives, every other analysis is better off
//! without these operations: one goes unless, when the block ends, something may still hold the address of the object.

use cfa::{EdgeId, Expr, Op, Program};
use flow::Holders;
use flow::points_to::{Detail, PointsTo};
use flow::uses::{Uses, direct};
use rustc_hash::FxHashSet;

/// Removes such ends, unless the program asks what lives.
pub fn drop_unseen_ends(program: &mut Program, points_to: &PointsTo) {
    let ends: Vec<EdgeId> =
        program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::End(_))).map(|(id, _)| id).collect();
    let asks = || program.exprs.ids().any(|id| matches!(program.exprs.node(id), Expr::Living(_)));
    if ends.is_empty() || points_to.detail == Detail::Nothing || asks() {
        return;
    }
    let uses = Uses::new(program);
    let escapes = |end: &EdgeId| match program.edges[*end].op {
        Op::End(pointer) => direct(&program.exprs, pointer).is_none_or(|place| uses.escapes[place.var]),
        _ => unreachable!("ends were taken"),
    };
    let candidates: Vec<EdgeId> = ends.iter().copied().filter(escapes).collect();
    let mut seen: FxHashSet<EdgeId> = FxHashSet::default();
    if !candidates.is_empty() {
        let holders = Holders::new(program, points_to);
        seen.extend(candidates.into_iter().filter(|&end| holders.after_scope(end)));
    }
    for end in ends.into_iter().filter(|end| !seen.contains(end)) {
        program.edges[end].op = Op::Skip;
    }
}

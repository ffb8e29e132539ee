//! Constants in place of variables that are known to hold them.

use cfa::{BinOp, Expr, ExprId, Exprs, Node, Program, Scalar};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Puts constants in place of variables that are known to hold them where they are read. `known` tells what holds
/// at nodes, as conjunctions.
pub fn propagate_constants(program: &mut Program, known: &BTreeMap<Node, ExprId>) {
    for id in program.edges.ids().collect::<Vec<_>>() {
        let Some(&fact) = known.get(&program.edges[id].from) else { continue };
        let mut constants = constants(&program.exprs, fact);
        let exprs = &mut program.exprs;
        program.edges[id].op = program.edges[id].op.map_operands(|e| exprs.substitute(e, &mut constants));
    }
    program.assert_valid();
}

/// The variables that a conjunction says are constant, with their values.
fn constants(exprs: &Exprs, fact: ExprId) -> FxHashMap<ExprId, ExprId> {
    let mut stack = vec![fact];
    let mut found = FxHashMap::default();
    while let Some(id) = stack.pop() {
        match exprs.node(id) {
            Expr::Binary(BinOp::And, a, b) if exprs.ty(id) == Scalar::Bool => stack.extend([a, b]),
            Expr::Binary(BinOp::Eq, a, b) if exprs.ty(a).is_int() => match (exprs.node(a), exprs.node(b)) {
                (Expr::Var(_), Expr::Const { .. }) => {
                    found.insert(a, b);
                }
                (Expr::Const { .. }, Expr::Var(_)) => {
                    found.insert(b, a);
                }
                _ => {}
            },
            _ => {}
        }
    }
    found
}

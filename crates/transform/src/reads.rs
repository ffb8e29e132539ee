//! What expressions read.

use cfa::{Expr, ExprId, Exprs, VarId};

/// Whether an expression reads registers only.
pub(crate) fn is_pure(exprs: &Exprs, root: ExprId) -> bool {
    let mut pure = true;
    exprs.visit(root, |id, node| {
        pure &= !matches!(node, Expr::Load(_) | Expr::Living(_));
        pure &= !matches!(node, Expr::Var(_)) || exprs.ty(id).is_int();
    });
    pure
}

/// The variables of an expression, from left to right.
pub(crate) fn variables(exprs: &Exprs, root: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        let node = exprs.node(id);
        if let Expr::Var(var) = node
            && !found.contains(&var)
        {
            found.push(var);
        }
        let operands: Vec<ExprId> = node.operands().collect();
        stack.extend(operands.into_iter().rev());
    }
    found
}

//! Operands that diagrams do not know but the analysis alongside them may: what to ask it, and how the answers get in.

use cfa::{Expr, ExprId, Exprs, VarId};
use std::collections::HashMap;

/// The largest parts of an expression that read registers without a code, or memory, and no register with one. What is
/// loaded from memory counts as such a part wherever it is loaded from.
pub fn foreign(exprs: &Exprs, root: ExprId, is_coded: impl Fn(VarId) -> bool) -> Vec<ExprId> {
    let mut reads: HashMap<ExprId, (bool, bool)> = HashMap::new();
    exprs.visit(root, |id, expr| {
        let read = match expr {
            Expr::Var(var) => (is_coded(var), !is_coded(var)),
            Expr::Load(_) | Expr::Living(_) => (false, true),
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => (false, false),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {
                expr.operands().map(|operand| reads[&operand]).fold((false, false), |a, b| (a.0 || b.0, a.1 || b.1))
            }
        };
        reads.insert(id, read);
    });
    let mut found = Vec::new();
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        match reads[&id] {
            (false, true) if !found.contains(&id) => found.push(id),
            (true, true) => todo.extend(exprs.node(id).operands()),
            (_, _) => {}
        }
    }
    found
}

/// The expression with constants in the place of some of its parts.
pub fn substitute(exprs: &mut Exprs, root: ExprId, values: &[(ExprId, u128)]) -> ExprId {
    let mut order = Vec::new();
    exprs.visit(root, |id, expr| order.push((id, expr)));
    let mut new: HashMap<ExprId, ExprId> = HashMap::new();
    for (id, expr) in order {
        let ty = exprs.ty(id);
        let known = values.iter().find(|(part, _)| *part == id);
        let made = match (known, expr) {
            (Some((_, bits)), _) => exprs.bits(ty, *bits),
            (None, Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_)) => id,
            (None, Expr::Load(pointer)) => exprs.load(new[&pointer], ty),
            (None, Expr::Unary(op, a)) => exprs.unary(op, new[&a]),
            (None, Expr::Binary(op, a, b)) => exprs.binary(op, new[&a], new[&b]),
            (None, Expr::Cast(a)) => exprs.cast(new[&a], ty),
            (None, Expr::Ite(a, b, c)) => exprs.ite(new[&a], new[&b], new[&c]),
            (None, Expr::Living(question)) => exprs.living(question.about(|pointer| new[&pointer])),
        };
        new.insert(id, made);
    }
    new[&root]
}

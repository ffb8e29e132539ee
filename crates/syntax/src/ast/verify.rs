//! The checker of the invariants that [`super`] promises.

use super::{Ast, ExprId, ExprKind, Init, StmtId, TypeKind};
use base::{Id, Span};

impl Ast {
    /// Checks post-order, the nesting of spans, and that no expression or statement has two parents. `Err` names
    /// the first broken promise.
    pub fn verify(&self) -> Result<(), String> {
        let mut check =
            Check { expr_seen: vec![false; self.exprs.len()], stmt_seen: vec![false; self.stmts.len()], broken: None };
        for (id, expr) in self.exprs.iter() {
            check.span(&id, expr.span);
            self.sub_exprs(id, |sub| {
                check.expr(sub, Some(id));
                check.nested(&id, expr.span, &sub, self[sub].span);
            });
            if let ExprKind::Stmt(body) = expr.kind {
                check.nested(&id, expr.span, &body, self[body].span);
            }
        }
        for (id, stmt) in self.stmts.iter() {
            check.span(&id, stmt.span);
            self.sub_stmts(id, |sub| {
                check.stmt(sub, id);
                check.nested(&id, stmt.span, &sub, self[sub].span);
            });
            self.stmt_exprs(id, |sub| {
                check.expr(sub, None);
                check.nested(&id, stmt.span, &sub, self[sub].span);
            });
        }
        self.verify_types(&mut check);
        check.broken.map_or(Ok(()), Err)
    }

    fn verify_types(&self, check: &mut Check) {
        for (id, ty) in self.types.iter() {
            check.span(&id, ty.span);
            let sub = match ty.kind {
                TypeKind::TypeofType(sub)
                | TypeKind::Atomic(sub)
                | TypeKind::Pointer(sub)
                | TypeKind::Array { element: sub, .. }
                | TypeKind::Function { result: sub, .. } => sub,
                _ => continue,
            };
            check.require(sub < id, || format!("{sub} inside {id} comes after it"));
        }
        for (id, list) in self.init_lists.iter() {
            check.span(&id, list.span);
            for item in &self[list.items] {
                match item.init {
                    Init::Expr(expr) => check.nested(&id, list.span, &expr, self[expr].span),
                    Init::List(sub) => {
                        check.require(sub < id, || format!("{sub} inside {id} comes after it"));
                        check.nested(&id, list.span, &sub, self[sub].span);
                    }
                }
            }
        }
    }
}

/// The first broken promise, and which nodes have a parent.
struct Check {
    expr_seen: Vec<bool>,
    stmt_seen: Vec<bool>,
    broken: Option<String>,
}

impl Check {
    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds && self.broken.is_none() {
            self.broken = Some(message());
        }
    }

    fn span(&mut self, node: &dyn std::fmt::Display, span: Span) {
        self.require(span.start <= span.end, || format!("{node} ends before it starts"));
    }

    fn nested(&mut self, outer: &dyn std::fmt::Display, around: Span, inner: &dyn std::fmt::Display, span: Span) {
        let inside = around.start <= span.start && span.end <= around.end;
        self.require(inside, || format!("{inner} ({span:?}) is not within {outer} ({around:?})"));
    }

    fn expr(&mut self, sub: ExprId, parent: Option<ExprId>) {
        if let Some(parent) = parent {
            self.require(sub < parent, || format!("{sub} inside {parent} comes after it"));
        }
        let again = std::mem::replace(&mut self.expr_seen[sub.index()], true);
        self.require(!again, || format!("{sub} has two parents"));
    }

    fn stmt(&mut self, sub: StmtId, parent: StmtId) {
        self.require(sub < parent, || format!("{sub} inside {parent} comes after it"));
        let again = std::mem::replace(&mut self.stmt_seen[sub.index()], true);
        self.require(!again, || format!("{sub} has two parents"));
    }
}

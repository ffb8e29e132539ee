//! Direct children of nodes, and the checker of the invariants that [`super`] promises.

use super::{Ast, Designator, ExprId, ExprKind, ForInit, Init, LabelKind, StmtId, StmtKind, TypeKind};
use base::{Id, Span};

impl Ast {
    /// Calls `visit` with every expression that stands directly in `expr`, in source order. What stands in a type,
    /// initialiser or statement inside is not direct.
    pub fn sub_exprs(&self, expr: ExprId, mut visit: impl FnMut(ExprId)) {
        match self[expr].kind {
            ExprKind::Error
            | ExprKind::Name(_)
            | ExprKind::Int { .. }
            | ExprKind::Char { .. }
            | ExprKind::Float { .. }
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral { .. }
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofType { .. }
            | ExprKind::Stmt(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::TypesCompatible { .. } => {}
            ExprKind::Call { callee, args } => {
                visit(callee);
                self[args].iter().copied().for_each(visit);
            }
            ExprKind::Index { base: left, index: right }
            | ExprKind::Binary { left, right, .. }
            | ExprKind::Assign { target: left, value: right, .. }
            | ExprKind::Elvis { cond: left, other: right }
            | ExprKind::Comma { left, right } => {
                visit(left);
                visit(right);
            }
            ExprKind::Member { base: operand, .. }
            | ExprKind::Unary { operand, .. }
            | ExprKind::Cast { operand, .. }
            | ExprKind::SizeofExpr(operand)
            | ExprKind::AlignofExpr { operand, .. }
            | ExprKind::VaArg { list: operand, .. } => visit(operand),
            ExprKind::Conditional { cond, then, other } | ExprKind::ChooseExpr { cond, then, other } => {
                [cond, then, other].into_iter().for_each(visit);
            }
            ExprKind::Generic { control, arms } => {
                visit(control);
                self[arms].iter().for_each(|arm| visit(arm.value));
            }
            ExprKind::Offsetof { path, .. } => {
                for designator in &self[path] {
                    match *designator {
                        Designator::Field(_) => {}
                        Designator::Index(index) => visit(index),
                        Designator::Range(low, high) => {
                            visit(low);
                            visit(high);
                        }
                    }
                }
            }
        }
    }

    /// Calls `visit` with every statement that stands directly in `stmt`, in source order.
    pub fn sub_stmts(&self, stmt: StmtId, mut visit: impl FnMut(StmtId)) {
        match self[stmt].kind {
            StmtKind::Error
            | StmtKind::Empty { .. }
            | StmtKind::Expr(_)
            | StmtKind::Decl(_)
            | StmtKind::LocalLabels(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Asm(_) => {}
            StmtKind::Compound(items) => self[items].iter().copied().for_each(visit),
            StmtKind::If { then, other, .. } => {
                visit(then);
                other.into_iter().for_each(visit);
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Switch { body, .. }
            | StmtKind::Labeled { body, .. } => visit(body),
        }
    }

    /// Calls `visit` with every expression that stands directly in `stmt`, in source order.
    pub fn stmt_exprs(&self, stmt: StmtId, mut visit: impl FnMut(ExprId)) {
        match self[stmt].kind {
            StmtKind::Error
            | StmtKind::Empty { .. }
            | StmtKind::Decl(_)
            | StmtKind::LocalLabels(_)
            | StmtKind::Compound(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
            StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) => visit(expr),
            StmtKind::If { cond, .. }
            | StmtKind::While { cond, .. }
            | StmtKind::DoWhile { cond, .. }
            | StmtKind::Switch { value: cond, .. } => visit(cond),
            StmtKind::Return(value) => value.into_iter().for_each(visit),
            StmtKind::For { head, .. } => {
                let head = &self[head];
                if let ForInit::Expr(init) = head.init {
                    visit(init);
                }
                head.cond.into_iter().chain(head.step).for_each(visit);
            }
            StmtKind::Labeled { labels, .. } => {
                for label in &self[labels] {
                    match label.kind {
                        LabelKind::Case(value) => visit(value),
                        LabelKind::Range(low, high) => {
                            visit(low);
                            visit(high);
                        }
                        LabelKind::Default | LabelKind::Name { .. } => {}
                    }
                }
            }
            StmtKind::Asm(asm) => {
                let asm = &self[asm];
                self[asm.outputs].iter().chain(&self[asm.inputs]).for_each(|operand| visit(operand.value));
            }
        }
    }

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

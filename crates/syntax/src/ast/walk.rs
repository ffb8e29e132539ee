//! Direct children of expressions and statements, for walks over the tree.

use super::{Ast, Designator, ExprId, ExprKind, ForInit, LabelKind, StmtId, StmtKind};

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
}

//! Statements as text.

use super::Dump;
use crate::ast::{ExprId, ForId, ForInit, Label, LabelKind, StmtId, StmtKind};

impl Dump<'_> {
    /// On lines of its own.
    pub(super) fn stmt(&mut self, stmt: StmtId) {
        if let StmtKind::Decl(decl) = self.ast[stmt].kind {
            return self.decl(decl);
        }
        self.line();
        match self.ast[stmt].kind {
            StmtKind::Error => self.put("<error>"),
            StmtKind::Empty { attrs } => {
                self.put("empty");
                self.attrs(attrs);
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::LocalLabels(names) => {
                self.put("__label__");
                self.names(names);
            }
            StmtKind::Compound(items) => {
                self.put("block");
                self.inside(|dump| dump.ast[items].iter().for_each(|&item| dump.stmt(item)));
            }
            StmtKind::If { cond, then, other } => self.if_chain(cond, then, other),
            StmtKind::While { cond, body } => self.with_body("while", cond, body),
            StmtKind::Switch { value, body } => self.with_body("switch", value, body),
            StmtKind::DoWhile { body, cond } => {
                self.put("do");
                self.inside(|dump| dump.stmt(body));
                self.line();
                self.put("while ");
                self.expr(cond);
            }
            StmtKind::For { head, body } => {
                self.for_head(head);
                self.inside(|dump| dump.stmt(body));
            }
            StmtKind::Labeled { labels, body } => {
                for (index, label) in self.ast[labels].iter().enumerate() {
                    if index > 0 {
                        self.line();
                    }
                    self.label(label);
                }
                self.inside(|dump| dump.stmt(body));
            }
            StmtKind::Goto(name) => {
                self.put("goto ");
                self.name(name);
            }
            StmtKind::GotoComputed(target) => {
                self.put("goto * ");
                self.expr(target);
            }
            StmtKind::Break => self.put("break"),
            StmtKind::Continue => self.put("continue"),
            StmtKind::Return(value) => {
                self.put("return");
                self.optional(value);
            }
            StmtKind::Asm(asm) => self.asm(asm),
        }
    }

    fn optional(&mut self, expr: Option<ExprId>) {
        if let Some(expr) = expr {
            self.put(" ");
            self.expr(expr);
        }
    }

    fn with_body(&mut self, word: &str, head: ExprId, body: StmtId) {
        self.put(word);
        self.optional(Some(head));
        self.inside(|dump| dump.stmt(body));
    }

    /// `else if` chains stay on one level.
    fn if_chain(&mut self, mut cond: ExprId, mut then: StmtId, mut other: Option<StmtId>) {
        self.put("if ");
        loop {
            self.expr(cond);
            self.inside(|dump| dump.stmt(then));
            let Some(next) = other else { return };
            self.line();
            let StmtKind::If { cond: next_cond, then: next_then, other: next_other } = self.ast[next].kind else {
                self.put("else");
                return self.inside(|dump| dump.stmt(next));
            };
            self.put("else if ");
            (cond, then, other) = (next_cond, next_then, next_other);
        }
    }

    fn for_head(&mut self, head: ForId) {
        let head = self.ast[head];
        self.put("for");
        match head.init {
            ForInit::None => {}
            ForInit::Expr(init) => self.optional(Some(init)),
            ForInit::Decl(decl) => {
                self.indent += 2;
                self.decl(decl);
                self.indent -= 2;
            }
        }
        self.put(";");
        self.optional(head.cond);
        self.put(";");
        self.optional(head.step);
    }

    fn label(&mut self, label: &Label) {
        match label.kind {
            LabelKind::Case(value) => {
                self.put("case ");
                self.expr(value);
            }
            LabelKind::Range(low, high) => {
                self.put("case ");
                self.expr(low);
                self.put(" ... ");
                self.expr(high);
            }
            LabelKind::Default => self.put("default"),
            LabelKind::Name { name, attrs } => {
                self.put("label ");
                self.name(name);
                self.attrs(attrs);
            }
        }
    }
}

//! Loops.

use crate::context::Lowering;
use cfa::Node;
use syntax::ast::{self, ForInit};

impl Lowering<'_> {
    pub fn while_loop(&mut self, cond: ast::ExprId, body: ast::StmtId) {
        let (head, next, end, inner) = (self.node(), self.node(), self.node(), self.inner_count());
        self.go_on_at(head);
        self.here = self.ast[cond].span;
        let (yes, no) = self.branch_or_report(cond);
        self.body.at = yes;
        self.loop_body(body, next, end);
        self.go_on_at(next);
        self.end_inner(inner);
        let at = self.body.at;
        self.join(at, head);
        self.join(no, end);
        self.body.at = end;
        self.end_inner(inner);
    }

    pub fn do_loop(&mut self, body: ast::StmtId, cond: ast::ExprId) {
        let (head, test, end, inner) = (self.node(), self.node(), self.node(), self.inner_count());
        self.go_on_at(head);
        self.loop_body(body, test, end);
        self.go_on_at(test);
        self.end_inner(inner);
        self.here = self.ast[cond].span;
        let (yes, no) = self.branch_or_report(cond);
        self.join(yes, head);
        self.join(no, end);
        self.body.at = end;
        self.end_inner(inner);
    }

    pub fn for_loop(&mut self, head: ast::ForId, body: ast::StmtId) {
        let ast::For { init, cond, step } = self.ast[head];
        self.enter_scope();
        match init {
            ForInit::None => {}
            ForInit::Expr(expr) => _ = self.discard(expr),
            ForInit::Decl(decl) => _ = self.local_declaration(decl),
        }
        let (head, next, end, inner) = (self.node(), self.node(), self.node(), self.inner_count());
        self.go_on_at(head);
        if let Some(cond) = cond {
            self.here = self.ast[cond].span;
            let (yes, no) = self.branch_or_report(cond);
            self.join(no, end);
            self.body.at = yes;
        }
        self.loop_body(body, next, end);
        self.go_on_at(next);
        self.end_inner(inner);
        if let Some(step) = step {
            _ = self.discard(step);
        }
        let at = self.body.at;
        self.join(at, head);
        self.body.at = end;
        self.end_inner(inner);
        self.leave_scope();
    }

    fn loop_body(&mut self, body: ast::StmtId, next: Node, end: Node) {
        let cleanups = self.body.cleanups.len();
        self.body.continues.push((next, cleanups));
        self.body.breaks.push((end, cleanups));
        self.statement(body);
        self.body.continues.pop();
        self.body.breaks.pop();
    }
}

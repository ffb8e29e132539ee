//! Loops.

use crate::context::Lowering;
use crate::ends::Position;
use cfa::Node;
use syntax::ast::{self, ForInit};

impl Lowering<'_> {
    pub fn while_loop(&mut self, cond: ast::ExprId, body: ast::StmtId) {
        self.open_block();
        let (head, next, end, position) = (self.node(), self.node(), self.node(), self.position());
        self.go_on_at(head);
        self.here = self.ast[cond].span;
        let (yes, no) = self.branch_or_report(cond);
        self.body.at = yes;
        self.loop_body(body, (next, position), (end, position));
        self.go_on_at(next);
        let at = self.body.at;
        self.join(at, head);
        self.join(no, end);
        self.body.at = end;
        self.close_block();
    }

    pub fn do_loop(&mut self, body: ast::StmtId, cond: ast::ExprId) {
        self.open_block();
        let (head, test, end, position) = (self.node(), self.node(), self.node(), self.position());
        self.go_on_at(head);
        self.loop_body(body, (test, position), (end, position));
        self.go_on_at(test);
        self.here = self.ast[cond].span;
        let (yes, no) = self.branch_or_report(cond);
        self.join(yes, head);
        self.join(no, end);
        self.body.at = end;
        self.close_block();
    }

    pub fn for_loop(&mut self, head: ast::ForId, body: ast::StmtId) {
        let ast::For { init, cond, step } = self.ast[head];
        self.enter_scope();
        match init {
            ForInit::None => {}
            ForInit::Expr(expr) => _ = self.full_expression(|l| l.discard(expr)),
            ForInit::Decl(decl) => _ = self.local_declaration(decl),
        }
        let (head, next, end, position) = (self.node(), self.node(), self.node(), self.position());
        self.go_on_at(head);
        if let Some(cond) = cond {
            self.here = self.ast[cond].span;
            let (yes, no) = self.branch_or_report(cond);
            self.join(no, end);
            self.body.at = yes;
        }
        self.loop_body(body, (next, position), (end, position));
        self.go_on_at(next);
        if let Some(step) = step {
            _ = self.full_expression(|l| l.discard(step));
        }
        let at = self.body.at;
        self.join(at, head);
        self.body.at = end;
        self.leave_scope();
    }

    fn loop_body(&mut self, body: ast::StmtId, next: (Node, Position), end: (Node, Position)) {
        let cleanups = self.body.cleanups.len();
        self.body.continues.push((next.0, next.1, cleanups));
        self.body.breaks.push((end.0, end.1, cleanups));
        self.substatement(body);
        self.body.continues.pop();
        self.body.breaks.pop();
    }
}

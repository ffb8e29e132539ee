//! Statements without loops and `switch`: blocks, branches, jumps, labels, returns.

use crate::body::Goal;
use crate::body::Label;
use crate::context::{Lowering, Lowers};
use crate::ends::Position;
use base::{Span, Symbol};
use cfa::{BinOp, Check, Node, Op, Source, TargetKind};
use std::collections::HashMap;
use syntax::ast::{self, LabelKind, List, StmtKind};

impl Lowering<'_> {
    pub fn enter_scope(&mut self) {
        self.names.enter();
        self.tags.enter();
        self.body.label_scopes.push(HashMap::new());
        self.body.scope_starts.push(self.body.cleanups.len());
        self.open_block();
    }

    pub fn leave_scope(&mut self) {
        self.end_cleanups();
        self.names.leave();
        self.tags.leave();
        self.body.label_scopes.pop();
        self.close_block();
    }

    /// Leaves the outermost scope of a function.
    pub fn leave_function(&mut self) {
        self.names.leave();
        self.tags.leave();
        self.body.label_scopes.pop();
        self.close_last_block();
    }

    /// Lowers a statement; its errors are reported, and the next statement goes on.
    pub fn statement(&mut self, stmt: ast::StmtId) {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            self.here = self.ast[stmt].span;
            _ = self.statement_inner(stmt);
        });
    }

    fn statement_inner(&mut self, stmt: ast::StmtId) -> Lowers<()> {
        let ast = self.ast;
        let ast::Stmt { kind, span } = ast[stmt];
        match kind {
            StmtKind::Error | StmtKind::Empty { .. } => {}
            StmtKind::LocalLabels(names) => self.local_labels(&ast[names]),
            StmtKind::Expr(expr) => self.full_expression(|l| l.discard(expr))?,
            StmtKind::Decl(decl) => self.local_declaration(decl)?,
            StmtKind::Compound(list) => {
                self.enter_scope();
                for &inner in &ast[list] {
                    self.statement(inner);
                }
                self.leave_scope();
            }
            StmtKind::If { .. } => self.if_chain(stmt),
            StmtKind::While { cond, body } => self.while_loop(cond, body),
            StmtKind::DoWhile { body, cond } => self.do_loop(body, cond),
            StmtKind::For { head, body } => self.for_loop(head, body),
            StmtKind::Switch { value, body } => self.switch(value, body)?,
            StmtKind::Labeled { labels, body } => {
                self.labels(labels);
                self.statement(body);
            }
            StmtKind::Goto(name) if let Some(level) = self.outer_label(self.label_name(name)) => {
                self.goto_outer(level, self.label_name(name), span);
            }
            StmtKind::Goto(name) if !self.body.cleanups.is_empty() => {
                self.leave_by_goto(self.label_name(name), span);
            }
            StmtKind::Goto(name) => {
                self.label(self.label_name(name), span);
                self.jump_to_label(self.label_name(name));
            }
            StmtKind::GotoComputed(target) => {
                if !self.body.cleanups.is_empty() {
                    self.unsupported("computed goto in the scope of a variable with the attribute cleanup");
                }
                let target = self.rvalue(target)?;
                let target = self.convert(target, self.basic.void_ptr, span)?;
                let at = (self.body.at, self.position());
                self.body.computed.push((at, target.expr, span));
                self.body.at = self.node();
            }
            StmtKind::Break => match self.body.breaks.last() {
                Some(&(end, position, cleanups)) => {
                    self.run_cleanups(cleanups);
                    self.leave_blocks(end, position);
                }
                None => return self.error(span, "'break' outside of a loop or switch"),
            },
            StmtKind::Continue => match self.body.continues.last() {
                Some(&(next, position, cleanups)) => {
                    self.run_cleanups(cleanups);
                    self.leave_blocks(next, position);
                }
                None => return self.error(span, "'continue' outside of a loop"),
            },
            StmtKind::Return(value) => self.return_statement(value, span)?,
            StmtKind::Asm(asm) => self.asm_statement(asm)?,
        }
        Ok(())
    }

    /// Control goes on at `to`; what follows here is dead unless labelled.
    pub fn jump(&mut self, to: Node) {
        let at = self.body.at;
        self.join(at, to);
        self.body.at = self.node();
    }

    /// A branch that was reported as wrong still has two sides, so that these are checked, too.
    pub fn branch_or_report(&mut self, cond: ast::ExprId) -> (Node, Node) {
        self.full_condition(|l| match l.branch(cond) {
            Ok(nodes) => nodes,
            Err(_) => (l.node(), l.node()),
        })
    }

    /// Part of another statement: a block also without braces [C11 6.8.4, 6.8.5].
    pub fn substatement(&mut self, stmt: ast::StmtId) {
        self.open_block();
        self.statement(stmt);
        self.close_block();
    }

    /// The conditions' objects live as long as the whole chain.
    fn if_chain(&mut self, stmt: ast::StmtId) {
        self.open_block();
        let end = self.node();
        let mut next = Some(stmt);
        while let Some(stmt) = next.take() {
            match self.ast[stmt].kind {
                StmtKind::If { cond, then, other } => {
                    self.here = self.ast[cond].span;
                    let (yes, no) = self.branch_or_report(cond);
                    self.body.at = yes;
                    self.substatement(then);
                    let at = self.body.at;
                    self.join(at, end);
                    self.body.at = no;
                    next = other;
                }
                _ => self.substatement(stmt),
            }
        }
        self.go_on_at(end);
        self.close_block();
    }

    /// `__label__ a, b;`: other blocks may have labels of these names, too.
    fn local_labels(&mut self, names: &[Symbol]) {
        for &name in names {
            let text = format!("{}${}", self.text(name), self.body.own_labels.len() + 1);
            let own = self.program.names.intern(&text);
            self.body.own_labels.insert(own);
            if let Some(scope) = self.body.label_scopes.last_mut() {
                scope.insert(name, own);
            }
        }
    }

    /// What the label that is visible here under this name is called.
    pub fn label_name(&self, name: Symbol) -> Symbol {
        let scopes =
            |body: &crate::body::Body| body.label_scopes.iter().rev().find_map(|scope| scope.get(&name)).copied();
        scopes(&self.body).or_else(|| self.enclosing.iter().rev().find_map(scopes)).unwrap_or(name)
    }

    /// The label of that name, made at its first use.
    pub fn label(&mut self, name: Symbol, span: Span) -> Label {
        if let Some(&label) = self.body.labels.get(&name) {
            return label;
        }
        let label = Label { node: self.node(), defined: false, position: Position::default(), span, address: None };
        self.body.labels.insert(name, label);
        label
    }

    pub fn labels(&mut self, labels: List<ast::Label>) {
        let ast = self.ast;
        for label in &ast[labels] {
            self.here = label.span;
            match label.kind {
                LabelKind::Case(value) => _ = self.case(value, value, label.span),
                LabelKind::Range(low, high) => _ = self.case(low, high, label.span),
                LabelKind::Default => _ = self.default_case(label.span),
                LabelKind::Name { name, .. } => self.define_label(self.label_name(name), label.span),
            }
        }
    }

    fn define_label(&mut self, name: Symbol, span: Span) {
        let position = self.position();
        let label = self.label(name, span);
        if label.defined || self.body.outer_labels.contains(&name) {
            let message = format!("the label '{}' is defined twice", self.text(name));
            _ = self.error::<()>(span, message);
            return;
        }
        let known = self.body.labels.get_mut(&name).expect("just looked up");
        (known.defined, known.position) = (true, position);
        if !self.body.cleanups.is_empty() {
            self.body.label_cleanups.insert(name, self.body.cleanups.clone());
        }
        let at = self.body.at;
        self.join(at, label.node);
        self.body.at = label.node;
        let is_target = self.options.targets.labels.iter().any(|label| label == self.text(name));
        if is_target && !self.in_model {
            self.target(TargetKind::Label);
        }
    }

    /// An error location: control ends here.
    pub fn target(&mut self, kind: TargetKind) {
        let (node, span) = (self.node(), self.here);
        let at = self.body.at;
        self.body.edge(at, node, Op::Skip, span);
        self.body.targets.push(Goal { node, kind, span, values: [None; 2], symbol: "" });
        self.body.at = self.node();
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) -> Lowers<()> {
        let result = self.body.result.expect("statements are in functions");
        let value = match value {
            None => None,
            Some(value) if self.is_void(result) => {
                self.discard(value)?;
                None
            }
            Some(value) => {
                let at = self.ast[value].span;
                let value = self.rvalue(value)?;
                Some(self.convert_assigned(value, result, at)?)
            }
        };
        self.here = span;
        match (value, self.body.result_address) {
            (Some(value), Some(address)) => {
                let address = self.var(address);
                self.write(crate::lvalue::Lvalue::memory(result, address), value, span)?;
                self.leave(None);
            }
            (Some(value), None) => self.leave(Some(value.expr)),
            (None, _) => self.leave_without_value(),
        }
        Ok(())
    }

    pub fn leave(&mut self, value: Option<cfa::ExprId>) {
        let value = self.return_after_cleanups(value);
        self.check_leaves();
        self.leave_at_once(value);
    }

    /// A function that is `_Noreturn` does not return [C11 6.7.4p8].
    fn check_leaves(&mut self) {
        if self.body.noreturn && self.wants(Check::Argument) {
            let reached = self.program.exprs.bool(true);
            self.check_operator(reached, Check::Argument, self.here, [None; 2], "return");
        }
    }

    /// Ends the function without cleaning up.
    pub fn leave_at_once(&mut self, value: Option<cfa::ExprId>) {
        let (at, exit, span) = (self.body.at, self.body.exit, self.here);
        self.body.edge(at, exit, Op::Return(value), span);
        self.body.at = self.node();
    }

    /// Ends the function; a missing result is arbitrary.
    pub fn leave_without_value(&mut self) {
        let result = self.body.result.expect("statements are in functions");
        let value = self.scalar(result).map(|scalar| self.arbitrary(result, scalar, Source::Uninitialised));
        let value = self.return_after_cleanups(value);
        self.check_leaves();
        self.note_missing_value();
        self.leave_at_once(value);
    }

    /// Ends the function with a constant.
    pub fn leave_with(&mut self, value: i128) {
        let value = self.number(cfa::Scalar::INT, value);
        self.leave(Some(value));
    }

    /// What can only be done when the whole body is known: computed jumps and missing labels.
    pub fn finish_jumps(&mut self) {
        let end = self.body.at;
        self.finish_leavings();
        self.body.at = end;
        let mut labels: Vec<(Symbol, Label)> = self.body.labels.iter().map(|(&name, &label)| (name, label)).collect();
        labels.sort_by_key(|(_, label)| label.span.start);
        for (name, label) in &labels {
            if !label.defined {
                let message = format!("the label '{}' is not defined", self.text(*name));
                _ = self.error::<()>(label.span, message);
            }
        }
        let end = self.body.at;
        for ((node, position), target, span) in std::mem::take(&mut self.body.computed) {
            (self.body.at, self.here) = (node, span);
            for (_, label) in &labels {
                let Some(address) = label.address else { continue };
                let address = self.addr(address);
                let here = self.binary(BinOp::Eq, target, address);
                let (yes, no) = self.fork(here);
                self.join_scoped(yes, position, (label.node, label.position));
                self.body.at = no;
            }
            self.unsupported("computed goto to an unknown label");
        }
        self.body.at = end;
        self.finish_scoped_jumps();
    }
}

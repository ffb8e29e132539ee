//! `__attribute__((cleanup(f)))`: `f` is called with the variable's address wherever its scope is left: by its end, by
//! `return`, `break`, `continue` and `goto`. As in gcc without exceptions, `exit` and `longjmp` call nothing.

use crate::context::{CalleeId, Entity, Lowering, Lowers, ObjectId, Value};
use crate::ends::Position;
use crate::lvalue::Location;
use base::{Span, Symbol};
use cfa::{ExprId, Node, Op};
use syntax::ast::{self, AttrArg, ExprKind};

/// A variable that is in scope, and the function to call when it no longer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cleanup {
    object: ObjectId,
    callee: CalleeId,
}

/// A `goto` out of scopes with such variables: where it stands, what is in scope there, and where it goes.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    from: Node,
    position: Position,
    open: Vec<Cleanup>,
    label: Symbol,
    span: Span,
}

impl Lowering<'_> {
    /// Whom the attribute of a variable names.
    pub fn cleanup_of(&mut self, attrs: [ast::List<ast::Attr>; 2]) -> Lowers<Option<CalleeId>> {
        let ast = self.ast;
        let attr = attrs.iter().flat_map(|&attrs| &ast[attrs]).find(|attr| self.text(attr.name) == "cleanup");
        let Some(attr) = attr else { return Ok(None) };
        let name = match ast[attr.args].first() {
            Some(&AttrArg::Expr(expr)) => match ast[expr].kind {
                ExprKind::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        match name.and_then(|name| self.names.lookup(name)) {
            Some(Entity::Function(callee)) => Ok(Some(callee)),
            _ => self.error(attr.span, "expected a function to clean up with"),
        }
    }

    /// The variable is in scope from here on.
    pub fn add_cleanup(&mut self, object: ObjectId, callee: CalleeId) {
        let defined = self.callees[callee].defined || self.callees[callee].known.is_none();
        if !defined || self.is_nested(callee) {
            return self.unsupported("attribute cleanup with a function that is not the program's own");
        }
        self.body.cleanups.push(Cleanup { object, callee });
    }

    /// Calls what was added since then, the last one first; it stays in scope for other ways out.
    pub fn run_cleanups(&mut self, since: usize) {
        let open = self.body.cleanups[since.min(self.body.cleanups.len())..].to_vec();
        self.clean_up(&open);
    }

    fn clean_up(&mut self, open: &[Cleanup]) {
        for &Cleanup { object, callee } in open.iter().rev() {
            let place = self.object_place(object);
            let Location::Memory(address) = place.location else { continue };
            let function = self.function(callee);
            self.emit(Op::Call { function, args: [address].into(), result: None });
        }
    }

    /// The innermost scope ends here.
    pub fn end_cleanups(&mut self) {
        let since = self.body.scope_starts.pop().unwrap_or(0);
        self.run_cleanups(since);
        self.body.cleanups.truncate(since);
    }

    /// The value of a block that ends here, kept while its variables are cleaned up and its objects end.
    pub fn kept_from_block(&mut self, value: Value) -> Lowers<Value> {
        let since = self.body.scope_starts.last().copied().unwrap_or(0);
        if self.body.cleanups.len() <= since && !self.block_has_objects() {
            return Ok(value);
        }
        match self.scalar(value.ty) {
            Some(_) => Ok(Value { expr: self.spill(value.ty, value.expr), ..value }),
            None => self.copied(value),
        }
    }

    /// What `return` gives, kept while all variables are cleaned up.
    pub fn return_after_cleanups(&mut self, value: Option<ExprId>) -> Option<ExprId> {
        if self.body.cleanups.is_empty() {
            return value;
        }
        let result = self.body.result.expect("statements are in functions");
        let kept = value.map(|value| self.spill(result, value));
        self.run_cleanups(0);
        kept
    }

    /// `goto`: where the label lies is known when the function ends.
    pub fn leave_by_goto(&mut self, label: Symbol, span: Span) {
        let (from, position) = (self.body.at, self.position());
        let leaving = Leaving { from, position, open: self.body.cleanups.clone(), label, span };
        self.body.leavings.push(leaving);
        self.body.at = self.node();
    }

    /// The jumps out of scopes with variables that are cleaned up.
    pub fn finish_leavings(&mut self) {
        for Leaving { from, position, open, label, span } in std::mem::take(&mut self.body.leavings) {
            (self.body.at, self.here) = (from, span);
            let kept = self.body.label_cleanups.get(&label).cloned().unwrap_or_default();
            if open.starts_with(&kept) {
                self.clean_up(&open[kept.len()..]);
            } else {
                self.unsupported("goto into the scope of a variable with the attribute cleanup");
            }
            let to = self.label(label, span);
            let at = self.body.at;
            self.join_scoped(at, position, (to.node, to.position));
        }
    }
}

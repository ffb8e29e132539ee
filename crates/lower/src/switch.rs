//! `switch`: a chain of comparisons in source order, then `default`.

use crate::body::Switch;
use crate::context::{Lowering, Lowers, Value};
use base::Span;
use cfa::BinOp;
use syntax::ast;

impl Lowering<'_> {
    pub fn switch(&mut self, value: ast::ExprId, body: ast::StmtId) -> Lowers<()> {
        self.open_block();
        let done = self.cases_of(value, body);
        self.close_block();
        done
    }

    fn cases_of(&mut self, value: ast::ExprId, body: ast::StmtId) -> Lowers<()> {
        let span = self.ast[value].span;
        self.here = span;
        let value = self.full_expression(|l| l.switched(value))?;
        let (dispatch, end, position) = (self.body.at, self.node(), self.position());
        self.body.switches.push(Switch { ty: Some(value.ty), ..Switch::default() });
        self.body.breaks.push((end, position, self.body.cleanups.len()));
        self.body.at = self.node();
        self.substatement(body);
        let at = self.body.at;
        self.join(at, end);
        self.body.breaks.pop();
        let switch = self.body.switches.pop().expect("pushed above");
        self.body.at = dispatch;
        if switch.cases.is_empty() {
            self.looked_at(value.expr);
        }
        for (low, high, node, label) in switch.cases {
            self.here = label;
            assert_eq!(self.scalar_of(low), self.scalar_of(value.expr), "cases have the type of the value");
            let here = if low == high {
                self.binary(BinOp::Eq, value.expr, low)
            } else {
                let (from, to) = (self.binary(BinOp::Le, low, value.expr), self.binary(BinOp::Le, value.expr, high));
                self.binary(BinOp::And, from, to)
            };
            let (yes, no) = self.fork(here);
            self.join_scoped(yes, position, node);
            self.body.at = no;
        }
        self.here = span;
        let at = self.body.at;
        self.join_scoped(at, position, switch.default.unwrap_or((end, position)));
        self.body.at = end;
        Ok(())
    }

    /// The value of the controlling expression. It is compared many times, so it is something small.
    fn switched(&mut self, value: ast::ExprId) -> Lowers<Value> {
        let span = self.ast[value].span;
        let value = self.rvalue(value)?;
        if !self.is_integer(value.ty) {
            let message = format!("expected an integer to switch on, found '{}'", self.show(value.ty));
            return self.error(span, message);
        }
        let value = self.promote(value);
        let simple = self.depth(value.expr) == 0;
        Ok(if simple { value } else { Value { expr: self.spill(value.ty, value.expr), ..value } })
    }

    /// `case low ... high:`, which may be the same.
    pub fn case(&mut self, low: ast::ExprId, high: ast::ExprId, span: Span) -> Lowers<()> {
        let Some(ty) = self.body.switches.last().and_then(|switch| switch.ty) else {
            return self.error(span, "'case' outside of a switch");
        };
        let scalar = self.scalar(ty).expect("switches are on integers");
        let (low, _) = self.constant_int(low)?;
        let (high, _) = self.constant_int(high)?;
        let (low_bits, high_bits) = (self.number(scalar, low), self.number(scalar, high));
        // As gcc does: the range is empty or not after the conversion.
        let value = |l: &Self, expr| l.int_constant(Value { ty, expr }).expect("numbers are constants");
        let (low, high) = (value(self, low_bits), value(self, high_bits));
        if low > high {
            return Ok(());
        }
        let at = (self.body.at, self.position());
        let switch = self.body.switches.last_mut().expect("looked at above");
        switch.cases.push((low_bits, high_bits, at, span));
        // Ranges that do not overlap are told apart by their ends.
        let before = switch.values.range(..=high).next_back();
        if before.is_some_and(|(_, &end)| end >= low) {
            return self.error(span, "this case value occurs twice in the switch");
        }
        switch.values.insert(low, high);
        Ok(())
    }

    pub fn default_case(&mut self, span: Span) -> Lowers<()> {
        let at = (self.body.at, self.position());
        match self.body.switches.last_mut() {
            None => self.error(span, "'default' outside of a switch"),
            Some(switch) if switch.default.is_some() => self.error(span, "a switch has only one 'default'"),
            Some(switch) => {
                switch.default = Some(at);
                Ok(())
            }
        }
    }
}

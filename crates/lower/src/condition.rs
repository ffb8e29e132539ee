//! Conditions. One without side effects and without possible traps stays a single expression; any other becomes
//! branches in C's order of evaluation.

use crate::context::{Lowering, Lowers, Value};
use crate::expr::Want;
use crate::types::Ty;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, ExprId, Node, Op, Scalar};
use syntax::ast::{self, BinaryOp, ExprKind, UnaryOp};

/// What is left to do after lowering a condition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    /// Nothing has branched: the condition holds iff this does.
    Whole(ExprId),
    /// Control is at `yes` where it holds and at `no` where it does not.
    Split { yes: Node, no: Node },
}

impl Lowering<'_> {
    /// Branches on an expression: where it holds, where it does not.
    pub fn branch(&mut self, expr: ast::ExprId) -> Lowers<(Node, Node)> {
        let condition = self.condition(expr)?;
        Ok(self.split(condition))
    }

    fn split(&mut self, condition: Condition) -> (Node, Node) {
        match condition {
            Condition::Whole(whole) => self.fork(whole),
            Condition::Split { yes, no } => (yes, no),
        }
    }

    pub fn condition(&mut self, expr: ast::ExprId) -> Lowers<Condition> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.condition_inner(expr))
    }

    fn condition_inner(&mut self, expr: ast::ExprId) -> Lowers<Condition> {
        match self.ast[expr].kind {
            ExprKind::Binary { op: BinaryOp::And, left, right } => self.both(BinOp::And, left, right),
            ExprKind::Binary { op: BinaryOp::Or, left, right } => self.both(BinOp::Or, left, right),
            ExprKind::Unary { op: UnaryOp::Not, operand } => Ok(match self.condition(operand)? {
                Condition::Whole(whole) => Condition::Whole(self.not(whole)),
                Condition::Split { yes, no } => Condition::Split { yes: no, no: yes },
            }),
            ExprKind::Comma { left, right } => {
                self.discard(left)?;
                self.condition(right)
            }
            _ => {
                let value = self.rvalue(expr)?;
                self.value_condition(value, expr)
            }
        }
    }

    fn value_condition(&mut self, value: Value, expr: ast::ExprId) -> Lowers<Condition> {
        if self.complex_kind(value.ty).is_some() {
            let truth = self.complex_truth(value, self.ast[expr].span)?;
            return Ok(Condition::Whole(truth));
        }
        if self.scalar(value.ty).is_none() {
            let message = format!("expected a number or pointer as condition, found '{}'", self.show(value.ty));
            return self.error(self.ast[expr].span, message);
        }
        let truth = self.truth_of(value);
        let truth = self.shallow_truth(truth);
        Ok(Condition::Whole(truth))
    }

    /// `left && right` or `left || right`: the second operand is looked at where the first does not decide.
    fn both(&mut self, op: BinOp, left: ast::ExprId, right: ast::ExprId) -> Lowers<Condition> {
        let first = self.condition(left)?;
        let (before, middle) = (self.body.at, self.node());
        self.body.at = middle;
        let second = self.condition(right)?;
        let stayed = self.body.at == middle;
        if let (Condition::Whole(a), Condition::Whole(b), true) = (first, second, stayed)
            && !self.traps(b)
        {
            self.body.at = before;
            let whole = self.binary(op, a, b);
            if self.constant(whole).is_some() {
                self.looked_at(a);
            }
            return Ok(Condition::Whole(self.shallow_truth(whole)));
        }
        let (yes_second, no_second) = self.split(second);
        self.body.at = before;
        let (yes_first, no_first) = self.split(first);
        if op == BinOp::And {
            self.join(yes_first, middle);
            Ok(Condition::Split { yes: yes_second, no: self.body.merge(no_first, no_second) })
        } else {
            self.join(no_first, middle);
            Ok(Condition::Split { yes: self.body.merge(yes_first, yes_second), no: no_second })
        }
    }

    fn shallow_truth(&mut self, truth: ExprId) -> ExprId {
        let value = self.shallow(Value { ty: self.basic.int, expr: truth });
        self.truth_of(value)
    }

    /// The condition as a value of type `int`.
    pub fn condition_value(&mut self, condition: Condition, want: Want) -> Value {
        let ty = self.basic.int;
        match condition {
            Condition::Whole(whole) => Value { ty, expr: whole },
            Condition::Split { yes, no } => {
                let want = if want == Want::Nothing { Want::Value } else { want };
                let result = self.result_register(ty, cfa::Scalar::INT, want).expect("the value is wanted");
                let end = self.node();
                for (node, value) in [(yes, 1), (no, 0)] {
                    self.body.at = node;
                    let value = self.number(cfa::Scalar::INT, value);
                    let span = self.here;
                    self.body.edge(node, end, Op::Assign(result, value), span);
                }
                self.body.at = end;
                Value { ty, expr: self.var(result) }
            }
        }
    }

    /// The condition as a truth value.
    pub fn truth(&mut self, expr: ast::ExprId) -> Lowers<ExprId> {
        let condition = self.condition(expr)?;
        let value = self.condition_value(condition, Want::Value);
        Ok(self.truth_of(value))
    }

    /// `cond ? then : other`; `None` for `then` means the value of the condition itself (`cond ?: other`).
    pub fn conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        other: ast::ExprId,
        want: Want,
    ) -> Lowers<Value> {
        let span = self.here;
        let (first, kept) = match then {
            Some(_) => (self.condition(cond)?, None),
            None => {
                let value = self.rvalue(cond)?;
                let number = self.as_number(value);
                // The value is used twice but must be computed once.
                let simple = !self.traps(number.expr) && self.depth(number.expr) < 4;
                let kept = if simple { number } else { Value { expr: self.spill(number.ty, number.expr), ..number } };
                (Condition::Whole(self.truth_of(kept)), Some(kept))
            }
        };
        let before = self.body.at;
        let (start_then, start_other) = (self.node(), self.node());
        self.body.at = start_then;
        let a = match (then, kept) {
            (Some(then), _) => self.rvalue(then)?,
            (None, Some(kept)) => kept,
            (None, None) => unreachable!("one of them is the value if the condition holds"),
        };
        let end_then = self.body.at;
        self.body.at = start_other;
        let b = self.rvalue(other)?;
        let end_other = self.body.at;
        self.body.at = before;
        let ty = self.conditional_type(a, b, span)?;
        let void = self.is_void(ty);
        let scalar = match self.is_arithmetic(ty) {
            true => self.common_scalar(ty, a, b),
            false => self.scalar(ty).unwrap_or(Scalar::Ptr),
        };
        let chosen = (ty, scalar);
        let stayed = end_then == start_then && end_other == start_other;
        if let (Condition::Whole(whole), true, false) = (first, stayed, void) {
            let constant = self.constant(whole);
            let (a, b) = (self.branch_value(a, chosen, span)?, self.branch_value(b, chosen, span)?);
            if constant.is_some() || !self.traps(a.expr) && !self.traps(b.expr) && self.body.at == before {
                let expr = self.ite(whole, a.expr, b.expr);
                if a.expr == b.expr {
                    self.looked_at(whole);
                }
                return Ok(self.shallow(Value { ty, expr }));
            }
        }
        let (yes, no) = self.split(first);
        self.join(yes, start_then);
        self.join(no, start_other);
        let end = self.node();
        let result = if void { None } else { self.result_register(ty, scalar, want) };
        for (node, value) in [(end_then, a), (end_other, b)] {
            self.body.at = node;
            if let Some(result) = result {
                let value = self.branch_value(value, chosen, span)?;
                self.emit(Op::Assign(result, value.expr));
            }
            let at = self.body.at;
            self.join(at, end);
        }
        self.body.at = end;
        match result {
            Some(result) => Ok(Value { ty, expr: self.var(result) }),
            None if void => Ok(self.void_value()),
            None => Ok(self.dead_value(ty)),
        }
    }

    /// The value of a branch as what `?:` chooses from.
    fn branch_value(&mut self, value: Value, (ty, scalar): (TypeId, Scalar), span: base::Span) -> Lowers<Value> {
        if self.is_half(ty) && self.is_arithmetic(value.ty) {
            let value = self.half_truth(value, value).unwrap_or(value);
            if self.may_round(value.expr, scalar) {
                self.rounds();
            }
            return Ok(Value { ty, expr: self.cast(value.expr, scalar) });
        }
        self.convert(value, ty, span)
    }

    /// A pointer to the first type, const where one of the two is.
    fn pointer_to_either(&mut self, to: TypeId, other: TypeId) -> TypeId {
        let is_const = matches!(self.ty(other), Type::Const(_));
        let to = self.qualified(Ty { is_const, ..to.into() });
        self.pointer_to(to)
    }

    /// The type of a conditional expression.
    fn conditional_type(&mut self, a: Value, b: Value, span: base::Span) -> Lowers<TypeId> {
        if self.is_void(a.ty) || self.is_void(b.ty) {
            return Ok(self.basic.void);
        }
        if self.is_arithmetic(a.ty) && self.is_arithmetic(b.ty) {
            return Ok(self.common_type(a.ty, b.ty));
        }
        let (a_to, b_to) = (self.pointee(a.ty), self.pointee(b.ty));
        match (a_to, b_to) {
            (Some(_), None) if self.is_integer(b.ty) => Ok(a.ty),
            (None, Some(_)) if self.is_integer(a.ty) => Ok(b.ty),
            // A null pointer constant takes the other type; otherwise a pointer to void wins.
            (Some(to), Some(other)) if self.is_void(to) && !self.is_zero(a.expr) => {
                Ok(self.pointer_to_either(to, other))
            }
            (Some(other), Some(to)) if self.is_void(to) && !self.is_zero(b.expr) => {
                Ok(self.pointer_to_either(to, other))
            }
            (Some(to), Some(_)) if self.is_void(to) => Ok(b.ty),
            (Some(_), Some(to)) if self.is_void(to) => Ok(a.ty),
            (Some(to), Some(other)) => Ok(self.pointer_to_either(to, other)),
            _ if self.compatible(a.ty, b.ty) => Ok(self.program.types.unqualified(a.ty)),
            _ => {
                let message =
                    format!("the branches have different types '{}' and '{}'", self.show(a.ty), self.show(b.ty));
                self.error(span, message)
            }
        }
    }
}

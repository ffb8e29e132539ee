//! What a condition says about registers and memory, as far as sets of constants express it.

use super::eval::{Scope, slot};
use super::graph::Graph;
use super::value::Value;
use cfa::{BinOp, Expr, ExprId, Program, Scalar, UnOp};
use semantics::scalar;

/// Learns from conditions in one activation.
pub struct Learner<'a> {
    pub program: &'a Program,
    pub depth: u32,
}

impl Learner<'_> {
    fn eval(&self, graph: &Graph, expr: ExprId) -> Value {
        Scope { program: self.program, graph, depth: self.depth }.eval(expr)
    }

    fn ty(&self, expr: ExprId) -> Scalar {
        self.program.exprs.ty(expr)
    }

    /// Lets the condition have that truth value; whether it can.
    pub fn assume(&self, graph: &mut Graph, condition: ExprId, expected: bool) -> bool {
        let (may, may_not) = self.eval(graph, condition).truths();
        if !(if expected { may } else { may_not }) {
            return false;
        }
        match self.program.exprs.node(condition) {
            Expr::Unary(UnOp::Not, a) => self.assume(graph, a, !expected),
            Expr::Binary(BinOp::And, a, b) if self.ty(a) == Scalar::Bool => self.connect(graph, (a, b), expected, true),
            Expr::Binary(BinOp::Or, a, b) if self.ty(a) == Scalar::Bool => self.connect(graph, (a, b), expected, false),
            Expr::Binary(BinOp::Eq, a, b) if !self.ty(a).is_float() => self.equal(graph, a, b, expected),
            Expr::Binary(op @ (BinOp::Lt | BinOp::Le), a, b) if self.ty(a).is_int() => {
                self.order(graph, op, (a, b), expected)
            }
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) => true,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => true,
        }
    }

    /// `a && b` if `all`, else `a || b`.
    fn connect(&self, graph: &mut Graph, (a, b): (ExprId, ExprId), expected: bool, all: bool) -> bool {
        if expected == all {
            return self.assume(graph, a, expected) && self.assume(graph, b, expected);
        }
        let possible = |truths: (bool, bool)| if expected { truths.0 } else { truths.1 };
        let (first, second) = (possible(self.eval(graph, a).truths()), possible(self.eval(graph, b).truths()));
        match (first, second) {
            (true, true) => true,
            (true, false) => self.assume(graph, a, expected),
            (false, true) => self.assume(graph, b, expected),
            (false, false) => false,
        }
    }

    fn equal(&self, graph: &mut Graph, a: ExprId, b: ExprId, expected: bool) -> bool {
        if self.ty(a) == Scalar::Bool {
            return true;
        }
        for (this, other) in [(a, b), (b, a)] {
            let value = self.eval(graph, other);
            let known = match (&value, value.constant()) {
                (Value::In(_) | Value::Not(_), _) if expected => value,
                (_, Some(bits)) if !expected => Value::Not(vec![bits]),
                _ => continue,
            };
            if !self.restrict(graph, this, &known) {
                return false;
            }
        }
        true
    }

    /// Keeps of each side's constants those that have a partner on the other.
    fn order(&self, graph: &mut Graph, op: BinOp, (a, b): (ExprId, ExprId), expected: bool) -> bool {
        let (Value::In(x), Value::In(y)) = (self.eval(graph, a), self.eval(graph, b)) else { return true };
        let (model, ty) = (self.program.model, self.ty(a));
        let holds = |x: u128, y: u128| scalar::binary(model, op, ty, ty, x, y) == Some(u128::from(expected));
        let first = Value::one_of(x.iter().copied().filter(|&x| y.iter().any(|&y| holds(x, y))).collect());
        let second = Value::one_of(y.iter().copied().filter(|&y| x.iter().any(|&x| holds(x, y))).collect());
        self.restrict(graph, a, &first) && self.restrict(graph, b, &second)
    }

    /// Lets an integer or address be one of `known`; whether it can.
    fn restrict(&self, graph: &mut Graph, expr: ExprId, known: &Value) -> bool {
        let ty = self.ty(expr);
        let null = matches!(known, Value::In(bits) if bits[..] == [0]);
        // Other constants are not addresses that anything is known of.
        if ty.is_float() || ty == Scalar::Ptr && matches!(known, Value::In(_)) && !null {
            return true;
        }
        match self.program.exprs.node(expr) {
            Expr::Var(var) => {
                let slot = slot(self.program, var, self.depth);
                match graph.register(slot).meet(known) {
                    Some(value) => graph.set(slot, value),
                    None => return false,
                }
                true
            }
            Expr::Load(pointer) => {
                let width = ty.bytes(self.program.model);
                if let Value::Pointer(pointer) = self.eval(graph, pointer)
                    && let Some((content, at)) = graph.content_mut(pointer, width)
                {
                    match content.read(at, width).meet(known) {
                        Some(value) => content.write(at, width, value),
                        None => return false,
                    }
                }
                true
            }
            Expr::Cast(inner) => self.before_cast(inner, ty, known).is_none_or(|known| match known {
                Some(known) => self.restrict(graph, inner, &known),
                None => false,
            }),
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => true,
            Expr::Binary(..) | Expr::Ite(..) | Expr::Living(_) => true,
        }
    }

    /// What is known of a value whose conversion to `ty` is one of `known`: nothing, or this, or that there is none.
    fn before_cast(&self, inner: ExprId, ty: Scalar, known: &Value) -> Option<Option<Value>> {
        let (model, from) = (self.program.model, self.ty(inner));
        let exact = from.is_int() && ty.is_int() && from.bits(model) <= ty.bits(model);
        let same = from.bits(model) == ty.bits(model) && !from.is_float() && from != Scalar::Bool && !ty.is_float();
        if !exact && !same {
            return None;
        }
        let back = |bits: &u128| {
            let back = bits & scalar::mask(from.bits(model));
            (scalar::cast(model, from, ty, back) == Some(*bits)).then_some(back)
        };
        match known {
            Value::In(bits) => {
                let bits: Vec<u128> = bits.iter().filter_map(back).collect();
                Some((!bits.is_empty()).then(|| Value::one_of(bits)))
            }
            Value::Not(bits) => {
                let mut bits: Vec<u128> = bits.iter().filter_map(back).collect();
                bits.sort_unstable();
                Some(Some(Value::Not(bits)))
            }
            Value::Pointer(_) | Value::Function(_) => None,
        }
    }
}

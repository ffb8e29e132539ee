//! Values of expressions in a graph, through the one evaluator: each of the constants of both operands.

use super::graph::Graph;
use super::value::{Name, Pointer, Value};
use cfa::addresses::PAGE;
use cfa::{BinOp, Expr, ExprId, Exprs, Living, Program, Scalar, UnOp};
use rustc_hash::FxHashMap;
use semantics::scalar;

/// Where expressions are evaluated.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub program: &'a Program,
    pub graph: &'a Graph,
    /// Activations of the same function below.
    pub depth: u32,
}

/// The register or memory variable of an activation.
pub fn slot(program: &Program, var: cfa::VarId, depth: u32) -> (cfa::VarId, u32) {
    (var, if program.vars[var].function.is_some() { depth } else { 0 })
}

/// The values of an expression and of all in it.
pub type Values = FxHashMap<ExprId, Value>;

impl Scope<'_> {
    fn exprs(&self) -> &Exprs {
        &self.program.exprs
    }

    /// The values of all expressions below `root`; or the end of a segment that must become a plain object before.
    pub fn values(&self, root: ExprId) -> Result<Values, Pointer> {
        let mut values: Values = FxHashMap::default();
        let mut blocked = None;
        self.exprs().visit(root, |expr, node| {
            let value = self.value((expr, node), &values, &mut blocked);
            values.insert(expr, value);
        });
        match blocked {
            Some(pointer) => Err(pointer),
            None => Ok(values),
        }
    }

    /// The value of an expression, where no segment is in the way.
    pub fn eval(&self, root: ExprId) -> Value {
        match self.values(root) {
            Ok(mut values) => values.remove(&root).unwrap_or(Value::TOP),
            Err(_) => self.unknown(self.exprs().ty(root)),
        }
    }

    fn unknown(&self, ty: Scalar) -> Value {
        if ty == Scalar::Bool { Value::either() } else { Value::TOP }
    }

    fn value(&self, (expr, node): (ExprId, Expr), values: &Values, blocked: &mut Option<Pointer>) -> Value {
        let ty = |id: ExprId| self.exprs().ty(id);
        let model = self.exprs().model();
        match node {
            Expr::Const { low, high } => Value::bits(u128::from(low) | u128::from(high) << 64),
            Expr::Var(var) => self.graph.register(slot(self.program, var, self.depth)),
            Expr::Addr(var) => {
                let (var, depth) = slot(self.program, var, self.depth);
                super::graph::address(Name::Var(var, depth), super::value::End::First)
            }
            Expr::Function(function) => Value::Function(function),
            Expr::Load(pointer) => match &values[&pointer] {
                Value::Pointer(pointer) if self.graph.is_segment(pointer.to) => {
                    blocked.get_or_insert(*pointer);
                    Value::TOP
                }
                Value::Pointer(pointer) => {
                    let width = ty(expr).bytes(model);
                    let content = self.graph.content(*pointer, width);
                    content.map_or(Value::TOP, |(content, at)| content.read(at, width))
                }
                Value::In(_) | Value::Not(_) | Value::Function(_) => Value::TOP,
            },
            Expr::Unary(op, a) => self.unary(op, (ty(a), &values[&a]), ty(expr)),
            Expr::Binary(op, a, b) => {
                if let (BinOp::Eq, Value::Pointer(x), Value::Pointer(y)) = (op, &values[&a], &values[&b])
                    && x.to == y.to
                    && x.end != y.end
                {
                    // Whether the segment has one node decides it.
                    blocked.get_or_insert(*x);
                }
                if self.may_be_reused((a, &values[&a]), (b, &values[&b])) {
                    return self.unknown(ty(expr));
                }
                self.binary(op, (ty(a), &values[&a]), (ty(b), &values[&b]), ty(expr))
            }
            Expr::Cast(a) => self.cast(ty(a), ty(expr), &values[&a]),
            Expr::Ite(condition, a, b) => match values[&condition].truths() {
                (true, false) => values[&a].clone(),
                (false, true) => values[&b].clone(),
                (true, true) | (false, false) => values[&a].join(&values[&b]),
            },
            Expr::Living(question) => self.living(question, question.pointer().map(|pointer| &values[&pointer])),
        }
    }

    /// What the graph says of living objects. An address of a dead one is not known any more.
    fn living(&self, question: Living, pointer: Option<&Value>) -> Value {
        let truth = |known: Option<bool>| known.map_or(Value::either(), |known| Value::bits(u128::from(known)));
        match (question, pointer) {
            (Living::Room(_), Some(Value::Pointer(pointer))) => Value::bits(u128::from(self.graph.room(*pointer))),
            (Living::Room(_), Some(Value::Function(_))) => Value::bits(0),
            (Living::Room(_), Some(Value::In(bits))) if bits.iter().all(|&bits| bits < u128::from(PAGE)) => {
                Value::bits(0)
            }
            (Living::Room(_), Some(Value::In(_) | Value::Not(_)) | None) | (Living::Written(_), _) => Value::TOP,
            (Living::Freeable(_), Some(Value::Pointer(pointer))) => {
                truth(Some(matches!(pointer.to, Name::Heap(_)) && pointer.at == 0))
            }
            (Living::Freeable(_), Some(Value::Function(_))) => truth(Some(false)),
            (Living::Freeable(_), Some(Value::In(bits))) => truth((bits[..] == [0]).then_some(true)),
            (Living::Freeable(_), Some(Value::Not(_)) | None) => truth(None),
            (Living::Writable(_), Some(Value::Pointer(pointer))) => {
                truth(Some(!matches!(pointer.to, Name::Var(var, _) if self.program.is_read_only(var))))
            }
            (Living::Writable(_), Some(Value::Function(_))) => truth(Some(true)),
            (Living::Writable(_), Some(Value::In(_) | Value::Not(_)) | None) => truth(None),
            (Living::Ended(_), _) => truth(None),
            (Living::Heap, _) => Value::TOP,
            (Living::NoHeap, _) => truth(self.graph.has_no_heap()),
            (Living::Tracked, _) => truth(self.graph.is_tracked().then_some(true)),
        }
    }

    /// Whether integers hold addresses of objects of which one may be dead, and its address that of the other.
    fn may_be_reused(&self, (a, x): (ExprId, &Value), (b, y): (ExprId, &Value)) -> bool {
        let mortal = |value: &Value| match value {
            Value::Pointer(Pointer { to: Name::Var(var, _), .. }) => self.program.vars[*var].function.is_some(),
            Value::Pointer(Pointer { to: Name::Heap(_) | Name::Local(..), .. }) => true,
            Value::In(_) | Value::Not(_) | Value::Function(_) => false,
        };
        mortal(x) && mortal(y) && !self.exprs().are_pointers(a, b)
    }

    fn unary(&self, op: UnOp, (ty, value): (Scalar, &Value), result: Scalar) -> Value {
        let Value::In(all) = value else { return self.unknown(result) };
        let results: Option<Vec<u128>> =
            all.iter().map(|&bits| scalar::unary(self.exprs().model(), op, ty, bits)).collect();
        results.map_or_else(|| self.unknown(result), Value::one_of)
    }

    fn binary(&self, op: BinOp, (ta, a): (Scalar, &Value), (tb, b): (Scalar, &Value), result: Scalar) -> Value {
        let model = self.exprs().model();
        match (a, b) {
            (Value::In(x), Value::In(y)) => {
                let pairs = x.iter().flat_map(|&x| y.iter().map(move |&y| (x, y)));
                let results: Option<Vec<u128>> = pairs.map(|(x, y)| scalar::binary(model, op, ta, tb, x, y)).collect();
                results.map_or_else(|| self.unknown(result), Value::one_of)
            }
            (Value::In(some), Value::Not(others)) | (Value::Not(others), Value::In(some)) => match op {
                BinOp::Eq if !ta.is_float() && some.iter().all(|bits| others.contains(bits)) => Value::bits(0),
                _ => self.unknown(result),
            },
            (Value::Not(_), Value::Not(_)) => self.unknown(result),
            (Value::Pointer(_) | Value::Function(_), _) | (_, Value::Pointer(_) | Value::Function(_)) => {
                self.addresses(op, ta, a, b).unwrap_or_else(|| self.unknown(result))
            }
        }
    }

    /// Operators where at least one operand is an address with provenance.
    fn addresses(&self, op: BinOp, ty: Scalar, a: &Value, b: &Value) -> Option<Value> {
        let bits = self.exprs().model().pointer_bits();
        let signed = |n: u128| scalar::sign_extend(n, bits) as i64;
        // Offsets wrap as addresses do.
        let moved = |pointer: &Pointer, by: i64| {
            let at = signed(pointer.at.wrapping_add(by) as u128 & scalar::mask(bits));
            Value::Pointer(Pointer { at, ..*pointer })
        };
        match (op, a, b) {
            (BinOp::PtrAdd | BinOp::Add, Value::Pointer(pointer), _) => Some(moved(pointer, signed(b.constant()?))),
            (BinOp::Add, _, Value::Pointer(pointer)) => Some(moved(pointer, signed(a.constant()?))),
            (BinOp::Sub, Value::Pointer(x), Value::Pointer(y)) if (x.to, x.end) == (y.to, y.end) => {
                Some(Value::bits(x.at.wrapping_sub(y.at) as u128 & scalar::mask(bits)))
            }
            (BinOp::Sub, Value::Pointer(pointer), _) => Some(moved(pointer, signed(b.constant()?).wrapping_neg())),
            (BinOp::Eq, _, _) => self.same(a, b).map(|same| Value::bits(u128::from(same))),
            (BinOp::Lt | BinOp::Le, Value::Pointer(x), Value::Pointer(y)) => {
                let one = (x.to, x.end) == (y.to, y.end) && self.graph.is_within(*x) && self.graph.is_within(*y);
                let holds = if op == BinOp::Lt { x.at < y.at } else { x.at <= y.at };
                (one && !ty.is_signed()).then_some(Value::bits(u128::from(holds)))
            }
            _ => None,
        }
    }

    /// Whether two values are the same address.
    fn same(&self, a: &Value, b: &Value) -> Option<bool> {
        match (a, b) {
            (Value::Pointer(x), Value::Pointer(y)) if x.to == y.to => (x.end == y.end).then_some(x.at == y.at),
            (Value::Pointer(x), Value::Pointer(y)) => {
                (self.graph.is_inside(*x) && self.graph.is_inside(*y)).then_some(false)
            }
            (Value::Pointer(x), Value::Function(_)) | (Value::Function(_), Value::Pointer(x)) => {
                self.graph.is_inside(*x).then_some(false)
            }
            (Value::Function(f), Value::Function(g)) => Some(f == g),
            (Value::Pointer(x), other) | (other, Value::Pointer(x)) => {
                (other.constant() == Some(0) && self.graph.is_within(*x)).then_some(false)
            }
            (Value::Function(_), other) | (other, Value::Function(_)) => (other.constant() == Some(0)).then_some(false),
            (Value::In(_) | Value::Not(_), Value::In(_) | Value::Not(_)) => None,
        }
    }

    fn cast(&self, from: Scalar, to: Scalar, value: &Value) -> Value {
        let model = self.exprs().model();
        let cast = |bits: &u128| scalar::cast(model, from, to, *bits);
        match value {
            Value::In(all) => {
                let results: Option<Vec<u128>> = all.iter().map(cast).collect();
                results.map_or(Value::TOP, Value::one_of)
            }
            Value::Not(all) => {
                // Where no bits are lost, other values stay others.
                let exact = !from.is_float() && !to.is_float() && from.bits(model) <= to.bits(model);
                let results: Option<Vec<u128>> = all.iter().filter(|_| exact).map(cast).collect();
                let mut results = results.unwrap_or_default();
                results.sort_unstable();
                Value::Not(results)
            }
            Value::Pointer(_) | Value::Function(_) => {
                let whole = to.bits(model) == model.pointer_bits() && !to.is_float();
                if whole { value.clone() } else { Value::TOP }
            }
        }
    }
}

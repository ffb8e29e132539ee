//! Values of expressions in a state, through the one evaluator. `None` is "not known": some operand is, or C leaves
//! the result arbitrary. Pointers keep their provenance, also as integers of their width.

use super::sign::Sign;
use super::store::{KnownValue, Origin, State, Store, StoredObjectId};
use cfa::addresses::PAGE;
use cfa::{BinOp, DataModel, Expr, ExprId, Exprs, Living, Scalar, UnOp};
use rustc_hash::FxHashMap;
use semantics::scalar;

/// Expressions that are larger or deeper are evaluated without recursion, each node once.
const LARGE: u32 = 2000;

/// For each expression whether it is too large for recursion.
pub(super) fn large(exprs: &Exprs) -> Vec<bool> {
    let mut sizes: Vec<u32> = Vec::with_capacity(exprs.len());
    for at in 0..exprs.len() {
        let operands = exprs.node(ExprId(at as u32)).operands();
        let size = operands.fold(1_u32, |sum, operand| sum.saturating_add(sizes[operand.0 as usize]));
        sizes.push(size);
    }
    sizes.into_iter().map(|size| size > LARGE).collect()
}

/// A state of the activation in which expressions are evaluated.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a, 'p> {
    pub store: &'a Store<'p>,
    pub state: State,
    /// Activations of the same function below.
    pub depth: u32,
    pub large: &'a [bool],
}

impl Scope<'_, '_> {
    fn exprs(&self) -> &Exprs {
        &self.store.program.exprs
    }

    /// The value of an expression.
    pub fn eval(&self, expr: ExprId) -> Option<KnownValue> {
        if self.large[expr.0 as usize] {
            return self.eval_iteratively(expr);
        }
        match self.exprs().node(expr) {
            Expr::Const { low, high } => Some(KnownValue::Bits(u128::from(low) | u128::from(high) << 64)),
            Expr::Var(var) => self.store.register(self.state, var, self.depth),
            Expr::Addr(var) => Some(KnownValue::Pointer(self.store.object_of(var, self.depth)?, 0)),
            Expr::Function(function) => Some(KnownValue::Function(function)),
            Expr::Load(pointer) => self.load(self.eval(pointer)?, self.exprs().ty(expr)),
            Expr::Unary(op, a) => self.unary(op, self.exprs().ty(a), self.eval(a)?),
            Expr::Binary(op, a, b) => {
                let x = self.eval(a);
                if let Some(value) = self.short_circuit(op, self.exprs().ty(a), x) {
                    return Some(value);
                }
                let y = self.eval(b);
                self.binary(op, (a, x), (b, y))
            }
            Expr::Cast(a) => self.cast(self.exprs().ty(a), self.exprs().ty(expr), self.eval(a)?),
            Expr::Ite(condition, a, b) => match self.truth(condition) {
                Some(true) => self.eval(a),
                Some(false) => self.eval(b),
                None => {
                    let value = self.eval(a)?;
                    (self.eval(b) == Some(value)).then_some(value)
                }
            },
            Expr::Living(question) => self.living(question, self.eval(question.pointer()?)?),
        }
    }

    /// The truth value of a condition.
    pub fn truth(&self, condition: ExprId) -> Option<bool> {
        debug_assert_eq!(self.exprs().ty(condition), Scalar::Bool, "conditions are truth values");
        match self.eval(condition)? {
            KnownValue::Bits(bits) => Some(bits != 0),
            KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_) => None,
        }
    }

    fn eval_iteratively(&self, root: ExprId) -> Option<KnownValue> {
        let mut values: FxHashMap<ExprId, Option<KnownValue>> = FxHashMap::default();
        self.exprs().visit(root, |expr, node| {
            let of = |id: ExprId| values[&id];
            let ty = |id: ExprId| self.exprs().ty(id);
            let value = match node {
                Expr::Const { low, high } => Some(KnownValue::Bits(u128::from(low) | u128::from(high) << 64)),
                Expr::Var(var) => self.store.register(self.state, var, self.depth),
                Expr::Addr(var) => self.store.object_of(var, self.depth).map(|object| KnownValue::Pointer(object, 0)),
                Expr::Function(function) => Some(KnownValue::Function(function)),
                Expr::Load(pointer) => of(pointer).and_then(|pointer| self.load(pointer, ty(expr))),
                Expr::Unary(op, a) => of(a).and_then(|value| self.unary(op, ty(a), value)),
                Expr::Binary(op, a, b) => self.binary(op, (a, of(a)), (b, of(b))),
                Expr::Cast(a) => of(a).and_then(|value| self.cast(ty(a), ty(expr), value)),
                Expr::Ite(condition, a, b) => match of(condition) {
                    Some(KnownValue::Bits(0)) => of(b),
                    Some(value) => {
                        debug_assert_eq!(value, KnownValue::Bits(1), "conditions are truth values");
                        of(a)
                    }
                    None => of(a).filter(|value| of(b) == Some(*value)),
                },
                Expr::Living(question) => {
                    question.pointer().and_then(of).and_then(|pointer| self.living(question, pointer))
                }
            };
            values.insert(expr, value);
        });
        values[&root]
    }

    fn load(&self, pointer: KnownValue, ty: Scalar) -> Option<KnownValue> {
        let KnownValue::Pointer(object, offset) = pointer else { return None };
        let range = self.store.range(object, offset, ty.bytes(self.exprs().model()))?;
        // The bits of a negative floating-point zero are not zero.
        self.store.read(self.state, range).filter(|value| !matches!(value, KnownValue::Sign(_)) || !ty.is_float())
    }

    /// What is known of a living object: addresses of dead ones are forgotten when they die.
    fn living(&self, question: Living, pointer: KnownValue) -> Option<KnownValue> {
        let null = matches!(pointer, KnownValue::Bits(bits) if bits < u128::from(PAGE));
        let answer = match (question, pointer) {
            (Living::Room(_), KnownValue::Pointer(object, offset)) => {
                let size = self.store.object_info(object).size?;
                u64::try_from(offset).map_or(0, |offset| size.saturating_sub(offset))
            }
            (Living::Room(_), KnownValue::Function(_)) => 0,
            (Living::Room(_), KnownValue::Bits(_)) if null => 0,
            (Living::Freeable(_), KnownValue::Pointer(object, offset)) => {
                let object = self.store.object_info(object);
                u64::from(matches!(object.origin, Origin::Site(_)) && !object.local && offset == 0)
            }
            (Living::Freeable(_), KnownValue::Function(_)) => 0,
            (Living::Freeable(_), KnownValue::Bits(bits)) if null => u64::from(bits == 0),
            (Living::Room(_) | Living::Freeable(_), KnownValue::Bits(_) | KnownValue::Sign(_)) => return None,
            (Living::Writable(_), KnownValue::Pointer(object, _)) => match self.store.object_info(object).origin {
                Origin::Variable(var) => u64::from(!self.store.program.is_read_only(var)),
                Origin::Site(_) => 1,
            },
            (Living::Writable(_), KnownValue::Function(_)) => 1,
            (Living::Writable(_), KnownValue::Bits(_)) if null => 1,
            (Living::Writable(_), KnownValue::Bits(_) | KnownValue::Sign(_)) => return None,
            (Living::Written(_) | Living::Ended(_) | Living::Heap | Living::NoHeap | Living::Tracked, _) => {
                return None;
            }
        };
        Some(KnownValue::Bits(u128::from(answer)))
    }

    fn unary(&self, op: UnOp, ty: Scalar, a: KnownValue) -> Option<KnownValue> {
        let KnownValue::Bits(a) = a else { return None };
        scalar::unary(self.exprs().model(), op, ty, a).map(KnownValue::Bits)
    }

    /// The result where the first operand decides it.
    fn short_circuit(&self, op: BinOp, ty: Scalar, a: Option<KnownValue>) -> Option<KnownValue> {
        let Some(KnownValue::Bits(bits)) = a else { return None };
        match op {
            BinOp::And if bits == 0 => a,
            BinOp::Or if ty == Scalar::Bool && bits == 1 => a,
            BinOp::Mul if bits == 0 && ty.is_int() => a,
            _ => None,
        }
    }

    fn binary(
        &self,
        op: BinOp,
        (ea, a): (ExprId, Option<KnownValue>),
        (eb, b): (ExprId, Option<KnownValue>),
    ) -> Option<KnownValue> {
        let (ta, tb) = (self.exprs().ty(ea), self.exprs().ty(eb));
        if matches!(a, Some(KnownValue::Sign(_))) || matches!(b, Some(KnownValue::Sign(_))) {
            let known = self.compare_ranges(op, ta, a, b);
            return known.or_else(|| self.binary(op, (ea, exact(a)), (eb, exact(b))));
        }
        let (Some(x), Some(y)) = (a, b) else {
            if ea == eb && !ta.is_float() && self.is_stable(ea) {
                return match op {
                    BinOp::Eq | BinOp::Le => Some(KnownValue::Bits(1)),
                    BinOp::Lt | BinOp::Sub | BinOp::Xor => Some(KnownValue::Bits(0)),
                    _ => None,
                };
            }
            return self.short_circuit(op, ta, a).or_else(|| self.short_circuit(op, tb, b));
        };
        match (x, y) {
            (KnownValue::Bits(x), KnownValue::Bits(y)) => {
                scalar::binary(self.exprs().model(), op, ta, tb, x, y).map(KnownValue::Bits)
            }
            _ if self.may_be_reused(ea, eb, x, y) => None,
            _ => self.pointers(op, ta, x, y),
        }
    }

    /// Whether integers hold addresses of objects of which one may be dead, and its address that of the other.
    fn may_be_reused(&self, ea: ExprId, eb: ExprId, a: KnownValue, b: KnownValue) -> bool {
        let mortal = |value: KnownValue| match value {
            KnownValue::Pointer(object, _) => {
                let object = self.store.object_info(object);
                object.local || matches!(object.origin, Origin::Site(_))
            }
            KnownValue::Bits(_) | KnownValue::Function(_) | KnownValue::Sign(_) => false,
        };
        mortal(a) && mortal(b) && !self.exprs().are_pointers(ea, eb)
    }

    /// Whether two evaluations of the expression must give the same value: it has no operator that may be arbitrary.
    fn is_stable(&self, expr: ExprId) -> bool {
        match self.exprs().node(expr) {
            Expr::Var(_) => true,
            Expr::Cast(a) => !self.exprs().ty(a).is_float() && self.is_stable(a),
            _ => false,
        }
    }

    fn cast(&self, from: Scalar, to: Scalar, a: KnownValue) -> Option<KnownValue> {
        let model = self.exprs().model();
        match a {
            KnownValue::Bits(bits) => scalar::cast(model, from, to, bits).map(KnownValue::Bits),
            KnownValue::Pointer(..) | KnownValue::Function(_) => {
                let same_width = to.bits(model) == model.pointer_bits() && !to.is_float();
                same_width.then_some(a)
            }
            KnownValue::Sign(sign) => sign.converted(model, from, to).map(KnownValue::Sign),
        }
    }

    /// Operators where at least one operand is an address with provenance.
    fn pointers(&self, op: BinOp, ty: Scalar, a: KnownValue, b: KnownValue) -> Option<KnownValue> {
        let bits = self.exprs().model().pointer_bits();
        debug_assert!(!ty.is_float(), "addresses are not floats");
        let signed = |n: u128| scalar::sign_extend(n, bits) as i64;
        match (op, a, b) {
            (BinOp::PtrAdd | BinOp::Add, KnownValue::Pointer(object, at), KnownValue::Bits(n)) => {
                Some(KnownValue::Pointer(object, at.wrapping_add(signed(n))))
            }
            (BinOp::Add, KnownValue::Bits(n), KnownValue::Pointer(object, at)) => {
                Some(KnownValue::Pointer(object, at.wrapping_add(signed(n))))
            }
            (BinOp::Sub, KnownValue::Pointer(object, at), KnownValue::Bits(n)) => {
                Some(KnownValue::Pointer(object, at.wrapping_sub(signed(n))))
            }
            (BinOp::Sub, KnownValue::Pointer(x, at), KnownValue::Pointer(y, from)) if x == y => {
                Some(KnownValue::Bits(at.wrapping_sub(from) as u128 & scalar::mask(bits)))
            }
            (BinOp::PtrAdd | BinOp::Add | BinOp::Sub, KnownValue::Function(_), KnownValue::Bits(0)) => Some(a),
            (BinOp::Eq, _, _) => self.same_address(a, b).map(|same| KnownValue::Bits(u128::from(same))),
            (BinOp::Lt | BinOp::Le, KnownValue::Pointer(x, p), KnownValue::Pointer(y, q)) => {
                let comparable = x == y && self.within(x, p) && self.within(y, q) && !ty.is_signed();
                let holds = if op == BinOp::Lt { p < q } else { p <= q };
                comparable.then_some(KnownValue::Bits(u128::from(holds)))
            }
            _ => None,
        }
    }

    /// Whether an offset lies in the object or at its end.
    fn within(&self, object: StoredObjectId, offset: i64) -> bool {
        match self.store.object_info(object).size {
            Some(size) => u64::try_from(offset).is_ok_and(|offset| offset <= size),
            None => offset == 0,
        }
    }

    /// Whether an offset is that of a byte of the object.
    fn inside(&self, object: StoredObjectId, offset: i64) -> bool {
        let size = self.store.object_info(object).size.unwrap_or(0);
        u64::try_from(offset).is_ok_and(|offset| offset < size)
    }

    fn same_address(&self, a: KnownValue, b: KnownValue) -> Option<bool> {
        match (a, b) {
            (KnownValue::Pointer(x, p), KnownValue::Pointer(y, q)) if x == y => Some(p == q),
            (KnownValue::Pointer(x, p), KnownValue::Pointer(y, q)) => {
                (self.inside(x, p) && self.inside(y, q)).then_some(false)
            }
            (KnownValue::Pointer(x, p), KnownValue::Bits(0)) | (KnownValue::Bits(0), KnownValue::Pointer(x, p)) => {
                self.within(x, p).then_some(false)
            }
            (KnownValue::Function(f), KnownValue::Function(g)) => Some(f == g),
            (KnownValue::Function(_), KnownValue::Bits(0)) | (KnownValue::Bits(0), KnownValue::Function(_)) => {
                Some(false)
            }
            (KnownValue::Pointer(x, p), KnownValue::Function(_))
            | (KnownValue::Function(_), KnownValue::Pointer(x, p)) => self.inside(x, p).then_some(false),
            (KnownValue::Pointer(..) | KnownValue::Function(_), KnownValue::Bits(_)) => None,
            (KnownValue::Bits(_), KnownValue::Pointer(..) | KnownValue::Function(_)) => None,
            (KnownValue::Bits(x), KnownValue::Bits(y)) => Some(x == y),
            (KnownValue::Sign(_), _) | (_, KnownValue::Sign(_)) => None,
        }
    }

    /// The result of a comparison where the numbers that both operands may be decide it.
    fn compare_ranges(
        &self,
        op: BinOp,
        ty: Scalar,
        a: Option<KnownValue>,
        b: Option<KnownValue>,
    ) -> Option<KnownValue> {
        let model = self.exprs().model();
        let range = |value: Option<KnownValue>| match value? {
            KnownValue::Sign(sign) => sign.range(model, ty),
            KnownValue::Bits(bits) => Some((number(model, ty, bits), number(model, ty, bits))),
            KnownValue::Pointer(..) | KnownValue::Function(_) => None,
        };
        let sign = |value: Option<KnownValue>| match value? {
            KnownValue::Sign(sign) => Some(sign),
            KnownValue::Bits(bits) => Some(Sign::of(model, ty, bits)),
            KnownValue::Pointer(..) | KnownValue::Function(_) => None,
        };
        if op == BinOp::Eq {
            return sign(a)?.and(sign(b)?).is_empty().then_some(KnownValue::Bits(0));
        }
        let ((a_low, a_high), (b_low, b_high)) = (range(a)?, range(b)?);
        debug_assert!(a_low <= a_high && b_low <= b_high, "ranges are not empty");
        let (yes, no) = match op {
            BinOp::Lt => (a_high < b_low, a_low >= b_high),
            BinOp::Le => (a_high <= b_low, a_low > b_high),
            _ => return None,
        };
        (yes || no).then_some(KnownValue::Bits(u128::from(yes)))
    }
}

/// What is known exactly.
pub(super) fn exact(value: Option<KnownValue>) -> Option<KnownValue> {
    value.filter(|value| !matches!(value, KnownValue::Sign(_)))
}

/// An integer or address by its type.
pub(super) fn number(model: DataModel, ty: Scalar, bits: u128) -> i128 {
    if ty.is_signed() { scalar::sign_extend(bits, ty.bits(model)) as i128 } else { bits as i128 }
}

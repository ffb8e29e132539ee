//! Expressions. Evaluating one never fails; where C leaves a result open, it is a variable of its own.

use crate::float::{NEAREST, format};
use crate::{Encoder, SymbolicState as State, SymbolicValue as Value};
use cfa::{BinOp, Expr, ExprId, Exprs, Scalar, UnOp};
use rustc_hash::FxHashMap;
use smt::{BitVec, Op, TermId};

impl Encoder<'_> {
    /// The value of an expression in the innermost of the frames. Equal parts of one expression have one value.
    pub fn eval(&self, exprs: &Exprs, state: &State, root: ExprId) -> Value {
        let mut values: FxHashMap<ExprId, Value> = FxHashMap::default();
        exprs.visit(root, |id, _| {
            let value = self.operation(exprs, state, id, |operand| values[&operand]);
            values.insert(id, value);
        });
        values[&root]
    }

    /// The value of one of the program's expressions.
    pub(crate) fn value(&self, state: &State, expr: ExprId) -> Value {
        self.eval(&self.program.exprs, state, expr)
    }

    fn operation(&self, exprs: &Exprs, state: &State, id: ExprId, value: impl Fn(ExprId) -> Value) -> Value {
        let (t, ty, model) = (&self.terms, exprs.ty(id), self.program.model);
        Value::plain(match exprs.node(id) {
            Expr::Const { low, .. } if ty == Scalar::Bool => t.bool(low != 0),
            Expr::Const { low, high } => t.bv(BitVec::new(ty.bits(model), u128::from(low) | u128::from(high) << 64)),
            Expr::Var(var) => return self.register(state, var),
            Expr::Addr(var) => return self.start(self.variable(state, var)),
            node @ Expr::Function(_) => return self.start(self.fixed(state, node, 0, 1)),
            Expr::Load(at) => t.bv_extract(self.load(state, value(at), ty.bytes(model)), ty.bits(model) - 1, 0),
            Expr::Unary(op, a) => self.unary(op, exprs.ty(a), value(a).bits),
            Expr::Binary(BinOp::PtrAdd, a, b) => return self.behind(value(a), value(b).bits),
            Expr::Binary(op, a, b) => self.binary(op, (exprs.ty(a), exprs.ty(b)), (value(a).bits, value(b).bits)),
            Expr::Cast(a) => {
                // An integer that holds a whole address leads back to the same object.
                let whole = |ty: Scalar| !ty.is_float() && ty.bits(model) == model.pointer_bits();
                let origin = value(a).origin.filter(|_| whole(exprs.ty(a)) && whole(ty));
                return Value { bits: self.cast(exprs.ty(a), ty, value(a).bits), origin };
            }
            Expr::Living(question) => self.living(state, question, value),
            Expr::Ite(condition, a, b) => return self.choose(value(condition).bits, value(a), value(b)),
        })
    }

    fn unary(&self, op: UnOp, ty: Scalar, a: TermId) -> TermId {
        match (op, ty) {
            (_, Scalar::Float(kind)) => self.float_unary(op, kind, a),
            (UnOp::Not, _) => self.terms.not(a),
            (UnOp::Neg, _) => self.terms.bv_neg(a),
            (UnOp::BitNot, _) => self.terms.bv_not(a),
            _ => unreachable!("on floats only"),
        }
    }

    fn binary(&self, op: BinOp, (ta, tb): (Scalar, Scalar), (a, b): (TermId, TermId)) -> TermId {
        let t = &self.terms;
        let by_sign = |signed, unsigned| if ta.is_signed() { signed } else { unsigned };
        let term = match (op, ta) {
            (_, Scalar::Float(kind)) => return self.float_binary(op, kind, (a, b)),
            (BinOp::Div, _) => by_sign(Op::BvSdiv, Op::BvUdiv),
            (BinOp::Rem, _) => by_sign(Op::BvSrem, Op::BvUrem),
            (BinOp::Shl, _) => return self.shifted(Op::BvShl, a, (b, tb.is_signed())),
            (BinOp::Shr, _) => return self.shifted(by_sign(Op::BvAshr, Op::BvLshr), a, (b, tb.is_signed())),
            (BinOp::Xor, Scalar::Bool) => return t.xor(a, b),
            (BinOp::And, Scalar::Bool) => Op::And,
            (BinOp::Or, Scalar::Bool) => Op::Or,
            (BinOp::Add, _) => Op::BvAdd,
            (BinOp::Sub, _) => Op::BvSub,
            (BinOp::Mul, _) => Op::BvMul,
            (BinOp::And, _) => Op::BvAnd,
            (BinOp::Or, _) => Op::BvOr,
            (BinOp::Xor, _) => Op::BvXor,
            (BinOp::Eq, _) => Op::Eq,
            (BinOp::Lt, _) => by_sign(Op::BvSlt, Op::BvUlt),
            (BinOp::Le, _) => by_sign(Op::BvSle, Op::BvUle),
            (BinOp::PtrAdd, _) => unreachable!("a sum of a pointer has its own case"),
        };
        let result = t.make(term, &[a, b]);
        if matches!(op, BinOp::Div | BinOp::Rem) { self.defined(t.bv_is_nonzero(b), result) } else { result }
    }

    /// The distance may have another width than the number; only distances below the number's width are defined, and
    /// those fit the number's width.
    fn shifted(&self, op: Op, a: TermId, (by, by_signed): (TermId, bool)) -> TermId {
        let (t, width) = (&self.terms, self.terms.width(a));
        let wide = width.max(t.width(by)) + 1;
        let distance = t.bv_resize(by, wide, by_signed);
        let defined = t.bv_ult(distance, t.bv_u64(wide, u64::from(width)));
        self.defined(defined, t.make(op, &[a, t.bv_resize_unsigned(distance, width)]))
    }

    /// The result where it is defined, else any.
    fn defined(&self, defined: TermId, result: TermId) -> TermId {
        self.terms.ite(defined, result, self.fresh_bits("undefined", self.terms.width(result)))
    }

    fn cast(&self, from: Scalar, to: Scalar, a: TermId) -> TermId {
        let width = to.bits(self.program.model);
        match (from, to) {
            (Scalar::Bool, _) => self.terms.bv_from_bool(a, width),
            (Scalar::Float(from), _) => self.cast_float(from, to, a),
            (_, Scalar::Float(to)) => {
                let op = if from.is_signed() { Op::FpFromSbv } else { Op::FpFromUbv };
                self.encoding(to, op(NEAREST, format(to)), &[a])
            }
            // gcc widens pointers by their sign.
            _ => self.terms.bv_resize(a, width, from.is_signed() || from == Scalar::Ptr),
        }
    }
}

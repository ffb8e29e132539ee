//! Expressions. Evaluating one never fails; where C leaves a result open, it is a variable of its own.

use crate::Refusal;
use crate::segment::Encoder;
use crate::state::{SymbolicState, SymbolicValue};
use base::Span;
use cfa::{BinOp, Expr, ExprId, Exprs, Scalar, UnOp, VarId};
use rustc_hash::FxHashMap;
use smt::{BitVec, TermId};

impl Encoder<'_> {
    /// The value of an expression in the innermost of the frames. Equal parts of one expression have one value.
    pub(crate) fn eval(
        &mut self,
        exprs: &Exprs,
        state: &SymbolicState,
        root: ExprId,
        span: Span,
    ) -> Result<SymbolicValue, Refusal> {
        let mut order = Vec::new();
        exprs.visit(root, |id, _| order.push(id));
        let mut values: FxHashMap<ExprId, SymbolicValue> = FxHashMap::default();
        for id in order {
            let value = self.eval_one(exprs, state, id, &values, span)?;
            values.insert(id, value);
        }
        Ok(values[&root])
    }

    fn eval_one(
        &mut self,
        exprs: &Exprs,
        state: &SymbolicState,
        id: ExprId,
        values: &FxHashMap<ExprId, SymbolicValue>,
        span: Span,
    ) -> Result<SymbolicValue, Refusal> {
        let ty = exprs.ty(id);
        let bits = match exprs.node(id) {
            Expr::Const { low, high } => return Ok(SymbolicValue::plain(self.constant(ty, low, high))),
            Expr::Var(var) => return self.register(state, var, span),
            Expr::Addr(var) => return self.address_of(var, span),
            Expr::Function(function) => {
                let object = self.function_object(function);
                let zero = self.word(0);
                return Ok(self.pointer(object, zero));
            }
            Expr::Load(pointer) => {
                let bytes = ty.bytes(self.program.model);
                let value = self.load(state, values[&pointer], bytes)?;
                self.terms.bv_extract(value, ty.bits(self.program.model) - 1, 0)
            }
            Expr::Unary(op, a) => self.unary(op, exprs.ty(a), values[&a].bits, span)?,
            Expr::Binary(BinOp::PtrAdd, a, b) => return Ok(self.pointer_sum(values[&a], values[&b].bits)),
            Expr::Binary(op, a, b) => {
                let types = (exprs.ty(a), exprs.ty(b));
                self.binary(op, types, (values[&a].bits, values[&b].bits), span)?
            }
            Expr::Cast(a) => {
                let bits = self.cast(exprs.ty(a), ty, values[&a].bits)?;
                // An integer that holds a whole address leads back to the same object.
                let width = self.program.model.pointer_bits();
                let whole = |ty: Scalar| (ty == Scalar::Ptr || ty.is_int()) && ty.bits(self.program.model) == width;
                let origin = values[&a].origin.filter(|_| whole(exprs.ty(a)) && whole(ty));
                return Ok(SymbolicValue { bits, origin });
            }
            Expr::Living(question) => {
                let pointer = question.pointer().map(|pointer| values[&pointer]);
                self.living(state, question, pointer)
            }
            Expr::Ite(condition, a, b) => return Ok(self.choose(values[&condition].bits, values[&a], values[&b])),
        };
        Ok(SymbolicValue::plain(bits))
    }

    fn constant(&mut self, ty: Scalar, low: u64, high: u64) -> TermId {
        match ty {
            Scalar::Bool => self.terms.bool(low != 0),
            Scalar::Int { .. } | Scalar::Float(_) | Scalar::Ptr => {
                let bits = u128::from(low) | u128::from(high) << 64;
                self.terms.bv(BitVec::new(ty.bits(self.program.model), bits))
            }
        }
    }

    /// A register of the innermost frame that has it.
    pub(crate) fn register(&self, state: &SymbolicState, var: VarId, span: Span) -> Result<SymbolicValue, Refusal> {
        let frames = (0..self.frames.len() as u32).rev();
        let found = frames.into_iter().find_map(|frame| state.registers.get(&(frame, var)));
        found.copied().ok_or_else(|| {
            let name = self.program.var_name(var);
            Encoder::refuse(&format!("`{name}`, which is not a variable of a function that is running"), span)
        })
    }

    fn pointer_sum(&mut self, pointer: SymbolicValue, offset: TermId) -> SymbolicValue {
        match pointer.origin {
            Some((object, at)) => {
                let at = self.terms.bv_add(at, offset);
                self.pointer(object, at)
            }
            None => SymbolicValue::plain(self.terms.bv_add(pointer.bits, offset)),
        }
    }

    fn unary(&mut self, op: UnOp, ty: Scalar, a: TermId, span: Span) -> Result<TermId, Refusal> {
        if let Scalar::Float(kind) = ty {
            return self.float_unary(op, kind, a, span);
        }
        Ok(match op {
            UnOp::Not => self.terms.not(a),
            UnOp::Neg => self.terms.bv_neg(a),
            UnOp::BitNot => self.terms.bv_not(a),
            UnOp::Abs
            | UnOp::Sqrt
            | UnOp::Floor
            | UnOp::Ceil
            | UnOp::Trunc
            | UnOp::Round
            | UnOp::RoundEven
            | UnOp::SignBit => unreachable!("on floats only"),
        })
    }

    fn binary(
        &mut self,
        op: BinOp,
        (ta, tb): (Scalar, Scalar),
        (a, b): (TermId, TermId),
        span: Span,
    ) -> Result<TermId, Refusal> {
        if let Scalar::Float(kind) = ta {
            return self.float_binary(op, kind, (a, b), span);
        }
        let (truth, signed) = (ta == Scalar::Bool, ta.is_signed());
        let terms = &mut self.terms;
        Ok(match op {
            BinOp::Add => terms.bv_add(a, b),
            BinOp::Sub => terms.bv_sub(a, b),
            BinOp::Mul => terms.bv_mul(a, b),
            BinOp::Div | BinOp::Rem => {
                let result = match (op, signed) {
                    (BinOp::Div, true) => terms.bv_sdiv(a, b),
                    (BinOp::Div, false) => terms.bv_udiv(a, b),
                    (_, true) => terms.bv_srem(a, b),
                    (_, false) => terms.bv_urem(a, b),
                };
                let defined = terms.bv_is_nonzero(b);
                self.defined(defined, result)
            }
            BinOp::Shl | BinOp::Shr => self.shift(op, (a, signed), (b, tb.is_signed())),
            BinOp::And if truth => terms.and([a, b]),
            BinOp::Or if truth => terms.or([a, b]),
            BinOp::Xor if truth => terms.xor(a, b),
            BinOp::And => terms.bv_and(a, b),
            BinOp::Or => terms.bv_or(a, b),
            BinOp::Xor => terms.bv_xor(a, b),
            BinOp::Eq => terms.eq(a, b),
            BinOp::Lt if signed => terms.bv_slt(a, b),
            BinOp::Lt => terms.bv_ult(a, b),
            BinOp::Le if signed => terms.bv_sle(a, b),
            BinOp::Le => terms.bv_ule(a, b),
            BinOp::PtrAdd => unreachable!("a sum of a pointer has its own case"),
        })
    }

    /// The result where it is defined, else any.
    fn defined(&mut self, defined: TermId, result: TermId) -> TermId {
        if self.terms.as_bool(defined) == Some(true) {
            return result;
        }
        let arbitrary = self.fresh_bits("undefined", self.terms.width(result));
        self.terms.ite(defined, result, arbitrary)
    }

    /// The distance may have another width than the number; only distances below the number's width are defined, and
    /// those fit the number's width.
    fn shift(&mut self, op: BinOp, (a, signed): (TermId, bool), (by, by_signed): (TermId, bool)) -> TermId {
        let (width, by_width) = (self.terms.width(a), self.terms.width(by));
        let wide = width.max(by_width) + 1;
        let distance =
            if by_signed { self.terms.bv_resize_signed(by, wide) } else { self.terms.bv_resize_unsigned(by, wide) };
        let end = self.terms.bv_u64(wide, u64::from(width));
        let defined = self.terms.bv_ult(distance, end);
        let distance = self.terms.bv_resize_unsigned(distance, width);
        let result = match (op, signed) {
            (BinOp::Shl, _) => self.terms.bv_shl(a, distance),
            (_, true) => self.terms.bv_ashr(a, distance),
            (_, false) => self.terms.bv_lshr(a, distance),
        };
        self.defined(defined, result)
    }

    fn cast(&mut self, from: Scalar, to: Scalar, a: TermId) -> Result<TermId, Refusal> {
        let width = to.bits(self.program.model);
        Ok(match (from, to) {
            (Scalar::Bool, _) => self.terms.bv_from_bool(a, width),
            (Scalar::Float(from), Scalar::Float(to)) => self.float_to_float(from, to, a),
            (Scalar::Float(from), _) => self.float_to_int(from, a, width, to.is_signed()),
            (_, Scalar::Float(to)) => self.int_to_float(from.is_signed(), to, a),
            // gcc widens pointers by their sign.
            (Scalar::Ptr, _) => self.terms.bv_resize_signed(a, width),
            _ if from.is_signed() => self.terms.bv_resize_signed(a, width),
            _ => self.terms.bv_resize_unsigned(a, width),
        })
    }
}

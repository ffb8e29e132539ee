//! The rounding mode of floats, for programs that name `fesetround`: a global register holds it, and `rint` and its
//! like round as it says. Other operations are modelled for the default mode only: in another one they are
//! `Unsupported`. All other programs round to nearest even and never see the register.

use crate::context::{Lowering, Lowers, Value};
use cfa::{BinOp, DataModel, ExprId, FloatKind, Op, Scalar, UnOp};
use syntax::ast::{self, ExprKind, List};

/// The modes of x86 as `fesetround` takes them.
const TO_NEAREST: i128 = 0;
const DOWNWARD: i128 = 0x400;
const UPWARD: i128 = 0x800;
const TOWARD_ZERO: i128 = 0xc00;

impl Lowering<'_> {
    /// Makes the register if some unit names `fesetround` and none defines it.
    pub fn find_rounding(&mut self) {
        let name = self.program.names.intern("fesetround");
        let is_named = |unit: &syntax::Ast| unit.exprs.iter().any(|(_, expr)| expr.kind == ExprKind::Name(name));
        if self.defined_functions.contains(&name) || !self.units.iter().any(is_named) {
            return;
        }
        self.rounding = Some(self.hidden_register("$rounding", self.basic.int, Scalar::INT));
    }

    /// The program starts with the default mode.
    pub fn initial_rounding(&mut self) {
        if let Some(mode) = self.rounding {
            let value = self.number(Scalar::INT, TO_NEAREST);
            self.emit(Op::Assign(mode, value));
        }
    }

    /// What `fegetround` returns.
    pub fn rounding_mode(&mut self) -> Value {
        match self.rounding {
            Some(mode) => Value { ty: self.basic.int, expr: self.var(mode) },
            None => self.int_value(TO_NEAREST),
        }
    }

    /// `fesetround`: 0, or 1 and no change if there is no such mode.
    pub fn set_rounding_mode(&mut self, args: List<ast::ExprId>) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let [mode] = values[..] else { return self.error(self.here, "expected one argument") };
        let mode = self.convert(mode, self.basic.int, self.here)?;
        let Some(register) = self.rounding else { return Ok(self.int_value(1)) };
        let mode = self.spill(mode.ty, mode.expr);
        let others = self.number(Scalar::INT, !TOWARD_ZERO);
        let surplus = self.binary(BinOp::And, mode, others);
        let zero = self.number(Scalar::INT, 0);
        let known = self.binary(BinOp::Eq, surplus, zero);
        let old = self.var(register);
        let new = self.ite(known, mode, old);
        self.emit(Op::Assign(register, new));
        let unknown = self.not(known);
        Ok(Value { ty: self.basic.int, expr: self.cast(unknown, Scalar::INT) })
    }

    /// The whole number that the current mode rounds a float to.
    pub fn rounded_as_set(&mut self, x: ExprId) -> ExprId {
        let nearest = self.unary(UnOp::RoundEven, x);
        let Some(mode) = self.rounding else { return nearest };
        let mode = self.var(mode);
        let mut result = nearest;
        for (other, op) in [(DOWNWARD, UnOp::Floor), (UPWARD, UnOp::Ceil), (TOWARD_ZERO, UnOp::Trunc)] {
            let (other, whole) = (self.number(Scalar::INT, other), self.unary(op, x));
            let is_set = self.binary(BinOp::Eq, mode, other);
            result = self.ite(is_set, whole, result);
        }
        result
    }

    /// Before an operation whose result is rounded: only the default mode is modelled.
    pub fn rounds(&mut self) {
        if let Some(mode) = self.rounding {
            let (mode, nearest) = (self.var(mode), self.number(Scalar::INT, TO_NEAREST));
            let is_default = self.binary(BinOp::Eq, mode, nearest);
            let (yes, no) = self.fork(is_default);
            self.body.at = no;
            self.unsupported("arithmetic in another rounding mode");
            let after = self.body.at;
            self.join(after, yes);
            self.body.at = yes;
        }
    }

    /// Arithmetic of this kind gives a number of its own type. Of a 32-bit program gcc keeps wider ones in registers of
    /// the x87, unless it is told otherwise.
    pub fn keeps_precision(&mut self, kind: FloatKind) {
        let narrow = matches!(kind, FloatKind::F32 | FloatKind::F64);
        if narrow && self.program.model == DataModel::Ilp32 && !self.in_model {
            self.assume("float and double arithmetic is not done in wider registers (gcc -msse2 -mfpmath=sse)");
        }
    }

    /// Whether a conversion may have to round.
    pub fn may_round(&self, value: ExprId, to: Scalar) -> bool {
        let Scalar::Float(to) = to else { return false };
        if self.rounding.is_none() || self.program.exprs.constant(value).is_some() {
            return false;
        }
        match self.scalar_of(value) {
            Scalar::Bool | Scalar::Ptr => false,
            Scalar::Int { bits, .. } => {
                let exact = match to {
                    FloatKind::F16 => 11,
                    FloatKind::F32 => 24,
                    FloatKind::F64 => 53,
                    FloatKind::X87 => 64,
                    FloatKind::F128 => 113,
                };
                u32::from(bits) > exact
            }
            Scalar::Float(from) => from > to,
        }
    }
}

//! Floating-point values. They are kept as bits; operations go through SMT-LIB's theory, which knows one NaN, so the
//! bits of a result are any that encode it.

use crate::Encoder;
use cfa::{BinOp, FloatKind, Scalar, UnOp};
use smt::{FloatFormat, Op, RoundingMode, TermId};

pub(crate) const NEAREST: RoundingMode = RoundingMode::NearestEven;

pub(crate) fn format(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::F16 => FloatFormat::HALF,
        FloatKind::F32 => FloatFormat::SINGLE,
        FloatKind::F64 => FloatFormat::DOUBLE,
        FloatKind::X87 => FloatFormat::X87,
        FloatKind::F128 => FloatFormat::QUAD,
    }
}

impl Encoder<'_> {
    /// The number that the bits encode.
    fn number(&self, kind: FloatKind, bits: TermId) -> TermId {
        let known = self.tables.numbers.borrow().get(&(kind, bits)).copied();
        known.unwrap_or_else(|| {
            let number = self.terms.fp_from_bits(format(kind), self.standard(kind, bits));
            self.tables.numbers.borrow_mut().insert((kind, bits), number);
            number
        })
    }

    /// The bits in the standard's order. The 80 bits of x87 have one, bit 63, that other formats hide: it is set unless the
    /// exponent is zero. What other patterns mean is left open.
    fn standard(&self, kind: FloatKind, bits: TermId) -> TermId {
        if kind != FloatKind::X87 {
            return bits;
        }
        self.inexact.set(true);
        let usual = self.terms.bv_concat(self.terms.bv_extract(bits, 79, 64), self.terms.bv_extract(bits, 62, 0));
        self.terms.ite(self.is_usual(bits), usual, self.fresh_bits("unusual", 79))
    }

    fn is_usual(&self, bits: TermId) -> TermId {
        let part = |high, low| self.terms.bv_is_nonzero(self.terms.bv_extract(bits, high, low));
        self.terms.eq(part(78, 64), part(63, 63))
    }

    /// Bits that encode the result of an operation.
    pub(crate) fn encoding(&self, kind: FloatKind, op: Op, args: &[TermId]) -> TermId {
        let number = self.terms.make(op, args);
        // The definition says which NaN a result is.
        self.inexact.set(true);
        let bits = self.fresh_bits("float", kind.bits());
        if kind == FloatKind::X87 {
            self.tables.assumed.borrow_mut().push(self.is_usual(bits));
        }
        self.tables.assumed.borrow_mut().push(self.terms.eq(self.number(kind, bits), number));
        self.tables.numbers.borrow_mut().insert((kind, bits), number);
        bits
    }

    pub(crate) fn float_unary(&self, op: UnOp, kind: FloatKind, a: TermId) -> TermId {
        let (t, top) = (&self.terms, kind.bits() - 1);
        let (sign, rest) = (t.bv_extract(a, top, top), t.bv_extract(a, top - 1, 0));
        let op = match op {
            UnOp::SignBit => return t.bv_is_nonzero(sign),
            UnOp::Neg => return t.bv_concat(t.bv_not(sign), rest),
            UnOp::Abs => return t.bv_concat(t.bv_u64(1, 0), rest),
            UnOp::Sqrt => Op::FpSqrt(NEAREST),
            UnOp::Floor => Op::FpRound(RoundingMode::Down),
            UnOp::Ceil => Op::FpRound(RoundingMode::Up),
            UnOp::Trunc => Op::FpRound(RoundingMode::Zero),
            UnOp::Round => Op::FpRound(RoundingMode::NearestAway),
            UnOp::RoundEven => Op::FpRound(NEAREST),
            UnOp::Not | UnOp::BitNot => unreachable!("on integers only"),
        };
        self.encoding(kind, op, &[self.number(kind, a)])
    }

    pub(crate) fn float_binary(&self, op: BinOp, kind: FloatKind, (a, b): (TermId, TermId)) -> TermId {
        let operands = [self.number(kind, a), self.number(kind, b)];
        let op = match op {
            BinOp::Add => Op::FpAdd(NEAREST),
            BinOp::Sub => Op::FpSub(NEAREST),
            BinOp::Mul => Op::FpMul(NEAREST),
            BinOp::Div => Op::FpDiv(NEAREST),
            BinOp::Eq => return self.terms.make(Op::FpEq, &operands),
            BinOp::Lt => return self.terms.make(Op::FpLt, &operands),
            BinOp::Le => return self.terms.make(Op::FpLe, &operands),
            BinOp::Rem => {
                self.unsupported("fmod");
                return a;
            }
            BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::PtrAdd => {
                unreachable!("on integers only")
            }
        };
        self.encoding(kind, op, &operands)
    }

    /// To integers towards zero; arbitrary if the type does not hold the result.
    pub(crate) fn cast_float(&self, from: FloatKind, to: Scalar, a: TermId) -> TermId {
        let (t, number) = (&self.terms, self.number(from, a));
        if let Scalar::Float(to) = to {
            return self.encoding(to, Op::FpFromFp(NEAREST, format(to)), &[number]);
        }
        let (width, signed) = (to.bits(self.program.model), to.is_signed());
        let whole = t.fp_round(RoundingMode::Zero, number);
        // Powers of two are exact in every format that is wide enough, infinite in others.
        let zeros = t.bv_u64(if signed { width - 1 } else { width }, 0);
        let power = t.fp_from_unsigned(NEAREST, format(from), t.bv_concat(t.bv_u64(1, 1), zeros));
        let least = if signed { t.fp_neg(power) } else { t.fp_from_unsigned(NEAREST, format(from), zeros) };
        let fits = t.and([t.fp_le(least, whole), t.fp_lt(whole, power), t.not(t.make(Op::FpIsInf, &[number]))]);
        let op = if signed { Op::FpToSbv } else { Op::FpToUbv };
        let converted = t.make(op(RoundingMode::Zero, width), &[number]);
        t.ite(fits, converted, self.fresh_bits("unrepresentable", width))
    }
}

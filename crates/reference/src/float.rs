//! Floating-point values. They are kept as bits; operations go through SMT-LIB's theory, which knows one NaN, so the
//! bits of a result are any that encode it.

use crate::Refusal;
use crate::segment::Encoder;
use base::Span;
use cfa::{BinOp, FloatKind, UnOp};
use smt::{FloatFormat, RoundingMode, TermId};

fn format(kind: FloatKind) -> FloatFormat {
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
    fn number(&mut self, kind: FloatKind, bits: TermId) -> TermId {
        if let Some(&known) = self.numbers.get(&(kind, bits)) {
            return known;
        }
        let number = match kind {
            FloatKind::F16 | FloatKind::F32 | FloatKind::F64 | FloatKind::F128 => {
                self.terms.fp_from_bits(format(kind), bits)
            }
            FloatKind::X87 => {
                // Bit 63, which other formats hide, is set unless the exponent is zero. What it makes of other patterns
                // is left open.
                let usual = self.is_usual(bits);
                let (high, low) = (self.terms.bv_extract(bits, 79, 64), self.terms.bv_extract(bits, 62, 0));
                let short = self.terms.bv_concat(high, low);
                let value = self.terms.fp_from_bits(FloatFormat::X87, short);
                self.inexact = true;
                let any = self.fresh_bits("unusual", 79);
                let any = self.terms.fp_from_bits(FloatFormat::X87, any);
                self.terms.ite(usual, value, any)
            }
        };
        self.numbers.insert((kind, bits), number);
        number
    }

    fn is_usual(&mut self, bits: TermId) -> TermId {
        let exponent = self.terms.bv_extract(bits, 78, 64);
        let nonzero = self.terms.bv_is_nonzero(exponent);
        let integer_bit = self.terms.bv_extract(bits, 63, 63);
        let set = self.terms.bv_is_nonzero(integer_bit);
        self.terms.eq(nonzero, set)
    }

    /// Bits that encode a number.
    fn encoding(&mut self, kind: FloatKind, number: TermId) -> TermId {
        // The definition says which NaN a result is.
        self.inexact = true;
        let bits = self.fresh_bits("float", kind.bits());
        if kind == FloatKind::X87 {
            let usual = self.is_usual(bits);
            self.assumed.push(usual);
        }
        let decoded = self.number(kind, bits);
        let same = self.terms.eq(decoded, number);
        self.assumed.push(same);
        self.numbers.insert((kind, bits), number);
        bits
    }

    pub(crate) fn float_unary(&mut self, op: UnOp, kind: FloatKind, a: TermId, span: Span) -> Result<TermId, Refusal> {
        let top = kind.bits() - 1;
        let mode = match op {
            UnOp::SignBit => {
                let sign = self.terms.bv_extract(a, top, top);
                return Ok(self.terms.bv_is_nonzero(sign));
            }
            UnOp::Neg | UnOp::Abs => {
                let (sign, rest) = (self.terms.bv_extract(a, top, top), self.terms.bv_extract(a, top - 1, 0));
                let sign = if op == UnOp::Neg { self.terms.bv_not(sign) } else { self.terms.bv_u64(1, 0) };
                return Ok(self.terms.bv_concat(sign, rest));
            }
            UnOp::Sqrt => {
                let number = self.number(kind, a);
                let root = self.terms.fp_sqrt(RoundingMode::NearestEven, number);
                return Ok(self.encoding(kind, root));
            }
            UnOp::Floor => RoundingMode::Down,
            UnOp::Ceil => RoundingMode::Up,
            UnOp::Trunc => RoundingMode::Zero,
            UnOp::Round => RoundingMode::NearestAway,
            UnOp::RoundEven => RoundingMode::NearestEven,
            UnOp::Not | UnOp::BitNot => return Err(Encoder::refuse("an operation on bits of a float", span)),
        };
        let number = self.number(kind, a);
        let rounded = self.terms.fp_round(mode, number);
        Ok(self.encoding(kind, rounded))
    }

    pub(crate) fn float_binary(
        &mut self,
        op: BinOp,
        kind: FloatKind,
        (a, b): (TermId, TermId),
        span: Span,
    ) -> Result<TermId, Refusal> {
        let (x, y) = (self.number(kind, a), self.number(kind, b));
        let nearest = RoundingMode::NearestEven;
        let result = match op {
            BinOp::Add => self.terms.fp_add(nearest, x, y),
            BinOp::Sub => self.terms.fp_sub(nearest, x, y),
            BinOp::Mul => self.terms.fp_mul(nearest, x, y),
            BinOp::Div => self.terms.fp_div(nearest, x, y),
            BinOp::Eq => return Ok(self.terms.fp_eq(x, y)),
            BinOp::Lt => return Ok(self.terms.fp_lt(x, y)),
            BinOp::Le => return Ok(self.terms.fp_le(x, y)),
            BinOp::Rem => return Err(Encoder::refuse("fmod", span)),
            BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::PtrAdd => {
                return Err(Encoder::refuse("an operation on bits of a float", span));
            }
        };
        Ok(self.encoding(kind, result))
    }

    pub(crate) fn float_to_float(&mut self, from: FloatKind, to: FloatKind, a: TermId) -> TermId {
        let number = self.number(from, a);
        let converted = self.terms.fp_from_fp(RoundingMode::NearestEven, format(to), number);
        self.encoding(to, converted)
    }

    pub(crate) fn int_to_float(&mut self, signed: bool, to: FloatKind, a: TermId) -> TermId {
        let number = if signed {
            self.terms.fp_from_signed(RoundingMode::NearestEven, format(to), a)
        } else {
            self.terms.fp_from_unsigned(RoundingMode::NearestEven, format(to), a)
        };
        self.encoding(to, number)
    }

    /// Towards zero; arbitrary if the integer type does not hold the result.
    pub(crate) fn float_to_int(&mut self, from: FloatKind, a: TermId, width: u32, signed: bool) -> TermId {
        let number = self.number(from, a);
        let whole = self.terms.fp_round(RoundingMode::Zero, number);
        // Powers of two are exact in every format that is wide enough, infinite in others.
        let mut power = |exponent: u32| {
            let one = self.terms.bv_u64(width + 1, 1);
            let by = self.terms.bv_u64(width + 1, u64::from(exponent));
            let power = self.terms.bv_shl(one, by);
            self.terms.fp_from_unsigned(RoundingMode::NearestEven, format(from), power)
        };
        let (end, least) = if signed { (power(width - 1), Some(power(width - 1))) } else { (power(width), None) };
        let below = self.terms.fp_lt(whole, end);
        let above = match least {
            Some(least) => {
                let least = self.terms.fp_neg(least);
                self.terms.fp_le(least, whole)
            }
            None => {
                let zero = self.terms.bv_u64(width, 0);
                let zero = self.terms.fp_from_unsigned(RoundingMode::NearestEven, format(from), zero);
                self.terms.fp_le(zero, whole)
            }
        };
        let infinite = self.terms.fp_is_inf(number);
        let finite = self.terms.not(infinite);
        let fits = self.terms.and([below, above, finite]);
        let converted = if signed {
            self.terms.fp_to_signed(RoundingMode::Zero, width, number)
        } else {
            self.terms.fp_to_unsigned(RoundingMode::Zero, width, number)
        };
        let arbitrary = self.fresh_bits("unrepresentable", width);
        self.terms.ite(fits, converted, arbitrary)
    }
}

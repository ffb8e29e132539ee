//! Floats: the formats of C's types as sorts, memory images, and the operations SMT-LIB has not.

use cfa::{FloatKind, Scalar, UnOp};
use smt::{BitVec, FloatFormat, Op, RoundingMode, TermId, Terms};

const EVEN: RoundingMode = RoundingMode::NearestEven;

/// The SMT-LIB format with the values of a C type.
pub fn format(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::F16 => FloatFormat::HALF,
        FloatKind::F32 => FloatFormat::SINGLE,
        FloatKind::F64 => FloatFormat::DOUBLE,
        FloatKind::X87 => FloatFormat::X87,
        FloatKind::F128 => FloatFormat::QUAD,
    }
}

/// The float that a memory image (as wide as the C encoding) holds. x87's explicit integer bit is ignored: encodings in
/// which it contradicts the exponent are not made by any program that only stores floats.
pub fn from_image(terms: &mut Terms, kind: FloatKind, image: TermId) -> TermId {
    let bits = match kind {
        FloatKind::X87 => {
            let high = terms.bv_extract(image, 79, 64);
            let low = terms.bv_extract(image, 62, 0);
            terms.bv_concat(high, low)
        }
        FloatKind::F16 | FloatKind::F32 | FloatKind::F64 | FloatKind::F128 => image,
    };
    terms.fp_from_bits(format(kind), bits)
}

/// The memory image of IEEE bits of this kind.
pub fn image_of_bits(terms: &mut Terms, kind: FloatKind, bits: TermId) -> TermId {
    match kind {
        FloatKind::X87 => {
            let high = terms.bv_extract(bits, 78, 63);
            let exponent = terms.bv_extract(bits, 77, 63);
            let integer = terms.bv_is_nonzero(exponent);
            let integer = terms.bv_from_bool(integer, 1);
            let low = terms.bv_extract(bits, 62, 0);
            let top = terms.bv_concat(high, integer);
            terms.bv_concat(top, low)
        }
        FloatKind::F16 | FloatKind::F32 | FloatKind::F64 | FloatKind::F128 => bits,
    }
}

/// A constant by its C encoding.
pub fn constant(terms: &mut Terms, kind: FloatKind, bits: u128) -> TermId {
    let ieee = match kind {
        FloatKind::X87 => (bits >> 64) << 63 | bits & ((1 << 63) - 1),
        FloatKind::F16 | FloatKind::F32 | FloatKind::F64 | FloatKind::F128 => bits,
    };
    let format = format(kind);
    // A NaN keeps its bits.
    let bits = terms.bv(BitVec::new(format.width(), ieee));
    terms.fp_from_bits(format, bits)
}

/// The C encoding of IEEE bits; the inverse of what [`constant`] does.
pub fn encoding(kind: FloatKind, ieee: u128) -> u128 {
    match kind {
        FloatKind::X87 => {
            let integer = u128::from(ieee >> 63 & 0x7FFF != 0);
            (ieee >> 63) << 64 | integer << 63 | ieee & ((1 << 63) - 1)
        }
        FloatKind::F16 | FloatKind::F32 | FloatKind::F64 | FloatKind::F128 => ieee,
    }
}

/// Operators that need no fresh variable.
pub fn unary(terms: &mut Terms, op: UnOp, a: TermId) -> TermId {
    match op {
        UnOp::Neg => terms.fp_neg(a),
        UnOp::Abs => terms.fp_abs(a),
        UnOp::Sqrt => terms.fp_sqrt(EVEN, a),
        UnOp::Floor => terms.fp_round(RoundingMode::Down, a),
        UnOp::Ceil => terms.fp_round(RoundingMode::Up, a),
        UnOp::Trunc => terms.fp_round(RoundingMode::Zero, a),
        UnOp::Round => terms.fp_round(RoundingMode::NearestAway, a),
        UnOp::RoundEven => terms.fp_round(EVEN, a),
        UnOp::Not | UnOp::BitNot | UnOp::SignBit => unreachable!("not an operator from float to float"),
    }
}

/// C's `fmod`: with r the IEEE remainder of |a| and |b|, exact and in [-|b|/2, |b|/2], the result is r, or r + |b| where r is
/// negative (exact again), with the sign of a.
pub fn fmod(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    let (magnitude, modulus) = (terms.fp_abs(a), terms.fp_abs(b));
    let nearest = terms.fp_rem(magnitude, modulus);
    let format = terms.format(a);
    let zero = terms.fp(format, BitVec::zero(format.width()));
    let below = terms.fp_lt(nearest, zero);
    let up = terms.fp_add(EVEN, nearest, modulus);
    let positive = terms.ite(below, up, nearest);
    let negative = terms.fp_neg(positive);
    let sign = terms.fp_is_negative(a);
    terms.ite(sign, negative, positive)
}

/// Conversion of an integer of type `from`.
pub fn from_int(terms: &mut Terms, kind: FloatKind, from: Scalar, a: TermId) -> TermId {
    if from.is_signed() {
        terms.fp_from_signed(EVEN, format(kind), a)
    } else {
        terms.fp_from_unsigned(EVEN, format(kind), a)
    }
}

/// Conversion between formats.
pub fn convert(terms: &mut Terms, to: FloatKind, a: TermId) -> TermId {
    let converted = terms.fp_from_fp(EVEN, format(to), a);
    if matches!(terms.op(a), Op::FpFromFp(..)) && terms.args(a)[0] == converted {
        // Back to the format that it came from: the same number, but a NaN has become a quiet one.
        let (nan, quiet) = (terms.fp_is_nan(converted), terms.fp(format(to), smt::float::nan(format(to))));
        return terms.ite(nan, quiet, converted);
    }
    converted
}

/// Conversion towards zero to an integer of that width, and whether the result is defined.
pub fn to_int(terms: &mut Terms, width: u32, signed: bool, a: TermId) -> (TermId, TermId) {
    let format = terms.format(a);
    let value = if signed {
        terms.fp_to_signed(RoundingMode::Zero, width, a)
    } else {
        terms.fp_to_unsigned(RoundingMode::Zero, width, a)
    };
    let above = if signed { width - 1 } else { width };
    let below_limit = match power_of_two(terms, format, above, false) {
        Some(limit) => terms.fp_lt(a, limit),
        None => {
            // All finite values are small enough; infinity and NaN are not.
            let infinite = terms.fp_is_inf(a);
            let nan = terms.fp_is_nan(a);
            let bad = terms.or([infinite, nan]);
            terms.not(bad)
        }
    };
    let above_limit = if signed {
        let limit = power_of_two(terms, format, width - 1, true);
        match limit {
            // Above -2^(w-1) - 1, which has w bits; in formats with fewer bits no value lies between it and -2^(w-1).
            Some(_) if u32::from(format.significand) >= width => {
                let limit = just_below_minimum(terms, format, width);
                terms.fp_lt(limit, a)
            }
            Some(limit) => terms.fp_le(limit, a),
            None => {
                let nan = terms.fp_is_nan(a);
                terms.not(nan)
            }
        }
    } else {
        let minus_one = power_of_two(terms, format, 0, true).expect("every format has 1");
        terms.fp_lt(minus_one, a)
    };
    (value, terms.and([below_limit, above_limit]))
}

fn bias(format: FloatFormat) -> u32 {
    (1 << (format.exponent - 1)) - 1
}

/// ±2^n, if the format has it.
fn power_of_two(terms: &mut Terms, format: FloatFormat, n: u32, negative: bool) -> Option<TermId> {
    if n > bias(format) {
        return None;
    }
    let fraction = u32::from(format.significand) - 1;
    let bits = u128::from(n + bias(format)) << fraction | u128::from(negative) << (format.width() - 1);
    Some(terms.fp(format, BitVec::new(format.width(), bits)))
}

/// -2^(w-1) - 1, in a format with at least w significand bits.
fn just_below_minimum(terms: &mut Terms, format: FloatFormat, width: u32) -> TermId {
    let fraction = u32::from(format.significand) - 1;
    let exponent = u128::from(width - 1 + bias(format)) << fraction;
    let last = 1_u128 << (fraction - (width - 1));
    let bits = exponent | last | 1 << (format.width() - 1);
    terms.fp(format, BitVec::new(format.width(), bits))
}

/// The bits of a float where the term shows them.
pub fn known_bits(terms: &mut Terms, a: TermId) -> Option<TermId> {
    shown_bits(terms, a, 4)
}

/// Choices between floats are followed so deep.
fn shown_bits(terms: &mut Terms, a: TermId, depth: u32) -> Option<TermId> {
    match terms.op(a) {
        Op::Fp(format, value) => {
            let bits = terms.value(value).clone();
            // Which NaN an operation gives is not known.
            (!smt::float::is_nan(format, &bits)).then(|| terms.bv(bits))
        }
        Op::FpFromBits(_) => Some(terms.args(a)[0]),
        Op::Ite if depth > 0 => {
            let &[condition, yes, no] = terms.args(a) else { unreachable!("a choice has three operands") };
            let yes = shown_bits(terms, yes, depth - 1)?;
            let no = shown_bits(terms, no, depth - 1)?;
            Some(terms.ite(condition, yes, no))
        }
        _ => None,
    }
}

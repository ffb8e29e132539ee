//! Concrete floating-point numbers of any format: exact arithmetic on big integers, then one rounding. Slow and plain;
//! it folds constants and evaluates models.
//!
//! A finite nonzero number is (-1)^sign · magnitude · 2^exponent with a positive integer magnitude.

use crate::bitvec::BitVec;
use crate::sort::{FloatFormat, RoundingMode};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// What the bits of a float mean.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Number {
    Nan,
    Infinite { negative: bool },
    Zero { negative: bool },
    Finite { negative: bool, magnitude: BigUint, exponent: i64 },
}

impl FloatFormat {
    fn fraction_bits(self) -> u32 {
        u32::from(self.significand) - 1
    }

    fn bias(self) -> i64 {
        (1i64 << (self.exponent - 1)) - 1
    }

    /// The exponent of the lowest bit of subnormal numbers.
    fn least_exponent(self) -> i64 {
        1 - self.bias() - i64::from(self.fraction_bits())
    }
}

/// The bits of NaN: quiet, positive, no payload.
pub fn nan(format: FloatFormat) -> BitVec {
    let quiet = BitVec::min_signed(format.fraction_bits());
    BitVec::zero(1).concat(&BitVec::ones(format.exponent.into())).concat(&quiet)
}

/// The bits of an infinity.
pub fn infinity(format: FloatFormat, negative: bool) -> BitVec {
    let magnitude = BitVec::ones(format.exponent.into()).concat(&BitVec::zero(format.fraction_bits()));
    BitVec::from_bool(negative).concat(&magnitude)
}

/// The bits of a zero.
pub fn zero(format: FloatFormat, negative: bool) -> BitVec {
    BitVec::from_bool(negative).concat(&BitVec::zero(format.width() - 1))
}

/// The bits of the finite number of greatest magnitude.
fn greatest(format: FloatFormat, negative: bool) -> BitVec {
    let below_infinity = infinity(format, negative);
    below_infinity.sub(&BitVec::one(format.width()))
}

/// Whether the bits encode NaN.
pub fn is_nan(format: FloatFormat, bits: &BitVec) -> bool {
    let fraction = format.fraction_bits();
    bits.extract(format.width() - 2, fraction).is_ones() && !bits.extract(fraction - 1, 0).is_zero()
}

/// Whether the bits encode an infinity.
pub fn is_infinite(format: FloatFormat, bits: &BitVec) -> bool {
    *bits == infinity(format, bits.is_negative())
}

/// Whether the bits encode a zero.
pub fn is_zero(format: FloatFormat, bits: &BitVec) -> bool {
    bits.extract(format.width() - 2, 0).is_zero()
}

/// Whether the exponent is neither the least nor the greatest.
pub fn is_normal(format: FloatFormat, bits: &BitVec) -> bool {
    let exponent = bits.extract(format.width() - 2, format.fraction_bits());
    !exponent.is_zero() && !exponent.is_ones()
}

/// Whether the number is nonzero with the least exponent.
pub fn is_subnormal(format: FloatFormat, bits: &BitVec) -> bool {
    bits.extract(format.width() - 2, format.fraction_bits()).is_zero() && !is_zero(format, bits)
}

/// The bits, or those of [`nan`] if they encode NaN.
pub fn canonical(format: FloatFormat, bits: BitVec) -> BitVec {
    if is_nan(format, &bits) { nan(format) } else { bits }
}

/// How many values the format has, all NaNs counted once; `u64::MAX` if there are more.
pub fn count(format: FloatFormat) -> u64 {
    if format.width() >= 64 {
        return u64::MAX;
    }
    let encodings = 1u64 << format.width();
    let nans = 2 * ((1u64 << format.fraction_bits()) - 1);
    encodings - nans + 1
}

fn decode(format: FloatFormat, bits: &BitVec) -> Number {
    let negative = bits.is_negative();
    if is_nan(format, bits) {
        return Number::Nan;
    }
    if is_infinite(format, bits) {
        return Number::Infinite { negative };
    }
    if is_zero(format, bits) {
        return Number::Zero { negative };
    }
    let fraction = bits.extract(format.fraction_bits() - 1, 0).to_big();
    let biased = bits.extract(format.width() - 2, format.fraction_bits()).to_u64().expect("exponents are short");
    if biased == 0 {
        return Number::Finite { negative, magnitude: fraction, exponent: format.least_exponent() };
    }
    let magnitude = fraction | (BigUint::one() << format.fraction_bits());
    Number::Finite { negative, magnitude, exponent: format.least_exponent() + biased as i64 - 1 }
}

/// The number nearest to (-1)^negative · (magnitude + s) · 2^exponent as `mode` says, where s is 0 if the magnitude is
/// exact and something strictly between 0 and 1 otherwise. An inexact magnitude has at least two bits more than
/// the format's significand.
fn round(
    format: FloatFormat,
    mode: RoundingMode,
    negative: bool,
    magnitude: &BigUint,
    exponent: i64,
    exact: bool,
) -> BitVec {
    if magnitude.is_zero() && exact {
        return zero(format, negative);
    }
    // The result is a multiple of 2^unit: as many bits as the significand has, but no finer than subnormals.
    let bits = magnitude.bits() as i64;
    let unit = (exponent + bits - i64::from(format.significand)).max(format.least_exponent());
    let shift = unit - exponent;
    let (mut quotient, rest) = if shift <= 0 {
        (magnitude << (-shift) as u64, Rest::new(&BigUint::zero(), &BigUint::one(), exact))
    } else if shift > bits + 1 {
        (BigUint::zero(), Rest::BelowHalf)
    } else {
        let unit_size = BigUint::one() << shift as u64;
        let (quotient, rest) = magnitude.div_rem(&unit_size);
        let rest = Rest::new(&rest, &unit_size, exact);
        (quotient, rest)
    };
    if rest.rounds_up(mode, negative, quotient.is_odd()) {
        quotient += 1u32;
    }
    encode(format, mode, negative, quotient, unit)
}

/// The bits of (-1)^negative · magnitude · 2^exponent, where the magnitude is at most 2^significand and has all its bits
/// unless the exponent is the least; infinity or the greatest number where it is too large.
fn encode(format: FloatFormat, mode: RoundingMode, negative: bool, mut magnitude: BigUint, exponent: i64) -> BitVec {
    let mut biased = exponent - format.least_exponent() + 1;
    if magnitude.bits() > format.significand.into() {
        magnitude >>= 1u32;
        biased += 1;
    }
    let subnormal = magnitude.bits() < format.significand.into();
    if !subnormal && biased >= (1 << format.exponent) - 1 {
        let away = match mode {
            RoundingMode::NearestEven | RoundingMode::NearestAway => true,
            RoundingMode::Up => !negative,
            RoundingMode::Down => negative,
            RoundingMode::Zero => false,
        };
        return if away { infinity(format, negative) } else { greatest(format, negative) };
    }
    let biased = if subnormal { 0 } else { biased };
    let exponent = BitVec::new(format.exponent.into(), biased as u128);
    let fraction = BitVec::from_big(format.fraction_bits(), magnitude);
    BitVec::from_bool(negative).concat(&exponent).concat(&fraction)
}

/// What is lost between a multiple of the unit and the exact number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Rest {
    /// `rest` of `unit`, and a little more if it is not exact.
    fn new(rest: &BigUint, unit: &BigUint, exact: bool) -> Rest {
        match (rest << 1u32).cmp(unit) {
            Ordering::Less if exact && rest.is_zero() => Rest::Nothing,
            Ordering::Less => Rest::BelowHalf,
            Ordering::Equal if exact => Rest::Half,
            Ordering::Equal | Ordering::Greater => Rest::AboveHalf,
        }
    }

    fn rounds_up(self, mode: RoundingMode, negative: bool, odd: bool) -> bool {
        match (mode, self) {
            (_, Rest::Nothing) | (RoundingMode::Zero, _) => false,
            (RoundingMode::Up, _) => !negative,
            (RoundingMode::Down, _) => negative,
            (RoundingMode::NearestEven | RoundingMode::NearestAway, Rest::BelowHalf) => false,
            (RoundingMode::NearestEven | RoundingMode::NearestAway, Rest::AboveHalf) => true,
            (RoundingMode::NearestEven, Rest::Half) => odd,
            (RoundingMode::NearestAway, Rest::Half) => true,
        }
    }
}

/// The sum of two finite numbers as a signed multiple of a power of two.
fn exact_sum(a: (bool, BigUint, i64), b: (bool, BigUint, i64)) -> (BigInt, i64) {
    let exponent = a.2.min(b.2);
    let signed = |(negative, magnitude, own): (bool, BigUint, i64)| {
        let value = BigInt::from(magnitude << (own - exponent) as u64);
        if negative { -value } else { value }
    };
    (signed(a) + signed(b), exponent)
}

/// `fp.add`.
pub fn add(format: FloatFormat, mode: RoundingMode, a: &BitVec, b: &BitVec) -> BitVec {
    let zero_sign = mode == RoundingMode::Down;
    match (decode(format, a), decode(format, b)) {
        (Number::Nan, _) | (_, Number::Nan) => nan(format),
        (Number::Infinite { negative: x }, Number::Infinite { negative: y }) if x != y => nan(format),
        (Number::Infinite { .. }, _) => a.clone(),
        (_, Number::Infinite { .. }) => b.clone(),
        (Number::Zero { negative: x }, Number::Zero { negative: y }) => {
            zero(format, if x == y { x } else { zero_sign })
        }
        (Number::Zero { .. }, Number::Finite { .. }) => b.clone(),
        (Number::Finite { .. }, Number::Zero { .. }) => a.clone(),
        (
            Number::Finite { negative: x, magnitude: m, exponent: e },
            Number::Finite { negative: y, magnitude: n, exponent: f },
        ) => {
            let (sum, exponent) = exact_sum((x, m, e), (y, n, f));
            let negative = if sum.is_zero() { zero_sign } else { sum.is_negative() };
            round(format, mode, negative, sum.magnitude(), exponent, true)
        }
    }
}

/// `fp.sub`.
pub fn sub(format: FloatFormat, mode: RoundingMode, a: &BitVec, b: &BitVec) -> BitVec {
    add(format, mode, a, &neg(format, b))
}

/// `fp.neg`.
pub fn neg(format: FloatFormat, a: &BitVec) -> BitVec {
    if is_nan(format, a) { nan(format) } else { a.xor(&BitVec::min_signed(format.width())) }
}

/// `fp.abs`.
pub fn abs(format: FloatFormat, a: &BitVec) -> BitVec {
    if a.is_negative() { neg(format, a) } else { canonical(format, a.clone()) }
}

/// `fp.mul`.
pub fn mul(format: FloatFormat, mode: RoundingMode, a: &BitVec, b: &BitVec) -> BitVec {
    let negative = a.is_negative() != b.is_negative();
    match (decode(format, a), decode(format, b)) {
        (Number::Nan, _) | (_, Number::Nan) => nan(format),
        (Number::Infinite { .. }, Number::Zero { .. }) | (Number::Zero { .. }, Number::Infinite { .. }) => nan(format),
        (Number::Infinite { .. }, _) | (_, Number::Infinite { .. }) => infinity(format, negative),
        (Number::Zero { .. }, _) | (_, Number::Zero { .. }) => zero(format, negative),
        (Number::Finite { magnitude: m, exponent: e, .. }, Number::Finite { magnitude: n, exponent: f, .. }) => {
            round(format, mode, negative, &(m * n), e + f, true)
        }
    }
}

/// `fp.div`.
pub fn div(format: FloatFormat, mode: RoundingMode, a: &BitVec, b: &BitVec) -> BitVec {
    let negative = a.is_negative() != b.is_negative();
    match (decode(format, a), decode(format, b)) {
        (Number::Nan, _) | (_, Number::Nan) => nan(format),
        (Number::Infinite { .. }, Number::Infinite { .. }) | (Number::Zero { .. }, Number::Zero { .. }) => nan(format),
        (Number::Infinite { .. }, _) | (_, Number::Zero { .. }) => infinity(format, negative),
        (Number::Zero { .. }, _) | (_, Number::Infinite { .. }) => zero(format, negative),
        (Number::Finite { magnitude: m, exponent: e, .. }, Number::Finite { magnitude: n, exponent: f, .. }) => {
            let shift = (u64::from(format.significand) + 3 + n.bits()).saturating_sub(m.bits());
            let (quotient, rest) = (m << shift).div_rem(&n);
            round(format, mode, negative, &quotient, e - f - shift as i64, rest.is_zero())
        }
    }
}

/// `fp.sqrt`.
pub fn sqrt(format: FloatFormat, mode: RoundingMode, a: &BitVec) -> BitVec {
    match decode(format, a) {
        Number::Nan | Number::Infinite { negative: true } | Number::Finite { negative: true, .. } => nan(format),
        Number::Infinite { negative: false } | Number::Zero { .. } => a.clone(),
        Number::Finite { negative: false, magnitude, exponent } => {
            let mut shift = (2 * (u64::from(format.significand) + 3)).saturating_sub(magnitude.bits());
            if (exponent - shift as i64).is_odd() {
                shift += 1;
            }
            let radicand = magnitude << shift;
            let root = radicand.sqrt();
            let exact = &root * &root == radicand;
            round(format, mode, false, &root, (exponent - shift as i64) / 2, exact)
        }
    }
}

/// `fp.rem`: a - b·n where n is the integer nearest to a/b, even where two are.
pub fn rem(format: FloatFormat, a: &BitVec, b: &BitVec) -> BitVec {
    match (decode(format, a), decode(format, b)) {
        (Number::Nan | Number::Infinite { .. }, _) | (_, Number::Nan | Number::Zero { .. }) => nan(format),
        (Number::Zero { .. }, _) | (_, Number::Infinite { .. }) => a.clone(),
        (Number::Finite { negative, magnitude, exponent }, Number::Finite { magnitude: n, exponent: f, .. }) => {
            let unit = exponent.min(f);
            let dividend = magnitude << (exponent - unit) as u64;
            let divisor = n << (f - unit) as u64;
            let (quotient, rest) = dividend.div_rem(&divisor);
            let up = Rest::new(&rest, &divisor, true).rounds_up(RoundingMode::NearestEven, false, quotient.is_odd());
            let (flipped, rest) = if up { (true, divisor - rest) } else { (false, rest) };
            let negative = if rest.is_zero() { negative } else { negative != flipped };
            round(format, RoundingMode::NearestEven, negative, &rest, unit, true)
        }
    }
}

/// The integer that (-1)^negative · magnitude · 2^exponent rounds to, without its sign.
fn to_integer(mode: RoundingMode, negative: bool, magnitude: &BigUint, exponent: i64) -> BigUint {
    if exponent >= 0 {
        return magnitude << exponent as u64;
    }
    let unit = BigUint::one() << exponent.unsigned_abs();
    let (quotient, rest) = magnitude.div_rem(&unit);
    let up = Rest::new(&rest, &unit, true).rounds_up(mode, negative, quotient.is_odd());
    if up { quotient + 1u32 } else { quotient }
}

/// `fp.roundToIntegral`.
pub fn round_to_integral(format: FloatFormat, mode: RoundingMode, a: &BitVec) -> BitVec {
    match decode(format, a) {
        Number::Nan => nan(format),
        Number::Infinite { .. } | Number::Zero { .. } => a.clone(),
        Number::Finite { negative, magnitude, exponent } => {
            let integer = to_integer(mode, negative, &magnitude, exponent);
            round(format, mode, negative, &integer, 0, true)
        }
    }
}

/// Conversion between formats.
pub fn convert(from: FloatFormat, to: FloatFormat, mode: RoundingMode, a: &BitVec) -> BitVec {
    match decode(from, a) {
        Number::Nan => nan(to),
        Number::Infinite { negative } => infinity(to, negative),
        Number::Zero { negative } => zero(to, negative),
        Number::Finite { negative, magnitude, exponent } => round(to, mode, negative, &magnitude, exponent, true),
    }
}

/// Conversion of an integer.
pub fn from_integer(format: FloatFormat, mode: RoundingMode, value: &BigInt) -> BitVec {
    round(format, mode, value.is_negative(), value.magnitude(), 0, true)
}

/// Conversion to a signed integer of `width` bits; `None` for NaN, infinities and what does not fit.
pub fn to_signed(format: FloatFormat, mode: RoundingMode, a: &BitVec, width: u32) -> Option<BitVec> {
    let value = to_big(format, mode, a)?;
    let limit = BigInt::one() << (width - 1);
    (-&limit <= value && value < limit).then(|| BitVec::from_big_signed(width, &value))
}

/// Conversion to an unsigned integer of `width` bits; `None` for NaN, infinities and what does not fit.
pub fn to_unsigned(format: FloatFormat, mode: RoundingMode, a: &BitVec, width: u32) -> Option<BitVec> {
    let value = to_big(format, mode, a)?;
    (!value.is_negative() && value.bits() <= width.into()).then(|| BitVec::from_big_signed(width, &value))
}

fn to_big(format: FloatFormat, mode: RoundingMode, a: &BitVec) -> Option<BigInt> {
    match decode(format, a) {
        Number::Nan | Number::Infinite { .. } => None,
        Number::Zero { .. } => Some(BigInt::zero()),
        Number::Finite { negative, magnitude, exponent } => {
            let value = BigInt::from(to_integer(mode, negative, &magnitude, exponent));
            Some(if negative { -value } else { value })
        }
    }
}

/// How two numbers compare; `None` if one is NaN. The zeros are equal.
pub fn compare(format: FloatFormat, a: &BitVec, b: &BitVec) -> Option<Ordering> {
    if is_nan(format, a) || is_nan(format, b) {
        return None;
    }
    // Magnitudes are ordered as their bits are.
    let key = |bits: &BitVec| {
        let magnitude = BigInt::from(bits.extract(format.width() - 2, 0).to_big());
        if bits.is_negative() { -magnitude } else { magnitude }
    };
    Some(key(a).cmp(&key(b)))
}

/// The nearest `f64`, for display.
pub fn to_f64(format: FloatFormat, a: &BitVec) -> f64 {
    let bits = convert(format, FloatFormat::DOUBLE, RoundingMode::NearestEven, a);
    f64::from_bits(bits.to_u128().and_then(|bits| bits.to_u64()).expect("64 bits"))
}

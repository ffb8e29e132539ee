//! Floats in software, on [`rustc_apfloat`], for any format. Takes and gives encodings.

use crate::scalar::integer::mask;
use cfa::{BinOp, FloatKind, UnOp};
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;

/// Formats that convert to all formats.
pub(super) trait Soft:
    Float
    + FloatConvert<Half>
    + FloatConvert<Single>
    + FloatConvert<Double>
    + FloatConvert<X87DoubleExtended>
    + FloatConvert<Quad>
{
}

impl Soft for Half {}
impl Soft for Single {}
impl Soft for Double {}
impl Soft for X87DoubleExtended {}
impl Soft for Quad {}

pub(super) fn unary<F: Soft>(op: UnOp, a: u128) -> u128 {
    let a = F::from_bits(a);
    let round = match op {
        UnOp::Floor => Round::TowardNegative,
        UnOp::Ceil => Round::TowardPositive,
        UnOp::Trunc => Round::TowardZero,
        UnOp::Round => Round::NearestTiesToAway,
        UnOp::RoundEven => Round::NearestTiesToEven,
        UnOp::Sqrt => return square_root(a).to_bits(),
        UnOp::Neg | UnOp::Abs | UnOp::SignBit | UnOp::Not | UnOp::BitNot => unreachable!("done on bits"),
    };
    a.round_to_integral(round).value.to_bits()
}

/// Arithmetic, or `Err` with the truth of a comparison.
pub(super) fn binary<F: Soft>(op: BinOp, a: u128, b: u128) -> Result<u128, bool> {
    let (a, b) = (F::from_bits(a), F::from_bits(b));
    let result = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        BinOp::Rem => a.c_fmod(b),
        BinOp::Eq => return Err(a == b),
        BinOp::Lt => return Err(a < b),
        BinOp::Le => return Err(matches!(a.partial_cmp(&b), Some(Ordering::Less | Ordering::Equal))),
        BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::PtrAdd => {
            unreachable!("integer operator")
        }
    };
    Ok(result.value.to_bits())
}

pub(super) fn convert<F: Soft>(to: FloatKind, a: u128) -> u128 {
    fn through<F: FloatConvert<G>, G: Float>(a: F) -> u128 {
        let mut loses_info = false;
        a.convert(&mut loses_info).value.to_bits()
    }
    let a = F::from_bits(a);
    match to {
        FloatKind::F16 => through::<F, Half>(a),
        FloatKind::F32 => through::<F, Single>(a),
        FloatKind::F64 => through::<F, Double>(a),
        FloatKind::X87 => through::<F, X87DoubleExtended>(a),
        FloatKind::F128 => through::<F, Quad>(a),
    }
}

pub(super) fn to_int<F: Soft>(width: u32, signed: bool, a: u128) -> Option<u128> {
    let a = F::from_bits(a);
    let (mut exact, width_in_bits) = (false, width as usize);
    let result = if signed {
        a.to_i128_r(width_in_bits, Round::TowardZero, &mut exact).map(|number| number as u128)
    } else {
        a.to_u128_r(width_in_bits, Round::TowardZero, &mut exact)
    };
    (!result.status.contains(Status::INVALID_OP)).then_some(result.value & mask(width))
}

/// The integer `number` if `signed`, else `unsigned`.
pub(super) fn from_int<F: Soft>(number: i128, signed: bool, unsigned: u128) -> u128 {
    if signed { F::from_i128(number) } else { F::from_u128(unsigned) }.value.to_bits()
}

/// The correctly rounded square root, digit by digit:
/// 1. write `a` as m * 2^e with e even and m an integer of `PRECISION` or one more bits;
/// 2. compute the integer root of m, extended by zeros until it has `PRECISION + 2` digits, and whether a remainder
///    is left;
/// 3. append the remainder as a sticky digit and let the conversion from integer round.
fn square_root<F: Float>(a: F) -> F {
    if a.is_nan() || a.is_zero() || a.is_pos_infinity() {
        return a;
    }
    if a.is_negative() {
        return F::NAN;
    }
    let precision = F::PRECISION as i32;
    // 1
    let mut exponent = a.ilogb() - (precision - 1);
    let mut scaled = a.scalbn(-exponent);
    if exponent % 2 != 0 {
        exponent -= 1;
        scaled = scaled.scalbn(1);
    }
    let significand = scaled.to_u128(128).value;
    // 2: digits come in pairs from bit 127 on; skip leading zero pairs so that the root has `PRECISION + 2` digits.
    let pairs = (128 - significand.leading_zeros()).div_ceil(2);
    let digits = F::PRECISION as u32 + 2;
    let (mut root, mut rest) = (0_u128, 0_u128);
    for at in 0..digits {
        let pair = if at < pairs { significand >> (2 * (pairs - 1 - at)) & 3 } else { 0 };
        rest = rest << 2 | pair;
        let trial = root << 2 | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    // 3
    let sticky = root << 1 | u128::from(rest != 0);
    let shift = exponent / 2 - (digits as i32 - pairs as i32) - 1;
    F::from_u128(sticky).value.scalbn(shift)
}

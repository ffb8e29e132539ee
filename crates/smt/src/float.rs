//! Concrete floating-point numbers of any format.

use crate::bitvec::BitVec;
use crate::sort::FloatFormat;

/// The bits of NaN: quiet, positive, no payload.
pub fn nan(format: FloatFormat) -> BitVec {
    let (exponent, fraction) = (u32::from(format.exponent), u32::from(format.significand) - 1);
    let quiet = BitVec::min_signed(fraction);
    BitVec::zero(1).concat(&BitVec::ones(exponent)).concat(&quiet)
}

/// Whether the bits encode NaN.
pub fn is_nan(format: FloatFormat, bits: &BitVec) -> bool {
    let fraction = u32::from(format.significand) - 1;
    bits.extract(format.width() - 2, fraction).is_ones() && !bits.extract(fraction - 1, 0).is_zero()
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
    let nans = 2 * ((1u64 << (format.significand - 1)) - 1);
    encodings - nans + 1
}

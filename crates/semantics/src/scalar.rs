//! Operators on bits. A value is the bits of its encoding, zero-extended to `u128`; its type says how to read them.
//! `None` means that the result is an arbitrary value of the result type: division by integer zero, an over-wide or
//! negative shift, a float too large for the integer type it is cast to.
//!
//! Integers wrap in two's complement. Floats are IEEE 754, round to nearest even; for NaNs see `float`.
//! A pointer is its address here; provenance is up to the caller. Casting a pointer to a wider integer
//! extends its sign, as gcc does.

mod float;
mod integer;

pub use float::{Reading, is_nan, quiet_nan, read as read_float};
pub use integer::{mask, sign_extend};

use cfa::{BinOp, DataModel, Scalar, UnOp};

/// Whether nothing is set above the width of an integer or pointer.
fn is_encoding(model: DataModel, ty: Scalar, bits: u128) -> bool {
    ty.is_float() || bits & !mask(ty.bits(model)) == 0
}

/// `op a`, where `a` has type `ty`.
pub fn unary(model: DataModel, op: UnOp, ty: Scalar, a: u128) -> Option<u128> {
    debug_assert!(is_encoding(model, ty, a), "{a:#x} is no {ty:?}");
    match ty {
        Scalar::Float(kind) => Some(float::unary(op, kind, a)),
        Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr => integer::unary(op, ty.bits(model), a),
    }
}

/// `a op b`, where `a` has type `ta` and `b` has type `tb`. Comparisons give 0 or 1.
pub fn binary(model: DataModel, op: BinOp, ta: Scalar, tb: Scalar, a: u128, b: u128) -> Option<u128> {
    debug_assert!(is_encoding(model, ta, a), "{a:#x} is no {ta:?}");
    debug_assert!(is_encoding(model, tb, b), "{b:#x} is no {tb:?}");
    match ta {
        Scalar::Float(kind) => Some(float::binary(op, kind, a, b)),
        Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr => {
            let shift = integer::Shift { bits: tb.bits(model), signed: tb.is_signed() };
            integer::binary(op, ta.bits(model), ta.is_signed(), shift, a, b)
        }
    }
}

/// `a` of type `from` converted to type `to`.
pub fn cast(model: DataModel, from: Scalar, to: Scalar, a: u128) -> Option<u128> {
    debug_assert!(is_encoding(model, from, a), "{a:#x} is no {from:?}");
    let width = to.bits(model);
    match (from, to) {
        (Scalar::Float(from), Scalar::Float(to)) => Some(float::convert(from, to, a)),
        (Scalar::Float(kind), _) => float::to_int(kind, width, to.is_signed(), a),
        (Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr, Scalar::Float(kind)) => {
            Some(float::from_int(kind, from.bits(model), from.is_signed(), a))
        }
        // gcc converts by way of the signed integer as wide as a pointer.
        (Scalar::Ptr, _) => Some(sign_extend(a, from.bits(model)) & mask(width)),
        (Scalar::Int { bits, signed: true }, _) => Some(sign_extend(a, u32::from(bits)) & mask(width)),
        (Scalar::Bool | Scalar::Int { signed: false, .. }, _) => Some(a & mask(width)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: DataModel = DataModel::Lp64;

    #[test]
    fn integer_casts_extend_by_the_source() {
        let (i8, u8) = (Scalar::int(8, true), Scalar::int(8, false));
        let (i128, u32) = (Scalar::int(128, true), Scalar::int(32, false));
        for a in 0..256_u128 {
            assert_eq!(cast(MODEL, i8, i128, a), Some(a as u8 as i8 as i128 as u128));
            assert_eq!(cast(MODEL, u8, i128, a), Some(a));
            assert_eq!(cast(MODEL, i8, u32, a), Some(u128::from(a as u8 as i8 as u32)));
            assert_eq!(cast(MODEL, u32, i8, 0xABCD_EF00 + a), Some(a));
        }
    }

    #[test]
    fn pointers_are_sign_extended() {
        let wide = Scalar::int(64, false);
        assert_eq!(cast(DataModel::Ilp32, Scalar::Ptr, wide, 0xFFFF_0000), Some(0xFFFF_FFFF_FFFF_0000));
        assert_eq!(cast(DataModel::Lp64, Scalar::Ptr, Scalar::INT, 0x1_2345_6789), Some(0x2345_6789));
    }
}

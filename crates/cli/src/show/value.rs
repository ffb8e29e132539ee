//! Values as C programmers write them.

use cfa::types::{IntKind, Type};
use cfa::{FloatKind, Scalar};

/// The value that `bits` encode.
pub fn display(ty: Scalar, bits: u128) -> String {
    match ty {
        Scalar::Bool => if bits == 0 { "false" } else { "true" }.into(),
        Scalar::Int { bits: width, signed: true } => {
            let shift = 128 - u32::from(width);
            (((bits << shift) as i128) >> shift).to_string()
        }
        Scalar::Int { signed: false, .. } => bits.to_string(),
        Scalar::Float(FloatKind::F16) => format!("{:?}", cfa::half(bits)),
        Scalar::Float(FloatKind::F32) => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::Float(FloatKind::F64) => format!("{:?}", f64::from_bits(bits as u64)),
        Scalar::Float(FloatKind::X87 | FloatKind::F128) => format!("bits {bits:#x}"),
        Scalar::Ptr if bits == 0 => "null".into(),
        Scalar::Ptr => format!("{bits:#x}"),
    }
}

/// The same for a value of a C type: a character is also shown as one.
pub fn display_typed(types: &cfa::types::Types, c: cfa::types::TypeId, ty: Scalar, bits: u128) -> String {
    let number = display(ty, bits);
    let is_char = matches!(types.get(types.unqualified(c)), Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar));
    match witness::arguments::character(bits).filter(|_| is_char) {
        Some(text) => format!("{text} ({number})"),
        None => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(display(Scalar::INT, 0xffff_ffff), "-1");
        assert_eq!(display(Scalar::BYTE, 255), "255");
        assert_eq!(display(Scalar::int(128, true), u128::MAX), "-1");
        assert_eq!(display(Scalar::Float(FloatKind::F64), u128::from(0.1f64.to_bits())), "0.1");
        assert_eq!(display(Scalar::Float(FloatKind::F16), 0xc000), "-2.0");
        assert_eq!(display(Scalar::Ptr, 0), "null");
    }
}

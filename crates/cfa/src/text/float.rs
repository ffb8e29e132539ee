//! Floats as text, exact: the shortest decimal that reads back where the value fits a C `double`, else hexadecimal.

use crate::scalar::{FloatKind, half};

/// The constant of this encoding, with C's suffix of its type: `0.5f`, `0.5`, `0.5L`, `0.5Q`.
pub(super) fn text(kind: FloatKind, bits: u128) -> String {
    match kind {
        FloatKind::F16 => {
            let value = half(bits);
            if value.is_nan() { nan(bits, "f16") } else { format!("{value:?}f16") }
        }
        FloatKind::F32 => {
            let value = f32::from_bits(bits as u32);
            if value.is_nan() { nan(bits, "f") } else { format!("{value:?}f") }
        }
        FloatKind::F64 => {
            let value = f64::from_bits(bits as u64);
            if value.is_nan() { nan(bits, "") } else { format!("{value:?}") }
        }
        FloatKind::X87 => wide(bits >> 79 & 1 == 1, bits >> 64 & 0x7fff, bits & u128::from(u64::MAX), 63, bits, "L"),
        FloatKind::F128 => {
            let exponent = bits >> 112 & 0x7fff;
            let fraction = bits & ((1 << 112) - 1);
            let significand = if exponent == 0 { fraction } else { fraction | 1 << 112 };
            wide(bits >> 127 == 1, exponent, significand, 112, bits, "Q")
        }
    }
}

fn nan(bits: u128, suffix: &str) -> String {
    format!("nan({bits:#x}){suffix}")
}

/// A float of a 15-bit exponent; `significand` has its integer bit at `point`.
fn wide(negative: bool, exponent: u128, significand: u128, point: u32, bits: u128, suffix: &str) -> String {
    let sign = if negative { "-" } else { "" };
    if exponent == 0x7fff {
        let infinite = significand & ((1 << point) - 1) == 0;
        return if infinite { format!("{sign}inf{suffix}") } else { nan(bits, suffix) };
    }
    if significand == 0 {
        return format!("{sign}0.0{suffix}");
    }
    let shift = significand.trailing_zeros();
    let odd = significand >> shift;
    let power = exponent.max(1) as i32 - 16383 - point as i32 + shift as i32;
    // Exact in a double: at most 53 significant bits and a normal exponent.
    if odd < 1 << 53 && (-1022..=900).contains(&power) {
        let value = odd as f64 * 2f64.powi(power);
        return format!("{sign}{value:?}{suffix}");
    }
    format!("{sign}{odd:#x}p{power}{suffix}")
}

//! Numbers in text, as C writes floating constants and as `strtod` takes them.

use cfa::FloatKind;
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round, Status};

/// A number that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The encoding that is nearest.
    pub bits: u128,
    /// Too small for the format to be exact.
    pub underflows: bool,
    /// Too large for the format.
    pub overflows: bool,
}

/// What a text without suffix stands for: digits, perhaps with a sign before, a point and an exponent; perhaps with
/// marks between digits. `None` if it is not a number.
pub fn read(kind: FloatKind, text: &str) -> Option<Reading> {
    match kind {
        FloatKind::F16 => parse::<Half>(text),
        FloatKind::F32 => parse::<Single>(text),
        FloatKind::F64 => parse::<Double>(text),
        FloatKind::X87 => parse::<X87DoubleExtended>(text),
        FloatKind::F128 => parse::<Quad>(text),
    }
}

fn parse<F: Float>(text: &str) -> Option<Reading> {
    // C allows what the parser of the library does not: digits missing before the point, and no exponent after
    // hexadecimal digits.
    let mut text = text.replace('\'', "");
    let start = text.len() - text.trim_start_matches(['-', '+']).len();
    if text[start..].starts_with('.') {
        text.insert(start, '0');
    }
    let hexadecimal = text[start..].to_ascii_lowercase().starts_with("0x");
    if hexadecimal && !text.contains(['p', 'P']) {
        text.push_str("p0");
    }
    let parsed = F::from_str_r(&text, Round::NearestTiesToEven).ok()?;
    Some(Reading {
        bits: parsed.value.to_bits(),
        underflows: parsed.status.contains(Status::UNDERFLOW),
        overflows: parsed.status.contains(Status::OVERFLOW),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<f64>) {
        let bits = read(FloatKind::F64, text).map(|read| f64::from_bits(read.bits as u64));
        assert_eq!(bits.map(f64::to_bits), expected.map(f64::to_bits), "{text}");
    }

    #[test]
    fn floats_are_the_nearest() {
        for text in ["0.1", "1.", ".5", "-.5", "+2", "1e10", "1e-320", "123456789.123456789e-5", "1e400", "-0"] {
            check(text, text.parse().ok());
        }
        check("0x1p-3", Some(0.125));
        check("0x1.8p1", Some(3.0));
        check("-0xA.8", Some(-10.5));
        check("abc", None);
    }

    #[test]
    fn numbers_that_do_not_fit_are_told() {
        let errors = |text| read(FloatKind::F64, text).map(|read| (read.underflows, read.overflows));
        assert_eq!(errors("1e400"), Some((false, true)));
        assert_eq!(errors("1e-400"), Some((true, false)));
        assert_eq!(errors("0x1p-1074"), Some((false, false)));
        assert_eq!(errors("3e-320"), Some((true, false)));
        assert_eq!(errors("0e999999"), Some((false, false)));
    }
}

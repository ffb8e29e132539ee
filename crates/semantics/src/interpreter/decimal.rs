//! Floats as text, exactly as glibc's `printf` writes them: the exact decimal value, rounded half to even.

use crate::scalar;
use cfa::FloatKind;

/// A float taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Parts {
    Nan,
    Infinity,
    /// `significand * 2^exponent`
    Finite {
        significand: u128,
        exponent: i32,
    },
}

/// Sign and parts of an encoding.
pub(super) fn decode(kind: FloatKind, bits: u128) -> (bool, Parts) {
    // Explicit significand bits, bias.
    let (fraction_bits, bias, width) = match kind {
        FloatKind::F16 => (10, 15, 16),
        FloatKind::F32 => (23, 127, 32),
        FloatKind::F64 => (52, 1023, 64),
        FloatKind::X87 => (63, 16383, 80),
        FloatKind::F128 => (112, 16383, 128),
    };
    let negative = bits >> (width - 1) & 1 == 1;
    if scalar::is_nan(kind, bits) {
        return (negative, Parts::Nan);
    }
    let explicit_one = kind == FloatKind::X87;
    let exponent_at = if explicit_one { 64 } else { fraction_bits };
    let biased = (bits & scalar::mask(width - 1)) >> exponent_at;
    let stored = bits & scalar::mask(exponent_at);
    if biased == scalar::mask(width - 1) >> exponent_at {
        return (negative, Parts::Infinity);
    }
    let hidden = if biased != 0 && !explicit_one { 1 << fraction_bits } else { 0 };
    let exponent = (biased.max(1)) as i32 - bias - fraction_bits as i32;
    (negative, Parts::Finite { significand: stored | hidden, exponent })
}

/// A number in decimal: `digits` without leading zeros, the last `scale` of them after the point.
#[derive(Clone, Debug)]
struct Decimal {
    digits: Vec<u8>,
    scale: i32,
}

impl Decimal {
    fn exact(significand: u128, exponent: i32) -> Decimal {
        // m * 2^-k = m * 5^k / 10^k
        let mut number = Big::from(significand);
        if exponent >= 0 {
            number.multiply_power(2, exponent as u32);
        } else {
            number.multiply_power(5, exponent.unsigned_abs());
        }
        Decimal { digits: number.digits(), scale: (-exponent).max(0) }
    }

    /// Rounds to `scale` digits after the point (negative: so many zeros before it).
    fn round(&mut self, scale: i32) {
        if scale >= self.scale {
            self.digits.resize(self.digits.len() + (scale - self.scale) as usize, b'0');
            self.scale = scale;
            return;
        }
        let dropped = (self.scale - scale) as usize;
        let padding = (dropped + 1).saturating_sub(self.digits.len());
        let mut digits = vec![b'0'; padding];
        digits.extend(&self.digits);
        let rest = digits.split_off(digits.len() - dropped);
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        let half = rest[0].cmp(&b'5').then_with(|| {
            if rest[1..].iter().any(|&digit| digit != b'0') {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        });
        if half.is_gt() || half.is_eq() && odd {
            increment(&mut digits);
        }
        debug_assert!(digits.iter().all(u8::is_ascii_digit), "digits are digits");
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        self.digits = digits.split_off(zeros);
        self.scale = scale;
    }

    /// The power of ten of the first digit; 0 for zero.
    fn magnitude(&self) -> i32 {
        if self.digits.is_empty() { 0 } else { self.digits.len() as i32 - 1 - self.scale }
    }
}

fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return;
        }
    }
    digits.insert(0, b'1');
}

/// An unsigned integer of any size, in base 10^9, least part first.
#[derive(Clone, Debug)]
struct Big(Vec<u32>);

const BASE: u64 = 1_000_000_000;

impl Big {
    fn from(mut number: u128) -> Big {
        let mut parts = Vec::new();
        while number > 0 {
            parts.push((number % u128::from(BASE)) as u32);
            number /= u128::from(BASE);
        }
        Big(parts)
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for part in &mut self.0 {
            let product = u64::from(*part) * u64::from(factor) + carry;
            *part = (product % BASE) as u32;
            carry = product / BASE;
        }
        debug_assert!(carry < BASE, "one more part holds the carry");
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn multiply_power(&mut self, base: u32, mut exponent: u32) {
        // The largest power that still fits a part's arithmetic.
        let step: u32 = if base == 2 { 29 } else { 12 };
        while exponent > 0 {
            let now = exponent.min(step);
            self.multiply(base.pow(now));
            exponent -= now;
        }
    }

    fn digits(&self) -> Vec<u8> {
        let mut text = String::new();
        for (at, part) in self.0.iter().rev().enumerate() {
            if at == 0 {
                text += &part.to_string();
            } else {
                text += &format!("{part:09}");
            }
        }
        text.into_bytes()
    }
}

/// `%f`: at least one digit before the point, `precision` after it.
pub(super) fn fixed(significand: u128, exponent: i32, precision: usize, keep_point: bool) -> String {
    let mut number = Decimal::exact(significand, exponent);
    number.round(precision as i32);
    let padding = (precision + 1).saturating_sub(number.digits.len());
    let mut text = "0".repeat(padding) + &ascii(&number.digits);
    if precision > 0 || keep_point {
        text.insert(text.len() - precision, '.');
    }
    text
}

/// `%e`: one digit before the point, `precision` after it, an exponent of at least two digits.
pub(super) fn scientific(significand: u128, exponent: i32, precision: usize, keep_point: bool) -> String {
    let (digits, magnitude) = leading(significand, exponent, precision + 1);
    let mut text = digits;
    if precision > 0 || keep_point {
        text.insert(1, '.');
    }
    let sign = if magnitude < 0 { '-' } else { '+' };
    text + &format!("e{sign}{:02}", magnitude.abs())
}

/// The first `count` digits after rounding, and the power of ten of the first.
fn leading(significand: u128, exponent: i32, count: usize) -> (String, i32) {
    let mut number = Decimal::exact(significand, exponent);
    if number.digits.is_empty() {
        return ("0".repeat(count), 0);
    }
    number.round(count as i32 - 1 - number.magnitude());
    // Rounding up may have made it one digit longer.
    let magnitude = number.magnitude();
    number.digits.truncate(count);
    (ascii(&number.digits), magnitude)
}

/// `%g`: `precision` significant digits in the shorter style; without `alternate` no zeros at the end.
pub(super) fn general(significand: u128, exponent: i32, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1);
    let (_, magnitude) = leading(significand, exponent, precision);
    let small = magnitude >= -4 && magnitude < precision as i32;
    let text = if small {
        fixed(significand, exponent, (precision as i32 - 1 - magnitude) as usize, alternate)
    } else {
        scientific(significand, exponent, precision - 1, alternate)
    };
    if alternate {
        return text;
    }
    let (number, power) = text.split_at(text.find('e').unwrap_or(text.len()));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    number.to_owned() + power
}

/// `%a`, in lower case: the significand in hexadecimal, the exponent of two in decimal.
pub(super) fn hexadecimal(
    kind: FloatKind,
    significand: u128,
    exponent: i32,
    precision: Option<usize>,
    keep_point: bool,
) -> String {
    // glibc writes x87 numbers with four bits before the point, others with one.
    let (mut fraction_bits, mut power) = match kind {
        FloatKind::F16 | FloatKind::F32 | FloatKind::F64 => (52, exponent + 52),
        FloatKind::X87 => (60, exponent + 60),
        FloatKind::F128 => (112, exponent + 112),
    };
    if significand == 0 {
        power = 0;
    }
    let mut digits = significand;
    let wanted = precision.map_or(fraction_bits, |precision| 4 * precision as u32);
    if wanted < fraction_bits {
        let dropped = fraction_bits - wanted;
        let (rest, half) = (digits & scalar::mask(dropped), 1 << (dropped - 1));
        digits >>= dropped;
        if rest > half || rest == half && digits & 1 == 1 {
            digits += 1;
        }
        fraction_bits = wanted;
        if kind == FloatKind::X87 && digits >> fraction_bits == 16 {
            digits >>= 4;
            power += 4;
        }
    }
    let mut fraction = String::new();
    for at in (0..fraction_bits / 4).rev() {
        fraction.push(char::from_digit((digits >> (4 * at) & 15) as u32, 16).expect("below 16"));
    }
    match precision {
        Some(precision) => fraction += &"0".repeat(precision.saturating_sub(fraction.len())),
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
    }
    let point = if fraction.is_empty() && !keep_point { "" } else { "." };
    let sign = if power < 0 { '-' } else { '+' };
    format!("0x{:x}{point}{fraction}p{sign}{}", digits >> fraction_bits, power.abs())
}

fn ascii(digits: &[u8]) -> String {
    String::from_utf8(digits.to_vec()).expect("digits are ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn fixed_and_scientific_are_exact() {
        let mut random = Random::new(3);
        for round in 0..4000 {
            let bits = match round % 3 {
                0 => random.next(),
                1 => (random.below(4000) as f64 / 8.0).to_bits(),
                _ => (0x3F0 + random.below(64)) << 52 | random.next() >> 12,
            } & (u64::MAX >> 1);
            let (_, Parts::Finite { significand, exponent }) = decode(FloatKind::F64, u128::from(bits)) else {
                continue;
            };
            let (value, precision) = (f64::from_bits(bits), random.below(30) as usize);
            assert_eq!(fixed(significand, exponent, precision, false), format!("{value:.precision$}"));
            let (digits, power) = format!("{value:.precision$e}")
                .split_once('e')
                .map(|(d, p)| (d.to_owned(), p.to_owned()))
                .expect("an e");
            let power: i32 = power.parse().expect("a number");
            let sign = if power < 0 { '-' } else { '+' };
            let expected = format!("{digits}e{sign}{:02}", power.abs());
            assert_eq!(scientific(significand, exponent, precision, false), expected);
        }
    }

    #[test]
    fn general_and_hexadecimal() {
        let parts = |kind, bits| match decode(kind, bits) {
            (_, Parts::Finite { significand, exponent }) => (significand, exponent),
            other => panic!("{other:?}"),
        };
        let g = |value: f64, precision| {
            let (significand, exponent) = parts(FloatKind::F64, u128::from(value.to_bits()));
            general(significand, exponent, precision, false)
        };
        assert_eq!(g(100000.0, 6), "100000");
        assert_eq!(g(1e6, 6), "1e+06");
        assert_eq!(g(0.0001, 6), "0.0001");
        assert_eq!(g(0.00001234, 6), "1.234e-05");
        assert_eq!(g(999999.5, 6), "1e+06");
        assert_eq!(g(0.0, 6), "0");
        assert_eq!(g(2.5, 0), "2");
        let a = |kind, bits, precision| {
            let (significand, exponent) = parts(kind, bits);
            hexadecimal(kind, significand, exponent, precision, false)
        };
        assert_eq!(a(FloatKind::F64, u128::from(1.0_f64.to_bits()), None), "0x1p+0");
        assert_eq!(a(FloatKind::F64, u128::from(3.15_f64.to_bits()), Some(2)), "0x1.93p+1");
        assert_eq!(a(FloatKind::F64, 1, None), "0x0.0000000000001p-1022");
        assert_eq!(a(FloatKind::X87, 0x3FFF_8000_0000_0000_0000, None), "0x8p-3");
    }
}

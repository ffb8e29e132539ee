//! IEEE 754 arithmetic on encodings, round to nearest even. binary32 and binary64 use the machine, whose basic
//! operations are correctly rounded; the other formats use [`soft`].
//!
//! NaNs: Rust leaves their bits open, so they are fixed here, to what x86 does. An operation on NaNs gives the first
//! NaN operand made quiet (x87: the one with the larger significand), an invalid operation on numbers gives the
//! default NaN: negative, quiet, no payload. Negation, `fabs` and the sign bit treat NaNs like other values.

mod soft;
mod text;

pub use text::{Reading, read};

use super::integer::{mask, sign_extend};
use cfa::{BinOp, FloatKind, UnOp};
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};

/// Where the parts of an encoding lie.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of the encoding; the topmost is the sign.
    bits: u32,
    /// Bits below the exponent, x87's integer bit included.
    significand: u32,
    /// The bit that makes a NaN quiet.
    quiet: u32,
}

const fn format(kind: FloatKind) -> Format {
    match kind {
        FloatKind::F16 => Format { bits: 16, significand: 10, quiet: 9 },
        FloatKind::F32 => Format { bits: 32, significand: 23, quiet: 22 },
        FloatKind::F64 => Format { bits: 64, significand: 52, quiet: 51 },
        FloatKind::X87 => Format { bits: 80, significand: 64, quiet: 62 },
        FloatKind::F128 => Format { bits: 128, significand: 112, quiet: 111 },
    }
}

impl Format {
    fn sign(self) -> u128 {
        1 << (self.bits - 1)
    }

    fn exponent_ones(self) -> u128 {
        mask(self.bits - 1) & !mask(self.significand)
    }

    /// The bits of a NaN below its quiet bit.
    fn payload(self) -> u128 {
        mask(self.quiet)
    }
}

/// Whether the encoding is a NaN. x87 patterns without the integer bit that the machine rejects count as NaNs.
pub fn is_nan(kind: FloatKind, a: u128) -> bool {
    let format = format(kind);
    let ones = format.exponent_ones();
    if kind == FloatKind::X87 {
        let integer_bit = a >> 63 & 1 == 1;
        let exponent = a & ones;
        return if integer_bit { exponent == ones && a & mask(63) != 0 } else { exponent != 0 };
    }
    a & ones == ones && a & mask(format.significand) != 0
}

/// The NaN that an invalid operation on numbers gives on x86: negative, quiet, no payload.
pub fn quiet_nan(kind: FloatKind) -> u128 {
    let format = format(kind);
    let integer_bit = if kind == FloatKind::X87 { 1 << 63 } else { 0 };
    format.sign() | format.exponent_ones() | integer_bit | 1 << format.quiet
}

/// A NaN operand as an operation gives it back.
fn made_quiet(kind: FloatKind, a: u128) -> u128 {
    let malformed = kind == FloatKind::X87 && a >> 63 & 1 == 0;
    if malformed { quiet_nan(kind) } else { a | 1 << format(kind).quiet }
}

/// The NaN that an operation on `a` and `b` gives.
fn nan_of(kind: FloatKind, a: u128, b: u128) -> u128 {
    match (is_nan(kind, a), is_nan(kind, b)) {
        (true, true) if kind == FloatKind::X87 && b & mask(64) > a & mask(64) => made_quiet(kind, b),
        (true, _) => made_quiet(kind, a),
        (false, true) => made_quiet(kind, b),
        (false, false) => quiet_nan(kind),
    }
}

pub(super) fn unary(op: UnOp, kind: FloatKind, a: u128) -> u128 {
    let sign = format(kind).sign();
    match op {
        UnOp::Neg => return a ^ sign,
        UnOp::Abs => return a & !sign,
        UnOp::SignBit => return u128::from(a & sign != 0),
        UnOp::Not | UnOp::BitNot => unreachable!("integer operator"),
        UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Round | UnOp::RoundEven => {}
    }
    if is_nan(kind, a) {
        return made_quiet(kind, a);
    }
    let result = match kind {
        FloatKind::F16 => soft::unary::<Half>(op, a),
        FloatKind::F32 => u128::from(hard_unary32(op, f32::from_bits(a as u32)).to_bits()),
        FloatKind::F64 => u128::from(hard_unary64(op, f64::from_bits(a as u64)).to_bits()),
        FloatKind::X87 => soft::unary::<X87DoubleExtended>(op, a),
        FloatKind::F128 => soft::unary::<Quad>(op, a),
    };
    if is_nan(kind, result) { quiet_nan(kind) } else { result }
}

macro_rules! hard {
    ($unary:ident, $binary:ident, $float:ty) => {
        fn $unary(op: UnOp, a: $float) -> $float {
            match op {
                UnOp::Sqrt => a.sqrt(),
                UnOp::Floor => a.floor(),
                UnOp::Ceil => a.ceil(),
                UnOp::Trunc => a.trunc(),
                UnOp::Round => a.round(),
                UnOp::RoundEven => a.round_ties_even(),
                UnOp::Neg | UnOp::Abs | UnOp::SignBit | UnOp::Not | UnOp::BitNot => unreachable!("done on bits"),
            }
        }

        /// Arithmetic, or `Err` with the truth of a comparison.
        fn $binary(op: BinOp, a: $float, b: $float) -> Result<$float, bool> {
            match op {
                BinOp::Add => Ok(a + b),
                BinOp::Sub => Ok(a - b),
                BinOp::Mul => Ok(a * b),
                BinOp::Div => Ok(a / b),
                BinOp::Rem => Ok(a % b),
                BinOp::Eq => Err(a == b),
                BinOp::Lt => Err(a < b),
                BinOp::Le => Err(a <= b),
                BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::PtrAdd => {
                    unreachable!("integer operator")
                }
            }
        }
    };
}
hard!(hard_unary32, hard_binary32, f32);
hard!(hard_unary64, hard_binary64, f64);

pub(super) fn binary(op: BinOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    let result = match kind {
        FloatKind::F16 => soft::binary::<Half>(op, a, b),
        FloatKind::F32 => hard_binary32(op, f32::from_bits(a as u32), f32::from_bits(b as u32))
            .map(|float| u128::from(float.to_bits())),
        FloatKind::F64 => hard_binary64(op, f64::from_bits(a as u64), f64::from_bits(b as u64))
            .map(|float| u128::from(float.to_bits())),
        FloatKind::X87 => soft::binary::<X87DoubleExtended>(op, a, b),
        FloatKind::F128 => soft::binary::<Quad>(op, a, b),
    };
    match result {
        Ok(bits) if is_nan(kind, bits) => nan_of(kind, a, b),
        Ok(bits) => bits,
        Err(truth) => u128::from(truth),
    }
}

/// Between formats; NaNs keep their sign and the upper bits of their payload.
pub(super) fn convert(from: FloatKind, to: FloatKind, a: u128) -> u128 {
    if from == to {
        return a;
    }
    if is_nan(from, a) {
        let (source, target, quiet) = (format(from), format(to), made_quiet(from, a));
        let payload = (quiet & source.payload()) << (127 - source.quiet) >> (127 - target.quiet);
        let sign = if quiet & source.sign() != 0 { target.sign() } else { 0 };
        return quiet_nan(to) & !target.sign() | sign | payload;
    }
    match (from, to) {
        (FloatKind::F32, FloatKind::F64) => u128::from(f64::from(f32::from_bits(a as u32)).to_bits()),
        (FloatKind::F64, FloatKind::F32) => u128::from((f64::from_bits(a as u64) as f32).to_bits()),
        (FloatKind::F16, _) => soft::convert::<Half>(to, a),
        (FloatKind::F32, _) => soft::convert::<Single>(to, a),
        (FloatKind::F64, _) => soft::convert::<Double>(to, a),
        (FloatKind::X87, _) => soft::convert::<X87DoubleExtended>(to, a),
        (FloatKind::F128, _) => soft::convert::<Quad>(to, a),
    }
}

/// Towards zero; `None` if the integral part does not fit.
pub(super) fn to_int(kind: FloatKind, width: u32, signed: bool, a: u128) -> Option<u128> {
    match kind {
        FloatKind::F16 => soft::to_int::<Half>(width, signed, a),
        FloatKind::F32 => hard_to_int(f64::from(f32::from_bits(a as u32)), width, signed),
        FloatKind::F64 => hard_to_int(f64::from_bits(a as u64), width, signed),
        FloatKind::X87 => soft::to_int::<X87DoubleExtended>(width, signed, a),
        FloatKind::F128 => soft::to_int::<Quad>(width, signed, a),
    }
}

fn hard_to_int(a: f64, width: u32, signed: bool) -> Option<u128> {
    let whole = a.trunc();
    let power = |exponent: u32| f64::from_bits(u64::from(1023 + exponent) << 52);
    if signed {
        let limit = power(width - 1);
        (-limit <= whole && whole < limit).then(|| whole as i128 as u128 & mask(width))
    } else {
        (0.0 <= whole && whole < power(width)).then_some(whole as u128)
    }
}

pub(super) fn from_int(kind: FloatKind, width: u32, signed: bool, a: u128) -> u128 {
    let number = sign_extend(a, width) as i128;
    match (kind, signed) {
        (FloatKind::F16, _) => soft::from_int::<Half>(number, signed, a),
        (FloatKind::F32, false) => u128::from((a as f32).to_bits()),
        (FloatKind::F32, true) => u128::from((number as f32).to_bits()),
        (FloatKind::F64, false) => u128::from((a as f64).to_bits()),
        (FloatKind::F64, true) => u128::from((number as f64).to_bits()),
        (FloatKind::X87, _) => soft::from_int::<X87DoubleExtended>(number, signed, a),
        (FloatKind::F128, _) => soft::from_int::<Quad>(number, signed, a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const UNARY: [UnOp; 6] = [UnOp::Sqrt, UnOp::Floor, UnOp::Ceil, UnOp::Trunc, UnOp::Round, UnOp::RoundEven];
    const BINARY: [BinOp; 8] =
        [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem, BinOp::Eq, BinOp::Lt, BinOp::Le];

    /// Bits that hit zeros, subnormals, equal exponents and infinities often.
    fn draw(random: &mut Random, bits: u32, significand: u32) -> u128 {
        let any = u128::from(random.next()) | u128::from(random.next()) << 64;
        let exponent_bits = bits - 1 - significand;
        let bias = mask(exponent_bits - 1);
        let exponent = match random.next() % 6 {
            0 => any >> 64 & mask(exponent_bits),
            1 => u128::from(random.next() % 3),
            2 => mask(exponent_bits) - u128::from(random.next() % 3),
            _ => bias + u128::from(random.next() % 140) - 60,
        } & mask(exponent_bits);
        let fraction = match random.next() % 4 {
            0 => 0,
            1 => mask(significand) & !(any & 0xFF),
            _ => any & mask(significand),
        };
        u128::from(random.next() & 1) << (bits - 1) | exponent << significand | fraction
    }

    #[test]
    fn the_machine_agrees_with_software() {
        let mut random = Random::new(1);
        let same = |kind, got: u128, want: u128, what: &dyn std::fmt::Debug, a: u128, b: u128| {
            let both_nan = is_nan(kind, got) && is_nan(kind, want);
            assert!(got == want || both_nan, "{kind:?} {what:?} {a:#x} {b:#x}: {got:#x}, software {want:#x}");
        };
        for _ in 0..20_000 {
            for (kind, bits, significand) in [(FloatKind::F32, 32, 23), (FloatKind::F64, 64, 52)] {
                let (a, b) = (draw(&mut random, bits, significand), draw(&mut random, bits, significand));
                for op in UNARY {
                    let want = match kind {
                        FloatKind::F32 => soft::unary::<Single>(op, a),
                        _ => soft::unary::<Double>(op, a),
                    };
                    same(kind, unary(op, kind, a), want, &op, a, 0);
                }
                for op in BINARY {
                    let want = match kind {
                        FloatKind::F32 => soft::binary::<Single>(op, a, b),
                        _ => soft::binary::<Double>(op, a, b),
                    };
                    same(kind, binary(op, kind, a, b), want.unwrap_or_else(u128::from), &op, a, b);
                }
                for (width, signed) in [(8, true), (32, true), (64, false), (128, true), (128, false)] {
                    let want = match kind {
                        FloatKind::F32 => soft::to_int::<Single>(width, signed, a),
                        _ => soft::to_int::<Double>(width, signed, a),
                    };
                    assert_eq!(to_int(kind, width, signed, a), want, "{kind:?} {a:#x} to {width} {signed}");
                    let int = random.bits128() & mask(width);
                    let number = sign_extend(int, width) as i128;
                    let want = match kind {
                        FloatKind::F32 => soft::from_int::<Single>(number, signed, int),
                        _ => soft::from_int::<Double>(number, signed, int),
                    };
                    assert_eq!(from_int(kind, width, signed, int), want, "{int:#x} of {width} to {kind:?}");
                }
            }
            let single = draw(&mut random, 32, 23);
            let double = draw(&mut random, 64, 52);
            for to in FloatKind::ALL {
                same(to, convert(FloatKind::F32, to, single), soft::convert::<Single>(to, single), &to, single, 0);
                same(to, convert(FloatKind::F64, to, double), soft::convert::<Double>(to, double), &to, double, 0);
            }
        }
    }

    #[test]
    fn widening_and_narrowing_is_the_identity() {
        let mut random = Random::new(2);
        for _ in 0..10_000 {
            let a = draw(&mut random, 64, 52);
            let quiet = if is_nan(FloatKind::F64, a) { made_quiet(FloatKind::F64, a) } else { a };
            for wide in [FloatKind::X87, FloatKind::F128] {
                assert_eq!(convert(wide, FloatKind::F64, convert(FloatKind::F64, wide, a)), quiet, "{a:#x} {wide:?}");
            }
        }
    }

    #[test]
    fn wide_square_roots_square_back() {
        for kind in [FloatKind::X87, FloatKind::F128] {
            for n in 0..200 {
                let root = from_int(kind, 64, false, n);
                assert_eq!(unary(UnOp::Sqrt, kind, binary(BinOp::Mul, kind, root, root)), root);
            }
        }
        let two = from_int(FloatKind::X87, 64, false, 2);
        assert_eq!(unary(UnOp::Sqrt, FloatKind::X87, two), 0x3FFF_B504_F333_F9DE_6484);
        let two = from_int(FloatKind::F128, 64, false, 2);
        assert_eq!(unary(UnOp::Sqrt, FloatKind::F128, two), 0x3FFF_6A09_E667_F3BC_C908_B2FB_1366_EA95);
    }

    #[test]
    fn invalid_operations_give_the_negative_quiet_nan() {
        for kind in FloatKind::ALL {
            let zero = 0;
            assert_eq!(binary(BinOp::Div, kind, zero, zero), quiet_nan(kind));
            assert_eq!(unary(UnOp::Sqrt, kind, from_int(kind, 8, true, 0xFF)), quiet_nan(kind));
        }
        assert_eq!(quiet_nan(FloatKind::F32), 0xFFC0_0000);
        assert_eq!(quiet_nan(FloatKind::X87), 0xFFFF_C000_0000_0000_0000);
        let signalling = 0x7F80_0001;
        assert_eq!(binary(BinOp::Add, FloatKind::F32, 0, signalling), 0x7FC0_0001);
        assert_eq!(convert(FloatKind::F32, FloatKind::F64, signalling), 0x7FF8_0000_2000_0000);
    }
}

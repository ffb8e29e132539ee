//! The float arithmetic of `smt::float` agrees with rustc_apfloat, a port of LLVM's, and with the machine's.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use smt::float;
use smt::{BitVec, FloatFormat, RoundingMode};

/// A format both sides know.
trait Known: Float {
    const FORMAT: FloatFormat;
    const HAS_INTEGER_BIT: bool = false;

    fn load(bits: &BitVec) -> Self {
        let bits = bits.to_u128().expect("at most 128 bits");
        if !Self::HAS_INTEGER_BIT {
            return Self::from_bits(bits);
        }
        let (high, low) = (bits >> 63, bits & ((1 << 63) - 1));
        let integer = u128::from(high & 0x7fff != 0);
        Self::from_bits(high << 64 | integer << 63 | low)
    }

    fn bits(self) -> BitVec {
        let bits = self.to_bits();
        let bits = if Self::HAS_INTEGER_BIT { (bits >> 64) << 63 | bits & ((1 << 63) - 1) } else { bits };
        float::canonical(Self::FORMAT, BitVec::new(Self::FORMAT.width(), bits))
    }
}

impl Known for Half {
    const FORMAT: FloatFormat = FloatFormat::HALF;
}
impl Known for Single {
    const FORMAT: FloatFormat = FloatFormat::SINGLE;
}
impl Known for Double {
    const FORMAT: FloatFormat = FloatFormat::DOUBLE;
}
impl Known for X87DoubleExtended {
    const FORMAT: FloatFormat = FloatFormat::X87;
    const HAS_INTEGER_BIT: bool = true;
}
impl Known for Quad {
    const FORMAT: FloatFormat = FloatFormat::QUAD;
}

fn mode(mode: RoundingMode) -> Round {
    match mode {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::Up => Round::TowardPositive,
        RoundingMode::Down => Round::TowardNegative,
        RoundingMode::Zero => Round::TowardZero,
    }
}

/// Random bits, often with a small or special exponent so that sums cancel and results overflow or underflow.
fn random(rng: &mut StdRng, format: FloatFormat) -> BitVec {
    let (exponent_bits, fraction_bits) = (u32::from(format.exponent), u32::from(format.significand) - 1);
    let bias = (1u128 << (exponent_bits - 1)) - 1;
    let exponent: u128 = match rng.random_range(0..6) {
        0 => rng.random(),
        1 => 0,
        2 => (1 << exponent_bits) - 1 - rng.random_range(0..2),
        3 => 1,
        _ => bias + rng.random_range(0..8) - 4,
    };
    let fraction: u128 = match rng.random_range(0..4) {
        0 => 0,
        1 => 1 << rng.random_range(0..fraction_bits),
        2 => rng.random::<u128>() & rng.random::<u128>() & rng.random::<u128>(),
        _ => rng.random(),
    };
    let exponent = BitVec::new(exponent_bits, exponent);
    let bits = BitVec::from_bool(rng.random()).concat(&exponent).concat(&BitVec::new(fraction_bits, fraction));
    float::canonical(format, bits)
}

fn agree<F: Known + FloatConvert<Single> + FloatConvert<Double> + FloatConvert<X87DoubleExtended>>() {
    let mut rng = StdRng::seed_from_u64(7);
    let format = F::FORMAT;
    for _ in 0..4000 {
        let (a, b) = (random(&mut rng, format), random(&mut rng, format));
        let (x, y) = (F::load(&a), F::load(&b));
        for m in RoundingMode::ALL {
            let r = mode(m);
            assert_eq!(float::add(format, m, &a, &b), x.add_r(y, r).value.bits(), "{a} + {b} {m}");
            assert_eq!(float::sub(format, m, &a, &b), x.sub_r(y, r).value.bits(), "{a} - {b} {m}");
            assert_eq!(float::mul(format, m, &a, &b), x.mul_r(y, r).value.bits(), "{a} * {b} {m}");
            assert_eq!(float::div(format, m, &a, &b), x.div_r(y, r).value.bits(), "{a} / {b} {m}");
            assert_eq!(float::round_to_integral(format, m, &a), x.round_to_integral(r).value.bits(), "{a} {m}");
            let integer: i128 = rng.random::<i128>() >> rng.random_range(0..127);
            let converted = F::from_i128_r(integer, r).value.bits();
            assert_eq!(float::from_integer(format, m, &integer.into()), converted, "{integer} {m}");
            for width in [8usize, 32, 64] {
                let signed = x.to_i128_r(width, r, &mut false);
                let expected = (!signed.status.contains(Status::INVALID_OP))
                    .then(|| BitVec::from_signed(width as u32, signed.value));
                assert_eq!(float::to_signed(format, m, &a, width as u32), expected, "{a} {m}");
                let unsigned = x.to_u128_r(width, r, &mut false);
                let expected =
                    (!unsigned.status.contains(Status::INVALID_OP)).then(|| BitVec::new(width as u32, unsigned.value));
                assert_eq!(float::to_unsigned(format, m, &a, width as u32), expected, "{a} {m}");
            }
            let single: Single = x.convert_r(r, &mut false).value;
            assert_eq!(float::convert(format, FloatFormat::SINGLE, m, &a), single.bits(), "{a} {m}");
            let double: Double = x.convert_r(r, &mut false).value;
            assert_eq!(float::convert(format, FloatFormat::DOUBLE, m, &a), double.bits(), "{a} {m}");
            let extended: X87DoubleExtended = x.convert_r(r, &mut false).value;
            assert_eq!(float::convert(format, FloatFormat::X87, m, &a), extended.bits(), "{a} {m}");
        }
        assert_eq!(float::rem(format, &a, &b), x.ieee_rem(y).value.bits(), "{a} rem {b}");
        assert_eq!(float::compare(format, &a, &b), x.partial_cmp(&y), "{a} ? {b}");
    }
}

#[test]
fn half() {
    agree::<Half>();
}

#[test]
fn single() {
    agree::<Single>();
}

#[test]
fn double() {
    agree::<Double>();
}

#[test]
fn extended() {
    agree::<X87DoubleExtended>();
}

#[test]
fn quad() {
    agree::<Quad>();
}

#[test]
fn square_roots_are_those_of_the_machine() {
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..20_000 {
        let a = random(&mut rng, FloatFormat::DOUBLE);
        let root = f64::from_bits(a.to_u64().expect("64 bits")).sqrt();
        let expected = float::canonical(FloatFormat::DOUBLE, BitVec::new(64, root.to_bits().into()));
        assert_eq!(float::sqrt(FloatFormat::DOUBLE, RoundingMode::NearestEven, &a), expected, "{a}");
        let a = random(&mut rng, FloatFormat::SINGLE);
        let root = f32::from_bits(a.to_u64().expect("32 bits") as u32).sqrt();
        let expected = float::canonical(FloatFormat::SINGLE, BitVec::new(32, root.to_bits().into()));
        assert_eq!(float::sqrt(FloatFormat::SINGLE, RoundingMode::NearestEven, &a), expected, "{a}");
    }
}

//! The formats of floats whose numbers a double holds, and their operations, rounded to nearest.

use smt::{BitVec, FloatFormat, RoundingMode};

/// The formats whose numbers a double holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    /// Computed in the next wider one and rounded again, which gives the same: that has more than twice the digits.
    Half,
    Single,
    Double,
}

impl Precision {
    /// The precision of a format; `None` for others.
    pub(crate) fn of(format: FloatFormat) -> Option<Precision> {
        match format {
            FloatFormat::HALF => Some(Precision::Half),
            FloatFormat::SINGLE => Some(Precision::Single),
            FloatFormat::DOUBLE => Some(Precision::Double),
            _ => None,
        }
    }

    /// The bits of positive infinity.
    pub(crate) fn infinity(self) -> u64 {
        match self {
            Precision::Half => 0x7c00,
            Precision::Single => u64::from(f32::INFINITY.to_bits()),
            Precision::Double => f64::INFINITY.to_bits(),
        }
    }

    /// How many bits an encoding has.
    pub(crate) fn width(self) -> u32 {
        match self {
            Precision::Half => 16,
            Precision::Single => 32,
            Precision::Double => 64,
        }
    }

    /// The nearest number of the format.
    pub(crate) fn nearest(self, number: f64) -> f64 {
        self.decode(self.encode(number))
    }

    pub(crate) fn sign(self) -> u64 {
        1 << (self.width() - 1)
    }

    /// The number that these bits encode.
    pub(crate) fn decode(self, bits: u64) -> f64 {
        match self {
            Precision::Half => f64::from(cfa::half(bits.into())),
            Precision::Single => f64::from(f32::from_bits(bits as u32)),
            Precision::Double => f64::from_bits(bits),
        }
    }

    /// The bits of a number of the format.
    pub(crate) fn encode(self, number: f64) -> u64 {
        match self {
            Precision::Half => half_bits(number),
            Precision::Single => u64::from((number as f32).to_bits()),
            Precision::Double => number.to_bits(),
        }
    }

    /// An operation of the format on numbers of the format.
    pub(crate) fn apply(
        self,
        a: f64,
        b: f64,
        single: impl Fn(f32, f32) -> f32,
        double: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        match self {
            Precision::Half => self.nearest(single(a as f32, b as f32).into()),
            Precision::Single => f64::from(single(a as f32, b as f32)),
            Precision::Double => double(a, b),
        }
    }

    pub(crate) fn add(self, a: f64, b: f64) -> f64 {
        self.apply(a, b, |a, b| a + b, |a, b| a + b)
    }

    pub(crate) fn mul(self, a: f64, b: f64) -> f64 {
        self.apply(a, b, |a, b| a * b, |a, b| a * b)
    }

    pub(crate) fn div(self, a: f64, b: f64) -> f64 {
        self.apply(a, b, |a, b| a / b, |a, b| a / b)
    }

    pub(crate) fn sqrt(self, a: f64) -> f64 {
        self.apply(a, a, |a, _| a.sqrt(), |a, _| a.sqrt())
    }

    /// The least number that is not subnormal.
    pub(crate) fn least_normal(self) -> f64 {
        match self {
            Precision::Half => (2.0_f64).powi(-14),
            Precision::Single => f64::from(f32::MIN_POSITIVE),
            Precision::Double => f64::MIN_POSITIVE,
        }
    }
}

/// The nearest number of binary16.
fn half_bits(number: f64) -> u64 {
    let bits = BitVec::new(64, number.to_bits().into());
    let half = smt::float::convert(FloatFormat::DOUBLE, FloatFormat::HALF, RoundingMode::NearestEven, &bits);
    half.to_u64().expect("it has 16 bits")
}

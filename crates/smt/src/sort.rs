//! Sorts: what kind of value a term has.

use std::fmt;

/// A binary floating-point format of IEEE 754 in SMT-LIB's terms: `exponent` bits, and `significand` bits that
/// include the hidden one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FloatFormat {
    /// Number of exponent bits, at least 2.
    pub exponent: u16,
    /// Number of significand bits with the hidden bit, at least 2.
    pub significand: u16,
}

impl FloatFormat {
    /// binary16, `_Float16`.
    pub const HALF: FloatFormat = FloatFormat { exponent: 5, significand: 11 };
    /// binary32, C's `float`.
    pub const SINGLE: FloatFormat = FloatFormat { exponent: 8, significand: 24 };
    /// binary64, C's `double`.
    pub const DOUBLE: FloatFormat = FloatFormat { exponent: 11, significand: 53 };
    /// The values of x87's 80-bit format, x86's `long double`. The bits of a term of this sort are 79: the format's
    /// explicit integer bit (bit 63) is the hidden bit here and must be cut out of or put into a memory image.
    pub const X87: FloatFormat = FloatFormat { exponent: 15, significand: 64 };
    /// binary128, `__float128`.
    pub const QUAD: FloatFormat = FloatFormat { exponent: 15, significand: 113 };

    /// Bits of the interchange encoding: sign, exponent, and significand without the hidden bit.
    pub fn width(self) -> u32 {
        debug_assert!(self.exponent >= 2 && self.significand >= 2, "{self:?}");
        u32::from(self.exponent) + u32::from(self.significand)
    }
}

/// A sort without structure: what arrays and functions take and give.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ScalarSort {
    /// Truth values.
    Bool,
    /// Bit vectors of this many bits, at least 1.
    BitVec(u32),
    /// Floating-point numbers.
    Float(FloatFormat),
}

/// The sort of a term. Arrays of arrays are not offered: no solver we use handles them well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit vectors of this many bits, at least 1.
    BitVec(u32),
    /// Floating-point numbers.
    Float(FloatFormat),
    /// Total maps from `index` to `element`, with extensional equality.
    Array {
        /// Sort of the indices.
        index: ScalarSort,
        /// Sort of the elements.
        element: ScalarSort,
    },
}

impl Sort {
    /// Arrays from bit vectors to bit vectors, the sort of a memory region.
    pub fn memory(address_width: u32, cell_width: u32) -> Sort {
        assert!(address_width > 0 && cell_width > 0, "addresses and cells have bits");
        Sort::Array { index: ScalarSort::BitVec(address_width), element: ScalarSort::BitVec(cell_width) }
    }

    /// The sort as a scalar; `None` for arrays.
    pub fn scalar(self) -> Option<ScalarSort> {
        match self {
            Sort::Bool => Some(ScalarSort::Bool),
            Sort::BitVec(width) => Some(ScalarSort::BitVec(width)),
            Sort::Float(format) => Some(ScalarSort::Float(format)),
            Sort::Array { .. } => None,
        }
    }
}

impl From<ScalarSort> for Sort {
    fn from(scalar: ScalarSort) -> Sort {
        match scalar {
            ScalarSort::Bool => Sort::Bool,
            ScalarSort::BitVec(width) => Sort::BitVec(width),
            ScalarSort::Float(format) => Sort::Float(format),
        }
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => f.write_str("Bool"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Float(format) => write!(f, "(_ FloatingPoint {} {})", format.exponent, format.significand),
            Sort::Array { index, element } => write!(f, "(Array {} {})", Sort::from(*index), Sort::from(*element)),
        }
    }
}

/// How a floating-point result is rounded. Modes are part of operators, not terms: a program's rounding mode is known
/// where its formula is built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RoundingMode {
    /// To nearest, ties to even: C's default for arithmetic.
    NearestEven,
    /// To nearest, ties away from zero: C's `round`.
    NearestAway,
    /// Towards plus infinity: C's `ceil`.
    Up,
    /// Towards minus infinity: C's `floor`.
    Down,
    /// Towards zero: C's conversion to integers, `trunc`.
    Zero,
}

impl RoundingMode {
    /// All five.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::Up,
        RoundingMode::Down,
        RoundingMode::Zero,
    ];
}

/// As SMT-LIB writes it, in short.
impl fmt::Display for RoundingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RoundingMode::NearestEven => "RNE",
            RoundingMode::NearestAway => "RNA",
            RoundingMode::Up => "RTP",
            RoundingMode::Down => "RTN",
            RoundingMode::Zero => "RTZ",
        })
    }
}

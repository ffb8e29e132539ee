//! The types that values have after lowering: truth values, machine integers, IEEE floats, pointers.

use std::fmt;

/// Sizes of C's types: x86 Linux as gcc lays it out, little endian.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DataModel {
    /// 32-bit `int`, `long` and pointers.
    Ilp32,
    /// 32-bit `int`, 64-bit `long` and pointers.
    #[default]
    Lp64,
}

impl DataModel {
    /// Width of a pointer.
    pub fn pointer_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Objects whose size is computed are assumed to have at most 2 to this bytes: so many of them fit side by side.
    pub fn most_object_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 22,
            DataModel::Lp64 => 40,
        }
    }

    /// The unsigned integer as wide as a pointer (`size_t`).
    pub fn size_type(self) -> Scalar {
        Scalar::int(self.pointer_bits(), false)
    }

    /// The signed integer as wide as a pointer (`ptrdiff_t`), the type of pointer offsets.
    pub fn offset_type(self) -> Scalar {
        Scalar::int(self.pointer_bits(), true)
    }
}

/// IEEE 754 formats (and x87's).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatKind {
    /// binary16, C's `_Float16`.
    F16,
    /// binary32, C's `float`.
    F32,
    /// binary64, C's `double`.
    F64,
    /// x87 extended, 80 bits, C's `long double`.
    X87,
    /// binary128, `__float128`.
    F128,
}

impl FloatKind {
    /// All formats.
    pub const ALL: [FloatKind; 5] = [FloatKind::F16, FloatKind::F32, FloatKind::F64, FloatKind::X87, FloatKind::F128];

    /// Bits of the encoding (80 for x87, whatever padding its C type has).
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::F16 => 16,
            FloatKind::F32 => 32,
            FloatKind::F64 => 64,
            FloatKind::X87 => 80,
            FloatKind::F128 => 128,
        }
    }
}

/// The number that an encoding of binary16 stands for, exactly.
pub fn half(bits: u128) -> f32 {
    let (exponent, fraction) = (bits >> 10 & 0x1f, (bits & 0x3ff) as u32);
    let size = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        // The payload of a NaN stays, and so does whether it signals.
        0x1f => f32::from_bits(0xff << 23 | fraction << 13),
        _ => f32::from_bits((exponent as u32 + 112) << 23 | fraction << 13),
    };
    if bits >> 15 & 1 == 1 { -size } else { size }
}

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scalar {
    /// A truth value: conditions and comparisons. Never stored in memory; C's `_Bool` is an 8-bit integer.
    Bool,
    /// A two's-complement integer of 8 to 128 bits, a multiple of 8.
    Int {
        /// Width.
        bits: u8,
        /// Whether division, shift right, comparison and widening are signed.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
    /// A pointer, as wide as the data model says.
    Ptr,
}

impl Scalar {
    /// C's `int`.
    pub const INT: Scalar = Scalar::Int { bits: 32, signed: true };
    /// A byte.
    pub const BYTE: Scalar = Scalar::Int { bits: 8, signed: false };

    /// The integer type of that width.
    pub fn int(bits: u32, signed: bool) -> Scalar {
        assert!(bits.is_multiple_of(8) && (8..=128).contains(&bits), "no integer of {bits} bits");
        Scalar::Int { bits: bits as u8, signed }
    }

    /// Width in bits; 1 for truth values.
    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { bits, .. } => u32::from(bits),
            Scalar::Float(kind) => kind.bits(),
            Scalar::Ptr => model.pointer_bits(),
        }
    }

    /// How many bytes of memory a value of this type is read from and written to.
    pub fn bytes(self, model: DataModel) -> u64 {
        u64::from(self.bits(model).div_ceil(8))
    }

    /// Whether this is an integer type.
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::Int { .. })
    }

    /// Whether integers of this type are signed.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Int { signed: true, .. })
    }

    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }
}

/// `bool`, `i32`, `u8`, `f64`, `ptr`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool => f.write_str("bool"),
            Scalar::Int { bits, signed: true } => write!(f, "i{bits}"),
            Scalar::Int { bits, signed: false } => write!(f, "u{bits}"),
            Scalar::Float(kind) => write!(f, "f{}", kind.bits()),
            Scalar::Ptr => f.write_str("ptr"),
        }
    }
}

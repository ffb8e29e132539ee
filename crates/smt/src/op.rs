//! Operators: the head of a term. With its arguments an operator determines its sort.

use crate::sort::{FloatFormat, RoundingMode, ScalarSort};
use base::define_id;

define_id!(
    /// A variable (a constant in SMT-LIB's words) of one [`Terms`](crate::Terms).
    VarId,
    "v"
);
define_id!(
    /// An uninterpreted function of one [`Terms`](crate::Terms).
    FunctionId,
    "f"
);
define_id!(
    /// An interned bit vector value of one [`Terms`](crate::Terms).
    ValueId,
    "c"
);

/// The head of a term. The meaning is SMT-LIB's operator of the same name; the arguments are in SMT-LIB's order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// `true` or `false`.
    Bool(bool),
    /// A bit vector value.
    Bv(ValueId),
    /// A floating-point value, given by its bits; there is one NaN.
    Fp(FloatFormat, ValueId),
    /// A free variable.
    Var(VarId),
    /// An uninterpreted function applied to one argument or more.
    Apply(FunctionId),

    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// Equality of two terms of one sort; on floats: the same value, so NaN = NaN and +0 ≠ -0.
    Eq,
    /// Condition, then, else.
    Ite,

    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Sum modulo 2^n.
    BvAdd,
    /// Difference modulo 2^n.
    BvSub,
    /// Product modulo 2^n.
    BvMul,
    /// Unsigned quotient; by zero: all ones.
    BvUdiv,
    /// Unsigned remainder; by zero: the dividend.
    BvUrem,
    /// Signed quotient, towards zero; by zero: 1 or -1.
    BvSdiv,
    /// Signed remainder with the sign of the dividend; by zero: the dividend.
    BvSrem,
    /// Left shift; zero from the width on.
    BvShl,
    /// Right shift filling with zeros.
    BvLshr,
    /// Right shift filling with the sign.
    BvAshr,
    /// High bits, low bits.
    BvConcat,
    /// The bits `low..=high`.
    BvExtract {
        /// Highest bit taken.
        high: u32,
        /// Lowest bit taken.
        low: u32,
    },
    /// This many zero bits on top.
    BvZeroExtend(u32),
    /// This many copies of the sign bit on top.
    BvSignExtend(u32),
    /// Unsigned less than.
    BvUlt,
    /// Unsigned less or equal.
    BvUle,
    /// Signed less than.
    BvSlt,
    /// Signed less or equal.
    BvSle,

    /// Clears the sign.
    FpAbs,
    /// Flips the sign.
    FpNeg,
    /// Sum.
    FpAdd(RoundingMode),
    /// Difference.
    FpSub(RoundingMode),
    /// Product.
    FpMul(RoundingMode),
    /// Quotient.
    FpDiv(RoundingMode),
    /// IEEE remainder: x - y·n, n the integer nearest to x/y. This is C's `remainder`, not `fmod`.
    FpRem,
    /// Square root.
    FpSqrt(RoundingMode),
    /// Rounds to an integral value.
    FpRound(RoundingMode),
    /// C's `==`: false for NaN, true for +0 and -0.
    FpEq,
    /// C's `<`.
    FpLt,
    /// C's `<=`.
    FpLe,
    /// Not a number.
    FpIsNan,
    /// Plus or minus infinity.
    FpIsInf,
    /// Plus or minus zero.
    FpIsZero,
    /// Neither zero, subnormal, infinite nor NaN.
    FpIsNormal,
    /// Nonzero with the least exponent.
    FpIsSubnormal,
    /// Not NaN and the sign is set; also -0.
    FpIsNegative,
    /// Not NaN and the sign is clear; also +0.
    FpIsPositive,
    /// The number that these bits encode.
    FpFromBits(FloatFormat),
    /// Conversion between formats.
    FpFromFp(RoundingMode, FloatFormat),
    /// Conversion of a signed number.
    FpFromSbv(RoundingMode, FloatFormat),
    /// Conversion of an unsigned number.
    FpFromUbv(RoundingMode, FloatFormat),
    /// Conversion to a signed number of this width; any value for NaN and what does not fit.
    FpToSbv(RoundingMode, u32),
    /// Conversion to an unsigned number of this width; any value for NaN and what does not fit.
    FpToUbv(RoundingMode, u32),

    /// Array, index.
    Select,
    /// Array, index, element: the array with one element replaced.
    Store,
    /// The array over this index sort with the same element everywhere.
    ConstArray(ScalarSort),
}

impl Op {
    /// Whether the two arguments may be exchanged.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Op::And
                | Op::Or
                | Op::Eq
                | Op::BvAnd
                | Op::BvOr
                | Op::BvXor
                | Op::BvAdd
                | Op::BvMul
                | Op::FpAdd(_)
                | Op::FpMul(_)
                | Op::FpEq
        )
    }

    /// Whether a term with this head is a value.
    pub fn is_value(self) -> bool {
        matches!(self, Op::Bool(_) | Op::Bv(_) | Op::Fp(..))
    }
}

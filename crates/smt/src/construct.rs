//! Constructors: one method per operator, and those that are made of others. All end in [`Terms::make`], which checks
//! sorts, folds values, rewrites, and interns.

use crate::bitvec::BitVec;
use crate::nested::NestedTerms;
use crate::op::Op;
use crate::sort::{FloatFormat, RoundingMode, ScalarSort, Sort};
use crate::terms::{Rewriting, TermId, Terms};
use crate::value::Value;

impl Terms {
    /// `op` applied to `args`, simplified. Panics where the sorts do not fit.
    pub fn make(&mut self, op: Op, args: &[TermId]) -> TermId {
        let Some(sort) = self.sort_of(op, args) else {
            let sorts: Vec<String> = args.iter().map(|&arg| self.sort(arg).to_string()).collect();
            panic!("{op:?} does not take arguments of sorts {sorts:?}")
        };
        if self.rewriting == Rewriting::On
            && let Some(simpler) = self.simplify(op, args, sort)
        {
            debug_assert_eq!(self.sort(simpler), sort, "rewriting keeps the sort");
            return simpler;
        }
        self.intern(op, args, sort)
    }

    // Values -----------------------------------------------------------------------------------------------------------

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.intern(Op::Bool(value), &[], Sort::Bool)
    }

    /// `true`.
    pub fn truth(&mut self) -> TermId {
        self.bool(true)
    }

    /// `false`.
    pub fn falsity(&mut self) -> TermId {
        self.bool(false)
    }

    /// A bit vector value.
    pub fn bv(&mut self, value: BitVec) -> TermId {
        let sort = Sort::BitVec(value.width());
        let id = self.intern_value(value);
        self.intern(Op::Bv(id), &[], sort)
    }

    /// The low `width` bits of `value`.
    pub fn bv_u64(&mut self, width: u32, value: u64) -> TermId {
        self.bv(BitVec::new(width, value.into()))
    }

    /// `value` in two's complement, cut or extended to `width`.
    pub fn bv_i64(&mut self, width: u32, value: i64) -> TermId {
        self.bv(BitVec::from_signed(width, value.into()))
    }

    /// The floating-point value with these bits. All encodings of NaN are one value.
    pub fn fp(&mut self, format: FloatFormat, bits: BitVec) -> TermId {
        assert_eq!(bits.width(), format.width(), "bits of the format");
        let bits = crate::float::canonical(format, bits);
        let id = self.intern_value(bits);
        self.intern(Op::Fp(format, id), &[], Sort::Float(format))
    }

    /// A binary32 value.
    pub fn fp_single(&mut self, value: f32) -> TermId {
        self.fp(FloatFormat::SINGLE, BitVec::new(32, value.to_bits().into()))
    }

    /// A binary64 value.
    pub fn fp_double(&mut self, value: f64) -> TermId {
        self.fp(FloatFormat::DOUBLE, BitVec::new(64, value.to_bits().into()))
    }

    /// A value as a term; arrays become stores into a constant array.
    pub fn value_term(&mut self, value: &Value) -> TermId {
        match value {
            Value::Bool(value) => self.bool(*value),
            Value::BitVec(value) => self.bv(value.clone()),
            Value::Float(format, bits) => self.fp(*format, bits.clone()),
            Value::Array(array) => {
                let default = self.value_term(&array.default);
                let mut term = self.const_array(array.index, default);
                for (index, element) in &array.entries {
                    let (index, element) = (self.value_term(index), self.value_term(element));
                    term = self.store_at(term, index, element);
                }
                term
            }
        }
    }

    // Truth ------------------------------------------------------------------------------------------------------------

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        self.make(Op::Not, &[a])
    }

    /// Conjunction of any number of terms.
    pub fn and(&mut self, args: impl IntoIterator<Item = TermId>) -> TermId {
        let args: Vec<TermId> = args.into_iter().collect();
        match args[..] {
            [] => self.truth(),
            [only] => {
                assert_eq!(self.sort(only), Sort::Bool, "a conjunction of truth values");
                only
            }
            _ => self.make(Op::And, &args),
        }
    }

    /// Disjunction of any number of terms.
    pub fn or(&mut self, args: impl IntoIterator<Item = TermId>) -> TermId {
        let args: Vec<TermId> = args.into_iter().collect();
        match args[..] {
            [] => self.falsity(),
            [only] => {
                assert_eq!(self.sort(only), Sort::Bool, "a disjunction of truth values");
                only
            }
            _ => self.make(Op::Or, &args),
        }
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// Exactly one of the two.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Equality of two terms of one sort. Floats: the same value, see [`Terms::fp_eq`] for C's `==`.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.make(Op::Eq, &[a, b])
    }

    /// Inequality.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// All different from each other; quadratic.
    pub fn distinct(&mut self, args: &[TermId]) -> TermId {
        let mut parts = Vec::new();
        for (position, &a) in args.iter().enumerate() {
            for &b in &args[position + 1..] {
                parts.push(self.ne(a, b));
            }
        }
        self.and(parts)
    }

    /// `condition ? yes : no`, for any sort.
    pub fn ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        self.make(Op::Ite, &[condition, yes, no])
    }

    // Bit vectors ------------------------------------------------------------------------------------------------------

    /// The unsigned number in `width` bits: cut or extended with zeros.
    pub fn bv_resize_unsigned(&mut self, a: TermId, width: u32) -> TermId {
        let now = self.width(a);
        assert!(width > 0, "bit vectors have at least one bit");
        if width <= now { self.bv_extract(a, width - 1, 0) } else { self.make(Op::BvZeroExtend(width - now), &[a]) }
    }

    /// The signed number in `width` bits: cut or extended with the sign.
    pub fn bv_resize_signed(&mut self, a: TermId, width: u32) -> TermId {
        let now = self.width(a);
        assert!(width > 0, "bit vectors have at least one bit");
        if width <= now { self.bv_extract(a, width - 1, 0) } else { self.make(Op::BvSignExtend(width - now), &[a]) }
    }

    /// The bits `low..=high`.
    pub fn bv_extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        assert!(low <= high && high < self.width(a), "bits {low}..={high} of {}", self.width(a));
        self.make(Op::BvExtract { high, low }, &[a])
    }

    /// 1 or 0 of this width.
    pub fn bv_from_bool(&mut self, a: TermId, width: u32) -> TermId {
        let (one, zero) = (self.bv_u64(width, 1), self.bv_u64(width, 0));
        self.ite(a, one, zero)
    }

    /// Whether any bit is set: C's truth of an integer.
    pub fn bv_is_nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.bv_u64(self.width(a), 0);
        self.ne(a, zero)
    }

    /// Unsigned greater than.
    pub fn bv_ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.bv_ult(b, a)
    }

    /// Unsigned greater or equal.
    pub fn bv_uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.bv_ule(b, a)
    }

    /// Signed greater than.
    pub fn bv_sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.bv_slt(b, a)
    }

    /// Signed greater or equal.
    pub fn bv_sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.bv_sle(b, a)
    }

    // Floats -----------------------------------------------------------------------------------------------------------

    /// Sum.
    pub fn fp_add(&mut self, mode: RoundingMode, a: TermId, b: TermId) -> TermId {
        self.make(Op::FpAdd(mode), &[a, b])
    }

    /// Difference.
    pub fn fp_sub(&mut self, mode: RoundingMode, a: TermId, b: TermId) -> TermId {
        self.make(Op::FpSub(mode), &[a, b])
    }

    /// Product.
    pub fn fp_mul(&mut self, mode: RoundingMode, a: TermId, b: TermId) -> TermId {
        self.make(Op::FpMul(mode), &[a, b])
    }

    /// Quotient.
    pub fn fp_div(&mut self, mode: RoundingMode, a: TermId, b: TermId) -> TermId {
        self.make(Op::FpDiv(mode), &[a, b])
    }

    /// Square root.
    pub fn fp_sqrt(&mut self, mode: RoundingMode, a: TermId) -> TermId {
        self.make(Op::FpSqrt(mode), &[a])
    }

    /// Rounded to an integral value.
    pub fn fp_round(&mut self, mode: RoundingMode, a: TermId) -> TermId {
        self.make(Op::FpRound(mode), &[a])
    }

    /// C's `>`.
    pub fn fp_gt(&mut self, a: TermId, b: TermId) -> TermId {
        self.fp_lt(b, a)
    }

    /// C's `>=`.
    pub fn fp_ge(&mut self, a: TermId, b: TermId) -> TermId {
        self.fp_le(b, a)
    }

    /// The number that these bits encode.
    pub fn fp_from_bits(&mut self, format: FloatFormat, bits: TermId) -> TermId {
        self.make(Op::FpFromBits(format), &[bits])
    }

    /// Conversion between formats.
    pub fn fp_from_fp(&mut self, mode: RoundingMode, format: FloatFormat, a: TermId) -> TermId {
        self.make(Op::FpFromFp(mode, format), &[a])
    }

    /// Conversion of a signed number.
    pub fn fp_from_signed(&mut self, mode: RoundingMode, format: FloatFormat, a: TermId) -> TermId {
        self.make(Op::FpFromSbv(mode, format), &[a])
    }

    /// Conversion of an unsigned number.
    pub fn fp_from_unsigned(&mut self, mode: RoundingMode, format: FloatFormat, a: TermId) -> TermId {
        self.make(Op::FpFromUbv(mode, format), &[a])
    }

    /// Conversion to a signed number; any value for NaN and what does not fit.
    pub fn fp_to_signed(&mut self, mode: RoundingMode, width: u32, a: TermId) -> TermId {
        assert!(width > 0, "bit vectors have at least one bit");
        self.make(Op::FpToSbv(mode, width), &[a])
    }

    /// Conversion to an unsigned number; any value for NaN and what does not fit.
    pub fn fp_to_unsigned(&mut self, mode: RoundingMode, width: u32, a: TermId) -> TermId {
        assert!(width > 0, "bit vectors have at least one bit");
        self.make(Op::FpToUbv(mode, width), &[a])
    }

    // Arrays -----------------------------------------------------------------------------------------------------------

    /// The element at `index`.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        self.make(Op::Select, &[array, index])
    }

    /// `array` with `element` at `index`.
    pub fn store_at(&mut self, array: TermId, index: TermId, element: TermId) -> TermId {
        self.make(Op::Store, &[array, index, element])
    }

    /// The array with `element` everywhere.
    pub fn const_array(&mut self, index: ScalarSort, element: TermId) -> TermId {
        self.make(Op::ConstArray(index), &[element])
    }
}

/// Constructors that only name an operator.
macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),+) = $op:ident;)+) => {
        impl Terms {
            $($(#[$doc])* pub fn $name(&mut self, $($arg: TermId),+) -> TermId { self.make(Op::$op, &[$($arg),+]) })+
        }

        impl NestedTerms {
            $($(#[$doc])* pub fn $name(&self, $($arg: TermId),+) -> TermId { self.make(Op::$op, &[$($arg),+]) })+
        }
    };
}

operators! {
    /// Bitwise complement.
    bv_not(a) = BvNot;
    /// Two's complement negation.
    bv_neg(a) = BvNeg;
    /// Bitwise and.
    bv_and(a, b) = BvAnd;
    /// Bitwise or.
    bv_or(a, b) = BvOr;
    /// Bitwise exclusive or.
    bv_xor(a, b) = BvXor;
    /// Sum modulo 2^n.
    bv_add(a, b) = BvAdd;
    /// Difference modulo 2^n.
    bv_sub(a, b) = BvSub;
    /// Product modulo 2^n.
    bv_mul(a, b) = BvMul;
    /// Unsigned quotient; by zero: all ones.
    bv_udiv(a, b) = BvUdiv;
    /// Unsigned remainder; by zero: `a`.
    bv_urem(a, b) = BvUrem;
    /// Signed quotient, towards zero; by zero: 1 for negative `a`, else -1.
    bv_sdiv(a, b) = BvSdiv;
    /// Signed remainder with the sign of `a`; by zero: `a`.
    bv_srem(a, b) = BvSrem;
    /// Left shift by an equally wide unsigned distance; zero from the width on.
    bv_shl(a, b) = BvShl;
    /// Right shift filling with zeros.
    bv_lshr(a, b) = BvLshr;
    /// Right shift filling with the sign.
    bv_ashr(a, b) = BvAshr;
    /// `high` above `low`.
    bv_concat(high, low) = BvConcat;
    /// Unsigned less than.
    bv_ult(a, b) = BvUlt;
    /// Unsigned less or equal.
    bv_ule(a, b) = BvUle;
    /// Signed less than.
    bv_slt(a, b) = BvSlt;
    /// Signed less or equal.
    bv_sle(a, b) = BvSle;
    /// Clears the sign.
    fp_abs(a) = FpAbs;
    /// Flips the sign.
    fp_neg(a) = FpNeg;
    /// IEEE remainder (C's `remainder`, not `fmod`).
    fp_rem(a, b) = FpRem;
    /// C's `==`: false for NaN, true for +0 and -0.
    fp_eq(a, b) = FpEq;
    /// C's `<`.
    fp_lt(a, b) = FpLt;
    /// C's `<=`.
    fp_le(a, b) = FpLe;
    /// Not a number.
    fp_is_nan(a) = FpIsNan;
    /// Plus or minus infinity.
    fp_is_inf(a) = FpIsInf;
    /// Plus or minus zero.
    fp_is_zero(a) = FpIsZero;
    /// Neither zero, subnormal, infinite nor NaN.
    fp_is_normal(a) = FpIsNormal;
    /// Nonzero with the least exponent.
    fp_is_subnormal(a) = FpIsSubnormal;
    /// Not NaN and the sign is set; also -0.
    fp_is_negative(a) = FpIsNegative;
    /// Not NaN and the sign is clear; also +0.
    fp_is_positive(a) = FpIsPositive;
}

//! Concrete bit vectors of any width, with SMT-LIB's operations on them.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;

/// A bit vector value: `width` bits, an unsigned number below 2^width. The operations are SMT-LIB's, so all are total;
/// binary ones need equal widths.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitVec {
    width: u32,
    bits: Bits,
}

/// Invariant: `Small` exactly for widths up to 128, and no bit above the width is set.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Bits {
    Small(u128),
    Big(BigUint),
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// `value` without the bits from `width` up.
fn truncate(value: BigUint, width: u32) -> BigUint {
    if value.bits() <= u64::from(width) { value } else { value % (BigUint::one() << width) }
}

impl BitVec {
    /// The low `width` bits of `value`.
    pub fn new(width: u32, value: u128) -> BitVec {
        assert!(width > 0, "bit vectors have at least one bit");
        let bits = if width <= 128 { Bits::Small(value & mask(width)) } else { Bits::Big(value.into()) };
        BitVec { width, bits }
    }

    /// `value` in two's complement, cut or sign-extended to `width`.
    pub fn from_signed(width: u32, value: i128) -> BitVec {
        if width <= 128 {
            BitVec::new(width, value as u128)
        } else {
            BitVec::new(128, value as u128).sign_extend(width)
        }
    }

    /// The low `width` bits of `value`.
    pub fn from_big(width: u32, value: BigUint) -> BitVec {
        assert!(width > 0, "bit vectors have at least one bit");
        let value = truncate(value, width);
        let bits = match value.to_u128() {
            Some(small) if width <= 128 => Bits::Small(small),
            _ => Bits::Big(value),
        };
        debug_assert_eq!(width <= 128, matches!(bits, Bits::Small(_)), "the width decides");
        BitVec { width, bits }
    }

    /// `value` modulo 2^width.
    pub fn from_big_signed(width: u32, value: &BigInt) -> BitVec {
        let magnitude = BitVec::from_big(width, value.magnitude().clone());
        if value.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    /// All bits clear.
    pub fn zero(width: u32) -> BitVec {
        BitVec::new(width, 0)
    }

    /// The number 1.
    pub fn one(width: u32) -> BitVec {
        BitVec::new(width, 1)
    }

    /// All bits set.
    pub fn ones(width: u32) -> BitVec {
        BitVec::zero(width).not()
    }

    /// The least signed number: only the top bit set.
    pub fn min_signed(width: u32) -> BitVec {
        let least = BitVec::one(width).shl(&BitVec::from_big(width, BigUint::from(width - 1)));
        debug_assert!(least.is_negative(), "only the top bit is set");
        least
    }

    /// The greatest signed number: all bits but the top one set.
    pub fn max_signed(width: u32) -> BitVec {
        BitVec::min_signed(width).not()
    }

    /// One bit.
    pub fn from_bool(value: bool) -> BitVec {
        BitVec::new(1, u128::from(value))
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The unsigned number, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        match &self.bits {
            Bits::Small(value) => Some(*value),
            Bits::Big(value) => value.to_u128(),
        }
    }

    /// The unsigned number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128().and_then(|value| value.try_into().ok())
    }

    /// The signed number, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.bits {
            Bits::Small(value) => {
                let unused = 128 - self.width;
                Some(((*value << unused) as i128) >> unused)
            }
            Bits::Big(_) => self.to_big_signed().to_i128(),
        }
    }

    /// The unsigned number.
    pub fn to_big(&self) -> BigUint {
        match &self.bits {
            Bits::Small(value) => BigUint::from(*value),
            Bits::Big(value) => value.clone(),
        }
    }

    /// The signed number.
    pub fn to_big_signed(&self) -> BigInt {
        let value = BigInt::from(self.to_big());
        if self.is_negative() { value - (BigInt::one() << self.width) } else { value }
    }

    /// Bit number `index`, from the low end.
    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Small(value) => index < 128 && value >> index & 1 == 1,
            Bits::Big(value) => value.bit(u64::from(index)),
        }
    }

    /// Whether the top bit is set.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// Whether no bit is set.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(value) => *value == 0,
            Bits::Big(value) => value.is_zero(),
        }
    }

    /// Whether this is the number 1.
    pub fn is_one(&self) -> bool {
        self.to_u128() == Some(1)
    }

    /// Whether all bits are set.
    pub fn is_ones(&self) -> bool {
        match &self.bits {
            Bits::Small(value) => *value == mask(self.width),
            Bits::Big(value) => value.count_ones() == u64::from(self.width),
        }
    }

    /// The exponent if this is a power of two, as an unsigned number.
    pub fn power_of_two(&self) -> Option<u32> {
        match &self.bits {
            Bits::Small(value) => value.is_power_of_two().then(|| value.trailing_zeros()),
            Bits::Big(value) if value.count_ones() == 1 => value.trailing_zeros().map(|bit| bit as u32),
            Bits::Big(_) => None,
        }
    }

    fn binary(
        &self,
        other: &BitVec,
        small: impl FnOnce(u128, u128) -> u128,
        big: impl FnOnce(&BigUint, &BigUint) -> BigUint,
    ) -> BitVec {
        assert_eq!(self.width, other.width, "operands of equal width");
        match (&self.bits, &other.bits) {
            (Bits::Small(a), Bits::Small(b)) => BitVec::new(self.width, small(*a, *b)),
            (Bits::Big(a), Bits::Big(b)) => BitVec::from_big(self.width, big(a, b)),
            (Bits::Small(_), Bits::Big(_)) | (Bits::Big(_), Bits::Small(_)) => unreachable!("the width decides"),
        }
    }

    /// `bvnot`.
    pub fn not(&self) -> BitVec {
        match &self.bits {
            Bits::Small(value) => BitVec::new(self.width, !value),
            Bits::Big(value) => {
                let ones = (BigUint::one() << self.width) - 1u32;
                BitVec::from_big(self.width, ones ^ value)
            }
        }
    }

    /// `bvneg`.
    pub fn neg(&self) -> BitVec {
        self.not().add(&BitVec::one(self.width))
    }

    /// `bvand`.
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a & b, |a, b| a & b)
    }

    /// `bvor`.
    pub fn or(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a | b, |a, b| a | b)
    }

    /// `bvxor`.
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.binary(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// `bvadd`.
    pub fn add(&self, other: &BitVec) -> BitVec {
        self.binary(other, u128::wrapping_add, |a, b| a + b)
    }

    /// `bvsub`.
    pub fn sub(&self, other: &BitVec) -> BitVec {
        self.add(&other.neg())
    }

    /// `bvmul`.
    pub fn mul(&self, other: &BitVec) -> BitVec {
        self.binary(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// `bvudiv`; all ones where `other` is 0.
    pub fn udiv(&self, other: &BitVec) -> BitVec {
        assert_eq!(self.width, other.width, "operands of equal width");
        if other.is_zero() { BitVec::ones(self.width) } else { self.binary(other, |a, b| a / b, |a, b| a / b) }
    }

    /// `bvurem`; `self` where `other` is 0.
    pub fn urem(&self, other: &BitVec) -> BitVec {
        assert_eq!(self.width, other.width, "operands of equal width");
        if other.is_zero() { self.clone() } else { self.binary(other, |a, b| a % b, |a, b| a % b) }
    }

    fn magnitude(&self) -> BitVec {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// `bvsdiv`: rounds towards zero; by 0: 1 for negative `self`, else -1.
    pub fn sdiv(&self, other: &BitVec) -> BitVec {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() == other.is_negative() { quotient } else { quotient.neg() }
    }

    /// `bvsrem`: has the sign of `self`; `self` where `other` is 0.
    pub fn srem(&self, other: &BitVec) -> BitVec {
        let rest = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { rest.neg() } else { rest }
    }

    /// The shift distance, if it is below the width.
    fn distance(&self, by: &BitVec) -> Option<u32> {
        assert_eq!(self.width, by.width, "distances are as wide as what is shifted");
        by.to_u64().filter(|&distance| distance < u64::from(self.width)).map(|distance| distance as u32)
    }

    /// `bvshl`.
    pub fn shl(&self, by: &BitVec) -> BitVec {
        let Some(distance) = self.distance(by) else { return BitVec::zero(self.width) };
        match &self.bits {
            Bits::Small(value) => BitVec::new(self.width, value << distance),
            Bits::Big(value) => BitVec::from_big(self.width, value << distance),
        }
    }

    /// `bvlshr`.
    pub fn lshr(&self, by: &BitVec) -> BitVec {
        let Some(distance) = self.distance(by) else { return BitVec::zero(self.width) };
        match &self.bits {
            Bits::Small(value) => BitVec::new(self.width, value >> distance),
            Bits::Big(value) => BitVec::from_big(self.width, value >> distance),
        }
    }

    /// `bvashr`.
    pub fn ashr(&self, by: &BitVec) -> BitVec {
        if self.is_negative() { self.not().lshr(by).not() } else { self.lshr(by) }
    }

    /// `concat`: `self` gives the high bits.
    pub fn concat(&self, low: &BitVec) -> BitVec {
        let width = self.width.checked_add(low.width).expect("bit vectors of fewer than 2^32 bits");
        match (&self.bits, &low.bits) {
            (Bits::Small(a), Bits::Small(b)) if width <= 128 => BitVec::new(width, a << low.width | b),
            _ => BitVec::from_big(width, (self.to_big() << low.width) | low.to_big()),
        }
    }

    /// `(_ extract high low)`, both ends included.
    pub fn extract(&self, high: u32, low: u32) -> BitVec {
        assert!(low <= high && high < self.width, "bits {low}..={high} of {}", self.width);
        match &self.bits {
            Bits::Small(value) => BitVec::new(high - low + 1, value >> low),
            Bits::Big(value) => BitVec::from_big(high - low + 1, value >> low),
        }
    }

    /// The same unsigned number in `width` bits, at least as many as now.
    pub fn zero_extend(&self, width: u32) -> BitVec {
        assert!(width >= self.width, "extension makes wider");
        match &self.bits {
            Bits::Small(value) => BitVec::new(width, *value),
            Bits::Big(value) => BitVec::from_big(width, value.clone()),
        }
    }

    /// The same signed number in `width` bits, at least as many as now.
    pub fn sign_extend(&self, width: u32) -> BitVec {
        let extended = self.zero_extend(width);
        if self.is_negative() && width > self.width { BitVec::ones(width - self.width).concat(self) } else { extended }
    }

    /// `bvult`.
    pub fn ult(&self, other: &BitVec) -> bool {
        assert_eq!(self.width, other.width, "operands of equal width");
        self.bits < other.bits
    }

    /// `bvslt`.
    pub fn slt(&self, other: &BitVec) -> bool {
        assert_eq!(self.width, other.width, "operands of equal width");
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            (true, true) | (false, false) => self.ult(other),
        }
    }

    /// The bits from the top one down, as `0` and `1`.
    pub fn to_binary(&self) -> String {
        (0..self.width).rev().map(|index| if self.bit(index) { '1' } else { '0' }).collect()
    }

    /// Reads `0` and `1` from the top bit down; `None` for other text.
    pub fn from_binary(text: &str) -> Option<BitVec> {
        if text.is_empty() {
            return None;
        }
        let value = BigUint::parse_bytes(text.as_bytes(), 2)?;
        Some(BitVec::from_big(text.len() as u32, value))
    }
}

/// By width, then as unsigned numbers.
impl Ord for BitVec {
    fn cmp(&self, other: &BitVec) -> Ordering {
        self.width.cmp(&other.width).then_with(|| self.bits.cmp(&other.bits))
    }
}

impl PartialOrd for BitVec {
    fn partial_cmp(&self, other: &BitVec) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As SMT-LIB writes it: `#x0a`, or `#b101` where the width is not a multiple of 4.
impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            write!(f, "#x{:0>1$}", self.to_big().to_str_radix(16), self.width as usize / 4)
        } else {
            write!(f, "#b{}", self.to_binary())
        }
    }
}

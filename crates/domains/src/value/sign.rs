//! Which of the negative numbers, 0 and the positive ones a value may be: all that a check for null or for an error code
//! tells. It is about the bits: negative is what has the highest bit set, whatever the type says.

use cfa::{DataModel, Scalar};
use semantics::scalar;

/// A set of signs; as a value neither empty nor all of them, and 0 alone is a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sign(u8);

impl Sign {
    const NEGATIVE: Sign = Sign(1);
    pub const ZERO: Sign = Sign(2);
    const POSITIVE: Sign = Sign(4);
    /// Not 0.
    pub const NONZERO: Sign = Sign(5);
    const PARTS: [Sign; 3] = [Self::NEGATIVE, Self::ZERO, Self::POSITIVE];

    /// The sign of a number of the type.
    pub fn of(model: DataModel, ty: Scalar, bits: u128) -> Sign {
        match bits {
            0 => Self::ZERO,
            _ if bits >> (ty.bits(model) - 1) & 1 == 1 => Self::NEGATIVE,
            _ => Self::POSITIVE,
        }
    }

    /// The signs of the numbers of a type between two, which are as the type's signedness says.
    pub fn between(model: DataModel, ty: Scalar, low: i128, high: i128) -> Sign {
        let touches = |part: Sign| part.range(model, ty).is_some_and(|(from, to)| low <= to && from <= high);
        Sign(Self::PARTS.into_iter().filter(|&part| touches(part)).map(|part| part.0).sum())
    }

    /// The least and the greatest number of the set by the type's signedness; `None` for types without or with too wide ones.
    pub fn range(self, model: DataModel, ty: Scalar) -> Option<(i128, i128)> {
        let signed = match ty {
            Scalar::Int { signed, bits } if bits <= 64 => signed,
            Scalar::Ptr => false,
            Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) => return None,
        };
        let half = 1_i128 << (ty.bits(model) - 1);
        let parts = Self::PARTS.into_iter().filter(|part| self.0 & part.0 != 0).map(|part| match part {
            Self::ZERO => (0, 0),
            Self::POSITIVE => (1, half - 1),
            _ if signed => (-half, -1),
            _ => (half, 2 * half - 1),
        });
        parts.reduce(|(low, high), (from, to)| (low.min(from), high.max(to)))
    }

    /// What is in both.
    pub fn and(self, other: Sign) -> Sign {
        Sign(self.0 & other.0)
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it says nothing.
    pub fn is_all(self) -> bool {
        self.0 == 7
    }

    /// The signs after a conversion between integers or pointers; `None` if it tells nothing.
    pub fn converted(self, model: DataModel, from: Scalar, to: Scalar) -> Option<Sign> {
        let integral = |ty: Scalar| ty.is_int() || ty == Scalar::Ptr;
        if !integral(from) || !integral(to) || to.bits(model) < from.bits(model) {
            return None;
        }
        if to.bits(model) == from.bits(model) || from.is_signed() {
            return Some(self);
        }
        // The highest bit of a wider number is clear.
        let positive = self.0 & Self::NONZERO.0 != 0;
        Some(Sign(self.0 & Self::ZERO.0 | if positive { Self::POSITIVE.0 } else { 0 }))
    }

    /// The signs before such a conversion.
    pub fn before(self, model: DataModel, from: Scalar, to: Scalar) -> Option<Sign> {
        let parts = Self::PARTS.into_iter().filter_map(|part| {
            let after = part.converted(model, from, to)?;
            Some(if after.and(self).is_empty() { 0 } else { part.0 })
        });
        let parts: Vec<u8> = parts.collect();
        (!parts.is_empty()).then(|| Sign(parts.into_iter().sum()))
    }

    /// One of the numbers.
    pub fn example(self, model: DataModel, ty: Scalar) -> u128 {
        if self.0 & Self::POSITIVE.0 != 0 { 1 } else { scalar::mask(ty.bits(model)) }
    }

    /// As a word.
    pub fn text(self) -> &'static str {
        match self.0 {
            1 => "negative",
            3 => "not positive",
            4 => "positive",
            6 => "not negative",
            _ => "nonzero",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: DataModel = DataModel::Lp64;
    const NOT_NEGATIVE: Sign = Sign(6);

    #[test]
    fn numbers_and_ranges_have_signs() {
        let (int, unsigned) = (Scalar::INT, Scalar::int(32, false));
        assert_eq!(Sign::of(MODEL, int, 0xFFFF_FFFF), Sign::NEGATIVE);
        assert_eq!(Sign::of(MODEL, Scalar::int(64, true), 0xFFFF_FFFF), Sign::POSITIVE);
        assert_eq!(Sign::between(MODEL, int, 0, 9), NOT_NEGATIVE);
        assert_eq!(Sign::between(MODEL, int, -3, -1), Sign::NEGATIVE);
        assert_eq!(Sign::between(MODEL, unsigned, 1, 0xFFFF_FFFF), Sign::NONZERO);
        assert_eq!(Sign::NEGATIVE.range(MODEL, unsigned), Some((0x8000_0000, 0xFFFF_FFFF)));
        assert_eq!(NOT_NEGATIVE.range(MODEL, int), Some((0, 0x7FFF_FFFF)));
    }

    #[test]
    fn conversions_keep_what_they_can() {
        let (int, unsigned) = (Scalar::INT, Scalar::int(32, false));
        let (long, char) = (Scalar::int(64, true), Scalar::int(8, true));
        assert_eq!(Sign::NEGATIVE.converted(MODEL, int, long), Some(Sign::NEGATIVE));
        assert_eq!(Sign::NEGATIVE.converted(MODEL, unsigned, long), Some(Sign::POSITIVE));
        assert_eq!(Sign::NONZERO.converted(MODEL, int, char), None);
        assert_eq!(Sign::POSITIVE.before(MODEL, unsigned, long), Some(Sign::NONZERO));
        assert_eq!(Sign::NEGATIVE.before(MODEL, unsigned, long), Some(Sign(0)));
        assert_eq!(NOT_NEGATIVE.before(MODEL, int, long), Some(NOT_NEGATIVE));
    }
}

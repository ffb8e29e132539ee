//! Ranges of floats: γ is the numbers of a format between two bounds, in the order in which -0 comes before +0, and NaN
//! if it is possible. Every operation contains the results for all operands in its arguments.
//!
//! Rounding to nearest is monotone, so bounds of results are results at bounds, computed in the format itself: no
//! further rounding outwards is needed, and a range of one number gives a range of one number [Moo66].

use crate::interval::Interval;
use crate::precision::Precision;
use smt::{BitVec, FloatFormat, RoundingMode};
use std::cmp::Ordering;

/// Which truth values something may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Truth {
    pub(crate) may_hold: bool,
    pub(crate) may_fail: bool,
}

impl Truth {
    pub(crate) const OPEN: Truth = Truth { may_hold: true, may_fail: true };

    pub(crate) fn known(value: bool) -> Truth {
        Truth { may_hold: value, may_fail: !value }
    }

    pub(crate) fn of(value: Option<bool>) -> Truth {
        value.map_or(Truth::OPEN, Truth::known)
    }

    pub(crate) fn not(self) -> Truth {
        Truth { may_hold: self.may_fail, may_fail: self.may_hold }
    }

    pub(crate) fn is_open(self) -> bool {
        self.may_hold && self.may_fail
    }
}

/// Numbers between two bounds, none if the lower is above the upper, and NaN or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatRange {
    low: f64,
    high: f64,
    nan: bool,
}

/// The smaller and the larger, where -0 is smaller than +0.
fn ordered(a: f64, b: f64) -> (f64, f64) {
    if a.total_cmp(&b) == Ordering::Greater { (b, a) } else { (a, b) }
}

impl FloatRange {
    const NOTHING: FloatRange = FloatRange { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: false };
    const NAN: FloatRange = FloatRange { nan: true, ..FloatRange::NOTHING };

    /// All numbers of a format, and NaN.
    pub(crate) const ALL: FloatRange = FloatRange { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

    /// The numbers between two, which are no NaNs.
    pub(crate) fn between(low: f64, high: f64) -> FloatRange {
        debug_assert!(!low.is_nan() && !high.is_nan(), "bounds are numbers");
        FloatRange { low, high, nan: false }
    }

    /// One number, or NaN.
    pub(crate) fn exactly(number: f64) -> FloatRange {
        if number.is_nan() { FloatRange::NAN } else { FloatRange::between(number, number) }
    }

    pub(crate) fn with_nan(self, nan: bool) -> FloatRange {
        FloatRange { nan: self.nan || nan, ..self }
    }

    fn has_numbers(self) -> bool {
        self.low.total_cmp(&self.high) != Ordering::Greater
    }

    /// Whether there is one value only.
    pub(crate) fn is_single(self) -> bool {
        if self.nan { !self.has_numbers() } else { self.low.total_cmp(&self.high) == Ordering::Equal }
    }

    /// Whether the value, perhaps NaN, is among these.
    pub(crate) fn contains(self, value: f64) -> bool {
        if value.is_nan() {
            return self.nan;
        }
        self.low.total_cmp(&value) != Ordering::Greater && value.total_cmp(&self.high) != Ordering::Greater
    }

    fn has_zero(self) -> bool {
        self.contains(0.0) || self.contains(-0.0)
    }

    fn has_infinity(self) -> bool {
        self.contains(f64::INFINITY) || self.contains(f64::NEG_INFINITY)
    }

    /// The smallest range around both.
    pub(crate) fn join(self, other: FloatRange) -> FloatRange {
        let nan = self.nan || other.nan;
        match (self.has_numbers(), other.has_numbers()) {
            (false, _) => other.with_nan(nan),
            (_, false) => self.with_nan(nan),
            _ => FloatRange { low: ordered(self.low, other.low).0, high: ordered(self.high, other.high).1, nan },
        }
    }

    fn meets(self, other: FloatRange) -> bool {
        let above = |a: f64, b: f64| a.total_cmp(&b) == Ordering::Greater;
        let both = self.has_numbers() && other.has_numbers();
        both && !above(self.low, other.high) && !above(other.low, self.high)
    }

    /// The numbers whose sign bit is set, and those where it is not.
    fn by_sign(self) -> [Option<(f64, f64)>; 2] {
        if !self.has_numbers() {
            return [None, None];
        }
        let negative = self.low.is_sign_negative().then(|| (self.low, ordered(self.high, -0.0).0));
        let positive = self.high.is_sign_positive().then(|| (ordered(self.low, 0.0).1, self.high));
        [negative, positive]
    }

    pub(crate) fn neg(self) -> FloatRange {
        if self.has_numbers() { FloatRange { low: -self.high, high: -self.low, nan: self.nan } } else { self }
    }

    pub(crate) fn abs(self) -> FloatRange {
        let [negative, positive] = self.by_sign();
        let range = |side: Option<(f64, f64)>| side.map_or(FloatRange::NOTHING, |(a, b)| FloatRange::between(a, b));
        range(negative).neg().join(range(positive)).with_nan(self.nan)
    }

    pub(crate) fn add(self, other: FloatRange, precision: Precision) -> FloatRange {
        let nan = self.nan || other.nan;
        if !self.has_numbers() || !other.has_numbers() {
            return FloatRange::NOTHING.with_nan(nan);
        }
        let opposite = |a: FloatRange, b: FloatRange| a.high == f64::INFINITY && b.low == f64::NEG_INFINITY;
        let invalid = opposite(self, other) || opposite(other, self);
        let (low, high) = (precision.add(self.low, other.low), precision.add(self.high, other.high));
        // A bound that is a difference of infinities says nothing.
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        FloatRange { low, high, nan: nan || invalid }
    }

    pub(crate) fn sub(self, other: FloatRange, precision: Precision) -> FloatRange {
        self.add(other.neg(), precision)
    }

    /// The value minus itself.
    pub(crate) fn minus_itself(self) -> FloatRange {
        let numbers = if self.has_numbers() { FloatRange::exactly(0.0) } else { FloatRange::NOTHING };
        numbers.with_nan(self.nan || self.has_infinity())
    }

    /// The sign bit of a product is set iff those of its factors differ, and so it is for all corners alike if it is for
    /// all products; magnitudes grow with magnitudes. Zero times infinity is NaN, and zero as a bound of the numbers.
    pub(crate) fn mul(self, other: FloatRange, precision: Precision) -> FloatRange {
        let nan = self.nan || other.nan;
        if !self.has_numbers() || !other.has_numbers() {
            return FloatRange::NOTHING.with_nan(nan);
        }
        let invalid = self.has_zero() && other.has_infinity() || self.has_infinity() && other.has_zero();
        let corner = |a: f64, b: f64| {
            let product = precision.mul(a, b);
            if product.is_nan() { signed_zero(a, b) } else { product }
        };
        let mut range = FloatRange::exactly(corner(self.low, other.low));
        for (a, b) in [(self.low, other.high), (self.high, other.low), (self.high, other.high)] {
            range = range.join(FloatRange::exactly(corner(a, b)));
        }
        range.with_nan(nan || invalid)
    }

    /// The value times itself.
    pub(crate) fn square(self, precision: Precision) -> FloatRange {
        let magnitude = self.abs();
        // Zero and infinity do not meet here.
        FloatRange { nan: self.nan, ..magnitude.mul(magnitude, precision) }
    }

    /// By the signs of both operands: then the quotient grows with the magnitude of the dividend and falls with that of
    /// the divisor. Zero by zero and infinity by infinity are NaN, and zero as a bound of the numbers.
    pub(crate) fn div(self, other: FloatRange, precision: Precision) -> FloatRange {
        let invalid = self.has_zero() && other.has_zero() || self.has_infinity() && other.has_infinity();
        let mut range = FloatRange::NOTHING;
        for (low, high) in self.by_sign().into_iter().flatten() {
            for (by_low, by_high) in other.by_sign().into_iter().flatten() {
                let corner = |a: f64, b: f64| {
                    let quotient = precision.div(a, b);
                    FloatRange::exactly(if quotient.is_nan() { signed_zero(a, b) } else { quotient })
                };
                let corners = [corner(low, by_low), corner(low, by_high), corner(high, by_low), corner(high, by_high)];
                range = corners.into_iter().fold(range, FloatRange::join);
            }
        }
        range.with_nan(self.nan || other.nan || invalid)
    }

    /// The value divided by itself.
    pub(crate) fn by_itself(self) -> FloatRange {
        let numbers = if self.has_numbers() { FloatRange::exactly(1.0) } else { FloatRange::NOTHING };
        numbers.with_nan(self.nan || self.has_zero() || self.has_infinity())
    }

    /// IEEE remainder: at most as large as each of the operands.
    pub(crate) fn rem(self, other: FloatRange) -> FloatRange {
        let nan = self.nan || other.nan || self.has_infinity() || other.has_zero();
        if !self.has_numbers() || !other.has_numbers() {
            return FloatRange::NOTHING.with_nan(nan);
        }
        let most = self.abs().high.min(other.abs().high);
        FloatRange::between(-most, most).with_nan(nan)
    }

    pub(crate) fn sqrt(self, precision: Precision) -> FloatRange {
        if !self.has_numbers() {
            return self;
        }
        let nan = self.nan || self.low < 0.0;
        if self.high < 0.0 {
            return FloatRange::NOTHING.with_nan(nan);
        }
        let low = ordered(self.low, -0.0).1;
        FloatRange::between(precision.sqrt(low), precision.sqrt(self.high)).with_nan(nan)
    }

    /// To integral values, which keep the sign bit; those of a format are in it.
    pub(crate) fn round(self, mode: RoundingMode) -> FloatRange {
        if !self.has_numbers() {
            return self;
        }
        FloatRange { low: integral(mode, self.low), high: integral(mode, self.high), nan: self.nan }
    }

    /// To the nearest numbers of a format.
    pub(crate) fn convert(self, to: Precision) -> FloatRange {
        if !self.has_numbers() {
            return self;
        }
        FloatRange { low: to.nearest(self.low), high: to.nearest(self.high), nan: self.nan }
    }

    /// Integers converted to a format.
    pub(crate) fn from_integers((low, high): (i128, i128), to: Precision) -> FloatRange {
        let convert = |number: i128| match to {
            // All numbers that are not exact in double are infinite in half.
            Precision::Half | Precision::Double => to.nearest(number as f64),
            Precision::Single => f64::from(number as f32),
        };
        FloatRange::between(convert(low), convert(high))
    }

    /// Conversion to integers between two bounds that are powers of two or zero, the upper one excluded; `None` if some
    /// value does not fit.
    pub(crate) fn to_integers(self, mode: RoundingMode, (least, beyond): (f64, f64)) -> Option<(i128, i128)> {
        if self.nan || !self.has_numbers() {
            return None;
        }
        let (low, high) = (integral(mode, self.low), integral(mode, self.high));
        (least <= low && high < beyond).then_some((low as i128, high as i128))
    }

    /// The floats that these bits encode.
    pub(crate) fn from_bits((low, high): (u64, u64), precision: Precision) -> FloatRange {
        let (infinity, sign) = (precision.infinity(), precision.sign());
        let mut range = FloatRange::NOTHING;
        let mut part = |from: u64, to: u64, found: &dyn Fn(f64, f64) -> FloatRange| {
            let (from, to) = (from.max(low), to.min(high));
            if from <= to {
                range = range.join(found(precision.decode(from), precision.decode(to)));
            }
        };
        part(0, infinity, &FloatRange::between);
        part(infinity + 1, sign - 1, &|_, _| FloatRange::NAN);
        part(sign, sign + infinity, &|from, to| FloatRange::between(to, from));
        part(sign + infinity + 1, sign | (sign - 1), &|_, _| FloatRange::NAN);
        range
    }

    /// The bits of these floats; NaN may have several.
    pub(crate) fn to_bits(self, precision: Precision) -> Option<Interval> {
        let all = Interval::full(precision.width())?;
        let (low, high) = match self.by_sign() {
            _ if self.nan => return Some(all),
            [None, Some((low, high))] => (low, high),
            [Some((low, high)), None] => (high, low),
            _ => return Some(all),
        };
        all.meet_unsigned(precision.encode(low).into(), precision.encode(high).into())
    }

    pub(crate) fn less(self, other: FloatRange) -> Truth {
        let both = self.has_numbers() && other.has_numbers();
        let may_fail = self.nan || other.nan || both && self.high >= other.low;
        Truth { may_hold: both && self.low < other.high, may_fail }
    }

    pub(crate) fn less_or_equal(self, other: FloatRange) -> Truth {
        let both = self.has_numbers() && other.has_numbers();
        let may_fail = self.nan || other.nan || both && self.high > other.low;
        Truth { may_hold: both && self.low <= other.high, may_fail }
    }

    /// C's equality.
    pub(crate) fn equal(self, other: FloatRange) -> Truth {
        let both = self.has_numbers() && other.has_numbers();
        let may_hold = both && self.low <= other.high && other.low <= self.high;
        let one = self.low == self.high && other.low == other.high && self.low == other.low;
        Truth { may_hold, may_fail: self.nan || other.nan || !one }
    }

    /// Whether both are the same value, where NaN is one and the zeros are two.
    pub(crate) fn same(self, other: FloatRange) -> Truth {
        let may_hold = self.nan && other.nan || self.meets(other);
        Truth { may_hold, may_fail: !(may_hold && self.is_single() && other.is_single()) }
    }

    fn among(self, low: f64, high: f64) -> Truth {
        let range = FloatRange::between(low, high);
        let inside = |number: f64| range.contains(number);
        let may_hold = self.meets(range);
        Truth { may_hold, may_fail: self.nan || !(inside(self.low) && inside(self.high)) }
    }

    pub(crate) fn is_nan(self) -> Truth {
        Truth { may_hold: self.nan, may_fail: self.has_numbers() }
    }

    pub(crate) fn is_zero(self) -> Truth {
        self.among(-0.0, 0.0)
    }

    pub(crate) fn is_negative(self) -> Truth {
        self.among(f64::NEG_INFINITY, -0.0)
    }

    pub(crate) fn is_positive(self) -> Truth {
        self.among(0.0, f64::INFINITY)
    }

    pub(crate) fn is_infinite(self) -> Truth {
        self.abs().among(f64::INFINITY, f64::INFINITY)
    }

    pub(crate) fn is_subnormal(self, precision: Precision) -> Truth {
        let least = precision.decode(1);
        let most = precision.decode(precision.encode(precision.least_normal()) - 1);
        self.abs().among(least, most)
    }

    pub(crate) fn is_normal(self, precision: Precision) -> Truth {
        let most = precision.decode(precision.infinity() - 1);
        self.abs().among(precision.least_normal(), most)
    }

    /// The one value of these bits.
    pub(crate) fn of_constant(format: FloatFormat, bits: &BitVec) -> Option<FloatRange> {
        let precision = Precision::of(format)?;
        Some(FloatRange::exactly(precision.decode(bits.to_u64()?)))
    }
}

/// Zero with the sign of a product or quotient.
fn signed_zero(a: f64, b: f64) -> f64 {
    if a.is_sign_negative() == b.is_sign_negative() { 0.0 } else { -0.0 }
}

fn integral(mode: RoundingMode, number: f64) -> f64 {
    match mode {
        RoundingMode::NearestEven => number.round_ties_even(),
        RoundingMode::NearestAway => number.round(),
        RoundingMode::Up => number.ceil(),
        RoundingMode::Down => number.floor(),
        RoundingMode::Zero => number.trunc(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is special, in order, -0 before +0.
    fn numbers(precision: Precision) -> Vec<f64> {
        let most = precision.decode(precision.infinity() - 1);
        let least = precision.decode(1);
        let positive = [0.0, least, precision.least_normal(), 1.0, 1.5, most, f64::INFINITY];
        let mut all: Vec<f64> = positive.iter().rev().map(|number| -number).collect();
        all.extend(positive);
        all
    }

    /// All ranges of special numbers, with what lies in them.
    fn ranges(precision: Precision) -> Vec<(FloatRange, Vec<f64>)> {
        let numbers = numbers(precision);
        let mut all = vec![(FloatRange::NAN, vec![f64::NAN])];
        for from in 0..numbers.len() {
            for to in from..numbers.len() {
                let range = FloatRange::between(numbers[from], numbers[to]);
                all.push((range, numbers[from..=to].to_vec()));
            }
        }
        let (some, mut members) = all[numbers.len() / 2 + 1].clone();
        members.push(f64::NAN);
        all.push((some.with_nan(true), members));
        all
    }

    type OfRanges = fn(FloatRange, FloatRange, Precision) -> FloatRange;
    type OfSingles = fn(f32, f32) -> f32;
    type OfDoubles = fn(f64, f64) -> f64;

    const OPERATIONS: [(OfRanges, OfSingles, OfDoubles); 4] = [
        (FloatRange::add, |a, b| a + b, |a, b| a + b),
        (FloatRange::sub, |a, b| a - b, |a, b| a - b),
        (FloatRange::mul, |a, b| a * b, |a, b| a * b),
        (FloatRange::div, |a, b| a / b, |a, b| a / b),
    ];

    #[test]
    fn operations_contain_all_results() {
        for precision in [Precision::Half, Precision::Single, Precision::Double] {
            let ranges = ranges(precision);
            for (a, in_a) in &ranges {
                for (b, in_b) in &ranges {
                    for (at, (of_ranges, single, double)) in OPERATIONS.into_iter().enumerate() {
                        let found = of_ranges(*a, *b, precision);
                        for (&x, &y) in in_a.iter().flat_map(|x| in_b.iter().map(move |y| (x, y))) {
                            let result = precision.apply(x, y, single, double);
                            assert!(found.contains(result), "{at} {x} {y}: {result} is not in {found:?}, {a:?} {b:?}");
                        }
                        let is_point = a.is_single() && b.is_single();
                        assert!(!is_point || found.is_single() || found.nan, "{at}: {a:?} {b:?} -> {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_are_right_and_decide_what_they_can() {
        type Comparison = (fn(FloatRange, FloatRange) -> Truth, fn(f64, f64) -> bool);
        let same = |x: f64, y: f64| x.is_nan() && y.is_nan() || x.to_bits() == y.to_bits();
        let comparisons: [Comparison; 4] = [
            (FloatRange::less, |x, y| x < y),
            (FloatRange::less_or_equal, |x, y| x <= y),
            (FloatRange::equal, |x, y| x == y),
            (FloatRange::same, same),
        ];
        let ranges = ranges(Precision::Single);
        for (a, in_a) in &ranges {
            for (b, in_b) in &ranges {
                for (of_ranges, holds) in comparisons {
                    let truth = of_ranges(*a, *b);
                    let pairs = || in_a.iter().flat_map(|x| in_b.iter().map(move |y| (*x, *y)));
                    // The bounds are among the members, so the answers are exact.
                    assert_eq!(truth.may_hold, pairs().any(|(x, y)| holds(x, y)), "{a:?} {b:?}");
                    assert_eq!(truth.may_fail, pairs().any(|(x, y)| !holds(x, y)), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn operations_of_one_range() {
        let precision = Precision::Single;
        let normal = |x: f64| (x as f32).is_normal();
        let subnormal = |x: f64| (x as f32).is_subnormal();
        for (a, members) in ranges(precision) {
            type Class<'a> = (Truth, &'a dyn Fn(f64) -> bool);
            let classes: [Class; 7] = [
                (a.is_nan(), &f64::is_nan),
                (a.is_zero(), &|x| x == 0.0),
                (a.is_infinite(), &f64::is_infinite),
                (a.is_negative(), &|x| !x.is_nan() && x.is_sign_negative()),
                (a.is_positive(), &|x| !x.is_nan() && x.is_sign_positive()),
                (a.is_normal(precision), &normal),
                (a.is_subnormal(precision), &subnormal),
            ];
            for (at, (truth, holds)) in classes.into_iter().enumerate() {
                assert!(members.iter().all(|&x| if holds(x) { truth.may_hold } else { truth.may_fail }), "{at} {a:?}");
                assert!(!a.is_single() || !truth.is_open(), "{at} {a:?}");
            }
            let back = a.to_bits(precision).map(|bits| FloatRange::from_bits(bits.unsigned(), precision));
            for &x in &members {
                let single = x as f32;
                assert!(a.neg().contains(-x) && a.abs().contains(x.abs()), "{a:?} {x}");
                assert!(a.square(precision).contains(f64::from(single * single)), "{a:?} {x}");
                assert!(a.sqrt(precision).contains(f64::from(single.sqrt())), "{a:?} {x}");
                assert!(a.minus_itself().contains(x - x) && a.by_itself().contains(x / x), "{a:?} {x}");
                assert!(RoundingMode::ALL.iter().all(|&mode| a.round(mode).contains(integral(mode, x))), "{a:?} {x}");
                assert!(a.convert(Precision::Single).contains(f64::from(single)), "{a:?} {x}");
                assert!(back.is_some_and(|back| back.contains(x)), "{a:?} {x} {back:?}");
            }
        }
    }
}

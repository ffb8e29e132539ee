//! Intervals of bit vectors of up to 64 bits, unsigned and signed at once: γ is the set of numbers that lie in both. Every
//! operation contains the results for all operands in its arguments, so what it excludes never happens.

use smt::{BitVec, Op};

/// The widest bit vectors that have intervals.
pub(crate) const WIDEST: u32 = 64;

/// The numbers of a width whose unsigned value lies in one interval and whose signed value in another. Neither is empty,
/// and bounds that one implies for the other are noted there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    width: u32,
    unsigned: (i128, i128),
    signed: (i128, i128),
}

impl Interval {
    /// All numbers of a width; `None` if it is too wide.
    pub(crate) fn full(width: u32) -> Option<Interval> {
        (1..=WIDEST).contains(&width).then(|| Interval {
            width,
            unsigned: (0, size(width) - 1),
            signed: (-half(width), half(width) - 1),
        })
    }

    /// One number.
    pub(crate) fn exactly(value: &BitVec) -> Option<Interval> {
        let bits = i128::from(value.to_u64()?);
        Interval::full(value.width())?.meet_unsigned(bits, bits)
    }

    /// The width of the numbers.
    pub(crate) fn width(self) -> u32 {
        self.width
    }

    /// The only number, as its bits.
    pub(crate) fn single(self) -> Option<u64> {
        (self.unsigned.0 == self.unsigned.1).then_some(self.unsigned.0 as u64)
    }

    /// The least and the greatest unsigned value.
    pub(crate) fn unsigned(self) -> (u64, u64) {
        (self.unsigned.0 as u64, self.unsigned.1 as u64)
    }

    /// The least and the greatest signed value.
    pub(crate) fn signed(self) -> (i128, i128) {
        self.signed
    }

    /// Whether no number is negative.
    pub(crate) fn is_natural(self) -> bool {
        self.signed.0 >= 0
    }

    /// The numbers of both; `None` if there are none.
    pub(crate) fn meet(self, other: Interval) -> Option<Interval> {
        debug_assert_eq!(self.width, other.width, "intervals of one width");
        self.meet_unsigned(other.unsigned.0, other.unsigned.1)?.meet_signed(other.signed.0, other.signed.1)
    }

    /// Those whose unsigned value is among these.
    pub(crate) fn meet_unsigned(mut self, low: i128, high: i128) -> Option<Interval> {
        self.unsigned = (self.unsigned.0.max(low), self.unsigned.1.min(high));
        self.reduced()
    }

    /// Those whose signed value is among these.
    pub(crate) fn meet_signed(mut self, low: i128, high: i128) -> Option<Interval> {
        self.signed = (self.signed.0.max(low), self.signed.1.min(high));
        self.reduced()
    }

    /// Without one number, if that is an end.
    pub(crate) fn without(self, bits: u64) -> Option<Interval> {
        let value = i128::from(bits);
        let signed = if value < half(self.width) { value } else { value - size(self.width) };
        let cut = |(low, high): (i128, i128), value| (low + i128::from(low == value), high - i128::from(high == value));
        let (unsigned, signed) = (cut(self.unsigned, value), cut(self.signed, signed));
        Interval { unsigned, signed, ..self }.reduced()
    }

    /// The smallest interval around both.
    pub(crate) fn join(self, other: Interval) -> Interval {
        debug_assert_eq!(self.width, other.width, "intervals of one width");
        let around = |a: (i128, i128), b: (i128, i128)| (a.0.min(b.0), a.1.max(b.1));
        let (unsigned, signed) = (around(self.unsigned, other.unsigned), around(self.signed, other.signed));
        Interval { unsigned, signed, ..self }
    }

    /// Notes what each half says about the other.
    fn reduced(mut self) -> Option<Interval> {
        let (size, half) = (size(self.width), half(self.width));
        for _ in 0..2 {
            let (low, high) = self.signed;
            let shift = match (low >= 0, high < 0) {
                (true, _) => Some(0),
                (_, true) => Some(size),
                _ => None,
            };
            if let Some(shift) = shift {
                self.unsigned = (self.unsigned.0.max(low + shift), self.unsigned.1.min(high + shift));
            }
            let (low, high) = self.unsigned;
            let shift = match (high < half, low >= half) {
                (true, _) => Some(0),
                (_, true) => Some(size),
                _ => None,
            };
            if let Some(shift) = shift {
                self.signed = (self.signed.0.max(low - shift), self.signed.1.min(high - shift));
            }
            if self.unsigned.0 > self.unsigned.1 || self.signed.0 > self.signed.1 {
                return None;
            }
        }
        Some(self)
    }

    /// The numbers that these integers are modulo 2^width.
    fn wrapped(width: u32, low: i128, high: i128) -> Interval {
        let all = Interval::full(width).expect("intervals have a width");
        let (size, half) = (size(width), half(width));
        let mut result = all;
        if low.div_euclid(size) == high.div_euclid(size) {
            result.unsigned = (low.rem_euclid(size), high.rem_euclid(size));
        }
        if (low + half).div_euclid(size) == (high + half).div_euclid(size) {
            result.signed = ((low + half).rem_euclid(size) - half, (high + half).rem_euclid(size) - half);
        }
        result.reduced().unwrap_or(all)
    }

    /// What an operation on integers gives, by the unsigned and by the signed values of its operands; `None` where a
    /// bound is too large to be computed.
    fn integers(
        self,
        other: Interval,
        corners: impl Fn((i128, i128), (i128, i128)) -> Option<(i128, i128)>,
    ) -> Option<Interval> {
        let mut result = Interval::full(self.width)?;
        for (a, b) in [(self.unsigned, other.unsigned), (self.signed, other.signed)] {
            if let Some((low, high)) = corners(a, b) {
                // Both contain the results, unless there are none.
                result = result.meet(Interval::wrapped(self.width, low, high)).unwrap_or(result);
            }
        }
        Some(result)
    }

    /// Whether all of the first are less than all of the second (`true`), or none (`false`); unsigned.
    pub(crate) fn unsigned_less(self, other: Interval) -> Option<bool> {
        less(self.unsigned, other.unsigned)
    }

    /// The same for signed values.
    pub(crate) fn signed_less(self, other: Interval) -> Option<bool> {
        less(self.signed, other.signed)
    }

    /// Whether the two are surely the same number (`true`), or surely not (`false`).
    pub(crate) fn equal(self, other: Interval) -> Option<bool> {
        match (self.meet(other), self.single(), other.single()) {
            (None, _, _) => Some(false),
            (Some(_), Some(a), Some(b)) => Some(a == b),
            _ => None,
        }
    }

    /// Both, where the first is less than the second, or (`strict` is 0) at most as large; unsigned.
    pub(crate) fn ordered_unsigned(self, other: Interval, strict: i128) -> Option<(Interval, Interval)> {
        let smaller = self.meet_unsigned(0, other.unsigned.1 - strict)?;
        Some((smaller, other.meet_unsigned(self.unsigned.0 + strict, size(self.width))?))
    }

    /// The same for signed values.
    pub(crate) fn ordered_signed(self, other: Interval, strict: i128) -> Option<(Interval, Interval)> {
        let smaller = self.meet_signed(-half(self.width), other.signed.1 - strict)?;
        Some((smaller, other.meet_signed(self.signed.0 + strict, half(self.width))?))
    }

    /// What a sum with a constant was before, where the sum lies in this interval.
    pub(crate) fn minus(self, constant: Interval) -> Option<Interval> {
        self.integers(constant, |a, b| Some((a.0 - b.1, a.1 - b.0)))
    }

    /// What a product with a positive constant was before, where the product lies in this interval and none of the numbers
    /// `before` is too large for it; `None` if some are, or the other factor is something else.
    pub(crate) fn divided(self, before: Interval, factor: Interval) -> Option<Option<Interval>> {
        let by = factor.signed.0;
        let fits = |bound: i128| bound.checked_mul(by).is_some_and(|product| product.abs() < half(self.width));
        if factor.single().is_none() || by <= 0 || !fits(before.signed.0) || !fits(before.signed.1) {
            return None;
        }
        Some(before.meet_signed(-(-self.signed.0).div_euclid(by), self.signed.1.div_euclid(by)))
    }

    /// The low bits of these numbers, of which the others are zero (or copies of the sign); `None` if none is like that.
    pub(crate) fn truncated(self, width: u32, signed: bool) -> Option<Interval> {
        let all = Interval::full(width)?;
        match signed {
            true => all.meet_signed(self.signed.0, self.signed.1),
            false => all.meet_unsigned(self.unsigned.0, self.unsigned.1),
        }
    }
}

fn size(width: u32) -> i128 {
    1 << width
}

fn half(width: u32) -> i128 {
    1 << (width - 1)
}

fn less(a: (i128, i128), b: (i128, i128)) -> Option<bool> {
    match (a.1 < b.0, a.0 >= b.1) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// All ones up to the highest bit of a number.
fn filled(value: i128) -> i128 {
    match value {
        0 => 0,
        _ => (1 << (128 - value.leading_zeros())) - 1,
    }
}

fn products(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let all = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| x.checked_mul(y));
    let mut bounds: Option<(i128, i128)> = None;
    for product in all {
        let product = product?;
        bounds = Some(bounds.map_or((product, product), |(low, high)| (low.min(product), high.max(product))));
    }
    // Room for the half that is added when values wrap.
    bounds.filter(|(low, high)| low.abs().max(high.abs()) < i128::MAX / 2)
}

/// What an operator of one argument gives; `None` for other operators, and for results without an interval.
pub(crate) fn unary(op: Op, a: Interval, width: u32) -> Option<Interval> {
    let all = Interval::full(width)?;
    match op {
        Op::BvNot => all.integers(a, |_, a| Some((-a.1 - 1, -a.0 - 1))),
        Op::BvNeg => all.integers(a, |_, a| Some((-a.1, -a.0))),
        Op::BvZeroExtend(_) => all.meet_unsigned(a.unsigned.0, a.unsigned.1),
        Op::BvSignExtend(_) => all.meet_signed(a.signed.0, a.signed.1),
        Op::BvExtract { low, .. } => {
            let by_unsigned = Interval::wrapped(width, a.unsigned.0 >> low, a.unsigned.1 >> low);
            let by_signed = Interval::wrapped(width, a.signed.0 >> low, a.signed.1 >> low);
            Some(by_unsigned.meet(by_signed).unwrap_or(by_unsigned))
        }
        _ => None,
    }
}

/// What an operator of two arguments gives.
pub(crate) fn binary(op: Op, a: Interval, b: Interval, width: u32) -> Option<Interval> {
    let all = Interval::full(width)?;
    match op {
        Op::BvAdd => a.integers(b, |a, b| Some((a.0 + b.0, a.1 + b.1))),
        Op::BvSub => a.integers(b, |a, b| Some((a.0 - b.1, a.1 - b.0))),
        Op::BvMul => a.integers(b, products),
        Op::BvUdiv if b.unsigned.0 > 0 => all.meet_unsigned(a.unsigned.0 / b.unsigned.1, a.unsigned.1 / b.unsigned.0),
        Op::BvUrem if b.unsigned.0 > 0 => {
            if a.unsigned.1 < b.unsigned.0 {
                return Some(a);
            }
            all.meet_unsigned(0, a.unsigned.1.min(b.unsigned.1 - 1))
        }
        Op::BvSdiv if b.signed.0 > 0 => {
            let towards_zero = |value: i128| {
                if value < 0 {
                    (value / b.signed.0, value / b.signed.1)
                } else {
                    (value / b.signed.1, value / b.signed.0)
                }
            };
            all.meet_signed(towards_zero(a.signed.0).0, towards_zero(a.signed.1).1)
        }
        Op::BvSrem if b.signed.0 > 0 => {
            if a.signed.1 < b.signed.0 && a.signed.0 > -b.signed.0 {
                return Some(a);
            }
            let most = b.signed.1 - 1;
            all.meet_signed(a.signed.0.clamp(-most, 0), a.signed.1.clamp(0, most))
        }
        Op::BvAnd => all.meet_unsigned(0, a.unsigned.1.min(b.unsigned.1)),
        Op::BvOr => all.meet_unsigned(a.unsigned.0.max(b.unsigned.0), filled(a.unsigned.1 | b.unsigned.1)),
        Op::BvXor => all.meet_unsigned(0, filled(a.unsigned.1 | b.unsigned.1)),
        Op::BvShl | Op::BvLshr | Op::BvAshr => shifted(op, a, b.single()?, all),
        Op::BvConcat => {
            let below = size(b.width);
            all.meet_unsigned(a.unsigned.0 * below + b.unsigned.0, a.unsigned.1 * below + b.unsigned.1)
        }
        _ => None,
    }
}

fn shifted(op: Op, a: Interval, by: u64, all: Interval) -> Option<Interval> {
    if by >= u64::from(a.width) {
        return None;
    }
    match op {
        Op::BvShl => {
            let factor = Interval { unsigned: (1 << by, 1 << by), signed: (1 << by, 1 << by), ..all };
            a.integers(factor, products)
        }
        Op::BvLshr => all.meet_unsigned(a.unsigned.0 >> by, a.unsigned.1 >> by),
        _ => all.meet_signed(a.signed.0 >> by, a.signed.1 >> by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Terms, Value};

    /// All intervals of three bits that some pair of bounds gives.
    fn intervals() -> Vec<Interval> {
        let all = Interval::full(3).unwrap();
        let mut found = vec![all];
        for low in 0..8 {
            for high in low..8 {
                found.extend(all.meet_unsigned(low, high));
                found.extend(all.meet_signed(low - 4, high - 4));
                found.extend(all.meet_unsigned(low, high).and_then(|some| some.meet_signed(-3, 2)));
            }
        }
        found
    }

    fn contains(interval: Interval, bits: u64) -> bool {
        let value = i128::from(bits);
        let signed = if value < half(interval.width) { value } else { value - size(interval.width) };
        (interval.unsigned.0..=interval.unsigned.1).contains(&value)
            && (interval.signed.0..=interval.signed.1).contains(&signed)
    }

    fn members(interval: Interval) -> Vec<u64> {
        (0..1 << interval.width).filter(|&bits| contains(interval, bits)).collect()
    }

    /// How much both bounds leave open; all of it where nothing is known.
    fn freedom(interval: Option<Interval>, width: u32) -> i128 {
        let Interval { unsigned, signed, .. } = interval.unwrap_or(Interval::full(width).unwrap());
        unsigned.1 - unsigned.0 + signed.1 - signed.0
    }

    fn pairs(a: Interval, b: Interval) -> impl Iterator<Item = (u64, u64)> {
        members(a).into_iter().flat_map(move |x| members(b).into_iter().map(move |y| (x, y)))
    }

    fn only(bits: u64) -> Interval {
        Interval::exactly(&BitVec::new(3, bits.into())).unwrap()
    }

    fn signed(bits: u64) -> i64 {
        bits as i64 - if bits < 4 { 0 } else { 8 }
    }

    /// What the store of terms makes of an operator on constants.
    fn evaluated(terms: &mut Terms, op: Op, width: u32, operands: &[u64]) -> u64 {
        let operands: Vec<_> = operands.iter().map(|&bits| terms.bv_u64(width, bits)).collect();
        let term = terms.make(op, &operands);
        match terms.eval(term, &smt::Model::default()) {
            Some(Value::BitVec(value)) => value.to_u64().unwrap(),
            other => panic!("{op:?} gives {other:?}"),
        }
    }

    /// Operators, and how much all their results leave open together: what is less precise leaves more.
    const BINARY: [(Op, i128); 14] = [
        (Op::BvAdd, 117_228),
        (Op::BvSub, 117_228),
        (Op::BvMul, 130_918),
        (Op::BvUdiv, 83_430),
        (Op::BvUrem, 106_821),
        (Op::BvSdiv, 146_660),
        (Op::BvSrem, 145_442),
        (Op::BvAnd, 94_961),
        (Op::BvOr, 86_682),
        (Op::BvXor, 153_216),
        (Op::BvShl, 154_394),
        (Op::BvLshr, 148_626),
        (Op::BvAshr, 150_582),
        (Op::BvConcat, 683_854),
    ];

    #[test]
    fn operators_contain_all_results() {
        let mut terms = Terms::new();
        let found = BINARY.map(|(op, _)| {
            let mut results = std::collections::HashMap::new();
            for (a, b) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
                results.insert((a, b), evaluated(&mut terms, op, 3, &[a, b]));
            }
            let width = if op == Op::BvConcat { 6 } else { 3 };
            let mut allowed = 0;
            for (a, b) in intervals().into_iter().flat_map(|a| intervals().into_iter().map(move |b| (a, b))) {
                let result = binary(op, a, b, width);
                allowed += freedom(result, width);
                for (x, y) in result.into_iter().flat_map(|_| pairs(a, b)) {
                    assert!(contains(result.unwrap(), results[&(x, y)]), "{op:?} {x} {y}: {a:?} {b:?} -> {result:?}");
                }
            }
            (op, allowed)
        });
        assert_eq!(found, BINARY);
    }

    #[test]
    fn operators_of_one_argument_contain_all_results() {
        let mut terms = Terms::new();
        let extract = |high, low| Op::BvExtract { high, low };
        let rows = [
            (Op::BvNot, 3, 618),
            (Op::BvNeg, 3, 656),
            (Op::BvZeroExtend(2), 5, 602),
            (Op::BvSignExtend(2), 5, 1890),
            (extract(2, 1), 2, 294),
            (extract(1, 0), 2, 418),
            (extract(1, 1), 1, 146),
        ];
        let found = rows.map(|(op, width, _)| {
            let mut allowed = 0;
            for a in intervals() {
                let result = unary(op, a, width).expect("the operator is known");
                allowed += freedom(Some(result), width);
                for x in members(a) {
                    assert!(contains(result, evaluated(&mut terms, op, 3, &[x])), "{op:?} {x}: {a:?} -> {result:?}");
                }
            }
            (op, width, allowed)
        });
        assert_eq!(found, rows);
    }

    /// Bounds of the widest numbers do not overflow where they are computed.
    #[test]
    fn wide_numbers() {
        let mut terms = Terms::new();
        let all = Interval::full(WIDEST).unwrap();
        let ends = [0, 1, 2, 63, 64, (1 << 63) - 1, 1 << 63, u64::MAX];
        let some: Vec<Interval> = ends.iter().filter_map(|&end| all.meet_unsigned(end.into(), end.into())).collect();
        let some =
            || some.iter().copied().chain([all, all.meet_unsigned(0, 10).unwrap(), all.meet_signed(-9, 9).unwrap()]);
        for (op, _) in BINARY.into_iter().filter(|(op, _)| *op != Op::BvConcat) {
            for (a, b) in some().flat_map(|a| some().map(move |b| (a, b))) {
                let Some(result) = binary(op, a, b, WIDEST) else { continue };
                let (xs, ys) = (ends.iter().filter(|x| contains(a, **x)), ends.iter().filter(|y| contains(b, **y)));
                for (&x, &y) in xs.flat_map(|x| ys.clone().map(move |y| (x, y))) {
                    let value = evaluated(&mut terms, op, WIDEST, &[x, y]);
                    assert!(contains(result, value), "{op:?} {x} {y}: {a:?} {b:?} -> {result:?}");
                }
            }
        }
        assert_eq!(Interval::full(WIDEST + 1), None);
        assert_eq!(Interval::full(0), None);
        assert_eq!(all.meet_unsigned(7, 7).and_then(Interval::single), Some(7));
        assert_eq!(all.unsigned(), (0, u64::MAX));
    }

    /// What is said of two intervals, and what it means for two numbers.
    type Comparison = (Option<bool>, fn(u64, u64) -> bool);

    #[test]
    fn comparisons_and_meets_are_exact_about_members() {
        // How often something is decided, and how much is left open: less precise would be fewer, and more.
        let (mut decided, mut allowed) = ([0; 5], [0; 5]);
        for a in intervals() {
            for b in intervals() {
                let answers: [Comparison; 3] = [
                    (a.unsigned_less(b), |x, y| x < y),
                    (a.signed_less(b), |x, y| signed(x) < signed(y)),
                    (a.equal(b), |x, y| x == y),
                ];
                for (at, (said, holds)) in answers.into_iter().enumerate() {
                    decided[at] += usize::from(said.is_some());
                    assert!(said.is_none_or(|said| pairs(a, b).all(|(x, y)| holds(x, y) == said)), "{a:?} {b:?}");
                }
                for strict in 0..2 {
                    let unsigned = a.ordered_unsigned(b, i128::from(strict));
                    let by_sign = a.ordered_signed(b, i128::from(strict));
                    for (at, both) in [unsigned, by_sign].into_iter().enumerate() {
                        allowed[at] += both.map_or(0, |(a, b)| freedom(Some(a), 3) + freedom(Some(b), 3));
                    }
                    for (x, y) in pairs(a, b) {
                        let kept = |both: Option<(Interval, Interval)>| {
                            both.is_some_and(|(a, b)| contains(a, x) && contains(b, y))
                        };
                        assert!(x + strict > y || kept(unsigned), "{x} {y} {a:?} {b:?}");
                        assert!(signed(x) + strict as i64 > signed(y) || kept(by_sign), "{x} {y} {a:?} {b:?}");
                    }
                }
                let both: Vec<u64> = members(a).into_iter().filter(|x| contains(b, *x)).collect();
                assert!(a.meet(b).map_or(both.is_empty(), |meet| both.iter().all(|x| contains(meet, *x))));
                allowed[2] += a.meet(b).map_or(0, |meet| freedom(Some(meet), 3));
                assert!(pairs(a, b).all(|(x, y)| contains(a.join(b), x) && contains(a.join(b), y)));
                allowed[3] += freedom(Some(a.join(b)), 3);
            }
            for x in 0..8 {
                let rest = a.without(x);
                let others = || members(a).into_iter().filter(|y| *y != x);
                assert!(rest.map_or(others().count() == 0, |rest| others().all(|y| contains(rest, y))), "{a:?} {x}");
                allowed[4] += rest.map_or(0, |rest| freedom(Some(rest), 3));
            }
            assert!(a.single().is_none_or(|only| members(a) == [only]), "{a:?}");
            assert!(!a.is_natural() || members(a).into_iter().all(|x| signed(x) >= 0), "{a:?}");
            decided[3] += usize::from(a.single().is_some());
            decided[4] += usize::from(a.is_natural());
        }
        assert_eq!(decided, [4152, 3582, 3962, 24, 29]);
        assert_eq!(allowed, [176_268, 178_932, 25_658, 117_694, 4500]);
    }

    /// What operands were, where the result is known to lie in an interval.
    #[test]
    fn operands_of_results() {
        let mut allowed = [0; 3];
        for a in intervals() {
            for y in 0..8 {
                let before = a.minus(only(y)).expect("bounds are small");
                allowed[0] += freedom(Some(before), 3);
                assert!(members(a).into_iter().all(|sum| contains(before, (sum + 8 - y) % 8)), "{a:?} {y}");
                for before in intervals() {
                    let Some(found) = a.divided(before, only(y)) else {
                        allowed[1] += freedom(None, 3);
                        continue;
                    };
                    allowed[1] += found.map_or(0, |found| freedom(Some(found), 3));
                    let possible = members(before).into_iter().filter(|x| contains(a, x * y % 8));
                    let kept = |x: u64| found.is_some_and(|found| contains(found, x));
                    assert!(possible.into_iter().all(kept), "{a:?} {before:?} {y}");
                }
            }
            for is_signed in [false, true] {
                let low = a.truncated(2, is_signed);
                allowed[2] += low.map_or(0, |low| freedom(Some(low), 2));
                let extended = |x: u64| if is_signed && x >= 2 { x + 4 } else { x };
                let possible = (0..4).filter(|&x| contains(a, extended(x)));
                assert!(possible.into_iter().all(|x| low.is_some_and(|low| contains(low, x))), "{a:?} {is_signed}");
            }
        }
        let some = intervals();
        assert!(some.iter().all(|a| a.divided(only(1), Interval::full(3).unwrap()).is_none()), "not a constant");
        assert_eq!(allowed, [5312, 1_143_274, 596]);
    }
}

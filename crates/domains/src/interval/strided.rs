//! Intervals with a congruence: γ(lo, hi, step) = { lo, lo + step, …, hi }. One value carries the bounds of [CC77] and
//! the residue of [Gra89], as the strided intervals of [RBL06] do. Results are wrapped to the width of C's types.

use cfa::Scalar;

/// A non-empty arithmetic progression. Invariant: `lo <= hi`; `step` is 0 exactly if `lo == hi`, else it divides
/// `hi - lo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strided {
    lo: i128,
    hi: i128,
    step: i128,
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Strided {
    /// Every `step`-th integer from `lo` to at most `hi`; `None` if there is none.
    pub fn new(lo: i128, hi: i128, step: i128) -> Option<Strided> {
        assert!(step >= 0, "steps go up");
        if lo > hi {
            return None;
        }
        let hi = if step == 0 { lo } else { hi - (hi - lo) % step };
        let new = Strided { lo, hi, step: if lo == hi { 0 } else { step } };
        debug_assert!(new.is_valid(), "{new:?}");
        Some(new)
    }

    /// Just one integer.
    pub fn single(value: i128) -> Strided {
        Strided { lo: value, hi: value, step: 0 }
    }

    /// All values of a type; `None` for types that are not integers of at most 64 bits.
    pub fn of_type(ty: Scalar) -> Option<Strided> {
        match ty {
            Scalar::Int { bits, signed } if bits <= 64 => {
                let span = 1i128 << bits;
                Some(if signed {
                    Strided { lo: -span / 2, hi: span / 2 - 1, step: 1 }
                } else {
                    Strided { lo: 0, hi: span - 1, step: 1 }
                })
            }
            Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => None,
        }
    }

    /// The smallest element.
    pub fn lo(self) -> i128 {
        self.lo
    }

    /// The largest element.
    pub fn hi(self) -> i128 {
        self.hi
    }

    /// The distance between elements; 0 if there is only one.
    pub fn step(self) -> i128 {
        self.step
    }

    /// The only element, if there is just one.
    pub fn singleton(self) -> Option<i128> {
        (self.step == 0).then_some(self.lo)
    }

    /// Whether the integer is an element.
    pub fn contains(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi && (self.step == 0 || (value - self.lo) % self.step == 0)
    }

    /// Whether every element of `self` is one of `other`.
    pub fn leq(self, other: Strided) -> bool {
        other.contains(self.lo) && other.contains(self.hi) && (other.step == 0 || self.step % other.step == 0)
    }

    /// The least progression that holds both.
    pub fn join(self, other: Strided) -> Strided {
        let step = gcd(gcd(self.step, other.step), self.lo - other.lo);
        let join = Strided { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), step };
        debug_assert!(join.is_valid() && self.leq(join) && other.leq(join), "{self:?} and {other:?} are in {join:?}");
        join
    }

    /// The invariant of the type.
    fn is_valid(self) -> bool {
        match self.step {
            0 => self.lo == self.hi,
            step => step > 0 && self.lo < self.hi && (self.hi - self.lo) % step == 0,
        }
    }

    /// Holds every common element; `None` if there is none for sure.
    pub fn meet(self, other: Strided) -> Option<Strided> {
        let (fine, coarse) = if self.step >= other.step || self.step == 0 { (self, other) } else { (other, self) };
        if let Some(value) = fine.singleton().or(coarse.singleton()) {
            return (self.contains(value) && other.contains(value)).then(|| Strided::single(value));
        }
        if (fine.lo - coarse.lo) % gcd(fine.step, coarse.step) != 0 {
            return None;
        }
        let lo = self.lo.max(other.lo);
        let lo = lo + (fine.lo - lo).rem_euclid(fine.step);
        let meet = Strided::new(lo, self.hi.min(other.hi), fine.step);
        debug_assert!(meet.is_none_or(|meet| meet.leq(fine)), "{meet:?} holds more than {fine:?}");
        meet
    }

    /// Elements that are at least `bound`.
    pub fn at_least(self, bound: i128) -> Option<Strided> {
        match self.step {
            0 => (self.lo >= bound).then_some(self),
            step => Strided::new(self.lo.max(bound + (self.lo - bound).rem_euclid(step)), self.hi, step),
        }
    }

    /// Elements that are at most `bound`.
    pub fn at_most(self, bound: i128) -> Option<Strided> {
        if bound < self.lo { None } else { Strided::new(self.lo, self.hi.min(bound), self.step) }
    }

    /// Elements other than `value`, where that shortens the progression.
    pub fn without(self, value: i128) -> Option<Strided> {
        if self.lo == value {
            self.at_least(value + 1)
        } else if self.hi == value {
            self.at_most(value - 1)
        } else {
            Some(self)
        }
    }

    /// Widening: a bound that moved jumps to the next of `thresholds` (ascending), at last to the type's.
    pub fn widen(self, new: Strided, thresholds: &[i128], full: Strided) -> Strided {
        debug_assert!(thresholds.is_sorted(), "thresholds ascend");
        debug_assert!(full.lo <= self.lo && self.hi <= full.hi, "{self:?} is not of the type of {full:?}");
        let joined = self.join(new);
        let lo = if joined.lo < self.lo {
            thresholds.iter().rev().find(|&&t| t <= joined.lo).copied().unwrap_or(full.lo).max(full.lo)
        } else {
            joined.lo
        };
        let hi = if joined.hi > self.hi {
            thresholds.iter().find(|&&t| t >= joined.hi).copied().unwrap_or(full.hi).min(full.hi)
        } else {
            joined.hi
        };
        if joined.step == 0 {
            return joined;
        }
        // The residue stays: the lower bound moves down to a multiple of the step away from an element.
        let lo = lo + (joined.lo - lo).rem_euclid(joined.step);
        let wide = Strided::new(lo, hi, joined.step).unwrap_or(joined);
        debug_assert!(joined.leq(wide), "widening forgets neither: {joined:?} is not in {wide:?}");
        wide
    }

    /// The same integers as values of `ty`.
    pub fn wrap(self, ty: Scalar) -> Option<Strided> {
        let full = Strided::of_type(ty)?;
        let span = full.hi - full.lo + 1;
        let shift = (self.lo - full.lo).div_euclid(span) * span;
        let shifted = Strided { lo: self.lo - shift, hi: self.hi - shift, step: self.step };
        debug_assert!(full.contains(shifted.lo), "the least value is one of the type");
        if shifted.hi <= full.hi {
            return Some(shifted);
        }
        // A power of two that divides the step divides the width: that residue survives.
        let step = gcd(self.step, span);
        let lo = full.lo + (self.lo - full.lo).rem_euclid(step);
        Strided::new(lo, full.hi, step)
    }

    /// `-a`, unbounded.
    pub fn negated(self) -> Strided {
        debug_assert!(self.is_valid(), "{self:?}");
        Strided { lo: -self.hi, hi: -self.lo, step: self.step }
    }

    /// `a + b`, unbounded.
    pub fn plus(self, other: Strided) -> Strided {
        let sum = Strided { lo: self.lo + other.lo, hi: self.hi + other.hi, step: gcd(self.step, other.step) };
        debug_assert!(sum.is_valid(), "{self:?} + {other:?} is {sum:?}");
        sum
    }

    /// `a * b`; `None` if it may leave 128 bits.
    pub fn times(self, other: Strided) -> Option<Strided> {
        let (lo, hi) = corners(self, other, i128::checked_mul)?;
        let step = match (self.singleton(), other.singleton()) {
            (Some(a), _) => a.checked_mul(other.step)?.abs(),
            (_, Some(b)) => b.checked_mul(self.step)?.abs(),
            // (p + i s)(q + j t) = pq + (multiple of gcd(p t, q s, s t))
            (None, None) => {
                let mixed = gcd(self.lo.checked_mul(other.step)?, other.lo.checked_mul(self.step)?);
                gcd(mixed, self.step.checked_mul(other.step)?)
            }
        };
        Strided::new(lo, hi, step)
    }

    /// `a / b` towards zero; `None` if `b` may be zero.
    pub fn over(self, other: Strided) -> Option<Strided> {
        if other.lo <= 0 && other.hi >= 0 {
            return None;
        }
        let (lo, hi) = corners(self, other, i128::checked_div)?;
        let exact = other.singleton().filter(|b| self.lo % b == 0 && self.step % b == 0);
        Strided::new(lo, hi, exact.map_or(1, |b| (self.step / b).abs()))
    }

    /// `a % b` with the sign of `a`; `None` if `b` may be zero.
    pub fn modulo(self, other: Strided) -> Option<Strided> {
        if other.lo <= 0 && other.hi >= 0 {
            return None;
        }
        let most = other.lo.abs().max(other.hi.abs());
        let least = if other.lo > 0 { other.lo } else { -other.hi };
        if self.lo > -least && self.hi < least {
            return Some(self);
        }
        let (lo, hi) = (self.lo.clamp(1 - most, 0), self.hi.clamp(0, most - 1));
        let step = other.singleton().map_or(1, |b| gcd(self.step, b));
        if step == 0 {
            return Some(Strided::single(self.lo % other.singleton()?));
        }
        Strided::new(lo + (self.lo - lo).rem_euclid(step), hi, step)
    }
}

/// The hull of an operation that is monotone in each operand.
fn corners(a: Strided, b: Strided, op: fn(i128, i128) -> Option<i128>) -> Option<(i128, i128)> {
    let values = [op(a.lo, b.lo)?, op(a.lo, b.hi)?, op(a.hi, b.lo)?, op(a.hi, b.hi)?];
    Some((*values.iter().min()?, *values.iter().max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Strided> {
        let mut all = Vec::new();
        for lo in -7..=7 {
            for hi in lo..=7 {
                for step in 1..=4 {
                    let candidate = Strided::new(lo, hi, step).expect("not empty");
                    if !all.contains(&candidate) {
                        all.push(candidate);
                    }
                }
            }
        }
        all
    }

    fn elements(a: Strided) -> Vec<i128> {
        (-64..=64).filter(|&value| a.contains(value)).collect()
    }

    #[test]
    fn operations_hold_every_concrete_result() {
        let all = all();
        for &a in &all {
            for &b in &all {
                let (xs, ys) = (elements(a), elements(b));
                let check = |name: &str, set: Option<Strided>, value: i128| {
                    assert!(set.is_none_or(|set| set.contains(value)), "{a:?} {name} {b:?}: {value} not in {set:?}");
                };
                for &x in &xs {
                    for &y in &ys {
                        check("+", Some(a.plus(b)), x + y);
                        check("-", Some(a.plus(b.negated())), x - y);
                        check("*", a.times(b), x * y);
                        if y != 0 {
                            check("/", a.over(b), x / y);
                            check("%", a.modulo(b), x % y);
                        }
                    }
                    check("join", Some(a.join(b)), x);
                    check("widen", Some(a.widen(b, &[-20, 0, 20], Strided::new(-64, 64, 1).expect("range"))), x);
                    if ys.contains(&x) {
                        check("meet", Some(a.meet(b).expect("a common element")), x);
                    }
                }
                assert_eq!(a.leq(b), xs.iter().all(|x| ys.contains(x)), "{a:?} <= {b:?}");
                assert!(a.leq(a.join(b)) && b.leq(a.join(b)));
            }
        }
    }

    #[test]
    fn bounds_hold_every_element_that_stays() {
        for a in all() {
            for bound in -9..=9 {
                let kept = |keep: fn(i128, i128) -> bool| -> Vec<i128> {
                    elements(a).into_iter().filter(|&x| keep(x, bound)).collect()
                };
                assert_eq!(a.at_least(bound).map_or(vec![], elements), kept(|x, b| x >= b));
                assert_eq!(a.at_most(bound).map_or(vec![], elements), kept(|x, b| x <= b));
                let rest = a.without(bound).map_or(vec![], elements);
                assert!(kept(|x, b| x != b).iter().all(|x| rest.contains(x)));
            }
        }
    }

    #[test]
    fn wrapping_holds_every_image() {
        for lo in (-700..700).step_by(37) {
            for (width, step) in [(0, 1), (12, 4), (90, 6), (255, 5), (1000, 8)] {
                let a = Strided::new(lo, lo + width, step).expect("not empty");
                let wrapped = a.wrap(Scalar::int(8, true)).expect("a byte");
                let mut value = a.lo;
                while value <= a.hi {
                    assert!(wrapped.contains(i128::from(value as i8)), "{value} of {a:?} not in {wrapped:?}");
                    value += a.step.max(1);
                }
            }
        }
    }
}

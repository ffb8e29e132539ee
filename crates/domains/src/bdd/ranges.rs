//! Finite unions of integer ranges, the values of integer expressions under an abstract state.
//! γ(ranges) = the integers in some range. Operations over-approximate C's wrapping arithmetic.

use cfa::Scalar;

/// More ranges than this are replaced by their hull.
const MOST: usize = 16;

/// A non-empty set of integers: sorted, disjoint, not adjacent ranges, both ends included.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ranges(Vec<(i128, i128)>);

impl Ranges {
    /// All integers of a type; `None` for types that are not integers of at most 64 bits.
    pub fn of_type(ty: Scalar) -> Option<Ranges> {
        match ty {
            Scalar::Int { bits, signed } if bits <= 64 => {
                let span = 1i128 << bits;
                Some(Ranges(vec![if signed { (-span / 2, span / 2 - 1) } else { (0, span - 1) }]))
            }
            Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => None,
        }
    }

    /// Just one integer.
    pub fn single(value: i128) -> Ranges {
        Ranges(vec![(value, value)])
    }

    /// The integers in any of these ranges; `None` if there is none.
    pub fn union(mut parts: Vec<(i128, i128)>) -> Option<Ranges> {
        parts.retain(|(low, high)| low <= high);
        parts.sort_unstable();
        let mut merged: Vec<(i128, i128)> = Vec::with_capacity(parts.len());
        for (low, high) in parts {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        let hull = (merged.first()?.0, merged.last()?.1);
        let union = Ranges(if merged.len() > MOST { vec![hull] } else { merged });
        debug_assert!(union.is_canonical(), "{union:?}");
        Some(union)
    }

    /// Ranges ascend, and there is a gap between any two.
    fn is_canonical(&self) -> bool {
        self.0.iter().all(|(low, high)| low <= high) && self.0.windows(2).all(|pair| pair[0].1 < pair[1].0 - 1)
    }

    /// The ranges in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (i128, i128)> + '_ {
        self.0.iter().copied()
    }

    /// How many ranges there are.
    pub fn parts(&self) -> usize {
        self.0.len()
    }

    /// The smallest element.
    pub fn lowest(&self) -> i128 {
        self.0[0].0
    }

    /// The largest element.
    pub fn highest(&self) -> i128 {
        self.0[self.0.len() - 1].1
    }

    /// The only element, if there is just one.
    pub fn singleton(&self) -> Option<i128> {
        (self.lowest() == self.highest()).then(|| self.lowest())
    }

    /// Whether some integer is in both.
    pub fn meets(&self, other: &Ranges) -> bool {
        self.0.iter().any(|a| other.0.iter().any(|b| a.0 <= b.1 && b.0 <= a.1))
    }

    /// The element nearest to zero: what a person would write down as an example.
    pub fn example(&self) -> i128 {
        let nearest = |&(low, high): &(i128, i128)| 0i128.clamp(low, high);
        self.0.iter().map(nearest).min_by_key(|value| (value.abs(), *value < 0)).expect("ranges are not empty")
    }

    /// The same integers as a value of type `ty`: reduced modulo its width.
    pub fn wrap(&self, ty: Scalar) -> Option<Ranges> {
        let full = Ranges::of_type(ty)?;
        let (low, high) = (full.lowest(), full.highest());
        let span = high - low + 1;
        let mut parts = Vec::with_capacity(self.0.len());
        for &(from, to) in &self.0 {
            if to - from >= span {
                return Some(full);
            }
            let shift = (from - low).div_euclid(span) * span;
            let (from, to) = (from - shift, to - shift);
            debug_assert!((low..=high).contains(&from), "the lower end is a value of the type");
            parts.push((from, to.min(high)));
            parts.push((low, to - span));
        }
        Ranges::union(parts)
    }

    fn pairwise(
        &self,
        other: &Ranges,
        op: impl Fn((i128, i128), (i128, i128)) -> Option<(i128, i128)>,
    ) -> Option<Ranges> {
        let pairs = self.0.iter().flat_map(|&a| other.0.iter().map(move |&b| (a, b)));
        Ranges::union(pairs.map(|(a, b)| op(a, b)).collect::<Option<Vec<_>>>()?)
    }

    /// `-a`, unbounded.
    pub fn neg(&self) -> Option<Ranges> {
        Ranges::union(self.0.iter().map(|&(low, high)| (-high, -low)).collect())
    }

    /// `a + b`, unbounded.
    pub fn add(&self, other: &Ranges) -> Option<Ranges> {
        self.pairwise(other, |a, b| Some((a.0 + b.0, a.1 + b.1)))
    }

    /// `a - b`, unbounded.
    pub fn sub(&self, other: &Ranges) -> Option<Ranges> {
        self.pairwise(other, |a, b| Some((a.0 - b.1, a.1 - b.0)))
    }

    /// `a * b`, unbounded; `None` if it leaves 128 bits.
    pub fn mul(&self, other: &Ranges) -> Option<Ranges> {
        self.pairwise(other, |a, b| corners(a, b, i128::checked_mul))
    }

    /// `a / b` towards zero; `None` if `b` may be zero.
    pub fn div(&self, other: &Ranges) -> Option<Ranges> {
        self.pairwise(other, |a, b| if b.0 <= 0 && b.1 >= 0 { None } else { corners(a, b, i128::checked_div) })
    }

    /// `a % b` with the sign of `a`; `None` if `b` may be zero.
    pub fn rem(&self, other: &Ranges) -> Option<Ranges> {
        self.pairwise(other, |(low, high), b| {
            if b.0 <= 0 && b.1 >= 0 {
                return None;
            }
            let most = b.0.abs().max(b.1.abs());
            let same_block = b.0 == b.1 && low / most == high / most && (low >= 0 || high <= 0);
            Some(match same_block {
                true => (low % most, high % most),
                false => (low.clamp(1 - most, 0), high.clamp(0, most - 1)),
            })
        })
    }
}

/// The hull of an operation that is monotone in each operand on the given ranges.
fn corners(a: (i128, i128), b: (i128, i128), op: fn(i128, i128) -> Option<i128>) -> Option<(i128, i128)> {
    let values = [op(a.0, b.0)?, op(a.0, b.1)?, op(a.1, b.0)?, op(a.1, b.1)?];
    Some((*values.iter().min()?, *values.iter().max()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NIBBLES: std::ops::RangeInclusive<i128> = -6..=6;

    /// Every operation on every pair of small ranges contains every concrete result.
    #[test]
    fn operations_are_sound() {
        let ranges: Vec<(i128, i128)> = NIBBLES.flat_map(|low| (low..=6).map(move |high| (low, high))).collect();
        for &a in &ranges {
            for &b in &ranges {
                let (x, y) = (Ranges(vec![a]), Ranges(vec![b]));
                for i in a.0..=a.1 {
                    for j in b.0..=b.1 {
                        let has = |set: Option<Ranges>, value: i128| {
                            assert!(set.is_none_or(|set| set.meets(&Ranges::single(value))), "{a:?} {b:?} {value}");
                        };
                        has(x.add(&y), i + j);
                        has(x.sub(&y), i - j);
                        has(x.mul(&y), i * j);
                        if j != 0 {
                            has(x.div(&y), i / j);
                            has(x.rem(&y), i % j);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn wrapping_is_exact_on_bytes() {
        for signed in [true, false] {
            for low in (-600..600).step_by(7) {
                for width in [0, 1, 5, 100, 254] {
                    let wrapped = Ranges(vec![(low, low + width)]).wrap(Scalar::int(8, signed)).expect("a byte");
                    let image = |value: i128| if signed { i128::from(value as i8) } else { i128::from(value as u8) };
                    let expected: std::collections::BTreeSet<i128> = (low..=low + width).map(image).collect();
                    let found: usize = wrapped.0.iter().map(|(a, b)| (b - a + 1) as usize).sum();
                    assert_eq!(found, expected.len());
                    assert!(expected.iter().all(|&value| wrapped.meets(&Ranges::single(value))));
                }
            }
        }
    }
}

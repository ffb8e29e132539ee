//! A persistent map from numbers: clones share everything, an update copies one path, and [`Trie::merge`] walks only
//! where two maps differ. That is what keeps joining two branches proportional to what the branches changed.
//! Big-endian Patricia tries [OG98].

use std::rc::Rc;

/// A map from `u64` that shares structure with the maps it was made from.
#[derive(Clone, Debug)]
pub struct Trie<T> {
    root: Option<Rc<Knot<T>>>,
}

#[derive(Debug)]
enum Knot<T> {
    Leaf(u64, T),
    /// Keys agree above `bit`; the left ones have it clear.
    Fork {
        bit: u32,
        prefix: u64,
        left: Rc<Knot<T>>,
        right: Rc<Knot<T>>,
    },
}

impl<T> Default for Trie<T> {
    fn default() -> Self {
        Trie { root: None }
    }
}

/// The part of a key above `bit`.
fn above(key: u64, bit: u32) -> u64 {
    if bit == 63 { 0 } else { key >> (bit + 1) }
}

impl<T> Knot<T> {
    fn some_key(&self) -> u64 {
        match self {
            Knot::Leaf(key, _) => *key,
            Knot::Fork { prefix, .. } => *prefix,
        }
    }

    /// Whether it decides a lower bit, or none.
    fn is_below(&self, above: u32) -> bool {
        match self {
            Knot::Leaf(..) => true,
            Knot::Fork { bit, .. } => *bit < above,
        }
    }
}

/// Two tries whose keys differ, under a new fork.
fn join<T>(a: Rc<Knot<T>>, b: Rc<Knot<T>>) -> Rc<Knot<T>> {
    let (ka, kb) = (a.some_key(), b.some_key());
    assert_ne!(ka, kb, "the keys of the two differ");
    let bit = 63 - (ka ^ kb).leading_zeros();
    let (left, right) = if ka >> bit & 1 == 0 { (a, b) } else { (b, a) };
    debug_assert!(left.is_below(bit) && right.is_below(bit), "forks below decide lower bits");
    debug_assert!(left.some_key() < right.some_key(), "keys ascend");
    Rc::new(Knot::Fork { bit, prefix: ka & !((2_u64 << bit).wrapping_sub(1)), left, right })
}

impl<T: Clone + PartialEq> Trie<T> {
    /// The value of a key.
    pub fn get(&self, key: u64) -> Option<&T> {
        let mut knot = self.root.as_deref()?;
        loop {
            match knot {
                Knot::Leaf(k, value) => return (*k == key).then_some(value),
                Knot::Fork { bit, left, right, .. } => knot = if key >> bit & 1 == 0 { left } else { right },
            }
        }
    }

    /// Maps `key` to `value`.
    pub fn insert(&mut self, key: u64, value: T) {
        self.root = Some(match &self.root {
            None => Rc::new(Knot::Leaf(key, value)),
            Some(root) => insert(root, key, value),
        });
        debug_assert!(self.get(key).is_some(), "what is inserted is found");
    }

    /// All keys and values by ascending key.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut stack: Vec<&Knot<T>> = self.root.as_deref().into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                match stack.pop()? {
                    Knot::Leaf(key, value) => return Some((*key, value)),
                    Knot::Fork { left, right, .. } => {
                        stack.push(right);
                        stack.push(left);
                    }
                }
            }
        })
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether the two are the same object, hence equal.
    pub fn same(&self, other: &Trie<T>) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The map that `combine` makes of every key that is mapped differently; `combine` is called by ascending key, with
    /// `None` where a side has no value, and `None` from it leaves the key out. Parts that the maps share are kept.
    pub fn merge(
        &self,
        other: &Trie<T>,
        combine: &mut impl FnMut(u64, Option<&T>, Option<&T>) -> Option<T>,
    ) -> Trie<T> {
        self.merge_keeping(other, [u64::MAX; 2], combine)
    }

    /// The same, but keys from `kept[0]` on that only `other` has, and from `kept[1]` on that only `self` has, keep their
    /// values.
    pub fn merge_keeping(
        &self,
        other: &Trie<T>,
        kept: [u64; 2],
        combine: &mut impl FnMut(u64, Option<&T>, Option<&T>) -> Option<T>,
    ) -> Trie<T> {
        Trie { root: merge(self.root.as_ref(), other.root.as_ref(), kept, combine) }
    }
}

fn insert<T: Clone>(knot: &Rc<Knot<T>>, key: u64, value: T) -> Rc<Knot<T>> {
    match &**knot {
        Knot::Leaf(k, _) if *k == key => Rc::new(Knot::Leaf(key, value)),
        Knot::Fork { bit, prefix, left, right } if above(key, *bit) == above(*prefix, *bit) => {
            let (bit, prefix) = (*bit, *prefix);
            if key >> bit & 1 == 0 {
                Rc::new(Knot::Fork { bit, prefix, left: insert(left, key, value), right: right.clone() })
            } else {
                Rc::new(Knot::Fork { bit, prefix, left: left.clone(), right: insert(right, key, value) })
            }
        }
        Knot::Leaf(..) | Knot::Fork { .. } => join(knot.clone(), Rc::new(Knot::Leaf(key, value))),
    }
}

/// Recursion is at most 64 deep: every level fixes one more bit.
fn merge<T: Clone + PartialEq>(
    a: Option<&Rc<Knot<T>>>,
    b: Option<&Rc<Knot<T>>>,
    kept: [u64; 2],
    combine: &mut impl FnMut(u64, Option<&T>, Option<&T>) -> Option<T>,
) -> Option<Rc<Knot<T>>> {
    let fork = |left: Option<Rc<Knot<T>>>, right: Option<Rc<Knot<T>>>| match (left, right) {
        (Some(left), Some(right)) => Some(join(left, right)),
        (one, None) | (None, one) => one,
    };
    let (x, y) = match (a, b) {
        (None, None) => return None,
        // A fork's prefix is not above its keys.
        (Some(one), None) if one.some_key() >= kept[1] => return Some(one.clone()),
        (None, Some(one)) if one.some_key() >= kept[0] => return Some(one.clone()),
        (Some(x), Some(y)) => (x, y),
        (Some(one), None) => {
            return match &**one {
                Knot::Leaf(key, value) => Some(Rc::new(Knot::Leaf(*key, combine(*key, Some(value), None)?))),
                Knot::Fork { left, right, .. } => {
                    let left = merge(Some(left), None, kept, combine);
                    fork(left, merge(Some(right), None, kept, combine))
                }
            };
        }
        (None, Some(one)) => {
            return match &**one {
                Knot::Leaf(key, value) => Some(Rc::new(Knot::Leaf(*key, combine(*key, None, Some(value))?))),
                Knot::Fork { left, right, .. } => {
                    let left = merge(None, Some(left), kept, combine);
                    fork(left, merge(None, Some(right), kept, combine))
                }
            };
        }
    };
    if Rc::ptr_eq(x, y) {
        return Some(x.clone());
    }
    let bit_of = |knot: &Knot<T>| match knot {
        Knot::Leaf(..) => None,
        Knot::Fork { bit, .. } => Some(*bit),
    };
    let (kx, ky) = (x.some_key(), y.some_key());
    let (bx, by) = (bit_of(x), bit_of(y));
    let top = bx.max(by);
    let apart = match top {
        None => kx != ky,
        Some(bit) => above(kx, bit) != above(ky, bit),
    };
    if apart {
        if kx < ky {
            let left = merge(Some(x), None, kept, combine);
            return fork(left, merge(None, Some(y), kept, combine));
        }
        let left = merge(None, Some(y), kept, combine);
        return fork(left, merge(Some(x), None, kept, combine));
    }
    match (&**x, &**y) {
        (Knot::Leaf(key, vx), Knot::Leaf(_, vy)) => {
            if vx == vy {
                return Some(x.clone());
            }
            Some(Rc::new(Knot::Leaf(*key, combine(*key, Some(vx), Some(vy))?)))
        }
        (Knot::Fork { bit: b1, left: l1, right: r1, .. }, Knot::Fork { bit: b2, left: l2, right: r2, .. })
            if b1 == b2 =>
        {
            let left = merge(Some(l1), Some(l2), kept, combine);
            fork(left, merge(Some(r1), Some(r2), kept, combine))
        }
        (Knot::Fork { bit, left, right, .. }, _) if bx > by => {
            if ky >> bit & 1 == 0 {
                let merged = merge(Some(left), Some(y), kept, combine);
                fork(merged, merge(Some(right), None, kept, combine))
            } else {
                let left = merge(Some(left), None, kept, combine);
                fork(left, merge(Some(right), Some(y), kept, combine))
            }
        }
        (_, Knot::Fork { bit, left, right, .. }) => {
            if kx >> bit & 1 == 0 {
                let merged = merge(Some(x), Some(left), kept, combine);
                fork(merged, merge(None, Some(right), kept, combine))
            } else {
                let left = merge(None, Some(left), kept, combine);
                fork(left, merge(Some(x), Some(right), kept, combine))
            }
        }
        (Knot::Fork { .. }, Knot::Leaf(..)) => unreachable!("a fork has a bit, a leaf has none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn pseudo(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 33
    }

    #[test]
    fn behaves_like_an_ordered_map() {
        let mut seed = 7;
        for round in 0..200 {
            let mut make = |n: u64| {
                let mut map = BTreeMap::new();
                let mut trie = Trie::default();
                for _ in 0..n {
                    let wide = pseudo(&mut seed).is_multiple_of(3);
                    let key = if wide { pseudo(&mut seed) << 40 } else { pseudo(&mut seed) % 50 };
                    let value = pseudo(&mut seed) % 5;
                    map.insert(key, value);
                    trie.insert(key, value);
                }
                (map, trie)
            };
            let (map_a, a) = make(round % 40);
            let (map_b, b) = make(round % 23);
            assert!(a.iter().map(|(k, v)| (k, *v)).eq(map_a.iter().map(|(k, v)| (*k, *v))));
            assert!((0..60).all(|key| a.get(key) == map_a.get(&key)));
            let merged = a.merge(&b, &mut |_, x, y| Some(x.unwrap_or(&10) * 100 + y.unwrap_or(&20)));
            let mut expected = BTreeMap::new();
            for key in map_a.keys().chain(map_b.keys()) {
                let (x, y) = (map_a.get(key), map_b.get(key));
                let value = if x == y { *x.unwrap() } else { x.unwrap_or(&10) * 100 + y.unwrap_or(&20) };
                expected.insert(*key, value);
            }
            assert!(merged.iter().map(|(k, v)| (k, *v)).eq(expected.iter().map(|(k, v)| (*k, *v))));
        }
    }

    #[test]
    fn merging_keeps_shared_parts() {
        let mut a = Trie::default();
        (0..1000).for_each(|key| a.insert(key, key));
        let mut b = a.clone();
        b.insert(17, 0);
        let mut asked = Vec::new();
        let _ = a.merge(&b, &mut |key, _, y| {
            asked.push(key);
            y.copied()
        });
        assert_eq!(asked, [17]);
    }
}

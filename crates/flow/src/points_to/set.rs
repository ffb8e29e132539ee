//! Sets of small numbers as sorted words of 64 bits: places of one object have neighbouring numbers.

/// A set of `u32`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Set {
    /// Ascending word numbers with at least one bit each.
    words: Vec<(u32, u64)>,
}

impl Set {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What working through the set costs.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    #[cfg(test)]
    pub fn contains(&self, item: u32) -> bool {
        let at = self.words.binary_search_by_key(&(item / 64), |&(word, _)| word);
        at.is_ok_and(|at| self.words[at].1 >> (item % 64) & 1 == 1)
    }

    /// Whether the item is new.
    pub fn insert(&mut self, item: u32) -> bool {
        let bit = 1 << (item % 64);
        match self.words.binary_search_by_key(&(item / 64), |&(word, _)| word) {
            Ok(at) => {
                let old = self.words[at].1;
                self.words[at].1 |= bit;
                old & bit == 0
            }
            Err(at) => {
                self.words.insert(at, (item / 64, bit));
                true
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|&(word, bits)| Bits(bits).map(move |bit| word * 64 + bit))
    }

    /// Adds all of `other` and returns what was new.
    pub fn absorb(&mut self, other: &Set) -> Set {
        let new = other.without(self);
        if !new.is_empty() {
            self.merge(&new);
        }
        debug_assert!(self.is_valid() && other.is_subset_of(self), "it has all of the other one now");
        new
    }

    /// Whether `other` has all of it.
    pub fn is_subset_of(&self, other: &Set) -> bool {
        self.without(other).is_empty()
    }

    /// What the type says of its words.
    fn is_valid(&self) -> bool {
        self.words.is_sorted_by(|a, b| a.0 < b.0) && self.words.iter().all(|&(_, bits)| bits != 0)
    }

    fn without(&self, other: &Set) -> Set {
        debug_assert!(self.is_valid() && other.is_valid(), "words ascend and have a bit each");
        let mut words = Vec::new();
        let mut at = 0;
        for &(word, bits) in &self.words {
            // Both are sorted; a long run of the other set is skipped by halving.
            if other.words.get(at).is_some_and(|&(w, _)| w < word) {
                at += other.words[at..].partition_point(|&(w, _)| w < word);
            }
            let taken = other.words.get(at).filter(|&&(w, _)| w == word).map_or(0, |&(_, bits)| bits);
            if bits & !taken != 0 {
                words.push((word, bits & !taken));
            }
        }
        Set { words }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Set) {
        if self.words.last().is_none_or(|&(last, _)| other.words.first().is_some_and(|&(first, _)| last < first)) {
            self.words.extend_from_slice(&other.words);
            return;
        }
        let mut missing = 0;
        let mut at = 0;
        for &(word, bits) in &other.words {
            at += self.words[at..].partition_point(|&(w, _)| w < word);
            match self.words.get_mut(at).filter(|(w, _)| *w == word) {
                Some((_, old)) => *old |= bits,
                None => missing += 1,
            }
        }
        if missing == 0 {
            return;
        }
        let old = std::mem::take(&mut self.words);
        self.words.reserve(old.len() + missing);
        let (mut mine, mut theirs) = (old.into_iter().peekable(), other.words.iter().copied().peekable());
        loop {
            match (mine.peek(), theirs.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    self.words.push((a.0, a.1 | b.1));
                    mine.next();
                    theirs.next();
                }
                (Some(a), Some(b)) if a.0 < b.0 => self.words.extend(mine.next()),
                (_, Some(_)) => self.words.extend(theirs.next()),
                (Some(_), None) => self.words.extend(mine.next()),
                (None, None) => return,
            }
        }
    }
}

/// The positions of the ones in a word.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_a_tree_set() {
        let mut seed = 3u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % below) as u32
        };
        for _ in 0..200 {
            let (mut set, mut model) = (Set::default(), BTreeSet::new());
            for _ in 0..10 {
                let mut other = Set::default();
                for _ in 0..random(20) {
                    other.insert(random(1000));
                }
                let new = set.absorb(&other);
                let fresh: Vec<u32> = other.iter().filter(|&item| model.insert(item)).collect();
                assert_eq!(new.iter().collect::<Vec<_>>(), fresh);
                assert!(set.iter().eq(model.iter().copied()));
                assert_eq!(set.len(), model.len());
                assert!(other.iter().all(|item| set.contains(item)));
            }
        }
    }
}

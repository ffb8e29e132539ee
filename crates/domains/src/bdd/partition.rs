//! How the values of a variable are grouped: every constant that matters is a class of its own, what lies between is
//! one class per gap, or, where the variable is only compared for equality, one class "other" for all gaps.

use super::questions::Question;
use super::ranges::Ranges;
use cfa::Scalar;
use std::collections::BTreeSet;

/// What the program asks about the values of a variable.
#[derive(Clone, Debug, Default)]
pub struct Landmarks {
    /// Constants it is compared with for equality, or assigned.
    pub singles: BTreeSet<i128>,
    /// `c` for every question `x < c`.
    pub cuts: BTreeSet<i128>,
}

/// The classes of a variable's values: disjoint, together all values of its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// In ascending order of the smallest element.
    pub classes: Vec<Ranges>,
    /// The ranges of all classes in ascending order, each with the number of its class.
    pieces: Vec<(i128, i128, usize)>,
}

impl Landmarks {
    /// One more question.
    pub fn add(&mut self, question: Question) {
        match question {
            Question::Is(value) => self.singles.insert(value),
            Question::Below(value) => self.cuts.insert(value),
        };
    }

    /// All questions of others, too.
    pub fn extend(&mut self, others: &Landmarks) {
        self.singles.extend(&others.singles);
        self.cuts.extend(&others.cuts);
    }
}

impl Partition {
    /// The coarsest partition that tells all landmarks apart.
    pub fn new(ty: Scalar, landmarks: &Landmarks) -> Option<Partition> {
        let full = Ranges::of_type(ty)?;
        let (low, high) = (full.lowest(), full.highest());
        let image = |value: &i128| Ranges::single(*value).wrap(ty).and_then(|set| set.singleton());
        let singles: BTreeSet<i128> = landmarks.singles.iter().filter_map(image).collect();
        let cuts: BTreeSet<i128> =
            landmarks.cuts.iter().copied().filter(|cut| (low + 1..=high).contains(cut)).collect();
        let mut starts: BTreeSet<i128> = cuts.clone();
        starts.insert(low);
        for &single in &singles {
            starts.insert(single);
            starts.insert(single + 1);
        }
        starts.remove(&(high + 1));
        let starts: Vec<i128> = starts.into_iter().collect();
        let ends = starts.iter().skip(1).map(|next| next - 1).chain([high]);
        let pieces: Vec<(i128, i128)> = starts.iter().copied().zip(ends).collect();
        let (fixed, gaps): (Vec<_>, Vec<_>) = pieces.into_iter().partition(|(from, _)| singles.contains(from));
        let mut classes: Vec<Ranges> = fixed.into_iter().map(|(from, _)| Ranges::single(from)).collect();
        if cuts.is_empty() {
            classes.extend(other(gaps));
        } else {
            classes.extend(gaps.into_iter().filter_map(|gap| Ranges::union(vec![gap])));
        }
        classes.sort();
        let numbered = classes.iter().enumerate();
        let mut pieces: Vec<(i128, i128, usize)> =
            numbered.flat_map(|(class, ranges)| ranges.iter().map(move |(from, to)| (from, to, class))).collect();
        pieces.sort_unstable();
        debug_assert!(pieces.first().is_some_and(|piece| piece.0 == low), "classes begin with the type");
        debug_assert!(pieces.last().is_some_and(|piece| piece.1 == high), "classes end with the type");
        debug_assert!(pieces.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "every value is in one class");
        Some(Partition { classes, pieces })
    }

    /// The classes with a value in these ranges.
    pub fn meeting(&self, ranges: &Ranges) -> Vec<usize> {
        let mut found = Vec::new();
        for (from, to) in ranges.iter() {
            let first = self.pieces.partition_point(|piece| piece.1 < from);
            found.extend(self.pieces[first..].iter().take_while(|piece| piece.0 <= to).map(|piece| piece.2));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The smallest and the largest value.
    pub fn span(&self) -> (i128, i128) {
        (self.pieces[0].0, self.pieces[self.pieces.len() - 1].1)
    }

    /// Bits that number the classes.
    pub fn bits(&self) -> u32 {
        let bits = usize::BITS - (self.classes.len() - 1).leading_zeros();
        debug_assert!(self.classes.len() <= 1 << bits, "every class has a number");
        bits
    }
}

/// One class for all gaps, unless there are more than [`Ranges`] keeps apart: then they would overlap the constants.
fn other(gaps: Vec<(i128, i128)>) -> Vec<Ranges> {
    let count = gaps.len();
    match Ranges::union(gaps.clone()) {
        Some(all) if all.parts() == count => vec![all],
        _ => gaps.into_iter().filter_map(|gap| Ranges::union(vec![gap])).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(singles: &[i128], cuts: &[i128], classes: usize) {
        let landmarks = Landmarks { singles: singles.iter().copied().collect(), cuts: cuts.iter().copied().collect() };
        let partition = Partition::new(Scalar::int(8, true), &landmarks).expect("a byte");
        assert_eq!(partition.classes.len(), classes, "{partition:?}");
        for value in -128..128 {
            let holding = partition.classes.iter().filter(|class| class.meets(&Ranges::single(value))).count();
            assert_eq!(holding, 1, "{value} in {partition:?}");
        }
        for (from, to) in [(-128, 127), (-3, 5), (4, 4), (6, 30), (90, 127)] {
            let ranges = Ranges::union(vec![(from, to), (to + 9, to + 9)]).expect("not empty");
            let meets = |class: &usize| partition.classes[*class].meets(&ranges);
            let expected: Vec<usize> = (0..partition.classes.len()).filter(meets).collect();
            assert_eq!(partition.meeting(&ranges), expected, "{ranges:?} in {partition:?}");
        }
    }

    #[test]
    fn every_value_has_one_class() {
        check(&[], &[], 1);
        check(&[0, 1], &[], 3);
        check(&[1, 5, 127], &[], 4);
        check(&[5], &[5], 3);
        check(&[5], &[0, 10, 300], 5);
        check(&(0..40).map(|i| 3 * i).collect::<Vec<_>>(), &[], 40 + 41);
    }
}

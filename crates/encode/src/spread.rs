//! Accesses whose address is one of a few: spread over the elements there, each with its own condition, so that elements
//! stay scalars and what is known of them is kept.

use crate::Encoder;
use crate::guard::Guard;
use smt::{BitVec, Op, TermId, Terms};

/// The most elements that an access is spread over.
const MOST_ELEMENTS: usize = 16;
/// The most elements of a table of constants that a read is spread over.
const MOST_CONSTANTS: usize = 256;
/// The shortest table that is looked at as a whole.
const SHORTEST_TABLE: usize = 16;
/// How many terms are looked at for the addresses that a pointer may have.
const MOST_TERMS: usize = 64;

/// Where an index may lead.
#[derive(Clone, Debug)]
pub(crate) enum Addresses {
    /// To these, ascending.
    Listed(Vec<u64>),
    /// To so many addresses that are multiples of a power of two.
    Stepped {
        /// The first.
        first: u64,
        /// Which power.
        zeros: u32,
        /// How many.
        count: usize,
    },
}

impl Addresses {
    /// Whether accesses of values that are not all constants are spread over so many.
    pub(crate) fn are_few(&self) -> bool {
        self.all().len() <= MOST_ELEMENTS
    }

    /// All of them, ascending.
    pub(crate) fn all(&self) -> Vec<u64> {
        match *self {
            Addresses::Listed(ref all) => all.clone(),
            Addresses::Stepped { first, zeros, count } => {
                (0..count as u64).map(|number| first + (number << zeros)).collect()
            }
        }
    }
}

impl Encoder<'_> {
    /// The addresses that an index may have where the guard holds, if intervals are used and those are few.
    pub(crate) fn few_addresses(&mut self, guard: Guard, index: TermId) -> Option<Addresses> {
        let (low, high) = self.known_interval(guard, index)?.unsigned();
        let (mut found, mut left) = (Vec::new(), MOST_TERMS);
        if self.leaves(index, &mut found, &mut left) {
            found.retain(|at| (low..=high).contains(at));
            found.sort_unstable();
            found.dedup();
            return (!found.is_empty() && found.len() <= MOST_ELEMENTS).then_some(Addresses::Listed(found));
        }
        let zeros = self.low_zeros(index, MOST_TERMS as u32).min(16);
        let first = low.checked_next_multiple_of(1 << zeros).filter(|first| *first <= high)?;
        // All addresses of 64 bits are more than can be counted, and far from few.
        let further = (high - first) >> zeros;
        let count = usize::try_from(further).ok().filter(|further| *further < MOST_CONSTANTS)? + 1;
        Some(Addresses::Stepped { first, zeros, count })
    }

    /// The value at an index among values at addresses that follow each other: a tree of choices by the bits of its
    /// number, or a sum of constants.
    pub(crate) fn choose(&mut self, index: TermId, (first, zeros): (u64, u32), values: &[TermId]) -> TermId {
        let first = self.address(first);
        let offset = self.terms.bv_sub(index, first);
        if let Some(parts) = parts_of_table(&self.terms, values) {
            return summed(&mut self.terms, offset, zeros, &parts);
        }
        let bits = values.len().next_power_of_two().trailing_zeros();
        self.chosen(offset, zeros + bits, values)
    }

    /// The same by the bits of the offset below this one.
    fn chosen(&mut self, offset: TermId, above: u32, values: &[TermId]) -> TermId {
        if values.iter().all(|value| *value == values[0]) {
            return values[0];
        }
        let bit = above - 1;
        let half = values.len().next_power_of_two() / 2;
        let (low, high) = values.split_at(half);
        let low = self.chosen(offset, bit, low);
        let high = self.chosen_below(offset, bit, half, high);
        let bit = self.terms.bv_extract(offset, bit, bit);
        let upper = self.terms.bv_is_nonzero(bit);
        self.terms.ite(upper, high, low)
    }

    /// The upper half may be shorter: then some of the bits decide nothing.
    fn chosen_below(&mut self, offset: TermId, above: u32, half: usize, values: &[TermId]) -> TermId {
        let spare = (half / values.len().next_power_of_two()).trailing_zeros();
        self.chosen(offset, above - spare, values)
    }

    /// Collects the constants among which a term chooses; `false` if it is something else or looking takes too long.
    fn leaves(&self, term: TermId, found: &mut Vec<u64>, left: &mut usize) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        match (self.terms.op(term), self.terms.args(term)) {
            (Op::Bv(value), _) => BitVec::to_u64(self.terms.value(value)).map(|at| found.push(at)).is_some(),
            (Op::Ite, &[_, yes, no]) => self.leaves(yes, found, left) && self.leaves(no, found, left),
            _ => false,
        }
    }

    /// Whether an index is this address.
    pub(crate) fn is_at(&mut self, index: TermId, at: u64) -> TermId {
        let at = self.address(at);
        self.terms.eq(index, at)
    }
}

/// The first element of a table and what each bit of a number adds to it (exclusive or), if elements are nothing else than
/// such sums, as the elements of tables for checksums are.
fn parts_of_table(terms: &Terms, values: &[TermId]) -> Option<Vec<BitVec>> {
    if values.len() < SHORTEST_TABLE || !values.len().is_power_of_two() {
        return None;
    }
    let values: Vec<&BitVec> = values.iter().map(|value| terms.as_bv(*value)).collect::<Option<_>>()?;
    let added = |at: usize| values[at].xor(values[0]);
    let is_sum = |at: usize| added(at) == added(at & (at - 1)).xor(&added(1 << at.trailing_zeros()));
    if !(1..values.len()).all(is_sum) {
        return None;
    }
    let bits = (0..values.len().trailing_zeros()).map(|bit| added(1 << bit));
    Some([values[0].clone()].into_iter().chain(bits).collect())
}

/// The element of such a table by its number, which is in the bits of the offset from `zeros` on.
fn summed(terms: &mut Terms, offset: TermId, zeros: u32, parts: &[BitVec]) -> TermId {
    let mut sum = terms.bv(parts[0].clone());
    let none = terms.bv(BitVec::zero(parts[0].width()));
    for (bit, part) in (zeros..).zip(&parts[1..]) {
        let bit = terms.bv_extract(offset, bit, bit);
        let is_added = terms.bv_is_nonzero(bit);
        let part = terms.bv(part.clone());
        let part = terms.ite(is_added, part, none);
        sum = terms.bv_xor(sum, part);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a table is one of sums; if so, all its elements are found by their offsets.
    fn is_of_sums(table: &[u64]) -> bool {
        let terms = &mut Terms::new();
        let values: Vec<TermId> = table.iter().map(|value| terms.bv_u64(8, *value)).collect();
        let Some(parts) = parts_of_table(terms, &values) else { return false };
        for (at, value) in values.iter().enumerate() {
            let offset = terms.bv_u64(16, 4 * at as u64);
            assert_eq!(summed(terms, offset, 2, &parts), *value, "element {at} of {table:?}");
        }
        true
    }

    #[test]
    fn tables_of_sums_are_told_from_others() {
        let table = |element: &dyn Fn(u64) -> u64| (0..16).map(element).collect::<Vec<u64>>();
        let reversed = |at: u64| (0..4).map(|bit| (at >> bit & 1) << (3 - bit)).sum::<u64>();
        assert!(is_of_sums(&table(&|at| at)));
        assert!(is_of_sums(&table(&|at| 7 ^ reversed(at) << 3)));
        assert!(is_of_sums(&table(&|at| at ^ at >> 1)));
        assert!(is_of_sums(&table(&|_| 9)));
        assert!(!is_of_sums(&table(&|at| at + 1)));
        assert!(!is_of_sums(&table(&|at| at * at)));
        assert!(!is_of_sums(&table(&|at| u64::from(at == 15))));
        assert!(!is_of_sums(&[1, 2, 4, 8]), "short ones are left as they are");
    }
}

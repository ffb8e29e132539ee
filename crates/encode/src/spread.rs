//! Accesses whose address is one of a few: spread over the elements there, each with its own condition, so that elements
//! stay scalars and what is known of them is kept.

use crate::Encoder;
use crate::guard::Guard;
use smt::{BitVec, Op, TermId};

/// The most elements that an access is spread over.
const MOST_ELEMENTS: usize = 16;
/// The most elements of a table of constants that a read is spread over.
const MOST_CONSTANTS: usize = 256;
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
        self.all().count() <= MOST_ELEMENTS
    }

    /// All of them, ascending.
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> + '_ {
        let (listed, stepped) = match self {
            Addresses::Listed(all) => (all.as_slice(), 0..0),
            Addresses::Stepped { count, .. } => (&[][..], 0..*count as u64),
        };
        let at = move |number: u64| match self {
            Addresses::Listed(_) => number,
            Addresses::Stepped { first, zeros, .. } => first + (number << zeros),
        };
        listed.iter().copied().chain(stepped.map(at))
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
    /// number.
    pub(crate) fn choose(&mut self, index: TermId, (first, zeros): (u64, u32), values: &[TermId]) -> TermId {
        let first = self.address(first);
        let offset = self.terms.bv_sub(index, first);
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
            (Op::Bv(value), _) => match BitVec::to_u64(self.terms.value(value)) {
                Some(at) => {
                    found.push(at);
                    true
                }
                None => false,
            },
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

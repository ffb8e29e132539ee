//! What property-directed reachability keeps, over bits and over terms alike.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The clauses that hold up to one level and not further.
pub(super) struct Frame<L, C> {
    /// Assumed where the clauses count.
    pub active: L,
    /// The states that each of them excludes.
    pub clauses: Vec<C>,
}

/// States that must be excluded from a level. The lowest level comes first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Obligation<C> {
    pub level: Reverse<usize>,
    /// Steps to a bad state.
    pub steps: usize,
    pub cube: C,
}

/// The obligation at the lowest level: what lies before others is excluded before them.
pub(super) fn next<C: Ord>(open: &mut BinaryHeap<Obligation<C>>) -> Option<Obligation<C>> {
    let first = open.pop()?;
    debug_assert!(open.iter().all(|other| first.level.0 <= other.level.0), "the lowest level comes first");
    Some(first)
}

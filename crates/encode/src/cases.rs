//! Cases: inputs of which few values matter, such as the length of a buffer. With a value in place of such an input, loops
//! have constant bounds and sums are plain, so that each case may be easy where all at once are not.

use crate::guard::Guard;
use crate::input::EventKind;
use crate::{Encoder, Event};
use cfa::EdgeId;
use smt::TermId;
use std::collections::BTreeMap;

/// An input and the values of it that matter.
#[derive(Clone, Debug)]
pub struct FewValued {
    /// The edge that reads it, once.
    pub edge: EdgeId,
    /// The variable that stands for it.
    pub value: TermId,
    /// The least of its values.
    pub low: u64,
    /// The greatest of its values.
    pub high: u64,
}

impl FewValued {
    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.high - self.low + 1
    }
}

impl Encoder<'_> {
    /// The input that an edge reads has this value, as its bits, and no other.
    pub fn give(&mut self, edge: EdgeId, bits: u64) {
        self.given.insert(edge, bits);
    }

    /// Inputs that are read once and have at most so many values wherever one of these guards holds, and no fewer than
    /// two; those with the fewest first.
    pub fn few_valued_inputs(&mut self, guards: &[Guard], most: u64) -> Vec<FewValued> {
        let input = |event: &Event| match event.kind {
            EventKind::Input { edge, ty, value, .. } if ty.is_int() => Some((edge, value)),
            EventKind::Input { .. }
            | EventKind::Birth { .. }
            | EventKind::Read { .. }
            | EventKind::Forgotten { .. } => None,
        };
        let mut reads: BTreeMap<EdgeId, Vec<TermId>> = BTreeMap::new();
        for (edge, value) in self.events.iter().filter_map(input) {
            reads.entry(edge).or_default().push(value);
        }
        let mut found = Vec::new();
        for (edge, values) in reads {
            let &[value] = &values[..] else { continue };
            let mut known = None;
            for &guard in guards {
                let here = self.known_interval(guard, value);
                known = match (known, here) {
                    (None, here) => here,
                    (Some(before), Some(here)) => Some(before.join(here)),
                    (Some(_), None) => unreachable!("a term has an interval everywhere or nowhere"),
                };
            }
            let Some((low, high)) = known.map(|known| known.unsigned()) else { continue };
            if low < high && high - low < most {
                found.push(FewValued { edge, value, low, high });
            }
        }
        found.sort_by_key(|case| (case.count(), case.edge));
        found
    }

    /// An input has none of the values of its case.
    pub fn is_elsewhere(&mut self, case: &FewValued) -> TermId {
        let width = self.terms.width(case.value);
        let (low, high) = (self.terms.bv_u64(width, case.low), self.terms.bv_u64(width, case.high));
        let (below, above) = (self.terms.bv_ult(case.value, low), self.terms.bv_ult(high, case.value));
        self.terms.or([below, above])
    }
}

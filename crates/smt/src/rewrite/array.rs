//! Rules of arrays: reads see through writes to places that are plainly the same or plainly different.

use crate::bitvec::BitVec;
use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};

/// How many writes a read looks through.
const LOOK_THROUGH: usize = 4096;

impl Terms {
    pub(super) fn simplify_select(&mut self, array: TermId, index: TermId) -> Option<TermId> {
        let mut inner = array;
        for _ in 0..LOOK_THROUGH {
            match self.op(inner) {
                Op::Store => {
                    let (older, at, what) = self.triple(inner);
                    // match: store(a, i, v)[i]
                    // result: v
                    if at == index {
                        return Some(what);
                    }
                    // match: store(a, i, v)[j] with i and j different in every model
                    // result: a[j]
                    if !self.are_distinct(at, index) {
                        break;
                    }
                    inner = older;
                }
                // match: const(v)[i]
                // result: v
                Op::ConstArray(_) => return Some(self.arg(inner)),
                _ => break,
            }
        }
        (inner != array).then(|| self.select(inner, index))
    }

    pub(super) fn simplify_store(&mut self, array: TermId, index: TermId, element: TermId) -> Option<TermId> {
        // match: store(store(a, i, v), i, w)
        // result: store(a, i, w)
        if self.op(array) == Op::Store {
            let (older, at, _) = self.triple(array);
            if at == index {
                return Some(self.store_at(older, index, element));
            }
        }
        // match: store(a, i, a[i])
        // result: a
        if self.op(element) == Op::Select && self.pair(element) == (array, index) {
            return Some(array);
        }
        // match: store(const(v), i, v)
        // result: const(v)
        (matches!(self.op(array), Op::ConstArray(_)) && self.arg(array) == element).then_some(array)
    }

    /// Whether two indices differ in every model, as far as can be seen at once: different values, or one base plus
    /// different constants.
    pub fn are_distinct(&self, a: TermId, b: TermId) -> bool {
        if self.is_value(a) && self.is_value(b) {
            return a != b;
        }
        if !matches!(self.sort(a), Sort::BitVec(_)) {
            return false;
        }
        let parts = |term: TermId| self.as_offset(term).unwrap_or((term, BitVec::zero(self.width(term))));
        let ((x, c), (y, d)) = (parts(a), parts(b));
        x == y && c != d
    }
}

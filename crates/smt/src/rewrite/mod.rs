//! Simplification at construction. Every rule says what it matches and what it gives.

use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};

impl Terms {
    /// A simpler term than `op` applied to `args`, if a rule knows one.
    pub(crate) fn simplify(&mut self, op: Op, args: &[TermId], sort: Sort) -> Option<TermId> {
        // match: f(b, a) with f commutative and b made after a
        // result: f(a, b)
        if let &[a, b] = args
            && op.is_commutative()
            && b < a
        {
            return Some(self.intern(op, &[b, a], sort));
        }
        None
    }
}

//! Which of two sequences is better: the one with fewer and smaller predicates. SSA instances of one predicate count
//! once, so a sequence that repeats a loop invariant beats one with new constants for every iteration.

use crate::op::Op;
use crate::terms::{TermId, Terms};
use rustc_hash::FxHashSet;

/// Smaller is better: distinct atoms, then values in them, then their size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cost {
    atoms: usize,
    values: usize,
    size: usize,
}

pub(super) fn cost(terms: &mut Terms, sequence: &[TermId]) -> Cost {
    let mut atoms = FxHashSet::default();
    for &interpolant in sequence {
        let plain = terms.uninstantiate(interpolant);
        atoms.extend(terms.atoms(plain));
    }
    let mut atoms: Vec<TermId> = atoms.into_iter().collect();
    atoms.sort_unstable();
    let parts = terms.reachable(&atoms);
    let values = parts.iter().filter(|&&part| matches!(terms.op(part), Op::Bv(_) | Op::Fp(..))).count();
    Cost { atoms: atoms.len(), values, size: parts.len() }
}

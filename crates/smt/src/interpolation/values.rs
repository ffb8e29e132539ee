//! Values that the path itself computes: constants that definitions lead to, in variables and at constant indices of
//! arrays. They are facts of single executions, so they come after everything that may generalise, but a program that
//! builds a list in a loop with known bounds is decided by them.
//!
//! The conjuncts of φ1, ..., φi are read as definitions: `x = e` gives x the value of e where that is a constant, and
//! an array the writes at constant indices on top of what it was.

use super::check::Vocabularies;
use crate::op::{Op, VarId};
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most writes on top of an array that are followed.
const WRITES: usize = 60;
/// Passes over one group.
const PASSES: usize = 4;

/// After each group but the last, facts over shared variables that follow from the groups so far.
pub(super) fn known(terms: &mut Terms, groups: &[Vec<TermId>], shared: &[VarId]) -> Vec<Vec<TermId>> {
    let whole: Vec<TermId> = groups.iter().map(|group| terms.and(group.iter().copied())).collect();
    let vocabularies = Vocabularies::new(terms, &whole);
    let shared: FxHashSet<VarId> = shared.iter().copied().collect();
    let mut values: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut result = Vec::new();
    for (position, group) in groups.iter().enumerate().take(groups.len().saturating_sub(1)) {
        learn(terms, group, &mut values);
        let is_shared = |variable: VarId| shared.contains(&variable) || vocabularies.shares(variable, position + 1);
        result.push(facts(terms, &values, &is_shared));
    }
    result
}

/// The values that a group gives.
fn learn(terms: &mut Terms, group: &[TermId], values: &mut FxHashMap<TermId, TermId>) {
    for _ in 0..PASSES {
        let before = values.len();
        let known = terms.substitute_all(group, values);
        for conjunct in known {
            if terms.op(conjunct) != Op::Eq {
                continue;
            }
            let (a, b) = terms.pair(conjunct);
            for (variable, value) in [(a, b), (b, a)] {
                if terms.as_var(variable).is_some() && !values.contains_key(&variable) && is_known(terms, value) {
                    debug_assert_eq!(terms.sort(variable), terms.sort(value), "a variable and its value");
                    values.insert(variable, value);
                    break;
                }
            }
        }
        if values.len() == before {
            return;
        }
    }
}

/// Whether a term is a constant, or an array with writes at constant indices.
fn is_known(terms: &Terms, term: TermId) -> bool {
    match terms.sort(term) {
        Sort::Array { .. } => writes(terms, term).is_some(),
        Sort::Bool | Sort::BitVec(_) | Sort::Float(_) => terms.is_value(term),
    }
}

/// The array below the writes, and the writes, last first; `None` if there are none, too many, or one with an index that
/// is not constant.
fn writes(terms: &Terms, mut array: TermId) -> Option<(TermId, Vec<(TermId, TermId)>)> {
    let mut writes = Vec::new();
    while terms.op(array) == Op::Store {
        let (below, index, value) = terms.triple(array);
        if !terms.is_value(index) || writes.len() == WRITES {
            return None;
        }
        writes.push((index, value));
        array = below;
    }
    debug_assert!(writes.len() <= WRITES, "no more writes are followed");
    (!writes.is_empty()).then_some((array, writes))
}

/// The values of shared variables as equations.
fn facts(terms: &mut Terms, values: &FxHashMap<TermId, TermId>, shared: &dyn Fn(VarId) -> bool) -> Vec<TermId> {
    let mut known: Vec<(TermId, TermId)> = values
        .iter()
        .filter(|(variable, _)| terms.as_var(**variable).is_some_and(shared))
        .map(|(variable, value)| (*variable, *value))
        .collect();
    known.sort_unstable_by_key(|(variable, _)| base::Id::index(*variable));
    let mut facts = Vec::new();
    for (variable, value) in known {
        let Some((_, writes)) = writes(terms, value) else {
            facts.push(terms.eq(variable, value));
            continue;
        };
        let mut seen = FxHashSet::default();
        for (index, element) in writes {
            let available = terms.free_vars(&[element]).into_iter().all(shared);
            if seen.insert(index) && available {
                let read = terms.select(variable, index);
                facts.push(terms.eq(read, element));
            }
        }
    }
    facts
}

//! The definition of a sequence of interpolants, checked word by word.

use super::{InterpolationFailure, InterpolationOptions};
use crate::op::VarId;
use crate::solver::{Answer, Solver};
use crate::terms::{TermId, Terms};
use base::Cancel;
use rustc_hash::FxHashSet;

/// Whether `sequence` is an inductive sequence of interpolants for `groups`; if not, why.
pub(super) fn is_sequence(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    groups: &[TermId],
    sequence: &[TermId],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Result<Result<(), String>, InterpolationFailure> {
    let ends = (sequence.first().map(|&term| terms.as_bool(term)), sequence.last().map(|&term| terms.as_bool(term)));
    if sequence.len() != groups.len() + 1 || ends != (Some(Some(true)), Some(Some(false))) {
        return Ok(Err("the sequence has wrong ends or length".to_owned()));
    }
    if let Some(cut) = (0..sequence.len()).find(|&cut| terms.size(sequence[cut]) > options.max_size) {
        return Ok(Err(format!("interpolant {cut} is too large")));
    }
    if let Some(reason) = foreign_variable(terms, groups, sequence, options) {
        return Ok(Err(reason));
    }
    for (position, &group) in groups.iter().enumerate() {
        let negated = terms.not(sequence[position + 1]);
        let query = [sequence[position], group, negated];
        if super::query::check(terms, solver, &query, cancel)? == Answer::Sat {
            return Ok(Err(format!("interpolant {position} and formula {} do not imply the next", position + 1)));
        }
    }
    Ok(Ok(()))
}

/// A variable that an interpolant must not contain.
fn foreign_variable(
    terms: &Terms,
    groups: &[TermId],
    sequence: &[TermId],
    options: &InterpolationOptions,
) -> Option<String> {
    let shared: FxHashSet<VarId> = options.shared.iter().copied().collect();
    let vocabularies = Vocabularies::new(terms, groups);
    for (cut, &interpolant) in sequence.iter().enumerate() {
        let foreign = terms
            .free_vars(&[interpolant])
            .into_iter()
            .find(|variable| !shared.contains(variable) && !vocabularies.shares(*variable, cut));
        if let Some(variable) = foreign {
            return Some(format!("interpolant {cut} contains {}, which is not shared", terms.var_name(variable)));
        }
    }
    None
}

/// In which groups each variable occurs.
pub(super) struct Vocabularies {
    /// First and last group of a variable.
    spans: rustc_hash::FxHashMap<VarId, (usize, usize)>,
}

impl Vocabularies {
    pub(super) fn new(terms: &Terms, groups: &[TermId]) -> Vocabularies {
        let mut spans = rustc_hash::FxHashMap::default();
        for (position, &group) in groups.iter().enumerate() {
            for variable in terms.free_vars(&[group]) {
                spans.entry(variable).or_insert((position, position)).1 = position;
            }
        }
        Vocabularies { spans }
    }

    /// Whether the variable occurs in one of the first `cut` groups and in one of the others.
    pub(super) fn shares(&self, variable: VarId, cut: usize) -> bool {
        debug_assert!(
            self.spans.get(&variable).is_none_or(|&(first, last)| first <= last),
            "the first group does not come after the last"
        );
        self.spans.get(&variable).is_some_and(|&(first, last)| first < cut && last >= cut)
    }
}

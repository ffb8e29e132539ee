//! Weakest preconditions: from the end of the path backwards, the states that can still go on are described by
//! conjuncts; variables that the rest of the path does not know are eliminated.
//!
//! 1. Backwards: let Sn be empty (true); S(i-1) are conjuncts over variables of φ1 ... φ(i-1) that φi ∧ Si implies
//!    (`eliminate`). So ¬⋀S(i-1) ∧ φi implies ¬⋀Si.
//! 2. Forwards, from τ0 = true: a core of τ(i-1) ∧ φi ∧ Si keeps a few conjuncts of Si; τi is the negation of their
//!    conjunction. It is stronger than ¬⋀Si, so the next step still holds.
//!
//! All queries concern one formula of the path; the whole path, which may be hard, is never asked. The conjuncts of φi
//! in the cores are what the proof needs: the path, sliced.

use super::eliminate::{Writes, project};
use super::{InterpolationOptions, NoProposal, query};
use crate::op::VarId;
use crate::solver::{Answer, Solver};
use crate::terms::{TermId, Terms};
use base::Cancel;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most distinct subterms of one Si.
const LARGEST_STATE: usize = 20_000;
/// Solver calls spent on one core.
const CORE_CHECKS: usize = 6;

/// A proposal and the conjuncts of each group that it needs.
pub(super) struct Proof {
    pub(super) sequence: Vec<TermId>,
    pub(super) sliced: Vec<Vec<TermId>>,
}

pub(super) fn propose(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    path: &[Vec<TermId>],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Result<Proof, NoProposal> {
    let states = states(terms, solver, path, options, cancel)?;
    assert_eq!(states.len(), path.len().max(1), "what is known after each group");
    let (mut sequence, mut sliced) = (Vec::new(), Vec::new());
    let mut before = terms.truth();
    for (position, group) in path.iter().enumerate() {
        let (kept_group, kept_state) = step(terms, solver, before, group, &states[position], cancel)?
            .ok_or_else(|| NoProposal::Because(format!("what is known before formula {} is too weak", position + 2)))?;
        let all = terms.and(kept_state);
        before = terms.not(all);
        sliced.push(kept_group);
        sequence.push(before);
    }
    sequence.pop();
    Ok(Proof { sequence, sliced })
}

/// Step 1: S1, ..., Sn.
fn states(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    path: &[Vec<TermId>],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Result<Vec<Vec<TermId>>, NoProposal> {
    let first_use = first_uses(terms, path);
    let shared: FxHashSet<VarId> = options.shared.iter().copied().collect();
    let mut states: Vec<Vec<TermId>> = vec![Vec::new()];
    for position in (1..path.len()).rev() {
        cancel.check().map_err(NoProposal::Stopped)?;
        let mut conjuncts = path[position].clone();
        conjuncts.extend(states.last().expect("never empty"));
        let keeps = |variable: VarId| {
            shared.contains(&variable) || first_use.get(&variable).is_some_and(|&group| group < position)
        };
        let projected = project(terms, conjuncts.clone(), &keeps, Writes::Kept);
        let mut state = projected.conjuncts;
        if !projected.exact && query::check(terms, solver, &conjuncts, cancel)? == Answer::Unsat {
            state = vec![terms.falsity()];
        }
        if terms.reachable(&state).len() > LARGEST_STATE {
            return Err(NoProposal::Because("the preconditions are too large".to_owned()));
        }
        states.push(state);
    }
    states.reverse();
    Ok(states)
}

/// The conjuncts of a group and of a state.
type Parts = (Vec<TermId>, Vec<TermId>);

/// Step 2: the conjuncts of `group` and of `state` in a core together with `before`; `None` if there is a model.
fn step(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    before: TermId,
    group: &[TermId],
    state: &[TermId],
    cancel: &Cancel,
) -> Result<Option<Parts>, NoProposal> {
    let in_state: FxHashSet<TermId> = state.iter().copied().collect();
    let in_group: FxHashSet<TermId> = group.iter().copied().collect();
    let conjuncts: Vec<TermId> = std::iter::once(&before).chain(group).chain(state).copied().collect();
    // Each conjunct of the state that can go makes the interpolant simpler.
    let core = query::core(terms, solver, &conjuncts, &|part| in_state.contains(&part), CORE_CHECKS, cancel)?;
    Ok(core.map(|core| {
        let of_group = core.iter().copied().filter(|part| in_group.contains(part)).collect();
        let of_state = core.iter().copied().filter(|part| in_state.contains(part)).collect();
        (of_group, of_state)
    }))
}

/// The first group that mentions each variable.
fn first_uses(terms: &Terms, path: &[Vec<TermId>]) -> FxHashMap<VarId, usize> {
    let mut first = FxHashMap::default();
    for (position, group) in path.iter().enumerate() {
        for variable in terms.free_vars(group) {
            first.entry(variable).or_insert(position);
        }
    }
    first
}

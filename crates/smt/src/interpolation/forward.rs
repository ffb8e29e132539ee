//! Strongest postconditions: from the start of the path onwards, what is known is described by conjuncts; variables that
//! the rest of the path does not know are eliminated. The mirror image of `backward`, which has to keep every input that
//! is still to come, while here an input is what the memory that holds it says.
//!
//! 1. Forwards: let F0 be empty (true); Fi are conjuncts over variables of φ(i+1) ... φn that F(i-1) ∧ φi implies
//!    (`eliminate`). A path ends in a contradiction if nothing that matters was lost.
//! 2. Backwards, from τn = false: of F(i-1) only the conjuncts are kept that are needed for φi to lead to τi.

use super::check::Vocabularies;
use super::eliminate::{Writes, project};
use super::{InterpolationOptions, NoProposal, Proposal, atoms};
use crate::op::VarId;
use crate::solver::Solver;
use crate::terms::{TermId, Terms};
use base::Cancel;
use rustc_hash::FxHashSet;

/// Most distinct subterms of one Fi.
const LARGEST_STATE: usize = 5_000;

pub(super) fn propose(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    path: &[Vec<TermId>],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Proposal {
    let groups: Vec<TermId> = path.iter().map(|group| terms.and(group.iter().copied())).collect();
    let vocabularies = Vocabularies::new(terms, &groups);
    let shared: FxHashSet<VarId> = options.shared.iter().copied().collect();
    let mut facts: Vec<Vec<TermId>> = vec![Vec::new()];
    for (position, group) in path.iter().enumerate().take(path.len().saturating_sub(1)) {
        cancel.check().map_err(NoProposal::Stopped)?;
        let mut conjuncts = facts.last().expect("never empty").clone();
        conjuncts.extend(group);
        let keeps = |variable: VarId| shared.contains(&variable) || vocabularies.shares(variable, position + 1);
        let state = project(terms, conjuncts, &keeps, Writes::Undone).conjuncts;
        if terms.reachable(&state).len() > LARGEST_STATE {
            return Err(NoProposal::Because("the postconditions are too large".to_owned()));
        }
        facts.push(state);
    }
    assert!(facts.len() <= groups.len().max(1), "what is known before each group");
    atoms::reduce(terms, solver, &groups, facts, cancel) // 2
}

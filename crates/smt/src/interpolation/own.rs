//! The solver's own interpolants, as they are or of the reversed path.

use super::{NoProposal, Proposal};
use crate::solver::Solver;
use crate::terms::{TermId, Terms};
use base::Cancel;

pub(super) fn propose(terms: &mut Terms, solver: &mut dyn Solver, sliced: &[Vec<TermId>], cancel: &Cancel) -> Proposal {
    let groups = groups(terms, sliced);
    ask(terms, solver, &groups, cancel)
}

/// I is an interpolant of (B, A) if ¬I is one of (A, B).
pub(super) fn propose_reversed(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    sliced: &[Vec<TermId>],
    cancel: &Cancel,
) -> Proposal {
    let mut groups = groups(terms, sliced);
    groups.reverse();
    let mut sequence = ask(terms, solver, &groups, cancel)?;
    sequence.reverse();
    Ok(sequence.into_iter().map(|interpolant| terms.not(interpolant)).collect())
}

fn groups(terms: &mut Terms, sliced: &[Vec<TermId>]) -> Vec<TermId> {
    sliced.iter().map(|group| terms.and(group.iter().copied())).collect()
}

fn ask(terms: &mut Terms, solver: &mut dyn Solver, groups: &[TermId], cancel: &Cancel) -> Proposal {
    if groups.len() < 2 {
        return Ok(Vec::new());
    }
    let proposal = solver.interpolants(terms, groups, cancel);
    cancel.check().map_err(NoProposal::Stopped)?;
    match proposal {
        Some(sequence) if sequence.len() + 1 == groups.len() => Ok(sequence),
        Some(_) | None => Err(NoProposal::Because("the solver has none".to_owned())),
    }
}

//! Slicing: only the conjuncts of an unsatisfiable core take part.

use super::{InterpolationFailure, InterpolationOptions};
use crate::solver::{Answer, Solver};
use crate::terms::{TermId, Terms};
use base::Cancel;
use rustc_hash::FxHashSet;

/// The conjuncts of each group that a core needs.
pub(super) fn slice(
    terms: &Terms,
    solver: &mut dyn Solver,
    groups: &[TermId],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Result<Vec<Vec<TermId>>, InterpolationFailure> {
    let by_group: Vec<Vec<TermId>> = groups.iter().map(|&group| terms.conjuncts(group)).collect();
    let mut all: Vec<TermId> = by_group.iter().flatten().copied().collect();
    let mut seen = FxHashSet::default();
    all.retain(|&conjunct| seen.insert(conjunct));
    if solver.check_assuming(terms, &all, cancel)? == Answer::Sat {
        return Err(InterpolationFailure::Satisfiable);
    }
    let core = minimise(terms, solver, options.core_checks, cancel)?;
    Ok(by_group.into_iter().map(|group| group.into_iter().filter(|part| core.contains(part)).collect()).collect())
}

/// Makes the core of the last check smaller: each of its conjuncts is left out once, as long as checks remain.
fn minimise(
    terms: &Terms,
    solver: &mut dyn Solver,
    checks: u32,
    cancel: &Cancel,
) -> Result<FxHashSet<TermId>, InterpolationFailure> {
    let mut core = solver.failed_assumptions();
    debug_assert!(core.iter().collect::<FxHashSet<_>>().len() == core.len(), "a core names each conjunct once");
    let mut needed = 0;
    for _ in 0..checks {
        if needed >= core.len() {
            break;
        }
        assert!(needed < core.len(), "those that are needed stand at the end");
        let position = core.len() - 1 - needed;
        let mut without = core.clone();
        without.remove(position);
        match solver.check_assuming(terms, &without, cancel)? {
            Answer::Sat => needed += 1,
            Answer::Unsat => {
                let kept: FxHashSet<TermId> = core[core.len() - needed..].iter().copied().collect();
                core = solver.failed_assumptions();
                // Needed ones stay in every smaller core; keep them at the end.
                core.sort_by_key(|part| kept.contains(part));
            }
        }
    }
    Ok(core.into_iter().collect())
}

//! Queries about single formulas of a path. Most are decided by substituting definitions and rewriting, without the
//! solver.

use super::eliminate::without_definitions;
use crate::solver::{Answer, Solver, SolverFailure};
use crate::terms::{TermId, Terms};
use base::Cancel;

/// Whether the conjuncts have a model.
pub(super) fn check(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    conjuncts: &[TermId],
    cancel: &Cancel,
) -> Result<Answer, SolverFailure> {
    let rest = without_definitions(terms, conjuncts.to_vec());
    if rest.iter().any(|&part| terms.as_bool(part) == Some(false)) {
        return Ok(Answer::Unsat);
    }
    if rest.is_empty() {
        return Ok(Answer::Sat);
    }
    if terms.is_refuted_by_sums(&rest) {
        return Ok(Answer::Unsat);
    }
    solver.check_assuming(terms, &rest, cancel)
}

/// A core of conjuncts without a model; `None` if they have one. The conjuncts in `droppable` are left out first.
pub(super) fn core(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    conjuncts: &[TermId],
    droppable: &dyn Fn(TermId) -> bool,
    checks: usize,
    cancel: &Cancel,
) -> Result<Option<Vec<TermId>>, SolverFailure> {
    let mut core = conjuncts.to_vec();
    let plain = is_refuted(terms, &core);
    if !plain {
        if solver.check_assuming(terms, &core, cancel)? == Answer::Sat {
            return Ok(None);
        }
        core = solver.failed_assumptions();
    }
    debug_assert!(core.iter().all(|part| conjuncts.contains(part)), "a core is a part of what was asked");
    let mut candidates: Vec<TermId> = core.iter().rev().copied().collect();
    candidates.sort_by_key(|&part| !droppable(part));
    let mut checks = checks;
    for candidate in candidates {
        let without: Vec<TermId> = core.iter().copied().filter(|&part| part != candidate).collect();
        if without.len() == core.len() {
            continue;
        }
        if is_refuted(terms, &without) {
            core = without;
        } else if !plain && checks > 0 && droppable(candidate) {
            checks -= 1;
            if solver.check_assuming(terms, &without, cancel)? == Answer::Unsat {
                core = solver.failed_assumptions();
                debug_assert!(!core.contains(&candidate), "it was left out");
            }
        }
    }
    Ok(Some(core))
}

/// Whether substitution and rewriting alone lead to false.
fn is_refuted(terms: &mut Terms, conjuncts: &[TermId]) -> bool {
    let rest = without_definitions(terms, conjuncts.to_vec());
    rest.iter().any(|&part| terms.as_bool(part) == Some(false)) || terms.is_refuted_by_sums(&rest)
}

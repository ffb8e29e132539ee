//! Facts over the conditions that the program itself tests on the path: they speak the program's language and carry
//! over to other iterations, which weakest preconditions with their constants often do not.
//!
//! Let P be the atoms of the path's conditions without SSA indices, and P(i) those over the instances that are current
//! after φi.
//! 1. Forwards: τi is the conjunction of all literals over P(i) that τ(i-1) ∧ φi implies.
//! 2. If τ(n-1) ∧ φn has a model, the conditions are not enough.
//! 3. Backwards: of τ(i-1) only the literals that are needed for φi to lead to the reduced τi are kept.

use super::check::Vocabularies;
use super::{InterpolationOptions, NoProposal, Proposal, query, values};
use crate::op::{Op, VarId};
use crate::solver::{Answer, Solver};
use crate::ssa::SsaMap;
use crate::terms::{TermId, Terms};
use base::Cancel;
use rustc_hash::FxHashSet;

/// Atoms times formulas: beyond this the solver calls cost more than the other strategies.
const MOST_QUERIES: usize = 1200;
/// Solver calls spent on one core.
const CORE_CHECKS: usize = 6;

pub(super) fn propose(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    sliced: &[Vec<TermId>],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Proposal {
    let atoms = tested_atoms(terms, sliced);
    if atoms.is_empty() || atoms.len() > options.max_atoms || atoms.len() * sliced.len() > MOST_QUERIES {
        return Err(NoProposal::Because(format!("{} tested conditions", atoms.len())));
    }
    over(terms, solver, sliced, (&atoms, &[]), options, cancel)
}

/// The same with the values that the path computes.
pub(super) fn propose_with_values(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    sliced: &[Vec<TermId>],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Proposal {
    let values = values::known(terms, sliced, &options.shared);
    if values.iter().all(Vec::is_empty) {
        return Err(NoProposal::Because("the path computes no values".to_owned()));
    }
    let mut atoms = tested_atoms(terms, sliced);
    if atoms.len() > options.max_atoms || atoms.len() * sliced.len() > MOST_QUERIES {
        atoms.clear();
    }
    over(terms, solver, sliced, (&atoms, &values), options, cancel)
}

/// Steps 1 to 3; `values` are facts after each group that are known to hold.
fn over(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    sliced: &[Vec<TermId>],
    (atoms, values): (&[TermId], &[Vec<TermId>]),
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Proposal {
    let groups: Vec<TermId> = sliced.iter().map(|group| terms.and(group.iter().copied())).collect();
    let instances = instances(terms, &groups, atoms, options);
    assert_eq!(instances.len(), groups.len(), "the atoms after each group");
    assert!(values.len() <= groups.len(), "values are known after groups");
    let mut facts: Vec<Vec<TermId>> = vec![Vec::new()];
    for (position, (group, atoms)) in groups.iter().zip(&instances).enumerate() {
        let before = facts.last().expect("never empty").clone();
        let mut here = implied(terms, solver, &before, *group, atoms, cancel)?; // 1
        here.extend(values.get(position).into_iter().flatten());
        facts.push(here);
    }
    let first_contradiction =
        facts.iter().position(|facts| facts.iter().any(|&fact| terms.as_bool(fact) == Some(false)));
    if first_contradiction.is_none() {
        return Err(NoProposal::Because("the tested conditions are not enough".to_owned())); // 2
    }
    reduce(terms, solver, &groups, facts, cancel) // 3
}

/// The atoms of conditions, without SSA indices: of assumptions, and of conditionals in definitions.
fn tested_atoms(terms: &mut Terms, sliced: &[Vec<TermId>]) -> Vec<TermId> {
    let mut known: FxHashSet<VarId> = FxHashSet::default();
    let mut conditions = Vec::new();
    for &conjunct in sliced.iter().flatten() {
        if !is_definition(terms, conjunct, &known) {
            conditions.push(conjunct);
        }
        known.extend(terms.free_vars(&[conjunct]));
    }
    let all: Vec<TermId> = sliced.iter().flatten().copied().collect();
    for part in terms.reachable(&all) {
        if terms.op(part) == Op::Ite {
            conditions.push(terms.triple(part).0);
        }
    }
    let mut atoms = Vec::new();
    for condition in conditions {
        for atom in terms.atoms(condition) {
            let plain = terms.uninstantiate(atom);
            if terms.as_bool(plain).is_none() && !atoms.contains(&plain) {
                atoms.push(plain);
            }
        }
    }
    atoms
}

/// Whether the conjunct is an equation for a variable that nothing before it mentions.
fn is_definition(terms: &Terms, conjunct: TermId, known: &FxHashSet<VarId>) -> bool {
    let is_new = |term: TermId| terms.as_var(term).is_some_and(|variable| !known.contains(&variable));
    match terms.op(conjunct) {
        Op::Eq => {
            let (a, b) = terms.pair(conjunct);
            is_new(a) || is_new(b)
        }
        _ => false,
    }
}

/// For each group, the atoms over the instances that are current after it and known to the rest of the path; none
/// after the last.
fn instances(
    terms: &mut Terms,
    groups: &[TermId],
    atoms: &[TermId],
    options: &InterpolationOptions,
) -> Vec<Vec<TermId>> {
    let vocabularies = Vocabularies::new(terms, groups);
    let shared: FxHashSet<VarId> = options.shared.iter().copied().collect();
    let mut current = SsaMap::default();
    let mut result = Vec::new();
    for (position, &group) in groups.iter().enumerate() {
        for variable in terms.free_vars(&[group]) {
            if let (name, Some(index)) = terms.ssa_symbol(variable)
                && index >= current.index(name)
            {
                current.set(name, index);
            }
        }
        let mut here = Vec::new();
        for &atom in atoms {
            let instance = terms.rename(atom, |name, _| current.is_assigned(name).then(|| current.index(name)));
            let available = terms
                .free_vars(&[instance])
                .iter()
                .all(|variable| shared.contains(variable) || vocabularies.shares(*variable, position + 1));
            if available && terms.as_bool(instance).is_none() && position + 1 < groups.len() {
                here.push(instance);
            }
        }
        result.push(here);
    }
    result
}

/// The literals over `atoms` that `before` and `group` imply; false if they have no model.
fn implied(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    before: &[TermId],
    group: TermId,
    atoms: &[TermId],
    cancel: &Cancel,
) -> Result<Vec<TermId>, NoProposal> {
    if before.iter().any(|&fact| terms.as_bool(fact) == Some(false)) {
        return Ok(before.to_vec());
    }
    let mut known = before.to_vec();
    known.push(group);
    if query::check(terms, solver, &known, cancel)? == Answer::Unsat {
        return Ok(vec![terms.falsity()]);
    }
    let mut facts = Vec::new();
    for &atom in atoms {
        let negated = terms.not(atom);
        for (literal, opposite) in [(atom, negated), (negated, atom)] {
            known.push(opposite);
            let answer = query::check(terms, solver, &known, cancel)?;
            known.pop();
            if answer == Answer::Unsat {
                facts.push(literal);
                break;
            }
        }
    }
    Ok(facts)
}

/// Keeps of each τ(i-1) the literals that φi needs to lead to the reduced τi.
pub(super) fn reduce(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    groups: &[TermId],
    facts: Vec<Vec<TermId>>,
    cancel: &Cancel,
) -> Proposal {
    let mut after = terms.falsity();
    let mut sequence = Vec::new();
    for position in (1..groups.len()).rev() {
        let negated = terms.not(after);
        let mut conjuncts = vec![groups[position], negated];
        conjuncts.extend(&facts[position]);
        let literals: FxHashSet<TermId> = facts[position].iter().copied().collect();
        let is_literal = |part: TermId| literals.contains(&part);
        let core = query::core(terms, solver, &conjuncts, &is_literal, CORE_CHECKS, cancel)?;
        let core = core.ok_or_else(|| NoProposal::Because("a step does not follow".to_owned()))?;
        let needed: Vec<TermId> = core.into_iter().filter(|&part| is_literal(part)).collect();
        after = terms.and(needed);
        sequence.push(after);
    }
    assert_eq!(sequence.len() + 1, groups.len(), "a fact between every two groups");
    sequence.reverse();
    Ok(sequence)
}

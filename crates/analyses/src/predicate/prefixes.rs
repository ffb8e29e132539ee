//! Infeasible sliced prefixes of one path in the predicate domain [BLW15a], with interpolants at its abstraction states.

use super::refine::Spine;
use analysis::ErrorPath;
use base::Id;
use cfa::Op;
use domains::predicate::PredicateCpa;
use encode::{Chain, PathId, Paths, SlotKind};
use engine::board::Board;
use engine::refinement::Measurements;
use smt::TermId;
use std::collections::BTreeSet;
use verdict::Stop;

/// A reason why a path is infeasible.
pub(super) struct Prefix {
    /// What excludes it, for each abstraction state of the path.
    pub facts: Vec<TermId>,
    pub measured: Measurements,
}

/// What a predicate over something that is not a variable costs.
const MEMORY: u64 = 256;

/// ExtractInfeasibleSlicedPrefixes [Loewe17, Alg. 2] with path formulas: a branch that contradicts what came before
/// ends a prefix and counts as `[true]` in those that follow. Then interpolants for each.
pub(super) fn of(
    cpa: &mut PredicateCpa,
    board: &Board,
    (path, spine): (&ErrorPath, &Spine),
    most: usize,
    costs: &[u64],
) -> Result<Vec<Prefix>, Stop> {
    let mut contradictions: Vec<usize> = Vec::new();
    let mut feasible = Paths::PROGRAM;
    let known = board.refuted(&path.steps);
    for (at, step) in path.steps.iter().enumerate() {
        if matches!(cpa.program.edges[step.edge].op, Op::Unsupported(_)) {
            break;
        }
        let longer = cpa.longer(feasible, step);
        let branch = matches!(cpa.program.edges[step.edge].op, Op::Assume(_));
        // What is known is about the path itself: nothing was sliced away before its first contradiction.
        let refuted = contradictions.is_empty() && known == Some(at + 1);
        if branch && (refuted || !is_possible(cpa, longer)?) {
            if contradictions.is_empty() {
                board.refute(&path.steps[..=at]);
            }
            contradictions.push(at);
            if contradictions.len() == most {
                break;
            }
        } else {
            feasible = longer;
        }
    }
    let mut found = Vec::new();
    for &end in &contradictions {
        found.extend(prefix(cpa, path, spine, &contradictions, end, costs)?);
    }
    Ok(found)
}

fn is_possible(cpa: &mut PredicateCpa, path: PathId) -> Result<bool, Stop> {
    cpa.cancel.check()?;
    let block = cpa.block(path);
    cpa.satisfiable(&[block.formula])
}

/// The interpolants of the prefix that ends at one of the contradictions; `None` if there is no state to describe.
fn prefix(
    cpa: &mut PredicateCpa,
    path: &ErrorPath,
    spine: &Spine,
    contradictions: &[usize],
    end: usize,
    costs: &[u64],
) -> Result<Option<Prefix>, Stop> {
    let mut chain = Chain::default();
    let mut positions = Vec::new();
    let mut current = Paths::PROGRAM;
    let mut states = spine.states.iter();
    for (at, (step, node)) in path.steps.iter().zip(&path.nodes).enumerate().take(end + 1) {
        if at == end || !contradictions.contains(&at) {
            current = cpa.longer(current, step);
        }
        if let Some(&(_, state)) = states.as_slice().first().filter(|(start, _)| start == node) {
            states.next();
            let block = cpa.block(current);
            chain.push(&mut cpa.encoder, &block);
            let fact = cpa.fact(cpa.node(state));
            chain.assume(&mut cpa.encoder, fact);
            current = Paths::BLOCK;
            positions.push(at);
        }
    }
    if positions.is_empty() {
        return Ok(None);
    }
    let last = cpa.block(current);
    chain.finish(&mut cpa.encoder, &last);
    chain.ground(&mut cpa.encoder);
    let sequence = match cpa.interpolants(&chain.groups) {
        Ok(sequence) => sequence,
        Err(stop @ Stop::Limit(_)) => return Err(stop),
        Err(_) => return Ok(None),
    };
    let mut facts: Vec<TermId> = sequence[1..=positions.len()].iter().map(|&fact| cpa.encoder.at_start(fact)).collect();
    let measured = measure(cpa, &facts, &positions, end, costs);
    assert!(facts.len() <= spine.states.len(), "a prefix has no more abstraction states than its path");
    facts.resize(spine.states.len(), cpa.encoder.terms.truth());
    Ok(Some(Prefix { facts, measured }))
}

fn measure(cpa: &PredicateCpa, facts: &[TermId], positions: &[usize], end: usize, costs: &[u64]) -> Measurements {
    let terms = &cpa.encoder.terms;
    let open: Vec<usize> = facts
        .iter()
        .zip(positions)
        .filter(|(fact, _)| terms.as_bool(**fact) != Some(true))
        .map(|(_, at)| *at)
        .collect();
    assert_eq!(costs.len(), cpa.program.vars.len(), "every variable has a cost");
    let mut named = BTreeSet::new();
    let mut score = 0;
    for variable in terms.free_vars(facts) {
        let (name, _) = terms.ssa_parts(variable);
        match cpa.encoder.slots.named(name).map(|slot| cpa.encoder.slots.kind(slot)) {
            Some(
                SlotKind::Register(var, _)
                | SlotKind::Piece(var, ..)
                | SlotKind::Address(var, _)
                | SlotKind::Alive(var),
            ) => {
                named.insert(var);
            }
            Some(SlotKind::Cell(_) | SlotKind::Next(_) | SlotKind::HeapCount) | None => score += MEMORY,
        }
    }
    score += named.iter().map(|var| costs[var.index()]).sum::<u64>();
    Measurements {
        length: end as u64,
        width: open.len() as u64,
        depth: open.first().copied().unwrap_or(end) as u64,
        score,
    }
}

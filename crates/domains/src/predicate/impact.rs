//! IMPACT refinement and forced covering [BDW18, sections 3.2.4 and 3.3; McM06].

use super::abstraction::Abstract;
use super::cpa::{BlockId, BlockRole, PredicateCpa, State};
use super::interpolants::WithPredicates;
use super::{Forced, RefinementKind};
use analysis::{Analysis, ArgId, Cpa, Reached};
use encode::Chain;
use smt::TermId;
use std::time::Instant;
use verdict::Stop;

/// How many states are tried for forced covering: the oldest are the most general.
const MOST_CANDIDATES: usize = 8;

/// Conjoins facts to abstraction states. States that one of them covered are looked at again, states that became false
/// are removed, and states that became stronger may be covered now.
///
/// Deviates from [BDW18]: what lies below a covered state is removed, not kept aside.
pub fn strengthen<'p, C: WithPredicates<'p>>(
    cpa: &mut C,
    reached: &mut Reached<C::State>,
    states: &[(ArgId, BlockId)],
    facts: &[TermId],
) -> Result<(), Stop> {
    let mut stronger = Vec::new();
    for (&(node, block), &fact) in states.iter().zip(facts) {
        let predicates = cpa.predicates();
        let psi = predicates.blocks[block].psi.formula;
        if predicates.entails(psi, fact)? {
            continue;
        }
        // What strengthens the state need not be a predicate: only the solver can compare it.
        predicates.blocks[block].psi = Abstract { formula: predicates.encoder.terms.and([psi, fact]), region: None };
        stronger.push((node, block));
        for covered in reached.arg.covers(node).to_vec() {
            if !cpa.covers(reached.arg.state(node), reached.arg.state(covered))? {
                reached.uncover(cpa, covered);
            }
        }
    }
    for (node, block) in stronger {
        if reached.arg.is_removed(node) {
            continue;
        }
        let predicates = cpa.predicates();
        let psi = predicates.blocks[block].psi.formula;
        if !predicates.satisfiable(&[psi])? {
            reached.discard(cpa, node);
        } else {
            cover(cpa, reached, node)?;
        }
    }
    Ok(())
}

/// Lets an older state cover a node that is not covered yet.
fn cover<C: Analysis>(cpa: &mut C, reached: &mut Reached<C::State>, node: ArgId) -> Result<(), Stop> {
    let mut keys = Vec::new();
    let (state, place) = (reached.arg.state(node).clone(), reached.arg.place(node));
    cpa.covering_keys(&state, place, &mut keys);
    for key in keys {
        for by in reached.drawer(cpa, place, key).into_iter().filter(|&by| by < node) {
            if cpa.covers(reached.arg.state(by), &state)? {
                reached.cover(cpa, node, by);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The abstraction states from the root to a node, the node last.
fn spine(reached: &Reached<State>, node: ArgId) -> Vec<(ArgId, BlockId)> {
    let mut states = Vec::new();
    let mut at = Some(node);
    while let Some(id) = at {
        let state = reached.arg.state(id);
        if state.role == BlockRole::Start {
            states.push((id, state.block));
        }
        at = reached.arg.parent(id).map(|(parent, _)| parent);
    }
    states.reverse();
    states
}

/// fcover: a state is covered by an older one e' if ψ' holds at its end of the path from their nearest common
/// ancestor; the states between are strengthened by interpolants of that proof.
pub(super) fn force_cover(cpa: &mut PredicateCpa, reached: &mut Reached<State>, node: ArgId) -> Result<bool, Stop> {
    let state = *reached.arg.state(node);
    if cpa.options.refinement == RefinementKind::Predicates
        || cpa.options.force_cover == Forced::Never
        || state.role != BlockRole::Start
    {
        return Ok(false);
    }
    let start = Instant::now();
    let result = try_cover(cpa, reached, node, state);
    cpa.counters.time_since("forced covering", start);
    result
}

fn try_cover(cpa: &mut PredicateCpa, reached: &mut Reached<State>, node: ArgId, state: State) -> Result<bool, Stop> {
    let place = reached.arg.place(node);
    let mut candidates = reached.drawer(cpa, place, 0);
    candidates.retain(|&by| by < node);
    candidates.sort_unstable();
    for by in candidates.into_iter().take(MOST_CANDIDATES) {
        let goal = cpa.blocks[reached.arg.state(by).block].psi.formula;
        if cpa.encoder.terms.as_bool(goal) == Some(true) {
            reached.cover(cpa, node, by);
            return Ok(true);
        }
        let (mine, theirs) = (spine(reached, node), spine(reached, by));
        let shared = mine.iter().zip(&theirs).take_while(|(x, y)| x == y).count();
        let (ancestor, below) = (mine[shared - 1].1, &mine[shared..]);
        let chain = cover_chain(cpa, ancestor, below, goal);
        if cpa.satisfiable(&chain.groups)? {
            continue;
        }
        let Ok(sequence) = cpa.interpolants(&chain.groups) else { continue };
        // τ after each block: group 0 is what is known of the ancestor.
        let facts = &sequence[2..=below.len()];
        let mut facts: Vec<TermId> = facts.iter().map(|&fact| cpa.encoder.at_start(fact)).collect();
        facts.push(goal);
        cpa.counters.add("forced coverings", 1);
        strengthen(cpa, reached, below, &facts)?;
        if reached.arg.is_removed(node) || reached.arg.covered_by(node).is_some() {
            return Ok(true);
        }
        let open = !reached.arg.is_removed(by) && reached.arg.covered_by(by).is_none();
        if open && cpa.covers(&reached.arg.state(by).clone(), &state)? {
            reached.cover(cpa, node, by);
            return Ok(true);
        }
    }
    Ok(false)
}

/// ψ of the ancestor, the blocks below it, and that the goal does not hold at the end.
fn cover_chain(cpa: &mut PredicateCpa, ancestor: BlockId, below: &[(ArgId, BlockId)], goal: TermId) -> Chain {
    let psi = cpa.known(ancestor);
    let mut chain = Chain::from_place(&mut cpa.encoder, psi);
    for &(_, state) in below {
        cpa.extend(&mut chain, state);
    }
    let holds = chain.here(&mut cpa.encoder, goal);
    let fails = cpa.encoder.terms.not(holds);
    chain.groups.push(fails);
    if cpa.blocks[ancestor].before.is_none() {
        chain.ground(&mut cpa.encoder);
    }
    chain
}

//! The check of a closed family of sets before it counts as a proof, and its invariants at loop heads, which a solver
//! checks once more.

use super::ExplorationSettings;
use super::obligations::{Known, Obligations};
use super::search::{Search, outside};
use crate::inductive::{self, Claim, Confirmed};
use analysis::sets::SetDomain;
use analysis::{Beside, Export, Place};
use base::{Budget, Counters};
use cfa::{BinOp, ExprId, Exprs, FunctionId, Node};
use encode::memory_model;
use flow::Prepared;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use verdict::{HeadStates, Proof, Stop};

/// A location with more different value states than this gets no invariant (that is, `true`).
const MOST_DISJUNCTS: usize = 64;
/// A longer invariant helps no reader.
const LONGEST: u64 = 2000;

/// Every step from every set leads into the sets after it, and the start is inside.
pub fn prove<C: Beside + Export, D: SetDomain>(
    program: &Prepared,
    search: Search<C, D>,
    settings: &ExplorationSettings,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let begun = Instant::now();
    let Search { mixed, precision, mut stacks, reached, passed, .. } = search;
    let failed = |node: Node| Stop::Evidence(format!("the reached sets are not inductive at {node}"));
    let start = stacks.start(program);
    let initial = mixed.values.initial();
    if let Some(state) = mixed.values.adjust(initial, start, precision)? {
        let set = mixed.sets.initial();
        let missing = outside(mixed, &reached, start, &state, set)?;
        if !mixed.sets.is_empty(&missing) {
            return Err(failed(start.node));
        }
    }
    let mut places: Vec<(Place, u64)> = reached.keys().copied().collect();
    places.sort_unstable();
    let mut next = Vec::new();
    for at in &places {
        settings.cancel.check()?;
        let (place, (state, set)) = (at.0, &reached[at]);
        if program.target_at(place.node).is_some() {
            return Err(failed(place.node));
        }
        passed.successors(program, mixed, precision, &mut stacks, (place, *state, set), &mut next)?;
        for (step, successor) in next.drain(..) {
            let missing = outside(mixed, &reached, step.to, &successor.state, successor.set)?;
            if !mixed.sets.is_empty(&missing) {
                return Err(failed(step.to.node));
            }
        }
    }
    counters.time_since("recomputation of successors", begun);
    let begun = Instant::now();
    let mut exprs = program.exprs.clone();
    let mut heads: BTreeMap<Node, Vec<ExprId>> = BTreeMap::new();
    for (node, info) in program.nodes.iter() {
        if info.loop_head {
            heads.insert(node, Vec::new());
        }
    }
    let mut claim = Claim::Sufficient;
    for at in &places {
        let (place, (state, set)) = (at.0, &reached[at]);
        let Some(disjuncts) = heads.get_mut(&place.node) else { continue };
        if !mixed.values.tells_all(state, place.node, stacks.depth(place.stack)) {
            claim = Claim::Partial;
        }
        if disjuncts.len() <= MOST_DISJUNCTS {
            let values = mixed.values.formula(state, place.node, stacks.depth(place.stack), &mut exprs);
            let sets = mixed.sets.invariant(program, &mut exprs, set, place.node)?;
            disjuncts.push(both(&mut exprs, values, sets));
        }
    }
    let mut invariants = Vec::new();
    for (node, disjuncts) in heads {
        if disjuncts.len() <= MOST_DISJUNCTS {
            invariants.push((node, any(&mut exprs, disjuncts)));
        }
    }
    assert!(invariants.is_sorted_by_key(|(node, _)| *node), "a loop head has one invariant");
    let model = memory_model(program, settings.cancel)?;
    let obligations = Obligations::new(program, &model);
    let mut cuts: BTreeMap<Place, Vec<ExprId>> = BTreeMap::new();
    for at in places.iter().filter(|at| obligations.is_cut(at.0.node)) {
        let (state, set) = &reached[at];
        let values = mixed.values.whole(state, at.0.node, &mut exprs);
        let sets = mixed.sets.formula(program, &mut exprs, set)?;
        cuts.entry(at.0).or_default().push(both(&mut exprs, values, sets));
    }
    let entered: BTreeSet<FunctionId> = places.iter().map(|at| program.nodes[at.0.node].function).collect();
    let entered = entered.into_iter().collect();
    let (mut formulas, mut states) = (BTreeMap::new(), Vec::new());
    for (place, disjuncts) in cuts {
        if program.nodes[place.node].loop_head {
            let (calls, any_of) = (stacks.calls(place.stack), disjuncts.clone());
            states.push(HeadStates { calls, node: Some(place.node), any_of });
        }
        formulas.insert(place, any(&mut exprs, disjuncts));
    }
    let known = Known { exprs: &exprs, complete: C::ALONE, formulas: &formulas };
    let mut what = "states at loop heads and calls";
    let limit = settings.cancel.within(if C::ALONE { Budget::SetsAlone } else { Budget::Sets });
    let mut confirmed = obligations.check(&known, &mut stacks, settings.backend, &limit)?;
    if !C::ALONE && confirmed != Confirmed::Yes {
        // Without the calls that led to a loop head there is less to say, and less to prove.
        what = "invariants at loop heads";
        confirmed = inductive::check((program, &model), settings.backend, &exprs, &invariants, claim, settings.cancel)?;
    }
    counters.time_since("check by a solver", begun);
    settings.cancel.check()?;
    let mut checked = "The successors of every reached set were recomputed and lie in the reached sets.".to_owned();
    match confirmed {
        Confirmed::Yes => {
            checked.push_str(&format!(" A solver confirmed that the {what} are inductive and exclude errors."));
        }
        Confirmed::NotTried(why) => checked.push_str(&format!(" No solver confirmed that: {why}.")),
    }
    invariants.retain(|(_, invariant)| length(&exprs, *invariant) <= LONGEST);
    Ok(Proof { exprs, invariants, checked, states, entered, ..Proof::default() })
}

fn both(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    match (exprs.constant(a), exprs.constant(b)) {
        (Some(1), _) | (_, Some(0)) => b,
        (_, Some(1)) | (Some(0), _) => a,
        _ => exprs.binary(BinOp::And, a, b),
    }
}

fn any(exprs: &mut Exprs, mut disjuncts: Vec<ExprId>) -> ExprId {
    disjuncts.sort_unstable();
    disjuncts.dedup();
    if let Some(&all) = disjuncts.iter().find(|&&disjunct| exprs.constant(disjunct) == Some(1)) {
        return all;
    }
    disjuncts.retain(|&disjunct| exprs.constant(disjunct) != Some(0));
    disjuncts.into_iter().reduce(|a, b| exprs.binary(BinOp::Or, a, b)).unwrap_or_else(|| exprs.bool(false))
}

/// How long an expression is when it is written down: shared parts count as often as they occur.
fn length(exprs: &Exprs, root: ExprId) -> u64 {
    let mut lengths: BTreeMap<ExprId, u64> = BTreeMap::new();
    exprs.visit(root, |id, expr| {
        let below = expr.operands().map(|operand| lengths[&operand]).fold(1, u64::saturating_add);
        lengths.insert(id, below);
    });
    lengths[&root]
}

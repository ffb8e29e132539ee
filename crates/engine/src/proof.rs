//! The check of a closed reached set before it counts as a proof, and its invariants for the outside.

use crate::cpa::is_target;
use crate::head_states::head_states;
use analysis::{Analysis, ArgId, Export, Move, Reached, Step};
use base::{Cancel, Id};
use cfa::{BinOp, ExprId, Exprs, FunctionId, Node, Op, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use verdict::{Goals, Proof, Stop};

/// A location with more different states than this gets no invariant (that is, `true`).
const MOST_DISJUNCTS: usize = 64;

/// Checks that the reached set contains the initial states, no target that is asked about, and with every state that is
/// not covered all its successors, once per state and step. `strongest` is a precision that drops nothing: whatever
/// precision a state was found with, it must stand for all that the strongest post yields.
pub fn check<C: Analysis>(
    (program, goals): (&Program, &Goals),
    cpa: &mut C,
    strongest: &C::Precision,
    reached: &mut Reached<C::State>,
    cancel: &Cancel,
) -> Result<(), Stop> {
    let wrong = |what: String| Err(Stop::Evidence(what));
    assert!(reached.is_done(), "a proof is about a closed reached set");
    let start = reached.stacks.start(program);
    let initial = cpa.initial();
    if reached.covering(cpa, &initial, start)?.is_none() {
        return wrong("the initial state is missing".into());
    }
    let nodes: Vec<_> = reached.arg.ids().collect();
    let mut joined: FxHashMap<ArgId, Vec<ArgId>> = FxHashMap::default();
    for &id in &nodes {
        for (parent, _) in reached.arg.parents(id).skip(1) {
            joined.entry(parent).or_default().push(id);
        }
    }
    let (mut steps, mut next) = (Vec::new(), Vec::new());
    for (count, &id) in nodes.iter().enumerate() {
        if count.is_multiple_of(256) {
            cancel.check()?;
        }
        let state = reached.arg.state(id).clone();
        if let Some(by) = reached.arg.covered_by(id) {
            if reached.arg.is_removed(by) || !cpa.covers(reached.arg.state(by), &state)? {
                return wrong(format!("{by} does not cover {id}"));
            }
            continue;
        }
        steps.clear();
        reached.stacks.steps(program, reached.arg.place(id), &mut steps);
        return_to_all(program, reached, id, &mut steps);
        for step in &mut steps {
            next.clear();
            let shared = reached.contexts.as_ref().and_then(|contexts| contexts.entry((id, step.edge)));
            if let (Move::Enter, Some(entry)) = (step.kind, shared) {
                cpa.post(&state, step, strongest, &mut next)?;
                for successor in next.drain(..) {
                    let open = reached.arg.covered_by(entry).is_none() && !reached.arg.is_removed(entry);
                    let here = reached.arg.place(entry).node == step.to.node;
                    if !open || !here || !cpa.covers(reached.arg.state(entry), &successor)? {
                        return wrong(format!("{entry} is not what {id} calls"));
                    }
                }
                continue;
            }
            // The domain answers for steps over calls; here only whether the call was entered counts. Domains whose states
            // settle enter all calls.
            let entered = C::SETTLES || reached.arg.children(id).any(|child| reached.arg.place(child) == step.to);
            if step.kind == Move::Enter && !entered {
                *step = reached.stacks.over(program, step);
            }
            match program.edges[step.edge].op {
                Op::Unsupported(_) if !C::SETTLES => next.push(state.clone()),
                _ => cpa.post(&state, step, strongest, &mut next)?,
            }
            for successor in next.drain(..) {
                if goals.is_closed(step.to.node) {
                    // Nothing is after it.
                    continue;
                }
                if is_target(program, goals, step) || cpa.is_goal(&successor) {
                    if cpa.is_empty(&successor, step.to)? {
                        continue;
                    }
                    let op = program.op_text(&program.edges[step.edge].op);
                    return wrong(format!("{id} at {} leads to a target by `{op}`", step.from.node));
                }
                let merged = joined.get(&id).map_or(&[][..], Vec::as_slice);
                if !is_covered(cpa, reached, (id, merged), step, &successor)? && !cpa.is_empty(&successor, step.to)? {
                    return wrong(format!("a successor of {id} at {} is missing", step.to.node));
                }
            }
        }
    }
    Ok(())
}

/// At the exit of a shared call, the steps are returns to all its callers.
fn return_to_all<S: Clone + PartialEq>(program: &Program, reached: &Reached<S>, id: ArgId, steps: &mut Vec<Step>) {
    let Some(contexts) = &reached.contexts else { return };
    let from = reached.arg.place(id);
    if let Some(callers) = contexts.callers_of(from.stack)
        && let Some(at) = steps.iter().position(|step| step.kind == Move::Leave)
    {
        steps.remove(at);
        let returns = |&(call, edge): &(ArgId, _)| reached.stacks.leave(program, from, edge, reached.arg.place(call));
        steps.extend(callers.iter().map(returns));
    }
}

/// Whether a child along the step, perhaps one that others were merged into, or else some state there, stands for all
/// of the successor.
fn is_covered<C: Analysis>(
    cpa: &mut C,
    reached: &mut Reached<C::State>,
    (parent, merged): (ArgId, &[ArgId]),
    step: &Step,
    successor: &C::State,
) -> Result<bool, Stop> {
    for child in reached.arg.children(parent).chain(merged.iter().copied()) {
        if reached.arg.place(child) == step.to && cpa.covers(reached.arg.state(child), successor)? {
            return Ok(true);
        }
    }
    Ok(reached.covering(cpa, successor, step.to)?.is_some())
}

/// The invariants at loop heads: the disjunction of the states that were reached there.
pub fn invariants<C: Analysis + Export>(
    program: &Program,
    cpa: &C,
    reached: &Reached<C::State>,
    checked: &str,
) -> Proof {
    let mut exprs = program.exprs.clone();
    let mut at_head: Vec<Option<BTreeSet<ExprId>>> = vec![None; program.nodes.len()];
    for id in reached.arg.ids() {
        let place = reached.arg.place(id);
        if !program.nodes[place.node].loop_head || reached.arg.covered_by(id).is_some() {
            continue;
        }
        let disjuncts = at_head[place.node.index()].get_or_insert_default();
        if disjuncts.len() <= MOST_DISJUNCTS {
            let depth = reached.stacks.depth(place.stack);
            disjuncts.insert(cpa.formula(reached.arg.state(id), place.node, depth, &mut exprs));
        }
    }
    let mut invariants = Vec::new();
    for (node, disjuncts) in at_head.into_iter().enumerate() {
        if let Some(disjuncts) = disjuncts
            && disjuncts.len() <= MOST_DISJUNCTS
            && let Some(invariant) = any(&mut exprs, disjuncts)
        {
            invariants.push((Node::new(node), invariant));
        }
    }
    assert!(invariants.is_sorted_by_key(|(node, _)| *node), "a loop head has one invariant");
    let states = head_states(program, cpa, reached, &mut exprs);
    let entered: BTreeSet<FunctionId> =
        reached.arg.ids().map(|id| program.nodes[reached.arg.place(id).node].function).collect();
    let entered = entered.into_iter().collect();
    Proof { exprs, invariants, checked: checked.to_owned(), states, entered, ..Proof::default() }
}

/// The disjunction; `None` if it is trivially true.
fn any(exprs: &mut Exprs, disjuncts: BTreeSet<ExprId>) -> Option<ExprId> {
    if disjuncts.iter().any(|&disjunct| exprs.constant(disjunct) == Some(1)) {
        return None;
    }
    disjuncts.into_iter().reduce(|a, b| exprs.binary(BinOp::Or, a, b))
}

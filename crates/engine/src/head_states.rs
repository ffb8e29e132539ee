//! The states of a reached set at loop heads, by the calls that lead there, for the check of the proof by a second encoder,
//! which follows calls: invariants without the calls often do not suffice.
//!
//! Calls that were stepped over have no states inside. What was known after such a call is what the call cannot change,
//! so it holds all the time inside it.

use analysis::{Analysis, ArgId, Export, Reached, StackId};
use cfa::{EdgeId, ExprId, Exprs, Node, Op, Program};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use verdict::HeadStates;

/// With more states than this, counted once for each chain of calls, nothing is recorded.
const MOST: usize = 3000;

/// With more parts of formulas than this, nothing is recorded either: the check compares each state with all others.
const MOST_PARTS: usize = 200_000;

/// The calls that lead to a stack, the first one first.
type Chain = Vec<EdgeId>;

/// By calls and loop head, or by the calls of which the last one is stepped over: one of the states.
type Found = BTreeMap<(Chain, Option<Node>), BTreeSet<ExprId>>;

/// All states at loop heads and after calls that were stepped over. Empty for recursive programs, or if there are too many.
pub(crate) fn head_states<C: Analysis + Export>(
    program: &Program,
    cpa: &C,
    reached: &Reached<C::State>,
    exprs: &mut Exprs,
) -> Vec<HeadStates> {
    let all = collect(program, cpa, reached, exprs).unwrap_or_default();
    all.into_iter()
        .map(|((calls, node), any_of)| HeadStates { calls, node, any_of: any_of.into_iter().collect() })
        .collect()
}

fn collect<C: Analysis + Export>(
    program: &Program,
    cpa: &C,
    reached: &Reached<C::State>,
    exprs: &mut Exprs,
) -> Option<Found> {
    let mut chains = Chains { reached, known: FxHashMap::default() };
    let (mut found, mut count) = (Found::new(), 0);
    let parts = exprs.len();
    if !is_worth_writing(program, cpa, reached) {
        return None;
    }
    for id in reached.arg.ids() {
        let place = reached.arg.place(id);
        if reached.stacks.recursion(place.stack) > 0 {
            return None;
        }
        let mut heads = stepped_over(program, reached, id);
        if is_head(program, reached, id) {
            heads.push(None);
        }
        if heads.is_empty() {
            continue;
        }
        let state = cpa.whole(reached.arg.state(id), place.node, exprs);
        if exprs.len() - parts > MOST_PARTS {
            return None;
        }
        for call in heads {
            for chain in chains.to(place.stack)? {
                let at = match call {
                    Some(call) => (chain.into_iter().chain([call]).collect(), None),
                    None => (chain, Some(place.node)),
                };
                found.entry(at).or_default().insert(state);
                count += 1;
                if count > MOST {
                    return None;
                }
            }
        }
    }
    Some(found)
}

fn is_head<S: Clone + PartialEq>(program: &Program, reached: &Reached<S>, id: ArgId) -> bool {
    program.nodes[reached.arg.place(id).node].loop_head && reached.arg.covered_by(id).is_none()
}

/// Whether the states at loop heads stay below the limits: what is given up halfway costs as much as what is used.
fn is_worth_writing<C: Analysis + Export>(program: &Program, cpa: &C, reached: &Reached<C::State>) -> bool {
    let mut parts = 0;
    for (count, id) in reached.arg.ids().filter(|&id| is_head(program, reached, id)).enumerate() {
        parts += cpa.size(reached.arg.state(id));
        if count >= MOST || parts > MOST_PARTS {
            return false;
        }
    }
    true
}

/// The calls right before a state that were stepped over.
fn stepped_over<S: Clone + PartialEq>(program: &Program, reached: &Reached<S>, id: ArgId) -> Vec<Option<EdgeId>> {
    let stack = reached.arg.place(id).stack;
    let over = |&(parent, edge): &(ArgId, EdgeId)| {
        matches!(program.edges[edge].op, Op::Call { .. }) && reached.arg.place(parent).stack == stack
    };
    reached.arg.parents(id).filter(over).map(|(_, edge)| Some(edge)).collect()
}

/// All chains of calls by stack: where calls share their exploration, a stack has several.
struct Chains<'a, S> {
    reached: &'a Reached<S>,
    known: FxHashMap<StackId, Vec<Chain>>,
}

impl<S: Clone + PartialEq> Chains<'_, S> {
    /// `None`: too many.
    fn to(&mut self, stack: StackId) -> Option<Vec<Chain>> {
        if let Some(known) = self.known.get(&stack) {
            return Some(known.clone());
        }
        let Some((call, below)) = self.reached.stacks.top(stack) else { return Some(vec![Vec::new()]) };
        // A function that is called again while it runs leads back here.
        self.known.insert(stack, Vec::new());
        let shared = self.reached.contexts.as_ref().and_then(|contexts| contexts.callers_of(stack));
        let callers: BTreeSet<(StackId, EdgeId)> = match shared {
            Some(callers) => callers.iter().map(|&(id, edge)| (self.reached.arg.place(id).stack, edge)).collect(),
            None => BTreeSet::from([(below, call)]),
        };
        let mut all = Vec::new();
        for (below, call) in callers {
            for mut chain in self.to(below)? {
                chain.push(call);
                all.push(chain);
            }
            if all.len() > MOST {
                return None;
            }
        }
        self.known.insert(stack, all.clone());
        Some(all)
    }
}

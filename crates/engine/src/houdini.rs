//! Relational invariants by elimination, after Houdini [FL01]: guess many simple facts at every loop head
//! (`candidates`), and drop those that are not inductive until the rest are.
//!
//! 1. Facts that fail in a few executions (`runs`) or where the program first reaches a loop head are dropped. 2. All others are assumed at one loop
//!    head after the other; those that fail at the next one in some model are dropped, and the heads where they were
//!    assumed are looked at again. 3. When no model is left, the rest hold whenever an execution is at their loop head.
//!
//! Each loop head has a solver of its own: what leads from one head to the next is a short formula, and all of them
//! in one are more than that many times as hard.

use crate::facts::Facts;
use base::Cancel;
use candidates::Guesses;
use cfa::{ExprId, Exprs, Node, Scalar};
use encode::{Addressing, Encoder, Layer, MemoryModel, PathFormula, Segments, stop_of};
use flow::Prepared;
use smt::{Answer, Backend, Solver, TermId, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use verdict::Stop;

pub mod candidates;
pub mod places;
mod rooms;
mod runs;

/// Order and bounds of variables at loop heads: see [`facts_among`].
pub fn facts(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    backend: &dyn Backend,
    known: &[Facts],
    cancel: &Cancel,
) -> Result<Facts, Stop> {
    facts_among((program, model), backend, Guesses::Order, known, cancel)
}

/// Facts at loop heads of the kind that `guesses` says; `known` facts are taken for granted. For programs without
/// recursion.
pub fn facts_among(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    backend: &dyn Backend,
    guesses: Guesses,
    known: &[Facts],
    cancel: &Cancel,
) -> Result<Facts, Stop> {
    facts_with((program, model), backend, guesses, (&program.exprs, &[]), known, cancel)
}

/// [`facts_among`] with further guesses.
pub fn facts_with(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    backend: &dyn Backend,
    guesses: Guesses,
    (exprs, further): (&Exprs, &[(Node, ExprId)]),
    known: &[Facts],
    cancel: &Cancel,
) -> Result<Facts, Stop> {
    let (loops, calls) = (program.loops(), program.calls());
    if program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id)) {
        return Err(Stop::Bound("relational invariants need a program without recursion".to_owned()));
    }
    let segments = Segments::new(program, &loops, &calls);
    let mut encoder = Encoder::new(program, model.clone(), Addressing::Fixed);
    let mut candidates: BTreeMap<Node, Vec<ExprId>> = BTreeMap::new();
    for (id, one) in loops.loops.iter() {
        if calls.is_reachable(one.function) {
            candidates.insert(one.head, candidates::guess(program, &loops, id, guesses, &mut encoder.exprs));
        }
    }
    for &(node, guess) in further {
        if let (Some(facts), Some(guess)) = (candidates.get_mut(&node), encoder.import_guess(exprs, guess)) {
            facts.push(guess);
        }
    }
    let refuted = runs::refuted(program, &encoder.exprs, &candidates, cancel);
    debug_assert!(
        refuted.iter().all(|(node, fact)| candidates[node].contains(fact)),
        "executions refute facts that were guessed"
    );
    for (node, facts) in &mut candidates {
        facts.retain(|fact| !refuted.contains(&(*node, *fact)));
    }
    let mut houdini = Houdini { encoder, solver: backend.solver(), candidates, cancel };
    let start = segments.initial(&mut houdini.encoder);
    let first = segments.run(&mut houdini.encoder, start, cancel)?;
    houdini.define(0);
    houdini.eliminate(&[], &places(&first.heads), &[])?; // 1
    let mut heads = Vec::new();
    for start in segments.each(&houdini.encoder) {
        let before = houdini.encoder.definition_count();
        let granted = houdini.granted(known, &start);
        let next = segments.run(&mut houdini.encoder, start.clone(), cancel)?;
        houdini.solver = backend.solver();
        houdini.define(before);
        let solver = std::mem::replace(&mut houdini.solver, backend.solver());
        heads.push(Head { start: places(&start), next: places(&next.heads), granted, solver });
    }
    assert!(
        houdini.candidates.keys().all(|head| heads.iter().any(|one| one.start.iter().any(|(at, _)| at == head))),
        "what is guessed at a head is assumed and checked there"
    );
    houdini.until_inductive(&mut heads)?; // 2
    let facts = houdini.candidates.into_iter().flat_map(|(node, all)| all.into_iter().map(move |fact| (node, fact)));
    Ok(Facts { facts: facts.collect(), exprs: houdini.encoder.exprs }) // 3
}

/// The heads of a layer with the paths there.
fn places(layer: &Layer) -> Vec<(Node, PathFormula)> {
    layer.iter().map(|((_, node), path)| (*node, path.clone())).collect()
}

/// What leads from a loop head to the next ones.
struct Head {
    start: Vec<(Node, PathFormula)>,
    next: Vec<(Node, PathFormula)>,
    granted: Vec<TermId>,
    solver: Box<dyn Solver>,
}

/// Guessed facts, each group known by a node, and the solver that judges them.
pub(crate) struct Houdini<'p, 'c> {
    pub encoder: Encoder<'p>,
    pub solver: Box<dyn Solver>,
    pub candidates: BTreeMap<Node, Vec<ExprId>>,
    pub cancel: &'c Cancel,
}

impl Houdini<'_, '_> {
    /// Asserts the definitions from the `from`th on.
    pub fn define(&mut self, from: usize) {
        for definition in self.encoder.definitions(from).collect::<Vec<_>>() {
            self.solver.assert(&self.encoder.terms, definition);
        }
    }

    /// Drops candidates until those at each head imply those at the next.
    fn until_inductive(&mut self, heads: &mut [Head]) -> Result<(), Stop> {
        let mut waiting: BTreeSet<usize> = (0..heads.len()).collect();
        while let Some(at) = waiting.pop_first() {
            let before: BTreeMap<Node, usize> = self.candidates.iter().map(|(node, all)| (*node, all.len())).collect();
            let head = &mut heads[at];
            std::mem::swap(&mut self.solver, &mut head.solver);
            let result = self.eliminate(&head.start, &head.next, &head.granted);
            std::mem::swap(&mut self.solver, &mut head.solver);
            result?;
            let weaker = |node: &Node| self.candidates.get(node).map(Vec::len) != before.get(node).copied();
            // What was dropped at this head itself was taken into account.
            let again = (0..heads.len()).filter(|&other| other != at);
            waiting.extend(again.filter(|&other| heads[other].start.iter().any(|(node, _)| weaker(node))));
        }
        Ok(())
    }

    /// The known facts, where segments start.
    fn granted(&mut self, known: &[Facts], starts: &Layer) -> Vec<TermId> {
        let mut granted = Vec::new();
        for facts in known {
            for (node, fact) in &facts.facts {
                let Some(fact) = self.encoder.import_guess(&facts.exprs, *fact) else { continue };
                for ((_, at), path) in starts.iter().filter(|((_, at), _)| at == node) {
                    debug_assert_eq!(at, node);
                    let instance = self.instance(path, fact);
                    granted.push(instance.1);
                }
            }
        }
        granted
    }

    /// A fact at the end of a path: whether the path is taken without it, and whether it holds if the path is taken.
    fn instance(&mut self, path: &PathFormula, fact: ExprId) -> (TermId, TermId) {
        let mut path = path.clone();
        let holds = self.encoder.eval(&mut path, fact, 0);
        let guard = self.encoder.guards.formula(&mut self.encoder.terms, path.guard);
        let fails = self.encoder.terms.not(holds);
        let fails = self.encoder.terms.and([guard, fails]);
        (fails, self.encoder.terms.not(fails))
    }

    /// Drops candidates at `ends` that fail in a model in which all candidates hold at `starts`, until there is none.
    pub fn eliminate(
        &mut self,
        starts: &[(Node, PathFormula)],
        ends: &[(Node, PathFormula)],
        granted: &[TermId],
    ) -> Result<(), Stop> {
        let instances = |houdini: &mut Self, places: &[(Node, PathFormula)]| {
            let mut all = Vec::new();
            for (node, path) in places {
                for fact in houdini.candidates.get(node).cloned().unwrap_or_default() {
                    let instance = houdini.instance(path, fact);
                    all.push((*node, fact, instance));
                }
            }
            all
        };
        debug_assert!(
            self.candidates.values().flatten().all(|&fact| self.encoder.exprs.ty(fact) == Scalar::Bool),
            "facts are conditions"
        );
        let (mut assumed, mut claimed) = (instances(self, starts), instances(self, ends));
        loop {
            let failures: Vec<TermId> = claimed.iter().map(|(_, _, (fails, _))| *fails).collect();
            let failure = self.encoder.terms.or(failures);
            if self.encoder.terms.as_bool(failure) == Some(false) {
                return Ok(());
            }
            let mut query: Vec<TermId> = assumed.iter().map(|(_, _, (_, holds))| *holds).collect();
            query.extend_from_slice(granted);
            query.push(failure);
            let answer = self.solver.check_assuming(&self.encoder.terms, &query, self.cancel).map_err(stop_of)?;
            if answer == Answer::Unsat {
                return Ok(());
            }
            let mut dropped = BTreeSet::new();
            for (node, fact, (fails, _)) in &claimed {
                if self.solver.value(&self.encoder.terms, *fails).map_err(stop_of)? == Value::Bool(true) {
                    dropped.insert((*node, *fact));
                }
            }
            if dropped.is_empty() {
                return Err(Stop::Solver("a model contradicts the query it answers".to_owned()));
            }
            let stays = |node: Node, fact: ExprId| !dropped.contains(&(node, fact));
            assumed.retain(|(node, fact, _)| stays(*node, *fact));
            claimed.retain(|(node, fact, _)| stays(*node, *fact));
            for (node, facts) in &mut self.candidates {
                facts.retain(|fact| stays(*node, *fact));
            }
        }
    }
}

//! refine_ℙ [BDW18, section 3.2]: the path to a goal, its feasibility, interpolants, and what they do to the
//! precision or to the states.

use super::prefixes::{self, Prefix};
use analysis::{ArgId, ErrorPath, Pair, Reached, Refinable, Step};
use base::{Budget, Counters};
use cfa::{Edge, Node, Op};
use domains::predicate::{
    BlockId, BlockRole, Precision, PredicateCpa, RefinementKind as Kind, State, WithPredicates, is_recursion,
    strengthen,
};
use encode::{Chain, stop_of, unsupported};
use engine::bmc::{self, Bounded};
use engine::board::Board;
use engine::cegar::{Interpolation, Refinement, Refiner, track};
use engine::evidence::{Confirmation, confirm_model};
use engine::refinement::{Measurements, PathInterpolants, Selection};
use smt::{Answer, TermId};
use std::collections::BTreeMap;
use std::time::Instant;
use verdict::{Goals, Stop, Verdict};

/// An abstract counterexample [BDW18, section 3.2.1]: its abstraction states after the first, and the goal.
#[derive(Clone, Debug)]
pub(super) struct Spine {
    pub states: Vec<(ArgId, BlockId)>,
    pub goal: State,
    /// The step to the goal.
    pub last: Step,
}

impl Spine {
    fn new<'p, C: WithPredicates<'p>>(reached: &Reached<C::State>, path: &ErrorPath) -> Spine {
        let states = path.nodes.iter().map(|&node| (node, C::part(reached.arg.state(node))));
        let mut states: Vec<(ArgId, State)> = states.collect();
        let (_, goal) = states.pop().expect("a goal is not the root");
        let starts = states.into_iter().filter(|(_, state)| state.role == BlockRole::Start);
        Spine { states: starts.map(|(node, state)| (node, state.block)).collect(), goal, last: *path.last() }
    }
}

/// Refinement by interpolants of the blocks on a path.
#[derive(Clone, Debug, Default)]
pub struct BlockInterpolation {
    /// What other analyses of the program know, and are told.
    pub board: Board,
}

impl<'p, C: WithPredicates<'p>> Refiner<C> for BlockInterpolation {
    /// 1. the abstract counterexample is the path in the graph; 2. one query decides its feasibility, unless it is known
    ///    to be infeasible; 3. interpolants for its block formulas; 4. they refine precision or states.
    fn refine(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        reached: &mut Reached<C::State>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let spine = Spine::new::<C>(reached, path); // 1
        let predicates = cpa.predicates();
        let chain = chain_of(predicates, &spine);
        let steps = &path.steps;
        let known = self.board.refuted(steps).is_some();
        let sequence = match known.then(|| predicates.interpolants_if_any(&chain.groups)).transpose()?.flatten() {
            Some(sequence) => sequence,
            // Nothing is known, or that one path is infeasible but not all others through its blocks.
            None => {
                if let Some(confirmation) = execution(predicates, &chain, &spine.last)? {
                    return Ok(Refinement::Checked(unrolled(predicates, &spine, confirmation)?)); // 2
                }
                predicates.interpolants(&chain.groups)? // 3
            }
        };
        let facts = &sequence[1..=spine.states.len()];
        let end = facts.iter().position(|&fact| predicates.encoder.terms.as_bool(fact) == Some(false));
        let end = end.and_then(|at| path.nodes.iter().position(|&node| node == spine.states[at].0));
        self.board.refute(&steps[..end.map_or(steps.len(), |at| at + 1)]);
        let facts: Vec<TermId> = facts.iter().map(|&fact| predicates.encoder.at_start(fact)).collect();
        let kind = predicates.options.refinement;
        match kind {
            // 4
            Kind::Predicates => {
                exclude((cpa, &self.board), C::precision(precision), reached, &spine, &facts, counters)?
            }
            Kind::Impact | Kind::Both => {
                if kind == Kind::Both {
                    learn(
                        (cpa.predicates(), &self.board),
                        C::precision(precision),
                        &spine,
                        &facts,
                        Atoms::Single,
                        counters,
                    );
                }
                if kind == Kind::Impact {
                    note_strengthened((cpa.predicates(), &self.board), &spine, &facts, counters);
                }
                strengthen(cpa, reached, &spine.states, &facts)?;
                let goal = path.target();
                if !reached.arg.is_removed(goal) {
                    reached.wait(goal);
                }
            }
        }
        Ok(Refinement::Excluded)
    }
}

/// The first domain is refined if it can exclude the path, the predicates only if it cannot [BL13].
#[derive(Clone, Debug, Default)]
pub struct InTurn {
    /// How the first domain is refined.
    pub first: Interpolation,
    /// What other analyses of the program know, and are told.
    pub board: Board,
}

impl<'p, A: Refinable> Refiner<Pair<A, PredicateCpa<'p>>> for InTurn {
    fn refine(
        &mut self,
        cpa: &mut Pair<A, PredicateCpa<'p>>,
        precision: &mut (A::Precision, Precision),
        reached: &mut Reached<(A::State, State)>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let steps = &path.steps;
        match self.first.refine_steps(&mut cpa.0, &mut precision.0, steps, counters)? {
            Refinement::Stuck | Refinement::Feasible => {
                let mut blocks = BlockInterpolation { board: self.board.clone() };
                blocks.refine(cpa, precision, reached, path, counters).map(once_more)
            }
            refined @ (Refinement::Refined { .. } | Refinement::Excluded | Refinement::Checked(_)) => {
                counters.add("refinements of the first domain", 1);
                Ok(refined)
            }
        }
    }
}

/// Refinement selection [BLW15b]: of the reasons why one path is infeasible, those whose interpolants promise most are
/// taken first; with a second domain alongside the predicates, the reasons of both compete.
#[derive(Clone, Debug)]
pub struct Selected {
    /// What is preferred.
    pub selection: Selection,
    /// How many prefixes are looked at in each domain.
    pub most_prefixes: usize,
    /// What tracking each variable costs.
    pub costs: Vec<u64>,
    /// What other analyses of the program know, and are told.
    pub board: Board,
}

impl Selected {
    fn blocks(&self) -> BlockInterpolation {
        BlockInterpolation { board: self.board.clone() }
    }
}

impl<'p> Refiner<PredicateCpa<'p>> for Selected {
    fn refine(
        &mut self,
        cpa: &mut PredicateCpa<'p>,
        precision: &mut Precision,
        reached: &mut Reached<State>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let spine = Spine::new::<PredicateCpa>(reached, path);
        let mut prefixes = prefixes::of(cpa, &self.board, (path, &spine), self.most_prefixes, &self.costs)?;
        counters.add("infeasible sliced prefixes", prefixes.len() as u64);
        while !prefixes.is_empty() {
            let measured: Vec<Measurements> = prefixes.iter().map(|prefix| prefix.measured).collect();
            let chosen = prefixes.swap_remove(self.selection.best(&measured));
            if cut((cpa, &self.board), precision, reached, &spine, &chosen.facts, counters) {
                return Ok(Refinement::Excluded);
            }
        }
        // The blocks of the path have other paths.
        self.blocks().refine(cpa, precision, reached, path, counters)
    }
}

/// A reason in one of two domains.
enum Reason<F> {
    First(PathInterpolants<F>),
    Predicates(Prefix),
}

impl<'p, A: Refinable> Refiner<Pair<A, PredicateCpa<'p>>> for Selected {
    fn refine(
        &mut self,
        cpa: &mut Pair<A, PredicateCpa<'p>>,
        precision: &mut (A::Precision, Precision),
        reached: &mut Reached<(A::State, State)>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let spine = Spine::new::<Pair<A, PredicateCpa>>(reached, path);
        let steps = &path.steps;
        let interpolation = Interpolation {
            selection: self.selection.clone(),
            most_prefixes: self.most_prefixes,
            cancel: cpa.1.cancel.clone(),
            board: self.board.clone(),
        };
        let mut reasons = Vec::new();
        for facts in interpolation.choices(&mut cpa.0, steps, counters)? {
            reasons.push((Measurements::of(&cpa.0, &facts), Reason::First(facts)));
        }
        for prefix in prefixes::of(&mut cpa.1, &self.board, (path, &spine), self.most_prefixes, &self.costs)? {
            reasons.push((prefix.measured, Reason::Predicates(prefix)));
        }
        while !reasons.is_empty() {
            let measured: Vec<Measurements> = reasons.iter().map(|(measured, _)| *measured).collect();
            match reasons.swap_remove(self.selection.best(&measured)).1 {
                Reason::First(facts) => {
                    if let Some(pivot) = track(&mut cpa.0, &mut precision.0, steps, &facts, counters) {
                        counters.add("refinements of the first domain", 1);
                        return Ok(Refinement::Refined { pivot });
                    }
                }
                Reason::Predicates(prefix) => {
                    if cut((cpa, &self.board), &mut precision.1, reached, &spine, &prefix.facts, counters) {
                        return Ok(Refinement::Excluded);
                    }
                }
            }
        }
        self.blocks().refine(cpa, precision, reached, path, counters).map(once_more)
    }
}

/// A model of the blocks that is not an execution says little of the one path that was found: the first domain has ways of
/// its own to look for an execution there.
fn once_more(refinement: Refinement) -> Refinement {
    match refinement {
        Refinement::Checked(Confirmation::Undecided(Stop::Undecided { .. } | Stop::UndefinedBehaviour { .. })) => {
            Refinement::Feasible
        }
        other => other,
    }
}

/// The block formulas along a path and the goal after it.
fn chain_of(cpa: &mut PredicateCpa, spine: &Spine) -> Chain {
    let mut chain = Chain::default();
    for &(_, block) in &spine.states {
        cpa.extend(&mut chain, block);
    }
    let last = cpa.block(spine.goal.path);
    chain.finish(&mut cpa.encoder, &last);
    chain.ground(&mut cpa.encoder);
    chain
}

/// What became of the search for an execution along a chain; `None` if there is none.
fn execution(cpa: &mut PredicateCpa, chain: &Chain, last: &Step) -> Result<Option<Confirmation>, Stop> {
    let start = Instant::now();
    cpa.counters.add("feasibility checks", 1);
    if cpa.encoder.terms.is_refuted_by_sums(&chain.groups) {
        return Ok(None);
    }
    cpa.solver.push();
    for &group in &chain.groups {
        cpa.solver.assert(&cpa.encoder.terms, group);
    }
    let result = match cpa.solver.check(&cpa.encoder.terms, &cpa.cancel).map_err(stop_of) {
        Ok(Answer::Sat) => replayed(cpa, chain, last).map(Some),
        Ok(Answer::Unsat) => Ok(None),
        Err(stop) => Err(stop),
    };
    cpa.solver.pop();
    cpa.counters.time_since("feasibility", start);
    result
}

/// An execution along a feasible path.
fn replayed(cpa: &mut PredicateCpa, chain: &Chain, last: &Step) -> Result<Confirmation, Stop> {
    let Edge { op, span, .. } = &cpa.program.edges[last.edge];
    match op {
        Op::Unsupported(_) => return Ok(Confirmation::Undecided(unsupported(cpa.program, last.edge))),
        Op::Call { function, .. } if is_recursion(last) => {
            let what = format!("recursion of {} in predicate analysis", cpa.program.function_name(*function));
            return Ok(Confirmation::Undecided(Stop::Unsupported { what, span: *span }));
        }
        _ => {}
    }
    let choices = cpa.encoder.chain_choices(&mut *cpa.solver, chain).map_err(stop_of)?;
    let edges = (chain.groups.len() * cpa.program.edges.len()) as u64;
    let first = confirm_model(cpa.program, &choices, edges, &cpa.cancel);
    if !matches!(first, Verdict::Unknown(Stop::UndefinedBehaviour { .. } | Stop::Undecided { .. })) {
        return Ok(confirmation(first));
    }
    // Perhaps there is one without undefined behaviour.
    let defined = chain.defined(&mut cpa.encoder);
    let answer = cpa.solver.check_assuming(&cpa.encoder.terms, &defined, &cpa.cancel).map_err(stop_of)?;
    if answer == Answer::Unsat {
        return Ok(confirmation(first));
    }
    let choices = cpa.encoder.chain_choices(&mut *cpa.solver, chain).map_err(stop_of)?;
    Ok(confirmation(confirm_model(cpa.program, &choices, edges, &cpa.cancel)))
}

/// Where a model of the path was not an execution: one in the program unrolled as far as the path goes, whose objects
/// have addresses of their own, and which may avoid undefined behaviour.
fn unrolled(cpa: &mut PredicateCpa, spine: &Spine, confirmation: Confirmation) -> Result<Confirmation, Stop> {
    let doubtful =
        matches!(confirmation, Confirmation::Undecided(Stop::Undecided { .. } | Stop::UndefinedBehaviour { .. }));
    if !doubtful {
        return Ok(confirmation);
    }
    let mut visits: BTreeMap<Node, u32> = BTreeMap::new();
    for &(_, block) in &spine.states {
        *visits.entry(cpa.node(block)).or_default() += 1;
    }
    let bounds = bmc::bounds(visits.into_values().max().unwrap_or(0) + 1, bmc::CONSTANT_LOOPS);
    let (loops, model) = (cpa.program.loops(), cpa.encoder.model.clone());
    let limited = cpa.cancel.within(Budget::UnrolledPath);
    let asked = (cpa.program, &mut Goals::any(cpa.program));
    let found = bmc::check_bound(asked, (&loops, &model), cpa.backend, bounds, &limited, &mut cpa.counters);
    cpa.cancel.check()?;
    match found {
        Ok(Bounded::Verdict(Verdict::Unsafe(counterexample))) => Ok(Confirmation::Unsafe(counterexample)),
        // A proof of a part is not one of the whole, and here the part was not found safe.
        Ok(Bounded::Verdict(_) | Bounded::Inconclusive { .. }) | Err(_) => Ok(confirmation),
    }
}

fn confirmation(verdict: Verdict) -> Confirmation {
    match verdict {
        Verdict::Unsafe(counterexample) => Confirmation::Unsafe(counterexample),
        Verdict::Unknown(stop) => Confirmation::Undecided(stop),
        Verdict::Safe(_) => unreachable!("an execution proves nothing safe"),
    }
}

/// Predicate refinement: atoms of interpolants become predicates; the graph is cut at the pivot, the first state that
/// would now be described by more predicates.
fn exclude<'p, C: WithPredicates<'p>>(
    (cpa, board): (&mut C, &Board),
    precision: &mut Precision,
    reached: &mut Reached<C::State>,
    spine: &Spine,
    facts: &[TermId],
    counters: &mut Counters,
) -> Result<(), Stop> {
    if cut((cpa, board), precision, reached, spine, facts, counters) {
        return Ok(());
    }
    let predicates = cpa.predicates();
    let blocks: Vec<BlockId> = spine.states.iter().map(|(_, block)| *block).collect();
    let weak = predicates.weak_states(&blocks, facts)?;
    let (states, span) = (spine.states.len(), predicates.program.edges[spine.last.edge].span);
    let what = format!("interpolants do not exclude an infeasible path: states {weak:?} of {states}");
    Err(Stop::Undecided { what, span })
}

/// Adds facts to the precision and cuts the graph at the pivot, if there is one.
fn cut<'p, C: WithPredicates<'p>>(
    (cpa, board): (&mut C, &Board),
    precision: &mut Precision,
    reached: &mut Reached<C::State>,
    spine: &Spine,
    facts: &[TermId],
    counters: &mut Counters,
) -> bool {
    let predicates = cpa.predicates();
    let pivot = learn((predicates, board), precision, spine, facts, Atoms::Single, counters)
        .or_else(|| learn((predicates, board), precision, spine, facts, Atoms::Whole, counters));
    if let Some(pivot) = pivot {
        reached.remove_subtree(cpa, pivot);
    }
    pivot.is_some()
}

/// What of an interpolant becomes a predicate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atoms {
    Single,
    Whole,
}

/// Adds facts to the precision of their places; the first state that is described by fewer predicates than its place
/// has now.
fn learn(
    (cpa, board): (&mut PredicateCpa, &Board),
    precision: &mut Precision,
    spine: &Spine,
    facts: &[TermId],
    atoms: Atoms,
    counters: &mut Counters,
) -> Option<ArgId> {
    assert_eq!(spine.states.len(), facts.len(), "a fact for each abstraction state");
    let nodes: Vec<Node> = spine.states.iter().map(|&(_, block)| cpa.node(block)).collect();
    for (&node, &fact) in nodes.iter().zip(facts) {
        let found = match (atoms, cpa.encoder.terms.as_bool(fact)) {
            (_, Some(true)) => Vec::new(),
            // The predicate *false* asks whether the place can be reached at all.
            (Atoms::Whole, _) | (_, Some(false)) => vec![fact],
            (Atoms::Single, None) => cpa.encoder.terms.atoms(fact),
        };
        for predicate in found {
            if precision.add(cpa.program, node, predicate) {
                tell(cpa, board, node, predicate);
                let function = cpa.program.nodes[node].function;
                counters.trail.add(Some(node.0), || cpa.text(predicate, Some(function)));
            }
        }
    }
    let more =
        |(_, block): &&(ArgId, BlockId)| precision.count(cpa.program, cpa.node(*block)) > cpa.predicates_at(*block);
    spine.states.iter().find(more).map(|&(node, _)| node)
}

/// IMPACT's refinements add nothing to a precision: the states themselves learn the interpolants. Others may have use
/// for their atoms.
fn note_strengthened(
    (cpa, board): (&mut PredicateCpa, &Board),
    spine: &Spine,
    facts: &[TermId],
    counters: &mut Counters,
) {
    assert_eq!(spine.states.len(), facts.len(), "a fact for each abstraction state");
    for (&(_, block), &fact) in spine.states.iter().zip(facts) {
        let node = cpa.node(block);
        if cpa.encoder.terms.as_bool(fact) != Some(true) {
            for atom in cpa.encoder.terms.atoms(fact) {
                tell(cpa, board, node, atom);
            }
            let function = cpa.program.nodes[node].function;
            counters.trail.add(Some(node.0), || cpa.text(fact, Some(function)));
        }
    }
}

/// Tells other analyses about a predicate, as far as there is an expression for it.
fn tell(cpa: &PredicateCpa, board: &Board, node: Node, predicate: TermId) {
    if cpa.may_tell(predicate) {
        board.offer(&cpa.program.exprs, node, |exprs| cpa.expression(node, exprs, predicate));
    }
}

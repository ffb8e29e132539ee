//! refine_ℙ [BDW18, section 3.2]: the path to a goal, its feasibility, interpolants, and what they do to the
//! precision or to the states.

use super::cpa::{BlockId, PredicateCpa, Role, State, is_recursion};
use super::prefixes::Prefix;
use super::{Precision, Refinement as Kind, impact};
use crate::bmc::{self, Bounded, stop_of, unsupported};
use crate::cegar::{Confirmation, Interpolation, Refinement, Refiner, track};
use crate::from_model::confirm;
use crate::refinement::{Interpolants, Measured, Selection};
use analysis::{ArgId, Cpa, Pair, PathStep, Reached, Refinable, Step};
use base::Counters;
use cfa::{Edge, Node, Op};
use encode::Chain;
use flow::Loops;
use smt::interpolation::{InterpolationFailure, InterpolationOptions, interpolate};
use smt::{Answer, TermId};
use std::collections::BTreeMap;
use std::time::Instant;
use verdict::{Goals, Stop, Verdict};

/// The part of the time left for an execution in the unrolled program.
const UNROLLED_SHARE: u32 = 4;

/// An analysis with the Predicate CPA in it.
pub trait WithPredicates<'p>: Cpa {
    /// The Predicate CPA.
    fn predicates(&mut self) -> &mut PredicateCpa<'p>;
    /// Its part of a state.
    fn part(state: &Self::State) -> State;
    /// Its part of a precision.
    fn precision(precision: &mut Self::Precision) -> &mut Precision;
}

impl<'p> WithPredicates<'p> for PredicateCpa<'p> {
    fn predicates(&mut self) -> &mut PredicateCpa<'p> {
        self
    }

    fn part(state: &State) -> State {
        *state
    }

    fn precision(precision: &mut Precision) -> &mut Precision {
        precision
    }
}

impl<'p, A: Cpa> WithPredicates<'p> for Pair<A, PredicateCpa<'p>> {
    fn predicates(&mut self) -> &mut PredicateCpa<'p> {
        &mut self.1
    }

    fn part(state: &(A::State, State)) -> State {
        state.1
    }

    fn precision(precision: &mut (A::Precision, Precision)) -> &mut Precision {
        &mut precision.1
    }
}

/// An abstract counterexample [BDW18, section 3.2.1]: its abstraction states behind the first, and the goal.
#[derive(Clone, Debug)]
pub(super) struct Spine {
    pub states: Vec<(ArgId, BlockId)>,
    pub goal: State,
    /// The step to the goal.
    pub last: Step,
}

impl Spine {
    fn new<'p, C: WithPredicates<'p>>(reached: &Reached<C::State>, path: &[PathStep]) -> Spine {
        let states = path.iter().map(|step| (step.node, C::part(reached.arg.state(step.node))));
        let mut states: Vec<(ArgId, State)> = states.collect();
        let (_, goal) = states.pop().expect("a goal is not the root");
        let starts = states.into_iter().filter(|(_, state)| state.role == Role::Start);
        let last = path[path.len() - 1].step;
        Spine { states: starts.map(|(node, state)| (node, state.block)).collect(), goal, last }
    }
}

/// Refinement by interpolants of the blocks on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlockInterpolation;

impl<'p, C: WithPredicates<'p>> Refiner<C> for BlockInterpolation {
    /// 1. the abstract counterexample is the path in the graph; 2. one query decides its feasibility, unless it is known
    ///    to be infeasible; 3. interpolants for its block formulas; 4. they refine precision or states.
    fn refine(
        &mut self,
        cpa: &mut C,
        precision: &mut C::Precision,
        reached: &mut Reached<C::State>,
        path: &[PathStep],
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let spine = Spine::new::<C>(reached, path); // 1
        let predicates = cpa.predicates();
        let chain = predicates.chain(&spine);
        let steps: Vec<Step> = path.iter().map(|step| step.step).collect();
        let known = predicates.exchange.refuted(&steps).is_some();
        let sequence = match known.then(|| predicates.interpolants_if_any(&chain.groups)).transpose()?.flatten() {
            Some(sequence) => sequence,
            // Nothing is known, or that one path is infeasible but not all others through its blocks.
            None => {
                if let Some(confirmation) = predicates.execution(&chain, &spine.last)? {
                    return Ok(Refinement::Checked(predicates.unrolled(&spine, confirmation)?)); // 2
                }
                predicates.interpolants(&chain.groups)? // 3
            }
        };
        let facts = &sequence[1..=spine.states.len()];
        let end = facts.iter().position(|&fact| predicates.encoder.terms.as_bool(fact) == Some(false));
        let end = end.and_then(|at| path.iter().position(|step| step.node == spine.states[at].0));
        predicates.exchange.refute(&steps[..end.map_or(steps.len(), |at| at + 1)]);
        let facts: Vec<TermId> = facts.iter().map(|&fact| predicates.encoder.at_start(fact)).collect();
        let kind = predicates.options.refinement;
        match kind {
            // 4
            Kind::Predicates => exclude(cpa, C::precision(precision), reached, &spine, &facts, counters)?,
            Kind::Impact | Kind::Both => {
                if kind == Kind::Both {
                    learn(cpa.predicates(), C::precision(precision), &spine, &facts, Atoms::Single, counters);
                }
                if kind == Kind::Impact {
                    note_strengthened(cpa.predicates(), &spine, &facts, counters);
                }
                impact::strengthen(cpa, reached, &spine.states, &facts)?;
                let goal = path[path.len() - 1].node;
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
}

impl<'p, A: Refinable> Refiner<Pair<A, PredicateCpa<'p>>> for InTurn {
    fn refine(
        &mut self,
        cpa: &mut Pair<A, PredicateCpa<'p>>,
        precision: &mut (A::Precision, Precision),
        reached: &mut Reached<(A::State, State)>,
        path: &[PathStep],
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let steps: Vec<Step> = path.iter().map(|step| step.step).collect();
        match self.first.refine_steps(&mut cpa.0, &mut precision.0, &steps, counters)? {
            Refinement::Stuck | Refinement::Feasible => {
                BlockInterpolation.refine(cpa, precision, reached, path, counters).map(once_more)
            }
            refined @ (Refinement::Refined { .. } | Refinement::Excluded | Refinement::Checked(_)) => {
                counters.add("refinements of the first domain", 1);
                Ok(refined)
            }
        }
    }
}

/// Refinement selection [BLW15b]: of the reasons why one path is infeasible, those whose interpolants promise most are
/// taken first; with a second domain beside the predicates, the reasons of both compete.
#[derive(Clone, Debug)]
pub struct Selected {
    /// What is preferred.
    pub selection: Selection,
    /// How many prefixes are looked at in each domain.
    pub most_prefixes: usize,
    /// What tracking each variable costs.
    pub costs: Vec<u64>,
}

impl<'p> Refiner<PredicateCpa<'p>> for Selected {
    fn refine(
        &mut self,
        cpa: &mut PredicateCpa<'p>,
        precision: &mut Precision,
        reached: &mut Reached<State>,
        path: &[PathStep],
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let spine = Spine::new::<PredicateCpa>(reached, path);
        let mut prefixes = cpa.prefixes(path, &spine, self.most_prefixes, &self.costs)?;
        counters.add("infeasible sliced prefixes", prefixes.len() as u64);
        while !prefixes.is_empty() {
            let measured: Vec<Measured> = prefixes.iter().map(|prefix| prefix.measured).collect();
            let chosen = prefixes.swap_remove(self.selection.best(&measured));
            if cut(cpa, precision, reached, &spine, &chosen.facts, counters) {
                return Ok(Refinement::Excluded);
            }
        }
        // The blocks of the path have other paths.
        BlockInterpolation.refine(cpa, precision, reached, path, counters)
    }
}

/// A reason in one of two domains.
enum Reason<F> {
    First(Interpolants<F>),
    Predicates(Prefix),
}

impl<'p, A: Refinable> Refiner<Pair<A, PredicateCpa<'p>>> for Selected {
    fn refine(
        &mut self,
        cpa: &mut Pair<A, PredicateCpa<'p>>,
        precision: &mut (A::Precision, Precision),
        reached: &mut Reached<(A::State, State)>,
        path: &[PathStep],
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let spine = Spine::new::<Pair<A, PredicateCpa>>(reached, path);
        let steps: Vec<Step> = path.iter().map(|step| step.step).collect();
        let interpolation = Interpolation {
            selection: self.selection.clone(),
            most_prefixes: self.most_prefixes,
            cancel: cpa.1.cancel.clone(),
            exchange: cpa.1.exchange.clone(),
        };
        let mut reasons = Vec::new();
        for facts in interpolation.choices(&mut cpa.0, &steps, counters)? {
            reasons.push((Measured::of(&cpa.0, &facts), Reason::First(facts)));
        }
        for prefix in cpa.1.prefixes(path, &spine, self.most_prefixes, &self.costs)? {
            reasons.push((prefix.measured, Reason::Predicates(prefix)));
        }
        while !reasons.is_empty() {
            let measured: Vec<Measured> = reasons.iter().map(|(measured, _)| *measured).collect();
            match reasons.swap_remove(self.selection.best(&measured)).1 {
                Reason::First(facts) => {
                    if let Some(pivot) = track(&mut cpa.0, &mut precision.0, &steps, &facts, counters) {
                        counters.add("refinements of the first domain", 1);
                        return Ok(Refinement::Refined { pivot });
                    }
                }
                Reason::Predicates(prefix) => {
                    if cut(cpa, &mut precision.1, reached, &spine, &prefix.facts, counters) {
                        return Ok(Refinement::Excluded);
                    }
                }
            }
        }
        BlockInterpolation.refine(cpa, precision, reached, path, counters).map(once_more)
    }
}

/// A model of the blocks that is no execution says little of the one path that was found: the first domain has ways of
/// its own to look for an execution there.
fn once_more(refinement: Refinement) -> Refinement {
    match refinement {
        Refinement::Checked(Confirmation::Undecided(Stop::Undecided { .. } | Stop::UndefinedBehaviour { .. })) => {
            Refinement::Feasible
        }
        other => other,
    }
}

impl PredicateCpa<'_> {
    /// The block formulas along a path and the goal behind it.
    fn chain(&mut self, spine: &Spine) -> Chain {
        let mut chain = Chain::default();
        for &(_, block) in &spine.states {
            self.extend(&mut chain, block);
        }
        let last = self.block(spine.goal.path);
        chain.finish(&mut self.encoder, &last);
        chain.ground(&mut self.encoder);
        chain
    }

    /// Appends the block that leads to an abstraction state.
    pub(super) fn extend(&mut self, chain: &mut Chain, state: BlockId) {
        let (_, path) = self.blocks[state].before.expect("only the root has no block before it");
        let block = self.block(path);
        chain.push(&mut self.encoder, &block);
        let fact = self.fact(self.blocks[state].node);
        chain.assume(&mut self.encoder, fact);
    }

    /// What became of the search for an execution along a chain; `None` if there is none.
    fn execution(&mut self, chain: &Chain, last: &Step) -> Result<Option<Confirmation>, Stop> {
        let start = Instant::now();
        self.counters.add("feasibility checks", 1);
        self.solver.push();
        for &group in &chain.groups {
            self.solver.assert(&self.encoder.terms, group);
        }
        let result = match self.solver.check(&self.encoder.terms, &self.cancel).map_err(stop_of) {
            Ok(Answer::Sat) => self.confirm(chain, last).map(Some),
            Ok(Answer::Unsat) => Ok(None),
            Err(stop) => Err(stop),
        };
        self.solver.pop();
        self.counters.time_since("feasibility", start);
        result
    }

    /// An execution along a feasible path.
    fn confirm(&mut self, chain: &Chain, last: &Step) -> Result<Confirmation, Stop> {
        let Edge { op, span, .. } = &self.program.edges[last.edge];
        match op {
            Op::Unsupported(_) => return Ok(Confirmation::Undecided(unsupported(self.program, last.edge))),
            Op::Call { function, .. } if is_recursion(last) => {
                let what = format!("recursion of {} in predicate analysis", self.program.function_name(*function));
                return Ok(Confirmation::Undecided(Stop::Unsupported { what, span: *span }));
            }
            _ => {}
        }
        let choices = self.encoder.chain_choices(&mut *self.solver, chain).map_err(stop_of)?;
        let first = confirm(self.program, &choices, &self.cancel);
        if !matches!(first, Verdict::Unknown(Stop::UndefinedBehaviour { .. } | Stop::Undecided { .. })) {
            return Ok(confirmation(first));
        }
        // Perhaps there is one without undefined behaviour.
        let defined = chain.defined(&mut self.encoder);
        let answer = self.solver.check_assuming(&self.encoder.terms, &defined, &self.cancel).map_err(stop_of)?;
        if answer == Answer::Unsat {
            return Ok(confirmation(first));
        }
        let choices = self.encoder.chain_choices(&mut *self.solver, chain).map_err(stop_of)?;
        Ok(confirmation(confirm(self.program, &choices, &self.cancel)))
    }

    /// Where a model of the path was no execution: one in the program unrolled as far as the path goes, whose objects
    /// have addresses of their own, and which may avoid undefined behaviour.
    fn unrolled(&mut self, spine: &Spine, confirmation: Confirmation) -> Result<Confirmation, Stop> {
        let doubtful =
            matches!(confirmation, Confirmation::Undecided(Stop::Undecided { .. } | Stop::UndefinedBehaviour { .. }));
        if !doubtful {
            return Ok(confirmation);
        }
        let mut visits: BTreeMap<Node, u32> = BTreeMap::new();
        for &(_, block) in &spine.states {
            *visits.entry(self.blocks[block].node).or_default() += 1;
        }
        let bounds = bmc::bounds(visits.into_values().max().unwrap_or(0) + 1, bmc::CONSTANT_LOOPS);
        let (loops, model) = (Loops::new(self.program), self.encoder.model.clone());
        let limited = self.cancel.child(self.cancel.remaining().map(|left| left / UNROLLED_SHARE));
        let asked = (self.program, &mut Goals::any(self.program));
        let found = bmc::check_bound(asked, (&loops, &model), self.backend, bounds, &limited, &mut self.counters);
        self.cancel.check()?;
        match found {
            Ok(Bounded::Verdict(Verdict::Unsafe(counterexample))) => Ok(Confirmation::Unsafe(counterexample)),
            // A proof of a part is none of the whole, and here the part was not found safe.
            Ok(Bounded::Verdict(_) | Bounded::Inconclusive { .. }) | Err(_) => Ok(confirmation),
        }
    }

    /// τ0 ... τn for formulas without a model.
    pub(super) fn interpolants(&mut self, groups: &[TermId]) -> Result<Vec<TermId>, Stop> {
        let found = self.interpolants_if_any(groups)?;
        found.ok_or_else(|| Stop::Solver(InterpolationFailure::Satisfiable.to_string()))
    }

    /// τ0 ... τn; `None` if the formulas have a model.
    fn interpolants_if_any(&mut self, groups: &[TermId]) -> Result<Option<Vec<TermId>>, Stop> {
        let start = Instant::now();
        let options = InterpolationOptions::default();
        let found = interpolate(&mut self.encoder.terms, &mut *self.interpolator, groups, &options, &self.cancel);
        self.counters.time_since("interpolation", start);
        match found {
            Ok(interpolants) => Ok(Some(interpolants.sequence)),
            Err(InterpolationFailure::Satisfiable) => Ok(None),
            Err(InterpolationFailure::Stopped(stopped)) => Err(Stop::Limit(stopped)),
            Err(failure) => Err(Stop::Solver(failure.to_string())),
        }
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
    cpa: &mut C,
    precision: &mut Precision,
    reached: &mut Reached<C::State>,
    spine: &Spine,
    facts: &[TermId],
    counters: &mut Counters,
) -> Result<(), Stop> {
    if cut(cpa, precision, reached, spine, facts, counters) {
        return Ok(());
    }
    let predicates = cpa.predicates();
    let weak = predicates.weak_states(spine, facts)?;
    let (states, span) = (spine.states.len(), predicates.program.edges[spine.last.edge].span);
    let what = format!("interpolants do not exclude an infeasible path: states {weak:?} of {states}");
    Err(Stop::Undecided { what, span })
}

/// Adds facts to the precision and cuts the graph at the pivot, if there is one.
fn cut<'p, C: WithPredicates<'p>>(
    cpa: &mut C,
    precision: &mut Precision,
    reached: &mut Reached<C::State>,
    spine: &Spine,
    facts: &[TermId],
    counters: &mut Counters,
) -> bool {
    let predicates = cpa.predicates();
    let pivot = learn(predicates, precision, spine, facts, Atoms::Single, counters)
        .or_else(|| learn(predicates, precision, spine, facts, Atoms::Whole, counters));
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
    cpa: &mut PredicateCpa,
    precision: &mut Precision,
    spine: &Spine,
    facts: &[TermId],
    atoms: Atoms,
    counters: &mut Counters,
) -> Option<ArgId> {
    let nodes: Vec<Node> = spine.states.iter().map(|&(_, block)| cpa.blocks[block].node).collect();
    for (&node, &fact) in nodes.iter().zip(facts) {
        let found = match (atoms, cpa.encoder.terms.as_bool(fact)) {
            (_, Some(true)) => Vec::new(),
            // The predicate *false* asks whether the place can be reached at all.
            (Atoms::Whole, _) | (_, Some(false)) => vec![fact],
            (Atoms::Single, None) => cpa.encoder.terms.atoms(fact),
        };
        for predicate in found {
            if precision.add(cpa.program, node, predicate) {
                cpa.tell(node, predicate);
                let function = cpa.program.nodes[node].function;
                counters.trail.add(Some(node.0), || cpa.text(predicate, Some(function)));
            }
        }
    }
    let more = |(_, block): &&(ArgId, BlockId)| {
        let state = &cpa.blocks[*block];
        precision.count(cpa.program, state.node) > state.predicates
    };
    spine.states.iter().find(more).map(|&(node, _)| node)
}

/// IMPACT's refinements add nothing to a precision: the states themselves learn the interpolants. Others may have use
/// for their atoms.
fn note_strengthened(cpa: &mut PredicateCpa, spine: &Spine, facts: &[TermId], counters: &mut Counters) {
    for (&(_, block), &fact) in spine.states.iter().zip(facts) {
        let node = cpa.blocks[block].node;
        if cpa.encoder.terms.as_bool(fact) != Some(true) {
            for atom in cpa.encoder.terms.atoms(fact) {
                cpa.tell(node, atom);
            }
            let function = cpa.program.nodes[node].function;
            counters.trail.add(Some(node.0), || cpa.text(fact, Some(function)));
        }
    }
}

impl PredicateCpa<'_> {
    /// The positions of states that do not imply their interpolant, for the report.
    fn weak_states(&mut self, spine: &Spine, facts: &[TermId]) -> Result<Vec<usize>, Stop> {
        let mut weak = Vec::new();
        for (at, (&(_, block), &fact)) in spine.states.iter().zip(facts).enumerate() {
            let psi = self.known(block);
            if !self.entails(psi, fact)? {
                weak.push(at + 1);
            }
        }
        Ok(weak)
    }
}

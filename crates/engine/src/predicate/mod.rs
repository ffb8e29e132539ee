//! Lazy abstraction over blocks [BDW18, section 3]: predicate abstraction and IMPACT on one abstract reachability tree.
//!
//! The tree holds the abstraction states (ψ, l, true) of the Predicate CPA; the intermediate states of a block, and their
//! merging, are the block formula φ of [`encode::Blocks`], which is encoded once per place. So `post` and `merge` happen
//! when blocks are built, `prec` in `abstraction`, `stop` in `art`, `refine` in `refine` and `impact`.
//!
//! CEGAR [BDW18, Alg. 4] around CPA++ [BDW18, Alg. 2]:
//! 1. take a waiting state, unless it can be covered by force;
//! 2. while a target is reachable from it by one block: refine, or confirm the execution;
//! 3. add its successors, unless some state covers them.

mod abstraction;
mod art;
mod impact;
mod proof;
mod refine;
#[cfg(test)]
mod tests;

use crate::bmc::{stop_of, unsupported};
use crate::from_model::confirm;
use crate::k_induction::FactSource;
use abstraction::Precision;
use art::{Art, ArtId};
use base::{Cancel, Counters};
use cfa::{CallGraph, Loops, Node, Program};
use encode::{Addressing, Block, Blocks, Context, Encoder, Goal, MemoryModel, PathFormula, SegmentEnds, Segments};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use smt::{Answer, Backend, Solver, TermId};
use std::rc::Rc;
use std::time::Instant;
use verdict::{Stop, Verdict};

/// Options of lazy abstraction.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PredicateOptions {
    /// How an infeasible path refines the tree.
    pub refinement: Refinement,
    /// Where blocks end.
    pub blocks: BlockEnds,
    /// How predicates describe states.
    pub abstraction: AbstractionKind,
    /// Where the predicates of a location are used.
    pub scope: Scope,
    /// Whether states are covered by force (IMPACT only).
    pub force_cover: bool,
    /// Whether facts of data-flow analyses strengthen all states.
    pub invariants: bool,
}

impl Default for PredicateOptions {
    fn default() -> Self {
        PredicateOptions {
            refinement: Refinement::Predicates,
            blocks: BlockEnds::Loops,
            abstraction: AbstractionKind::Boolean,
            scope: Scope::Location,
            force_cover: true,
            invariants: false,
        }
    }
}

/// What a refinement does with interpolants [BDW18, section 3.2.4].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refinement {
    /// Their atoms become predicates.
    Predicates,
    /// They strengthen the states.
    Impact,
    /// Both, as UFO does.
    Both,
}

/// Where blocks end [BDW18, section 3.1.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockEnds {
    /// blk^l
    Loops,
    /// blk^lf
    LoopsAndCalls,
}

/// How predicates describe states [BPR01].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbstractionKind {
    /// The strongest boolean combination.
    Boolean,
    /// The strongest conjunction of predicates and negated predicates.
    Cartesian,
}

/// Where the predicates found for a location are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// There.
    Location,
    /// In its function.
    Function,
    /// Everywhere.
    Global,
}

/// A place: a location and the calls that are running.
type Place = (Context, Node);

/// Runs lazy abstraction on a program.
pub fn verify(
    program: &Program,
    backend: &dyn Backend,
    options: &PredicateOptions,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let loops = Loops::new(program);
    let calls = CallGraph::new(program);
    if let Some(function) = program.functions.ids().find(|&id| calls.is_reachable(id) && calls.is_recursive(id)) {
        let what = format!("recursion of {} in lazy abstraction", program.function_name(function));
        return Verdict::Unknown(Stop::Unsupported { what, span: program.functions[function].span });
    }
    let ends = match options.blocks {
        BlockEnds::Loops => SegmentEnds::Loops,
        BlockEnds::LoopsAndCalls => SegmentEnds::LoopsAndCalls,
    };
    let segments = Segments::new(program, &loops, &calls).with_ends(ends);
    let mut search = Search::new(program, &segments, backend, options.clone(), cancel.clone());
    if options.invariants {
        search.timed("invariants", |search| search.learn_facts(&sources));
    }
    let result = search.run();
    search.count(counters);
    result.unwrap_or_else(Verdict::Unknown)
}

struct Search<'p, 's> {
    program: &'p Program,
    segments: &'s Segments<'p>,
    backend: &'s dyn Backend,
    options: PredicateOptions,
    cancel: Cancel,
    encoder: Encoder<'p>,
    /// Has no assertions outside of a scope.
    solver: Box<dyn Solver>,
    interpolator: Box<dyn Solver>,
    blocks: FxHashMap<Option<Place>, Rc<Blocks>>,
    art: Art,
    precision: Precision,
    counters: Counters,
    /// Facts that hold at locations, over the start of blocks.
    facts: FxHashMap<Node, TermId>,
}

/// What became of a path to a goal.
enum Refined {
    /// The tree excludes it now.
    Excluded,
    /// The answer.
    Verdict(Verdict),
}

impl<'p, 's> Search<'p, 's> {
    fn new(
        program: &'p Program,
        segments: &'s Segments<'p>,
        backend: &'s dyn Backend,
        options: PredicateOptions,
        cancel: Cancel,
    ) -> Self {
        let encoder = Encoder::new(program, MemoryModel::new(program), Addressing::Fixed);
        Search {
            program,
            segments,
            backend,
            precision: Precision::new(options.scope),
            options,
            cancel,
            encoder,
            solver: backend.solver(),
            interpolator: backend.solver(),
            blocks: FxHashMap::default(),
            art: Art::default(),
            counters: Counters::default(),
            facts: FxHashMap::default(),
        }
    }

    fn run(&mut self) -> Result<Verdict, Stop> {
        let truth = self.encoder.terms.truth();
        let root = self.art.add(None, truth, None);
        self.art.wait(root);
        while let Some(state) = self.art.pop() {
            self.cancel.check()?;
            if self.options.refinement != Refinement::Predicates
                && self.options.force_cover
                && self.timed("forced covering", |search| search.force_cover(state))?
            {
                continue; // 1
            }
            if let Some(verdict) = self.expand(state)? {
                return Ok(verdict);
            }
        }
        let proof = self.timed("proof check", |search| search.proof())?;
        Ok(Verdict::Safe(proof))
    }

    fn timed<T>(&mut self, phase: &'static str, f: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = f(self);
        self.counters.time_since(phase, start);
        result
    }

    /// Steps 2 and 3.
    fn expand(&mut self, state: ArtId) -> Result<Option<Verdict>, Stop> {
        let blocks = self.blocks_of(state)?;
        for (goal, formula) in &blocks.goals {
            // 2
            loop {
                self.cancel.check()?;
                let psi = self.known(state);
                if !self.satisfiable(&[psi, *formula])? {
                    break;
                }
                let refined = self.timed("refinement", |search| search.refine(state, *goal, *formula))?;
                match refined {
                    Refined::Verdict(verdict) => return Ok(Some(verdict)),
                    Refined::Excluded if !self.art.is_open(state) => return Ok(None),
                    Refined::Excluded => {}
                }
            }
        }
        for at in 0..blocks.next.len() {
            // 3
            let psi = self.known(state);
            let block = &blocks.next[at];
            let next = self.timed("abstraction", |search| search.abstract_block(psi, block))?;
            if self.encoder.terms.as_bool(next) == Some(false) {
                continue;
            }
            let child = self.art.add(Some((state, at)), next, Some(block.to.clone()));
            self.art.set_predicates(child, self.precision.at(self.program, &block.to).len());
            if !self.timed("coverage", |search| search.cover(child))? {
                self.art.wait(child);
            }
        }
        self.art.expanded(state);
        Ok(None)
    }

    /// Facts of other analyses, with a part of the time.
    fn learn_facts(&mut self, sources: &[FactSource]) {
        for source in sources {
            let time = self.cancel.remaining().map(|left| left / 10);
            let Ok(found) = source(self.program, &self.cancel.child(time)) else { continue };
            for (node, fact) in &found.facts {
                let Some(fact) = self.encoder.import(&found.exprs, *fact) else { continue };
                let mut path = PathFormula::start(1);
                let fact = self.encoder.eval(&mut path, fact, 0);
                let known = self.facts.get(node).copied().unwrap_or_else(|| self.encoder.terms.truth());
                let all = self.encoder.terms.and([known, fact]);
                self.facts.insert(*node, all);
            }
        }
    }

    /// The facts at a state's location.
    fn fact(&mut self, state: ArtId) -> TermId {
        let fact = self.art.place(state).and_then(|(_, node)| self.facts.get(node).copied());
        fact.unwrap_or_else(|| self.encoder.terms.truth())
    }

    /// The facts where a block leads, over its end.
    fn fact_at_end(&mut self, block: &Block) -> TermId {
        match self.facts.get(&block.to.1).copied() {
            Some(fact) => self.encoder.at_end(fact, &block.path),
            None => self.encoder.terms.truth(),
        }
    }

    /// ψ and the facts at its location.
    fn known(&mut self, state: ArtId) -> TermId {
        let (psi, fact) = (self.art.psi(state), self.fact(state));
        self.encoder.terms.and([psi, fact])
    }

    fn blocks_of(&mut self, state: ArtId) -> Result<Rc<Blocks>, Stop> {
        let place = self.art.place(state).cloned();
        if let Some(blocks) = self.blocks.get(&place) {
            return Ok(blocks.clone());
        }
        let start = Instant::now();
        let blocks = Rc::new(Blocks::new(self.segments, &mut self.encoder, place.as_ref(), &self.cancel)?);
        self.counters.time_since("formula construction", start);
        self.blocks.insert(place, blocks.clone());
        Ok(blocks)
    }

    fn satisfiable(&mut self, formulas: &[TermId]) -> Result<bool, Stop> {
        if formulas.iter().any(|&formula| self.encoder.terms.as_bool(formula) == Some(false)) {
            return Ok(false);
        }
        let answer = self.solver.check_assuming(&self.encoder.terms, formulas, &self.cancel).map_err(stop_of)?;
        Ok(answer == Answer::Sat)
    }

    fn entails(&mut self, a: TermId, b: TermId) -> Result<bool, Stop> {
        if a == b || self.encoder.terms.as_bool(b) == Some(true) {
            return Ok(true);
        }
        let not_b = self.encoder.terms.not(b);
        Ok(!self.satisfiable(&[a, not_b])?)
    }

    /// stop: whether an older state at the same place, not below this one, stands for all that this one does.
    fn cover(&mut self, state: ArtId) -> Result<bool, Stop> {
        for by in self.art.candidates(state) {
            let (psi, older) = (self.art.psi(state), self.art.psi(by));
            if self.entails(psi, older)? {
                self.art.cover(state, by);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An execution along a feasible path.
    fn confirm(&mut self, goal: Goal, chain: &encode::Chain) -> Result<Verdict, Stop> {
        if let Goal::Unsupported(edge) = goal {
            return Ok(Verdict::Unknown(unsupported(self.program, edge)));
        }
        let choices = self.encoder.chain_choices(&mut *self.solver, chain).map_err(stop_of)?;
        let first = confirm(self.program, &choices, &self.cancel);
        if !matches!(first, Verdict::Unknown(Stop::UndefinedBehaviour { .. } | Stop::Undecided { .. })) {
            return Ok(first);
        }
        // Perhaps there is one without undefined behaviour.
        let defined = chain.defined(&mut self.encoder);
        let answer = self.solver.check_assuming(&self.encoder.terms, &defined, &self.cancel).map_err(stop_of)?;
        if answer == Answer::Unsat {
            return Ok(first);
        }
        let choices = self.encoder.chain_choices(&mut *self.solver, chain).map_err(stop_of)?;
        Ok(confirm(self.program, &choices, &self.cancel))
    }

    fn count(&self, counters: &mut Counters) {
        counters.absorb(&self.counters);
        counters.add("abstraction states", self.art.len() as u64);
        counters.add("predicates", self.precision.len() as u64);
        counters.max("terms", self.encoder.terms.len() as u64);
    }
}

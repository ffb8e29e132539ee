//! The Predicate CPA ℙ [BDW18, section 3.1]: abstract states (ψ, l, φ), where ψ describes the concrete states at the
//! location l where the current block starts, and φ all paths from there to here.
//!
//! - ⇝ extends φ by an edge; nothing is solved.
//! - merge joins the φ of one block.
//! - prec ends a block where `blk` says so: predicate abstraction of ψ ∧ φ (`abstraction`).
//! - stop is entailment of abstraction states.
//!
//! φ is a [`PathId`]: equal blocks share one formula, which is encoded when it is first needed. ψ and l belong to the
//! abstraction state, which all states of its block name: so the refinement of `impact` strengthens all of them at once.

use super::abstraction::{Abstract, Question};
use super::describe::is_small;
use super::region::Regions;
use super::{BlockEnds, Feasibility, GivenPredicate, Merging, Precision, PredicateOptions, Psi};
use analysis::{Cpa, Filing, ForcesCover, Move, Place, Query, Settles, Step, Tells, Watches};
use base::{Cancel, Counters, Id, IdVec, define_id};
use cfa::{ExprId, Exprs, Node, Op, Program};
use encode::{
    Addressing, Block, Encoder, MemoryModel, PathFormula, PathId, Paths, Turn, check_room, expression, stop_of,
};
use flow::Prepared;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Backend, Solver, Sort, TermId};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use verdict::Stop;

define_id!(
    /// An abstraction state of one run, and the block that starts there.
    BlockId,
    "e"
);

/// How far a state is in its block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockRole {
    /// An abstraction state: φ is true.
    Start,
    /// An intermediate state.
    Inside,
    /// An intermediate state at the end of its block, to be abstracted.
    End,
    /// At a target, or before C that is not modelled or a recursive call.
    Goal,
}

/// (ψ, l, φ).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// ψ and l.
    pub block: BlockId,
    /// φ.
    pub path: PathId,
    /// Where in the block.
    pub role: BlockRole,
}

/// What is known of an abstraction state.
#[derive(Clone)]
pub(super) struct Abstraction {
    pub node: Node,
    pub psi: Abstract,
    /// The state whose block ends here, and the block.
    pub before: Option<(BlockId, PathId)>,
    /// How many predicates described it.
    pub predicates: usize,
}

/// The Predicate CPA of one program.
pub struct PredicateCpa<'p> {
    /// The program.
    pub program: &'p Prepared,
    /// How it works.
    pub options: PredicateOptions,
    /// Limits.
    pub cancel: Cancel,
    /// Makes formulas.
    pub encoder: Encoder<'p>,
    /// The paths of blocks.
    pub paths: Paths,
    /// Has no assertions outside of a scope.
    pub solver: Box<dyn Solver>,
    pub(super) interpolator: Box<dyn Solver>,
    pub(super) blocks: IdVec<BlockId, Abstraction>,
    /// What was done.
    pub counters: Counters,
    /// Prints predicates; made when the first one is.
    pub(super) printer: Option<Box<Program>>,
    /// Makes solvers.
    pub backend: &'p dyn Backend,
    heads: Vec<bool>,
    /// Whether some function may call itself.
    recursive: bool,
    /// Facts that hold at locations, over the start of blocks.
    facts: FxHashMap<Node, TermId>,
    /// The predicates as variables, where ψ is kept as a BDD.
    pub(super) regions: Option<Regions>,
    /// The abstractions computed so far.
    pub(super) abstractions: FxHashMap<Question, Abstract>,
    /// Blocks from a ψ to a goal that no execution takes.
    infeasible: FxHashSet<(TermId, PathId, Node)>,
    /// When a proof is checked: the abstraction states that were confirmed.
    confirmed: Option<FxHashSet<BlockId>>,
}

impl<'p> PredicateCpa<'p> {
    /// The CPA of a program. A function that calls itself, perhaps by way of others, is a goal: formulas have room for
    /// one activation of every function at a time.
    pub fn new(
        (program, model): (&'p Prepared, &Arc<MemoryModel>),
        backend: &'p dyn Backend,
        options: &PredicateOptions,
        cancel: &Cancel,
    ) -> Result<Self, Stop> {
        let calls = program.calls();
        let recursive = program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id));
        let loops = program.loops();
        let heads = program.nodes.ids().map(|node| loops.headed_by(node).is_some()).collect();
        let mut cpa = PredicateCpa {
            program,
            options: options.clone(),
            cancel: cancel.clone(),
            encoder: Encoder::new(program, model.clone(), Addressing::Fixed),
            paths: Paths::new(),
            solver: backend.solver(),
            interpolator: backend.solver(),
            blocks: IdVec::new(),
            counters: Counters::default(),
            printer: None,
            backend,
            heads,
            recursive,
            facts: FxHashMap::default(),
            regions: (options.psi == Psi::Bdd).then(|| Regions::new(cancel)),
            abstractions: FxHashMap::default(),
            infeasible: FxHashSet::default(),
            confirmed: None,
        };
        // Paths on their own from the start of the program: what is known of their values makes most questions trivial.
        if options.blocks == BlockEnds::Never && options.merge == Merging::Never {
            cpa.encoder.learn_intervals();
        }
        check_room(&cpa.encoder)?;
        let psi = cpa.anything();
        let node = program.functions[program.entry].entry;
        cpa.blocks.push(Abstraction { node, psi, before: None, predicates: 0 });
        Ok(cpa)
    }

    /// Whether some function may call itself: then facts and predicates of others may speak of another activation.
    pub fn is_recursive(&self) -> bool {
        self.recursive
    }

    /// Takes facts for granted; none of recursive programs.
    pub fn learn_facts(&mut self, exprs: &Exprs, facts: &[(Node, ExprId)]) {
        if self.recursive {
            return;
        }
        for (node, fact) in facts {
            let Some(fact) = self.formula_of(exprs, *fact) else { continue };
            let known = self.facts.get(node).copied().unwrap_or_else(|| self.encoder.terms.truth());
            let all = self.encoder.terms.and([known, fact]);
            self.facts.insert(*node, all);
        }
    }

    /// A truth value over the start of blocks; `None` if it reads memory that the program does not read that way.
    fn formula_of(&mut self, exprs: &Exprs, truth: ExprId) -> Option<TermId> {
        let truth = self.encoder.import(exprs, truth)?;
        let formula = self.encoder.eval(&mut PathFormula::start(1), truth, 0);
        assert_eq!(self.encoder.terms.sort(formula), Sort::Bool, "facts and predicates are truth values");
        Some(formula)
    }

    /// The precision with predicates to start with; `Err` says which one cannot be used.
    pub fn precision(&mut self, given: &[GivenPredicate]) -> Result<Precision, String> {
        let mut precision = Precision::new(self.options.scope);
        for GivenPredicate { function, exprs, predicate } in given {
            let formula = self.formula_of(exprs, *predicate);
            let formula = formula.ok_or("a predicate reads memory that the program does not read in that way")?;
            precision.add_in(*function, formula);
        }
        Ok(precision)
    }

    /// Adds predicates that other analyses found; how many are new.
    pub fn learn_predicates(&mut self, precision: &mut Precision, exprs: &Exprs, found: &[(Node, ExprId)]) -> usize {
        let mut new = 0;
        for &(node, predicate) in found {
            let formula = self.formula_of(exprs, predicate);
            new += usize::from(formula.is_some_and(|formula| precision.add(self.program, node, formula)));
        }
        new
    }

    /// Whether other analyses may be told about a predicate.
    pub fn may_tell(&self, predicate: TermId) -> bool {
        !self.recursive && is_small(&self.encoder, predicate)
    }

    /// A predicate of a location as an expression of the program, if there is one.
    pub fn expression(&self, node: Node, exprs: &mut Exprs, predicate: TermId) -> Option<ExprId> {
        expression(&self.encoder, self.program.nodes[node].function, exprs, predicate)
    }

    /// The location of an abstraction state.
    pub fn node(&self, state: BlockId) -> Node {
        self.blocks[state].node
    }

    /// How many predicates describe an abstraction state.
    pub fn predicates_at(&self, state: BlockId) -> usize {
        self.blocks[state].predicates
    }

    /// The positions of states that do not imply their interpolant, for the report.
    pub fn weak_states(&mut self, states: &[BlockId], facts: &[TermId]) -> Result<Vec<usize>, Stop> {
        let mut weak = Vec::new();
        for (at, (&block, &fact)) in states.iter().zip(facts).enumerate() {
            let psi = self.known(block);
            if !self.entails(psi, fact)? {
                weak.push(at + 1);
            }
        }
        Ok(weak)
    }

    /// From now on all answers come from a fresh solver, and nothing is believed because of how it was found.
    pub fn check_proof(&mut self) {
        self.solver = self.backend.solver();
        self.confirmed = Some(FxHashSet::default());
    }

    /// Whether a proof is being checked.
    pub(super) fn is_checking(&self) -> bool {
        self.confirmed.is_some()
    }

    /// What was counted.
    pub fn count(&self, counters: &mut Counters) {
        counters.absorb(&self.counters);
        counters.max("terms", self.encoder.terms.len() as u64);
        counters.max("memory operations forgotten", self.encoder.forgotten);
        counters.max("path formulas", self.paths.len() as u64);
    }

    /// The block of a state.
    pub fn block(&mut self, path: PathId) -> Rc<Block> {
        let start = Instant::now();
        let block = self.paths.block(&mut self.encoder, path);
        self.counters.time_since("formula construction", start);
        block
    }

    /// The facts at a location.
    pub fn fact(&mut self, node: Node) -> TermId {
        self.facts.get(&node).copied().unwrap_or_else(|| self.encoder.terms.truth())
    }

    /// The facts at a location, if there are any.
    pub(super) fn fact_at(&self, node: Node) -> Option<TermId> {
        self.facts.get(&node).copied()
    }

    /// The facts where a block leads, over its end.
    pub(super) fn fact_at_end(&mut self, node: Node, block: &Block) -> TermId {
        match self.facts.get(&node).copied() {
            Some(fact) => self.encoder.at_end(fact, &block.path),
            None => self.encoder.terms.truth(),
        }
    }

    /// ψ and the facts at its location.
    pub(super) fn known(&mut self, block: BlockId) -> TermId {
        let Abstraction { node, psi: Abstract { formula, .. }, .. } = self.blocks[block];
        let fact = self.fact(node);
        self.encoder.terms.and([formula, fact])
    }

    /// Whether formulas have a model together.
    pub fn satisfiable(&mut self, formulas: &[TermId]) -> Result<bool, Stop> {
        if formulas.iter().any(|&formula| self.encoder.terms.as_bool(formula) == Some(false)) {
            return Ok(false);
        }
        if self.encoder.terms.is_refuted_by_sums(formulas) {
            return Ok(false);
        }
        let answer = self.solver.check_assuming(&self.encoder.terms, formulas, &self.cancel).map_err(stop_of)?;
        Ok(answer == Answer::Sat)
    }

    pub(super) fn entails(&mut self, a: TermId, b: TermId) -> Result<bool, Stop> {
        debug_assert_eq!(self.encoder.terms.sort(b), Sort::Bool, "formulas entail formulas");
        if a == b || self.encoder.terms.as_bool(b) == Some(true) {
            return Ok(true);
        }
        let not_b = self.encoder.terms.not(b);
        Ok(!self.satisfiable(&[a, not_b])?)
    }

    /// Whether some execution takes the block's paths to a location.
    fn feasible(&mut self, state: &State, at: Node) -> Result<bool, Stop> {
        self.cancel.check()?;
        let start = Instant::now();
        let question = (self.known(state.block), state.path, at);
        if !self.is_checking() && self.infeasible.contains(&question) {
            return Ok(false);
        }
        let block = self.block(state.path);
        let fact = self.fact_at_end(at, &block);
        let result = self.satisfiable(&[question.0, block.formula, fact]);
        if result == Ok(false) {
            self.infeasible.insert(question);
        }
        self.counters.time_since("reachability", start);
        result
    }

    /// A path one step further.
    pub fn longer(&mut self, path: PathId, step: &Step) -> PathId {
        let turn = match step.kind {
            Move::Edge => Turn::Along,
            Move::Enter => Turn::Enter,
            Move::Leave => Turn::Leave,
            Move::Over => unreachable!("all calls are entered"),
        };
        let head = Some(step.to.node).filter(|node| self.heads[node.index()]);
        self.paths.step(path, step.edge, turn, head)
    }

    /// blk: whether a block ends after a step.
    fn ends(&self, step: &Step, path: PathId) -> bool {
        let head = self.heads[step.to.node.index()];
        match self.options.blocks {
            BlockEnds::Loops => head,
            BlockEnds::LoopsAndCalls => head || step.kind != Move::Edge,
            BlockEnds::Never => false,
            BlockEnds::Edges(most) => self.paths.length(path) >= most,
        }
    }

    /// Whether the block that led to an abstraction state includes a path, and the state describes what it does.
    fn describes(&mut self, state: BlockId, from: BlockId, path: PathId) -> Result<bool, Stop> {
        let Abstraction { node, psi: Abstract { formula: psi, .. }, before, .. } = self.blocks[state];
        let Some((before, whole)) = before else { return Ok(false) };
        if before != from || !self.paths.includes(whole, path) {
            return Ok(false);
        }
        if self.confirmed.as_ref().is_none_or(|confirmed| confirmed.contains(&state)) {
            return Ok(true);
        }
        let (known, block) = (self.known(from), self.block(whole));
        let fact = self.fact_at_end(node, &block);
        let described = self.encoder.at_end(psi, &block.path);
        let outside = self.encoder.terms.not(described);
        let holds = !self.satisfiable(&[known, block.formula, fact, outside])?;
        if let (true, Some(confirmed)) = (holds, &mut self.confirmed) {
            confirmed.insert(state);
        }
        Ok(holds)
    }
}

/// Whether a step enters a function that is running already.
pub fn is_recursion(step: &Step) -> bool {
    step.kind == Move::Enter && step.to_depth > 0
}

impl Cpa for PredicateCpa<'_> {
    type State = State;
    type Precision = Precision;

    fn initial(&mut self) -> State {
        assert!(!self.blocks.is_empty(), "the program's start is the first abstraction state");
        State { block: BlockId(0), path: Paths::PROGRAM, role: BlockRole::Start }
    }

    fn post(&mut self, from: &State, step: &Step, _: &Precision, next: &mut Vec<State>) -> Result<(), Stop> {
        let edge = &self.program.edges[step.edge];
        match edge.op {
            Op::Unsupported(_) => {
                next.push(State { role: BlockRole::Goal, ..*from });
                return Ok(());
            }
            Op::CallPointer { .. } => {
                return Err(Stop::Unsupported { what: "a call through a pointer".to_owned(), span: edge.span });
            }
            _ => {}
        }
        if is_recursion(step) {
            next.push(State { role: BlockRole::Goal, ..*from });
            return Ok(());
        }
        let path = self.longer(from.path, step);
        let role = if self.program.target_at(step.to.node).is_some() {
            BlockRole::Goal
        } else if self.ends(step, path) {
            BlockRole::End
        } else {
            BlockRole::Inside
        };
        if self.options.feasibility != Feasibility::Lazy && self.paths.formula(&mut self.encoder, path).is_none() {
            return Ok(());
        }
        let state = State { block: from.block, path, role };
        let branch = matches!(edge.op, Op::Assume(_)) && self.options.feasibility == Feasibility::Branches;
        if branch && self.confirmed.is_none() && !self.feasible(&state, step.to.node)? {
            return Ok(());
        }
        next.push(state);
        Ok(())
    }

    /// merge_ℙ: φ₁ ∨ φ₂ within one block.
    fn merge(&mut self, new: &State, old: &State, _: Place) -> Result<Option<State>, Stop> {
        let same = new.block == old.block && new.role == old.role && old.role != BlockRole::Start;
        if !same || self.options.merge == Merging::Never {
            return Ok(None);
        }
        Ok(self.paths.merge(old.path, new.path).map(|path| State { path, ..*old }))
    }

    /// stop_ℙ: entailment of abstraction states. Deviates from [BDW18]: a path that was seen before is not followed
    /// again, which costs no query.
    fn covers(&mut self, old: &State, new: &State) -> Result<bool, Stop> {
        match (old.role, new.role) {
            (BlockRole::Start, BlockRole::Start) if old.block == new.block => Ok(true),
            (BlockRole::Start, BlockRole::Start) => {
                let start = Instant::now();
                let (older, newer) = (self.blocks[old.block].psi.clone(), self.blocks[new.block].psi.clone());
                let result = self.implies(&newer, &older);
                self.counters.time_since("coverage", start);
                result
            }
            (BlockRole::Start, BlockRole::End) => self.describes(old.block, new.block, new.path),
            (BlockRole::Inside, BlockRole::Inside)
            | (BlockRole::End, BlockRole::End)
            | (BlockRole::Goal, BlockRole::Goal) => {
                Ok(old.block == new.block && self.paths.includes(old.path, new.path))
            }
            (BlockRole::Start | BlockRole::Inside | BlockRole::End | BlockRole::Goal, _) => Ok(false),
        }
    }
}

impl Settles for PredicateCpa<'_> {
    const SETTLES: bool = true;

    /// prec_ℙ: the abstraction at the end of a block; at a goal, whether it is reachable at all. Deviates from [BDW18]:
    /// π(l_ERR) is {false} from the start.
    fn settle(&mut self, state: &State, at: Place, precision: &mut Precision) -> Result<Option<State>, Stop> {
        match state.role {
            BlockRole::Start | BlockRole::Inside => Ok(Some(*state)),
            BlockRole::Goal => Ok(self.feasible(state, at.node)?.then_some(*state)),
            BlockRole::End => {
                self.cancel.check()?;
                let start = Instant::now();
                let psi = self.abstraction(state, at.node, precision);
                self.counters.time_since("abstraction", start);
                let psi = psi?;
                if self.encoder.terms.as_bool(psi.formula) == Some(false) {
                    return Ok(None);
                }
                let predicates = precision.count(self.program, at.node);
                let before = Some((state.block, state.path));
                debug_assert!(state.block.index() < self.blocks.len(), "blocks begin at states that are known");
                let block = self.blocks.push(Abstraction { node: at.node, psi, before, predicates });
                Ok(Some(State { block, path: Paths::BLOCK, role: BlockRole::Start }))
            }
        }
    }

    fn is_empty(&mut self, state: &State, at: Place) -> Result<bool, Stop> {
        Ok(state.role != BlockRole::Start && !self.feasible(state, at.node)?)
    }

    fn is_goal(&self, state: &State) -> bool {
        state.role == BlockRole::Goal
    }

    /// One block after the other, oldest first; before a block is left, the goals in it.
    fn layer(&self, state: &State) -> u64 {
        let block = 2 * state.block.index() as u64;
        match state.role {
            BlockRole::Start | BlockRole::Inside => block,
            BlockRole::Goal => block + 1,
            BlockRole::End => (1 << 63) | block,
        }
    }
}

impl Filing for PredicateCpa<'_> {
    fn key(&self, state: &State) -> u64 {
        if state.role == BlockRole::Start { 0 } else { state.block.index() as u64 + 1 }
    }

    fn number(&self, _: u64) -> Option<u32> {
        None
    }

    fn covering_keys(&mut self, state: &State, _: Place, keys: &mut Vec<u64>) {
        keys.push(self.key(state));
        if state.role == BlockRole::End {
            keys.push(0);
        }
    }
}

impl Watches for PredicateCpa<'_> {
    fn filed(&mut self, _: &State, _: Place) {}

    fn cleared(&mut self) {
        let root = self.blocks[BlockId(0)].clone();
        self.blocks = IdVec::new();
        self.blocks.push(root);
    }
}

impl ForcesCover for PredicateCpa<'_> {
    fn force_cover(&mut self, reached: &mut analysis::Reached<State>, node: analysis::ArgId) -> Result<bool, Stop> {
        super::impact::force_cover(self, reached, node)
    }
}

impl Tells for PredicateCpa<'_> {
    fn lines(&mut self, state: &State, at: Node) -> Vec<String> {
        self.state_text(state, at)
    }

    fn answer(&mut self, _: &State, _: &Step, _: Query) -> Option<analysis::QueryAnswer> {
        None
    }
}

analysis::without! { PredicateCpa<'_>: StepsOver }

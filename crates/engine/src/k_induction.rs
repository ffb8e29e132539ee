//! k-induction with continuously refined auxiliary invariants [BDW18, Alg. 3], for programs with any number of loops.
//!
//! For growing `k`:
//! 1. base case and forward condition: bounded model checking with bound `k`;
//! 2. step case: from any state at any loop head, after `k` further visits of loop heads without reaching a target, no
//!    target is reached before the next one;
//! 3. the auxiliary invariants known so far hold at every visit; while new ones arrive, the step case is tried again.
//!
//! Deviates from [BDW18], which assumes one loop: the visits of all loop heads together are counted. An execution to a
//! target with at most `k` visits is found by the base case, since no loop runs more often; one with more visits ends
//! with `k + 1` of them, the first in some state, and is excluded by the step case.
//!
//! Nothing is behind a target, so the step case says something of every target by itself: where each one is asked about,
//! those that it excludes are proved, whatever becomes of the others.

use crate::bmc::{self, Bounded, Increment, ask, check_bound, stop_of};
use crate::guided::run_on;
use crate::inductive::{self, Claim, Confirmed};
use crate::unrolled::with_facts;
use base::{Cancel, Counters, Stopped};
use cfa::{ExprId, Exprs, Node, Program};
use encode::{Addressing, Encoder, Guard, Layer, MemoryModel, PathFormula, Segments};
use flow::{CallGraph, Loops};
use serde::Deserialize;
use smt::{Answer, Backend, Solver, TermId};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use verdict::{Argument, Goals, Proof, Stop, Verdict, Wanted};

/// Options of k-induction.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KInductionOptions {
    /// The first bound.
    pub k_init: u32,
    /// The last bound.
    pub k_max: u32,
    /// How the bound grows.
    pub increment: Increment,
    /// Whether auxiliary invariants are used.
    pub invariants: bool,
    /// How many times the bound a loop may run in the base case that is known to end.
    pub constant_loops: u32,
    /// How many instructions the interpreter runs an execution that leaves the unrolled part.
    pub run_on: u64,
}

impl Default for KInductionOptions {
    fn default() -> Self {
        KInductionOptions {
            k_init: 1,
            k_max: u32::MAX,
            increment: Increment::Half,
            invariants: true,
            constant_loops: bmc::CONSTANT_LOOPS,
            run_on: 0,
        }
    }
}

/// Truth values that hold whenever an execution is at their node.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Where their expressions live.
    pub exprs: Exprs,
    /// The facts.
    pub facts: Vec<(Node, ExprId)>,
}

/// Finds facts about a program; each is checked before it is given away.
pub type FactSource<'a> = Box<dyn Fn(&Program, &Cancel) -> Result<Facts, Stop> + Send + 'a>;

/// Facts at loop heads by a data-flow analysis.
pub fn dataflow_facts<D: analysis::dataflow::FlowDomain>(
    program: &Program,
    domain: &D,
    cancel: &Cancel,
) -> Result<Facts, Stop> {
    let heads = Loops::new(program).loops.iter().map(|(_, one)| one.head).collect();
    dataflow_facts_at(program, domain, heads, cancel)
}

/// Facts at some nodes by a data-flow analysis.
pub fn dataflow_facts_at<D: analysis::dataflow::FlowDomain>(
    program: &Program,
    domain: &D,
    nodes: Vec<Node>,
    cancel: &Cancel,
) -> Result<Facts, Stop> {
    let solution = crate::dataflow::solve(program, domain, cancel)?;
    crate::dataflow::check(program, domain, &solution)?;
    let mut exprs = program.exprs.clone();
    let mut facts = Vec::new();
    for node in nodes {
        let fact = match &solution[node] {
            Some(state) => domain.invariant(state, &mut exprs),
            None => exprs.bool(false),
        };
        facts.push((node, fact));
    }
    Ok(Facts { exprs, facts })
}

/// k-induction; `sources` run one after the other in a thread of their own, as long as there is a next one.
pub fn verify<'f>(
    (program, model): (&Program, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    options: &KInductionOptions,
    sources: impl IntoIterator<Item = FactSource<'f>> + Send,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let (sender, receiver) = channel();
    let side = cancel.child(None);
    std::thread::scope(|scope| {
        if options.invariants {
            let side = &side;
            // Facts help, but are no part of the proof: where the system has no room for a thread, there are none.
            let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
                for source in sources {
                    let found = source(program, side);
                    if side.is_stopped() {
                        return;
                    }
                    let Ok(facts) = found else { continue };
                    if sender.send(facts).is_err() {
                        return;
                    }
                }
            });
        } else {
            drop(sender);
        }
        let result = prove((program, model), goals, backend, options, &receiver, cancel, counters);
        drop(receiver);
        side.stop();
        result.unwrap_or_else(Verdict::Unknown)
    })
}

fn prove(
    (program, model): (&Program, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    options: &KInductionOptions,
    facts: &Receiver<Facts>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    let loops = Loops::new(program);
    let calls = CallGraph::new(program);
    let recursive = program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id));
    let segments = Segments::new(program, &loops, &calls);
    let mut step = (!recursive).then(|| Step::new(program, model.clone(), &segments, backend));
    let mut k = options.k_init.max(1);
    let mut doubts = None;
    while k <= options.k_max {
        counters.max("k", u64::from(k));
        let bounds = bmc::bounds(k, options.constant_loops);
        let bounded = check_bound((program, &mut *goals), (&loops, model), backend, bounds, cancel, counters);
        let (doubt, beyond) = match bounded.map_err(|stop| bmc::told(stop, doubts.clone()))? {
            Bounded::Verdict(Verdict::Safe(proof)) => {
                let patience = step.as_ref().map_or(Some(PATIENCE), |step| step.patience);
                let mut known: Vec<Facts> = step.map(Step::into_facts).into_iter().collect();
                known.extend(patience.and_then(|patience| facts.recv_timeout(patience).ok()));
                known.extend(facts.try_iter());
                let asked = goals.asked(program);
                return Ok(Verdict::Safe(with_facts((&asked, model), backend, proof, &known, k, cancel)));
            }
            Bounded::Verdict(verdict) => return Ok(verdict), // 1
            Bounded::Inconclusive { doubt, beyond } => (doubt, beyond),
        };
        let found = beyond.and_then(|it| run_on(program, goals, &it, options.run_on, cancel, counters));
        if let Some(found) = found {
            return Ok(Verdict::Unsafe(found));
        }
        let doubtful = doubt.is_some();
        doubts = doubt.or(doubts);
        if !doubtful && let Some(step) = &mut step {
            counters.live.phase("step case");
            let start = Instant::now();
            let proof = step.prove(k as usize, goals, facts, backend, cancel); // 2
            counters.time_since("step case", start);
            if let Some(proof) = proof? {
                // The step starts at any loop head, however late executions come there.
                let known = program.nodes.iter().filter(|(_, node)| calls.is_reachable(node.function));
                known.for_each(|(node, _)| counters.trail.reach(node));
                return Ok(Verdict::Safe(proof));
            }
        }
        let next = options.increment.next(k);
        if next == k {
            break;
        }
        k = next;
    }
    Err(doubts.unwrap_or_else(|| Stop::Bound(format!("not provable by induction up to k = {}", options.k_max))))
}

/// The step case, extended as `k` grows.
pub(crate) struct Step<'s, 'p> {
    segments: &'s Segments<'p>,
    pub encoder: Encoder<'p>,
    solver: Box<dyn Solver>,
    /// How many questions the solver was asked.
    asked: usize,
    defined: usize,
    /// The paths at the heads visited so far: visit 0 is the arbitrary start.
    visits: Vec<Vec<(Node, PathFormula)>>,
    next: Layer,
    /// Where targets, by their index, and C that is not modelled are reached behind each visit.
    errors: Vec<Vec<(Option<usize>, Guard)>>,
    pub facts: Vec<(Node, ExprId)>,
    /// All fact instances, asserted.
    asserted: Vec<TermId>,
    /// How long to wait for the first facts; `None` when some came, or none did in that time.
    patience: Option<Duration>,
}

/// How long the first step case waits for the first facts.
const PATIENCE: Duration = Duration::from_millis(300);

impl<'s, 'p> Step<'s, 'p> {
    pub fn new(
        program: &'p Program,
        model: Arc<MemoryModel>,
        segments: &'s Segments<'p>,
        backend: &dyn Backend,
    ) -> Self {
        let mut encoder = Encoder::new(program, model, Addressing::Fixed);
        let next = segments.anywhere(&mut encoder, 1);
        Step {
            segments,
            encoder,
            solver: backend.solver(),
            asked: 0,
            defined: 0,
            visits: Vec::new(),
            next,
            errors: Vec::new(),
            facts: Vec::new(),
            asserted: Vec::new(),
            patience: Some(PATIENCE),
        }
    }

    /// Proves what the step case for `k` excludes; a proof if that ends the run.
    fn prove(
        &mut self,
        k: usize,
        goals: &mut Goals,
        source: &Receiver<Facts>,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<Option<Proof>, Stop> {
        let all: Vec<usize> = goals.open().collect();
        if self.holds(k, &all, source, backend, cancel)? {
            return self.proof(k, &all, backend, cancel).map(Some);
        }
        if goals.wanted() == Wanted::Each && all.len() > 1 {
            for target in all {
                let goal = self.goal(k, &[target]);
                if self.ask(goal, cancel)? == Answer::Unsat {
                    let proof = self.proof(k, &[target], backend, cancel)?;
                    if let Some(last) = goals.proved(&[target], proof) {
                        return Ok(Some(last));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether the step case holds for `k` and some targets.
    fn holds(
        &mut self,
        k: usize,
        targets: &[usize],
        source: &Receiver<Facts>,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<bool, Stop> {
        while self.errors.len() <= k {
            self.extend(cancel)?;
        }
        if self.asked > 0 {
            self.renew(backend);
        }
        let goal = self.goal(k, targets);
        loop {
            if self.ask(goal, cancel)? == Answer::Unsat {
                return Ok(true);
            }
            // 3
            let mut new = source.try_recv().ok();
            if let (Some(patience), None) = (self.patience.take(), &new) {
                new = source.recv_timeout(patience).ok();
            }
            let Some(facts) = new else { return Ok(false) };
            self.learn(&facts);
            while let Ok(more) = source.try_recv() {
                self.learn(&more);
            }
        }
    }

    fn ask(&mut self, goal: TermId, cancel: &Cancel) -> Result<Answer, Stop> {
        self.asked += 1;
        ask(&mut *self.solver, &self.encoder, goal, cancel)
    }

    /// A solver that was asked nothing yet. What the old one learned about smaller `k` helps less than what a new one
    /// can simplify, and the answer of a new one need not be confirmed.
    fn renew(&mut self, backend: &dyn Backend) {
        self.solver = self.fresh(backend);
        self.asked = 0;
    }

    /// A new solver that knows the visits so far and the facts about them.
    fn fresh(&self, backend: &dyn Backend) -> Box<dyn Solver> {
        let mut fresh = backend.solver();
        for definition in self.encoder.definitions(0) {
            fresh.assert(&self.encoder.terms, definition);
        }
        for &formula in &self.asserted {
            fresh.assert(&self.encoder.terms, formula);
        }
        fresh
    }

    /// What was learned.
    fn into_facts(self) -> Facts {
        Facts { exprs: self.encoder.exprs, facts: self.facts }
    }

    /// Whether a fresh solver finds that the step case holds for `k`, if that is not too much.
    pub fn confirms(&mut self, k: usize, most: usize, backend: &dyn Backend, cancel: &Cancel) -> bool {
        if k > most {
            return false;
        }
        while self.errors.len() <= k {
            if self.extend(cancel).is_err() {
                return false;
            }
        }
        let all: Vec<usize> = (0..self.encoder.program.targets.len()).collect();
        self.proof(k, &all, backend, cancel).is_ok()
    }

    fn goal(&mut self, k: usize, targets: &[usize]) -> TermId {
        let asked = |target: Option<usize>| target.is_none_or(|target| targets.contains(&target));
        let errors = self.errors[k].iter().filter(|(target, _)| asked(*target)).map(|(_, guard)| *guard);
        bmc::any(&mut self.encoder, errors)
    }

    /// One more visit of loop heads.
    fn extend(&mut self, cancel: &Cancel) -> Result<(), Stopped> {
        let layer = std::mem::take(&mut self.next);
        let visit: Vec<(Node, PathFormula)> = layer.iter().map(|((_, node), path)| (*node, path.clone())).collect();
        for (node, path) in &visit {
            let here: Vec<ExprId> = self.facts.iter().filter(|(at, _)| at == node).map(|(_, fact)| *fact).collect();
            for fact in here {
                self.instance(path, fact);
            }
        }
        self.visits.push(visit);
        let reached = self.segments.run(&mut self.encoder, layer, cancel)?;
        let targets = reached.targets.iter().map(|(target, guard)| (Some(*target), *guard));
        let unsupported = reached.unsupported.iter().map(|(_, guard)| (None, *guard));
        self.errors.push(targets.chain(unsupported).collect());
        self.next = reached.heads;
        for definition in self.encoder.definitions(self.defined).collect::<Vec<_>>() {
            self.solver.assert(&self.encoder.terms, definition);
            self.defined += 1;
        }
        Ok(())
    }

    pub fn learn(&mut self, facts: &Facts) {
        for (node, fact) in &facts.facts {
            let Some(fact) = self.encoder.import(&facts.exprs, *fact) else { continue };
            if self.encoder.exprs.constant(fact) == Some(1) || self.facts.contains(&(*node, fact)) {
                continue;
            }
            self.facts.push((*node, fact));
            let visits: Vec<PathFormula> =
                self.visits.iter().flatten().filter(|(at, _)| at == node).map(|(_, path)| path.clone()).collect();
            for path in visits {
                self.instance(&path, fact);
            }
        }
    }

    /// The fact holds where the path ends.
    fn instance(&mut self, path: &PathFormula, fact: ExprId) {
        let mut path = path.clone();
        let holds = self.encoder.eval(&mut path, fact, 0);
        let guard = self.encoder.guards.formula(&mut self.encoder.terms, path.guard);
        let formula = self.encoder.terms.implies(guard, holds);
        self.solver.assert(&self.encoder.terms, formula);
        self.asserted.push(formula);
    }

    /// The step case, asked again of a fresh solver unless the last answer came from one.
    fn proof(&mut self, k: usize, targets: &[usize], backend: &dyn Backend, cancel: &Cancel) -> Result<Proof, Stop> {
        if self.asked != 1 {
            let goal = self.goal(k, targets);
            let answer = self.fresh(backend).check_assuming(&self.encoder.terms, &[goal], cancel).map_err(stop_of)?;
            if answer != Answer::Unsat {
                return Err(Stop::Evidence("a fresh solver does not confirm the induction step".to_owned()));
            }
        }
        let subject = (self.encoder.program, &self.encoder.model);
        let confirmed = inductive::check(subject, backend, &self.encoder.exprs, &self.facts, Claim::Invariant, cancel)?;
        let invariants = match confirmed {
            Confirmed::Yes => "which a solver proved inductive".to_owned(),
            Confirmed::NotTried(why) => format!("which no solver proved again: {why}"),
        };
        let checked = format!(
            "By {k}-induction over visits of loop heads, a fresh solver confirmed the step, relative to {} auxiliary \
             invariants, {invariants}.",
            self.facts.len()
        );
        let argument = Argument::Induction(k as u32);
        let (exprs, invariants) = (self.encoder.exprs.clone(), self.facts.clone());
        Ok(Proof { exprs, invariants, checked, argument, ..Proof::default() })
    }
}

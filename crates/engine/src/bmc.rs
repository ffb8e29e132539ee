//! Bounded model checking with forward condition and iterative deepening: [BDW18, Alg. 3] without lines 15-23.
//!
//! 1. Unroll every loop `k` times. 2. If a target is reachable, a model is an execution: the interpreter replays it.
//! 3. If no execution leaves the unrolled part, the program is safe. 4. Otherwise increase `k`.
//!
//! The unrolled program is one formula: the Predicate CPA with blocks that never end and the loop-bound CPA, but visited
//! in topological order, so that merging happens once per node.

use crate::from_model::confirm;
use base::{Cancel, Counters, Id};
use cfa::{EdgeId, Loops, Op, Program};
use encode::{Addressing, Bounds, Encoder, Guard, MemoryModel, Unrolled, unroll};
use serde::Deserialize;
use smt::{Answer, Backend, Solver, SolverFailure, TermId};
use std::rc::Rc;
use std::time::Instant;
use verdict::{Proof, Stop, Verdict};

/// Options of bounded model checking.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BmcOptions {
    /// The first bound.
    pub k_init: u32,
    /// The last bound.
    pub k_max: u32,
    /// How the bound grows.
    pub increment: Increment,
}

/// How a bound grows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Increment {
    /// By one.
    One,
    /// To its double.
    Double,
    /// By half of it, at least by one.
    Half,
}

impl Increment {
    /// The next bound.
    pub fn next(self, k: u32) -> u32 {
        match self {
            Increment::One => k.saturating_add(1),
            Increment::Double => k.saturating_mul(2),
            Increment::Half => k.saturating_add((k / 2).max(1)),
        }
    }
}

impl Default for BmcOptions {
    fn default() -> Self {
        BmcOptions { k_init: 1, k_max: u32::MAX, increment: Increment::Double }
    }
}

/// What one bound showed.
pub enum Bounded {
    /// The answer.
    Verdict(Verdict),
    /// No target within the bound; executions go on behind it.
    Inconclusive {
        /// C that is not modelled and that executions within the bound may reach.
        unsupported: Option<Stop>,
    },
}

/// Bounded model checking with growing bounds.
pub fn verify(
    program: &Program,
    backend: &dyn Backend,
    options: &BmcOptions,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let loops = Loops::new(program);
    let model = MemoryModel::new(program);
    let mut k = options.k_init.max(1);
    while k <= options.k_max {
        counters.max("k", u64::from(k));
        match check_bound(program, (&loops, &model), backend, bounds(k, CONSTANT_LOOPS), cancel, counters) {
            Ok(Bounded::Verdict(verdict)) => return verdict,
            Ok(Bounded::Inconclusive { .. }) => {}
            Err(stop) => return Verdict::Unknown(stop),
        }
        let next = options.increment.next(k);
        if next == k {
            break;
        }
        k = next;
    }
    Verdict::Unknown(Stop::Bound(format!("executions are longer than the bound {}", options.k_max)))
}

/// How many times the bound a loop may run that is known to end.
pub const CONSTANT_LOOPS: u32 = 1024;

/// The bound `k`, and `constant` times as much for loops that are known to end.
pub fn bounds(k: u32, constant: u32) -> Bounds {
    Bounds { iterations: k, recursion: k, constant_iterations: k.saturating_mul(constant) }
}

/// Steps 1 to 3 for one bound.
pub fn check_bound(
    program: &Program,
    (loops, model): (&Loops, &Rc<MemoryModel>),
    backend: &dyn Backend,
    bounds: Bounds,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Bounded, Stop> {
    counters.live.phase("unrolling");
    counters.live.bound(u64::from(bounds.iterations));
    let start = Instant::now();
    let mut encoder = Encoder::new(program, model.clone(), Addressing::Events);
    let unrolled = unroll(&mut encoder, loops, bounds, cancel)?; // 1
    check_room(&encoder)?;
    counters.time_since("formula construction", start);
    counters.max("unrolled edges", unrolled.steps);
    for node in program.nodes.ids().filter(|node| unrolled.visited[node.index()]) {
        counters.trail.reach(node);
    }
    counters.live.phase("base case");
    counters.max("terms", encoder.terms.len() as u64);
    let mut solver = backend.solver();
    for definition in encoder.definitions(0) {
        solver.assert(&encoder.terms, definition);
    }
    let targets = any(&mut encoder, unrolled.targets.iter().map(|(_, guard)| *guard));
    let start = Instant::now();
    let reached = ask(&mut *solver, &encoder, targets, cancel);
    counters.time_since("base case", start);
    if reached? == Answer::Sat {
        return counterexample(&mut encoder, &mut *solver, targets, cancel).map(Bounded::Verdict); // 2
    }
    counters.live.phase("forward condition");
    let start = Instant::now();
    let result = forward_condition(&mut encoder, &mut *solver, &unrolled, cancel);
    counters.time_since("forward condition", start);
    let complete = result?;
    let unsupported = reachable_unsupported(&mut encoder, &mut *solver, &unrolled, cancel)?;
    if !complete {
        return Ok(Bounded::Inconclusive { unsupported });
    }
    if let Some(stop) = unsupported {
        return Err(stop);
    }
    Ok(Bounded::Verdict(Verdict::Safe(proof(&mut encoder, backend, &unrolled, bounds.iterations, cancel)?))) // 3
}

/// Formulas mean nothing where objects overlap.
pub(crate) fn check_room(encoder: &Encoder) -> Result<(), Stop> {
    if encoder.is_exhausted() {
        return Err(Stop::Bound("the objects of the unrolled program do not fit into the address space".to_owned()));
    }
    Ok(())
}

/// An execution to a target, if possible one without undefined behaviour; the solver has a model already.
fn counterexample(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    targets: TermId,
    cancel: &Cancel,
) -> Result<Verdict, Stop> {
    let choices = encoder.choices(solver).map_err(stop_of)?;
    let first = confirm(encoder.program, &choices, cancel);
    if !matches!(first, Verdict::Unknown(Stop::UndefinedBehaviour { .. } | Stop::Undecided { .. })) {
        return Ok(first);
    }
    let mut all = vec![targets];
    for at in 0..encoder.defined.len() {
        let (guard, defined) = encoder.defined[at];
        let guard = encoder.guards.formula(&mut encoder.terms, guard);
        all.push(encoder.terms.implies(guard, defined));
    }
    let all = encoder.terms.and(all);
    if ask(solver, encoder, all, cancel)? == Answer::Unsat {
        return Ok(first);
    }
    let choices = encoder.choices(solver).map_err(stop_of)?;
    Ok(confirm(encoder.program, &choices, cancel))
}

/// Whether no execution reaches a cut.
fn forward_condition(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    unrolled: &Unrolled,
    cancel: &Cancel,
) -> Result<bool, Stop> {
    let cuts = any(encoder, unrolled.cuts.iter().map(|(_, guard)| *guard));
    Ok(ask(solver, encoder, cuts, cancel)? == Answer::Unsat)
}

/// The first piece of C that is not modelled and that an execution may reach.
fn reachable_unsupported(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    unrolled: &Unrolled,
    cancel: &Cancel,
) -> Result<Option<Stop>, Stop> {
    for (edge, guard) in &unrolled.unsupported {
        let formula = any(encoder, [*guard]);
        if ask(solver, encoder, formula, cancel)? == Answer::Sat {
            return Ok(Some(unsupported(encoder.program, *edge)));
        }
    }
    Ok(None)
}

/// Why an edge cannot be passed.
pub fn unsupported(program: &Program, edge: EdgeId) -> Stop {
    let span = program.edges[edge].span;
    let what = match &program.edges[edge].op {
        Op::Unsupported(what) => program.text(*what).to_owned(),
        _ => "call through a pointer".to_owned(),
    };
    Stop::Unsupported { what, span }
}

/// All executions lie in the unrolled part and reach no target: asked again, at once, of a fresh solver.
fn proof(
    encoder: &mut Encoder,
    backend: &dyn Backend,
    unrolled: &Unrolled,
    k: u32,
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    let targets = unrolled.targets.iter().map(|(_, guard)| *guard);
    let cuts = unrolled.cuts.iter().map(|(_, guard)| *guard);
    let unsupported = unrolled.unsupported.iter().map(|(_, guard)| *guard);
    let all = any(encoder, targets.chain(cuts).chain(unsupported));
    let mut fresh = backend.solver();
    for definition in encoder.definitions(0) {
        fresh.assert(&encoder.terms, definition);
    }
    if ask(&mut *fresh, encoder, all, cancel)? != Answer::Unsat {
        return Err(Stop::Evidence("a fresh solver finds a way out of the unrolled program".to_owned()));
    }
    let checked = format!(
        "No loop runs {k} times without its end being known; a fresh solver found no execution of the unrolled program \
         that reaches a target or leaves it."
    );
    Ok(Proof { exprs: encoder.program.exprs.clone(), invariants: Vec::new(), checked })
}

/// One of the guards holds.
pub(crate) fn any(encoder: &mut Encoder, guards: impl IntoIterator<Item = Guard>) -> TermId {
    let formulas: Vec<TermId> =
        guards.into_iter().map(|guard| encoder.guards.formula(&mut encoder.terms, guard)).collect();
    encoder.terms.or(formulas)
}

pub(crate) fn ask(
    solver: &mut dyn Solver,
    encoder: &Encoder,
    formula: TermId,
    cancel: &Cancel,
) -> Result<Answer, Stop> {
    match encoder.terms.as_bool(formula) {
        Some(false) => Ok(Answer::Unsat),
        Some(true) | None => solver.check_assuming(&encoder.terms, &[formula], cancel).map_err(stop_of),
    }
}

/// A solver's failure as the reason to give up.
pub fn stop_of(failure: SolverFailure) -> Stop {
    match failure {
        SolverFailure::Stopped(stopped) => Stop::Limit(stopped),
        SolverFailure::Incomplete(why) => Stop::Solver(why),
    }
}

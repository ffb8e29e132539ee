//! Bounded model checking with forward condition and iterative deepening: [BDW18, Alg. 3] without lines 15-23.
//!
//! 1. Unroll every loop `k` times. 2. If a target is reachable, a model is an execution: the interpreter replays it. An
//!    execution with undefined behaviour before the target shows nothing: others are looked for, also with larger `k`.
//! 3. If no execution leaves the unrolled part, the program is safe. 4. Otherwise a model is the beginning of one: the
//!    interpreter runs on from there, as errors after many iterations take no more choices than those after a few.
//!    5. Increase `k`.
//!
//! Where each target is asked about separately, all are asked about at once first, and one by one if one is reachable.
//!
//! The unrolled program is one formula: the Predicate CPA with blocks that never end and the loop-bound CPA, but visited
//! in topological order, so that merging happens once per node.

use crate::board::{Board, SafeBound, TriedWhole};
use crate::cegar::elsewhere;
use crate::evidence::{confirm_model, run_on};
use crate::facts::FactSource;
use crate::unrolled::with_invariants;
use base::{Cancel, Counters, Id, Stopped, choices, options};
use encode::{
    Addressing, Bounds, Encoder, Guard, MemoryModel, Unrolled, any, ask, check_room, stop_of, unroll, unsupported,
};
use flow::{Loops, Prepared};
use semantics::choices::Choices;
use smt::{Answer, Backend, Solver, TermId, Value};
use std::sync::Arc;
use std::time::Instant;
use verdict::{Argument, Goals, Proof, Stop, Verdict};

#[cfg(test)]
mod tests;
mod whole;

options! {
    /// Options of bounded model checking.
    pub struct BmcOptions {
        /// The first bound.
        pub k_init: u32 = 1,
        /// The last bound.
        pub k_max: u32 = u32::MAX,
        /// How the bound grows.
        pub increment: Increment = Increment::Double,
        /// Before all bounds the program is unrolled completely if it has at most so many edges then and intervals of
        /// values show where loops end.
        pub complete: u64 = 20_000,
        /// For how many instructions the interpreter continues an execution that leaves the unrolled part.
        pub run_on: u64 = 0,
    }
}

choices! {
    /// How a bound grows.
    pub enum Increment {
        /// By one.
        One,
        /// To its double.
        Double,
        /// By half of it, at least by one.
        Half,
    }
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

/// What one bound showed.
pub enum Bounded {
    /// The answer.
    Verdict(Verdict),
    /// No counterexample within the bound; executions go on after it.
    Inconclusive {
        /// Why the part within the bound is not safe either: executions may reach C that is not modelled, or a target
        /// after undefined behaviour.
        doubt: Option<Stop>,
        /// How an execution begins that goes on after the bound.
        beyond: Option<Choices>,
    },
}

/// Bounded model checking with growing bounds.
pub fn verify(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    (options, board): (&BmcOptions, &Board),
    sources: &[FactSource],
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let loops = program.loops();
    let mut doubts = None;
    // Once is enough, unless there is nothing else to do.
    if options.k_max == 0 || board.find::<TriedWhole>().is_none() {
        board.leave(TriedWhole);
        let limited =
            if options.k_max == 0 { cancel.clone() } else { cancel.child(cancel.remaining().map(|left| left / 2)) };
        let asked = whole::Asked { program, loops: &loops, model, backend, edges: options.complete };
        match whole::check(&asked, goals, &limited, counters) {
            Ok(Some((Bounded::Verdict(Verdict::Safe(proof)), k))) => {
                let (asked, k) = (goals.asked(program), k.max(1));
                return Verdict::Safe(with_invariants((&asked, model), backend, proof, sources, k, cancel));
            }
            Ok(Some((Bounded::Verdict(verdict), _))) => return verdict,
            Ok(Some((Bounded::Inconclusive { doubt, beyond: _ }, _))) => doubts = doubt,
            Ok(None) => {}
            Err(stop) if options.k_max == 0 || cancel.is_stopped() => return Verdict::Unknown(stop),
            Err(_) => {}
        }
    }
    let mut k = options.k_init.max(1);
    while k <= options.k_max {
        counters.max("k", u64::from(k));
        board.leave(SafeBound(k));
        let bounds = bounds(k, CONSTANT_LOOPS);
        match check_bound((program, &mut *goals), (&loops, model), backend, bounds, cancel, counters) {
            Ok(Bounded::Verdict(Verdict::Safe(proof))) => {
                let asked = goals.asked(program);
                return Verdict::Safe(with_invariants((&asked, model), backend, proof, sources, k, cancel));
            }
            Ok(Bounded::Verdict(verdict)) => return verdict,
            Ok(Bounded::Inconclusive { doubt, beyond }) => {
                doubts = doubt.or(doubts);
                let found = beyond.and_then(|it| run_on(program, goals, &it, options.run_on, cancel, counters)); // 4
                if let Some(found) = found {
                    return Verdict::Unsafe(found);
                }
            }
            Err(stop) => return Verdict::Unknown(told(stop, doubts)),
        }
        let next = options.increment.next(k);
        if next == k {
            break;
        }
        k = next;
    }
    let longer = Stop::Bound(match options.k_max {
        0 => format!("not all executions are known to end within {} edges", options.complete),
        most => format!("executions are longer than the bound {most}"),
    });
    Verdict::Unknown(doubts.unwrap_or(longer))
}

/// Why nothing was found: undefined behaviour on the way to a target says more than that time ran out.
pub(crate) fn told(stop: Stop, doubts: Option<Stop>) -> Stop {
    match (&stop, doubts) {
        (Stop::Limit(Stopped::Time), Some(doubt)) => doubt,
        (_, _) => stop,
    }
}

/// How many times the bound a loop may run that is known to end.
pub const CONSTANT_LOOPS: u32 = 1024;

/// The bound `k`, and `constant` times as much for loops that are known to end.
pub fn bounds(k: u32, constant: u32) -> Bounds {
    assert!(k > 0, "without iterations nothing is unrolled");
    Bounds { iterations: k, recursion: k, constant_iterations: k.saturating_mul(constant), edges: u64::MAX }
}

/// Steps 1 to 3 for one bound.
pub fn check_bound(
    (program, goals): (&Prepared, &mut Goals),
    (loops, model): (&Loops, &Arc<MemoryModel>),
    backend: &dyn Backend,
    bounds: Bounds,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Bounded, Stop> {
    counters.live.phase("unrolling");
    counters.live.bound(u64::from(bounds.iterations));
    let (mut encoder, unrolled) = unrolled(program, (loops, model), bounds, &|_| {}, cancel, counters)?;
    let how = format!("{} times (further where its end is known)", bounds.iterations);
    check_unrolled((&mut encoder, &unrolled), goals, backend, &how, cancel, counters)
}

/// Step 1; what `prepare` tells the encoder before.
pub(crate) fn unrolled<'p>(
    program: &'p Prepared,
    (loops, model): (&Loops, &Arc<MemoryModel>),
    bounds: Bounds,
    prepare: &dyn Fn(&mut Encoder),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<(Encoder<'p>, Unrolled), Stop> {
    let start = Instant::now();
    let mut encoder = Encoder::new(program, model.clone(), Addressing::Events);
    encoder.learn_intervals();
    prepare(&mut encoder);
    let unrolled = unroll(&mut encoder, loops, bounds, cancel)?;
    check_room(&encoder)?;
    counters.time_since("formula construction", start);
    counters.max("unrolled edges", unrolled.steps);
    assert_eq!(unrolled.visited.len(), program.nodes.len(), "each location was visited or not");
    assert!(unrolled.targets.iter().all(|(target, _)| *target < program.targets.len()), "targets of the program");
    for node in program.nodes.ids().filter(|node| unrolled.visited[node.index()]) {
        counters.trail.reach(node);
    }
    Ok((encoder, unrolled))
}

/// Steps 2 and 3; `how` says how far loops are unrolled.
fn check_unrolled(
    (encoder, unrolled): (&mut Encoder, &Unrolled),
    goals: &mut Goals,
    backend: &dyn Backend,
    how: &str,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Bounded, Stop> {
    counters.live.phase("base case");
    counters.max("terms", encoder.terms.len() as u64);
    counters.max("memory operations forgotten", encoder.forgotten);
    let mut solver = backend.solver();
    for definition in encoder.definitions(0) {
        solver.assert(&encoder.terms, definition);
    }
    let start = Instant::now();
    let found = base_case(encoder, &mut *solver, unrolled, goals, cancel); // 2
    counters.time_since("base case", start);
    let mut doubt = match found? {
        Bounded::Inconclusive { doubt, beyond: _ } => doubt,
        answer @ Bounded::Verdict(_) => return Ok(answer),
    };
    counters.live.phase("forward condition");
    let start = Instant::now();
    let result = forward_condition(encoder, &mut *solver, unrolled, cancel);
    counters.time_since("forward condition", start);
    let beyond = result?;
    if doubt.is_none() {
        doubt = reachable_unsupported(encoder, &mut *solver, unrolled, cancel)?;
    }
    if beyond.is_some() {
        return Ok(Bounded::Inconclusive { doubt, beyond });
    }
    if let Some(stop) = doubt {
        return Err(stop);
    }
    let proof = proof(encoder, backend, (unrolled, goals), how, cancel)?; // 3
    Ok(Bounded::Verdict(Verdict::Safe(proof)))
}

/// Where targets are reached that are among these.
fn guards<'u>(unrolled: &'u Unrolled, targets: &'u [usize]) -> impl Iterator<Item = Guard> + 'u {
    unrolled.targets.iter().filter(|(target, _)| targets.contains(target)).map(|(_, guard)| *guard)
}

/// Decides the questions about targets that are reachable within the bound.
fn base_case(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    unrolled: &Unrolled,
    goals: &mut Goals,
    cancel: &Cancel,
) -> Result<Bounded, Stop> {
    let open: Vec<usize> = goals.open().collect();
    let any_target = any(encoder, guards(unrolled, &open));
    if ask(solver, encoder, any_target, cancel)? == Answer::Unsat {
        return Ok(Bounded::Inconclusive { doubt: None, beyond: None });
    }
    let questions = goals.questions();
    let alone = questions.len() == 1;
    for (question, members) in questions {
        let reached = any(encoder, guards(unrolled, &members));
        // Otherwise the solver has a model already.
        if !alone && ask(solver, encoder, reached, cancel)? == Answer::Unsat {
            continue;
        }
        let verdict = counterexample(encoder, solver, (unrolled.steps, guards(unrolled, &members)), cancel)?;
        let Some(at) = question else {
            return Ok(match verdict {
                Verdict::Unknown(stop) if is_doubt(&stop) => Bounded::Inconclusive { doubt: Some(stop), beyond: None },
                verdict => Bounded::Verdict(verdict),
            });
        };
        match verdict {
            Verdict::Unsafe(found) => {
                if let Some(found) = goals.violated(found) {
                    return Ok(Bounded::Verdict(Verdict::Unsafe(found)));
                }
            }
            Verdict::Unknown(stop) => goals.leave(question, stop)?,
            Verdict::Safe(_) => unreachable!("a replay proves nothing"),
        }
        let target = encoder.program.targets[at].node;
        if goals.is_open(target) {
            let edge = encoder.program.entering(target)[0];
            goals.leave(question, elsewhere(encoder.program, edge))?;
        }
    }
    Ok(Bounded::Inconclusive { doubt: None, beyond: None })
}

/// How many executions are looked for at one bound.
const MOST_ATTEMPTS: usize = 8;

/// An execution to a target; the solver has a model of one already. If it meets undefined behaviour before, 1. one that
/// does not, as far as formulas tell, 2. and if the interpreter finds some all the same, one to another place where
/// targets are reached.
fn counterexample(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    (edges, targets): (u64, impl Iterator<Item = Guard>),
    cancel: &Cancel,
) -> Result<Verdict, Stop> {
    let choices = encoder.choices(solver).map_err(stop_of)?;
    let first = confirm_model(encoder.program, &choices, edges, cancel);
    if !is_doubtful(&first) {
        return Ok(first);
    }
    let mut defined = Vec::new();
    for at in 0..encoder.defined.len() {
        let (guard, condition) = encoder.defined[at];
        let guard = encoder.guards.formula(&mut encoder.terms, guard);
        defined.push(encoder.terms.implies(guard, condition));
    }
    let defined = encoder.terms.and(defined); // 1
    let mut open: Vec<TermId> = targets.map(|guard| any(encoder, [guard])).collect();
    for _ in 0..MOST_ATTEMPTS {
        let targets = encoder.terms.or(open.iter().copied());
        let goal = encoder.terms.and([defined, targets]);
        if ask(solver, encoder, goal, cancel)? == Answer::Unsat {
            break;
        }
        let mut left = Vec::new();
        for target in open {
            if solver.value(&encoder.terms, target).map_err(stop_of)? != Value::Bool(true) {
                left.push(target); // 2
            }
        }
        open = left;
        let choices = encoder.choices(solver).map_err(stop_of)?;
        let verdict = confirm_model(encoder.program, &choices, edges, cancel);
        if !is_doubtful(&verdict) {
            return Ok(verdict);
        }
    }
    Ok(first)
}

/// Whether a model was not a counterexample, but another may be one.
fn is_doubtful(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(stop) if is_doubt(stop))
}

fn is_doubt(stop: &Stop) -> bool {
    matches!(stop, Stop::UndefinedBehaviour { .. } | Stop::Undecided { .. })
}

/// How an execution to a cut begins; `None` if there is none.
fn forward_condition(
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    unrolled: &Unrolled,
    cancel: &Cancel,
) -> Result<Option<Choices>, Stop> {
    let cuts = any(encoder, unrolled.cuts.iter().map(|(_, guard)| *guard));
    match ask(solver, encoder, cuts, cancel)? {
        Answer::Unsat => Ok(None),
        Answer::Sat => encoder.choices(solver).map(Some).map_err(stop_of),
    }
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

/// All executions lie in the unrolled part and reach no target that is open: asked again, at once, of a fresh solver.
fn proof(
    encoder: &mut Encoder,
    backend: &dyn Backend,
    (unrolled, goals): (&Unrolled, &Goals),
    how: &str,
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    let open: Vec<usize> = goals.open().collect();
    let targets = guards(unrolled, &open);
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
        "With every loop unrolled {how}, a fresh solver found no execution that \
         reaches a target or leaves the unrolled program."
    );
    let argument = Argument::Unrolled;
    Ok(Proof { exprs: encoder.program.exprs.clone(), checked, argument, ..Proof::default() })
}

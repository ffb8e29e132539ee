//! k-induction with continuously refined auxiliary invariants [BDW18, Alg. 3], for programs with any number of loops.
//!
//! For growing `k`:
//! 1. base case and forward condition: bounded model checking with bound `k`;
//! 2. step case: from any state at any loop head, after `k` further visits of loop heads without reaching a target, no
//!    target is reached before the next one;
//! 3. the auxiliary invariants known so far hold at every visit; while new ones arrive, the step case is tried again, for
//!    one visit and for `k`.
//!
//! Deviates from [BDW18], which assumes one loop: the visits of all loop heads together are counted. An execution to a
//! target with at most `k` visits is found by the base case, since no loop runs more often; one with more visits ends
//! with `k + 1` of them, the first in some state, and is excluded by the step case.
//!
//! Base cases get harder with `k` much faster than step cases do. So once they take longer, the step case comes first, for one `k`
//! after the other, and the next base case is that of the smallest `k` for which the step holds. Nothing is concluded before it.
//!
//! Nothing is after a target, so the step case says something about every target separately: where each one is asked about,
//! those that it excludes are proved, whatever becomes of the others.

use crate::bmc::{self, Bounded, Increment, check_bound};
use crate::board::{Board, SafeBound};
use crate::evidence::run_on;
use crate::facts::{FactSource, Facts};
use crate::mailbox::Mailbox;
use crate::step_case::StepCase;
use crate::unrolled::with_facts;
use base::{Budget, Cancel, Counters, options};
use encode::{MemoryModel, Segments};
use flow::Prepared;
use smt::Backend;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdict::{Goals, Proof, Stop, Verdict, Wanted};

options! {
    /// Options of k-induction.
    pub struct KInductionOptions {
        /// The first bound.
        pub k_init: u32 = 1,
        /// The last bound.
        pub k_max: u32 = u32::MAX,
        /// How the bound grows.
        pub increment: Increment = Increment::Half,
        /// Whether auxiliary invariants are used.
        pub invariants: bool = true,
        /// Whether further auxiliary invariants are looked for after the first ones, which are intervals.
        pub refine_invariants: bool = true,
        /// How many times the bound a loop that is known to end may run in the base case.
        pub constant_loops: u32 = bmc::CONSTANT_LOOPS,
        /// For how many instructions the interpreter continues an execution that leaves the unrolled part.
        pub run_on: u64 = 0,
    }
}

/// k-induction; `sources` run one after the other in a thread of their own, as long as there is a next one.
pub fn verify<'f>(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    (options, board): (&KInductionOptions, &Board),
    sources: impl IntoIterator<Item = FactSource<'f>> + Send,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let mailbox = Mailbox::default();
    let side = StoppedAtEnd(cancel.child(None));
    std::thread::scope(|scope| {
        if options.invariants {
            let (side, mailbox) = (side.0.clone(), &mailbox);
            // Facts help, but are no part of the proof: where the system has no room for a thread, there are none.
            let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
                let most = if options.refine_invariants { usize::MAX } else { 1 };
                for source in sources.into_iter().take(most) {
                    let found = source(program, &side);
                    if side.is_stopped() {
                        return;
                    }
                    if let Ok(facts) = found {
                        mailbox.deliver(facts);
                    }
                }
                mailbox.close();
            });
        } else {
            mailbox.close();
        }
        // Before the scope waits for its thread, however this ends.
        let _side = side;
        let result = prove((program, model), goals, backend, (options, board), &mailbox, cancel, counters);
        result.unwrap_or_else(Verdict::Unknown)
    })
}

/// Stops work alongside also where what it serves panics: a thread that is waited for must not go on.
struct StoppedAtEnd(Cancel);

impl Drop for StoppedAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn prove(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    (options, board): (&KInductionOptions, &Board),
    mailbox: &Mailbox,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    let loops = program.loops();
    let calls = program.calls();
    let recursive = program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id));
    let segments = Segments::new(program, &loops, &calls);
    let patience = cancel.allowed(Budget::FirstFacts);
    let mut step = (!recursive).then(|| StepCase::new(program, model.clone(), &segments, backend, patience));
    let mut k = options.k_init.max(1);
    let mut doubts = None;
    let mut ahead = Ahead::default();
    while k <= options.k_max {
        let mut proof = None;
        if let Some(step) = &mut step
            && goals.wanted() != Wanted::Each
        {
            counters.live.phase("step case");
            let start = Instant::now();
            let found = ahead.look(step, k, |step, k| step.prove(k as usize, goals, mailbox, backend, cancel));
            counters.time_since("step case", start);
            if let Some((smallest, found)) = found? {
                (k, proof) = (smallest, Some(found));
            }
        }
        counters.max("k", u64::from(k));
        board.leave(SafeBound(k));
        let start = Instant::now();
        let bounds = bmc::bounds(k, options.constant_loops);
        let bounded = check_bound((program, &mut *goals), (&loops, model), backend, bounds, cancel, counters);
        ahead.base = start.elapsed();
        let (doubt, beyond) = match bounded.map_err(|stop| bmc::told(stop, doubts.clone()))? {
            Bounded::Verdict(Verdict::Safe(proof)) => {
                let patience = step.as_ref().map_or(patience, |step| step.patience);
                let mut known: Vec<Facts> = step.map(StepCase::into_facts).into_iter().collect();
                known.extend(patience.map_or_else(|| mailbox.fetch(), |patience| mailbox.wait(patience)));
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
            if ahead.asked < k {
                counters.live.phase("step case");
                let start = Instant::now();
                let asked = step.prove(k as usize, goals, mailbox, backend, cancel); // 2
                counters.time_since("step case", start);
                ahead.asked(k, start.elapsed());
                proof = asked?;
            }
            if let Some(proof) = proof {
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

/// What base and step cases took, to see which comes first.
#[derive(Default)]
struct Ahead {
    /// The largest `k` for which the step case was asked.
    asked: u32,
    /// What the last base case took.
    base: Duration,
    /// What the last step case took.
    step: Duration,
}

impl Ahead {
    /// Step cases come first if they take less than one in so many parts of a base case.
    const CHEAPER: u32 = 4;

    /// The smallest `k` up to `most` for which the step holds, with the proof, if step cases are cheap, until they took as long
    /// as a base case.
    fn look<S>(
        &mut self,
        step: &mut S,
        most: u32,
        mut prove: impl FnMut(&mut S, u32) -> Result<Option<Proof>, Stop>,
    ) -> Result<Option<(u32, Proof)>, Stop> {
        let begin = Instant::now();
        while self.asked < most && self.step * Self::CHEAPER < self.base && begin.elapsed() < self.base {
            let (k, start) = (self.asked + 1, Instant::now());
            let proof = prove(step, k)?;
            self.asked(k, start.elapsed());
            if let Some(proof) = proof {
                return Ok(Some((k, proof)));
            }
        }
        Ok(None)
    }

    fn asked(&mut self, k: u32, took: Duration) {
        assert!(self.asked < k, "the step case for {k} was asked already");
        (self.asked, self.step) = (k, took);
    }
}

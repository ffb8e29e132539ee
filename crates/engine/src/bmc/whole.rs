//! Programs that end after few steps: unrolled completely at once, where intervals of values show where loops end. If
//! they do not, or if the formula of the whole program is hard, ranges of inputs are looked at separately:
//!
//! 1. Unroll the program for all inputs. If all executions end in it, ask a solver for a while.
//! 2. Otherwise split the case by an input on which a branch depends, and do the same for each part, one after the other.
//!    Of several inputs, it is the one that leaves the smallest formula once it has a value.
//! 3. The program is safe if all parts are. Where a part cannot be split any more, there is no answer.
//!
//! The parts into which a case is split contain all its executions ([`encode::InputCase`]), so nothing else is to be shown.

use super::{Bounded, check_unrolled, unrolled};
use base::{Budget, Cancel, Counters};
use encode::{Bounds, Encoder, InputCase, MemoryModel, Split, Splits, Unrolled};
use flow::{Loops, Prepared};
use smt::Backend;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdict::{Argument, Goals, Proof, Stop, Verdict, Wanted};

/// The part of the time for all cases at once, if there may be several.
const SHARE_OF_ALL: u32 = 2;
/// The part of the time for cases of a program of which no end is shown.
const SHARE_OF_ENDLESS: u32 = 4;
/// A question about a case may take this long before the case is split, this part of the time that is left, and this part
/// of what it would take to go through all values of its inputs.
const SHORTEST: Duration = Duration::from_millis(2);
const LONGEST: Duration = Duration::from_secs(10);
const SHARE_OF_REST: u32 = 128;
const SHARE_OF_VALUES: f64 = 32.0;
/// How often a case may be split: a program that counts up to an input, or reads inputs in a loop without end, has no last
/// case.
const MOST_SPLITS: u32 = 64;
/// A case that is cut off at so many edges is split, if more edges showed no end of the whole program either.
const FEW_EDGES: u64 = 2_000;
/// How many edges may be unrolled in vain before the first case is complete, and how many all cases may have.
const EDGES_IN_VAIN: u64 = 100_000;
const MOST_EDGES: u64 = 10_000_000;

/// What stays the same for all cases.
pub(super) struct Asked<'a> {
    pub program: &'a Prepared,
    pub loops: &'a Loops,
    pub model: &'a Arc<MemoryModel>,
    pub backend: &'a dyn Backend,
    /// The most edges that are unrolled.
    pub edges: u64,
}

/// How far the cases are.
#[derive(Default)]
struct Progress {
    /// Cases that are safe.
    cases: u64,
    /// All edges that were unrolled.
    edges: u64,
    /// The most iterations of a loop.
    iterations: u32,
}

impl Progress {
    fn is_hopeless(&self) -> bool {
        self.edges > if self.cases == 0 { EDGES_IN_VAIN } else { MOST_EDGES }
    }
}

/// How long a solver may take for a case that can be split and took so long to unroll.
fn slice(splits: &Splits, unrolling: Duration, cancel: &Cancel) -> Duration {
    let all = unrolling.as_secs_f64() * splits.values / SHARE_OF_VALUES;
    let rest = cancel.remaining().map_or(LONGEST, |left| left / SHARE_OF_REST);
    Duration::from_secs_f64(all.min(LONGEST.as_secs_f64())).clamp(SHORTEST, rest.max(SHORTEST))
}

/// What the whole program shows, if it can be unrolled completely, and how often loops run.
pub(super) fn check(
    asked: &Asked,
    goals: &mut Goals,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Option<(Bounded, u32)>, Stop> {
    counters.live.phase("complete unrolling");
    if asked.is_never_left() {
        return Ok(None);
    }
    // What takes long here is a loop that goes on for as long as its inputs say.
    let limited = cancel.within(Budget::Complete);
    let (mut encoder, whole) = match asked.unroll(&InputCase::default(), asked.edges, &limited, counters) {
        Err(Stop::Limit(_)) if !cancel.is_stopped() => return Ok(None),
        unrolled => unrolled?, // 1
    };
    let splits = if goals.wanted() == Wanted::One { encoder.splits() } else { None };
    let is_complete = whole.cuts.is_empty();
    let Some(splits) = splits else {
        if !is_complete {
            return Ok(None);
        }
        let found = asked.solve((&mut encoder, &whole), goals, cancel, counters)?;
        return Ok(Some((found, whole.iterations)));
    };
    let part = |share: u32| cancel.child(cancel.remaining().map(|left| left / share));
    if !is_complete {
        // What never ends may have any number of cases.
        return match asked.cases(&splits, FEW_EDGES, goals, &part(SHARE_OF_ENDLESS), counters) {
            Err(Stop::Limit(_)) if !cancel.is_stopped() => Ok(None),
            answer => answer,
        };
    }
    match asked.solve((&mut encoder, &whole), goals, &part(SHARE_OF_ALL), counters) {
        Err(Stop::Limit(_)) if !cancel.is_stopped() => {}
        answer => return answer.map(|found| Some((found, whole.iterations))),
    }
    if let Some(found) = asked.cases(&splits, asked.edges, goals, cancel, counters)? {
        return Ok(Some(found));
    }
    let found = asked.solve((&mut encoder, &whole), goals, cancel, counters)?;
    Ok(Some((found, whole.iterations)))
}

impl Asked<'_> {
    /// Whether some loop is never left: executions that enter it end inside a call, if at all.
    fn is_never_left(&self) -> bool {
        let calls = self.program.calls();
        self.loops.loops.iter().any(|(_, it)| it.exits.is_empty() && calls.is_reachable(it.function))
    }

    fn unroll(
        &self,
        case: &InputCase,
        edges: u64,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<(Encoder<'_>, Unrolled), Stop> {
        let bounds = Bounds { iterations: u32::MAX, recursion: u32::MAX, constant_iterations: u32::MAX, edges };
        let restrict = |encoder: &mut Encoder| encoder.restrict(case);
        let found = unrolled(self.program, (self.loops, self.model), bounds, &restrict, cancel, counters)?;
        if found.1.cuts.is_empty() {
            counters.max("complete unrolling, edges", found.1.steps);
        }
        Ok(found)
    }

    /// A case in which all executions end.
    fn solve(
        &self,
        (encoder, unrolled): (&mut Encoder, &Unrolled),
        goals: &mut Goals,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<Bounded, Stop> {
        debug_assert!(unrolled.cuts.is_empty(), "all executions end");
        check_unrolled((encoder, unrolled), goals, self.backend, "completely", cancel, counters)
    }

    /// Of the inputs by which a case may be split, the one that leaves the fewest terms where it has its least value.
    fn best<'s>(
        &self,
        case: &InputCase,
        splits: &'s Splits,
        edges: u64,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<&'s Split, Stop> {
        let mut best = (usize::MAX, &splits.by[0]);
        for split in splits.by.iter().filter(|_| splits.by.len() > 1) {
            let low = split.parts[0].0;
            let (encoder, _) = self.unroll(&case.with(&split.place, (low, low)), edges, cancel, counters)?;
            if encoder.terms.len() < best.0 {
                best = (encoder.terms.len(), split);
            }
        }
        Ok(best.1)
    }

    /// Steps 2 and 3.
    fn cases(
        &self,
        first: &Splits,
        edges: u64,
        goals: &mut Goals,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<Option<(Bounded, u32)>, Stop> {
        let mut progress = Progress::default();
        let whole = InputCase::default();
        let mut waiting = parts(&whole, 0, self.best(&whole, first, edges, cancel, counters)?);
        while let Some((case, depth)) = waiting.pop() {
            cancel.check()?;
            let start = Instant::now();
            let (mut encoder, part) = self.unroll(&case, edges, cancel, counters)?;
            progress.edges += part.steps;
            let splits = if depth < MOST_SPLITS { encoder.splits() } else { None };
            if part.cuts.is_empty() {
                let limited = cancel.child(splits.as_ref().map(|splits| slice(splits, start.elapsed(), cancel)));
                match self.solve((&mut encoder, &part), goals, &limited, counters) {
                    Ok(Bounded::Verdict(Verdict::Safe(_))) => {
                        counters.add("cases", 1);
                        progress.cases += 1;
                        progress.iterations = progress.iterations.max(part.iterations);
                        continue;
                    }
                    Err(Stop::Limit(_)) if !cancel.is_stopped() => {}
                    other => return other.map(|other| Some((other, part.iterations))),
                }
            }
            counters.add("cases that were split", 1);
            let Some(splits) = splits.filter(|_| !progress.is_hopeless()) else { return Ok(None) };
            waiting.extend(parts(&case, depth, self.best(&case, &splits, edges, cancel, counters)?));
        }
        let checked = format!(
            "With every loop unrolled completely, for each of {} ranges of inputs separately, which contain all inputs, a \
             fresh solver found no execution that reaches a target.",
            progress.cases
        );
        let exprs = self.program.exprs.clone();
        let proof = Proof { exprs, checked, argument: Argument::Unrolled, ..Proof::default() };
        Ok(Some((Bounded::Verdict(Verdict::Safe(proof)), progress.iterations)))
    }
}

/// The parts of a case that was split so often before, the first one last.
fn parts(case: &InputCase, depth: u32, split: &Split) -> Vec<(InputCase, u32)> {
    split.parts.iter().rev().map(|range| (case.with(&split.place, *range), depth + 1)).collect()
}

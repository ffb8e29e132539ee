//! Reachability over sets of states: the CPA algorithm of [BS12, Alg. 1] with merge = join, so that there is one set
//! per location and call stack; alongside an analysis of values, one set per location, call stack and value state.
//!
//! 1. Explore until done or until a target is reached. 2. Done: check the proof; safe, unless a path before was left
//!    undecided. 3. Else judge the path: an execution, a reason to refine, or neither. 4. After a refinement everything
//!    starts again; after neither the search goes on, because another path may be real.

mod images;
mod judge;
mod obligations;
mod proof;
mod search;

pub use images::Images;
pub use judge::{BySets, ByValues, Judge, Judgement};
pub use search::{Path, ReachedSets};

use crate::cegar::Undecided;
use analysis::sets::SetDomain;
use analysis::{Beside, Export, Mixed, Nothing, Place, Stacks};
use base::{Cancel, Counters, Live};
use flow::Prepared;
use search::Search;
use smt::Backend;
use std::collections::HashMap;
use std::time::Instant;
use verdict::{Goals, Stop, Verdict};

/// What to do about recursion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recursion {
    /// Give up: nothing bounds the call stack.
    Refuse,
    /// Follow it as far as the values lead.
    Follow,
}

/// How to explore.
pub struct ExplorationSettings<'a> {
    /// What to do about recursion.
    pub recursion: Recursion,
    /// Which images are computed, for sets alone.
    pub images: Images,
    /// After so many undecided paths a question is given up.
    pub most_undecided: usize,
    /// Checks invariants once more.
    pub backend: &'a dyn Backend,
    /// Limits.
    pub cancel: &'a Cancel,
}

/// What the exploration of sets alone found.
pub enum SetExploration<S> {
    /// No target is reachable; the sets at every place.
    Unreachable(HashMap<Place, S>, Stacks),
    /// An abstract path to a target.
    Path(Path),
}

/// Explores all states of the program with sets alone, edge by edge.
pub fn explore<D: SetDomain>(
    program: &Prepared,
    mixed: &mut Mixed<Nothing, D>,
    cancel: &Cancel,
) -> Result<SetExploration<D::Set>, Stop> {
    let mut precision = ();
    let mut search = Search::new(program, mixed, &mut precision, Recursion::Refuse, Images::Edges)?;
    Ok(match search.run(&Goals::any(program), cancel, &Live::default())? {
        Some(path) => SetExploration::Path(path),
        None => {
            let sets = search.reached.into_iter().map(|((place, _), (_, set))| (place, set));
            SetExploration::Unreachable(sets.collect(), search.stacks)
        }
    })
}

/// Explores, checks what was found, and answers.
pub fn verify<C: Beside + Export, D: SetDomain>(
    (program, goals): (&Prepared, &mut Goals),
    mixed: &mut Mixed<C, D>,
    precision: &mut C::Precision,
    judge: &mut dyn Judge<C, D>,
    settings: &ExplorationSettings,
    counters: &mut Counters,
) -> Verdict {
    run((program, goals), mixed, precision, judge, settings, counters).unwrap_or_else(Verdict::Unknown)
}

fn run<C: Beside + Export, D: SetDomain>(
    (program, goals): (&Prepared, &mut Goals),
    mixed: &mut Mixed<C, D>,
    precision: &mut C::Precision,
    judge: &mut dyn Judge<C, D>,
    settings: &ExplorationSettings,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    loop {
        counters.add("iterations", 1);
        mixed.refined();
        let mut search = Search::new(program, mixed, precision, settings.recursion, settings.images)?;
        let mut undecided = Undecided::new(settings.most_undecided);
        loop {
            counters.live.phase("exploration");
            let begun = Instant::now();
            let found = search.run(goals, settings.cancel, &counters.live);
            counters.time_since("exploration", begun);
            if !matches!(found, Ok(Some(_))) {
                search.count(counters);
            }
            let Some(path) = found? else {
                undecided.give_up(goals)?;
                return proof::prove(&goals.asked(program), search, settings, counters).map(Verdict::Safe); // 2
            };
            counters.max("longest error path", path.steps.len() as u64);
            counters.add("error paths", 1);
            counters.add("error path steps", path.steps.len() as u64);
            counters.live.phase("path check and refinement");
            let begun = Instant::now();
            let judgement = judge.judge((program, goals), search.mixed, search.precision, &path, counters);
            counters.time_since("path check and refinement", begun);
            let last = path.steps.last().expect("a target is not the start");
            let question = goals.question(last.to.node);
            match judgement? {
                Judgement::Unsafe(counterexample) => {
                    if let Some(counterexample) = goals.violated(counterexample) {
                        search.count(counters);
                        return Ok(Verdict::Unsafe(counterexample));
                    }
                    if goals.is_open(last.to.node) {
                        // Another error was found, this one is to be looked at again.
                        break;
                    }
                }
                Judgement::Refined => {
                    search.count(counters);
                    counters.add("refinements", 1);
                    counters.live.refined();
                    counters.trail.refined(path.steps.len());
                    break; // 4
                }
                Judgement::Undecided(stop) => {
                    undecided.note(question, stop, path.ends_unsupported(program), goals)?;
                }
            }
        }
    }
}

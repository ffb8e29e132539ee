//! Executions along abstract paths: the paths of an analysis are followed one by one, without joining their states, until
//! an execution takes one that leads to a target. An analysis that folds states to get done tells where an error may be;
//! this one tells whether it is there, as the hunters of Predator do next to its verifier [PSV20].
//!
//! 1. Take the waiting path that seems shortest: each step that is not one of the guide's counts as several.
//! 2. Follow it by one step. What the analysis cannot follow ends this path and no other.
//! 3. A path that ends where another one did, in the same state, need not be followed: it is a *twin*.
//! 4. At a target, choices that satisfy the path formula are looked for, and replayed. So they are for paths that reach it by
//!    way of twins, including twins that are found later: their data may fit where that of the first path does not.
//! 5. If no execution takes the path's beginning, all paths that begin so are dropped, and twins take the place of those
//!    that were followed instead of them.
//!
//! Only what was replayed is an answer, so nothing that is left out here can make one wrong.

use crate::evidence::{Confirm, Confirmation};
use analysis::{Cpa, Place, Stacks, Step, is_connected};
use base::Counters;
use cfa::{EdgeId, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hash::Hash;
use verdict::{Counterexample, Goals, Stop};

/// How far paths are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfolding {
    /// The most states on all paths together.
    pub states: usize,
    /// As how many steps one counts that is not among the guide's.
    pub detour: u32,
    /// The most paths to one target of which neither an execution nor that there is none was found.
    pub doubts: u32,
    /// The most paths to one target that no execution takes.
    pub refuted: u32,
}

/// The most twins that are tried when a path to a target is found.
const MOST_TWINS: usize = 60;
/// The most paths to targets that are tried again when twins are found.
const MOST_MISSED: usize = 100;

/// One step of a path, from the end of a shorter one to an end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Hop {
    before: usize,
    step: Step,
    end: usize,
}

/// How often a target was tried without success.
#[derive(Clone, Copy, Default)]
struct Vain {
    refuted: u32,
    doubtful: u32,
}

/// What became of a path to a target.
enum Attempt {
    /// An execution takes it.
    Taken(Counterexample),
    /// No execution takes the first so many steps.
    Refuted(usize),
    /// Neither.
    Doubtful,
    /// There were too many.
    NotMade,
}

/// A path to a target that no execution was found for.
struct Missed {
    hops: Vec<Hop>,
    last: Step,
}

/// The end of a path.
struct End<S> {
    /// The path that is one step shorter, and the step.
    before: Option<(usize, Step)>,
    place: Place,
    state: S,
    score: u32,
    /// No execution takes it.
    dropped: bool,
}

/// Looks for an execution along paths of an analysis; `guide` is a path that it found with states joined. Gives the
/// execution that ends the search.
pub fn search<C>(
    (confirm, goals): (&Confirm, &mut Goals),
    cpa: &mut C,
    guide: &[Step],
    options: &Unfolding,
    counters: &mut Counters,
) -> Result<Option<Counterexample>, Stop>
where
    C: Cpa<Precision = ()>,
    C::State: Eq + Hash,
{
    let guide = guide.iter().map(|step| step.edge).collect();
    let mut search = Search {
        confirm,
        options,
        guide,
        stacks: Stacks::new(confirm.program),
        ends: Vec::new(),
        known: FxHashMap::default(),
        twins: FxHashMap::default(),
        waiting: BinaryHeap::new(),
        vain: FxHashMap::default(),
        missed: Vec::new(),
    };
    let place = search.stacks.start(confirm.program);
    search.add(None, place, cpa.initial());
    let found = search.run(goals, cpa, counters);
    counters.add("states on single paths", search.ends.len() as u64);
    found
}

struct Search<'a, S> {
    confirm: &'a Confirm<'a>,
    options: &'a Unfolding,
    guide: FxHashSet<EdgeId>,
    stacks: Stacks,
    ends: Vec<End<S>>,
    known: FxHashMap<(Place, S), usize>,
    /// Paths that were not followed, by the one that was followed instead.
    twins: FxHashMap<usize, Vec<(usize, Step)>>,
    waiting: BinaryHeap<Reverse<(u32, usize)>>,
    vain: FxHashMap<Place, Vain>,
    missed: Vec<Missed>,
}

impl<S: Clone + Eq + Hash> Search<'_, S> {
    fn run<C: Cpa<State = S, Precision = ()>>(
        &mut self,
        goals: &mut Goals,
        cpa: &mut C,
        counters: &mut Counters,
    ) -> Result<Option<Counterexample>, Stop> {
        let (mut steps, mut next) = (Vec::new(), Vec::new());
        while let Some(Reverse((_, at))) = self.waiting.pop() {
            if self.ends.len() > self.options.states {
                break;
            }
            steps.clear();
            self.stacks.steps(self.confirm.program, self.ends[at].place, &mut steps);
            for &step in &steps {
                // 2
                if self.ends[at].dropped {
                    break;
                }
                self.confirm.cancel.check()?;
                next.clear();
                if matches!(self.confirm.program.edges[step.edge].op, Op::Unsupported(_)) {
                    continue;
                }
                match cpa.post(&self.ends[at].state, &step, &(), &mut next) {
                    Ok(()) => {}
                    Err(Stop::Limit(stopped)) => return Err(stopped.into()),
                    Err(_) => counters.add("paths that could not be followed", 1),
                }
                if !next.is_empty() && goals.is_open(step.to.node) {
                    if let Some(found) = self.target(goals, at, step, counters)? {
                        return Ok(Some(found));
                    }
                    continue;
                }
                for state in next.drain(..) {
                    if let Some(found) = self.reach(goals, at, step, state, counters)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Step 3.
    fn reach(
        &mut self,
        goals: &mut Goals,
        before: usize,
        step: Step,
        state: S,
        counters: &mut Counters,
    ) -> Result<Option<Counterexample>, Stop> {
        let key = (step.to, state);
        let Some(&end) = self.known.get(&key) else {
            self.add(Some((before, step)), step.to, key.1);
            return Ok(None);
        };
        self.twins.entry(end).or_default().push((before, step));
        let passes = |missed: &Missed| missed.hops.iter().position(|hop| hop.end == end);
        let missed: Vec<(Vec<Hop>, Step)> = { self.missed.iter() }
            .filter_map(|missed| Some((missed.hops[passes(missed)? + 1..].to_vec(), missed.last)))
            .collect();
        for (rest, last) in missed {
            let mut hops = self.hops(before);
            hops.push(Hop { before, step, end });
            hops.extend(rest);
            if let Attempt::Taken(found) = self.attempt(&hops, last, counters)?
                && let Some(found) = goals.violated(found)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn add(&mut self, before: Option<(usize, Step)>, place: Place, state: S) {
        let score = before.map_or(0, |(before, step)| {
            let length = if self.guide.is_empty() || self.guide.contains(&step.edge) { 1 } else { self.options.detour };
            self.ends[before].score.saturating_add(length)
        });
        let at = self.ends.len();
        self.known.insert((place, state.clone()), at);
        self.ends.push(End { before, place, state, score, dropped: false });
        self.waiting.push(Reverse((score, at))); // 1
    }

    /// Step 4.
    fn target(
        &mut self,
        goals: &mut Goals,
        at: usize,
        last: Step,
        counters: &mut Counters,
    ) -> Result<Option<Counterexample>, Stop> {
        let first = self.hops(at);
        let mut tried: FxHashSet<Vec<Hop>> = FxHashSet::default();
        let mut waiting: VecDeque<Vec<Hop>> = VecDeque::from([first.clone()]);
        while let Some(hops) = waiting.pop_front() {
            if tried.len() > MOST_TWINS || !tried.insert(hops.clone()) {
                continue;
            }
            let length = match self.attempt(&hops, last, counters)? {
                Attempt::Taken(found) => return Ok(goals.violated(found)),
                Attempt::Refuted(length) if length <= hops.len() => {
                    if hops == first {
                        self.forget(&hops[..length]);
                    }
                    length
                }
                Attempt::Refuted(_) | Attempt::Doubtful => hops.len(),
                Attempt::NotMade => break,
            };
            // What comes after a beginning that no execution takes makes no difference.
            for changed in (0..length).rev() {
                let room = MOST_TWINS.saturating_sub(waiting.len());
                let twins = self.twins.get(&hops[changed].end).into_iter().flatten();
                for &(before, step) in twins.filter(|(before, _)| !self.ends[*before].dropped).take(room) {
                    let mut other = self.hops(before);
                    other.push(Hop { before, step, end: hops[changed].end });
                    other.extend_from_slice(&hops[changed + 1..]);
                    waiting.push_back(other);
                }
            }
        }
        if self.missed.len() < MOST_MISSED {
            self.missed.push(Missed { hops: first, last });
        }
        Ok(None)
    }

    /// Looks for an execution that takes a path to a target.
    fn attempt(&mut self, hops: &[Hop], last: Step, counters: &mut Counters) -> Result<Attempt, Stop> {
        let vain = self.vain.entry(last.to).or_default();
        if vain.doubtful >= self.options.doubts || vain.refuted >= self.options.refuted {
            return Ok(Attempt::NotMade);
        }
        debug_assert!(hops.windows(2).all(|pair| pair[0].end == pair[1].before), "twins meet in the same state");
        let path: Vec<Step> = hops.iter().map(|hop| hop.step).chain([last]).collect();
        debug_assert!(is_connected(&path), "a path from the start to the target");
        counters.add("single paths to targets", 1);
        match self.confirm.by_model(&path) {
            Confirmation::Unsafe(found) => return Ok(Attempt::Taken(found)),
            Confirmation::Undecided(Stop::Limit(stopped)) if self.confirm.cancel.is_stopped() => {
                return Err(stopped.into());
            }
            Confirmation::Undecided(_) => {}
        }
        Ok(match self.confirm.refuted(&path) {
            Some(length) => {
                assert!((1..=path.len()).contains(&length), "{length} of {} steps", path.len());
                vain.refuted += 1;
                Attempt::Refuted(length)
            }
            None => {
                vain.doubtful += 1;
                Attempt::Doubtful
            }
        })
    }

    /// The hops to the end of a path that was followed.
    fn hops(&self, end: usize) -> Vec<Hop> {
        let (mut hops, mut at) = (Vec::new(), end);
        while let Some((before, step)) = self.ends[at].before {
            hops.push(Hop { before, step, end: at });
            at = before;
        }
        hops.reverse();
        hops
    }

    /// Step 5, unless twins have joined the path on the way, which may go on as it does.
    fn forget(&mut self, hops: &[Hop]) {
        let Some((last, before)) = hops.split_last() else { return };
        if before.iter().any(|hop| self.twins.contains_key(&hop.end)) {
            return;
        }
        let root = last.end;
        debug_assert!(hops.windows(2).all(|pair| pair[0].end < pair[1].end), "longer paths are found later");
        // A path was found after those that it is longer than.
        self.ends[root].dropped = true;
        let mut dropped = vec![root];
        for at in root + 1..self.ends.len() {
            if self.ends[at].before.is_some_and(|(before, _)| self.ends[before].dropped) && !self.ends[at].dropped {
                self.ends[at].dropped = true;
                dropped.push(at);
            }
        }
        let ends = &self.ends;
        self.waiting.retain(|Reverse((_, at))| !ends[*at].dropped);
        self.missed.retain(|missed| missed.hops.iter().all(|hop| !ends[hop.end].dropped));
        for at in dropped {
            let (place, state) = (self.ends[at].place, self.ends[at].state.clone());
            self.known.remove(&(place, state.clone()));
            let mut others = self.twins.remove(&at).unwrap_or_default();
            others.retain(|(before, _)| !self.ends[*before].dropped);
            if let Some((before, step)) = others.pop() {
                self.add(Some((before, step)), place, state);
                self.twins.insert(self.ends.len() - 1, others);
            }
        }
    }
}

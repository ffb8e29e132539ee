//! Property-directed reachability [Bra11, EMB11] on bit vectors, with predicates as in CTIGAR [BBW14]; [BD20] compares how
//! software verifiers do it.
//!
//! F(i) contains the states of the first i visits of the head, as clauses (negated cubes). For growing N:
//! 1. While F(N) contains a state with a bad successor, the states from which that is so are an *obligation*: exclude them
//!    from F(N).
//! 2. An obligation at level i holds if its states are not among those of the first visit, and no step leads from F(i - 1)
//!    to them. Then a part of the conditions that describe them suffices for that; its negation is a clause of F(i).
//! 3. Otherwise the states before them are an obligation at level i - 1. States of the first visit begin an execution.
//! 4. Clauses that hold after one more step go on to the next level. If two levels are the same, they are an invariant.
//!
//! The conditions that describe a state are predicates (atoms of the program and of interpolants) and bounds of its variables;
//! bounds are left out first.
//!
//! Deviates from [BD20], where clauses are generalised by k-induction: every clause here is inductive relative to its level,
//! so that the invariant passes the checks of all invariants. The level before the first visit is the start of the
//! program, from which *init* is the only step.

mod cubes;

use super::{Found, InterpolantSource, Search};
use base::options;
use cubes::{Cube, Describe};
use encode::{Chain, Depth, stop_of};
use smt::{Answer, Solver, Sort, TermId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use verdict::Stop;

options! {
    /// Options of property-directed reachability.
    pub struct PdrOptions {
        /// The last level.
        pub levels: u32 = u32::MAX,
        /// The most predicates that describe states.
        pub predicates: usize = 200,
        /// The largest number of conditions that are dropped from one cube.
        pub generalisations: usize = 24,
    }
}

/// Decides a system.
pub fn search(search: &mut Search, options: &PdrOptions) -> Result<Found, Stop> {
    let describe = Describe::new(&mut search.system);
    let mut solver = search.backend.solver();
    let system = &search.system;
    for block in [&system.init, &system.step, &system.bad] {
        solver.assert(&system.encoder.terms, block.definitions);
    }
    let mut pdr = Pdr { search, options, solver, describe, frames: Vec::new() };
    pdr.add_level();
    pdr.add_level();
    pdr.run()
}

type Frame = super::frames::Frame<TermId, Cube>;
type Obligation = super::frames::Obligation<Cube>;

enum Outcome {
    /// This part of the conditions is enough to exclude the states.
    Blocked(Cube),
    /// States of the first visit.
    Start,
    /// A step leads from these states.
    Before(Cube),
}

struct Pdr<'s, 'a, 'p> {
    search: &'s mut Search<'a, 'p>,
    options: &'s PdrOptions,
    solver: Box<dyn Solver>,
    describe: Describe,
    /// By level; that of the program's start has no clauses.
    frames: Vec<Frame>,
}

impl Pdr<'_, '_, '_> {
    fn run(&mut self) -> Result<Found, Stop> {
        loop {
            let top = self.frames.len() - 1;
            assert!(top >= 1 && self.frames[0].clauses.is_empty(), "the start of the program has no clauses");
            self.search.counters.max("levels", top as u64);
            self.search.counters.live.bound(top as u64);
            while let Some(bad) = self.bad_states(top)? {
                if let Some(found) = self.exclude(bad, top)? {
                    return Ok(found); // 1
                }
            }
            if top >= self.options.levels as usize {
                return Err(Stop::Bound(format!("no invariant up to level {top}")));
            }
            self.add_level();
            if let Some(invariant) = self.push_clauses()? {
                return Ok(Found::Invariant(invariant)); // 4
            }
        }
    }

    fn add_level(&mut self) {
        let active = self.search.system.encoder.terms.fresh_var("?level", Sort::Bool);
        self.frames.push(Frame { active, clauses: Vec::new() });
    }

    fn ask(&mut self, assumptions: &[TermId]) -> Result<Answer, Stop> {
        self.search.counters.add("questions about states", 1);
        let terms = &self.search.system.encoder.terms;
        self.solver.check_assuming(terms, assumptions, self.search.cancel).map_err(stop_of)
    }

    fn clauses_from(&self, level: usize) -> Vec<TermId> {
        self.frames[level..].iter().map(|frame| frame.active).collect()
    }

    /// States of a level with a bad successor.
    fn bad_states(&mut self, level: usize) -> Result<Option<Cube>, Stop> {
        let bad = self.search.system.bad.clone();
        let mut query = self.clauses_from(level);
        query.push(bad.taken);
        if self.ask(&query)? == Answer::Unsat {
            return Ok(None);
        }
        self.lifted(bad.taken).map(Some)
    }

    /// States like that of the last model, of which a formula holds with the same inputs.
    fn lifted(&mut self, goal: TermId) -> Result<Cube, Stop> {
        let terms = &mut self.search.system.encoder.terms;
        let (state, inputs) = self.describe.values(terms, &mut *self.solver)?;
        let fails = terms.not(goal);
        let mut query = state.equations(terms);
        query.extend_from_slice(&inputs);
        query.push(fails);
        if self.ask(&query)? == Answer::Sat {
            // Something else than variables decides, such as memory.
            return Ok(state);
        }
        let needed = self.solver.failed_assumptions();
        let terms = &mut self.search.system.encoder.terms;
        Ok(state.only(terms, &needed))
    }

    /// Excludes states from a level; an execution if that is not possible.
    fn exclude(&mut self, bad: Cube, top: usize) -> Result<Option<Found>, Stop> {
        assert!(top < self.frames.len(), "{top} of {} levels", self.frames.len());
        let mut open = BinaryHeap::from([Obligation { level: Reverse(top), steps: 0, cube: bad }]);
        while let Some(obligation) = super::frames::next(&mut open) {
            self.search.cancel.check()?;
            self.search.counters.add("obligations", 1);
            let level = obligation.level.0;
            let literals = self.describe.literals(&mut self.search.system.encoder.terms, &obligation.cube);
            match self.blocked(level, &literals)? {
                Outcome::Start => return self.execution(obligation.steps).map(Some),
                Outcome::Before(before) => {
                    // 3
                    assert!(level > 1, "nothing is before the first visit");
                    let steps = obligation.steps + 1;
                    open.push(obligation);
                    open.push(Obligation { level: Reverse(level - 1), steps, cube: before });
                }
                Outcome::Blocked(part) => {
                    let part = self.generalised(level, part)?;
                    self.learn_predicates(level, &part)?;
                    let level = self.highest(level, &part, top)?;
                    self.add_clause(level, part);
                    if level < top {
                        open.push(Obligation { level: Reverse(level + 1), ..obligation });
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether an execution with so many steps is one.
    fn execution(&mut self, steps: usize) -> Result<Found, Stop> {
        let execution = self.search.system.execution(Depth::Steps(steps));
        match self.search.check(&[execution.formula])? {
            Answer::Sat => Ok(Found::Execution(Depth::Steps(steps))),
            Answer::Unsat => Err(Stop::Bound("states depend on memory that cubes do not describe".to_owned())),
        }
    }

    /// Step 2.
    fn blocked(&mut self, level: usize, cube: &Cube) -> Result<Outcome, Stop> {
        assert!((1..self.frames.len()).contains(&level), "a step leads to level {level}");
        let (init, step) = (self.search.system.init.clone(), self.search.system.step.clone());
        let encoder = &mut self.search.system.encoder;
        let first: Vec<TermId> = cube.literals.iter().map(|&part| encoder.at_end(part, &init.path)).collect();
        let next: Vec<TermId> = cube.literals.iter().map(|&part| encoder.at_end(part, &step.path)).collect();
        let excluded = cube.negation(&mut encoder.terms);
        let mut needed = vec![false; cube.literals.len()];
        let mut query = vec![init.taken];
        query.extend_from_slice(&first);
        if self.ask(&query)? == Answer::Sat {
            return Ok(Outcome::Start);
        }
        let core = self.solver.failed_assumptions();
        first.iter().zip(&mut needed).for_each(|(part, needed)| *needed |= core.contains(part));
        if level > 1 {
            let mut query = self.clauses_from(level - 1);
            query.extend([excluded, step.taken]);
            query.extend_from_slice(&next);
            if self.ask(&query)? == Answer::Sat {
                let terms = &mut self.search.system.encoder.terms;
                let goal = terms.and(next.iter().copied().chain([step.taken]));
                return self.lifted(goal).map(Outcome::Before);
            }
            let core = self.solver.failed_assumptions();
            next.iter().zip(&mut needed).for_each(|(part, needed)| *needed |= core.contains(part));
        }
        let kept = cube.literals.iter().zip(needed).filter(|(_, needed)| *needed).map(|(&part, _)| part);
        Ok(Outcome::Blocked(Cube::of(kept)))
    }

    /// A smaller part of the conditions that still excludes the states from a level; bounds of variables go first.
    fn generalised(&mut self, level: usize, mut cube: Cube) -> Result<Cube, Stop> {
        let mut tries = cube.literals.clone();
        let terms = &self.search.system.encoder.terms;
        tries.sort_by_key(|part| self.describe.is_predicate(*part, terms));
        for part in tries.into_iter().take(self.options.generalisations) {
            let fewer = Cube::of(cube.literals.iter().copied().filter(|&other| other != part));
            if fewer.literals.len() == cube.literals.len() || fewer.literals.is_empty() {
                continue;
            }
            if let Outcome::Blocked(smaller) = self.blocked(level, &fewer)? {
                debug_assert!(smaller.literals.iter().all(|part| fewer.literals.contains(part)), "a part of the cube");
                cube = smaller;
            }
        }
        Ok(cube)
    }

    /// The highest level that a cube can be excluded from.
    fn highest(&mut self, mut level: usize, cube: &Cube, top: usize) -> Result<usize, Stop> {
        while level < top && matches!(self.blocked(level + 1, cube)?, Outcome::Blocked(_)) {
            level += 1;
        }
        Ok(level)
    }

    fn add_clause(&mut self, level: usize, cube: Cube) {
        assert!(level > 0, "the start has no clauses");
        let terms = &mut self.search.system.encoder.terms;
        let clause = cube.negation(terms);
        let clause = terms.implies(self.frames[level].active, clause);
        self.solver.assert(terms, clause);
        self.frames[level].clauses.push(cube);
        self.search.counters.add("clauses", 1);
    }

    /// Where predicates alone do not exclude states, those of an interpolant may do so the next time.
    fn learn_predicates(&mut self, level: usize, cube: &Cube) -> Result<(), Stop> {
        let terms = &self.search.system.encoder.terms;
        let bounds = cube.literals.iter().any(|&part| !self.describe.is_predicate(part, terms));
        if level < 2 || !bounds || self.describe.predicates.len() >= self.options.predicates {
            return Ok(());
        }
        let encoder = &mut self.search.system.encoder;
        let mut known: Vec<TermId> = Vec::new();
        for clause in self.frames[level - 1..].iter().flat_map(|frame| &frame.clauses) {
            known.push(clause.negation(&mut encoder.terms));
        }
        known.push(cube.negation(&mut encoder.terms));
        let before = encoder.terms.and(known);
        let states = encoder.terms.and(cube.literals.iter().copied());
        let mut chain = Chain::from_place(encoder, before);
        let step = self.search.system.step.clone();
        chain.push(encoder, &step);
        let reached = encoder.terms.and(chain.groups.iter().copied());
        let states = chain.here(encoder, states);
        let found = match self.search.interpolants(&[reached, states], InterpolantSource::Best) {
            Err(Stop::Solver(_)) => return Ok(()),
            found => found?,
        };
        let Some(found) = found else { return Ok(()) };
        self.describe.learn(&self.search.system.encoder.terms, found[0]);
        Ok(())
    }

    /// Step 4.
    fn push_clauses(&mut self) -> Result<Option<TermId>, Stop> {
        for level in 1..self.frames.len() - 1 {
            for cube in std::mem::take(&mut self.frames[level].clauses) {
                match self.blocked(level + 1, &cube)? {
                    Outcome::Blocked(_) => self.add_clause(level + 1, cube),
                    Outcome::Start | Outcome::Before(_) => self.frames[level].clauses.push(cube),
                }
            }
            if self.frames[level].clauses.is_empty() {
                let terms = &mut self.search.system.encoder.terms;
                let clauses: Vec<TermId> = self.frames[level + 1..]
                    .iter()
                    .flat_map(|frame| &frame.clauses)
                    .map(|cube| cube.negation(terms))
                    .collect();
                return Ok(Some(terms.and(clauses)));
            }
        }
        Ok(None)
    }
}

//! IC3 [Bra11] on the bits of the machine, with the improvements of [EMB11]: one SAT solver for all levels, states before
//! a state are made smaller by a core, clauses are pushed on.
//!
//! F(0) is the state in which the machine starts; F(i) contains all states after at most i steps. For growing N, as in
//! `pdr`:
//! 1. a state of F(N) from which a bad one is reached at once is to be excluded;
//! 2. so is a state before it, until none of F(i - 1) leads there; a part of its bits suffices for that and becomes a clause;
//! 3. clauses that hold one step later go on; where two levels are the same, they are an invariant.
//!
//! The invariant is one of the machine. Where the machine is at the head of the loop, it is a formula over the bits of
//! variables, which is checked like those of all engines.

mod sat;

use super::{Found, Search};
use base::options;
use batsat::Lit as SatLit;
use encode::{Circuit, Depth, Machine};
use sat::Sat;
use smt::TermId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use verdict::Stop;

options! {
    /// Options of IC3.
    pub struct Ic3Options {
        /// The last level.
        pub levels: u32 = u32::MAX,
        /// How many bits in a row are not left out of a clause before it stays as it is.
        pub patience: usize = 12,
    }
}

/// After so many questions with a clause of their own, the solver starts over: such clauses stay in its way.
const MOST_SPENT: usize = 4000;

/// Decides a system.
pub fn search(search: &mut Search, options: &Ic3Options) -> Result<Found, Stop> {
    let machine = search.system.machine();
    let none = |why: String| Stop::Bound(format!("the program is not a circuit: {why}"));
    let circuit = Circuit::new(&search.system.encoder.terms, &machine).map_err(none)?;
    search.counters.max("latches", circuit.latches.len() as u64);
    search.counters.max("gates", circuit.aig.len() as u64);
    let sat = Sat::new(&circuit, search.cancel);
    let mut ic3 = Ic3 { search, options, circuit, sat, frames: Vec::new() };
    ic3.add_level();
    ic3.add_level();
    ic3.run(&machine)
}

/// Values of some latches, by ascending number.
type Cube = Vec<(usize, bool)>;

type Frame = super::frames::Frame<SatLit, Cube>;
type Obligation = super::frames::Obligation<Cube>;

enum Outcome {
    Blocked(Cube),
    Before(Cube),
}

struct Ic3<'s, 'a, 'p> {
    search: &'s mut Search<'a, 'p>,
    options: &'s Ic3Options,
    circuit: Circuit,
    sat: Sat,
    frames: Vec<Frame>,
}

impl Ic3<'_, '_, '_> {
    fn run(&mut self, machine: &Machine) -> Result<Found, Stop> {
        loop {
            let top = self.frames.len() - 1;
            self.search.counters.max("levels", top as u64);
            self.search.counters.live.bound(top as u64);
            for level in 0..=top {
                while let Some(bad) = self.bad_states(level)? {
                    if let Some(steps) = self.exclude(bad, level)? {
                        let depth = steps.checked_sub(1).map_or(Depth::Early, Depth::Steps);
                        return Ok(Found::Execution(depth)); // 1
                    }
                }
            }
            if top >= self.options.levels as usize {
                return Err(Stop::Bound(format!("no invariant up to level {top}")));
            }
            self.add_level();
            if let Some(level) = self.push_clauses()? {
                return Ok(Found::Invariant(self.invariant(machine, level))); // 3
            }
        }
    }

    fn add_level(&mut self) {
        let active = self.sat.fresh();
        if self.frames.is_empty() {
            self.reset_clauses(active);
        }
        self.frames.push(Frame { active, clauses: Vec::new() });
    }

    /// The start of the machine.
    fn reset_clauses(&mut self, active: SatLit) {
        for latch in self.circuit.latches.clone() {
            let is = self.sat.literal(latch.now.with(latch.reset));
            self.sat.clause([!active, is]);
        }
    }

    fn clauses_from(&self, level: usize) -> Vec<SatLit> {
        self.frames[level..].iter().map(|frame| frame.active).collect()
    }

    /// A fresh solver with the same clauses.
    fn renew(&mut self) {
        self.sat = Sat::new(&self.circuit, self.search.cancel);
        for level in 0..self.frames.len() {
            let active = self.sat.fresh();
            self.frames[level].active = active;
            if level == 0 {
                self.reset_clauses(active);
            }
            for cube in self.frames[level].clauses.clone() {
                self.assert_clause(active, &cube);
            }
        }
    }

    fn assert_clause(&mut self, active: SatLit, cube: &Cube) {
        let clause: Vec<SatLit> = cube.iter().map(|&part| !self.now(part)).chain([!active]).collect();
        self.sat.clause(clause);
    }

    fn now(&self, (latch, value): (usize, bool)) -> SatLit {
        self.sat.literal(self.circuit.latches[latch].now.with(value))
    }

    fn next(&self, (latch, value): (usize, bool)) -> SatLit {
        self.sat.literal(self.circuit.latches[latch].next.with(value))
    }

    fn ask(&mut self, clause: Option<Vec<SatLit>>, assumptions: &[SatLit]) -> Result<bool, Stop> {
        self.search.counters.add("questions about states", 1);
        let answer = match clause {
            Some(clause) => self.sat.ask_with(clause, assumptions),
            None => self.sat.ask(assumptions),
        };
        answer.map_err(Stop::Limit)
    }

    /// States of a level that are bad.
    fn bad_states(&mut self, level: usize) -> Result<Option<Cube>, Stop> {
        if self.sat.spent > MOST_SPENT {
            self.renew();
        }
        let mut query = self.clauses_from(level);
        let bad = self.sat.literal(self.circuit.bad);
        query.push(bad);
        if !self.ask(None, &query)? {
            return Ok(None);
        }
        self.smaller_state(vec![!bad]).map(Some)
    }

    /// The state of the last model, without what is not needed to contradict this clause with the same inputs.
    fn smaller_state(&mut self, fails: Vec<SatLit>) -> Result<Cube, Stop> {
        let latches = self.circuit.latches.iter().enumerate();
        let state: Cube = latches.map(|(at, latch)| (at, self.sat.value(latch.now))).collect();
        let inputs: Vec<SatLit> =
            self.circuit.inputs.iter().map(|&input| self.sat.literal(input.with(self.sat.value(input)))).collect();
        let mut query = inputs;
        query.extend(state.iter().map(|&part| self.now(part)));
        if self.ask(Some(fails), &query)? {
            return Err(Stop::Solver("a step of the machine has two results".to_owned()));
        }
        let kept: Cube = state.into_iter().filter(|&part| self.sat.needed(self.now(part))).collect();
        Ok(kept)
    }

    /// How many steps lead from the start to a bad state, if these states cannot be excluded.
    fn exclude(&mut self, bad: Cube, top: usize) -> Result<Option<usize>, Stop> {
        assert!(top < self.frames.len(), "{top} of {} levels", self.frames.len());
        let mut open = BinaryHeap::from([Obligation { level: Reverse(top), steps: 0, cube: bad }]);
        while let Some(obligation) = super::frames::next(&mut open) {
            self.search.counters.add("obligations", 1);
            let level = obligation.level.0;
            if level == 0 || self.is_start(&obligation.cube) {
                return Ok(Some(obligation.steps));
            }
            match self.blocked(level, &obligation.cube)? {
                Outcome::Before(before) => {
                    // 2
                    let steps = obligation.steps + 1;
                    open.push(obligation);
                    open.push(Obligation { level: Reverse(level - 1), steps, cube: before });
                }
                Outcome::Blocked(part) => {
                    let part = self.generalised(level, part)?;
                    let level = self.highest(level, &part)?;
                    self.add_clause(level, part);
                    if level < top {
                        open.push(Obligation { level: Reverse(level + 1), ..obligation });
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether the machine may start in one of these states.
    fn is_start(&self, cube: &Cube) -> bool {
        cube.iter().all(|&(latch, value)| self.circuit.latches[latch].reset == value)
    }

    /// Whether no step leads from a level to states outside of which it starts; the part of the cube that is needed.
    fn blocked(&mut self, level: usize, cube: &Cube) -> Result<Outcome, Stop> {
        assert!((1..self.frames.len()).contains(&level), "a step leads to level {level}");
        debug_assert!(!self.is_start(cube), "the start is never excluded");
        if self.sat.spent > MOST_SPENT {
            self.renew();
        }
        let mut query = self.clauses_from(level - 1);
        query.extend(cube.iter().map(|&part| self.next(part)));
        let outside: Vec<SatLit> = cube.iter().map(|&part| !self.now(part)).collect();
        if self.ask(Some(outside), &query)? {
            let fails = cube.iter().map(|&part| !self.next(part)).collect();
            return self.smaller_state(fails).map(Outcome::Before);
        }
        let mut kept: Cube = cube.iter().copied().filter(|&part| self.sat.needed(self.next(part))).collect();
        if self.is_start(&kept) {
            // One bit that tells the states from the start stays.
            let other = |&&(latch, value): &&(usize, bool)| self.circuit.latches[latch].reset != value;
            kept.extend(cube.iter().find(other));
            kept.sort_unstable();
        }
        debug_assert!(kept.iter().all(|part| cube.contains(part)), "a part of the cube");
        debug_assert!(!self.is_start(&kept), "the start is never excluded");
        Ok(Outcome::Blocked(kept))
    }

    /// A smaller part of a cube that can still be excluded.
    fn generalised(&mut self, level: usize, mut cube: Cube) -> Result<Cube, Stop> {
        let mut failed = 0;
        for part in cube.clone() {
            let fewer: Cube = cube.iter().copied().filter(|&other| other != part).collect();
            if fewer.len() == cube.len() || self.is_start(&fewer) {
                continue;
            }
            match self.blocked(level, &fewer)? {
                Outcome::Blocked(smaller) => {
                    cube = smaller;
                    failed = 0;
                }
                Outcome::Before(_) => failed += 1,
            }
            if failed > self.options.patience {
                break;
            }
        }
        Ok(cube)
    }

    fn highest(&mut self, mut level: usize, cube: &Cube) -> Result<usize, Stop> {
        let top = self.frames.len() - 1;
        while level < top && matches!(self.blocked(level + 1, cube)?, Outcome::Blocked(_)) {
            level += 1;
        }
        Ok(level)
    }

    fn add_clause(&mut self, level: usize, cube: Cube) {
        assert!(!self.is_start(&cube), "a clause that the start contradicts");
        debug_assert!(cube.is_sorted_by(|a, b| a.0 < b.0), "each latch has one value");
        self.search.counters.add("clauses", 1);
        self.assert_clause(self.frames[level].active, &cube);
        self.frames[level].clauses.push(cube);
    }

    /// Step 3: a level that is the same as the next.
    fn push_clauses(&mut self) -> Result<Option<usize>, Stop> {
        for level in 1..self.frames.len() - 1 {
            for cube in std::mem::take(&mut self.frames[level].clauses) {
                match self.blocked(level + 1, &cube)? {
                    Outcome::Blocked(_) => self.add_clause(level + 1, cube),
                    Outcome::Before(_) => self.frames[level].clauses.push(cube),
                }
            }
            if self.frames[level].clauses.is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// What the clauses after a level say where the machine is at the head of the loop.
    fn invariant(&mut self, machine: &Machine, level: usize) -> TermId {
        assert!(self.frames[level].clauses.is_empty(), "level {level} has clauses that the next one lacks");
        let terms = &mut self.search.system.encoder.terms;
        let mut clauses = Vec::new();
        for cube in self.frames[level + 1..].iter().flat_map(|frame| &frame.clauses) {
            let (mut parts, mut holds) = (Vec::new(), false);
            for &(latch, value) in cube {
                match self.circuit.term(terms, machine, (latch, !value)) {
                    Ok(always) => holds |= always,
                    Err(part) => parts.push(part),
                }
            }
            if !holds {
                clauses.push(terms.or(parts));
            }
        }
        terms.and(clauses)
    }
}

//! Boxes of inputs: where formulas over floats are too hard for a solver, but inputs are few, intervals exclude one part of
//! their values after the other [HMK97, DHKT12].
//!
//! 1. Unroll the program, completely if intervals show where loops end, otherwise with growing bounds.
//! 2. Start with one box that contains all inputs. Compute an interval of every term ([`encode::Boxes`]).
//! 3. A box is done if no input in it reaches a target or leaves the unrolled program.
//! 4. Otherwise run the program with the input in its middle, if that seems to reach a target: what the interpreter
//!    confirms is a counterexample.
//! 5. Halve the box, and look at both parts. A box with one input is a question for a solver.
//! 6. The program is safe when no box is left. The boxes are counted, exact arithmetic is asked about inputs of theirs, and
//!    a fresh solver about some of them.

use crate::bmc;
use crate::evidence::confirm;
use crate::facts::FactSource;
use crate::unrolled::with_invariants;
use base::{Budget, Cancel, Counters, options};
use encode::{
    Bounds, Boxes, Decision, Encoder, Guard, InputBox, MemoryModel, Unrolled, any, ask, stop_of, unsupported,
};
use flow::{Loops, Prepared};
use semantics::random::Random;
use smt::{Answer, Backend, Model, Solver, SolverFailure, TermId, Terms, Value};
use std::sync::Arc;
use verdict::{Argument, Goals, Proof, Stop, Verdict};

options! {
    /// Options of boxes of inputs.
    pub struct BoxesOptions {
        /// The program is unrolled completely if it has at most so many edges then.
        pub complete: u64 = 20_000,
        /// The largest number of iterations of loops otherwise.
        pub k_max: u32 = 256,
        /// The largest number of boxes.
        pub boxes: u64 = 4_000_000,
        /// For inputs of how many boxes exact arithmetic is asked in the end.
        pub samples: u64 = 256,
    }
}

/// The first bound of loops.
const FIRST_BOUND: u32 = 4;
/// How often a bound is multiplied by this.
const GROWTH: u32 = 4;
/// The clock is looked at after so many boxes.
const BOXES_PER_LOOK: u64 = 64;
/// How many inputs are run in vain before the search ends.
const MOST_ATTEMPTS: u32 = 8;
/// How many boxes a solver confirms.
const CONFIRMED: usize = 8;

/// What stays the same for all bounds.
struct Asked<'a> {
    program: &'a Prepared,
    loops: &'a Loops,
    model: &'a Arc<MemoryModel>,
    backend: &'a dyn Backend,
    options: &'a BoxesOptions,
}

/// How a search ends that does not fail.
enum Found {
    Verdict(Box<Verdict>),
    /// Some execution is longer than the bound.
    Longer,
}

/// Steps 1 to 6 with growing bounds.
pub fn verify(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    options: &BoxesOptions,
    sources: &[FactSource],
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let asked = Asked { program, loops: &program.loops(), model, backend, options };
    let complete = (u32::MAX, options.complete);
    let bounds = std::iter::successors(Some(FIRST_BOUND), |k| k.checked_mul(GROWTH));
    let bounds = bounds.take_while(|k| *k <= options.k_max).map(|k| (k, u64::MAX));
    for (k, edges) in std::iter::once(complete).chain(bounds) {
        match asked.bounded((k, edges), goals, cancel, counters) {
            Ok(Found::Verdict(verdict)) => {
                let Verdict::Safe(proof) = *verdict else { return *verdict };
                let (asked, k) = (goals.asked(program), k.min(options.k_max).max(1));
                return Verdict::Safe(with_invariants((&asked, model), backend, proof, sources, k, cancel));
            }
            Ok(Found::Longer) => {}
            Err(stop) => return Verdict::Unknown(stop),
        }
    }
    Verdict::Unknown(Stop::Bound(format!("executions are longer than the bound {}", options.k_max)))
}

impl Asked<'_> {
    /// One bound of iterations and edges.
    fn bounded(
        &self,
        (k, edges): (u32, u64),
        goals: &Goals,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<Found, Stop> {
        let is_complete = k == u32::MAX;
        let bounds = Bounds { iterations: k, recursion: k, constant_iterations: k.max(1024), edges };
        let limited = if is_complete { cancel.within(Budget::Complete) } else { cancel.clone() };
        let unrolled = bmc::unrolled(self.program, (self.loops, self.model), bounds, &|_| {}, &limited, counters);
        let (mut encoder, unrolled) = match unrolled {
            Err(Stop::Limit(_)) if !cancel.is_stopped() => return Ok(Found::Longer),
            unrolled => unrolled?, // 1
        };
        if is_complete && !unrolled.cuts.is_empty() {
            return Ok(Found::Longer);
        }
        let open: Vec<usize> = goals.open().collect();
        let reached = unrolled.targets.iter().filter(|(target, _)| open.contains(target)).map(|(_, guard)| *guard);
        let targets = any(&mut encoder, reached);
        let cuts = unrolled.cuts.iter().map(|(_, guard)| *guard);
        let ways_out: Vec<Guard> = cuts.chain(unrolled.unsupported.iter().map(|(_, guard)| *guard)).collect();
        let ways_out = any(&mut encoder, ways_out);
        let goal = encoder.terms.or([targets, ways_out]);
        let boxes = Boxes::new(&encoder, goal);
        counters.max("terms per box", boxes.terms() as u64);
        let waiting = vec![boxes.whole()]; // 2
        let attempts = Attempts { left: MOST_ATTEMPTS, doubt: None };
        let mut search = Search { asked: self, encoder, unrolled, targets, goal, boxes, attempts, waiting };
        search.run(cancel, counters)
    }
}

/// An assignment in place of a solver that found it.
struct Assigned(Model);

impl Solver for Assigned {
    fn name(&self) -> String {
        "assignment".to_owned()
    }

    fn push(&mut self) {}

    fn pop(&mut self) {}

    fn assert(&mut self, _: &Terms, _: TermId) {}

    fn check_assuming(&mut self, _: &Terms, _: &[TermId], _: &Cancel) -> Result<Answer, SolverFailure> {
        Err(SolverFailure::Incomplete("an assignment answers no questions".to_owned()))
    }

    fn failed_assumptions(&mut self) -> Vec<TermId> {
        Vec::new()
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, SolverFailure> {
        let open = || SolverFailure::Incomplete("a value that formulas leave open".to_owned());
        terms.eval(term, &self.0).ok_or_else(open)
    }

    fn statistics(&self) -> Counters {
        Counters::default()
    }
}

/// What became of inputs that seem to reach a target.
struct Attempts {
    left: u32,
    doubt: Option<Stop>,
}

struct Search<'a> {
    asked: &'a Asked<'a>,
    encoder: Encoder<'a>,
    unrolled: Unrolled,
    /// That a target is reached.
    targets: TermId,
    /// That a target is reached or the unrolled program left.
    goal: TermId,
    boxes: Boxes,
    attempts: Attempts,
    waiting: Vec<InputBox>,
}

impl Search<'_> {
    /// Steps 3 to 6.
    fn run(&mut self, cancel: &Cancel, counters: &mut Counters) -> Result<Found, Stop> {
        counters.live.phase("boxes of inputs");
        let mut done: Vec<InputBox> = Vec::new();
        let mut looked: u64 = 0;
        while let Some(part) = self.waiting.pop() {
            looked += 1;
            if looked % BOXES_PER_LOOK == 1 {
                counters.max("boxes", looked);
                cancel.check()?;
            }
            if looked > self.asked.options.boxes {
                return Err(Stop::Bound(format!("{} boxes of inputs were not enough", self.asked.options.boxes)));
            }
            let decision = self.boxes.decide(&self.encoder.terms, &part);
            if decision == Decision::Excluded {
                done.push(part); // 3
                continue;
            }
            let halves = self.boxes.halves(&part);
            let middle = self.boxes.middle(&part);
            let seems_reached = self.boxes.decide(&self.encoder.terms, &middle) == Decision::Satisfied;
            if seems_reached && let Some(found) = self.attempt(&middle, cancel)? {
                return Ok(found); // 4
            }
            match halves {
                Some([first, second]) => self.waiting.extend([second, first]), // 5
                None => match self.asked_about(&part, cancel)? {
                    Some(found) => return Ok(found),
                    None => done.push(part),
                },
            }
        }
        counters.max("boxes", looked);
        if let Some(doubt) = self.attempts.doubt.take() {
            return Err(doubt);
        }
        Ok(Found::Verdict(Box::new(Verdict::Safe(self.proof(&done, cancel)?)))) // 6
    }

    /// Whether an input is a counterexample, or leaves the unrolled program.
    fn attempt(&mut self, input: &InputBox, cancel: &Cancel) -> Result<Option<Found>, Stop> {
        let model = self.boxes.assignment(&self.encoder.terms, input);
        if !self.holds(self.targets, &model) {
            return self.way_out(&model);
        }
        let choices = self.encoder.choices(&mut Assigned(model)).map_err(stop_of)?;
        match confirm(self.encoder.program, &choices, cancel) {
            Verdict::Unsafe(found) => return Ok(Some(Found::Verdict(Box::new(Verdict::Unsafe(found))))),
            Verdict::Unknown(stop) => self.attempts.doubt = Some(stop),
            Verdict::Safe(_) => unreachable!("a replay proves nothing"),
        }
        self.attempts.left -= 1;
        match self.attempts.doubt.take_if(|_| self.attempts.left == 0) {
            Some(doubt) => Err(doubt),
            None => Ok(None),
        }
    }

    /// How an input leaves the unrolled program, if it does.
    fn way_out(&mut self, model: &Model) -> Result<Option<Found>, Stop> {
        for (edge, guard) in self.unrolled.unsupported.clone() {
            let reached = any(&mut self.encoder, [guard]);
            if self.holds(reached, model) {
                return Err(unsupported(self.encoder.program, edge));
            }
        }
        Ok(self.holds(self.goal, model).then_some(Found::Longer))
    }

    fn holds(&self, formula: TermId, model: &Model) -> bool {
        self.encoder.terms.eval(formula, model) == Some(Value::Bool(true))
    }

    /// A box that intervals do not decide and that cannot be halved: `None` if it is done.
    fn asked_about(&mut self, part: &InputBox, cancel: &Cancel) -> Result<Option<Found>, Stop> {
        let limited = cancel.within(Budget::BoxQuestion);
        let mut solver = self.solver();
        if !self.has_model(&mut *solver, part, self.targets, &limited)? {
            let is_done = !self.has_model(&mut *solver, part, self.goal, &limited)?;
            return Ok((!is_done).then_some(Found::Longer));
        }
        let choices = self.encoder.choices(&mut *solver).map_err(stop_of)?;
        match confirm(self.encoder.program, &choices, cancel) {
            Verdict::Unknown(stop) => Err(stop),
            verdict => Ok(Some(Found::Verdict(Box::new(verdict)))),
        }
    }

    /// A solver that knows the definitions.
    fn solver(&self) -> Box<dyn Solver> {
        let mut solver = self.asked.backend.solver();
        for definition in self.encoder.definitions(0) {
            solver.assert(&self.encoder.terms, definition);
        }
        solver
    }

    /// Whether an input of a box satisfies a formula.
    fn has_model(
        &mut self,
        solver: &mut dyn Solver,
        part: &InputBox,
        formula: TermId,
        cancel: &Cancel,
    ) -> Result<bool, Stop> {
        let inside = self.boxes.formula(&mut self.encoder.terms, part);
        let formula = self.encoder.terms.and([inside, formula]);
        Ok(ask(solver, &self.encoder, formula, cancel)? == Answer::Sat)
    }

    /// What was excluded, looked at once more.
    fn proof(&mut self, done: &[InputBox], cancel: &Cancel) -> Result<Proof, Stop> {
        let all = done.iter().fold(0, |sum: u128, part| sum.wrapping_add(Boxes::size(part)));
        if all != Boxes::size(&self.boxes.whole()) {
            return Err(Stop::Evidence("the boxes are not all inputs".to_owned()));
        }
        let mut random = Random::new(1);
        let definitions: Vec<TermId> = self.encoder.definitions(0).collect();
        let satisfied = self.encoder.terms.and(definitions.into_iter().chain([self.goal]));
        let mut inputs = 0;
        for _ in 0..self.asked.options.samples {
            cancel.check()?;
            let part = &done[random.below(done.len() as u64) as usize];
            let drawn = self.boxes.drawn(part, &mut |bound| random.below(bound));
            for input in self.boxes.corners(part).into_iter().chain([drawn]) {
                if self.holds(satisfied, &self.boxes.assignment(&self.encoder.terms, &input)) {
                    return Err(Stop::Evidence("exact arithmetic refutes an interval".to_owned()));
                }
                inputs += 1;
            }
        }
        let (confirmed, drawn) = self.confirmed(done, &mut random, cancel)?;
        let checked = format!(
            "With every loop unrolled as far as it runs, interval arithmetic excluded for each of {} boxes of inputs, which \
             contain all inputs, that an execution reaches a target or leaves the unrolled program. Exact arithmetic \
             confirmed this for {inputs} inputs, at corners of boxes and drawn at random, and a fresh solver for {confirmed} \
             of {drawn} boxes drawn at random.",
            done.len()
        );
        let exprs = self.encoder.program.exprs.clone();
        Ok(Proof { exprs, checked, argument: Argument::Unrolled, ..Proof::default() })
    }

    /// How many of some boxes a solver confirms as long as there is time.
    fn confirmed(&mut self, done: &[InputBox], random: &mut Random, cancel: &Cancel) -> Result<(usize, usize), Stop> {
        let limited = cancel.within(Budget::BoxSamples);
        let drawn = CONFIRMED.min(done.len());
        let mut confirmed = 0;
        for _ in 0..drawn {
            let part = &done[random.below(done.len() as u64) as usize];
            let mut solver = self.solver();
            match self.has_model(&mut *solver, part, self.goal, &limited) {
                Ok(true) => return Err(Stop::Evidence("a solver refutes an interval".to_owned())),
                Ok(false) => confirmed += 1,
                Err(_) => break,
            }
        }
        Ok((confirmed, drawn))
    }
}

#[cfg(test)]
mod tests;

//! The step case of k-induction, over visits of loop heads: asked by `k_induction` for growing `k`, and by `unrolled`,
//! which looks whether facts carry a proof by complete unrolling alone.

use crate::facts::Facts;
use crate::inductive::{self, Claim, Confirmed};
use crate::mailbox::Mailbox;
use base::{Budget, Cancel, Stopped};
use cfa::{ExprId, Node, Scalar};
use encode::{Addressing, Encoder, Guard, Layer, MemoryModel, PathFormula, Segments, Successors, any, ask, stop_of};
use flow::Prepared;
use smt::{Answer, Backend, Solver, TermId};
use std::sync::Arc;
use std::time::Duration;
use verdict::{Argument, Goals, Proof, Stop, Wanted};

/// The step case, extended as `k` grows.
pub(crate) struct StepCase<'s, 'p> {
    program: &'p Prepared,
    segments: &'s Segments<'p>,
    pub encoder: Encoder<'p>,
    solver: Box<dyn Solver>,
    /// How many questions the solver was asked.
    asked: usize,
    defined: usize,
    /// The paths at the heads visited so far: visit 0 is the arbitrary start.
    visits: Vec<Vec<(Node, PathFormula)>>,
    next: Layer,
    /// Where targets, by their index, and C that is not modelled are reached after each visit.
    errors: Vec<Vec<(Option<usize>, Guard)>>,
    pub facts: Vec<(Node, ExprId)>,
    /// All fact instances, asserted.
    asserted: Vec<TermId>,
    /// How long to wait for the first facts; `None` when some came, or none did in that time.
    pub patience: Option<Duration>,
}

impl<'s, 'p> StepCase<'s, 'p> {
    pub fn new(
        program: &'p Prepared,
        model: Arc<MemoryModel>,
        segments: &'s Segments<'p>,
        backend: &dyn Backend,
        patience: Option<Duration>,
    ) -> Self {
        let mut encoder = Encoder::new(program, model, Addressing::Fixed);
        let next = segments.anywhere(&mut encoder, 1);
        StepCase {
            program,
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
            patience,
        }
    }

    /// Proves what the step case for `k` excludes; a proof if that ends the run.
    pub fn prove(
        &mut self,
        k: usize,
        goals: &mut Goals,
        mailbox: &Mailbox,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<Option<Proof>, Stop> {
        let all: Vec<usize> = goals.open().collect();
        if let Some(proof) = self.of_all(k, &all, mailbox, backend, cancel)? {
            return Ok(Some(proof));
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

    /// A proof if the step case holds for some targets at once, and `k` or one visit.
    fn of_all(
        &mut self,
        k: usize,
        targets: &[usize],
        mailbox: &Mailbox,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<Option<Proof>, Stop> {
        while self.errors.len() <= k {
            self.extend(cancel)?;
        }
        if self.asked > 0 {
            self.renew(backend);
        }
        let goal = self.goal(k, targets);
        let mut arrived = Vec::new();
        loop {
            // 3
            arrived.extend(mailbox.fetch());
            if !arrived.is_empty() {
                arrived.drain(..).for_each(|facts| self.learn(&facts));
                if let Some(proof) = self.of_few_visits(targets, backend, cancel)? {
                    return Ok(Some(proof));
                }
            }
            let limits = mailbox.until_arrival(cancel);
            match self.ask(goal, &limits) {
                Ok(Answer::Unsat) => return self.proof(k, targets, backend, cancel).map(Some),
                Err(_) if limits.is_stopped() && !cancel.is_stopped() => continue,
                Err(stop) => return Err(stop),
                Ok(_) => {}
            }
            arrived = mailbox.fetch();
            if let (Some(patience), true) = (self.patience.take(), arrived.is_empty()) {
                arrived = mailbox.wait(patience);
            }
            if arrived.is_empty() {
                return Ok(None);
            }
        }
    }

    /// A proof if the facts suffice for few visits of loop heads. What the base case knows of more visits it knows of fewer.
    fn of_few_visits(&self, targets: &[usize], backend: &dyn Backend, cancel: &Cancel) -> Result<Option<Proof>, Stop> {
        let limited = cancel.within(Budget::FewVisits);
        for visits in [0, 1] {
            match self.excluded_from_each_head(visits, targets, backend, &limited) {
                Ok(true) => return self.written(visits, backend, cancel).map(Some),
                Ok(false) => {}
                Err(Stop::Limit(_)) if !cancel.is_stopped() => return Ok(None),
                Err(stop) => return Err(stop),
            }
        }
        Ok(None)
    }

    /// Whether no target is reached after so many further visits from each loop head by itself. These formulas are short, and
    /// each has a solver of its own: all of them in one are more than that many times as hard.
    fn excluded_from_each_head(
        &self,
        visits: usize,
        targets: &[usize],
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<bool, Stop> {
        let mut encoder = Encoder::new(self.program, self.encoder.model.clone(), Addressing::Fixed);
        let import = |&(node, fact): &(Node, ExprId)| Some((node, encoder.import_guess(&self.encoder.exprs, fact)?));
        let facts: Vec<(Node, ExprId)> = self.facts.iter().filter_map(import).collect();
        for mut layer in self.segments.each(&encoder) {
            let before = encoder.definition_count();
            let (mut known, mut errors) = (Vec::new(), Vec::new());
            for _ in 0..=visits {
                for ((_, node), path) in &layer {
                    let here = facts.iter().filter(|(at, _)| at == node);
                    known.extend(here.map(|(_, fact)| instance(&mut encoder, path, *fact)));
                }
                let reached = self.segments.run(&mut encoder, layer, cancel)?;
                errors = errors_of(&reached);
                layer = reached.heads;
            }
            let goal = goal_of(&mut encoder, &errors, targets);
            let mut solver = backend.solver();
            for formula in encoder.definitions(before).collect::<Vec<_>>().into_iter().chain(known) {
                solver.assert(&encoder.terms, formula);
            }
            if ask(&mut *solver, &encoder, goal, cancel)? != Answer::Unsat {
                return Ok(false);
            }
        }
        Ok(true)
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
    pub fn into_facts(self) -> Facts {
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
        assert!(k < self.errors.len(), "the formulas reach {} visits, not {k}", self.errors.len());
        goal_of(&mut self.encoder, &self.errors[k], targets)
    }

    /// One more visit of loop heads.
    fn extend(&mut self, cancel: &Cancel) -> Result<(), Stopped> {
        assert_eq!(self.visits.len(), self.errors.len(), "what was interrupted is not continued");
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
        self.errors.push(errors_of(&reached));
        self.next = reached.heads;
        for definition in self.encoder.definitions(self.defined).collect::<Vec<_>>() {
            self.solver.assert(&self.encoder.terms, definition);
            self.defined += 1;
        }
        Ok(())
    }

    pub fn learn(&mut self, facts: &Facts) {
        let loops = self.program.loops();
        for (node, fact) in &facts.facts {
            let Some(fact) = self.encoder.import_guess(&facts.exprs, *fact) else { continue };
            assert_eq!(self.encoder.exprs.ty(fact), Scalar::Bool, "facts are conditions");
            assert!(loops.headed_by(*node).is_some(), "facts about visits hold at loop heads");
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
        let formula = instance(&mut self.encoder, path, fact);
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
        self.written(k, backend, cancel)
    }

    /// The proof by a step case that fresh solvers found to hold.
    fn written(&self, k: usize, backend: &dyn Backend, cancel: &Cancel) -> Result<Proof, Stop> {
        let subject = (self.program, &self.encoder.model);
        let confirmed = inductive::check(subject, backend, &self.encoder.exprs, &self.facts, Claim::Invariant, cancel)?;
        let invariants = match confirmed {
            Confirmed::Yes => "which a solver proved inductive".to_owned(),
            Confirmed::NotTried(why) => format!("which no solver proved again: {why}"),
        };
        let (facts, plural) = (self.facts.len(), if self.facts.len() == 1 { "" } else { "s" });
        let order = if k == 0 { String::new() } else { format!("{k}-") };
        let checked = format!(
            "By {order}induction over visits of loop heads, a fresh solver confirmed the step, relative to {facts} auxiliary \
             invariant{plural}, {invariants}."
        );
        let argument = Argument::Induction(k as u32);
        let (exprs, invariants) = (self.encoder.exprs.clone(), self.facts.clone());
        Ok(Proof { exprs, invariants, checked, argument, ..Proof::default() })
    }
}

/// The errors that are reached after a visit, with the targets' indices; C that is not modelled has none.
fn errors_of(reached: &Successors) -> Vec<(Option<usize>, Guard)> {
    let targets = reached.targets.iter().map(|(target, guard)| (Some(*target), *guard));
    targets.chain(reached.unsupported.iter().map(|(_, guard)| (None, *guard))).collect()
}

/// One of the targets is reached, or C that is not modelled.
fn goal_of(encoder: &mut Encoder, errors: &[(Option<usize>, Guard)], targets: &[usize]) -> TermId {
    let asked = |target: Option<usize>| target.is_none_or(|target| targets.contains(&target));
    any(encoder, errors.iter().filter(|(target, _)| asked(*target)).map(|(_, guard)| *guard))
}

/// The fact holds where the path ends.
fn instance(encoder: &mut Encoder, path: &PathFormula, fact: ExprId) -> TermId {
    let mut path = path.clone();
    let holds = encoder.eval(&mut path, fact, 0);
    let guard = encoder.guards.formula(&mut encoder.terms, path.guard);
    encoder.terms.implies(guard, holds)
}

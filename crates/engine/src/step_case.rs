//! The step case of k-induction, over visits of loop heads: asked by `k_induction` for growing `k`, and by `unrolled`,
//! which looks whether facts carry a proof by complete unrolling alone.

use crate::facts::Facts;
use crate::inductive::{self, Claim, Confirmed};
use base::{Cancel, Stopped};
use cfa::{ExprId, Node};
use encode::{Addressing, Encoder, Guard, Layer, MemoryModel, PathFormula, Segments, any, ask, stop_of};
use flow::Prepared;
use smt::{Answer, Backend, Solver, TermId};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
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

/// How long the first step case waits for the first facts.
pub const PATIENCE: Duration = Duration::from_millis(300);

impl<'s, 'p> StepCase<'s, 'p> {
    pub fn new(
        program: &'p Prepared,
        model: Arc<MemoryModel>,
        segments: &'s Segments<'p>,
        backend: &dyn Backend,
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
            patience: Some(PATIENCE),
        }
    }

    /// Proves what the step case for `k` excludes; a proof if that ends the run.
    pub fn prove(
        &mut self,
        k: usize,
        goals: &mut Goals,
        source: &Receiver<Facts>,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<Option<Proof>, Stop> {
        let all: Vec<usize> = goals.open().collect();
        if self.holds(k, &all, source, backend, cancel)? {
            return self.proof(k, &all, backend, cancel).map(Some);
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

    /// Whether the step case holds for `k` and some targets.
    fn holds(
        &mut self,
        k: usize,
        targets: &[usize],
        source: &Receiver<Facts>,
        backend: &dyn Backend,
        cancel: &Cancel,
    ) -> Result<bool, Stop> {
        while self.errors.len() <= k {
            self.extend(cancel)?;
        }
        if self.asked > 0 {
            self.renew(backend);
        }
        let goal = self.goal(k, targets);
        loop {
            if self.ask(goal, cancel)? == Answer::Unsat {
                return Ok(true);
            }
            // 3
            let mut new = source.try_recv().ok();
            if let (Some(patience), None) = (self.patience.take(), &new) {
                new = source.recv_timeout(patience).ok();
            }
            let Some(facts) = new else { return Ok(false) };
            self.learn(&facts);
            while let Ok(more) = source.try_recv() {
                self.learn(&more);
            }
        }
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
        let asked = |target: Option<usize>| target.is_none_or(|target| targets.contains(&target));
        let errors = self.errors[k].iter().filter(|(target, _)| asked(*target)).map(|(_, guard)| *guard);
        any(&mut self.encoder, errors)
    }

    /// One more visit of loop heads.
    fn extend(&mut self, cancel: &Cancel) -> Result<(), Stopped> {
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
        let targets = reached.targets.iter().map(|(target, guard)| (Some(*target), *guard));
        let unsupported = reached.unsupported.iter().map(|(_, guard)| (None, *guard));
        self.errors.push(targets.chain(unsupported).collect());
        self.next = reached.heads;
        for definition in self.encoder.definitions(self.defined).collect::<Vec<_>>() {
            self.solver.assert(&self.encoder.terms, definition);
            self.defined += 1;
        }
        Ok(())
    }

    pub fn learn(&mut self, facts: &Facts) {
        for (node, fact) in &facts.facts {
            let Some(fact) = self.encoder.import(&facts.exprs, *fact) else { continue };
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
        let mut path = path.clone();
        let holds = self.encoder.eval(&mut path, fact, 0);
        let guard = self.encoder.guards.formula(&mut self.encoder.terms, path.guard);
        let formula = self.encoder.terms.implies(guard, holds);
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
        let subject = (self.program, &self.encoder.model);
        let confirmed = inductive::check(subject, backend, &self.encoder.exprs, &self.facts, Claim::Invariant, cancel)?;
        let invariants = match confirmed {
            Confirmed::Yes => "which a solver proved inductive".to_owned(),
            Confirmed::NotTried(why) => format!("which no solver proved again: {why}"),
        };
        let (facts, plural) = (self.facts.len(), if self.facts.len() == 1 { "" } else { "s" });
        let checked = format!(
            "By {k}-induction over visits of loop heads, a fresh solver confirmed the step, relative to {facts} auxiliary \
             invariant{plural}, {invariants}."
        );
        let argument = Argument::Induction(k as u32);
        let (exprs, invariants) = (self.encoder.exprs.clone(), self.facts.clone());
        Ok(Proof { exprs, invariants, checked, argument, ..Proof::default() })
    }
}

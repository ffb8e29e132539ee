//! [`Bitwuzla`] as a [`Solver`].
//!
//! Popped assertions and old assumptions stay in the SAT solver as dead clauses, and its inprocessing visits them again
//! and again: a thousand small independent queries cost many times what fresh instances cost. So the instance is
//! replaced, and the live assertions are replayed, once most of what it has seen is dead. The decision counts terms, not
//! time: runs are repeatable.

use crate::back;
use crate::const_arrays::{self, Replaced};
use crate::instance::Instance;
use crate::raw::{self, option};
use base::{Cancel, Counters};
use rustc_hash::FxHashSet;
use smt::{Answer, Backend, Solver, SolverFailure, TermId, Terms, Value};
use std::ffi::CStr;
use std::time::Instant;

/// How much the solver simplifies before it searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Simplification {
    /// The solver's defaults.
    #[default]
    Full,
    /// No rewriting, no preprocessing: everything is bit-blasted as it is. For tests of the bit-blasting.
    None,
}

/// Dead terms that an instance may hold besides twice its live ones.
const DEAD_TERMS: usize = 64;

/// What was asserted on one level.
#[derive(Default)]
struct Level {
    assertions: Vec<(TermId, raw::Term)>,
    /// Terms that the instance saw first in these assertions.
    terms: usize,
}

/// An incremental Bitwuzla.
pub struct Bitwuzla {
    instance: Instance,
    settings: Vec<(i32, u64)>,
    /// The store whose terms were seen.
    store: Option<u32>,
    /// The first is always there.
    levels: Vec<Level>,
    /// Terms that this instance has seen.
    seen: FxHashSet<TermId>,
    /// How many of them belong to no live assertion.
    dead: usize,
    /// Of the last check.
    assumptions: Vec<(TermId, raw::Term)>,
    /// What decided the last check if the instance could not.
    replaced: Option<Replaced>,
    answer: Option<Answer>,
    counters: Counters,
}

/// Makes [`Bitwuzla`] solvers.
#[derive(Clone, Copy, Debug, Default)]
pub struct BitwuzlaBackend;

impl Backend for BitwuzlaBackend {
    fn solver(&self) -> Box<dyn Solver> {
        Box::new(Bitwuzla::new())
    }
}

impl Default for Bitwuzla {
    fn default() -> Self {
        Self::new()
    }
}

impl Bitwuzla {
    /// A solver without assertions.
    pub fn new() -> Bitwuzla {
        Self::with_preprocessing(Simplification::Full)
    }

    /// A solver without assertions.
    pub fn with_preprocessing(preprocessing: Simplification) -> Bitwuzla {
        let mut settings = vec![(option::PRODUCE_UNSAT_ASSUMPTIONS, 1)];
        match preprocessing {
            Simplification::Full => {}
            Simplification::None => settings.extend([(option::REWRITE_LEVEL, 0), (option::PREPROCESS, 0)]),
        }
        Bitwuzla {
            instance: Instance::new(&settings),
            settings,
            store: None,
            levels: vec![Level::default()],
            seen: FxHashSet::default(),
            dead: 0,
            assumptions: Vec::new(),
            replaced: None,
            answer: None,
            counters: Counters::default(),
        }
    }

    fn translate(&mut self, terms: &Terms, term: TermId) -> raw::Term {
        let store = *self.store.get_or_insert(terms.store());
        assert_eq!(store, terms.store(), "one solver sees terms of one store");
        let start = Instant::now();
        let raw = self.instance.manager.borrow_mut().translate(terms, term);
        self.counters.time_since("solver translation", start);
        raw
    }

    /// A second try where constant arrays may be the reason that there is no answer.
    fn check_without_const_arrays(
        &mut self,
        terms: &Terms,
        answer: Result<Answer, SolverFailure>,
        cancel: &Cancel,
    ) -> Result<Answer, SolverFailure> {
        let assertions: Vec<(TermId, raw::Term)> =
            self.levels.iter().flat_map(|level| &level.assertions).copied().collect();
        let formulas: Vec<TermId> = assertions.iter().chain(&self.assumptions).map(|&(term, _)| term).collect();
        if !const_arrays::occur(terms, &formulas) {
            return answer;
        }
        self.counters.add("solver queries with equations of constant arrays", 1);
        let (answer, replaced) = const_arrays::check(terms, &self.settings, &assertions, &self.assumptions, cancel)?;
        self.replaced = Some(replaced);
        Ok(answer)
    }

    /// Marks the parts of a term as seen and counts the new ones.
    fn see(&mut self, terms: &Terms, root: TermId) -> usize {
        let before = self.seen.len();
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if self.seen.insert(term) {
                stack.extend(terms.args(term));
            }
        }
        self.seen.len() - before
    }

    /// Replaces the instance if it holds mostly dead terms.
    fn renew(&mut self, terms: &Terms) {
        let live: usize = self.levels.iter().map(|level| level.terms).sum();
        if self.dead <= 2 * live + DEAD_TERMS {
            return;
        }
        self.counters.add("solver renewals", 1);
        self.instance = Instance::new(&self.settings);
        self.seen.clear();
        self.dead = 0;
        let mut levels = std::mem::take(&mut self.levels);
        for (depth, level) in levels.iter_mut().enumerate() {
            if depth > 0 {
                self.instance.push();
            }
            level.terms = 0;
            for &(formula, assertion) in &level.assertions {
                level.terms += self.see(terms, formula);
                self.instance.assert(assertion);
            }
        }
        self.levels = levels;
    }
}

impl Solver for Bitwuzla {
    fn name(&self) -> String {
        // SAFETY: the version is a C string that lives in the library.
        let version = unsafe { CStr::from_ptr(raw::bitwuzla_version()) };
        format!("Bitwuzla {}", version.to_string_lossy())
    }

    fn push(&mut self) {
        self.answer = None;
        self.levels.push(Level::default());
        self.instance.push();
    }

    fn pop(&mut self) {
        assert!(self.levels.len() > 1, "pop follows push");
        self.answer = None;
        self.dead += self.levels.pop().map_or(0, |level| level.terms);
        self.instance.pop();
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.answer = None;
        let raw = self.translate(terms, formula);
        let new = self.see(terms, formula);
        let level = self.levels.last_mut().expect("there is always a level");
        level.terms += new;
        level.assertions.push((formula, raw));
        self.instance.assert(raw);
    }

    fn check_assuming(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        cancel: &Cancel,
    ) -> Result<Answer, SolverFailure> {
        self.answer = None;
        self.replaced = None;
        self.renew(terms);
        for &assumption in assumptions {
            self.dead += self.see(terms, assumption);
        }
        self.assumptions = assumptions.iter().map(|&term| (term, self.translate(terms, term))).collect();
        let mut raw: Vec<raw::Term> = self.assumptions.iter().map(|&(_, raw)| raw).collect();
        let start = Instant::now();
        let mut answer = self.instance.check(&mut raw, cancel);
        if matches!(answer, Err(SolverFailure::Incomplete(_))) {
            answer = self.check_without_const_arrays(terms, answer, cancel);
        }
        self.counters.time_since("solver search", start);
        self.counters.add("solver queries", 1);
        self.counters.add(
            match answer {
                Ok(Answer::Sat) => "solver answers sat",
                Ok(Answer::Unsat) => "solver answers unsat",
                Err(_) => "solver gave no answer",
            },
            1,
        );
        self.answer = answer.as_ref().ok().copied();
        answer
    }

    fn failed_assumptions(&mut self) -> Vec<TermId> {
        assert_eq!(self.answer, Some(Answer::Unsat), "the last check was unsatisfiable");
        let is_failed = |raw: raw::Term| match &self.replaced {
            Some(replaced) => replaced.is_failed_assumption(raw),
            None => self.instance.is_failed_assumption(raw),
        };
        let failed = self.assumptions.iter().filter(|&&(_, raw)| is_failed(raw));
        failed.map(|&(term, _)| term).collect()
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, SolverFailure> {
        assert_eq!(self.answer, Some(Answer::Sat), "the last check was satisfiable");
        let value = match &self.replaced {
            Some(replaced) => replaced.value(terms, term)?,
            None => {
                let raw = self.translate(terms, term);
                back::value(self.instance.value(raw)?, terms.sort(term))
            }
        };
        value.ok_or_else(|| SolverFailure::Incomplete("the model has a value of a shape we do not know".to_owned()))
    }

    fn interpolants(&mut self, terms: &mut Terms, groups: &[TermId], cancel: &Cancel) -> Option<Vec<TermId>> {
        if groups.len() < 2 {
            return None;
        }
        let settings =
            [(option::PRODUCE_INTERPOLANTS, 1), (option::INTERPOLANTS_SUBST, 1), (option::INTERPOLANTS_SIMP, 1)];
        let mut instance = Instance::new(&settings);
        let mut raw: Vec<raw::Term> = groups.iter().map(|&group| self.translate(terms, group)).collect();
        for &group in &raw {
            instance.assert(group);
        }
        if instance.check(&mut [], cancel) != Ok(Answer::Unsat) {
            return None;
        }
        let interpolants = instance.interpolants(&mut raw).ok()?;
        let manager = instance.manager.borrow();
        interpolants.into_iter().map(|interpolant| back::term(&manager, terms, interpolant)).collect()
    }

    fn statistics(&self) -> Counters {
        self.counters.clone()
    }
}

//! Solvers whose checks are counted and timed, all together, no matter where they are used: a decorator around any back
//! end, so that every engine's share of solver time is known.

use crate::solver::{Answer, Backend, Solver, SolverFailure};
use crate::terms::{TermId, Terms};
use crate::value::Value;
use base::{Cancel, Counters};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A back end that counts.
pub struct Counted<B> {
    inner: B,
    total: Arc<Total>,
}

#[derive(Default)]
struct Total {
    checks: AtomicU64,
    nanoseconds: AtomicU64,
}

impl<B: Backend> Counted<B> {
    /// Nothing counted yet.
    pub fn new(inner: B) -> Self {
        Counted { inner, total: Arc::default() }
    }

    /// Adds what was counted: "solver queries", and the time in "solver".
    pub fn count(&self, counters: &mut Counters) {
        let checks = self.total.checks.load(Relaxed);
        if checks > 0 {
            counters.add("solver queries", checks);
            counters.add_time("solver", Duration::from_nanos(self.total.nanoseconds.load(Relaxed)));
        }
    }
}

impl<B: Backend> Backend for Counted<B> {
    fn solver(&self) -> Box<dyn Solver> {
        Box::new(CountedSolver { inner: self.inner.solver(), total: self.total.clone() })
    }
}

struct CountedSolver {
    inner: Box<dyn Solver>,
    total: Arc<Total>,
}

impl CountedSolver {
    fn timed<T>(&mut self, f: impl FnOnce(&mut dyn Solver) -> T) -> T {
        let start = Instant::now();
        let result = f(&mut *self.inner);
        let nanoseconds = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.total.nanoseconds.fetch_add(nanoseconds, Relaxed);
        result
    }
}

impl Solver for CountedSolver {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn push(&mut self) {
        self.inner.push();
    }

    fn pop(&mut self) {
        self.inner.pop();
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.timed(|solver| solver.assert(terms, formula));
    }

    fn check_assuming(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        cancel: &Cancel,
    ) -> Result<Answer, SolverFailure> {
        self.total.checks.fetch_add(1, Relaxed);
        self.timed(|solver| solver.check_assuming(terms, assumptions, cancel))
    }

    fn failed_assumptions(&mut self) -> Vec<TermId> {
        self.inner.failed_assumptions()
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, SolverFailure> {
        self.timed(|solver| solver.value(terms, term))
    }

    fn interpolants(&mut self, terms: &mut Terms, groups: &[TermId], cancel: &Cancel) -> Option<Vec<TermId>> {
        self.total.checks.fetch_add(1, Relaxed);
        self.timed(|solver| solver.interpolants(terms, groups, cancel))
    }

    fn statistics(&self) -> Counters {
        self.inner.statistics()
    }
}

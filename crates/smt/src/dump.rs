//! A solver that writes every query down before it is answered.

use crate::smtlib::Script;
use crate::solver::{Answer, Solver, SolverFailure};
use crate::terms::{TermId, Terms};
use crate::value::Value;
use base::{Cancel, Counters};

/// Takes the text of one query. The answer is not known yet when it is called.
pub type QuerySink = Box<dyn FnMut(&str)>;

/// Passes everything on to another solver, and each query, complete in itself, to a sink as an SMT-LIB script.
pub struct Dumping {
    inner: Box<dyn Solver>,
    sink: QuerySink,
    assertions: Vec<TermId>,
    /// Number of assertions when each open level began.
    levels: Vec<usize>,
}

impl Dumping {
    /// Writes the queries of `inner` to `sink`.
    pub fn new(inner: Box<dyn Solver>, sink: QuerySink) -> Dumping {
        Dumping { inner, sink, assertions: Vec::new(), levels: Vec::new() }
    }
}

impl Solver for Dumping {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn push(&mut self) {
        self.levels.push(self.assertions.len());
        self.inner.push();
    }

    fn pop(&mut self) {
        let kept = self.levels.pop().expect("pop follows push");
        self.assertions.truncate(kept);
        self.inner.pop();
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.assertions.push(formula);
        self.inner.assert(terms, formula);
    }

    fn check_assuming(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        cancel: &Cancel,
    ) -> Result<Answer, SolverFailure> {
        let script = Script { assertions: &self.assertions, assumptions, status: "unknown" };
        (self.sink)(&terms.print_script(&script));
        self.inner.check_assuming(terms, assumptions, cancel)
    }

    fn failed_assumptions(&mut self) -> Vec<TermId> {
        self.inner.failed_assumptions()
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, SolverFailure> {
        self.inner.value(terms, term)
    }

    fn interpolants(&mut self, terms: &mut Terms, groups: &[TermId], cancel: &Cancel) -> Option<Vec<TermId>> {
        self.inner.interpolants(terms, groups, cancel)
    }

    fn statistics(&self) -> Counters {
        self.inner.statistics()
    }
}

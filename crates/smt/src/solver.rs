//! The interface to SMT solvers. Engines see only this; which solver answers is decided where the parts are wired.

use crate::op::Op;
use crate::terms::{TermId, Terms};
use crate::value::{FunctionValue, Model, Value};
use base::{Cancel, Counters, Stopped};
use std::fmt;

/// What a check says when it says something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
}

/// Why a solver gives no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverFailure {
    /// A limit was reached or a stop was requested.
    Stopped(Stopped),
    /// The solver gave up or cannot do this; the text says why.
    Incomplete(String),
}

impl fmt::Display for SolverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverFailure::Stopped(stopped) => stopped.fmt(f),
            SolverFailure::Incomplete(reason) => write!(f, "solver gave up: {reason}"),
        }
    }
}

impl std::error::Error for SolverFailure {}

impl From<Stopped> for SolverFailure {
    fn from(stopped: Stopped) -> Self {
        SolverFailure::Stopped(stopped)
    }
}

/// An incremental SMT solver. All terms given to one solver come from one [`Terms`] (checked); each term is translated
/// once in the solver's life. After `Ok(Sat)` values can be asked, after `Ok(Unsat)` the failed assumptions, both until
/// the next `push`, `pop`, `assert` or `check`.
pub trait Solver {
    /// Name and version.
    fn name(&self) -> String;

    /// Opens an assertion level; see [`scoped`].
    fn push(&mut self);

    /// Forgets what was asserted since the matching `push`.
    fn pop(&mut self);

    /// Adds a formula (sort Bool) to the current level.
    fn assert(&mut self, terms: &Terms, formula: TermId);

    /// Whether the assertions and `assumptions` (any formulas) have a model. `cancel` is polled during the search.
    fn check_assuming(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        cancel: &Cancel,
    ) -> Result<Answer, SolverFailure>;

    /// Whether the assertions have a model.
    fn check(&mut self, terms: &Terms, cancel: &Cancel) -> Result<Answer, SolverFailure> {
        self.check_assuming(terms, &[], cancel)
    }

    /// After `Unsat`: assumptions that together with the assertions have no model; not always the fewest, in the order
    /// in which they were given. Empty if the assertions alone have none.
    fn failed_assumptions(&mut self) -> Vec<TermId>;

    /// After `Sat`: the value of any term in the model.
    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, SolverFailure>;

    /// Interpolants τ1 … τ(n-1) of `groups` φ1 … φn by the solver's own means, independent of its assertions; `None`
    /// if it has none to offer. They are not trusted: the module `interpolation` checks them.
    fn interpolants(&mut self, terms: &mut Terms, groups: &[TermId], cancel: &Cancel) -> Option<Vec<TermId>> {
        let _ = (terms, groups, cancel);
        None
    }

    /// Numbers of queries and answers, times, and whatever else the solver counts.
    fn statistics(&self) -> Counters;
}

/// Makes solvers: engines need fresh ones for checks and for other threads.
pub trait Backend: Send + Sync {
    /// A new solver without assertions.
    fn solver(&self) -> Box<dyn Solver>;
}

/// Runs `f` on a fresh assertion level, popped however `f` returns.
pub fn scoped<R>(solver: &mut dyn Solver, f: impl FnOnce(&mut dyn Solver) -> R) -> R {
    solver.push();
    let result = f(solver);
    solver.pop();
    result
}

/// After `Sat`: the values of all variables and functions of `formulas`.
pub fn model(solver: &mut dyn Solver, terms: &Terms, formulas: &[TermId]) -> Result<Model, SolverFailure> {
    let mut model = Model::default();
    for term in terms.reachable(formulas) {
        match terms.op(term) {
            Op::Var(variable) => {
                model.variables.insert(variable, solver.value(terms, term)?);
            }
            Op::Apply(function) => {
                let mut args = Vec::new();
                for &arg in terms.args(term) {
                    args.push(solver.value(terms, arg)?);
                }
                let result = solver.value(terms, term)?;
                let entry = model.functions.entry(function).or_insert_with(|| FunctionValue {
                    default: Value::zero(terms.signature(function).1.into()),
                    entries: Default::default(),
                });
                entry.entries.insert(args, result);
            }
            _ => {}
        }
    }
    Ok(model)
}

/// Whether `formula` holds in all models of the solver's assertions.
pub fn entails(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    formula: TermId,
    cancel: &Cancel,
) -> Result<bool, SolverFailure> {
    let negated = terms.not(formula);
    Ok(solver.check_assuming(terms, &[negated], cancel)? == Answer::Unsat)
}

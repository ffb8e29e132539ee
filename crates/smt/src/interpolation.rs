//! Sequence interpolants on top of any solver.
//!
//! For formulas φ1, ..., φn whose conjunction has no model, a sequence τ0, ..., τn is an inductive sequence of
//! interpolants [BDW18, Sect. 3.2] if τ0 = true, τn = false, τ(i-1) ∧ φi implies τi, and τi speaks only of variables that
//! occur both in φ1, ..., φi and in φ(i+1), ..., φn.
//!
//! 1. Weakest preconditions by substitution (`backward`) need only queries about single formulas. If they succeed, they
//!    also say which conjuncts of the path matter; if not, an unsatisfiable core of the path does (`core`).
//! 2. On the path so sliced, other strategies propose sequences: facts over the conditions that the program itself tests
//!    (`atoms`), and if all else fails the values that the path computes (`values`), the solver's own interpolants in
//!    both directions (`own`), and strongest postconditions (`forward`). Those come first where the path is one of sums,
//!    which solvers take long for.
//! 3. Every proposal is checked against the definition (`check`); what fails is not used, no matter where it came from.
//! 4. The best by number and size of its predicates is chosen (`quality`).

mod arrays;
mod atoms;
mod backward;
mod check;
mod core;
mod eliminate;
mod forward;
mod own;
mod quality;
mod query;
mod sums;
mod values;

use crate::op::VarId;
use crate::solver::{Solver, SolverFailure};
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use base::{Cancel, Stopped};
use std::fmt;

/// Where a sequence comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strategy {
    /// Facts over the conditions tested on the path.
    Atoms,
    /// Weakest preconditions, by substitution of definitions from the end.
    Backward,
    /// Facts over the conditions tested on the path, and the values that it computes.
    Values,
    /// The solver's own interpolants of the reversed path, negated.
    OwnReversed,
    /// The solver's own interpolants.
    Own,
    /// Strongest postconditions, by substitution of definitions from the start.
    Forward,
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strategy::Atoms => "atoms",
            Strategy::Backward => "backward",
            Strategy::Values => "values",
            Strategy::OwnReversed => "own-reversed",
            Strategy::Own => "own",
            Strategy::Forward => "forward",
        })
    }
}

/// How sequences are looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterpolationOptions {
    /// Strategies that may be used. The best result of `Backward` and `Atoms` is taken; the others are tried only if these
    /// fail.
    pub strategies: Vec<Strategy>,
    /// Variables that may occur in any interpolant: those that mean the same all along, such as addresses.
    pub shared: Vec<VarId>,
    /// Solver calls spent on making the core small.
    pub core_checks: u32,
    /// Most atoms that `Atoms` tracks.
    pub max_atoms: usize,
    /// Largest interpolant, in distinct subterms.
    pub max_size: usize,
}

impl Default for InterpolationOptions {
    fn default() -> Self {
        Self {
            strategies: vec![
                Strategy::Atoms,
                Strategy::Backward,
                Strategy::Values,
                Strategy::OwnReversed,
                Strategy::Own,
                Strategy::Forward,
            ],
            shared: Vec::new(),
            core_checks: 32,
            max_atoms: 24,
            max_size: 2000,
        }
    }
}

/// A checked sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interpolants {
    /// τ0 = true, τ1, ..., τn = false.
    pub sequence: Vec<TermId>,
    /// Who proposed it.
    pub strategy: Strategy,
}

/// Why there is no sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InterpolationFailure {
    /// The conjunction of the formulas has a model.
    Satisfiable,
    /// A limit was reached or a stop was requested.
    Stopped(Stopped),
    /// The solver cannot decide the path.
    Solver(String),
    /// No strategy found a sequence that passes the check; their reasons.
    NoSequence(Vec<(Strategy, String)>),
}

impl From<SolverFailure> for InterpolationFailure {
    fn from(failure: SolverFailure) -> Self {
        match failure {
            SolverFailure::Stopped(stopped) => InterpolationFailure::Stopped(stopped),
            SolverFailure::Incomplete(reason) => InterpolationFailure::Solver(reason),
        }
    }
}

impl From<Stopped> for InterpolationFailure {
    fn from(stopped: Stopped) -> Self {
        InterpolationFailure::Stopped(stopped)
    }
}

impl fmt::Display for InterpolationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpolationFailure::Satisfiable => f.write_str("the path is feasible"),
            InterpolationFailure::Stopped(stopped) => stopped.fmt(f),
            InterpolationFailure::Solver(reason) => write!(f, "solver gave up: {reason}"),
            InterpolationFailure::NoSequence(reasons) => {
                f.write_str("no interpolants")?;
                for (strategy, reason) in reasons {
                    write!(f, "; {strategy}: {reason}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for InterpolationFailure {}

/// What a strategy says: a proposal for τ1 ... τ(n-1), or why it has none.
type Proposal = Result<Vec<TermId>, NoProposal>;

/// Why a strategy has no proposal.
enum NoProposal {
    /// It does not apply here.
    Because(String),
    /// The whole search must end.
    Stopped(Stopped),
}

impl From<SolverFailure> for NoProposal {
    fn from(failure: SolverFailure) -> Self {
        match failure {
            SolverFailure::Stopped(stopped) => NoProposal::Stopped(stopped),
            SolverFailure::Incomplete(reason) => NoProposal::Because(reason),
        }
    }
}

/// An inductive sequence of interpolants for `groups`, checked. `solver` has no assertions, and has none afterwards.
///
/// Groups are conjunctions over SSA variables; equations `x@k = e` in them serve as definitions. Variables of
/// interpolants are shared as the definition says, or among `options.shared`; functions may occur anywhere.
pub fn interpolate(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    groups: &[TermId],
    options: &InterpolationOptions,
    cancel: &Cancel,
) -> Result<Interpolants, InterpolationFailure> {
    assert!(groups.iter().all(|&group| terms.sort(group) == Sort::Bool), "groups are formulas");
    let mut search = Search { terms, solver, groups, options, cancel, best: None, reasons: Vec::new() };
    let path: Vec<Vec<TermId>> = groups.iter().map(|&group| search.terms.conjuncts(group)).collect();
    let uses = |strategy: Strategy| options.strategies.contains(&strategy);
    // Weakest preconditions come first because they need only easy queries, and slice the path as they go.
    let mut sliced = search.backward(&path, uses(Strategy::Backward))?;
    let of_sums = sliced.is_none() && search.terms.is_refuted_by_sums(groups);
    if of_sums && uses(Strategy::Forward) {
        search.forward(&path)?;
    }
    if sliced.is_none() && search.best.is_some() {
        sliced = Some(path.clone());
    }
    if sliced.is_none() {
        let core = core::slice(search.terms, search.solver, groups, options, cancel)?;
        sliced = Some(core.clone());
        if core != path && uses(Strategy::Backward) {
            search.backward(&core, true)?;
        }
    }
    let sliced = sliced.expect("sliced by one of the two");
    if uses(Strategy::Atoms) {
        let proposal = atoms::propose(search.terms, search.solver, &sliced, options, cancel);
        search.consider(Strategy::Atoms, proposal)?;
    }
    // A core does not need the values of variables that it shows to be different.
    if uses(Strategy::Values) && search.best.is_none() {
        let proposal = atoms::propose_with_values(search.terms, search.solver, &path, options, cancel);
        search.consider(Strategy::Values, proposal)?;
    }
    if uses(Strategy::OwnReversed) && search.best.is_none() {
        let proposal = own::propose_reversed(search.terms, search.solver, &sliced, cancel);
        search.consider(Strategy::OwnReversed, proposal)?;
    }
    if uses(Strategy::Own) && search.best.is_none() {
        let proposal = own::propose(search.terms, search.solver, &sliced, cancel);
        search.consider(Strategy::Own, proposal)?;
    }
    if uses(Strategy::Forward) && !of_sums && search.best.is_none() {
        search.forward(&path)?;
    }
    let Search { best, reasons, .. } = search;
    best.map(|(_, interpolants)| interpolants).ok_or(InterpolationFailure::NoSequence(reasons))
}

/// The search for the best sequence of one path.
struct Search<'a> {
    terms: &'a mut Terms,
    solver: &'a mut dyn Solver,
    groups: &'a [TermId],
    options: &'a InterpolationOptions,
    cancel: &'a Cancel,
    best: Option<(quality::Cost, Interpolants)>,
    reasons: Vec<(Strategy, String)>,
}

impl Search<'_> {
    /// Tries weakest preconditions and gives the sliced path if they succeed; the sequence counts only if `wanted`.
    fn backward(
        &mut self,
        path: &[Vec<TermId>],
        wanted: bool,
    ) -> Result<Option<Vec<Vec<TermId>>>, InterpolationFailure> {
        match backward::propose(self.terms, self.solver, path, self.options, self.cancel) {
            Ok(proof) => {
                if wanted {
                    self.consider(Strategy::Backward, Ok(proof.sequence))?;
                }
                Ok(Some(proof.sliced))
            }
            Err(reason) => {
                self.consider(Strategy::Backward, Err(reason))?;
                Ok(None)
            }
        }
    }

    fn forward(&mut self, path: &[Vec<TermId>]) -> Result<(), InterpolationFailure> {
        let proposal = forward::propose(self.terms, self.solver, path, self.options, self.cancel);
        self.consider(Strategy::Forward, proposal)
    }

    /// Checks a proposal and keeps it if it is the best so far.
    fn consider(&mut self, strategy: Strategy, proposal: Proposal) -> Result<(), InterpolationFailure> {
        let inner = match proposal {
            Ok(inner) => inner,
            Err(NoProposal::Stopped(stopped)) => return Err(stopped.into()),
            Err(NoProposal::Because(reason)) => {
                self.reasons.push((strategy, reason));
                return Ok(());
            }
        };
        let sequence = with_ends(self.terms, inner);
        match check::is_sequence(self.terms, self.solver, self.groups, &sequence, self.options, self.cancel)? {
            Err(reason) => self.reasons.push((strategy, reason)),
            Ok(()) => {
                assert_eq!(sequence.len(), self.groups.len() + 1, "a fact before, between and after the groups");
                let cost = quality::cost(self.terms, &sequence);
                if self.best.as_ref().is_none_or(|(known, _)| cost < *known) {
                    self.best = Some((cost, Interpolants { sequence, strategy }));
                }
            }
        }
        Ok(())
    }
}

fn with_ends(terms: &mut Terms, inner: Vec<TermId>) -> Vec<TermId> {
    let mut sequence = vec![terms.truth()];
    sequence.extend(inner);
    sequence.push(terms.falsity());
    sequence
}

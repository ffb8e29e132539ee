//! The circuit as clauses, and questions to a SAT solver about it.

use base::{Cancel, Stopped};
use batsat::{Callbacks, Lit as SatLit, Solver, SolverInterface, SolverOpts, lbool};
use encode::Circuit;
use smt::aig::{Gate, Lit};

/// Asks the clock.
struct Clock(Cancel);

impl Callbacks for Clock {
    fn stop(&self) -> bool {
        self.0.is_stopped()
    }
}

/// A solver that knows the gates of a circuit.
pub(super) struct Sat {
    solver: Solver<Clock>,
    /// By node of the graph.
    literals: Vec<SatLit>,
    cancel: Cancel,
    /// How many variables were made for single questions.
    pub spent: usize,
}

impl Sat {
    /// Tseitin's clauses of all gates.
    pub(super) fn new(circuit: &Circuit, cancel: &Cancel) -> Sat {
        let mut solver = Solver::new(SolverOpts::default(), Clock(cancel.clone()));
        let mut literals: Vec<SatLit> = Vec::with_capacity(circuit.aig.len());
        for node in circuit.aig.nodes() {
            let own = SatLit::new(solver.new_var_default(), true);
            match *node {
                Gate::Constant => {
                    solver.add_clause_reuse(&mut vec![!own]);
                }
                Gate::Input => {}
                Gate::And(a, b) => {
                    let of = |lit: Lit| literals[lit.node()].apply_sign(!lit.is_negated());
                    let (a, b) = (of(a), of(b));
                    solver.add_clause_reuse(&mut vec![!own, a]);
                    solver.add_clause_reuse(&mut vec![!own, b]);
                    solver.add_clause_reuse(&mut vec![own, !a, !b]);
                }
            }
            literals.push(own);
        }
        Sat { solver, literals, cancel: cancel.clone(), spent: 0 }
    }

    /// The literal of the solver for one of the graph.
    pub(super) fn literal(&self, lit: Lit) -> SatLit {
        self.literals[lit.node()].apply_sign(!lit.is_negated())
    }

    /// A new variable.
    pub(super) fn fresh(&mut self) -> SatLit {
        SatLit::new(self.solver.new_var_default(), true)
    }

    pub(super) fn clause(&mut self, literals: impl IntoIterator<Item = SatLit>) {
        let mut clause: Vec<SatLit> = literals.into_iter().collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    /// Whether there is a model of the clauses and the assumptions.
    pub(super) fn ask(&mut self, assumptions: &[SatLit]) -> Result<bool, Stopped> {
        self.cancel.check()?;
        let answer = self.solver.solve_limited(assumptions);
        if answer == lbool::UNDEF {
            self.cancel.check()?;
            return Err(Stopped::Asked);
        }
        Ok(answer == lbool::TRUE)
    }

    /// The same with one more clause that counts for this question only.
    pub(super) fn ask_with(&mut self, clause: Vec<SatLit>, assumptions: &[SatLit]) -> Result<bool, Stopped> {
        let active = self.fresh();
        self.spent += 1;
        self.clause(clause.into_iter().chain([!active]));
        let all: Vec<SatLit> = assumptions.iter().copied().chain([active]).collect();
        self.ask(&all)
    }

    /// After a model: the value of a literal; what the solver did not decide may be anything.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(self.literal(lit)) == lbool::TRUE
    }

    /// After no model: whether an assumption was needed for that.
    pub(super) fn needed(&self, assumption: SatLit) -> bool {
        self.solver.unsat_core_contains_var(assumption.var())
    }
}

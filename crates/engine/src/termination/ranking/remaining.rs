//! What a failed search for measures says. An execution that never ends only takes steps in which no measure decreases that
//! never grows, from some time on (`lexicographic::Choice::Left`). So if a loop has states that no step leaves, one that
//! such a step leads from is a good first guess [GHMRX08]:
//!
//! 1. Take a step that is left, and all simple conditions that hold in front of it.
//! 2. Drop those that do not hold behind some step from states with the others [FL01].
//! 3. If then no step leaves the loop, these states are closed. Conditions that this does not need are dropped, so that
//!    more ways lead into the set.

use super::super::lexicographic::{self, Choice, ask_within};
use super::{Obligation, Ranking, Step, Way};
use crate::facts::FactSource;
use base::{Budget, Cancel};
use cfa::{BinOp, Expr, ExprId, Exprs, Node, Op, Scalar, VarId};
use encode::{Encoder, ask, stop_of};
use flow::{LoopId, Prepared};
use smt::{Answer, Backend, Solver, TermId, Value};
use std::collections::BTreeSet;
use verdict::Stop;

/// States at the head of a loop: where all conditions hold.
pub struct States {
    pub head: Node,
    /// The conditions, and where their expressions live.
    pub conditions: Vec<ExprId>,
    pub exprs: Exprs,
}

/// Steps that a search begins with.
const MOST_STEPS: usize = 4;
/// Variables that conditions are about.
const MOST_VARIABLES: usize = 8;

/// Sets of states that seem to be closed, of loops with these heads. Conditions are about variables that `counts`
/// accepts.
pub fn closed_states(
    program: &Prepared,
    backend: &dyn Backend,
    source: &FactSource,
    (heads, counts): (&[Node], &dyn Fn(VarId) -> bool),
    cancel: &Cancel,
) -> Result<Vec<States>, Stop> {
    let (loops, calls) = (program.loops(), program.calls());
    let mut ranking = Ranking::new(program, (&loops, &calls), backend, cancel)?;
    ranking.facts.push(source(program, cancel)?);
    ranking.supported()?;
    let mut found = Vec::new();
    for obligation in ranking.obligations() {
        let Obligation::Loop(id) = obligation else { continue };
        if heads.contains(&loops.loops[id].head) {
            let limited = cancel.within(Budget::Measure);
            match ranking.remaining(id, counts, &limited) {
                Ok(states) => found.extend(states),
                // One loop is not like another.
                Err(stop) if cancel.is_stopped() => return Err(stop),
                Err(_) => {}
            }
        }
    }
    Ok(found)
}

/// Conditions in front of a step and behind it.
struct Conditions {
    all: Vec<ExprId>,
    before: Vec<TermId>,
    behind: Vec<TermId>,
}

/// A step, and what may be said of states.
struct Search<'s, 'e> {
    encoder: &'s mut Encoder<'e>,
    solver: &'s mut dyn Solver,
    conditions: Conditions,
    /// There is a state in front of a step, and it leads to the head again.
    begins: TermId,
    again: TermId,
    /// Whether all that leaves the loop is seen.
    exact: bool,
    cancel: &'s Cancel,
}

impl Ranking<'_> {
    fn remaining(&self, id: LoopId, counts: &dyn Fn(VarId) -> bool, cancel: &Cancel) -> Result<Option<States>, Stop> {
        let mut walker = self.walker(cancel);
        let Step { mut transitions, states, .. } = self.iteration(&mut walker, id, Way::Each, cancel)?;
        let (Some((start, next)), [only]) = (states, transitions.as_mut_slice()) else { return Ok(None) };
        let encoder = &mut walker.encoder;
        let all = self.simple_conditions(&mut encoder.exprs, id, counts);
        let before = all.iter().map(|&one| encoder.eval(&mut start.clone(), one, 0)).collect();
        let behind = all.iter().map(|&one| encoder.eval(&mut next.clone(), one, 0)).collect();
        let begins = encoder.guards.formula(&mut encoder.terms, start.guard);
        let again = only.guard;
        let mut solver = self.solver(encoder);
        let left = match lexicographic::choose(encoder, &mut *solver, &mut transitions, &mut Vec::new(), cancel)? {
            Choice::Decreasing(_) => return Ok(None),
            Choice::Left(left) => encoder.terms.or(left),
        };
        let conditions = Conditions { all, before, behind };
        let exact = self.is_exact(id);
        let mut search = Search { encoder, solver: &mut *solver, conditions, begins, again, exact, cancel };
        let Some(kept) = search.from(left)? else { return Ok(None) };
        let conditions = kept.into_iter().map(|at| search.conditions.all[at]).collect();
        let head = self.loops.loops[id].head;
        Ok(Some(States { head, conditions, exprs: walker.encoder.exprs.clone() }))
    }

    /// Whether formulas of one iteration say exactly when the loop goes on.
    fn is_exact(&self, id: LoopId) -> bool {
        let inner = self.loops.loops.iter().any(|(_, one)| one.parent == Some(id));
        let reads = |root: ExprId| {
            let mut found = false;
            self.program.exprs.visit(root, |_, node| found |= matches!(node, Expr::Load(_) | Expr::Living(_)));
            found
        };
        let simple = |op: &Op| match op {
            Op::Assume(_) | Op::Assign(..) => !op.operands().any(reads),
            Op::Skip | Op::Havoc(..) => true,
            _ => false,
        };
        !inner && self.ops(id).into_iter().all(simple)
    }

    /// Comparisons that the loop makes, signs and parities of its variables, and how they relate to each other.
    fn simple_conditions(&self, exprs: &mut Exprs, id: LoopId, counts: &dyn Fn(VarId) -> bool) -> Vec<ExprId> {
        let function = self.loops.loops[id].function;
        let here = |var: VarId| counts(var) && self.program.vars[var].function.is_none_or(|owner| owner == function);
        let (mut found, mut vars) = (BTreeSet::new(), BTreeSet::new());
        for op in self.ops(id) {
            for root in op.operands() {
                let (mut simple, mut comparisons) = (true, Vec::new());
                self.program.exprs.visit(root, |id, node| match node {
                    Expr::Binary(BinOp::Lt | BinOp::Le | BinOp::Eq, a, _) if self.program.exprs.ty(a).is_int() => {
                        comparisons.push(id);
                    }
                    Expr::Var(var) if here(var) => {
                        vars.extend(self.program.register(var).filter(|ty| ty.is_int()).map(|ty| (ty, var)));
                    }
                    Expr::Var(_) | Expr::Load(_) | Expr::Living(_) | Expr::Addr(_) => simple = false,
                    _ => {}
                });
                if simple {
                    found.extend(comparisons);
                }
            }
        }
        let vars: Vec<(Scalar, ExprId)> =
            vars.into_iter().take(MOST_VARIABLES).map(|(ty, var)| (ty, exprs.var(var, ty))).collect();
        for (at, &(ty, a)) in vars.iter().enumerate() {
            let (zero, one) = (exprs.int(ty, 0), exprs.int(ty, 1));
            let last = exprs.binary(BinOp::And, a, one);
            found.extend([
                exprs.binary(BinOp::Eq, a, zero),
                exprs.binary(BinOp::Lt, zero, a),
                exprs.binary(BinOp::Eq, last, zero),
            ]);
            for &(_, b) in vars[..at].iter().filter(|(other, _)| *other == ty) {
                found.extend([exprs.binary(BinOp::Eq, a, b), exprs.binary(BinOp::Lt, a, b)]);
            }
        }
        let found: Vec<ExprId> = found.into_iter().filter(|&one| exprs.constant(one).is_none()).collect();
        found.into_iter().flat_map(|one| [one, exprs.not(one)]).collect()
    }
}

impl Search<'_, '_> {
    /// A closed set with a state that one of these steps leaves; the numbers of its conditions.
    fn from(&mut self, mut left: TermId) -> Result<Option<Vec<usize>>, Stop> {
        for _ in 0..MOST_STEPS {
            if ask(self.solver, self.encoder, left, self.cancel)? == Answer::Unsat {
                return Ok(None);
            }
            let every: Vec<usize> = (0..self.conditions.all.len()).collect();
            let first = self.holding(every, Side::Before)?; // 1
            let mut kept = first.clone();
            while let Some(smaller) = self.leaving(&kept)? {
                kept = smaller; // 2
            }
            if !kept.is_empty() && self.stays(&kept)? {
                return self.needed(kept).map(Some); // 3
            }
            let same = self.all(&first, Side::Before);
            let other = self.encoder.terms.not(same);
            left = self.encoder.terms.and([left, other]);
        }
        Ok(None)
    }

    /// Without the conditions that are not needed, one after the other.
    fn needed(&mut self, mut kept: Vec<usize>) -> Result<Vec<usize>, Stop> {
        if !self.exact {
            return Ok(kept);
        }
        for at in (0..kept.len()).rev() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            if !fewer.is_empty() && self.leaving(&fewer)?.is_none() && self.stays(&fewer)? {
                kept = fewer;
            }
        }
        Ok(kept)
    }

    /// Those conditions of a set that hold behind a step that leaves it; `None` if no step does.
    fn leaving(&mut self, kept: &[usize]) -> Result<Option<Vec<usize>>, Stop> {
        let (before, behind) = (self.all(kept, Side::Before), self.all(kept, Side::Behind));
        let outside = self.encoder.terms.not(behind);
        let formula = self.encoder.terms.and([self.again, before, outside]);
        match self.ask(formula)? {
            Answer::Unsat => Ok(None),
            Answer::Sat => self.holding(kept.to_vec(), Side::Behind).map(Some),
        }
    }

    /// Whether the loop goes on in all states of a set.
    fn stays(&mut self, kept: &[usize]) -> Result<bool, Stop> {
        let (before, ends) = (self.all(kept, Side::Before), self.encoder.terms.not(self.again));
        let formula = self.encoder.terms.and([self.begins, before, ends]);
        Ok(!self.exact || self.ask(formula)? == Answer::Unsat)
    }

    fn ask(&mut self, formula: TermId) -> Result<Answer, Stop> {
        let patience = self.cancel.allowed(Budget::MeasureQuestion);
        let answer = ask_within(self.solver, self.encoder, formula, (patience, self.cancel))?;
        answer.ok_or_else(|| Stop::Bound("a question about a set of states takes too long".to_owned()))
    }

    fn side(&self, side: Side) -> &[TermId] {
        match side {
            Side::Before => &self.conditions.before,
            Side::Behind => &self.conditions.behind,
        }
    }

    fn all(&mut self, kept: &[usize], side: Side) -> TermId {
        let terms: Vec<TermId> = kept.iter().map(|&at| self.side(side)[at]).collect();
        self.encoder.terms.and(terms)
    }

    /// Which of these hold in the solver's model.
    fn holding(&mut self, mut conditions: Vec<usize>, side: Side) -> Result<Vec<usize>, Stop> {
        let mut held = Vec::new();
        for at in conditions.drain(..) {
            let value = self.solver.value(&self.encoder.terms, self.side(side)[at]).map_err(stop_of)?;
            held.extend((value == Value::Bool(true)).then_some(at));
        }
        Ok(held)
    }
}

/// Where conditions are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    Behind,
}

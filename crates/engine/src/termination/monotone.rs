//! What any number of iterations of a loop does to a variable: it grows or shrinks, if every single iteration does
//! so or leaves it as it is. Loops around it, which only see the loop as a whole, learn from this that what counts up
//! inside is not smaller than before [CPR06: transition invariants that are their own transitive closure].

use super::lexicographic::ask_briefly;
use base::Cancel;
use cfa::{ExprId, Op, Program, Scalar, VarId};
use encode::{Encoder, PathFormula};
use flow::{LoopId, Loops};
use smt::{Answer, Solver, TermId};
use std::collections::{BTreeMap, BTreeSet};
use verdict::Stop;

/// How a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// It never gets smaller, as the sign of its type says.
    Up,
    /// It never gets larger.
    Down,
}

/// The variables of loops whose direction is known.
pub type Directions = BTreeMap<LoopId, Vec<(VarId, Direction)>>;

/// More variables of one loop are not asked about.
const MOST: usize = 16;

/// The directions of the variables that a loop changes in its own function, from one iteration of it.
pub fn directions(
    (program, loops, id): (&Program, &Loops, LoopId),
    encoder: &mut Encoder,
    (start, next): (&PathFormula, &PathFormula),
    solver: &mut dyn Solver,
    cancel: &Cancel,
) -> Result<Vec<(VarId, Direction)>, Stop> {
    let inside = loops.members(id).iter().flat_map(|&node| program.leaving(node));
    let assigned = inside.filter_map(|edge| match program.edges[edge].op {
        Op::Assign(var, _) => Some(var),
        _ => None,
    });
    let is_number = |var: &VarId| program.register(*var).is_some_and(|ty| ty.is_int() || ty == Scalar::Ptr);
    let vars: BTreeSet<VarId> = assigned.filter(is_number).collect();
    let guard = encoder.guards.formula(&mut encoder.terms, next.guard);
    let mut found = Vec::new();
    for var in vars.into_iter().take(MOST) {
        let value = variable(program, encoder, var);
        let now = encoder.eval(&mut start.clone(), value, 0);
        let then = encoder.eval(&mut next.clone(), value, 0);
        if now == then {
            continue;
        }
        for direction in [Direction::Up, Direction::Down] {
            let goes = order(encoder, program, var, direction, (now, then));
            let not = encoder.terms.not(goes);
            let other = encoder.terms.and([guard, not]);
            if ask_briefly(solver, encoder, other, cancel)? == Some(Answer::Unsat) {
                found.push((var, direction));
                break;
            }
        }
    }
    Ok(found)
}

/// That a variable went in a direction between two of its values.
pub fn order(
    encoder: &mut Encoder,
    program: &Program,
    var: VarId,
    direction: Direction,
    (now, then): (TermId, TermId),
) -> TermId {
    let (small, large) = match direction {
        Direction::Up => (now, then),
        Direction::Down => (then, now),
    };
    if program.register(var).is_some_and(Scalar::is_signed) {
        encoder.terms.bv_sge(large, small)
    } else {
        encoder.terms.bv_uge(large, small)
    }
}

/// A variable as an expression of the encoder.
pub fn variable(program: &Program, encoder: &mut Encoder, var: VarId) -> ExprId {
    let ty = program.register(var).expect("only registers have a direction");
    encoder.exprs.var(var, ty)
}

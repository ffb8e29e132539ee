//! Where an address leaves the flow of data: it is compared with a number, chooses an element of a table or how much is
//! copied. An integer that was put together from what is learned there may be the address again, though it was not
//! computed from it; so objects whose addresses are exposed like that may be reached by every pointer that was made
//! from an integer. Comparing two pointers, or a pointer with null or an error code, exposes nothing, nor do differences
//! of pointers, which say nothing of where an object lies.

use super::definite;
use crate::expr::{BinOp, Expr, ExprId};
use crate::op::{Op, Source};
use crate::program::Program;
use crate::scalar::Scalar;
use base::Id;

/// No object lies in the first or the last page.
pub const PAGE: u128 = 4096;

/// What is known of integers without looking at what they hold.
pub struct Integers {
    /// Registers that hold pointers only, by variable.
    pointers: Vec<bool>,
    /// Registers that hold differences of pointers and constants only.
    differences: Vec<bool>,
}

impl Integers {
    pub fn new(program: &Program) -> Integers {
        Integers { pointers: definite::registers(program), differences: differences(program) }
    }

    /// Whether an integer holds pointers only.
    pub fn is_pointer(&self, program: &Program, id: ExprId) -> bool {
        definite::is_pointer(program, &self.pointers, id)
    }

    /// Whether an operand of a comparison, which may hold an address, tells something about it.
    pub fn exposes(&self, program: &Program, operand: ExprId, other: ExprId) -> bool {
        let exprs = &program.exprs;
        let whole = |id: ExprId| exprs.ty(id) == Scalar::Ptr || self.is_pointer(program, id);
        let harmless = || whole(other) || exprs.constant(other).is_some_and(|bits| is_far(program, other, bits));
        !(whole(operand) && harmless()) && !self.is_difference(program, operand)
    }

    /// Whether an integer is a difference of pointers, perhaps scaled.
    pub fn is_difference(&self, program: &Program, id: ExprId) -> bool {
        is_difference(program, &self.differences, id)
    }
}

/// Whether a number is the address of no object.
fn is_far(program: &Program, id: ExprId, bits: u128) -> bool {
    let pointer_bits = program.model.pointer_bits();
    let last = (1_u128 << pointer_bits) - PAGE;
    bits < PAGE || program.exprs.ty(id).bits(program.model) == pointer_bits && bits >= last
}

fn is_difference(program: &Program, differences: &[bool], mut id: ExprId) -> bool {
    let exprs = &program.exprs;
    let constant = |id: ExprId| exprs.constant(id).is_some();
    let pointer = |id: ExprId| {
        let id = exprs.without_casts(id);
        exprs.ty(id) == Scalar::Ptr && !constant(id)
    };
    loop {
        match exprs.node(id) {
            Expr::Var(var) => return differences[var.index()],
            Expr::Cast(a) if exprs.ty(a).is_int() => id = a,
            Expr::Binary(BinOp::Sub, a, b) if pointer(a) && pointer(b) => return true,
            Expr::Binary(BinOp::Div | BinOp::Mul | BinOp::Shr | BinOp::Add | BinOp::Sub, a, b) if constant(b) => id = a,
            _ => return false,
        }
    }
}

fn differences(program: &Program) -> Vec<bool> {
    /// A chain of assignments longer than this is not followed.
    const ROUNDS: usize = 12;
    let mut found = vec![false; program.vars.len()];
    for (_, edge) in program.edges.iter() {
        if let Op::Assign(var, _) = edge.op {
            found[var.index()] = true;
        }
    }
    for (_, function) in program.functions.iter() {
        for var in function.params.iter().chain(&function.result) {
            found[var.index()] = false;
        }
    }
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (_, edge) in program.edges.iter() {
            let holds = match &edge.op {
                Op::Assign(var, value) => {
                    !found[var.index()]
                        || program.exprs.constant(*value).is_some()
                        || is_difference(program, &found, *value)
                }
                Op::Havoc(_, Source::Uninitialised) => true,
                _ => false,
            };
            if let Some(var) = edge.op.variable().filter(|_| !holds) {
                changed |= std::mem::replace(&mut found[var.index()], false);
            }
        }
        if !changed {
            return found;
        }
    }
    vec![false; program.vars.len()]
}

//! Where an address leaves the flow of data: it is compared with a number, chooses an element of a table or how much is
//! copied. An integer that was put together from what is learned there may be the address again, though it was not
//! computed from it; so objects whose addresses are exposed like that may be reached by every pointer that was made
//! from an integer. Comparing two pointers that were not integers before exposes nothing, nor does comparing a pointer
//! with null or, by order, with numbers that lie far apart, as checks for error codes do; nor do differences of pointers,
//! which say nothing of where an object lies.

use super::definite;
use base::Id;
use cfa::{BinOp, Expr, ExprId, Op, Program, Scalar, Source};

/// No object lies in the first or the last page.
pub const PAGE: u128 = cfa::addresses::PAGE as u128;

/// What is known of integers without looking at what they hold.
pub struct Integers {
    /// Registers that hold pointers only, by variable.
    pointers: Vec<bool>,
    /// Registers that hold differences of pointers and constants only.
    differences: Vec<bool>,
    /// Pointer registers that may hold what was an integer before, as far as assignments tell.
    made: Vec<bool>,
    /// Whether all numbers that pointers are ordered with lie so far apart that no two of them enclose an object.
    sparse: bool,
}

impl Integers {
    pub fn new(program: &Program) -> Integers {
        let pointers = definite::registers(program);
        let sparse = are_sparse(thresholds(program, &pointers));
        let made = made(program, &pointers);
        Integers { pointers, differences: differences(program), made, sparse }
    }

    /// Whether an integer holds pointers only.
    pub fn is_pointer(&self, program: &Program, id: ExprId) -> bool {
        definite::is_pointer(program, &self.pointers, id)
    }

    /// Whether an operand of a comparison, which may hold an address, tells something about it.
    pub fn exposes(&self, program: &Program, op: BinOp, operand: ExprId, other: ExprId) -> bool {
        let whole = |id: ExprId| is_whole(program, &self.pointers, id);
        let harmless = match program.exprs.constant(other) {
            Some(bits) => is_far(program, other, bits) || self.sparse && op != BinOp::Eq,
            None => whole(other) && !is_made(program, &self.pointers, &self.made, other),
        };
        !(whole(operand) && harmless || self.is_difference(program, operand))
    }

    /// Whether an integer is a difference of pointers, perhaps scaled.
    pub fn is_difference(&self, program: &Program, id: ExprId) -> bool {
        is_difference(program, &self.differences, id)
    }
}

/// Whether an expression is a pointer, or an integer that holds pointers only.
fn is_whole(program: &Program, pointers: &[bool], id: ExprId) -> bool {
    program.exprs.ty(id) == Scalar::Ptr || definite::is_pointer(program, pointers, id)
}

/// Whether a pointer was an integer that may be anything.
fn is_made(program: &Program, pointers: &[bool], made: &[bool], mut id: ExprId) -> bool {
    let exprs = &program.exprs;
    loop {
        match exprs.node(id) {
            Expr::Var(var) => return made[var.index()],
            Expr::Binary(BinOp::PtrAdd, a, _) => id = a,
            Expr::Cast(a) if exprs.ty(id) == Scalar::Ptr && exprs.ty(a).is_int() => {
                return exprs.constant(a).is_none() && !definite::is_pointer(program, pointers, a);
            }
            Expr::Cast(a) => id = a,
            _ => return false,
        }
    }
}

fn made(program: &Program, pointers: &[bool]) -> Vec<bool> {
    let mut found = vec![false; program.vars.len()];
    loop {
        let mut changed = false;
        for (_, edge) in program.edges.iter() {
            match edge.op {
                Op::Assign(var, value) if is_made(program, pointers, &found, value) => {
                    changed |= !std::mem::replace(&mut found[var.index()], true);
                }
                _ => {}
            }
        }
        if !changed {
            return found;
        }
    }
}

/// The least numbers beyond those that pointers are ordered with: error codes are told from pointers that way.
fn thresholds(program: &Program, pointers: &[bool]) -> Vec<u128> {
    let exprs = &program.exprs;
    let mut found = Vec::new();
    for at in 0..exprs.len() {
        let Expr::Binary(op @ (BinOp::Lt | BinOp::Le), a, b) = exprs.node(ExprId::new(at)) else { continue };
        for (operand, number, above) in [(a, b, op == BinOp::Le), (b, a, op == BinOp::Lt)] {
            match exprs.constant(number) {
                Some(bits) if !is_far(program, number, bits) && is_whole(program, pointers, operand) => {
                    found.push(bits + u128::from(above));
                }
                Some(_) | None => {}
            }
        }
    }
    found
}

fn are_sparse(mut thresholds: Vec<u128>) -> bool {
    const APART: u128 = 1 << 16;
    thresholds.sort_unstable();
    thresholds.dedup();
    thresholds.windows(2).all(|two| two[1] - two[0] >= APART)
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

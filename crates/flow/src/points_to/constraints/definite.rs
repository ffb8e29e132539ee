//! Which integers hold pointers whenever they hold anything: casts of pointers, sums with such, and registers that
//! get nothing else. Adding an arbitrary integer to one moves the pointer, it does not make another.

use base::Id;
use cfa::{BinOp, Expr, ExprId, Op, Program, Scalar, Source};

/// Registers that hold pointers only, by variable.
pub fn registers(program: &Program) -> Vec<bool> {
    /// A chain of assignments longer than this is not followed.
    const ROUNDS: usize = 12;
    let mut definite = vec![false; program.vars.len()];
    for (_, edge) in program.edges.iter() {
        if let Op::Assign(var, _) = edge.op {
            definite[var.index()] = true;
        }
    }
    for (_, function) in program.functions.iter() {
        for var in function.params.iter().chain(&function.result) {
            definite[var.index()] = false;
        }
    }
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (_, edge) in program.edges.iter() {
            let holds = match &edge.op {
                Op::Assign(var, value) => !definite[var.index()] || is_pointer(program, &definite, *value),
                Op::Havoc(_, Source::Uninitialised) => true,
                _ => false,
            };
            if let Some(var) = edge.op.variable().filter(|_| !holds) {
                changed |= std::mem::replace(&mut definite[var.index()], false);
            }
        }
        if !changed {
            return definite;
        }
    }
    vec![false; program.vars.len()]
}

/// Whether an integer holds pointers only.
pub fn is_pointer(program: &Program, definite: &[bool], mut id: ExprId) -> bool {
    let exprs = &program.exprs;
    loop {
        match exprs.node(id) {
            Expr::Var(var) => return definite[var.index()],
            Expr::Cast(a) if exprs.ty(a) == Scalar::Ptr => return exprs.constant(a).is_none(),
            Expr::Cast(a) if exprs.ty(a).is_int() => id = a,
            Expr::Binary(BinOp::Sub, a, _) => id = a,
            // Chains of sums group to the left.
            Expr::Binary(BinOp::Add, a, b) => match exprs.node(b) {
                Expr::Cast(p) if exprs.ty(p) == Scalar::Ptr => return true,
                Expr::Var(var) if definite[var.index()] => return true,
                _ => id = a,
            },
            _ => return false,
        }
    }
}

//! Guesses about places in memory at the head of a loop, such as `p->n` or `*limit`: how what lies there relates to what the
//! function compares it with or writes there, and which pointers lead to the same place. Pointers that are read through are
//! those that the program itself accesses; outside objects, what is read is arbitrary, so a guess about it is dropped.

use super::candidates::{is_related, relate};
use super::rooms::from_callers;
use cfa::{BinOp, Expr, ExprId, Exprs, FunctionId, Op, Program, Scalar, VarKind};
use std::collections::BTreeSet;

/// Most pairs of values that are related.
const MOST_PAIRS: usize = 24;

/// Whether some condition of the program reads memory.
pub fn are_compared(program: &Program) -> bool {
    program
        .edges
        .iter()
        .any(|(_, edge)| matches!(edge.op, Op::Assume(condition) if reads_memory(&program.exprs, condition)))
}

/// Facts to try at the head of a loop of the function.
pub fn guess(program: &Program, function: FunctionId, exprs: &mut Exprs, facts: &mut Vec<ExprId>) {
    let found = Pairs::new(program, function, exprs);
    if found.values.is_empty() {
        return;
    }
    for &(a, b) in found.values.iter().take(MOST_PAIRS) {
        relate(exprs, a, b, facts);
    }
    for &(a, b) in found.pointers.iter().take(MOST_PAIRS) {
        facts.push(exprs.binary(BinOp::Eq, a, b));
    }
    from_callers(program, function, exprs, facts);
}

/// What is compared, written or assigned.
#[derive(Default)]
struct Pairs {
    /// Numbers, of which one at least lies in memory.
    values: BTreeSet<(ExprId, ExprId)>,
    /// Pointers in registers, and where they may lead.
    pointers: BTreeSet<(ExprId, ExprId)>,
}

impl Pairs {
    fn new(program: &Program, function: FunctionId, exprs: &mut Exprs) -> Pairs {
        let mut found = Pairs::default();
        let edges = program.edges.iter().map(|(_, edge)| edge);
        for edge in edges.filter(|edge| program.nodes[edge.from].function == function) {
            match edge.op {
                Op::Store { to, value } => {
                    let place = exprs.load(to, exprs.ty(value));
                    found.add(exprs, place, value);
                }
                Op::Assign(var, value) if exprs.ty(value) == Scalar::Ptr => {
                    let pointer = exprs.var(var, Scalar::Ptr);
                    found.add(exprs, pointer, value);
                }
                _ => {}
            }
            for operand in edge.op.operands() {
                program.exprs.visit(operand, |_, node| match node {
                    Expr::Binary(op, a, b) if op.is_comparison() => found.add(exprs, a, b),
                    _ => {}
                });
            }
        }
        let known = |value: ExprId| is_visible(program, function, exprs, value);
        found.values.retain(|&(a, b)| known(a) && known(b));
        found.pointers.retain(|&(a, b)| known(a) && known(b));
        found
    }

    /// What is computed from the other value itself tells nothing about where both are in the next round.
    fn add(&mut self, exprs: &Exprs, a: ExprId, b: ExprId) {
        let (mut itself, ty) = (false, exprs.ty(a));
        exprs.visit(b, |id, _| itself |= id == a);
        if itself || ty != exprs.ty(b) {
            return;
        }
        let (reads_a, reads_b) = (reads_memory(exprs, a), reads_memory(exprs, b));
        if ty.is_int() && (reads_a || reads_b) {
            self.values.insert((a, b));
        } else if ty == Scalar::Ptr && !reads_a && !reads_b {
            self.pointers.insert((a, b));
        }
    }
}

fn reads_memory(exprs: &Exprs, root: ExprId) -> bool {
    let mut reads = false;
    exprs.visit(root, |_, node| reads |= matches!(node, Expr::Load(_)));
    reads
}

/// Whether a value is made of variables that mean the same at each visit of the function's loops.
fn is_visible(program: &Program, function: FunctionId, exprs: &Exprs, root: ExprId) -> bool {
    let mut visible = true;
    exprs.visit(root, |id, node| match node {
        Expr::Var(var) => {
            let here = program.vars[var].function.is_none_or(|owner| owner == function);
            let is_pointer = exprs.ty(id) == Scalar::Ptr && program.vars[var].kind != VarKind::Temporary;
            visible &= here && (is_pointer || is_related(program, var));
        }
        Expr::Function(_) | Expr::Living(_) => visible = false,
        Expr::Const { .. } | Expr::Addr(_) | Expr::Load(_) => {}
        Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
    });
    visible
}

//! The executions of a program in which no signed integer overflows: elsewhere they end with an assumption that fails.
//! Integers wrap in Argonaut, but a claim that a program does something should not rely on what C leaves
//! undefined.

use base::{IdVec, Span};
use cfa::{BinOp, Edge, Expr, ExprId, NodeInfo, Op, Program, Scalar, UnOp};
use std::collections::BTreeMap;

/// The program with an assumption in front of each operation that may overflow. Nodes and edges get new ids; choices
/// are made as before.
pub fn without_overflow(program: &Program) -> Program {
    let mut exact = program.clone();
    let mut conditions: BTreeMap<_, ExprId> = BTreeMap::new();
    for (_, edge) in program.edges.iter() {
        for operand in edge.op.operands() {
            let Some(fits) = fits(&mut exact, operand) else { continue };
            let known = conditions.get(&edge.from).copied();
            let all = known.map_or(fits, |known| exact.exprs.binary(BinOp::And, known, fits));
            conditions.insert(edge.from, all);
        }
    }
    let mut edges: Vec<Edge> = program.edges.iter().map(|(_, edge)| edge.clone()).collect();
    for (from, condition) in conditions {
        // Both sides of a branch begin after the assumption.
        let behind = exact.nodes.push(NodeInfo { function: program.nodes[from].function, loop_head: false });
        edges.iter_mut().filter(|edge| edge.from == from).for_each(|edge| edge.from = behind);
        edges.push(Edge { from, to: behind, op: Op::Assume(condition), span: Span::default() });
    }
    assert!(edges.len() >= program.edges.len(), "no edge is lost");
    exact.edges = IdVec::from(edges);
    exact.index();
    exact.assert_valid();
    exact
}

/// That nothing in an expression overflows; `None` if nothing can.
fn fits(program: &mut Program, root: ExprId) -> Option<ExprId> {
    let mut signed: Vec<(ExprId, Expr, u32)> = Vec::new();
    program.exprs.visit(root, |id, node| {
        let arithmetic =
            matches!(node, Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | Expr::Unary(UnOp::Neg, _));
        if let Scalar::Int { bits, signed: true } = program.exprs.ty(id)
            && arithmetic
            && bits <= 64
        {
            signed.push((id, node, u32::from(bits)));
        }
    });
    let exprs = &mut program.exprs;
    let mut all = None;
    for (id, node, bits) in signed {
        let wide = Scalar::int(2 * bits, true);
        let exact = match node {
            Expr::Binary(op, a, b) => {
                let (a, b) = (exprs.cast(a, wide), exprs.cast(b, wide));
                exprs.binary(op, a, b)
            }
            Expr::Unary(op, a) => {
                let a = exprs.cast(a, wide);
                exprs.unary(op, a)
            }
            _ => continue,
        };
        let result = exprs.cast(id, wide);
        let same = exprs.binary(BinOp::Eq, exact, result);
        all = Some(all.map_or(same, |all| exprs.binary(BinOp::And, all, same)));
    }
    all
}

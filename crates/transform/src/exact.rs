//! Signed overflow where it must not matter. Integers wrap in Argonaut, but a claim that a program does something should
//! not rely on what C leaves undefined:
//!
//! - the executions in which no signed integer overflows; elsewhere they end with an assumption that fails;
//! - the executions in which an operation that overflows gives any value, so that wrapping is one of many results.

use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{BinOp, Edge, Expr, ExprId, Exprs, FunctionId, Node, NodeInfo, Op, Program, Scalar, Source, UnOp, VarKind};
use std::collections::BTreeMap;

/// The program with an assumption in front of each operation that may overflow. Nodes and edges get new ids; choices
/// are made as before.
pub fn without_overflow(program: &Program) -> Program {
    let mut exact = program.clone();
    let conditions = conditions(&mut exact);
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

/// The program in which an operation that overflows gives any value. Nodes keep their numbers; edges do not.
pub fn arbitrary_overflow(program: &Program) -> Program {
    let mut free = program.clone();
    for (from, fits) in conditions(&mut free) {
        let leaving: Vec<_> = program.leaving(from).collect();
        let function = program.nodes[from].function;
        let (behind, odd) = (fresh(&mut free, function), fresh(&mut free, function));
        let old: Vec<Edge> = leaving.iter().map(|&edge| program.edges[edge].clone()).collect();
        leaving.iter().for_each(|&edge| free.edges[edge].from = behind);
        let overflows = free.exprs.not(fits);
        let span = old.first().map_or(Span::default(), |edge| edge.span);
        free.edges.push(Edge { from, to: behind, op: Op::Assume(fits), span });
        free.edges.push(Edge { from, to: odd, op: Op::Assume(overflows), span });
        match old.as_slice() {
            [Edge { to, op: Op::Assign(var, _), .. }] => {
                free.edges.push(Edge { from: odd, to: *to, op: Op::Havoc(*var, Source::Uninitialised), span });
            }
            [Edge { op: Op::Assume(_), .. }, ..] => any_side(&mut free, odd, &old),
            others => others.iter().for_each(|edge| with_any_operands(&mut free, odd, edge)),
        }
    }
    free.index();
    flow::find_loops(&mut free);
    free.assert_valid();
    free
}

fn fresh(program: &mut Program, function: FunctionId) -> Node {
    program.nodes.push(NodeInfo { function, loop_head: false })
}

/// A step that gives a new register any value; the node after it.
fn anything(program: &mut Program, from: Node, ty: Scalar) -> (Node, ExprId) {
    let function = program.nodes[from].function;
    let var = add_register(program, "overflow", VarKind::Temporary, Some(function), ty);
    let to = fresh(program, function);
    program.edges.push(Edge { from, to, op: Op::Havoc(var, Source::Uninitialised), span: Span::default() });
    (to, program.exprs.var(var, ty))
}

/// A condition that overflows may hold or not.
fn any_side(program: &mut Program, odd: Node, sides: &[Edge]) {
    let (mut at, choice) = anything(program, odd, Scalar::INT);
    for (number, side) in sides.iter().enumerate() {
        let span = side.span;
        if number + 1 == sides.len() {
            program.edges.push(Edge { from: at, to: side.to, op: Op::Skip, span });
            return;
        }
        let number = program.exprs.int(Scalar::INT, number as i128);
        let this = program.exprs.binary(BinOp::Eq, choice, number);
        let other = program.exprs.not(this);
        let next = fresh(program, program.nodes[at].function);
        program.edges.push(Edge { from: at, to: side.to, op: Op::Assume(this), span });
        program.edges.push(Edge { from: at, to: next, op: Op::Assume(other), span });
        at = next;
    }
}

/// The operation of an edge, where operands that may overflow are anything.
fn with_any_operands(program: &mut Program, odd: Node, edge: &Edge) {
    let mut at = odd;
    let operands: Vec<ExprId> = edge.op.operands().collect();
    let mut replaced: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for operand in operands {
        if !replaced.contains_key(&operand) && fits(program, operand).is_some() {
            let ty = program.exprs.ty(operand);
            let (next, value) = anything(program, at, ty);
            replaced.insert(operand, value);
            at = next;
        }
    }
    let op = edge.op.map_operands(|operand| replaced.get(&operand).copied().unwrap_or(operand));
    program.edges.push(Edge { from: at, to: edge.to, op, span: edge.span });
}

/// By node, that nothing overflows on the edges that leave it.
fn conditions(program: &mut Program) -> BTreeMap<Node, ExprId> {
    let mut conditions: BTreeMap<Node, ExprId> = BTreeMap::new();
    for id in program.edges.ids() {
        let (from, operands) = (program.edges[id].from, program.edges[id].op.operands().collect::<Vec<_>>());
        for operand in operands {
            let Some(fits) = fits(program, operand) else { continue };
            let known = conditions.get(&from).copied();
            let all = match known {
                Some(known) if known != fits => program.exprs.binary(BinOp::And, known, fits),
                _ => fits,
            };
            conditions.insert(from, all);
        }
    }
    conditions
}

/// That nothing in an expression overflows; `None` if nothing can.
pub(crate) fn fits(program: &mut Program, root: ExprId) -> Option<ExprId> {
    let mut signed: Vec<(Expr, u32)> = Vec::new();
    program.exprs.visit(root, |id, node| {
        let arithmetic =
            matches!(node, Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | Expr::Unary(UnOp::Neg, _));
        if let Scalar::Int { bits, signed: true } = program.exprs.ty(id)
            && arithmetic
        {
            signed.push((node, u32::from(bits)));
        }
    });
    let exprs = &mut program.exprs;
    let mut all = None;
    for (node, bits) in signed {
        let inside = if bits <= 64 { fits_twice(exprs, node, bits) } else { fits_widest(exprs, node, bits) };
        if exprs.constant(inside) != Some(1) {
            all = Some(all.map_or(inside, |all| exprs.binary(BinOp::And, all, inside)));
        }
    }
    all
}

/// That an operation fits its type, by one of twice the width, as a range, which intervals can decide.
fn fits_twice(exprs: &mut Exprs, node: Expr, bits: u32) -> ExprId {
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
        other => unreachable!("{other:?} is not arithmetic"),
    };
    let (least, most) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let (least, most) = (exprs.int(wide, least), exprs.int(wide, most));
    let (low, high) = (exprs.binary(BinOp::Le, least, exact), exprs.binary(BinOp::Le, exact, most));
    exprs.binary(BinOp::And, low, high)
}

/// The same for numbers for which there is no wider type: operands of at most half the width for
/// products, and of one bit less for sums.
fn fits_widest(exprs: &mut Exprs, node: Expr, bits: u32) -> ExprId {
    let mut within = |part: ExprId, bits: u32| {
        let ty = exprs.ty(part);
        let (least, most) = (exprs.int(ty, -(1i128 << bits)), exprs.int(ty, (1i128 << bits) - 1));
        let (low, high) = (exprs.binary(BinOp::Le, least, part), exprs.binary(BinOp::Le, part, most));
        exprs.binary(BinOp::And, low, high)
    };
    let (a, b) = match node {
        Expr::Binary(BinOp::Mul, a, b) => (within(a, bits / 2 - 1), within(b, bits / 2 - 1)),
        Expr::Binary(_, a, b) => (within(a, bits - 2), within(b, bits - 2)),
        Expr::Unary(_, a) => return within(a, bits - 2),
        other => unreachable!("{other:?} is not arithmetic"),
    };
    exprs.binary(BinOp::And, a, b)
}

//! Case splits: where an address or a size depends on a register with few possible values that an input chose, the program
//! branches over them, and goes on as before. Executions stay the same, but an analysis that knows values knows the one of
//! the case.
//!
//! Which values a register may have is for the caller to know: executions with another one end there.

use base::{Id, IdVec};
use cfa::{BinOp, Edge, Expr, ExprId, Node, NodeInfo, Op, Program, Scalar, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Where the values of a register are told apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseSplit {
    /// Before the operations that leave this node.
    pub node: Node,
    /// Of an integer type.
    pub register: VarId,
    /// All that it may have there, at least one.
    pub values: Vec<i128>,
}

/// The registers that decide about addresses and sizes, and that inputs or memory decide about, with the nodes before that.
pub fn deciding_registers(program: &Program) -> BTreeSet<(Node, VarId)> {
    let chosen = chosen(program);
    let mut found = BTreeSet::new();
    for (_, edge) in program.edges.iter() {
        let mut add = |root: ExprId| {
            program.exprs.visit(root, |_, node| {
                if let Expr::Var(var) = node
                    && chosen.contains(&var)
                    && program.register(var).is_some_and(Scalar::is_int)
                {
                    found.insert((edge.from, var));
                }
            });
        };
        match edge.op {
            Op::Allocate { size, .. } | Op::Copy { size, .. } | Op::Fill { size, .. } => add(size),
            Op::HavocMemory { size: Some(size), .. } => add(size),
            _ => {}
        }
        for operand in edge.op.operands() {
            let mut offsets = Vec::new();
            program.exprs.visit(operand, |_, node| {
                if let Expr::Binary(BinOp::PtrAdd, _, offset) = node {
                    offsets.push(offset);
                }
            });
            offsets.into_iter().for_each(&mut add);
        }
    }
    found
}

/// Registers whose value depends on an arbitrary one, or on memory.
fn chosen(program: &Program) -> BTreeSet<VarId> {
    let mut chosen = BTreeSet::new();
    loop {
        let before = chosen.len();
        for (_, edge) in program.edges.iter() {
            let depends = |chosen: &BTreeSet<VarId>, root: ExprId| {
                let mut depends = false;
                program.exprs.visit(root, |_, node| match node {
                    Expr::Load(_) => depends = true,
                    Expr::Var(var) => depends |= chosen.contains(&var),
                    _ => {}
                });
                depends
            };
            let function = &program.functions[program.nodes[edge.from].function];
            match &edge.op {
                Op::Havoc(var, _) => chosen.extend([*var]),
                Op::Assign(var, value) if depends(&chosen, *value) => chosen.extend([*var]),
                Op::Return(Some(value)) if depends(&chosen, *value) => chosen.extend(function.result),
                Op::Call { function, args, result } => {
                    let callee = &program.functions[*function];
                    let params = callee.params.iter().zip(args).filter(|(_, arg)| depends(&chosen, **arg));
                    let params: Vec<VarId> = params.map(|(param, _)| *param).collect();
                    chosen.extend(params);
                    if callee.result.is_some_and(|returned| chosen.contains(&returned)) {
                        chosen.extend(*result);
                    }
                }
                Op::Library { result, .. } => chosen.extend(*result),
                _ => {}
            }
        }
        if chosen.len() == before {
            return chosen;
        }
    }
}

/// The program with these case splits. Nodes, variables and expressions keep their ids; edges get new ones.
pub fn split_cases(source: &Program, cases: &[CaseSplit]) -> Program {
    assert!(source.termination.is_none(), "watches are about the edges of the source");
    let mut program = source.clone();
    let mut new: Vec<Edge> = Vec::new();
    // Where the operations of a node leave now.
    let mut last: BTreeMap<Node, Node> = BTreeMap::new();
    for CaseSplit { node, register, values } in cases {
        assert!(node.index() < source.nodes.len() && !values.is_empty(), "a place and its values");
        let ty = program.register(*register).expect("a register");
        let span = source.leaving(*node).next().map(|edge| source.edges[edge].span).unwrap_or_default();
        let function = program.nodes[*node].function;
        let fresh = |program: &mut Program| program.nodes.push(NodeInfo { function, loop_head: false });
        let mut at = last.get(node).copied().unwrap_or(*node);
        let joined = fresh(&mut program);
        for &value in values {
            let (register, value) = (program.exprs.var(*register, ty), program.exprs.int(ty, value));
            let this = program.exprs.binary(BinOp::Eq, register, value);
            let other = program.exprs.not(this);
            let next = fresh(&mut program);
            new.push(Edge { from: at, to: joined, op: Op::Assume(this), span });
            new.push(Edge { from: at, to: next, op: Op::Assume(other), span });
            at = next;
        }
        let end = fresh(&mut program);
        new.push(Edge { from: at, to: end, op: Op::Halt(None), span });
        last.insert(*node, joined);
    }
    let moved = source.edges.iter().map(|(_, edge)| {
        let from = last.get(&edge.from).copied().unwrap_or(edge.from);
        Edge { from, ..edge.clone() }
    });
    new.extend(moved);
    program.edges = IdVec::from(new);
    program.index();
    flow::find_loops(&mut program);
    program.assert_valid();
    program
}

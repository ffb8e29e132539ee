//! Passes over the automata against the interpreter: what a pass claims must hold in a run, and what it changes must
//! not change the run.

use crate::program::{lower, run_program};
use crate::{csmith, gcc};
use base::Span;
use cfa::Outside;
use cfa::{BinOp, DataModel, Edge, Expr, ExprId, NodeInfo, Op, Program, Storage, VarId, VarKind};
use flow::PointsTo;
use flow::points_to::{ObjectKind, Offset, PointsToSet};
use semantics::interpreter::RunEnd;

/// Runs a preprocessed program as it is and after the passes; `Err` says what differs.
pub fn check(text: &str, model: DataModel) -> Result<(), String> {
    let program = lower(text, model)?;
    let expected = outcome(&program);
    let mut prepared = program.clone();
    let points_to = PointsTo::new(&prepared);
    transform::resolve_pointer_calls(&mut prepared, &points_to, Outside::Writes);
    transform::remove_dead(&mut prepared);
    flow::find_loops(&mut prepared);
    same("pointer calls and dead code", &expected, &outcome(&prepared))?;
    let points_to = PointsTo::new(&prepared);
    let watched = watch(&prepared, &points_to);
    same("points-to", &expected, &outcome(&watched))
}

/// The check on a random program.
pub fn check_csmith(seed: u64, model: DataModel) -> Result<(), String> {
    let text = csmith::generate(seed)?;
    check(&gcc::preprocess(&text, model, &["-I/usr/include/csmith"])?, model)
}

fn outcome(program: &Program) -> (RunEnd, String) {
    let mut output = Vec::new();
    let run = run_program(program, &mut output);
    (run.outcome, String::from_utf8_lossy(&output).into_owned())
}

fn same(what: &str, expected: &(RunEnd, String), found: &(RunEnd, String)) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{what}: {:?} became {:?}", expected.0, found.0)) }
}

/// The program with a check before every access through a pointer: one that leads into a global where the analysis
/// says it cannot is `Unsupported`.
fn watch(program: &Program, points_to: &PointsTo) -> Program {
    let mut watched = program.clone();
    let globals: Vec<(VarId, u64)> = program
        .vars
        .iter()
        .filter(|(_, var)| var.function.is_none() && var.kind != VarKind::Literal)
        .filter_map(|(id, var)| match var.storage {
            Storage::Memory { size, .. } => Some((id, size)),
            Storage::Register(_) => None,
        })
        .collect();
    let mut edges = Vec::new();
    for node in program.nodes.ids() {
        let mut from = node;
        let mut pointers = Vec::new();
        for edge in program.leaving(node) {
            accessed(program, &program.edges[edge].op, &mut pointers);
        }
        pointers.sort_unstable();
        pointers.dedup();
        for pointer in pointers {
            let targets = points_to.targets(pointer);
            if targets.unknown || !points_to.knows(pointer) {
                continue;
            }
            let function = program.nodes[node].function;
            let mut fresh = || watched.nodes.push(NodeInfo { function, loop_head: false });
            let (wrong, next) = (fresh(), fresh());
            let condition = stray(&mut watched, points_to, &targets, pointer, &globals);
            let fine = watched.exprs.not(condition);
            let what = watched.names.intern("a pointer leads where it must not");
            let span = Span::default();
            edges.push(Edge { from, to: wrong, op: Op::Assume(condition), span });
            edges.push(Edge { from, to: next, op: Op::Assume(fine), span });
            edges.push(Edge { from: wrong, to: next, op: Op::Unsupported(what), span });
            from = next;
        }
        edges.extend(program.leaving(node).map(|edge| Edge { from, ..program.edges[edge].clone() }));
    }
    watched.edges = edges.into();
    watched.index();
    watched.assert_valid();
    watched
}

/// The pointers through which an operation reads or writes.
fn accessed(program: &Program, op: &Op, pointers: &mut Vec<ExprId>) {
    for operand in op.operands() {
        program.exprs.visit(operand, |_, expr| {
            if let Expr::Load(pointer) = expr {
                pointers.push(pointer);
            }
        });
    }
    match op {
        Op::Store { to, .. } | Op::Fill { to, .. } => pointers.push(*to),
        Op::Copy { to, from, .. } => pointers.extend([*to, *from]),
        _ => {}
    }
}

/// Whether the pointer points into a global at an offset that is not among the targets.
fn stray(
    program: &mut Program,
    points_to: &PointsTo,
    targets: &PointsToSet,
    pointer: ExprId,
    globals: &[(VarId, u64)],
) -> ExprId {
    let word = program.model.size_type();
    let exprs = &mut program.exprs;
    let address = exprs.cast(pointer, word);
    let mut wrong = exprs.bool(false);
    for &(global, size) in globals {
        let base = exprs.addr(global);
        let base = exprs.cast(base, word);
        let offset = exprs.binary(BinOp::Sub, address, base);
        let size = exprs.int(word, i128::from(size));
        let mut bad = exprs.binary(BinOp::Lt, offset, size);
        for place in &targets.places {
            if points_to.objects[place.object].kind == ObjectKind::Variable(global) {
                let Offset { start, stride } = place.offset;
                let start = exprs.int(word, i128::from(start));
                let rest = match stride {
                    0 => offset,
                    stride => {
                        let stride = exprs.int(word, i128::from(stride));
                        exprs.binary(BinOp::Rem, offset, stride)
                    }
                };
                let allowed = exprs.binary(BinOp::Eq, rest, start);
                let differs = exprs.not(allowed);
                bad = exprs.binary(BinOp::And, bad, differs);
            }
        }
        wrong = exprs.binary(BinOp::Or, wrong, bad);
    }
    wrong
}

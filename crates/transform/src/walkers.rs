//! Pointers that walk: `*p++` in a loop. Where checks ask for the room at such a pointer, it is split into where it
//! started and how far it is from there, two registers more, so that analyses have an offset to reason about, and
//! an object that stays the same:
//!
//! - after `p = p + e`: the offset grows by `e`;
//! - after `p = q + e` of another one that walks: its start, its offset and `e`;
//! - after anything else that sets `p`: it starts there.
//!
//! Always `p == start + offset`, also as to the object that it belongs to, so the room at `start + (offset + e)` is that
//! at `p + e`.

use base::Id;
use cfa::types::{IntKind, Type};
use cfa::{
    BinOp, Edge, EdgeId, Expr, ExprId, Living, Node, NodeInfo, Op, Program, Scalar, Storage, VarId, VarKind, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A pointer that walks: where it started, and how far it is from there.
#[derive(Clone, Copy)]
struct Walker {
    start: VarId,
    offset: VarId,
}

/// Splits the pointers that walk in loops and that checks ask about. The program must be indexed, and is again.
pub(crate) fn split(program: &mut Program) {
    let found = found(program);
    if found.is_empty() {
        return;
    }
    let walkers: FxHashMap<VarId, Walker> = found.into_iter().map(|var| (var, new_registers(program, var))).collect();
    let edges: Vec<EdgeId> = program.edges.ids().collect();
    let questions = questions(program, &walkers);
    for id in edges {
        let mut known = questions.clone();
        let Program { edges, exprs, .. } = &mut *program;
        if let Op::Assume(condition) = edges[id].op {
            edges[id].op = Op::Assume(exprs.substitute(condition, &mut known));
        }
        let set = program.edges[id].op.variable().filter(|var| walkers.contains_key(var));
        if let Some(var) = set {
            follow(program, id, var, &walkers);
        }
    }
    let is_param = |var: &VarId| program.vars[*var].kind == VarKind::Parameter;
    let mut params: Vec<VarId> = walkers.keys().copied().filter(is_param).collect();
    params.sort_unstable();
    for var in params {
        begin(program, var, walkers[&var]);
    }
    program.index();
}

/// Pointers in registers of functions that some loop moves, and whose room is asked for.
fn found(program: &Program) -> Vec<VarId> {
    let mut asked: FxHashSet<VarId> = FxHashSet::default();
    for id in program.exprs.ids() {
        if let Expr::Living(Living::Room(pointer)) = program.exprs.node(id)
            && let Expr::Var(var) = program.exprs.node(program.exprs.root(pointer))
            && program.vars[var].function.is_some()
        {
            asked.insert(var);
        }
    }
    let loops = flow::Loops::new(program);
    let in_loop = |node: Node| loops.loops.ids().any(|id| loops.contains(id, node));
    let mut walking: Vec<VarId> = program
        .edges
        .iter()
        .filter_map(|(_, edge)| match edge.op {
            Op::Assign(var, value) if asked.contains(&var) && steps(program, var, value) => Some((var, edge.from)),
            _ => None,
        })
        .filter(|(_, from)| in_loop(*from))
        .map(|(var, _)| var)
        .collect();
    walking.sort_unstable();
    walking.dedup();
    walking
}

fn steps(program: &Program, var: VarId, value: ExprId) -> bool {
    matches!(program.exprs.node(value), Expr::Binary(BinOp::PtrAdd, ..))
        && program.exprs.node(program.exprs.root(value)) == Expr::Var(var)
}

fn new_registers(program: &mut Program, var: VarId) -> Walker {
    let ty = program.vars[var].ty;
    let word = if program.model.pointer_bits() == 32 { IntKind::Int } else { IntKind::Long };
    let word = program.types.intern(Type::Int(word));
    let offset = program.model.offset_type();
    let start = new_register(program, var, "start", ty, Scalar::Ptr);
    Walker { start, offset: new_register(program, var, "offset", word, offset) }
}

fn new_register(program: &mut Program, of: VarId, what: &str, ty: cfa::types::TypeId, scalar: Scalar) -> VarId {
    let Variable { function, span, name, .. } = program.vars[of];
    let name = format!("{}${what}", program.text(name));
    let name = program.names.intern(&name);
    let (kind, storage) = (VarKind::Temporary, Storage::Register(scalar));
    let var = program.vars.push(Variable { name, function, kind, ty, storage, init: Box::default(), span });
    let function = function.expect("only locals walk");
    program.functions[function].locals.push(var);
    var
}

/// For each question about a pointer that walks the one about its start and offset.
fn questions(program: &mut Program, walkers: &FxHashMap<VarId, Walker>) -> FxHashMap<ExprId, ExprId> {
    let mut known = FxHashMap::default();
    for at in 0..program.exprs.len() {
        let id = ExprId::new(at);
        let Expr::Living(Living::Room(pointer)) = program.exprs.node(id) else { continue };
        let Expr::Var(var) = program.exprs.node(program.exprs.root(pointer)) else { continue };
        let Some(&walker) = walkers.get(&var) else { continue };
        let (start, offset) = place(program, pointer, walker);
        let pointer = program.exprs.binary(BinOp::PtrAdd, start, offset);
        let question = program.exprs.living(Living::Room(pointer));
        known.insert(id, question);
    }
    known
}

/// Start and offset of a sum that begins with the walking pointer.
fn place(program: &mut Program, pointer: ExprId, walker: Walker) -> (ExprId, ExprId) {
    let mut added = Vec::new();
    let mut at = pointer;
    while let Expr::Binary(BinOp::PtrAdd, base, by) = program.exprs.node(at) {
        added.push(by);
        at = base;
    }
    let exprs = &mut program.exprs;
    let word = exprs.model().offset_type();
    let mut offset = exprs.var(walker.offset, word);
    for by in added.into_iter().rev() {
        let by = exprs.cast(by, word);
        offset = exprs.binary(BinOp::Add, offset, by);
    }
    (exprs.var(walker.start, Scalar::Ptr), offset)
}

/// Where an edge sets a walking pointer, start and offset are set, too: before, if they are computed from the old ones.
fn follow(program: &mut Program, id: EdgeId, var: VarId, walkers: &FxHashMap<VarId, Walker>) {
    let walker = walkers[&var];
    let origin = match program.edges[id].op {
        Op::Assign(_, value) => match program.exprs.node(program.exprs.root(value)) {
            Expr::Var(other) => walkers.get(&other).map(|&other| (other, place(program, value, other))),
            _ => None,
        },
        _ => None,
    };
    let Edge { from, to, span, .. } = program.edges[id];
    let mut sets = Vec::new();
    match origin {
        Some((other, (start, offset))) => {
            sets.push(Op::Assign(walker.offset, offset));
            sets.extend((other.start != walker.start).then_some(Op::Assign(walker.start, start)));
        }
        None => {
            sets.push(Op::Assign(walker.offset, program.exprs.int(program.model.offset_type(), 0)));
            sets.push(Op::Assign(walker.start, program.exprs.var(var, Scalar::Ptr)));
        }
    }
    let (mut at, after) = if origin.is_some() { (from, None) } else { (new_node(program, to), Some(to)) };
    if after.is_some() {
        program.edges[id].to = at;
    }
    let count = sets.len();
    for (number, op) in sets.into_iter().enumerate() {
        let next = after.filter(|_| number + 1 == count).unwrap_or_else(|| new_node(program, to));
        program.edges.push(Edge { from: at, to: next, op, span });
        at = next;
    }
    if after.is_none() {
        program.edges[id].from = at;
    }
}

fn new_node(program: &mut Program, like: Node) -> Node {
    let function = program.nodes[like].function;
    program.nodes.push(NodeInfo { function, loop_head: false })
}

/// A parameter starts where the function begins.
fn begin(program: &mut Program, var: VarId, walker: Walker) {
    let function = program.vars[var].function.expect("only locals walk");
    let old = program.functions[function].entry;
    let nodes = [0; 2].map(|_| new_node(program, old));
    let (start, zero) = (program.exprs.var(var, Scalar::Ptr), program.exprs.int(program.model.offset_type(), 0));
    let span = program.vars[var].span;
    program.edges.push(Edge { from: nodes[0], to: nodes[1], op: Op::Assign(walker.offset, zero), span });
    program.edges.push(Edge { from: nodes[1], to: old, op: Op::Assign(walker.start, start), span });
    program.functions[function].entry = nodes[0];
}

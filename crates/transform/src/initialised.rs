//! Checks that registers are written before they are read. A data-flow analysis finds the reads that may come first; the
//! variables they read get a register of their own that says whether they were written in this activation, and each such
//! read a branch to a target. Reads that no path reaches without a write need nothing.
//!
//! Objects in memory are not looked at here: lowering asks about them where they are read (`Living::Written`).

use crate::memory_checks::{Need, insert};
use cfa::{
    BinOp, Check, Checks, Edge, EdgeId, Expr, FunctionId, Node, NodeInfo, Op, Program, Scalar, Source, Storage, VarId,
    VarKind, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the checks if they are wanted. Edges get new ids; loop heads are not known yet.
pub fn check_initialised(program: &mut Program, wanted: Checks) {
    if !wanted.has(Check::Uninitialised) {
        return;
    }
    let (reads, settled) = early_reads(program);
    program.checks.made += settled;
    program.checks.constant += settled;
    if reads.is_empty() {
        return;
    }
    let watched: FxHashSet<VarId> = reads.iter().map(|read| read.var).collect();
    let (flags, moved) = watch(program, watched);
    let mut needs: FxHashMap<Node, Vec<Need>> = FxHashMap::default();
    for Read { node, var, edge } in reads {
        let exprs = &mut program.exprs;
        let (flag, zero) = (exprs.var(flags[&var], Scalar::BYTE), exprs.int(Scalar::BYTE, 0));
        let violated = exprs.binary(BinOp::Eq, flag, zero);
        let ty = program.register(var).expect("only registers are watched");
        let values = [Some(program.exprs.var(var, ty)), None];
        let span = program.edges[edge].span;
        let node = moved.get(&node).copied().unwrap_or(node);
        needs.entry(node).or_default().push(Need { violated, kind: Check::Uninitialised, span, values });
        program.checks.made += 1;
    }
    let mut nodes: Vec<Node> = needs.keys().copied().collect();
    nodes.sort_unstable();
    program.index();
    for node in nodes {
        let leaving: Vec<EdgeId> = program.leaving(node).collect();
        insert(program, node, leaving, &needs[&node]);
    }
    program.index();
    program.assert_valid();
}

/// A variable that may be read at a node before it is written, by an edge.
struct Read {
    node: Node,
    var: VarId,
    edge: EdgeId,
}

/// Whether what an operation does to a variable counts as writing it.
fn writes(op: &Op) -> Option<(VarId, bool)> {
    match op {
        Op::Havoc(var, Source::Uninitialised | Source::Indeterminate) => Some((*var, false)),
        Op::Declare(_) | Op::Init(_) => None,
        _ => op.variable().map(|var| (var, true)),
    }
}

/// Locals of the program that are registers. Parameters hold their arguments, temporaries what was computed.
fn is_local(program: &Program, var: VarId) -> bool {
    program.vars[var].kind == VarKind::Local && program.register(var).is_some()
}

/// Every read that some path reaches without a write: forward, the sets of variables that may not have been written, one
/// bit each, until they no longer grow. And how many other reads of such variables there are.
fn early_reads(program: &Program) -> (Vec<Read>, u32) {
    let mut bits: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut unwritten: FxHashMap<Node, Vec<u64>> = FxHashMap::default();
    let mut stack = Vec::new();
    for (_, function) in program.functions.iter() {
        let locals = function.locals.iter().copied().filter(|&var| is_local(program, var));
        let count = locals.enumerate().map(|(at, var)| bits.insert(var, at)).count();
        unwritten.insert(function.entry, vec![u64::MAX; count.div_ceil(64)]);
        stack.push(function.entry);
    }
    while let Some(node) = stack.pop() {
        let here = unwritten[&node].clone();
        for id in program.leaving(node) {
            let edge = &program.edges[id];
            let mut after = here.clone();
            if let Some((var, written)) = writes(&edge.op)
                && let Some(&at) = bits.get(&var)
            {
                let bit = 1 << (at % 64);
                if written { after[at / 64] &= !bit } else { after[at / 64] |= bit }
            }
            let mut grows = !unwritten.contains_key(&edge.to);
            let there = unwritten.entry(edge.to).or_insert_with(|| vec![0; after.len()]);
            for (word, more) in there.iter_mut().zip(after) {
                grows |= *word | more != *word;
                *word |= more;
            }
            if grows {
                stack.push(edge.to);
            }
        }
    }
    let (mut reads, mut settled) = (Vec::new(), 0);
    let mut seen = FxHashSet::default();
    for (id, edge) in program.edges.iter() {
        let Some(unwritten) = unwritten.get(&edge.from) else { continue };
        if is_proper(program, edge) {
            continue;
        }
        let may_be_first = |var: VarId| bits.get(&var).is_some_and(|at| unwritten[at / 64] >> (at % 64) & 1 == 1);
        for operand in edge.op.operands() {
            program.exprs.visit(operand, |_, node| {
                let Expr::Var(var) = node else { return };
                if !bits.contains_key(&var) || !seen.insert((edge.from, var)) {
                    return;
                }
                if may_be_first(var) {
                    reads.push(Read { node: edge.from, var, edge: id });
                } else {
                    settled += 1;
                }
            });
        }
    }
    (reads, settled)
}

/// Whether an edge says that an arbitrary `_Bool` is 0 or 1, which is no read of the program.
fn is_proper(program: &Program, edge: &Edge) -> bool {
    let Op::Assume(condition) = edge.op else { return false };
    let Expr::Binary(BinOp::Le, value, one) = program.exprs.node(condition) else { return false };
    let declared = |id: &EdgeId| match program.edges[*id].op {
        Op::Havoc(var, Source::Uninitialised) => program.exprs.node(value) == Expr::Var(var),
        _ => false,
    };
    let is_byte = program.exprs.ty(value) == Scalar::BYTE && program.exprs.integer(one) == Some(1);
    is_byte && program.entering(edge.from).iter().all(declared)
}

/// Gives every variable a register that says whether it was written, and keeps it up to date. Says where functions do
/// now what they did at their entry.
fn watch(program: &mut Program, vars: FxHashSet<VarId>) -> (FxHashMap<VarId, VarId>, FxHashMap<Node, Node>) {
    let mut vars: Vec<VarId> = vars.into_iter().collect();
    vars.sort_unstable();
    let mut flags = FxHashMap::default();
    let mut starting: FxHashMap<FunctionId, Vec<VarId>> = FxHashMap::default();
    for var in vars {
        let variable = &program.vars[var];
        let function = variable.function.expect("locals belong to functions");
        let name = format!("{}$written", program.text(variable.name));
        let (ty, span) = (variable.ty, variable.span);
        let flag = program.vars.push(Variable {
            name: program.names.intern(&name),
            function: Some(function),
            kind: VarKind::Temporary,
            ty,
            storage: Storage::Register(Scalar::BYTE),
            init: Default::default(),
            span,
        });
        program.functions[function].locals.push(flag);
        flags.insert(var, flag);
        starting.entry(function).or_default().push(flag);
    }
    let edges: Vec<EdgeId> = program.edges.ids().collect();
    for id in edges {
        if let Some((var, written)) = writes(&program.edges[id].op)
            && let Some(&flag) = flags.get(&var)
        {
            let Edge { from, to, span, .. } = program.edges[id];
            let middle = program.nodes.push(NodeInfo { function: program.nodes[from].function, loop_head: false });
            let value = program.exprs.int(Scalar::BYTE, written.into());
            program.edges[id].to = middle;
            program.edges.push(Edge { from: middle, to, op: Op::Assign(flag, value), span });
        }
    }
    let mut functions: Vec<(FunctionId, Vec<VarId>)> = starting.into_iter().collect();
    functions.sort_unstable();
    let moved = functions.into_iter().map(|(function, flags)| begin(program, function, &flags)).collect();
    (flags, moved)
}

/// When a function starts, nothing was written. Gives its entry and where it goes on.
fn begin(program: &mut Program, function: FunctionId, flags: &[VarId]) -> (Node, Node) {
    let (entry, span) = (program.functions[function].entry, program.functions[function].span);
    let first = program.nodes.push(NodeInfo { function, loop_head: false });
    for (_, edge) in program.edges.iter_mut() {
        if edge.from == entry {
            edge.from = first;
        }
        // Jumps back to the first statement do not start the function again.
        if edge.to == entry {
            edge.to = first;
        }
    }
    let zero = program.exprs.int(Scalar::BYTE, 0);
    let mut at = entry;
    for (nth, &flag) in flags.iter().enumerate() {
        let last = nth + 1 == flags.len();
        let next = if last { first } else { program.nodes.push(NodeInfo { function, loop_head: false }) };
        program.edges.push(Edge { from: at, to: next, op: Op::Assign(flag, zero), span });
        at = next;
    }
    (entry, first)
}

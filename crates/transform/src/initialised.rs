//! Checks that registers are written before they are read. A data-flow analysis finds the reads that may come first; the
//! variables they read get a register of their own that says whether they were written in this activation, and each such
//! read a branch to a target. Reads that no path reaches without a write need nothing.
//!
//! About objects in memory lowering asks where they are read (`Living::Written`); here those checks go that read a local by
//! its name where all of it was written on every path, or a static variable, and nothing was copied over it that may not
//! have been (`flow::spoiled`).

use crate::memory_checks::{Need, insert};
use base::{IdVec, Span};
use cfa::{
    BinOp, Check, Checks, Edge, EdgeId, Expr, ExprId, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar,
    Source, Storage, Target, VarId, VarKind, Variable,
};
use flow::spoiled::{Spoiled, is_static};
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the checks if they are wanted, and drops those of memory that is always written before. Edges get new ids; loop heads
/// are not known yet.
pub fn check_initialised(program: &mut Program, wanted: Checks) {
    if !wanted.has(Check::Uninitialised) {
        return;
    }
    let spoiled = Spoiled::new(program);
    let unwritten = Unwritten::new(program, &spoiled);
    let (reads, settled) = unwritten.reads(program);
    let held = unwritten.held(program, &spoiled);
    program.checks.made += settled;
    program.checks.constant += settled + held.len() as u32;
    program
        .settled
        .extend(program.targets.iter().filter(|target| held.contains(&target.node)).map(|target| target.span));
    drop_targets(program, &held);
    if reads.is_empty() {
        return;
    }
    let watched: FxHashSet<VarId> = reads.iter().map(|read| read.var).collect();
    let (flags, moved) = watch(program, watched, &spoiled);
    let mut needs: FxHashMap<Node, Vec<Need>> = FxHashMap::default();
    for Read { node, var, span } in reads {
        let exprs = &mut program.exprs;
        let (flag, zero) = (exprs.var(flags[&var], Scalar::BYTE), exprs.int(Scalar::BYTE, 0));
        let violated = exprs.binary(BinOp::Eq, flag, zero);
        let ty = program.register(var).expect("only registers are watched");
        let values = [Some(program.exprs.var(var, ty)), None];
        let node = moved.get(&node).copied().unwrap_or(node);
        needs.entry(node).or_default().push(Need { violated, kind: Check::Uninitialised, span, values, symbol: "" });
        program.checks.made += 1;
    }
    let mut nodes: Vec<Node> = needs.keys().copied().collect();
    nodes.sort_unstable();
    assert!(nodes.iter().all(|node| (node.0 as usize) < program.nodes.len()), "checks stand at nodes");
    program.index();
    for node in nodes {
        let leaving: Vec<EdgeId> = program.leaving(node).collect();
        insert(program, node, leaving, &needs[&node]);
    }
    program.index();
    program.assert_valid();
}

/// Removes targets, which are never reached or not asked about, and the branches to them.
pub(crate) fn drop_targets(program: &mut Program, held: &FxHashSet<Node>) {
    if held.is_empty() {
        return;
    }
    program.targets.retain(|target| !held.contains(&target.node));
    let edges: Vec<Edge> = std::mem::take(&mut program.edges).into_iter().collect();
    let branches: FxHashSet<Node> = edges.iter().filter(|edge| held.contains(&edge.to)).map(|edge| edge.from).collect();
    let kept = edges.into_iter().filter(|edge| !held.contains(&edge.to)).map(|mut edge| {
        if branches.contains(&edge.from) && matches!(edge.op, Op::Assume(_)) {
            edge.op = Op::Skip;
        }
        edge
    });
    program.edges = IdVec::from(kept.collect::<Vec<Edge>>());
    program.index();
}

/// A variable that may be read at a node before it is written.
struct Read {
    node: Node,
    var: VarId,
    span: Span,
}

/// Whether what an operation does to a variable counts as writing it, all of it.
fn writes(program: &Program, spoiled: &Spoiled, op: &Op) -> Option<(VarId, bool)> {
    let named = |pointer: ExprId| match program.exprs.node(pointer) {
        Expr::Addr(var) => Some(var),
        _ => None,
    };
    let whole = |pointer: ExprId, bytes: Option<u128>| {
        let var = named(pointer)?;
        let Storage::Memory { size, .. } = program.vars[var].storage else { return None };
        (bytes == Some(size.into())).then_some((var, true))
    };
    let constant = |size: ExprId| program.exprs.constant(size);
    match *op {
        Op::Havoc(var, Source::Uninitialised | Source::Indeterminate) | Op::Declare(var) => Some((var, false)),
        Op::Store { to, value } => whole(to, Some(program.exprs.ty(value).bytes(program.model).into())),
        Op::Fill { to, size, .. } => whole(to, constant(size)),
        Op::Copy { to, from, size } if spoiled.is_written(program, from) => whole(to, constant(size)),
        // What was not written is not written where it was copied to either.
        Op::Copy { to, .. } | Op::HavocMemory { to, source: Source::Uninitialised | Source::Indeterminate, .. } => {
            named(program.exprs.root(to)).map(|var| (var, false))
        }
        Op::End(pointer) => named(pointer).map(|var| (var, false)),
        Op::Init(_) => None,
        _ => op.variable().map(|var| (var, true)),
    }
}

/// Where locals of the program may not have been written: forward, sets of one bit for each, until they no longer grow.
/// Parameters hold their arguments, temporaries what was computed.
struct Unwritten {
    bits: FxHashMap<VarId, usize>,
    at: FxHashMap<Node, Vec<u64>>,
}

impl Unwritten {
    fn new(program: &Program, spoiled: &Spoiled) -> Unwritten {
        let mut found = Unwritten { bits: FxHashMap::default(), at: FxHashMap::default() };
        let mut stack = Vec::new();
        // Models of library functions say "anything" by a variable that was never set.
        for (_, function) in program.functions.iter().filter(|(_, one)| one.kind == FunctionKind::Defined) {
            let locals = function.locals.iter().filter(|&&var| program.vars[var].kind == VarKind::Local);
            let count = locals.enumerate().map(|(at, &var)| found.bits.insert(var, at)).count();
            found.at.insert(function.entry, vec![u64::MAX; count.div_ceil(64)]);
            stack.push(function.entry);
        }
        while let Some(node) = stack.pop() {
            let here = found.at[&node].clone();
            for id in program.leaving(node) {
                let edge = &program.edges[id];
                let mut after = here.clone();
                if let Some((var, written)) = writes(program, spoiled, &edge.op)
                    && let Some(&at) = found.bits.get(&var)
                {
                    let bit = 1 << (at % 64);
                    if written { after[at / 64] &= !bit } else { after[at / 64] |= bit }
                }
                let mut grows = !found.at.contains_key(&edge.to);
                let there = found.at.entry(edge.to).or_insert_with(|| vec![0; after.len()]);
                for (word, more) in there.iter_mut().zip(after) {
                    grows |= *word | more != *word;
                    *word |= more;
                }
                if grows {
                    stack.push(edge.to);
                }
            }
        }
        found
    }

    /// Whether a local may not have been written at a node; `None` for other variables and nodes that no path leads to.
    fn may_be(&self, node: Node, var: VarId) -> Option<bool> {
        let (at, bits) = (self.bits.get(&var)?, self.at.get(&node)?);
        Some(bits[at / 64] >> (at % 64) & 1 == 1)
    }

    /// Every read of a register that some path reaches without a write, and how many others there are.
    fn reads(&self, program: &Program) -> (Vec<Read>, u32) {
        let (mut reads, mut settled) = (Vec::new(), 0);
        let mut seen = FxHashSet::default();
        for (_, edge) in program.edges.iter().filter(|(_, edge)| !is_proper(program, edge)) {
            for operand in edge.op.operands() {
                program.exprs.visit(operand, |_, node| {
                    let Expr::Var(var) = node else { return };
                    match self.may_be(edge.from, var).filter(|_| seen.insert((edge.from, var))) {
                        Some(true) => reads.push(Read { node: edge.from, var, span: edge.span }),
                        Some(false) => settled += 1,
                        None => {}
                    }
                });
            }
        }
        (reads, settled)
    }

    /// The targets of checks that memory was written where that is certain: all of a named variable was.
    fn held(&self, program: &Program, spoiled: &Spoiled) -> FxHashSet<Node> {
        let certain = |target: &&Target| {
            let exprs = &program.exprs;
            let Some(Expr::Addr(var)) = target.values[0].map(|address| exprs.node(exprs.root(address))) else {
                return false;
            };
            if spoiled.contains(var) || is_static(program, var) {
                return !spoiled.contains(var);
            }
            let mut from = program.entering(target.node).iter().map(|&edge| program.edges[edge].from);
            from.all(|node| self.may_be(node, var) == Some(false))
        };
        let asked = program.targets.iter().filter(|target| target.check() == Some(Check::Uninitialised));
        asked.filter(certain).map(|target| target.node).collect()
    }
}

/// Whether an edge says that an arbitrary `_Bool` is 0 or 1, which is not a read of the program.
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
fn watch(
    program: &mut Program,
    vars: FxHashSet<VarId>,
    spoiled: &Spoiled,
) -> (FxHashMap<VarId, VarId>, FxHashMap<Node, Node>) {
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
        if let Some((var, written)) = writes(program, spoiled, &program.edges[id].op)
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

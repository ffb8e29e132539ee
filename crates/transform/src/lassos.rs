//! Executions that never end, as an error that can be reached: the reduction of liveness to safety [BAS02], for each
//! loop. Where an iteration ends, the program may remember the registers that decide how the loop goes on; where a later
//! iteration of the same execution of the loop ends with the same registers, and memory did not change in between, a
//! *lasso* is closed, and a target is reached. What happened between the two may happen again and again, since inputs
//! are free, so the execution need never end: the states in between are a recurrent set [GHMRX08].
//!
//! 1. **Back edges.** Behind one: if this loop's registers are remembered and equal to what they are now, a target.
//!    Otherwise they are remembered, or not: that is a choice.
//! 2. **Entries.** An execution of the loop begins without memories of an earlier one.
//! 3. **Writes to memory** that change something (`scope`) wipe the memory out. So does what allocates or frees.
//!
//! Which registers decide how a loop goes on is found in `decisive`.
//!
//! *Completeness.* Where loops only write registers and nothing is recursive, each loop has finitely many states, so an
//! execution that never ends closes a lasso: then a proof that no target is reached is one that all executions end
//! ([`Termination::complete`]).

mod decisive;
mod scope;

use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{
    BinOp, Edge, EdgeId, ExprId, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar, Source, Target,
    TargetKind, Termination, UnOp, VarId, VarKind,
};
use flow::{CallGraph, Loop, LoopId, Loops};
use rustc_hash::FxHashMap;
use scope::{Scope, Wiped};

/// A loop that is watched.
struct Watch {
    function: FunctionId,
    number: i128,
    /// What is remembered and where.
    kept: Vec<(VarId, VarId)>,
    choice: VarId,
    target: Node,
}

/// Makes every loop a place where lassos are noticed; there are no other targets. For programs that are ready for
/// engines.
pub fn watch_lassos(program: &mut Program) {
    let mut plain = program.clone();
    plain.targets.clear();
    let loops = Loops::new(&plain);
    let calls = CallGraph::new(&plain);
    let mut weaver = Weaver::new(&plain);
    weaver.watch(&plain, &loops, &calls);
    let complete = weaver.complete;
    *program = weaver.finish();
    list_assumptions(program, &calls);
    program.termination = Some(std::sync::Arc::new(Termination { plain, complete }));
}

struct Weaver {
    program: Program,
    edges: Vec<Edge>,
    /// The number of the loop whose registers are remembered, 0 if none are.
    held: VarId,
    watches: FxHashMap<LoopId, Watch>,
    complete: bool,
}

impl Weaver {
    fn new(plain: &Program) -> Weaver {
        let mut program = plain.clone();
        let held = add_register(&mut program, "remembered loop", VarKind::Temporary, None, Scalar::INT);
        Weaver { program, edges: Vec::new(), held, watches: FxHashMap::default(), complete: true }
    }

    fn watch(&mut self, plain: &Program, loops: &Loops, calls: &CallGraph) {
        let recursive = |id: FunctionId| calls.is_reachable(id) && calls.is_recursive(id);
        self.complete = !plain.functions.ids().any(recursive);
        let mut scopes: Vec<Scope> = Vec::new();
        for (id, one) in loops.loops.iter() {
            // The library's own loops end where it is used as it has to be.
            let own = plain.functions[one.function].kind == FunctionKind::Defined;
            if !own || !calls.is_reachable(one.function) {
                continue;
            }
            let scope = Scope::new(plain, loops, calls, id);
            if scope.functions.contains(&one.function) {
                self.complete = false;
                continue;
            }
            self.begin(plain, &scope);
            scopes.push(scope);
        }
        for (id, edge) in plain.edges.iter() {
            self.edge(plain, loops, &scopes, id, edge);
        }
        for (function, info) in plain.functions.iter() {
            let around = scopes.iter().filter(|scope| loops.contains(scope.id, info.entry));
            let around: Vec<i128> = around.map(|scope| self.watches[&scope.id].number).collect();
            if !around.is_empty() {
                self.enter(function, &around);
            }
        }
    }

    /// A function that begins inside of loops: calls enter them.
    fn enter(&mut self, function: FunctionId, numbers: &[i128]) {
        let old = self.program.functions[function].entry;
        let entry = self.fresh(function);
        self.program.functions[function].entry = entry;
        let value = self.unless_held(numbers);
        let span = self.program.functions[function].span;
        self.edges.push(Edge { from: entry, to: old, op: Op::Assign(self.held, value), span });
    }

    fn begin(&mut self, plain: &Program, scope: &Scope) {
        let number = self.watches.len() as i128 + 1;
        let function = scope.function;
        let kept: Vec<(VarId, VarId)> = decisive::registers(plain, scope)
            .into_iter()
            .map(|var| {
                let ty = plain.register(var).expect("only registers are remembered");
                self.complete &= !ty.is_float();
                let name = format!("{} remembered in loop {number}", plain.var_name(var));
                (var, add_register(&mut self.program, &name, VarKind::Temporary, Some(function), ty))
            })
            .collect();
        let name = format!("remember in loop {number}");
        let choice = add_register(&mut self.program, &name, VarKind::Temporary, Some(function), Scalar::INT);
        let target = self.fresh(function);
        let span = place(plain, scope);
        self.program.targets.push(Target::new(target, TargetKind::Repetition, span));
        self.watches.insert(scope.id, Watch { function, number, kept, choice, target });
    }

    fn fresh(&mut self, function: FunctionId) -> Node {
        self.program.nodes.push(NodeInfo { function, loop_head: false })
    }

    /// Copies an edge, with what has to happen before and behind it.
    fn edge(&mut self, plain: &Program, loops: &Loops, scopes: &[Scope], id: EdgeId, edge: &Edge) {
        let function = plain.nodes[edge.from].function;
        let mut from = edge.from;
        if let Some(wiped) = scope::wiped(plain, loops, scopes, id) {
            self.complete = false;
            let value = self.wipe(&wiped);
            from = self.step(function, from, Op::Assign(self.held, value), Span::default());
        }
        let entered: Vec<LoopId> = self.watched(loops, edge, |one| &one.entries, id);
        let back: Vec<LoopId> = self.watched(loops, edge, |one| &one.back_edges, id);
        if entered.is_empty() && back.is_empty() {
            self.edges.push(Edge { from, ..edge.clone() });
            return;
        }
        let mut at = self.step(function, from, edge.op.clone(), edge.span);
        for one in back {
            at = self.close(one, at, edge.span); // 1
        }
        for one in entered {
            let number = self.watches[&one].number;
            let value = self.unless_held(&[number]);
            at = self.step(function, at, Op::Assign(self.held, value), Span::default()); // 2
        }
        self.edges.push(Edge { from: at, to: edge.to, op: Op::Skip, span: Span::default() });
    }

    fn watched(&self, loops: &Loops, edge: &Edge, kind: impl Fn(&Loop) -> &Vec<EdgeId>, id: EdgeId) -> Vec<LoopId> {
        let mut found = Vec::new();
        let mut around = loops.innermost(edge.to);
        while let Some(at) = around {
            if self.watches.contains_key(&at) && kind(&loops.loops[at]).contains(&id) {
                found.push(at);
            }
            around = loops.loops[at].parent;
        }
        found
    }

    fn step(&mut self, function: FunctionId, from: Node, op: Op, span: Span) -> Node {
        let to = self.fresh(function);
        self.edges.push(Edge { from, to, op, span });
        to
    }

    /// Step 1, from `at`; the node where the loop goes on.
    fn close(&mut self, id: LoopId, at: Node, span: Span) -> Node {
        let Watch { function, number, ref kept, choice, target } = self.watches[&id];
        let kept = kept.clone();
        let mut same = self.is_held(number);
        for &(var, copy) in &kept {
            let equal = self.equal(var, copy);
            same = self.program.exprs.binary(BinOp::And, same, equal);
        }
        let differs = self.program.exprs.not(same);
        self.edges.push(Edge { from: at, to: target, op: Op::Assume(same), span });
        // Only the target and the choice have a place in the text: the rest is nothing that a user wrote.
        let hidden = Span::default();
        let open = self.step(function, at, Op::Assume(differs), hidden);
        let asked = self.step(function, open, Op::Havoc(choice, Source::Uninitialised), span);
        let exprs = &mut self.program.exprs;
        let (chosen, zero) = (exprs.var(choice, Scalar::INT), exprs.int(Scalar::INT, 0));
        let no = exprs.binary(BinOp::Eq, chosen, zero);
        let yes = exprs.not(no);
        let number = exprs.int(Scalar::INT, number);
        let mut at = self.step(function, asked, Op::Assume(yes), hidden);
        for (var, copy) in kept {
            let ty = self.program.register(var).expect("only registers are remembered");
            let value = self.program.exprs.var(var, ty);
            at = self.step(function, at, Op::Assign(copy, value), hidden);
        }
        at = self.step(function, at, Op::Assign(self.held, number), hidden);
        self.edges.push(Edge { from: asked, to: at, op: Op::Assume(no), span: hidden });
        at
    }

    /// Bits count: `-0.0 == 0.0`, but they behave differently.
    fn equal(&mut self, var: VarId, copy: VarId) -> ExprId {
        let ty = self.program.register(var).expect("only registers are remembered");
        let exprs = &mut self.program.exprs;
        let (now, then) = (exprs.var(var, ty), exprs.var(copy, ty));
        let equal = exprs.binary(BinOp::Eq, now, then);
        if !ty.is_float() {
            return equal;
        }
        let (a, b) = (exprs.unary(UnOp::SignBit, now), exprs.unary(UnOp::SignBit, then));
        let signs = exprs.binary(BinOp::Eq, a, b);
        exprs.binary(BinOp::And, equal, signs)
    }

    fn is_held(&mut self, number: i128) -> ExprId {
        let exprs = &mut self.program.exprs;
        let (held, number) = (exprs.var(self.held, Scalar::INT), exprs.int(Scalar::INT, number));
        exprs.binary(BinOp::Eq, held, number)
    }

    /// What is remembered, unless it is one of these loops.
    fn unless_held(&mut self, numbers: &[i128]) -> ExprId {
        let mut any = self.program.exprs.bool(false);
        for &number in numbers {
            let this = self.is_held(number);
            any = if self.program.exprs.constant(any).is_some() {
                this
            } else {
                self.program.exprs.binary(BinOp::Or, any, this)
            };
        }
        let exprs = &mut self.program.exprs;
        let (held, zero) = (exprs.var(self.held, Scalar::INT), exprs.int(Scalar::INT, 0));
        exprs.ite(any, zero, held)
    }

    /// Step 3: what is remembered behind a write.
    fn wipe(&mut self, wiped: &Wiped) -> ExprId {
        let left = match &wiped.loops {
            None => self.program.exprs.int(Scalar::INT, 0),
            Some(ids) => {
                let numbers: Vec<i128> = ids.iter().map(|id| self.watches[id].number).collect();
                self.unless_held(&numbers)
            }
        };
        let Some((to, value)) = wiped.store else { return left };
        let exprs = &mut self.program.exprs;
        let ty = exprs.ty(value);
        let (old, held) = (exprs.load(to, ty), exprs.var(self.held, Scalar::INT));
        let same = exprs.binary(BinOp::Eq, old, value);
        exprs.ite(same, held, left)
    }

    /// At the start, nothing is remembered.
    fn finish(mut self) -> Program {
        let start = self.program.entry;
        let old = self.program.functions[start].entry;
        let entry = self.fresh(start);
        self.program.functions[start].entry = entry;
        let zero = self.program.exprs.int(Scalar::INT, 0);
        self.edges.push(Edge { from: entry, to: old, op: Op::Assign(self.held, zero), span: Span::default() });
        let mut program = self.program;
        program.edges = IdVec::from(self.edges);
        program.index();
        flow::find_loops(&mut program);
        program.assert_valid();
        program
    }
}

/// Functions that are not the user's are taken to return.
fn list_assumptions(program: &mut Program, calls: &CallGraph) {
    for (kind, what) in
        [(FunctionKind::Extern, "functions without a body return"), (FunctionKind::Model, "library functions return")]
    {
        let called = program.functions.iter().filter(|(id, one)| one.kind == kind && calls.is_reachable(*id));
        let count = called.count();
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            program.assumptions.push(format!("{what} ({count} function{plural})"));
        }
    }
}

/// Where the user finds the loop: its condition, or what comes first in it.
fn place(program: &Program, scope: &Scope) -> Span {
    program.leaving(scope.head).next().map_or(Span::default(), |edge| program.edges[edge].span)
}

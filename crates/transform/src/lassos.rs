//! Executions that never end, as an error that can be reached: the reduction of liveness to safety [BAS02], for each
//! loop. Where an iteration ends, the program may remember the registers that decide how the loop goes on; where a later
//! iteration of the same execution of the loop ends with the same registers, and memory did not change in between, a
//! *lasso* is closed, and a target is reached. What happened between the two may happen again and again, since inputs
//! are free, so the execution need never end: the states in between are a recurrent set [GHMRX08].
//!
//! 1. **Back edges.** After one: if this loop's registers are remembered and equal to what they are now, a target.
//!    Otherwise they are remembered, or not: that is a choice.
//! 2. **Entries.** An execution of the loop begins without memories of an earlier one.
//! 3. **Writes to memory** that change something (`scope`) wipe the memory out. So does what allocates or frees. What lies
//!    in few places that are known (`cells`) is remembered instead, like a register; and what the loop writes and does not
//!    read where it decides something (`harmless`) need not be the same: the states that agree in what does are a recurrent
//!    set that is closed, although no state of it need be reached twice.
//! 4. **Recursive functions.** Where one begins, the same: if it began before with the same parameters and globals, and
//!    returned from nothing since, it calls itself forever. Not so if it looks at addresses of its own objects, as a check
//!    of the stack's depth does.
//! 5. What asks a clock or a generator of random numbers how to go on is not watched: these move on.
//!
//! What decides how a loop or a function goes on is found in `decisive`.
//!
//! *Completeness.* Where loops only write what is remembered and nothing is recursive, each loop has finitely many states,
//! so an execution that never ends closes a lasso: then a proof that no target is reached is one that all executions end
//! ([`Termination::complete`]).

mod cells;
mod decisive;
mod harmless;
mod scope;

use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{
    Allocation, BinOp, Edge, EdgeId, Expr, ExprId, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar,
    Source, Target, TargetKind, Termination, UnOp, VarId, VarKind, WatchedLoop,
};
use decisive::Decisive;
pub use decisive::moves_on;
use flow::{CallGraph, Loop, LoopId, Loops, PointsTo};
use rustc_hash::FxHashMap;
use scope::{Scope, Watched};
use std::collections::BTreeSet;

/// A loop or function that is watched.
struct Watch {
    function: FunctionId,
    number: i128,
    /// What is remembered and where.
    kept: Vec<(ExprId, VarId)>,
    /// Edges that change nothing but what is remembered or does not matter.
    covered: BTreeSet<EdgeId>,
    choice: VarId,
    /// Where it begins.
    head: Node,
    target: Node,
}

/// Makes every loop and recursive function a place where lassos are noticed; there are no other targets. For programs that
/// are ready for engines. The points-to analysis is of the program or of one from which it was made.
pub fn watch_lassos(program: &mut Program, points_to: &PointsTo) {
    debug_assert!(program.is_indexed(), "edges changed without index()");
    debug_assert!(program.termination.is_none(), "loops are watched once");
    let mut plain = program.clone();
    plain.targets.clear();
    let loops = Loops::new(&plain);
    let calls = CallGraph::new(&plain);
    // Allocations are known by their edges, which passes since the analysis may have numbered anew.
    let anew = plain.edges.iter().any(|(_, edge)| is_heap(&edge.op)).then(|| PointsTo::new(&plain));
    let mut weaver = Weaver::new(&plain);
    weaver.watch(&plain, (&loops, &calls), anew.as_ref().unwrap_or(points_to));
    let complete = weaver.complete && weaver.infinite.is_empty();
    let (held, growing) = (weaver.held, weaver.growing.len());
    let (loops, finite) = (weaver.loops(|_| true), weaver.loops(|number| !weaver.infinite.contains(&number)));
    let mut choices: Vec<VarId> = weaver.watches.values().map(|watch| watch.choice).collect();
    choices.sort_unstable();
    *program = weaver.finish();
    list_assumptions(program, &calls);
    if growing > 0 {
        let plural = if growing == 1 { "" } else { "s" };
        program.assumptions.push(format!("memory that loops allocate does not run out ({growing} allocation{plural})"));
    }
    program.termination = Some(std::sync::Arc::new(Termination { plain, complete, loops, finite, held, choices }));
}

/// The watched program in which any two iterations of one loop reach its target: for executions of which is known, by a
/// closed set of states, that they never end. Edges and nodes stay as they are.
pub fn close_at(program: &Program, watched: &WatchedLoop) -> Program {
    let held = program.termination.as_ref().map(|termination| termination.held);
    let mut closed = program.clone();
    for id in program.edges.ids() {
        let edge = &program.edges[id];
        match edge.op {
            // What is remembered stays so.
            Op::Assign(var, value) if Some(var) == held && program.exprs.constant(value).is_none() => {
                closed.edges[id].op = Op::Skip;
            }
            Op::Assume(same) if edge.to == watched.target => {
                let first = first_conjunct(program, same);
                let other = closed.exprs.not(first);
                let pair = program.leaving(edge.from).filter(|&pair| pair != id);
                closed.edges[id].op = Op::Assume(first);
                pair.for_each(|pair| closed.edges[pair].op = Op::Assume(other));
            }
            _ => {}
        }
    }
    closed.assert_valid();
    closed
}

/// Of the conditions of a closed lasso, which loop is remembered comes first.
fn first_conjunct(program: &Program, mut condition: ExprId) -> ExprId {
    while let Expr::Binary(BinOp::And, first, _) = program.exprs.node(condition) {
        condition = first;
    }
    condition
}

struct Weaver {
    program: Program,
    edges: Vec<Edge>,
    /// The number of the loop whose registers are remembered, 0 if none are.
    held: VarId,
    watches: FxHashMap<Watched, Watch>,
    /// Whether every loop is watched and nothing is recursive.
    complete: bool,
    /// The numbers of loops that need not have finitely many states.
    infinite: BTreeSet<i128>,
    /// Allocations that may happen again and again for ever.
    growing: BTreeSet<EdgeId>,
}

impl Weaver {
    fn new(plain: &Program) -> Weaver {
        let mut program = plain.clone();
        let held = add_register(&mut program, "remembered loop", VarKind::Temporary, None, Scalar::INT);
        Weaver {
            program,
            edges: Vec::new(),
            held,
            watches: FxHashMap::default(),
            complete: true,
            infinite: BTreeSet::new(),
            growing: BTreeSet::new(),
        }
    }

    fn watch(&mut self, plain: &Program, (loops, calls): (&Loops, &CallGraph), points_to: &PointsTo) {
        // The library's own loops end where it is used as it has to be.
        let own = |id: FunctionId| calls.is_reachable(id) && plain.functions[id].kind == FunctionKind::Defined;
        let recursive = |id: &FunctionId| calls.is_reachable(*id) && calls.is_recursive(*id);
        self.complete = !plain.functions.ids().any(|id| recursive(&id));
        let mut scopes: Vec<Scope> = Vec::new();
        for (id, one) in loops.loops.iter().filter(|(_, one)| own(one.function)) {
            let scope = Scope::of_loop(plain, loops, calls, id);
            if scope.functions.contains(&one.function) {
                self.complete = false;
                continue;
            }
            let decisive = Decisive::of(plain, &scope, points_to);
            // 5
            if decisive.asks_what_moves_on(&scope) {
                self.complete = false;
                continue;
            }
            let harmless = harmless::find(plain, &scope, &decisive, points_to);
            let growing: BTreeSet<EdgeId> =
                harmless.iter().copied().filter(|&id| is_heap(&plain.edges[id].op)).collect();
            let mut cells = cells::find(&mut self.program, calls, &scope, points_to, &harmless);
            cells.covered.extend(harmless);
            self.begin(plain, &scope, &decisive, cells);
            if !growing.is_empty() {
                self.infinite.insert(self.watches[&scope.what].number);
                self.growing.extend(growing);
            }
            scopes.push(scope);
        }
        for id in plain.functions.ids().filter(|id| own(*id) && recursive(id)) {
            let scope = Scope::of_function(plain, calls, id);
            let decisive = Decisive::of(plain, &scope, points_to);
            if decisive.asks_what_moves_on(&scope)
                || harmless::looks_at_own(plain, &scope, points_to)
                || ends_again(plain, calls, &scope)
            {
                continue;
            }
            self.begin(plain, &scope, &decisive, cells::Cells::default());
            scopes.push(scope);
        }
        for (id, edge) in plain.edges.iter() {
            self.edge(plain, loops, &scopes, id, edge);
        }
        for (function, info) in plain.functions.iter() {
            let around = scopes.iter().filter(|scope| match scope.what {
                Watched::Loop(id) => loops.contains(id, info.entry),
                Watched::Function(_) => false,
            });
            let around: Vec<i128> = around.map(|scope| self.watches[&scope.what].number).collect();
            if !around.is_empty() {
                self.enter(function, &around);
            }
            if self.watches.contains_key(&Watched::Function(function)) {
                self.descend(function); // 4
            }
        }
    }

    /// The loops with numbers that `counts` accepts, by head.
    fn loops(&self, counts: impl Fn(i128) -> bool) -> Vec<WatchedLoop> {
        let is_loop = |what: &Watched| matches!(what, Watched::Loop(_));
        let found = self.watches.iter().filter(|(what, watch)| is_loop(what) && counts(watch.number));
        let mut all: Vec<WatchedLoop> =
            found.map(|(_, &Watch { head, target, choice, .. })| WatchedLoop { head, target, choice }).collect();
        all.sort_unstable();
        all
    }

    /// Each activation of a recursive function is a place where a lasso may be closed.
    fn descend(&mut self, function: FunctionId) {
        let old = self.program.functions[function].entry;
        let entry = self.fresh(function);
        self.program.functions[function].entry = entry;
        let at = self.close(Watched::Function(function), entry, self.program.functions[function].span);
        self.edges.push(Edge { from: at, to: old, op: Op::Skip, span: Span::default() });
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

    fn begin(&mut self, plain: &Program, scope: &Scope, decisive: &Decisive, cells: cells::Cells) {
        let number = self.watches.len() as i128 + 1;
        let function = scope.function;
        // What an activation remembers is for those inside of it.
        let (what, owner) = match scope.what {
            Watched::Loop(_) => ("loop", Some(function)),
            Watched::Function(_) => ("recursion", None),
        };
        let mut values: Vec<(String, ExprId)> = Vec::new();
        for var in decisive.registers(scope) {
            let ty = plain.register(var).expect("only registers are remembered");
            if ty.is_float() {
                self.infinite.insert(number);
            }
            values.push((plain.var_name(var).to_owned(), self.program.exprs.var(var, ty)));
        }
        values.extend(cells.values.iter().map(|&value| ("memory".to_owned(), value)));
        let mut kept = Vec::new();
        for (name, value) in values {
            let name = format!("{name} remembered in {what} {number}");
            let ty = self.program.exprs.ty(value);
            kept.push((value, add_register(&mut self.program, &name, VarKind::Temporary, owner, ty)));
        }
        let name = format!("remember in {what} {number}");
        let choice = add_register(&mut self.program, &name, VarKind::Temporary, Some(function), Scalar::INT);
        let target = self.fresh(function);
        self.program.targets.push(Target::new(target, TargetKind::Repetition, place(plain, scope)));
        assert!(!self.watches.contains_key(&scope.what), "loops and functions are watched once");
        self.watches.insert(
            scope.what,
            Watch { function, number, kept, covered: cells.covered, choice, head: scope.head, target },
        );
    }

    fn fresh(&mut self, function: FunctionId) -> Node {
        self.program.nodes.push(NodeInfo { function, loop_head: false })
    }

    /// Copies an edge, with what has to happen before and after it.
    fn edge(&mut self, plain: &Program, loops: &Loops, scopes: &[Scope], id: EdgeId, edge: &Edge) {
        let function = plain.nodes[edge.from].function;
        let mut from = edge.from;
        let (wiped, touched) = self.wiped(plain, scopes, id);
        if !wiped.is_empty() {
            self.infinite.extend(touched);
            let value = self.wipe(plain, &wiped, id);
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
            at = self.close(Watched::Loop(one), at, edge.span); // 1
        }
        for one in entered {
            let number = self.watches[&Watched::Loop(one)].number;
            let value = self.unless_held(&[number]);
            at = self.step(function, at, Op::Assign(self.held, value), Span::default()); // 2
        }
        self.edges.push(Edge { from: at, to: edge.to, op: Op::Skip, span: Span::default() });
    }

    /// The numbers of what forgets on an edge, and those among them that do for what it does to memory.
    fn wiped(&self, plain: &Program, scopes: &[Scope], id: EdgeId) -> (Vec<i128>, Vec<i128>) {
        let edge = &plain.edges[id];
        let seen = scopes.iter().filter(|scope| scope.sees(plain, id));
        let open = seen.map(|scope| &self.watches[&scope.what]).filter(|watch| !watch.covered.contains(&id));
        let mut numbers: Vec<i128> = open.map(|watch| watch.number).collect(); // 3
        let touched = numbers.clone();
        let function = Watched::Function(plain.nodes[edge.from].function);
        if matches!(edge.op, Op::Return(_))
            && let Some(watch) = self.watches.get(&function)
        {
            numbers.push(watch.number); // 4
        }
        (numbers, touched)
    }

    fn watched(&self, loops: &Loops, edge: &Edge, kind: impl Fn(&Loop) -> &Vec<EdgeId>, id: EdgeId) -> Vec<LoopId> {
        let mut found = Vec::new();
        let mut around = loops.innermost(edge.to);
        while let Some(at) = around {
            if self.watches.contains_key(&Watched::Loop(at)) && kind(&loops.loops[at]).contains(&id) {
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
    fn close(&mut self, what: Watched, at: Node, span: Span) -> Node {
        let Watch { function, number, ref kept, choice, target, .. } = self.watches[&what];
        let kept = kept.clone();
        let mut same = self.is_held(number);
        for &(value, copy) in &kept {
            let equal = self.equal(value, copy);
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
        for (value, copy) in kept {
            at = self.step(function, at, Op::Assign(copy, value), hidden);
        }
        at = self.step(function, at, Op::Assign(self.held, number), hidden);
        self.edges.push(Edge { from: asked, to: at, op: Op::Assume(no), span: hidden });
        at
    }

    /// Bits count: `-0.0 == 0.0`, but they behave differently.
    fn equal(&mut self, now: ExprId, copy: VarId) -> ExprId {
        let exprs = &mut self.program.exprs;
        let ty = exprs.ty(now);
        let then = exprs.var(copy, ty);
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
        assert!(!numbers.contains(&0), "0 is the number of no loop");
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

    /// Step 3: what is remembered after a write.
    fn wipe(&mut self, plain: &Program, numbers: &[i128], id: EdgeId) -> ExprId {
        let left = self.unless_held(numbers);
        let Some((to, value)) = scope::compared(plain, &plain.edges[id].op) else { return left };
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
        assert_eq!(
            self.program.targets.len(),
            self.watches.len(),
            "each loop that is watched has a target, and nothing else"
        );
        let mut program = self.program;
        program.edges = IdVec::from(self.edges);
        program.index();
        flow::find_loops(&mut program);
        program.assert_valid();
        program
    }
}

/// Whether the end of the program leads to its end, which C leaves undefined.
fn ends_again(program: &Program, calls: &CallGraph, scope: &Scope) -> bool {
    let is_end = |id: FunctionId| ["$exit", "$quick_exit"].contains(&program.function_name(id));
    scope.functions.iter().any(|&id| is_end(id) && calls.is_recursive(id))
}

fn is_heap(op: &Op) -> bool {
    matches!(op, Op::Allocate { how: Allocation::Heap | Allocation::HeapZeroed, .. })
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
    if let Watched::Function(function) = scope.what {
        return program.functions[function].span;
    }
    program.leaving(scope.head).next().map_or(Span::default(), |edge| program.edges[edge].span)
}

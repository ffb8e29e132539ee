//! One loop: a program whose only loop head stands for all loop heads of the source, with a program counter that says which
//! one an execution is at. Engines that work on a transition relation (a state, a step, a set of bad states) work on it.
//!
//! 1. Functions from which no loop can be reached stay functions: a step of the loop goes through their calls.
//! 2. All others are inlined into the function where the program starts, once per call that leads there. Their variables
//!    are not copied: without recursion, a function is active at most once at a time. A call assigns the parameters;
//!    locals that may be read before they are written, and those in memory, become arbitrary.
//! 3. Every loop head, and every other node where a loop can be entered, becomes a *place*. Whatever leads to a place sets
//!    the counter to its number and goes to the head of the one loop, which goes on at the place of the counter.
//!
//! A program that has one loop, in a function to which one sequence of calls leads, is taken as it is.
//!
//! Same inputs, same targets: executions of both programs correspond step by step. Objects of inlined functions live as long
//! as the program, at one address; that makes no difference to executions without undefined behaviour, unless the program
//! asks which objects live.

use crate::register::add_register;
use base::{IdVec, Span};
use cfa::{
    Allocation, BinOp, Edge, EdgeId, Expr, ExprId, Exprs, FunctionId, Node, NodeInfo, Op, Program, Scalar, Source,
    Target, VarId, VarKind,
};
use flow::{CallGraph, Loops, Prepared};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Programs that would have more edges than this stay as they are.
const MOST_EDGES: usize = 100_000;

/// A program with one loop.
pub struct SingleLoop {
    /// It begins with the expressions and variables of the source.
    pub program: Prepared,
    /// The head of its loop.
    pub head: Node,
    /// The program counter, if there is more than one place.
    pub counter: Option<VarId>,
    /// The nodes of the source that the values of the counter stand for.
    pub places: Vec<Node>,
    /// For each target, its index among those of the source.
    pub targets: Vec<usize>,
}

/// What an invariant of the one loop says about the source.
pub struct AtSource {
    /// At loop heads of the source.
    pub invariants: Vec<(Node, ExprId)>,
    /// Whether nothing was left out: variables of callers cannot be named, and where a loop is entered elsewhere than at its head
    /// the source has no loop head.
    pub exact: bool,
}

impl SingleLoop {
    /// The program with one loop; else, why there is none.
    pub fn new(source: &Prepared) -> Result<SingleLoop, String> {
        let (loops, calls) = (source.loops(), source.calls());
        if let Some(id) = source.functions.ids().find(|&id| calls.is_reachable(id) && calls.is_recursive(id)) {
            return Err(format!("`{}` is recursive", source.function_name(id)));
        }
        let heads: Vec<(FunctionId, Node)> = loops
            .loops
            .iter()
            .filter(|(_, one)| calls.is_reachable(one.function))
            .map(|(_, one)| (one.function, one.head))
            .collect();
        let cuts = cuts(source, &loops, &calls);
        match heads[..] {
            [] => return Err("there are no loops".to_owned()),
            [(function, head)] if cuts.len() == 1 && is_called_once(source, &calls, function) => {
                let targets = (0..source.targets.len()).collect();
                return Ok(SingleLoop { program: source.clone(), head, counter: None, places: vec![head], targets });
            }
            _ => {}
        }
        Maker::new(source, &calls, cuts)?.run()
    }

    /// An invariant of the one loop, over expressions that begin with those of the source, as invariants of the source.
    pub fn at_source(&self, source: &Program, exprs: &mut Exprs, invariant: ExprId) -> AtSource {
        assert_eq!(exprs.ty(invariant), Scalar::Bool, "an invariant is a truth value");
        assert_eq!(self.counter.is_some(), self.places.len() > 1, "a counter tells several places apart");
        let mut exact = true;
        let mut found: BTreeMap<Node, ExprId> = BTreeMap::new();
        for (number, &node) in self.places.iter().enumerate() {
            if !source.nodes[node].loop_head {
                exact = false;
                continue;
            }
            let here = match self.counter {
                Some(counter) => {
                    let ty = self.program.register(counter).expect("the counter is a register");
                    let (counter, number) = (exprs.var(counter, ty), exprs.int(ty, number as i128));
                    exprs.substitute(invariant, &mut FxHashMap::from_iter([(counter, number)]))
                }
                None => invariant,
            };
            let here = simplified(exprs, here);
            let function = source.nodes[node].function;
            let own = |var: VarId| source.vars[var].function.is_none_or(|other| other == function);
            let (here, whole) = named(exprs, here, &own);
            exact &= whole;
            match found.get_mut(&node) {
                None => {
                    found.insert(node, here);
                }
                Some(known) => *known = either(exprs, *known, here),
            }
        }
        AtSource { invariants: found.into_iter().collect(), exact }
    }
}

/// Loop heads and other nodes where loops are entered, of functions that can be called.
fn cuts(program: &Program, loops: &Loops, calls: &CallGraph) -> BTreeSet<Node> {
    let mut cuts = BTreeSet::new();
    for (_, one) in loops.loops.iter().filter(|(_, one)| calls.is_reachable(one.function)) {
        cuts.insert(one.head);
        cuts.extend(one.entries.iter().map(|&edge| program.edges[edge].to));
    }
    cuts
}

/// Whether one sequence of calls leads to a function.
fn is_called_once(program: &Program, calls: &CallGraph, mut function: FunctionId) -> bool {
    while function != program.entry {
        let mut callers = calls.callers(function).iter().filter(|(_, caller)| calls.is_reachable(*caller));
        match (callers.next(), callers.next()) {
            (Some(&(_, caller)), None) => function = caller,
            _ => return false,
        }
    }
    true
}

/// `a` or `b`.
fn either(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    debug_assert!(exprs.ty(a) == Scalar::Bool && exprs.ty(b) == Scalar::Bool, "of truth values");
    match (exprs.constant(a), exprs.constant(b)) {
        (Some(0), _) => b,
        (_, Some(0)) => a,
        (Some(_), _) | (_, Some(_)) => exprs.bool(true),
        (None, None) if a == b => a,
        (None, None) => exprs.binary(BinOp::Or, a, b),
    }
}

/// `a` and `b`.
fn both(exprs: &mut Exprs, a: ExprId, b: ExprId) -> ExprId {
    debug_assert!(exprs.ty(a) == Scalar::Bool && exprs.ty(b) == Scalar::Bool, "of truth values");
    match (exprs.constant(a), exprs.constant(b)) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        (Some(_), _) | (_, Some(_)) => exprs.bool(false),
        (None, None) if a == b => a,
        (None, None) => exprs.binary(BinOp::And, a, b),
    }
}

/// A truth value in which comparisons of constants, and what follows from them, are gone.
fn simplified(exprs: &mut Exprs, root: ExprId) -> ExprId {
    let mut order = Vec::new();
    exprs.visit(root, |id, node| order.push((id, node)));
    let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for (id, node) in order {
        let new = match node {
            Expr::Unary(op, a) if exprs.ty(id) == Scalar::Bool => match exprs.constant(known[&a]) {
                Some(value) if exprs.ty(a) == Scalar::Bool => exprs.bool(value == 0),
                _ => exprs.unary(op, known[&a]),
            },
            Expr::Binary(BinOp::And, a, b) if exprs.ty(id) == Scalar::Bool => both(exprs, known[&a], known[&b]),
            Expr::Binary(BinOp::Or, a, b) if exprs.ty(id) == Scalar::Bool => either(exprs, known[&a], known[&b]),
            Expr::Binary(op, a, b) => {
                let (a, b) = (known[&a], known[&b]);
                compared(exprs, op, a, b).unwrap_or_else(|| exprs.binary(op, a, b))
            }
            Expr::Ite(condition, a, b) => match exprs.constant(known[&condition]) {
                Some(1) => known[&a],
                Some(_) => known[&b],
                None => exprs.ite(known[&condition], known[&a], known[&b]),
            },
            Expr::Cast(a) => {
                let (a, ty) = (known[&a], exprs.ty(id));
                match (exprs.integer(a), ty) {
                    (Some(value), Scalar::Int { .. }) => exprs.int(ty, value),
                    _ => exprs.cast(a, ty),
                }
            }
            Expr::Unary(op, a) => exprs.unary(op, known[&a]),
            Expr::Load(pointer) => exprs.load(known[&pointer], exprs.ty(id)),
            Expr::Living(question) => exprs.living(question.about(|pointer| known[&pointer])),
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => id,
        };
        debug_assert_eq!(exprs.ty(new), exprs.ty(id), "simplifying keeps the type");
        known.insert(id, new);
    }
    known[&root]
}

/// The result of comparing two constant integers of one type.
fn compared(exprs: &mut Exprs, op: BinOp, a: ExprId, b: ExprId) -> Option<ExprId> {
    let (x, y) = (exprs.integer(a)?, exprs.integer(b)?);
    let result = match op {
        BinOp::Eq => x == y,
        BinOp::Lt => x < y,
        BinOp::Le => x <= y,
        _ => return None,
    };
    Some(exprs.bool(result))
}

/// A formula that this one implies over variables that may be named, and whether it is the same.
fn named(exprs: &mut Exprs, formula: ExprId, own: &dyn Fn(VarId) -> bool) -> (ExprId, bool) {
    let mut whole = true;
    let mut kept = exprs.bool(true);
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        if let Expr::Binary(BinOp::And, a, b) = exprs.node(part)
            && exprs.ty(part) == Scalar::Bool
        {
            open.extend([b, a]);
            continue;
        }
        let mut foreign = false;
        exprs.visit(part, |_, node| {
            foreign |= matches!(node, Expr::Var(var) | Expr::Addr(var) if !own(var));
        });
        whole &= !foreign;
        if !foreign {
            kept = both(exprs, kept, part);
        }
    }
    (kept, whole)
}

/// Where a copy belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Context {
    /// Which calls led there; 0 is the start of the program.
    calls: usize,
    /// Whether the head was visited before. What comes before the first visit has copies of its own, so that the loop is
    /// entered at its head only.
    looping: bool,
}

const START: Context = Context { calls: 0, looping: false };

struct Maker<'a> {
    source: &'a Prepared,
    /// Functions that are inlined.
    inlined: IdVec<FunctionId, bool>,
    cuts: BTreeSet<Node>,
    program: Program,
    edges: Vec<Edge>,
    head: Node,
    /// By the number of a context's calls: the last call, and the number of those before it.
    contexts: Vec<Option<(usize, EdgeId)>>,
    called: FxHashMap<(usize, EdgeId), usize>,
    copies: FxHashMap<(Context, Node), Node>,
    /// Copies whose leaving edges are not made yet.
    open: Vec<(Context, Node)>,
    places: Vec<(Context, Node)>,
    numbers: FxHashMap<(Context, Node), usize>,
    /// Nodes from which the loop is entered at a place.
    jumps: Vec<(Node, usize)>,
}

impl<'a> Maker<'a> {
    fn new(source: &'a Prepared, calls: &CallGraph, cuts: BTreeSet<Node>) -> Result<Self, String> {
        assert!(!cuts.is_empty(), "there is a loop");
        let mut inlined = IdVec::filled(source.functions.len(), false);
        for &cut in &cuts {
            inlined[source.nodes[cut].function] = true;
        }
        // Callees come first.
        for group in calls.bottom_up() {
            for &function in group {
                let function = FunctionId(function);
                let leads = calls.calls(function).iter().any(|(_, callee)| inlined[*callee]);
                inlined[function] |= leads && calls.is_reachable(function);
            }
        }
        ends_of_objects(source, calls, &inlined)?;
        let mut program = Program::clone(source);
        let head = program.nodes.push(NodeInfo { function: program.entry, loop_head: false });
        let (contexts, called) = (vec![None], FxHashMap::default());
        let (copies, open) = (FxHashMap::default(), Vec::new());
        let (places, numbers, jumps) = (Vec::new(), FxHashMap::default(), Vec::new());
        let edges = Vec::new();
        Ok(Maker {
            source,
            inlined,
            cuts,
            program,
            edges,
            head,
            contexts,
            called,
            copies,
            open,
            places,
            numbers,
            jumps,
        })
    }

    fn run(mut self) -> Result<SingleLoop, String> {
        self.without_bodies();
        let entry = self.source.functions[self.source.entry].entry;
        self.copy(START, entry);
        while let Some((context, node)) = self.open.pop() {
            self.leave(context, node);
            if self.edges.len() > MOST_EDGES {
                return Err("inlining makes it too large".to_owned());
            }
        }
        let counter = self.dispatch();
        let targets = self.targets();
        let Maker { mut program, edges, head, places, .. } = self;
        program.edges = IdVec::from(edges);
        program.index();
        let loops = flow::find_loops(&mut program);
        let calls = CallGraph::new(&program);
        let found = loops.loops.iter().filter(|(_, one)| calls.is_reachable(one.function));
        let heads: Vec<Node> = found.map(|(_, one)| one.head).collect();
        assert_eq!(heads, [head], "every cycle goes through the head, where the loop is entered");
        assert_eq!(targets.len(), program.targets.len(), "each target stands for one of the source");
        program.assert_valid();
        let places = places.into_iter().map(|(_, node)| node).collect();
        Ok(SingleLoop { program: Prepared::new(program), head, counter, places, targets })
    }

    /// Functions that are inlined or never called only return; the variables of those that are inlined belong to the start
    /// of the program.
    fn without_bodies(&mut self) {
        let calls = self.source.calls();
        let entry = self.program.entry;
        for id in self.source.functions.ids().filter(|&id| id != entry) {
            let function = &mut self.program.functions[id];
            if calls.is_reachable(id) && !self.inlined[id] {
                continue;
            }
            let (from, to, span) = (function.entry, function.exit, function.span);
            self.edges.push(Edge { from, to, op: Op::Return(None), span });
            if self.inlined[id] {
                let locals = std::mem::take(&mut function.locals);
                function.params.clear();
                function.result = None;
                for &local in &locals {
                    self.program.vars[local].function = Some(entry);
                }
                self.program.functions[entry].locals.extend(locals);
            }
        }
        let stays = |node: Node| {
            let function = self.source.nodes[node].function;
            function != entry && calls.is_reachable(function) && !self.inlined[function]
        };
        let kept = self.source.edges.iter().filter(|(_, edge)| stays(edge.from)).map(|(_, edge)| edge.clone());
        self.edges.extend(kept);
    }

    fn node(&mut self) -> Node {
        self.program.nodes.push(NodeInfo { function: self.program.entry, loop_head: false })
    }

    /// The copy of a node in a context; nodes at the start of the program are their own copies, and so is its end.
    fn copy(&mut self, context: Context, node: Node) -> Node {
        if let Some(&known) = self.copies.get(&(context, node)) {
            return known;
        }
        let is_end = context.calls == 0 && node == self.source.functions[self.source.entry].exit;
        let copy = if context == START || is_end { node } else { self.node() };
        self.copies.insert((context, node), copy);
        self.open.push((context, node));
        copy
    }

    /// An edge to the copy of a node, or to the head with the counter set.
    fn go(&mut self, from: Node, (op, span): (Op, Span), (context, node): (Context, Node)) {
        if !self.cuts.contains(&node) {
            let to = self.copy(context, node);
            self.edges.push(Edge { from, to, op, span });
            return;
        }
        let context = Context { looping: true, ..context };
        let next = self.places.len();
        let number = *self.numbers.entry((context, node)).or_insert(next);
        if number == next {
            self.places.push((context, node));
        }
        let jump = self.node();
        self.edges.push(Edge { from, to: jump, op, span });
        self.jumps.push((jump, number));
        self.copy(context, node);
    }

    /// A further node after an operation.
    fn then(&mut self, from: Node, op: Op, span: Span) -> Node {
        let to = self.node();
        self.edges.push(Edge { from, to, op, span });
        to
    }

    /// The edges that leave a copy.
    fn leave(&mut self, context: Context, node: Node) {
        let source = self.source;
        let from = self.copies[&(context, node)];
        let function = &source.functions[source.nodes[node].function];
        if node == function.exit {
            let Some((calls, call)) = self.contexts[context.calls] else { return };
            return self.back(from, function.result, (Context { calls, ..context }, call));
        }
        for edge in source.leaving(node) {
            let Edge { to, op, span, .. } = source.edges[edge].clone();
            match op {
                Op::Call { function, args, .. } if self.inlined[function] => {
                    self.enter(from, (context, edge), function, &args);
                }
                Op::Return(value) if context.calls != 0 => {
                    let op = match (function.result, value) {
                        (Some(result), Some(value)) => Op::Assign(result, value),
                        _ => Op::Skip,
                    };
                    self.go(from, (op, span), (context, to));
                }
                op => self.go(from, (op, span), (context, to)),
            }
        }
    }

    fn enter(&mut self, from: Node, (context, call): (Context, EdgeId), function: FunctionId, args: &[ExprId]) {
        let source = self.source;
        let span = source.edges[call].span;
        let callee = &source.functions[function];
        assert_eq!(callee.params.len(), args.len(), "an argument for each parameter");
        let mut at = from;
        for (&param, &arg) in callee.params.iter().zip(args) {
            at = self.then(at, Op::Assign(param, arg), span);
        }
        let liveness = source.liveness();
        let stale = liveness.at_entry(function).iter().filter(|var| !callee.params.contains(var));
        for &var in stale.filter(|&&var| callee.result != Some(var)) {
            at = self.then(at, Op::Havoc(var, Source::Uninitialised), span);
        }
        for &var in callee.locals.iter().filter(|&&var| source.register(var).is_none()) {
            at = self.then(at, Op::Declare(var), span);
        }
        let next = self.contexts.len();
        let calls = *self.called.entry((context.calls, call)).or_insert(next);
        if calls == next {
            self.contexts.push(Some((context.calls, call)));
        }
        self.go(at, (Op::Skip, span), (Context { calls, ..context }, callee.entry));
    }

    fn back(&mut self, from: Node, result: Option<VarId>, (caller, call): (Context, EdgeId)) {
        let source = self.source;
        let Edge { to, op, span, .. } = &source.edges[call];
        let Op::Call { result: stored, .. } = op else { unreachable!("a context begins with a call") };
        let op = match (*stored, result) {
            (Some(stored), Some(result)) => {
                let ty = source.register(result).expect("results are registers");
                Op::Assign(stored, self.program.exprs.var(result, ty))
            }
            _ => Op::Skip,
        };
        self.go(from, (op, *span), (caller, *to));
    }

    /// The edges into the head, which set the counter, and those out of it, which ask it.
    fn dispatch(&mut self) -> Option<VarId> {
        let count = self.places.len();
        assert!(count > 0, "there is a loop");
        assert_eq!(count, self.numbers.len(), "each place has its number");
        let bits = if count <= 256 { 8 } else { 32 };
        let ty = Scalar::int(bits, false);
        let entry = self.program.entry;
        let several = count > 1;
        let counter = several.then(|| add_register(&mut self.program, "$pc", VarKind::Temporary, Some(entry), ty));
        let set = |program: &mut Program, number: usize| match counter {
            Some(counter) => Op::Assign(counter, program.exprs.int(ty, number as i128)),
            None => Op::Skip,
        };
        for (from, number) in std::mem::take(&mut self.jumps) {
            assert!(number < count, "{number} of {count} places");
            let op = set(&mut self.program, number);
            self.edges.push(Edge { from, to: self.head, op, span: Span::default() });
        }
        let mut at = self.head;
        for number in 0..count {
            let to = self.copies[&self.places[number]];
            let span = Span::default();
            let (Some(counter), true) = (counter, number + 1 < count) else {
                self.edges.push(Edge { from: at, to, op: Op::Skip, span });
                break;
            };
            let exprs = &mut self.program.exprs;
            let (value, number) = (exprs.var(counter, ty), exprs.int(ty, number as i128));
            let here = exprs.binary(BinOp::Eq, value, number);
            let elsewhere = exprs.not(here);
            self.edges.push(Edge { from: at, to, op: Op::Assume(here), span });
            at = self.then(at, Op::Assume(elsewhere), span);
        }
        counter
    }

    /// Every copy of a target is one.
    fn targets(&mut self) -> Vec<usize> {
        let mut origins: Vec<(usize, Node)> = Vec::new();
        for (index, target) in self.source.targets.iter().enumerate() {
            let function = self.source.nodes[target.node].function;
            let is_copied = function == self.program.entry || self.inlined[function];
            let contexts =
                (0..self.contexts.len()).flat_map(|calls| [false, true].map(|looping| Context { calls, looping }));
            let contexts = contexts.map(|context| (context, target.node));
            match is_copied {
                true => origins.extend(contexts.filter_map(|copy| self.copies.get(&copy)).map(|&node| (index, node))),
                false => origins.push((index, target.node)),
            }
        }
        let targets = origins.iter().map(|&(index, node)| Target { node, ..self.source.targets[index] });
        self.program.targets = targets.collect();
        origins.into_iter().map(|(index, _)| index).collect()
    }
}

/// Objects of inlined functions do not end with them, which some programs ask about.
fn ends_of_objects(source: &Prepared, calls: &CallGraph, inlined: &IdVec<FunctionId, bool>) -> Result<(), String> {
    let mut asks = false;
    for (_, edge) in source.edges.iter().filter(|(_, edge)| calls.is_reachable(source.nodes[edge.from].function)) {
        for operand in edge.op.operands() {
            source.exprs.visit(operand, |_, node| asks |= matches!(node, Expr::Living(_)));
        }
    }
    if !asks {
        return Ok(());
    }
    let first = |id: FunctionId| calls.callers(id).iter().all(|(_, caller)| *caller == source.entry);
    for id in source.functions.ids().filter(|&id| inlined[id] && id != source.entry && !first(id)) {
        let in_memory = source.functions[id].locals.iter().any(|&var| source.register(var).is_none());
        let here = |edge: &Edge| source.nodes[edge.from].function == id;
        let stack = |edge: &Edge| matches!(edge.op, Op::Allocate { how: Allocation::Stack, .. }) && here(edge);
        if in_memory || source.edges.iter().any(|(_, edge)| stack(edge)) {
            let name = source.function_name(id);
            return Err(format!("memory is checked, and objects of `{name}` would not end where it returns"));
        }
    }
    Ok(())
}

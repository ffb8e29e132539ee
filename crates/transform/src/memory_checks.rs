//! Checks of memory, made explicit: before each operation that touches memory, frees it or ends the program, branches to
//! targets of their own. The automaton has every access as an operation or a load, also those of library models, so
//! nothing is missed, and what lowering splits for its order of evaluation is in that order here.
//!
//! - Accesses to named objects are about the offset alone: the object lives as long as its name can be used. They are
//!   conditions on integers, which all analyses understand; constant offsets inside need none.
//! - All others ask how many bytes from the pointer on lie in one live object ([`Living::Room`]).
//! - A check that was passed needs no second one until something that it reads may have changed.
//! - Lost memory stays lost, so it is enough to look when the program ends; and in loops from which no path leads to the
//!   end, since executions stay there.

use base::Span;
use cfa::types::Type;
use cfa::{
    Allocation, BinOp, Check, Checks, Edge, EdgeId, Expr, ExprId, Exprs, Living, Node, NodeInfo, Op, Program, Scalar,
    Storage, Target, TargetKind, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Addresses below stem from null.
const FIRST_PAGE: i128 = cfa::addresses::PAGE as i128;

/// The kinds of checks that this pass makes.
pub const CHECKED: Checks =
    Checks::of(&[Check::Deref, Check::Null, Check::Bounds, Check::ReadOnly, Check::Free, Check::Track, Check::Cleanup]);

/// A condition that must not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Need {
    pub violated: ExprId,
    pub kind: Check,
    pub span: Span,
    pub values: [Option<ExprId>; 2],
    /// As [`Target::symbol`].
    pub symbol: &'static str,
}

/// Adds the checks of these kinds that concern memory. Edges get new ids; loop heads are not known yet.
pub fn check_memory(program: &mut Program, wanted: Checks) {
    if wanted.without(wanted.without(CHECKED)).is_empty() {
        return;
    }
    debug_assert!(program.is_indexed(), "edges changed without index()");
    crate::read_only::check_writes(program, wanted);
    let heap = |op: &Op| matches!(op, Op::Allocate { how, .. } if *how != Allocation::Stack);
    let has_heap = program.edges.iter().any(|(_, edge)| heap(&edge.op));
    let endless = if has_heap && wanted.has(Check::Track) { endless_loops(program) } else { FxHashSet::default() };
    let mut finder = Finder { program, wanted, has_heap, endless };
    if has_heap && wanted.has(Check::Track) && !flow::Loops::new(finder.program).loops.is_empty() {
        finder.assume("loops end that can, so that lost memory is found where the program ends");
    }
    let nodes: Vec<Node> = finder.program.nodes.ids().collect();
    let mut needs: FxHashMap<Node, Vec<Need>> = nodes.iter().map(|&node| (node, finder.at(node))).collect();
    program.checks.accesses |= wanted.has(Check::Deref);
    drop_passed(program, &mut needs);
    let leaving: Vec<Vec<EdgeId>> = nodes.iter().map(|&node| program.leaving(node).collect()).collect();
    for (node, leaving) in nodes.into_iter().zip(leaving) {
        insert(program, node, leaving, &needs[&node]);
    }
    program.index();
    crate::steps::follow_copies(program);
    crate::walkers::split(program);
    crate::foreseen::foresee(program);
    program.assert_valid();
}

/// Finds what must be checked.
struct Finder<'p> {
    program: &'p mut Program,
    wanted: Checks,
    /// Whether anything is allocated; if not, nothing is lost.
    has_heap: bool,
    /// Nodes that executions come back to without ever reaching the end of the program.
    endless: FxHashSet<Node>,
}

/// How many bytes are accessed.
#[derive(Clone, Copy)]
enum Size {
    Known(u64),
    /// As many as an expression of the size type says.
    Given(ExprId),
}

impl Finder<'_> {
    /// What must hold before any edge that leaves a node is taken, in order.
    fn at(&mut self, node: Node) -> Vec<Need> {
        let mut needs: Vec<Need> = Vec::new();
        let edges: Vec<Edge> = self.program.leaving(node).map(|edge| self.program.edges[edge].clone()).collect();
        for edge in edges {
            let mut loads: Vec<(ExprId, u64)> = Vec::new();
            let exprs = &self.program.exprs;
            for operand in edge.op.operands() {
                exprs.visit(operand, |id, node| match node {
                    Expr::Load(pointer) => loads.push((pointer, exprs.ty(id).bytes(self.program.model))),
                    // What is asked about will be read.
                    Expr::Binary(BinOp::Le, bytes, question) => {
                        if let Expr::Living(Living::Written(pointer)) = exprs.node(question) {
                            let bytes = exprs.constant(bytes).and_then(|bytes| u64::try_from(bytes).ok());
                            loads.extend(bytes.map(|bytes| (pointer, bytes)));
                        }
                    }
                    _ => {}
                });
            }
            for (pointer, bytes) in loads {
                self.access(&mut needs, pointer, Size::Known(bytes), edge.span);
            }
            self.operation(&mut needs, &edge.op, edge.span);
            if self.endless.contains(&node) {
                self.heap(&mut needs, Check::Track, Living::Tracked, edge.span);
            }
        }
        let mut seen = FxHashSet::default();
        needs.retain(|need| seen.insert(need.violated));
        let exprs = &self.program.exprs;
        debug_assert!(
            needs.iter().all(|need| exprs.ty(need.violated) == Scalar::Bool),
            "what is violated is a condition"
        );
        needs
    }

    fn operation(&mut self, needs: &mut Vec<Need>, op: &Op, span: Span) {
        match op {
            Op::Store { to, value } => {
                let bytes = self.program.exprs.ty(*value).bytes(self.program.model);
                self.access(needs, *to, Size::Known(bytes), span);
            }
            Op::Copy { to, from, size } => {
                let size = self.size(*size);
                self.access(needs, *from, size, span);
                self.access(needs, *to, size, span);
            }
            Op::Fill { to, size, .. } | Op::HavocMemory { to, size: Some(size), .. } => {
                let size = self.size(*size);
                self.access(needs, *to, size, span);
            }
            Op::Free(pointer) | Op::Allocate { how: Allocation::Resize(pointer), .. } => {
                if self.wanted.has(Check::Free) {
                    self.program.checks.made += 1;
                    let freeable = self.program.exprs.living(Living::Freeable(*pointer));
                    let violated = self.program.exprs.not(freeable);
                    let values = [Some(*pointer), None];
                    needs.push(Need { violated, kind: Check::Free, span, values, symbol: "" });
                }
            }
            Op::Halt(_) => {
                self.heap(needs, Check::Track, Living::Tracked, span);
                self.heap(needs, Check::Cleanup, Living::NoHeap, span);
            }
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => {}
            Op::HavocMemory { size: None, .. } | Op::Allocate { .. } | Op::End(_) | Op::Call { .. } => {}
            // Lowering says in other operations what these access.
            Op::Library { .. } => {}
            Op::CallPointer { pointer, .. } => self.call(needs, *pointer, span),
            Op::Return(_) | Op::Unsupported(_) => {}
        }
    }

    /// A call through a null pointer. Which other pointers lead to no function is known when points-to is.
    fn call(&mut self, needs: &mut Vec<Need>, pointer: ExprId, span: Span) {
        let wanted = [Check::Deref, Check::Null].into_iter().find(|&kind| self.wanted.has(kind));
        let Some(kind) = wanted else { return };
        self.program.checks.made += 1;
        let null = self.program.exprs.int(Scalar::Ptr, 0);
        let violated = self.program.exprs.binary(BinOp::Eq, pointer, null);
        if self.program.exprs.constant(violated) == Some(0) {
            self.program.checks.constant += 1;
        } else {
            needs.push(Need { violated, kind, span, values: [Some(pointer), None], symbol: "call" });
        }
    }

    fn heap(&mut self, needs: &mut Vec<Need>, kind: Check, question: Living, span: Span) {
        if !self.wanted.has(kind) {
            return;
        }
        self.program.checks.made += 1;
        if self.has_heap {
            let holds = self.program.exprs.living(question);
            let violated = self.program.exprs.not(holds);
            needs.push(Need { violated, kind, span, values: [None; 2], symbol: "" });
        } else {
            self.program.checks.constant += 1;
        }
    }

    fn size(&self, size: ExprId) -> Size {
        let constant = self.program.exprs.constant(size).and_then(|size| u64::try_from(size).ok());
        constant.map_or(Size::Given(size), Size::Known)
    }

    fn access(&mut self, needs: &mut Vec<Need>, pointer: ExprId, size: Size, span: Span) {
        self.program.checks.made += 1;
        let place = Named::new(self.program, pointer);
        let second = match (&place, size) {
            (Some(place), _) => Some(place.offset(&mut self.program.exprs)),
            (None, Size::Given(size)) => Some(size),
            (None, Size::Known(_)) => None,
        };
        let values = [Some(pointer), second];
        let mut need = |violated, kind| needs.push(Need { violated, kind, span, values, symbol: "" });
        if place.as_ref().is_some_and(|place| place.size == 0) {
            return self.assume("objects of other files whose size is not known are accessed inside");
        }
        let inside = match size {
            Size::Known(bytes) => bytes == 0 || place.as_ref().is_some_and(|place| place.contains(bytes)),
            Size::Given(_) => false,
        };
        if inside {
            self.program.checks.constant += 1;
            return;
        }
        let violated = match &place {
            Some(place) => place.outside(&mut self.program.exprs, size),
            None => outside(&mut self.program.exprs, pointer, size),
        };
        if self.wanted.has(Check::Deref) {
            return need(violated, Check::Deref);
        }
        let exprs = &mut self.program.exprs;
        let null = through_null(exprs, pointer);
        if self.wanted.has(Check::Null) && place.is_none() {
            need(null, Check::Null);
        }
        if self.wanted.has(Check::Bounds) {
            let elsewhere = exprs.not(null);
            let violated = if place.is_some() { violated } else { exprs.binary(BinOp::And, elsewhere, violated) };
            need(violated, Check::Bounds);
        }
    }
}

impl Finder<'_> {
    /// Lists what is not checked.
    fn assume(&mut self, text: &str) {
        if !self.program.assumptions.iter().any(|known| known == text) {
            self.program.assumptions.push(text.to_owned());
        }
    }
}

/// Whether an access is not inside one living object.
fn outside(exprs: &mut Exprs, pointer: ExprId, size: Size) -> ExprId {
    let size = match size {
        Size::Known(bytes) => exprs.int(exprs.model().size_type(), bytes.into()),
        Size::Given(size) => size,
    };
    let valid = exprs.valid(pointer, size);
    exprs.not(valid)
}

/// Whether the pointer that an access starts from is null, or stems from it: however far the accessed member or element
/// lies past it. What lies in a live object does not, wherever that is.
fn through_null(exprs: &mut Exprs, pointer: ExprId) -> ExprId {
    let mut root = pointer;
    while let Expr::Binary(BinOp::PtrAdd, base, _) = exprs.node(root) {
        root = base;
    }
    let page = exprs.int(Scalar::Ptr, FIRST_PAGE);
    let low = exprs.binary(BinOp::Lt, root, page);
    let nowhere = outside(exprs, root, Size::Known(1));
    exprs.binary(BinOp::And, low, nowhere)
}

/// A place in an object that the program names.
struct Named {
    /// Bytes of the object.
    size: u64,
    /// From its start, as far as it is constant; and sums of what is not.
    constant: i128,
    rest: Vec<ExprId>,
}

impl Named {
    fn new(program: &Program, pointer: ExprId) -> Option<Named> {
        let exprs = &program.exprs;
        let (mut at, mut constant, mut rest) = (pointer, 0, Vec::new());
        while let Expr::Binary(BinOp::PtrAdd, base, by) = exprs.node(at) {
            match exprs.integer(by) {
                Some(by) => constant += by,
                None => rest.push(by),
            }
            at = base;
        }
        let size = match exprs.node(at) {
            Expr::Addr(var) => match program.vars[var].storage {
                Storage::Memory { size, .. } => size,
                Storage::Register(_) => return None,
            },
            Expr::Var(var) => passed_size(program, var)?,
            Expr::Const { .. } | Expr::Function(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) => return None,
            Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => return None,
        };
        Some(Named { size, constant, rest })
    }

    /// Whether so many bytes are surely inside.
    fn contains(&self, bytes: u64) -> bool {
        self.rest.is_empty() && self.constant >= 0 && self.constant + i128::from(bytes) <= i128::from(self.size)
    }

    /// From the start of the object, as an unsigned number.
    fn offset(&self, exprs: &mut Exprs) -> ExprId {
        let (unsigned, signed) = (exprs.model().size_type(), exprs.model().offset_type());
        let constant = |exprs: &mut Exprs, ty| exprs.int(ty, self.constant);
        let sum = self.rest.iter().rev().copied().reduce(|sum, part| exprs.binary(BinOp::Add, part, sum));
        match sum {
            None => constant(exprs, unsigned),
            Some(sum) if self.constant == 0 => exprs.cast(sum, unsigned),
            Some(sum) => {
                let constant = constant(exprs, signed);
                let sum = exprs.binary(BinOp::Add, sum, constant);
                exprs.cast(sum, unsigned)
            }
        }
    }

    fn outside(&self, exprs: &mut Exprs, size: Size) -> ExprId {
        let unsigned = exprs.model().size_type();
        let offset = self.offset(exprs);
        match size {
            Size::Known(bytes) => match self.size.checked_sub(bytes) {
                None => exprs.bool(true),
                Some(_) if self.rest.is_empty() => exprs.bool(true),
                Some(last) => {
                    let last = exprs.int(unsigned, last.into());
                    exprs.binary(BinOp::Lt, last, offset)
                }
            },
            Size::Given(bytes) => {
                let (size, zero) = (exprs.int(unsigned, self.size.into()), exprs.int(unsigned, 0));
                let none = exprs.binary(BinOp::Eq, bytes, zero);
                let some = exprs.not(none);
                let behind = exprs.binary(BinOp::Lt, size, offset);
                let room = exprs.binary(BinOp::Sub, size, offset);
                let longer = exprs.binary(BinOp::Lt, room, bytes);
                let outside = exprs.binary(BinOp::Or, behind, longer);
                exprs.binary(BinOp::And, some, outside)
            }
        }
    }
}

/// The size of an aggregate that lowering passes by address: a parameter, or where a result goes.
fn passed_size(program: &Program, var: VarId) -> Option<u64> {
    let variable = &program.vars[var];
    if program.register(var) != Some(Scalar::Ptr) || variable.kind != VarKind::Parameter {
        return None;
    }
    let aggregate = |ty| match program.types.get(program.types.unqualified(ty)) {
        Type::Record(_) | Type::Array(..) | Type::Complex(_) => program.types.size(ty),
        _ => None,
    };
    match *program.types.get(program.types.unqualified(variable.ty)) {
        Type::Pointer(to) if program.text(variable.name) == "$result" => aggregate(to),
        _ => aggregate(variable.ty),
    }
}

/// A node of each cycle from which no path leads to the end of the program. What a call leads to counts as its own.
fn endless_loops(program: &Program) -> FxHashSet<Node> {
    let mut ends = FxHashSet::default();
    // A function that returns goes on in its callers; whether those come to an end is their own matter.
    let exits = program.functions.iter().map(|(_, function)| function.exit);
    let halts = program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Halt(_))).map(|(_, edge)| edge.from);
    let mut stack: Vec<Node> = exits.chain(halts).collect();
    while let Some(node) = stack.pop() {
        if ends.insert(node) {
            stack.extend(program.entering(node).iter().map(|&edge| program.edges[edge].from));
        }
    }
    // Some node of each cycle is entered from a node with a higher number, or from itself.
    let backward = |edge: &Edge| edge.from >= edge.to && !ends.contains(&edge.to);
    program.edges.iter().filter(|(_, edge)| backward(edge)).map(|(_, edge)| edge.to).collect()
}

/// Drops needs that hold since they were looked at before: on the only way here, with nothing in between that changes
/// what they read.
fn drop_passed(program: &mut Program, needs: &mut FxHashMap<Node, Vec<Need>>) {
    let mut passed: FxHashMap<Node, FxHashSet<ExprId>> = FxHashMap::default();
    // Calls enter a function, too: the one edge to its first node may be that of a loop.
    let entries: FxHashSet<Node> = program.functions.iter().map(|(_, function)| function.entry).collect();
    let single = |node: Node| program.entering(node).len() == 1 && !entries.contains(&node);
    let heads: Vec<Node> = program.nodes.ids().filter(|&node| !single(node)).collect();
    let mut dropped = 0;
    let mut stack = heads;
    while let Some(node) = stack.pop() {
        let mut known = passed.remove(&node).unwrap_or_default();
        let own = needs.get_mut(&node).expect("every node was looked at");
        let before = own.len();
        own.retain(|need| known.insert(need.violated));
        dropped += before - own.len();
        for id in program.leaving(node) {
            let edge = &program.edges[id];
            if single(edge.to) {
                let kept = known.iter().copied().filter(|&need| survives(program, id, need)).collect();
                passed.insert(edge.to, kept);
                stack.push(edge.to);
            }
        }
    }
    program.checks.constant += dropped as u32;
}

/// Whether an edge leaves the value of a condition as it was.
fn survives(program: &Program, edge: EdgeId, condition: ExprId) -> bool {
    let op = &program.edges[edge].op;
    let (memory, lives) = match op {
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) => (false, false),
        Op::Allocate { how, .. } => (false, matches!(how, Allocation::Resize(_))),
        Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => (true, false),
        Op::HavocMemory { .. } | Op::Library { .. } => (true, false),
        Op::Free(_) | Op::End(_) => (false, true),
        Op::Call { .. } | Op::CallPointer { .. } | Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => return false,
    };
    let written = op.variable();
    let mut same = true;
    program.exprs.visit(condition, |_, node| match node {
        Expr::Var(var) => same &= written != Some(var),
        Expr::Load(_) => same &= !memory,
        Expr::Living(_) => same &= !lives,
        Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
        Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
    });
    same
}

/// Puts branches to targets before the edges that leave a node. The node stays where it is, so that it may be a loop head.
pub(crate) fn insert(program: &mut Program, node: Node, leaving: Vec<EdgeId>, needs: &[Need]) {
    if needs.is_empty() {
        return;
    }
    let function = program.nodes[node].function;
    let new = |program: &mut Program| program.nodes.push(NodeInfo { function, loop_head: false });
    let mut at = node;
    for need in needs {
        let error = new(program);
        let (kind, Need { span, values, symbol, .. }) = (TargetKind::Check(need.kind), *need);
        program.targets.push(Target { node: error, kind, span, values, symbol });
        let next = new(program);
        let (op, holds) = match program.exprs.constant(need.violated) {
            Some(_) => (Op::Skip, None),
            None => (Op::Assume(need.violated), Some(program.exprs.not(need.violated))),
        };
        program.edges.push(Edge { from: at, to: error, op, span: need.span });
        if let Some(holds) = holds {
            program.edges.push(Edge { from: at, to: next, op: Op::Assume(holds), span: need.span });
        }
        at = next;
    }
    for edge in leaving {
        program.edges[edge].from = at;
    }
}

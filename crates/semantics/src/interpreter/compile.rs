//! CFA -> code, one function at a time, when it is first called. Expressions become straight-line code, each shared
//! subexpression of an edge once; a pair of assume edges becomes one conditional jump.

use super::code::{CallSite, Code, Effect, GLOBAL, Inst, Note, Noted, Operand, Pc, Routine, Size, Slot, Touched};
use super::value::Value;
use base::{Id, IdVec};
use cfa::addresses::function_address;
use cfa::{
    Allocation, BinOp, EdgeId, Expr, ExprId, Exprs, FunctionId, Node, Op, Program, Scalar, Storage, UnOp, VarId,
};

pub(super) const NO_SLOT: Slot = u32::MAX;

/// Whether code notes the edges that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tracing {
    /// It does not.
    Off,
    /// It does.
    On,
    /// It also notes the values that they assign and the memory that they touch.
    Values,
}

pub(super) struct Compiler<'p> {
    pub program: &'p Program,
    pub code: Code,
    /// Registers: their slot; memory variables: the slot of their address.
    pub vars: IdVec<VarId, Slot>,
    tracing: Tracing,
    /// Slots of constants.
    constants: Vec<Slot>,
    /// The slot of an expression, if the stamp is that of the current edge.
    memo: Vec<(u32, Slot)>,
    stamp: u32,
    /// Whether an expression may be undefined, by itself or below.
    pub partial: Vec<bool>,
    /// What was computed on one side of a choice only, and how deep choices nest.
    undo: Vec<ExprId>,
    pub depth: u32,
    labels: Vec<Pc>,
    targets: IdVec<Node, u32>,
    // Of the current function and edge:
    edge: EdgeId,
    /// Whether conditions are being evaluated.
    ahead: bool,
    next_temporary: u32,
    frame: u32,
}

/// Whether values of the type take two slots.
pub(super) fn is_wide(exprs: &Exprs, ty: Scalar) -> bool {
    ty.bits(exprs.model()) > 64
}

impl<'p> Compiler<'p> {
    pub fn new(program: &'p Program, tracing: Tracing) -> Self {
        let mut compiler = Self {
            program,
            code: Code::default(),
            vars: IdVec::filled(program.vars.len(), NO_SLOT),
            tracing,
            constants: vec![NO_SLOT; program.exprs.len()],
            memo: vec![(0, 0); program.exprs.len()],
            stamp: 0,
            partial: Vec::with_capacity(program.exprs.len()),
            undo: Vec::new(),
            depth: 0,
            labels: vec![Pc::MAX; program.nodes.len()],
            targets: IdVec::filled(program.nodes.len(), u32::MAX),
            edge: EdgeId(0),
            ahead: false,
            next_temporary: 0,
            frame: 0,
        };
        for (at, target) in program.targets.iter().enumerate() {
            compiler.targets[target.node] = at as u32;
        }
        compiler.find_partial();
        compiler.place_globals();
        compiler.code.routines = program.functions.ids().map(|function| compiler.place_locals(function)).collect();
        compiler
    }

    fn find_partial(&mut self) {
        let exprs = &self.program.exprs;
        for id in (0..exprs.len()).map(ExprId::new) {
            let below = exprs.node(id).operands().any(|operand| self.partial[operand.index()]);
            let itself = match exprs.node(id) {
                Expr::Binary(BinOp::Div | BinOp::Rem, _, b) => {
                    exprs.ty(b).is_int() && exprs.constant(b).is_none_or(|bits| bits == 0)
                }
                Expr::Binary(BinOp::Shl | BinOp::Shr, a, b) => {
                    exprs.constant(b).is_none_or(|bits| bits >= u128::from(exprs.ty(a).bits(exprs.model())))
                }
                Expr::Cast(a) => exprs.ty(a).is_float() && exprs.ty(id).is_int(),
                Expr::Load(pointer) => !matches!(exprs.node(pointer), Expr::Addr(_)),
                Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => false,
                Expr::Unary(..) | Expr::Binary(..) | Expr::Ite(..) | Expr::Living(_) => false,
            };
            self.partial.push(below || itself);
        }
        debug_assert_eq!(self.partial.len(), exprs.len(), "every expression is total or not");
    }

    fn place_globals(&mut self) {
        let program = self.program;
        for (var, variable) in program.vars.iter().filter(|(_, variable)| variable.function.is_none()) {
            self.vars[var] = GLOBAL | self.code.globals.len() as u32;
            let wide = matches!(variable.storage, Storage::Register(ty) if is_wide(&program.exprs, ty));
            self.code.globals.extend(vec![Value::default(); if wide { 2 } else { 1 }]);
        }
        for id in (0..program.exprs.len()).map(ExprId::new) {
            let (bits, wide) = match program.exprs.node(id) {
                Expr::Const { low, high } => {
                    (u128::from(low) | u128::from(high) << 64, is_wide(&program.exprs, program.exprs.ty(id)))
                }
                Expr::Function(function) => (u128::from(function_address(program.model, function.index())), false),
                Expr::Var(_) | Expr::Addr(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) => continue,
                Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => continue,
            };
            self.constants[id.index()] = GLOBAL | self.code.globals.len() as u32;
            self.code.globals.push(Value::number(bits as u64));
            if wide {
                self.code.globals.push(Value::number((bits >> 64) as u64));
            }
        }
    }

    fn place_locals(&mut self, id: FunctionId) -> Routine {
        let function = &self.program.functions[id];
        let mut next = 0;
        let (mut objects, mut constants) = (Vec::new(), Vec::new());
        for &var in &function.locals {
            self.vars[var] = next;
            match self.program.vars[var].storage {
                Storage::Register(ty) => next += if is_wide(&self.program.exprs, ty) { 2 } else { 1 },
                Storage::Memory { size, align } => {
                    objects.push((next, size, align));
                    constants.extend(self.program.is_read_only(var).then_some(next));
                    next += 1;
                }
            }
        }
        Routine {
            entry: None,
            frame: next,
            variables: next,
            params: function.params.iter().map(|&var| self.register(var)).collect(),
            result: function.result.map(|var| self.register(var)),
            objects: objects.into(),
            constants: constants.into(),
        }
    }

    fn register(&self, var: VarId) -> Operand {
        let ty = self.program.register(var).expect("parameters, results and assigned variables are registers");
        debug_assert_ne!(self.vars[var], NO_SLOT, "{var} has its place");
        Operand { slot: self.vars[var], ty }
    }

    /// Compiles a function and gives its start.
    pub fn function(&mut self, id: FunctionId) -> Pc {
        assert!(self.code.routines[id.index()].entry.is_none(), "a function is compiled once");
        let start = self.code.insts.len() as Pc;
        self.frame = self.code.routines[id.index()].variables;
        // What still has to be placed: the node, the edge that leads there, the jump to point to it.
        let mut pending = vec![(self.program.functions[id].entry, None, None)];
        while let Some((node, edge, jump)) = pending.pop() {
            if let Some(jump) = jump {
                let known = self.labels[node.index()];
                let direct = known != Pc::MAX && self.tracing == Tracing::Off;
                let to = if direct { known } else { self.here() };
                self.redirect(jump, to);
                if direct {
                    continue;
                }
            }
            if let Some(edge) = edge {
                self.trace(edge);
            }
            self.chain(node, &mut pending);
        }
        self.code.routines[id.index()].entry = Some(start);
        self.code.routines[id.index()].frame = self.frame;
        start
    }

    /// Code from `node` on, until it meets code that is there or a dead end. Branches leave their second side in `pending`.
    fn chain(&mut self, mut node: Node, pending: &mut Vec<(Node, Option<EdgeId>, Option<Pc>)>) {
        loop {
            let known = self.labels[node.index()];
            if known != Pc::MAX {
                self.emit(Inst::Jump(known));
                return;
            }
            self.labels[node.index()] = self.here();
            let edges: Vec<EdgeId> = self.program.leaving(node).collect();
            if let Some(&first) = edges.first() {
                self.begin(first);
            }
            let condition = |edge: EdgeId| match self.program.edges[edge].op {
                Op::Assume(condition) => Some(condition),
                _ => None,
            };
            let conditions: Option<Vec<ExprId>> = edges.iter().map(|&edge| condition(edge)).collect();
            self.ahead = conditions.is_some();
            match (edges.as_slice(), conditions) {
                ([], _) => {
                    self.end(node);
                    return;
                }
                (&[first, second], Some(all)) if are_opposite(&self.program.exprs, all[0], all[1]) => {
                    let jump = self.jump_unless(all[0]);
                    pending.push((self.program.edges[second].to, Some(second), Some(jump)));
                    self.trace(first);
                    node = self.program.edges[first].to;
                }
                (&[only], Some(all)) => {
                    let c = self.operand(all[0]);
                    self.emit(Inst::Require { c });
                    self.trace(only);
                    node = self.program.edges[only].to;
                }
                (several, Some(all)) => {
                    for (&edge, &condition) in several.iter().zip(&all) {
                        self.begin(edge);
                        let jump = self.jump_unless(condition);
                        let taken = self.emit(Inst::Jump(0));
                        pending.push((self.program.edges[edge].to, Some(edge), Some(taken)));
                        let next = self.here();
                        self.redirect(jump, next);
                    }
                    self.emit(Inst::Stuck);
                    return;
                }
                (&[only], None) => {
                    self.trace(only);
                    if !self.operation(only) {
                        return;
                    }
                    node = self.program.edges[only].to;
                }
                (_, None) => unreachable!("a node with several leaving edges branches by assumptions"),
            }
        }
    }

    fn end(&mut self, node: Node) {
        let target = self.targets[node];
        let function = &self.program.functions[self.program.nodes[node].function];
        self.emit(match target {
            u32::MAX if node == function.exit => Inst::Return,
            u32::MAX => Inst::Stuck,
            target => Inst::Target(target),
        });
    }

    fn begin(&mut self, edge: EdgeId) {
        self.edge = edge;
        self.stamp += 1;
        // Temporaries live in one edge only.
        let function = self.program.nodes[self.program.edges[edge].from].function;
        self.next_temporary = self.code.routines[function.index()].variables;
    }

    pub(super) fn here(&self) -> Pc {
        self.code.insts.len() as Pc
    }

    pub(super) fn emit(&mut self, inst: Inst) -> Pc {
        self.code.insts.push(inst);
        self.code.edges.push(self.edge);
        debug_assert_eq!(self.code.insts.len(), self.code.edges.len(), "every instruction is some edge's");
        self.here() - 1
    }

    fn trace(&mut self, edge: EdgeId) {
        if self.tracing != Tracing::Off {
            self.edge = edge;
            self.emit(Inst::Trace(edge));
        }
    }

    /// Code that reports the current edge, if that is wanted.
    pub(super) fn note(&mut self, what: Noted) {
        if self.tracing == Tracing::Values {
            self.code.notes.push(Note { what, ahead: self.ahead });
            self.emit(Inst::Note(self.code.notes.len() as u32 - 1));
        }
    }

    fn note_variable(&mut self, var: VarId) {
        self.note(Noted::Value(self.register(var)));
    }

    pub(super) fn temporary(&mut self, ty: Scalar) -> Slot {
        let slot = self.next_temporary;
        self.next_temporary += if is_wide(&self.program.exprs, ty) { 2 } else { 1 };
        self.frame = self.frame.max(self.next_temporary);
        slot
    }

    pub(super) fn redirect(&mut self, jump: Pc, target: Pc) {
        assert!(jump < self.here() && target <= self.here(), "jumps lead to code that is there, or comes next");
        match &mut self.code.insts[jump as usize] {
            Inst::Jump(to)
            | Inst::JumpUnless { to, .. }
            | Inst::JumpUnlessEq { to, .. }
            | Inst::JumpIfEq { to, .. }
            | Inst::JumpUnlessLtSigned { to, .. }
            | Inst::JumpUnlessLtUnsigned { to, .. }
            | Inst::JumpUnlessLeSigned { to, .. }
            | Inst::JumpUnlessLeUnsigned { to, .. } => *to = target,
            other => unreachable!("{other:?} is not a jump"),
        }
    }

    /// A jump, still without target, that is taken where the condition is false.
    fn jump_unless(&mut self, condition: ExprId) -> Pc {
        let exprs = &self.program.exprs;
        let (negated, inner) = match exprs.node(condition) {
            Expr::Unary(UnOp::Not, inner) => (true, inner),
            _ => (false, condition),
        };
        let inst = match exprs.node(inner) {
            Expr::Binary(op, x, y) if op.is_comparison() && !exprs.ty(x).is_float() && !is_wide(exprs, exprs.ty(x)) => {
                let ty = exprs.ty(x);
                let (a, b, to, unused) = (self.operand(x), self.operand(y), 0, 64 - ty.bits(exprs.model()) as u8);
                match (op, ty.is_signed(), negated) {
                    (BinOp::Eq, _, false) => Some(Inst::JumpUnlessEq { a, b, to }),
                    (BinOp::Eq, _, true) => Some(Inst::JumpIfEq { a, b, to }),
                    (BinOp::Lt, true, false) => Some(Inst::JumpUnlessLtSigned { a, b, to, unused }),
                    (BinOp::Lt, false, false) => Some(Inst::JumpUnlessLtUnsigned { a, b, to }),
                    (BinOp::Le, true, false) => Some(Inst::JumpUnlessLeSigned { a, b, to, unused }),
                    (BinOp::Le, false, false) => Some(Inst::JumpUnlessLeUnsigned { a, b, to }),
                    _ => None,
                }
            }
            _ => None,
        };
        let inst = inst.unwrap_or_else(|| Inst::JumpUnless { c: self.operand(condition), to: 0 });
        self.emit(inst)
    }

    /// Code for an operation that is not an assumption; says whether the run goes on after it.
    fn operation(&mut self, edge: EdgeId) -> bool {
        self.begin(edge);
        let program = self.program;
        let effect = match &program.edges[edge].op {
            Op::Skip => return true,
            Op::Assume(_) => unreachable!("assumptions are branches"),
            Op::Assign(var, value) => {
                let d = self.vars[*var];
                self.operand_into(*value, d);
                self.note_variable(*var);
                return true;
            }
            Op::Store { to, value } => {
                let (pointer, offset) = self.place(*to);
                let a = self.operand(*value);
                let ty = program.exprs.ty(*value);
                let bytes = ty.bytes(program.model) as u8;
                self.emit(if is_wide(&program.exprs, ty) {
                    Inst::StoreWide { a, pointer, offset, bytes }
                } else {
                    Inst::Store { a, pointer, offset, bytes }
                });
                self.note(Noted::Written(Touched { pointer, offset, size: Size::Bytes(u64::from(bytes)) }));
                self.note(Noted::Value(Operand { slot: a, ty }));
                return true;
            }
            Op::Return(value) => {
                if let Some(value) = value {
                    let function = program.nodes[program.edges[edge].from].function;
                    let result = program.functions[function].result.expect("a function that returns a value has one");
                    self.operand_into(*value, self.vars[result]);
                    self.note_variable(result);
                }
                self.emit(Inst::Return);
                return false;
            }
            Op::Call { function, args, result } => {
                let site = CallSite {
                    function: *function,
                    args: self.operands(args),
                    result: result.map(|var| self.register(var)),
                };
                self.code.calls.push(site);
                self.emit(Inst::Call(self.code.calls.len() as u32 - 1));
                if let Some(result) = result {
                    self.note_variable(*result);
                }
                return true;
            }
            Op::Havoc(var, source) => Effect::Havoc { d: self.register(*var), source: *source },
            Op::Init(var) => Effect::Init(*var),
            Op::Declare(var) => Effect::Declare(*var),
            Op::Copy { to, from, size } => {
                Effect::Copy { to: self.operand(*to), from: self.operand(*from), size: self.operand(*size) }
            }
            Op::Fill { to, byte, size } => {
                Effect::Fill { to: self.operand(*to), byte: self.operand(*byte), size: self.operand(*size) }
            }
            Op::HavocMemory { to, size, source } => {
                let to = self.operand(*to);
                Effect::HavocMemory { to, size: size.map(|size| self.operand(size)), source: *source }
            }
            Op::Allocate { result, size, how } => {
                let old = match how {
                    Allocation::Resize(old) => Some(self.operand(*old)),
                    Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => None,
                };
                Effect::Allocate { d: self.vars[*result], size: self.operand(*size), how: *how, old }
            }
            Op::Free(pointer) => Effect::Free(self.operand(*pointer)),
            Op::End(pointer) => Effect::End(self.operand(*pointer)),
            Op::CallPointer { pointer, args, result, .. } => {
                let pointer = self.operand(*pointer);
                Effect::CallPointer { pointer, args: self.operands(args), result: result.map(|var| self.register(var)) }
            }
            Op::Library { function, args, result } => Effect::Library {
                function: *function,
                args: self.operands(args),
                result: result.map(|var| self.register(var)),
            },
            Op::Halt(status) => Effect::Halt(status.map(|status| self.typed(status))),
            Op::Unsupported(what) => Effect::Unsupported(*what),
        };
        let ends = matches!(effect, Effect::Halt(_) | Effect::Unsupported(_));
        let notes = notes_of(&effect, &self.vars);
        self.code.effects.push(effect);
        self.emit(Inst::Effect(self.code.effects.len() as u32 - 1));
        for what in notes {
            self.note(what);
        }
        if let Op::Allocate { result: var, .. } | Op::Havoc(var, _) = program.edges[edge].op {
            self.note_variable(var);
        }
        !ends
    }

    fn operands(&mut self, ids: &[ExprId]) -> Box<[Operand]> {
        ids.iter().map(|&id| self.typed(id)).collect()
    }

    pub(super) fn typed(&mut self, id: ExprId) -> Operand {
        Operand { slot: self.operand(id), ty: self.program.exprs.ty(id) }
    }

    /// The slot where the value of an expression lies, on the current edge, if it needs no code (any more).
    pub(super) fn ready(&self, id: ExprId) -> Option<Slot> {
        match self.program.exprs.node(id) {
            Expr::Var(var) | Expr::Addr(var) => Some(self.vars[var]),
            Expr::Const { .. } | Expr::Function(_) => Some(self.constants[id.index()]),
            Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {
                let (stamp, slot) = self.memo[id.index()];
                (stamp == self.stamp).then_some(slot)
            }
        }
    }

    pub(super) fn remember(&mut self, id: ExprId, slot: Slot) {
        debug_assert_ne!(slot, NO_SLOT, "a value lies somewhere");
        self.memo[id.index()] = (self.stamp, slot);
        if self.depth > 0 {
            self.undo.push(id);
        }
    }

    /// Code that may be jumped over: what it computes is not ready after it.
    pub(super) fn optional(&mut self, emit: impl FnOnce(&mut Self)) {
        let mark = self.undo.len();
        self.depth += 1;
        emit(self);
        self.depth -= 1;
        debug_assert!(self.undo.len() >= mark, "inner choices forget their own");
        for id in self.undo.split_off(mark) {
            self.memo[id.index()].0 = 0;
        }
    }
}

/// Whether one condition is the negation of the other.
fn are_opposite(exprs: &Exprs, a: ExprId, b: ExprId) -> bool {
    let negates = |x: ExprId, y: ExprId| match (exprs.node(x), exprs.node(y)) {
        (Expr::Unary(UnOp::Not, inner), _) => inner == y,
        (Expr::Const { low: x, .. }, Expr::Const { low: y, .. }) => x != y,
        // As `Exprs::not` builds it.
        (Expr::Binary(BinOp::Lt, p, q), Expr::Binary(BinOp::Le, r, s)) => p == s && q == r && !exprs.ty(p).is_float(),
        _ => false,
    };
    negates(a, b) || negates(b, a)
}

/// What is told about an operation that touches memory, or gives a result that is not a plain assignment.
fn notes_of(effect: &Effect, vars: &IdVec<VarId, Slot>) -> Vec<Noted> {
    let place = |pointer, size| Touched { pointer, offset: 0, size };
    match *effect {
        Effect::Init(var) | Effect::Declare(var) => vec![Noted::Written(place(vars[var], Size::Rest))],
        Effect::Copy { to, from, size } => {
            let size = Size::Slot(size);
            vec![Noted::Read(place(from, size)), Noted::Written(place(to, size))]
        }
        Effect::Fill { to, size, .. } => vec![Noted::Written(place(to, Size::Slot(size)))],
        Effect::HavocMemory { to, size, .. } => {
            vec![Noted::Written(place(to, size.map_or(Size::Rest, Size::Slot)))]
        }
        Effect::CallPointer { result, .. } | Effect::Library { result, .. } => {
            result.map(Noted::Value).into_iter().collect()
        }
        Effect::Havoc { .. } | Effect::Allocate { .. } => Vec::new(),
        Effect::Free(_) | Effect::End(_) | Effect::Halt(_) | Effect::Unsupported(_) => Vec::new(),
    }
}

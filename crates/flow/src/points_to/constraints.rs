//! From operations to constraints. Functions are added when a call reaches them.

use super::nodes::{Move, N, Unknown, Use};
use super::pointee::{ObjectId, ObjectKind, Offset, Pointee, UNKNOWN, UNKNOWN_INT};
use super::solver::{BlockCopy, Caller, Solver};
use base::{Id, IdVec};
use cfa::types::TypeId;
use cfa::{
    Allocation, BinOp, EdgeId, Expr, ExprId, Function, FunctionId, FunctionKind, Node, Op, Program, Scalar, Source,
    Storage, UnOp, VarId,
};
use exposed::PAGE;
use rustc_hash::{FxHashMap, FxHashSet};

mod affine;

pub use affine::offset as offset_of;
mod definite;
mod exposed;

/// A call through a pointer.
pub struct PointerCall {
    pub edge: EdgeId,
    /// The type of function that is called.
    ty: TypeId,
    args: Box<[Option<N>]>,
    result: Option<VarId>,
    pub functions: Vec<FunctionId>,
    pub unknown: bool,
    /// Functions that the pointer may hold, but of another type than what is called.
    pub mistyped: Vec<FunctionId>,
}

/// What the analysis knows of expressions: `None` holds no pointer.
type Value = Option<N>;

/// The program as constraints.
pub struct Builder<'a> {
    program: &'a Program,
    nodes: IdVec<FunctionId, Vec<Node>>,
    registers: FxHashMap<VarId, N>,
    pub exprs: Vec<Option<Value>>,
    pub variables: FxHashMap<VarId, ObjectId>,
    pub allocations: FxHashMap<EdgeId, ObjectId>,
    functions: FxHashMap<FunctionId, ObjectId>,
    pub calls: Vec<PointerCall>,
    /// Which call met which function.
    called: FxHashSet<(u32, FunctionId)>,
    pub reached: IdVec<FunctionId, bool>,
    queue: Vec<FunctionId>,
    integers: exposed::Integers,
    /// Whether exposed addresses count, and what exposes them.
    exposed: bool,
    pub exposing: Vec<N>,
}

impl<'a> Builder<'a> {
    pub fn new(program: &'a Program, exposed: bool) -> Builder<'a> {
        let mut builder = Builder {
            program,
            nodes: program.nodes_by_function(),
            registers: FxHashMap::default(),
            exprs: vec![None; program.exprs.len()],
            variables: FxHashMap::default(),
            allocations: FxHashMap::default(),
            functions: FxHashMap::default(),
            calls: Vec::new(),
            called: FxHashSet::default(),
            reached: IdVec::filled(program.functions.len(), false),
            queue: Vec::new(),
            integers: exposed::Integers::new(program),
            exposed,
            exposing: Vec::new(),
        };
        builder.request(program.entry);
        builder
    }

    fn request(&mut self, function: FunctionId) {
        if !std::mem::replace(&mut self.reached[function], true) {
            self.queue.push(function);
        }
    }

    fn register(&mut self, solver: &mut Solver, var: VarId) -> N {
        *self.registers.entry(var).or_insert_with(|| solver.nodes.add())
    }

    fn variable(&mut self, solver: &mut Solver, var: VarId) -> ObjectId {
        let size = match self.program.vars[var].storage {
            Storage::Memory { size, .. } => Some(size),
            Storage::Register(_) => None,
        };
        *self.variables.entry(var).or_insert_with(|| solver.places.object(ObjectKind::Variable(var), size))
    }

    fn bits(&self, id: ExprId) -> u32 {
        self.program.exprs.ty(id).bits(self.program.model)
    }

    /// The node of an expression's value.
    pub fn value(&mut self, solver: &mut Solver, root: ExprId) -> Value {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            if self.exprs[id.index()].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let node = self.program.exprs.node(id);
            stack.extend(node.operands().filter(|operand| self.exprs[operand.index()].is_none()));
            if stack.len() == before {
                self.exprs[id.index()] = Some(self.compute(solver, id, node));
                stack.pop();
            }
        }
        self.known(root)
    }

    fn known(&self, id: ExprId) -> Value {
        self.exprs[id.index()].expect("operands are computed first")
    }

    /// The node of an expression whose operands have theirs.
    fn compute(&mut self, solver: &mut Solver, id: ExprId, node: Expr) -> Value {
        let ty = self.program.exprs.ty(id);
        match node {
            Expr::Const { .. } => self.constant(solver, id),
            Expr::Var(var) => Some(self.register(solver, var)),
            Expr::Addr(var) => {
                let object = self.variable(solver, var);
                Some(singleton(solver, object))
            }
            Expr::Function(function) => {
                let object = *self
                    .functions
                    .entry(function)
                    .or_insert_with(|| solver.places.object(ObjectKind::Function(function), Some(1)));
                Some(singleton(solver, object))
            }
            Expr::Load(pointer) => {
                let pointer = self.known(pointer)?;
                let to = solver.nodes.add();
                let width = ty.bytes(self.program.model);
                solver.nodes.add_use(pointer, Use::Load { to, width });
                Some(to)
            }
            Expr::Unary(op, a) => match op {
                UnOp::Neg | UnOp::BitNot if ty.is_int() => self.moved(solver, a, Move::by(Offset::ANY)),
                UnOp::Neg | UnOp::BitNot | UnOp::Not | UnOp::Abs | UnOp::Sqrt | UnOp::Floor => None,
                UnOp::Ceil | UnOp::Trunc | UnOp::Round | UnOp::RoundEven | UnOp::SignBit => None,
            },
            Expr::Binary(op, a, b) => self.binary(solver, ty, op, a, b),
            Expr::Cast(a) => self.cast(solver, a, ty),
            Expr::Ite(_, a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                let both = [a, b];
                self.joined(solver, both)
            }
            Expr::Living(_) => None,
        }
    }

    /// Integers are not pointers until they are cast; no object lies in the first or the last page.
    fn constant(&mut self, solver: &mut Solver, id: ExprId) -> Value {
        let bits = self.program.exprs.constant(id)?;
        let last = (1u128 << self.program.model.pointer_bits()) - PAGE;
        let somewhere = self.program.exprs.ty(id) == Scalar::Ptr && (PAGE..last).contains(&bits);
        if somewhere { self.somewhere(solver) } else { None }
    }

    /// A number that is used as a pointer: to the outside, or to an object whose address became known.
    fn somewhere(&mut self, solver: &mut Solver) -> Value {
        let values = [Some(solver.unknown), Some(solver.built)];
        self.joined(solver, values)
    }

    fn joined(&mut self, solver: &mut Solver, values: [Value; 2]) -> Value {
        match values {
            [None, other] | [other, None] => other,
            [Some(a), Some(b)] if a == b => Some(a),
            [Some(a), Some(b)] => {
                let node = solver.nodes.add();
                solver.nodes.copy(a, node);
                solver.nodes.copy(b, node);
                Some(node)
            }
        }
    }

    fn moved(&mut self, solver: &mut Solver, a: ExprId, how: Move) -> Value {
        let from = self.known(a)?;
        let node = solver.nodes.add();
        solver.nodes.shift(&mut solver.places, from, node, how);
        Some(node)
    }

    fn binary(&mut self, solver: &mut Solver, ty: Scalar, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let any = Move::by(Offset::ANY);
        match op {
            BinOp::PtrAdd if self.program.exprs.constant(a).is_some() => self.moved(solver, b, any),
            BinOp::PtrAdd => {
                self.expose_amount(solver, b);
                let by = affine::offset(self.program, b);
                self.moved(solver, a, Move::by(by))
            }
            BinOp::Add | BinOp::Sub if ty.is_int() => self.sum(solver, op, a, b),
            BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
                if ty.is_int() =>
            {
                let both = [self.moved(solver, a, any), self.moved(solver, b, any)];
                self.joined(solver, both)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => None,
            BinOp::Eq | BinOp::Lt | BinOp::Le => {
                for (operand, other) in [(a, b), (b, a)] {
                    if self.integers.exposes(self.program, op, operand, other) {
                        self.expose(solver, operand);
                    }
                }
                None
            }
            BinOp::And | BinOp::Or | BinOp::Xor => None,
        }
    }

    /// A sum of integers is a pointer where one of them is, moved by the other.
    fn sum(&mut self, solver: &mut Solver, op: BinOp, a: ExprId, b: ExprId) -> Value {
        let whole = self.bits(a) >= self.program.model.pointer_bits();
        let mut part = |builder: &mut Self, one: ExprId, other: ExprId, negated: bool, forwards: bool| {
            let mut by = affine::offset(builder.program, other);
            if negated {
                by = by.negated();
            }
            // Pointer plus arbitrary integer is that pointer, moved.
            let pointer = builder.is_pointer(other) && !builder.is_pointer(one);
            let unknown = if pointer { Unknown::Drop } else { Unknown::Pass };
            let by = if whole && forwards { by } else { Offset::ANY };
            builder.moved(solver, one, Move { by, unknown })
        };
        let subtract = op == BinOp::Sub;
        let first = part(self, a, b, subtract, true);
        let second = part(self, b, a, false, !subtract);
        self.joined(solver, [first, second])
    }

    /// What is computed now is not an address any more, but depends on the one that the expression may hold.
    fn expose(&mut self, solver: &mut Solver, id: ExprId) {
        if let Some(Some(node)) = self.exprs[id.index()] {
            self.exposing.push(node);
            if self.exposed {
                solver.nodes.copy(node, solver.outside);
            }
        }
    }

    /// An offset or a number of bytes.
    fn expose_amount(&mut self, solver: &mut Solver, id: ExprId) {
        if !self.integers.is_difference(self.program, id) {
            self.expose(solver, id);
        }
    }

    /// Whether an integer may have been put together without flow of data from the address that it is.
    fn is_built(&self, id: ExprId) -> bool {
        self.program.exprs.ty(id).is_int() && self.program.exprs.constant(id).is_none() && !self.is_pointer(id)
    }

    fn is_pointer(&self, id: ExprId) -> bool {
        self.integers.is_pointer(self.program, id)
    }

    fn cast(&mut self, solver: &mut Solver, a: ExprId, to: Scalar) -> Value {
        let from = self.program.exprs.ty(a);
        match (from, to) {
            (Scalar::Bool | Scalar::Float(_), _) => None,
            (_, Scalar::Bool | Scalar::Float(_)) => {
                if to != Scalar::Bool || from != Scalar::Ptr && !self.is_pointer(a) {
                    self.expose_amount(solver, a);
                }
                None
            }
            (Scalar::Int { .. }, Scalar::Ptr) if self.program.exprs.constant(a).is_some() => {
                let bits = self.program.exprs.constant(a)?;
                let mask = u128::MAX >> (128 - self.program.model.pointer_bits());
                let near = |bits: u128| (bits & mask) < PAGE || (bits & mask) > mask - PAGE;
                let sign_extended = ((bits << (128 - self.bits(a))) as i128 >> (128 - self.bits(a))) as u128;
                if near(bits) || near(sign_extended) { None } else { self.somewhere(solver) }
            }
            (Scalar::Int { .. }, Scalar::Ptr) => {
                let value = self.moved(solver, a, Move { by: Offset::exact(0), unknown: Unknown::Cast });
                if !self.is_built(a) {
                    return value;
                }
                let built = solver.nodes.add();
                let cast = Move { by: Offset::exact(0), unknown: Unknown::Cast };
                solver.nodes.shift(&mut solver.places, solver.built, built, cast);
                self.joined(solver, [value, Some(built)])
            }
            (Scalar::Int { .. } | Scalar::Ptr, Scalar::Int { .. } | Scalar::Ptr) => {
                let narrower = to.bits(self.program.model) < self.program.model.pointer_bits();
                if narrower && to.bits(self.program.model) < self.bits(a) {
                    return self.moved(solver, a, Move::by(Offset::ANY));
                }
                self.known(a)
            }
        }
    }

    fn function(&mut self, solver: &mut Solver, id: FunctionId) {
        let program = self.program;
        let function: &Function = &program.functions[id];
        if function.kind == FunctionKind::Extern {
            for &param in &function.params {
                let param = self.register(solver, param);
                solver.nodes.copy(param, solver.outside);
            }
        }
        for node in std::mem::take(&mut self.nodes[id]) {
            for edge in program.leaving(node) {
                self.op(solver, edge, function);
            }
        }
    }

    fn assign(&mut self, solver: &mut Solver, var: VarId, value: Value) {
        if let Some(value) = value {
            let var = self.register(solver, var);
            solver.nodes.copy(value, var);
        }
    }

    fn op(&mut self, solver: &mut Solver, id: EdgeId, function: &Function) {
        let program = self.program;
        match &program.edges[id].op {
            Op::Skip | Op::Halt(_) | Op::Unsupported(_) | Op::Declare(_) => {}
            // Free and conditions change no value, but queries ask for every pointer that is followed.
            Op::Assume(e) | Op::Free(e) | Op::End(e) => {
                self.value(solver, *e);
            }
            Op::Assign(var, e) => {
                let value = self.value(solver, *e);
                self.assign(solver, *var, value);
            }
            Op::Havoc(var, source) => {
                let ty = program.register(*var);
                let value = match source {
                    Source::Uninitialised => None,
                    Source::Input(_) | Source::Extern(_) | Source::Indeterminate | Source::Asm | Source::Parameter => {
                        match ty {
                            Some(Scalar::Ptr) => Some(solver.unknown),
                            Some(Scalar::Int { .. }) => Some(solver.unknown_int),
                            Some(Scalar::Bool | Scalar::Float(_)) | None => None,
                        }
                    }
                };
                self.assign(solver, *var, value);
                if matches!(source, Source::Extern(_)) && program.vars[*var].function.is_none() {
                    // A variable of another file: what the program puts there can be read outside.
                    let var = self.register(solver, *var);
                    solver.nodes.copy(var, solver.outside);
                }
            }
            Op::Init(var) => self.init(solver, *var),
            Op::Store { to, value } => {
                let (to, from) = (self.value(solver, *to), self.value(solver, *value));
                let width = program.exprs.ty(*value).bytes(program.model);
                let built = self.is_built(*value);
                for from in [from, built.then_some(solver.built)].into_iter().flatten() {
                    if let Some(to) = to {
                        solver.nodes.add_use(to, Use::Store { from, width });
                    }
                }
            }
            Op::Copy { to, from, size } => {
                let (to, from) = (self.value(solver, *to), self.value(solver, *from));
                self.value(solver, *size);
                self.expose_amount(solver, *size);
                if let (Some(to), Some(from)) = (to, from) {
                    let size = self.size(*size);
                    self.block_copy(solver, BlockCopy { to, from, size });
                }
            }
            Op::Fill { to, byte, size } => {
                let (to, from) = (self.value(solver, *to), self.value(solver, *byte));
                self.value(solver, *size);
                self.expose_amount(solver, *size);
                if let (Some(to), Some(from)) = (to, from) {
                    let any = solver.nodes.add();
                    solver.nodes.shift(&mut solver.places, to, any, Move::by(Offset::ANY));
                    solver.nodes.add_use(any, Use::Store { from, width: 1 });
                }
            }
            Op::HavocMemory { to, size, source } => {
                let to = self.value(solver, *to);
                let size = size.and_then(|size| self.size(size));
                match (to, source) {
                    (None, _) | (_, Source::Uninitialised) => {}
                    (
                        Some(to),
                        Source::Input(_) | Source::Extern(_) | Source::Indeterminate | Source::Asm | Source::Parameter,
                    ) => {
                        solver.nodes.add_use(to, Use::Scramble { size });
                    }
                }
            }
            Op::Allocate { result, size, how } => self.allocate(solver, id, *result, *size, *how),
            Op::Call { function: callee, args, result } => {
                let args: Vec<Value> = args.iter().map(|&arg| self.value(solver, arg)).collect();
                self.link_call(solver, *callee, &args, *result);
            }
            Op::CallPointer { pointer, args, result, ty } => {
                let pointer = self.value(solver, *pointer);
                let args: Box<[Value]> = args.iter().map(|&arg| self.value(solver, arg)).collect();
                let call = self.calls.len() as u32;
                let (result, ty, unknown) = (*result, *ty, false);
                let (functions, mistyped) = (Vec::new(), Vec::new());
                self.calls.push(PointerCall { edge: id, ty, args, result, functions, unknown, mistyped });
                if let Some(pointer) = pointer {
                    solver.nodes.add_use(pointer, Use::Call(call));
                }
            }
            Op::Return(value) => {
                let value = value.and_then(|value| self.value(solver, value));
                if let Some(result) = function.result {
                    self.assign(solver, result, value);
                }
            }
            Op::Library { function, args, result: _ } => {
                for (at, &arg) in args.iter().enumerate() {
                    let Some(value) = self.value(solver, arg) else { continue };
                    if function.writes().contains(&at) {
                        solver.nodes.add_use(value, Use::Scramble { size: None });
                    } else if crate::uses::shows(self.program, *function, arg) {
                        solver.nodes.copy(value, solver.outside);
                    }
                }
            }
        }
    }

    fn size(&self, size: ExprId) -> Option<u64> {
        self.program.exprs.constant(size).and_then(|size| u64::try_from(size).ok())
    }

    fn block_copy(&mut self, solver: &mut Solver, copy: BlockCopy) {
        let id = solver.block_copies.len() as u32;
        solver.block_copies.push(copy);
        solver.nodes.add_use(copy.to, Use::CopyTo(id));
        solver.nodes.add_use(copy.from, Use::CopyFrom(id));
    }

    fn init(&mut self, solver: &mut Solver, var: VarId) {
        let object = self.variable(solver, var);
        let program = self.program;
        for cell in &program.vars[var].init {
            if let Some(from) = self.value(solver, cell.value) {
                let at = solver.places.number(Pointee { object, offset: Offset::exact(cell.offset as i64) });
                let to = solver.nodes.add();
                solver.nodes.insert(to, at);
                let width = program.exprs.ty(cell.value).bytes(program.model);
                solver.nodes.add_use(to, Use::Store { from, width });
            }
        }
    }

    fn allocate(&mut self, solver: &mut Solver, id: EdgeId, result: VarId, size: ExprId, how: Allocation) {
        self.value(solver, size);
        let size = self.size(size);
        let object = solver.places.object(ObjectKind::Allocation(id), size);
        self.allocations.insert(id, object);
        let fresh = singleton(solver, object);
        self.assign(solver, result, Some(fresh));
        match how {
            Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => {}
            Allocation::Resize(old) => {
                if let Some(from) = self.value(solver, old) {
                    self.block_copy(solver, BlockCopy { to: fresh, from, size });
                }
            }
        }
    }

    fn link_call(&mut self, solver: &mut Solver, callee: FunctionId, args: &[Value], result: Option<VarId>) {
        self.request(callee);
        let program = self.program;
        let function = &program.functions[callee];
        for (&param, &arg) in function.params.iter().zip(args) {
            self.assign(solver, param, arg);
        }
        if function.kind == FunctionKind::Extern {
            // Without a prototype, there may be more arguments than parameters.
            for &arg in args.iter().skip(function.params.len()).flatten() {
                solver.nodes.copy(arg, solver.outside);
            }
        }
        if let (Some(to), Some(from)) = (result, function.result) {
            let from = self.register(solver, from);
            self.assign(solver, to, Some(from));
        }
    }
}

fn singleton(solver: &mut Solver, object: ObjectId) -> N {
    let node = solver.nodes.add();
    let place = solver.places.number(Pointee { object, offset: Offset::exact(0) });
    solver.nodes.insert(node, place);
    node
}

impl Caller for Builder<'_> {
    fn call(&mut self, solver: &mut Solver, call: u32, place: u32) {
        let this = &mut self.calls[call as usize];
        let (result, args) = (this.result, this.args.clone());
        if matches!(place, UNKNOWN | UNKNOWN_INT) {
            // Any function that escaped may be called, or one that is not part of the program.
            if std::mem::replace(&mut this.unknown, true) {
                return;
            }
            solver.nodes.add_use(solver.outside, Use::Call(call));
            for &arg in args.iter().flatten() {
                solver.nodes.copy(arg, solver.outside);
            }
            if let Some(result) = result {
                let unknown = solver.unknown;
                self.assign(solver, result, Some(unknown));
            }
            return;
        }
        let object = solver.places.places[place as usize].object;
        let ObjectKind::Function(function) = solver.places.objects[object].kind else { return };
        if !self.called.insert((call, function)) {
            return;
        }
        if self.program.types.may_call(this.ty, self.program.functions[function].ty) {
            this.functions.push(function);
            self.link_call(solver, function, &args, result);
        } else {
            this.mistyped.push(function);
        }
    }

    /// To call a function as another type is undefined, and one wrapper around `malloc` for all objects mixes up what
    /// they hold; so such calls are believed only where the pointer holds nothing else.
    fn last_resort(&mut self, solver: &mut Solver) -> bool {
        let mut any = false;
        for at in 0..self.calls.len() {
            let call = &mut self.calls[at];
            if !call.functions.is_empty() || call.unknown || call.mistyped.is_empty() {
                continue;
            }
            any = true;
            call.functions = std::mem::take(&mut call.mistyped);
            let (functions, args, result) = (call.functions.clone(), call.args.clone(), call.result);
            for function in functions {
                self.link_call(solver, function, &args, result);
            }
        }
        any
    }

    fn reach(&mut self, solver: &mut Solver) -> bool {
        let mut any = false;
        while let Some(function) = self.queue.pop() {
            any = true;
            self.function(solver, function);
        }
        any
    }
}

//! Builds small programs by hand for unit tests of this crate, which cannot use `lower`.

use crate::types::{IntKind, Type, TypeId};
use crate::{
    BinOp, DataModel, Edge, ExprId, Function, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar, Source,
    Storage, Target, TargetKind, VarId, VarKind, Variable,
};
use base::{Interner, SourceMap, Span};

/// A program under construction; operations go to the function begun last.
pub struct Build {
    pub program: Program,
    function: FunctionId,
}

impl Build {
    pub fn new() -> Build {
        Build { program: Program::new(DataModel::Lp64, Interner::default(), SourceMap::new()), function: FunctionId(0) }
    }

    pub fn ty(&mut self, ty: Type) -> TypeId {
        self.program.types.intern(ty)
    }

    pub fn int_type(&mut self) -> TypeId {
        self.ty(Type::Int(IntKind::Int))
    }

    /// Begins a function with that many nodes: the first is its entry, the last its exit.
    pub fn function(&mut self, name: &str, nodes: usize) -> Vec<Node> {
        self.function = self.program.functions.next_id();
        let function = self.function;
        let nodes: Vec<Node> =
            (0..nodes).map(|_| self.program.nodes.push(NodeInfo { function, loop_head: false })).collect();
        let ty = self.ty(Type::Void);
        let name = self.program.names.intern(name);
        let (entry, exit) = (nodes[0], *nodes.last().unwrap());
        let kind = FunctionKind::Defined;
        let (params, result, locals, span) = (Vec::new(), None, Vec::new(), Span::default());
        self.program.functions.push(Function { name, kind, ty, params, result, locals, entry, exit, span });
        nodes
    }

    /// Begins the function where the program starts.
    pub fn start(&mut self, nodes: usize) -> Vec<Node> {
        let nodes = self.function("start", nodes);
        self.program.functions[self.function].kind = FunctionKind::Start;
        self.program.entry = self.function;
        nodes
    }

    fn var(&mut self, name: &str, kind: VarKind, ty: TypeId, storage: Storage) -> VarId {
        let name = self.program.names.intern(name);
        let function = (kind != VarKind::Global).then_some(self.function);
        let var = Variable { name, function, kind, ty, storage, init: Box::default(), span: Span::default() };
        let id = self.program.vars.push(var);
        if let Some(function) = function {
            self.program.functions[function].locals.push(id);
        }
        id
    }

    /// A register of the current function, with the C type (a scalar one).
    pub fn register(&mut self, name: &str, ty: Type) -> VarId {
        self.register_kind(name, VarKind::Local, ty)
    }

    pub fn param(&mut self, name: &str, ty: Type) -> VarId {
        let id = self.register_kind(name, VarKind::Parameter, ty);
        self.program.functions[self.function].params.push(id);
        id
    }

    pub fn result(&mut self, ty: Type) -> VarId {
        let id = self.register_kind("result", VarKind::Result, ty);
        self.program.functions[self.function].result = Some(id);
        id
    }

    pub fn register_kind(&mut self, name: &str, kind: VarKind, ty: Type) -> VarId {
        let ty = self.ty(ty);
        let scalar = self.program.types.scalar(ty).unwrap();
        self.var(name, kind, ty, Storage::Register(scalar))
    }

    pub fn memory(&mut self, name: &str, kind: VarKind, ty: TypeId) -> VarId {
        let (size, align) = (self.program.types.size(ty).unwrap(), self.program.types.align(ty));
        self.var(name, kind, ty, Storage::Memory { size, align })
    }

    pub fn edge(&mut self, from: Node, to: Node, op: Op) {
        self.program.edges.push(Edge { from, to, op, span: Span::default() });
    }

    /// Both edges of a branch.
    pub fn branch(&mut self, from: Node, condition: ExprId, then: Node, otherwise: Node) {
        let negated = self.program.exprs.not(condition);
        self.edge(from, then, Op::Assume(condition));
        self.edge(from, otherwise, Op::Assume(negated));
    }

    pub fn input(&mut self) -> Source {
        Source::Input(self.program.names.intern("__VERIFIER_nondet_int"))
    }

    pub fn target(&mut self, node: Node) {
        let name = self.program.names.intern("reach_error");
        self.program.targets.push(Target::new(node, TargetKind::Call(name), Span::default()));
    }

    pub fn get(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).unwrap();
        self.program.exprs.var(var, ty)
    }

    pub fn int(&mut self, value: i128) -> ExprId {
        self.program.exprs.int(Scalar::INT, value)
    }

    pub fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.binary(op, a, b)
    }

    /// `pointer + bytes`
    pub fn offset(&mut self, pointer: ExprId, bytes: i128) -> ExprId {
        let offset = self.program.exprs.int(self.program.model.offset_type(), bytes);
        self.bin(BinOp::PtrAdd, pointer, offset)
    }

    pub fn finish(mut self) -> Program {
        self.program.index();
        self.program
    }
}

/// A straight-line program under construction.
pub struct Line {
    pub b: Build,
    pub at: Node,
    pub asked: Vec<VarId>,
}

impl Line {
    pub fn new() -> Line {
        let mut b = Build::new();
        let n = b.start(1);
        Line { b, at: n[0], asked: Vec::new() }
    }

    /// Reads every pointer once at the end.
    pub fn finish(mut self) -> Program {
        for var in self.asked.clone() {
            let value = self.b.get(var);
            self.op(Op::Free(value));
        }
        self.b.program.functions[FunctionId(0)].exit = self.at;
        self.b.finish()
    }

    pub fn op(&mut self, op: Op) {
        let function = self.b.program.nodes[self.at].function;
        let next = self.b.program.nodes.push(NodeInfo { function, loop_head: false });
        self.b.edge(self.at, next, op);
        self.at = next;
    }

    pub fn object(&mut self, name: &str, bytes: u64) -> ExprId {
        let char = self.b.ty(Type::Int(IntKind::Char));
        let ty = self.b.ty(Type::Array(char, bytes));
        let var = self.b.memory(name, VarKind::Global, ty);
        self.b.program.exprs.addr(var)
    }

    pub fn pointer(&mut self, name: &str) -> VarId {
        let void = self.b.ty(Type::Void);
        let var = self.b.register(name, Type::Pointer(void));
        self.asked.push(var);
        var
    }

    pub fn word(&mut self, name: &str) -> VarId {
        self.b.register(name, Type::Int(IntKind::ULong))
    }

    pub fn set(&mut self, var: VarId, value: ExprId) {
        self.op(Op::Assign(var, value));
    }

    pub fn store(&mut self, to: ExprId, value: ExprId) {
        self.op(Op::Store { to, value });
    }

    pub fn load(&mut self, pointer: ExprId) -> ExprId {
        self.b.program.exprs.load(pointer, Scalar::Ptr)
    }

    pub fn size(&mut self, bytes: i128) -> ExprId {
        self.b.program.exprs.int(Scalar::int(64, false), bytes)
    }
}

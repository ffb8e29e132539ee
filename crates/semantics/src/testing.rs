//! Builds small programs by hand for the unit tests of this crate, which cannot use `lower`.

use base::{Interner, SourceMap, Span};
use cfa::types::{IntKind, Type};
use cfa::{
    BinOp, DataModel, Edge, ExprId, Function, FunctionId, FunctionKind, Node, NodeInfo, Op, Program, Scalar, Source,
    Storage, Target, TargetKind, VarId, VarKind, Variable,
};

/// A program under construction; operations go to the end of the function begun last.
pub struct Build {
    pub program: Program,
    function: FunctionId,
    at: Node,
}

impl Build {
    pub fn new() -> Build {
        Build::of(DataModel::Lp64)
    }

    /// A program of this data model.
    pub fn of(model: DataModel) -> Build {
        let program = Program::new(model, Interner::default(), SourceMap::new());
        let mut build = Build { program, function: FunctionId(0), at: Node(0) };
        build.function("start");
        build
    }

    /// Begins a function.
    pub fn function(&mut self, name: &str) -> FunctionId {
        self.function = self.program.functions.next_id();
        let (entry, exit) = (self.node(), self.node());
        self.at = entry;
        let ty = self.program.types.intern(Type::Void);
        let name = self.program.names.intern(name);
        let (params, result, locals, span) = (Vec::new(), None, Vec::new(), Span::default());
        let kind = FunctionKind::Defined;
        self.program.functions.push(Function { name, kind, ty, params, result, locals, entry, exit, span })
    }

    pub fn node(&mut self) -> Node {
        self.program.nodes.push(NodeInfo { function: self.function, loop_head: false })
    }

    pub fn var(&mut self, storage: Storage, global: bool) -> VarId {
        let name = self.program.names.intern("x");
        let ty = self.program.types.intern(Type::Int(IntKind::Int));
        let (function, kind) = if global { (None, VarKind::Global) } else { (Some(self.function), VarKind::Local) };
        let var = Variable { name, function, kind, ty, storage, init: Box::default(), span: Span::default() };
        let id = self.program.vars.push(var);
        if !global {
            self.program.functions[self.function].locals.push(id);
        }
        id
    }

    pub fn register(&mut self, ty: Scalar) -> VarId {
        self.var(Storage::Register(ty), false)
    }

    pub fn memory(&mut self, size: u64) -> ExprId {
        let var = self.var(Storage::Memory { size, align: 8 }, false);
        self.program.exprs.addr(var)
    }

    pub fn param(&mut self, ty: Scalar) -> VarId {
        let var = self.register(ty);
        self.program.functions[self.function].params.push(var);
        var
    }

    pub fn result(&mut self, ty: Scalar) {
        let var = self.register(ty);
        self.program.functions[self.function].result = Some(var);
    }

    pub fn op(&mut self, op: Op) {
        let to = self.node();
        self.edge(self.at, to, op);
        self.at = to;
    }

    pub fn edge(&mut self, from: Node, to: Node, op: Op) {
        self.program.edges.push(Edge { from, to, op, span: Span::default() });
    }

    pub fn assign(&mut self, var: VarId, value: ExprId) {
        self.op(Op::Assign(var, value));
    }

    pub fn ret(&mut self, value: Option<ExprId>) {
        let exit = self.program.functions[self.function].exit;
        self.edge(self.at, exit, Op::Return(value));
        self.at = self.node();
    }

    /// `while (condition) body`
    pub fn repeat(&mut self, condition: ExprId, body: impl FnOnce(&mut Build)) {
        let head = self.at;
        let (inside, after) = (self.node(), self.node());
        let negated = self.program.exprs.not(condition);
        self.edge(head, inside, Op::Assume(condition));
        self.edge(head, after, Op::Assume(negated));
        self.at = inside;
        body(self);
        self.edge(self.at, head, Op::Skip);
        self.at = after;
    }

    /// `if (condition) reach_error();`
    pub fn target_if(&mut self, condition: ExprId) {
        let (node, after) = (self.node(), self.node());
        let negated = self.program.exprs.not(condition);
        self.edge(self.at, node, Op::Assume(condition));
        self.edge(self.at, after, Op::Assume(negated));
        let name = self.program.names.intern("reach_error");
        self.program.targets.push(Target::new(node, TargetKind::Call(name), Span::default()));
        self.at = after;
    }

    pub fn havoc(&mut self, var: VarId) {
        let source = Source::Input(self.program.names.intern("__VERIFIER_nondet_int"));
        self.op(Op::Havoc(var, source));
    }

    pub fn get(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).expect("a register");
        self.program.exprs.var(var, ty)
    }

    pub fn int(&mut self, value: i128) -> ExprId {
        self.program.exprs.int(Scalar::INT, value)
    }

    pub fn size(&mut self, value: i128) -> ExprId {
        self.program.exprs.int(self.program.model.size_type(), value)
    }

    pub fn bin(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.binary(op, a, b)
    }

    /// `pointer + index * 4`
    pub fn element(&mut self, pointer: ExprId, index: ExprId) -> ExprId {
        let offset = self.program.model.offset_type();
        let wide = self.program.exprs.cast(index, offset);
        let four = self.program.exprs.int(offset, 4);
        let bytes = self.bin(BinOp::Mul, wide, four);
        self.bin(BinOp::PtrAdd, pointer, bytes)
    }

    pub fn load(&mut self, pointer: ExprId) -> ExprId {
        self.program.exprs.load(pointer, Scalar::INT)
    }

    pub fn finish(mut self) -> Program {
        self.program.index();
        self.program
    }
}

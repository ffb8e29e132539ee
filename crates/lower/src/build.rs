//! The small steps that lowering is made of: folded expressions, emitted operations, temporaries.

use crate::body::Body;
use crate::context::{Callee, CalleeId, Lowering, Lowers, Value};
use cfa::types::TypeId;
use cfa::{
    BinOp, ExprId, Function, FunctionId, FunctionKind, Node, Op, Scalar, Source, Storage, UnOp, VarId, VarKind,
    Variable,
};
use semantics::fold;

impl Lowering<'_> {
    pub fn unary(&mut self, op: UnOp, a: ExprId) -> ExprId {
        fold::unary(&mut self.program.exprs, op, a)
    }

    pub fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        fold::binary(&mut self.program.exprs, op, a, b)
    }

    /// Conversion that also takes truth values to floats and pointers.
    pub fn cast(&mut self, a: ExprId, ty: Scalar) -> ExprId {
        let from = self.program.exprs.ty(a);
        if from == Scalar::Bool && !ty.is_int() && ty != Scalar::Bool {
            let number = fold::cast(&mut self.program.exprs, a, Scalar::INT);
            return fold::cast(&mut self.program.exprs, number, ty);
        }
        fold::cast(&mut self.program.exprs, a, ty)
    }

    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.program.exprs.not(a)
    }

    pub fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        self.program.exprs.ite(condition, a, b)
    }

    pub fn scalar_of(&self, a: ExprId) -> Scalar {
        self.program.exprs.ty(a)
    }

    pub fn number(&mut self, ty: Scalar, value: i128) -> ExprId {
        self.program.exprs.int(ty, value)
    }

    /// A constant of the size type.
    pub fn size_const(&mut self, value: u64) -> ExprId {
        let size = self.program.model.size_type();
        self.number(size, value.into())
    }

    pub fn null(&mut self) -> ExprId {
        self.number(Scalar::Ptr, 0)
    }

    pub fn constant(&self, a: ExprId) -> Option<u128> {
        self.program.exprs.constant(a)
    }

    /// A pointer moved by a constant number of bytes.
    pub fn offset(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        let offset = self.program.model.offset_type();
        let bytes = self.number(offset, bytes.into());
        self.binary(BinOp::PtrAdd, pointer, bytes)
    }

    pub fn load(&mut self, pointer: ExprId, ty: Scalar) -> ExprId {
        self.program.exprs.load(pointer, ty)
    }

    pub fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).expect("only registers are read by name");
        match self.captured_from(var) {
            Some(level) => {
                let slot = self.captured_slot(level, var);
                self.load(slot, ty)
            }
            None => self.program.exprs.var(var, ty),
        }
    }

    pub fn addr(&mut self, var: VarId) -> ExprId {
        match self.captured_from(var) {
            Some(level) => {
                let slot = self.captured_slot(level, var);
                self.load(slot, Scalar::Ptr)
            }
            None => self.program.exprs.addr(var),
        }
    }

    pub fn traps(&mut self, a: ExprId) -> bool {
        self.facts.traps(&self.program.exprs, &self.program.vars, a)
    }

    pub fn stable(&mut self, a: ExprId) -> bool {
        self.facts.stable(&self.program.exprs, &self.program.vars, a)
    }

    pub fn loads(&mut self, a: ExprId) -> bool {
        self.facts.loads(&self.program.exprs, &self.program.vars, a)
    }

    pub fn depth(&mut self, a: ExprId) -> u16 {
        self.facts.depth(&self.program.exprs, &self.program.vars, a)
    }

    // Operations

    pub fn emit(&mut self, op: Op) {
        let span = self.here;
        let calls = matches!(op, Op::Call { .. } | Op::CallPointer { .. });
        self.body.emit(op, span);
        if calls {
            self.ask_for_jumps();
        }
    }

    /// What `f` emits gives an object its initial value, also one that is `const`.
    pub fn initialising<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        assert!(!self.body.initialises, "what initialises an object contains no other initialiser");
        self.body.initialises = true;
        let result = f(self);
        self.body.initialises = false;
        result
    }

    pub fn node(&mut self) -> Node {
        self.body.node()
    }

    pub fn join(&mut self, from: Node, to: Node) {
        let span = self.here;
        self.body.join(from, to, span);
    }

    /// Control goes on at a node that may have other ways to it.
    pub fn go_on_at(&mut self, node: Node) {
        self.join(self.body.at, node);
        self.body.at = node;
    }

    /// Control forks: returns where the condition holds and where it does not.
    pub fn fork(&mut self, condition: ExprId) -> (Node, Node) {
        let (yes, no) = (self.node(), self.node());
        self.fork_to(condition, yes, no);
        (yes, no)
    }

    /// Control forks to the given nodes. A constant condition makes no edge.
    pub fn fork_to(&mut self, condition: ExprId, yes: Node, no: Node) {
        let from = self.body.at;
        match self.constant(condition) {
            Some(0) => self.join(from, no),
            Some(_) => self.join(from, yes),
            None => {
                assert_eq!(self.scalar_of(condition), Scalar::Bool, "a branch is taken by a truth value");
                let negated = self.not(condition);
                let span = self.here;
                self.body.edge(from, yes, Op::Assume(condition), span);
                self.body.edge(from, no, Op::Assume(negated), span);
            }
        }
    }

    /// C that is not modelled: the edge says so, and control goes on after it.
    pub fn unsupported(&mut self, what: &str) {
        let name = self.program.names.intern(what);
        self.emit(Op::Unsupported(name));
    }

    /// The program ends here; what follows is dead.
    pub fn halt(&mut self, status: Option<ExprId>) {
        self.emit(Op::Halt(status));
        self.body.at = self.body.node();
    }

    /// A register made by lowering.
    pub fn temporary(&mut self, ty: TypeId, scalar: Scalar) -> VarId {
        let ty = self.register_type(ty, scalar);
        self.make_temporary(ty, Storage::Register(scalar))
    }

    /// A global register that the program does not see.
    pub fn hidden_register(&mut self, name: &str, ty: TypeId, scalar: Scalar) -> VarId {
        let name = self.program.names.intern(name);
        self.new_var(Variable {
            name,
            function: None,
            kind: VarKind::Global,
            ty,
            storage: Storage::Register(scalar),
            init: Box::default(),
            span: base::Span::default(),
        })
    }

    /// A local object made by lowering.
    pub fn temporary_object(&mut self, ty: TypeId, size: u64) -> VarId {
        let align = self.program.types.align(ty);
        let var = self.make_temporary(ty, Storage::Memory { size, align });
        if self.body.function.is_some() {
            self.emit(Op::Declare(var));
        }
        var
    }

    fn make_temporary(&mut self, ty: TypeId, storage: Storage) -> VarId {
        self.body.temporaries += 1;
        let name = self.program.names.intern(&format!("${}", self.body.temporaries));
        let (function, span) = (self.body.function, self.here);
        self.new_var(Variable { name, function, kind: VarKind::Temporary, ty, storage, init: Box::default(), span })
    }

    /// Adds a variable, as a local where it belongs to a function.
    pub fn new_var(&mut self, variable: Variable) -> VarId {
        let local = variable.function.is_some();
        assert!(!local || variable.function == self.body.function, "a local belongs to the function at hand");
        let var = self.program.vars.push(variable);
        if local {
            self.body.locals.push(var);
        }
        var
    }

    /// The value in a fresh temporary.
    pub fn spill(&mut self, ty: TypeId, value: ExprId) -> ExprId {
        let scalar = self.scalar_of(value);
        let (scalar, value) =
            if scalar == Scalar::Bool { (Scalar::INT, self.cast(value, Scalar::INT)) } else { (scalar, value) };
        let temporary = self.temporary(ty, scalar);
        self.emit(Op::Assign(temporary, value));
        self.var(temporary)
    }

    /// An arbitrary scalar of the type.
    pub fn arbitrary(&mut self, ty: TypeId, scalar: Scalar, source: Source) -> ExprId {
        let temporary = self.temporary(ty, scalar);
        self.emit(Op::Havoc(temporary, source));
        self.var(temporary)
    }

    /// An arbitrary value of a C type after an `Unsupported` edge.
    pub fn unsupported_value(&mut self, what: &str, ty: TypeId) -> Value {
        self.unsupported(what);
        match self.scalar(ty) {
            Some(scalar) => Value { ty, expr: self.arbitrary(ty, scalar, Source::Uninitialised) },
            None if self.is_void(ty) => self.void_value(),
            None => {
                let size = self.program.types.size(ty).unwrap_or(0);
                let object = self.temporary_object(ty, size);
                Value { ty, expr: self.addr(object) }
            }
        }
    }

    pub fn void_value(&mut self) -> Value {
        Value { ty: self.basic.void, expr: self.number(Scalar::INT, 0) }
    }

    pub fn int_value(&mut self, value: i128) -> Value {
        Value { ty: self.basic.int, expr: self.number(Scalar::INT, value) }
    }

    /// Runs `f` as if it were not there: what it emits is dropped.
    pub fn unevaluated<T>(&mut self, f: impl FnOnce(&mut Self) -> Lowers<T>) -> Lowers<T> {
        let evaluated = std::mem::replace(&mut self.is_evaluated, false);
        let scratch = self.node();
        let at = std::mem::replace(&mut self.body.at, scratch);
        let result = self.evaluated_if(f, |_, _| false);
        self.is_evaluated = evaluated;
        self.body.at = at;
        result
    }

    /// Runs `f`; what it emits stays only if `kept` says so of the result.
    pub fn evaluated_if<T>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Lowers<T>,
        kept: impl FnOnce(&Self, &T) -> bool,
    ) -> Lowers<T> {
        let (at, edges, here) = (self.body.at, self.body.edges.len(), self.here);
        let (targets, unordered) = (self.body.targets.len(), self.program.unordered.len());
        let assumptions = self.assumptions.clone();
        let result = f(self);
        if result.as_ref().is_ok_and(|result| kept(self, result)) {
            return result;
        }
        self.body.edges.truncate(edges);
        self.body.targets.truncate(targets);
        self.body.at = at;
        self.here = here;
        self.assumptions = assumptions;
        self.program.unordered.truncate(unordered);
        result
    }

    /// Keeps expressions shallow: deep ones go through a temporary.
    pub fn shallow(&mut self, value: Value) -> Value {
        const DEEPEST: u16 = 200;
        if self.depth(value.expr) < DEEPEST || self.body.function.is_none() {
            return value;
        }
        Value { ty: value.ty, expr: self.spill(value.ty, value.expr) }
    }

    /// The function in the program, made at its first use.
    pub fn function(&mut self, callee: CalleeId) -> FunctionId {
        if let Some(function) = self.callees[callee].function {
            return function;
        }
        let Callee { name, ty, span, .. } = self.callees[callee];
        let function = self.program.functions.push(Function::new(name, FunctionKind::Extern, ty, span));
        self.callees[callee].function = Some(function);
        function
    }

    /// Moves the finished body into the program.
    pub fn finish_body(&mut self, function: FunctionId) {
        assert_eq!(self.body.function, Some(function), "the body at hand is that of the function");
        let Body { breaks, continues, switches, .. } = &self.body;
        assert!(breaks.is_empty() && continues.is_empty() && switches.is_empty(), "loops and switches are closed");
        self.finish_jumps_out();
        self.fill_frame();
        let mut body = std::mem::replace(&mut self.body, Body::new(None));
        let (entry, exit) = body.finish(&mut self.program, function);
        let target = &mut self.program.functions[function];
        (target.entry, target.exit, target.locals) = (entry, exit, body.locals);
    }
}

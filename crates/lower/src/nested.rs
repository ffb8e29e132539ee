//! Functions inside functions, as GNU C has them.
//!
//! A function with others inside it has an object `$frame` with a slot for each of its variables that they use: the
//! variable's address, or for registers that only lowering writes (lengths and addresses of variable-length arrays,
//! activations) a copy of the value. A function inside another gets the address of that one's frame as its hidden
//! first parameter `$link`; slot 0 of its own frame holds it, so deeper functions find the way up.
//!
//! A pointer to such a function stands for code and frame. It leads to a trampoline, a function that takes the frame
//! from a global register, which is set where the address is taken and cleared when the enclosing function returns.
//! Pointers of two living activations at a time are `Unsupported`, and so are calls through one whose activation ended.

use crate::body::Body;
use crate::context::{Callee, CalleeId, Definition, Entity, Lowering, Lowers};
use base::{Id, Span, Symbol};
use cfa::types::{Type, TypeId};
use cfa::{
    BinOp, Edge, EdgeId, ExprId, FunctionId, FunctionKind, Node, NodeInfo, Op, Storage, VarId, VarKind, Variable,
};
use std::collections::HashMap;
use syntax::ast::{self, List, Specs};

/// Bytes of a slot: every register fits.
const SLOT: u64 = 16;

/// What functions inside one see of it.
#[derive(Debug)]
pub(crate) struct Frame {
    object: VarId,
    /// The variables of slots 1, 2, ...
    slots: Vec<VarId>,
}

/// How pointers reach a function inside another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trampoline {
    inner: FunctionId,
    function: FunctionId,
    /// The global register with the frame.
    link: VarId,
    owner: FunctionId,
    frame: VarId,
}

impl Lowering<'_> {
    /// `int f(int x) { ... }` in a block.
    pub fn define_nested(
        &mut self,
        specs: Specs,
        id: ast::DeclaratorId,
        knr: List<ast::DeclId>,
        body: ast::StmtId,
    ) -> Lowers<()> {
        let (declarator, here) = (self.ast[id], self.here);
        let Some(name) = declarator.name else { return Ok(()) };
        // Lengths in the parameters' types are evaluated when the function is called.
        let ty = self.unevaluated(|l| l.ast_type(declarator.ty))?.id;
        let Type::Function { result, .. } = *self.ty(ty) else {
            return self.error(declarator.span, "expected a function type");
        };
        let callee = self.declare_nested(name, ty, declarator.name_span)?;
        self.function_attributes(callee, specs.attrs);
        self.function_attributes(callee, declarator.attrs);
        let function = self.function(callee);
        if self.program.functions[function].kind != FunctionKind::Extern {
            let message = format!("redefinition of '{}'", self.text(name));
            return self.error(declarator.name_span, message);
        }
        self.program.functions[function].kind = FunctionKind::Defined;
        self.program.functions[function].ty = ty;
        self.program.functions[function].span = declarator.span;
        let outer = std::mem::replace(&mut self.body, Body::new(Some(function)));
        self.enclosing.push(outer);
        self.here = declarator.span;
        self.enter_scope();
        let void_ptr = self.basic.void_ptr;
        self.body.link = Some(self.param("$link", void_ptr, declarator.span));
        let done = self.function_body(callee, id, knr, result, body);
        self.leave_scope();
        self.finish_body(function);
        self.body = self.enclosing.pop().expect("just pushed");
        self.here = here;
        done
    }

    /// A function inside the one at hand, declared by `auto` or defined.
    pub fn declare_nested(&mut self, name: Symbol, ty: TypeId, span: Span) -> Lowers<CalleeId> {
        let callee = match self.names.lookup_here(name) {
            Some(Entity::Function(callee)) if self.is_nested(callee) => callee,
            Some(_) => {
                let message = format!("'{}' is already declared in this block", self.text(name));
                return self.error(span, message);
            }
            None => {
                let new = Callee { name, ty, function: None, defined: true, known: None, noreturn: false, span };
                let callee = self.callees.push(new);
                self.names.bind(name, Entity::Function(callee));
                callee
            }
        };
        let function = self.function(callee);
        self.nested.insert(function, self.enclosing.len());
        if self.body.frame.is_none() {
            let object = self.new_frame();
            self.body.frame = Some(Frame { object, slots: Vec::new() });
        }
        Ok(callee)
    }

    pub fn is_nested(&self, callee: CalleeId) -> bool {
        self.callees[callee].function.is_some_and(|function| self.nested.contains_key(&function))
    }

    fn new_frame(&mut self) -> VarId {
        let name = self.program.names.intern("$frame");
        let (function, ty, span) = (self.body.function, self.basic.void_ptr, self.here);
        let storage = Storage::Memory { size: SLOT, align: SLOT };
        let kind = VarKind::Temporary;
        self.new_var(Variable { name, function, kind, ty, storage, init: Box::default(), span })
    }

    /// The level of the enclosing function that the variable is a local of.
    pub fn captured_from(&self, var: VarId) -> Option<usize> {
        let owner = self.program.vars[var].function?;
        self.enclosing.iter().position(|body| body.function == Some(owner))
    }

    /// Where the frame of the enclosing function of that level, or of the function at hand, lies.
    pub fn frame_address(&mut self, level: usize) -> ExprId {
        if level == self.enclosing.len() {
            let frame = self.body.frame.as_ref().expect("it has functions inside it");
            let object = frame.object;
            return self.program.exprs.addr(object);
        }
        let link = self.body.link.expect("functions inside others have one");
        let mut at = self.var(link);
        for _ in level + 1..self.enclosing.len() {
            at = self.load(at, cfa::Scalar::Ptr);
        }
        at
    }

    /// The slot of a variable of the enclosing function of that level.
    pub fn captured_slot(&mut self, level: usize, var: VarId) -> ExprId {
        let frame = self.enclosing[level].frame.as_mut().expect("it has functions inside it");
        let index = frame.slots.iter().position(|&slot| slot == var).unwrap_or_else(|| {
            frame.slots.push(var);
            frame.slots.len() - 1
        });
        let frame = self.frame_address(level);
        self.offset(frame, slot_offset(index))
    }

    /// The body is complete: its frame is filled where the function starts, and copies follow their registers.
    pub fn fill_frame(&mut self) {
        let Some(Frame { object, slots }) = self.body.frame.take() else { return };
        let size = slot_offset(slots.len());
        let void_ptr = self.basic.void_ptr;
        let words = size / self.program.types.size(void_ptr).expect("pointers have a size");
        self.program.vars[object].ty = self.intern(Type::Array(void_ptr, words));
        self.program.vars[object].storage = Storage::Memory { size, align: SLOT };
        let frame = self.program.exprs.addr(object);
        let (old, first) = (self.body.entry, self.node());
        (self.body.entry, self.body.at) = (first, first);
        self.here = self.program.functions[self.body.function.expect("frames belong to functions")].span;
        if let Some(link) = self.body.link {
            let value = self.var(link);
            self.emit(Op::Store { to: frame, value });
        }
        for (index, &var) in slots.iter().enumerate() {
            let to = self.offset(frame, slot_offset(index));
            if self.program.register(var).is_none() {
                let value = self.program.exprs.addr(var);
                self.emit(Op::Store { to, value });
                continue;
            }
            let value = self.var(var);
            if self.program.vars[var].kind == VarKind::Parameter {
                self.emit(Op::Store { to, value });
            }
            self.copy_after_writes(var, Op::Store { to, value });
        }
        let at = self.body.at;
        self.join(at, old);
    }

    fn copy_after_writes(&mut self, var: VarId, copy: Op) {
        for index in 0..self.body.edges.len() {
            if self.body.edges[index].op.variable() == Some(var) {
                let middle = self.node();
                let edge = &mut self.body.edges[index];
                let (to, span) = (std::mem::replace(&mut edge.to, middle), edge.span);
                self.body.edge(middle, to, copy.clone(), span);
            }
        }
    }

    /// The value of `f` or `&f` for a function inside another.
    pub fn nested_address(&mut self, callee: CalleeId) -> ExprId {
        let inner = self.function(callee);
        let level = self.nested[&inner];
        let Trampoline { function, link: register, .. } = self.trampoline(inner, level);
        let (frame, link, null) = (self.frame_address(level), self.var(register), self.null());
        let (free, same) = (self.binary(BinOp::Eq, link, null), self.binary(BinOp::Eq, link, frame));
        let single = self.binary(BinOp::Or, free, same);
        let (yes, no) = self.fork(single);
        self.body.at = no;
        self.unsupported("pointers to a function inside two activations of another");
        self.go_on_at(yes);
        self.emit(Op::Assign(register, frame));
        self.program.exprs.function(function)
    }

    /// The function's trampoline, made when its address is first taken.
    fn trampoline(&mut self, inner: FunctionId, level: usize) -> Trampoline {
        if let Some(&known) = self.trampolines.iter().find(|known| known.inner == inner) {
            return known;
        }
        let name = format!("$link${}", self.text(self.program.functions[inner].name));
        let (name, void_ptr) = (self.program.names.intern(&name), self.basic.void_ptr);
        let object = self.new_global(name, void_ptr.into(), false, self.here);
        self.objects[object].definition = Definition::Tentative;
        let body = self.enclosing.get(level).unwrap_or(&self.body);
        let owner = body.function.expect("functions are inside functions");
        let frame = body.frame.as_ref().expect("it has functions inside it").object;
        let like = self.program.functions[inner].clone();
        let function = self.program.functions.push(cfa::Function {
            kind: FunctionKind::Defined,
            params: Vec::new(),
            result: None,
            locals: Vec::new(),
            entry: Node(0),
            exit: Node(0),
            ..like
        });
        let made = Trampoline { inner, function, link: self.objects[object].var, owner, frame };
        self.trampolines.push(made);
        made
    }

    /// Gives all trampolines their bodies.
    pub fn add_trampolines(&mut self) {
        for Trampoline { inner, function, link, .. } in self.trampolines.clone() {
            let cfa::Function { ty, params, span, .. } = self.program.functions[inner].clone();
            self.program.functions[function].ty = ty;
            self.here = span;
            self.body = Body::new(Some(function));
            let result = self.result_type(ty);
            self.set_result(result, span);
            let hidden = 1 + usize::from(self.body.result_address.is_some());
            for &param in params.iter().skip(hidden) {
                let Variable { name, ty, .. } = self.program.vars[param];
                let scalar = self.program.register(param).expect("parameters are registers");
                self.named_param(name, ty, scalar, span);
            }
            let (frame, null) = (self.var(link), self.null());
            let ended = self.binary(BinOp::Eq, frame, null);
            let (yes, no) = self.fork(ended);
            self.body.at = yes;
            self.unsupported("call of a function inside another one that has returned");
            self.go_on_at(no);
            let passed = self.program.functions[function].params.clone();
            let args = std::iter::once(link).chain(passed).map(|var| self.var(var)).collect();
            let to = self.scalar(result).map(|scalar| self.temporary(result, scalar));
            self.emit(Op::Call { function: inner, args, result: to });
            let value = to.map(|to| self.var(to));
            self.leave(value);
            self.finish_body(function);
        }
    }

    /// When the enclosing function returns, pointers to those inside it lead nowhere.
    pub fn end_trampolines(&mut self) {
        let mut ends: HashMap<FunctionId, Vec<Op>> = HashMap::new();
        for Trampoline { link, owner, frame, .. } in self.trampolines.clone() {
            let (held, frame, null) = (self.var(link), self.addr(frame), self.null());
            let mine = self.binary(BinOp::Eq, held, frame);
            let left = self.ite(mine, null, held);
            ends.entry(owner).or_default().push(Op::Assign(link, left));
        }
        if ends.is_empty() {
            return;
        }
        for index in 0..self.program.edges.len() {
            let Edge { from, to, op, span } = self.program.edges[EdgeId::new(index)].clone();
            let function = self.program.nodes[from].function;
            let Some(ends) = ends.get(&function).filter(|_| matches!(op, Op::Return(_))) else { continue };
            let mut at = from;
            for end in ends {
                let next = self.program.nodes.push(NodeInfo { function, loop_head: false });
                self.program.edges.push(Edge { from: at, to: next, op: end.clone(), span });
                at = next;
            }
            self.program.edges[EdgeId::new(index)] = Edge { from: at, to, op, span };
        }
    }
}

fn slot_offset(index: usize) -> u64 {
    SLOT * (index as u64 + 1)
}

//! How a program uses its memory: which variables are only reached by their own address (which is never kept, passed or
//! compared), at which offsets and widths they are accessed, which accesses go through other pointers, and which
//! pointers are compared.

use base::{Id, IdVec};
use cfa::{Allocation, BinOp, Expr, ExprId, Exprs, Library, Op, Program, Scalar, Storage, VarId, VarKind};
use rustc_hash::FxHashSet;

/// A pointer that is the address of a variable plus something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Direct {
    /// The variable.
    pub var: VarId,
    /// Bytes from its start, where constant.
    pub offset: Option<u64>,
}

/// What `pointer` points to, where its expression shows it.
pub fn direct(exprs: &Exprs, pointer: ExprId) -> Option<Direct> {
    let mut offset = Some(0_i128);
    let mut at = pointer;
    loop {
        match exprs.node(at) {
            Expr::Addr(var) => {
                return Some(Direct { var, offset: offset.and_then(|offset| u64::try_from(offset).ok()) });
            }
            Expr::Binary(BinOp::PtrAdd, base, by) => {
                let width = exprs.model().pointer_bits();
                let by = exprs.constant(by).map(|bits| (bits << (128 - width)) as i128 >> (128 - width));
                offset = offset.zip(by).map(|(a, b)| a + b);
                at = base;
            }
            Expr::Const { .. } | Expr::Var(_) | Expr::Function(_) | Expr::Load(_) => return None,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => return None,
        }
    }
}

/// Whether a library function shows an address to the outside, or what lies there: what is written may be read again, be
/// it text or bytes of addresses.
pub fn shows(program: &Program, function: Library, arg: ExprId) -> bool {
    let is_literal = matches!(program.exprs.node(arg), Expr::Addr(var) if program.vars[var].kind == VarKind::Literal);
    function.is_output() && !is_literal
}

/// A read or write of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// Where.
    pub pointer: ExprId,
    /// As what: a scalar, or a constant or unknown number of bytes.
    pub extent: Extent,
}

/// How much an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A value.
    Scalar(Scalar),
    /// So many bytes.
    Bytes(u64),
    /// As many as the execution says.
    Unknown,
    /// The whole object, wherever in it the pointer points to.
    Object,
}

/// How the program uses memory.
pub struct Uses {
    /// Whether the variable's address is used other than for an access.
    pub escapes: IdVec<VarId, bool>,
    /// All accesses, each once.
    pub accesses: Vec<Access>,
    /// Copies of constant size: to, from, bytes.
    pub copies: Vec<(ExprId, ExprId, u64)>,
    /// Comparisons of two pointers, or of integers made of them, for equality, each once.
    pub comparisons: Vec<ExprId>,
}

impl Uses {
    /// Looks at all edges and initialisers.
    pub fn new(program: &Program) -> Uses {
        let escapes = IdVec::filled(program.vars.len(), false);
        let uses = Uses { escapes, accesses: Vec::new(), copies: Vec::new(), comparisons: Vec::new() };
        let mut scan = Scan { program, uses, seen: FxHashSet::default(), read: FxHashSet::default() };
        for (_, var) in program.vars.iter() {
            var.init.iter().for_each(|cell| scan.value(cell.value));
        }
        for (_, edge) in program.edges.iter() {
            scan.op(&edge.op);
        }
        debug_assert!(scan.uses.accesses.iter().all(|access| program.exprs.ty(access.pointer) == Scalar::Ptr));
        scan.uses
    }
}

struct Scan<'p> {
    program: &'p Program,
    uses: Uses,
    seen: FxHashSet<ExprId>,
    read: FxHashSet<ExprId>,
}

impl Scan<'_> {
    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Unsupported(_) => {}
            Op::Assume(value) | Op::Assign(_, value) => self.value(*value),
            Op::Free(pointer) | Op::End(pointer) => self.pointer(*pointer),
            Op::Return(value) | Op::Halt(value) => value.iter().for_each(|value| self.value(*value)),
            Op::Store { to, value } => {
                self.value(*value);
                self.access(*to, Extent::Scalar(self.program.exprs.ty(*value)));
            }
            Op::Copy { to, from, size } => {
                self.value(*size);
                let extent = self.extent(*size);
                self.access(*to, extent);
                self.access(*from, extent);
                if let Extent::Bytes(bytes) = extent {
                    self.uses.copies.push((*to, *from, bytes));
                }
            }
            Op::Fill { to, byte, size } => {
                self.value(*size);
                self.value(*byte);
                let extent = self.extent(*size);
                self.access(*to, extent);
            }
            Op::HavocMemory { to, size, .. } => {
                size.iter().for_each(|size| self.value(*size));
                let extent = size.map_or(Extent::Object, |size| self.extent(size));
                self.access(*to, extent);
            }
            Op::Allocate { size, how, .. } => {
                self.value(*size);
                if let Allocation::Resize(old) = how {
                    self.value(*old);
                    self.access(*old, Extent::Unknown);
                }
            }
            Op::Call { args, .. } => args.iter().for_each(|arg| self.value(*arg)),
            Op::CallPointer { pointer, args, .. } => {
                self.value(*pointer);
                args.iter().for_each(|arg| self.value(*arg));
            }
            Op::Library { function, args, .. } => {
                for (at, arg) in args.iter().enumerate() {
                    if function.writes().contains(&at) {
                        self.access(*arg, Extent::Object);
                    } else if shows(self.program, *function, *arg) {
                        self.value(*arg);
                    } else {
                        self.pointer(*arg);
                    }
                }
            }
        }
    }

    fn extent(&self, size: ExprId) -> Extent {
        let constant = self.program.exprs.constant(size);
        constant.and_then(|bytes| u64::try_from(bytes).ok()).map_or(Extent::Unknown, Extent::Bytes)
    }

    fn access(&mut self, pointer: ExprId, extent: Extent) {
        self.uses.accesses.push(Access { pointer, extent });
        self.pointer(pointer);
    }

    /// A pointer that is only followed: the variable that it shows does not escape.
    fn pointer(&mut self, pointer: ExprId) {
        if direct(&self.program.exprs, pointer).is_none() {
            return self.value(pointer);
        }
        let mut at = pointer;
        while let Expr::Binary(_, base, by) = self.program.exprs.node(at) {
            self.value(by);
            at = base;
        }
    }

    /// A value that may flow anywhere.
    fn value(&mut self, root: ExprId) {
        let mut stack = vec![root];
        while let Some(expr) = stack.pop() {
            if !self.seen.insert(expr) {
                continue;
            }
            match self.program.exprs.node(expr) {
                Expr::Addr(var) => self.uses.escapes[var] = true,
                Expr::Load(pointer) => {
                    if self.read.insert(expr) {
                        self.access(pointer, Extent::Scalar(self.program.exprs.ty(expr)));
                    }
                }
                Expr::Living(question) => question.pointer().into_iter().for_each(|pointer| self.pointer(pointer)),
                node @ (Expr::Const { .. } | Expr::Var(_) | Expr::Function(_)) => {
                    debug_assert!(node.operands().count() == 0)
                }
                node @ (Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..)) => {
                    let exprs = &self.program.exprs;
                    let is_pointer = |id: ExprId| exprs.ty(exprs.without_casts(id)) == Scalar::Ptr;
                    if matches!(node, Expr::Binary(BinOp::Eq, a, b) if is_pointer(a) && is_pointer(b)) {
                        self.uses.comparisons.push(expr);
                    }
                    stack.extend(node.operands())
                }
            }
        }
    }
}

/// The bytes of a memory variable; `None` for registers.
pub fn size_of(program: &Program, var: VarId) -> Option<u64> {
    debug_assert!(var.index() < program.vars.len());
    match program.vars[var].storage {
        Storage::Memory { size, .. } => Some(size),
        Storage::Register(_) => None,
    }
}

/// How many bytes an object has, where it is a variable.
pub fn variable_size(program: &Program, var: VarId) -> u64 {
    size_of(program, var).unwrap_or(0)
}

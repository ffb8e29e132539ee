//! What the meaning of a program assumes of its pointers. An access outside its object is undefined, and so is comparing
//! a pointer past the end of an object or to a dead one; analyses may take neither to happen, so both are listed
//! with the verdict, unless the text of the program shows that they cannot. So is how large objects are whose size is
//! computed: formulas give them that much room.

use cfa::{Allocation, BinOp, DataModel, Expr, ExprId, Op, Program, Scalar, Storage};
use rustc_hash::FxHashSet;

/// Lists what is assumed of pointers.
pub fn list_pointer_assumptions(program: &mut Program) {
    let uses = Uses::new(program);
    let (accesses, comparisons) = (uses.accesses.len(), uses.comparisons.len());
    let is_computed = |op: &Op| matches!(op, Op::Allocate { size, .. } if program.exprs.constant(*size).is_none());
    let checked = program.checks.accesses;
    let computed = program.edges.iter().filter(|(_, edge)| is_computed(&edge.op)).count();
    let mut list = |count: usize, what: &str, noun: &str| {
        let plural = if count == 1 { "" } else { "s" };
        if count > 0 {
            program.assumptions.push(format!("{what} ({count} {noun}{plural})"));
        }
    };
    let what = match checked {
        true => "memory is accessed aligned as its type demands",
        false => "memory is accessed inside living objects, aligned as its type demands",
    };
    list(accesses, what, "place");
    let room = if program.model == DataModel::Lp64 { "1 TiB" } else { "4 MiB" };
    let most = format!("objects whose size is computed have at most {room}");
    list(computed, &most, "allocation");
    list(comparisons, "compared pointers point into living objects, not past their end", "comparison");
}

/// What is not plainly valid.
struct Uses<'p> {
    program: &'p Program,
    accesses: FxHashSet<(ExprId, Option<u64>)>,
    comparisons: FxHashSet<ExprId>,
    seen: FxHashSet<ExprId>,
}

impl<'p> Uses<'p> {
    fn new(program: &'p Program) -> Self {
        let (accesses, comparisons, seen) = Default::default();
        let mut uses = Uses { program, accesses, comparisons, seen };
        for (_, edge) in program.edges.iter() {
            uses.op(&edge.op);
        }
        uses
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Unsupported(_) => {}
            Op::Assume(value) | Op::Assign(_, value) | Op::Free(value) | Op::End(value) => self.value(*value),
            Op::Return(value) | Op::Halt(value) => value.iter().for_each(|value| self.value(*value)),
            Op::Store { to, value } => {
                self.access(*to, Some(self.program.exprs.ty(*value).bytes(self.program.model)));
                self.value(*value);
            }
            Op::Copy { to, from, size } => {
                let bytes = self.size(*size);
                self.access(*to, bytes);
                self.access(*from, bytes);
                self.value(*size);
            }
            Op::Fill { to, byte, size } => {
                self.access(*to, self.size(*size));
                self.value(*byte);
                self.value(*size);
            }
            Op::HavocMemory { to, size, .. } => {
                // Without a size, the whole object.
                self.access(*to, size.map_or(Some(0), |size| self.size(size)));
                size.iter().for_each(|size| self.value(*size));
            }
            Op::Allocate { size, how, .. } => {
                self.value(*size);
                if let Allocation::Resize(old) = how {
                    self.value(*old);
                }
            }
            Op::Call { args, .. } | Op::CallPointer { args, .. } | Op::Library { args, .. } => {
                args.iter().for_each(|arg| self.value(*arg));
            }
        }
    }

    fn size(&self, size: ExprId) -> Option<u64> {
        self.program.exprs.constant(size).and_then(|size| u64::try_from(size).ok())
    }

    fn access(&mut self, pointer: ExprId, bytes: Option<u64>) {
        if !self.is_inside(pointer, bytes) {
            self.accesses.insert((pointer, bytes));
        }
        self.value(pointer);
    }

    fn value(&mut self, root: ExprId) {
        let exprs = &self.program.exprs;
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            let node = exprs.node(id);
            stack.extend(node.operands());
            match node {
                Expr::Load(pointer) => {
                    let bytes = Some(exprs.ty(id).bytes(self.program.model));
                    if !self.is_inside(pointer, bytes) {
                        self.accesses.insert((pointer, bytes));
                    }
                }
                Expr::Binary(BinOp::Eq, a, b) if self.is_pointer(a) && self.is_pointer(b) => {
                    self.comparisons.insert(id);
                }
                Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
                Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
            }
        }
    }

    /// Whether a value is a pointer that is not plainly valid, nor null.
    fn is_pointer(&self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let id = exprs.without_casts(id);
        let plain = matches!(exprs.node(id), Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_));
        exprs.ty(id) == Scalar::Ptr && !plain
    }

    /// Whether an access lies in a variable, whatever the execution is.
    fn is_inside(&self, pointer: ExprId, bytes: Option<u64>) -> bool {
        let exprs = &self.program.exprs;
        let (mut at, mut offset) = (pointer, 0_i128);
        while let Expr::Binary(BinOp::PtrAdd, base, by) = exprs.node(at) {
            let Some(by) = exprs.integer(by) else { return false };
            offset += by;
            at = base;
        }
        let Expr::Addr(var) = exprs.node(at) else { return false };
        let Storage::Memory { size, .. } = self.program.vars[var].storage else { return false };
        bytes.is_some_and(|bytes| offset >= 0 && offset + i128::from(bytes) <= i128::from(size))
    }
}

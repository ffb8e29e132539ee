//! What lowering must know of expressions again and again: whether they may trap, whether later side effects may
//! change them, how deep they are. Computed once per expression, operands first.

use base::{Id, IdVec};
use cfa::{BinOp, Expr, ExprId, Exprs, Storage, VarId, VarKind, Variable};

#[derive(Clone, Copy, Debug)]
struct Fact {
    traps: bool,
    /// Reads memory.
    loads: bool,
    /// Reads a register that is not a temporary (those are assigned once per evaluation).
    reads: bool,
    depth: u16,
}

/// Facts about all expressions of one store.
#[derive(Debug)]
pub(crate) struct Facts {
    known: Vec<Fact>,
    /// Whether reading a local counts as a trap: it may never have been written, and that is checked.
    locals_trap: bool,
}

impl Facts {
    /// For a program whose reads of locals are checked, or not.
    pub fn new(locals_trap: bool) -> Facts {
        Facts { known: Vec::new(), locals_trap }
    }

    fn of(&mut self, exprs: &Exprs, vars: &IdVec<VarId, Variable>, id: ExprId) -> Fact {
        for at in self.known.len()..=id.index() {
            let fact = self.compute(exprs, vars, ExprId::new(at));
            self.known.push(fact);
        }
        self.known[id.index()]
    }

    fn compute(&self, exprs: &Exprs, vars: &IdVec<VarId, Variable>, id: ExprId) -> Fact {
        let node = exprs.node(id);
        let mut fact = Fact { traps: false, loads: false, reads: false, depth: 0 };
        for operand in node.operands() {
            let below = self.known[operand.index()];
            fact.traps |= below.traps;
            fact.loads |= below.loads;
            fact.reads |= below.reads;
            fact.depth = fact.depth.max(below.depth.saturating_add(1));
        }
        match node {
            Expr::Var(var) => {
                fact.reads = vars.get(var).is_none_or(|var| var.kind != VarKind::Temporary);
                let local = vars.get(var).is_some_and(|var| var.kind == VarKind::Local);
                fact.traps = self.locals_trap && local;
            }
            Expr::Load(pointer) => {
                fact.loads = true;
                fact.traps |= !in_range(exprs, vars, pointer, exprs.ty(id).bytes(exprs.model()));
            }
            Expr::Binary(BinOp::Div | BinOp::Rem, _, divisor) if exprs.ty(divisor).is_int() => {
                fact.traps |= exprs.constant(divisor).is_none_or(|bits| bits == 0);
            }
            // Not traps to the machine, but undefined: evaluating them where C does not would blame the program.
            Expr::Binary(BinOp::Shl | BinOp::Shr, value, amount) => {
                let width = exprs.ty(value).bits(exprs.model());
                fact.traps |= exprs.constant(amount).is_none_or(|amount| amount >= width.into());
            }
            Expr::Cast(value) if exprs.ty(value).is_float() => fact.traps |= exprs.ty(id).is_int(),
            Expr::Living(_) => fact.loads = true,
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) => {}
            Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
        }
        fact
    }

    /// Whether evaluating it may be undefined: divide by zero, shift too far, leave an object.
    pub fn traps(&mut self, exprs: &Exprs, vars: &IdVec<VarId, Variable>, id: ExprId) -> bool {
        self.of(exprs, vars, id).traps
    }

    /// Whether its value is the same whatever happens before it is evaluated.
    pub fn stable(&mut self, exprs: &Exprs, vars: &IdVec<VarId, Variable>, id: ExprId) -> bool {
        let fact = self.of(exprs, vars, id);
        !fact.loads && !fact.reads
    }

    /// Whether it reads memory.
    pub fn loads(&mut self, exprs: &Exprs, vars: &IdVec<VarId, Variable>, id: ExprId) -> bool {
        self.of(exprs, vars, id).loads
    }

    /// Operators on the longest way down.
    pub fn depth(&mut self, exprs: &Exprs, vars: &IdVec<VarId, Variable>, id: ExprId) -> u16 {
        self.of(exprs, vars, id).depth
    }
}

/// Whether `bytes` at the pointer surely lie in a named variable.
fn in_range(exprs: &Exprs, vars: &IdVec<VarId, Variable>, pointer: ExprId, bytes: u64) -> bool {
    let (base, offset) = match exprs.node(pointer) {
        Expr::Binary(BinOp::PtrAdd, base, offset) => (base, exprs.constant(offset)),
        _ => (pointer, Some(0)),
    };
    match (exprs.node(base), offset) {
        (Expr::Addr(var), Some(offset)) => match vars.get(var).map(|var| var.storage) {
            Some(Storage::Memory { size, .. }) => {
                offset.checked_add(bytes.into()).is_some_and(|end| end <= size.into())
            }
            Some(Storage::Register(_)) | None => false,
        },
        _ => false,
    }
}

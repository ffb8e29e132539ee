//! What the meaning of a program assumes of its pointers. An access outside its object is undefined, and so is comparing
//! a pointer past the end of an object or to a dead one; analyses may take neither to happen, so both are listed
//! with the verdict, unless the text of the program shows that they cannot. So is how large objects are whose size is
//! computed: formulas give them that much room.

use crate::uses::{Extent, Uses};
use cfa::{BinOp, DataModel, Expr, ExprId, Op, Program, Scalar, Storage};
use rustc_hash::FxHashSet;

/// Lists what is assumed of pointers.
pub fn list_pointer_assumptions(program: &mut Program) {
    let doubts = Doubts::new(program);
    let (accesses, comparisons) = (doubts.accesses.len(), doubts.comparisons);
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
        true => "memory is accessed aligned as its type requires",
        false => "memory is accessed inside live objects, aligned as its type requires",
    };
    list(accesses, what, "place");
    let room = if program.model == DataModel::Lp64 { "1 TiB" } else { "4 MiB" };
    let most = format!("objects whose size is computed have at most {room}");
    list(computed, &most, "allocation");
    list(comparisons, "compared pointers point into live objects, not past their end", "comparison");
}

/// What is not plainly valid.
struct Doubts<'p> {
    program: &'p Program,
    accesses: FxHashSet<(ExprId, Option<u64>)>,
    comparisons: usize,
}

impl<'p> Doubts<'p> {
    fn new(program: &'p Program) -> Self {
        let uses = Uses::new(program);
        let mut doubts = Doubts { program, accesses: FxHashSet::default(), comparisons: 0 };
        for access in &uses.accesses {
            let bytes = match access.extent {
                Extent::Scalar(ty) => Some(ty.bytes(program.model)),
                Extent::Bytes(bytes) => Some(bytes),
                Extent::Unknown => None,
                Extent::Object => Some(0),
            };
            if !doubts.is_inside(access.pointer, bytes) {
                doubts.accesses.insert((access.pointer, bytes));
            }
        }
        let doubtful = |&&id: &&ExprId| program.exprs.node(id).operands().all(|pointer| doubts.is_pointer(pointer));
        doubts.comparisons = uses.comparisons.iter().filter(doubtful).count();
        doubts
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

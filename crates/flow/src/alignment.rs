//! Pointers to the outside have no offset into an object that could be compared, so their alignment is read off the
//! arithmetic that makes them: what comes from outside is aligned as its type demands, and stays so while it moves by
//! multiples of the width.

use crate::points_to::{PointsTo, offset_of};
use base::Id;
use cfa::{BinOp, Expr, ExprId, Program, Scalar};

/// Whether the program makes pointers to the outside that need not be multiples of `width` away from each other.
pub(crate) fn may_misalign(program: &Program, points_to: &PointsTo, width: u64) -> bool {
    (0..program.exprs.len()).map(ExprId::new).any(|id| {
        let amount = match program.exprs.node(id) {
            Expr::Binary(BinOp::PtrAdd, _, by) => by,
            Expr::Cast(from) if program.exprs.ty(id) == Scalar::Ptr && program.exprs.ty(from).is_int() => from,
            _ => return false,
        };
        !is_multiple(program, amount, width) && points_to.targets(id).unknown
    })
}

fn is_multiple(program: &Program, amount: ExprId, width: u64) -> bool {
    let by = offset_of(program, amount);
    by.start.unsigned_abs().is_multiple_of(width) && u64::from(by.stride).is_multiple_of(width)
}

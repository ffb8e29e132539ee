//! Whether string literals are one object is open in C [C11 6.4.5p7]: equal ones may be, and one may be the end of another.
//! Here equal ones are one object and all others are apart, which is what gcc makes of a file without optimisation. Where a
//! comparison of pointers may depend on it, that is listed among the assumptions.

use crate::points_to::{ObjectKind, PointsTo};
use cfa::{BinOp, Expr, ExprId, Program, Scalar, VarId, VarKind};

/// What is assumed.
pub const SHARED: &str = "equal string literals are one object, others are apart, as gcc places them";

/// Lists the assumption if pointers to literals are compared that may be one object or not.
pub fn list_literal_assumptions(program: &mut Program, points_to: &PointsTo) {
    let literals = |id: ExprId| -> Vec<VarId> {
        let places = points_to.targets(id).places;
        let mut found: Vec<VarId> = places
            .iter()
            .filter_map(|place| match points_to.objects[place.object].kind {
                ObjectKind::Variable(var) if program.vars[var].kind == VarKind::Literal => Some(var),
                _ => None,
            })
            .collect();
        found.dedup();
        found
    };
    let depends = program.exprs.ids().any(|id| match program.exprs.node(id) {
        Expr::Binary(BinOp::Eq | BinOp::Lt | BinOp::Le, a, b) if program.exprs.ty(a) == Scalar::Ptr => {
            let (a, b) = (literals(a), literals(b));
            a.iter().any(|&x| b.iter().any(|&y| may_share(program, x, y)))
        }
        _ => false,
    });
    if depends && !program.assumptions.iter().any(|known| known == SHARED) {
        program.assumptions.push(SHARED.to_owned());
    }
}

/// Whether C leaves open how two literals lie to each other: one that the text has more than once, or one that the other ends
/// with.
pub fn may_share(program: &Program, x: VarId, y: VarId) -> bool {
    if x == y {
        return program.repeated_literals.contains(&x);
    }
    let (a, b) = (bytes(program, x), bytes(program, y));
    a.ends_with(&b) || b.ends_with(&a)
}

/// What a literal holds.
fn bytes(program: &Program, var: VarId) -> Vec<u8> {
    let variable = &program.vars[var];
    let mut text = vec![0; program.types.size(variable.ty).unwrap_or(0) as usize];
    for cell in &variable.init {
        let width = program.exprs.ty(cell.value).bytes(program.model) as usize;
        let bits = program.exprs.constant(cell.value).unwrap_or(0).to_le_bytes();
        if let Some(place) = text.get_mut(cell.offset as usize..cell.offset as usize + width) {
            place.copy_from_slice(&bits[..width]);
        }
    }
    text
}

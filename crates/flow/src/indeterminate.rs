//! Pointer variables that may be read before they are set. Reading one gives an arbitrary value, and a pointer that
//! the program did not make can only point outside it, like one that comes from an external function. Harnesses of
//! drivers declare the objects that the kernel would hand over in this way and never set them.
//!
//! A variable that is set on every path to a read keeps its plain [`Source::Uninitialised`], so that the points-to
//! analysis, which does not ask for the order of edges, learns nothing from its declaration.

use crate::liveness::Liveness;
use cfa::{EdgeId, Op, Program, Scalar, Source, VarKind};

/// Marks the declarations of local pointers after which a path reads what they hold.
pub fn find_indeterminate_pointers(program: &mut Program) {
    let liveness = Liveness::new(program);
    let read: Vec<EdgeId> = program
        .edges
        .iter()
        .filter(|&(id, edge)| match edge.op {
            Op::Havoc(var, Source::Uninitialised) => {
                program.register(var) == Some(Scalar::Ptr)
                    && program.vars[var].kind == VarKind::Local
                    && !liveness.deaths(id).contains(&var)
            }
            _ => false,
        })
        .map(|(id, _)| id)
        .collect();
    for edge in read {
        if let Op::Havoc(var, _) = program.edges[edge].op {
            program.edges[edge].op = Op::Havoc(var, Source::Indeterminate);
        }
    }
}

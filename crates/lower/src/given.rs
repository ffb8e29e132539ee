//! A function that is verified on its own: the start of the program calls it with arbitrary arguments. Numbers are
//! arbitrary; a pointer is null, leads to an object of its own whose contents are arbitrary, or into an object that another
//! pointer leads to. Which objects there are is planned from the types ([`plan`]), then the start makes them and chooses
//! for each pointer ([`make`]). So engines, replay and witnesses see an ordinary program.

mod make;
mod places;
mod plan;

use cfa::{Allocation, FunctionId, FunctionKind, Op};
use std::collections::HashSet;

/// What a function that is verified on its own may be called with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// How many pointers lie between an argument and the last object at most.
    pub pointer_depth: u32,
    /// How many elements an object has to which a pointer leads: each of these numbers is tried.
    pub lengths: Vec<u64>,
    /// The same where the elements are structures, unions or pointers.
    pub record_lengths: Vec<u64>,
    /// Whether two pointers may lead to one object.
    pub aliasing: Aliasing,
    /// What globals hold.
    pub globals: Globals,
}

/// Whether two pointers may lead to one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aliasing {
    /// Wherever their types allow it.
    Allowed,
    /// Never.
    Excluded,
}

/// What globals hold when a function is called that is verified on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Globals {
    /// Their initial values.
    Initial,
    /// Anything.
    Arbitrary,
}

impl Default for Given {
    fn default() -> Self {
        Self {
            pointer_depth: 2,
            lengths: vec![1, 4],
            record_lengths: vec![1],
            aliasing: Aliasing::Allowed,
            globals: Globals::Initial,
        }
    }
}

impl crate::context::Lowering<'_> {
    /// Whether a function, or one that it calls, may free memory: then what its arguments lead to is on the heap.
    fn may_free(&self, function: FunctionId) -> bool {
        let frees = |op: &Op| matches!(op, Op::Free(_) | Op::Allocate { how: Allocation::Resize(_), .. });
        let through_pointer = |op: &Op| matches!(op, Op::CallPointer { .. });
        if !self.program.edges.iter().any(|(_, edge)| frees(&edge.op)) {
            return false;
        }
        let mut called: HashSet<FunctionId> = HashSet::from([function]);
        loop {
            let before = called.len();
            for (_, edge) in self.program.edges.iter() {
                let from = self.program.nodes[edge.from].function;
                if !called.contains(&from) {
                    continue;
                }
                match &edge.op {
                    op if frees(op) => return true,
                    // Whom it calls is not known yet.
                    op if through_pointer(op) => return true,
                    Op::Call { function, .. } => drop(called.insert(*function)),
                    _ => {}
                }
            }
            if called.len() == before {
                return false;
            }
        }
    }

    /// Functions of the user with this name: several files may have a static one each.
    pub(crate) fn functions_named(&self, name: &str) -> Vec<FunctionId> {
        let functions = self.program.functions.iter();
        functions
            .filter(|(_, function)| function.kind == FunctionKind::Defined && self.text(function.name) == name)
            .map(|(id, _)| id)
            .collect()
    }
}

//! A `_Bool` that comes from outside the program is 0 or 1. Which bytes that concerns is not known once they are copied, so
//! where functions without a body or assembly write to memory, no byte that is read as `_Bool` is checked.

use crate::initialised::drop_targets;
use cfa::{Check, Node, Op, Program, Source};
use rustc_hash::FxHashSet;

/// Drops the checks of `_Bool` where their bytes may come from outside, which becomes an assumption.
pub fn trust_truths(program: &mut Program) {
    let values = program.targets.iter().filter(|target| target.check() == Some(Check::Value));
    let asked: FxHashSet<Node> = values.map(|target| target.node).collect();
    let outside = |op: &Op| matches!(op, Op::HavocMemory { source: Source::Extern(_) | Source::Asm, .. });
    if asked.is_empty() || !program.edges.iter().any(|(_, edge)| outside(&edge.op)) {
        return;
    }
    drop_targets(program, &asked);
    program
        .assumptions
        .push("bytes that are read as _Bool are 0 or 1, since some come from outside the program".to_owned());
    program.assert_valid();
}

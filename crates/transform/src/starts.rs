//! What counters of a loop start from.

use crate::reads::{is_pure, variables};
use cfa::{ExprId, Op, Program, VarId};
use flow::{LoopId, Loops};
use std::collections::BTreeSet;

/// Registers that a loop counts with, each with a value that its function gives it outside the loop and that does not
/// change in the loop: in the first iteration the register may have this value.
pub(crate) fn starts(program: &Program, loops: &Loops, id: LoopId) -> BTreeSet<(VarId, ExprId)> {
    let function = loops.loops[id].function;
    let (mut counters, mut changed, mut starts) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (_, edge) in program.edges.iter() {
        if loops.contains(id, edge.from) {
            changed.extend(edge.op.variable());
        }
        let Op::Assign(var, value) = edge.op else { continue };
        if loops.contains(id, edge.from) {
            if variables(&program.exprs, value) == [var] {
                counters.insert(var);
            }
        } else if program.nodes[edge.from].function == function && is_pure(&program.exprs, value) {
            starts.insert((var, value));
        }
    }
    let stays = |value: ExprId| variables(&program.exprs, value).iter().all(|var| !changed.contains(var));
    starts.retain(|&(var, value)| counters.contains(&var) && stays(value));
    starts
}

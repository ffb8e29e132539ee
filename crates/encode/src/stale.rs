//! Registers of a function that may be read before they are written: a new activation makes them arbitrary, all others
//! can keep what an earlier activation left.

use base::IdVec;
use cfa::{FunctionId, VarId};
use flow::Prepared;

/// The registers that are live at the entry of every function, without its parameters and its result.
pub fn stale(program: &Prepared) -> IdVec<FunctionId, Box<[VarId]>> {
    let liveness = program.liveness();
    let mut result = IdVec::new();
    for (id, function) in program.functions.iter() {
        let set_by_calls = |var: &VarId| function.params.contains(var) || function.result == Some(*var);
        result.push(liveness.at_entry(id).iter().copied().filter(|var| !set_by_calls(var)).collect());
    }
    result
}

//! What a search remembers of where a run has been besides its location: the variables that decide about errors.

use super::distance::Distances;
use super::shadow::Shadow;
use cfa::{Expr, FunctionId, Op, Program, VarId};
use rustc_hash::FxHasher;
use std::collections::BTreeSet;
use std::hash::Hasher;

/// Conditions count that are at most so many edges away from a target.
const NEAR: u32 = 12;

/// The variables.
pub struct StateVariables {
    /// Registers.
    variables: BTreeSet<VarId>,
}

impl StateVariables {
    /// Global registers in conditions near targets, and in what is assigned to variables of such conditions.
    pub fn new(program: &Program, distances: &Distances) -> Self {
        let mut compared = BTreeSet::new();
        let mut functions = BTreeSet::new();
        for (_, edge) in program.edges.iter() {
            if let Op::Assume(condition) = edge.op
                && distances.from(edge.from, super::distance::FAR) <= NEAR
            {
                functions.insert(program.nodes[edge.from].function);
                program.exprs.visit(condition, |_, node| compared.extend(register(node)));
            }
        }
        let mut globals: BTreeSet<VarId> = compared.clone();
        for (_, edge) in program.edges.iter() {
            if let Op::Assign(var, value) = edge.op
                && compared.contains(&var)
                && functions.contains(&program.nodes[edge.from].function)
            {
                program.exprs.visit(value, |_, node| globals.extend(register(node)));
            }
        }
        globals.retain(|&var| program.vars[var].function.is_none());
        Self { variables: &globals | &harness(program) }
    }

    /// Whether an operation may change the state.
    pub fn is_changed_by(&self, op: &Op) -> bool {
        op.variable().is_some_and(|var| self.variables.contains(&var)) || matches!(op, Op::Return(Some(_)))
    }

    /// The state.
    pub fn hash(&self, shadow: &Shadow<'_>) -> u64 {
        let mut hasher = FxHasher::default();
        for &var in &self.variables {
            hasher.write_u128(shadow.value(var).unwrap_or(0));
        }
        hasher.finish()
    }
}

/// Registers that are assigned constants and compared, those of the program and those of the function where it starts:
/// what a harness knows about what it did.
fn harness(program: &Program) -> BTreeSet<VarId> {
    let callee = |op: &Op| match op {
        Op::Call { function, .. } => Some(*function),
        _ => None,
    };
    let at_start = |node| program.nodes[node].function == program.entry;
    let begun: BTreeSet<FunctionId> =
        program.edges.iter().filter(|(_, edge)| at_start(edge.from)).filter_map(|(_, edge)| callee(&edge.op)).collect();
    let (mut assigned, mut compared) = (BTreeSet::new(), BTreeSet::new());
    for (_, edge) in program.edges.iter().filter(|(_, edge)| !at_start(edge.from)) {
        match edge.op {
            Op::Assign(var, value) if program.exprs.constant(value).is_some() => {
                assigned.insert(var);
            }
            Op::Assume(condition) => program.exprs.visit(condition, |_, node| compared.extend(register(node))),
            _ => {}
        }
    }
    let counts = |var: &VarId| program.vars[*var].function.is_none_or(|function| begun.contains(&function));
    assigned.intersection(&compared).copied().filter(counts).collect()
}

fn register(node: Expr) -> Option<VarId> {
    match node {
        Expr::Var(var) => Some(var),
        _ => None,
    }
}

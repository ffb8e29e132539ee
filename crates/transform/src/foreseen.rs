//! Questions that no check asks, but that proofs need answers to: the room from what callers pass on, where the callee asks for
//! that from its parameter on or a copy of it.

use cfa::{Expr, ExprId, Living, Op, Program, Scalar, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the questions to the program's expressions; nothing asks them.
pub(crate) fn foresee(program: &mut Program) {
    let mut found: FxHashSet<VarId> = FxHashSet::default();
    for id in program.exprs.ids() {
        if let Expr::Living(Living::Room(pointer)) = program.exprs.node(id) {
            found.extend(root(program, pointer));
        }
    }
    if found.is_empty() {
        return;
    }
    let mut copies: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut passed: Vec<(VarId, VarId)> = Vec::new();
    for (_, edge) in program.edges.iter() {
        match &edge.op {
            Op::Assign(to, value) => copies.entry(*to).or_default().extend(root(program, *value)),
            Op::Call { function, args, .. } => {
                let params = program.functions[*function].params.iter();
                passed.extend(params.zip(args.iter()).filter_map(|(&to, &arg)| Some((to, root(program, arg)?))));
            }
            _ => {}
        }
    }
    for &(to, from) in &passed {
        copies.entry(to).or_default().push(from);
    }
    let mut waiting: Vec<VarId> = found.iter().copied().collect();
    while let Some(var) = waiting.pop() {
        waiting.extend(copies.get(&var).into_iter().flatten().filter(|from| found.insert(**from)));
    }
    for (_, var) in passed.into_iter().filter(|(to, _)| found.contains(to)) {
        let pointer = program.exprs.var(var, Scalar::Ptr);
        program.exprs.living(Living::Room(pointer));
    }
}

/// The pointer in a register that a sum starts from.
fn root(program: &Program, pointer: ExprId) -> Option<VarId> {
    match program.exprs.node(program.exprs.root(pointer)) {
        Expr::Var(var) if program.register(var) == Some(Scalar::Ptr) => Some(var),
        _ => None,
    }
}

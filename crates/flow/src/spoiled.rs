//! Variables over which bytes may be copied that were never written: `struct s t, g = {0}; g = t;`. What C calls
//! indeterminate stays so where it is copied to, also in static variables, which hold something at first.

use crate::Uses;
use cfa::{Expr, ExprId, Op, Program, Source, VarId};
use rustc_hash::FxHashSet;

/// The variables of a program that a copy may spoil.
pub struct Spoiled {
    /// Those that pointers lead to, if bytes that were never written may be copied to where a pointer leads.
    by_pointer: FxHashSet<VarId>,
    /// Static ones, by pointers or by name.
    statics: FxHashSet<VarId>,
}

impl Spoiled {
    /// Looks at all copies of a program.
    pub fn new(program: &Program) -> Spoiled {
        let copies: Vec<(ExprId, Option<VarId>)> =
            program.edges.iter().filter_map(|(_, edge)| copied(program, &edge.op)).collect();
        let mut spoiled = Spoiled { by_pointer: FxHashSet::default(), statics: FxHashSet::default() };
        // What a static variable holds may have been copied there, so that copies of it spoil others.
        loop {
            let known = (spoiled.by_pointer.len(), spoiled.statics.len());
            for &(to, from) in &copies {
                if from.is_some_and(|from| !spoiled.statics.contains(&from)) {
                    continue;
                }
                match program.exprs.node(program.exprs.root(to)) {
                    Expr::Addr(var) if is_static(program, var) => _ = spoiled.statics.insert(var),
                    Expr::Addr(_) => {}
                    _ if spoiled.by_pointer.is_empty() => spoiled.lead_anywhere(program),
                    _ => {}
                }
            }
            if known == (spoiled.by_pointer.len(), spoiled.statics.len()) {
                return spoiled;
            }
        }
    }

    fn lead_anywhere(&mut self, program: &Program) {
        let escapes = Uses::new(program).escapes;
        self.by_pointer.extend(program.vars.ids().filter(|&var| escapes[var]));
        self.statics.extend(self.by_pointer.iter().copied().filter(|&var| is_static(program, var)));
    }

    /// Whether it may be spoiled by way of a pointer, or anyhow, if it is static.
    pub fn contains(&self, var: VarId) -> bool {
        self.by_pointer.contains(&var) || self.statics.contains(&var)
    }

    /// Whether all that a pointer leads to was surely written: a static variable that nothing spoils.
    pub fn is_written(&self, program: &Program, pointer: ExprId) -> bool {
        named_static(program, pointer).is_some_and(|var| !self.statics.contains(&var))
    }
}

/// Whether a variable holds something at first.
pub fn is_static(program: &Program, var: VarId) -> bool {
    program.vars[var].function.is_none()
}

fn named_static(program: &Program, pointer: ExprId) -> Option<VarId> {
    match program.exprs.node(program.exprs.root(pointer)) {
        Expr::Addr(var) if is_static(program, var) => Some(var),
        _ => None,
    }
}

/// Where an operation puts bytes that may never have been written, and the static variable that they come from.
fn copied(program: &Program, op: &Op) -> Option<(ExprId, Option<VarId>)> {
    match *op {
        Op::Copy { to, from, .. } => Some((to, named_static(program, from))),
        Op::HavocMemory { to, source: Source::Uninitialised | Source::Indeterminate, .. } => Some((to, None)),
        _ => None,
    }
}

//! Locals whose place is taken by another object while a pointer to the last one is still around. Formulas give a local one
//! address for all calls and rounds, so they cannot tell the two apart.

use cfa::{EdgeId, Expr, FunctionId, Op, VarId};
use flow::uses::size_of;
use flow::{Holders, PointsTo, Prepared};
use rustc_hash::{FxHashMap, FxHashSet};

/// Locals that may come into being again while something has the address of the one before.
pub(crate) struct Reborn<'p> {
    program: &'p Prepared,
    /// Functions that may be entered more than once, as far as it was asked.
    again: FxHashMap<FunctionId, bool>,
    /// These locals.
    pub vars: FxHashSet<VarId>,
}

impl<'p> Reborn<'p> {
    pub fn new(program: &'p Prepared, points_to: &PointsTo) -> Self {
        let holders = Holders::new(program, points_to);
        let mut reborn = Self { program, again: FxHashMap::default(), vars: FxHashSet::default() };
        for (id, variable) in program.vars.iter() {
            if let Some(function) = variable.function
                && size_of(program, id).is_some()
                && holders.after_return(id)
                && reborn.is_entered_again(function)
            {
                reborn.vars.insert(id);
            }
        }
        for (id, edge) in program.edges.iter() {
            if let Op::End(pointer) = edge.op
                && let Expr::Addr(var) = program.exprs.node(pointer)
                && !reborn.vars.contains(&var)
                && reborn.is_in_loop(id)
                && holders.after_scope(id)
            {
                reborn.vars.insert(var);
            }
        }
        reborn
    }

    fn is_entered_again(&mut self, function: FunctionId) -> bool {
        if let Some(&known) = self.again.get(&function) {
            return known;
        }
        // Recursion comes back here.
        self.again.insert(function, true);
        let callers = self.program.calls().callers(function).to_vec();
        let again = match callers[..] {
            [] => false,
            [(edge, caller)] => self.is_in_loop(edge) || self.is_entered_again(caller),
            _ => true,
        };
        self.again.insert(function, again);
        again
    }

    /// Whether a path of the function leads from the edge back to it.
    fn is_in_loop(&self, edge: EdgeId) -> bool {
        let (start, end) = (self.program.edges[edge].to, self.program.edges[edge].from);
        let mut seen = FxHashSet::from_iter([start]);
        let mut work = vec![start];
        while let Some(node) = work.pop() {
            if node == end {
                return true;
            }
            let next = self.program.leaving(node).map(|edge| self.program.edges[edge].to);
            work.extend(next.filter(|&node| seen.insert(node)));
        }
        false
    }
}

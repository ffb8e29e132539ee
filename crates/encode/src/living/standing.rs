//! How formulas know whether a local lives: some always do where their address is known, others have a flag or stand in
//! the tables.

use base::Id;
use cfa::{Allocation, EdgeId, Expr, ExprId, FunctionId, Node, Op, Program, VarId};
use flow::Prepared;
use flow::points_to::{ObjectKind, PointsTo};
use rustc_hash::FxHashSet;

/// How it is known whether a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// It lives wherever its address is known.
    Always,
    /// A slot says so.
    Flag,
    /// The tables say so.
    Table,
}

/// Whether more functions are called from a node on, before its own function returns: after constructors, and where
/// destructors and handlers run after `main`.
fn calls_after(program: &Program, node: Node) -> bool {
    let (mut stack, mut seen) = (vec![node], FxHashSet::from_iter([node]));
    while let Some(node) = stack.pop() {
        for edge in program.leaving(node) {
            let edge = &program.edges[edge];
            if matches!(edge.op, Op::Call { .. } | Op::CallPointer { .. }) {
                return true;
            }
            if seen.insert(edge.to) {
                stack.push(edge.to);
            }
        }
    }
    false
}

/// Which stack objects may die while their address is still stored somewhere.
pub(super) struct Mortal {
    /// Functions that may be entered while they run.
    recursive: Vec<bool>,
    /// Functions that end when the program does.
    last: Vec<bool>,
    /// Variables and stack memory whose address is put where it may be found later.
    vars: FxHashSet<VarId>,
    pub(super) stacks: FxHashSet<EdgeId>,
    /// Variables whose scope ends before their function does.
    scoped: FxHashSet<VarId>,
}

impl Mortal {
    pub(super) fn new(program: &Prepared, points_to: &PointsTo) -> Mortal {
        let calls = program.calls();
        let last = |function: FunctionId| {
            let is_last = |(edge, caller): &(EdgeId, FunctionId)| {
                *caller == program.entry && !calls_after(program, program.edges[*edge].to)
            };
            function == program.entry || calls.callers(function).iter().all(is_last)
        };
        let mut mortal = Mortal {
            recursive: program.functions.ids().map(|function| calls.is_recursive(function)).collect(),
            last: program.functions.ids().map(last).collect(),
            vars: FxHashSet::default(),
            stacks: FxHashSet::default(),
            scoped: FxHashSet::default(),
        };
        for (id, edge) in program.edges.iter() {
            match &edge.op {
                Op::Store { value, .. } | Op::Return(Some(value)) => mortal.kept(program, points_to, *value),
                Op::Assign(var, value) if program.vars[*var].function.is_none() => {
                    mortal.kept(program, points_to, *value);
                }
                Op::End(pointer) => {
                    if let Expr::Addr(var) = program.exprs.node(*pointer) {
                        mortal.scoped.insert(var);
                    }
                }
                Op::Allocate { result, .. } if program.vars[*result].function.is_none() => {
                    mortal.kept_allocation(program, id);
                }
                // What bytes hold that are copied was stored before.
                Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => {}
                Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) => {}
                Op::Call { .. } | Op::CallPointer { .. } | Op::Return(None) | Op::Library { .. } => {}
                Op::Halt(_) | Op::Unsupported(_) => {}
            }
        }
        mortal
    }

    /// The address of an allocated object is put where it may be found later.
    fn kept_allocation(&mut self, program: &Program, edge: EdgeId) {
        let function = program.nodes[program.edges[edge].from].function;
        let stack = matches!(program.edges[edge].op, Op::Allocate { how: Allocation::Stack, .. });
        if stack && !self.last[function.index()] {
            self.stacks.insert(edge);
        }
    }

    fn kept(&mut self, program: &Program, points_to: &PointsTo, value: ExprId) {
        for place in points_to.targets(value).places {
            match points_to.objects[place.object].kind {
                ObjectKind::Variable(var) => {
                    self.vars.insert(var);
                }
                ObjectKind::Allocation(edge) => self.kept_allocation(program, edge),
                ObjectKind::Function(_) | ObjectKind::Unknown => {}
            }
        }
    }

    pub(super) fn standing(&self, program: &Program, var: VarId) -> Standing {
        match program.vars[var].function {
            None => Standing::Always,
            Some(function) if self.recursive[function.index()] => Standing::Table,
            Some(_) if self.scoped.contains(&var) => Standing::Flag,
            Some(function) if self.vars.contains(&var) && !self.last[function.index()] => Standing::Flag,
            Some(_) => Standing::Always,
        }
    }
}

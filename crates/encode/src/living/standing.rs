//! How formulas know whether a local lives: some always do where their address is known, others have a flag or stand in
//! the tables.

use base::Id;
use cfa::{Allocation, EdgeId, Expr, ExprId, FunctionId, Op, Program, Scalar, VarId};
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
            let by_start = |(_, caller): &(EdgeId, FunctionId)| *caller == program.entry;
            function == program.entry || calls.callers(function).iter().all(by_start)
        };
        let mut mortal = Mortal {
            recursive: program.functions.ids().map(|function| calls.is_recursive(function)).collect(),
            last: program.functions.ids().map(last).collect(),
            vars: FxHashSet::default(),
            stacks: FxHashSet::default(),
            scoped: FxHashSet::default(),
        };
        for (_, edge) in program.edges.iter() {
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
                // What bytes hold that are copied was stored before.
                Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) => {}
                Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) => {}
                Op::Call { .. } | Op::CallPointer { .. } | Op::Return(None) | Op::Library { .. } => {}
                Op::Halt(_) | Op::Unsupported(_) => {}
            }
        }
        mortal
    }

    fn kept(&mut self, program: &Program, points_to: &PointsTo, value: ExprId) {
        if !matches!(program.exprs.ty(value), Scalar::Ptr | Scalar::Int { .. }) {
            return;
        }
        for place in points_to.targets(value).places {
            match points_to.objects[place.object].kind {
                ObjectKind::Variable(var) => {
                    self.vars.insert(var);
                }
                ObjectKind::Allocation(edge) => {
                    let function = program.nodes[program.edges[edge].from].function;
                    let stack = matches!(program.edges[edge].op, Op::Allocate { how: Allocation::Stack, .. });
                    if stack && !self.last[function.index()] {
                        self.stacks.insert(edge);
                    }
                }
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

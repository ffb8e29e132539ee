//! The value analysis alongside sets of states: which registers of the sets it wants to know, and how it learns them.

use super::precision::{Item, Precision, Scoping};
use super::store::{KnownValue, State};
use super::{ValueAnalysis, ValueFact};
use analysis::{Beside, Move, RefinableBeside, Step};
use cfa::{Expr, ExprId, Node, Op, VarId};

impl ValueAnalysis<'_> {
    /// The registers in an expression, and whether it reads memory.
    fn reads(&self, root: ExprId, vars: &mut Vec<VarId>) -> bool {
        let mut loads = false;
        self.store.program.exprs.visit(root, |_, expr| match expr {
            Expr::Var(var) => vars.push(var),
            Expr::Load(_) | Expr::Living(_) => loads = true,
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) => {}
        });
        loads
    }

    /// The activation of the function where a step begins that a register belongs to.
    fn depth_before(&self, step: &Step, var: VarId) -> u32 {
        if self.store.program.vars[var].function.is_some() { step.from_depth } else { 0 }
    }
}

/// Whether anything in memory is tracked.
fn tracks_memory(precision: &Precision) -> bool {
    match precision.scoping {
        Scoping::All => true,
        Scoping::Scoped(_) | Scoping::Local(_) => {
            precision.items().iter().any(|item| !matches!(item, Item::Register(_)))
        }
    }
}

impl Beside for ValueAnalysis<'_> {
    fn wants(&self, step: &Step, precision: &Precision, vars: &mut Vec<VarId>) {
        let program = self.store.program;
        let view = precision.view(step.to.node);
        let memory = tracks_memory(precision);
        // A value always matters where it is passed on; an address only where memory is tracked.
        let mut assigned = |to: VarId, value: ExprId| {
            let mut read = Vec::new();
            if self.reads(value, &mut read) && memory || view.register(to) {
                vars.append(&mut read);
            }
        };
        match (step.kind, &program.edges[step.edge].op) {
            (Move::Enter, Op::Call { function, args, .. }) => {
                for (param, arg) in program.functions[*function].params.iter().zip(args) {
                    assigned(*param, *arg);
                }
            }
            (Move::Leave, Op::Call { function, result, .. }) => {
                if let (Some(to), Some(from)) = (*result, program.functions[*function].result)
                    && view.register(to)
                {
                    vars.push(from);
                }
            }
            (_, Op::Assign(to, value)) => assigned(*to, *value),
            (_, Op::Return(Some(value))) => {
                let function = program.nodes[step.from.node].function;
                if let Some(result) = program.functions[function].result {
                    assigned(result, *value);
                }
            }
            (_, Op::Assume(condition)) => {
                // It teaches something about a tracked register, or about memory.
                let mut read = Vec::new();
                let loads = self.reads(*condition, &mut read);
                if loads && memory || read.iter().any(|&var| view.register(var)) {
                    vars.append(&mut read);
                }
            }
            (_, Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. })
            | (_, Op::Allocate { .. } | Op::Free(_) | Op::End(_) | Op::Library { .. }) => {
                if memory {
                    for operand in program.edges[step.edge].op.operands() {
                        self.reads(operand, vars);
                    }
                }
            }
            (_, Op::Skip | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Return(None) | Op::Halt(_)) => {}
            (_, Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_)) => {}
        }
    }

    fn knows(&self, state: &State, step: &Step, var: VarId) -> bool {
        self.store.register(*state, var, self.depth_before(step, var)).is_some()
    }

    fn learn(&mut self, state: &State, step: &Step, var: VarId, bits: u128) -> State {
        let depth = self.depth_before(step, var);
        self.store.with_register(*state, var, depth, Some(KnownValue::Bits(bits)))
    }

    fn unlearn(&mut self, state: &State, step: &Step, var: VarId, precision: &Precision) -> State {
        if precision.view(step.to.node).register(var) {
            return *state;
        }
        let depth = self.depth_before(step, var);
        self.store.with_register(*state, var, depth, None)
    }

    fn tells_all(&self, state: &State, node: Node, depth: u32) -> bool {
        self.is_told(state, node, depth)
    }
}

impl RefinableBeside for ValueAnalysis<'_> {
    fn register_of(&self, fact: ValueFact) -> Option<VarId> {
        match fact {
            ValueFact::Register(var, _) => Some(var),
            ValueFact::Cell(..) => None,
        }
    }
}

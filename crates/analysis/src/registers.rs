//! Domains that know something about each register separately: they say what values are and how expressions and conditions
//! treat them; what edges and calls do to registers is the same for all of them and stands here.

use crate::dataflow::FlowDomain;
use cfa::{BinOp, EdgeId, ExprId, Exprs, Op, Program, Scalar, VarId};
use std::collections::BTreeMap;

/// What is known of registers; of one that is not named, nothing is.
pub type Known<V> = BTreeMap<VarId, V>;

/// An abstract domain of single values. Chains of joins must end, as there is no widening.
pub trait PerRegister {
    /// What can be known of a register.
    type Value: Copy + PartialEq + std::fmt::Debug;

    /// Whose registers.
    fn program(&self) -> &Program;
    /// Whether all that `a` stands for, `b` stands for.
    fn leq(&self, a: Self::Value, b: Self::Value) -> bool;
    /// Stands for at least what both stand for; `None` if that is everything.
    fn join(&self, a: Self::Value, b: Self::Value) -> Option<Self::Value>;
    /// Stands for at least what both have in common; `None` if that is nothing.
    fn meet(&self, a: Self::Value, b: Self::Value) -> Option<Self::Value>;
    /// What is known of a register of this type that was assigned a value.
    fn kept(&self, ty: Scalar, value: Self::Value) -> Option<Self::Value>;
    /// What is known of the value of an expression.
    fn eval(&self, known: &Known<Self::Value>, id: ExprId) -> Option<Self::Value>;
    /// What is known where a condition holds; `None` if it cannot hold.
    fn assume(&self, known: &Known<Self::Value>, condition: ExprId) -> Option<Known<Self::Value>>;
    /// That a register has such a value, as a truth value.
    fn fact(&self, register: ExprId, value: Self::Value, exprs: &mut Exprs) -> ExprId;
}

/// A domain of single values as one of states.
pub struct Registers<D>(pub D);

impl<D: PerRegister> Registers<D> {
    fn is_global(&self, var: VarId) -> bool {
        self.0.program().vars[var].function.is_none()
    }

    fn assign(&self, known: &mut Known<D::Value>, var: VarId, value: Option<D::Value>) {
        let kept = self.0.program().register(var).zip(value).and_then(|(ty, value)| self.0.kept(ty, value));
        match kept {
            Some(value) => known.insert(var, value),
            None => known.remove(&var),
        };
    }
}

impl<D: PerRegister> FlowDomain for Registers<D> {
    type State = Known<D::Value>;

    fn initial(&self) -> Self::State {
        Known::new()
    }

    fn leq(&self, a: &Self::State, b: &Self::State) -> bool {
        b.iter().all(|(var, &value)| a.get(var).is_some_and(|&own| self.0.leq(own, value)))
    }

    fn join(&self, a: &Self::State, b: &Self::State) -> Self::State {
        a.iter().filter_map(|(var, &value)| Some((*var, self.0.join(value, *b.get(var)?)?))).collect()
    }

    fn meet(&self, a: &Self::State, b: &Self::State) -> Option<Self::State> {
        let mut all = a.clone();
        for (var, &value) in b {
            let both = all.get(var).map_or(Some(value), |&own| self.0.meet(own, value))?;
            all.insert(*var, both);
        }
        Some(all)
    }

    fn widen(&self, old: &Self::State, new: &Self::State) -> Self::State {
        self.join(old, new)
    }

    fn post(&self, before: &Self::State, edge: EdgeId) -> Option<Self::State> {
        let program = self.0.program();
        let edge = &program.edges[edge];
        let mut after = before.clone();
        match &edge.op {
            Op::Assume(condition) => return self.0.assume(before, *condition),
            Op::Assign(var, value) => self.assign(&mut after, *var, self.0.eval(before, *value)),
            Op::Return(Some(value)) => {
                if let Some(result) = program.functions[program.nodes[edge.from].function].result {
                    self.assign(&mut after, result, self.0.eval(before, *value));
                }
            }
            Op::Havoc(var, _) | Op::Allocate { result: var, .. } | Op::Library { result: Some(var), .. } => {
                after.remove(var);
            }
            Op::Halt(_) => return None,
            // Nothing is known of what was called.
            Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_) => after.clear(),
            Op::Skip | Op::Return(None) | Op::Init(_) | Op::Declare(_) | Op::Library { result: None, .. } => {}
            // Registers do not lie in memory.
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } => {}
            Op::Free(_) | Op::End(_) => {}
        }
        Some(after)
    }

    fn enter(&self, before: &Self::State, call: EdgeId) -> Self::State {
        let program = self.0.program();
        let Op::Call { function, args, .. } = &program.edges[call].op else { return Known::new() };
        let mut inside = before.clone();
        inside.retain(|var, _| self.is_global(*var));
        for (param, arg) in program.functions[*function].params.iter().zip(args) {
            self.assign(&mut inside, *param, self.0.eval(before, *arg));
        }
        inside
    }

    fn leave(&self, before: &Self::State, call: EdgeId, exit: &Self::State) -> Self::State {
        let program = self.0.program();
        let Op::Call { function, result, .. } = &program.edges[call].op else { return Known::new() };
        let mut after = before.clone();
        after.retain(|var, _| !self.is_global(*var));
        after.extend(exit.iter().filter(|(var, _)| self.is_global(**var)));
        if let Some(result) = result {
            let value = program.functions[*function].result.and_then(|from| exit.get(&from).copied());
            self.assign(&mut after, *result, value);
        }
        after
    }

    fn invariant(&self, state: &Self::State, exprs: &mut Exprs) -> ExprId {
        let mut all = exprs.bool(true);
        for (&var, &value) in state {
            let Some(ty) = self.0.program().register(var) else { continue };
            let register = exprs.var(var, ty);
            let fact = self.0.fact(register, value, exprs);
            all = exprs.binary(BinOp::And, all, fact);
        }
        all
    }
}

//! Bounds and residues of integer variables: γ(env) = the states in which every variable that `env` names lies in its
//! progression. A variable that is not named is arbitrary; memory is not tracked.

mod strided;

pub use strided::Strided;

use analysis::dataflow::FlowDomain;
use cfa::{BinOp, EdgeId, Expr, ExprId, Exprs, FunctionId, Op, Program, Scalar, UnOp, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Intervals and congruences of a program's integer registers.
pub struct IntervalDomain<'p> {
    program: &'p Program,
    /// Bounds at which widening stops first: the program's constants and their neighbours.
    thresholds: Vec<i128>,
}

impl<'p> IntervalDomain<'p> {
    /// The domain for a program.
    pub fn new(program: &'p Program) -> Self {
        let mut thresholds = BTreeSet::new();
        for (_, edge) in program.edges.iter() {
            let Op::Assume(condition) = edge.op else { continue };
            program.exprs.visit(condition, |id, _| {
                if let Some(value) = program.exprs.integer(id) {
                    thresholds.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
                }
            });
        }
        Self { program, thresholds: thresholds.into_iter().collect() }
    }
}

impl FlowDomain for IntervalDomain<'_> {
    type State = Environment;

    fn initial(&self) -> Environment {
        Environment::default()
    }

    fn leq(&self, a: &Environment, b: &Environment) -> bool {
        a.leq(b)
    }

    fn join(&self, a: &Environment, b: &Environment) -> Environment {
        a.join(b)
    }

    fn meet(&self, a: &Environment, b: &Environment) -> Option<Environment> {
        a.meet(b)
    }

    fn widen(&self, old: &Environment, new: &Environment) -> Environment {
        old.widen(new, &self.thresholds, self.program)
    }

    fn post(&self, before: &Environment, edge: EdgeId) -> Option<Environment> {
        let edge = &self.program.edges[edge];
        before.post(self.program, &edge.op, self.program.nodes[edge.from].function)
    }

    fn enter(&self, before: &Environment, call: EdgeId) -> Environment {
        match &self.program.edges[call].op {
            Op::Call { function, args, .. } => before.enter(self.program, *function, args),
            _ => Environment::default(),
        }
    }

    fn leave(&self, before: &Environment, call: EdgeId, exit: &Environment) -> Environment {
        match &self.program.edges[call].op {
            Op::Call { function, result, .. } => {
                let caller = self.program.nodes[self.program.edges[call].from].function;
                before.leave(self.program, caller, *function, exit, *result)
            }
            _ => Environment::default(),
        }
    }

    fn invariant(&self, state: &Environment, exprs: &mut Exprs) -> ExprId {
        let mut all = exprs.bool(true);
        for (var, value) in state.iter() {
            let Some(ty) = self.program.register(var) else { continue };
            for fact in facts(exprs, var, ty, value) {
                all = if exprs.constant(all) == Some(1) { fact } else { exprs.binary(BinOp::And, all, fact) };
            }
        }
        all
    }
}

/// Bounds and residue of one variable as truth values.
fn facts(exprs: &mut Exprs, var: VarId, ty: Scalar, value: Strided) -> Vec<ExprId> {
    let mut facts = Vec::new();
    let Some(full) = Strided::of_type(ty) else { return facts };
    let x = exprs.var(var, ty);
    let (lo, hi) = (exprs.int(ty, value.lo()), exprs.int(ty, value.hi()));
    if value.singleton().is_some() {
        return vec![exprs.binary(BinOp::Eq, x, lo)];
    }
    if value.lo() > full.lo() {
        facts.push(exprs.binary(BinOp::Le, lo, x));
    }
    if value.hi() < full.hi() {
        facts.push(exprs.binary(BinOp::Le, x, hi));
    }
    // `(x - lo) % step == 0`, where the difference wraps: right only for steps that divide 2^width.
    let width = ty.bits(exprs.model());
    if value.step() > 1 && value.step().count_ones() == 1 {
        let unsigned = Scalar::int(width, false);
        let difference = exprs.binary(BinOp::Sub, x, lo);
        let difference = exprs.cast(difference, unsigned);
        let step = exprs.int(unsigned, value.step());
        let rest = exprs.binary(BinOp::Rem, difference, step);
        let zero = exprs.int(unsigned, 0);
        facts.push(exprs.binary(BinOp::Eq, rest, zero));
    }
    facts
}

/// What is known of the variables at one location.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    known: BTreeMap<VarId, Strided>,
}

impl Environment {
    /// What is known of a variable.
    pub fn of(&self, var: VarId) -> Option<Strided> {
        self.known.get(&var).copied()
    }

    /// All variables of which something is known.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, Strided)> {
        self.known.iter().map(|(&var, &value)| (var, value))
    }

    fn set(&mut self, var: VarId, ty: Option<Scalar>, value: Option<Strided>) {
        debug_assert!(
            value.zip(ty.and_then(Strided::of_type)).is_none_or(|(value, full)| value.leq(full)),
            "{value:?} is no {ty:?}"
        );
        match (value, ty.and_then(Strided::of_type)) {
            (Some(value), Some(full)) if value != full => self.known.insert(var, value),
            _ => self.known.remove(&var),
        };
    }

    /// Whether everything known in `other` is known here.
    pub fn leq(&self, other: &Environment) -> bool {
        other.iter().all(|(var, value)| self.of(var).is_some_and(|own| own.leq(value)))
    }

    /// What holds in both.
    pub fn join(&self, other: &Environment) -> Environment {
        let both = self.iter().filter_map(|(var, value)| Some((var, value.join(other.of(var)?))));
        Environment { known: both.collect() }
    }

    /// What holds in one or the other; `None` if they contradict each other.
    pub fn meet(&self, other: &Environment) -> Option<Environment> {
        let mut known = self.known.clone();
        for (var, value) in other.iter() {
            let both = known.get(&var).map_or(Some(value), |own| own.meet(value))?;
            known.insert(var, both);
        }
        Some(Environment { known })
    }

    /// Widening with thresholds in ascending order.
    pub fn widen(&self, new: &Environment, thresholds: &[i128], program: &Program) -> Environment {
        let both = self.iter().filter_map(|(var, old)| {
            let full = program.register(var).and_then(Strided::of_type)?;
            Some((var, old.widen(new.of(var)?, thresholds, full))).filter(|(_, value)| *value != full)
        });
        Environment { known: both.collect() }
    }

    /// Keeps what is known of global variables and of the locals of `function`.
    fn visible(&self, program: &Program, function: FunctionId) -> Environment {
        let keep = |var: VarId| program.vars[var].function.is_none_or(|owner| owner == function);
        Environment { known: self.known.iter().filter(|(var, _)| keep(**var)).map(|(k, v)| (*k, *v)).collect() }
    }

    /// The value of an integer expression; `None` for other types.
    pub fn eval(&self, exprs: &Exprs, id: ExprId) -> Option<Strided> {
        let ty = exprs.ty(id);
        let Some(full) = Strided::of_type(ty) else { return self.eval_wide(exprs, id) };
        let value = match exprs.node(id) {
            Expr::Const { .. } => exprs.integer(id).map(Strided::single),
            Expr::Var(var) => self.of(var),
            Expr::Cast(a) if exprs.ty(a) == Scalar::Bool => Some(match self.test(exprs, a) {
                Some(truth) => Strided::single(i128::from(truth)),
                None => Strided::single(0).join(Strided::single(1)),
            }),
            Expr::Cast(a) => self.eval(exprs, a).and_then(|a| a.wrap(ty)),
            Expr::Unary(UnOp::Neg, a) => self.eval(exprs, a).and_then(|a| a.negated().wrap(ty)),
            Expr::Unary(UnOp::BitNot, a) => {
                self.eval(exprs, a).and_then(|a| a.negated().plus(Strided::single(-1)).wrap(ty))
            }
            Expr::Binary(op, a, b) => match (self.eval(exprs, a), self.eval(exprs, b)) {
                (Some(a), Some(b)) => arithmetic(op, a, b, ty),
                _ => None,
            },
            Expr::Ite(c, a, b) => match self.test(exprs, c) {
                Some(true) => self.eval(exprs, a),
                Some(false) => self.eval(exprs, b),
                None => self.eval(exprs, a).zip(self.eval(exprs, b)).map(|(a, b)| a.join(b)),
            },
            Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Living(_) => None,
        };
        Some(value.unwrap_or(full))
    }

    /// The exact sum, difference or product of two integers of at most 64 bits, as checks for overflow compute it.
    fn eval_wide(&self, exprs: &Exprs, id: ExprId) -> Option<Strided> {
        let narrow = |id: ExprId| match exprs.node(id) {
            Expr::Const { .. } => {
                exprs.integer(id).filter(|value| value.unsigned_abs() <= 1 << 64).map(Strided::single)
            }
            Expr::Cast(a) if exprs.ty(a).is_int() && Strided::of_type(exprs.ty(a)).is_some() => self.eval(exprs, a),
            _ => None,
        };
        if exprs.ty(id) != Scalar::int(128, true) {
            return None;
        }
        match exprs.node(id) {
            Expr::Binary(BinOp::Add, a, b) => Some(narrow(a)?.plus(narrow(b)?)),
            Expr::Binary(BinOp::Sub, a, b) => Some(narrow(a)?.plus(narrow(b)?.negated())),
            Expr::Binary(BinOp::Mul, a, b) => narrow(a)?.times(narrow(b)?),
            _ => narrow(id),
        }
    }

    /// Whether a condition holds; `None` if it may or may not.
    pub fn test(&self, exprs: &Exprs, id: ExprId) -> Option<bool> {
        debug_assert_eq!(exprs.ty(id), Scalar::Bool, "conditions are truth values");
        match exprs.node(id) {
            Expr::Const { low, .. } => Some(low != 0),
            Expr::Unary(UnOp::Not, a) => self.test(exprs, a).map(|truth| !truth),
            Expr::Binary(BinOp::And, a, b) => match (self.test(exprs, a), self.test(exprs, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Expr::Binary(BinOp::Or, a, b) => match (self.test(exprs, a), self.test(exprs, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Expr::Binary(op @ (BinOp::Eq | BinOp::Lt | BinOp::Le), a, b) => {
                let (a, b) = (self.eval(exprs, a)?, self.eval(exprs, b)?);
                match op {
                    BinOp::Lt if a.hi() < b.lo() => Some(true),
                    BinOp::Lt if a.lo() >= b.hi() => Some(false),
                    BinOp::Le if a.hi() <= b.lo() => Some(true),
                    BinOp::Le if a.lo() > b.hi() => Some(false),
                    BinOp::Eq if a.singleton().is_some() && a.singleton() == b.singleton() => Some(true),
                    BinOp::Eq if a.meet(b).is_none() => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The states where the condition has this truth; `None` if there is none.
    pub fn assume(&self, exprs: &Exprs, id: ExprId, truth: bool) -> Option<Environment> {
        debug_assert_eq!(exprs.ty(id), Scalar::Bool, "conditions are truth values");
        if let Some(known) = self.test(exprs, id) {
            return (known == truth).then(|| self.clone());
        }
        match exprs.node(id) {
            Expr::Unary(UnOp::Not, a) => self.assume(exprs, a, !truth),
            Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                if (op == BinOp::And) == truth {
                    self.assume(exprs, a, truth)?.assume(exprs, b, truth)
                } else {
                    match (self.assume(exprs, a, truth), self.assume(exprs, b, truth)) {
                        (Some(a), Some(b)) => Some(a.join(&b)),
                        (a, b) => a.or(b),
                    }
                }
            }
            Expr::Binary(op @ (BinOp::Eq | BinOp::Lt | BinOp::Le), a, b) => {
                let (Some(x), Some(y)) = (self.eval(exprs, a), self.eval(exprs, b)) else { return Some(self.clone()) };
                let (x, y) = match (op, truth) {
                    (BinOp::Eq, true) => (x.meet(y)?, y.meet(x)?),
                    (BinOp::Eq, false) => (
                        y.singleton().map_or(Some(x), |y| x.without(y))?,
                        x.singleton().map_or(Some(y), |x| y.without(x))?,
                    ),
                    (BinOp::Lt, true) => (x.at_most(y.hi() - 1)?, y.at_least(x.lo() + 1)?),
                    (BinOp::Lt, false) => (x.at_least(y.lo())?, y.at_most(x.hi())?),
                    (_, true) => (x.at_most(y.hi())?, y.at_least(x.lo())?),
                    (_, false) => (x.at_least(y.lo() + 1)?, y.at_most(x.hi() - 1)?),
                };
                self.narrow(exprs, a, x)?.narrow(exprs, b, y)
            }
            _ => Some(self.clone()),
        }
    }

    /// The states where the expression lies in `value`, as far as its one variable can tell.
    fn narrow(&self, exprs: &Exprs, id: ExprId, value: Strided) -> Option<Environment> {
        match exprs.node(id) {
            Expr::Var(var) => {
                let own = self.eval(exprs, id).map_or(Some(value), |own| own.meet(value))?;
                let mut narrowed = self.clone();
                narrowed.set(var, Some(exprs.ty(id)), Some(own));
                Some(narrowed)
            }
            // A cast that loses nothing here can be undone.
            Expr::Cast(a) => match self.eval(exprs, a) {
                Some(own) if own.wrap(exprs.ty(id)) == Some(own) => self.narrow(exprs, a, value),
                _ => Some(self.clone()),
            },
            // So can the addition of a constant that does not wrap here.
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (Some(own), Some(c)) = (self.eval(exprs, a), exprs.integer(b)) else { return Some(self.clone()) };
                let shift = Strided::single(if op == BinOp::Add { c } else { -c });
                let sum = own.plus(shift);
                if sum.wrap(exprs.ty(id)) == Some(sum) {
                    self.narrow(exprs, a, value.plus(shift.negated()))
                } else {
                    Some(self.clone())
                }
            }
            _ => Some(self.clone()),
        }
    }

    /// After an operation within a function; `None` if there is no state after it.
    pub fn post(&self, program: &Program, op: &Op, function: FunctionId) -> Option<Environment> {
        let mut after = self.clone();
        match op {
            Op::Assume(condition) => return self.assume(&program.exprs, *condition, true),
            Op::Assign(var, value) => after.assign(program, *var, self.eval(&program.exprs, *value)),
            Op::Return(Some(value)) => {
                if let Some(result) = program.functions[function].result {
                    after.assign(program, result, self.eval(&program.exprs, *value));
                }
            }
            Op::Havoc(var, _) | Op::Allocate { result: var, .. } => after.assign(program, *var, None),
            Op::Library { result, .. } => {
                if let Some(result) = result {
                    after.assign(program, *result, None);
                }
            }
            Op::Halt(_) => return None,
            // Nothing is known of what the callee did.
            Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_) => after.known.clear(),
            Op::Skip | Op::Return(None) | Op::Init(_) | Op::Declare(_) | Op::Store { .. } | Op::Copy { .. } => {}
            Op::Fill { .. } | Op::HavocMemory { .. } | Op::Free(_) | Op::End(_) => {}
        }
        Some(after)
    }

    fn assign(&mut self, program: &Program, var: VarId, value: Option<Strided>) {
        self.set(var, program.register(var), value);
    }

    /// At the entry of `callee`, called with these arguments.
    pub fn enter(&self, program: &Program, callee: FunctionId, args: &[ExprId]) -> Environment {
        debug_assert_eq!(program.functions[callee].params.len(), args.len(), "an argument for each parameter");
        let mut inside = self.clone();
        inside.known.retain(|var, _| program.vars[*var].function.is_none());
        for (param, arg) in program.functions[callee].params.iter().zip(args) {
            inside.assign(program, *param, self.eval(&program.exprs, *arg));
        }
        inside
    }

    /// After a call: the caller's locals as before it, the globals as `exit` leaves them, and the result.
    pub fn leave(
        &self,
        program: &Program,
        caller: FunctionId,
        callee: FunctionId,
        exit: &Environment,
        result: Option<VarId>,
    ) -> Environment {
        let mut after = self.visible(program, caller);
        after.known.retain(|var, _| program.vars[*var].function.is_some());
        after.known.extend(exit.iter().filter(|(var, _)| program.vars[*var].function.is_none()));
        if let Some(result) = result {
            let value = program.functions[callee].result.and_then(|from| exit.of(from));
            after.assign(program, result, value);
        }
        after
    }
}

fn arithmetic(op: BinOp, a: Strided, b: Strided, ty: Scalar) -> Option<Strided> {
    let Scalar::Int { bits: width, .. } = ty else { return None };
    let power = |by: Strided| {
        let by = by.singleton().filter(|by| (0..i128::from(width)).contains(by))?;
        Some(Strided::single(1 << by))
    };
    match op {
        BinOp::Add => a.plus(b).wrap(ty),
        BinOp::Sub => a.plus(b.negated()).wrap(ty),
        BinOp::Mul => a.times(b)?.wrap(ty),
        BinOp::Div => a.over(b)?.wrap(ty),
        BinOp::Rem => a.modulo(b)?.wrap(ty),
        BinOp::Shl => a.times(power(b)?)?.wrap(ty),
        BinOp::Shr if a.lo() >= 0 && b.singleton().is_none() && b.lo() >= 0 && b.hi() < i128::from(width) => {
            Strided::new(a.lo() >> b.hi(), a.hi() >> b.lo(), 1)
        }
        BinOp::Shr if a.lo() >= 0 => a.over(power(b)?)?.wrap(ty),
        BinOp::And if b.lo() >= 0 => Strided::new(0, if a.lo() >= 0 { b.hi().min(a.hi()) } else { b.hi() }, 1),
        BinOp::And if a.lo() >= 0 => Strided::new(0, a.hi(), 1),
        BinOp::Or | BinOp::Xor if a.lo() >= 0 && b.lo() >= 0 => {
            let bits = 128 - a.hi().max(b.hi()).leading_zeros();
            Strided::new(0, (1 << bits) - 1, 1)?.wrap(ty)
        }
        BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor => None,
        BinOp::Eq | BinOp::Lt | BinOp::Le | BinOp::PtrAdd => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::dataflow::Exploring;
    use analysis::{Cpa, Place, Stacks};
    use std::collections::BTreeMap;

    /// The domain as a CPA: one state per place, until nothing is new.
    #[test]
    fn explores_as_a_cpa() {
        let text =
            "start fn s() { x: int; n0: entry; n0 -> n1: x := 0; n1: loop_head; n1 -> n2: [x < 9]; n1 -> n3: [9 <= x];
             n2 -> n1: x := call next(x); n3 -> n4: return; n4: exit; }
             fn next(a: int) -> r: int { n5: entry; n5 -> n6: return a + 1; n6: exit; }";
        let program = cfa::notation::read(text).expect("a program");
        let mut cpa = Exploring::new(&program, IntervalDomain::new(&program));
        let mut stacks = Stacks::new(&program);
        let start = stacks.start(&program);
        let mut reached = BTreeMap::from([(start, cpa.initial())]);
        let mut waiting = vec![start];
        let mut taken = 0;
        while let Some(place) = waiting.pop() {
            taken += 1;
            assert!(taken < 1000, "widening ends");
            let (mut steps, state) = (Vec::new(), reached[&place].clone());
            stacks.steps(&program, place, &mut steps);
            for step in steps {
                let mut next = Vec::new();
                cpa.post(&state, &step, &(), &mut next).expect("a successor");
                for new in next {
                    let merged = match reached.get(&step.to) {
                        Some(old) if cpa.covers(old, &new).expect("an answer") => continue,
                        Some(old) => cpa.merge(&new, old, step.to).expect("a state").unwrap_or(new),
                        None => new,
                    };
                    reached.insert(step.to, merged);
                    waiting.push(step.to);
                }
            }
        }
        let node = |number: u32| reached.contains_key(&Place { node: cfa::Node(number), stack: Stacks::EMPTY });
        assert!((0..5).all(node), "all of the first function is reached");
        // What is reached is closed under steps.
        for (place, state) in &reached {
            let mut steps = Vec::new();
            stacks.steps(&program, *place, &mut steps);
            for step in steps {
                let mut next = Vec::new();
                cpa.post(state, &step, &(), &mut next).expect("a successor");
                assert!(next.iter().all(|new| cpa.covers(&reached[&step.to], new).expect("an answer")), "{step:?}");
            }
        }
    }
}

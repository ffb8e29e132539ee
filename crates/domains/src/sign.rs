//! Signs of integers: γ(s) = the integers that are negative, zero or positive as `s` allows. A register that a state does
//! not name may have any sign. Integers wrap, so a sum is only known where one side is zero; what conditions say is.

use analysis::dataflow::FlowDomain;
use cfa::{BinOp, EdgeId, Expr, ExprId, Exprs, Op, Program, Scalar, UnOp, VarId};
use std::collections::BTreeMap;

/// Which signs are possible. Invariant: at least one is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signs(u8);

const NEGATIVE: u8 = 1;
const ZERO: u8 = 2;
const POSITIVE: u8 = 4;

impl Signs {
    /// Any sign.
    const ANY: Signs = Signs(NEGATIVE | ZERO | POSITIVE);

    fn some(bits: u8) -> Option<Signs> {
        (bits != 0).then_some(Signs(bits))
    }

    fn of(value: i128) -> Signs {
        Signs(match value {
            ..0 => NEGATIVE,
            0 => ZERO,
            1.. => POSITIVE,
        })
    }

    /// All that an integer of a type may be.
    fn of_type(ty: Scalar) -> Signs {
        match ty {
            Scalar::Int { signed: false, .. } => Signs(ZERO | POSITIVE),
            _ => Signs::ANY,
        }
    }

    fn leq(self, other: Signs) -> bool {
        self.0 & !other.0 == 0
    }

    /// The sum of two integers, which may wrap.
    fn add(self, other: Signs) -> Signs {
        match (self.0, other.0) {
            (ZERO, _) => other,
            (_, ZERO) => self,
            _ => Signs::ANY,
        }
    }

    /// The product of two integers, which may wrap.
    fn mul(self, other: Signs) -> Signs {
        if self.0 == ZERO || other.0 == ZERO { Signs(ZERO) } else { Signs::ANY }
    }

    /// The signs that a left operand has of which a comparison with the right one can be true.
    fn that(self, relation: Relation, other: Signs) -> Option<Signs> {
        let fits = |left: u8| {
            [NEGATIVE, ZERO, POSITIVE].iter().any(|&right| other.0 & right != 0 && relation.can(left, right))
        };
        Signs::some([NEGATIVE, ZERO, POSITIVE].into_iter().filter(|&left| self.0 & left != 0 && fits(left)).sum())
    }
}

/// How two integers compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Equal,
    Different,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Relation {
    /// Whether some integers with these signs compare like this.
    fn can(self, left: u8, right: u8) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Different => left != right || left != ZERO,
            Relation::Less => left < right || (left == right && left != ZERO),
            Relation::AtMost => left <= right,
            Relation::Greater => Relation::Less.can(right, left),
            Relation::AtLeast => Relation::AtMost.can(right, left),
        }
    }

    /// The same, seen from the right operand.
    fn swapped(self) -> Relation {
        match self {
            Relation::Equal | Relation::Different => self,
            Relation::Less => Relation::Greater,
            Relation::AtMost => Relation::AtLeast,
            Relation::Greater => Relation::Less,
            Relation::AtLeast => Relation::AtMost,
        }
    }
}

/// What is known of registers.
type Known = BTreeMap<VarId, Signs>;

/// The domain for one program.
pub struct SignDomain<'p> {
    program: &'p Program,
}

impl<'p> SignDomain<'p> {
    /// Nothing is known.
    pub fn new(program: &'p Program) -> Self {
        Self { program }
    }

    fn eval(&self, known: &Known, id: ExprId) -> Signs {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let Scalar::Int { bits, signed } = ty else { return Signs::ANY };
        let found = match exprs.node(id) {
            Expr::Const { .. } => exprs.integer(id).map_or(Signs::ANY, Signs::of),
            Expr::Var(var) => known.get(&var).copied().unwrap_or(Signs::ANY),
            Expr::Cast(inner) => {
                let value = self.eval(known, inner);
                let fits = match exprs.ty(inner) {
                    Scalar::Int { bits: from, signed: false } => from < bits || (from == bits && !signed),
                    Scalar::Int { bits: from, signed: true } => from <= bits && signed,
                    _ => false,
                };
                // Zero stays zero, whatever is cut off; truth values and floats are not followed.
                let is_zero = value.0 == ZERO && matches!(exprs.ty(inner), Scalar::Int { .. });
                if fits || is_zero { value } else { Signs::ANY }
            }
            Expr::Binary(BinOp::Add, a, b) => self.eval(known, a).add(self.eval(known, b)),
            Expr::Binary(BinOp::Mul, a, b) => self.eval(known, a).mul(self.eval(known, b)),
            _ => Signs::ANY,
        };
        Signs::some(found.0 & Signs::of_type(ty).0).unwrap_or(Signs::of_type(ty))
    }

    fn assign(&self, known: &mut Known, var: VarId, value: Signs) {
        match self.program.register(var) {
            Some(ty @ Scalar::Int { .. }) if value != Signs::ANY && value.leq(Signs::of_type(ty)) => {
                known.insert(var, value)
            }
            Some(_) | None => known.remove(&var),
        };
    }

    /// What is known where a condition is `truth`; `None` if it cannot be.
    fn assume(&self, known: &Known, condition: ExprId, truth: bool) -> Option<Known> {
        let exprs = &self.program.exprs;
        let (relation, a, b) = match exprs.node(condition) {
            Expr::Const { .. } => {
                let holds = exprs.constant(condition) == Some(u128::from(truth));
                return holds.then(|| known.clone());
            }
            Expr::Unary(UnOp::Not, inner) => return self.assume(known, inner, !truth),
            Expr::Binary(BinOp::Eq, a, b) => (if truth { Relation::Equal } else { Relation::Different }, a, b),
            Expr::Binary(BinOp::Lt, a, b) => (if truth { Relation::Less } else { Relation::AtLeast }, a, b),
            Expr::Binary(BinOp::Le, a, b) => (if truth { Relation::AtMost } else { Relation::Greater }, a, b),
            _ => return Some(known.clone()),
        };
        if !matches!(exprs.ty(a), Scalar::Int { .. }) {
            return Some(known.clone());
        }
        let (left, right) = (self.eval(known, a), self.eval(known, b));
        let mut after = known.clone();
        for (id, signs) in [(a, left.that(relation, right)?), (b, right.that(relation.swapped(), left)?)] {
            if let Expr::Var(var) = exprs.node(id) {
                self.assign(&mut after, var, signs);
            }
        }
        Some(after)
    }

    fn is_global(&self, var: VarId) -> bool {
        self.program.vars[var].function.is_none()
    }
}

impl FlowDomain for SignDomain<'_> {
    type State = Known;

    fn initial(&self) -> Known {
        Known::new()
    }

    fn leq(&self, a: &Known, b: &Known) -> bool {
        b.iter().all(|(var, signs)| a.get(var).is_some_and(|known| known.leq(*signs)))
    }

    fn join(&self, a: &Known, b: &Known) -> Known {
        let both = a.iter().filter_map(|(var, signs)| Some((*var, Signs(signs.0 | b.get(var)?.0))));
        both.filter(|(_, signs)| *signs != Signs::ANY).collect()
    }

    fn meet(&self, a: &Known, b: &Known) -> Option<Known> {
        let mut all = a.clone();
        for (var, signs) in b {
            let known = all.get(var).copied().unwrap_or(Signs::ANY);
            all.insert(*var, Signs::some(known.0 & signs.0)?);
        }
        Some(all)
    }

    /// Chains are three times as long as there are variables, so joining is enough.
    fn widen(&self, old: &Known, new: &Known) -> Known {
        self.join(old, new)
    }

    fn post(&self, before: &Known, edge: EdgeId) -> Option<Known> {
        let edge = &self.program.edges[edge];
        let mut after = before.clone();
        match &edge.op {
            Op::Assume(condition) => return self.assume(before, *condition, true),
            Op::Assign(var, value) => self.assign(&mut after, *var, self.eval(before, *value)),
            Op::Return(Some(value)) => {
                let function = self.program.nodes[edge.from].function;
                if let Some(result) = self.program.functions[function].result {
                    self.assign(&mut after, result, self.eval(before, *value));
                }
            }
            Op::Havoc(var, _) | Op::Allocate { result: var, .. } | Op::Library { result: Some(var), .. } => {
                after.remove(var);
            }
            Op::Halt(_) => return None,
            Op::Call { .. } | Op::CallPointer { .. } | Op::Unsupported(_) => after.clear(),
            Op::Skip
            | Op::Return(None)
            | Op::Init(_)
            | Op::Declare(_)
            | Op::End(_)
            | Op::Library { result: None, .. } => {}
            // Registers do not lie in memory.
            Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } | Op::Free(_) => {}
        }
        Some(after)
    }

    fn enter(&self, before: &Known, call: EdgeId) -> Known {
        let Op::Call { function, args, .. } = &self.program.edges[call].op else { return Known::new() };
        let mut inside = before.clone();
        inside.retain(|var, _| self.is_global(*var));
        for (param, arg) in self.program.functions[*function].params.iter().zip(args) {
            self.assign(&mut inside, *param, self.eval(before, *arg));
        }
        inside
    }

    fn leave(&self, before: &Known, call: EdgeId, exit: &Known) -> Known {
        let Op::Call { function, result, .. } = &self.program.edges[call].op else { return Known::new() };
        let mut after = before.clone();
        after.retain(|var, _| !self.is_global(*var));
        after.extend(exit.iter().filter(|(var, _)| self.is_global(**var)));
        if let Some(result) = result {
            let from = self.program.functions[*function].result;
            let value = from.and_then(|from| exit.get(&from).copied());
            self.assign(&mut after, *result, value.unwrap_or(Signs::ANY));
        }
        after
    }

    fn invariant(&self, state: &Known, exprs: &mut Exprs) -> ExprId {
        let mut all = exprs.bool(true);
        for (&var, &signs) in state {
            let Some(ty) = self.program.register(var) else { continue };
            let (x, zero) = (exprs.var(var, ty), exprs.int(ty, 0));
            let (below, at) = (exprs.binary(BinOp::Lt, x, zero), exprs.binary(BinOp::Eq, x, zero));
            let above = exprs.binary(BinOp::Lt, zero, x);
            for (bit, excluded) in [(NEGATIVE, below), (ZERO, at), (POSITIVE, above)] {
                if signs.0 & bit == 0 {
                    let not = exprs.not(excluded);
                    all = exprs.binary(BinOp::And, all, not);
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod laws {
    use super::*;

    const NUMBERS: std::ops::Range<i128> = -8..8;

    fn all() -> impl Iterator<Item = Signs> {
        (1..8).map(Signs)
    }

    fn members(signs: Signs) -> impl Iterator<Item = i128> {
        NUMBERS.filter(move |&number| Signs::of(number).leq(signs))
    }

    /// As four bits hold it.
    fn wrapped(value: i128) -> i128 {
        (value + 8).rem_euclid(16) - 8
    }

    #[test]
    fn laws_of_the_lattice() {
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            let included = members(a).all(|number| Signs::of(number).leq(b));
            assert_eq!(a.leq(b), included, "{a:?} {b:?}");
            let (join, meet) = (Signs(a.0 | b.0), Signs::some(a.0 & b.0));
            assert!(a.leq(join) && b.leq(join) && all().filter(|c| a.leq(*c) && b.leq(*c)).all(|c| join.leq(c)));
            assert!(meet.is_none_or(|meet| meet.leq(a) && meet.leq(b)));
            assert_eq!(meet.is_some(), members(a).any(|number| Signs::of(number).leq(b)));
        }
    }

    #[test]
    fn operators_are_sound() {
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            for (x, y) in members(a).flat_map(|x| members(b).map(move |y| (x, y))) {
                assert!(Signs::of(wrapped(x + y)).leq(a.add(b)), "{x} + {y} in {a:?} + {b:?}");
                assert!(Signs::of(wrapped(x * y)).leq(a.mul(b)), "{x} * {y} in {a:?} * {b:?}");
                let relations = [
                    (Relation::Equal, x == y),
                    (Relation::Different, x != y),
                    (Relation::Less, x < y),
                    (Relation::AtMost, x <= y),
                    (Relation::Greater, x > y),
                    (Relation::AtLeast, x >= y),
                ];
                for (relation, _) in relations.into_iter().filter(|(_, holds)| *holds) {
                    assert!(a.that(relation, b).is_some_and(|left| Signs::of(x).leq(left)), "{x} {relation:?} {y}");
                    let right = b.that(relation.swapped(), a);
                    assert!(right.is_some_and(|right| Signs::of(y).leq(right)), "{x} {relation:?} {y}");
                }
            }
        }
    }
}

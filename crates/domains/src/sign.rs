//! Signs of integers: γ(s) = the integers that are negative, zero or positive as `s` allows. A register that a state does
//! not name may have any sign. Integers wrap, so a sum is only known where one side is zero; what conditions say is.

use analysis::registers::{PerRegister, Registers};
use cfa::{BinOp, Expr, ExprId, Exprs, Program, Scalar, UnOp};

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
type Known = analysis::registers::Known<Signs>;

/// The domain for one program.
pub struct SignDomain<'p> {
    program: &'p Program,
}

impl<'p> SignDomain<'p> {
    /// The domain for a program.
    pub fn new(program: &'p Program) -> Registers<Self> {
        Registers(Self { program })
    }

    fn signs(&self, known: &Known, id: ExprId) -> Signs {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let Scalar::Int { bits, signed } = ty else { return Signs::ANY };
        let found = match exprs.node(id) {
            Expr::Const { .. } => exprs.integer(id).map_or(Signs::ANY, Signs::of),
            Expr::Var(var) => known.get(&var).copied().unwrap_or(Signs::ANY),
            Expr::Cast(inner) => {
                let value = self.signs(known, inner);
                let fits = match exprs.ty(inner) {
                    Scalar::Int { bits: from, signed: false } => from < bits || (from == bits && !signed),
                    Scalar::Int { bits: from, signed: true } => from <= bits && signed,
                    _ => false,
                };
                // Zero stays zero, whatever is cut off; truth values and floats are not followed.
                let is_zero = value.0 == ZERO && matches!(exprs.ty(inner), Scalar::Int { .. });
                if fits || is_zero { value } else { Signs::ANY }
            }
            Expr::Binary(BinOp::Add, a, b) => self.signs(known, a).add(self.signs(known, b)),
            Expr::Binary(BinOp::Mul, a, b) => self.signs(known, a).mul(self.signs(known, b)),
            _ => Signs::ANY,
        };
        Signs::some(found.0 & Signs::of_type(ty).0).unwrap_or(Signs::of_type(ty))
    }

    /// What is known where a condition is `truth`; `None` if it cannot be.
    fn refine(&self, known: &Known, condition: ExprId, truth: bool) -> Option<Known> {
        let exprs = &self.program.exprs;
        let (relation, a, b) = match exprs.node(condition) {
            Expr::Const { .. } => {
                let holds = exprs.constant(condition) == Some(u128::from(truth));
                return holds.then(|| known.clone());
            }
            Expr::Unary(UnOp::Not, inner) => return self.refine(known, inner, !truth),
            Expr::Binary(BinOp::Eq, a, b) => (if truth { Relation::Equal } else { Relation::Different }, a, b),
            Expr::Binary(BinOp::Lt, a, b) => (if truth { Relation::Less } else { Relation::AtLeast }, a, b),
            Expr::Binary(BinOp::Le, a, b) => (if truth { Relation::AtMost } else { Relation::Greater }, a, b),
            _ => return Some(known.clone()),
        };
        if !matches!(exprs.ty(a), Scalar::Int { .. }) {
            return Some(known.clone());
        }
        let (left, right) = (self.signs(known, a), self.signs(known, b));
        let mut after = known.clone();
        for (id, signs) in [(a, left.that(relation, right)?), (b, right.that(relation.swapped(), left)?)] {
            if let Expr::Var(var) = exprs.node(id) {
                // The operands may be one variable.
                let both = after.get(&var).map_or(Some(signs), |own| Signs::some(own.0 & signs.0))?;
                after.insert(var, both);
            }
        }
        after.retain(|_, signs| *signs != Signs::ANY);
        Some(after)
    }
}

impl PerRegister for SignDomain<'_> {
    type Value = Signs;

    fn program(&self) -> &Program {
        self.program
    }

    fn leq(&self, a: Signs, b: Signs) -> bool {
        a.leq(b)
    }

    fn join(&self, a: Signs, b: Signs) -> Option<Signs> {
        Some(Signs(a.0 | b.0)).filter(|signs| *signs != Signs::ANY)
    }

    fn meet(&self, a: Signs, b: Signs) -> Option<Signs> {
        Signs::some(a.0 & b.0)
    }

    fn kept(&self, ty: Scalar, value: Signs) -> Option<Signs> {
        let is_int = matches!(ty, Scalar::Int { .. });
        Some(value).filter(|value| is_int && *value != Signs::ANY && value.leq(Signs::of_type(ty)))
    }

    fn eval(&self, known: &Known, id: ExprId) -> Option<Signs> {
        Some(self.signs(known, id))
    }

    fn assume(&self, known: &Known, condition: ExprId) -> Option<Known> {
        self.refine(known, condition, true)
    }

    fn fact(&self, register: ExprId, value: Signs, exprs: &mut Exprs) -> ExprId {
        let zero = exprs.int(exprs.ty(register), 0);
        let (below, at) = (exprs.binary(BinOp::Lt, register, zero), exprs.binary(BinOp::Eq, register, zero));
        let above = exprs.binary(BinOp::Lt, zero, register);
        let mut all = exprs.bool(true);
        for (bit, excluded) in [(NEGATIVE, below), (ZERO, at), (POSITIVE, above)] {
            if value.0 & bit == 0 {
                let not = exprs.not(excluded);
                all = exprs.binary(BinOp::And, all, not);
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

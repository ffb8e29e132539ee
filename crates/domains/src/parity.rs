//! Which integers are even and which are odd: γ(parity) = the integers with this lowest bit. The book's chapter on
//! domains explains it line by line.

use analysis::registers::{PerRegister, Registers};
use cfa::{BinOp, Expr, ExprId, Exprs, Program, Scalar, UnOp};

// ANCHOR: state
/// The lowest bit of an integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parity {
    /// It is 0.
    Even,
    /// It is 1.
    Odd,
}

/// What is known of registers: those that are not named may be even or odd.
type Known = analysis::registers::Known<Parity>;

/// The domain for one program.
pub struct ParityDomain<'p> {
    program: &'p Program,
}
// ANCHOR_END: state

use Parity::{Even, Odd};

impl Parity {
    fn of(value: u128) -> Parity {
        if value & 1 == 0 { Even } else { Odd }
    }

    /// The lowest bit of a sum or difference, also of one that wraps.
    fn plus(self, other: Parity) -> Parity {
        if self == other { Even } else { Odd }
    }

    fn bit(self) -> i128 {
        i128::from(self == Odd)
    }
}

/// The lowest bit of a product: one even factor is enough.
fn product(a: Option<Parity>, b: Option<Parity>) -> Option<Parity> {
    match (a, b) {
        (Some(Even), _) | (_, Some(Even)) => Some(Even),
        (Some(Odd), Some(Odd)) => Some(Odd),
        (None, _) | (_, None) => None,
    }
}

impl<'p> ParityDomain<'p> {
    /// The domain for a program.
    pub fn new(program: &'p Program) -> Registers<Self> {
        Registers(Self { program })
    }

    // ANCHOR: decide
    /// Whether a condition holds; `None` if it may or may not.
    fn decide(&self, known: &Known, condition: ExprId) -> Option<bool> {
        match self.program.exprs.node(condition) {
            Expr::Unary(UnOp::Not, inner) => self.decide(known, inner).map(|truth| !truth),
            Expr::Binary(BinOp::Eq, a, b) => {
                if let (Some(a), Some(b)) = (self.lowest_bit(known, a), self.lowest_bit(known, b)) {
                    return Some(a == b);
                }
                let differ = self.eval(known, a)? != self.eval(known, b)?;
                differ.then_some(false)
            }
            _ => None,
        }
    }
    // ANCHOR_END: decide

    /// The value of `x & 1` or of a constant, so that conditions such as `(x & 1) == 0` can be decided.
    fn lowest_bit(&self, known: &Known, id: ExprId) -> Option<i128> {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Binary(BinOp::And, _, mask) if exprs.integer(mask) == Some(1) => {
                self.eval(known, id).map(Parity::bit)
            }
            // One bit fits into every integer type but a signed one of a single bit, which C's types are not.
            Expr::Cast(inner) => self.lowest_bit(known, inner).filter(|bit| matches!(bit, 0 | 1)),
            _ => exprs.integer(id),
        }
    }
}

impl PerRegister for ParityDomain<'_> {
    type Value = Parity;

    fn program(&self) -> &Program {
        self.program
    }

    // ANCHOR: lattice
    fn leq(&self, a: Parity, b: Parity) -> bool {
        a == b
    }

    fn join(&self, a: Parity, b: Parity) -> Option<Parity> {
        (a == b).then_some(a)
    }

    fn meet(&self, a: Parity, b: Parity) -> Option<Parity> {
        (a == b).then_some(a)
    }

    fn kept(&self, ty: Scalar, value: Parity) -> Option<Parity> {
        matches!(ty, Scalar::Int { .. }).then_some(value)
    }
    // ANCHOR_END: lattice

    // ANCHOR: eval
    fn eval(&self, known: &Known, id: ExprId) -> Option<Parity> {
        let exprs = &self.program.exprs;
        if !matches!(exprs.ty(id), Scalar::Int { .. }) {
            return None;
        }
        match exprs.node(id) {
            Expr::Const { .. } => exprs.constant(id).map(Parity::of),
            Expr::Var(var) => known.get(&var).copied(),
            Expr::Cast(inner) => self.eval(known, inner),
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => Some(self.eval(known, a)?.plus(self.eval(known, b)?)),
            // The lowest bit of `x & y` is the product of theirs.
            Expr::Binary(BinOp::Mul | BinOp::And, a, b) => product(self.eval(known, a), self.eval(known, b)),
            _ => None,
        }
    }
    // ANCHOR_END: eval

    // ANCHOR: assume
    fn assume(&self, known: &Known, condition: ExprId) -> Option<Known> {
        (self.decide(known, condition) != Some(false)).then(|| known.clone())
    }
    // ANCHOR_END: assume

    // ANCHOR: fact
    fn fact(&self, register: ExprId, value: Parity, exprs: &mut Exprs) -> ExprId {
        let ty = exprs.ty(register);
        let (one, bit) = (exprs.int(ty, 1), exprs.int(ty, value.bit()));
        let lowest = exprs.binary(BinOp::And, register, one);
        exprs.binary(BinOp::Eq, lowest, bit)
    }
    // ANCHOR_END: fact
}

#[cfg(test)]
mod laws {
    use super::*;

    #[test]
    fn operators_are_sound_and_exact() {
        for (a, b) in (0..16_u128).flat_map(|a| (0..16).map(move |b| (a, b))) {
            let (x, y) = (Parity::of(a), Parity::of(b));
            assert_eq!(Parity::of(a + b), x.plus(y), "{a} + {b}");
            assert_eq!(Parity::of(a.wrapping_sub(b)), x.plus(y), "{a} - {b}");
            assert_eq!(Some(Parity::of(a * b)), product(Some(x), Some(y)), "{a} * {b}");
            assert_eq!(Some(Parity::of(a & b)), product(Some(x), Some(y)), "{a} & {b}");
            for unknown in [product(Some(x), None), product(None, Some(x))] {
                assert!(unknown.is_none_or(|known| known == Parity::of(a * b)), "{a} * {b}, one side unknown");
            }
            assert_eq!(Parity::of(a).bit(), i128::from(a as u8 & 1));
        }
    }

    #[test]
    fn laws_of_the_lattice() {
        let program =
            cfa::notation::read("start fn s() { n0: entry; n0 -> n1: return; n1: exit; }").expect("a program");
        let domain = ParityDomain { program: &program };
        for (a, b) in [Even, Odd].into_iter().flat_map(|a| [Even, Odd].map(|b| (a, b))) {
            assert!(domain.join(a, b).is_none_or(|join| domain.leq(a, join) && domain.leq(b, join)));
            assert!(domain.meet(a, b).is_none_or(|meet| domain.leq(meet, a) && domain.leq(meet, b)));
            assert_eq!(domain.leq(a, b), domain.join(a, b) == Some(b));
            assert_eq!(
                domain.meet(a, b).is_some(),
                (0..4).any(|value| Parity::of(value) == a && Parity::of(value) == b)
            );
        }
    }
}

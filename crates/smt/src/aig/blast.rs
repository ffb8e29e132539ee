//! Truth values and bit vectors as literals, lowest bit first. Floats, arrays and uninterpreted functions have none.

use super::{Aig, Lit};
use crate::op::Op;
use crate::sort::Sort;
use crate::terms::{TermId, Terms};
use rustc_hash::FxHashMap;

/// More nodes than this are too many.
const MOST_NODES: usize = 4_000_000;

/// Makes literals of terms.
#[derive(Default)]
pub struct Blaster {
    /// The graph.
    pub aig: Aig,
    known: FxHashMap<TermId, Vec<Lit>>,
}

impl Blaster {
    /// Gives a term these bits, wherever it occurs.
    pub fn set(&mut self, term: TermId, bits: Vec<Lit>) {
        assert!(!bits.is_empty(), "every term has a bit");
        assert!(bits.iter().all(|bit| bit.node() < self.aig.len()), "literals of the graph");
        self.known.insert(term, bits);
    }

    /// The bits of a variable that is an input.
    pub fn input(&mut self, terms: &Terms, variable: TermId) -> Result<Vec<Lit>, String> {
        let width = width_of(terms, variable)?;
        let bits: Vec<Lit> = (0..width).map(|_| self.aig.input()).collect();
        self.set(variable, bits.clone());
        Ok(bits)
    }

    /// The bits of a term, all of whose variables have bits; else what it has that is not bits.
    pub fn bits(&mut self, terms: &Terms, root: TermId) -> Result<Vec<Lit>, String> {
        for term in terms.reachable(&[root]) {
            if self.known.contains_key(&term) {
                continue;
            }
            let bits = self.term(terms, term)?;
            assert_eq!(Ok(bits.len() as u32), width_of(terms, term), "as many bits as the sort has");
            self.known.insert(term, bits);
            if self.aig.len() > MOST_NODES {
                return Err("it has too many gates".to_owned());
            }
        }
        Ok(self.known[&root].clone())
    }

    /// The literal of a formula.
    pub fn formula(&mut self, terms: &Terms, root: TermId) -> Result<Lit, String> {
        assert_eq!(terms.sort(root), Sort::Bool, "formulas are truth values");
        Ok(self.bits(terms, root)?[0])
    }

    fn term(&mut self, terms: &Terms, term: TermId) -> Result<Vec<Lit>, String> {
        let args: Vec<Vec<Lit>> = terms.args(term).iter().map(|arg| self.known[arg].clone()).collect();
        let args: Vec<&[Lit]> = args.iter().map(Vec::as_slice).collect();
        let one = |lit: Lit| Ok(vec![lit]);
        match (terms.op(term), &args[..]) {
            (Op::Bool(value), _) => one(Lit::FALSE.with(!value)),
            (Op::Bv(value), _) => {
                let value = terms.value(value);
                Ok((0..value.width()).map(|at| Lit::FALSE.with(!value.bit(at))).collect())
            }
            (Op::Not, [a]) => one(!a[0]),
            (Op::And, parts) => one(self.aig.all(parts.iter().map(|part| part[0]))),
            (Op::Or, parts) => one(!self.aig.all(parts.iter().map(|part| !part[0]))),
            (Op::Eq, [a, b]) => one(self.equal(a, b)),
            (Op::Ite, [condition, a, b]) => Ok(self.choice(condition[0], a, b)),
            (Op::BvNot, [a]) => Ok(a.iter().map(|&bit| !bit).collect()),
            (Op::BvNeg, [a]) => Ok(self.negated(a)),
            (Op::BvAnd, [a, b]) => Ok(self.bitwise(a, b, Aig::and)),
            (Op::BvOr, [a, b]) => Ok(self.bitwise(a, b, Aig::or)),
            (Op::BvXor, [a, b]) => Ok(self.bitwise(a, b, Aig::xor)),
            (Op::BvAdd, [a, b]) => Ok(self.sum(a, b, Lit::FALSE).0),
            (Op::BvSub, [a, b]) => {
                let b: Vec<Lit> = b.iter().map(|&bit| !bit).collect();
                Ok(self.sum(a, &b, Lit::TRUE).0)
            }
            (Op::BvMul, [a, b]) => Ok(self.product(a, b)),
            (Op::BvUdiv, [a, b]) => Ok(self.divided(a, b).0),
            (Op::BvUrem, [a, b]) => Ok(self.divided(a, b).1),
            (Op::BvSdiv, [a, b]) => Ok(self.signed_quotient(a, b)),
            (Op::BvSrem, [a, b]) => Ok(self.signed_remainder(a, b)),
            (Op::BvShl, [a, b]) => Ok(self.shifted(a, b, Lit::FALSE, true)),
            (Op::BvLshr, [a, b]) => Ok(self.shifted(a, b, Lit::FALSE, false)),
            (Op::BvAshr, [a, b]) => Ok(self.shifted(a, b, a[a.len() - 1], false)),
            (Op::BvConcat, [high, low]) => Ok(low.iter().chain(*high).copied().collect()),
            (Op::BvExtract { high, low }, [a]) => Ok(a[low as usize..=high as usize].to_vec()),
            (Op::BvZeroExtend(by), [a]) => Ok(extended(a, by, Lit::FALSE)),
            (Op::BvSignExtend(by), [a]) => Ok(extended(a, by, a[a.len() - 1])),
            (Op::BvUlt, [a, b]) => one(!self.less_or_equal(b, a)),
            (Op::BvUle, [a, b]) => one(self.less_or_equal(a, b)),
            (Op::BvSlt, [a, b]) => {
                let (a, b) = (with_flipped_sign(a), with_flipped_sign(b));
                one(!self.less_or_equal(&b, &a))
            }
            (Op::BvSle, [a, b]) => {
                let (a, b) = (with_flipped_sign(a), with_flipped_sign(b));
                one(self.less_or_equal(&a, &b))
            }
            (Op::Var(variable), _) => Err(match width_of(terms, term) {
                Ok(_) => format!("the variable {} has no bits", terms.var_name(variable)),
                Err(why) => why,
            }),
            (op, _) => Err(format!("{} has no gates", name(op))),
        }
    }

    fn bitwise(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Aig, Lit, Lit) -> Lit) -> Vec<Lit> {
        assert_eq!(a.len(), b.len(), "operands of equal width");
        a.iter().zip(b).map(|(&a, &b)| gate(&mut self.aig, a, b)).collect()
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let different = self.bitwise(a, b, Aig::xor);
        self.aig.all(different.into_iter().map(|bit| !bit))
    }

    fn choice(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        assert_eq!(a.len(), b.len(), "operands of equal width");
        a.iter().zip(b).map(|(&a, &b)| self.aig.ite(condition, a, b)).collect()
    }

    /// The sum and its last carry.
    fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        assert_eq!(a.len(), b.len(), "operands of equal width");
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let either = self.aig.xor(a, b);
            sum.push(self.aig.xor(either, carry));
            let (both, passed) = (self.aig.and(a, b), self.aig.and(either, carry));
            carry = self.aig.or(both, passed);
        }
        (sum, carry)
    }

    fn negated(&mut self, a: &[Lit]) -> Vec<Lit> {
        let flipped: Vec<Lit> = a.iter().map(|&bit| !bit).collect();
        self.sum(&flipped, &vec![Lit::FALSE; a.len()], Lit::TRUE).0
    }

    fn product(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        assert_eq!(a.len(), b.len(), "operands of equal width");
        let width = a.len();
        let mut total = vec![Lit::FALSE; width];
        for (at, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let mut row = vec![Lit::FALSE; at];
            row.extend(a[..width - at].iter().map(|&other| self.aig.and(other, bit)));
            total = self.sum(&total, &row, Lit::FALSE).0;
        }
        total
    }

    /// Unsigned quotient and remainder, by long division; by zero, all bits of the quotient are set.
    fn divided(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        assert_eq!(a.len(), b.len(), "operands of equal width");
        let width = a.len();
        let mut quotient = vec![Lit::FALSE; width];
        // One bit wider than the divisor, so that nothing is lost.
        let mut rest = vec![Lit::FALSE; width + 1];
        let divisor = extended(b, 1, Lit::FALSE);
        let subtracted: Vec<Lit> = divisor.iter().map(|&bit| !bit).collect();
        for at in (0..width).rev() {
            rest.rotate_right(1);
            rest[0] = a[at];
            let (difference, fits) = self.sum(&rest, &subtracted, Lit::TRUE);
            quotient[at] = fits;
            rest = self.choice(fits, &difference, &rest);
        }
        rest.truncate(width);
        (quotient, rest)
    }

    fn magnitude(&mut self, a: &[Lit]) -> Vec<Lit> {
        let negated = self.negated(a);
        self.choice(a[a.len() - 1], &negated, a)
    }

    fn signed_quotient(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let quotient = self.divided(&x, &y).0;
        let negated = self.negated(&quotient);
        let differ = self.aig.xor(a[a.len() - 1], b[b.len() - 1]);
        self.choice(differ, &negated, &quotient)
    }

    fn signed_remainder(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let rest = self.divided(&x, &y).1;
        let negated = self.negated(&rest);
        self.choice(a[a.len() - 1], &negated, &rest)
    }

    /// A shift to the left or to the right by any number.
    fn shifted(&mut self, a: &[Lit], by: &[Lit], filler: Lit, left: bool) -> Vec<Lit> {
        assert_eq!(a.len(), by.len(), "distances are as wide as what is shifted");
        let width = a.len();
        let mut result = a.to_vec();
        let mut too_far = Lit::FALSE;
        for (at, &bit) in by.iter().enumerate() {
            let count = 1usize.checked_shl(at as u32).unwrap_or(width).min(width);
            if count == width {
                too_far = self.aig.or(too_far, bit);
                continue;
            }
            let moved: Vec<Lit> = (0..width)
                .map(|to| match left {
                    true => to.checked_sub(count).map_or(filler, |from| result[from]),
                    false => result.get(to + count).copied().unwrap_or(filler),
                })
                .collect();
            result = self.choice(bit, &moved, &result);
        }
        self.choice(too_far, &vec![filler; width], &result)
    }

    /// Unsigned.
    fn less_or_equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let flipped: Vec<Lit> = a.iter().map(|&bit| !bit).collect();
        self.sum(b, &flipped, Lit::TRUE).1
    }
}

fn extended(a: &[Lit], by: u32, with: Lit) -> Vec<Lit> {
    a.iter().copied().chain(std::iter::repeat_n(with, by as usize)).collect()
}

fn with_flipped_sign(a: &[Lit]) -> Vec<Lit> {
    let mut flipped = a.to_vec();
    if let Some(sign) = flipped.last_mut() {
        *sign = !*sign;
    }
    flipped
}

fn width_of(terms: &Terms, term: TermId) -> Result<u32, String> {
    match terms.sort(term) {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(width),
        Sort::Float(_) => Err("a floating-point number is not bits".to_owned()),
        Sort::Array { .. } => Err("an array in memory is not bits".to_owned()),
    }
}

/// The name of an operator without its parameters.
fn name(op: Op) -> String {
    let text = format!("{op:?}");
    text.split(['(', ' ']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::values_of;
    use super::*;
    use crate::{BitVec, Model, Value};

    /// Every operator on all operands of four bits, against the evaluator of terms.
    #[test]
    fn gates_compute_what_terms_mean() {
        let mut terms = Terms::with_rewriting(crate::Rewriting::Off);
        let (x, y) = (terms.var("x", Sort::BitVec(4)), terms.var("y", Sort::BitVec(4)));
        let both = [
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvConcat,
            Op::BvUlt,
            Op::BvUle,
            Op::BvSlt,
            Op::BvSle,
            Op::Eq,
        ];
        let mut all: Vec<TermId> = both.iter().map(|&op| terms.make(op, &[x, y])).collect();
        for op in [Op::BvNot, Op::BvNeg, Op::BvExtract { high: 2, low: 1 }, Op::BvZeroExtend(3), Op::BvSignExtend(3)] {
            all.push(terms.make(op, &[x]));
        }
        let less = terms.make(Op::BvUlt, &[x, y]);
        all.push(terms.make(Op::Ite, &[less, x, y]));
        let mut blaster = Blaster::default();
        blaster.input(&terms, x).expect("bits");
        blaster.input(&terms, y).expect("bits");
        let (vx, vy) = (terms.as_var(x).expect("a variable"), terms.as_var(y).expect("a variable"));
        for term in all {
            let bits = blaster.bits(&terms, term).expect("gates");
            for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
                let mut model = Model::default();
                model.variables.insert(vx, Value::BitVec(BitVec::new(4, a)));
                model.variables.insert(vy, Value::BitVec(BitVec::new(4, b)));
                let expected = match terms.eval(term, &model) {
                    Some(Value::Bool(value)) => u128::from(value),
                    Some(Value::BitVec(value)) => value.to_u128().expect("few bits"),
                    other => panic!("{other:?}"),
                };
                let inputs: Vec<bool> =
                    (0..4).map(|at| a >> at & 1 == 1).chain((0..4).map(|at| b >> at & 1 == 1)).collect();
                let values = blaster.aig.evaluate(&inputs);
                let found = bits.iter().rev().fold(0, |sum, &bit| 2 * sum + u128::from(values_of(&values, bit)));
                assert_eq!(found, expected, "{:?} of {a} and {b}", terms.op(term));
            }
        }
    }
}

//! Bits that are sums of other bits, modulo 2: shifts, masks, exclusive or, and choices between constants. Checksums and
//! generators of pseudo-random numbers consist of them, and two ways to compute one are easily told equal by their sums,
//! though a solver that looks at single bits finds that hard.

use rustc_hash::FxHashMap;
use smt::{Op, Sort, TermId, Terms};

/// Terms with more parts are not looked at.
const MOST_TERMS: usize = 4_000;
/// A sum of more bits is a bit of its own.
const MOST_BITS: usize = 256;

/// A sum of bits modulo 2. Bits are numbered by [`Sums`]; none occurs twice.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Sum {
    bits: Vec<u32>,
    one: bool,
}

impl Sum {
    fn constant(one: bool) -> Sum {
        Sum { bits: Vec::new(), one }
    }

    fn value(&self) -> Option<bool> {
        self.bits.is_empty().then_some(self.one)
    }

    fn plus(&self, other: &Sum) -> Sum {
        let mut bits = Vec::with_capacity(self.bits.len() + other.bits.len());
        let (mut a, mut b) = (self.bits.iter().peekable(), other.bits.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x == y => {
                    a.next();
                    b.next();
                }
                (Some(x), Some(y)) if x < y => bits.extend(a.next()),
                (_, Some(_)) => bits.extend(b.next()),
                (Some(_), None) => bits.extend(a.next()),
                (None, None) => break,
            }
        }
        Sum { bits, one: self.one != other.one }
    }

    fn flipped(&self) -> Sum {
        Sum { bits: self.bits.clone(), one: !self.one }
    }

    /// The product, where it is a sum again.
    fn times(&self, other: &Sum) -> Option<Sum> {
        match (self.value(), other.value()) {
            (Some(false), _) | (_, Some(false)) => Some(Sum::default()),
            (Some(true), _) => Some(other.clone()),
            (_, Some(true)) => Some(self.clone()),
            _ if self == other => Some(self.clone()),
            _ if self.bits == other.bits => Some(Sum::default()),
            _ => None,
        }
    }
}

/// The sums of terms, the lowest bit first; conditions have one.
struct Sums<'a> {
    terms: &'a Terms,
    of: FxHashMap<TermId, Vec<Sum>>,
    /// The bits of which sums consist: a term and the number of its bit.
    numbers: FxHashMap<(TermId, u32), u32>,
}

/// The truth value of a condition as far as sums tell it.
pub(crate) fn truth(terms: &Terms, condition: TermId) -> Option<bool> {
    match (terms.op(condition), terms.args(condition)) {
        (Op::Not, &[opposite]) => truth(terms, opposite).map(|value| !value),
        (Op::Eq, &[a, b]) if matches!(terms.sort(a), Sort::BitVec(_)) => equal(terms, a, b),
        _ => None,
    }
}

/// Whether two bit vectors are surely equal (`true`), or surely different (`false`).
fn equal(terms: &Terms, a: TermId, b: TermId) -> Option<bool> {
    // Most equations have nothing to do with sums.
    if !adds_bits(terms, a, 3) && !adds_bits(terms, b, 3) {
        return None;
    }
    let all = terms.reachable(&[a, b]);
    if all.len() > MOST_TERMS {
        return None;
    }
    let mut sums = Sums { terms, of: FxHashMap::default(), numbers: FxHashMap::default() };
    sums.fill(all);
    same(&sums.of[&a], &sums.of[&b])
}

/// Whether a term consists of sums at its top.
fn adds_bits(terms: &Terms, term: TermId, depth: u32) -> bool {
    match terms.op(term) {
        Op::BvXor => true,
        Op::BvNot | Op::BvConcat | Op::BvExtract { .. } | Op::BvZeroExtend(_) => {
            depth > 0 && terms.args(term).iter().any(|arg| adds_bits(terms, *arg, depth - 1))
        }
        _ => false,
    }
}

fn same(a: &[Sum], b: &[Sum]) -> Option<bool> {
    assert_eq!(a.len(), b.len(), "equations have sides of one sort");
    let differences = || a.iter().zip(b).map(|(a, b)| a.plus(b).value());
    if differences().any(|difference| difference == Some(true)) {
        return Some(false);
    }
    differences().all(|difference| difference == Some(false)).then_some(true)
}

impl Sums<'_> {
    /// Computes the sums of terms with all their parts, which come first.
    fn fill(&mut self, all: Vec<TermId>) {
        for term in all {
            let width = match self.terms.sort(term) {
                Sort::Bool => 1,
                Sort::BitVec(width) => width,
                Sort::Float(_) | Sort::Array { .. } => continue,
            };
            let mut sums = self.sums(term, width);
            for (at, sum) in sums.iter_mut().enumerate() {
                if sum.as_ref().is_none_or(|sum| sum.bits.len() > MOST_BITS) {
                    *sum = Some(self.own(term, at as u32));
                }
            }
            let sums: Vec<Sum> = sums.into_iter().flatten().collect();
            assert_eq!(sums.len(), width as usize, "every bit has a sum");
            self.of.insert(term, sums);
        }
    }

    /// A bit that is nothing else.
    fn own(&mut self, term: TermId, bit: u32) -> Sum {
        let next = self.numbers.len() as u32;
        Sum { bits: vec![*self.numbers.entry((term, bit)).or_insert(next)], one: false }
    }

    /// The sums of a term by those of its arguments, where there are some.
    fn sums(&self, term: TermId, width: u32) -> Vec<Option<Sum>> {
        let terms = self.terms;
        let args = terms.args(term);
        let of = |at: usize| args.get(at).and_then(|arg| self.of.get(arg)).map_or(&[][..], Vec::as_slice);
        let (a, b) = (of(0), of(1));
        let pairs = || a.iter().zip(b);
        let zeros = |count: u32| std::iter::repeat_n(Some(Sum::default()), count as usize);
        let found: Vec<Option<Sum>> = match terms.op(term) {
            Op::Bool(value) => vec![Some(Sum::constant(value))],
            Op::Bv(value) => {
                (0..width).map(|at| Some(Sum::constant(!terms.value(value).extract(at, at).is_zero()))).collect()
            }
            Op::Not | Op::BvNot => a.iter().map(|a| Some(a.flipped())).collect(),
            Op::BvXor => pairs().map(|(a, b)| Some(a.plus(b))).collect(),
            Op::BvAnd => pairs().map(|(a, b)| a.times(b)).collect(),
            Op::BvOr => pairs().map(|(a, b)| Some(a.flipped().times(&b.flipped())?.flipped())).collect(),
            Op::BvAdd => added(a, b),
            Op::BvNeg => negated(a),
            Op::BvMul => moved(a, b).or_else(|| moved(b, a)).unwrap_or_default(),
            Op::BvConcat => b.iter().chain(a).cloned().map(Some).collect(),
            Op::BvExtract { high, low } => a[low as usize..=high as usize].iter().cloned().map(Some).collect(),
            Op::BvZeroExtend(by) => a.iter().cloned().map(Some).chain(zeros(by)).collect(),
            Op::BvSignExtend(by) => {
                let sign = std::iter::repeat_n(a.last().cloned(), by as usize);
                a.iter().cloned().map(Some).chain(sign).collect()
            }
            Op::Ite => b.iter().zip(of(2)).map(|(yes, no)| choice(&a[0], yes, no)).collect(),
            Op::Eq => vec![equation(a, b)],
            Op::And => vec![self.conjunction(args, false)],
            Op::Or => vec![self.conjunction(args, true)],
            _ => Vec::new(),
        };
        // Arguments without bits, and operators that are none of these.
        if found.len() == width as usize { found } else { vec![None; width as usize] }
    }

    /// All conditions, or (`flipped`) not all of their opposites.
    fn conjunction(&self, args: &[TermId], flipped: bool) -> Option<Sum> {
        let mut all = Sum::constant(true);
        for arg in args {
            let sum = &self.of.get(arg)?[0];
            all = all.times(&if flipped { sum.flipped() } else { sum.clone() })?;
        }
        Some(if flipped { all.flipped() } else { all })
    }
}

/// Bits of a sum of numbers up to the first that carries something.
fn added(a: &[Sum], b: &[Sum]) -> Vec<Option<Sum>> {
    let mut carries = false;
    let mut result = Vec::new();
    for (a, b) in a.iter().zip(b) {
        result.push((!carries).then(|| a.plus(b)));
        carries = carries || a.times(b).is_none_or(|carry| carry.value() != Some(false));
    }
    result
}

/// A product with a power of two: the bits of the other factor, farther up.
fn moved(a: &[Sum], power: &[Sum]) -> Option<Vec<Option<Sum>>> {
    let power: Vec<bool> = power.iter().map(Sum::value).collect::<Option<_>>()?;
    let by = power.iter().position(|bit| *bit).filter(|by| !power[by + 1..].contains(&true))?;
    Some((0..a.len()).map(|at| Some(at.checked_sub(by).map_or_else(Sum::default, |from| a[from].clone()))).collect())
}

/// A negative number of which one bit is not zero: that bit and all above.
fn negated(a: &[Sum]) -> Vec<Option<Sum>> {
    let mut others = a.iter().enumerate().filter(|(_, bit)| bit.value() != Some(false));
    match (others.next(), others.next()) {
        (None, _) => a.iter().cloned().map(Some).collect(),
        (Some((at, bit)), None) => {
            (0..a.len()).map(|place| Some(if place < at { Sum::default() } else { bit.clone() })).collect()
        }
        (Some(_), Some(_)) => Vec::new(),
    }
}

/// match: if c then x else y, a bit   result: y + c·(x + y)
fn choice(condition: &Sum, yes: &Sum, no: &Sum) -> Option<Sum> {
    Some(no.plus(&condition.times(&yes.plus(no))?))
}

/// Equal numbers: no bit differs. That is a sum if all that may differ differ together.
fn equation(a: &[Sum], b: &[Sum]) -> Option<Sum> {
    if a.is_empty() {
        return None;
    }
    let mut all = Sum::constant(true);
    for (a, b) in a.iter().zip(b) {
        all = all.times(&a.plus(b).flipped())?;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Model, Value};

    const WIDTH: u32 = 3;

    /// Terms over two numbers of three bits, made of each other in some rounds.
    fn some_terms(terms: &mut Terms, variables: [TermId; 2], seed: u64, count: usize) -> Vec<TermId> {
        let constants: Vec<TermId> = (0..8).map(|bits| terms.bv_u64(WIDTH, bits)).collect();
        let mut all: Vec<TermId> = variables.into_iter().chain(constants).collect();
        let mut state = seed;
        let mut random = |most: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % most
        };
        for _ in 0..count {
            let (a, b, c) = (all[random(all.len())], all[random(all.len())], all[random(all.len())]);
            let new = match random(14) {
                0 | 1 => terms.bv_xor(a, b),
                2 => terms.bv_and(a, b),
                3 => terms.bv_or(a, b),
                4 => terms.bv_add(a, b),
                5 => terms.make(Op::BvNeg, &[a]),
                6 => terms.bv_not(a),
                7 => {
                    let (high, low) = (terms.bv_extract(a, 1, 0), terms.bv_extract(b, 2, 2));
                    terms.bv_concat(high, low)
                }
                8 => {
                    let bit = terms.bv_extract(a, 1, 1);
                    terms.make(Op::BvSignExtend(2), &[bit])
                }
                9 => {
                    let bits = terms.bv_extract(a, 2, 1);
                    terms.make(Op::BvZeroExtend(1), &[bits])
                }
                10 => {
                    let condition = terms.eq(a, b);
                    terms.ite(condition, b, c)
                }
                11 => {
                    let bit = terms.bv_extract(a, 0, 0);
                    let condition = terms.bv_is_nonzero(bit);
                    terms.ite(condition, b, c)
                }
                12 => {
                    let (first, second) = (terms.eq(a, b), terms.eq(b, c));
                    let either = if random(2) == 0 { terms.or([first, second]) } else { terms.and([first, second]) };
                    terms.ite(either, a, c)
                }
                _ => terms.bv_mul(a, b),
            };
            all.push(new);
        }
        all
    }

    /// The bits of a term where the variables have values.
    fn evaluated(terms: &Terms, model: &Model, term: TermId) -> u64 {
        match terms.eval(term, model) {
            Some(Value::BitVec(value)) => value.to_u64().unwrap(),
            Some(Value::Bool(value)) => value.into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sums_are_the_bits_for_all_values() {
        let (mut plain, mut told) = (0, [0; 2]);
        for seed in 0..60 {
            let mut terms = Terms::new();
            let variables = ["x", "y"].map(|name| terms.var(name, Sort::BitVec(WIDTH)));
            let all = some_terms(&mut terms, variables, seed, 40);
            let mut sums = Sums { terms: &terms, of: FxHashMap::default(), numbers: FxHashMap::default() };
            sums.fill(terms.reachable(&all));
            let bits: FxHashMap<u32, (TermId, u32)> = sums.numbers.iter().map(|(bit, at)| (*at, *bit)).collect();
            for values in 0..64 {
                let mut model = Model::default();
                for (at, variable) in variables.into_iter().enumerate() {
                    let value = smt::BitVec::new(WIDTH, values >> (3 * at) & 7);
                    model.variables.insert(terms.as_var(variable).unwrap(), Value::BitVec(value));
                }
                for (term, of) in &sums.of {
                    let expected = evaluated(&terms, &model, *term);
                    for (at, sum) in of.iter().enumerate() {
                        let bit = |number: &u32| evaluated(&terms, &model, bits[number].0) >> bits[number].1 & 1 == 1;
                        let found = sum.bits.iter().fold(sum.one, |one, number| one != bit(number));
                        assert_eq!(found, expected >> at & 1 == 1, "bit {at} of {term:?}, seed {seed}");
                        plain += usize::from(sum.bits.len() > 1);
                    }
                }
            }
            for (at, &a) in all.iter().enumerate() {
                for &b in &all[..at] {
                    if let Some(said) = same(&sums.of[&a], &sums.of[&b]) {
                        told[usize::from(said)] += usize::from(a != b);
                    }
                }
            }
        }
        assert!(plain > 5_000 && told[0] > 1_000 && told[1] > 100, "{plain} sums, {told:?} equations");
    }
}

//! Random terms, each built twice: with and without rewriting.
#![allow(dead_code, reason = "not every test uses all of it")]

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use smt::{BitVec, FloatFormat, Op, Rewriting, RoundingMode, ScalarSort, Sort, TermId, Terms, Value};

/// The pool's variables are its first terms.
pub const VARIABLES: usize = 8;
const TINY: FloatFormat = FloatFormat { exponent: 3, significand: 3 };
const SMALL: FloatFormat = FloatFormat { exponent: 4, significand: 5 };
const ARRAY: Sort = Sort::Array { index: ScalarSort::BitVec(3), element: ScalarSort::BitVec(4) };

/// The same terms in two stores.
pub struct Pool {
    pub rewritten: Terms,
    pub plain: Terms,
    pub terms: Vec<(TermId, TermId)>,
    pub rng: StdRng,
    theme: u64,
}

impl Pool {
    pub fn new(seed: u64) -> Pool {
        let (rewritten, plain) = (Terms::new(), Terms::with_rewriting(Rewriting::Off));
        let mut pool = Pool { rewritten, plain, terms: Vec::new(), rng: StdRng::seed_from_u64(seed), theme: seed % 4 };
        for (name, sort) in [
            ("p", Sort::Bool),
            ("q", Sort::Bool),
            ("x", Sort::BitVec(4)),
            ("y", Sort::BitVec(4)),
            ("u", Sort::BitVec(3)),
            ("f", Sort::Float(TINY)),
            ("g", Sort::Float(SMALL)),
            ("a", ARRAY),
        ] {
            pool.terms.push((pool.rewritten.var(name, sort), pool.plain.var(name, sort)));
        }
        pool
    }

    fn sort(&self, term: (TermId, TermId)) -> Sort {
        self.plain.sort(term.1)
    }

    /// A known term, mostly a recent one, of a sort.
    fn pick(&mut self, accept: impl Fn(Sort) -> bool) -> (TermId, TermId) {
        let sort = |pool: &Pool, index: usize| pool.sort(pool.terms[index]);
        let fitting: Vec<usize> = (0..self.terms.len()).filter(|&index| accept(sort(self, index))).collect();
        let recent = &fitting[fitting.len().saturating_sub(6)..];
        let chosen =
            if self.rng.random_bool(0.7) { recent.choose(&mut self.rng) } else { fitting.choose(&mut self.rng) };
        self.terms[*chosen.expect("every sort has a variable")]
    }

    /// A term of this sort: known, or a value that rules like.
    fn operand(&mut self, sort: Sort) -> (TermId, TermId) {
        let missing = !self.terms.iter().any(|&term| self.sort(term) == sort);
        if !missing && self.rng.random_bool(0.7) {
            return self.pick(|other| other == sort);
        }
        let value = random_value(&mut self.rng, sort);
        (self.rewritten.value_term(&value), self.plain.value_term(&value))
    }

    fn make(&mut self, op: Op, args: &[(TermId, TermId)]) {
        let (left, right): (Vec<TermId>, Vec<TermId>) = args.iter().copied().unzip();
        self.terms.push((self.rewritten.make(op, &left), self.plain.make(op, &right)));
    }

    /// Makes one or more terms, or none.
    pub fn step(&mut self) {
        let bool_or_bv = |sort| matches!(sort, Sort::BitVec(_));
        // Most rules need two operators of one theory in a row, so every pool has a theory that it prefers.
        if self.rng.random_bool(0.5) {
            match self.theme {
                0 => return self.take_apart(),
                1 => return self.float_step(),
                2 => return self.array_step(),
                _ => {}
            }
        }
        match self.rng.random_range(0..12) {
            0 => {
                let a = self.operand(Sort::Bool);
                self.make(Op::Not, &[a]);
            }
            1 | 2 => {
                let op = if self.rng.random() { Op::And } else { Op::Or };
                let args: Vec<_> = (0..self.rng.random_range(2..4)).map(|_| self.operand(Sort::Bool)).collect();
                self.make(op, &args);
            }
            3 => {
                let a = self.pick(|_| true);
                let b = self.operand(self.sort(a));
                self.make(Op::Eq, &[a, b]);
            }
            4 => {
                let (condition, a) = (self.operand(Sort::Bool), self.pick(|_| true));
                let (a, b) = (self.operand(self.sort(a)), self.operand(self.sort(a)));
                self.make(Op::Ite, &[condition, a, b]);
            }
            5 => self.array_step(),
            6 => self.float_step(),
            7 => {
                let a = self.pick(bool_or_bv);
                self.unary_bv(a);
            }
            _ => {
                let a = self.pick(bool_or_bv);
                let b = self.operand(self.sort(a));
                let ops = [
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
                    Op::BvAdd,
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
                ];
                let op = *ops.choose(&mut self.rng).expect("there are operators");
                if op != Op::BvConcat || self.plain.width(a.1) + self.plain.width(b.1) <= 12 {
                    let (a, b) = if self.rng.random() { (a, b) } else { (b, a) };
                    self.make(op, &[a, b]);
                }
            }
        }
    }

    /// Pieces of one term, put together again.
    fn take_apart(&mut self) {
        let whole = self.pick(|sort| matches!(sort, Sort::BitVec(4..)));
        let top = self.plain.width(whole.1) - 1;
        let cut = self.rng.random_range(1..=top);
        let low = self.rng.random_range(0..cut);
        let high = self.rng.random_range(cut..=top);
        let gap = self.rng.random_range(0..cut - low).min(1);
        self.make(Op::BvExtract { high, low: cut }, &[whole]);
        let high_part = *self.terms.last().expect("just made");
        self.make(Op::BvExtract { high: cut - 1 - gap, low }, &[whole]);
        let low_part = *self.terms.last().expect("just made");
        self.make(Op::BvConcat, &[high_part, low_part]);
    }

    fn unary_bv(&mut self, a: (TermId, TermId)) {
        let width = self.plain.width(a.1);
        let low = self.rng.random_range(0..width);
        let op = match self.rng.random_range(0..9) {
            0 => Op::BvNot,
            1 => Op::BvNeg,
            2 | 3 => Op::BvExtract { high: self.rng.random_range(low..width), low },
            4 => Op::BvExtract { high: self.rng.random_range(0..width), low: 0 },
            5 | 6 if width <= 8 => Op::BvZeroExtend(self.rng.random_range(0..3)),
            7 | 8 if width <= 8 => Op::BvSignExtend(self.rng.random_range(0..3)),
            _ => Op::BvNot,
        };
        self.make(op, &[a]);
    }

    fn array_step(&mut self) {
        let array = self.pick(|sort| sort == ARRAY);
        let index = self.operand(Sort::BitVec(3));
        match self.rng.random_range(0..5) {
            0 => {
                let element = self.operand(Sort::BitVec(4));
                self.make(Op::ConstArray(ScalarSort::BitVec(3)), &[element]);
            }
            1 | 2 => {
                let element = self.operand(Sort::BitVec(4));
                self.make(Op::Store, &[array, index, element]);
            }
            _ => self.make(Op::Select, &[array, index]),
        }
    }

    fn float_step(&mut self) {
        let a = self.pick(|sort| matches!(sort, Sort::Float(_)));
        let b = self.operand(self.sort(a));
        let mode = *RoundingMode::ALL.choose(&mut self.rng).expect("there are modes");
        let coin: bool = self.rng.random();
        let comparisons = [Op::FpEq, Op::FpLt, Op::FpLe];
        let tests = [
            Op::FpIsNan,
            Op::FpIsInf,
            Op::FpIsZero,
            Op::FpIsNormal,
            Op::FpIsSubnormal,
            Op::FpIsNegative,
            Op::FpIsPositive,
        ];
        match self.rng.random_range(0..14) {
            0 => self.make(Op::FpNeg, &[a]),
            1 => self.make(Op::FpAbs, &[a]),
            2 => self.make(Op::FpAdd(mode), &[a, b]),
            3 => self.make(Op::FpMul(mode), &[b, a]),
            4 => self.make(Op::FpDiv(mode), &[a, b]),
            5 => self.make(Op::FpSub(mode), &[a, b]),
            6 => {
                let op = *comparisons.choose(&mut self.rng).expect("there are comparisons");
                self.make(op, &[a, b]);
            }
            7 => self.make(Op::FpSqrt(mode), &[a]),
            8 => self.make(Op::FpRem, &[a, b]),
            9 | 10 => self.make(Op::FpFromFp(mode, if coin { TINY } else { SMALL }), &[a]),
            11 => {
                let op = *tests.choose(&mut self.rng).expect("there are tests");
                self.make(op, &[a]);
            }
            12 => {
                let bits = self.operand(Sort::BitVec(4));
                self.make(if coin { Op::FpFromSbv(mode, TINY) } else { Op::FpFromUbv(mode, TINY) }, &[bits]);
            }
            _ => self.make(if coin { Op::FpToSbv(mode, 4) } else { Op::FpToUbv(mode, 4) }, &[a]),
        }
    }
}

/// A value, often a special one.
pub fn random_value(rng: &mut StdRng, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(rng.random()),
        Sort::BitVec(width) => Value::BitVec(match rng.random_range(0..6) {
            0 => BitVec::zero(width),
            1 => BitVec::one(width),
            2 => BitVec::ones(width),
            3 => BitVec::min_signed(width),
            _ => BitVec::new(width, rng.random()),
        }),
        Sort::Float(format) => {
            let one = smt::float::from_integer(format, RoundingMode::NearestEven, &1.into());
            let bits = if rng.random_bool(0.2) { one } else { BitVec::new(format.width(), rng.random()) };
            Value::Float(format, smt::float::canonical(format, bits))
        }
        Sort::Array { element, .. } => {
            let Value::Array(mut array) = Value::zero(sort) else { unreachable!("the zero of arrays is an array") };
            *array.default = random_value(rng, element.into());
            for index in 0..8 {
                array = array.store(Value::BitVec(BitVec::new(3, index)), random_value(rng, element.into()));
            }
            Value::Array(array)
        }
    }
}

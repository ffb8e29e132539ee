//! What intervals say of conditions, against all values: random conditions over two numbers of three bits and a truth value.
//! A path that is said to be impossible is so, and any other one means what its conditions mean, whatever was left out of
//! them because it was known.

use super::{Way, program_of};
use cfa::DataModel;
use encode::{Encoder, PathFormula};
use semantics::random::Random;
use smt::{BitVec, Model, Op, Sort, TermId, Value};

const BITS: u32 = 3;

/// Terms to choose from.
struct Pool {
    /// Numbers of three bits, and of five.
    numbers: [Vec<TermId>; 2],
    truths: Vec<TermId>,
    models: Vec<Model>,
}

fn pick(random: &mut Random, from: &[TermId]) -> TermId {
    from[random.below(from.len() as u64) as usize]
}

impl Pool {
    fn new(encoder: &mut Encoder, random: &mut Random) -> Pool {
        let terms = &mut encoder.terms;
        let (x, y) = (terms.var("x", Sort::BitVec(BITS)), terms.var("y", Sort::BitVec(BITS)));
        let b = terms.var("b", Sort::Bool);
        let mut models = Vec::new();
        for at in 0..1 << (2 * BITS + 1) {
            let values = [(x, at), (y, at >> BITS)]
                .map(|(term, bits)| (term, Value::BitVec(BitVec::new(BITS, bits & ((1 << BITS) - 1)))));
            let mut model = Model::default();
            for (term, value) in values.into_iter().chain([(b, Value::Bool(at >> (2 * BITS) == 1))]) {
                let Op::Var(var) = terms.op(term) else { panic!("a variable") };
                model.variables.insert(var, value);
            }
            models.push(model);
        }
        let mut pool = Pool { numbers: [vec![x, y], Vec::new()], truths: vec![b], models };
        for _ in 0..12 {
            pool.grow(encoder, random);
        }
        pool
    }

    fn grow(&mut self, encoder: &mut Encoder, random: &mut Random) {
        let terms = &mut encoder.terms;
        let wide = usize::from(!self.numbers[1].is_empty() && random.below(3) == 0);
        let width = [BITS, BITS + 2][wide];
        let constant = terms.bv_u64(width, random.below(1 << width));
        let [a, other] = [0; 2].map(|_| pick(random, &self.numbers[wide]));
        let b = if random.below(2) == 0 { constant } else { other };
        let [c, d] = [0; 2].map(|_| pick(random, &self.truths));
        match random.below(20) {
            0 => self.numbers[wide].push(terms.bv_add(a, b)),
            1 => self.numbers[wide].push(terms.bv_mul(a, constant)),
            2 => self.numbers[wide].push(terms.ite(c, a, b)),
            3 if wide == 0 => self.numbers[1].push(terms.bv_resize_unsigned(a, BITS + 2)),
            4 if wide == 0 => self.numbers[1].push(terms.bv_resize_signed(a, BITS + 2)),
            5 => self.numbers[wide].push(terms.bv_sub(a, b)),
            6..8 => self.truths.push(terms.eq(a, b)),
            8..10 => self.truths.push(terms.bv_ult(a, b)),
            10 => self.truths.push(terms.bv_ule(b, a)),
            11 => self.truths.push(terms.bv_slt(a, b)),
            12 => self.truths.push(terms.bv_sle(b, a)),
            13 => self.truths.push(terms.not(c)),
            14 | 15 => self.truths.push(terms.and([c, d])),
            16 | 17 => self.truths.push(terms.or([c, d])),
            18 => self.truths.push(terms.eq(c, d)),
            _ => {
                let e = pick(random, &self.truths);
                self.truths.push(terms.ite(c, d, e));
            }
        }
    }

    /// For which values a condition holds, as bits.
    fn table(&self, encoder: &Encoder, condition: TermId) -> u128 {
        let holds = |model: &Model| encoder.terms.eval(condition, model).and_then(|value| value.as_bool()).unwrap();
        (0..).zip(&self.models).map(|(at, model)| u128::from(holds(model)) << at).sum()
    }
}

/// A path and the values that take it.
type Taken = (Option<PathFormula>, u128);

fn and(encoder: &mut Encoder, pool: &Pool, (path, values): &Taken, condition: TermId) -> Taken {
    let values = values & pool.table(encoder, condition);
    let path = path.clone().and_then(|path| encoder.assume(path, condition));
    check(encoder, pool, &(path.clone(), values));
    (path, values)
}

fn check(encoder: &mut Encoder, pool: &Pool, (path, values): &Taken) {
    let meaning = match path {
        Some(path) => {
            let formula = encoder.guards.formula(&mut encoder.terms, path.guard);
            pool.table(encoder, formula)
        }
        None => 0,
    };
    assert_eq!(meaning, *values, "the values that take a path");
}

/// Two paths that part and meet again, and then all conditions there: how many are impossible, how many are seen to be so,
/// and how many are seen to hold.
fn check_paths(encoder: &mut Encoder, random: &mut Random) -> [usize; 3] {
    let pool = Pool::new(encoder, random);
    let [first, second, third] = [0; 3].map(|_| pick(random, &pool.truths));
    let start: Taken = (Some(PathFormula::start(0)), u128::MAX);
    let start = and(encoder, &pool, &start, first);
    let left = and(encoder, &pool, &start, second);
    let no = encoder.terms.not(second);
    let right = and(encoder, &pool, &start, no);
    let right = and(encoder, &pool, &right, third);
    let path = match (left.0, right.0) {
        (Some(a), Some(b)) => Some(encoder.merge(&a, &b)),
        (a, b) => a.or(b),
    };
    let joined = (path, left.1 | right.1);
    check(encoder, &pool, &joined);
    let mut found = [0; 3];
    for &condition in &pool.truths {
        let (path, values) = and(encoder, &pool, &joined, condition);
        let before = joined.0.as_ref().map(|path| path.guard);
        let guard = path.map(|path| path.guard);
        let kinds = [values == 0, guard.is_none(), guard.is_some() && guard == before];
        (0..3).for_each(|at| found[at] += usize::from(kinds[at]));
    }
    found
}

#[test]
fn conditions_mean_what_they_say() {
    let program = program_of("out = n;", DataModel::Lp64);
    let mut found = [0; 3];
    for seed in 0..150 {
        let mut encoder = Way::Intervals.encoder(&program);
        let more = check_paths(&mut encoder, &mut Random::new(seed));
        (0..3).for_each(|at| found[at] += more[at]);
    }
    // Whoever changes what is known: nearer to the first number is better.
    assert_eq!(found, [386, 379, 507], "impossible, seen to be impossible, seen to hold");
}

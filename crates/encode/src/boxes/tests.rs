//! Random formulas, random boxes, random assignments in them: the exact value of every term, by the evaluator of terms with
//! big integers, lies in what is known of it. And boxes are split into all of their assignments.

use super::*;
use semantics::random::Random;
use smt::{FloatFormat, RoundingMode};

const EVEN: RoundingMode = RoundingMode::NearestEven;
const FORMATS: [FloatFormat; 3] = [FloatFormat::HALF, FloatFormat::SINGLE, FloatFormat::DOUBLE];

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

/// Terms by sort.
#[derive(Default)]
struct Pool {
    floats: Vec<TermId>,
    bits: Vec<TermId>,
    truths: Vec<TermId>,
}

impl Pool {
    fn new(random: &mut Random, terms: &mut Terms, format: FloatFormat) -> Pool {
        let mut pool = Pool::default();
        for name in ["x", "y"] {
            pool.floats.push(terms.var(name, Sort::Float(format)));
        }
        for name in ["i", "j"] {
            pool.bits.push(terms.var(name, Sort::BitVec(8)));
        }
        pool.truths.push(terms.var("b", Sort::Bool));
        let constants = [0.0, -0.0, 1.0, 0.5, 3.0, -2.0, 1e-40, 1e30, f32::INFINITY];
        for _ in 0..2 {
            let number = pick(random, &constants);
            let precision = Precision::of(format).expect("its numbers are doubles");
            let bits = BitVec::new(format.width(), precision.encode(f64::from(number)).into());
            pool.floats.push(terms.fp(format, bits));
        }
        pool
    }

    /// One more term.
    fn grow(&mut self, random: &mut Random, terms: &mut Terms, format: FloatFormat) {
        let [a, b] = [0; 2].map(|_| pick(random, &self.floats));
        let [m, n] = [0; 2].map(|_| pick(random, &self.bits));
        let c = pick(random, &self.truths);
        let other = pick(random, &FORMATS);
        match random.below(32) {
            0..3 => self.floats.push(terms.fp_add(EVEN, a, b)),
            3..6 => self.floats.push(terms.fp_sub(EVEN, a, b)),
            6..9 => self.floats.push(terms.fp_mul(EVEN, a, b)),
            9 => self.floats.push(terms.fp_mul(EVEN, a, a)),
            10..13 => self.floats.push(terms.fp_div(EVEN, a, b)),
            13 => self.floats.push(terms.fp_rem(a, b)),
            14 => self.floats.push(terms.fp_sqrt(EVEN, a)),
            15 => self.floats.push(terms.fp_abs(a)),
            16 => self.floats.push(terms.fp_neg(a)),
            17 => self.floats.push(terms.fp_round(pick(random, &RoundingMode::ALL), a)),
            18 => {
                let there = terms.fp_from_fp(EVEN, other, a);
                self.floats.push(terms.fp_from_fp(EVEN, format, there));
            }
            19 => self.floats.push(terms.fp_from_signed(EVEN, format, m)),
            20 => self.floats.push(terms.fp_from_unsigned(EVEN, format, m)),
            21 => self.floats.push(terms.ite(c, a, b)),
            22 => self.bits.push(terms.fp_to_signed(pick(random, &RoundingMode::ALL), 8, a)),
            23 => self.bits.push(terms.fp_to_unsigned(pick(random, &RoundingMode::ALL), 8, a)),
            24 => self.bits.push(terms.bv_add(m, n)),
            25 => self.bits.push(terms.ite(c, m, n)),
            26 => self.truths.push(terms.fp_lt(a, b)),
            27 => self.truths.push(terms.fp_le(a, b)),
            28 => self.truths.push(terms.fp_eq(a, b)),
            29 => self.truths.push(terms.eq(a, b)),
            30 => {
                let is = [Op::FpIsNan, Op::FpIsInf, Op::FpIsZero, Op::FpIsNormal, Op::FpIsSubnormal];
                let signs = [Op::FpIsNegative, Op::FpIsPositive];
                let op = pick(random, &[&is[..], &signs[..]].concat());
                self.truths.push(terms.make(op, &[a]));
            }
            _ => {
                let d = pick(random, &self.truths);
                let not = terms.not(d);
                let small = terms.bv_slt(m, n);
                let new = [terms.and([c, not]), terms.or([not, small]), terms.eq(c, d)];
                self.truths.push(pick(random, &new));
            }
        }
    }
}

/// A range of codes, often around what is special.
fn drawn_range(random: &mut Random, kind: Kind) -> (u64, u64) {
    let last = kind.last();
    let special = match kind {
        Kind::Bool | Kind::Bits(_) => vec![0, last],
        Kind::Float(precision) => {
            let infinity = precision.infinity();
            let one = infinity + 1 + precision.encode(1.0);
            vec![0, 1, infinity, infinity + 1, infinity + 2, one, one + 1, last - 2, last - 1, last]
        }
    };
    let code = |random: &mut Random| match random.below(3) {
        0 => pick(random, &special),
        1 => pick(random, &special).saturating_add(random.below(1 << 24)).min(last),
        _ => random.next() % last.saturating_add(1),
    };
    let (a, b) = (code(random), code(random));
    let b = if random.below(3) == 0 { a.saturating_add(random.below(1 << 10)).min(last) } else { b };
    (a.min(b), a.max(b))
}

fn contains(known: Known, value: &Value) -> bool {
    match (known, value) {
        (Known::Anything, _) => true,
        (Known::Truth(truth), Value::Bool(value)) => {
            if *value {
                truth.may_hold
            } else {
                truth.may_fail
            }
        }
        (Known::Bits(interval), Value::BitVec(bits)) => {
            Interval::exactly(bits).is_some_and(|one| interval.meet(one).is_some())
        }
        (Known::Float(range), Value::Float(format, bits)) => {
            let precision = Precision::of(*format).expect("formats of the machine");
            range.contains(precision.decode(bits.to_u64().expect("64 bits at most")))
        }
        (known, value) => panic!("{value:?} is no {known:?}"),
    }
}

/// All terms of a random formula over a random box, against random assignments; how many values were compared.
fn check_formula(seed: u64) -> u64 {
    let random = &mut Random::new(seed);
    let format = pick(random, &FORMATS);
    let mut terms = Terms::new();
    let mut pool = Pool::new(random, &mut terms, format);
    for _ in 0..7 {
        pool.grow(random, &mut terms, format);
    }
    // Something that keeps all terms in the formula.
    let mut goal = pick(random, &pool.truths);
    for pair in pool.floats.windows(2).chain(pool.bits.windows(2)) {
        let same = terms.eq(pair[0], pair[1]);
        goal = terms.or([goal, same]);
    }
    let mut boxes = Boxes::of_formula(&terms, &[], goal);
    let order = terms.reachable(&[goal]);
    let mut compared = 0;
    for _ in 0..2 {
        let part: InputBox = boxes.variables.iter().map(|variable| drawn_range(random, variable.kind)).collect();
        let decision = boxes.decide(&terms, &part);
        for _ in 0..3 {
            let model = boxes.assignment(&terms, &boxes.drawn(&part, &mut |bound| random.below(bound)));
            for (at, &term) in order.iter().enumerate() {
                let Some(value) = terms.eval(term, &model) else { continue };
                let known = boxes.known[at];
                assert!(contains(known, &value), "seed {seed}: {:?} gives {value:?}, not in {known:?}", terms.op(term));
                compared += 1;
            }
            let value = terms.eval(goal, &model).and_then(|value| value.as_bool());
            assert!(value != Some(true) || decision != Decision::Excluded, "seed {seed}");
            assert!(value != Some(false) || decision != Decision::Satisfied, "seed {seed}");
            let inside = boxes.formula(&mut terms, &part);
            assert_eq!(terms.eval(inside, &model), Some(Value::Bool(true)), "seed {seed}");
        }
    }
    compared
}

#[test]
fn exact_values_lie_in_what_is_known() {
    let compared: u64 = (0..3000).map(check_formula).sum();
    assert!(compared >= 200_000, "{compared} values");
}

#[test]
fn halves_are_all_of_a_box() {
    let mut terms = Terms::new();
    let (x, i) = (terms.var("x", Sort::Float(FloatFormat::SINGLE)), terms.var("i", Sort::BitVec(8)));
    let number = terms.fp_from_signed(EVEN, FloatFormat::SINGLE, i);
    let goal = terms.fp_lt(x, number);
    let mut boxes = Boxes::of_formula(&terms, &[], goal);
    let (mut waiting, mut done, mut size) = (vec![boxes.whole()], 0, 0);
    while let Some(part) = waiting.pop() {
        let halves = if done + waiting.len() < 2000 {
            boxes.decide(&terms, &part);
            boxes.halves(&part)
        } else {
            None
        };
        match halves {
            Some(halves) => {
                assert_eq!(Boxes::size(&part), halves.iter().map(Boxes::size).sum::<u128>());
                waiting.extend(halves);
            }
            None => {
                done += 1;
                size += Boxes::size(&part);
            }
        }
    }
    assert_eq!(size, Boxes::size(&boxes.whole()));
    // All numbers, one NaN, both zeros.
    assert_eq!(size, 256 * u128::from(smt::float::count(FloatFormat::SINGLE)));
}

/// Questions that are decided without splitting, or by splitting at most so often.
fn decide_by_halving(terms: &Terms, goal: TermId, most: usize) -> Option<usize> {
    let mut boxes = Boxes::of_formula(terms, &[], goal);
    let (mut waiting, mut looked) = (vec![boxes.whole()], 0);
    while let Some(part) = waiting.pop() {
        looked += 1;
        if boxes.decide(terms, &part) != Decision::Excluded {
            waiting.extend(boxes.halves(&part)?);
        }
        if looked > most {
            return None;
        }
    }
    Some(looked)
}

#[test]
fn hard_products_are_excluded_soon() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::Float(FloatFormat::SINGLE));
    let (zero, one) = (terms.fp_single(0.0), terms.fp_single(1.0));
    let bounds = [terms.fp_le(zero, x), terms.fp_lt(x, one)];
    // 1 + x/2 - x²/8 + x³/16 < 1.44 for x in [0, 1): the maximum is 1.4375.
    let (square, half) = (terms.fp_mul(EVEN, x, x), terms.fp_single(0.5));
    let (eighth, sixteenth) = (terms.fp_single(0.125), terms.fp_single(0.0625));
    let cube = terms.fp_mul(EVEN, square, x);
    let parts = [(half, x), (eighth, square), (sixteenth, cube)].map(|(a, b)| terms.fp_mul(EVEN, a, b));
    let sum = terms.fp_add(EVEN, one, parts[0]);
    let sum = terms.fp_sub(EVEN, sum, parts[1]);
    let sum = terms.fp_add(EVEN, sum, parts[2]);
    let limit = terms.fp_single(1.44);
    let below = terms.fp_lt(sum, limit);
    let above = terms.not(below);
    let goal = terms.and(bounds.into_iter().chain([above]));
    assert!(decide_by_halving(&terms, goal, 1000).is_some());
    // A square is not negative, and neither is NaN.
    let negative = terms.fp_lt(square, zero);
    assert_eq!(decide_by_halving(&terms, negative, 1), Some(1));
}

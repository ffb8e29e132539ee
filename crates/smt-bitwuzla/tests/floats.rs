//! Bitwuzla's bit-blasted floats, with all rewriting off, agree with `smt::float`, which `crates/smt/tests/floats.rs`
//! compares with rustc_apfloat. This matters because the SymFPU that Debian packages, and that the bit-blasting is made
//! of, is years old.

use base::Cancel;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use smt::{Answer, BitVec, FloatFormat, Model, Op, Rewriting, RoundingMode, Solver, Sort, TermId, Terms, Value};
use smt_bitwuzla::{Bitwuzla, Simplification};

/// Random bits, often with a special exponent or fraction.
fn random_float(rng: &mut StdRng, format: FloatFormat) -> BitVec {
    let (exponent_bits, fraction_bits) = (u32::from(format.exponent), u32::from(format.significand) - 1);
    let bias = (1u128 << (exponent_bits - 1)) - 1;
    let exponent: u128 = match rng.random_range(0..6) {
        0 => rng.random(),
        1 => 0,
        2 => (1 << exponent_bits) - 1 - rng.random_range(0..2),
        _ => bias + rng.random_range(0..8) - 4,
    };
    let fraction: u128 = match rng.random_range(0..4) {
        0 => 0,
        1 => 1 << rng.random_range(0..fraction_bits),
        _ => rng.random(),
    };
    let exponent = BitVec::new(exponent_bits, exponent);
    let bits = BitVec::from_bool(rng.random()).concat(&exponent).concat(&BitVec::new(fraction_bits, fraction));
    smt::float::canonical(format, bits)
}

fn random_value(rng: &mut StdRng, sort: Sort) -> Value {
    match sort {
        Sort::Float(format) => Value::Float(format, random_float(rng, format)),
        Sort::BitVec(width) => {
            let value: u128 = rng.random::<u128>() >> rng.random_range(0..128);
            Value::BitVec(BitVec::new(width, if rng.random() { value } else { value.wrapping_neg() }))
        }
        Sort::Bool | Sort::Array { .. } => unreachable!("floats and integers only"),
    }
}

/// Compares `rounds` random evaluations of `op`, bit-blasted once.
fn agree(rng: &mut StdRng, op: Op, sorts: &[Sort], rounds: usize) {
    let mut terms = Terms::with_rewriting(Rewriting::Off);
    let args: Vec<TermId> = sorts.iter().enumerate().map(|(at, &sort)| terms.var(&format!("a{at}"), sort)).collect();
    let result = terms.make(op, &args);
    let mut solver = Bitwuzla::with_preprocessing(Simplification::None);
    for _ in 0..rounds {
        let mut model = Model::default();
        let mut assumptions = Vec::new();
        for &arg in &args {
            let value = random_value(rng, terms.sort(arg));
            let term = terms.value_term(&value);
            assumptions.push(terms.eq(arg, term));
            model.variables.insert(terms.as_var(arg).expect("a variable"), value);
        }
        let Some(expected) = terms.eval(result, &model) else { continue };
        assert_eq!(solver.check_assuming(&terms, &assumptions, &Cancel::never()), Ok(Answer::Sat));
        let actual = solver.value(&terms, result);
        assert_eq!(actual, Ok(expected), "{op:?} of {:?}", model.variables);
    }
}

fn arithmetic(format: FloatFormat, rounds: usize) {
    let mut rng = StdRng::seed_from_u64(5);
    let float = Sort::Float(format);
    for mode in RoundingMode::ALL {
        for op in [Op::FpAdd(mode), Op::FpSub(mode), Op::FpMul(mode), Op::FpDiv(mode)] {
            agree(&mut rng, op, &[float, float], rounds);
        }
        for op in [Op::FpSqrt(mode), Op::FpRound(mode)] {
            agree(&mut rng, op, &[float], rounds);
        }
    }
    for op in [Op::FpEq, Op::FpLt, Op::FpLe, Op::Eq] {
        agree(&mut rng, op, &[float, float], rounds);
    }
    for op in [Op::FpAbs, Op::FpNeg, Op::FpIsNan, Op::FpIsInf, Op::FpIsZero] {
        agree(&mut rng, op, &[float], rounds);
    }
    for op in [Op::FpIsNormal, Op::FpIsSubnormal, Op::FpIsNegative, Op::FpIsPositive] {
        agree(&mut rng, op, &[float], rounds);
    }
}

fn conversions(format: FloatFormat, rounds: usize) {
    let mut rng = StdRng::seed_from_u64(6);
    let float = Sort::Float(format);
    agree(&mut rng, Op::FpFromBits(format), &[Sort::BitVec(format.width())], rounds);
    for mode in [RoundingMode::NearestEven, RoundingMode::Zero] {
        for to in [FloatFormat::HALF, FloatFormat::SINGLE, FloatFormat::DOUBLE, FloatFormat::X87, FloatFormat::QUAD] {
            agree(&mut rng, Op::FpFromFp(mode, to), &[float], rounds);
        }
        for width in [8, 32, 64] {
            agree(&mut rng, Op::FpFromSbv(mode, format), &[Sort::BitVec(width)], rounds);
            agree(&mut rng, Op::FpFromUbv(mode, format), &[Sort::BitVec(width)], rounds);
            agree(&mut rng, Op::FpToSbv(mode, width), &[float], rounds);
            agree(&mut rng, Op::FpToUbv(mode, width), &[float], rounds);
        }
    }
}

#[test]
fn half() {
    arithmetic(FloatFormat::HALF, 12);
    conversions(FloatFormat::HALF, 8);
}

#[test]
fn single() {
    arithmetic(FloatFormat::SINGLE, 8);
    conversions(FloatFormat::SINGLE, 8);
}

#[test]
fn double() {
    arithmetic(FloatFormat::DOUBLE, 4);
    conversions(FloatFormat::DOUBLE, 6);
}

#[test]
fn extended() {
    arithmetic(FloatFormat::X87, 3);
    conversions(FloatFormat::X87, 4);
}

#[test]
fn quad() {
    arithmetic(FloatFormat::QUAD, 2);
    conversions(FloatFormat::QUAD, 3);
}

#[test]
fn remainders() {
    // The circuit has a stage for every exponent; larger formats take minutes.
    let mut rng = StdRng::seed_from_u64(8);
    let half = Sort::Float(FloatFormat::HALF);
    agree(&mut rng, Op::FpRem, &[half, half], 20);
}

//! Bitwuzla through the trait: levels, assumptions, models, cancellation.

use base::{Cancel, Stopped};
use smt::{Answer, BitVec, FloatFormat, RoundingMode, ScalarSort, Solver, SolverFailure, Sort, Terms, Value, scoped};
use smt_bitwuzla::Bitwuzla;
use std::time::{Duration, Instant};

#[test]
fn levels_and_models() {
    let (mut terms, mut solver, never) = (Terms::new(), Bitwuzla::new(), Cancel::never());
    let x = terms.var("x", Sort::BitVec(32));
    let (three, seven) = (terms.bv_u64(32, 3), terms.bv_u64(32, 7));
    let product = terms.bv_mul(x, three);
    let is_seven = terms.eq(product, seven);
    solver.assert(&terms, is_seven);
    assert_eq!(solver.check(&terms, &never), Ok(Answer::Sat));
    let value = solver.value(&terms, x).expect("a value");
    assert_eq!(value, Value::BitVec(BitVec::new(32, 0xaaaa_aaad))); // 7/3 modulo 2^32
    let small = terms.bv_ult(x, seven);
    let answer = scoped(&mut solver, |solver| {
        solver.assert(&terms, small);
        solver.check(&terms, &never)
    });
    assert_eq!(answer, Ok(Answer::Unsat));
    assert_eq!(solver.check(&terms, &never), Ok(Answer::Sat));
}

#[test]
fn failed_assumptions_are_a_core() {
    let (mut terms, mut solver, never) = (Terms::new(), Bitwuzla::new(), Cancel::never());
    let (x, y) = (terms.var("x", Sort::BitVec(8)), terms.var("y", Sort::BitVec(8)));
    let (low, high) = (terms.bv_u64(8, 10), terms.bv_u64(8, 20));
    let (a, b, c) = (terms.bv_ult(x, low), terms.bv_ult(y, low), terms.bv_ult(high, x));
    assert_eq!(solver.check_assuming(&terms, &[a, b, c], &never), Ok(Answer::Unsat));
    assert_eq!(solver.failed_assumptions(), [a, c]);
    assert_eq!(solver.check_assuming(&terms, &[a, b], &never), Ok(Answer::Sat));
}

#[test]
fn arrays_functions_and_wide_vectors_have_values() {
    let (mut terms, mut solver, never) = (Terms::new(), Bitwuzla::new(), Cancel::never());
    let memory = terms.var("memory", Sort::memory(64, 8));
    let (at, what) = (terms.bv_u64(64, 5), terms.bv_u64(8, 77));
    let element = terms.select(memory, at);
    let f = terms.function("f", &[ScalarSort::BitVec(8)], ScalarSort::BitVec(200));
    let applied = terms.apply(f, &[element]);
    let wide = terms.bv(BitVec::ones(200));
    let formulas = [terms.eq(element, what), terms.eq(applied, wide)];
    for formula in formulas {
        solver.assert(&terms, formula);
    }
    assert_eq!(solver.check(&terms, &never), Ok(Answer::Sat));
    let model = smt::model(&mut solver, &terms, &formulas).expect("a model");
    let Some(Value::Array(array)) = model.variables.get(&terms.as_var(memory).expect("a variable")) else {
        panic!("memory is an array")
    };
    assert_eq!(array.select(&Value::BitVec(BitVec::new(64, 5))), &Value::BitVec(BitVec::new(8, 77)));
    let entries = &model.functions[&f].entries;
    assert_eq!(entries[&vec![Value::BitVec(BitVec::new(8, 77))]], Value::BitVec(BitVec::ones(200)));
}

#[test]
fn floats_have_values() {
    let (mut terms, mut solver, never) = (Terms::new(), Bitwuzla::new(), Cancel::never());
    let x = terms.var("x", Sort::Float(FloatFormat::DOUBLE));
    let (two, nine) = (terms.fp_double(2.0), terms.fp_double(9.0));
    let product = terms.fp_mul(RoundingMode::NearestEven, x, two);
    let equal = terms.fp_eq(product, nine);
    solver.assert(&terms, equal);
    assert_eq!(solver.check(&terms, &never), Ok(Answer::Sat));
    let expected = Value::Float(FloatFormat::DOUBLE, BitVec::new(64, 4.5f64.to_bits().into()));
    assert_eq!(solver.value(&terms, x), Ok(expected));
}

#[test]
fn a_hard_query_is_cancelled_and_the_solver_lives_on() {
    let (mut terms, mut solver) = (Terms::new(), Bitwuzla::new());
    let sort = Sort::BitVec(64);
    let (x, y, zero) = (terms.var("x", sort), terms.var("y", sort), terms.bv_u64(128, 1));
    let (wide_x, wide_y) = (terms.bv_resize_unsigned(x, 128), terms.bv_resize_unsigned(y, 128));
    let product = terms.bv_mul(wide_x, wide_y);
    // A product of two primes of 61 and 62 bits: hard to factor for a SAT solver.
    let number = terms.bv(BitVec::new(128, 2_305_843_009_213_693_951u128 * 4_611_686_018_427_387_847));
    let is_product = terms.eq(product, number);
    let not_one = [terms.bv_ult(zero, wide_x), terms.bv_ult(zero, wide_y)];
    let formula = terms.and([is_product, not_one[0], not_one[1]]);
    let start = Instant::now();
    let limit = Cancel::with_limits(Some(Duration::from_millis(300)), None);
    let answer = solver.check_assuming(&terms, &[formula], &limit);
    assert_eq!(answer, Err(SolverFailure::Stopped(Stopped::Time)));
    assert!(start.elapsed() < Duration::from_secs(10), "stopped soon");
    assert_eq!(solver.check_assuming(&terms, &[not_one[0]], &Cancel::never()), Ok(Answer::Sat));
}

#[test]
fn own_interpolants_come_back_as_terms() {
    let (mut terms, mut solver, never) = (Terms::new(), Bitwuzla::new(), Cancel::never());
    let sort = Sort::BitVec(8);
    let (x, y, z) = (terms.var("x", sort), terms.var("y", sort), terms.var("z", sort));
    let five = terms.bv_u64(8, 5);
    let groups = [terms.eq(x, five), terms.eq(y, x), terms.eq(z, y), terms.ne(z, five)];
    let interpolants = solver.interpolants(&mut terms, &groups, &never).expect("Bitwuzla has interpolants");
    assert_eq!(interpolants.len(), 3);
}

#[test]
fn many_small_queries_renew_the_solver_and_keep_its_assertions() {
    let (mut terms, mut solver, never) = (Terms::new(), Bitwuzla::new(), Cancel::never());
    let sort = Sort::BitVec(16);
    let limit = terms.bv_u64(16, 10);
    let base = terms.var("base", sort);
    let (at_ground, on_level) = (terms.bv_ult(base, limit), terms.ne(base, limit));
    solver.assert(&terms, at_ground);
    solver.push();
    solver.assert(&terms, on_level);
    for round in 0..100 {
        let (x, y) = (terms.ssa_var("x", round, sort), terms.ssa_var("y", round, sort));
        let (sum, product) = (terms.bv_add(x, y), terms.bv_mul(x, base));
        let same = terms.eq(sum, product);
        let too_large = terms.bv_ule(limit, base);
        assert_eq!(solver.check_assuming(&terms, &[same], &never), Ok(Answer::Sat), "round {round}");
        assert_eq!(solver.check_assuming(&terms, &[same, too_large], &never), Ok(Answer::Unsat), "round {round}");
    }
    assert!(solver.statistics().value("solver renewals") > 0);
    solver.pop();
    assert_eq!(solver.check(&terms, &never), Ok(Answer::Sat));
}

/// Memory that starts as zeros and is then defined step by step.
#[test]
fn equations_of_constant_arrays() {
    let (mut terms, never) = (Terms::new(), Cancel::never());
    let sort = Sort::memory(64, 8);
    let (start, next) = (terms.ssa_var("memory", 0, sort), terms.ssa_var("memory", 1, sort));
    let zero = terms.bv_u64(8, 0);
    let zeros = terms.const_array(ScalarSort::BitVec(64), zero);
    let (i, j) = (terms.var("i", Sort::BitVec(64)), terms.var("j", Sort::BitVec(64)));
    let x = terms.var("x", Sort::BitVec(8));
    let written = terms.store_at(start, i, x);
    let read = terms.select(next, j);
    let query = [terms.eq(start, zeros), terms.eq(next, written), terms.ne(read, zero)];
    let apart = terms.ne(i, j);
    let mut solver = Bitwuzla::new();
    assert_eq!(solver.check_assuming(&terms, &query, &never), Ok(Answer::Sat));
    let model = smt::model(&mut solver, &terms, &query).expect("a model");
    for formula in query {
        assert_eq!(terms.eval(formula, &model), Some(Value::Bool(true)));
    }
    solver.push();
    solver.assert(&terms, query[0]);
    let rest = [query[1], query[2], apart];
    assert_eq!(solver.check_assuming(&terms, &rest, &never), Ok(Answer::Unsat));
    assert_eq!(solver.failed_assumptions(), rest);
}

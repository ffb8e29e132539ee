//! Random queries over bit vectors, floats and arrays: Z3 and Bitwuzla give the same answers, and models are models.
#![cfg(feature = "z3")]

#[path = "../../smt/tests/random_terms/mod.rs"]
mod random_terms;

use base::{Cancel, Stopped};
use random_terms::Pool;
use smt::{Answer, Op, Solver, SolverFailure, Sort, TermId, Terms};
use smt_bitwuzla::Bitwuzla;
use smt_z3::Z3;
use std::time::{Duration, Instant};

/// Whether SMT-LIB leaves the value of a part open, so that solvers may differ.
fn has_open_value(terms: &Terms, formula: TermId) -> bool {
    terms.reachable(&[formula]).iter().any(|&part| matches!(terms.op(part), Op::FpToSbv(..) | Op::FpToUbv(..)))
}

#[test]
fn same_answers() {
    let never = Cancel::never();
    let (mut sat, mut unsat) = (0, 0);
    for seed in 1000..1040 {
        let mut pool = Pool::new(seed);
        for _ in 0..50 {
            pool.step();
        }
        let formulas: Vec<TermId> = pool.terms.iter().map(|&(term, _)| term).collect();
        let terms = &mut pool.rewritten;
        let of_interest = |term: TermId| terms.sort(term) == Sort::Bool && !has_open_value(terms, term);
        let formulas: Vec<TermId> = formulas.into_iter().filter(|&term| of_interest(term)).collect();
        let (mut z3, mut bitwuzla) = (Z3::new(), Bitwuzla::new());
        for query in formulas.chunks(3) {
            // A few random products of floats are hard for one or the other.
            let limit = Cancel::with_limits(Some(Duration::from_secs(5)), None);
            let Ok(answer) = bitwuzla.check_assuming(terms, query, &limit) else { continue };
            let Ok(other) = z3.check_assuming(terms, query, &limit) else { continue };
            assert_eq!(answer, other, "seed {seed}");
            if answer == Answer::Sat {
                sat += 1;
                for &formula in query {
                    let value = z3.value(terms, formula).expect("a value");
                    assert_eq!(value.as_bool(), Some(true), "seed {seed}");
                }
            } else {
                unsat += 1;
                let (core, other) = (z3.failed_assumptions(), bitwuzla.failed_assumptions());
                assert_eq!(bitwuzla.check_assuming(terms, &core, &never), Ok(Answer::Unsat), "Z3's core");
                assert_eq!(z3.check_assuming(terms, &other, &never), Ok(Answer::Unsat), "Bitwuzla's core");
            }
        }
    }
    assert!(sat > 50 && unsat > 50, "{sat} satisfiable, {unsat} unsatisfiable");
}

#[test]
fn a_hard_query_is_cancelled() {
    let (mut terms, mut solver) = (Terms::new(), Z3::new());
    let sort = Sort::BitVec(64);
    let (x, y) = (terms.var("x", sort), terms.var("y", sort));
    let (xy, yx) = (terms.bv_mul(x, y), terms.bv_udiv(y, x));
    let (a, b) = (terms.bv_mul(xy, yx), terms.bv_mul(yx, x));
    let formula = [terms.ne(a, b), terms.bv_ult(xy, yx), terms.eq(xy, a)];
    let limit = Cancel::with_limits(Some(Duration::from_millis(200)), None);
    let start = Instant::now();
    match solver.check_assuming(&terms, &formula, &limit) {
        Ok(_) => {}
        Err(failure) => assert_eq!(failure, SolverFailure::Stopped(Stopped::Time)),
    }
    assert!(start.elapsed() < Duration::from_secs(30), "stopped soon");
}

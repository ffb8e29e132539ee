//! Rewriting keeps the meaning: random terms are built with and without rules, and evaluated.

mod random_terms;

use random_terms::{Pool, VARIABLES, random_value};
use smt::Model;

/// A term means the same in both stores.
fn check(pool: &mut Pool, made: usize) {
    let (left, right) = pool.terms[made];
    for _ in 0..24 {
        let (mut of_left, mut of_right) = (Model::default(), Model::default());
        for &(a, b) in &pool.terms[..VARIABLES] {
            let value = random_value(&mut pool.rng, pool.plain.sort(b));
            of_left.variables.insert(pool.rewritten.as_var(a).expect("a variable"), value.clone());
            of_right.variables.insert(pool.plain.as_var(b).expect("a variable"), value);
        }
        // Where SMT-LIB leaves the value open, rewriting may choose one.
        let Some(expected) = pool.plain.eval(right, &of_right) else { continue };
        let actual = pool.rewritten.eval(left, &of_left);
        assert!(
            actual.as_ref().is_some_and(|actual| actual.same(&expected)),
            "{:?} {:?} under {of_right:?}: {actual:?} instead of {expected:?}",
            pool.plain.op(right),
            pool.plain.args(right).iter().map(|&arg| pool.plain.op(arg)).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn random_terms_keep_their_meaning() {
    for seed in 0..400 {
        let mut pool = Pool::new(seed);
        for _ in 0..60 {
            let before = pool.terms.len();
            pool.step();
            for made in before..pool.terms.len() {
                check(&mut pool, made);
            }
        }
    }
}

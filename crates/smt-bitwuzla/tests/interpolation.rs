//! Interpolants of small paths, with Bitwuzla. Each `assert` of a script is one formula of the path.

use base::Cancel;
use expect_test::{Expect, expect};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use smt::interpolation::{Interpolants, InterpolationFailure, InterpolationOptions, Strategy, interpolate};
use smt::smtlib::Command;
use smt::{Answer, Backend, Counted, Solver, Sort, TermId, Terms};
use smt_bitwuzla::{Bitwuzla, BitwuzlaBackend};

fn groups(terms: &mut Terms, script: &str) -> Vec<TermId> {
    let commands = terms.read_script(script).expect("a script");
    commands
        .into_iter()
        .filter_map(|command| match command {
            Command::Assert(formula) => Some(formula),
            Command::Push(_) | Command::Pop(_) | Command::Check(_) => None,
        })
        .collect()
}

fn run(script: &str, strategies: &[Strategy]) -> (Terms, Result<Interpolants, InterpolationFailure>) {
    let mut terms = Terms::new();
    let groups = groups(&mut terms, script);
    let options = InterpolationOptions { strategies: strategies.to_vec(), ..InterpolationOptions::default() };
    let result = interpolate(&mut terms, &mut Bitwuzla::new(), &groups, &options, &Cancel::never());
    (terms, result)
}

fn check(script: &str, strategies: &[Strategy], expected: Expect) {
    let (terms, result) = run(script, strategies);
    let text = match result {
        Ok(interpolants) => {
            let inner = &interpolants.sequence[1..interpolants.sequence.len() - 1];
            let lines: Vec<String> = inner.iter().map(|&term| terms.display(term, 300)).collect();
            format!("{}:\n{}\n", interpolants.strategy, lines.join("\n"))
        }
        Err(failure) => format!("{failure}\n"),
    };
    expected.assert_eq(&text);
}

const ALL: &[Strategy] =
    &[Strategy::Atoms, Strategy::Backward, Strategy::Values, Strategy::OwnReversed, Strategy::Own, Strategy::Forward];

fn declare(names: &str, sort: &str) -> String {
    names.split_whitespace().map(|name| format!("(declare-const {name} {sort})")).collect()
}

/// Two counters in step [BDW18, Fig. 2].
fn two_counters() -> String {
    declare("x@1 y@1 x@2 y@2", "(_ BitVec 32)")
        + "(assert (and (= x@1 #x00000000) (= y@1 #x00000000)))
           (assert (and (= x@2 (bvadd x@1 #x00000001)) (= y@2 (bvadd y@1 #x00000001))))
           (assert (distinct x@2 y@2))"
}

#[test]
fn counters_in_step() {
    check(
        &two_counters(),
        ALL,
        expect![[r#"
            backward:
            (= x@1 y@1)
            (= x@2 y@2)
        "#]],
    );
    check(
        &two_counters(),
        &[Strategy::Backward],
        expect![[r#"
        backward:
        (= x@1 y@1)
        (= x@2 y@2)
    "#]],
    );
    check(
        &two_counters(),
        &[Strategy::Own],
        expect![[r#"
            own:
            (and (= x@1 #x00000000) (= y@1 #x00000000))
            (and (= x@2 #x00000001) (= y@2 #x00000001))
        "#]],
    );
    check(
        &two_counters(),
        &[Strategy::OwnReversed],
        expect![[r#"
        own-reversed:
        (= x@1 y@1)
        (= x@2 y@2)
    "#]],
    );
}

/// `q = p; *q = r; *r = 42; if (**p != 42)`: what the cells held before they were made does not matter.
#[test]
fn memory_that_nobody_knows() {
    let script = declare("p@0 q@1 r@0", "(_ BitVec 32)")
        + &declare("m@1 m@2 n@0 n@2", "(Array (_ BitVec 32) (_ BitVec 32))")
        + "(assert (and (= q@1 p@0) (= (select m@1 p@0) r@0)))
           (assert (and (= m@2 (store m@1 q@1 r@0)) (= n@2 (store n@0 r@0 #x0000002a))))
           (assert (distinct (select n@2 (select m@2 p@0)) #x0000002a))";
    check(
        &script,
        ALL,
        expect![[r#"
            backward:
            (= r@0 (select (store m@1 q@1 r@0) p@0))
            (= (select n@2 (select m@2 p@0)) #x0000002a)
        "#]],
    );
}

/// A list of two cells at constant addresses: its cells are told apart by their addresses, which are values.
#[test]
fn values_of_the_path() {
    let script = declare("next@1 next@2 p@1 p@2 p@3 i@2", "(_ BitVec 32)")
        + &declare("m@0 m@1 m@2", "(Array (_ BitVec 32) (_ BitVec 32))")
        + "(assert (and (= next@1 #x00000140) (= p@1 #x00000100) (= m@1 (store m@0 #x00000100 #x00000000))))
           (assert (and (= m@2 (store m@1 p@1 next@1)) (= p@2 next@1) (= next@2 (bvadd next@1 #x00000040))))
           (assert (and (= p@3 (select m@2 #x00000100)) (= p@3 #x00000000)))";
    check(
        &script,
        &[Strategy::Values],
        expect![[r#"
            values:
            (and (= next@1 #x00000140) (= p@1 #x00000100))
            (= (select m@2 #x00000100) #x00000140)
        "#]],
    );
}

/// Two inputs are stored and added up: after that the sum is one of what memory holds, whatever the inputs were.
#[test]
fn sums_of_what_was_stored() {
    let script = declare("x@1 x@2 s@1 s@2", "(_ BitVec 32)")
        + &declare("m@0 m@1 m@2", "(Array (_ BitVec 8) (_ BitVec 32))")
        + "(assert (and (= m@1 (store m@0 #x00 x@1)) (= s@1 x@1)))
           (assert (and (= m@2 (store m@1 #x01 x@2)) (= s@2 (bvadd s@1 x@2))))
           (assert (distinct s@2 (bvadd (select m@2 #x01) (select m@2 #x00))))";
    check(
        &script,
        &[Strategy::Forward],
        expect![[r#"
        forward:
        (= s@1 (select m@1 #x00))
        (= (select m@2 #x01) (bvsub s@2 (select m@2 #x00)))
    "#]],
    );
}

#[test]
fn a_feasible_path_has_none() {
    let script = declare("x@1", "Bool") + "(assert x@1) (assert x@1)";
    check(
        &script,
        ALL,
        expect![[r#"
        the path is feasible
    "#]],
    );
}

#[test]
fn conditions_without_definitions() {
    let script = declare("n i@1 i@2", "(_ BitVec 32)")
        + "(assert (= i@1 #x00000000))
           (assert (and (bvult i@1 n) (= i@2 (bvadd i@1 #x00000001))))
           (assert (and (not (bvult i@2 n)) (distinct i@2 n)))";
    check(
        &script,
        ALL,
        expect![[r#"
            backward:
            true
            (not (and (not (bvult i@2 n)) (not (= n i@2))))
        "#]],
    );
}

#[test]
fn arrays() {
    let script = declare("m@1 m@2", "(Array (_ BitVec 64) (_ BitVec 32))")
        + &declare("p q", "(_ BitVec 64)")
        + &declare("v@1", "(_ BitVec 32)")
        + "(assert (and (= m@2 (store m@1 p #x00000007)) (= q p)))
           (assert (= v@1 (select m@2 q)))
           (assert (distinct v@1 #x00000007))";
    check(
        &script,
        ALL,
        expect![[r#"
        backward:
        (= (select m@2 q) #x00000007)
        (= v@1 #x00000007)
    "#]],
    );
}

#[test]
fn floats() {
    let script = declare("x@1 x@2", "Float32")
        + "(assert (and (fp.leq (fp #b0 #x7f #b00000000000000000000000) x@1) (fp.leq x@1 (fp #b0 #x82 #b00000000000000000000000))))
           (assert (= x@2 (fp.add RNE x@1 x@1)))
           (assert (fp.lt x@2 (fp #b0 #x7f #b00000000000000000000000)))";
    check(
        &script,
        ALL,
        expect![[r#"
        atoms:
        (fp.leq (fp #b0 #b01111111 #b00000000000000000000000) x@1)
        (not (fp.lt x@2 (fp #b0 #b01111111 #b00000000000000000000000)))
    "#]],
    );
}

#[test]
fn uninterpreted_functions() {
    let script = declare("x@1 y@1 a@1 b@1", "(_ BitVec 8)")
        + "(declare-fun f ((_ BitVec 8)) (_ BitVec 8))
           (assert (= x@1 y@1))
           (assert (and (= a@1 (f x@1)) (= b@1 (f y@1))))
           (assert (distinct a@1 b@1))";
    check(
        &script,
        ALL,
        expect![[r#"
        backward:
        (= (f x@1) (f y@1))
        (= a@1 b@1)
    "#]],
    );
}

#[test]
fn nondeterministic_values_are_eliminated() {
    let script = declare("x@1 x@2 input@1", "(_ BitVec 32)")
        + "(assert (= x@1 #x0000000a))
           (assert (and (bvslt input@1 x@1) (bvslt #x00000000 input@1) (= x@2 (bvsub x@1 input@1))))
           (assert (bvslt x@2 #x00000000))";
    check(
        &script,
        ALL,
        expect![[r#"
            backward:
            true
            (not (bvslt x@2 #x00000000))
        "#]],
    );
}

/// Blocks with conditionals: `if (flag) { a = a + 1; b = b + 1; }` for many iterations, then `a != b`.
#[test]
fn long_paths_are_fast() {
    let mut terms = Terms::new();
    let (sort, steps) = (Sort::BitVec(32), 200);
    let one = terms.bv_u64(32, 1);
    let zero = terms.bv_u64(32, 0);
    let (mut a, mut b) = (terms.ssa_var("a", 1, sort), terms.ssa_var("b", 1, sort));
    let start = [terms.eq(a, zero), terms.eq(b, zero)];
    let mut groups = vec![terms.and(start)];
    for step in 2..steps {
        let flag = terms.ssa_var("flag", step, Sort::Bool);
        let (next_a, next_b) = (terms.ssa_var("a", step, sort), terms.ssa_var("b", step, sort));
        let (more_a, more_b) = (terms.bv_add(a, one), terms.bv_add(b, one));
        let (value_a, value_b) = (terms.ite(flag, more_a, a), terms.ite(flag, more_b, b));
        let definitions = [terms.eq(next_a, value_a), terms.eq(next_b, value_b)];
        groups.push(terms.and(definitions));
        (a, b) = (next_a, next_b);
    }
    groups.push(terms.ne(a, b));
    let (options, backend) = (InterpolationOptions::default(), Counted::new(BitwuzlaBackend));
    let result = interpolate(&mut terms, &mut *backend.solver(), &groups, &options, &Cancel::never());
    let interpolants = result.expect("the path is infeasible");
    let middle = interpolants.sequence[100];
    expect!["(= a@100 b@100)"].assert_eq(&terms.display(middle, 300));
    let mut counters = base::Counters::default();
    backend.count(&mut counters);
    let queries = counters.value("solver queries");
    assert!(queries <= 40 * steps as u64, "{queries} queries for {steps} groups");
}

/// A random path over three variables: definitions of new instances, and conditions.
fn random_path(terms: &mut Terms, rng: &mut StdRng) -> Vec<TermId> {
    let sort = Sort::BitVec(8);
    let mut current = [0u32; 3];
    let name = |variable: usize| ["x", "y", "z"][variable];
    let mut groups = Vec::new();
    for _ in 0..rng.random_range(2..7) {
        let mut parts = Vec::new();
        for _ in 0..rng.random_range(1..4) {
            let operand = |terms: &mut Terms, rng: &mut StdRng| {
                if rng.random_bool(0.3) {
                    return terms.bv_u64(8, rng.random_range(0..4));
                }
                let variable = rng.random_range(0..3);
                terms.ssa_var(name(variable), current[variable], sort)
            };
            let (a, b) = (operand(terms, rng), operand(terms, rng));
            let target = rng.random_range(0..3);
            let value = match rng.random_range(0..9) {
                0 => terms.bv_add(a, b),
                1 => terms.bv_sub(a, b),
                2 => terms.bv_mul(a, b),
                3 => terms.bv_and(a, b),
                4 => {
                    let condition = terms.bv_ult(a, b);
                    terms.ite(condition, a, b)
                }
                5 => {
                    parts.push(terms.eq(a, b));
                    continue;
                }
                6 => {
                    parts.push(terms.ne(a, b));
                    continue;
                }
                7 => {
                    parts.push(terms.bv_ult(a, b));
                    continue;
                }
                _ => {
                    current[target] += 1; // an input
                    continue;
                }
            };
            current[target] += 1;
            let new = terms.ssa_var(name(target), current[target], sort);
            parts.push(terms.eq(new, value));
        }
        groups.push(terms.and(parts));
    }
    groups
}

#[test]
fn random_paths_have_correct_sequences() {
    let mut rng = StdRng::seed_from_u64(11);
    let (mut infeasible, mut solved) = (0, 0);
    for _ in 0..400 {
        let mut terms = Terms::new();
        let groups = random_path(&mut terms, &mut rng);
        let never = Cancel::never();
        let feasible = Bitwuzla::new().check_assuming(&terms, &groups, &never) == Ok(Answer::Sat);
        let mut solver = Bitwuzla::new();
        match interpolate(&mut terms, &mut solver, &groups, &InterpolationOptions::default(), &never) {
            Err(InterpolationFailure::Satisfiable) => assert!(feasible),
            Err(InterpolationFailure::NoSequence(_)) => infeasible += 1,
            Err(failure) => panic!("{failure}"),
            Ok(interpolants) => {
                assert!(!feasible);
                infeasible += 1;
                solved += 1;
                assert_is_sequence(&mut terms, &groups, &interpolants.sequence);
            }
        }
    }
    assert!(infeasible > 50, "{infeasible} infeasible paths");
    assert!(solved * 20 >= infeasible * 19, "{solved} of {infeasible} infeasible paths have interpolants");
}

/// The definition, by a fresh solver without our simplifications.
fn assert_is_sequence(terms: &mut Terms, groups: &[TermId], sequence: &[TermId]) {
    assert_eq!(sequence.len(), groups.len() + 1);
    assert_eq!(terms.as_bool(sequence[0]), Some(true));
    assert_eq!(terms.as_bool(sequence[groups.len()]), Some(false));
    for (position, &group) in groups.iter().enumerate() {
        let negated = terms.not(sequence[position + 1]);
        let query = [sequence[position], group, negated];
        let answer = Bitwuzla::new().check_assuming(terms, &query, &Cancel::never());
        assert_eq!(answer, Ok(Answer::Unsat), "step {position}");
    }
    for cut in 0..sequence.len() {
        let (before, after) = (terms.free_vars(&groups[..cut]), terms.free_vars(&groups[cut..]));
        let variables = terms.free_vars(&[sequence[cut]]);
        assert!(variables.iter().all(|variable| before.contains(variable) && after.contains(variable)), "cut {cut}");
    }
}

/// The library's interpolants of floats may be about pieces of its inner representation, which have no name outside.
#[test]
fn pieces_of_floats() {
    let script = declare("x@1 x@2 y@2", "Float32")
        + "(assert (and (fp.leq (fp #b0 #x00 #b00000000000000000000000) x@1) (fp.leq x@1 (fp #b0 #x7f #b00000000000000000000000))))
           (assert (and (= x@2 (fp.mul RNE x@1 (fp #b0 #x7e #b00000000000000000000000))) (= y@2 (fp.add RNE x@2 x@1))))
           (assert (fp.gt y@2 (fp #b0 #x80 #b00000000000000000000000)))";
    check(
        &script,
        &[Strategy::Own],
        expect![[r#"
        no interpolants; own: the solver has none
    "#]],
    );
}

//! SMT-LIB text: what is printed is read back as the same term, and errors say where they are.

mod random_terms;

use expect_test::{Expect, expect};
use random_terms::Pool;
use smt::smtlib::{Command, Script};
use smt::{FloatFormat, Rewriting, RoundingMode, ScalarSort, Sort, TermId, Terms};

fn print(terms: &Terms, assertions: &[TermId]) -> String {
    terms.print_script(&Script { assertions, assumptions: &[], status: "" })
}

/// Reads a script into a store without rewriting and prints it again.
fn check(text: &str, expected: Expect) {
    let mut terms = Terms::with_rewriting(Rewriting::Off);
    let printed = match terms.read_script(text) {
        Err(error) => format!("{error}\n"),
        Ok(commands) => commands
            .iter()
            .map(|command| match command {
                Command::Assert(formula) => format!("{}\n", terms.display(*formula, 200)),
                Command::Push(_) | Command::Pop(_) | Command::Check(_) => format!("{command:?}\n"),
            })
            .collect(),
    };
    expected.assert_eq(&printed);
}

#[test]
fn random_terms_survive() {
    for seed in 0..100 {
        let mut pool = Pool::new(seed);
        for _ in 0..60 {
            pool.step();
        }
        let formulas: Vec<TermId> =
            pool.terms.iter().map(|&(_, plain)| plain).filter(|&term| pool.plain.sort(term) == Sort::Bool).collect();
        let text = print(&pool.plain, &formulas);
        // Into the same store: the same terms must come back.
        let commands = pool.plain.read_script(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let read: Vec<TermId> = commands
            .into_iter()
            .filter_map(|command| match command {
                Command::Assert(formula) => Some(formula),
                Command::Push(_) | Command::Pop(_) | Command::Check(_) => None,
            })
            .collect();
        assert_eq!(read, formulas, "{text}");
    }
}

#[test]
fn deep_and_shared_terms_have_short_text() {
    let mut terms = Terms::new();
    let x = terms.var("x", Sort::BitVec(8));
    let mut sum = x;
    for _ in 0..100_000 {
        let product = terms.bv_mul(sum, sum);
        sum = terms.bv_not(product);
    }
    let formula = terms.eq(sum, x);
    let text = print(&terms, &[formula]);
    assert!(text.len() < 100 * 100_000, "{} characters", text.len());
    assert_eq!(terms.read_script(&text).expect("our own text")[0], Command::Assert(formula));
}

#[test]
fn a_script_with_everything() {
    let mut terms = Terms::new();
    let memory = terms.var("main::memory@2", Sort::memory(64, 8));
    let index = terms.bv_u64(64, 5);
    let element = terms.select(memory, index);
    let f = terms.function("f", &[ScalarSort::BitVec(8)], ScalarSort::Bool);
    let applied = terms.apply(f, &[element]);
    let x = terms.var("x", Sort::Float(FloatFormat::SINGLE));
    let one = terms.fp_single(1.5);
    let sum = terms.fp_add(RoundingMode::NearestEven, x, one);
    let positive = terms.fp_lt(one, sum);
    let assumption = terms.not(applied);
    let script = Script { assertions: &[applied, positive], assumptions: &[assumption], status: "unsat" };
    expect![[r#"
        (set-logic ALL)
        (set-info :status unsat)
        (declare-const |main::memory@2| (Array (_ BitVec 64) (_ BitVec 8)))
        (declare-fun f ((_ BitVec 8)) Bool)
        (declare-const x (_ FloatingPoint 8 24))
        (define-fun %3 () Bool (f (select |main::memory@2| #x0000000000000005)))
        (assert %3)
        (assert (fp.lt (fp #b0 #b01111111 #b10000000000000000000000) (fp.add RNE x (fp #b0 #b01111111 #b10000000000000000000000))))
        (check-sat-assuming ((not %3)))
    "#]]
    .assert_eq(&terms.print_script(&script));
}

#[test]
fn scripts_of_others() {
    check(
        "(set-logic QF_BV) ; a comment
         (declare-fun x () (_ BitVec 4)) (declare-const |a b| Bool)
         (define-fun y () (_ BitVec 4) (bvadd x #b0001 (_ bv2 4)))
         (push 1) (assert (let ((x y) (z x)) (let ((w x)) (bvugt w z))))
         (assert (=> |a b| (distinct x y ((_ repeat 2) ((_ extract 1 0) x)))))
         (check-sat) (pop 1) (exit)",
        expect![[r#"
            Push(1)
            (bvult x (bvadd (bvadd x #x1) #x2))
            (or (not |a b|) (and (not (= x (bvadd (bvadd x #x1) #x2))) (not (= x (concat ((_ extract 1 0) x) ((_ extract 1 0) x)))) (not (= (bvadd (bvadd x #x1) #x2) (concat ((_ extract 1 0) x) ((_ extract 1 0) x...
            Check([])
            Pop(1)
        "#]],
    );
}

#[test]
fn errors_have_lines() {
    check("(assert\n y)", expect!["line 2: unknown name y\n"]);
    check("(declare-const x Int)", expect!["line 1: sort Int is not supported\n"]);
    check(
        "(declare-const x Bool)\n(assert (bvadd x x))",
        expect![[r#"
        line 2: unknown operator, or arguments that do not fit it
    "#]],
    );
    check("(assert (and true)", expect!["line 1: never closed\n"]);
    check(
        "(assert ((_ extract) #b0))",
        expect![[r#"
        line 1: unknown operator, or arguments that do not fit it
    "#]],
    );
}

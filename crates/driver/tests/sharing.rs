//! What analyses of one program tell each other: paths that no execution takes, and predicates.

use analysis::{Order, Reached};
use base::{Cancel, Counters};
use cfa::{BinOp, ExprId, Exprs};
use domains::value::{Options, Precision, ValueAnalysis};
use driver::{Preset, Recording, Settings};
use engine::board::Board;
use engine::cegar::{Cegar, Interpolation, Restart};
use engine::evidence::{Confirm, Confirmation};
use flow::{PointsTo, Prepared};
use smt::Counted;
use smt_bitwuzla::BitwuzlaBackend;
use verdict::{Goals, Wanted};

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", source).expect("a correct program")
}

/// Values say nothing of the order of two inputs; the second error path starts like the first one.
const ORDER: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main() {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x > y) {
        if (y > x) {
            if (__VERIFIER_nondet_int()) reach_error();
            if (__VERIFIER_nondet_int()) reach_error();
        }
    }
    return 0;
}";

/// How many questions a solver is asked by a value analysis that takes part in an board.
fn queries(program: &Prepared, board: &Board) -> u64 {
    let points_to = PointsTo::new(program);
    let mut analysis = ValueAnalysis::new(program, &points_to, Options::default());
    let (backend, cancel) = (Counted::new(BitwuzlaBackend), Cancel::never());
    let confirm = Confirm::new(program, &backend, &cancel).sharing(board.clone());
    let mut confirm_path =
        |cpa: &mut ValueAnalysis, path: &[analysis::Step]| -> Confirmation { confirm.path(cpa, path) };
    let mut goals = Goals::any(program);
    let mut cegar = Cegar {
        program,
        order: Order::Dfs,
        restart: Restart::Root,
        cancel: &cancel,
        confirm: &mut confirm_path,
        most_undecided: 5,
        goals: &mut goals,
    };
    let mut refiner = Interpolation { board: board.clone(), ..Interpolation::default() };
    let (mut reached, mut counters) = (Reached::new(program, cegar.order), Counters::default());
    let end = cegar.run_in(&mut analysis, &mut Precision::scoped(), &mut refiner, &mut reached, &mut counters);
    assert!(end.is_err(), "values cannot decide it");
    assert_eq!(counters.value("checked counterexamples"), 2);
    let mut asked = Counters::default();
    backend.count(&mut asked);
    asked.value("solver queries")
}

fn shared(board: &Board) -> Counters {
    let mut counters = Counters::default();
    board.report(&mut counters);
    counters
}

#[test]
fn nobody_asks_about_a_path_with_a_known_infeasible_prefix() {
    let (program, all) = (lower(ORDER), Board::default());
    // The reason is in the prefix that both paths have: one question decides both.
    assert_eq!(queries(&program, &all.part()), 1);
    let told = shared(&all);
    assert_eq!((told.value("shared infeasible prefixes"), told.value("shared infeasible prefixes, used")), (1, 0));
    assert_eq!(queries(&program, &all.part()), 0);
    assert_eq!(shared(&all).value("shared infeasible prefixes, used"), 2);
    assert_eq!(queries(&program, &Board::default()), 1, "others do not know");
}

/// What a run of a preset with several parts counted.
fn run(source: &str, preset: &str) -> (String, Counters) {
    let settings = Settings { threads: 1, after: None, record: Recording::Numbers, wanted: Wanted::One };
    let preset = Preset::named(preset).expect("there is one");
    let cancel = Cancel::never();
    let outcome =
        driver::run_with(&settings, &lower(source), &preset, &driver::Options::default(), &cancel, &mut |_| {})
            .expect("no options");
    (outcome.verdict.to_string(), outcome.counters)
}

#[test]
fn a_run_of_several_parts_says_what_they_shared() {
    let (verdict, counters) = run(ORDER, "auto");
    assert_eq!(verdict, "TRUE");
    assert_eq!(counters.value("shared infeasible prefixes"), 1);
    let (verdict, counters) = run(ORDER, "k-induction");
    assert_eq!(verdict, "TRUE");
    assert!(counters.values().all(|(name, _)| !name.starts_with("shared")), "it is alone");
}

/// Tells the predicates `x == y` and `x == 3` at the loop head of a program.
fn offer(program: &Prepared, board: &Board) {
    let head = program.loops().loops.iter().next().expect("there is a loop").1.head;
    let var = |exprs: &mut Exprs, name: &str| -> ExprId {
        let (var, _) = program.vars.iter().find(|(var, _)| program.var_name(*var) == name).expect("it is declared");
        exprs.var(var, program.register(var).expect("a register"))
    };
    board.offer(&program.exprs, head, |exprs| {
        let (x, y) = (var(exprs, "x"), var(exprs, "y"));
        Some(exprs.binary(BinOp::Eq, x, y))
    });
    board.offer(&program.exprs, head, |exprs| {
        let x = var(exprs, "x");
        let three = exprs.bits(exprs.ty(x), 3);
        Some(exprs.binary(BinOp::Eq, x, three))
    });
}

#[test]
fn predicates_are_those_of_others_and_each_is_told_once() {
    let program = lower(
        "extern int __VERIFIER_nondet_int(void);
         int main() { int x = 0, y = 0; while (__VERIFIER_nondet_int()) { x++; y++; } if (x != y) ERROR: return 1; }",
    );
    let (all, nobody) = (Board::default(), 0);
    let (one, other) = (all.part(), all.part());
    offer(&program, &one);
    offer(&program, &other);
    let (claims, now) = other.predicates(nobody);
    assert_eq!((claims.claims.len(), now), (2, 2));
    assert_eq!(claims.both_ways().claims.len(), 4);
    assert_eq!(other.predicates(now).0.claims.len(), 0);
    assert_eq!(one.predicates(nobody).0.claims.len(), 0, "it knows them");
}

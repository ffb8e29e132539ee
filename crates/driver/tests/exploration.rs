//! Exploration on C: in which order states are expanded, what becomes of a graph of which a part is taken away, limits
//! inside a refinement, and which executions are looked for along a path.

use analysis::{Arg, ArgId, Order, Reached};
use base::{Cancel, Counters};
use domains::value::{Options, Precision, State, ValueAnalysis};
use engine::cegar::{Cegar, Interpolation, Restart};
use engine::evidence::{Confirm, Confirmation};
use engine::{cpa, proof};
use expect_test::{Expect, expect};
use flow::{PointsTo, Prepared};
use smt_bitwuzla::BitwuzlaBackend;
use verdict::{Goals, Stop};

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", source).expect("a correct program")
}

/// Explores to the end; the lines of the edges along which states were found, one number for neighbours on one line.
fn explore(program: &Prepared, analysis: &mut ValueAnalysis, reached: &mut Reached<State>) -> Vec<u32> {
    let mut lines = Vec::new();
    let found = &mut |step: &analysis::Step, _: &State| {
        let edge = &program.edges[step.edge];
        if program.function_name(program.nodes[edge.from].function) != "start$" {
            lines.push(program.sources.position(edge.span).line);
        }
        false
    };
    let limits = (&Cancel::never(), &mut Counters::default());
    cpa::explore((program, &Goals::any(program)), analysis, &mut Precision::scoped(), reached, found, limits)
        .expect("no limit");
    lines.dedup();
    lines
}

/// The order of expansion where nothing is tracked, so that states meet at joins.
fn check_order(source: &str, order: Order, expected: Expect) {
    let program = lower(source);
    let points_to = PointsTo::new(&program);
    let mut analysis = ValueAnalysis::new(&program, &points_to, Options::default());
    let mut reached = Reached::new(&program, order);
    cpa::start(&program, &mut analysis, &mut Precision::scoped(), &mut reached).expect("no limit");
    let lines: Vec<String> =
        explore(&program, &mut analysis, &mut reached).iter().map(|line| line.to_string()).collect();
    expected.assert_eq(&lines.join(" "));
}

const BRANCHES: &str = "extern int input();
int main() {
    int x = input();
    if (x > 5) {
        x = 1;
        x = x + 1;
    } else {
        x = 2;
    }
    x = x * 2;
    x = x * 3;
    return x;
}";

/// The shorter branch comes to the join first unless the longer one is waited for.
#[test]
fn joins() {
    check_order(BRANCHES, Order::Dfs, expect!["2 3 1 3 4 8 10 11 12 2 5"]);
    check_order(BRANCHES, Order::Bfs, expect!["2 3 1 3 4 5 8 10 11 12 2"]);
    check_order(BRANCHES, Order::BfsThenDfs, expect!["2 3 1 3 4 5 8 10 11 12 2"]);
    check_order(BRANCHES, Order::ReversePostorder, expect!["2 3 1 3 4 5 6 10 11 12 2"]);
    check_order(BRANCHES, Order::Structured, expect!["2 3 1 3 4 5 6 10 11 12 2"]);
}

const LOOP_AND_CALL: &str = "extern int input();
int work(int a) {
    if (a > 3) {
        a = a - 1;
    }
    return a;
}
int main() {
    int x = input();
    while (x > 5) {
        x = work(x);
        x = x + 1;
    }
    x = x * 2;
    return x;
}";

/// Calls are finished before their callers go on, loops before what follows them.
#[test]
fn calls_and_loops() {
    check_order(LOOP_AND_CALL, Order::Bfs, expect!["8 9 1 9 10 11 14 3 15 6 8 11"]);
    check_order(LOOP_AND_CALL, Order::ReversePostorder, expect!["8 9 1 9 10 11 3 6 11 14 15 8"]);
    check_order(LOOP_AND_CALL, Order::Structured, expect!["8 9 1 9 10 11 3 6 11 14 15 8"]);
}

const CALL_IN_BRANCH: &str = "extern int input();
int work(int a) {
    a = a + 1;
    a = a + 2;
    a = a + 3;
    return a;
}
int main() {
    int x = input();
    if (x > 5) {
        x = work(x);
    } else {
        x = 1;
        x = 2;
        x = 3;
        x = 4;
    }
    return x;
}";

/// By rank alone, call and caller take turns.
#[test]
fn a_call_beside_a_branch() {
    check_order(CALL_IN_BRANCH, Order::ReversePostorder, expect!["8 9 1 9 10 11 3 4 5 13 6 14 11 15 18 8"]);
    check_order(CALL_IN_BRANCH, Order::Structured, expect!["8 9 1 9 10 11 3 4 5 6 11 13 14 15 18 8"]);
}

fn size(arg: &Arg<State>) -> (usize, usize) {
    (arg.len(), arg.covered_count())
}

/// Taking away the branch whose state covers the other one lets the branching and the state that was covered wait
/// again; exploration then closes the graph with the branches in each other's place.
#[test]
fn a_removed_subtree_is_explored_again() {
    let program = lower(BRANCHES);
    let points_to = PointsTo::new(&program);
    let mut analysis = ValueAnalysis::new(&program, &points_to, Options::default());
    let mut reached = Reached::new(&program, Order::Dfs);
    cpa::start(&program, &mut analysis, &mut Precision::scoped(), &mut reached).expect("no limit");
    explore(&program, &mut analysis, &mut reached);
    let before = size(&reached.arg);
    let found = reached.arg.ids().find_map(|id| Some((id, reached.arg.covered_by(id)?)));
    let (covered, by) = found.expect("the branches meet");
    let up = |id: &ArgId| reached.arg.parent(*id).map(|(parent, _)| parent);
    let doomed = std::iter::successors(Some(by), up)
        .find(|id| up(id).is_some_and(|parent| reached.arg.children(parent).count() == 2))
        .expect("one of the branches");
    let branching = up(&doomed).expect("it is not a root");
    reached.remove_subtree(&mut analysis, doomed);
    let arg = &reached.arg;
    assert!(arg.is_removed(by) && !arg.is_removed(covered) && size(arg).1 == 0);
    assert_eq!((arg.covered_by(covered), arg.is_waiting(covered), arg.is_waiting(branching)), (None, true, true));
    explore(&program, &mut analysis, &mut reached);
    assert_eq!(size(&reached.arg), before, "the other branch is known when the branching finds it a second time");
    assert_eq!(reached.arg.covered_by(covered), None, "it covers the other one now");
    proof::check((&program, &Goals::any(&program)), &mut analysis, &Precision::all(), &mut reached, &Cancel::never())
        .expect("closed");
}

/// How CEGAR ends where refinement has its own limit.
fn check_path(source: &str, limit_of_refinement: Cancel, expected: Expect) {
    let program = lower(source);
    let points_to = PointsTo::new(&program);
    let mut analysis = ValueAnalysis::new(&program, &points_to, Options::default());
    let cancel = Cancel::never();
    let confirm = Confirm::new(&program, &BitwuzlaBackend, &cancel);
    let mut confirm_path =
        |cpa: &mut ValueAnalysis, path: &[analysis::Step]| -> Confirmation { confirm.path(cpa, path) };
    let mut goals = Goals::any(&program);
    let mut cegar = Cegar {
        program: &program,
        order: Order::Dfs,
        restart: Restart::Root,
        cancel: &cancel,
        confirm: &mut confirm_path,
        most_undecided: 1,
        goals: &mut goals,
    };
    let mut refiner = Interpolation { cancel: limit_of_refinement, ..Interpolation::default() };
    let mut reached = Reached::new(&program, cegar.order);
    let mut counters = Counters::default();
    let end = cegar.run_in(&mut analysis, &mut Precision::scoped(), &mut refiner, &mut reached, &mut counters);
    expected.assert_eq(&match end {
        Ok(None) => "TRUE".to_owned(),
        Ok(Some(_)) => "FALSE".to_owned(),
        Err(stop @ Stop::Limit(_)) => format!("limit: {}", stop.describe(&program.sources)),
        Err(stop) => stop.describe(&program.sources),
    });
}

/// A limit ends a refinement in the middle of its path.
#[test]
fn limits_hold_inside_a_path() {
    let source = "int main() { int x = 0; if (x > 0) { ERROR: return 1; } return 0; }";
    check_path(source, Cancel::never(), expect!["TRUE"]);
    let stopped = Cancel::never();
    stopped.stop();
    check_path(source, stopped, expect!["limit: stopped"]);
}

/// Of all executions along a path, one that dereferences no null pointer counts.
#[test]
fn valid_pointers_are_preferred() {
    check_path(
        "extern int input(); extern int *place();
         int main() {
             int *p = place();
             int x = input();
             *p = 1;
             if (x > 0 && x * x == 49 && x < 100) { ERROR: return 1; }
         }",
        Cancel::never(),
        expect!["FALSE"],
    );
    check_path(
        "extern int input(); extern int *place();
         int main() {
             int *p = place();
             int x = input();
             if (p) { return 0; }
             *p = 1;
             if (x > 0 && x * x == 49 && x < 100) { ERROR: return 1; }
         }",
        Cancel::never(),
        expect!["undefined behaviour: null pointer dereference at test.c:6:14"],
    );
}

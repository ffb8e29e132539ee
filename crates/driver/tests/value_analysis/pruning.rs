//! Refinement that keeps what it does not change ends where restarts at the root end, with less work.

use super::lower;
use analysis::{Contexts, Order, Reached};
use base::{Cancel, Counters};
use domains::value::{Options, Precision, State, ValueAnalysis};
use engine::cegar::{Cegar, Interpolation, Refiner, Restart};
use engine::evidence::{Confirm, Confirmation};
use engine::proof;
use engine::pruning::Pruning;
use flow::{PointsTo, Prepared};
use smt_bitwuzla::BitwuzlaBackend;
use std::collections::BTreeSet;
use verdict::Goals;

/// What a search ended with.
#[derive(PartialEq, Debug)]
struct Ended {
    verdict: String,
    precision: Vec<String>,
    /// The states that are not covered, by location.
    states: BTreeSet<(u32, Vec<String>)>,
}

struct Search {
    order: Order,
    shared_calls: bool,
    keeps: bool,
}

fn search(program: &Prepared, search: &Search) -> (Ended, Counters) {
    let points_to = PointsTo::new(program);
    let mut cpa = ValueAnalysis::new(program, &points_to, Options::default());
    let mut precision = Precision::scoped().with_summaries();
    let cancel = Cancel::never();
    let confirm = Confirm::new(program, &BitwuzlaBackend, &cancel);
    let mut confirm_path =
        |cpa: &mut ValueAnalysis, path: &[analysis::Step]| -> Confirmation { confirm.path(cpa, path) };
    let mut goals = Goals::any(program);
    let mut cegar = Cegar {
        program,
        order: search.order,
        restart: Restart::Root,
        cancel: &cancel,
        confirm: &mut confirm_path,
        most_undecided: 5,
        goals: &mut goals,
    };
    let mut interpolation = Interpolation::default();
    let mut pruning = Pruning::new(program, interpolation.clone());
    let refiner: &mut dyn Refiner<ValueAnalysis> = if search.keeps { &mut pruning } else { &mut interpolation };
    let mut reached: Reached<State> = Reached::new(program, search.order);
    reached.contexts = search.shared_calls.then(|| Contexts::new(program));
    let mut counters = Counters::default();
    let verdict = match cegar.run_in(&mut cpa, &mut precision, refiner, &mut reached, &mut counters) {
        Ok(None) => {
            proof::check((program, &goals), &mut cpa, &Precision::all(), &mut reached, &cancel)
                .expect("the proof holds");
            "TRUE".to_owned()
        }
        Ok(Some(_)) => "FALSE".to_owned(),
        Err(stop) => stop.describe(&program.sources),
    };
    let known = reached.arg.ids().filter(|&id| reached.arg.covered_by(id).is_none());
    let states = known.map(|id| (reached.arg.place(id).node.0, cpa.describe(*reached.arg.state(id)))).collect();
    let precision = precision.items().into_iter().map(|item| item.display(program)).collect();
    (Ended { verdict, precision, states }, counters)
}

const BRANCHES: &str = "
extern int input();
int main() {
    int x = input(), a, b, c, d;
    if (x > 0) a = 1; else a = 2;
    if (a == 3) { ERROR1: return 1; }
    if (x > 1) b = 1; else b = 2;
    if (b == 3) { ERROR: return 1; }
    if (x > 2) c = a; else c = 2;
    if (c == 3) { goto ERROR; }
    if (x > 3) d = 1; else d = 2;
    if (d == 3) { goto ERROR; }
    return 0;
}";

const SHARED_CALLS: &str = "
extern int input();
int turns, last;
int turn(int x) { turns++; last = x; return x == 2 ? 0 : x + 1; }
int same(int x) { int y = x; return y; }
int main() {
    int x = 0, f = 0;
    if (input()) { x = turn(same(x)); } else { x = turn(same(1)); }
    if (x > 2) { ERROR: return 1; }
    x = turn(x);
    if (x > 2) { goto ERROR; }
    f = same(5);
    if (same(f) != 5) { goto ERROR; }
    for (int i = 0; i < 4; i++) { f = turn(1); }
    if (f != 2 || last != 1) { goto ERROR; }
    return 0;
}";

const LISTS: &str = "
extern void *malloc(unsigned long);
struct node { struct node *next; int value; };
int sum(int first, int second) {
    struct node *a = malloc(sizeof(struct node)), *b = malloc(sizeof(struct node));
    a->next = b; a->value = first; b->next = 0; b->value = second;
    int s = 0;
    for (struct node *p = a; p; p = p->next) s += p->value;
    return s;
}
int main() {
    if (sum(1, 2) != 3) { ERROR: return 1; }
    if (sum(2, 2) != 4) { goto ERROR; }
    if (sum(1, 2) != 3) { goto ERROR; }
    return 0;
}";

const ARRAY: &str = "
int main() {
    int a[40];
    for (int i = 0; i < 40; i++) a[i] = i;
    for (int i = 0; i < 40; i++) if (a[i] != i) { ERROR: return 1; }
    return 0;
}";

const RECURSION: &str = "
extern int input();
int down(int n) { if (n <= 0) return 7; return down(n - 1); }
int main() {
    int a = down(2), b = 1;
    if (a != 7) { ERROR: return 1; }
    if (input()) b = down(3);
    if (b == 3) { goto ERROR; }
    return 0;
}";

const FAULTY: &str = "
extern int input();
int main() {
    int a = 1, b = 2, x = input();
    if (a == 2) { ERROR: return 1; }
    if (b == 3) { goto ERROR; }
    if (x == 7) { b = 3; }
    if (b == 3 && a == 1) { goto ERROR; }
    return 0;
}";

/// Proofs are checked by `search`.
#[test]
fn ends_like_restarts_at_the_root() {
    let (mut before, mut after, mut kept) = (0, 0, 0);
    for source in [BRANCHES, SHARED_CALLS, LISTS, ARRAY, RECURSION, FAULTY] {
        let program = lower(source);
        for order in [Order::Dfs, Order::BfsThenDfs] {
            for shared_calls in [false, true] {
                let run = |keeps| search(&program, &Search { order, shared_calls, keeps });
                let ((from_root, work), (pruned, less_work)) = (run(false), run(true));
                assert_eq!(from_root.verdict, pruned.verdict, "{order:?}, shared: {shared_calls}: {source}");
                before += work.value("expanded states");
                after += less_work.value("expanded states");
                kept += less_work.value("refinements that keep states");
            }
        }
    }
    assert!(kept > 0 && after < before, "{kept} refinements keep states, {after} of {before} states are expanded");
}

/// Broad searches find the same paths either way, so all is the same in the end.
#[test]
fn finds_the_states_of_a_new_start() {
    let program = lower(BRANCHES);
    let run = |keeps| search(&program, &Search { order: Order::BfsThenDfs, shared_calls: true, keeps }).0;
    assert_eq!(run(false), run(true));
}

/// Reasons that have nothing to do with each other: what a refinement looks at does not grow with the program.
#[test]
fn refinements_look_at_what_they_change() {
    let work = |count: u64, shared_calls: bool| {
        let part = |at| format!("if (input() > 0) x{at} = one(); else x{at} = 2;\nif (x{at} == 3) goto ERROR;\n");
        let declared: String = (0..count).map(|at| format!("int x{at};\n")).collect();
        let parts: String = (0..count).map(part).collect();
        let source = format!(
            "extern int input();\nint one() {{ return 1; }}\nint main() {{\n{declared}{parts}return 0;\nERROR: return 1;\n}}"
        );
        let (ended, counters) =
            search(&lower(&source), &Search { order: Order::BfsThenDfs, shared_calls, keeps: true });
        assert_eq!(ended.verdict, "TRUE");
        assert!(counters.value("refinements that keep states") + 5 > count, "of {count}");
        ["states looked at again", "new error path steps"].map(|name| counters.value(name) / count)
    };
    for shared_calls in [false, true] {
        let (few, many) = (work(20, shared_calls), work(80, shared_calls));
        assert!(
            few.iter().zip(&many).all(|(few, many)| many <= &(few + 2)),
            "{few:?} {many:?}, shared: {shared_calls}"
        );
    }
}

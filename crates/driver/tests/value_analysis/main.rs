//! The value analysis on C: the papers' examples with the structure of their proofs, and traps.

mod calls;
mod papers;
mod pruning;

use analysis::{Contexts, ErrorPath, Order, PathDomain, Reached};
use base::{Cancel, Counters};
use cfa::Node;
use domains::value::{Item, Options, Precision, State, ValueAnalysis};
use engine::cegar::{Cegar, Interpolation, Refinement, Refiner, Restart};
use engine::evidence::{Confirm, Confirmation};
use engine::proof;
use engine::refinement::{interpolate, slice};
use expect_test::{Expect, expect};
use flow::{PointsTo, Prepared};
use smt_bitwuzla::BitwuzlaBackend;
use std::collections::BTreeSet;
use std::time::Duration;
use verdict::{Goals, Stop};

fn lower(source: &str) -> Prepared {
    driver::load_text("test.c", source).expect("a correct program")
}

/// How to analyse.
struct Setting {
    precision: Precision,
    restart: Restart,
    select: &'static str,
    options: Options,
    seconds: u64,
    fixed: bool,
    shared_calls: bool,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            precision: Precision::scoped(),
            restart: Restart::Root,
            select: "none",
            options: Options::default(),
            seconds: 20,
            fixed: false,
            shared_calls: false,
        }
    }
}

/// Refines, or only looks; keeps the interpolants of each path as text.
struct Watching<'p> {
    program: &'p Prepared,
    refiner: Interpolation,
    fixed: bool,
    interpolants: Vec<String>,
    /// The same by location, with values.
    at_nodes: Vec<String>,
}

impl<'p> Refiner<ValueAnalysis<'p>> for Watching<'p> {
    fn refine(
        &mut self,
        cpa: &mut ValueAnalysis<'p>,
        precision: &mut Precision,
        reached: &mut Reached<State>,
        path: &ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let steps = &path.steps;
        let sliced = slice(cpa, steps, 1, &Cancel::never())?;
        if let Some(&end) = sliced.contradictions.first() {
            let sequence = interpolate(cpa, steps, &sliced, end, &Cancel::never())?;
            for (position, step) in steps.iter().enumerate() {
                let Some(facts) = sequence.before(position) else { break };
                let edge = &self.program.edges[step.edge];
                let line = self.program.sources.position(edge.span).line;
                let names: Vec<String> = facts.iter().map(|&fact| cpa.item(fact).display(self.program)).collect();
                if self.program.function_name(self.program.nodes[edge.from].function) == "main" {
                    self.interpolants.push(format!("{line}: {}", names.join(" ")));
                }
            }
            for (position, step) in steps.iter().enumerate().skip(1) {
                // After the contradiction everything is impossible, so nothing need be known.
                let known = match sequence.before(position) {
                    Some(facts) => cpa.restrict(&sliced.states[position], facts),
                    None => cpa.nothing_known(),
                };
                self.note(cpa, step.from.node, known);
            }
            let last = cpa.nothing_known();
            self.note(cpa, steps[steps.len() - 1].to.node, last);
        }
        if self.fixed {
            let mut scratch = precision.clone();
            return Ok(match self.refiner.refine(cpa, &mut scratch, reached, path, counters)? {
                Refinement::Refined { .. } | Refinement::Excluded | Refinement::Stuck => Refinement::Stuck,
                checked @ (Refinement::Feasible | Refinement::Checked(_)) => checked,
            });
        }
        self.refiner.refine(cpa, precision, reached, path, counters)
    }
}

impl Watching<'_> {
    fn note(&mut self, cpa: &ValueAnalysis, node: Node, known: State) {
        if self.program.function_name(self.program.nodes[node].function) == "main" {
            self.at_nodes.push(format!("{node}: <{}>", cpa.describe(known).join(", ")));
        }
    }
}

/// What a run did.
struct Report {
    verdict: String,
    precision: BTreeSet<Item>,
    counters: Counters,
    interpolants: Vec<String>,
    at_nodes: Vec<String>,
    reached: Option<Reached<State>>,
}

fn analyse<R>(source: &str, setting: Setting, look: impl FnOnce(&Prepared, &ValueAnalysis, Report) -> R) -> R {
    let program = lower(source);
    let points_to = PointsTo::new(&program);
    let mut cpa = ValueAnalysis::new(&program, &points_to, setting.options);
    let mut precision = setting.precision;
    let cancel = Cancel::with_limits(Some(Duration::from_secs(setting.seconds)), None);
    let confirm = Confirm::new(&program, &BitwuzlaBackend, &cancel);
    let mut confirm_path =
        |cpa: &mut ValueAnalysis, path: &[analysis::Step]| -> Confirmation { confirm.path(cpa, path) };
    let mut goals = Goals::any(&program);
    let mut cegar = Cegar {
        program: &program,
        order: Order::Dfs,
        restart: setting.restart,
        cancel: &cancel,
        confirm: &mut confirm_path,
        most_undecided: 5,
        goals: &mut goals,
    };
    let refiner = Interpolation {
        selection: setting.select.parse().expect("a heuristic"),
        most_prefixes: 40,
        ..Interpolation::default()
    };
    let mut refiner =
        Watching { program: &program, refiner, fixed: setting.fixed, interpolants: Vec::new(), at_nodes: Vec::new() };
    let mut counters = Counters::default();
    let mut reached = Reached::new(&program, cegar.order);
    reached.contexts = setting.shared_calls.then(|| Contexts::new(&program));
    let (verdict, reached) = match cegar.run_in(&mut cpa, &mut precision, &mut refiner, &mut reached, &mut counters) {
        Ok(None) => {
            proof::check((&program, &goals), &mut cpa, &Precision::all(), &mut reached, &cancel)
                .expect("the proof holds");
            ("TRUE".to_owned(), Some(reached))
        }
        Ok(Some(_)) => ("FALSE".to_owned(), None),
        Err(stop) => (format!("UNKNOWN ({})", stop.describe(&program.sources)), None),
    };
    let Watching { interpolants, at_nodes, .. } = refiner;
    let precision = precision.items();
    look(&program, &cpa, Report { verdict, precision, counters, interpolants, at_nodes, reached })
}

fn summary(program: &Prepared, report: &Report) -> String {
    let names: Vec<String> = report.precision.iter().map(|item| item.display(program)).collect();
    format!("{}, {} refinements, tracks [{}]", report.verdict, report.counters.value("refinements"), names.join(", "))
}

fn check(source: &str, expected: Expect) {
    check_with(source, Setting::default(), expected);
}

fn check_with(source: &str, setting: Setting, expected: Expect) {
    analyse(source, setting, |program, _, report| expected.assert_eq(&summary(program, &report)));
}

const TICKS: &str = "
extern int system_call();
int main(int x) {
    int flag = 0, ticks = 0, result;
    while (1) {
        ticks = ticks + 1;
        result = system_call();
        if (result == 0 || ticks > x) { break; }
    }
    if (flag > 0) { ERROR: return 1; }
}";

#[test]
fn listing_1_1_tracks_the_flag_alone() {
    check(TICKS, expect!["TRUE, 1 refinements, tracks [main::flag]"]);
    let lazy = Setting { precision: Precision::local(), restart: Restart::Pivot, ..Setting::default() };
    check_with(TICKS, lazy, expect!["TRUE, 1 refinements, tracks [main::flag]"]);
}

/// Restarts at the pivot leave states on other paths as they were; a path through these is excluded by making them again
/// with what is tracked since.
#[test]
fn states_from_before_a_refinement_are_made_again() {
    let source = "int nondet();
int main() {
    int s = 0, a = 0, b = 0;
    while (1) {
        if (s == 0) { if (a != 0) { ERROR: return 1; } s = 1; }
        else if (s == 1) { if (b == 0) { s = 0; } if (nondet()) { s = 1; } else { s = 0; } }
        else { goto ERROR; }
    }
}";
    let lazy = Setting { precision: Precision::local(), restart: Restart::Pivot, ..Setting::default() };
    check_with(source, lazy, expect!["TRUE, 8 refinements, tracks [main::s, main::a, main::b]"]);
}

#[test]
fn listing_1_1_never_ends_without_abstraction() {
    check_with(
        TICKS,
        Setting { precision: Precision::all(), seconds: 1, ..Setting::default() },
        expect!["UNKNOWN (time limit reached), 0 refinements, tracks []"],
    );
}

#[test]
fn interpolants_of_listing_1_1() {
    analyse(TICKS, Setting::default(), |_, _, report| {
        expect![[r#"
        4: 
        4: main::flag
        4: main::flag
        6: main::flag
        7: main::flag
        7: main::flag
        8: main::flag
        10: main::flag"#]]
        .assert_eq(&report.interpolants.join("\n"))
    });
}

const GOOD_AND_BAD: &str = "
extern int f(int x);
int main() {
    int b = 0;
    int i = 0;
    while (1) {
        if (i > 9) { break; }
        f(i++);
    }
    if (b != 0) {
        if (i != 10) { ERROR: return 1; }
    }
}";

#[test]
fn selection_decides_between_good_and_bad() {
    let with = |select| Setting { select, ..Setting::default() };
    check_with(GOOD_AND_BAD, with("none"), expect!["TRUE, 2 refinements, tracks [main::i, main::$1]"]);
    check_with(GOOD_AND_BAD, with("score-min"), expect!["TRUE, 1 refinements, tracks [main::b]"]);
    check_with(GOOD_AND_BAD, with("score-max"), expect!["TRUE, 2 refinements, tracks [main::i, main::$1]"]);
    check_with(GOOD_AND_BAD, with("length-min"), expect!["TRUE, 2 refinements, tracks [main::i, main::$1]"]);
    check_with(GOOD_AND_BAD, with("length-max"), expect!["TRUE, 1 refinements, tracks [main::b]"]);
    check_with(GOOD_AND_BAD, with("width+score"), expect!["TRUE, 2 refinements, tracks [main::i, main::$1]"]);
    check_with(GOOD_AND_BAD, with("depth-min"), expect!["TRUE, 1 refinements, tracks [main::b]"]);
    check_with(GOOD_AND_BAD, with("depth-max"), expect!["TRUE, 2 refinements, tracks [main::i, main::$1]"]);
}

/// The states at each loop head and at the end, after fixing what is tracked.
fn check_states(source: &str, track: &[&str], function: &str, expected: Expect) {
    let names: Vec<String> = track.iter().map(|&name| name.to_owned()).collect();
    let program = lower(source);
    let mut precision = Precision::scoped();
    for (var, _) in program.vars.iter() {
        if names.contains(&Item::Register(var).display(&program)) {
            precision.track(program.functions[program.entry].entry, Item::Register(var));
        }
    }
    let options = Options { live_only: false, ..Options::default() };
    let setting = Setting { precision, fixed: true, options, ..Setting::default() };
    analyse(source, setting, |program, cpa, report| {
        let mut lines = vec![report.verdict];
        if let Some(reached) = &report.reached {
            let mut states: Vec<String> = Vec::new();
            for id in reached.arg.ids() {
                let node = reached.arg.place(id).node;
                let name = program.function_name(program.nodes[node].function);
                if name == function && program.nodes[node].loop_head && reached.arg.covered_by(id).is_none() {
                    states.push(format!("{node}: {}", cpa.describe(*reached.arg.state(id)).join(", ")));
                }
            }
            states.sort();
            lines.extend(states);
        }
        expected.assert_eq(&lines.join("\n"));
    });
}

#[test]
fn alternating_variable_has_two_states_at_the_loop_head() {
    let source = "
int main() {
    int x = 0;
    int i = 0;
    while (i < 1000) {
        if (x == 0) { x = 1; } else { x = 0; }
        i++;
    }
    if (!(x <= 1)) { ERROR: return 1; }
}";
    check_states(
        source,
        &["main::x"],
        "main",
        expect![[r#"
        TRUE
        n2: main::x = 0
        n2: main::x = 1"#]],
    );
}

#[test]
fn what_values_cannot_express_is_unknown() {
    let inequality = "int main(int x) { if (x != 0) { if (!(x != 0)) { ERROR: return 1; } } }";
    check(
        inequality,
        expect![
            "UNKNOWN (undecided: whether x != 0 can hold on a path to an error at test.c:1:23), 0 refinements, tracks []"
        ],
    );
    check(
        "int main() { int a; if (a != 1) { if (a == 1) { ERROR: return 1; } } }",
        expect![
            "UNKNOWN (undecided: whether a != 1 can hold on a path to an error at test.c:1:25), 0 refinements, tracks []"
        ],
    );
    check_states(
        inequality,
        &["main::x"],
        "main",
        expect!["UNKNOWN (undecided: whether x != 0 can hold on a path to an error at test.c:1:23)"],
    );
}

#[test]
fn constants_and_branches() {
    check(
        "int main() { int x = 10; int y = 3; int z = x + y; if (!(z > 0)) { ERROR: return 1; } }",
        expect!["TRUE, 1 refinements, tracks [main::x, main::y, main::z]"],
    );
    let branches = "int main() { int a = 0; int b = 1; int c; b = a + b; if (c) { a = 1; } else { a = 2; }
        int f = a - b; if (f < 0) { ERROR: return 1; } }";
    check(branches, expect!["TRUE, 1 refinements, tracks [main::a, main::b, main::f]"]);
}

#[test]
fn real_bugs_are_replayed() {
    check(
        "int __VERIFIER_nondet_int(void); int main() { int x = __VERIFIER_nondet_int(); if (x == 42) { ERROR: return 1; } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
    let sum = "int __VERIFIER_nondet_int(void);
int main() { int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int();
    if (x > 5 && y == 3 * x && y < 100) { ERROR: return 1; } }";
    check(sum, expect!["FALSE, 0 refinements, tracks []"]);
}

#[test]
fn two_zeros() {
    let source = "double __VERIFIER_nondet_double(void);
int main() { double x = __VERIFIER_nondet_double(); if (x == 0.0) { if (1.0 / x < 0.0) { ERROR: return 1; } } }";
    check(source, expect!["FALSE, 0 refinements, tracks []"]);
}

#[test]
fn equal_addresses_do_not_share_provenance() {
    let source = "int __VERIFIER_nondet_int(void);
int a = 1, b = 2;
int main() { int *p = &a; int *q; if (__VERIFIER_nondet_int()) { q = &a; } else { q = &b; }
    if (q == p) { *q = 5; if (a != 5) { ERROR: return 1; } } }";
    check(source, expect!["TRUE, 2 refinements, tracks [main::p, main::q, a+0]"]);
}

#[test]
fn dead_heap_objects_do_not_keep_states_apart() {
    let source = "void *malloc(unsigned long);
int main() { int *p; while (1) { p = malloc(4); *p = 1; if (*p != 1) { ERROR: return 1; } } }";
    check(source, expect!["TRUE, 1 refinements, tracks [main::p, site1+0]"]);
    check_with(
        source,
        Setting { precision: Precision::all(), seconds: 5, ..Setting::default() },
        expect!["TRUE, 0 refinements, tracks []"],
    );
}

#[test]
fn a_write_of_no_bytes_changes_nothing() {
    for write in ["memcpy(a + 3, b, none)", "memset(a + 3, 1, none)"] {
        let source = format!(
            "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
int a[200], b[200];
int main() {{ unsigned long none = 0; a[3] = 5; {write}; if (a[3] == 5) {{ ERROR: return 1; }} }}"
        );
        let all = Setting { precision: Precision::all(), ..Setting::default() };
        check_with(&source, all, expect!["FALSE, 0 refinements, tracks []"]);
    }
}

#[test]
fn recursion_keeps_activations_apart() {
    let source = "int fac(int n) { if (n <= 1) { return 1; } int below = fac(n - 1); return n * below; }
int main() { if (fac(5) != 120) { ERROR: return 1; } }";
    check(source, expect!["TRUE, 2 refinements, tracks [fac::$return, fac::n, fac::below, main::$1]"]);
    let memory = "void twice(int n, int *up) { int own = n; if (n > 0) { twice(n - 1, &own); } *up = *up + own; }
int main() { int sum = 0; twice(3, &sum); if (sum != 6) { ERROR: return 1; } }";
    check(memory, expect!["TRUE, 2 refinements, tracks [twice::n, twice::up, twice::own+0, main::sum+0]"]);
}

#[test]
fn aliases_through_unknown_pointers() {
    let source = "int __VERIFIER_nondet_int(void);
int a = 1, b = 2, c = 3;
int main() { int *p = __VERIFIER_nondet_int() ? &a : &b; *p = 7;
    if (c != 3) { ERROR: return 1; } if (a == 1 && b == 2) { goto ERROR; } }";
    check(
        source,
        expect![
            "UNKNOWN (undecided: whether a == 1 && b == 2 can hold on a path to an error at test.c:4:42), 1 refinements, tracks [c]"
        ],
    );
    let wrong = "int __VERIFIER_nondet_int(void);
int a = 1, b = 2;
int main() { int *p = __VERIFIER_nondet_int() ? &a : &b; *p = 7; if (a != 1) { ERROR: return 1; } }";
    check(wrong, expect!["FALSE, 0 refinements, tracks []"]);
}

/// What is written over the zeros of a large object matters even where it is zero, too.
#[test]
fn zeros_written_over_zeros() {
    let source = "void *calloc(unsigned long n, unsigned long size);
extern int input();
struct s { long a, b; char rest[4000]; };
int main() { struct s *p = calloc(1, sizeof(struct s)); int x = input(), y = input();
    if (x != 0) { return 0; }
    p->b = y;
    p->a = x;
    if (p->a != 0) { ERROR: return 1; } }";
    check(source, expect!["TRUE, 1 refinements, tracks [main::p, main::x, site0[]]"]);
}

/// Of a large object only the zeros are tracked; the proof's check knows the rest of its initial values, too.
#[test]
fn zeros_beside_initial_values() {
    let source = "int table[100] = { 5, 6, [60] = 7 }; int *other[90] = { table, [50] = table + 3 };
int main() { if (table[90] != 0 || table[30] != 0) { ERROR: return 1; } if (other[20] != 0) { goto ERROR; } }";
    check(source, expect!["TRUE, 2 refinements, tracks [table[], other[]]"]);
    check(
        "int table[100] = { 5, 6 }; int main() { if (table[1] != 0) { ERROR: return 1; } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
}

#[test]
fn memory_of_all_kinds() {
    let source = "struct s { int a; char b[4]; long c; };
struct s g = { 1, { 2, 3, 4, 5 }, 6 };
unsigned table[100];
union u { int i; unsigned char bytes[4]; };
int main() { struct s l = g; l.b[1] = 9; union u u; u.i = 0x01020304;
    table[50] = 7;
    if (l.a != 1 || l.b[0] != 2 || l.b[1] != 9 || l.c != 6 || g.b[1] != 3) { ERROR: return 1; }
    if (u.bytes[0] != 4 || u.bytes[3] != 1) { goto ERROR; }
    u.bytes[1] = 0xFF;
    if (u.i != 0x0102FF04) { goto ERROR; }
    if (table[50] != 7 || table[51] != 0) { goto ERROR; } }";
    check(
        source,
        expect![
            "TRUE, 4 refinements, tracks [g+0, g+4, g+5, g+8, table+200, main::l+0, main::l+4, main::l+5, main::l+8, main::u+0, main::u+1, main::u+2, table[]]"
        ],
    );
}

#[test]
fn a_dropped_variable_ends_in_unknown() {
    let source = "int main() { int i = 0; while (i < 100) { i++; } if (i != 100) { ERROR: return 1; } }";
    let options = Options { threshold: Some(10), ..Options::default() };
    check_with(
        source,
        Setting { options, ..Setting::default() },
        expect![
            "UNKNOWN (undecided: the path is infeasible, but what excludes it is no longer tracked at test.c:1:54), 1 refinements, tracks []"
        ],
    );
    check(source, expect!["TRUE, 1 refinements, tracks [main::i]"]);
}

/// A counter in memory would be unrolled for ever.
#[test]
fn counters_in_memory_are_dropped_too() {
    let source = "
extern int input();
extern void *malloc(unsigned long);
struct device { int users; int state; };
int main() {
    struct device *d = malloc(sizeof(struct device));
    d->users = 0;
    d->state = 1;
    while (input()) { d->users = d->users + 1; }
    if (d->state != 1) { ERROR: return 1; }
}";
    let options = Options { threshold: Some(5), ..Options::default() };
    let setting = Setting { precision: Precision::all(), options, ..Setting::default() };
    check_with(source, setting, expect!["TRUE, 0 refinements, tracks []"]);
}

#[test]
fn checks_for_null_and_error_codes_are_remembered() {
    let check = |source: &str, expected: Expect| {
        let options = Options { signs: true, ..Options::default() };
        check_with(source, Setting { options, ..Setting::default() }, expected);
    };
    check(
        "extern void *get(void); extern int status(void);
         int main() { void *p = get(); int error = status();
           if (!p) return 1;
           if (error) { if (p && error == 0) { ERROR: return 1; } return error; }
           if (!p) { goto ERROR; } }",
        expect!["TRUE, 2 refinements, tracks [main::p, main::error]"],
    );
    check(
        "extern int status(void);
         int open(void) { int e = status(); if (e < 0) return e; return 0; }
         int main() { int opened = 0; int r = open(); if (r == 0) opened = 1; if (r && opened) { ERROR: return 1; } }",
        expect!["TRUE, 2 refinements, tracks [open::$return, main::opened, main::r]"],
    );
    check(
        "extern int status(void);
         int open(void) { int e = status(); if (e < 0) return e; return status() > 0 ? 1 : 0; }
         int main() { int r = open(); if (r < 0) { if (r >= 0 || r == 7) { ERROR: return 1; } }
           else { unsigned u = r; long l = r; if (u >= 2147483648u || l < 0) { goto ERROR; } } }",
        expect!["TRUE, 1 refinements, tracks [main::r, main::u, main::l]"],
    );
    check(
        "extern unsigned status(void);
         int main() { unsigned u = status(); if (u > 2147483647u) { long l = u; int i = u; if (l > 0 && i < 0) { ERROR: return 1; } } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
    // Neither -0.0 nor another nonzero value is known to be different or equal.
    check(
        "extern long any(void); union u { long l; double d; };
         int main() { union u v; v.l = any(); if (v.l != 0) { if (v.d == 0.0) { ERROR: return 1; } } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
    check(
        "extern int any(void);
         int main() { int a = any(), b = any(); if (a && b) { if (a == b) { ERROR: return 1; } } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
    check(
        "extern int any(void);
         int main() { int a = any(), b = any(); if (a && b) { if (a != b) { ERROR: return 1; } } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
    check(
        "extern unsigned any(void);
         int main() { unsigned a = any(); if (a) { unsigned char c = a; if (c == 0) { ERROR: return 1; } } }",
        expect!["FALSE, 0 refinements, tracks []"],
    );
}

#[test]
fn a_prefix_with_a_dropped_counter_gives_way_to_another() {
    let source = "extern int any(void); int main() { int flag = 0, i = 0; while (i < 100) { i++; }
        if (i != 100) { if (flag) { ERROR: return 1; } } }";
    let options = Options { threshold: Some(10), ..Options::default() };
    check_with(source, Setting { options, ..Setting::default() }, expect!["TRUE, 2 refinements, tracks [main::flag]"]);
}

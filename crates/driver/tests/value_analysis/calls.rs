//! Calls that are stepped over, and those that must be entered: by what the property needs, by what is tracked, or
//! because a path shows that they matter.

use super::{Setting, analyse, summary};
use domains::value::Precision;
use expect_test::{Expect, expect};
use std::collections::{BTreeMap, BTreeSet};

/// The verdict, what is tracked, and which functions besides `main` the proof looks into.
fn check(source: &str, expected: Expect) {
    let setting = Setting { precision: Precision::scoped().with_summaries(), ..Setting::default() };
    analyse(source, setting, |program, _, report| {
        let mut entered = BTreeSet::new();
        if let Some(reached) = &report.reached {
            for id in reached.arg.ids() {
                entered.insert(program.function_name(program.nodes[reached.arg.place(id).node].function));
            }
        }
        let entered: Vec<&str> = entered.into_iter().filter(|name| !matches!(*name, "main" | "$start")).collect();
        expected.assert_eq(&format!("{}; entered [{}]", summary(program, &report), entered.join(", ")));
    });
}

#[test]
fn what_changes_nothing_that_is_tracked_is_stepped_over() {
    check(
        "int other, flag;
         void far(void) { other++; }
         void near(void) { far(); other = other * 2; }
         int main() { flag = 1; near(); if (flag != 1) { ERROR: return 1; } }",
        expect!["TRUE, 1 refinements, tracks [flag]; entered []"],
    );
}

#[test]
fn who_writes_a_tracked_variable_is_entered_and_who_calls_that_too() {
    check(
        "int lock, other;
         void count(void) { other++; }
         void set(int to) { count(); lock = to; }
         void driver(int to) { count(); set(to); }
         int main() { driver(1); count(); if (lock != 1) { ERROR: return 1; } }",
        expect!["TRUE, 3 refinements, tracks [lock, set::to, driver::to]; entered [driver, set]"],
    );
}

#[test]
fn wrappers_are_entered_with_what_they_call_for_their_results() {
    check(
        "int zero(void) { return 0; }
         int inner(void) { int r = zero(); return r + 1; }
         int outer(void) { int r = inner(); return r; }
         int main() { int r = outer(); if (r != 1) { ERROR: return 1; } }",
        expect![
            "TRUE, 2 refinements, tracks [zero::$return, inner::$return, inner::r, outer::$return, outer::r, main::r]; entered [inner, outer, zero]"
        ],
    );
}

#[test]
fn a_result_that_is_tracked_lets_the_call_be_entered() {
    check(
        "int other;
         int zero(void) { other++; return 0; }
         int any(void) { other++; return 7; }
         int main() { any(); int r = zero(); if (r) { ERROR: return 1; } }",
        expect!["TRUE, 2 refinements, tracks [zero::$return, main::r]; entered [zero]"],
    );
}

#[test]
fn writes_through_pointers_count() {
    check(
        "struct s { int a, b; } x;
         void set_a(struct s *p) { p->a = 5; }
         void set_b(struct s *p) { p->b = 6; }
         int main() { x.a = 1; set_b(&x); if (x.a != 1) { ERROR: return 1; } }",
        expect!["TRUE, 1 refinements, tracks [x+0]; entered []"],
    );
    check(
        "struct s { int a, b; } x;
         void set_a(struct s *p) { p->a = 5; }
         int main() { x.a = 1; set_a(&x); if (x.a != 5) { ERROR: return 1; } }",
        expect!["TRUE, 2 refinements, tracks [set_a::p, x+0]; entered [set_a]"],
    );
    check(
        "struct s { int a, b; } x;
         void set_a(struct s *p) { p->a = 5; }
         int main() { x.a = 1; set_a(&x); if (x.a != 1) { ERROR: return 1; } }",
        expect!["FALSE, 1 refinements, tracks []; entered []"],
    );
}

#[test]
fn a_local_variable_changed_by_a_callee() {
    check(
        "void set(int *p) { *p = 5; }
         void nothing(int *p) { }
         int outer(void) { int x = 1; nothing(&x); set(&x); return x; }
         int main() { if (outer() != 5) { ERROR: return 1; } }",
        expect!["TRUE, 3 refinements, tracks [set::p, outer::$return, main::$1, outer::x+0]; entered [outer, set]"],
    );
}

#[test]
fn what_never_returns_has_nothing_behind_it() {
    check(
        "void stop(void) { while (1); }
         int main() { stop(); ERROR: return 1; }",
        expect!["TRUE, 0 refinements, tracks []; entered []"],
    );
}

#[test]
fn a_callee_that_ends_the_execution_matters_to_the_path() {
    check(
        "extern void abort(void);
         int other;
         void unrelated(void) { other++; }
         void require(int c) { other++; if (!c) abort(); }
         int main() { int x = 3; unrelated(); require(x != 3); ERROR: return 1; }",
        expect!["TRUE, 2 refinements, tracks [require::c, main::x]; entered [require]"],
    );
}

#[test]
fn errors_inside_and_behind_calls_are_found() {
    check(
        "extern int input(void);
         int other;
         void unrelated(void) { other++; }
         int pick(void) { unrelated(); return input() == 42; }
         int main() { unrelated(); if (pick()) { ERROR: return 1; } }",
        expect!["FALSE, 2 refinements, tracks []; entered []"],
    );
    check(
        "int other;
         void unrelated(void) { other++; }
         void deep(int x) { unrelated(); if (x == 4) { ERROR: return; } }
         int main() { deep(3); deep(4); }",
        expect!["FALSE, 2 refinements, tracks [deep::x]; entered []"],
    );
}

#[test]
fn recursion_is_stepped_over_or_entered() {
    check(
        "int other, flag;
         int down(int n) { other++; return n > 0 ? down(n - 1) : 0; }
         int main(int n) { flag = 1; down(n); if (flag != 1) { ERROR: return 1; } }",
        expect!["TRUE, 1 refinements, tracks [flag]; entered []"],
    );
    check(
        "void set(int *p, int n) { int x = 1; if (n == 0) { *p = 5; return; } set(&x, n - 1); *p = x; }
         int main() { int y = 0; set(&y, 2); if (y != 5) { ERROR: return 1; } }",
        expect!["TRUE, 3 refinements, tracks [set::p, set::n, set::x+0, main::y+0]; entered [set]"],
    );
}

#[test]
fn freed_objects_are_forgotten() {
    check(
        "extern void *malloc(unsigned long); extern void free(void *);
         void drop(int *p) { free(p); }
         void keep(int *p) { }
         int main() { int *p = malloc(4); *p = 1; keep(p); if (*p != 1) { ERROR: return 1; } drop(p); }",
        expect!["TRUE, 1 refinements, tracks [main::p, site2+0]; entered [drop]"],
    );
}

/// The verdict, and how often the location of each function's entry was reached.
fn check_shared(source: &str, expected: Expect) {
    let precision = Precision::scoped().with_summaries();
    let setting = Setting { precision, shared_calls: true, ..Setting::default() };
    analyse(source, setting, |program, _, report| {
        let mut entries: BTreeMap<&str, usize> = BTreeMap::new();
        if let Some(reached) = &report.reached {
            for id in reached.arg.ids() {
                let node = reached.arg.place(id).node;
                let function = program.nodes[node].function;
                if program.functions[function].entry == node {
                    *entries.entry(program.function_name(function)).or_default() += 1;
                }
            }
        }
        expected.assert_eq(&format!("{}; entries {entries:?}", summary(program, &report)));
    });
}

#[test]
fn calls_in_the_same_state_are_explored_once() {
    check_shared(
        "int lock;
         void error(void) { ERROR: return; }
         void leaf(void) { if (lock) error(); }
         void middle(void) { leaf(); leaf(); }
         void top(void) { middle(); middle(); }
         int main() { lock = 0; top(); top(); leaf(); }",
        expect![[
            r#"TRUE, 1 refinements, tracks [lock]; entries {"$start": 1, "leaf": 1, "main": 1, "middle": 1, "top": 1}"#
        ]],
    );
}

#[test]
fn shared_calls_return_to_their_own_callers() {
    check_shared(
        "int lock;
         void error(void) { ERROR: return; }
         void set(int to) { if (lock == to) error(); lock = to; }
         int main() { lock = 0; set(1); set(0); set(1); set(0); int x = 5; set(1); if (x != 5) error(); set(0); }",
        expect![[
            r#"TRUE, 2 refinements, tracks [lock, set::to, main::x]; entries {"$start": 1, "main": 1, "set": 3}"#
        ]],
    );
    check_shared(
        "int lock;
         void error(void) { ERROR: return; }
         void set(int to) { if (lock == to) error(); lock = to; }
         int main() { lock = 0; set(1); set(0); set(1); set(0); set(0); }",
        expect!["FALSE, 1 refinements, tracks [lock, set::to]; entries {}"],
    );
}

#[test]
fn recursion_whose_depth_does_not_matter_is_explored_once() {
    check_shared(
        "extern int any(void);
         int lock;
         void error(void) { ERROR: return; }
         void work(void) { if (lock) error(); if (any()) work(); }
         int main() { lock = 0; work(); if (lock) error(); }",
        expect![[r#"TRUE, 1 refinements, tracks [lock]; entries {"$start": 1, "main": 1, "work": 1}"#]],
    );
    check_shared(
        "int lock;
         void error(void) { ERROR: return; }
         int down(int n) { if (n == 3) return 0; int own = n; int r = down(n + 1); if (own != n) error(); return r + 1; }
         int main() { if (down(0) != 3) error(); }",
        expect![[r#"TRUE, 3 refinements, tracks [down::$return, down::n, down::own, down::r, main::$1]; entries {"$start": 1, "down": 4, "main": 1}"#]],
    );
    check_shared(
        "extern int any(void);
         int lock;
         void error(void) { ERROR: return; }
         void work(void) { if (any()) { lock++; work(); lock++; } }
         int main() { lock = 0; work(); if (lock == 4) error(); }",
        expect!["FALSE, 3 refinements, tracks [lock]; entries {}"],
    );
}

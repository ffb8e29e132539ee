//! Rows about what is not tracked: precisions, thresholds, and calls that are stepped over.

use super::*;

/// An item by its name: `x` and `f::x` for registers, `f()` for what a function returns, `x+4` for a cell, `x[]` for an object, `heap` for the first
/// allocation in the text.
fn item(program: &Program, name: &str) -> Item {
    let heap =
        || program.edges.iter().find(|(_, edge)| matches!(edge.op, Op::Allocate { .. })).expect("it allocates").0;
    let var = |name: &str| {
        let is = |var: &cfa::VarId| Item::Register(*var).display(program) == name;
        program.vars.ids().find(is).unwrap_or_else(|| panic!("no {name}"))
    };
    if let Some(function) = name.strip_suffix("()") {
        let (_, function) =
            program.functions.iter().find(|(id, _)| program.function_name(*id) == function).expect(name);
        return Item::Register(function.result.expect(name));
    }
    let origin = |name: &str| if name == "heap" { Origin::Site(heap()) } else { Origin::Variable(var(name)) };
    match (name.strip_suffix("[]"), name.split_once('+')) {
        (Some(object), _) => Item::Whole(origin(object)),
        (None, Some((object, offset))) => Item::Cell(origin(object), offset.parse().expect("an offset")),
        (None, None) => Item::Register(var(name)),
    }
}

fn items(program: &Program, names: &str) -> Vec<Item> {
    names.split_whitespace().map(|name| item(program, name)).collect()
}

/// A precision that tracks items, everywhere.
fn tracking(program: &Program, precision: Precision, names: &str) -> Precision {
    let mut precision = precision;
    for item in items(program, names) {
        for node in program.nodes.ids() {
            precision.track(node, item);
        }
        assert!(precision.items().contains(&item), "it is tracked");
    }
    precision
}

#[test]
fn only_what_is_tracked_is_known() {
    let rows = [
        ("int main() { int x = 1, y = 2; return x + y; }", "main::x main::y main()", "3"),
        ("int main() { int x = 1, y = 2; return x + y; }", "main::x main()", "?"),
        ("int main() { int x = 1, y = 2; return x; }", "main::x main()", "1"),
        ("int main() { int x = 1, y = 2; return x; }", "main::y main()", "?"),
        ("int a[2] = {3, 4}; int main() { int i = 1; return a[i]; }", "main::i a+4 main()", "4"),
        ("int a[2] = {3, 4}; int main() { int i = 1; return a[i]; }", "main::i a+0 main()", "?"),
        ("int a[2] = {3, 4}; int main() { int i = 1; return a[i]; }", "main::i a[] main()", "4"),
        ("char a[200]; int main() { return a[7]; }", "a[] main()", "0"),
        ("char a[200]; int main() { return a[7]; }", "a+7 main()", "?"),
        ("int main() { int x = any(3); if (x == 2) return x; return 4; }", "main::x main()", "2 4"),
        ("int main() { int x = any(3); if (x == 2) return x; return 4; }", "main()", "? 4"),
        ("int x; int main() { int *p = &x; *p = any(3); if (x == 2) return x; return 4; }", "main()", "? 4"),
        (
            "int x; int main() { int *p = &x; *p = any(3); if (x == 2) return x; return 4; }",
            "x+0 main() main::p",
            "2 4",
        ),
        (
            "int main() { int x = any(3), y = any(3); if (x == 2 && y == x) return y; return 4; }",
            "main::y main()",
            "2 4",
        ),
        ("int f(int n) { return n + 1; } int main() { int x = f(2); return x; }", "f::n f() main::x main()", "3"),
        ("int f(int n) { return n + 1; } int main() { int x = f(2); return x; }", "f() main::x main()", "?"),
        ("int f(int n) { return 3; } int main() { int x = f(2); return x; }", "f() main::x main()", "3"),
        ("int f(int n) { return 3; } int main() { int x = f(2); return x; }", "main::x main()", "?"),
        ("int main() { int *p = malloc(4); *p = 3; return *p; }", "main::p heap+0 main()", "3"),
        ("int main() { int *p = malloc(4); *p = 3; return *p; }", "heap+0 main()", "?"),
        ("int main() { int *p = malloc(4); *p = 3; return *p; }", "main::p main()", "?"),
        ("int main() { char *p = calloc(900, 1); return *p; }", "main::p heap[] main()", "0"),
        ("int main() { char *p = calloc(900, 1); return *p; }", "main::p heap+0 main()", "?"),
        ("int main() { int *p = calloc(2, 4); return *p; }", "main::p heap+0 main()", "0"),
        ("int main() { int t = 0; for (int i = 0; i < 3; i++) t = 5; return t; }", "main::t main()", "0~ 5"),
    ];
    each(&rows, |(text, names, expected)| {
        for make in [Precision::scoped as fn() -> Precision, Precision::local] {
            check(text, expected, &|program| Setting {
                options: Options::default(),
                precision: tracking(program, make(), names),
            });
        }
    });
}

#[test]
fn what_was_dropped_is_never_known_again() {
    let rows = [
        ("int main() { int x = 1, y = 2; return x + y; }", "", "3"),
        ("int main() { int x = 1, y = 2; return x + y; }", "main::y", "?"),
        ("int a[2] = {3, 4}; int main() { int i = 1; return a[i]; }", "a+4", "?"),
        ("int a[2] = {3, 4}; int main() { int i = 1; return a[i]; }", "a+0", "4"),
        ("int a[2] = {3, 4}; int main() { int i = 1; return a[i]; }", "a[]", "?"),
        ("char a[200]; int main() { return a[7]; }", "a[]", "?"),
        ("char a[200]; int main() { a[6] = 3; return a[7]; }", "a+6", "0"),
    ];
    each(&rows, |(text, names, expected)| {
        check(text, expected, &|program| {
            let mut precision = Precision::all();
            for item in items(program, names) {
                precision.drop_item(item);
                assert!(!precision.track(program.functions[program.entry].entry, item), "never again");
            }
            Setting { options: Options::default(), precision }
        });
    });
}

#[test]
fn thresholds() {
    let count = "int main() { int i = 0; while (i < 5) i++; return i; }";
    let flag = "int main() { int f = 0, i = 0; while (any(1)) { f = !f; } return f; }";
    let cell = "int a[2]; int main() { int *p = a; *p = 0; while (*p < 5) *p += 1; return *p; }";
    let steps = "int main() { int i = 0; while (i < 4) { i = i + 1; } return 3; }";
    let rows = [
        (count, None, ThresholdScope::All, 0, "5"),
        (count, Some(6), ThresholdScope::All, 0, "5"),
        (count, Some(5), ThresholdScope::All, 0, "?"),
        (count, Some(5), ThresholdScope::Counters, 0, "?"),
        (count, Some(5), ThresholdScope::Counters, 1000, "5"),
        (flag, Some(1), ThresholdScope::All, 0, "0 ?"),
        (flag, Some(1), ThresholdScope::Counters, 0, "0 1"),
        (flag, Some(2), ThresholdScope::All, 0, "0 1"),
        (cell, Some(5), ThresholdScope::Counters, 0, "?"),
        (cell, Some(6), ThresholdScope::Counters, 0, "5"),
        (steps, Some(1), ThresholdScope::Counters, 0, "3"),
    ];
    each(&rows, |&(text, threshold, counted, patience, expected)| {
        let options = Options { threshold, counted, patience, ..Options::default() };
        check(text, expected, &|_| everything(options));
    });
}

/// Calls that lead to no target are stepped over, unless the precision says otherwise.
#[test]
fn stepping_over() {
    let rows = [
        ("int g = 3, h = 4; void f(void) { g = 5; } int main() { f(); return h; }", "", "4"),
        ("int g = 3, h = 4; void f(void) { g = 5; } int main() { f(); return g; }", "", "?"),
        ("int g = 3, h = 4; void f(void) { g = 5; } int main() { f(); return g; }", "f", "5"),
        ("int g = 3; void e(void) { g = 5; } void f(void) { e(); } int main() { f(); return g; }", "", "?"),
        ("int g = 3; void e(void) { g = 5; } void f(void) { e(); } int main() { f(); return g; }", "e f", "5"),
        ("int f(void) { return 5; } int main() { int x = 1; f(); return x; }", "", "1"),
        ("int f(int *p) { *p = 5; return 1; } int main() { int a[2] = {1, 2}; f(a); return a[1]; }", "", "2"),
        ("int f(int *p) { *p = 5; return 1; } int main() { int a[2] = {1, 2}; f(a); return a[0]; }", "", "?"),
        ("void f(int *p, int n) { memset(p, 1, n); } int main() { int a[2] = {1, 2}; f(a, 4); return a[1]; }", "", "?"),
        ("void f(int *p) { memset(p, 1, 4); } int main() { int a[2] = {1, 2}; f(a); return a[1]; }", "", "2"),
        ("void f(int *p) { memset(p, 1, 4); } int main() { int a[2] = {1, 2}; f(a); return a[0]; }", "", "?"),
        ("int b[2]; void f(int *p) { memcpy(p, b, 4); } int main() { int a[2] = {1, 2}; f(a); return a[1]; }", "", "2"),
        ("int b[2]; void f(int *p) { memcpy(p, b, 4); } int main() { int a[2] = {1, 2}; f(a); return a[0]; }", "", "?"),
        ("char b[200]; void f(void) { b[3] = 1; } int main() { f(); return b[4]; }", "", "?"),
        (
            "void f(int *p) { free(p); } int main() { int *p = malloc(4), *q = malloc(4); *q = 2; f(p); return *q; }",
            "",
            "2",
        ),
        (
            "void f(int *p) { free(p); } int main() { int *p = malloc(4), *q = p; *p = 2; f(p); return q == 0 ? 1 : 2; }",
            "",
            "?",
        ),
        (
            "int *f(int *p) { return realloc(p, 8); } int main() { int *p = malloc(4); *p = 2; p = f(p); return *p; }",
            "",
            "2",
        ),
        (
            "void f(int n) { int own = n, *p = &own; if (n) f(n - 1); *p = 1; } int main() { int x = 4, *p = &x; f(3); return *p; }",
            "",
            "4",
        ),
        ("void f(void) { reach_error(); } int main() { if (any(1)) f(); return 2; }", "", "2 error"),
        (
            "void e(void) { reach_error(); } void f(void) { e(); } int main() { if (any(1)) f(); return 2; }",
            "",
            "2 error",
        ),
        (
            "void exit(int); void f(void) { exit(2); } int main() { if (any(1)) return 2; f(); reach_error(); return 3; }",
            "",
            "2",
        ),
        ("void f(void) { while (1); } int main() { if (any(0) + 1) return 2; f(); return 3; }", "", "2"),
        ("void e(void) { f: goto f; } void f(int n) { if (n) return; e(); } int main() { f(1); return 3; }", "", "3"),
        ("int n; void f(int d) { n++; if (d) f(d - 1); } int main() { f(3); return n; }", "f", "4"),
    ];
    each(&rows, |(text, entered, expected)| {
        check(text, expected, &|program| {
            let named = |name: &str| program.functions.ids().find(|&id| program.function_name(id) == name);
            let mut precision = Precision::all().with_summaries();
            let names = entered.split_whitespace().chain(["any", "main"]);
            precision.entered.get_or_insert_default().extend(names.filter_map(named));
            Setting { options: Options::default(), precision }
        });
    });
}

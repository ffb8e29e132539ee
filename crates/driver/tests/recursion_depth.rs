//! Recursion that touches memory: analyses without recursion of their own unroll it as deep as it goes.

// Others use more of it.
#[allow(dead_code)]
mod common;

use cfa::DataModel;
use common::{proved, verdict};
use verdict::{Stop, Verdict};

const PRESETS: [&str; 3] = ["pred", "impact", "summaries"];

fn found(preset: &str, body: &str) {
    let verdict = verdict(preset, body, DataModel::Lp64);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{preset}: {verdict:?}\n{body}");
}

const COUNT: &str = "void count(int n, int *leaves) { if (n == 0) { ++*leaves; return; }
                         count(n - 1, leaves); count(n - 1, leaves); }
                     int main() { int n = __VERIFIER_nondet_int(), leaves = 0; if (n < 0 || n > 2) return 0; count(n, &leaves);";

#[test]
fn calls_that_write_through_pointers() {
    for preset in PRESETS {
        proved(preset, &format!("{COUNT} check(leaves == 1 << n); }}"));
        found(preset, &format!("{COUNT} check(leaves != 4); }}"));
    }
}

/// Each activation has its own object, also where an inner one gets the address of an outer one.
#[test]
fn objects_of_activations() {
    let chain = "int walk(int n, int *outer) { int own = n; if (outer && *outer != n + 1) return 0;
                     if (n == 0) return 1; int inner = walk(n - 1, &own); return inner && own == n; }
                 int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0;";
    for preset in PRESETS {
        proved(preset, &format!("{chain} check(walk(n, 0)); }}"));
        found(preset, &format!("{chain} check(!walk(n, 0) || n < 4); }}"));
    }
}

#[test]
fn functions_that_call_each_other() {
    let both = "int a[4]; void odd(int n); void even(int n) { if (n > 0) { a[n & 3] += 2; odd(n - 1); } }
                void odd(int n) { if (n > 0) { a[n & 3] += 1; even(n - 1); } }
                int main() { int n = __VERIFIER_nondet_int(); if (n != 4 && n != 6) return 0; even(n);";
    for preset in PRESETS {
        proved(preset, &format!("{both} check(a[0] == 2 && a[3] == 1); }}"));
        found(preset, &format!("{both} check(a[2] == 2); }}"));
    }
}

#[test]
fn unrolling_is_not_a_bound() {
    let deep = "int a[2], seen; void f(int n) { if (n > 0) { a[n & 1] = n; f(n - 1); } else if (n < -5) seen = 1; }
                int main() { f(__VERIFIER_nondet_int());";
    for preset in PRESETS {
        let verdict = verdict(preset, &format!("{deep} check(seen < 2); }}"), DataModel::Lp64);
        let Verdict::Unknown(Stop::Bound(what) | Stop::Unsupported { what, .. }) = &verdict else {
            panic!("{preset}: {verdict:?}");
        };
        assert!(what.contains("recursion of `f` deeper than"), "{preset}: {what}");
    }
}

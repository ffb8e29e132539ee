//! Elements and sizes that inputs choose: values by case splits, and what they must not prove.

// Others use more of it.
#[allow(dead_code)]
mod common;

use cfa::DataModel;
use common::{proved, verdict};
use verdict::Verdict;

const PRESETS: [&str; 2] = ["expl-itp", "bdd-value"];

/// The error is found, or nothing is said.
fn never_proved(preset: &str, body: &str) {
    let verdict = verdict(preset, body, DataModel::Lp64);
    assert!(!matches!(verdict, Verdict::Safe(_)), "{preset}: {verdict:?}\n{body}");
}

fn found(preset: &str, body: &str) {
    let verdict = verdict(preset, body, DataModel::Lp64);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{preset}: {verdict:?}\n{body}");
}

const CHOICE: &str = "int main() { int at = __VERIFIER_nondet_int(); if (at < 0 || at > 5) return 0;";

#[test]
fn elements_of_tables() {
    for preset in PRESETS {
        let table = "static const int table[6] = {1, 2, 4, 8, 16, 32};";
        proved(preset, &format!("{table} {CHOICE} check(table[at] == 1 << at); }}"));
        let wrong = "static const int table[6] = {1, 2, 4, 8, 61, 32};";
        found(preset, &format!("{wrong} {CHOICE} check(table[at] == 1 << at); }}"));
    }
}

#[test]
fn elements_that_change() {
    let counts = "int counts[6] = {0}; counts[at]++; counts[5 - at]++; int sum = 0;
                  for (int i = 0; i < 6; i++) sum += counts[i];";
    for preset in PRESETS {
        proved(preset, &format!("{CHOICE} {counts} check(sum == 2); }}"));
        never_proved(preset, &format!("{CHOICE} {counts} check(sum == 2 && counts[3] == 0); }}"));
        never_proved(preset, &format!("{CHOICE} {counts} check(counts[at] == 1 && at != 5); }}"));
    }
}

#[test]
fn sizes_of_objects() {
    let fill = "int *p = malloc((at + 1) * sizeof *p); if (!p) return 0;
                for (int i = 0; i <= at; i++) p[i] = 2 * i;";
    proved("expl-itp", &format!("{CHOICE} {fill} for (int i = 0; i <= at; i++) check(p[i] == 2 * i); }}"));
    for preset in PRESETS {
        never_proved(preset, &format!("{CHOICE} {fill} for (int i = 0; i <= at; i++) check(p[at - i] == 2 * i); }}"));
    }
}

#[test]
fn contents_of_allocated_objects() {
    let fill = "int main() { int *p = malloc(4 * sizeof *p); if (!p) return 0; int sum = 0;
                for (int i = 0; i < 4; i++) p[i] = 4 - i;
                for (int i = 0; i < 4; i++) sum += p[i];";
    proved("expl-itp", &format!("{fill} check(sum == 10); }}"));
    for preset in PRESETS {
        found(preset, &format!("{fill} check(sum == 9); }}"));
    }
}

/// A value that intervals do not bound is not among the cases.
#[test]
fn all_values_are_cases() {
    for preset in PRESETS {
        let wide = "int main() { int at = __VERIFIER_nondet_int(); int a[9] = {0}; if (at < 0 || at > 8) at = 8;";
        proved(preset, &format!("{wide} a[at] = 1; check(a[at] == 1); }}"));
        never_proved(preset, &format!("{wide} a[at] = 1; check(a[8] == 0); }}"));
        never_proved(preset, &format!("{wide} a[at] = 1; check(a[0] == 0); }}"));
    }
}

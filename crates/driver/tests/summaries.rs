//! Recursion by contracts: what is proved, and above all what is not.

mod common;

use cfa::DataModel;
use verdict::{Stop, Verdict};

fn proved(body: &str) {
    common::proved("summaries", body);
}

fn not_proved(body: &str) {
    common::not_proved("summaries", body);
}

fn unknown(body: &str, reason: &str) {
    match common::verdict("summaries", body, DataModel::Ilp32) {
        Verdict::Unknown(Stop::Bound(why)) => assert!(why.contains(reason), "{why}"),
        other => panic!("{other:?}"),
    }
}

const SUM: &str = "unsigned sum(unsigned n, unsigned m) { return n == 0 ? m : sum(n - 1, m + 1); }";

#[test]
fn results_as_combinations_of_inputs() {
    let call = "int main() { unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();";
    proved(&format!("{SUM} {call} check(sum(a, b) == a + b); }}"));
    not_proved(&format!("{SUM} {call} check(sum(a, b) != a + b); }}"));
    not_proved(&format!("{SUM} {call} check(sum(a, b) >= a); }}"));
    // Holds of all small inputs.
    let late = "int f(int n) { return n <= 0 ? 0 : n == 5000 ? 7 : f(n - 1) + 1; }";
    not_proved(&format!("{late} int main() {{ int n = __VERIFIER_nondet_int(); if (n >= 0) check(f(n) == n); }}"));
}

#[test]
fn results_by_parts_of_the_inputs() {
    let mccarthy = "int f(int x) { return x > 100 ? x - 10 : f(f(x + 11)); }";
    let call = "int main() { int x = __VERIFIER_nondet_int(); int r = f(x);";
    proved(&format!("{mccarthy} {call} check(r == 91 || x > 101 && r == x - 10); }}"));
    not_proved(&format!("{mccarthy} {call} check(r == 91); }}"));
    let clamped = "int f(int x) { if (x == 0) return 0; int r = f(x - 1) + 1; return r > 5 ? 5 : r; }";
    proved(&format!("{clamped} {call} check(r <= 5); }}"));
    not_proved(&format!("{clamped} {call} check(r <= 4); }}"));
}

#[test]
fn functions_that_call_each_other() {
    let both = "int odd(int n); int even(int n) { return n == 0 ? 1 : n == 1 ? 0 : odd(n - 1); }
                int odd(int n) { return n == 0 ? 0 : n == 1 ? 1 : even(n - 1); }
                int main() { int n = __VERIFIER_nondet_int(); if (n < 0) return 0;";
    proved(&format!("{both} check(odd(n) == n % 2); }}"));
    proved(&format!("{both} check(even(n) != n % 2); }}"));
    not_proved(&format!("{both} check(even(n) == n % 2); }}"));
}

#[test]
fn globals() {
    let count = "int g, h; void count(int n) { if (n == 0) return; g++; count(n - 1); }
                 int main() { int n = __VERIFIER_nondet_int(); h = 3; g = 0; count(n);";
    proved(&format!("{count} check(g == n); }}"));
    proved(&format!("{count} check(h == 3); }}"));
    not_proved(&format!("{count} check(g == 0); }}"));
    // What one call leaves is what the next one finds.
    let twice = "int g; void f(int n) { if (n > 0) { f(n - 1); g = 1 - g; f(n - 1); } }
                 int main() { f(__VERIFIER_nondet_int());";
    proved(&format!("{twice} check(g == 0 || g == 1); }}"));
    not_proved(&format!("{twice} check(g == 0); }}"));
}

#[test]
fn preconditions() {
    let gcd = "int gcd(int a, int b) { check(a > 0 && b > 0);
                   return a == b ? a : a > b ? gcd(a - b, b) : gcd(a, b - a); }
               int main() { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();";
    proved(&format!("{gcd} if (a > 0 && b > 0) gcd(a, b); }}"));
    not_proved(&format!("{gcd} if (a > 0) gcd(a, b); }}"));
    not_proved(&format!("{gcd} if (a > 0 && b > 0) gcd(a, b); gcd(b, 1); }}"));
    // The condition of the first call is not that of the others.
    not_proved(
        "void f(int n) { check(n > 0); f(n - 1); } int main() { int n = __VERIFIER_nondet_int(); if (n > 9) f(n); }",
    );
    // What a call would tell must not be used before it returns.
    not_proved(
        "int f(int n) { check(n >= 0); return n == 0 ? 0 : f(n - 1); }
         int main() { f(__VERIFIER_nondet_int()); }",
    );
}

#[test]
fn loops_and_inputs() {
    proved(&format!(
        "{SUM} int main() {{ unsigned s = 0; for (unsigned i = 0; i < 1000; i++) {{ s = sum(i, 1); check(s == i + 1); }} }}"
    ));
    not_proved(&format!("{SUM} int main() {{ for (unsigned i = 0; i < 1000; i++) check(sum(i, 1) != 900); }}"));
    // Samples draw zeros.
    let draw = "int f(int n) { if (n <= 0) return __VERIFIER_nondet_int(); return f(n - 1); }";
    not_proved(&format!("{draw} int main() {{ check(f(3) == 0); }}"));
}

#[test]
fn no_guesses_about_memory() {
    let fill = "int a[10]; void f(int n) { if (n > 0) { a[n % 10] = 1; f(n - 1); } }";
    // As deep as it goes.
    proved(&format!("{fill} int main() {{ f(3); check(a[0] == 0 && a[3] == 1); }}"));
    unknown(
        &format!("{fill} int main() {{ f(__VERIFIER_nondet_int()); check(a[0] < 2); }}"),
        "the recursive function `f` touches memory, and there is recursion of `f` deeper than",
    );
    unknown("int f(int n) { return n; } int main() { check(f(1) == 1); }", "no recursion");
}

//! Loops that fold arrays in any order: what is proved, and above all what is not.

mod common;

fn proved(body: &str) {
    common::proved("folds", body);
}

fn not_proved(body: &str) {
    common::not_proved("folds", body);
}

/// Reduces an array of any size, before and after `change`.
fn reduced(step: &str, change: &str) -> String {
    format!(
        "int n;
         int reduce(int *x) {{
             long long r = 0;
             for (int i = 0; i < n; i++) {{ {step} }}
             return r;
         }}
         int main() {{
             n = __VERIFIER_nondet_int();
             if (n < 3 || n > 100000) return 0;
             int x[n];
             int before = reduce(x), first = x[0];
             {change}
             check(reduce(x) == before);
         }}"
    )
}

const ROTATE: &str = "for (int i = 0; i < n - 1; i++) x[i] = x[i + 1]; x[n - 1] = first;";
const SWAP: &str = "x[0] = x[1]; x[1] = first;";
const STEPS: [&str; 7] = [
    "r = r + x[i];",
    "r = r < x[i] ? x[i] : r;",
    "if (x[i] < r) r = x[i];",
    "if (x[i] % 2 == 0) r++; else r--;",
    "r = r | x[i];",
    "r ^= x[i];",
    "if (x[i] > 3 && x[i] < n) r = r + 1;",
];

/// What comes of a result does not matter as long as it is the same.
#[test]
fn averages() {
    let average =
        |divisor: &str, change: &str| reduced(STEPS[0], change).replace("return r;", &format!("return r / {divisor};"));
    proved(&average("n", ROTATE));
    not_proved(&average("n", "x[0] = x[1];"));
    // Division by zero gives anything.
    not_proved(&average("(n - 3)", SWAP));
}

#[test]
fn order_does_not_matter() {
    for step in STEPS {
        proved(&reduced(step, ROTATE));
        proved(&reduced(step, SWAP));
    }
    proved(&reduced(STEPS[0], ""));
}

#[test]
fn elements_matter() {
    for change in [
        "x[0] = x[1];",
        "x[0] = x[1]; x[1] = x[0];",
        "x[1] = first + 1; x[0] = x[1] - 1;",
        "for (int i = 0; i < n - 1; i++) x[i] = x[i + 1]; x[n - 1] = first - 1;",
        "for (int i = 0; i < n - 1; i++) x[i] = x[i + 1];",
        "for (int i = 0; i < n - 2; i++) x[i] = x[i + 1]; x[n - 1] = first;",
        "n = n - 1;",
        "*((char *)x + 1) = 7;",
        "int *p = x + 2; p[-1] = 5;",
    ] {
        for step in [STEPS[0], STEPS[1]] {
            not_proved(&reduced(step, change));
        }
    }
}

#[test]
fn order_may_matter() {
    for step in
        ["r = r + r + x[i];", "r = x[i];", "r = r + i * x[i];", "r = r - x[i]; r = -r;", "if (r < 9) r += x[i];"]
    {
        not_proved(&reduced(step, ROTATE));
    }
}

/// Loops that do more than to fold, or less.
#[test]
fn other_loops() {
    for step in [
        "if (i == 2) break; r += x[i];",
        "if (i > n / 2) r += x[i];",
        "r += x[i]; x[i] = r;",
        "r += x[i]; i++;",
        "r += __VERIFIER_nondet_int() + x[i];",
        "r += x[i] / (n - 5);",
        "r += x[n - i - 1] * (x[i] > 0);",
    ] {
        not_proved(&reduced(step, ROTATE));
    }
}

#[test]
fn sums_cancel_out() {
    let program = |second: &str| {
        format!(
            "void free(void *);
             int main() {{
                 int n = __VERIFIER_nondet_int();
                 if (n < 1 || n > 1000000) return 0;
                 short *a = malloc(n * sizeof(short));
                 for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
                 long long sum = 0;
                 for (int i = 0; i < n; i++) sum = sum + a[i];
                 {second}
                 check(sum == 0);
             }}"
        )
    };
    proved(&program("for (int i = 0; i < n; i++) sum = sum - a[i];"));
    not_proved(&program("for (int i = 0; i < n; i++) sum = sum + a[i];"));
    not_proved(&program("for (int i = 1; i < n; i++) sum = sum - a[i];"));
    not_proved(&program("for (int i = 0; i < n; i++) sum = sum - 2 * a[i];"));
    not_proved(&program("a[0] = 3; for (int i = 0; i < n; i++) sum = sum - a[i];"));
    not_proved(&program("free(a); a = malloc(n * sizeof(short)); for (int i = 0; i < n; i++) sum = sum - a[i];"));
}

/// What a step reads besides accumulators and elements is part of what its result depends on.
#[test]
fn parameters() {
    let program = |between: &str| {
        format!(
            "int k;
             int x[1000];
             int weighed(void) {{ int r = 0; for (int i = 0; i < 1000; i++) r += x[i] * k; return r; }}
             int main() {{
                 k = __VERIFIER_nondet_int();
                 for (int i = 0; i < 1000; i++) x[i] = __VERIFIER_nondet_int();
                 int before = weighed();
                 {between}
                 check(weighed() == before);
             }}"
        )
    };
    proved(&program("int t = x[7]; x[7] = x[900]; x[900] = t;"));
    not_proved(&program("k++;"));
}

#[test]
fn the_first_element_starts() {
    let program = |step: &str, change: &str| {
        format!(
            "int x[5000];
             int reduce(void) {{
                 int r = x[0];
                 for (int i = 1; i < 5000; i++) {step}
                 return r;
             }}
             int main() {{
                 for (int i = 0; i < 5000; i++) x[i] = __VERIFIER_nondet_int();
                 int before = reduce(), first = x[0];
                 {change}
                 check(reduce() == before);
             }}"
        )
    };
    for step in ["r = r & x[i];", "r = r | x[i];", "if (x[i] > r) r = x[i];", "if (x[i] < r) r = x[i];"] {
        proved(&program(step, SWAP));
        not_proved(&program(step, "x[0] = x[1];"));
    }
    not_proved(&program("r = r - x[i];", SWAP));
}

/// Outside an object there is anything, at any time.
#[test]
fn reads_outside() {
    not_proved(
        "int x[10];
         int sum(void) { int r = 0; for (int i = 0; i < 11; i++) r += x[i]; return r; }
         int main() { int before = sum(); check(sum() == before); }",
    );
    not_proved(
        "int x[10];
         int sum(void) { int r = 0; for (int i = -1; i < 10; i++) r += x[i]; return r; }
         int main() { int before = sum(); check(sum() == before); }",
    );
}

/// Arrays that begin again have other elements.
#[test]
fn new_arrays() {
    not_proved(
        "int sum(int *x) { int r = 0; for (int i = 0; i < 100; i++) r += x[i]; return r; }
         int fill(void) { int x[100]; for (int i = 0; i < 100; i++) x[i] = __VERIFIER_nondet_int(); return sum(x); }
         int main() { int before = fill(); check(fill() == before); }",
    );
    not_proved(
        "int sum(int *x) { int r = 0; for (int i = 0; i < 100; i++) r += x[i]; return r; }
         int main() {
             int last = 0;
             for (int round = 0; round < 3; round++) {
                 int x[100];
                 int now = sum(x);
                 if (round > 0) check(now == last);
                 last = now;
             }
         }",
    );
}

//! Functions of whole arrays whose result does not depend on the order of the elements, and some where it does.

mod common;

use cfa::DataModel;
use verdict::Verdict;

/// Reduces an array twice, before and after `change`.
fn program(step: &str, change: &str) -> String {
    format!(
        "int reduce(int x[12]) {{
             long long r = 0;
             for (int i = 0; i < 12; i++) {{ {step} }}
             return r;
         }}
         int main() {{
             int x[12];
             for (int i = 0; i < 12; i++) x[i] = __VERIFIER_nondet_int();
             int before = reduce(x), first = x[0];
             {change}
             check(reduce(x) == before);
         }}"
    )
}

const ROTATE: &str = "for (int i = 0; i < 11; i++) x[i] = x[i + 1]; x[11] = first;";
const SWAP: &str = "x[0] = x[1]; x[1] = first;";
const STEPS: [&str; 5] = [
    "r = r + x[i];",
    "r = r < x[i] ? x[i] : r;",
    "if (x[i] < r) r = x[i];",
    "if (x[i] % 2 == 0) r++; else r--;",
    "r = r | x[i];",
];

#[test]
fn order_does_not_matter() {
    for step in STEPS {
        common::proved("bmc", &program(step, ROTATE));
        common::proved("bmc", &program(step, SWAP));
    }
}

#[test]
fn elements_matter() {
    for step in STEPS {
        for change in ["x[0] = x[1];", "for (int i = 0; i < 11; i++) x[i] = x[i + 1]; x[11] = first - 1;"] {
            let verdict = common::verdict("bmc", &program(step, change), DataModel::Ilp32);
            assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}\n{step}\n{change}");
        }
    }
}

#[test]
fn order_may_matter() {
    let source = program("r = r + r + x[i];", ROTATE);
    let verdict = common::verdict("bmc", &source, DataModel::Ilp32);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    common::not_proved("cells", &source);
}

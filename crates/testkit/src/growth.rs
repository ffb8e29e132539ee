//! Families of programs that grow in one direction each, and how the cost of deciding them grows.

use std::fmt::Write;

/// Programs of every size that differ in one number only.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// How tables call it.
    pub name: &'static str,
    /// What the size counts.
    pub counts: &'static str,
    /// The smallest size; further ones are twice as large each.
    pub first: usize,
    /// The body of `main` and what stands before it; the error is never reached.
    text: fn(usize) -> String,
}

const HEAD: &str = "extern void reach_error(void);\nextern int nondet(void);\nextern void *malloc(unsigned long);\n";

/// All families.
pub const FAMILIES: [Family; 9] = [
    Family { name: "calls", counts: "functions in a chain of calls", first: 50, text: calls },
    Family { name: "branches", counts: "branches that do not depend on each other", first: 50, text: branches },
    Family { name: "joined", counts: "branches that change one variable", first: 50, text: joined },
    Family { name: "nests", counts: "loop nests, one after the other", first: 10, text: nests },
    Family { name: "variables", counts: "variables of one loop", first: 25, text: variables },
    Family { name: "array", counts: "elements of an array that is written and read", first: 50, text: array },
    Family { name: "counter", counts: "iterations of a counting loop", first: 50, text: counter },
    Family { name: "unrolling", counts: "iterations that read an input each", first: 25, text: unrolling },
    Family { name: "lists", counts: "functions with a small list each", first: 12, text: lists },
];

impl Family {
    /// The program of this size. Its error is never reached.
    pub fn program(&self, size: usize) -> String {
        format!("{HEAD}{}", (self.text)(size))
    }
}

/// The parts that `part` writes for every number below `size`, within `main` after `before`.
fn in_main(before: &str, size: usize, part: impl Fn(usize) -> String, after: &str) -> String {
    let parts: String = (0..size).map(part).collect();
    format!("int main(void) {{\n{before}{parts}{after}  return 0;\n}}\n")
}

fn calls(size: usize) -> String {
    let mut text = "int f0(int x) { return x + 1; }\n".to_owned();
    for at in 1..size {
        writeln!(text, "int f{at}(int x) {{ return f{}(x) + 1; }}", at - 1).expect("texts take all that is written");
    }
    text + &format!("int main(void) {{\n  if (f{}(0) != {size}) reach_error();\n  return 0;\n}}\n", size - 1)
}

fn branches(size: usize) -> String {
    let part = |at| {
        format!(
            "  int x{at} = nondet(), y{at};\n  if (x{at} > 0) y{at} = 1; else y{at} = 2;\n  if (y{at} == 3) reach_error();\n"
        )
    };
    in_main("", size, part, "")
}

fn joined(size: usize) -> String {
    let part = |at| format!("  if (nondet() == {at}) y = {};\n", 1 + at % 2);
    in_main("  int y = 1;\n", size, part, "  if (y == 3) reach_error();\n")
}

fn nests(size: usize) -> String {
    let part = |at| {
        format!(
            "  int s{at} = 0;\n  for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) s{at}++;\n  if (s{at} != 12) reach_error();\n"
        )
    };
    in_main("", size, part, "")
}

fn variables(size: usize) -> String {
    let declared: String = (0..size).map(|at| format!("  int v{at} = 0;\n")).collect();
    let head = format!("{declared}  for (int i = 0; i < 3; i++) {{\n");
    let part = |at| match at {
        0 => "    v0 = i + 1;\n".to_owned(),
        at => format!("    v{at} = v{};\n", at - 1),
    };
    in_main(&head, size, part, &format!("  }}\n  if (v{} != 3) reach_error();\n", size - 1))
}

fn array(size: usize) -> String {
    let loops = format!(
        "  int a[{size}];\n  for (int i = 0; i < {size}; i++) a[i] = i;\n  for (int i = 0; i < {size}; i++) if (a[i] != i) reach_error();\n"
    );
    in_main(&loops, 0, |_| String::new(), "")
}

fn counter(size: usize) -> String {
    let text = format!(
        "  int i = 0, s = 0;\n  while (i < {size}) {{ i++; s += 2; }}\n  if (s != {}) reach_error();\n",
        2 * size
    );
    in_main(&text, 0, |_| String::new(), "")
}

fn unrolling(size: usize) -> String {
    let text = format!(
        "  unsigned low = 0;\n  for (int i = 0; i < {size}; i++) {{\n    int x = nondet();\n    if (x & 1) low |= x & 6;\n  }}\n  if (low & 8) reach_error();\n"
    );
    in_main(&text, 0, |_| String::new(), "")
}

fn lists(size: usize) -> String {
    let mut text = "struct node { struct node *next; int value; };\n".to_owned();
    for at in 0..size {
        writeln!(
            text,
            "int f{at}(void) {{\n  struct node *a = malloc(sizeof(struct node)), *b = malloc(sizeof(struct node));\n  \
             a->next = b;\n  a->value = {at};\n  b->next = 0;\n  b->value = 1;\n  int s = 0;\n  \
             for (struct node *p = a; p; p = p->next) s += p->value;\n  return s;\n}}"
        )
        .expect("texts take all that is written");
    }
    text + &in_main("", size, |at| format!("  if (f{at}() != {}) reach_error();\n", at + 1), "")
}

/// The exponent `e` for which cost grows as size to the power of `e`, by least squares over the logarithms. Costs below
/// `floor` are those of starting up and do not count; `None` if fewer than two others are left.
pub fn exponent(points: &[(usize, f64)], floor: f64) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(_, cost)| *cost >= floor).map(|&(size, cost)| ((size as f64).ln(), cost.ln())).collect();
    if logs.len() < 2 {
        return None;
    }
    let count = logs.len() as f64;
    let (x, y) = (logs.iter().map(|p| p.0).sum::<f64>() / count, logs.iter().map(|p| p.1).sum::<f64>() / count);
    let covariance: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = logs.iter().map(|p| (p.0 - x).powi(2)).sum();
    Some(covariance / variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_powers() {
        let points = |f: fn(f64) -> f64| [1usize, 2, 4, 8].map(|n| (n, f(n as f64)));
        for (points, expected) in [(points(|n| 3.0 * n), 1.0), (points(|n| n * n), 2.0), (points(|_| 5.0), 0.0)] {
            assert!((exponent(&points, 0.0).expect("four points") - expected).abs() < 1e-9);
        }
        assert_eq!(exponent(&points(|n| n), 8.0), None);
    }

    /// gcc runs each with all inputs zero, and the interpreter takes each.
    #[test]
    fn no_error_is_reached() {
        for family in FAMILIES {
            let text = family.program(family.first);
            let program = driver::load_text("grown.c", &text).expect(family.name);
            assert!(!program.targets.is_empty(), "{}", family.name);
            assert!(family.program(2 * family.first).len() >= text.len());
        }
    }
}

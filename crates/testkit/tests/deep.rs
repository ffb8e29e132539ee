//! Nothing that nests deep overflows the stack, from the parser through lowering to the last pass.

use testkit::front_end::{Stage, check, options};

const DEEP: usize = 10_000;

/// `prefix` * n, `middle`, `suffix` * n, inside `before` and `after`.
fn check_times(times: usize, before: &str, prefix: &str, middle: &str, suffix: &str, after: &str) {
    let source = [before, &prefix.repeat(times), middle, &suffix.repeat(times), after].concat();
    let shown = format!("{before}{prefix}...{middle}{suffix}...{after}");
    assert_eq!(check(&source, &options(0)), Stage::Program, "{shown}");
}

/// In the body of `main`.
fn check_body(prefix: &str, middle: &str, suffix: &str) {
    check_body_times(DEEP, prefix, middle, suffix);
}

fn check_body_times(times: usize, prefix: &str, middle: &str, suffix: &str) {
    let before = "struct S { int x; } s; int f(int k) { return k; } int main(int a, char **b) { int x = 1, *p = &x; ";
    check_times(times, before, prefix, middle, suffix, " return 0; }");
}

/// An expression.
fn check_deep(prefix: &str, middle: &str, suffix: &str) {
    let before =
        "struct S { int x; } s; int f(int k) { return k; } int main(int a, char **b) { int x = 1, *p = &x; x = ";
    check_times(DEEP, before, prefix, middle, suffix, "; return 0; }");
}

/// At file scope.
fn check_global(before: &str, prefix: &str, middle: &str, suffix: &str, after: &str) {
    check_times(DEEP, before, prefix, middle, suffix, &format!("{after} int main(void) {{ return 0; }}"));
}

#[test]
fn operators() {
    check_deep("(a + ", "1", ")");
    check_deep("- (", "a", ")");
    check_deep("- ", "a", "");
    check_deep("! ", "a", "");
    check_deep("(char)", "a", "");
    check_deep("", "a", " + a");
    check_deep("a - (", "1", ")");
    check_deep("*&", "a", "");
    check_deep("1.5 * (", "a", ")");
}

#[test]
fn choices() {
    check_deep("a && (", "1", ")");
    check_deep("", "a", " || a");
    check_deep("a ? 1 : ", "2", "");
    check_deep("a ? ", "1", " : 2");
    check_deep("a ?: ", "1", "");
    check_deep("!(a && ", "1", ")");
}

#[test]
fn effects() {
    check_deep("x = ", "1", "");
    check_deep("(a++, ", "1", ")");
    check_deep("f(", "1", ")");
    check_deep("p[", "1", "]");
    check_deep("({", "1", ";})");
    check_deep("(struct S){", "1", "}.x");
}

#[test]
fn types_of_operands() {
    check_deep("sizeof ", "a", "");
    check_deep("sizeof(char[", "1", "])");
    check_deep("_Generic(", "1", ", int: 1)");
    check_deep("(int)sizeof(typeof(", "1", "))");
}

#[test]
fn constants() {
    check_global("int x = ", "(1 + ", "1", ")", ";");
    check_global("int x = ", "- ", "1", "", ";");
    check_global("int x = ", "1 ? 2 : ", "1", "", ";");
    check_global("int x[", "(1 * ", "1", ")", "];");
    check_global("enum E { A = ", "~", "1", "", " };");
    check_global("double x = ", "- ", "1.5", "", ";");
}

#[test]
fn statements() {
    check_body("{", "x++;", "}");
    check_body("if (a) x--; else ", "x++;", "");
    check_body("if (a) ", "x++;", "");
    check_body("switch (a) case 1: ", "x++;", "");
    let cases: String = (0..100_000).map(|value| format!("case {value}: ")).collect();
    check_times(1, "int main(int a) { int x = 0; switch (a) {", &cases, "x++;", "", "} return 0; }");
}

#[test]
fn loops() {
    // A node is a member of all loops around it: nesting takes quadratic memory.
    check_body_times(1000, "while (a) ", "x++;", "");
    check_body_times(1000, "do ", "x++;", " while (a);");
    check_body_times(1000, "for (;a;) { ", "x++;", "}");
}

#[test]
fn declarators() {
    check_global("int ", "*", "x", "", ";");
    check_global("int ", "(*", "x", ")", ";");
    check_global("int ", "", "x", "[1]", ";");
    check_global("void f(", "int (*)(", "int", ")", ");");
    check_global("", "typeof(", "int", ")", " x;");
    check_global("int x", " __attribute__((unused))", "", "", ";");
}

#[test]
fn records_and_initialisers() {
    check_global("", "struct { ", "int x;", "} y;", " ;");
    check_global("int x = ", "{", "1", "}", ";");
    check_global("int ", "", "x", "[1]", "= {1};");
    check_body("struct { ", "int x;", "} y;");
}

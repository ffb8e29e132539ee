//! Nothing that nests deep overflows the stack: trees are built, verified, printed and dropped.

mod check;
use check::parse;

const DEEP: usize = 90_000;

/// `prefix` * n, `middle`, `suffix` * n, inside `before` and `after`.
fn check_deep(before: &str, prefix: &str, middle: &str, suffix: &str, after: &str) {
    check_times(DEEP, before, prefix, middle, suffix, after);
}

fn check_times(times: usize, before: &str, prefix: &str, middle: &str, suffix: &str, after: &str) {
    let source = [before, &prefix.repeat(times), middle, &suffix.repeat(times), after].concat();
    let (ast, diagnostics, interner) = parse(&source);
    let shown: String = source.chars().take(60).collect();
    assert!(diagnostics.is_empty(), "{shown}: {:?}", diagnostics.first());
    assert!(ast.dump(&interner).len() > times, "{shown}");
}

#[test]
fn expressions() {
    check_deep("int x = ", "(1+", "1", ")", ";");
    check_deep("int x = ", "- (", "1", ")", ";");
    check_deep("int x = ", "- ", "1", "", ";");
    check_deep("int x = ", "(int)", "1", "", ";");
    check_deep("int x = ", "sizeof ", "1", "", ";");
    check_deep("int x = ", "a + ", "1", "", ";");
    check_deep("int x = ", "a = ", "1", "", ";");
    check_deep("int x = ", "a ? b : ", "1", "", ";");
    check_deep("int x = ", "a ? ", "1", " : b", ";");
    check_deep("int x = ", "a ?: ", "1", "", ";");
    check_deep("int x = ", "f(", "1", ")", ";");
    check_deep("int x = ", "a[", "1", "]", ";");
    check_deep("int x = ", "", "a", ".b", ";");
    check_deep("int x = ", "", "a", "()", ";");
    check_deep("int x = (", "a, ", "1", "", ");");
    check_deep("int x = ", "({", "1", ";})", ";");
    check_deep("int x = ", "_Generic(", "1", ", int: 1)", ";");
    check_deep("int x = ", "sizeof(int[", "1", "])", ";");
    check_deep("int x = ", "(struct S){", "1", "}", ";");
}

#[test]
fn statements() {
    check_deep("void f(void) {", "{", "x;", "}", "}");
    check_deep("void f(void) {", "if (a) b; else ", "x;", "", "}");
    check_deep("void f(void) {", "if (a) ", "x;", "", "}");
    check_deep("void f(void) {", "while (a) ", "x;", "", "}");
    check_deep("void f(void) {", "do ", "x;", " while (a);", "}");
    check_times(45_000, "void f(void) {", "for (;;) { ", "x;", "}", "}");
    check_deep("void f(void) {", "switch (a) case 1: ", "x;", "", "}");
    check_times(300_000, "void f(void) { switch (a) {", "case 1: ", "x;", "", "} }");
    check_deep("void f(void) {", "l: ", "x;", "", "}");
}

#[test]
fn declarations() {
    check_deep("int ", "*", "x", "", ";");
    check_deep("int ", "(*", "x", ")", ";");
    check_deep("int ", "", "x", "[1]", ";");
    check_deep("int ", "", "x", "(void)", ";");
    check_deep("int x = ", "{", "1", "}", ";");
    check_deep("", "struct { ", "int x;", "} y;", "");
    check_deep("void f(", "int (*)(", "int", ")", ");");
    check_deep("", "typeof(", "int", ")", " x;");
    check_deep("int x", " __attribute__((a))", "", "", ";");
    check_deep("int x __attribute__((", "a(", "1", ")", "));");
}

#[test]
fn a_limit_ends_in_a_message() {
    let source = format!("void f(void) {}", "{".repeat(2_000_000));
    let (_, diagnostics, _) = parse(&source);
    assert_eq!(diagnostics[0].message, "nesting deeper than 100000 levels");
}

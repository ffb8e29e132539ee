//! The one boundary that tests see: text in, text out.
#![allow(dead_code, reason = "each test file uses some of it")]

use base::{Diagnostic, Interner, SourceMap};
use expect_test::Expect;
use syntax::Ast;

/// Parses and checks the tree's own promises.
pub fn parse(source: &str) -> (Ast, Vec<Diagnostic>, Interner) {
    let mut interner = Interner::default();
    let (ast, diagnostics) = syntax::parse(source, 0, &mut interner);
    assert_eq!(ast.verify(), Ok(()));
    (ast, diagnostics, interner)
}

/// The messages, one a line.
pub fn messages(source: &str, diagnostics: &[Diagnostic]) -> String {
    let mut sources = SourceMap::new();
    sources.add("t.c", source.to_owned());
    diagnostics.iter().map(|error| format!("{}: {}\n", sources.display(error.span), error.message)).collect()
}

/// The tree of a whole file without errors.
pub fn check(source: &str, expected: Expect) {
    let (ast, diagnostics, interner) = parse(source);
    assert_eq!(messages(source, &diagnostics), "", "{source}");
    expected.assert_eq(&ast.dump(&interner));
}

/// The statements of a function body, one outer level taken off.
pub fn check_body(body: &str, expected: Expect) {
    let source = format!("typedef int T; void f(void) {{ {body} }}");
    let (ast, diagnostics, interner) = parse(&source);
    assert_eq!(messages(&source, &diagnostics), "", "{source}");
    let dump = ast.dump(&interner);
    let lines = dump.lines().skip(3).map(|line| line.strip_prefix("    ").unwrap_or(line));
    expected.assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}

/// One line per expression.
pub fn check_exprs(exprs: &[&str], expected: Expect) {
    let mut lines = String::new();
    for expr in exprs {
        let source = format!("typedef int T; void f(void) {{ {expr}; }}");
        let (ast, diagnostics, interner) = parse(&source);
        assert_eq!(messages(&source, &diagnostics), "", "{source}");
        let dump = ast.dump(&interner);
        let text: Vec<&str> = dump.lines().skip(3).map(str::trim).collect();
        lines += &format!("{expr}  =>  {}\n", text.join(" "));
    }
    expected.assert_eq(&lines);
}

/// The messages about a broken file.
pub fn check_errors(source: &str, expected: Expect) {
    let (_, diagnostics, _) = parse(source);
    expected.assert_eq(&messages(source, &diagnostics));
}

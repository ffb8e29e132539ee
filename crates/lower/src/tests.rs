//! Golden tests: C in, the text of one function or of the whole program out.

use crate::{Options, lower};
use base::{Interner, SourceMap};
use cfa::{DataModel, Program};
use expect_test::{Expect, expect};

fn program(source: &str, options: &Options) -> Result<Program, String> {
    let mut names = Interner::default();
    let mut sources = SourceMap::new();
    let start = sources.add("test.c", source.to_owned());
    let (ast, mut diagnostics) = syntax::parse(source, start, &mut names);
    diagnostics.retain(|found| found.severity == base::Severity::Error);
    if !diagnostics.is_empty() {
        return Err(diagnostics.iter().map(|found| found.render(&sources)).collect::<Vec<_>>().join("\n"));
    }
    match lower(vec![ast], names, sources, options) {
        Ok(lowered) => Ok(lowered.program),
        Err(rejected) => {
            let lines = rejected.diagnostics.iter().map(|found| found.render(&rejected.sources));
            Err(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The text of `main`.
fn check(source: &str, expected: Expect) {
    check_function(source, "main", expected);
}

fn check_function(source: &str, function: &str, expected: Expect) {
    let text = match program(source, &Options::default()) {
        Ok(program) => match program.function_named(function) {
            Some(function) => program.function_text(function),
            None => "no such function".into(),
        },
        Err(message) => message,
    };
    expected.assert_eq(&text);
}

fn check_ilp32(source: &str, expected: Expect) {
    let options = Options { model: DataModel::Ilp32, ..Options::default() };
    let text = match program(source, &options) {
        Ok(program) => program.function_text(program.function_named("main").expect("there is a main")),
        Err(message) => message,
    };
    expected.assert_eq(&text);
}

/// The whole program.
fn check_all(source: &str, expected: Expect) {
    let text = program(source, &Options::default()).map_or_else(|message| message, |program| program.to_string());
    expected.assert_eq(&text);
}

#[test]
fn first() {
    check(
        "int main(void) { int x = 1; while (x < 10) x = x + 1; return x; }",
        expect![[r#"
        fn main() -> i32 {
          x: i32;
          n0: entry
          n0 -> n1: x := 1;
          n1 -> n2: [x < 10]
          n1 -> n3: [x >= 10]
          n2 -> n1: x := x + 1;
          n3 -> n4: return x;
          n4: exit
        }
    "#]],
    );
    check_all(
        "int g = 3; int main(void) { return g; }",
        expect![[r#"
        g: i32;

        fn main() -> i32 {
          n0: entry
          n0 -> n1: return g;
          n1: exit
        }

        start fn $start() {
          $1: i32;
          n2: entry
          n2 -> n3: g := 3;
          n3 -> n4: $1 := main();
          n4 -> n5: halt $1;
          n6: exit
        }
    "#]],
    );
    check_ilp32(
        "int main(void) { return sizeof(long); }",
        expect![[r#"
        fn main() -> i32 {
          n0: entry
          n0 -> n1: return 4;
          n1: exit
        }
    "#]],
    );
}

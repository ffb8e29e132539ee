//! C programs that print, executed by the interpreter on what lowering made of them. The outputs next to them are
//! those of gcc's binaries (`gcc -w -O0 -fwrapv`, with `-m32` for ILP32); `UPDATE_EXPECT=1` writes new ones, which
//! must then be compared with gcc's again.

use base::{Cancel, Interner, SourceMap};
use cfa::DataModel;
use expect_test::expect_file;
use lower::{Options, lower};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter;

fn output(source: &str, model: DataModel) -> String {
    let mut names = Interner::default();
    let mut sources = SourceMap::new();
    let start = sources.add("program.c", source.to_owned());
    let (ast, diagnostics) = syntax::parse(source, start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = match lower(vec![ast], names, sources, &Options { model, ..Options::default() }) {
        Ok(lowered) => lowered.program,
        Err(rejected) => {
            return rejected.diagnostics.iter().map(|found| found.render(&rejected.sources) + "\n").collect();
        }
    };
    let zeros = Choices::default();
    let mut out = Vec::new();
    let options = interpreter::Options { steps: 10_000_000, ..interpreter::Options::default() };
    let run = interpreter::run(&program, &mut Replayer::new(&zeros), &mut out, &options, &Cancel::never());
    let end = match run.outcome {
        interpreter::RunEnd::Exit(0) => String::new(),
        interpreter::RunEnd::Undefined { what, span } => format!("{what} at {}\n", program.sources.display(span)),
        outcome => format!("{outcome:?}\n"),
    };
    String::from_utf8_lossy(&out).into_owned() + &end
}

#[test]
fn gnu() {
    let source = include_str!("programs/gnu.c");
    expect_file!["programs/gnu.64.out"].assert_eq(&output(source, DataModel::Lp64));
    expect_file!["programs/gnu.32.out"].assert_eq(&output(source, DataModel::Ilp32));
}

#[test]
fn order() {
    let source = include_str!("programs/order.c");
    expect_file!["programs/order.64.out"].assert_eq(&output(source, DataModel::Lp64));
    expect_file!["programs/order.32.out"].assert_eq(&output(source, DataModel::Ilp32));
}

#[test]
fn library() {
    expect_file!["programs/library.64.out"].assert_eq(&output(include_str!("programs/library.c"), DataModel::Lp64));
}

#[test]
fn types() {
    expect_file!["programs/types.64.out"].assert_eq(&output(include_str!("programs/types.c"), DataModel::Lp64));
}

#[test]
fn math() {
    expect_file!["programs/math.64.out"].assert_eq(&output(include_str!("programs/math.c"), DataModel::Lp64));
}

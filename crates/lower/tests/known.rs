//! Functions that are known by name do what C and their specifications say. A row is the body of `main` with an input `n`,
//! and how it ends for 0, 1, 2 and so on.

#![allow(clippy::unwrap_used, reason = "a test")]

use base::{Cancel, Interner, SourceMap};
use cfa::DataModel;
use lower::{Options, Targets, lower};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{self, RunEnd};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void assert(int);
    extern void __VERIFIER_nondet_memory(void *, unsigned long); extern double sqrt(double); extern double sin(double);";

/// The status of a program that aborts, as a shell sees it.
const ABORTED: i32 = 134;

/// How a body ends.
#[derive(PartialEq, Eq, Debug)]
enum End {
    Status(i32),
    Target,
    /// It asks what the interpreter cannot know.
    Unsupported,
}

fn end(body: &str, n: u128, model: DataModel, assertions: bool) -> End {
    let text = format!("{HEAD} int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}");
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("known.c", text.clone());
    let (ast, diagnostics) = syntax::parse(&text, start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let targets = Targets { assertions, ..Options::default().targets };
    let lowered = lower(vec![ast], names, sources, &Options { model, targets, ..Options::default() });
    let program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    let (choices, options) = (Choices { havocs: vec![n], ..Choices::default() }, interpreter::Options::default());
    let run =
        interpreter::run(&program, &mut Replayer::new(&choices), &mut std::io::sink(), &options, &Cancel::never());
    match run.outcome {
        RunEnd::Exit(status) => End::Status(status),
        RunEnd::Target(_) => End::Target,
        RunEnd::Unsupported { .. } => End::Unsupported,
        other => panic!("n = {n}: {other:?}: {body}"),
    }
}

#[test]
fn assertions_end_the_program_where_they_fail() {
    let ends = |body: &str, assertions: bool| [0, 1, 2].map(|n| end(body, n, DataModel::Lp64, assertions));
    let aborted = || End::Status(ABORTED);
    assert_eq!(ends("assert(n > 1); return 3;", true), [End::Target, End::Target, End::Status(3)]);
    assert_eq!(ends("assert(n > 1); return 3;", false), [aborted(), aborted(), End::Status(3)]);
    assert_eq!(ends("assert(n > 1); reach_error();", false), [aborted(), aborted(), End::Target]);
}

/// So many bytes become inputs, which are zero here.
#[test]
fn memory_that_is_an_input() {
    let body =
        "char t[4] = {1, 1, 1, 1}; __VERIFIER_nondet_memory(t + 1, n); return t[0] * 8 + t[1] * 4 + t[2] * 2 + t[3];";
    assert_eq!([0, 1, 2].map(|n| end(body, n, DataModel::Lp64, true)), [15, 11, 9].map(End::Status));
}

/// What a function computes is known on constants, too, unless 32-bit programs compute something else.
#[test]
fn functions_of_constants() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        assert_eq!(end("return sqrt(16.0) + n;", 1, model, true), End::Status(5));
    }
    assert_eq!(end("return sin(0.0) == 0.0;", 0, DataModel::Lp64, true), End::Status(1));
    assert_eq!(end("return sin(0.0) == 0.0;", 0, DataModel::Ilp32, true), End::Unsupported);
}

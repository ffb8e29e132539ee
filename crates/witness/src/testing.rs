//! Programs and counterexamples for the tests of this crate.

use base::{Cancel, Interner, SourceMap};
use cfa::Program;
use semantics::choices::Choices;
use semantics::interpreter::RunEnd;
use semantics::replay::replay;
use verdict::{ByteChoice, Choice, Counterexample};

/// The program of one file `test.c`.
pub fn program(source: &str) -> Program {
    let mut sources = SourceMap::new();
    let start = sources.add("test.c", source.to_owned());
    let mut names = Interner::default();
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut program = lower::lower(vec![ast], names, sources, &lower::Options::default()).expect("valid C").program;
    transform::remove_dead(&mut program);
    flow::find_loops(&mut program);
    program
}

/// The execution with these values for what is open.
pub fn counterexample(program: &Program, havocs: &[u128]) -> Counterexample {
    let choices = Choices { havocs: havocs.to_vec(), ..Choices::default() };
    let run = replay(program, &choices, u64::MAX, &Cancel::never());
    let RunEnd::Target(target) = run.outcome else { panic!("no error: {:?}", run.outcome) };
    let choice = |drawn: &semantics::choices::Drawn| Choice {
        edge: drawn.edge,
        source: drawn.source,
        ty: drawn.ty,
        bits: drawn.value,
    };
    let bytes = run.choices.bytes.iter();
    Counterexample {
        target,
        path: run.path,
        choices: run.drawn.iter().map(choice).collect(),
        bytes: bytes.map(|(&(object, offset), &value)| ByteChoice { object, offset, value }).collect(),
        undefined: Vec::new(),
        addresses: Vec::new(),
        closed: None,
    }
}

//! Programs from C for tests and examples, which have no user to tell about mistakes.

use crate::Options;
use base::{Interner, SourceMap};
use cfa::Program;
use flow::Prepared;

/// The program of a text, with its loops marked; a mistake in it panics.
pub fn program(source: &str) -> Program {
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("test.c", source.to_owned());
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut program = crate::lower(vec![ast], names, sources, &Options::default())
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
        .program;
    flow::find_loops(&mut program);
    program
}

/// The same, ready for facts about it.
pub fn prepared(source: &str) -> Prepared {
    Prepared::new(program(source))
}

//! Programs for tests, from C.

use base::{Cancel, Interner, SourceMap};
use cfa::Program;
use encode::MemoryModel;
use std::sync::Arc;

pub fn program(source: &str) -> Program {
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("test.c", source.to_owned());
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut program = lower::lower(vec![ast], names, sources, &lower::Options::default())
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
        .program;
    program.find_loops();
    program
}

pub fn memory(program: &Program) -> Arc<MemoryModel> {
    MemoryModel::new(program, &Cancel::never()).expect("nobody stops it")
}

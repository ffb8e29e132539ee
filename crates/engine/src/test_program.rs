//! Programs for tests, from C.

use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters, Interner, SourceMap};
use cfa::Program;
use encode::MemoryModel;
use smt_bitwuzla::BitwuzlaBackend;
use std::sync::Arc;
use verdict::{Goals, Verdict};

pub fn program(source: &str) -> Program {
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("test.c", source.to_owned());
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let mut program = lower::lower(vec![ast], names, sources, &lower::Options::default())
        .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
        .program;
    flow::find_loops(&mut program);
    program
}

pub fn memory(program: &Program) -> Arc<MemoryModel> {
    MemoryModel::new(program, &Cancel::never()).expect("nobody stops it")
}

/// What k-induction without facts says about any of the targets.
pub fn induction(program: &Program, options: &KInductionOptions, cancel: &Cancel) -> Verdict {
    let (goals, counters) = (&mut Goals::any(program), &mut Counters::default());
    k_induction::verify((program, &memory(program)), goals, &BitwuzlaBackend, options, Vec::new(), cancel, counters)
}

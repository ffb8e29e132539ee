//! Programs for tests, from C.

pub use lower::testing::program;

use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters};
use cfa::Program;
use encode::MemoryModel;
use smt_bitwuzla::BitwuzlaBackend;
use std::sync::Arc;
use verdict::{Goals, Verdict};

pub fn memory(program: &Program) -> Arc<MemoryModel> {
    MemoryModel::new(program, &Cancel::never()).expect("nobody stops it")
}

/// What k-induction without facts says about any of the targets.
pub fn induction(program: &Program, options: &KInductionOptions, cancel: &Cancel) -> Verdict {
    let (goals, counters) = (&mut Goals::any(program), &mut Counters::default());
    k_induction::verify((program, &memory(program)), goals, &BitwuzlaBackend, options, Vec::new(), cancel, counters)
}

//! Programs for tests, from C.

pub use lower::testing::prepared as program;

use crate::board::Board;
use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters};
use encode::{MemoryModel, memory_model};
use flow::Prepared;
use smt_bitwuzla::BitwuzlaBackend;
use std::sync::Arc;
use verdict::{Goals, Verdict};

pub fn memory(program: &Prepared) -> Arc<MemoryModel> {
    memory_model(program, &Cancel::never()).expect("it is never stopped")
}

/// What k-induction without facts says about any of the targets.
pub fn induction(program: &Prepared, options: &KInductionOptions, cancel: &Cancel) -> Verdict {
    let (goals, counters) = (&mut Goals::any(program), &mut Counters::default());
    k_induction::verify(
        (program, &memory(program)),
        goals,
        &BitwuzlaBackend,
        (options, &Board::default()),
        Vec::new(),
        cancel,
        counters,
    )
}

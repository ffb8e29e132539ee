//! `folds`: proofs about sums, maxima and counts of arrays, whatever the order of their elements.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, flow_sources};
use base::options::OptionList;
use engine::AbstractionOptions;
use engine::folds::prove;
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "folds",
    options: AbstractionOptions::declared,
    decides: Decides::Proofs,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options = options.read::<AbstractionOptions>()?;
    Ok(prove(run.program, run.backend, &options, flow_sources(), run.cancel, run.counters).into())
}

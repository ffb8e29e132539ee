//! `summaries`: proofs about recursion, on a program whose recursive calls became contracts, or are unrolled.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, flow_sources};
use base::options::OptionList;
use engine::summaries::{SummaryOptions, prove};
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "summaries",
    options: SummaryOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options = options.read::<SummaryOptions>()?;
    Ok(prove(run.program, run.backend, &options, &flow_sources, run.cancel, run.counters)?)
}

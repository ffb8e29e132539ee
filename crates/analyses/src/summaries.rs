//! `summaries`: proofs about recursion, on a program whose recursive calls became contracts.

use crate::{Decides, Entry, Failed, Options, Run, Targets, flow_sources};
use engine::summaries::verify;
use verdict::Verdict;

pub const ENTRY: Entry = Entry { name: "summaries", decides: Decides::Proofs, targets: Targets::Together, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(verify(run.program, run.backend, &options.read()?, &flow_sources, run.cancel, run.counters))
}

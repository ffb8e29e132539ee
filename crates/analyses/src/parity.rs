//! `parity`: which registers are even and which are odd, one state per location.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use domains::parity::ParityDomain;
use engine::dataflow::decide;
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "parity", options: Vec::new, decides: Decides::Proofs, targets: TargetHandling::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    Ok(decide((run.program, run.goals), &ParityDomain::new(run.program), run.cancel, run.counters))
}

//! `signs`: which signs registers may have, one state per location.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use domains::sign::SignDomain;
use engine::dataflow::decide;
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "signs", options: Vec::new, decides: Decides::Proofs, targets: TargetHandling::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    Ok(decide((run.program, run.goals), &SignDomain::new(run.program), run.cancel, run.counters))
}

//! `octagons`: bounds of sums and differences of variables, with intervals alongside them, one state per location.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::dataflow::Both;
use domains::interval::IntervalDomain;
use domains::octagon::OctagonDomain;
use engine::dataflow::decide;
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "octagons", options: Vec::new, decides: Decides::Proofs, targets: TargetHandling::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    let domain = Both(IntervalDomain::new(run.program), OctagonDomain::new(run.program, run.cancel)?);
    Ok(decide((run.program, run.goals), &domain, run.cancel, run.counters))
}

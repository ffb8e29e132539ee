//! `dataflow`: intervals and affine equalities together, one state per location.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::dataflow::Both;
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use engine::dataflow::decide;
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "dataflow", options: Vec::new, decides: Decides::Proofs, targets: TargetHandling::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    options.none()?;
    let domain = Both(IntervalDomain::new(run.program), AffineDomain::new(run.program));
    Ok(decide((run.program, run.goals), &domain, run.cancel, run.counters))
}

//! `bmc`: bounded model checking with growing bounds.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, flow_sources};
use base::options::OptionList;
use engine::bmc::{BmcOptions, verify};
use engine::board::{SafeBound, Sufficed};
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "bmc", options: BmcOptions::declared, decides: Decides::Both, targets: TargetHandling::Each, run };

// ANCHOR: run
/// It continues at the bound that other parts reached: all shorter executions are looked at once more, in one step.
fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let mut options: BmcOptions = options.read()?;
    let reached = run.board.find::<SafeBound>().map_or(0, |bound| bound.0);
    let sufficed = run.board.find::<Sufficed>().map_or(0, |bound| bound.0);
    options.k_init = options.k_init.max(reached).max(sufficed);
    let model = run.memory()?;
    let (subject, sources) = ((run.program, &model), flow_sources());
    Ok(verify(subject, run.goals, run.backend, (&options, run.board), &sources, run.cancel, run.counters))
}
// ANCHOR_END: run

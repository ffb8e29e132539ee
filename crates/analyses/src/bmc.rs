//! `bmc`: bounded model checking with growing bounds.

use crate::{Decides, Entry, Failed, Options, Run, Targets, flow_sources};
use engine::bmc::verify;
use verdict::Verdict;

pub const ENTRY: Entry = Entry { name: "bmc", decides: Decides::Both, targets: Targets::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options = options.read()?;
    let model = run.memory()?;
    let subject = (run.program, &model);
    Ok(verify(subject, run.goals, run.backend, &options, &flow_sources(), run.cancel, run.counters))
}

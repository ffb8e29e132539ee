//! `boxes`: intervals over boxes of inputs, which are halved until each is decided.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, flow_sources};
use base::options::OptionList;
use engine::boxes::{BoxesOptions, verify};
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "boxes",
    options: BoxesOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: BoxesOptions = options.read()?;
    let model = run.memory()?;
    let (subject, sources) = ((run.program, &model), flow_sources());
    Ok(verify(subject, run.goals, run.backend, &options, &sources, run.cancel, run.counters))
}

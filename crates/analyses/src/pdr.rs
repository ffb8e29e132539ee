//! `pdr`: property-directed reachability on bit vectors, on the program with a single loop.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::options::OptionList;
use engine::transition::pdr::{PdrOptions, search};
use engine::transition::verify;
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "pdr",
    options: PdrOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: PdrOptions = options.read()?;
    let model = run.memory()?;
    let (subject, goals, backend) = ((run.program, &model), &mut *run.goals, run.backend);
    Ok(verify(subject, goals, backend, |found| search(found, &options), run.cancel, run.counters)?)
}

//! `random`: executions with random values.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::options::OptionList;
use engine::random::{RandomOptions, random};
use verdict::Verdict;

/// It proves programs that have one execution only.
pub const ENTRY: Entry = Entry {
    name: "random",
    options: RandomOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Each,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(random(run.program, run.goals, &options.read::<RandomOptions>()?, run.cancel, run.counters))
}

//! `random`: executions with random values.

use crate::{Decides, Entry, Failed, Options, Run, Targets};
use engine::random::random;
use verdict::Verdict;

/// It proves programs that have one execution only.
pub const ENTRY: Entry = Entry { name: "random", decides: Decides::Both, targets: Targets::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(random(run.program, run.goals, &options.read()?, run.cancel, run.counters))
}

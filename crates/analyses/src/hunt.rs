//! `hunt`: executions that are made from earlier ones, towards a target.

use crate::{Decides, Entry, Failed, Options, Run, Targets};
use engine::hunt::hunt;
use verdict::Verdict;

pub const ENTRY: Entry = Entry { name: "hunt", decides: Decides::Errors, targets: Targets::Each, run };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(hunt(run.program, run.goals, &options.read()?, run.cancel, run.counters))
}

//! `hunt`: executions that are made from earlier ones, towards a target.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::options::OptionList;
use engine::hunt::{HuntOptions, hunt};
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "hunt",
    options: HuntOptions::declared,
    decides: Decides::Errors,
    targets: TargetHandling::Each,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(hunt(run.program, run.goals, &options.read::<HuntOptions>()?, run.cancel, run.counters))
}

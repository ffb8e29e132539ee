//! `unwinding`: all executions lie in an unrolled part of the program, so they end.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::options::OptionList;
use engine::bmc::BmcOptions;
use engine::termination::unwind;
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "unwinding",
    options: BmcOptions::declared,
    decides: Decides::Proofs,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(unwind(run.program, run.backend, &options.read::<BmcOptions>()?, run.cancel, run.counters))
}

//! `ic3`: IC3 on the bits of the program with a single loop.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use base::options::OptionList;
use engine::transition::ic3::{Ic3Options, search};
use engine::transition::verify;
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "ic3",
    options: Ic3Options::declared,
    decides: Decides::Both,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: Ic3Options = options.read()?;
    let model = run.memory()?;
    let (subject, goals, backend) = ((run.program, &model), &mut *run.goals, run.backend);
    Ok(verify(subject, goals, backend, |found| search(found, &options), run.cancel, run.counters)?)
}

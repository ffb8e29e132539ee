//! `cells`: proofs about whole arrays, on a program whose arrays became scalars.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling, flow_sources};
use base::Cancel;
use base::options::OptionList;
use domains::interval::IntervalDomain;
use engine::AbstractionOptions;
use engine::cells::prove;
use engine::facts::dataflow_facts_at;
use flow::Prepared;
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "cells",
    options: AbstractionOptions::declared,
    decides: Decides::Proofs,
    targets: TargetHandling::Together,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let everywhere = Box::new(|program: &Prepared, cancel: &Cancel| {
        let nodes = program.nodes.ids().collect();
        dataflow_facts_at(program, &IntervalDomain::new(program), nodes, cancel)
    });
    let (options, sources) = (options.read::<AbstractionOptions>()?, flow_sources());
    Ok(prove(run.program, run.backend, &options, everywhere, sources, run.cancel, run.counters).into())
}

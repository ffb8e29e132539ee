//! `ranking`: measures that show that every loop and every recursion ends.

use crate::{Decides, Entry, Failed, Options, Run, Targets};
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use encode::MemoryModel;
use engine::facts::{FactSource, dataflow_facts, dataflow_facts_at};
use engine::houdini::{candidates::Guesses, facts_among};
use engine::termination::verify;
use smt::Backend;
use verdict::Verdict;

pub const ENTRY: Entry = Entry { name: "ranking", decides: Decides::Proofs, targets: Targets::Together, run };

fn run(_: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    Ok(verify(run.program, run.backend, &sources(run.backend), run.cancel, run.counters))
}

/// Facts of the program without watches: intervals at all nodes, then at loop heads what others prove.
fn sources(backend: &dyn Backend) -> Vec<FactSource<'_>> {
    let everywhere: FactSource = Box::new(|program, cancel| {
        dataflow_facts_at(program, &IntervalDomain::new(program), program.nodes.ids().collect(), cancel)
    });
    let affine: FactSource = Box::new(|program, cancel| dataflow_facts(program, &AffineDomain::new(program), cancel));
    let mut sources = vec![everywhere, affine];
    for guesses in [Guesses::Order, Guesses::Terms] {
        sources.push(Box::new(move |program, cancel| {
            let model = MemoryModel::new(program, cancel)?;
            facts_among((program, &model), backend, guesses, &[], cancel)
        }));
    }
    sources
}

//! `bdd`: sets of states as diagrams.

use crate::{Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::{Mixed, Nothing};
use base::options::OptionList;
use base::{Counters, choices, options};
use domains::bdd::{BddDomain, BddStatistics, Fit};
use engine::symbolic::{BySets, ExplorationSettings, Images, Recursion, verify};
use verdict::Verdict;

pub const ENTRY: Entry =
    Entry { name: "bdd", options: BddOptions::declared, decides: Decides::Both, targets: TargetHandling::Each, run };

options! {
    /// Options of the BDD analysis.
    pub struct BddOptions {
        /// How many nodes the diagrams may have together.
        nodes: usize = 1 << 24,
        /// Images of single `edges`, or of whole `branches` between places where paths meet.
        images: ImagesOption = ImagesOption::Branches,
    }
}

choices! {
    enum ImagesOption {
        Edges,
        Branches,
    }
}

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: BddOptions = options.read()?;
    let domain = BddDomain::new(run.program, Fit::Classes, options.nodes, run.cancel)?;
    let mut mixed = Mixed::new(Nothing, domain);
    let images = match options.images {
        ImagesOption::Edges => Images::Edges,
        ImagesOption::Branches => Images::Branches,
    };
    let settings = ExplorationSettings {
        recursion: Recursion::Refuse,
        images,
        most_undecided: 1,
        backend: run.backend,
        cancel: run.cancel,
    };
    let asked = (run.program, &mut *run.goals);
    let verdict = verify(asked, &mut mixed, &mut (), &mut BySets(run.cancel), &settings, run.counters);
    count(&mixed.sets.statistics(), run.counters);
    Ok(verdict)
}

/// What diagrams took.
pub fn count(statistics: &BddStatistics, counters: &mut Counters) {
    counters.max("bdd variables", statistics.tracked as u64);
    counters.max("bdd bits", statistics.bits as u64);
    counters.max("bdd nodes", statistics.store.nodes as u64);
    counters.max("bdd nodes at most", statistics.store.most_nodes as u64);
    counters.add("bdd operations", statistics.store.operations);
    counters.add("bdd steps", statistics.store.steps);
    counters.add("bdd cache lookups", statistics.store.cache_lookups);
    counters.add("bdd cache hits", statistics.store.cache_hits);
    counters.add("bdd garbage collections", statistics.store.collections);
}

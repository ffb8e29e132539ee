//! `bdd-value`: sets of states as diagrams alongside explicit values, with CEGAR on the values.

use crate::bdd::count;
use crate::cases::{then_with_cases, with_cases};
use crate::value::note_precision;
use crate::{BadOption, Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::Mixed;
use base::options::OptionList;
use base::{choices, options};
use domains::bdd::{BddDomain, Fit};
use domains::value::{Options as ValueOptions, Precision, ValueAnalysis};
use engine::evidence::Confirm;
use engine::symbolic::{ByValues, ExplorationSettings, Images, Recursion, verify};
use verdict::Verdict;

pub const ENTRY: Entry = Entry {
    name: "bdd-value",
    options: BddValueOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Each,
    run,
};

options! {
    /// Options of diagrams alongside values.
    pub struct BddValueOptions {
        /// How many nodes the diagrams may have together.
        nodes: usize = 1 << 24,
        /// Which variables the diagrams track: those with `booleans`, `constants` or any `classes` of values.
        fit: FitOption = FitOption::Constants,
        /// Which infeasible sliced prefix a refinement excludes, as in the value analysis.
        select: String = "none".to_owned(),
        /// How many prefixes a refinement looks at.
        prefixes: usize = 40,
        /// A variable with more different values than this at a loop head is never tracked again; 0: no limit.
        threshold: u32 = 0,
        /// The search ends after this many error paths that could be neither excluded nor confirmed.
        undecided: usize = 20,
    }
}

choices! {
    enum FitOption {
        Booleans,
        Constants,
        Classes,
    }
}

/// The same with case splits.
const WITH_CASES: Entry = Entry { run: |options, run| with_cases(options, run, alone), ..ENTRY };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    then_with_cases(options, run, alone, &WITH_CASES)
}

fn alone(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: BddValueOptions = options.read()?;
    let (program, cancel) = (run.program, run.cancel);
    let selection = options.select.parse().map_err(BadOption)?;
    let fit = match options.fit {
        FitOption::Booleans => Fit::Booleans,
        FitOption::Constants => Fit::Constants,
        FitOption::Classes => Fit::Classes,
    };
    let domain = BddDomain::new(program, fit, options.nodes, cancel)?;
    let points_to = program.points_to(cancel)?;
    let threshold = (options.threshold > 0).then_some(options.threshold);
    let values = ValueAnalysis::new(program, &points_to, ValueOptions { threshold, ..ValueOptions::default() });
    let mut mixed = Mixed::new(values, domain);
    let mut precision = Precision::scoped();
    let settings = ExplorationSettings {
        recursion: Recursion::Follow,
        images: Images::Edges,
        most_undecided: options.undecided,
        backend: run.backend,
        cancel,
    };
    let confirm = Confirm::new(program, run.backend, cancel).sharing(run.board.clone());
    let mut judge = ByValues { confirm, selection, most_prefixes: options.prefixes };
    let asked = (program, &mut *run.goals);
    let verdict = verify(asked, &mut mixed, &mut precision, &mut judge, &settings, run.counters);
    count(&mixed.sets.statistics(), run.counters);
    run.counters.max("value store bytes", mixed.values.bytes() as u64);
    run.counters.max("precision size", precision.items().len() as u64);
    note_precision(program, &precision, run.counters);
    Ok(verdict)
}

//! `value`: explicit values, with or without CEGAR, from the parts in `domains` and `engine`.

use crate::cases::{then_with_cases, with_cases};
use crate::{BadOption, Decides, Entry, Failed, Options, Run, TargetHandling, precision_text};
use analysis::{Contexts, Order, Reached};
use base::options::OptionList;
use base::{Cancel, Counters, choices, options};
use cfa::Program;
use domains::value::{Item, Options as DomainOptions, Precision, State, ValueAnalysis};
use engine::board::{Board, Note};
use engine::cegar::{Cegar, Interpolation, Refinement, Refiner, Restart};
use engine::evidence::Confirm;
use engine::proof;
use engine::pruning::Pruning;
use engine::refinement::Selection;
use flow::Prepared;
use smt::Backend;
use std::path::PathBuf;
use std::time::Instant;
use verdict::{Counterexample, Goals, Stop, Verdict};

pub const ENTRY: Entry = Entry {
    name: "value",
    options: ValueOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Each,
    run,
};

options! {
    /// Options of the value analysis.
    pub struct ValueOptions {
        /// What is tracked at first: everything, or nothing until a refinement asks for it.
        precision: Tracking = Tracking::Scoped,
        /// Where exploration continues after a refinement: at the `root`, at the `pivot`, or wherever the new precision
        /// makes `changes`, so that the result is that of a new start.
        restart: RestartAt = RestartAt::Root,
        /// In which order states are expanded.
        order: Search = Search::Dfs,
        /// Which infeasible sliced prefix a refinement excludes: `none` for the first, or `length`, `width`, `depth`,
        /// `score` with `-min` or `-max`, and combinations such as `width+score`.
        select: String = "none".to_owned(),
        /// How many prefixes a refinement looks at.
        prefixes: usize = 40,
        /// A counter with more different values than this at a loop head is never tracked again; 0: no limit.
        threshold: u32 = 0,
        /// How many states are reached before values are counted.
        patience: u64 = 0,
        /// Whether to remember the sign of a value where nothing else is known about it.
        signs: bool = false,
        /// Whether registers that are never read again are forgotten.
        live_only: bool = true,
        /// Whether calls that change nothing that is tracked are stepped over; not with `track` or `precision = "all"`.
        summaries: bool = true,
        /// Whether calls to a function in the same state are explored once; not with `restart = "pivot"`.
        shared_calls: bool = false,
        /// Track exactly these variables (`x` or `f::x`), without refinement.
        track: Vec<String> = Vec::new(),
        /// The search ends after this many error paths that could be neither excluded nor confirmed.
        undecided: usize = 20,
        /// Start with the precision in this file.
        precision_in: Option<PathBuf> = None,
        /// Write the last precision to this file.
        precision_out: Option<PathBuf> = None,
    }
}

choices! {
    pub(crate) enum Tracking {
        All,
        Scoped,
        Local,
    }
}

impl Tracking {
    /// The precision to start with.
    pub fn precision(self) -> Precision {
        match self {
            Tracking::All => Precision::all(),
            Tracking::Scoped => Precision::scoped(),
            Tracking::Local => Precision::local(),
        }
    }
}

choices! {
    enum RestartAt {
        Root,
        Pivot,
        Changes,
    }
}

choices! {
    enum Search {
        Dfs,
        Bfs,
        BfsThenDfs,
        ReversePostorder,
        Structured,
    }
}

/// What an analysis of values tracked in the end, for the next one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackedValues(pub Vec<Item>);

impl Note for TrackedValues {}

impl TrackedValues {
    /// What a precision tracks.
    pub fn of(precision: &Precision) -> Self {
        TrackedValues(precision.items().into_iter().collect())
    }

    /// Tracks them as well, everywhere.
    pub fn add_to(&self, program: &Program, precision: &mut Precision) {
        for &item in &self.0 {
            for node in program.nodes.ids() {
                precision.track(node, item);
            }
        }
    }
}

/// A user's own precision is not refined.
struct Fixed(Interpolation);

impl<'p> Refiner<ValueAnalysis<'p>> for Fixed {
    fn refine(
        &mut self,
        cpa: &mut ValueAnalysis<'p>,
        precision: &mut Precision,
        reached: &mut Reached<State>,
        path: &analysis::ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let mut scratch = precision.clone();
        Ok(match self.0.refine(cpa, &mut scratch, reached, path, counters)? {
            Refinement::Refined { .. } | Refinement::Excluded | Refinement::Stuck => Refinement::Stuck,
            checked @ (Refinement::Feasible | Refinement::Checked(_)) => checked,
        })
    }
}

/// The same with case splits.
const WITH_CASES: Entry = Entry { run: |options, run| with_cases(options, run, alone), ..ENTRY };

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    then_with_cases(options, run, alone, &WITH_CASES)
}

/// Runs the value analysis. It starts with the precision of an earlier run, if there is one, and leaves its own.
fn alone(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: ValueOptions = options.read()?;
    let (program, cancel) = (run.program, run.cancel);
    let selection: Selection = options.select.parse().map_err(BadOption)?;
    let mut precision = if options.track.is_empty() { options.precision.precision() } else { Precision::scoped() };
    precision_text::add(program, &options.track, &mut precision)?;
    if let Some(file) = &options.precision_in {
        let text = run.files.read(file, "a precision")?;
        precision_text::read(program, &text, &mut precision)
            .map_err(|error| BadOption(format!("{}:{error}", file.display())))?;
    }
    if let Some(tracked) = run.board.find::<TrackedValues>().filter(|_| options.track.is_empty()) {
        tracked.add_to(program, &mut precision);
    }
    let points_to = program.points_to(cancel)?;
    let threshold = (options.threshold > 0).then_some(options.threshold);
    let domain_options = DomainOptions {
        live_only: options.live_only,
        threshold,
        patience: options.patience,
        signs: options.signs,
        ..DomainOptions::default()
    };
    let mut cpa = ValueAnalysis::new(program, &points_to, domain_options);
    if options.summaries && options.track.is_empty() && options.precision != Tracking::All {
        precision = precision.with_summaries();
        enter_writers(&mut cpa, &mut precision);
    }
    let board = run.board;
    let mut interpolation =
        Interpolation { selection, most_prefixes: options.prefixes, cancel: cancel.clone(), board: board.clone() };
    let mut fixed = Fixed(interpolation.clone());
    let mut pruning = Pruning::new(program, interpolation.clone());
    let refiner: &mut dyn Refiner<ValueAnalysis> = match options.restart {
        _ if !options.track.is_empty() => &mut fixed,
        RestartAt::Root | RestartAt::Pivot => &mut interpolation,
        RestartAt::Changes => &mut pruning,
    };
    let exploration = Exploration {
        program,
        backend: run.backend,
        order: match options.order {
            Search::Dfs => Order::Dfs,
            Search::Bfs => Order::Bfs,
            Search::BfsThenDfs => Order::BfsThenDfs,
            Search::ReversePostorder => Order::ReversePostorder,
            Search::Structured => Order::Structured,
        },
        restart: match options.restart {
            // What changed is taken out by the refinement; if it cannot say what, all is.
            RestartAt::Root | RestartAt::Changes => Restart::Root,
            RestartAt::Pivot => Restart::Pivot,
        },
        undecided: options.undecided,
        cancel,
        board,
    };
    let mut reached = Reached::new(program, exploration.order);
    if options.shared_calls && options.restart != RestartAt::Pivot {
        reached.contexts = Some(Contexts::new(program));
    }
    let mut end = exploration.run(run.goals, (&mut cpa, &mut precision, &mut *refiner), &mut reached, run.counters);
    // What the threshold took out may be what matters, and of several paths through shared calls only one was looked
    // at: without them there is more to explore, but nothing to lose.
    let gave_up = match &end {
        Err(Stop::Limit(_)) | Ok(Some(_)) => false,
        Err(_) => true,
        Ok(None) => run.goals.has_left(),
    };
    if gave_up && (!precision.dropped.is_empty() || reached.contexts.is_some()) {
        run.goals.reopen();
        precision.dropped.clear();
        cpa.lift_threshold();
        reached.contexts = None;
        reached.clear(&mut cpa);
        end = exploration.run(run.goals, (&mut cpa, &mut precision, refiner), &mut reached, run.counters);
    }
    run.counters.max("value store bytes", cpa.bytes() as u64);
    count_tracked(program, &precision, run.counters);
    note_precision(program, &precision, run.counters);
    if let Some(file) = &options.precision_out {
        run.files.write(file, &precision_text::write(program, &precision.items()));
    }
    run.board.leave(TrackedValues::of(&precision));
    Ok(conclude((program, run.goals), &mut cpa, (end, reached), cancel, run.counters))
}

/// How values are explored, with executions looked for along the paths that they do not exclude.
pub(crate) struct Exploration<'a> {
    pub program: &'a Prepared,
    pub backend: &'a dyn Backend,
    pub order: Order,
    pub restart: Restart,
    /// After so many paths that could be neither excluded nor confirmed a question is given up.
    pub undecided: usize,
    pub cancel: &'a Cancel,
    /// What is known of the program's paths.
    pub board: &'a Board,
}

/// How an exploration ended: `None` if the reached set is closed.
type Ended = Result<Option<Counterexample>, Stop>;

impl Exploration<'_> {
    pub fn run<'p>(
        &self,
        goals: &mut Goals,
        (cpa, precision, refiner): (&mut ValueAnalysis<'p>, &mut Precision, &mut dyn Refiner<ValueAnalysis<'p>>),
        reached: &mut Reached<State>,
        counters: &mut Counters,
    ) -> Ended {
        let confirm = Confirm::new(self.program, self.backend, self.cancel).sharing(self.board.clone());
        let mut cegar = Cegar {
            program: self.program,
            order: self.order,
            restart: self.restart,
            cancel: self.cancel,
            confirm: &mut |cpa: &mut ValueAnalysis<'p>, path: &[analysis::Step]| confirm.path(cpa, path),
            most_undecided: self.undecided,
            goals,
        };
        cegar.run_in(cpa, precision, refiner, reached, counters)
    }
}

/// Lets all functions be entered that may change what is tracked.
pub(crate) fn enter_writers(cpa: &mut ValueAnalysis, precision: &mut Precision) {
    for item in precision.items() {
        cpa.enter_writers(precision, item);
    }
}

/// Notes what is tracked at the end.
pub(crate) fn note_precision(program: &Prepared, precision: &Precision, counters: &mut Counters) {
    for item in precision.items() {
        counters.trail.track(None, || item.display(program));
    }
}

/// How many variables and cells are tracked: in all, and at one location (those that exist there).
fn count_tracked(program: &Prepared, precision: &Precision, counters: &mut Counters) {
    counters.max("precision size", precision.items().len() as u64);
    let per_location = precision_text::sizes(program, precision);
    let all: usize = per_location.iter().sum();
    counters.max("tracked at a location, most", per_location.iter().copied().max().unwrap_or(0) as u64);
    counters.max("tracked at a location, mean", (all / per_location.len().max(1)) as u64);
}

/// The verdict, after a check of the proof if there is one.
pub(crate) fn conclude(
    (program, goals): (&Prepared, &Goals),
    cpa: &mut ValueAnalysis,
    (end, mut reached): (Ended, Reached<State>),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    match end {
        Ok(Some(counterexample)) => return Verdict::Unsafe(counterexample),
        Err(stop) => return Verdict::Unknown(stop),
        Ok(None) => {}
    }
    counters.live.phase("proof check");
    let begun = Instant::now();
    let checked = proof::check((program, goals), cpa, &Precision::all(), &mut reached, cancel);
    counters.time_since("proof check", begun);
    if let Err(stop) = checked {
        return Verdict::Unknown(stop);
    }
    let checked = format!(
        "The successors of all {} abstract states were computed a second time and found among them.",
        reached.arg.len()
    );
    Verdict::Safe(proof::invariants(program, cpa, &reached, &checked))
}

//! `combined`: explicit values and predicates together [BL13]. Predicates come in when they are needed:
//!
//! 1. As long as no path needs a predicate, the predicates say nothing. So values are explored alone, as
//!    `value` does it: calls that do not matter are stepped over, and what is called twice is explored once.
//! 2. When values cannot exclude a path, or only by variables that have too many values (where the better domain is
//!    chosen: only by counters, where predicates may be better), both domains are explored in one abstract reachability
//!    graph, with the values that were tracked before. A step is possible only if both say
//!    so, and a refinement takes one of them.
//! 3. When that decides nothing in half of the time, or what the threshold took out may be what matters: values alone,
//!    without a threshold, and looking for other paths to an error than those that could not be decided.
//!
//! What a part decides stays decided; the next one is asked about the rest. Every `Safe` rests on a closed and checked
//! reached set of the part that says so.

use crate::fact_sources::fact_sources;
use crate::predicate::{InTurn, Selected, given, learn_facts, learn_predicates};
use crate::value::{Exploration, TrackedValues, Tracking, enter_writers, note_precision};
use crate::{BadOption, Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::{Contexts, Order, Pair, Reached};
use base::options::OptionList;
use base::{Cancel, Counters, Id, choices, options};
use domains::predicate::{GivenPredicate, Precision, PredicateCpa, PredicateOptions, State};
use domains::value::{
    COUNTER, Item, Options as DomainOptions, Precision as Tracked, State as Values, ThresholdScope, ValueAnalysis,
    variable_costs,
};
use encode::memory_model;
use engine::board::Board;
use engine::cegar::{Cegar, End, Interpolation, Refinement, Refiner, Restart};
use engine::evidence::Confirm;
use engine::proof;
use engine::refinement::Selection;
use flow::{PointsTo, Prepared};
use smt::Backend;
use std::time::Instant;
use verdict::{Goals, Stop, Verdict};

pub const ENTRY: Entry = Entry {
    name: "combined",
    options: CombinedOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Each,
    run,
};

options! {
    /// Options of the combined analysis.
    pub struct CombinedOptions {
        /// Which values are tracked at first: all, or none until a refinement asks for them.
        precision: Tracking = Tracking::Scoped,
        /// Which domain is refined: values if they can exclude the path, or the more promising one.
        refine: Preferred = Preferred::InTurn,
        /// Which infeasible sliced prefix a refinement excludes.
        select: String = "none".to_owned(),
        /// How many prefixes a refinement looks at.
        prefixes: usize = 10,
        /// A variable with more different values than this at a loop head is left to the predicates; 0: no limit.
        threshold: u32 = 40,
        /// How many states are reached by values alone before values are counted.
        patience: u64 = 0,
        /// Whether to remember the sign of a value where nothing else is known about it.
        signs: bool = false,
        /// The search ends after this many error paths that could be neither excluded nor confirmed.
        undecided: usize = 5,
        /// Predicates to start with, C expressions; `FUNCTION: EXPRESSION` for one function only.
        predicates: Vec<String> = Vec::new(),
        /// Options of the predicate analysis.
        predicate: PredicateOptions = PredicateOptions::default(),
    }
}

choices! {
    /// Which domain a refinement refines.
    enum Preferred {
        /// Values, and predicates only if values do not suffice [BL13].
        InTurn,
        /// The one with the better interpolants [Loewe17].
        Selected,
    }
}

type Both<'p> = Pair<ValueAnalysis<'p>, PredicateCpa<'p>>;

/// Runs the combined analysis. It starts with the values that an earlier run tracked, if there is one, and leaves its
/// own.
fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: CombinedOptions = options.read()?;
    let (program, cancel) = (run.program, run.cancel);
    let selection: Selection = options.select.parse().map_err(BadOption)?;
    let given = given::parse(program, &options.predicates)?;
    let mut values = options.precision.precision();
    if options.precision != Tracking::All {
        values = values.with_summaries();
    }
    if let Some(tracked) = run.board.find::<TrackedValues>() {
        tracked.add_to(program, &mut values);
    }
    let points_to = program.points_to(cancel)?;
    let (options, points_to) = (&options, &points_to);
    let search = Search { program, backend: run.backend, options, selection, points_to, board: run.board };
    let verdict = search.run(run.goals, &mut values, &given, cancel, run.counters)?;
    run.counters.max("precision size", values.items().len() as u64);
    note_precision(program, &values, run.counters);
    run.board.leave(TrackedValues::of(&values));
    Ok(verdict)
}

/// What all parts of a run have in common.
struct Search<'a> {
    program: &'a Prepared,
    backend: &'a dyn Backend,
    options: &'a CombinedOptions,
    selection: Selection,
    points_to: &'a PointsTo,
    board: &'a Board,
}

/// When values are explored alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    /// Before predicates come in, for as long as they are not needed.
    First,
    /// After both domains together, with what the threshold took out.
    Last,
}

/// Whether a part that ended like this leaves something to the next one.
fn leaves_open(goals: &Goals, verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(_)) || goals.has_left()
}

/// Keeps what a part decided and asks about the rest again.
fn ask_again(goals: &mut Goals, verdict: &Verdict) {
    if let Verdict::Safe(proof) = verdict {
        // Before the others are open again, which the proof is not about.
        let proved: Vec<usize> = goals.open().collect();
        goals.proved(&proved, proof.clone());
    }
    goals.reopen();
}

impl Search<'_> {
    fn run(
        &self,
        goals: &mut Goals,
        values: &mut Tracked,
        given: &[GivenPredicate],
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<Verdict, Failed> {
        if !given.is_empty() {
            return self.both(goals, values, given, cancel, counters);
        }
        let first = self.alone(goals, values, Attempt::First, cancel, counters); // 1
        if !leaves_open(goals, &first) || cancel.check().is_err() {
            return Ok(first);
        }
        ask_again(goals, &first);
        if self.options.refine == Preferred::Selected {
            return self.both(goals, values, given, cancel, counters);
        }
        let dropped = !values.dropped.is_empty();
        let half = cancel.child(cancel.remaining().map(|left| left / 2));
        let both = self.both(goals, values, given, &half, counters)?; // 2
        let out_of_time = matches!(both, Verdict::Unknown(Stop::Limit(_)));
        if !leaves_open(goals, &both) || !(out_of_time || dropped) || cancel.check().is_err() {
            return Ok(both);
        }
        ask_again(goals, &both);
        values.dropped.clear();
        let last = self.alone(goals, values, Attempt::Last, cancel, counters); // 3
        // Why predicates failed says more than why values did.
        let unknown = matches!((&both, &last), (Verdict::Unknown(_), Verdict::Unknown(_)));
        Ok(if unknown && !out_of_time { both } else { last })
    }

    fn threshold(&self) -> Option<u32> {
        (self.options.threshold > 0).then_some(self.options.threshold)
    }

    fn interpolation(&self, cancel: &Cancel) -> Interpolation {
        Interpolation {
            selection: self.selection.clone(),
            most_prefixes: self.options.prefixes,
            cancel: cancel.clone(),
            board: self.board.clone(),
        }
    }

    /// Values alone. The precision is what they track at the end.
    fn alone(
        &self,
        goals: &mut Goals,
        precision: &mut Tracked,
        attempt: Attempt,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Verdict {
        let (program, options) = (self.program, self.options);
        let all = options.precision == Tracking::All;
        let mut interpolation = self.interpolation(cancel);
        let costs = match options.refine {
            Preferred::InTurn => Vec::new(),
            Preferred::Selected => variable_costs(program),
        };
        let mut first = First { program, values: interpolation.clone(), costs };
        // At first a single path ends it: predicates are there to decide it.
        let (threshold, undecided, refiner): (_, _, &mut dyn Refiner<ValueAnalysis>) = match attempt {
            Attempt::First => (self.threshold(), 1, &mut first),
            Attempt::Last => (None, options.undecided, &mut interpolation),
        };
        let domain =
            DomainOptions { threshold, patience: options.patience, signs: options.signs, ..DomainOptions::default() };
        let mut cpa = ValueAnalysis::new(program, self.points_to, domain);
        enter_writers(&mut cpa, precision);
        let exploration = Exploration {
            program,
            backend: self.backend,
            order: if all { Order::Dfs } else { Order::BfsThenDfs },
            restart: Restart::Root,
            undecided,
            cancel,
            board: self.board,
        };
        let mut reached = Reached::new(program, exploration.order);
        if attempt == Attempt::First && !all {
            reached.contexts = Some(Contexts::new(program));
        }
        let before = counters.value("refinements");
        let end = exploration.run(goals, (&mut cpa, precision, refiner), &mut reached, counters);
        counters.add("refinements of the first domain", counters.value("refinements") - before);
        crate::value::conclude((program, goals), &mut cpa, (end, reached), cancel, counters)
    }

    /// Both domains in one graph.
    fn both(
        &self,
        goals: &mut Goals,
        values: &mut Tracked,
        given: &[GivenPredicate],
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<Verdict, Failed> {
        let (program, backend, options) = (self.program, self.backend, self.options);
        let model = memory_model(program, cancel)?;
        let mut predicates = PredicateCpa::new((program, &model), backend, &options.predicate, cancel)?;
        if options.predicate.invariants {
            learn_facts(&mut predicates, &fact_sources((program, &model), backend, self.board));
        }
        // Formulas have no steps over calls: what is called is part of them.
        let mut tracked = values.clone();
        tracked.entered = None;
        let mut precision = (tracked, predicates.precision(given).map_err(BadOption)?);
        learn_predicates(&mut predicates, &mut precision.1, self.board);
        let domain = DomainOptions {
            threshold: self.threshold(),
            counted: ThresholdScope::All,
            signs: options.signs,
            ..DomainOptions::default()
        };
        let mut cpa = Pair(ValueAnalysis::new(program, self.points_to, domain), predicates);
        let mut in_turn = InTurn { first: self.interpolation(cancel), board: self.board.clone() };
        let mut selected = Selected {
            selection: self.selection.clone(),
            most_prefixes: options.prefixes,
            costs: variable_costs(program),
            board: self.board.clone(),
        };
        let refiner: &mut dyn Refiner<Both> = match options.refine {
            Preferred::InTurn => &mut in_turn,
            Preferred::Selected => &mut selected,
        };
        let confirm = Confirm::new(program, backend, cancel).sharing(self.board.clone());
        let mut confirm = |cpa: &mut Both, path: &[analysis::Step]| confirm.path(&mut cpa.0, path);
        let mut cegar = Cegar {
            program,
            order: Order::Structured,
            restart: Restart::Root,
            cancel,
            confirm: &mut confirm,
            most_undecided: options.undecided,
            goals,
        };
        let end = cegar.run(&mut cpa, &mut precision, refiner, counters);
        counters.add("predicates", precision.1.all().count() as u64);
        cpa.1.note_precision(&precision.1, counters);
        let entered = values.entered.take();
        *values = precision.0;
        values.entered = entered;
        let verdict = match end {
            End::Unsafe(counterexample) => Verdict::Unsafe(counterexample),
            End::Unknown(stop) => Verdict::Unknown(stop),
            End::Closed(mut reached) => {
                let start = Instant::now();
                let verdict = conclude((program, goals), &mut cpa, precision.1, &mut reached, cancel);
                counters.time_since("proof check", start);
                verdict
            }
        };
        cpa.1.count(counters);
        Ok(verdict)
    }
}

/// The refinement of values while predicates are still silent: a path that needs them ends the exploration of values
/// alone.
struct First<'p> {
    program: &'p Prepared,
    values: Interpolation,
    /// What tracking each variable costs, if a path that is expensive for values is left to both domains.
    costs: Vec<u64>,
}

impl First<'_> {
    fn is_expensive(&self, item: Item) -> bool {
        let Item::Register(var) = item else { return false };
        self.costs.get(var.index()).is_some_and(|&cost| cost >= COUNTER)
    }
}

impl<'p> Refiner<ValueAnalysis<'p>> for First<'_> {
    fn refine(
        &mut self,
        cpa: &mut ValueAnalysis<'p>,
        precision: &mut Tracked,
        _: &mut Reached<Values>,
        path: &analysis::ErrorPath,
        counters: &mut Counters,
    ) -> Result<Refinement, Stop> {
        let before = (!self.costs.is_empty()).then(|| precision.clone());
        let refinement = self.values.refine_steps(cpa, precision, &path.steps, counters)?;
        let what = if matches!(refinement, Refinement::Stuck) {
            "whether predicates exclude a path that values do not"
        } else if let Some(before) = before
            && precision.items().into_iter().any(|item| self.is_expensive(item) && !before.items().contains(&item))
        {
            *precision = before;
            "whether predicates exclude a path that takes values of counters"
        } else {
            return Ok(refinement);
        };
        let span = self.program.edges[path.last().edge].span;
        Err(Stop::Undecided { what: what.to_owned(), span })
    }
}

/// Checks the proof.
fn conclude(
    (program, goals): (&Prepared, &Goals),
    cpa: &mut Both,
    precision: Precision,
    reached: &mut Reached<(Values, State)>,
    cancel: &Cancel,
) -> Verdict {
    cpa.1.check_proof();
    if let Err(stop) = proof::check((program, goals), cpa, &(Tracked::all(), precision), reached, cancel) {
        return Verdict::Unknown(stop);
    }
    let checked = format!(
        "The successors of all {} abstract states were computed a second time and found among them; a fresh solver \
         confirmed what predicates say.",
        reached.arg.len()
    );
    Verdict::Safe(proof::invariants(program, cpa, reached, &checked))
}

//! The engine `combined`: explicit values and predicates in one abstract reachability graph. A step is possible only if
//! both say so.

use crate::engines::{Knowledge, fact_sources};
use crate::options::BadOption;
use crate::precision_file;
use analysis::{Order, Pair, Reached};
use base::{Cancel, Counters};
use cfa::{PointsTo, Program};
use domains::value::{
    Counted, Options as DomainOptions, Precision as Tracked, State as Values, ValueAnalysis, variable_costs,
};
use engine::cegar::{Cegar, End, Interpolation, Refiner, Restart};
use engine::confirm::Confirm;
use engine::predicate::{InTurn, Precision, PredicateCpa, PredicateOptions, Selected, State};
use engine::proof;
use engine::refinement::Selection;
use serde::Deserialize;
use smt::Backend;
use std::time::Instant;
use verdict::{Goals, Verdict};

/// Options of the combined analysis.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CombinedOptions {
    /// Which values are tracked at first: all, or none until a refinement asks for them.
    precision: Tracking,
    /// Which domain is refined: values if they can exclude the path, or whichever promises more.
    refine: Preferred,
    /// Which infeasible sliced prefix a refinement excludes.
    select: String,
    /// How many prefixes a refinement looks at.
    prefixes: usize,
    /// A variable with more different values than this at a loop head is left to the predicates; 0: no limit.
    threshold: u32,
    /// After so many error paths that could be neither excluded nor confirmed the search ends.
    undecided: usize,
    /// Predicates to start with, C expressions; `FUNCTION: EXPRESSION` for one function only.
    predicates: Vec<String>,
    /// Options of the predicate analysis.
    predicate: PredicateOptions,
}

impl Default for CombinedOptions {
    fn default() -> Self {
        Self {
            precision: Tracking::Scoped,
            refine: Preferred::InTurn,
            select: "none".to_owned(),
            prefixes: 10,
            threshold: 100,
            undecided: 5,
            predicates: Vec::new(),
            predicate: PredicateOptions::default(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Tracking {
    All,
    Scoped,
    Local,
}

/// Which domain a refinement refines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Preferred {
    /// Values, and predicates only if values do not suffice [BL13].
    InTurn,
    /// The one with the better interpolants [Loewe17].
    Selected,
}

type Both<'p> = Pair<ValueAnalysis<'p>, PredicateCpa<'p>>;

/// Runs the combined analysis.
pub fn run(
    (program, goals): (&Program, &mut Goals),
    backend: &dyn Backend,
    options: &CombinedOptions,
    knowledge: &mut Knowledge,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let shared = &knowledge.shared.clone();
    let selection: Selection = options.select.parse().map_err(BadOption)?;
    let mut values = match options.precision {
        Tracking::All => Tracked::all(),
        Tracking::Scoped => Tracked::scoped(),
        Tracking::Local => Tracked::local(),
    };
    if let Some(text) = knowledge.precision.take() {
        precision_file::offer(program, &text, &mut values);
    }
    let given = crate::predicates::parse(program, &options.predicates)?;
    let model = match shared.memory(program, cancel) {
        Ok(model) => model,
        Err(stopped) => return Ok(Verdict::Unknown(stopped.into())),
    };
    let mut predicates = match PredicateCpa::new((program, &model), backend, &options.predicate, cancel) {
        Ok(predicates) => predicates,
        Err(stop) => return Ok(Verdict::Unknown(stop)),
    };
    if options.predicate.invariants {
        predicates.learn_facts(&fact_sources((program, &model), backend, shared));
    }
    let mut precision = (values, predicates.precision(&given).map_err(BadOption)?);
    let points_to = PointsTo::new(program);
    let threshold = (options.threshold > 0).then_some(options.threshold);
    let values_of = ValueAnalysis::new(
        program,
        &points_to,
        DomainOptions { threshold, counted: Counted::All, ..DomainOptions::default() },
    );
    let mut cpa = Pair(values_of, predicates);
    let mut in_turn = InTurn {
        first: Interpolation { selection: selection.clone(), most_prefixes: options.prefixes, cancel: cancel.clone() },
    };
    let mut selected = Selected { selection, most_prefixes: options.prefixes, costs: variable_costs(program) };
    let refiner: &mut dyn Refiner<Both> = match options.refine {
        Preferred::InTurn => &mut in_turn,
        Preferred::Selected => &mut selected,
    };
    let confirm = Confirm::new(program, backend, cancel).knowing(model);
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
    counters.max("precision size", precision.0.items().len() as u64);
    counters.add("predicates", precision.1.all().count() as u64);
    crate::value::note_precision(program, &precision.0, counters);
    cpa.1.note_precision(&precision.1, counters);
    knowledge.precision = Some(precision_file::write(program, &precision.0));
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

/// Checks the proof.
fn conclude(
    (program, goals): (&Program, &Goals),
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

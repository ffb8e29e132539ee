//! The engines by name: the one place that connects `engine = "..."` of a preset with code. A new engine is one arm
//! here and one file in `presets/`.

use crate::options::{BadOption, Options};
use crate::shared::{Shared, Source, Wait};
use analysis::dataflow::Both;
use base::{Cancel, Counters};
use cfa::{ExprId, Node, Program};
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use domains::value::variable_costs;
use encode::MemoryModel;
use engine::exchange::Exchange;
use engine::houdini::candidates::Guesses;
use engine::k_induction::{FactSource, dataflow_facts, dataflow_facts_at};
use engine::predicate::{Inputs, PredicateOptions};
use smt::{Backend, Counted};
use smt_bitwuzla::BitwuzlaBackend;
use std::sync::Arc;
use verdict::{Counterexample, Goals, Verdict, Wanted};

/// Engines that decide each target by itself in one exploration, if that is asked.
pub fn is_native(engine: &str) -> bool {
    !matches!(engine, "cells" | "shapes" | "summaries")
}

/// What an engine may start with, and what it leaves for a later run. These are hints, of which nothing is believed,
/// but for what is shared.
#[derive(Clone, Default)]
pub struct Knowledge {
    /// What the value analysis tracks, as in a precision file.
    pub precision: Option<String>,
    /// Truth values at loop heads, among the program's expressions, that may hold.
    pub facts: Vec<(Node, ExprId)>,
    /// What other parts of this run have proved.
    pub shared: Arc<Shared>,
    /// What parts tell each other about paths and predicates.
    pub exchange: Exchange,
    /// Files that could not be written, one line each.
    pub problems: Vec<String>,
}

/// Runs an engine on a program. Options come from the preset and the user: `options.read::<EngineOptions>()?`.
/// An engine asks `cancel` now and then, returns `Unknown` when stopped, and counts what it does in `counters`.
pub fn run(
    engine: &str,
    (program, goals): (&Program, &mut Goals),
    options: &Options,
    knowledge: &mut Knowledge,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let backend = Counted::new(BitwuzlaBackend);
    let several = goals.wanted() == Wanted::Each && goals.open().count() > 1;
    let verdict = if several && !is_native(engine) {
        one_by_one(engine, (program, goals), &backend, options, cancel, counters)
    } else {
        run_with(engine, (program, goals), &backend, options, knowledge, cancel, counters)
    };
    backend.count(counters);
    verdict
}

/// Asks about each target in a run of its own; each has its part of the time that is left.
fn one_by_one(
    engine: &str,
    (program, goals): (&Program, &mut Goals),
    backend: &dyn Backend,
    options: &Options,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let open: Vec<usize> = goals.open().collect();
    let mut left = open.len() as u32;
    for at in open {
        let node = program.targets[at].node;
        let alone = program.with_targets(|target| target.node == node);
        let cancel = cancel.child(cancel.remaining().map(|time| time / left));
        left -= 1;
        let asked = (&alone, &mut Goals::any(&alone));
        let end = match run_with(engine, asked, backend, options, &mut Knowledge::default(), &cancel, counters)? {
            Verdict::Safe(proof) => goals.proved(&[at], proof).map(Verdict::Safe),
            Verdict::Unsafe(found) => goals.violated(Counterexample { target: at, ..found }).map(Verdict::Unsafe),
            Verdict::Unknown(stop) => goals.leave(Some(at), stop).err().map(Verdict::Unknown),
        };
        if let Some(verdict) = end {
            return Ok(verdict);
        }
    }
    unreachable!("the last answer ends the run")
}

fn run_with(
    engine: &str,
    (program, goals): (&Program, &mut Goals),
    backend: &dyn Backend,
    options: &Options,
    knowledge: &mut Knowledge,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let shared = knowledge.shared.clone();
    match engine {
        "combined" => crate::combined::run((program, goals), backend, &options.read()?, knowledge, cancel, counters),
        "bmc" => with_memory(program, &shared, cancel, |model| {
            let (options, sources) = (options.read()?, flow_sources());
            Ok(engine::bmc::verify((program, model), goals, backend, &options, &sources, cancel, counters))
        }),
        "bdd" => Ok(crate::bdd::run((program, goals), &options.read()?, cancel, counters)),
        "bdd-value" => {
            crate::bdd::run_with_values((program, goals), &options.read()?, &knowledge.exchange, cancel, counters)
        }
        "cells" => {
            let everywhere = Box::new(|program: &Program, cancel: &Cancel| {
                let nodes = program.nodes.ids().collect();
                dataflow_facts_at(program, &IntervalDomain::new(program), nodes, cancel)
            });
            let (options, sources) = (options.read()?, flow_sources());
            Ok(engine::cells::verify(program, backend, &options, everywhere, sources, cancel, counters))
        }
        "dataflow" => {
            let domain = Both(IntervalDomain::new(program), AffineDomain::new(program));
            Ok(engine::dataflow::decide((program, goals), &domain, cancel, counters))
        }
        "hunt" => Ok(engine::hunt::hunt(program, goals, &options.read()?, cancel, counters)),
        "k-induction" => with_memory(program, &shared, cancel, |model| {
            let mut sources = fact_sources((program, model), backend, &shared);
            let facts = std::mem::take(&mut knowledge.facts);
            if !facts.is_empty() {
                // Proved again, since they come from another run.
                let model = model.clone();
                let proved = move |program: &Program, cancel: &Cancel| {
                    let further = (&program.exprs, &facts[..]);
                    engine::houdini::facts_with((program, &model), backend, Guesses::Given, further, &[], cancel)
                };
                sources.insert(0, Box::new(proved));
            }
            let options = options.read()?;
            let later = shared.predicate_facts((program, model), backend, &knowledge.exchange, Wait::Yes);
            let sources = sources.into_iter().chain(later);
            Ok(engine::k_induction::verify((program, model), goals, backend, &options, sources, cancel, counters))
        }),
        "predicate" => with_memory(program, &shared, cancel, |model| {
            let options: PredicateOptions = options.read()?;
            let predicates = crate::predicates::parse(program, &options.predicates)?;
            let exchange = knowledge.exchange.clone();
            let mut facts = fact_sources((program, model), backend, &shared);
            facts.extend(shared.predicate_facts((program, model), backend, &exchange, Wait::No));
            let inputs = Inputs { facts, predicates, costs: variable_costs(program), exchange };
            if options.loop_bound > 0 {
                return crate::bounded::run((program, model), goals, backend, &options, &inputs, cancel, counters);
            }
            engine::predicate::verify((program, model), goals, backend, &options, inputs, cancel, counters)
                .map_err(BadOption)
        }),
        "random" => Ok(engine::random::random(program, goals, &options.read()?, cancel, counters)),
        "shapes" => Ok(crate::shapes::run(program, &options.read()?, cancel, counters)),
        "summaries" => {
            Ok(engine::summaries::verify(program, backend, &options.read()?, &flow_sources, cancel, counters))
        }
        "value" => crate::value::run((program, goals), &options.read()?, knowledge, cancel, counters),
        unknown => Err(BadOption(format!("no engine is called `{unknown}`"))),
    }
}

/// Runs an engine that needs to know how memory is split; all its parts share that.
fn with_memory(
    program: &Program,
    shared: &Shared,
    cancel: &Cancel,
    run: impl FnOnce(&Arc<MemoryModel>) -> Result<Verdict, BadOption>,
) -> Result<Verdict, BadOption> {
    match shared.memory(program, cancel) {
        Ok(model) => run(&model),
        Err(stopped) => Ok(Verdict::Unknown(stopped.into())),
    }
}

/// Invariants by data flow, of whatever program is asked about.
pub(crate) fn flow_sources() -> Vec<FactSource<'static>> {
    vec![
        Box::new(|program, cancel| dataflow_facts(program, &IntervalDomain::new(program), cancel)),
        Box::new(|program, cancel| dataflow_facts(program, &AffineDomain::new(program), cancel)),
    ]
}

/// Auxiliary invariants for induction, the cheap ones first; each source may take those before it for granted.
pub(crate) fn fact_sources<'a>(
    (program, model): (&'a Program, &Arc<MemoryModel>),
    backend: &'a dyn Backend,
    shared: &Arc<Shared>,
) -> Vec<FactSource<'a>> {
    let all = shared.clone();
    let intervals: FactSource = Box::new(move |_, cancel| {
        all.facts(Source::Intervals, |_| dataflow_facts(program, &IntervalDomain::new(program), cancel))
    });
    let all = shared.clone();
    let affine: FactSource = Box::new(move |_, cancel| {
        all.facts(Source::Affine, |_| dataflow_facts(program, &AffineDomain::new(program), cancel))
    });
    let mut sources = vec![intervals, affine];
    for (source, guesses) in [(Source::Order, Guesses::Order), (Source::Terms, Guesses::Terms)] {
        let (all, model) = (shared.clone(), model.clone());
        sources.push(Box::new(move |_, cancel| {
            all.facts(source, |known| engine::houdini::facts_among((program, &model), backend, guesses, known, cancel))
        }));
    }
    sources
}

//! The engines by name: the one place that connects `engine = "..."` of a preset with code. A new engine is one arm
//! here and one file in `presets/`.

use crate::options::{BadOption, Options};
use analysis::flow::Both;
use base::{Cancel, Counters};
use cfa::Program;
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use engine::k_induction::{FactSource, Facts, dataflow_facts};
use smt_bitwuzla::BitwuzlaBackend;
use verdict::Verdict;

/// Runs an engine on a program. Options come from the preset and the user: `options.read::<EngineOptions>()?`.
/// An engine asks `cancel` now and then, returns `Unknown` when stopped, and counts what it does in `counters`.
pub fn run(
    engine: &str,
    program: &Program,
    options: &Options,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let backend = BitwuzlaBackend;
    match engine {
        "combined" => crate::combined::run(program, &options.read()?, cancel, counters),
        "bmc" => Ok(engine::bmc::verify(program, &backend, &options.read()?, cancel, counters)),
        "bdd" => Ok(crate::bdd::run(program, &options.read()?, cancel, counters)),
        "bdd-value" => crate::bdd::run_with_values(program, &options.read()?, cancel, counters),
        "dataflow" => {
            let domain = Both(IntervalDomain::new(program), AffineDomain::new(program));
            Ok(engine::dataflow::verify(program, &domain, cancel, counters))
        }
        "k-induction" => {
            let sources = fact_sources(program);
            Ok(engine::k_induction::verify(program, &backend, &options.read()?, sources, cancel, counters))
        }
        "predicate" => {
            let sources = fact_sources(program);
            Ok(engine::predicate::verify(program, &backend, &options.read()?, sources, cancel, counters))
        }
        "random" => Ok(engine::random::random(program, &options.read()?, cancel, counters)),
        "value" => crate::value::run(program, &options.read()?, cancel, counters),
        unknown => Err(BadOption(format!("no engine is called `{unknown}`"))),
    }
}

/// Auxiliary invariants for induction, the cheap ones first.
fn fact_sources(program: &Program) -> Vec<FactSource<'_>> {
    let intervals = move |cancel: &Cancel| dataflow_facts(program, &IntervalDomain::new(program), cancel);
    let equalities = move |cancel: &Cancel| dataflow_facts(program, &AffineDomain::new(program), cancel);
    let relations = move |cancel: &Cancel| {
        let known: Vec<Facts> = [intervals(cancel), equalities(cancel)].into_iter().flatten().collect();
        engine::houdini::facts(program, &BitwuzlaBackend, &known, cancel)
    };
    vec![
        Box::new(move |_, cancel| intervals(cancel)),
        Box::new(move |_, cancel| equalities(cancel)),
        Box::new(move |_, cancel| relations(cancel)),
    ]
}

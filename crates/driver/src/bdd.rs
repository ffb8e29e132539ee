//! The engines `bdd` and `bdd-value`: sets of states as diagrams, alone or beside explicit values.

use crate::options::BadOption;
use analysis::{Mixed, Nothing};
use base::{Cancel, Counters};
use cfa::Program;
use domains::bdd::{BddDomain, BddStatistics, Fit};
use domains::value::{Options as ValueOptions, Precision, ValueAnalysis};
use engine::confirm::Confirm;
use engine::exchange::Exchange;
use engine::symbolic::{BySets, ByValues, Images, Recursion, Settings, verify};
use flow::PointsTo;
use serde::Deserialize;
use smt_bitwuzla::BitwuzlaBackend;
use verdict::{Goals, Verdict};

/// Options of the BDD analysis.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BddOptions {
    /// How many nodes the diagrams may have together.
    nodes: usize,
    /// Images of single `edges`, or of whole `branches` between places where paths meet.
    images: ImagesOption,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ImagesOption {
    Edges,
    Branches,
}

/// Runs the BDD analysis.
pub fn run(
    (program, goals): (&Program, &mut Goals),
    options: &BddOptions,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let domain = match BddDomain::new(program, Fit::Classes, options.nodes, cancel) {
        Ok(domain) => domain,
        Err(stop) => return Verdict::Unknown(stop),
    };
    let mut mixed = Mixed::new(Nothing, domain);
    let images = match options.images {
        ImagesOption::Edges => Images::Edges,
        ImagesOption::Branches => Images::Branches,
    };
    let settings =
        Settings { recursion: Recursion::Refuse, images, most_undecided: 1, backend: &BitwuzlaBackend, cancel };
    let verdict = verify((program, goals), &mut mixed, &mut (), &mut BySets(cancel), &settings, counters);
    count(&mixed.sets.statistics(), counters);
    verdict
}

/// Options of diagrams beside values.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BddValueOptions {
    /// How many nodes the diagrams may have together.
    nodes: usize,
    /// Which variables the diagrams track: those with `booleans`, `constants` or any `classes` of values.
    fit: FitOption,
    /// Which infeasible sliced prefix a refinement excludes, as in the value analysis.
    select: String,
    /// How many prefixes a refinement looks at.
    prefixes: usize,
    /// A variable with more different values than this at a loop head is never tracked again; 0: no limit.
    threshold: u32,
    /// After so many error paths that could be neither excluded nor confirmed the search ends.
    undecided: usize,
}

impl Default for BddValueOptions {
    fn default() -> Self {
        Self {
            nodes: 1 << 24,
            fit: FitOption::Constants,
            select: "none".to_owned(),
            prefixes: 40,
            threshold: 0,
            undecided: 20,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FitOption {
    Booleans,
    Constants,
    Classes,
}

/// Runs diagrams beside values, with CEGAR on the values.
pub fn run_with_values(
    (program, goals): (&Program, &mut Goals),
    options: &BddValueOptions,
    exchange: &Exchange,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let selection = options.select.parse().map_err(BadOption)?;
    let fit = match options.fit {
        FitOption::Booleans => Fit::Booleans,
        FitOption::Constants => Fit::Constants,
        FitOption::Classes => Fit::Classes,
    };
    let domain = match BddDomain::new(program, fit, options.nodes, cancel) {
        Ok(domain) => domain,
        Err(stop) => return Ok(Verdict::Unknown(stop)),
    };
    let points_to = PointsTo::new(program);
    let threshold = (options.threshold > 0).then_some(options.threshold);
    let values = ValueAnalysis::new(program, &points_to, ValueOptions { threshold, ..ValueOptions::default() });
    let mut mixed = Mixed::new(values, domain);
    let mut precision = Precision::scoped();
    let images = Images::Edges;
    let settings = Settings {
        recursion: Recursion::Follow,
        images,
        most_undecided: options.undecided,
        backend: &BitwuzlaBackend,
        cancel,
    };
    let confirm = Confirm::new(program, &BitwuzlaBackend, cancel).sharing(exchange.clone());
    let mut judge = ByValues { confirm, selection, most_prefixes: options.prefixes };
    let verdict = verify((program, goals), &mut mixed, &mut precision, &mut judge, &settings, counters);
    count(&mixed.sets.statistics(), counters);
    counters.max("value store bytes", mixed.values.bytes() as u64);
    counters.max("precision size", precision.items().len() as u64);
    crate::value::note_precision(program, &precision, counters);
    Ok(verdict)
}

fn count(statistics: &BddStatistics, counters: &mut Counters) {
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

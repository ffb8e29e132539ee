//! Where auxiliary invariants come from: data flow, guesses that are inductive, and predicates of other parts.

use crate::shared::{Shared, Source};
use cfa::Program;
use domains::affine::AffineDomain;
use domains::interval::IntervalDomain;
use encode::MemoryModel;
use engine::facts::{FactSource, dataflow_facts};
use engine::houdini::{candidates::Guesses, facts_among};
use smt::Backend;
use std::sync::Arc;

/// Invariants by data flow, of whatever program is asked about.
pub fn flow_sources() -> Vec<FactSource<'static>> {
    vec![
        Box::new(|program, cancel| dataflow_facts(program, &IntervalDomain::new(program), cancel)),
        Box::new(|program, cancel| dataflow_facts(program, &AffineDomain::new(program), cancel)),
    ]
}

/// Auxiliary invariants for induction, the cheap ones first; each source may take those before it for granted.
pub fn fact_sources<'a>(
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
            all.facts(source, |known| facts_among((program, &model), backend, guesses, known, cancel))
        }));
    }
    sources
}

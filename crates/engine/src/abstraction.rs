//! Proofs on a program that over-approximates the source: elimination of guessed facts finds what holds at its loop heads,
//! and k-induction proves the rest. Only proofs count: the abstraction reaches more than the source does.

use crate::board::Board;
use crate::facts::{FactSource, Facts};
use crate::houdini::{self, candidates::Guesses};
use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters, Id, Trail};
use cfa::{ExprId, Node, Program};
use encode::memory_model;
use flow::Prepared;
use smt::Backend;
use std::collections::BTreeSet;
use std::time::Instant;
use verdict::{Goals, Proof, Stop, Verdict};

/// A program that reaches a target if the source does. Nodes of the source keep their numbers.
pub(crate) struct Abstraction<'a> {
    pub source: &'a Prepared,
    pub program: &'a Program,
    /// Facts that are worth trying.
    pub guesses: &'a [(Node, ExprId)],
    /// What to say where the abstraction reaches a target.
    pub too_coarse: &'static str,
}

/// Proves the abstraction by k-induction up to `k_max`; `sources` find facts at its loop heads.
pub(crate) fn prove(
    abstraction: &Abstraction,
    backend: &dyn Backend,
    k_max: u32,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let &Abstraction { source, program, guesses, too_coarse } = abstraction;
    let abstracted = &Prepared::new(program.clone());
    let start = Instant::now();
    let mut facts: Vec<Facts> = Vec::new();
    for source in sources {
        facts.extend(source(abstracted, cancel));
        cancel.check()?;
    }
    let model = memory_model(abstracted, cancel)?;
    counters.add("guesses", guesses.len() as u64);
    let further = (&program.exprs, guesses);
    facts.push(houdini::facts_with((abstracted, &model), backend, Guesses::Order, further, &facts, cancel)?);
    note_facts(source, program, &facts, &mut counters.trail);
    counters.add("facts", facts.iter().map(|facts| facts.facts.len() as u64).sum());
    counters.time_since("facts about the abstraction", start);
    let ready =
        facts.into_iter().map(|facts| Box::new(move |_: &Prepared, _: &Cancel| Ok(facts.clone())) as FactSource);
    // Long loops are what abstractions are for.
    let induction = KInductionOptions { k_max, constant_loops: 1, ..KInductionOptions::default() };
    let mut inner = Counters::new(Trail::default(), counters.live.clone());
    inner.trail.wanted = counters.trail.wanted;
    let goals = &mut Goals::any(program);
    let found = k_induction::verify(
        (abstracted, &model),
        goals,
        backend,
        (&induction, &Board::default()),
        ready,
        cancel,
        &mut inner,
    );
    counters.absorb(&inner);
    let reached = source.nodes.ids().filter(|&node| inner.trail.has_reached(node));
    reached.for_each(|node| counters.trail.reach(node));
    match found {
        Verdict::Safe(proof) => Ok(proof),
        Verdict::Unsafe(_) => Err(Stop::Bound(too_coarse.to_owned())),
        Verdict::Unknown(stop) => Err(stop),
    }
}

/// Writes down for a report what is known of ghosts and variables where the source has a location.
fn note_facts(source: &Program, abstracted: &Program, facts: &[Facts], trail: &mut Trail) {
    if !trail.wanted {
        return;
    }
    let mut named = abstracted.clone();
    let mut told = BTreeSet::new();
    for Facts { exprs, facts } in facts {
        named.exprs = exprs.clone();
        for &(node, fact) in facts.iter().filter(|(node, _)| node.index() < source.nodes.len()) {
            let text = named.expr_text(fact);
            if exprs.constant(fact).is_none() && told.insert((node, text.clone())) {
                trail.track(Some(node.0), || text);
            }
        }
    }
}

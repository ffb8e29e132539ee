//! What a proof by complete unrolling says at loop heads. That no execution leaves the unrolled program or reaches a
//! target was shown of the unrolled program as a whole; here facts of other analyses become invariants, and a fresh
//! solver is asked how far they carry the proof alone: they are inductive and exclude all targets, or they do so by
//! induction over several visits of loop heads, or they are just facts.

use crate::facts::{FactSource, Facts};
use crate::inductive::{self, Claim, Confirmed};
use crate::step_case::StepCase;
use base::{Budget, Cancel};
use cfa::{BinOp, ExprId, Exprs, Node};
use encode::{MemoryModel, Segments};
use flow::{Loops, Prepared};
use smt::Backend;
use std::collections::BTreeMap;
use std::sync::Arc;
use verdict::{Argument, Proof};

/// Induction over more visits than this is not tried.
const MOST_VISITS: usize = 32;

/// The proof with invariants from these sources.
pub fn with_invariants(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    backend: &dyn Backend,
    proof: Proof,
    sources: &[FactSource],
    k: u32,
    cancel: &Cancel,
) -> Proof {
    let limited = cancel.within(Budget::UnrolledInvariants);
    let facts: Vec<Facts> = sources.iter().filter_map(|source| source(program, &limited).ok()).collect();
    with_facts((program, model), backend, proof, &facts, k, cancel)
}

/// The proof with these facts as invariants.
pub fn with_facts(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    backend: &dyn Backend,
    mut proof: Proof,
    facts: &[Facts],
    k: u32,
    cancel: &Cancel,
) -> Proof {
    if program.termination.is_some() {
        // That executions end follows from the unrolling, not from invariants which exclude repetitions.
        return proof;
    }
    let (loops, calls) = (program.loops(), program.calls());
    if !loops.loops.iter().any(|(_, one)| calls.is_reachable(one.function)) {
        proof.checked += " There are no loops that could have invariants.";
        return proof;
    }
    if program.functions.ids().any(|id| calls.is_reachable(id) && calls.is_recursive(id)) {
        proof.checked += " It states no invariants, because the program is recursive.";
        return proof;
    }
    let segments = Segments::new(program, &loops, &calls);
    let mut step = StepCase::new(program, model.clone(), &segments, backend, None);
    for facts in facts {
        step.learn(facts);
    }
    let mut exprs = step.encoder.exprs.clone();
    let invariants = conjunctions(&mut exprs, &loops, &step.facts);
    let limited = cancel.within(Budget::UnrolledInvariants);
    let is = |claim| inductive::check((program, model), backend, &exprs, &invariants, claim, &limited);
    if is(Claim::Sufficient) == Ok(Confirmed::Yes) {
        proof.checked += " Facts of other analyses are the invariants at loop heads; a fresh solver confirmed that they \
                          are inductive and exclude all targets by themselves.";
        return Proof { exprs, invariants, argument: Argument::Inductive, ..proof };
    }
    match is(Claim::Invariant) {
        Ok(Confirmed::Yes) => {
            proof.checked += " The invariants at loop heads are facts of other analyses, which a fresh solver proved \
                              inductive";
        }
        Ok(Confirmed::NotTried(why)) => {
            proof.checked += &format!(
                " The invariants at loop heads are facts of other analyses, which checked them and which no solver proved \
                 again: {why}"
            );
        }
        Err(_) => {
            proof.checked += " It states no invariants: those that other analyses offer are not inductive alone.";
            return proof;
        }
    }
    if step.confirms(k as usize, MOST_VISITS, backend, &limited) {
        proof.checked += &format!("; a fresh solver confirmed that with them the program is safe by {k}-induction.");
        proof.argument = Argument::Induction(k);
    } else {
        proof.checked += "; that no target is reached relies on the unrolled program alone.";
    }
    Proof { exprs, invariants, ..proof }
}

/// One invariant for each loop head, *true* where nothing is known.
fn conjunctions(exprs: &mut Exprs, loops: &Loops, facts: &[(Node, ExprId)]) -> Vec<(Node, ExprId)> {
    let mut all: BTreeMap<Node, ExprId> = loops.loops.iter().map(|(_, one)| (one.head, exprs.bool(true))).collect();
    for &(node, fact) in facts {
        let Some(known) = all.get_mut(&node) else { continue };
        let nothing_yet = exprs.constant(*known) == Some(1);
        *known = if nothing_yet { fact } else { exprs.binary(BinOp::And, *known, fact) };
    }
    all.into_iter().collect()
}

//! Proofs on a program that over-approximates the source: elimination of guessed facts finds what holds at its loop heads,
//! and k-induction proves the rest. Only proofs count: the abstraction reaches more than the source does.

use crate::board::Board;
use crate::derived::apart;
use crate::facts::{FactSource, Facts};
use crate::houdini::{self, candidates::Guesses};
use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters, Id, Trail, options};
use cfa::{Expr, ExprId, Exprs, Node, Program, Scalar};
use encode::{MemoryModel, memory_model};
use flow::Prepared;
use smt::Backend;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use verdict::{Goals, Proof, Stop, Verdict};

options! {
    /// Options of proofs on an abstraction of the program.
    pub struct AbstractionOptions {
        /// The last bound of k-induction.
        pub k_max: u32 = 3,
        /// Larger programs are not tried.
        pub most_nodes: usize = 5000,
    }
}

/// A program that reaches a target if the source does. Nodes of the source keep their numbers.
pub(crate) struct Abstraction<'a> {
    pub source: &'a Prepared,
    pub program: &'a Program,
    /// Facts that are worth trying.
    pub guesses: &'a [(Node, ExprId)],
    /// What to say where the abstraction reaches a target.
    pub too_coarse: &'static str,
}

/// Larger programs are not tried.
pub(crate) fn check_size(program: &Program, most_nodes: usize) -> Result<(), Stop> {
    if program.nodes.len() > most_nodes {
        return Err(Stop::Bound(format!("more than {most_nodes} locations")));
    }
    Ok(())
}

/// Proves the abstraction by k-induction up to `k_max`, with facts at its loop heads that `sources` find and those among
/// its guesses that hold.
pub(crate) fn prove(
    abstraction: &Abstraction,
    backend: &dyn Backend,
    k_max: u32,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let &Abstraction { source, program, guesses, .. } = abstraction;
    assert!(guesses.iter().all(|(_, guess)| program.exprs.ty(*guess) == Scalar::Bool), "guesses are conditions");
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
    abstraction.induction((abstracted, &model), backend, &induction, ready, cancel, counters)
}

impl Abstraction<'_> {
    /// k-induction on the abstraction; its counters and the locations that it reaches are those of the source.
    pub fn induction<'f>(
        &self,
        (program, model): (&Prepared, &Arc<MemoryModel>),
        backend: &dyn Backend,
        options: &KInductionOptions,
        facts: impl IntoIterator<Item = FactSource<'f>> + Send,
        cancel: &Cancel,
        counters: &mut Counters,
    ) -> Result<Proof, Stop> {
        assert!(self.source.nodes.len() <= program.nodes.len(), "locations of the source keep their numbers");
        assert!(self.source.vars.len() <= program.vars.len(), "variables of the source keep their numbers");
        program.assert_valid();
        let (goals, alone) = (&mut Goals::any(program), &Board::default());
        let origin = |node: Node| (node.index() < self.source.nodes.len()).then_some(node);
        let found = apart(program, counters, origin, |counters| {
            k_induction::verify((program, model), goals, backend, (options, alone), facts, cancel, counters)
        });
        match found {
            Verdict::Safe(proof) => Ok(proof),
            Verdict::Unsafe(_) => Err(Stop::Bound(self.too_coarse.to_owned())),
            Verdict::Unknown(stop) => Err(stop),
        }
    }

    /// A proof of the abstraction as one of the source: the invariants that are about its variables only, and a sentence
    /// about the abstraction, which is told how many invariants there were and how many of them are left out.
    pub fn of_source(&self, proof: Proof, sentence: impl FnOnce(usize, usize) -> String) -> Proof {
        let Proof { exprs, invariants, checked, .. } = proof;
        let all = invariants.len();
        let kept: Vec<_> = invariants.into_iter().filter(|(_, fact)| is_about(&exprs, *fact, self.source)).collect();
        assert!(
            kept.iter().all(|(node, _)| node.index() < self.source.nodes.len()),
            "an invariant is about a location of the source"
        );
        let checked = format!("{} {checked}", sentence(all, all - kept.len()));
        Proof { exprs, invariants: kept, checked, ..Proof::default() }
    }
}

/// Whether a fact names variables of this program only; those of an abstraction come after them.
pub(crate) fn is_about(exprs: &Exprs, fact: ExprId, source: &Program) -> bool {
    let mut all = true;
    exprs.visit(fact, |_, node| {
        if let Expr::Var(var) | Expr::Addr(var) = node {
            all &= var.index() < source.vars.len();
        }
    });
    all
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

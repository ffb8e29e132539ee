//! From an inductive set of states at the head of the single loop to a proof about the source.
//!
//! 1. A fresh solver is asked whether the set contains all states of the first visit, with each state all that follow, and no
//!    bad one, and whether targets are reached before the first visit.
//! 2. The set becomes invariants at the loop heads of the source. If nothing is lost on the way, they have to pass the check
//!    of all invariants.

use super::Search;
use crate::inductive::{self, Claim, Confirmed};
use encode::{MemoryModel, expression, implied, stop_of};
use flow::Prepared;
use smt::{Answer, TermId};
use std::sync::Arc;
use transform::SingleLoop;
use verdict::{Argument, Proof, Stop};

/// The proof that a set of states is.
pub(super) fn proof(
    search: &mut Search,
    (source, model): (&Prepared, &Arc<MemoryModel>),
    single: &SingleLoop,
    states: TermId,
) -> Result<Proof, Stop> {
    confirm(search, states)?; // 1
    let mut checked = match single.places.len() {
        1 => "A set of states at the loop head".to_owned(),
        places => {
            format!("The program was converted to a single loop with {places} places. A set of states at its head")
        }
    };
    checked += " contains those of the first visit, with each state all that follow, and none from which a target is reached \
                before the next visit; a fresh solver confirmed all three.";
    // 2
    let encoder = &search.system.encoder;
    let function = single.program.nodes[single.head].function;
    let mut exprs = single.program.exprs.clone();
    let exact = expression(encoder, function, &mut exprs, states);
    let formula = exact.unwrap_or_else(|| implied(encoder, function, &mut exprs, &[states]));
    let at_source = single.at_source(source, &mut exprs, formula);
    let invariants = at_source.invariants;
    let is_head = |node: cfa::Node| source.nodes[node].loop_head;
    assert!(invariants.iter().all(|(node, _)| is_head(*node)), "invariants belong to loop heads of the source");
    let mut argument = Argument::Described;
    if exact.is_some() && at_source.exact {
        let subject = (source, model);
        match inductive::check(subject, search.backend, &exprs, &invariants, Claim::Sufficient, search.cancel)? {
            Confirmed::Yes => {
                checked += " As invariants at the loop heads of the program, it is inductive on its own, as a fresh solver \
                            confirmed, too.";
                argument = Argument::Inductive;
            }
            Confirmed::NotTried(why) => {
                checked +=
                    &format!(" The invariants at the loop heads of the program were not checked on their own: {why}.");
            }
        }
    } else {
        checked +=
            " The invariants at loop heads are the part of it that can be expressed in terms of the program there.";
    }
    Ok(Proof { exprs, invariants, checked, argument, ..Proof::default() })
}

/// Step 1.
fn confirm(search: &mut Search, states: TermId) -> Result<(), Stop> {
    let system = &mut search.system;
    let outside = system.encoder.terms.not(states);
    let (init, step, bad, early) = (system.init.clone(), system.step.clone(), system.bad.clone(), system.early.clone());
    let first = system.behind(&init, outside);
    let next = system.behind(&step, outside);
    let next = system.encoder.terms.and([states, next]);
    let last = system.encoder.terms.and([states, bad.formula]);
    for (what, failure) in [
        ("the first visit", first),
        ("the next visit", next),
        ("targets", last),
        ("targets before the loop", early.formula),
    ] {
        if system.encoder.terms.as_bool(failure) == Some(false) {
            continue;
        }
        let mut fresh = search.backend.solver();
        fresh.assert(&system.encoder.terms, failure);
        if fresh.check(&system.encoder.terms, search.cancel).map_err(stop_of)? != Answer::Unsat {
            return Err(Stop::Evidence(format!("a fresh solver does not confirm the invariant: {what}")));
        }
    }
    Ok(())
}

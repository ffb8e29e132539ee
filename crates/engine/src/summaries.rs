//! Recursion without a bound: contracts of recursive functions are guessed, those that are not inductive are dropped,
//! and the program in which the rest replace the calls ([`transform::Contracts`]) is verified like any other.
//!
//! 1. Run the functions on small inputs (`samples`). 2. Guess conditions that these runs do not refute (`guess`): at
//!    first those that are easy for solvers, then harder but fewer ones. 3. Unroll the program without recursion; drop
//!    conditions that fail where they are claimed although all hold where they are granted before, after Houdini [FL01].
//!    4. Prove the program with what is left, by k-induction for its loops.
//!
//! The first three steps only choose conditions; the proof is the fourth, which claims all that it grants. Only proofs
//! count: calls may return more than they do. Contracts say nothing about memory: functions that touch it are unrolled to the
//! depth of their calls instead ([`crate::deepening`]), where executions count, too.

use crate::abstraction::{self, Abstraction};
use crate::board::Board;
use crate::deepening::{deepen, is_recursive};
use crate::facts::FactSource;
use crate::houdini::Houdini;
use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters, Trail, options};
use cfa::{BinOp, ExprId, Exprs, Node, Program};
use encode::{Addressing, Bounds, Encoder, PathFormula, memory_model, unroll_watching};
use flow::Prepared;
use guess::Guess;
use samples::Sampler;
use smt::Backend;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use transform::Contracts;
use verdict::{Goals, Proof, Stop, Verdict};

mod fit;
mod guess;
mod samples;

options! {
    /// Options of contracts.
    pub struct SummaryOptions {
        /// The last bound of k-induction.
        pub k_max: u32 = 3,
        /// How often loops run while conditions are chosen.
        pub iterations: u32 = 3,
        /// Larger programs are not tried.
        pub most_nodes: usize = 5000,
    }
}

/// The last bound of k-induction where recursion is unrolled.
const UNROLLED_K: u32 = 12;

/// Makes what finds facts at loop heads, for each attempt anew.
pub type MakeSources = dyn Fn() -> Vec<FactSource<'static>>;

/// Proves a program with recursion; `sources` find facts at its loop heads.
pub fn prove(
    program: &Prepared,
    backend: &dyn Backend,
    options: &SummaryOptions,
    sources: &MakeSources,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    abstraction::check_size(program, options.most_nodes)?;
    let points_to = program.points_to(cancel)?;
    let contracts = match Contracts::new(program, &points_to) {
        Ok(contracts) => contracts,
        Err(why) if is_recursive(program) => {
            return unrolled(program, backend, (&why, sources), cancel, counters);
        }
        Err(why) => return Err(Stop::Bound(why)),
    };
    let easy = cancel.child(cancel.remaining().map(|time| time / 3));
    let without = &Prepared::new(contracts.program.clone());
    let first = attempt(program, (&contracts, without), backend, options, (Tried::Easy, sources), &easy, counters);
    let proof = match first {
        Err(_) if cancel.check().is_ok() => {
            attempt(program, (&contracts, without), backend, options, (Tried::Hard, sources), cancel, counters)
        }
        Ok(_) | Err(_) => first,
    };
    proof.map(Verdict::Safe)
}

/// Where contracts cannot say what functions do: k-induction on the program with recursion to a depth, as long as calls
/// may go deeper.
fn unrolled(
    program: &Prepared,
    backend: &dyn Backend,
    (why, sources): (&str, &MakeSources),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Stop> {
    let induction = KInductionOptions { k_max: UNROLLED_K, ..KInductionOptions::default() };
    let found = deepen(program, cancel, counters, |deep, counters| {
        let (model, goals, alone) = (memory_model(deep, cancel)?, &mut Goals::any(deep), &Board::default());
        let (subject, how) = ((deep, &model), (&induction, alone));
        Ok(k_induction::verify(subject, goals, backend, how, sources(), cancel, counters))
    });
    found.map(|verdict| match verdict {
        Verdict::Unknown(Stop::Unsupported { what, .. }) => {
            Verdict::Unknown(Stop::Bound(format!("{why}, and there is {what}")))
        }
        verdict => verdict,
    })
}

/// Which guesses are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tried {
    Easy,
    Hard,
}

fn attempt(
    program: &Prepared,
    (contracts, without): (&Contracts, &Prepared),
    backend: &dyn Backend,
    options: &SummaryOptions,
    (tried, sources): (Tried, &MakeSources),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    let start = Instant::now();
    let (mut exprs, kept) = choose(program, (contracts, without), backend, (options, tried), cancel, counters)?;
    let count: usize = kept.iter().map(|(before, after)| before.len() + after.len()).sum();
    counters.max("contract conditions", count as u64);
    counters.time_since("choice of contracts", start);
    let all = kept.iter().map(|(before, after)| (conjunction(&mut exprs, before), conjunction(&mut exprs, after)));
    let all: Vec<(ExprId, ExprId)> = all.collect();
    let proved = Prepared::new(contracts.with(exprs, &all));
    let induction = KInductionOptions { k_max: options.k_max, ..KInductionOptions::default() };
    let model = memory_model(&proved, cancel)?;
    note_contracts(contracts, &proved, &kept, &mut counters.trail);
    let abstraction = Abstraction {
        source: program,
        program: &proved,
        guesses: &[],
        too_coarse: "the contracts that were guessed are not sufficient for a proof",
    };
    let proof = abstraction.induction((&proved, &model), backend, &induction, sources(), cancel, counters)?; // 4
    let names = contracts.contracts.iter().map(|contract| contracts.program.function_name(contract.function));
    Ok(abstraction.of_source(proof, |_, _| {
        format!(
            "Calls of {} were replaced by contracts with {count} conditions, which were proved of the functions' bodies \
             and of all calls, by induction over the depth of calls.",
            names.collect::<Vec<_>>().join(", ")
        )
    }))
}

/// Writes the contracts down for a report.
fn note_contracts(contracts: &Contracts, proved: &Program, kept: &[(Vec<ExprId>, Vec<ExprId>)], trail: &mut Trail) {
    trail.tracked.clear();
    for (contract, (before, after)) in contracts.contracts.iter().zip(kept) {
        let name = proved.function_name(contract.function);
        for (word, conditions) in [("requires", before), ("ensures", after)] {
            for &condition in conditions {
                trail.track(None, || format!("{name} {word} {}", proved.expr_text(condition)));
            }
        }
    }
}

/// Conditions before and after the calls of each contract, with the store of their expressions.
type Chosen = (Exprs, Vec<(Vec<ExprId>, Vec<ExprId>)>);

fn choose(
    source: &Program,
    (contracts, program): (&Contracts, &Prepared),
    backend: &dyn Backend,
    (options, tried): (&SummaryOptions, Tried),
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Chosen, Stop> {
    let constants = guess::constants(program);
    let mut encoder = Encoder::new(program, memory_model(program, cancel)?, Addressing::Events);
    let mut sampler = Sampler::new(source, contracts);
    // Conditions are grouped by the node where their contract's own body states them.
    let mut groups: BTreeMap<Node, Node> = BTreeMap::new();
    let (mut granted, mut claimed) = (BTreeSet::new(), BTreeSet::new());
    let mut candidates: BTreeMap<Node, Vec<ExprId>> = BTreeMap::new();
    for contract in &contracts.contracts {
        let samples = sampler.run(contract, &constants, cancel)?; // 1
        counters.max("samples", samples.len() as u64);
        let Guess { before: first, mut after, order, hard } =
            Guess::new(program, contract, &constants, &samples, &mut encoder.exprs); // 2
        after.extend(match tried {
            Tried::Easy => order,
            Tried::Hard => hard,
        });
        counters.max("contract guesses", (first.len() + after.len()) as u64);
        let (call, back) = (contract.before.granted[0], contract.after.claimed[0]);
        candidates.extend([(call, first), (back, after)]);
        for (group, places) in [(call, &contract.before), (back, &contract.after)] {
            groups.extend(places.granted.iter().chain(&places.claimed).map(|node| (*node, group)));
            granted.extend(places.granted.iter().copied());
            claimed.extend(places.claimed.iter().copied());
        }
    }
    assert!(granted.is_disjoint(&claimed), "a condition is granted or claimed at a place, not both");
    let loops = program.loops();
    let bounds = Bounds { iterations: options.iterations, recursion: 0, constant_iterations: 0, edges: u64::MAX };
    let watched = granted.union(&claimed).copied().collect();
    let unrolled = unroll_watching(&mut encoder, &loops, bounds, &watched, cancel)?;
    let mut houdini = Houdini { encoder, solver: backend.solver(), candidates, cancel };
    houdini.define(0);
    let count = |houdini: &Houdini| houdini.candidates.values().map(Vec::len).sum::<usize>();
    loop {
        let before = count(&houdini);
        let mut earlier: Vec<(Node, PathFormula)> = Vec::new();
        for (node, path) in &unrolled.watched {
            let place = (groups[node], path.clone());
            if granted.contains(node) {
                earlier.push(place);
            } else {
                houdini.eliminate(&earlier, &[place], &[])?; // 3
            }
        }
        if count(&houdini) == before {
            break;
        }
    }
    let Houdini { encoder, mut candidates, .. } = houdini;
    let kept = contracts.contracts.iter().map(|contract| {
        let mut of = |node: Node| candidates.remove(&node).unwrap_or_default();
        (of(contract.before.granted[0]), of(contract.after.claimed[0]))
    });
    Ok((encoder.exprs, kept.collect()))
}

fn conjunction(exprs: &mut Exprs, facts: &[ExprId]) -> ExprId {
    let truth = exprs.bool(true);
    facts.iter().fold(truth, |all, &fact| if all == truth { fact } else { exprs.binary(BinOp::And, all, fact) })
}

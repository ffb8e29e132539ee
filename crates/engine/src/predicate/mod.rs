//! The Predicate CPA and its algorithms [BDW18]: predicate abstraction, IMPACT, UFO and symbolic execution are
//! configurations of one analysis, explored by CPA++ (`crate::cpa`) inside CEGAR (`crate::cegar`).
//!
//! - `cpa`: abstract states (ψ, l, φ), transfer, merge, stop, `blk`;
//! - `precision`, `abstraction`: π and prec;
//! - `refine`: abstract counterexamples, their feasibility, and predicates from interpolants;
//! - `prefixes`: the infeasible sliced prefixes of a path, for refinement selection;
//! - `impact`: states strengthened by interpolants, forced covering;
//! - `export`: abstraction states as expressions, for invariants.

mod abstraction;
mod cpa;
mod export;
mod impact;
mod precision;
mod prefixes;
mod refine;
#[cfg(test)]
mod tests;

pub use cpa::{BlockId, PredicateCpa, Role, State};
pub use precision::Precision;
pub use refine::{BlockInterpolation, InTurn, Selected, WithPredicates};

use crate::cegar::{Cegar, Confirmation, End, Restart};
use crate::k_induction::FactSource;
use crate::proof;
use analysis::{Order, Reached};
use base::{Cancel, Counters};
use cfa::Program;
use serde::Deserialize;
use smt::Backend;
use std::time::Instant;
use verdict::{Proof, Stop, Verdict};

/// Options of the predicate analysis.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PredicateOptions {
    /// What a refinement does with the interpolants of an infeasible path.
    pub refinement: Refinement,
    /// Where blocks end.
    pub blocks: BlockEnds,
    /// How predicates describe states.
    pub abstraction: AbstractionKind,
    /// Where the predicates of a location are used.
    pub scope: Scope,
    /// Whether paths of one block that meet are merged.
    pub merge: Merging,
    /// When paths are looked at for contradictions.
    pub feasibility: Feasibility,
    /// Whether states are covered by force (IMPACT only).
    pub force_cover: Forced,
    /// Whether facts of data-flow analyses strengthen all states.
    pub invariants: bool,
}

impl Default for PredicateOptions {
    fn default() -> Self {
        PredicateOptions {
            refinement: Refinement::Predicates,
            blocks: BlockEnds::Loops,
            abstraction: AbstractionKind::Boolean,
            scope: Scope::Location,
            merge: Merging::Paths,
            feasibility: Feasibility::Plain,
            force_cover: Forced::Impact,
            invariants: false,
        }
    }
}

/// What a refinement does with interpolants [BDW18, section 3.2.4].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refinement {
    /// Their atoms become predicates.
    Predicates,
    /// They strengthen the states.
    Impact,
    /// Both, as UFO does.
    Both,
}

/// blk: where blocks end, besides targets [BDW18, section 3.1.6].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockEnds {
    /// blk^l: at loop heads.
    Loops,
    /// blk^lf: at loop heads, at the entry of functions and behind calls.
    LoopsAndCalls,
    /// blk^never.
    Never,
    /// After so many edges.
    Edges(u32),
}

/// How predicates describe states [BPR01].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbstractionKind {
    /// The strongest boolean combination.
    Boolean,
    /// The strongest conjunction of predicates and negated predicates.
    Cartesian,
}

/// Where the predicates found for a location are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// There.
    Location,
    /// In its function.
    Function,
    /// Everywhere.
    Global,
}

/// merge_ℙ or merge-sep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merging {
    /// Paths of one block that meet become one state.
    Paths,
    /// All paths stay apart.
    Never,
}

/// When a path formula is looked at before its block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feasibility {
    /// Not at all: it is not even encoded.
    Lazy,
    /// When it is plainly false.
    Plain,
    /// A solver looks at it behind every branch.
    Branches,
}

/// fcover [BDW18, section 3.3].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forced {
    /// fcover^id.
    Never,
    /// fcover^IMPACT.
    Impact,
}

/// Runs the predicate analysis on a program.
pub fn verify(
    program: &Program,
    backend: &dyn Backend,
    options: &PredicateOptions,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let mut cpa = match PredicateCpa::new(program, backend, options, cancel) {
        Ok(cpa) => cpa,
        Err(stop) => return Verdict::Unknown(stop),
    };
    if options.invariants {
        cpa.learn_facts(&sources);
    }
    let mut precision = Precision::new(options.scope);
    let verdict = search(program, &mut cpa, &mut precision, cancel, counters);
    counters.add("predicates", precision.all().count() as u64);
    cpa.count(counters);
    verdict
}

/// CEGAR with the CPA.
fn search(
    program: &Program,
    cpa: &mut PredicateCpa,
    precision: &mut Precision,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    let order = match cpa.options.merge {
        Merging::Paths => Order::Structured,
        Merging::Never => Order::Dfs,
    };
    // The refinement confirms paths itself.
    let mut confirm = |_: &mut PredicateCpa, _: &[analysis::Step]| {
        Confirmation::Undecided(Stop::Internal("a path was neither excluded nor confirmed".to_owned()))
    };
    let mut cegar = Cegar { program, order, restart: Restart::Pivot, cancel, confirm: &mut confirm, most_undecided: 1 };
    match cegar.run(cpa, precision, &mut BlockInterpolation, counters) {
        End::Unsafe(counterexample) => Verdict::Unsafe(counterexample),
        End::Unknown(stop) => Verdict::Unknown(stop),
        End::Closed(mut reached) => {
            let open = reached.arg.ids().filter(|&id| reached.arg.state(id).role == Role::Start).count();
            counters.add("abstraction states", open as u64);
            let start = Instant::now();
            let proof = conclude(program, cpa, precision, &mut reached, cancel);
            counters.time_since("proof check", start);
            proof.map_or_else(Verdict::Unknown, Verdict::Safe)
        }
    }
}

/// Checks the closed reached set by a fresh solver.
fn conclude(
    program: &Program,
    cpa: &mut PredicateCpa,
    precision: &Precision,
    reached: &mut Reached<State>,
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    cpa.check_proof();
    proof::check(program, cpa, precision, reached, cancel)?;
    let states = reached.arg.len();
    let checked =
        format!("The successors of all {states} abstract states were confirmed by a fresh solver, block by block.");
    Ok(proof::invariants(program, cpa, reached, &checked))
}

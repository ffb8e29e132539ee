//! The Predicate CPA and its algorithms [BDW18]: predicate abstraction, IMPACT, UFO and symbolic execution are
//! configurations of one analysis, explored by CPA++ (`crate::cpa`) inside CEGAR (`crate::cegar`).
//!
//! - `cpa`: abstract states (ψ, l, φ), transfer, merge, stop, `blk`;
//! - `precision`, `abstraction`, `region`: π, prec, and ψ as a BDD;
//! - `refine`: abstract counterexamples, their feasibility, and predicates from interpolants;
//! - `prefixes`: the infeasible sliced prefixes of a path, for refinement selection;
//! - `impact`: states strengthened by interpolants, forced covering;
//! - `export`: abstraction states as expressions, for invariants;
//! - `describe`: predicates and states as text, for reports.

mod abstraction;
mod cpa;
mod describe;
mod export;
mod impact;
mod precision;
mod prefixes;
mod refine;
mod region;
#[cfg(test)]
mod tests;

pub use cpa::{BlockId, PredicateCpa, Role, State};
pub use precision::Precision;
pub use refine::{BlockInterpolation, InTurn, Selected, WithPredicates};

use crate::cegar::{Cegar, Confirmation, End, Refiner, Restart};
use crate::exchange::Exchange;
use crate::inductive::{self, Claim, Confirmed};
use crate::k_induction::FactSource;
use crate::proof;
use crate::refinement::Selection;
use analysis::{Order, Reached};
use base::{Cancel, Counters};
use cfa::{ExprId, Exprs, FunctionId, Node, Program};
use encode::MemoryModel;
use serde::Deserialize;
use smt::Backend;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdict::{Goals, Proof, Stop, Verdict};

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
    /// What an abstraction is kept as.
    pub psi: Psi,
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
    /// Which infeasible sliced prefix of a path a refinement excludes: `none` for all paths of its blocks at once, or
    /// `length`, `width`, `depth`, `score` with `-min` or `-max`, and combinations such as `width+score`.
    pub select: String,
    /// How many prefixes a refinement looks at.
    pub prefixes: usize,
    /// Predicates to start with, C expressions; `FUNCTION: EXPRESSION` for one function only.
    pub predicates: Vec<String>,
    /// Follow paths only for so many iterations of every loop; 0: no limit.
    pub loop_bound: u32,
}

impl Default for PredicateOptions {
    fn default() -> Self {
        PredicateOptions {
            refinement: Refinement::Predicates,
            blocks: BlockEnds::Loops,
            abstraction: AbstractionKind::Boolean,
            psi: Psi::Bdd,
            scope: Scope::Location,
            merge: Merging::Paths,
            feasibility: Feasibility::Plain,
            force_cover: Forced::Impact,
            invariants: false,
            select: "none".to_owned(),
            prefixes: 10,
            predicates: Vec::new(),
            loop_bound: 0,
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

/// What ψ is kept as [BDW18, section 3.1.5].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Psi {
    /// A BDD over predicates, and the formula that it stands for: coverage asks no solver.
    Bdd,
    /// A formula.
    Formula,
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

/// A predicate to start with.
#[derive(Clone, Debug)]
pub struct Given {
    /// Where it is used; `None`: everywhere.
    pub function: Option<FunctionId>,
    /// Holds its expression.
    pub exprs: Exprs,
    /// The truth value.
    pub predicate: ExprId,
}

/// What the analysis gets from outside.
#[derive(Default)]
pub struct Inputs<'a> {
    /// Where auxiliary invariants come from.
    pub facts: Vec<FactSource<'a>>,
    /// Predicates to start with.
    pub predicates: Vec<Given>,
    /// What tracking each variable costs, for refinement selection by score.
    pub costs: Vec<u64>,
    /// What other analyses of the program know, and are told.
    pub exchange: Exchange,
}

/// Runs the predicate analysis on a program. `Err`: an option makes no sense.
pub fn verify(
    (program, model): (&Program, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    options: &PredicateOptions,
    inputs: Inputs,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, String> {
    let selection: Selection = options.select.parse()?;
    let mut cpa = match PredicateCpa::new((program, model), backend, options, cancel) {
        Ok(cpa) => cpa,
        Err(stop) => return Ok(Verdict::Unknown(stop)),
    };
    if options.invariants {
        cpa.learn_facts(&inputs.facts);
    }
    cpa.share(inputs.exchange);
    let mut precision = cpa.precision(&inputs.predicates)?;
    // IMPACT has no predicates: what holds of those of others comes among the facts.
    if options.refinement != Refinement::Impact {
        cpa.learn_predicates(&mut precision);
    }
    let mut selected = Selected { selection, most_prefixes: options.prefixes, costs: inputs.costs };
    let refiner: &mut dyn Refiner<PredicateCpa> =
        if selected.selection.is_first() { &mut BlockInterpolation } else { &mut selected };
    let verdict = match search((program, goals), &mut cpa, &mut precision, refiner, cancel, counters) {
        End::Unsafe(counterexample) => Verdict::Unsafe(counterexample),
        End::Unknown(stop) => Verdict::Unknown(stop),
        End::Closed(mut reached) => {
            let open = reached.arg.ids().filter(|&id| reached.arg.state(id).role == Role::Start).count();
            counters.add("abstraction states", open as u64);
            counters.live.phase("proof check");
            let start = Instant::now();
            let proof = conclude((program, goals), &mut cpa, &precision, &mut reached, cancel);
            counters.time_since("proof check", start);
            proof.map_or_else(Verdict::Unknown, Verdict::Safe)
        }
    };
    counters.add("predicates", precision.all().count() as u64);
    cpa.note_precision(&precision, counters);
    cpa.count(counters);
    Ok(verdict)
}

/// CEGAR with an analysis that has the Predicate CPA in it, and a refinement that confirms paths itself.
pub fn search<'p, C: WithPredicates<'p>>(
    (program, goals): (&Program, &mut Goals),
    cpa: &mut C,
    precision: &mut C::Precision,
    refiner: &mut dyn Refiner<C>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> End<C::State> {
    let order = match cpa.predicates().options.merge {
        Merging::Paths => Order::Structured,
        Merging::Never => Order::Dfs,
    };
    let mut confirm = |_: &mut C, _: &[analysis::Step]| {
        Confirmation::Undecided(Stop::Internal("a path was neither excluded nor confirmed".to_owned()))
    };
    let mut cegar =
        Cegar { program, order, restart: Restart::Pivot, cancel, confirm: &mut confirm, most_undecided: 1, goals };
    cegar.run(cpa, precision, refiner, counters)
}

/// Checks the closed reached set by a fresh solver.
fn conclude(
    (program, goals): (&Program, &Goals),
    cpa: &mut PredicateCpa,
    precision: &Precision,
    reached: &mut Reached<State>,
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    cpa.check_proof();
    proof::check((program, goals), cpa, precision, reached, cancel)?;
    let states = reached.arg.len();
    let mut proof = proof::invariants(program, cpa, reached, "");
    proof.checked =
        format!("The successors of all {states} abstract states were confirmed by a fresh solver, block by block.");
    if stand_alone(&goals.asked(program), cpa, &proof, reached, cancel) {
        proof.checked += " The invariants at loop heads were proved inductive and sufficient on their own.";
    }
    Ok(proof)
}

/// The part of the time left that a second look at the invariants may take, and the most.
const SECOND_LOOK: (u32, Duration) = (20, Duration::from_secs(2));

/// Whether the invariants at loop heads need nothing else: not the calls that led there, nor what expressions of the
/// program cannot say.
fn stand_alone(
    program: &Program,
    cpa: &PredicateCpa,
    proof: &Proof,
    reached: &Reached<State>,
    cancel: &Cancel,
) -> bool {
    let mut exprs = proof.exprs.clone();
    let mut all = proof.invariants.clone();
    let visited: BTreeSet<Node> = reached.arg.ids().map(|id| reached.arg.place(id).node).collect();
    for node in program.nodes.ids().filter(|&node| program.nodes[node].loop_head) {
        if !all.iter().any(|(known, _)| *known == node) {
            // Heads that were reached but have no invariant may be in any state.
            all.push((node, exprs.bool(visited.contains(&node))));
        }
    }
    let (share, most) = SECOND_LOOK;
    let time = cancel.remaining().map_or(most, |left| (left / share).min(most));
    let (subject, limited) = ((program, &cpa.encoder.model), cancel.child(Some(time)));
    let confirmed = inductive::check(subject, cpa.backend, &exprs, &all, Claim::Sufficient, &limited);
    confirmed == Ok(Confirmed::Yes)
}

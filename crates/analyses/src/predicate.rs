//! `predicate`: the Predicate CPA [BDW18] inside CEGAR. Recursion is unrolled to the depth that it has.
//!
//! - `refine`: abstract counterexamples, their feasibility, and predicates from interpolants;
//! - `prefixes`: the infeasible sliced prefixes of a path, for refinement selection;
//! - `bounded`: alongside the Loop-Bound CPA;
//! - `given`: predicates that the user gives, as C.

mod bounded;
pub mod given;
mod prefixes;
mod refine;
#[cfg(test)]
mod tests;

pub use refine::{BlockInterpolation, InTurn, Selected};

use crate::fact_sources::{Wait, fact_sources, predicate_facts};
use crate::run::one_by_one;
use crate::{BadOption, Decides, Entry, Failed, Options, Run, TargetHandling};
use analysis::{Order, Reached};
use base::options::OptionList;
use base::{Budget, Cancel, Counters};
use cfa::{Node, Op};
use domains::predicate::{
    BlockRole, GivenPredicate, Merging, Precision, PredicateCpa, PredicateOptions, RefinementKind, State,
    WithPredicates,
};
use domains::value::variable_costs;
use encode::MemoryModel;
use engine::board::Board;
use engine::cegar::{Cegar, End, Refiner, Restart};
use engine::deepening::{deepen, is_recursive};
use engine::evidence::Confirmation;
use engine::facts::FactSource;
use engine::inductive::{self, Claim, Confirmed};
use engine::proof;
use engine::refinement::Selection;
use flow::Prepared;
use smt::Backend;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use verdict::{Goals, Proof, Stop, Verdict};

/// So many paths to operations that are not modelled are left undecided before the search ends.
const MOST_UNSUPPORTED: usize = 4;

pub const ENTRY: Entry = Entry {
    name: "predicate",
    options: PredicateOptions::declared,
    decides: Decides::Both,
    targets: TargetHandling::Each,
    run,
};

fn run(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    if !is_recursive(run.program) {
        return without_recursion(options, run);
    }
    if run.several() {
        return one_by_one(&ENTRY, options, run);
    }
    let (backend, files, cancel) = (run.backend, run.files, run.cancel);
    deepen(run.program, cancel, run.counters, |program, counters| {
        let (goals, board) = (&mut Goals::any(program), &Board::default());
        without_recursion(options, &mut Run { program, goals, backend, board, files, cancel, counters })
    })
}

fn without_recursion(options: &Options, run: &mut Run) -> Result<Verdict, Failed> {
    let options: PredicateOptions = options.read()?;
    let predicates = given::parse(run.program, &options.predicates)?;
    let model = run.memory()?;
    let (subject, board) = ((run.program, &model), run.board.clone());
    let mut facts = fact_sources(subject, run.backend, &board);
    facts.extend(predicate_facts(subject, run.backend, &board, Wait::No));
    let inputs = Inputs { facts, predicates, costs: variable_costs(run.program), board };
    let search = if options.loop_bound > 0 { bounded::verify } else { verify };
    search(subject, run.goals, run.backend, &options, inputs, run.cancel, run.counters)
}

/// Takes the facts of these sources for granted, with a part of the time.
pub fn learn_facts(cpa: &mut PredicateCpa, sources: &[FactSource]) {
    if cpa.is_recursive() {
        return;
    }
    let start = Instant::now();
    for source in sources {
        let time = cpa.cancel.remaining().map(|left| left / 10);
        let Ok(found) = source(cpa.program, &cpa.cancel.child(time)) else { continue };
        cpa.learn_facts(&found.exprs, &found.facts);
    }
    cpa.counters.time_since("invariants", start);
}

/// Adds the predicates that other analyses found.
pub fn learn_predicates(cpa: &mut PredicateCpa, precision: &mut Precision, board: &Board) {
    let (found, _) = board.predicates(0);
    if let Some(exprs) = &found.exprs {
        board.used_predicates(cpa.learn_predicates(precision, exprs, &found.claims));
    }
}

/// What the analysis gets from outside.
#[derive(Default)]
pub struct Inputs<'a> {
    /// Where auxiliary invariants come from.
    pub facts: Vec<FactSource<'a>>,
    /// Predicates to start with.
    pub predicates: Vec<GivenPredicate>,
    /// What tracking each variable costs, for refinement selection by score.
    pub costs: Vec<u64>,
    /// What other analyses of the program know, and are told.
    pub board: Board,
}

/// Runs the predicate analysis on a program.
pub fn verify(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    options: &PredicateOptions,
    inputs: Inputs,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Failed> {
    let selection: Selection = options.select.parse().map_err(BadOption)?;
    let mut cpa = PredicateCpa::new((program, model), backend, options, cancel)?;
    if options.invariants {
        learn_facts(&mut cpa, &inputs.facts);
    }
    let mut precision = cpa.precision(&inputs.predicates).map_err(BadOption)?;
    // IMPACT has no predicates: what holds of those of others comes among the facts.
    if options.refinement != RefinementKind::Impact {
        learn_predicates(&mut cpa, &mut precision, &inputs.board);
    }
    let mut blocks = BlockInterpolation { board: inputs.board.clone() };
    let mut selected =
        Selected { selection, most_prefixes: options.prefixes, costs: inputs.costs, board: inputs.board };
    let refiner: &mut dyn Refiner<PredicateCpa> =
        if selected.selection.is_first() { &mut blocks } else { &mut selected };
    let verdict = match search((program, goals), &mut cpa, &mut precision, refiner, cancel, counters) {
        End::Unsafe(counterexample) => Verdict::Unsafe(counterexample),
        End::Unknown(stop) => Verdict::Unknown(stop),
        End::Closed(mut reached) => {
            let open = reached.arg.ids().filter(|&id| reached.arg.state(id).role == BlockRole::Start).count();
            counters.add("abstraction states", open as u64);
            counters.live.phase("proof check");
            let start = Instant::now();
            let proof = conclude((program, goals), &mut cpa, &precision, &mut reached, cancel);
            counters.time_since("proof check", start);
            proof.into()
        }
    };
    counters.add("predicates", precision.all().count() as u64);
    cpa.note_precision(&precision, counters);
    cpa.count(counters);
    Ok(verdict)
}

/// CEGAR with an analysis that has the Predicate CPA in it, and a refinement that confirms paths itself.
pub fn search<'p, C: WithPredicates<'p>>(
    (program, goals): (&Prepared, &mut Goals),
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
    // What is not modelled, as calls beyond a depth, should not hide an execution elsewhere.
    let unknown = program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Unsupported(_))).count();
    let most_undecided = 1 + unknown.min(MOST_UNSUPPORTED);
    let mut cegar =
        Cegar { program, order, restart: Restart::Pivot, cancel, confirm: &mut confirm, most_undecided, goals };
    cegar.run(cpa, precision, refiner, counters)
}

/// Checks the closed reached set by a fresh solver.
fn conclude(
    (program, goals): (&Prepared, &Goals),
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

/// Whether the invariants at loop heads need nothing else: not the calls that led there, nor what expressions of the
/// program cannot say.
fn stand_alone(
    program: &Prepared,
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
    let (subject, limited) = ((program, &cpa.encoder.model), cancel.within(Budget::SecondLook));
    let confirmed = inductive::check(subject, cpa.backend, &exprs, &all, Claim::Sufficient, &limited);
    confirmed == Ok(Confirmed::Yes)
}

//! Proofs about whole arrays: [`transform::Cells`] makes scalars of arrays, elimination of guessed facts finds what holds of
//! the cells, and k-induction proves the rest. Only proofs count: the abstraction reaches more than the program does.

use crate::board::Board;
use crate::facts::{FactSource, Facts};
use crate::houdini::{self, candidates::Guesses};
use crate::k_induction::{self, KInductionOptions};
use base::{Cancel, Counters, Id, Trail, options};
use cfa::Program;
use encode::memory_model;
use flow::Prepared;
use smt::Backend;
use std::collections::BTreeSet;
use std::time::Instant;
use transform::Cells;
use verdict::{Goals, Proof, Stop, Verdict};

options! {
    /// Options of the cell abstraction.
    pub struct CellOptions {
        /// The last bound of k-induction.
        pub k_max: u32 = 3,
        /// Larger programs are not tried.
        pub most_nodes: usize = 5000,
    }
}

/// Proves a program with arrays. `everywhere` finds facts at all nodes of a program, `sources` at its loop heads.
pub fn verify(
    program: &Prepared,
    backend: &dyn Backend,
    options: &CellOptions,
    everywhere: FactSource,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Verdict {
    match prove(program, backend, options, &everywhere, sources, cancel, counters) {
        Ok(proof) => Verdict::Safe(proof),
        Err(stop) => Verdict::Unknown(stop),
    }
}

fn prove(
    program: &Prepared,
    backend: &dyn Backend,
    options: &CellOptions,
    everywhere: &FactSource,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    if program.nodes.len() > options.most_nodes {
        return Err(Stop::Bound(format!("more than {} locations", options.most_nodes)));
    }
    let mut source = program.clone();
    // Where variables are constant, later facts are sharper.
    for _ in 0..2 {
        let facts = everywhere(&source, cancel)?;
        let mut sharper = source.with_exprs(facts.exprs);
        transform::propagate_constants(&mut sharper, &facts.facts.into_iter().collect());
        source = Prepared::new(sharper);
    }
    let facts = everywhere(&source, cancel)?;
    let source = Prepared::new(source.with_exprs(facts.exprs));
    let cells = Cells::new(&source, &facts.facts.into_iter().collect(), cancel)?;
    let cells = cells.ok_or_else(|| Stop::Bound("there is no array that cells could stand for".to_owned()))?;
    let abstracted = &Prepared::new(cells.program.clone());
    counters.add("cells", cells.cells as u64);
    let start = Instant::now();
    let mut facts: Vec<Facts> = Vec::new();
    for source in sources {
        facts.extend(source(abstracted, cancel));
        cancel.check()?;
    }
    let model = memory_model(abstracted, cancel)?;
    counters.add("guesses", cells.guesses.len() as u64);
    let further = (&cells.program.exprs, &cells.guesses[..]);
    facts.push(houdini::facts_with((abstracted, &model), backend, Guesses::Order, further, &facts, cancel)?);
    note_facts(program, &cells.program, &facts, &mut counters.trail);
    counters.add("facts", facts.iter().map(|facts| facts.facts.len() as u64).sum());
    counters.time_since("facts about cells", start);
    let ready =
        facts.into_iter().map(|facts| Box::new(move |_: &Prepared, _: &Cancel| Ok(facts.clone())) as FactSource);
    // Long loops are what the cells are for.
    let induction = KInductionOptions { k_max: options.k_max, constant_loops: 1, ..KInductionOptions::default() };
    let mut inner = Counters::new(Trail::default(), counters.live.clone());
    inner.trail.wanted = counters.trail.wanted;
    let cells_and_memory = (abstracted, &model);
    let goals = &mut Goals::any(&cells.program);
    let found = k_induction::verify(
        cells_and_memory,
        goals,
        backend,
        (&induction, &Board::default()),
        ready,
        cancel,
        &mut inner,
    );
    counters.absorb(&inner);
    // Locations of the source keep their numbers.
    let reached = program.nodes.ids().filter(|&node| inner.trail.has_reached(node));
    reached.for_each(|node| counters.trail.reach(node));
    match found {
        Verdict::Safe(proof) => Ok(of_source(&cells, proof)),
        Verdict::Unsafe(_) => {
            Err(Stop::Bound("the cells of the arrays do not give enough information for a proof".to_owned()))
        }
        Verdict::Unknown(stop) => Err(stop),
    }
}

/// Writes down for a report what is known of cells and variables where the source has a location.
fn note_facts(source: &Program, cells: &Program, facts: &[Facts], trail: &mut Trail) {
    if !trail.wanted {
        return;
    }
    let mut named = cells.clone();
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

/// The proof as one of the source program: the invariants that are about its variables, and how the rest was checked.
fn of_source(cells: &Cells, proof: Proof) -> Proof {
    let Proof { exprs, invariants, checked, .. } = proof;
    let all = invariants.len();
    let kept: Vec<_> = invariants.into_iter().filter(|(_, fact)| cells.is_about_source(&exprs, *fact)).collect();
    let checked = format!(
        "Arrays were replaced by {} cells at arbitrary places; {} of {all} invariants are about such cells and hold of \
         every place. {checked}",
        cells.cells,
        all - kept.len(),
    );
    Proof { exprs, invariants: kept, checked, ..Proof::default() }
}

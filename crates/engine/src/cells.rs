//! Proofs about whole arrays: [`transform::Cells`] makes scalars of arrays, elimination of guessed facts finds what holds of
//! the cells, and k-induction proves the rest. Only proofs count: the abstraction reaches more than the program does.

use crate::abstraction::{self, Abstraction};
use crate::facts::FactSource;
use base::{Cancel, Counters, options};
use flow::Prepared;
use smt::Backend;
use transform::Cells;
use verdict::{Proof, Stop, Verdict};

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
    counters.add("cells", cells.cells as u64);
    let abstraction = Abstraction {
        source: program,
        program: &cells.program,
        guesses: &cells.guesses,
        too_coarse: "the cells of the arrays do not give enough information for a proof",
    };
    let proof = abstraction::prove(&abstraction, backend, options.k_max, sources, cancel, counters)?;
    Ok(of_source(&cells, proof))
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

//! Proofs about whole arrays: [`transform::Cells`] makes scalars of arrays, elimination of guessed facts finds what holds of
//! the cells, and k-induction proves the rest. Only proofs count: the abstraction reaches more than the program does.

use crate::abstraction::{self, Abstraction, AbstractionOptions};
use crate::facts::FactSource;
use base::{Cancel, Counters};
use flow::Prepared;
use smt::Backend;
use transform::Cells;
use verdict::{Proof, Stop};

/// Proves a program with arrays. `everywhere` finds facts at all nodes of a program, `sources` at its loop heads.
pub fn prove(
    program: &Prepared,
    backend: &dyn Backend,
    options: &AbstractionOptions,
    everywhere: FactSource,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    abstraction::check_size(program, options.most_nodes)?;
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
    Ok(abstraction.of_source(proof, |all, left_out| {
        format!(
            "Arrays were replaced by {} cells at arbitrary places; {left_out} of {all} invariants are about such cells and \
             hold of every place.",
            cells.cells
        )
    }))
}

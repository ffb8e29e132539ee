//! The predicate analysis with the Loop-Bound CPA alongside it [BDW18, section 4.1]: with blocks that never end, this is
//! bounded model checking with forward condition.

use super::{BlockInterpolation, Inputs, search};
use crate::{BadOption, Failed};
use analysis::{Pair, Reached, Settles};
use base::{Cancel, Counters};
use domains::loop_bound::{Iterations, LoopBound};
use domains::predicate::{Precision, PredicateCpa, PredicateOptions, State};
use encode::MemoryModel;
use engine::cegar::End;
use engine::proof;
use engine::unrolled::with_invariants;
use flow::Prepared;
use smt::Backend;
use std::sync::Arc;
use verdict::{Argument, Goals, Proof, Stop, Verdict};

/// Runs the analysis with the bound of the options.
pub fn verify(
    (program, model): (&Prepared, &Arc<MemoryModel>),
    goals: &mut Goals,
    backend: &dyn Backend,
    options: &PredicateOptions,
    inputs: Inputs,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, Failed> {
    let predicates = PredicateCpa::new((program, model), backend, options, cancel)?;
    let mut cpa = Pair(LoopBound::new(program), predicates);
    let given = cpa.1.precision(&inputs.predicates).map_err(BadOption)?;
    let mut precision = (options.loop_bound, given);
    let mut blocks = BlockInterpolation { board: inputs.board.clone() };
    let asked = (program, &mut *goals);
    let verdict = match search(asked, &mut cpa, &mut precision, &mut blocks, cancel, counters) {
        End::Unsafe(counterexample) => Verdict::Unsafe(counterexample),
        End::Unknown(stop) => Verdict::Unknown(stop),
        End::Closed(mut reached) => match conclude((program, goals), &mut cpa, &precision, &mut reached, cancel) {
            Ok(proof) => {
                let (bound, asked) = (options.loop_bound, goals.asked(program));
                Verdict::Safe(with_invariants((&asked, model), backend, proof, &inputs.facts, bound, cancel))
            }
            Err(stop) => Verdict::Unknown(stop),
        },
    };
    cpa.1.note_precision(&precision.1, counters);
    cpa.1.count(counters);
    Ok(verdict)
}

/// The forward condition: no execution comes to where the bound ends paths. Then the reached set is checked.
fn conclude(
    (program, goals): (&Prepared, &Goals),
    cpa: &mut Pair<LoopBound, PredicateCpa>,
    precision: &(u32, Precision),
    reached: &mut Reached<(Iterations, State)>,
    cancel: &Cancel,
) -> Result<Proof, Stop> {
    let bound = precision.0;
    cpa.1.check_proof();
    for id in reached.arg.ids() {
        let (iterations, state) = reached.arg.state(id);
        let ends = cpa.0.counts(*iterations).values().any(|visits| *visits >= bound);
        if ends && !cpa.1.is_empty(state, reached.arg.place(id))? {
            return Err(Stop::Bound(format!("no error within {bound} iterations of every loop")));
        }
    }
    proof::check((program, goals), cpa, precision, reached, cancel)?;
    let states = reached.arg.len();
    let checked = format!(
        "No loop has more than {bound} iterations; a fresh solver confirmed this and all {states} abstract states."
    );
    let argument = Argument::Unrolled;
    Ok(Proof { exprs: program.exprs.clone(), checked, argument, ..Proof::default() })
}

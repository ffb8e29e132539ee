//! Proofs about sums, maxima and other folds of arrays: [`transform::Folds`] makes one step of each loop that folds an
//! array, after a solver has shown that the order of elements does not matter; facts about its ghosts and k-induction
//! prove the rest. Only proofs count: the abstraction reaches more than the program does.

use crate::abstraction::{self, Abstraction, AbstractionOptions};
use crate::facts::FactSource;
use base::{Budget, Cancel, Counters};
use cfa::ExprId;
use encode::{Addressing, Encoder, PathFormula, memory_model, stop_of};
use flow::Prepared;
use smt::{Answer, Backend};
use std::collections::BTreeSet;
use std::time::Instant;
use transform::FoldQuestions;
use verdict::{Proof, Stop};

/// Proves a program that folds arrays; `sources` find facts at loop heads.
pub fn prove(
    program: &Prepared,
    backend: &dyn Backend,
    options: &AbstractionOptions,
    sources: Vec<FactSource>,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Proof, Stop> {
    abstraction::check_size(program, options.most_nodes)?;
    let nothing = || Stop::Bound("there is no loop that folds an array in any order".to_owned());
    let questions = FoldQuestions::new(program, cancel)?.ok_or_else(nothing)?;
    let start = Instant::now();
    let valid = valid(&questions, backend, cancel)?;
    counters.time_since("questions about folds", start);
    let folds = questions.answered(program, &valid).ok_or_else(nothing)?;
    counters.add("folds", folds.folds as u64);
    let abstraction = Abstraction {
        source: program,
        program: &folds.program,
        guesses: &folds.guesses,
        too_coarse: "the elements that loops fold do not give enough information for a proof",
    };
    let proof = abstraction::prove(&abstraction, backend, options.k_max, sources, cancel, counters)?;
    Ok(abstraction.of_source(proof, |all, left_out| {
        format!(
            "{} loops became single steps that depend on which elements an array has, but not on their order, as a solver \
             showed; {left_out} of {all} invariants are about which elements there are.",
            folds.folds
        )
    }))
}

/// The questions that a solver answers with yes, whatever the values of registers are.
fn valid(questions: &FoldQuestions, backend: &dyn Backend, cancel: &Cancel) -> Result<BTreeSet<ExprId>, Stop> {
    let program = Prepared::new(questions.program.clone());
    let mut encoder = Encoder::new(&program, memory_model(&program, cancel)?, Addressing::Fixed);
    let mut found = BTreeSet::new();
    for &question in &questions.questions {
        let before = encoder.definition_count();
        let holds = encoder.eval(&mut PathFormula::start(1), question, 0);
        let fails = encoder.terms.not(holds);
        let mut solver = backend.solver();
        for definition in encoder.definitions(before) {
            solver.assert(&encoder.terms, definition);
        }
        let answer = solver.check_assuming(&encoder.terms, &[fails], &cancel.within(Budget::FoldQuestion));
        cancel.check()?;
        match answer {
            Ok(Answer::Unsat) => drop(found.insert(question)),
            Ok(Answer::Sat) => {}
            // What takes too long is taken not to hold.
            Err(smt::SolverFailure::Stopped(_)) => {}
            Err(failure) => return Err(stop_of(failure)),
        }
    }
    Ok(found)
}

//! Loops that fold an array: a sum, a maximum, a count. Each is replaced by one step, such that no target of the program
//! is reached if none of the new one is. The new program says that what a commutative fold computes depends on the
//! *multiset* of elements only, and follows how writes change that multiset [CHSW15]; logics of folds count in the same
//! way [DHK16].
//!
//! 1. **Folds** (`step`). A loop over `i` that reads `a[i]`, writes no memory and changes nothing but `i` and
//!    accumulators is a fold with a step function φ. It is commutative if φ(φ(s, v), w) = φ(φ(s, w), v) for all s, v
//!    and w: then its result depends on the accumulators before and on the multiset. It is a sum if
//!    φ(s, v) = s + g(v). A solver decides both, on bit vectors ([`FoldQuestions`]).
//! 2. **Ghosts** (`rewrite`). For each array that is folded, `from` and `to` are the offsets of the elements folded last,
//!    and the elements between them are the multiset *T - {out} + {in}*, where the token *T* is a number that stands for
//!    a multiset.
//! 3. **Writes.** Where `old` is replaced by `new` within the range: if `old` is *in*, *in* becomes `new`; if *out* is
//!    *in*, so that both cancel out, they become `old` and `new`; otherwise the multiset gets a new token. Swaps and
//!    rotations thus lead back to the token that they started from.
//! 4. **Folds again.** A fold whose token and accumulators are those of the last one gives what the last one gave.
//!    Otherwise it gives anything; a sum of the same token adds the same.
//!
//! *Soundness.* Take an execution of the source. The new program can follow it: whenever a new token is chosen, it is one
//! that no ghost holds, so two ghosts with one token always stand for one multiset. Then what a fold gives is what the
//! loop computes: the elements that it reads are those of the multiset, each once, in some order, which does not matter.
//! It reads them because they lie inside the object, which is tested where its size is constant; elsewhere accesses are
//! taken to be valid, as in the cell abstraction. Elements do not overlap (`Arrays`).
//!
//! Divisions by a divisor that is not constant give the same for the same numbers, and otherwise anything, as functions do.
//!
//! Loops whose elements start at one, where the accumulator is the first element, fold from there on with a neutral
//! element, if there is one.

use crate::arrays::Arrays;
use base::{Cancel, Stopped};
use cfa::{ExprId, Node, Program};
use flow::Prepared;
use std::collections::BTreeSet;
use step::{Fold, Registers};

mod guess;
mod rewrite;
mod step;

/// Most loops that become folds.
const MOST_FOLDS: usize = 12;

/// Loops that may be folds, and what a solver has to say about them.
pub struct FoldQuestions {
    /// The source with further registers and expressions: what the questions are about.
    pub program: Program,
    /// Conditions; those that hold for all values are to be told to [`FoldQuestions::answered`].
    pub questions: Vec<ExprId>,
    arrays: Arrays,
    folds: Vec<Fold>,
}

/// A program whose folds became single steps.
#[derive(Clone, Debug)]
pub struct Folds {
    /// Over-approximates the source program. Nodes, variables and expressions of the source keep their ids.
    pub program: Program,
    /// Facts about ghosts that are worth trying at loop heads.
    pub guesses: Vec<(Node, ExprId)>,
    /// How many loops were folds.
    pub folds: usize,
}

impl FoldQuestions {
    /// The loops of a program that may be folds; `None` if there is none.
    pub fn new(source: &Prepared, cancel: &Cancel) -> Result<Option<FoldQuestions>, Stopped> {
        let mut program = Program::clone(source);
        let arrays = Arrays::new(source, &mut program.exprs, cancel)?;
        if arrays.arrays.is_empty() {
            return Ok(None);
        }
        let mut registers = Registers::default();
        let mut folds = Vec::new();
        let loops = source.loops();
        for (id, _) in loops.loops.iter().filter(|(_, one)| arrays.points_to.is_reachable(one.function)) {
            if folds.len() < MOST_FOLDS {
                folds.extend(step::fold(source, &mut program, (&arrays, &loops), id, &mut registers));
            }
        }
        step::compare_sums(&mut program.exprs, &mut folds);
        let questions: BTreeSet<ExprId> = folds.iter().flat_map(Fold::questions).collect();
        let questions = questions.into_iter().collect();
        Ok((!folds.is_empty()).then_some(FoldQuestions { program, questions, arrays, folds }))
    }

    /// The program with folds where the questions in `valid` hold; `None` if no loop is a fold.
    pub fn answered(self, source: &Prepared, valid: &BTreeSet<ExprId>) -> Option<Folds> {
        let FoldQuestions { program, arrays, mut folds, .. } = self;
        folds.retain(|fold| valid.contains(&fold.commutes));
        if folds.is_empty() {
            return None;
        }
        let number = folds.len();
        let made = rewrite::Rewrite::run(source, program, &arrays, (&folds, valid));
        let rewrite::Rewritten { mut program, ghosts, results, quotients } = made;
        assert!(program.vars.len() >= source.vars.len() && program.exprs.len() >= source.exprs.len(), "ids are kept");
        let guesses = guess::guess(source, &mut program, &arrays, (&folds, &ghosts, &results, &quotients));
        Some(Folds { program, guesses, folds: number })
    }
}

impl Folds {}

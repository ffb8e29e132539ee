//! Arrays by distinguished cells: a program with arrays becomes one with scalars only, such that no target of the
//! program is reached if none of the new one is. After the cell abstraction of [MG16], with the choice of cells by
//! prophecy.
//!
//! 1. **Guesses.** A *deciding node* is one whose reads of arrays come last before a target. For the variables in the
//!    indices that it reads at, values are guessed at the start and never changed. Ghost variables record the values at
//!    the deciding node passed last; where a target is reached, the guesses must have been right (`cut`).
//! 2. **Cells.** A cell is one element of an array, at an offset that depends on the guesses alone. A scalar mirrors it:
//!    a write at `o` changes it if `o` is the cell's offset; a read at `o` gives it if `o` is the cell's offset.
//! 3. **Everything else is arbitrary**: a read elsewhere gives any value, but the same as the last access to that array
//!    if that was at the same offset (`note`).
//!
//! *Soundness.* Take an execution of the program that reaches a target. Let the guesses be the values that the watched
//! variables have at the deciding node which the execution passes last, or anything if it passes none. With these guesses
//! the new program can follow the execution step by step: every scalar of a cell holds what the element at its offset
//! holds, every noted value what the element at the noted offset holds, so each read can yield what the execution reads,
//! by one of these or by choice. At the target the guesses are right by their definition, and the cut lets it pass. So
//! the new program reaches the target, too. Note what is *not* needed: that the reads flow to the target only, that
//! deciding nodes are well chosen, or that a cell is written at all. Cutting executions elsewhere, say at reads of other
//! elements than the guessed one, would be wrong: what the program does there may matter for the target.
//!
//! Ranges of the guesses may be assumed at the start if every execution to a target passes a deciding node that watches
//! them: they then are values that the variable takes there.
//!
//! What is known of variables where an array is accessed, and of guesses, may be used to say in a simpler way whether
//! an access is to the cell (`places`): the execution that follows one of the program has the same values there.
//!
//! Outside an object of constant size a read gives any value. As elsewhere, accesses to other objects are taken to be
//! valid: a pointer that may only point into one object does so.

use crate::arrays::Arrays;
use crate::reads::{is_pure, variables};
use base::{Cancel, Stopped};
use cfa::{BinOp, Expr, ExprId, Exprs, Node, Program, Scalar, VarId};
use flow::Prepared;
use focus::{Deciding, Focus};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

mod focus;
mod guess;
mod places;
mod rewrite;

/// A program whose arrays became cells.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Over-approximates the source program. Nodes, variables and expressions of the source keep their ids.
    pub program: Program,
    /// Facts about cells that are worth trying at loop heads.
    pub guesses: Vec<(Node, ExprId)>,
    /// How many cells there are.
    pub cells: usize,
}

impl Cells {
    /// The abstraction of a program; `None` if it has no array that could be abstracted. `known` tells what holds
    /// whenever an execution is at a node, as conjunctions over the program's variables.
    pub fn new(source: &Prepared, known: &BTreeMap<Node, ExprId>, cancel: &Cancel) -> Result<Option<Cells>, Stopped> {
        let mut program = Program::clone(source);
        let arrays = Arrays::new(source, &mut program.exprs, cancel)?;
        if arrays.arrays.is_empty() {
            return Ok(None);
        }
        let deciding = Deciding::new(source, &arrays);
        let focus = Focus::new(&mut program, &arrays, &deciding);
        if focus.cells.is_empty() {
            return Ok(None);
        }
        let ranges = if deciding.always { ranges(&mut program, &focus, &deciding, known) } else { Vec::new() };
        let mut program = rewrite::Rewrite::run(source, program, &arrays, &focus, (&ranges, known));
        assert!(program.vars.len() >= source.vars.len() && program.exprs.len() >= source.exprs.len(), "ids are kept");
        let mut guesses = guess::guess(source, &mut program, &arrays, &focus);
        let heads = program.nodes.iter().filter(|(_, info)| info.loop_head).map(|(node, _)| node);
        guesses.extend(heads.flat_map(|head| ranges.iter().map(move |&range| (head, range))));
        debug_assert!(
            guesses.iter().all(|&(_, guess)| program.exprs.ty(guess) == Scalar::Bool),
            "guesses are conditions"
        );
        Ok(Some(Cells { program, guesses, cells: focus.cells.len() }))
    }
}

/// For each slot that all deciding nodes watch, what is known of the variable there, as a fact about the guess.
fn ranges(program: &mut Program, focus: &Focus, deciding: &Deciding, known: &BTreeMap<Node, ExprId>) -> Vec<ExprId> {
    let mut found = Vec::new();
    for (at, slot) in focus.slots.iter().enumerate() {
        let mut range: Option<ExprId> = None;
        for &node in &deciding.nodes {
            let watched = focus.watched.get(&node).and_then(|all| all.iter().find(|(slot, _)| *slot == at));
            let fact = watched.and_then(|&(_, var)| {
                let fact = *known.get(&node)?;
                let (from, to) = (program.exprs.var(var, slot.ty), program.exprs.var(slot.guess, slot.ty));
                about(&mut program.exprs, fact, var)
                    .map(|fact| program.exprs.substitute(fact, &mut FxHashMap::from_iter([(from, to)])))
            });
            range = match (fact, range) {
                (None, _) => None,
                (Some(fact), None) if Some(&node) == deciding.nodes.first() => Some(fact),
                (Some(_), None) => None,
                (Some(fact), Some(other)) => Some(program.exprs.binary(BinOp::Or, fact, other)),
            };
            if range.is_none() {
                break;
            }
        }
        found.extend(range);
    }
    found
}

/// The conjuncts of a fact that mention one variable only.
fn about(exprs: &mut Exprs, fact: ExprId, var: VarId) -> Option<ExprId> {
    let mut stack = vec![fact];
    let mut result: Option<ExprId> = None;
    while let Some(id) = stack.pop() {
        if let Expr::Binary(BinOp::And, a, b) = exprs.node(id)
            && exprs.ty(id) == Scalar::Bool
        {
            stack.extend([a, b]);
        } else if variables(exprs, id) == [var] && is_pure(exprs, id) {
            result = Some(result.map_or(id, |all| exprs.binary(BinOp::And, all, id)));
        }
    }
    result
}

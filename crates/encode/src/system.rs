//! A program with one loop as a transition system: states are what slots and memory hold at the head of the loop, *init*
//! leads from the start of the program there, *step* from there to the next visit, *bad* from there to a target or to C
//! that is not modelled, *early* from the start to one before the first visit.
//!
//! Sets of states are formulas over the start of blocks ([`Encoder::at_start`]). What a formula says of the state after a
//! block is asked by substitution ([`Encoder::at_end`]), or along a [`Chain`].

use crate::blocks::{Block, Chain, START};
use crate::path::PathFormula;
use crate::segments::{Layer, Segments, Successors};
use crate::{Addressing, Encoder, MemoryModel, any};
use base::{Cancel, Stopped};
use cfa::Node;
use flow::Prepared;
use smt::TermId;
use std::rc::Rc;
use std::sync::Arc;

/// A transition system.
pub struct System<'p> {
    /// Where its formulas live.
    pub encoder: Encoder<'p>,
    /// From the start of the program to the head.
    pub init: Rc<Block>,
    /// From the head to the next visit.
    pub step: Rc<Block>,
    /// From the head to a target.
    pub bad: Rc<Block>,
    /// From the start of the program to a target before the first visit.
    pub early: Rc<Block>,
}

/// An execution from the start of the program to a target, by the number of steps from the first visit of the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// It never visits the head.
    Early,
    /// After so many steps.
    Steps(usize),
}

/// A chain of blocks to a target.
pub struct ErrorChain {
    /// Its blocks.
    pub chain: Chain,
    /// It has a model if and only if this has one.
    pub formula: TermId,
}

impl<'p> System<'p> {
    /// The system of a program without recursion whose only loop has this head.
    pub fn new(
        program: &'p Prepared,
        model: Arc<MemoryModel>,
        head: Node,
        cancel: &Cancel,
    ) -> Result<System<'p>, Stopped> {
        let (loops, calls) = (program.loops(), program.calls());
        let segments = Segments::new(program, &loops, &calls);
        let mut encoder = Encoder::new(program, model, Addressing::Fixed);
        let (init, early) = blocks(&mut encoder, &segments, |encoder| segments.initial(encoder), cancel)?;
        let (step, bad) = blocks(&mut encoder, &segments, |encoder| only_layer(&segments, encoder, head), cancel)?;
        Ok(System { encoder, init, step, bad, early })
    }

    /// A formula over the state after a block, where the block is taken: over its start and its inputs.
    pub fn behind(&mut self, block: &Block, formula: TermId) -> TermId {
        let behind = self.encoder.at_end(formula, &block.path);
        self.encoder.terms.and([block.formula, behind])
    }

    /// The chain of one execution to a target.
    pub fn execution(&mut self, depth: Depth) -> ErrorChain {
        let mut chain = Chain::default();
        match depth {
            Depth::Early => chain.finish(&mut self.encoder, &self.early.clone()),
            Depth::Steps(steps) => {
                chain.push(&mut self.encoder, &self.init.clone());
                for _ in 0..steps {
                    chain.push(&mut self.encoder, &self.step.clone());
                }
                chain.finish(&mut self.encoder, &self.bad.clone());
            }
        }
        chain.ground(&mut self.encoder);
        let formula = self.encoder.terms.and(chain.groups.iter().copied());
        ErrorChain { chain, formula }
    }

    /// Extends a chain that ends at the head by so many steps and says that one of the states from there on is bad. The
    /// result speaks of the boundary where the chain ended, and of variables of its own.
    pub fn within(&mut self, chain: &mut Chain, steps: usize) -> TermId {
        // Values are the same whether a block is taken or not. A step and a bad end from one state share their inputs,
        // since at most one of them happens.
        let (bad, step) = (self.bad.clone(), self.step.clone());
        let mut values = Vec::new();
        let mut taken = Vec::new();
        let mut reached = Vec::new();
        for left in (0..=steps).rev() {
            let definitions = chain.next(&mut self.encoder, bad.definitions);
            values.push(definitions);
            let here = chain.next(&mut self.encoder, bad.taken);
            reached.push(self.encoder.terms.and(taken.iter().copied().chain([here])));
            if left > 0 {
                let (goes_on, value) = chain.push_apart(&mut self.encoder, &step);
                taken.push(goes_on);
                values.push(value);
            }
        }
        let some = self.encoder.terms.or(reached);
        self.encoder.terms.and(values.into_iter().chain([some]))
    }
}

/// The head of the only loop, where every state is possible.
fn only_layer(segments: &Segments, encoder: &Encoder, head: Node) -> Layer {
    let mut layers = segments.each(encoder);
    assert_eq!(layers.len(), 1, "the program has one loop");
    let layer = layers.remove(0);
    assert!(layer.keys().all(|(_, node)| *node == head), "its head is known");
    layer
}

/// The block to the next visit of the head, and the one to targets before it.
fn blocks(
    encoder: &mut Encoder,
    segments: &Segments,
    layer: impl FnOnce(&mut Encoder) -> Layer,
    cancel: &Cancel,
) -> Result<(Rc<Block>, Rc<Block>), Stopped> {
    let (events, defined) = (encoder.events.len(), encoder.defined.len());
    let layer = layer(encoder);
    let instance = layer.values().next().map_or(START, |path| path.instance);
    let Successors { heads, targets, unsupported } = segments.run(encoder, layer, cancel)?;
    let events: Rc<[usize]> = (events..encoder.events.len()).collect();
    let defined: Rc<[usize]> = (defined..encoder.defined.len()).collect();
    let mut next: Option<PathFormula> = None;
    for path in heads.into_values() {
        next = Some(match next {
            Some(known) => encoder.merge(&known, &path),
            None => path,
        });
    }
    let guards = targets.iter().map(|(_, guard)| *guard).chain(unsupported.iter().map(|(_, guard)| *guard));
    let reached = any(encoder, guards.collect::<Vec<_>>());
    let bad = encoder.assume(PathFormula::start(instance), reached);
    let next = Block::new(encoder, next, events.clone(), defined.clone());
    let bad = Block::new(encoder, bad, events, defined);
    Ok((Rc::new(next), Rc::new(bad)))
}

//! Blocks: paths between two places as formulas that can be chained. A block is encoded once; every use of it on a
//! longer path renames its variables, so that `x@1` (at its start) becomes the current instance of `x` and its inputs
//! become inputs of their own.

use crate::Encoder;
use crate::input::Event;
use crate::path::PathFormula;
use crate::regions::{MemoryHalf, Region};
use crate::slot::Slot;
use base::Symbol;
use rustc_hash::FxHashMap;
use smt::TermId;
use std::rc::Rc;

/// The instance that formulas over the start of a block use.
pub(crate) const START: u32 = 1;

/// All paths from one place to one other.
#[derive(Debug)]
pub struct Block {
    /// When it is taken, and what its fresh variables stand for.
    pub formula: TermId,
    /// When it is taken.
    pub taken: TermId,
    /// What its fresh variables stand for; can be made true whatever the other variables are.
    pub definitions: TermId,
    /// What it does.
    pub path: PathFormula,
    /// Its events, in the order in which they happen.
    events: Rc<[usize]>,
    defined: Rc<[usize]>,
}

impl Block {
    /// The block of a path with these events and conditions of definedness; without a path nothing is possible.
    pub(crate) fn new(
        encoder: &mut Encoder,
        path: Option<PathFormula>,
        events: Rc<[usize]>,
        defined: Rc<[usize]>,
    ) -> Block {
        let Some(path) = path else {
            let (never, path) = (encoder.terms.falsity(), PathFormula::start(START));
            let definitions = encoder.terms.truth();
            return Block { formula: never, taken: never, definitions, path, events, defined };
        };
        let taken = encoder.guards.formula(&mut encoder.terms, path.guard);
        let definitions = encoder.definitions_of(&path, taken);
        let formula = encoder.terms.and(definitions.iter().copied().chain([taken]));
        let definitions = encoder.terms.and(definitions);
        Block { formula, taken, definitions, path, events, defined }
    }
}

/// What a variable at a boundary stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Named {
    Slot(Slot),
    Array(Region, MemoryHalf),
}

impl Encoder<'_> {
    fn named(&self, name: &str) -> Option<Named> {
        if let Some(slot) = self.slots.named(name) {
            return Some(Named::Slot(slot));
        }
        let (kind, number) = name.split_once('!')?;
        let half = match kind {
            "?static" => MemoryHalf::Zero,
            "?memory" => MemoryHalf::Arbitrary,
            _ => return None,
        };
        Some(Named::Array(Region(number.parse().ok()?), half))
    }

    /// A formula over the start of blocks as one over the end of a path.
    pub fn at_end(&mut self, formula: TermId, path: &PathFormula) -> TermId {
        let mut path = path.clone();
        let mut map = FxHashMap::default();
        for variable in self.terms.free_vars(&[formula]) {
            let (name, _) = self.terms.ssa_parts(variable);
            let value = match self.named(name) {
                Some(Named::Slot(slot)) => self.value(&path, slot),
                Some(Named::Array(region, half)) => self.array(&mut path, region, half),
                None => continue,
            };
            let term = self.terms.var_term(variable);
            map.insert(term, value);
        }
        self.terms.substitute(formula, &map)
    }

    /// A formula over any boundary of a chain as one over the start of blocks.
    pub fn at_start(&mut self, formula: TermId) -> TermId {
        self.terms.rename(formula, |_, index| index.map(|_| START))
    }
}

/// One block of a chain.
#[derive(Clone, Debug)]
struct Part {
    events: Rc<[usize]>,
    defined: Rc<[usize]>,
    current: FxHashMap<Symbol, u32>,
    number: u32,
}

/// A path of blocks as a sequence of formulas over boundaries.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    current: FxHashMap<Symbol, u32>,
    /// One conjunction per block.
    pub groups: Vec<TermId>,
    /// What each block leaves open, the instances at its start and the number that its inputs got.
    parts: Vec<Part>,
}

impl Chain {
    /// A chain that starts at a place, of which `formula` (over the start of blocks) holds.
    pub fn from_place(encoder: &mut Encoder, formula: TermId) -> Chain {
        let mut chain = Chain::default();
        let first = chain.rename(encoder, formula, 0);
        chain.groups.push(first);
        chain
    }

    fn rename(&self, encoder: &mut Encoder, formula: TermId, number: u32) -> TermId {
        let current = &self.current;
        encoder.terms.rename(formula, |name, index| match index {
            Some(_) => Some(current.get(&name).copied().unwrap_or(0)),
            None => Some(number),
        })
    }

    fn note(&mut self, block: &Block) {
        let number = self.groups.len() as u32 + 1;
        let (events, defined) = (block.events.clone(), block.defined.clone());
        self.parts.push(Part { events, defined, current: self.current.clone(), number });
    }

    /// Appends a block.
    pub fn push(&mut self, encoder: &mut Encoder, block: &Block) {
        let (taken, values) = self.push_apart(encoder, block);
        let last = encoder.terms.and([taken, values]);
        *self.groups.last_mut().expect("a group was just added") = last;
    }

    /// Appends a block whose group only says what its end holds, and tells when it is taken beside that.
    pub fn push_apart(&mut self, encoder: &mut Encoder, block: &Block) -> (TermId, TermId) {
        let number = self.groups.len() as u32 + 1;
        self.note(block);
        let mut path = block.path.clone();
        let taken = self.rename(encoder, block.taken, number);
        let mut parts = vec![self.rename(encoder, block.definitions, number)];
        let mut written: Vec<(String, TermId)> =
            path.written().map(|(slot, value)| (encoder.slots.name(slot).to_owned(), value)).collect();
        for (region, half) in encoder.touched(&path) {
            let array = encoder.array(&mut path, region, half);
            written.push((crate::path::array_name(region, half), array));
        }
        let mut assigned = Vec::new();
        for (name, value) in written {
            let symbol = encoder.terms.ssa_name(&name);
            if encoder.terms.ssa_var(&name, START, encoder.terms.sort(value)) == value {
                continue;
            }
            let value = self.rename(encoder, value, number);
            let new = encoder.terms.ssa_var(&name, number, encoder.terms.sort(value));
            parts.push(encoder.terms.eq(new, value));
            assigned.push(symbol);
        }
        for symbol in assigned {
            let before = self.current.insert(symbol, number);
            assert!(before.is_none_or(|before| before < number), "instances are numbered along the chain");
        }
        let group = encoder.terms.and(parts);
        self.groups.push(group);
        debug_assert!(self.parts.len() <= self.groups.len(), "each block has its group");
        (taken, group)
    }

    /// Ends the chain with a block after which nothing matters: whether it is taken.
    pub fn finish(&mut self, encoder: &mut Encoder, block: &Block) {
        let number = self.groups.len() as u32 + 1;
        self.note(block);
        let taken = self.rename(encoder, block.formula, number);
        self.groups.push(taken);
    }

    /// A formula over the start of blocks, at the end of the chain so far.
    pub fn here(&self, encoder: &mut Encoder, formula: TermId) -> TermId {
        self.rename(encoder, formula, 0)
    }

    /// A formula over the start of blocks and inputs of the block that comes next, at the end of the chain so far.
    pub fn next(&self, encoder: &mut Encoder, formula: TermId) -> TermId {
        self.rename(encoder, formula, self.groups.len() as u32 + 1)
    }

    /// For a chain from the start of the program: what the program's start says about variables that its first block
    /// left as they were goes to the first group.
    pub fn ground(&mut self, encoder: &mut Encoder) {
        let start = Chain::at_program_start(encoder, &self.groups);
        if let Some(first) = self.groups.first_mut() {
            *first = encoder.terms.and([start, *first]);
        }
    }

    /// What the program's start says about variables of formulas over a chain from there.
    pub fn at_program_start(encoder: &mut Encoder, formulas: &[TermId]) -> TermId {
        let mut parts = Vec::new();
        for variable in encoder.terms.free_vars(formulas) {
            let (name, index) = encoder.terms.ssa_parts(variable);
            if index != Some(0) {
                continue;
            }
            let start = match encoder.named(name) {
                Some(Named::Slot(slot)) => encoder.start_value(slot, 0),
                Some(Named::Array(region, half)) => encoder.start_array(region, half, 0),
                None => continue,
            };
            let term = encoder.terms.var_term(variable);
            if start != term {
                parts.push(encoder.terms.eq(term, start));
            }
        }
        encoder.terms.and(parts)
    }

    /// A fact (over the start of blocks) that holds at the end of the chain so far goes to its last group.
    pub fn assume(&mut self, encoder: &mut Encoder, fact: TermId) {
        let fact = self.here(encoder, fact);
        if let Some(last) = self.groups.last_mut() {
            *last = encoder.terms.and([*last, fact]);
        }
    }

    /// The conditions under which nothing undefined happens along the chain.
    pub fn defined(&self, encoder: &mut Encoder) -> Vec<TermId> {
        let mut conditions = Vec::new();
        for part in &self.parts {
            for &at in &*part.defined {
                let (guard, condition) = encoder.defined[at];
                let guard = encoder.guards.formula(&mut encoder.terms, guard);
                let formula = encoder.terms.implies(guard, condition);
                let current = &part.current;
                conditions.push(encoder.terms.rename(formula, |name, index| match index {
                    Some(_) => Some(current.get(&name).copied().unwrap_or(0)),
                    None => Some(part.number),
                }));
            }
        }
        conditions
    }

    /// The events of the chain in order, with the instances at the start of their block and its number.
    pub(crate) fn events<'e>(
        &'e self,
        all: &'e [Event],
    ) -> impl Iterator<Item = (&'e Event, &'e FxHashMap<Symbol, u32>, u32)> {
        self.parts
            .iter()
            .flat_map(move |part| part.events.iter().map(move |&at| (&all[at], &part.current, part.number)))
    }
}

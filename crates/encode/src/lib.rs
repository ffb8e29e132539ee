//! CFA edges as terms: [`PathFormula`]s over slots (registers, pieces of memory variables, arrays of regions), stepped
//! along edges, merged where paths meet; and the bounded unrolling of whole programs.
//!
//! Every formula over-approximates: what C leaves undefined and what is not encoded exactly is an arbitrary value. A
//! model is therefore only a candidate, which the interpreter replays.
#![warn(missing_docs)]

mod expr;
mod float;
mod guard;
mod input;
mod layout;
mod memory;
mod path;
mod pieces;
mod regions;
mod slot;
mod sort;
mod stale;
mod step;
mod trie;
mod unroll;
mod uses;

pub use guard::{Guard, Guards};
pub use input::{Event, EventKind, encoding_of};
pub use path::PathFormula;
pub use pieces::Piece;
pub use regions::{Classes, Region, Regions, Segment};
pub use slot::{Place, Slot, Slots};
pub use sort::sort_of;
pub use trie::Trie;
pub use unroll::{Bounds, Unrolled, unroll};
pub use uses::Uses;

use base::IdVec;
use cfa::{ExprId, FunctionId, Program, Storage, VarId};
use layout::Layout;
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};
use std::rc::Rc;

/// How addresses are given to objects that come into being while the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressing {
    /// Formulas start at the start of the program: every event of the unrolled program gets addresses of its own.
    Events,
    /// Formulas start anywhere: a variable has one address, the heap an allocator whose state is a slot.
    Fixed,
}

/// Makes terms of a program.
pub struct Encoder<'p> {
    /// What is encoded.
    pub program: &'p Program,
    /// All terms.
    pub terms: Terms,
    /// All guards.
    pub guards: Guards,
    /// All slots.
    pub slots: Slots,
    /// How memory is split.
    pub regions: Regions,
    /// Arbitrary values and new objects in the order in which they were encoded; only with [`Addressing::Events`].
    pub events: Vec<Event>,
    /// Whether something was over-approximated that the semantics define.
    pub inexact: bool,
    pub(crate) pieces: IdVec<VarId, Option<Vec<Piece>>>,
    pub(crate) layout: Layout,
    pub(crate) addressing: Addressing,
    pub(crate) stale: IdVec<FunctionId, Box<[VarId]>>,
    flat: FxHashMap<ExprId, Rc<expr::Flat>>,
    bits_of_floats: FxHashMap<TermId, TermId>,
    definitions: Vec<(TermId, TermId)>,
}

impl<'p> Encoder<'p> {
    /// An encoder with memory split by which addresses escape.
    pub fn new(program: &'p Program, addressing: Addressing) -> Self {
        let uses = Uses::new(program);
        let classes = Classes::by_escape(program, &uses);
        Self::with_classes(program, addressing, &uses, classes)
    }

    /// An encoder with memory split as `classes` say.
    pub fn with_classes(program: &'p Program, addressing: Addressing, uses: &Uses, classes: Classes) -> Self {
        let mut terms = Terms::new();
        let guards = Guards::new(&mut terms);
        Encoder {
            program,
            guards,
            terms,
            slots: Slots::default(),
            regions: Regions::new(program, uses, classes),
            events: Vec::new(),
            inexact: false,
            pieces: pieces::cut(program, uses),
            layout: Layout::new(program),
            addressing,
            stale: stale::stale(program),
            flat: FxHashMap::default(),
            bits_of_floats: FxHashMap::default(),
            definitions: Vec::new(),
        }
    }

    /// Before the program starts.
    pub fn initial(&mut self) -> PathFormula {
        let mut path = PathFormula::start(0);
        for (var, variable) in self.program.vars.iter() {
            if let (None, Storage::Memory { size, .. }) = (variable.function, variable.storage) {
                let address = self.address(self.layout.var(var));
                let object = Some((address, self.regions.of_var(var), size));
                self.event(&path, EventKind::Birth { unless_null: None, object, parts: Vec::new() });
            }
        }
        self.activate(&mut path, self.program.entry, 0);
        path
    }

    fn event(&mut self, path: &PathFormula, kind: EventKind) {
        if self.addressing == Addressing::Events {
            self.events.push(Event { guard: path.guard, kind });
        }
    }

    fn define(&mut self, variable: TermId, definition: TermId) {
        self.definitions.push((variable, definition));
    }

    /// What fresh variables stand for, from the `from`th on; each can be made true whatever the other variables are, so
    /// they may be asserted once and for all.
    pub fn definitions(&self, from: usize) -> impl ExactSizeIterator<Item = TermId> + '_ {
        self.definitions[from..].iter().map(|(_, definition)| *definition)
    }

    /// The value of a slot at the start of formulas of an instance.
    pub fn start_value(&mut self, slot: Slot, instance: u32) -> TermId {
        match self.slots.place(slot) {
            Place::Address(var, _) => self.address(self.layout.var(var)),
            Place::Next(segment) if instance == 0 => self.address(self.layout.dynamic_start(segment)),
            Place::Register(..) | Place::Piece(..) | Place::Next(_) => {
                self.slots.start(&mut self.terms, slot, instance)
            }
        }
    }
}

//! CFA edges as terms: [`PathFormula`]s over slots (registers, pieces of memory variables, arrays of regions), stepped
//! along edges, merged where paths meet; and the bounded unrolling of whole programs.
//!
//! Every formula over-approximates: what C leaves undefined and what is not encoded exactly is an arbitrary value. A
//! model is therefore only a candidate, which the interpreter replays.
#![warn(missing_docs)]

pub mod aiger;
mod ask;
mod blocks;
mod bounds;
mod boxes;
pub mod btor2;
mod cases;
mod circuit;
mod export;
mod expr;
mod facts;
mod float;
mod float_range;
mod forget;
mod guard;
mod heap;
mod input;
mod interval;
mod known;
mod layout;
mod linear;
mod living;
mod machine;
mod memory;
mod narrow;
mod objects;
mod observed;
mod path;
mod paths;
mod pieces;
mod precision;
mod ranges;
mod regions;
mod reuse;
mod segments;
mod slot;
mod sort;
mod spread;
mod stale;
mod step;
mod system;
mod tracked;
mod trie;
mod units;
mod unroll;
mod written;

pub use ask::{any, ask, check_room, stop_of, unsupported};
pub use blocks::{Block, Chain};
pub use boxes::{Boxes, Decision, InputBox};
pub use cases::{InputCase, InputPlace, Split, Splits};
pub use circuit::{Circuit, Latch};
pub use export::{expression, implied};
pub use forget::{Changes, Outliving};
pub use guard::{Guard, Guards};
pub use input::{Event, EventKind, Held, encoding_of};
pub use layout::LOWEST_ADDRESS;
pub use machine::{Machine, Register};
pub use observed::{Observation, Observed};
pub use path::PathFormula;
pub use paths::{PathId, Paths, Turn};
pub use pieces::Piece;
pub use regions::{EncodedRegion, EncodedRegions, MemoryHalf, Region, RegionField};
pub use segments::{Context, Layer, Segments, Successors};
pub use slot::{Slot, SlotKind, Slots};
pub use sort::sort_of;
pub use system::{Depth, ErrorChain, System};
pub use trie::Trie;
pub use unroll::{Bounds, Unrolled, unroll, unroll_watching};

use base::{Cancel, IdVec, Stopped};
use cfa::{ExprId, Exprs, FunctionId, Program, Storage, VarId};
use flow::{Fact, Prepared};
use layout::{Layout, Spacing};
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};
use std::rc::Rc;
use std::sync::Arc;

/// How addresses are given to objects that come into being while the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressing {
    /// Formulas start at the start of the program: every event of the unrolled program gets addresses of its own.
    Events,
    /// Formulas start anywhere: a variable has one address, the heap an allocator whose state is a slot.
    Fixed,
}

/// What encoders of one program share: how its memory is split, and which registers new activations make arbitrary.
pub struct MemoryModel {
    /// Memory in arrays.
    pub regions: EncodedRegions,
    /// What depends on where objects lie.
    pub observed: Observed,
    /// What is asked about living objects.
    pub(crate) living: Option<living::Lives>,
    /// What is asked about written bytes.
    pub(crate) written: Option<written::Flags>,
    pub(crate) pieces: IdVec<VarId, Option<Vec<Piece>>>,
    pub(crate) stale: IdVec<FunctionId, Box<[VarId]>>,
}

impl Fact for MemoryModel {
    const NAME: &'static str = "computations of the memory model";
    const LONG: bool = true;

    fn compute(program: &Prepared, cancel: &Cancel) -> Result<Self, Stopped> {
        let uses = flow::Uses::new(program);
        let points_to = program.points_to(cancel)?;
        let regions = EncodedRegions::new(program, &uses, &points_to);
        Ok(MemoryModel {
            living: living::Lives::new(program, &points_to, &regions),
            written: written::Flags::new(program, &points_to),
            regions,
            observed: Observed::new(program, &points_to),
            pieces: pieces::cut(program, &uses),
            stale: stale::stale(program),
        })
    }
}

/// How the memory of a program is split; all its encoders share that.
pub fn memory_model(program: &Prepared, cancel: &Cancel) -> Result<Arc<MemoryModel>, Stopped> {
    program.fact(cancel)
}

/// Makes terms of a program.
pub struct Encoder<'p> {
    /// What is encoded.
    pub program: &'p Program,
    /// The program's expressions and those of facts that were imported.
    pub exprs: Exprs,
    /// All terms.
    pub terms: Terms,
    /// All guards.
    pub guards: Guards,
    /// All slots.
    pub slots: Slots,
    /// How memory is split.
    pub model: Arc<MemoryModel>,
    /// Arbitrary values and new objects in the order in which they were encoded.
    pub events: Vec<Event>,
    /// What is defined only under a condition: the paths, and the condition. Executions that meet undefined behaviour
    /// are possible, but no counterexamples.
    pub defined: Vec<(Guard, TermId)>,
    /// How many operations changed more memory than could be told, so that whole regions became arbitrary.
    pub forgotten: u64,
    pub(crate) layout: Layout,
    pub(crate) addressing: Addressing,
    flat: FxHashMap<ExprId, Rc<expr::Flat>>,
    bits_of_floats: FxHashMap<TermId, TermId>,
    /// What lies where no object does, per region.
    wild: FxHashMap<regions::Region, TermId>,
    /// What stands for numbers that depend on the layout: equal operands give equal numbers.
    observations: FxHashMap<expr::Observing, TermId>,
    definitions: Vec<(TermId, TermId)>,
    /// What guards say about values, where that is used.
    known: Option<known::Known>,
    quotients: FxHashMap<TermId, narrow::Quotient>,
    cases: cases::Cases,
    running: tracked::Running,
}

impl<'p> Encoder<'p> {
    /// An encoder of the program that `model` was made for.
    pub fn new(program: &'p Program, model: Arc<MemoryModel>, addressing: Addressing) -> Self {
        let mut terms = Terms::new();
        let guards = Guards::new(&mut terms);
        let mut layout = Layout::new(program, Spacing::Dense);
        if model.observed.pairs || model.living.is_some() {
            // Without room for slots, no pair of pointers is known to point into one object.
            let slots = Layout::new(program, Spacing::Slots);
            layout = if slots.is_exhausted() { layout } else { slots };
        }
        Encoder {
            program,
            exprs: program.exprs.clone(),
            guards,
            terms,
            slots: Slots::default(),
            model,
            events: Vec::new(),
            defined: Vec::new(),
            forgotten: 0,
            layout,
            addressing,
            flat: FxHashMap::default(),
            bits_of_floats: FxHashMap::default(),
            wild: FxHashMap::default(),
            observations: FxHashMap::default(),
            definitions: Vec::new(),
            known: None,
            quotients: FxHashMap::default(),
            cases: cases::Cases::default(),
            running: Vec::new(),
        }
    }

    /// Before the program starts.
    pub fn initial(&mut self) -> PathFormula {
        let mut path = PathFormula::start(0);
        for (var, variable) in self.program.vars.iter() {
            if let (None, Storage::Memory { size, .. }) = (variable.function, variable.storage) {
                let address = self.address(self.layout.var(var));
                let object = Some((address, objects::regions_of(self.model.regions.of_var(var)), size));
                self.event(&path, EventKind::Birth { pointer: None, object, parts: Vec::new() });
                self.begins(&mut path, var, 0);
            }
        }
        self.activate(&mut path, self.program.entry, 0);
        path
    }

    fn event(&mut self, path: &PathFormula, kind: EventKind) {
        self.events.push(Event { guard: path.guard, kind });
    }

    fn define(&mut self, variable: TermId, definition: TermId) {
        self.definitions.push((variable, definition));
    }

    /// Whether the program has more objects than the address space has room for, so that formulas mean nothing.
    pub fn is_exhausted(&self) -> bool {
        self.layout.is_exhausted()
    }

    /// The definitions of fresh variables that occur in what a path does and when it is taken, and in those definitions.
    pub(crate) fn definitions_of(&mut self, path: &PathFormula, guard: TermId) -> Vec<TermId> {
        if self.definitions.is_empty() {
            return Vec::new();
        }
        let mut path = path.clone();
        let mut formulas: Vec<TermId> = path.written().map(|(_, value)| value).chain([guard]).collect();
        for (region, half) in self.touched(&path) {
            formulas.push(self.array(&mut path, region, half));
        }
        let of: FxHashMap<TermId, TermId> = self.definitions.iter().copied().collect();
        let mut found = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        while !formulas.is_empty() {
            let variables = self.terms.free_vars(&formulas);
            formulas.clear();
            for variable in variables {
                let variable = self.terms.var_term(variable);
                if let Some(&definition) = of.get(&variable)
                    && known.insert(variable)
                {
                    found.push(definition);
                    formulas.push(definition);
                }
            }
        }
        found
    }

    /// How many definitions there are.
    pub fn definition_count(&self) -> usize {
        self.definitions.len()
    }

    /// What fresh variables stand for, from the `from`th on; each can be made true whatever the other variables are, so
    /// they may be asserted once and for all.
    pub fn definitions(&self, from: usize) -> impl ExactSizeIterator<Item = TermId> + '_ {
        self.definitions[from..].iter().map(|(_, definition)| *definition)
    }

    /// The value of a slot at the start of formulas of an instance.
    pub fn start_value(&mut self, slot: Slot, instance: u32) -> TermId {
        match self.slots.kind(slot) {
            SlotKind::Address(var, _) => self.address(self.layout.var(var)),
            SlotKind::HeapCount if instance == 0 => self.zero(smt::Sort::BitVec(living::COUNT_BITS)),
            SlotKind::Next(half) if instance == 0 => self.address(self.layout.dynamic_start(half)),
            SlotKind::Cell(region) if instance == 0 && self.model.regions.shape(region).zero => {
                let element = self.model.regions.shape(region).element;
                self.zero(element)
            }
            SlotKind::Register(..)
            | SlotKind::Piece(..)
            | SlotKind::Next(_)
            | SlotKind::Cell(_)
            | SlotKind::Alive(_)
            | SlotKind::HeapCount => self.slots.start(&mut self.terms, slot, instance),
        }
    }
}

//! Slots: everything that a path can change has a number, a name and a sort. The value of slot `x` at the start of a
//! formula of instance `i` is the SSA variable `x@i`. Names that are not those of C variables begin with `?`.

use base::{Id, IdVec, define_id};
use cfa::{Program, VarId};
use rustc_hash::FxHashMap;
use smt::{Sort, TermId, Terms};

define_id!(
    /// A changeable thing of one encoder.
    Slot,
    "slot"
);

/// What a slot stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SlotKind {
    /// A register variable of an activation; globals and functions that do not recurse have depth 0.
    Register(VarId, u32),
    /// A piece of a memory variable that is only accessed at constant offsets.
    Piece(VarId, u32, u32),
    /// The only element of a region.
    Cell(crate::Region),
    /// The address of a memory variable.
    Address(VarId, u32),
    /// Whether a local variable lives, where that is asked.
    Alive(VarId),
    /// How many heap objects live, where that is asked.
    HeapCount,
    /// Where the next object is allocated, zeroed or not.
    Next(crate::MemoryHalf),
}

#[derive(Clone, Debug)]
struct Entry {
    kind: SlotKind,
    name: String,
    sort: Sort,
}

/// All slots of an encoder.
#[derive(Default)]
pub struct Slots {
    entries: IdVec<Slot, Entry>,
    index: FxHashMap<SlotKind, Slot>,
    names: FxHashMap<String, Slot>,
}

impl Slots {
    /// The slot of something.
    pub fn slot(&mut self, kind: SlotKind, describe: impl FnOnce() -> (String, Sort)) -> Slot {
        if let Some(&slot) = self.index.get(&kind) {
            return slot;
        }
        let (name, sort) = describe();
        let slot = self.entries.push(Entry { kind, name: name.clone(), sort });
        let other = self.names.insert(name, slot);
        assert!(other.is_none(), "two slots have the name {}", self.name(slot));
        self.index.insert(kind, slot);
        slot
    }

    /// What a slot stands for.
    pub fn kind(&self, slot: Slot) -> SlotKind {
        self.entries[slot].kind
    }

    /// The slot of something that was used before.
    pub fn find(&self, kind: SlotKind) -> Option<Slot> {
        self.index.get(&kind).copied()
    }

    /// The slot of a name, without instance.
    pub fn named(&self, name: &str) -> Option<Slot> {
        self.names.get(name).copied()
    }

    /// The name of a slot, without instance.
    pub fn name(&self, slot: Slot) -> &str {
        &self.entries[slot].name
    }

    /// What a slot holds.
    pub fn sort(&self, slot: Slot) -> Sort {
        self.entries[slot].sort
    }

    /// The slot's value at the start of formulas of this instance.
    pub fn start(&self, terms: &mut Terms, slot: Slot, instance: u32) -> TermId {
        let entry = &self.entries[slot];
        terms.ssa_var(&entry.name, instance, entry.sort)
    }

    /// All slots so far.
    pub fn ids(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.entries.len()).map(Slot::new)
    }
}

/// The name of a variable's slots: variables of several functions may have one name in C.
pub fn slot_name(program: &Program, var: VarId) -> String {
    format!("{}!{}", program.var_name(var), var.index())
}

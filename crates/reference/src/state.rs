//! What is known of an execution at one place: registers, memory, which objects live.

use crate::memory::Writes;
use crate::segment::Encoder;
use base::define_id;
use cfa::VarId;
use smt::TermId;
use std::collections::{BTreeMap, BTreeSet};

define_id!(
    /// An object of the allocation table.
    ObjectId,
    "object"
);

/// A value: its bits, or a truth value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SymbolicValue {
    /// A bit vector, for `Bool` a truth value.
    pub bits: TermId,
    /// For a pointer that was made from an object's address: which, and how far after its first byte. Then the bits
    /// are the sum of the object's base and this offset.
    pub(crate) origin: Option<(ObjectId, TermId)>,
}

impl SymbolicValue {
    /// A value that carries no object.
    pub fn plain(bits: TermId) -> SymbolicValue {
        SymbolicValue { bits, origin: None }
    }
}

/// Who may live how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lifetime {
    /// Globals and literals.
    Always,
    /// Its bytes are neither read nor written: a function.
    Never,
    /// As [`SymbolicState::live`] says; only heap objects can be freed.
    Heap,
    /// As [`SymbolicState::live`] says.
    Stack,
}

/// A row of the allocation table. Whether it lives is part of the state.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub base: TermId,
    pub size: TermId,
    pub lifetime: Lifetime,
}

/// A place in an execution. Frames are numbered from the program's first function on.
#[derive(Clone, Debug)]
pub struct SymbolicState {
    /// The execution comes here.
    pub guard: TermId,
    /// By frame and variable; frame 0 holds the global ones, too.
    pub registers: BTreeMap<(u32, VarId), SymbolicValue>,
    pub(crate) memory: Writes,
    /// Objects that are not listed do not live, unless they always do.
    pub(crate) live: BTreeMap<ObjectId, TermId>,
    /// Locals whose scope may have ended before. If they live again, it is another object in the same row: a pointer that does
    /// not carry the object may be one to the dead one.
    pub(crate) ended: BTreeSet<ObjectId>,
    /// Whether an address outside of all objects of the table lies in a living object that the table does not know:
    /// an older one, or one of the world outside. An array of truth values.
    pub(crate) other: TermId,
    /// How many bytes of such an object there are from an address in it on. An array of numbers.
    pub(crate) rooms: TermId,
    /// Whether the table knows all objects of the program, since the execution began at its start.
    pub(crate) from_start: bool,
}

impl Encoder<'_> {
    /// Two executions meet: the state is that of `a` where its guard holds, else that of `b`.
    pub(crate) fn merge(&mut self, a: SymbolicState, b: SymbolicState) -> SymbolicState {
        let choice = a.guard;
        assert!(a.registers.keys().eq(b.registers.keys()), "executions that meet are in the same functions");
        let mut registers = BTreeMap::new();
        for (key, &x) in &a.registers {
            let y = b.registers[key];
            registers.insert(*key, self.choose(choice, x, y));
        }
        let no = self.terms.falsity();
        let mut live = BTreeMap::new();
        for &object in a.live.keys().chain(b.live.keys()) {
            let lives = |state: &SymbolicState| state.live.get(&object).copied().unwrap_or(no);
            live.insert(object, self.terms.ite(choice, lives(&a), lives(&b)));
        }
        let memory = self.merge_memory(choice, a.memory, b.memory);
        let other = self.terms.ite(choice, a.other, b.other);
        let rooms = self.terms.ite(choice, a.rooms, b.rooms);
        let from_start = a.from_start && b.from_start;
        let ended = a.ended.into_iter().chain(b.ended).collect();
        let guard = self.terms.or([a.guard, b.guard]);
        SymbolicState { guard, registers, memory, live, ended, other, rooms, from_start }
    }

    /// `a` where the condition holds, else `b`. The object is kept if both have the same.
    pub(crate) fn choose(&mut self, condition: TermId, a: SymbolicValue, b: SymbolicValue) -> SymbolicValue {
        let origin = match (a.origin, b.origin) {
            (Some((object, x)), Some((same, y))) if object == same => Some((object, self.terms.ite(condition, x, y))),
            _ => None,
        };
        match origin {
            Some((object, offset)) => self.pointer(object, offset),
            None => SymbolicValue::plain(self.terms.ite(condition, a.bits, b.bits)),
        }
    }

    /// The address `offset` bytes after the base of an object.
    pub(crate) fn pointer(&mut self, object: ObjectId, offset: TermId) -> SymbolicValue {
        let base = self.objects[object].base;
        debug_assert_eq!(self.terms.width(offset), self.terms.width(base), "offsets are as wide as addresses");
        SymbolicValue { bits: self.terms.bv_add(base, offset), origin: Some((object, offset)) }
    }
}

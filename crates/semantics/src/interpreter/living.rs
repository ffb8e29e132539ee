//! What is asked about the objects that live: exact, since every pointer knows the object that it was made from.

use super::machine::Machine;
use super::memory::Memory;
use super::object::Kind;
use super::value::{Origin, Value};
use cfa::{Living, VarKind};
use std::collections::BTreeSet;

/// It is unknown where an object from outside ends.
const BOUNDLESS: u64 = u64::MAX >> 1;

impl Memory {
    /// How many bytes from a pointer on lie in its object; 0 where none do.
    pub fn valid_bytes(&self, pointer: Value) -> u64 {
        match self.kind_of(pointer) {
            Some((Kind::Foreign, _)) => BOUNDLESS & (u64::MAX >> (64 - 8 * self.pointer_bytes())),
            Some((Kind::Static | Kind::Constant | Kind::Stack | Kind::Heap, _)) => self.room(pointer).unwrap_or(0),
            None => 0,
        }
    }

    /// Whether `free` takes the pointer. What came from outside may be given back.
    pub fn is_freeable(&self, pointer: Value) -> bool {
        pointer.bits == 0
            || match self.kind_of(pointer) {
                Some((Kind::Heap, offset)) => offset == 0,
                Some((Kind::Foreign, _)) => true,
                Some((Kind::Static | Kind::Constant | Kind::Stack, _)) | None => false,
            }
    }

    /// Whether the pointer leads into no constant.
    pub(super) fn is_writable(&self, pointer: Value) -> bool {
        !self.is_in_constant(pointer) || self.room(pointer).unwrap_or(0) == 0
    }

    /// Whether the last byte of the object is zero; not if it was never written.
    pub(super) fn ends_with_zero(&self, pointer: Value) -> bool {
        let room = self.room(pointer).unwrap_or(0);
        let last = Value { bits: pointer.bits.wrapping_add(room.wrapping_sub(1)), ..pointer };
        room > 0 && self.load_fast(last, 0, 1).is_some_and(|byte| byte.bits == 0)
    }

    fn heap_count(&self) -> u64 {
        self.living().filter(|&index| self.kind(index) == Kind::Heap).count() as u64
    }

    /// Whether pointers lead from static objects, living locals and these values to every heap object.
    pub fn reaches_heap(&self, roots: impl Iterator<Item = Value>) -> bool {
        let mut queue: Vec<u32> = self.living().filter(|&index| self.kind(index) != Kind::Heap).collect();
        queue.extend(roots.filter_map(|value| self.object_of(value)));
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        while let Some(index) = queue.pop() {
            if seen.insert(index) {
                queue.extend(self.pointers_in(index).into_iter().filter_map(|value| self.object_of(value)));
            }
        }
        self.living().all(|index| self.kind(index) != Kind::Heap || seen.contains(&index))
    }
}

impl Machine<'_> {
    /// The answer to a question, about a pointer where it is about one.
    pub fn living(&self, question: Living, pointer: Value) -> Value {
        Value::number(match question {
            Living::Room(_) => self.memory.valid_bytes(pointer),
            Living::Written(_) => self.memory.written(pointer, Living::MOST_WRITTEN),
            Living::Freeable(_) => u64::from(self.memory.is_freeable(pointer)),
            Living::Ended(_) => u64::from(self.memory.ends_with_zero(pointer)),
            Living::Writable(_) => u64::from(self.memory.is_writable(pointer)),
            Living::Heap => self.memory.heap_count(),
            Living::NoHeap => u64::from(!self.memory.has_heap()),
            Living::Tracked => u64::from(self.memory.reaches_heap(self.registers().into_iter())),
        })
    }

    /// What the registers of the program hold that C knows: globals, parameters and locals of all frames. Temporaries
    /// keep pointers longer than C has them.
    fn registers(&self) -> Vec<Value> {
        let program = self.program;
        let of_program = |kind: VarKind| match kind {
            VarKind::Global | VarKind::Local | VarKind::Parameter => true,
            VarKind::Literal | VarKind::Result | VarKind::Temporary => false,
        };
        let mut values = Vec::new();
        for (var, variable) in program.vars.iter() {
            if variable.function.is_none() && program.register(var).is_some() {
                values.push(self.get(self.compiler.vars[var]));
            }
        }
        for (function, base) in self.running() {
            for &var in &program.functions[function].locals {
                if program.register(var).is_some() && of_program(program.vars[var].kind) {
                    values.push(self.slots[base + self.compiler.vars[var] as usize]);
                }
            }
        }
        values.retain(|value| value.origin != Origin::NONE || value.bits != 0);
        values
    }
}

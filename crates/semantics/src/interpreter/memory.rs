//! Memory as objects and bytes. Every object has an address range of its own, separated from others by a gap. A
//! pointer carries the [`Origin`] of the object it was made from; arithmetic keeps it, so that an access outside the
//! object is noticed even where the address belongs to another one. A value without origin (made from plain numbers, or
//! put together from bytes) is resolved by its address.
//!
//! Bytes may be *undefined*, that is uninitialised. Reading one draws it once and keeps it.

mod bytes;

use super::addresses::{Addresses, Region};
use super::object::{Contents, Fault, Kind, Object};
use super::value::{Origin, Value};
use crate::choices::Draws;
use cfa::addresses::PAGE;
use cfa::{Expr, ExprId, Living, Program};
use std::collections::BTreeMap;

/// All objects.
#[derive(Debug)]
pub struct Memory {
    objects: Vec<Object>,
    /// Slots of dead objects.
    free: Vec<u32>,
    /// Live stack objects, oldest first.
    locals: Vec<u32>,
    /// Those of them that follow each other, addresses falling.
    stack: Vec<u32>,
    /// All other live objects by address.
    others: BTreeMap<u64, u32>,
    foreign: BTreeMap<u64, Value>,
    addresses: Addresses,
    births: u32,
    births_aside: u32,
    pointer_bytes: u64,
    scratch: Vec<u8>,
    /// Whether copies of bytes that were never written count as never written, too.
    keeps_unwritten: bool,
    /// Whether an object lies where it was wished to be.
    has_wished: bool,
    /// Whether constants have their values, so that writing them is an error.
    pub protects: bool,
}

/// Births outside the sequence are numbered from here on.
const ASIDE: u32 = 1 << 31;
/// Made-up objects reach at least this far to both sides of the pointer.
const FOREIGN_REACH: u64 = 1 << 15;
/// And this far after it where addresses are plenty: drivers have structures of some hundred kilobytes.
const FOREIGN_REACH_LP64: u64 = 1 << 19;

/// In larger objects, pointers are only looked for where they are aligned.
const MOST_SCANNED: usize = 1 << 16;

impl Memory {
    /// Without objects.
    pub fn new(program: &Program) -> Self {
        let model = program.model;
        let asks = |id: ExprId| matches!(program.exprs.node(id), Expr::Living(Living::Written(_)));
        Self {
            objects: Vec::new(),
            free: Vec::new(),
            locals: Vec::new(),
            stack: Vec::new(),
            others: BTreeMap::new(),
            foreign: BTreeMap::new(),
            addresses: Addresses::new(model),
            births: 0,
            births_aside: ASIDE,
            pointer_bytes: u64::from(model.pointer_bits() / 8),
            scratch: Vec::new(),
            keeps_unwritten: program.exprs.ids().any(asks),
            has_wished: false,
            protects: false,
        }
    }

    /// The number of the next birth: every object that comes to be has one, and every operation that makes all bytes
    /// of an object, or some range of it, undefined again takes a new one.
    fn next_birth(&mut self) -> u32 {
        self.births += 1;
        self.births - 1
    }

    /// Brings an object to life and gives a pointer to its first byte.
    pub fn create(
        &mut self,
        size: u64,
        align: u64,
        kind: Kind,
        contents: Contents,
        draws: &mut Draws<'_>,
    ) -> Result<Value, Fault> {
        debug_assert!(align == 0 || align.is_power_of_two(), "objects are aligned to a power of two, not {align}");
        let birth = self.next_birth();
        let region = match kind {
            Kind::Static | Kind::Constant => Region::Static,
            Kind::Stack => Region::Stack,
            Kind::Heap => Region::Heap,
            Kind::Foreign => Region::Foreign,
        };
        let wished = draws.address(birth).filter(|&base| self.is_free(base, size));
        let others = &self.others;
        let is_unused = |base: u64| {
            others.range(..=base + size).next_back().is_none_or(|(_, &index)| {
                let object = &self.objects[index as usize];
                object.base + object.size < base
            })
        };
        let again = match (wished, kind) {
            (None, Kind::Heap) => self.addresses.place_again(size, align, is_unused),
            _ => None,
        };
        self.has_wished |= wished.is_some();
        let base = match wished.or(again) {
            Some(base) => base,
            None => loop {
                let base = self.addresses.place(region, size, align).ok_or(Fault::TooLarge)?;
                // An object that got its wish may lie where the next one would be placed.
                if !self.has_wished || self.is_free(base, size) {
                    break base;
                }
            },
        };
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.objects.push(Object {
                    base: 0,
                    size: 0,
                    generation: 0,
                    kind,
                    contents,
                    birth,
                    data: Vec::new(),
                    undefined: Vec::new(),
                    unwritten: None,
                    origins: Vec::new(),
                    constant: false,
                    ended: false,
                });
                self.objects.len() as u32 - 1
            }
        };
        let object = &mut self.objects[index as usize];
        (object.base, object.size, object.kind, object.contents, object.birth) = (base, size, kind, contents, birth);
        (object.constant, object.ended) = (false, false);
        object.unwritten = self.keeps_unwritten.then(Vec::new);
        object.forget();
        if kind == Kind::Stack {
            self.locals.push(index);
        }
        if kind == Kind::Stack && wished.is_none() {
            debug_assert!(self.stack.last().is_none_or(|&last| base + size < self.objects[last as usize].base));
            self.stack.push(index);
        } else {
            let before = self.others.insert(base, index);
            assert!(before.is_none(), "two objects at {base:#x}");
        }
        Ok(Value { bits: base, origin: Origin::new(index as usize, self.objects[index as usize].generation) })
    }

    fn is_free(&self, base: u64, size: u64) -> bool {
        let end = base.saturating_add(size.max(1));
        let overlaps = |index: &u32| {
            let object = &self.objects[*index as usize];
            object.base <= end && base <= object.base + object.size
        };
        base >= PAGE
            && !self.stack.iter().any(overlaps)
            && !self.others.range(..=end).next_back().is_some_and(|(_, index)| overlaps(index))
    }

    /// The height of the stack, to return to.
    pub fn mark(&self) -> (u32, u64) {
        (self.locals.len() as u32, self.addresses.stack)
    }

    /// Ends the life of the stack objects made since `mark`.
    #[inline]
    pub fn release(&mut self, mark: (u32, u64)) {
        debug_assert!(mark.0 as usize <= self.locals.len(), "marks are returned to in the order of calls");
        debug_assert!(mark.1 >= self.addresses.stack, "the stack grows downwards");
        while self.locals.len() > mark.0 as usize {
            let index = self.locals.pop().expect("longer than the mark");
            if self.stack.last() == Some(&index) {
                self.stack.pop();
            } else {
                self.others.remove(&self.objects[index as usize].base);
            }
            self.bury(index);
        }
        self.addresses.stack = mark.1;
    }

    fn bury(&mut self, index: u32) {
        debug_assert!(self.free.len() < self.objects.len(), "an object dies once");
        let object = &mut self.objects[index as usize];
        object.generation = object.generation.wrapping_add(1);
        self.free.push(index);
    }

    /// Ends the life of a heap object.
    pub fn release_heap(&mut self, pointer: Value) -> Result<(), Fault> {
        let (index, offset) = self.locate(pointer).map_err(|fault| match fault {
            Fault::Dead => Fault::Dead,
            _ => Fault::BadFree,
        })?;
        let object = &mut self.objects[index];
        match object.kind {
            Kind::Heap if offset == 0 => {}
            // What came from outside may be given back.
            Kind::Foreign => {}
            Kind::Heap | Kind::Static | Kind::Constant | Kind::Stack => return Err(Fault::BadFree),
        }
        object.data = Vec::new();
        let (base, size) = (object.base, object.size);
        let known = self.others.remove(&base);
        assert_eq!(known, Some(index as u32), "what is on the heap is found by its address");
        self.addresses.give_back(base, size);
        self.bury(index as u32);
        Ok(())
    }

    /// The scope of a stack object ends: from now on it is dead, although its place stays taken until the function returns.
    pub fn end(&mut self, pointer: Value) {
        if let Ok((index, _)) = self.locate(pointer)
            && self.objects[index].kind == Kind::Stack
        {
            let object = &mut self.objects[index];
            object.ended = true;
            // Without data every fast access fails.
            object.data.clear();
            object.undefined.clear();
            object.origins.clear();
        }
    }

    /// A local comes into scope. If its scope ended before, it is another object now, at the same place: pointers to the
    /// last one stay dead.
    pub fn begin(&mut self, pointer: Value) -> Value {
        assert!(pointer.origin.is_known(), "locals have origins");
        let index = (pointer.origin.0 as u32).wrapping_sub(1) as usize;
        let object = &mut self.objects[index];
        if std::mem::take(&mut object.ended) {
            object.generation = object.generation.wrapping_add(1);
        }
        Value { bits: pointer.bits, origin: Origin::new(index, object.generation) }
    }

    /// The kind of a pointer's living object, and the offset in it.
    pub(super) fn kind_of(&self, pointer: Value) -> Option<(Kind, u64)> {
        let (index, offset) = self.locate(pointer).ok()?;
        Some((self.objects[index].kind, offset))
    }

    pub(super) fn pointer_bytes(&self) -> u64 {
        self.pointer_bytes
    }

    /// All living objects.
    pub(super) fn living(&self) -> impl Iterator<Item = u32> + '_ {
        let all = self.stack.iter().chain(self.others.values()).copied();
        all.filter(|&index| !self.objects[index as usize].ended)
    }

    pub(super) fn kind(&self, index: u32) -> Kind {
        self.objects[index as usize].kind
    }

    /// A local of the program is `const`.
    pub fn make_constant(&mut self, pointer: Value) {
        let (index, _) = self.locate(pointer).expect("it was just made");
        self.objects[index].constant = true;
    }

    /// Whether the living object of a pointer is constant.
    pub(super) fn is_in_constant(&self, pointer: Value) -> bool {
        self.locate(pointer).is_ok_and(|(index, _)| {
            let object = &self.objects[index];
            object.constant || object.kind == Kind::Constant
        })
    }

    /// Whether a heap object lives.
    pub(super) fn has_heap(&self) -> bool {
        self.others.values().any(|&index| self.kind(index) == Kind::Heap)
    }

    /// The living object that a value points into, or to the end of.
    pub(super) fn object_of(&self, value: Value) -> Option<u32> {
        let (index, offset) = self.locate(value).ok()?;
        (offset <= self.objects[index].size).then_some(index as u32)
    }

    /// Whatever may be a pointer among the bytes that an object is known to hold.
    pub(super) fn pointers_in(&self, index: u32) -> Vec<Value> {
        let (object, word) = (&self.objects[index as usize], self.pointer_bytes);
        let mut found = Vec::new();
        // Packed structures have pointers anywhere.
        let step = if object.data.len() <= MOST_SCANNED { 1 } else { word as usize };
        for at in (0..(object.data.len() as u64 + 1).saturating_sub(word)).step_by(step) {
            if !object.undefined.is_empty() && !object.is_defined(at, word) {
                continue;
            }
            let mut bytes = [0; 8];
            bytes[..word as usize].copy_from_slice(&object.data[at as usize..(at + word) as usize]);
            let value = Value { bits: u64::from_le_bytes(bytes), origin: object.origin_at(at, word) };
            if value.bits >= PAGE {
                found.push(value);
            }
        }
        found
    }

    /// The pointer that a nonzero `value` from outside stands for: into an object of its own.
    pub fn foreign(&mut self, value: u64, draws: &mut Draws<'_>) -> Result<Value, Fault> {
        debug_assert_ne!(value, 0, "null points nowhere");
        if let Some(&known) = self.foreign.get(&value) {
            return Ok(known);
        }
        let behind = if self.pointer_bytes == 8 { FOREIGN_REACH_LP64 } else { FOREIGN_REACH };
        let made = self.create(FOREIGN_REACH + behind, PAGE, Kind::Foreign, Contents::Outside, draws)?;
        let pointer = Value { bits: made.bits + FOREIGN_REACH, origin: made.origin };
        self.foreign.insert(value, pointer);
        Ok(pointer)
    }

    /// The same for a value that does not come from a `Havoc`: what is made up then has a birth number outside the sequence.
    pub fn foreign_aside(&mut self, value: u64, draws: &mut Draws<'_>) -> Result<Value, Fault> {
        let births = std::mem::replace(&mut self.births, self.births_aside);
        let pointer = self.foreign(value, draws);
        self.births_aside = std::mem::replace(&mut self.births, births);
        debug_assert!(self.births < ASIDE && ASIDE <= self.births_aside, "the two sequences stay apart");
        pointer
    }

    /// The object of a pointer and the offset in it, which may lie outside.
    #[inline]
    fn locate(&self, pointer: Value) -> Result<(usize, u64), Fault> {
        if !pointer.origin.is_known() {
            return self.find(pointer.bits);
        }
        let index = (pointer.origin.0 as u32 - 1) as usize;
        let object = &self.objects[index];
        if object.generation != (pointer.origin.0 >> 32) as u32 || object.ended {
            return Err(Fault::Dead);
        }
        Ok((index, pointer.bits.wrapping_sub(object.base)))
    }

    /// The live object at an address, its end included.
    fn find(&self, address: u64) -> Result<(usize, u64), Fault> {
        if address < PAGE {
            return Err(Fault::Null);
        }
        let above = self.stack.partition_point(|&index| self.objects[index as usize].base > address);
        let on_stack = self.stack.get(above).copied();
        let other = self.others.range(..=address).next_back().map(|(_, &index)| index);
        for index in [on_stack, other].into_iter().flatten() {
            let object = &self.objects[index as usize];
            debug_assert!(object.base <= address, "objects are found from above");
            if address - object.base <= object.size && !object.ended {
                return Ok((index as usize, address - object.base));
            }
        }
        Err(Fault::NoObject)
    }

    /// How many bytes lie between a pointer and the end of its object.
    pub fn room(&self, pointer: Value) -> Result<u64, Fault> {
        let (index, offset) = self.locate(pointer)?;
        self.objects[index].size.checked_sub(offset).ok_or(Fault::OutOfBounds)
    }
}

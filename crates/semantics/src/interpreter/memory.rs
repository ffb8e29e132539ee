//! Memory as objects and bytes. Every object has an address range of its own, separated from others by a gap. A
//! pointer carries the [`Origin`] of the object it was made from; arithmetic keeps it, so that an access outside the
//! object is noticed even where the address belongs to another one. A value without origin (made from plain numbers, or
//! put together from bytes) is resolved by its address.
//!
//! Bytes may be *undefined*, that is uninitialised. Reading one draws it once and keeps it.

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
        assert_ne!(pointer.origin, Origin::NONE, "locals have origins");
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
        if pointer.origin == Origin::NONE {
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

    /// Like `locate`, for an access to `size` bytes.
    fn access(&self, pointer: Value, size: u64) -> Result<(usize, u64), Fault> {
        let (index, offset) = self.locate(pointer)?;
        let object = &self.objects[index];
        if offset.checked_add(size).is_none_or(|end| end > object.size) {
            return Err(Fault::OutOfBounds);
        }
        Ok((index, offset))
    }

    /// Reads up to 8 bytes if that needs no draw; the common case.
    #[inline(always)]
    pub fn load_fast(&self, pointer: Value, offset: i32, bytes: u64) -> Option<Value> {
        let index = (pointer.origin.0 as u32).wrapping_sub(1) as usize;
        let object = self.objects.get(index)?;
        let at = pointer.bits.wrapping_add(offset as i64 as u64).wrapping_sub(object.base);
        let live = object.generation == (pointer.origin.0 >> 32) as u32;
        if !live || at >= object.data.len() as u64 || !object.undefined.is_empty() && !object.is_defined(at, bytes) {
            return None;
        }
        let at = at as usize;
        let bits = match bytes {
            1 => u64::from(object.data[at]),
            2 => u64::from(u16::from_le_bytes(object.data.get(at..at + 2)?.try_into().ok()?)),
            4 => u64::from(u32::from_le_bytes(object.data.get(at..at + 4)?.try_into().ok()?)),
            8 => u64::from_le_bytes(object.data.get(at..at + 8)?.try_into().ok()?),
            _ => return None,
        };
        let origin = if object.origins.is_empty() || bytes != self.pointer_bytes {
            Origin::NONE
        } else {
            object.origin_at(at as u64, self.pointer_bytes)
        };
        Some(Value { bits, origin })
    }

    /// Writes up to 8 bytes if that is simple; the common case. Says whether it was.
    #[inline(always)]
    pub fn store_fast(&mut self, pointer: Value, offset: i32, bytes: u64, value: Value) -> bool {
        let index = (pointer.origin.0 as u32).wrapping_sub(1) as usize;
        let pointer_bytes = self.pointer_bytes;
        let Some(object) = self.objects.get_mut(index) else { return false };
        let at = pointer.bits.wrapping_add(offset as i64 as u64).wrapping_sub(object.base);
        let live = object.generation == (pointer.origin.0 >> 32) as u32;
        let len = object.data.len() as u64;
        if !live || at >= len || len - at < bytes || object.kind == Kind::Constant {
            return false;
        }
        if !object.undefined.is_empty() {
            object.define(at, bytes);
        }
        if value.origin != Origin::NONE || !object.origins.is_empty() {
            object.set_origin(at, bytes, value.origin, pointer_bytes);
        }
        let start = at as usize;
        match bytes {
            1 => object.data[start] = value.bits as u8,
            2 => object.data[start..start + 2].copy_from_slice(&(value.bits as u16).to_le_bytes()),
            4 => object.data[start..start + 4].copy_from_slice(&(value.bits as u32).to_le_bytes()),
            8 => object.data[start..start + 8].copy_from_slice(&value.bits.to_le_bytes()),
            _ => {
                let all = value.bits.to_le_bytes();
                object.data[start..start + bytes as usize].copy_from_slice(&all[..bytes as usize]);
            }
        }
        true
    }

    /// Reads up to 16 bytes; undefined ones are drawn. The origin counts for pointers only.
    pub fn load(&mut self, pointer: Value, bytes: u64, draws: &mut Draws<'_>) -> Result<(u128, Origin), Fault> {
        assert!((1..=16).contains(&bytes), "{bytes} bytes are no scalar");
        let (index, offset) = self.access(pointer, bytes)?;
        let pointer_bytes = self.pointer_bytes;
        let object = &mut self.objects[index];
        object.reach(offset + bytes)?;
        object.draw(offset, bytes, draws);
        let mut all = [0; 16];
        all[..bytes as usize].copy_from_slice(&object.data[offset as usize..(offset + bytes) as usize]);
        let origin = if bytes == pointer_bytes { object.origin_at(offset, pointer_bytes) } else { Origin::NONE };
        Ok((u128::from_le_bytes(all), origin))
    }

    /// Reads a pointer. If all its bytes are undefined and come from outside, it is null or points outside.
    pub fn load_pointer(&mut self, pointer: Value, draws: &mut Draws<'_>) -> Result<Value, Fault> {
        let bytes = self.pointer_bytes;
        let (index, offset) = self.access(pointer, bytes)?;
        let object = &mut self.objects[index];
        object.reach(offset + bytes)?;
        let outside = matches!(object.contents, Contents::Outside | Contents::Unmodelled(_))
            && !object.undefined.is_empty()
            && (offset..offset + bytes).all(|at| !object.is_defined(at, 1));
        let (bits, origin) = self.load(pointer, bytes, draws)?;
        let mut value = Value { bits: bits as u64, origin };
        if outside && value.bits != 0 {
            value = self.foreign_aside(value.bits, draws)?;
            self.store(pointer, bytes, u128::from(value.bits), value.origin)?;
        }
        Ok(value)
    }

    /// Writes up to 16 bytes.
    pub fn store(&mut self, pointer: Value, bytes: u64, bits: u128, origin: Origin) -> Result<(), Fault> {
        assert!((1..=16).contains(&bytes), "{bytes} bytes are no scalar");
        let (index, offset) = self.access(pointer, bytes)?;
        let pointer_bytes = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        object.write(offset, &bits.to_le_bytes()[..bytes as usize])?;
        object.set_origin(offset, bytes, origin, pointer_bytes);
        Ok(())
    }

    /// Sets the bytes of a global or literal before the program runs.
    pub fn initialise(
        &mut self,
        pointer: Value,
        offset: u64,
        bytes: u64,
        bits: u128,
        origin: Origin,
    ) -> Result<(), Fault> {
        assert!((1..=16).contains(&bytes), "{bytes} bytes are no scalar");
        let (index, _) = self.access(pointer, offset + bytes)?;
        let pointer_bytes = self.pointer_bytes;
        let object = &mut self.objects[index];
        object.write(offset, &bits.to_le_bytes()[..bytes as usize])?;
        if origin != Origin::NONE {
            object.set_origin(offset, bytes, origin, pointer_bytes);
        }
        Ok(())
    }

    /// How many bytes from a pointer on were written, up to the first that was not, at most `limit`.
    pub fn written(&self, pointer: Value, limit: u64) -> u64 {
        let Ok((index, offset)) = self.locate(pointer) else { return limit };
        let object = &self.objects[index];
        let room = object.size.saturating_sub(offset).min(limit);
        (0..room).find(|at| !object.is_written(offset + at)).unwrap_or(limit)
    }

    /// Copies bytes, undefined ones after drawing them, with the origins of the pointers among them.
    pub fn copy(&mut self, to: Value, from: Value, size: u64, draws: &mut Draws<'_>) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let (source, from) = self.access(from, size)?;
        let (target, to) = self.access(to, size)?;
        if self.objects[target].kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        let word = self.pointer_bytes;
        let object = &mut self.objects[source];
        object.reach(from + size)?;
        let unwritten: Vec<u64> = match self.keeps_unwritten {
            true => (0..size).filter(|at| !object.is_written(from + at)).collect(),
            false => Vec::new(),
        };
        object.draw(from, size, draws);
        let mut bytes = std::mem::take(&mut self.scratch);
        bytes.clear();
        bytes.extend_from_slice(&object.data[from as usize..(from + size) as usize]);
        let origins: Vec<(u64, Origin)> = if object.origins.is_empty() || (to.wrapping_sub(from)) % word != 0 {
            Vec::new()
        } else {
            let slots = from.div_ceil(word)..(from + size) / word;
            slots.map(|slot| (slot * word - from, object.origins[slot as usize])).collect()
        };
        let object = &mut self.objects[target];
        object.write(to, &bytes)?;
        object.set_origin(to, size, Origin::NONE, word);
        for (at, origin) in origins {
            if origin != Origin::NONE {
                object.set_origin(to + at, word, origin, word);
            }
        }
        unwritten.into_iter().for_each(|at| object.mark_unwritten(to + at));
        self.scratch = bytes;
        Ok(())
    }

    /// Sets bytes.
    pub fn fill(&mut self, to: Value, byte: u8, size: u64) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let (index, offset) = self.access(to, size)?;
        let word = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        object.reach(offset + size)?;
        object.data[offset as usize..(offset + size) as usize].fill(byte);
        object.define(offset, size);
        object.set_origin(offset, size, Origin::NONE, word);
        Ok(())
    }

    /// Makes `size` bytes, or the whole object, undefined.
    pub fn forget(
        &mut self,
        to: Value,
        size: Option<u64>,
        contents: Contents,
        draws: &mut Draws<'_>,
    ) -> Result<(), Fault> {
        let (index, offset) = self.access(to, size.unwrap_or(0))?;
        let birth = self.next_birth();
        let word = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        match size {
            Some(size) if size < object.size => {
                object.reach(offset + size)?;
                if let Contents::Unmodelled(edge) = contents {
                    draws.unmodelled.get_or_insert(edge);
                }
                for at in offset..offset + size {
                    object.data[at as usize] = draws.byte(birth, at, object.base + at);
                }
                object.define(offset, size);
                object.set_origin(offset, size, Origin::NONE, word);
            }
            Some(_) | None => {
                (object.birth, object.contents) = (birth, contents);
                object.forget();
            }
        }
        Ok(())
    }

    /// How many bytes lie between a pointer and the end of its object.
    pub fn room(&self, pointer: Value) -> Result<u64, Fault> {
        let (index, offset) = self.locate(pointer)?;
        self.objects[index].size.checked_sub(offset).ok_or(Fault::OutOfBounds)
    }

    /// The bytes of a C string without its end, at most `limit` of them.
    pub fn string_up_to(&mut self, pointer: Value, limit: u64, draws: &mut Draws<'_>) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        let mut at = pointer;
        while (text.len() as u64) < limit {
            let byte = self.load(at, 1, draws)?.0 as u8;
            if byte == 0 {
                break;
            }
            text.push(byte);
            at.bits += 1;
        }
        Ok(text)
    }

    /// Writes bytes.
    pub fn write(&mut self, to: Value, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (index, offset) = self.access(to, bytes.len() as u64)?;
        let word = self.pointer_bytes;
        let object = &mut self.objects[index];
        if object.kind == Kind::Constant && self.protects {
            return Err(Fault::ReadOnly);
        }
        object.write(offset, bytes)?;
        object.set_origin(offset, bytes.len() as u64, Origin::NONE, word);
        Ok(())
    }
}

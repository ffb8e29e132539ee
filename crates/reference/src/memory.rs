//! Memory as the list of all writes. A read goes through them from the last to the first: it takes the bytes that a
//! write gave, or looks further, until the bytes that memory held at the start, in one flat array.

use crate::Refusal;
use crate::segment::Encoder;
use crate::state::{Lifetime, ObjectId, SymbolicState, SymbolicValue};
use base::Id;
use smt::{Op, TermId};

base::define_id!(
    /// The last of a list of writes.
    Writes,
    "memory"
);

/// Lists longer than this are refused: reads recurse over them.
const LONGEST: u32 = 1500;
/// So many bytes are written at once at most.
const WIDEST: u64 = 32;

/// Where an access begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spot {
    /// The object that it stays in; `None`: whichever lies at the address.
    pub object: Option<ObjectId>,
    /// From the object's first byte, or an address.
    pub at: TermId,
}

/// What a write does. All but `Start` and `Merge` happen only where `when` holds.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    /// What memory holds before all writes.
    Start { bytes: TermId },
    /// The bytes of a value, the lowest first.
    Value { to: Spot, value: TermId },
    /// Copies of one byte.
    Fill { to: Spot, size: TermId, byte: TermId },
    /// Bytes of another array, at the same addresses.
    Arbitrary { to: Spot, size: TermId, bytes: TermId },
    /// Copies of bytes before this write; where the source is not valid, bytes of another array.
    Copy { to: Spot, from: Spot, size: TermId, valid: TermId, bytes: TermId },
    /// All bytes outside the objects of the table come from another array.
    Forget { known: Vec<ObjectId>, bytes: TermId },
    /// One list or the other.
    Merge { choice: TermId, other: Writes },
}

#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub write: Write,
    pub when: TermId,
    /// The writes before; for `Merge` those of the chosen list; for `Start` itself.
    pub before: Writes,
    depth: u32,
}

impl Encoder<'_> {
    pub(crate) fn start_memory(&mut self, bytes: TermId) -> Writes {
        let when = self.terms.truth();
        self.writes.push(Written {
            write: Write::Start { bytes },
            when,
            before: Writes::new(self.writes.len()),
            depth: 0,
        })
    }

    pub(crate) fn write(&mut self, state: &mut SymbolicState, write: Write, when: TermId) {
        if self.terms.as_bool(when) == Some(false) {
            return;
        }
        debug_assert!(self.fits(&write), "addresses and sizes are words, contents bytes");
        let depth = self.writes[state.memory].depth + 1;
        state.memory = self.writes.push(Written { write, when, before: state.memory, depth });
    }

    /// Whether the terms of a write have the widths that they are used with.
    fn fits(&self, write: &Write) -> bool {
        let word = |term: TermId| self.terms.width(term) == self.program.model.pointer_bits();
        match *write {
            Write::Start { .. } | Write::Merge { .. } | Write::Forget { .. } => true,
            Write::Value { to, value } => word(to.at) && self.terms.width(value).is_multiple_of(8),
            Write::Fill { to, size, byte } => word(to.at) && word(size) && self.terms.width(byte) == 8,
            Write::Arbitrary { to, size, .. } => word(to.at) && word(size),
            Write::Copy { to, from, size, .. } => word(to.at) && word(from.at) && word(size),
        }
    }

    pub(crate) fn merge_memory(&mut self, choice: TermId, a: Writes, b: Writes) -> Writes {
        if a == b || self.terms.as_bool(choice) == Some(true) {
            return a;
        }
        let depth = self.writes[a].depth.max(self.writes[b].depth) + 1;
        let when = self.terms.truth();
        self.writes.push(Written { write: Write::Merge { choice, other: b }, when, before: a, depth })
    }

    /// Where a pointer leads.
    pub(crate) fn spot(&self, pointer: SymbolicValue) -> Spot {
        match pointer.origin {
            Some((object, at)) => Spot { object: Some(object), at },
            None => Spot { object: None, at: pointer.bits },
        }
    }

    pub(crate) fn address(&mut self, place: Spot) -> TermId {
        match place.object {
            Some(object) => self.pointer(object, place.at).bits,
            None => place.at,
        }
    }

    pub(crate) fn behind(&mut self, place: Spot, distance: TermId) -> Spot {
        Spot { at: self.terms.bv_add(place.at, distance), ..place }
    }

    /// How far `a` lies after `b`, modulo the address space; `None` if they lie in different objects that live at the
    /// same time, which no access that stays in its object confuses.
    fn distance(&mut self, a: Spot, b: Spot) -> Option<TermId> {
        let (x, y) = match (a.object, b.object) {
            (Some(one), Some(other)) if one != other => return None,
            (Some(_), Some(_)) => (a.at, b.at),
            _ => (self.address(a), self.address(b)),
        };
        Some(self.terms.bv_sub(x, y))
    }

    /// Whether an object lives and holds `size` bytes from `distance` on.
    fn holds(&mut self, state: &SymbolicState, object: ObjectId, distance: TermId, size: TermId) -> TermId {
        let whole = self.objects[object].size;
        let fits = self.terms.bv_ule(size, whole);
        let room = self.terms.bv_sub(whole, size);
        let inside = self.terms.bv_ule(distance, room);
        let lives = self.lives(state, object);
        self.terms.and([lives, fits, inside])
    }

    pub(crate) fn lives(&mut self, state: &SymbolicState, object: ObjectId) -> TermId {
        match self.objects[object].lifetime {
            Lifetime::Always => self.terms.truth(),
            Lifetime::Never => self.terms.falsity(),
            Lifetime::Heap | Lifetime::Stack => {
                state.live.get(&object).copied().unwrap_or_else(|| self.terms.falsity())
            }
        }
    }

    /// Whether the access of `size` bytes stays in one living object.
    pub(crate) fn valid(&mut self, state: &SymbolicState, place: Spot, size: TermId) -> TermId {
        let zero = self.word(0);
        let nothing = self.terms.eq(size, zero);
        if let Some(object) = place.object {
            let holds = self.holds(state, object, place.at, size);
            return self.terms.or([nothing, holds]);
        }
        self.inexact = true;
        let one = self.word(1);
        let (mut ways, mut outside) = (vec![nothing], Vec::new());
        for object in self.objects.ids().collect::<Vec<_>>() {
            let distance = self.terms.bv_sub(place.at, self.objects[object].base);
            ways.push(self.holds(state, object, distance, size));
            let inside = self.holds(state, object, distance, one);
            outside.push(self.terms.not(inside));
        }
        outside.push(self.terms.select(state.other, place.at));
        ways.push(self.terms.and(outside));
        self.terms.or(ways)
    }

    /// The value of `bytes` bytes, arbitrary where the access is not valid.
    pub(crate) fn load(
        &mut self,
        state: &SymbolicState,
        pointer: SymbolicValue,
        bytes: u64,
    ) -> Result<TermId, Refusal> {
        let place = self.spot(pointer);
        let size = self.word(bytes);
        let valid = self.valid(state, place, size);
        if self.terms.as_bool(valid) != Some(true) {
            self.inside.push(valid);
        }
        let arbitrary = self.fresh_bits("outside", 8 * bytes as u32);
        if self.terms.as_bool(valid) == Some(false) {
            return Ok(arbitrary);
        }
        let value = self.read(state.memory, place, bytes)?;
        Ok(self.terms.ite(valid, value, arbitrary))
    }

    pub(crate) fn store(&mut self, state: &mut SymbolicState, pointer: SymbolicValue, value: TermId) {
        let to = self.spot(pointer);
        let bytes = u64::from(self.terms.width(value) / 8);
        assert!(self.terms.width(value).is_multiple_of(8), "scalars are bytes");
        assert!(bytes <= WIDEST, "a scalar has at most {WIDEST} bytes");
        let size = self.word(bytes);
        let valid = self.valid(state, to, size);
        self.write(state, Write::Value { to, value }, valid);
    }

    /// The bytes at a place, as one number; they lie in one living object.
    pub(crate) fn read(&mut self, memory: Writes, from: Spot, bytes: u64) -> Result<TermId, Refusal> {
        if self.writes[memory].depth > LONGEST {
            return Err(Refusal::Large("too many writes to memory"));
        }
        self.limits()?;
        if let Some(&known) = self.reads.get(&(memory, from, bytes)) {
            return Ok(known);
        }
        let value = match self.read_whole(memory, from, bytes)? {
            Some(value) => value,
            None => {
                let mut value = None;
                for k in 0..bytes {
                    let distance = self.word(k);
                    let place = self.behind(from, distance);
                    let byte = self.read(memory, place, 1)?;
                    value = Some(value.map_or(byte, |low| self.terms.bv_concat(byte, low)));
                }
                value.expect("a read takes bytes")
            }
        };
        assert_eq!(u64::from(self.terms.width(value)), 8 * bytes, "as many bytes as were asked for");
        self.reads.insert((memory, from, bytes), value);
        Ok(value)
    }

    /// The bytes at once; `None` if the last write may have given some of them and not others.
    fn read_whole(&mut self, memory: Writes, from: Spot, bytes: u64) -> Result<Option<TermId>, Refusal> {
        let Written { write, when, before, .. } = self.writes[memory].clone();
        let (written, to, distance, size) = match write {
            Write::Start { bytes: array } if bytes == 1 => {
                let address = self.address(from);
                return Ok(Some(self.terms.select(array, address)));
            }
            Write::Start { .. } => return Ok(None),
            Write::Merge { choice, other } => {
                let (yes, no) = (self.read(before, from, bytes)?, self.read(other, from, bytes)?);
                return Ok(Some(self.terms.ite(choice, yes, no)));
            }
            Write::Forget { known, bytes: array } => {
                return self.read_forgotten((when, before), from, bytes, &known, array);
            }
            Write::Value { to, value } => {
                let Some(distance) = self.distance(from, to) else { return self.read(before, from, bytes).map(Some) };
                return self.read_value((when, before), (from, to, distance), bytes, value);
            }
            Write::Fill { to, size, byte } => {
                let Some(distance) = self.distance(from, to) else { return self.read(before, from, bytes).map(Some) };
                (byte, to, distance, size)
            }
            Write::Arbitrary { to, size, bytes: array } => {
                let Some(distance) = self.distance(from, to) else { return self.read(before, from, bytes).map(Some) };
                let address = self.address(from);
                (self.terms.select(array, address), to, distance, size)
            }
            Write::Copy { to, from: source, size, valid, bytes: array } => {
                let Some(distance) = self.distance(from, to) else { return self.read(before, from, bytes).map(Some) };
                if bytes > 1 {
                    return Ok(None);
                }
                let place = self.behind(source, distance);
                let copied = self.read(before, place, 1)?;
                let address = self.address(from);
                let arbitrary = self.terms.select(array, address);
                (self.terms.ite(valid, copied, arbitrary), to, distance, size)
            }
        };
        if bytes > 1 {
            return Ok(None);
        }
        // A read that stays in its object touches nothing but what a write to the whole object gave.
        let whole = from.object.is_some_and(|object| to.object == Some(object) && self.objects[object].size == size);
        let whole = whole && self.terms.as_bv(to.at).is_some_and(|at| at.is_zero());
        let inside = if whole { self.terms.truth() } else { self.terms.bv_ult(distance, size) };
        let taken = self.terms.and([when, inside]);
        self.otherwise(taken, written, (before, from, 1)).map(Some)
    }

    /// A value that was written, and a read that begins `distance` bytes after it.
    fn read_value(
        &mut self,
        (when, before): (TermId, Writes),
        (from, to, distance): (Spot, Spot, TermId),
        bytes: u64,
        value: TermId,
    ) -> Result<Option<TermId>, Refusal> {
        let width = u64::from(self.terms.width(value) / 8);
        let zero = self.word(0);
        if bytes == width {
            // Both begin at multiples of their size, counted from one place: they are the same bytes, or they do not touch.
            let apart = from.object == to.object && from.object.is_some();
            let apart = apart && bytes.is_power_of_two();
            let even = |place: Spot| 1u64 << self.trailing_zeros(place.at, 8).min(63) >= bytes;
            if self.terms.as_bv(distance).is_some_and(|d| d.is_zero()) || apart && even(from) && even(to) {
                let same = self.terms.eq(distance, zero);
                let taken = self.terms.and([when, same]);
                return self.otherwise(taken, value, (before, from, bytes)).map(Some);
            }
        }
        if let Some(d) = self.terms.as_bv(distance).and_then(|d| d.to_u64()) {
            let last = (d.wrapping_add(bytes - 1)) & self.largest_word();
            // Modulo the address space: the read lies beside the write.
            if d >= width && last >= width && last >= d {
                return self.read(before, from, bytes).map(Some);
            }
            if d < width && d + bytes <= width {
                let part = self.terms.bv_extract(value, 8 * (d + bytes) as u32 - 1, 8 * d as u32);
                return self.otherwise(when, part, (before, from, bytes)).map(Some);
            }
        }
        if bytes > 1 {
            return Ok(None);
        }
        let mut result = self.read(before, from, 1)?;
        for k in 0..width {
            let offset = self.word(k);
            let here = self.terms.eq(distance, offset);
            let taken = self.terms.and([when, here]);
            let byte = self.terms.bv_extract(value, 8 * k as u32 + 7, 8 * k as u32);
            result = self.terms.ite(taken, byte, result);
        }
        Ok(Some(result))
    }

    fn read_forgotten(
        &mut self,
        (when, before): (TermId, Writes),
        from: Spot,
        bytes: u64,
        known: &[ObjectId],
        array: TermId,
    ) -> Result<Option<TermId>, Refusal> {
        if from.object.is_some_and(|object| known.contains(&object)) {
            return self.read(before, from, bytes).map(Some);
        }
        if bytes > 1 {
            return Ok(None);
        }
        let address = self.address(from);
        let mut outside = vec![when];
        for &object in known {
            let (base, size) = (self.objects[object].base, self.objects[object].size);
            let distance = self.terms.bv_sub(address, base);
            outside.push(self.terms.bv_ule(size, distance));
        }
        let taken = self.terms.and(outside);
        let byte = self.terms.select(array, address);
        self.otherwise(taken, byte, (before, from, 1)).map(Some)
    }

    /// The value if the condition holds, else what was there before.
    fn otherwise(
        &mut self,
        taken: TermId,
        value: TermId,
        (before, from, bytes): (Writes, Spot, u64),
    ) -> Result<TermId, Refusal> {
        if self.terms.as_bool(taken) == Some(true) {
            return Ok(value);
        }
        let old = self.read(before, from, bytes)?;
        Ok(self.terms.ite(taken, value, old))
    }

    /// So many low bits of a number are zero, at least.
    fn trailing_zeros(&self, term: TermId, depth: u32) -> u32 {
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let args = self.terms.args(term);
        let zeros = |arg: TermId| self.trailing_zeros(arg, depth);
        match self.terms.op(term) {
            Op::Bv(value) => self.terms.value(value).to_u64().map_or(0, |value| value.trailing_zeros()),
            Op::BvAdd | Op::BvSub => zeros(args[0]).min(zeros(args[1])),
            Op::BvMul => (zeros(args[0]) + zeros(args[1])).min(64),
            Op::BvNeg | Op::BvSignExtend(_) | Op::BvZeroExtend(_) => zeros(args[0]),
            Op::BvConcat => zeros(args[1]).min(self.terms.width(args[1])),
            Op::Ite => zeros(args[1]).min(zeros(args[2])),
            Op::BvShl => match self.terms.as_bv(args[1]).and_then(|by| by.to_u64()) {
                Some(by) => zeros(args[0]) + by.min(64) as u32,
                None => zeros(args[0]),
            },
            _ => 0,
        }
    }
}

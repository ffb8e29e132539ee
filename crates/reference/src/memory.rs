//! Memory as the list of all writes. A read goes through them from the last to the first: it takes the bytes that a
//! write gave, or looks further, until the bytes that memory held at the start, in one flat array.

use crate::{Encoder, Refusal, RowId, SymbolicState as State, SymbolicValue as Value};
use smt::TermId;

base::define_id!(
    /// A list of writes.
    WriteList,
    "memory"
);

/// Lists longer than this are refused: reads recurse over them.
const LONGEST: u32 = 1500;

/// What is written; arrays have bytes at the same addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// The bytes of a value, the lowest first.
    Value(TermId),
    /// Copies of one byte.
    Fill(TermId),
    /// Bytes of an array.
    Array(TermId),
    /// Copies of bytes of an earlier memory.
    Copy { from: Value, memory: WriteList },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Write {
    /// All bytes outside of objects that come before this one in the table: bytes of an array.
    Outside { known: RowId, array: TermId, before: Option<WriteList> },
    /// So many bytes from a place on, where the condition holds.
    Bytes { to: Value, size: TermId, when: TermId, content: Content, before: WriteList },
    /// One list or the other.
    Either { choice: TermId, yes: WriteList, no: WriteList },
}

impl Encoder<'_> {
    fn push(&self, write: Write, before: &[WriteList]) -> WriteList {
        let mut writes = self.tables.writes.borrow_mut();
        let depth = before.iter().map(|&before| writes[before].1 + 1).max().unwrap_or(0);
        writes.push((write, depth))
    }

    /// Memory of which nothing is known.
    pub fn any_memory(&self) -> WriteList {
        self.forget_outside(RowId(0), None)
    }

    /// Memory in which all bytes outside of the objects before this one in the table are arbitrary.
    pub(crate) fn forget_outside(&self, known: RowId, before: Option<WriteList>) -> WriteList {
        let array = self.fresh_array("memory", 8);
        self.push(Write::Outside { known, array, before }, before.as_slice())
    }

    /// One memory or the other.
    pub fn either_memory(&self, choice: TermId, yes: WriteList, no: WriteList) -> WriteList {
        let one = yes == no || self.terms.as_bool(choice) == Some(true);
        if one { yes } else { self.push(Write::Either { choice, yes, no }, &[yes, no]) }
    }

    /// So many bytes from a place on get a content where the condition holds.
    pub(crate) fn write(&self, state: &mut State, (to, size): (Value, TermId), content: Content, when: TermId) {
        let before = state.memory;
        if self.terms.as_bool(when) != Some(false) {
            state.memory = self.push(Write::Bytes { to, size, when, content, before }, &[before]);
        }
    }

    /// The same where all these bytes lie in one living object; elsewhere, nothing changes.
    pub(crate) fn write_inside(&self, state: &mut State, (to, size): (Value, TermId), content: Content) {
        self.write(state, (to, size), content, self.valid(state, to, size));
    }

    /// The same for all bytes of an object.
    pub(crate) fn write_whole(&self, state: &mut State, object: RowId, content: Content, when: TermId) {
        self.write(state, (self.start(object), self.row(object).size), content, when);
    }

    pub(crate) fn any_bytes(&self) -> Content {
        Content::Array(self.fresh_array("bytes", 8))
    }

    /// A value comes to where a pointer leads.
    pub fn store(&self, state: &mut State, to: Value, value: TermId) {
        assert!(self.terms.width(value).is_multiple_of(8), "scalars are bytes");
        let size = self.word(u64::from(self.terms.width(value) / 8));
        self.write_inside(state, (to, size), Content::Value(value));
    }

    /// Whether the access of `size` bytes stays in one living object.
    pub(crate) fn valid(&self, state: &State, pointer: Value, size: TermId) -> TermId {
        let t = &self.terms;
        let inside = |(object, at)| {
            let whole = self.row(object).size;
            t.and([self.lives(state, object), t.bv_ule(size, whole), t.bv_ule(at, t.bv_sub(whole, size))])
        };
        let ways = [t.eq(size, self.word(0)), self.foreign(state, pointer)];
        t.or(self.candidates(pointer).into_iter().map(inside).chain(ways))
    }

    /// The value of `bytes` bytes, arbitrary where the access is not valid.
    pub(crate) fn load(&self, state: &State, pointer: Value, bytes: u64) -> TermId {
        let valid = self.valid(state, pointer, self.word(bytes));
        if self.terms.as_bool(valid) != Some(true) {
            self.inside.borrow_mut().push(valid);
        }
        let arbitrary = self.fresh_bits("outside", 8 * bytes as u32);
        self.terms.ite(valid, self.read(state.memory, pointer, bytes), arbitrary)
    }

    /// The bytes at a place, as one number; they lie in one living object.
    fn read(&self, memory: WriteList, from: Value, bytes: u64) -> TermId {
        let (last, depth) = self.tables.writes.borrow()[memory];
        if depth > LONGEST {
            self.refuse(Refusal::Large("too many writes to memory"));
        }
        if self.check().is_err() {
            return self.fresh_bits("refused", 8 * bytes as u32);
        }
        let known = self.tables.reads.borrow().get(&(memory, from, bytes)).copied();
        known.unwrap_or_else(|| {
            let byte = |k| self.read(memory, self.behind(from, self.word(k)), 1);
            let value = self.read_at_once(last, from, bytes).unwrap_or_else(|| self.terms.join((0..bytes).map(byte)));
            self.tables.reads.borrow_mut().insert((memory, from, bytes), value);
            value
        })
    }

    /// All bytes; `None`: the last write may have given some of them and not others.
    fn read_at_once(&self, last: Write, from: Value, bytes: u64) -> Option<TermId> {
        let t = &self.terms;
        let (to, size, when, content, before) = match last {
            Write::Either { choice, yes, no } => {
                return Some(t.ite(choice, self.read(yes, from, bytes), self.read(no, from, bytes)));
            }
            Write::Outside { known, before: Some(before), .. } if from.origin.is_some_and(|(at, _)| at < known) => {
                return Some(self.read(before, from, bytes));
            }
            // What does not carry an object may lie outside of them.
            Write::Outside { array, .. } => return Some(t.select_range(array, from.bits, bytes)),
            Write::Bytes { to, size, when, content, before } => (to, size, when, content, before),
        };
        let old = || self.read(before, from, bytes);
        let (x, y) = match (from.origin, to.origin) {
            // Objects that live at the same time lie apart, and reads and writes stay in theirs.
            (Some((a, _)), Some((b, _))) if a != b => return Some(old()),
            (Some((_, x)), Some((_, y))) => (x, y),
            _ => (from.bits, to.bits),
        };
        let whole = |(object, at)| from.origin.is_some() && at == self.word(0) && size == self.row(object).size;
        let all = to.origin.is_some_and(whole).then(|| t.truth());
        let inside = all.or_else(|| t.all_or_none((x, bytes), (y, size)))?;
        let new = || self.written((from, bytes), t.bv_sub(x, y), content);
        let taken = t.and([when, inside]);
        Some(t.as_bool(taken).map_or_else(|| t.ite(taken, new(), old()), |taken| if taken { new() } else { old() }))
    }

    /// The bytes of a read that all come from one write, so far after its first byte.
    fn written(&self, (from, bytes): (Value, u64), distance: TermId, content: Content) -> TermId {
        let t = &self.terms;
        match content {
            Content::Value(value) => {
                let part = |at: u64| t.bv_extract(value, 8 * (at + bytes) as u32 - 1, 8 * at as u32);
                let pick = |rest, at| t.ite(t.eq(distance, self.word(at)), part(at), rest);
                let others = (bytes..u64::from(t.width(value) / 8)).step_by(bytes as usize);
                t.as_u64(distance).map_or_else(|| others.fold(part(0), pick), part)
            }
            Content::Fill(byte) => self.terms.join((0..bytes).map(|_| byte)),
            Content::Array(array) => t.select_range(array, from.bits, bytes),
            Content::Copy { from: source, memory } => self.read(memory, self.behind(source, distance), bytes),
        }
    }
}

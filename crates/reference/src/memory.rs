//! Memory as the list of all writes. A read goes through them from the last to the first: it takes the bytes that a
//! write gave, or looks further, until the bytes that memory held at the start, in one flat array.

use crate::{Encoder, ObjectId, Refusal, SymbolicState as State, SymbolicValue as Value};
use smt::TermId;

base::define_id!(
    /// The last of a list of writes.
    Writes,
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
    /// Copies of bytes before this write; where the source is not valid, bytes of an array.
    Copy { from: Value, valid: TermId, otherwise: TermId },
}

#[derive(Clone, Copy, Debug)]
enum Write {
    /// What memory holds before all writes: bytes of an array.
    Start(TermId),
    /// So many bytes from a place on, where the condition holds.
    Bytes { to: Value, size: TermId, when: TermId, content: Content, before: Writes },
    /// All bytes outside of the objects that come before this one in the table.
    Outside { known: ObjectId, content: Content, before: Writes },
    /// One list or the other.
    Merge { choice: TermId, yes: Writes, no: Writes },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    write: Write,
    depth: u32,
}

impl Encoder<'_> {
    fn push(&self, write: Write, before: &[Writes]) -> Writes {
        let mut writes = self.writes.borrow_mut();
        let depth = before.iter().map(|&before| writes[before].depth + 1).max().unwrap_or(0);
        writes.push(Written { write, depth })
    }

    /// Memory of which nothing is known.
    pub(crate) fn any_memory(&self) -> Writes {
        self.push(Write::Start(self.fresh_array("memory", 8)), &[])
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

    /// A value comes to where a pointer leads.
    pub fn store(&self, state: &mut State, to: Value, value: TermId) {
        assert!(self.terms.width(value).is_multiple_of(8), "scalars are bytes");
        let size = self.word(u64::from(self.terms.width(value) / 8));
        self.write_inside(state, (to, size), Content::Value(value));
    }

    /// All bytes outside of the objects of the table become arbitrary.
    pub(crate) fn forget_outside(&self, state: &mut State) {
        let (known, before) = (self.objects.borrow().next_id(), state.memory);
        let content = Content::Array(self.fresh_array("bytes", 8));
        state.memory = self.push(Write::Outside { known, content, before }, &[before]);
    }

    pub(crate) fn merge_memory(&self, choice: TermId, yes: Writes, no: Writes) -> Writes {
        let one = yes == no || self.terms.as_bool(choice) == Some(true);
        if one { yes } else { self.push(Write::Merge { choice, yes, no }, &[yes, no]) }
    }

    /// Whether the access of `size` bytes stays in one living object.
    pub(crate) fn valid(&self, state: &State, pointer: Value, size: TermId) -> TermId {
        let t = &self.terms;
        let inside = |(object, at)| {
            let whole = self.size(object);
            t.and([self.lives(state, object), t.bv_ule(size, whole), t.bv_ule(at, t.bv_sub(whole, size))])
        };
        let ways = [t.eq(size, self.word(0)), self.foreign(state, pointer)];
        t.or(self.candidates(pointer).into_iter().map(inside).chain(ways))
    }

    /// The value of `bytes` bytes, arbitrary where the access is not valid.
    pub(crate) fn load(&self, state: &State, pointer: Value, bytes: u64) -> TermId {
        let valid = self.valid(state, pointer, self.word(bytes));
        let arbitrary = self.fresh_bits("outside", 8 * bytes as u32);
        if self.terms.as_bool(valid) != Some(true) {
            self.inside.borrow_mut().push(valid);
        }
        if self.terms.as_bool(valid) == Some(false) {
            return arbitrary;
        }
        self.terms.ite(valid, self.read(state.memory, pointer, bytes), arbitrary)
    }

    /// The bytes at a place, as one number; they lie in one living object.
    fn read(&self, memory: Writes, from: Value, bytes: u64) -> TermId {
        let Written { write, depth } = self.writes.borrow()[memory];
        if depth > LONGEST {
            self.refuse(Refusal::Large("too many writes to memory"));
        }
        if self.check().is_err() {
            return self.fresh_bits("refused", 8 * bytes as u32);
        }
        let known = self.reads.borrow().get(&(memory, from, bytes)).copied();
        known.unwrap_or_else(|| {
            let one_by_one = || self.join((0..bytes).map(|k| self.read(memory, self.behind(from, self.word(k)), 1)));
            let value = self.read_at_once(write, from, bytes).unwrap_or_else(one_by_one);
            assert_eq!(u64::from(self.terms.width(value)), 8 * bytes, "as many bytes as were asked for");
            self.reads.borrow_mut().insert((memory, from, bytes), value);
            value
        })
    }

    /// All bytes; `None`: the last write may have given some of them and not others.
    fn read_at_once(&self, last: Write, from: Value, bytes: u64) -> Option<TermId> {
        let (taken, to, content, before) = match last {
            Write::Start(array) => return Some(self.select(array, from, bytes)),
            Write::Merge { choice, yes, no } => {
                return Some(self.terms.ite(choice, self.read(yes, from, bytes), self.read(no, from, bytes)));
            }
            Write::Outside { known, content, before } => (self.misses(from, bytes, known)?, from, content, before),
            Write::Bytes { to, size, when, content, before } => {
                (self.terms.and([when, self.hits((from, bytes), (to, size))?]), to, content, before)
            }
        };
        let written = || self.written((from, bytes), to, content, before);
        Some(match self.terms.as_bool(taken) {
            Some(true) => written(),
            Some(false) => self.read(before, from, bytes),
            None => self.terms.ite(taken, written(), self.read(before, from, bytes)),
        })
    }

    /// Whether the bytes of a read come from a write of `size` bytes, all of them; `None`: it may be some of them. Both
    /// stay in their objects, which lie apart if they live at the same time.
    fn hits(&self, (from, bytes): (Value, u64), (to, size): (Value, TermId)) -> Option<TermId> {
        let t = &self.terms;
        let same = match (from.origin, to.origin) {
            (Some((a, _)), Some((b, _))) if a != b => return Some(t.falsity()),
            (from, to) => from.is_some() && to.is_some(),
        };
        if same && to.origin.is_some_and(|(object, at)| at == self.word(0) && size == self.size(object)) {
            return Some(t.truth());
        }
        let (x, y) = offsets(from, to);
        // Modulo the address space.
        let distance = t.bv_sub(x, y);
        if let (Some(first), Some(size)) = (t.as_u64(distance), t.as_u64(size)) {
            let last = t.as_u64(t.bv_add(distance, self.word(bytes - 1)))?;
            let at_once = first <= last && (first < size) == (last < size);
            return at_once.then(|| t.bool(first < size));
        }
        // If all are multiples of the read's size, it lies inside of the write or beside it.
        let even = |term| same && bytes.is_power_of_two() && self.is_multiple(term, bytes);
        let at_once = bytes == 1 || [x, y, size].into_iter().all(even);
        let only = t.as_u64(size) == Some(bytes);
        at_once.then(|| if only { t.eq(distance, self.word(0)) } else { t.bv_ult(distance, size) })
    }

    /// Whether a number is plainly a multiple of a power of two above 1.
    fn is_multiple(&self, term: TermId, of: u64) -> bool {
        self.terms.as_u64(self.terms.bv_extract(term, of.trailing_zeros() - 1, 0)) == Some(0)
    }

    /// Whether a read lies outside of the objects before this one in the table; `None`: it may in part.
    fn misses(&self, from: Value, bytes: u64, known: ObjectId) -> Option<TermId> {
        let t = &self.terms;
        if from.origin.is_some_and(|(object, _)| object < known) {
            return Some(t.falsity());
        }
        let outside = |object| t.bv_ule(self.size(object), t.bv_sub(from.bits, self.start(object).bits));
        (bytes == 1).then(|| t.and(self.all_objects().filter(|object| *object < known).map(outside)))
    }

    /// The bytes of a read that all come from one write.
    fn written(&self, (from, bytes): (Value, u64), to: Value, content: Content, before: Writes) -> TermId {
        let (t, (x, y)) = (&self.terms, offsets(from, to));
        let distance = t.bv_sub(x, y);
        match content {
            Content::Value(value) => {
                let part = |at: u64| t.bv_extract(value, 8 * (at + bytes) as u32 - 1, 8 * at as u32);
                let pick = |rest, at| t.ite(t.eq(distance, self.word(at)), part(at), rest);
                let others = (bytes..u64::from(t.width(value) / 8)).step_by(bytes as usize);
                t.as_u64(distance).map_or_else(|| others.fold(part(0), pick), part)
            }
            Content::Fill(byte) => self.join((0..bytes).map(|_| byte)),
            Content::Array(array) => self.select(array, from, bytes),
            Content::Copy { from: source, valid, otherwise } => {
                let copied = self.read(before, self.behind(source, distance), bytes);
                t.ite(valid, copied, self.select(otherwise, from, bytes))
            }
        }
    }

    /// The bytes of an array at a place.
    fn select(&self, array: TermId, from: Value, bytes: u64) -> TermId {
        let at = |k| self.terms.bv_add(from.bits, self.word(k));
        self.join((0..bytes).map(|k| self.terms.select(array, at(k))))
    }

    /// Parts of a number, the lowest first.
    fn join(&self, parts: impl Iterator<Item = TermId>) -> TermId {
        parts.reduce(|low, high| self.terms.bv_concat(high, low)).expect("a read takes bytes")
    }
}

/// Two places, counted from one.
fn offsets(a: Value, b: Value) -> (TermId, TermId) {
    match (a.origin, b.origin) {
        (Some((_, x)), Some((_, y))) => (x, y),
        _ => (a.bits, b.bits),
    }
}

//! Objects' bytes. An object's content maps offsets (plus one) to non-overlapping chunks; key 0 holds the fill, if
//! any: the byte that all bytes without a chunk have. Without a fill, bytes without a chunk are unknown. A chunk that
//! says what the fill says does not exist, so equal knowledge has equal roots.

use super::maps::{EMPTY, Root};
use super::store::{Chunk, KnownValue, State, Store, StoredObjectId, UNKNOWN};

/// No chunk is longer.
const LONGEST: u64 = 16;
/// Offsets from here on are never tracked: keys are 32 bits wide.
const TOO_FAR: u64 = 1 << 31;

/// A range of bytes within an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub object: StoredObjectId,
    pub offset: u64,
    pub size: u64,
}

/// Some bytes of a range: their offset from its start, how many, and their value if known.
pub(super) type Piece = (u64, u64, Option<KnownValue>);

fn repeat(byte: u128, size: u64) -> u128 {
    debug_assert!(byte < 256, "a byte");
    (0..size).fold(0, |bits, _| bits << 8 | byte)
}

fn low_bytes(bits: u128, size: u64) -> u128 {
    if size >= 16 { bits } else { bits & ((1 << (8 * size)) - 1) }
}

impl Store<'_> {
    /// The range at `offset`, if the object is known to have it and it can be tracked.
    pub(super) fn range(&self, object: StoredObjectId, offset: i64, size: u64) -> Option<Range> {
        let offset = u64::try_from(offset).ok()?;
        let end = offset.checked_add(size)?;
        let fits = self.object_info(object).size.is_none_or(|bytes| end <= bytes);
        (fits && end < TOO_FAR).then_some(Range { object, offset, size })
    }

    fn content(&self, state: State, object: StoredObjectId) -> Root {
        self.maps.get(state.mem(), object.0).unwrap_or(EMPTY)
    }

    fn set_content(&mut self, state: &mut State, object: StoredObjectId, content: Root) {
        let mem = match content {
            EMPTY => self.maps.remove(state.mem(), object.0),
            _ => self.maps.set(state.mem(), object.0, content),
        };
        state.set_mem(mem);
    }

    pub(super) fn fill_of(&self, content: Root) -> Option<u128> {
        self.maps.get(content, 0).map(|byte| {
            debug_assert!((1..=256).contains(&byte), "a fill is a byte plus one");
            u128::from(byte - 1)
        })
    }

    fn chunk_at(&self, content: Root, offset: u64) -> Option<Chunk> {
        debug_assert!(offset < TOO_FAR, "{offset} is not tracked");
        self.maps.get(content, offset as u32 + 1).map(|chunk| self.chunks[chunk as usize])
    }

    /// Chunks that overlap the range, with their offsets.
    fn overlapping(&self, content: Root, offset: u64, size: u64) -> Vec<(u64, Chunk)> {
        let first = (offset + 1).saturating_sub(LONGEST);
        let mut found = Vec::new();
        if size > 64 {
            self.maps.for_each(content, &mut |key, chunk| {
                if key > 0 {
                    let (at, chunk) = (u64::from(key) - 1, self.chunks[chunk as usize]);
                    if at < offset + size && at + u64::from(chunk.size) > offset {
                        found.push((at, chunk));
                    }
                }
            });
            return found;
        }
        for at in first..offset + size {
            if let Some(chunk) = self.chunk_at(content, at)
                && at + u64::from(chunk.size) > offset
            {
                found.push((at, chunk));
            }
        }
        found
    }

    /// The value of up to 16 bytes; `None` if some of them are unknown.
    pub(super) fn read(&self, state: State, range: Range) -> Option<KnownValue> {
        debug_assert!(range.size <= LONGEST, "{range:?} is not a scalar");
        let content = self.content(state, range.object);
        if content == EMPTY {
            return None;
        }
        if let Some(chunk) = self.chunk_at(content, range.offset)
            && u64::from(chunk.size) == range.size
        {
            return self.value(chunk.value);
        }
        let fill = self.fill_of(content);
        let mut bits = repeat(fill.unwrap_or(0), range.size);
        let mut known = if fill.is_some() { range.size } else { 0 };
        for (at, chunk) in self.overlapping(content, range.offset, range.size) {
            let KnownValue::Bits(value) = self.value(chunk.value)? else { return None };
            let (start, end) = (at.max(range.offset), (at + u64::from(chunk.size)).min(range.offset + range.size));
            let part = low_bytes(value >> (8 * (start - at)), end - start);
            let shift = 8 * (start - range.offset);
            bits = bits & !(low_bytes(u128::MAX, end - start) << shift) | part << shift;
            known += if fill.is_some() { 0 } else { end - start };
        }
        (known == range.size).then_some(KnownValue::Bits(bits))
    }

    /// Whether the bytes at an offset hold nothing but the fill, and that makes them the number.
    pub(super) fn is_filled(&self, content: Root, offset: u64, size: u64, byte: u128, bits: u128) -> bool {
        bits == repeat(byte, size) && self.overlapping(content, offset, size).is_empty()
    }

    /// Sets up to 16 bytes, or with `None` makes them unknown.
    pub(super) fn write(&mut self, state: &mut State, range: Range, value: Option<KnownValue>) {
        assert!((1..=LONGEST).contains(&range.size), "{range:?} is not a scalar");
        let old = self.content(*state, range.object);
        if old == EMPTY && value.is_none() {
            return;
        }
        let value = value.map_or(UNKNOWN, |value| self.handle(value));
        let same_extent = self.chunk_at(old, range.offset).is_some_and(|chunk| u64::from(chunk.size) == range.size);
        let content = if same_extent { old } else { self.cleared(old, range) };
        let content = self.put(content, range.offset, Chunk { size: range.size as u8, value });
        self.set_content(state, range.object, content);
    }

    /// The content with a chunk where nothing overlaps it, or in place of one of the same extent.
    fn put(&mut self, content: Root, offset: u64, chunk: Chunk) -> Root {
        debug_assert!(offset < TOO_FAR, "{offset} is not tracked");
        let key = offset as u32 + 1;
        let implied = match self.fill_of(content) {
            Some(byte) => self.value(chunk.value) == Some(KnownValue::Bits(repeat(byte, u64::from(chunk.size)))),
            None => chunk.value == UNKNOWN,
        };
        if implied {
            return self.maps.remove(content, key);
        }
        let chunk = self.chunk(chunk);
        self.maps.set(content, key, chunk)
    }

    /// The content without chunks in the range; of those that reach beyond it, the rest stays. In a filled object the
    /// range then reads as the fill.
    fn cleared(&mut self, mut content: Root, range: Range) -> Root {
        let (from, to) = (range.offset, range.offset + range.size);
        for (at, chunk) in self.overlapping(content, range.offset, range.size) {
            content = self.maps.remove(content, at as u32 + 1);
            let end = at + u64::from(chunk.size);
            for (start, stop) in [(at, from.min(end)), (to.max(at), end)] {
                if start < stop {
                    let rest = match self.value(chunk.value) {
                        Some(KnownValue::Bits(bits)) => {
                            self.handle(KnownValue::Bits(low_bytes(bits >> (8 * (start - at)), stop - start)))
                        }
                        Some(KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_)) | None => UNKNOWN,
                    };
                    content = self.put(content, start, Chunk { size: (stop - start) as u8, value: rest });
                }
            }
        }
        content
    }

    /// Makes a range of any size unknown.
    pub(super) fn forget_range(&mut self, state: &mut State, range: Range) {
        if range.size <= LONGEST {
            return self.write(state, range, None);
        }
        let content = self.content(*state, range.object);
        if self.fill_of(content).is_some() {
            return self.forget_object(state, range.object);
        }
        let content = self.cleared(content, range);
        self.set_content(state, range.object, content);
    }

    /// Makes all bytes of an object unknown.
    pub(super) fn forget_object(&mut self, state: &mut State, object: StoredObjectId) {
        state.set_mem(self.maps.remove(state.mem(), object.0));
    }

    /// Makes all bytes of an object the same.
    pub(super) fn fill_object(&mut self, state: &mut State, object: StoredObjectId, byte: u8) {
        let content = self.maps.set(EMPTY, 0, u32::from(byte) + 1);
        self.set_content(state, object, content);
    }

    /// Gives an object all that is known of another one's bytes.
    pub(super) fn copy_object(&mut self, state: &mut State, to: StoredObjectId, from: StoredObjectId) {
        let content = self.content(*state, from);
        self.set_content(state, to, content);
    }

    /// The chunks that lie wholly in a range, relative to its start, and its fill.
    pub(super) fn chunks_in(&self, state: State, range: Range) -> (Vec<Piece>, Option<u128>) {
        let content = self.content(state, range.object);
        let inside = self.overlapping(content, range.offset, range.size).into_iter().map(|(at, chunk)| {
            let (start, end) = (at.max(range.offset), (at + u64::from(chunk.size)).min(range.offset + range.size));
            let value = match self.value(chunk.value) {
                Some(KnownValue::Bits(bits)) => {
                    Some(KnownValue::Bits(low_bytes(bits >> (8 * (start - at)), end - start)))
                }
                whole if end - start == u64::from(chunk.size) => whole,
                Some(KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_)) | None => None,
            };
            (start - range.offset, end - start, value)
        });
        (inside.collect(), self.fill_of(content))
    }
}

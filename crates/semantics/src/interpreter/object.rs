//! One object: its bytes, which of them are undefined, and the origins of the pointers among them.

use super::value::Origin;
use crate::choices::Draws;

/// What is wrong with an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Through null, or close to it.
    Null,
    /// No object is there.
    NoObject,
    /// Beyond the ends of the pointer's object.
    OutOfBounds,
    /// The object was freed, or its function has returned.
    Dead,
    /// A string literal or a constant is written.
    ReadOnly,
    /// `free` of something that is not the start of a heap object.
    BadFree,
    /// The interpreter cannot hold that much.
    TooLarge,
}

impl Fault {
    /// For the user.
    pub fn text(self) -> &'static str {
        match self {
            Fault::Null => "null pointer dereference",
            Fault::NoObject => "access through an invalid pointer",
            Fault::OutOfBounds => "access outside the bounds of its object",
            Fault::Dead => "access to an object after the end of its life",
            Fault::ReadOnly => "write to a string literal or constant",
            Fault::BadFree => "free of a pointer that does not point to the start of a heap object",
            Fault::TooLarge => "object too large for the interpreter",
        }
    }
}

/// How an object is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A global.
    Static,
    /// A string literal or a `const` global, never written.
    Literal,
    /// A local, or from `alloca`.
    Stack,
    /// From `malloc`.
    Heap,
    /// Made up for a pointer from outside.
    Foreign,
}

/// What the bytes of a new object are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// All zero.
    Zero,
    /// Undefined.
    Undefined,
    /// Undefined, and pointers among them point outside.
    Outside,
    /// What a library function that is not modelled left there on this edge.
    Unmodelled(cfa::EdgeId),
}

/// A piece of memory with an address.
#[derive(Debug)]
pub(super) struct Object {
    pub base: u64,
    pub size: u64,
    pub generation: u32,
    pub kind: Kind,
    pub contents: Contents,
    /// The number by which undefined bytes are drawn.
    pub birth: u32,
    /// The first bytes; those after were never touched.
    pub data: Vec<u8>,
    /// One bit per byte of `data`, set if undefined; empty if none is.
    pub undefined: Vec<u64>,
    /// The same of bytes that were never written, also those that were drawn since; as long as `undefined`. Only where
    /// the program asks.
    pub unwritten: Option<Vec<u64>>,
    /// Origin of each pointer-sized slot of `data`; empty if all have none.
    pub origins: Vec<Origin>,
    /// Whether the scope of this local ended; its function may come back to it.
    pub ended: bool,
}

/// More bytes than this are not held for one object.
const LARGEST: u64 = 1 << 31;

impl Object {
    /// All bytes become what `contents` says.
    pub fn forget(&mut self) {
        self.data.clear();
        self.undefined.clear();
        self.unwritten.iter_mut().for_each(Vec::clear);
        self.origins.clear();
        if self.size <= 256 {
            self.grow(self.size);
        }
    }

    pub fn grow(&mut self, len: u64) {
        let old = self.data.len() as u64;
        debug_assert!(old <= len && len <= self.size, "{old} of {} bytes become {len}", self.size);
        self.data.resize(len as usize, 0);
        if !self.origins.is_empty() {
            self.origins.resize(len as usize / 4 + 1, Origin::NONE);
        }
        if self.contents == Contents::Zero && self.undefined.is_empty() {
            return;
        }
        self.undefined.resize(len.div_ceil(64) as usize, 0);
        if self.contents != Contents::Zero {
            for_words(old, len - old, |word, mask| self.undefined[word] |= mask);
        }
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.resize(self.undefined.len(), 0);
            if self.contents == Contents::Undefined {
                for_words(old, len - old, |word, mask| unwritten[word] |= mask);
            }
        }
    }

    /// Makes sure that `data` holds the first `end` bytes; `end` is within the object.
    pub fn reach(&mut self, end: u64) -> Result<(), Fault> {
        debug_assert!(end <= self.size, "byte {end} of {}", self.size);
        if end > self.data.len() as u64 {
            if end > LARGEST {
                return Err(Fault::TooLarge);
            }
            self.grow(end.next_power_of_two().max(4096).min(self.size));
        }
        Ok(())
    }

    #[inline(always)]
    pub fn is_defined(&self, at: u64, bytes: u64) -> bool {
        debug_assert!((1..=64).contains(&bytes), "a bitmap is looked at by words");
        // A word past the end means that the access leaves the object, which others notice.
        let word = (at / 64) as usize;
        let wanted = u64::MAX >> (64 - bytes.min(64));
        let low = self.undefined.get(word).copied().unwrap_or(0) >> (at % 64);
        if at % 64 + bytes <= 64 {
            return low & wanted == 0;
        }
        let high = self.undefined.get(word + 1).copied().unwrap_or(0) << (64 - at % 64);
        (low | high) & wanted == 0
    }

    #[inline(always)]
    pub fn define(&mut self, at: u64, bytes: u64) {
        if self.undefined.is_empty() {
            return;
        }
        if at % 64 + bytes <= 64 && bytes > 0 {
            self.undefined[(at / 64) as usize] &= !((u64::MAX >> (64 - bytes)) << (at % 64));
        } else {
            for_words(at, bytes, |word, mask| self.undefined[word] &= !mask);
        }
        if let Some(unwritten) = &mut self.unwritten {
            for_words(at, bytes, |word, mask| unwritten[word] &= !mask);
        }
    }

    /// Whether the program, or something outside, gave a byte its value.
    pub fn is_written(&self, at: u64) -> bool {
        if at >= self.data.len() as u64 {
            return self.contents != Contents::Undefined;
        }
        let bits = self.unwritten.as_ref().and_then(|bits| bits.get((at / 64) as usize));
        bits.is_none_or(|bits| bits >> (at % 64) & 1 == 0)
    }

    /// A byte within `data` counts as never written.
    pub fn mark_unwritten(&mut self, at: u64) {
        debug_assert!(at < self.data.len() as u64, "byte {at} is not held");
        let words = self.data.len().div_ceil(64);
        self.undefined.resize(words, 0);
        if let Some(unwritten) = &mut self.unwritten {
            unwritten.resize(words, 0);
            unwritten[(at / 64) as usize] |= 1 << (at % 64);
        }
    }

    /// Draws the undefined bytes of a range within `data`.
    pub fn draw(&mut self, at: u64, bytes: u64, draws: &mut Draws<'_>) {
        debug_assert!(at + bytes <= self.data.len() as u64, "bytes up to {} are not held", at + bytes);
        if self.undefined.is_empty() {
            return;
        }
        for offset in at..at + bytes {
            let (word, bit) = ((offset / 64) as usize, offset % 64);
            if self.undefined[word] >> bit & 1 == 1 {
                self.data[offset as usize] = draws.byte(self.birth, offset, self.base + offset);
                self.undefined[word] &= !(1 << bit);
                if let Contents::Unmodelled(edge) = self.contents {
                    draws.unmodelled.get_or_insert(edge);
                }
            }
        }
    }

    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Fault> {
        let end = at + bytes.len() as u64;
        self.reach(end)?;
        self.data[at as usize..end as usize].copy_from_slice(bytes);
        self.define(at, bytes.len() as u64);
        Ok(())
    }

    pub fn origin_at(&self, at: u64, word: u64) -> Origin {
        debug_assert!(word == 4 || word == 8, "pointers have 4 or 8 bytes");
        if at.is_multiple_of(word) {
            self.origins.get((at / word) as usize).copied().unwrap_or_default()
        } else {
            Origin::NONE
        }
    }

    /// Notes the origin of what was written to a range within `data`.
    pub fn set_origin(&mut self, at: u64, bytes: u64, origin: Origin, word: u64) {
        debug_assert!(word == 4 || word == 8, "pointers have 4 or 8 bytes");
        debug_assert!(at + bytes <= self.data.len() as u64, "bytes up to {} are not held", at + bytes);
        if self.origins.is_empty() {
            if origin == Origin::NONE {
                return;
            }
            // Half a pointer more than needed is simpler than to know the pointer's size where objects grow.
            self.origins = vec![Origin::NONE; self.data.len() / 4 + 1];
        }
        for slot in at / word..(at + bytes).div_ceil(word) {
            self.origins[slot as usize] = Origin::NONE;
        }
        if bytes == word && at.is_multiple_of(word) {
            self.origins[(at / word) as usize] = origin;
        }
    }
}

/// Calls `visit` with each word of a bitmap that the range touches and the bits of it there.
#[inline]
fn for_words(at: u64, count: u64, mut visit: impl FnMut(usize, u64)) {
    let (mut bit, end) = (at, at + count);
    while bit < end {
        let stop = (bit / 64 + 1) * 64;
        let take = stop.min(end) - bit;
        debug_assert!((1..=64).contains(&take), "each step takes a part of a word");
        visit((bit / 64) as usize, (u64::MAX >> (64 - take)) << (bit % 64));
        bit += take;
    }
}

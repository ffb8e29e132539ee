//! Ranges of bytes, read and written by one mechanism. Memory is kept in *units*: pieces of variables, elements of
//! regions. A range of bytes begins where a unit does, if at one, and may end inside another; what is written there is a
//! [`Content`], bytes by their distance from the start of the range, in parts of any width. Every unit takes the bytes
//! of the content that fall into it, whatever the widths are, and keeps the others, so loads, stores, fills, copies
//! and whatever else changes memory convert between widths without knowing of them.
//!
//! How many bytes it is may depend on the execution: then every byte is written on a condition. What is too long for
//! that is forgotten as a whole, and counted ([`Encoder::forgotten`]).

use crate::Encoder;
use crate::bounds::Spot;
use crate::float;
use crate::guard::Guard;
use crate::memory::{BytesAt, kind_of};
use crate::path::PathFormula;
use crate::sort::sort_of_bytes;
use cfa::VarId;
use smt::{BitVec, Op, Sort, TermId};

/// How deep the terms of sizes are looked at.
const LOOK: u32 = 16;

/// How many bytes a range has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// So many.
    Known(u64),
    /// As many as the term says, of which no more than these are there.
    AtMost(TermId, u64),
}

impl Length {
    /// How many bytes there are at most.
    pub(crate) fn most(self) -> u64 {
        match self {
            Length::Known(bytes) | Length::AtMost(_, bytes) => bytes,
        }
    }
}

/// What keeps a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Holder {
    /// A piece of a variable, by its number.
    Piece(VarId, u32),
    /// An element of a region.
    Element(Spot),
}

/// Bytes that are kept as one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// From the start of the range.
    pub at: u64,
    /// How many.
    pub bytes: u64,
    /// What the value is.
    pub sort: Sort,
    /// Where it is.
    pub holder: Holder,
}

/// The value of some bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownBytes {
    /// From the start of the range.
    pub at: u64,
    /// How many.
    pub bytes: u64,
    /// Their value.
    pub value: TermId,
}

/// What a range holds.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Zeros.
    Zero,
    /// Anything.
    Arbitrary,
    /// This byte everywhere.
    Byte(TermId),
    /// These parts, by ascending place; what lies between them is arbitrary.
    Parts(Vec<KnownBytes>),
}

impl Encoder<'_> {
    /// The units that a range of so many bytes meets, and all of it that anybody ever looks at: regions have an element
    /// for every byte, pieces one for every byte that the program names.
    pub(crate) fn units(&mut self, target: BytesAt, bytes: u64) -> Vec<Unit> {
        match target {
            BytesAt::Pieces(var, offset) => {
                let pieces = self.model.pieces[var].as_ref().expect("the variable is cut");
                let end = offset.saturating_add(bytes);
                debug_assert!(
                    pieces.is_sorted_by(|a, b| a.offset + a.bytes <= b.offset),
                    "pieces ascend and are disjoint"
                );
                let first = pieces.partition_point(|piece| piece.offset < offset);
                let before = pieces[..first].last();
                assert!(
                    before.is_none_or(|piece| piece.offset + piece.bytes <= offset),
                    "pieces begin where accesses do"
                );
                let after = pieces.partition_point(|piece| piece.offset < end);
                let unit = |at: usize| {
                    let (piece, holder) = (pieces[at], Holder::Piece(var, at as u32));
                    Unit { at: piece.offset - offset, bytes: piece.bytes, sort: piece.sort, holder }
                };
                (first..after).map(unit).collect()
            }
            BytesAt::Memory(spot) => {
                let (width, sort) = self.element(spot.region);
                assert!(width > 0, "elements have bytes");
                let count = bytes.div_ceil(width);
                let cell = self.model.regions.shape(spot.region).cell;
                assert!(!cell || count <= 1, "a region with one element has no further ones");
                let mut units = Vec::new();
                for at in 0..count {
                    let holder = Holder::Element(self.further(spot, at * width));
                    units.push(Unit { at: at * width, bytes: width, sort, holder });
                }
                units
            }
        }
    }

    /// The value of a unit, whether or not it lies in an object.
    fn held_by(&mut self, path: &mut PathFormula, unit: &Unit, depth: u32) -> TermId {
        match unit.holder {
            Holder::Piece(var, at) => {
                let slot = self.piece_slot(var, at, depth);
                self.value(path, slot)
            }
            Holder::Element(spot) => self.read_halves(path, spot.region, spot.address),
        }
    }

    /// The bytes of a range.
    pub(crate) fn read_range(
        &mut self,
        path: &mut PathFormula,
        from: BytesAt,
        length: Length,
        depth: u32,
    ) -> Vec<KnownBytes> {
        let mut parts = Vec::new();
        for unit in self.units(from, length.most()) {
            let value = match unit.holder {
                Holder::Piece(..) => self.held_by(path, &unit, depth),
                Holder::Element(spot) => {
                    let before = self.defined.len();
                    let value = self.read_any(path, spot);
                    if let Length::AtMost(size, _) = length {
                        let read = self.reaches(size, unit.at);
                        let unread = self.terms.not(read);
                        for at in before..self.defined.len() {
                            self.defined[at].1 = self.terms.or([unread, self.defined[at].1]);
                        }
                    }
                    value
                }
            };
            parts.push(KnownBytes { at: unit.at, bytes: unit.bytes, value });
        }
        parts
    }

    /// Writes a range; says which values went where, by their distance from its start.
    pub(crate) fn write_range(
        &mut self,
        path: &mut PathFormula,
        to: BytesAt,
        length: Length,
        content: &Content,
        depth: u32,
    ) -> Vec<KnownBytes> {
        let units = self.units(to, length.most());
        let parts = self.write_units(path, &units, length, content, depth);
        if let BytesAt::Memory(_) = to {
            let written: u64 = parts.iter().map(|part| part.bytes).sum();
            assert_eq!(written, length.most(), "all bytes of a range are written");
        }
        parts
    }

    /// The bytes of a range that lie in these units get new values.
    pub(crate) fn write_units(
        &mut self,
        path: &mut PathFormula,
        units: &[Unit],
        length: Length,
        content: &Content,
        depth: u32,
    ) -> Vec<KnownBytes> {
        let mut parts = Vec::new();
        for unit in units {
            assert!(unit.at < length.most(), "a unit begins in the range");
            let bytes = unit.bytes.min(length.most() - unit.at);
            let whole = bytes == unit.bytes;
            let sort = if whole { unit.sort } else { sort_of_bytes(bytes) };
            let new = self.content(content, unit.at, bytes, sort);
            parts.push(KnownBytes { at: unit.at, bytes, value: new });
            let value = match length {
                Length::Known(_) if whole => new,
                Length::Known(_) => {
                    let old = self.held_by(path, unit, depth);
                    self.spliced(unit, old, new)
                }
                Length::AtMost(size, _) => {
                    let old = self.held_by(path, unit, depth);
                    self.written_up_to(unit, old, new, size)
                }
            };
            self.write_unit(path, unit, value, depth);
        }
        parts
    }

    fn write_unit(&mut self, path: &mut PathFormula, unit: &Unit, value: TermId, depth: u32) {
        debug_assert_eq!(self.terms.sort(value), unit.sort, "a unit keeps its sort");
        match unit.holder {
            Holder::Piece(var, at) => {
                let slot = self.piece_slot(var, at, depth);
                self.set(path, slot, value);
            }
            Holder::Element(spot) => self.write_inside(path, spot, value),
        }
    }

    /// A unit whose first bytes are new, but not all of them.
    fn spliced(&mut self, unit: &Unit, old: TermId, new: TermId) -> TermId {
        let (old, new) = (self.image(old), self.image(new));
        let (all, above) = (self.terms.width(old), self.terms.width(new));
        assert_eq!(u64::from(all), 8 * unit.bytes, "a unit is as wide as its value");
        assert!(above < all, "what is new ends in the unit");
        let rest = self.terms.bv_extract(old, all - 1, above);
        let bits = self.terms.bv_concat(rest, new);
        self.of_bits(bits, unit.sort)
    }

    /// A unit whose first bytes are new as far as a range of that size reaches.
    fn written_up_to(&mut self, unit: &Unit, old: TermId, new: TermId, size: TermId) -> TermId {
        let bytes = self.bytes_of(new);
        assert!(bytes <= unit.bytes, "what is new lies in the unit");
        let together = bytes == unit.bytes
            && bytes.is_power_of_two()
            && unit.at.is_multiple_of(bytes)
            && self.low_zeros(size, LOOK) >= bytes.trailing_zeros();
        if together {
            let written = self.reaches(size, unit.at);
            return self.terms.ite(written, new, old);
        }
        let (old_bits, new_bits) = (self.image(old), self.image(new));
        let mut bits: Option<TermId> = None;
        for at in 0..unit.bytes {
            let (low, high) = (8 * at as u32, 8 * at as u32 + 7);
            let mut byte = self.terms.bv_extract(old_bits, high, low);
            if at < bytes {
                let new_byte = self.terms.bv_extract(new_bits, high, low);
                let written = self.reaches(size, unit.at + at);
                byte = self.terms.ite(written, new_byte, byte);
            }
            bits = Some(self.above(bits, byte));
        }
        let bits = bits.expect("a unit has bytes");
        self.of_bits(bits, unit.sort)
    }

    /// Whether a range of that size has a byte so far from its start.
    fn reaches(&mut self, size: TermId, at: u64) -> TermId {
        debug_assert_eq!(self.terms.width(size), self.program.model.pointer_bits(), "sizes are as wide as addresses");
        let at = self.address(at);
        self.terms.bv_ult(at, size)
    }

    /// How many low bits of a number are plainly zero, looking so deep.
    pub(crate) fn low_zeros(&self, number: TermId, depth: u32) -> u32 {
        let Some(deeper) = depth.checked_sub(1) else { return 0 };
        let width = self.terms.width(number);
        let args = self.terms.args(number);
        let zeros = |arg: &TermId| self.low_zeros(*arg, deeper);
        match self.terms.op(number) {
            Op::Bv(value) => self.terms.value(value).to_u128().map_or(0, |bits| bits.trailing_zeros().min(width)),
            Op::BvMul => args.iter().map(zeros).sum::<u32>().min(width),
            Op::BvAdd => args.iter().map(zeros).fold(width, u32::min),
            Op::BvConcat => {
                let low = zeros(&args[1]);
                if low == self.terms.width(args[1]) { low + zeros(&args[0]) } else { low }
            }
            Op::BvZeroExtend(_) | Op::BvSignExtend(_) => zeros(&args[0]),
            _ => 0,
        }
    }

    /// What a number plainly does not exceed where the guard holds.
    pub(crate) fn upper_bound(&mut self, guard: Guard, number: TermId) -> Option<u64> {
        let known = self.known_interval(guard, number).map(|known| known.unsigned().1);
        [known, self.bound(number, LOOK)].into_iter().flatten().min()
    }

    fn bound(&self, number: TermId, depth: u32) -> Option<u64> {
        let width = self.terms.width(number);
        let most = (width < 64).then(|| (1 << width) - 1);
        let Some(deeper) = depth.checked_sub(1) else { return most };
        let args = self.terms.args(number);
        let constant = |term: TermId| self.terms.as_bv(term).and_then(BitVec::to_u64);
        match self.terms.op(number) {
            Op::Bv(_) => constant(number),
            Op::BvZeroExtend(_) => self.bound(args[0], deeper),
            Op::BvAnd => args.iter().filter_map(|arg| self.bound(*arg, deeper)).min(),
            Op::BvUrem => constant(args[1]).and_then(|by| by.checked_sub(1)).or(most),
            Op::BvConcat if constant(args[0]) == Some(0) => self.bound(args[1], deeper),
            Op::Ite => Some(self.bound(args[1], deeper)?.max(self.bound(args[2], deeper)?)),
            _ => most,
        }
    }

    // Contents ---------------------------------------------------------------------------------------------------------

    /// Some bytes of a content as a value of a sort.
    pub(crate) fn content(&mut self, content: &Content, at: u64, bytes: u64, sort: Sort) -> TermId {
        match content {
            Content::Zero => self.zero(sort),
            Content::Arbitrary => self.arbitrary(sort),
            Content::Byte(byte) => {
                let mut bits = *byte;
                for _ in 1..bytes {
                    bits = self.terms.bv_concat(bits, *byte);
                }
                self.of_bits(bits, sort)
            }
            Content::Parts(parts) => self.of_parts(parts, at, bytes, sort),
        }
    }

    fn of_parts(&mut self, parts: &[KnownBytes], at: u64, bytes: u64, sort: Sort) -> TermId {
        debug_assert!(parts.is_sorted_by(|a, b| a.at + a.bytes <= b.at), "parts ascend and are disjoint");
        let end = at + bytes;
        let first = parts.partition_point(|part| part.at + part.bytes <= at);
        if let Some(part) = parts.get(first)
            && (part.at, part.bytes) == (at, bytes)
            && self.terms.sort(part.value) == sort
        {
            return part.value;
        }
        let mut bits: Option<TermId> = None;
        let mut done = at;
        for part in &parts[first..] {
            if part.at >= end {
                break;
            }
            let (from, until) = (part.at.max(done), (part.at + part.bytes).min(end));
            if from > done {
                let gap = self.arbitrary(sort_of_bytes(from - done));
                bits = Some(self.above(bits, gap));
            }
            let image = self.image(part.value);
            let (low, high) = (8 * (from - part.at) as u32, 8 * (until - part.at) as u32 - 1);
            let slice = self.terms.bv_extract(image, high, low);
            bits = Some(self.above(bits, slice));
            done = until;
        }
        if done < end {
            let gap = self.arbitrary(sort_of_bytes(end - done));
            bits = Some(self.above(bits, gap));
        }
        let bits = bits.expect("no value is empty");
        self.of_bits(bits, sort)
    }

    /// Bits above others.
    fn above(&mut self, low: Option<TermId>, high: TermId) -> TermId {
        low.map_or(high, |low| self.terms.bv_concat(high, low))
    }

    /// The value of a sort with these bits as its image.
    fn of_bits(&mut self, bits: TermId, sort: Sort) -> TermId {
        let value = match sort {
            Sort::Float(format) => float::from_image(&mut self.terms, kind_of(format), bits),
            Sort::BitVec(_) => bits,
            Sort::Bool | Sort::Array { .. } => unreachable!("memory holds bits and floats"),
        };
        assert_eq!(self.terms.sort(value), sort, "as many bits as the sort has");
        value
    }

    /// A number of bytes: known on the path, or no more than `room`.
    pub(crate) fn length(&mut self, guard: Guard, size: TermId, room: Option<u64>) -> Option<Length> {
        if let Some(bytes) = self.terms.as_bv(size).and_then(BitVec::to_u64) {
            return Some(Length::Known(bytes));
        }
        let most = [room, self.upper_bound(guard, size)].into_iter().flatten().min();
        most.map(|most| Length::AtMost(size, most))
    }
}

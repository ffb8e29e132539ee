//! Loads and stores of scalars: pieces of variables directly, everything else through the arrays of a region.

use crate::Encoder;
use crate::bounds::Spot;
use crate::float;
use crate::input::EventKind;
use crate::path::PathFormula;
use crate::regions::{MemoryHalf, Region};
use crate::slot::{Slot, SlotKind, slot_name};
use crate::sort::sort_of;
use crate::units::{Content, KnownBytes, Length};
use cfa::addresses::PAGE;
use cfa::{ExprId, FloatKind, Scalar, Undefined, VarId};
use flow::uses::direct;
use smt::{BitVec, FloatFormat, Sort, TermId};

/// Bytes at a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BytesAt {
    /// Pieces of a variable, from this offset.
    Pieces(VarId, u64),
    /// A region, from an address.
    Memory(Spot),
}

impl Encoder<'_> {
    /// Where a pointer expression leads.
    pub(crate) fn target(&mut self, path: &mut PathFormula, pointer: ExprId, depth: u32) -> BytesAt {
        if let Some(place) = direct(&self.exprs, pointer)
            && self.model.pieces[place.var].is_some()
        {
            let offset = place.offset.expect("variables that are cut are accessed at constant offsets");
            return BytesAt::Pieces(place.var, offset);
        }
        let address = self.eval(path, pointer, depth);
        BytesAt::Memory(self.spot(path, pointer, address, depth))
    }

    /// The slot of a piece.
    pub(crate) fn piece_slot(&mut self, var: VarId, at: u32, depth: u32) -> Slot {
        let depth = self.depth_of(var, depth);
        let (program, pieces) = (self.program, &self.model.pieces);
        self.slots.slot(SlotKind::Piece(var, at, depth), || {
            let piece = pieces[var].as_ref().expect("the variable is cut")[at as usize];
            (format!("{}{}.{}", slot_name(program, var), suffix(depth), piece.offset), piece.sort)
        })
    }

    /// The slot of a region with one element.
    pub(crate) fn cell_slot(&mut self, region: Region) -> Slot {
        let element = self.model.regions.shape(region).element;
        self.slots.slot(SlotKind::Cell(region), || (format!("?cell!{}", base::Id::index(region)), element))
    }

    /// How many bytes of a range are whole pieces of a variable, from its start on.
    pub(crate) fn whole_pieces(&self, var: VarId, offset: u64, bytes: u64) -> u64 {
        let pieces = self.model.pieces[var].as_ref().expect("the variable is cut");
        let first = pieces.partition_point(|piece| piece.offset < offset);
        let inside =
            pieces[first..].iter().take_while(|piece| piece.offset + piece.bytes <= offset.saturating_add(bytes));
        inside.map(|piece| piece.bytes).sum()
    }

    /// The value of type `ty` at a place.
    pub(crate) fn load(&mut self, path: &mut PathFormula, from: BytesAt, ty: Scalar, depth: u32) -> TermId {
        let bytes = ty.bytes(self.program.model);
        let sort = sort_of(self.program.model, ty);
        let value = self.load_as(path, from, bytes, sort, depth);
        if let BytesAt::Memory(Spot { address, .. }) = from
            && self.program.undefined == Undefined::Continue
            && self.terms.as_bv(address).is_none_or(|address| address.to_u128() < Some(u128::from(PAGE)))
        {
            self.event(path, EventKind::Read { address, value, ty });
        }
        value
    }

    /// So many bytes at a place as a value of a sort.
    fn load_as(&mut self, path: &mut PathFormula, from: BytesAt, bytes: u64, sort: Sort, depth: u32) -> TermId {
        if let BytesAt::Memory(spot) = from {
            self.valid(path, spot.address);
        }
        let parts = self.read_range(path, from, Length::Known(bytes), depth);
        let read = parts.iter().map(|part| part.bytes.min(bytes - part.at));
        assert_eq!(read.sum::<u64>(), bytes, "all bytes of a scalar are kept somewhere");
        self.content(&Content::Parts(parts), 0, bytes, sort)
    }

    /// Writes a value of any type but `Bool` at a place.
    pub(crate) fn store(&mut self, path: &mut PathFormula, to: BytesAt, value: TermId, depth: u32) {
        if let BytesAt::Memory(spot) = to {
            self.valid(path, spot.address);
        }
        let bytes = self.bytes_of(value);
        let content = Content::Parts(vec![KnownBytes { at: 0, bytes, value }]);
        let parts = self.write_range(path, to, Length::Known(bytes), &content, depth);
        let written: u64 = parts.iter().map(|part| part.bytes).sum();
        assert_eq!(written, bytes, "all bytes of a scalar are written");
    }

    /// Notes that an address must not be null, nor near it.
    fn valid(&mut self, path: &PathFormula, address: TermId) {
        let never = self.terms.falsity();
        self.valid_unless(path, address, never);
    }

    /// The same, unless nothing is accessed.
    pub(crate) fn valid_unless(&mut self, path: &PathFormula, address: TermId, nothing: TermId) {
        debug_assert_eq!(self.terms.width(address), self.program.model.pointer_bits(), "addresses have one width");
        let least = self.address(PAGE);
        let valid = self.terms.bv_ule(least, address);
        let valid = self.terms.or([valid, nothing]);
        if self.terms.as_bool(valid) != Some(true) {
            self.defined.push((path.guard, valid));
        }
    }

    pub(crate) fn element(&self, region: Region) -> (u64, Sort) {
        let shape = self.model.regions.shape(region);
        (shape.bytes, shape.element)
    }

    pub(crate) fn offset_by(&mut self, address: TermId, bytes: u64) -> TermId {
        let bytes = self.address(bytes);
        self.terms.bv_add(address, bytes)
    }

    /// Whether an address lies in the zero half.
    fn in_zero_half(&mut self, index: TermId) -> TermId {
        debug_assert_eq!(self.terms.width(index), self.program.model.pointer_bits(), "memory is indexed by addresses");
        let limit = self.address(self.layout.arbitrary_start());
        self.terms.bv_ult(index, limit)
    }

    /// The element of either half at an address.
    pub(crate) fn read_halves(&mut self, path: &mut PathFormula, region: Region, index: TermId) -> TermId {
        let shape = self.model.regions.shape(region);
        if shape.cell {
            let slot = self.cell_slot(region);
            return self.value(path, slot);
        }
        match (shape.zero, shape.arbitrary) {
            (true, false) => self.read_element(path, region, MemoryHalf::Zero, index),
            (false, _) => self.read_element(path, region, MemoryHalf::Arbitrary, index),
            (true, true) => {
                let zero = self.in_zero_half(index);
                match self.known_truth(path.guard, zero) {
                    Some(true) => self.read_element(path, region, MemoryHalf::Zero, index),
                    Some(false) => self.read_element(path, region, MemoryHalf::Arbitrary, index),
                    None => {
                        let a = self.read_element(path, region, MemoryHalf::Zero, index);
                        let b = self.read_element(path, region, MemoryHalf::Arbitrary, index);
                        self.terms.ite(zero, a, b)
                    }
                }
            }
        }
    }

    /// Writes the element at an address of either half.
    pub(crate) fn write_conditionally(&mut self, path: &mut PathFormula, region: Region, index: TermId, value: TermId) {
        let shape = self.model.regions.shape(region);
        if shape.cell {
            let slot = self.cell_slot(region);
            return self.set(path, slot, value);
        }
        match (shape.zero, shape.arbitrary) {
            (true, false) => self.write_element(path, region, MemoryHalf::Zero, index, value),
            (false, _) => self.write_element(path, region, MemoryHalf::Arbitrary, index, value),
            (true, true) => {
                let zero = self.in_zero_half(index);
                match self.terms.as_bool(zero) {
                    Some(true) => self.write_element(path, region, MemoryHalf::Zero, index, value),
                    Some(false) => self.write_element(path, region, MemoryHalf::Arbitrary, index, value),
                    None => {
                        let old = self.read_element(path, region, MemoryHalf::Zero, index);
                        let new = self.terms.ite(zero, value, old);
                        self.write_element(path, region, MemoryHalf::Zero, index, new);
                        let old = self.read_element(path, region, MemoryHalf::Arbitrary, index);
                        let new = self.terms.ite(zero, old, value);
                        self.write_element(path, region, MemoryHalf::Arbitrary, index, new);
                    }
                }
            }
        }
    }

    // Values and their bytes -----------------------------------------------------------------------------------------

    /// How many bytes of memory a value of this sort takes.
    pub(crate) fn bytes_of(&self, value: TermId) -> u64 {
        match self.terms.sort(value) {
            Sort::BitVec(width) => u64::from(width / 8),
            Sort::Float(format) => u64::from(kind_of(format).bits() / 8),
            Sort::Bool | Sort::Array { .. } => unreachable!("memory holds bits and floats"),
        }
    }

    /// The memory image of a value.
    pub(crate) fn image(&mut self, value: TermId) -> TermId {
        match self.terms.sort(value) {
            Sort::BitVec(_) => value,
            Sort::Float(format) => {
                let bits = self.float_bits(value, format);
                float::image_of_bits(&mut self.terms, kind_of(format), bits)
            }
            Sort::Bool | Sort::Array { .. } => unreachable!("memory holds bits and floats"),
        }
    }

    /// The IEEE bits of a float: SMT-LIB has no such function, so they are fresh bits that encode the float.
    pub(crate) fn float_bits(&mut self, value: TermId, format: FloatFormat) -> TermId {
        if let Some(bits) = float::known_bits(&mut self.terms, value) {
            return bits;
        }
        if let Some(&bits) = self.bits_of_floats.get(&value) {
            return bits;
        }
        let bits = self.terms.fresh_var("?bits", Sort::BitVec(format.width()));
        let back = self.terms.fp_from_bits(format, bits);
        let definition = self.terms.eq(back, value);
        self.define(bits, definition);
        self.bits_of_floats.insert(value, bits);
        bits
    }

    /// A zero of a sort.
    pub(crate) fn zero(&mut self, sort: Sort) -> TermId {
        match sort {
            Sort::BitVec(width) => self.terms.bv(BitVec::zero(width)),
            Sort::Float(format) => self.terms.fp(format, BitVec::zero(format.width())),
            Sort::Bool => self.terms.falsity(),
            Sort::Array { .. } => unreachable!("a zero is a scalar"),
        }
    }
}

/// What distinguishes the names of deeper activations.
pub(crate) fn suffix(depth: u32) -> String {
    if depth == 0 { String::new() } else { format!("#{depth}") }
}

/// The C type with the values of a format.
pub(crate) fn kind_of(format: FloatFormat) -> FloatKind {
    match format {
        FloatFormat::HALF => FloatKind::F16,
        FloatFormat::SINGLE => FloatKind::F32,
        FloatFormat::DOUBLE => FloatKind::F64,
        FloatFormat::X87 => FloatKind::X87,
        FloatFormat::QUAD => FloatKind::F128,
        other => unreachable!("no C type has the format {other:?}"),
    }
}

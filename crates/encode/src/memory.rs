//! Loads and stores of scalars: pieces of variables directly, everything else through the arrays of a region.

use crate::Encoder;
use crate::bounds::Spot;
use crate::float;
use crate::input::EventKind;
use crate::path::PathFormula;
use crate::pieces::Piece;
use crate::regions::{Region, Segment};
use crate::slot::{Place, Slot, slot_name};
use crate::sort::sort_of;
use crate::uses::direct;
use cfa::{ExprId, FloatKind, Scalar, Undefined, VarId};
use smt::{BitVec, FloatFormat, Sort, TermId};

/// Whatever lies below stems from null.
pub(crate) const LEAST_ADDRESS: u64 = 4096;

/// Bytes at a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// Pieces of a variable, from this offset.
    Pieces(VarId, u64),
    /// A region, from an address.
    Memory(Spot),
}

impl Encoder<'_> {
    /// Where a pointer expression leads.
    pub(crate) fn target(&mut self, path: &mut PathFormula, pointer: ExprId, depth: u32) -> Target {
        if let Some(place) = direct(&self.exprs, pointer)
            && self.model.pieces[place.var].is_some()
        {
            return Target::Pieces(place.var, place.offset.unwrap_or(0));
        }
        let address = self.eval(path, pointer, depth);
        Target::Memory(self.spot(path, pointer, address, depth))
    }

    /// The slot of a piece.
    pub(crate) fn piece_slot(&mut self, var: VarId, at: u32, depth: u32) -> Slot {
        let depth = self.depth_of(var, depth);
        let (program, pieces) = (self.program, &self.model.pieces);
        self.slots.slot(Place::Piece(var, at, depth), || {
            let piece = pieces[var].as_ref().expect("the variable is cut")[at as usize];
            (format!("{}{}.{}", slot_name(program, var), suffix(depth), piece.offset), piece.sort)
        })
    }

    /// The slot of a region with one element.
    pub(crate) fn cell_slot(&mut self, region: Region) -> Slot {
        let element = self.model.regions.shape(region).element;
        self.slots.slot(Place::Cell(region), || (format!("?cell!{}", base::Id::index(region)), element))
    }

    /// The pieces of a variable that lie in a range.
    pub(crate) fn pieces_in(&self, var: VarId, offset: u64, bytes: u64) -> Vec<(u32, Piece)> {
        let pieces = self.model.pieces[var].as_ref().expect("the variable is cut");
        let first = pieces.partition_point(|piece| piece.offset < offset);
        let inside =
            pieces[first..].iter().take_while(|piece| piece.offset + piece.bytes <= offset.saturating_add(bytes));
        inside.enumerate().map(|(at, piece)| ((first + at) as u32, *piece)).collect()
    }

    /// The value of type `ty` at a place.
    pub(crate) fn load(&mut self, path: &mut PathFormula, from: Target, ty: Scalar, depth: u32) -> TermId {
        let bytes = ty.bytes(self.program.model);
        let sort = sort_of(self.program.model, ty);
        let value = self.load_as(path, from, bytes, sort, depth);
        if let Target::Memory(Spot { address, .. }) = from
            && self.program.undefined == Undefined::Continue
            && self.terms.as_bv(address).is_none_or(|address| address.to_u128() < Some(u128::from(LEAST_ADDRESS)))
        {
            self.event(path, EventKind::Read { address, value, ty });
        }
        value
    }

    /// So many bytes at a place as a value of a sort.
    pub(crate) fn load_as(
        &mut self,
        path: &mut PathFormula,
        from: Target,
        bytes: u64,
        sort: Sort,
        depth: u32,
    ) -> TermId {
        let parts = match from {
            Target::Pieces(var, offset) => {
                let mut parts = Vec::new();
                for (at, _) in self.pieces_in(var, offset, bytes) {
                    let slot = self.piece_slot(var, at, depth);
                    parts.push(self.value(path, slot));
                }
                parts
            }
            Target::Memory(spot) => {
                self.valid(path, spot.address);
                let (element_bytes, _) = self.element(spot.region);
                let mut parts = Vec::new();
                for at in 0..bytes / element_bytes {
                    let element = self.further(spot, at * element_bytes);
                    parts.push(self.read_any(path, element));
                }
                parts
            }
        };
        self.assemble(&parts, sort)
    }

    /// Little-endian parts as one value.
    fn assemble(&mut self, parts: &[TermId], sort: Sort) -> TermId {
        if let [one] = parts
            && self.terms.sort(*one) == sort
        {
            return *one;
        }
        let mut bits: Option<TermId> = None;
        for &part in parts {
            let part = self.image(part);
            bits = Some(match bits {
                None => part,
                Some(low) => self.terms.bv_concat(part, low),
            });
        }
        let bits = bits.expect("a scalar has at least one part");
        let value = match sort {
            Sort::Float(format) => float::from_image(&mut self.terms, kind_of(format), bits),
            Sort::BitVec(_) | Sort::Bool | Sort::Array { .. } => bits,
        };
        debug_assert_eq!(self.terms.sort(value), sort, "parts make up the whole");
        value
    }

    /// Writes a value of any type but `Bool` at a place.
    pub(crate) fn store(&mut self, path: &mut PathFormula, to: Target, value: TermId, depth: u32) {
        match to {
            Target::Pieces(var, offset) => {
                let bytes = self.bytes_of(value);
                let pieces = self.pieces_in(var, offset, bytes);
                debug_assert_eq!(pieces.iter().map(|(_, piece)| piece.bytes).sum::<u64>(), bytes, "whole pieces");
                for (at, piece) in pieces {
                    let part = self.part(value, piece.offset - offset, piece.bytes, piece.sort);
                    let slot = self.piece_slot(var, at, depth);
                    path.set(slot, part);
                }
            }
            Target::Memory(spot) => {
                self.valid(path, spot.address);
                let (element_bytes, element) = self.element(spot.region);
                let bytes = self.bytes_of(value);
                for at in 0..bytes / element_bytes {
                    let part = self.part(value, at * element_bytes, element_bytes, element);
                    let spot = self.further(spot, at * element_bytes);
                    self.write_inside(path, spot, part);
                }
            }
        }
    }

    /// Notes that an address must not be null, nor near it.
    fn valid(&mut self, path: &PathFormula, address: TermId) {
        let least = self.address(LEAST_ADDRESS);
        let valid = self.terms.bv_ule(least, address);
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

    /// Whether an address lies in the zero segment.
    fn in_zero_segment(&mut self, index: TermId) -> TermId {
        let limit = self.address(self.layout.arbitrary_start());
        self.terms.bv_ult(index, limit)
    }

    /// The element of either segment at an address.
    pub(crate) fn read_segments(&mut self, path: &mut PathFormula, region: Region, index: TermId) -> TermId {
        let shape = self.model.regions.shape(region);
        if shape.cell {
            let slot = self.cell_slot(region);
            return self.value(path, slot);
        }
        match (shape.zero, shape.arbitrary) {
            (true, false) => self.read_element(path, region, Segment::Zero, index),
            (false, _) => self.read_element(path, region, Segment::Arbitrary, index),
            (true, true) => {
                let zero = self.in_zero_segment(index);
                match self.terms.as_bool(zero) {
                    Some(true) => self.read_element(path, region, Segment::Zero, index),
                    Some(false) => self.read_element(path, region, Segment::Arbitrary, index),
                    None => {
                        let a = self.read_element(path, region, Segment::Zero, index);
                        let b = self.read_element(path, region, Segment::Arbitrary, index);
                        self.terms.ite(zero, a, b)
                    }
                }
            }
        }
    }

    /// Writes the element at an address of either segment.
    pub(crate) fn write_conditionally(&mut self, path: &mut PathFormula, region: Region, index: TermId, value: TermId) {
        let shape = self.model.regions.shape(region);
        if shape.cell {
            let slot = self.cell_slot(region);
            return path.set(slot, value);
        }
        match (shape.zero, shape.arbitrary) {
            (true, false) => self.write_element(path, region, Segment::Zero, index, value),
            (false, _) => self.write_element(path, region, Segment::Arbitrary, index, value),
            (true, true) => {
                let zero = self.in_zero_segment(index);
                match self.terms.as_bool(zero) {
                    Some(true) => self.write_element(path, region, Segment::Zero, index, value),
                    Some(false) => self.write_element(path, region, Segment::Arbitrary, index, value),
                    None => {
                        let old = self.read_element(path, region, Segment::Zero, index);
                        let new = self.terms.ite(zero, value, old);
                        self.write_element(path, region, Segment::Zero, index, new);
                        let old = self.read_element(path, region, Segment::Arbitrary, index);
                        let new = self.terms.ite(zero, old, value);
                        self.write_element(path, region, Segment::Arbitrary, index, new);
                    }
                }
            }
        }
    }

    // Values and their bytes -----------------------------------------------------------------------------------------

    /// How many bytes of memory a value of this sort takes.
    fn bytes_of(&self, value: TermId) -> u64 {
        match self.terms.sort(value) {
            Sort::BitVec(width) => u64::from(width / 8),
            Sort::Float(format) => u64::from(kind_of(format).bits() / 8),
            Sort::Bool | Sort::Array { .. } => unreachable!("memory holds bits and floats"),
        }
    }

    /// `bytes` bytes of a value from `offset` on, as `sort`.
    fn part(&mut self, value: TermId, offset: u64, bytes: u64, sort: Sort) -> TermId {
        if self.terms.sort(value) == sort {
            return value;
        }
        let image = self.image(value);
        let (low, high) = (8 * offset as u32, 8 * (offset + bytes) as u32 - 1);
        let bits = self.terms.bv_extract(image, high, low);
        match sort {
            Sort::Float(format) => float::from_image(&mut self.terms, kind_of(format), bits),
            Sort::BitVec(_) => bits,
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

    /// The value of a type with this image.
    pub(crate) fn of_image(&mut self, bits: TermId, ty: Scalar) -> TermId {
        match ty {
            Scalar::Float(kind) => float::from_image(&mut self.terms, kind, bits),
            Scalar::Int { .. } | Scalar::Ptr => bits,
            Scalar::Bool => unreachable!("truth values are not stored"),
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
        FloatFormat::SINGLE => FloatKind::F32,
        FloatFormat::DOUBLE => FloatKind::F64,
        FloatFormat::X87 => FloatKind::X87,
        FloatFormat::QUAD => FloatKind::F128,
        other => unreachable!("no C type has the format {other:?}"),
    }
}

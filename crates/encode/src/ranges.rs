//! Operations on ranges of bytes: fills, copies, and memory that becomes arbitrary.

use crate::Encoder;
use crate::input::{EventKind, Held};
use crate::memory::BytesAt;
use crate::objects::{MOST_ELEMENTS, offsets};
use crate::path::PathFormula;
use crate::regions::{MemoryHalf, Region};
use crate::units::{Content, KnownBytes, Length};
use cfa::{ExprId, VarId};
use flow::uses::{direct, size_of, variable_size};
use smt::TermId;

/// Longer ranges than this many elements, whose size depends on the execution, are forgotten.
pub(crate) const MOST_GUARDED: u64 = 64;

impl Encoder<'_> {
    /// How many bytes at all these places an operation is about that C says is about `size` of them, unless they are
    /// too many to tell them apart.
    fn extent(&mut self, path: &PathFormula, size: TermId, places: &[(ExprId, BytesAt)]) -> Option<Length> {
        let mut room: Option<u64> = None;
        let mut width = 1;
        for (pointer, target) in places {
            let here = match target {
                BytesAt::Pieces(var, offset) => size_of(self.program, *var).map(|size| size.saturating_sub(*offset)),
                BytesAt::Memory(spot) => {
                    width = width.max(self.element(spot.region).0);
                    let named = direct(&self.exprs, *pointer).and_then(|place| {
                        Some(size_of(self.program, place.var)?.saturating_sub(place.offset.unwrap_or(0)))
                    });
                    named.or_else(|| self.model.regions.room(*pointer))
                }
            };
            // Beyond any of them the operation is undefined.
            room = [room, here].into_iter().flatten().min();
        }
        assert!(!places.is_empty(), "a range is somewhere");
        let in_memory = places.iter().any(|(_, target)| matches!(target, BytesAt::Memory(_)));
        let length = self.length(path.guard, size, room)?;
        match length {
            Length::Known(bytes) if in_memory => (bytes.div_ceil(width) <= MOST_ELEMENTS).then_some(length),
            Length::Known(bytes) => Some(Length::Known(bytes.min(room.unwrap_or(bytes)))),
            Length::AtMost(..) => (length.most().div_ceil(width) <= MOST_GUARDED).then_some(length),
        }
    }

    /// A range gets new contents; which values, by their distance from its start. Nothing is said of what is forgotten.
    fn set_range(
        &mut self,
        path: &mut PathFormula,
        to: BytesAt,
        length: Option<Length>,
        content: &Content,
        depth: u32,
    ) -> Vec<KnownBytes> {
        match (length, to) {
            (Some(length), _) => {
                if let Length::AtMost(size, most) = length {
                    let most = self.address(most);
                    let inside = self.terms.bv_ule(size, most);
                    self.defined.push((path.guard, inside));
                }
                self.write_range(path, to, length, content, depth)
            }
            (None, BytesAt::Pieces(var, offset)) => {
                self.forgotten += 1;
                let rest = Length::Known(variable_size(self.program, var).saturating_sub(offset));
                self.write_range(path, to, rest, &Content::Arbitrary, depth)
            }
            (None, BytesAt::Memory(spot)) => {
                self.give_up(path, spot.region);
                Vec::new()
            }
        }
    }

    /// Notes that a range is not at null, unless it is empty.
    fn valid_range(&mut self, path: &PathFormula, target: BytesAt, size: TermId) {
        if let BytesAt::Memory(spot) = target {
            let null = self.address(0);
            let empty = self.terms.eq(size, null);
            self.valid_unless(path, spot.address, empty);
        }
    }

    pub(crate) fn fill(&mut self, path: &mut PathFormula, to: ExprId, byte: ExprId, size: ExprId, depth: u32) {
        let byte = self.eval(path, byte, depth);
        let size = self.eval(path, size, depth);
        let target = self.target(path, to, depth);
        self.valid_range(path, target, size);
        let length = self.extent(path, size, &[(to, target)]);
        self.set_range(path, target, length, &Content::Byte(byte), depth);
    }

    /// Everything is read before anything is written: the ranges may overlap.
    pub(crate) fn copy(&mut self, path: &mut PathFormula, to: ExprId, from: ExprId, size: ExprId, depth: u32) {
        let size = self.eval(path, size, depth);
        let (target, source) = (self.target(path, to, depth), self.target(path, from, depth));
        self.valid_range(path, target, size);
        self.valid_range(path, source, size);
        let length = self.extent(path, size, &[(to, target), (from, source)]);
        let content = match length {
            Some(length) => Content::Parts(self.read_range(path, source, length, depth)),
            None => Content::Arbitrary,
        };
        self.set_range(path, target, length, &content, depth);
    }

    /// Bytes become arbitrary: so many, or the whole object.
    pub(crate) fn havoc_memory(&mut self, path: &mut PathFormula, to: ExprId, size: Option<ExprId>, depth: u32) {
        let event = match size {
            Some(size) => self.havoc_range(path, to, size, depth),
            None => self.havoc_object(path, to, depth),
        };
        self.event(path, event);
    }

    fn havoc_range(&mut self, path: &mut PathFormula, to: ExprId, size: ExprId, depth: u32) -> EventKind {
        let size = self.eval(path, size, depth);
        let target = self.target(path, to, depth);
        let length = self.extent(path, size, &[(to, target)]);
        let parts = offsets(&self.set_range(path, target, length, &Content::Arbitrary, depth));
        match (target, length) {
            // Which object it is, only a model can tell.
            (BytesAt::Memory(spot), None) => {
                EventKind::Forgotten { pointer: spot.address, held: self.held(path, spot.region) }
            }
            (BytesAt::Memory(spot), Some(_)) => EventKind::Birth { pointer: Some(spot.address), object: None, parts },
            (BytesAt::Pieces(_, start), _) => {
                let parts = parts.into_iter().map(|(offset, value)| (start + offset, value)).collect();
                EventKind::Birth { pointer: None, object: None, parts }
            }
        }
    }

    /// An object becomes arbitrary; what an execution is to know of it.
    pub(crate) fn havoc_object(&mut self, path: &mut PathFormula, pointer: ExprId, depth: u32) -> EventKind {
        if let Some(place) = direct(&self.exprs, pointer) {
            return self.havoc_variable(path, place.var, depth);
        }
        let BytesAt::Memory(spot) = self.target(path, pointer, depth) else {
            unreachable!("pieces are reached by the variable's own address alone")
        };
        self.forget_region(path, spot.region);
        EventKind::Forgotten { pointer: spot.address, held: self.held(path, spot.region) }
    }

    /// All that a region holds, as terms.
    fn held(&mut self, path: &mut PathFormula, region: Region) -> Vec<Held> {
        let shape = self.model.regions.shape(region);
        let (zero, arbitrary, bytes) = (shape.zero, shape.arbitrary, shape.bytes);
        if shape.cell {
            let slot = self.cell_slot(region);
            let value = self.value(path, slot);
            let model = self.model.clone();
            let of_vars = self.program.vars.ids().flat_map(|var| model.regions.of_var(var));
            let field = of_vars.into_iter().find(|field| field.region == region);
            let offset = field.and_then(|field| u64::try_from(field.offset.start).ok());
            return vec![Held::Cell { offset: offset.unwrap_or(0), value }];
        }
        let halves = [(zero, MemoryHalf::Zero), (arbitrary, MemoryHalf::Arbitrary)];
        let used = halves.into_iter().filter(|(is_used, _)| *is_used);
        used.map(|(_, half)| Held::Array { bytes, value: self.array(path, region, half) }).collect()
    }

    /// A whole variable becomes arbitrary, wherever in it the pointer points to.
    fn havoc_variable(&mut self, path: &mut PathFormula, var: VarId, depth: u32) -> EventKind {
        let size = size_of(self.program, var);
        let parts = if self.model.pieces[var].is_some() {
            let length = Length::Known(variable_size(self.program, var));
            self.write_range(path, BytesAt::Pieces(var, 0), length, &Content::Arbitrary, depth)
        } else {
            let (model, address) = (self.model.clone(), self.address_of(path, var, depth));
            self.clear_fields(path, model.regions.of_var(var), (address, size), &Content::Arbitrary)
        };
        EventKind::Birth { pointer: None, object: None, parts: offsets(&parts) }
    }
}

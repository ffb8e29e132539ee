//! Objects that come into being: the initial values of globals, the arbitrary bytes of locals.

use crate::bounds::Spot;
use crate::input::EventKind;
use crate::memory::{BytesAt, suffix};
use crate::path::PathFormula;
use crate::ranges::MOST_GUARDED;
use crate::regions::{EncodedRegions, MemoryHalf, Region, RegionField};
use crate::slot::{SlotKind, slot_name};
use crate::units::{Content, KnownBytes, Length};
use crate::{Addressing, Encoder};
use cfa::{Storage, VarId};
use flow::points_to::Offset;
use smt::{Sort, TermId};
use std::collections::BTreeSet;

/// Objects with more elements than this are over-approximated.
pub(crate) const MOST_ELEMENTS: u64 = 1024;

impl Encoder<'_> {
    /// The address of a memory variable.
    pub(crate) fn address_of(&mut self, path: &PathFormula, var: VarId, depth: u32) -> TermId {
        let place = SlotKind::Address(var, self.depth_of(var, depth));
        match self.slots.find(place) {
            Some(slot) => self.value(path, slot),
            None => self.address(self.layout.var(var)),
        }
    }

    /// A global gets its initial value: zeros but for the cells that the program names.
    pub(crate) fn init(&mut self, path: &mut PathFormula, var: VarId) {
        let (program, model) = (self.program, self.model.clone());
        let size = flow::uses::variable_size(program, var);
        let cut = model.pieces[var].is_some();
        if cut {
            self.write_range(path, BytesAt::Pieces(var, 0), Length::Known(size), &Content::Zero, 0);
        } else if path.instance != 0 {
            let address = self.address(self.layout.var(var));
            let fields = known_fields(&model.regions, model.regions.of_var(var), Some(size));
            self.clear_fields(path, &fields, (address, Some(size)), &Content::Zero);
        }
        for cell in &program.vars[var].init {
            let target = if cut {
                BytesAt::Pieces(var, cell.offset)
            } else {
                let here = |field: &&RegionField| field.offset == Offset::exact(cell.offset as i64);
                let field = model.regions.of_var(var).iter().find(here);
                // No reachable operation knows the variable.
                let Some(field) = field else { continue };
                let address = self.address(self.layout.var(var) + cell.offset);
                BytesAt::Memory(Spot { region: field.region, address, object: None })
            };
            let value = self.eval(path, cell.value, 0);
            self.store(path, target, value, 0);
        }
    }

    /// The bytes of a local become arbitrary. In a new activation it is a new object, at an address of its own where
    /// formulas follow events.
    pub(crate) fn declare(&mut self, path: &mut PathFormula, var: VarId, depth: u32, new_activation: bool) {
        if self.model.pieces[var].is_some() {
            let length = Length::Known(flow::uses::variable_size(self.program, var));
            let parts = self.write_range(path, BytesAt::Pieces(var, 0), length, &Content::Arbitrary, depth);
            return self.event(path, EventKind::Birth { pointer: None, object: None, parts: offsets(&parts) });
        }
        let Storage::Memory { size, align } = self.program.vars[var].storage else { return };
        let model = self.model.clone();
        let fields = model.regions.of_var(var);
        let parts = if self.addressing == Addressing::Events && (new_activation || size > 64) {
            let at = self.layout.fresh(MemoryHalf::Arbitrary, Some(size), align);
            path.give_birth(self.layout.last_fresh());
            let address = self.address(at);
            let depth = self.depth_of(var, depth);
            let (program, width) = (self.program, self.program.model.pointer_bits());
            let slot = self.slots.slot(SlotKind::Address(var, depth), || {
                (format!("&{}{}", slot_name(program, var), suffix(depth)), Sort::BitVec(width))
            });
            self.set(path, slot, address);
            // What is not in an array does not get a new address with the object.
            let cells: Vec<RegionField> =
                fields.iter().copied().filter(|field| model.regions.shape(field.region).cell).collect();
            self.clear_fields(path, &cells, (address, Some(size)), &Content::Arbitrary)
        } else {
            let address = self.address_of(path, var, depth);
            self.clear_fields(path, fields, (address, Some(size)), &Content::Arbitrary)
        };
        let object = Some((self.address_of(path, var, depth), regions_of(fields), size));
        self.event(path, EventKind::Birth { pointer: None, object, parts: offsets(&parts) });
    }

    /// The fields of an object get new contents; which ones, by offset from its start.
    pub(crate) fn clear_fields(
        &mut self,
        path: &mut PathFormula,
        fields: &[RegionField],
        (address, size): (TermId, Option<u64>),
        content: &Content,
    ) -> Vec<KnownBytes> {
        debug_assert_eq!(self.terms.width(address), self.program.model.pointer_bits(), "addresses have one width");
        let model = self.model.clone();
        let mut elements: BTreeSet<(Region, u64)> = BTreeSet::new();
        for field in fields {
            let Some(starts) = starts(&model.regions, field, size) else {
                self.forget_region(path, field.region);
                continue;
            };
            let width = model.regions.shape(field.region).bytes;
            for start in starts {
                let parts = 0..field.width.div_ceil(width).max(1);
                elements.extend(parts.map(|part| (field.region, start + part * width)));
            }
        }
        let mut parts = Vec::new();
        for (region, offset) in elements {
            let (bytes, element) = self.element(region);
            // Beyond the object is another one.
            if size.is_some_and(|size| offset + bytes > size) {
                continue;
            }
            let value = self.content(content, offset, bytes, element);
            let index = self.offset_by(address, offset);
            self.write_conditionally(path, region, index, value);
            parts.push(KnownBytes { at: offset, bytes, value });
        }
        parts
    }

    /// All that a region holds becomes arbitrary, since what happened to a part of it cannot be told.
    pub(crate) fn give_up(&mut self, path: &mut PathFormula, region: Region) {
        self.forgotten += 1;
        self.forget_region(path, region);
    }

    pub(crate) fn forget_region(&mut self, path: &mut PathFormula, region: Region) {
        let shape = self.model.regions.shape(region);
        let (zero, arbitrary, element) = (shape.zero, shape.arbitrary, shape.element);
        if shape.cell {
            let value = self.arbitrary(element);
            let slot = self.cell_slot(region);
            return self.set(path, slot, value);
        }
        if zero {
            self.forget_half(path, region, MemoryHalf::Zero);
        }
        if arbitrary {
            self.forget_half(path, region, MemoryHalf::Arbitrary);
        }
    }
}

/// The regions of fields, each once.
pub(crate) fn regions_of(fields: &[RegionField]) -> Vec<Region> {
    let mut regions: Vec<Region> = fields.iter().map(|field| field.region).collect();
    regions.sort_unstable();
    regions.dedup();
    regions
}

/// Where the elements of a field start in an object of that size; `None` if they are too many to name.
fn starts(regions: &EncodedRegions, field: &RegionField, size: Option<u64>) -> Option<Vec<u64>> {
    let width = regions.shape(field.region).bytes;
    let (first, step) = match field.offset.stride {
        0 => return Some(u64::try_from(field.offset.start).into_iter().collect()),
        1 => (field.residue, width),
        stride => (u64::try_from(field.offset.start).unwrap_or(0), u64::from(stride)),
    };
    let count = size?.saturating_sub(first).div_ceil(step);
    (count <= MOST_ELEMENTS).then(|| (0..count).map(|at| first + at * step).collect())
}

/// The fields of a new object that the program names, and all of it where that is little. What else there is holds
/// whatever was there before, where no object was.
pub(crate) fn known_fields(regions: &EncodedRegions, fields: &[RegionField], size: Option<u64>) -> Vec<RegionField> {
    let few = |field: &RegionField| size.is_some_and(|size| size <= MOST_GUARDED * regions.shape(field.region).bytes);
    let known = |field: &&RegionField| !field.is_whole() || few(field);
    fields.iter().filter(known).copied().collect()
}

/// Values by offset.
pub(crate) fn offsets(parts: &[KnownBytes]) -> Vec<(u64, TermId)> {
    parts.iter().map(|part| (part.at, part.value)).collect()
}

//! The heap: objects that come into being where the program asks for them, and move when they grow.

use crate::bounds::Spot;
use crate::input::EventKind;
use crate::objects::{MOST_ELEMENTS, known_fields, offsets, regions_of};
use crate::path::PathFormula;
use crate::ranges::MOST_GUARDED;
use crate::regions::{MemoryHalf, RegionField};
use crate::slot::SlotKind;
use crate::units::{Content, Holder, KnownBytes, Length, Unit};
use crate::{Addressing, Encoder};
use cfa::{Allocation, EdgeId, ExprId, VarId};
use smt::{BitVec, Sort, TermId};

/// What `realloc` keeps of an object.
struct Kept {
    length: Length,
    parts: Vec<KnownBytes>,
}

impl Encoder<'_> {
    pub(crate) fn allocate(
        &mut self,
        path: &mut PathFormula,
        edge: EdgeId,
        result: VarId,
        size: ExprId,
        how: Allocation,
        depth: u32,
    ) {
        let size_term = self.eval(path, size, depth);
        let size = self.terms.as_bv(size_term).and_then(BitVec::to_u64);
        let half = match how {
            Allocation::HeapZeroed => MemoryHalf::Zero,
            Allocation::Heap | Allocation::Stack | Allocation::Resize(_) => MemoryHalf::Arbitrary,
        };
        // What the old object holds is read before anything changes.
        let kept = match how {
            Allocation::Resize(old) => Some(self.kept(path, old, size_term, depth)),
            Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => None,
        };
        let model = self.model.clone();
        let fields = model.regions.of_allocation(edge);
        let address = match self.addressing {
            Addressing::Events => {
                let at = self.layout.fresh(half, size, 16);
                path.give_birth(self.layout.last_fresh());
                self.address(at)
            }
            Addressing::Fixed => self.bump(path, half, size_term),
        };
        let mut parts = Vec::new();
        if self.addressing == Addressing::Fixed {
            // The allocator may be behind where an earlier object was, as far as an abstraction knows.
            let content = if how == Allocation::HeapZeroed { Content::Zero } else { Content::Arbitrary };
            let fields = known_fields(&model.regions, fields, size);
            parts = self.clear_fields(path, &fields, (address, size), &content);
        }
        match kept {
            Some(Some(kept)) => self.keep(path, fields, address, &kept, depth),
            Some(None) => {
                // An object that was never touched is arbitrary already.
                self.forgotten += 1;
                if self.addressing == Addressing::Fixed {
                    regions_of(fields).into_iter().for_each(|region| self.forget_region(path, region));
                }
            }
            None => {}
        }
        if let Allocation::Resize(old) = how {
            self.freed(path, old, depth);
        }
        self.allocated(path, address, size_term, how);
        self.unwritten_object(path, address, size, how);
        let object = Some((address, regions_of(fields), size.unwrap_or(1 << 20)));
        self.event(path, EventKind::Birth { pointer: None, object, parts: offsets(&parts) });
        let slot = self.register(result, depth);
        self.set(path, slot, address);
    }

    /// The next address of a deterministic allocator: aligned, disjoint from all before.
    fn bump(&mut self, path: &mut PathFormula, half: MemoryHalf, size: TermId) -> TermId {
        let width = self.program.model.pointer_bits();
        let name = match half {
            MemoryHalf::Zero => "?next!zeroed",
            MemoryHalf::Arbitrary => "?next!heap",
        };
        let slot = self.slots.slot(SlotKind::Next(half), || (name.to_owned(), Sort::BitVec(width)));
        let mut address = self.value(path, slot);
        if let Some(bits) = self.layout.slot_bits() {
            let start = self.layout.slot_start();
            let start = self.terms.bv(BitVec::new(bits, u128::from(start)));
            let number = self.terms.bv_extract(address, width - 1, bits);
            address = self.terms.bv_concat(number, start);
        }
        let unit = self.layout.slot_bits().map_or(32, |bits| 1 << bits);
        let rest = self.address(2 * unit - 1);
        let rounded = self.terms.bv_add(size, rest);
        let mask = self.address(!(unit - 1) & (u64::MAX >> (64 - width)));
        let rounded = self.terms.bv_and(rounded, mask);
        let next = self.terms.bv_add(address, rounded);
        self.set(path, slot, next);
        address
    }

    /// What stays of an object that gets a new size: its bytes as far as both sizes reach, nothing of null; `None` if
    /// that is too much to tell.
    fn kept(&mut self, path: &mut PathFormula, old: ExprId, size: TermId, depth: u32) -> Option<Kept> {
        let source = self.eval(path, old, depth);
        let region = self.model.regions.of_pointer(old);
        let sizes = self.model.regions.sizes().expect("the program resizes objects");
        let old_size = self.read_halves(path, sizes, source);
        let shrinks = self.terms.bv_ult(size, old_size);
        let common = self.terms.ite(shrinks, size, old_size);
        let null = self.address(0);
        let from_null = self.terms.eq(source, null);
        let common = self.terms.ite(from_null, null, common);
        let guard = path.guard;
        let bounds = [size, old_size].map(|size| self.upper_bound(guard, size));
        let rooms = bounds.into_iter().chain([self.model.regions.room(old)]);
        let room = rooms.flatten().min();
        let length = self.length(guard, common, room)?;
        let (width, _) = self.element(region);
        let most = if let Length::Known(_) = length { MOST_ELEMENTS } else { 4 * MOST_GUARDED };
        if length.most().div_ceil(width) > most {
            return None;
        }
        let from = crate::memory::BytesAt::Memory(Spot { region, address: source, object: None });
        Some(Kept { length, parts: self.read_range(path, from, length, depth) })
    }

    /// The new object has the old bytes; after them comes what was there before, which is arbitrary.
    fn keep(&mut self, path: &mut PathFormula, fields: &[RegionField], address: TermId, kept: &Kept, depth: u32) {
        let content = Content::Parts(kept.parts.clone());
        for region in regions_of(fields) {
            let (width, sort) = self.element(region);
            let residue = fields.iter().find(|field| field.region == region).map_or(0, |field| field.residue);
            let mut units = Vec::new();
            let mut at = residue;
            while at < kept.length.most() {
                let spot = Spot { region, address: self.offset_by(address, at), object: None };
                units.push(Unit { at, bytes: width, sort, holder: Holder::Element(spot) });
                at += width;
            }
            self.write_units(path, &units, kept.length, &content, depth);
        }
    }
}

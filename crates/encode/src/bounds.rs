//! Where objects end. An access outside its object reads an arbitrary value and changes no other object, whatever lies
//! at that address in formulas: next to an array is another array there, and what was never written in the zero half is 0.
//!
//! The object is known where the pointer's expression names it. Elsewhere an address is taken to be inside if any
//! static object of the region is there; with many of them only addresses near null are told apart, and the validity of
//! the access stays an assumption of the verdict.

use crate::Encoder;
use crate::path::PathFormula;
use crate::regions::{MemoryHalf, Region};
use cfa::{ExprId, Undefined};
use flow::uses::{direct, size_of};
use smt::TermId;

/// Static objects of a region to compare an address with.
const MOST_OBJECTS: usize = 4;

/// An address in a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Which memory.
    pub region: Region,
    /// Where in it.
    pub address: TermId,
    /// The object that it must lie in, where the program says.
    pub object: Option<Room>,
}

/// Bytes of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    start: TermId,
    size: u64,
}

impl Encoder<'_> {
    /// Where a pointer leads that has this value.
    pub(crate) fn spot(&mut self, path: &PathFormula, pointer: ExprId, address: TermId, depth: u32) -> Spot {
        let region = self.model.regions.of_pointer(pointer);
        let var = direct(&self.exprs, pointer).map(|place| place.var);
        let object = var.and_then(|var| Some((var, size_of(self.program, var)?)));
        let object = object.map(|(var, size)| Room { start: self.address_of(path, var, depth), size });
        Spot { region, address, object }
    }

    /// So many bytes after a spot.
    pub(crate) fn further(&mut self, spot: Spot, bytes: u64) -> Spot {
        Spot { address: self.offset_by(spot.address, bytes), ..spot }
    }

    /// The element at an address, an arbitrary one outside objects.
    pub(crate) fn read_any(&mut self, path: &mut PathFormula, spot: Spot) -> TermId {
        let value = self.read_halves(path, spot.region, spot.address);
        let wild = self.outside(spot);
        if self.known_truth(path.guard, wild) == Some(false) {
            return value;
        }
        let inside = self.terms.not(wild);
        self.defined.push((path.guard, inside));
        let anything = self.anything(spot);
        self.terms.ite(wild, anything, value)
    }

    /// What is read outside objects: another value each time. Only where executions continue past such a read does an
    /// address keep its value, since they are shown with it.
    fn anything(&mut self, spot: Spot) -> TermId {
        let shape = self.model.regions.shape(spot.region);
        let (element, array) = (shape.element, shape.array);
        if self.program.undefined == Undefined::Report {
            return self.terms.fresh_var("?wild", element);
        }
        let memory = match self.wild.get(&spot.region) {
            Some(&known) => known,
            None => {
                let new = self.terms.fresh_var("?wild", array);
                self.wild.insert(spot.region, new);
                new
            }
        };
        self.terms.select(memory, spot.address)
    }

    /// Writes an element, unless it lies outside the object that the program names and another one may be there.
    pub(crate) fn write_inside(&mut self, path: &mut PathFormula, spot: Spot, value: TermId) {
        let mut value = value;
        if let Some(object) = spot.object
            && !self.model.regions.shape(spot.region).single
        {
            let inside = self.inside(spot, object);
            if self.known_truth(path.guard, inside) != Some(true) {
                self.defined.push((path.guard, inside));
                let old = self.read_halves(path, spot.region, spot.address);
                value = self.terms.ite(inside, value, old);
            }
        }
        self.write_conditionally(path, spot.region, spot.address, value);
    }

    fn outside(&mut self, spot: Spot) -> TermId {
        let model = self.model.clone();
        let shape = model.regions.shape(spot.region);
        if let Some(object) = spot.object {
            // Around the only object of memory without zeros is nothing but arbitrary memory.
            if shape.single && !shape.zero {
                return self.terms.falsity();
            }
            let inside = self.inside(spot, object);
            return self.terms.not(inside);
        }
        let lowest = self.address(self.layout.lowest());
        let near_null = self.terms.bv_ult(spot.address, lowest);
        if !shape.zero && !shape.cell {
            return self.terms.falsity();
        }
        if self.terms.as_bool(near_null).is_some() || shape.cell || shape.statics.len() > MOST_OBJECTS {
            return near_null;
        }
        // Objects of the heap and of the arbitrary half lie after all static ones.
        let dynamic = self.address(self.layout.dynamic_start(MemoryHalf::Zero));
        let mut outside = self.terms.bv_ult(spot.address, dynamic);
        if !shape.heap && !shape.arbitrary {
            outside = self.terms.truth();
        }
        for &var in &shape.statics {
            let start = self.address(self.layout.var(var));
            let size = size_of(self.program, var).unwrap_or(0);
            let inside = self.inside(spot, Room { start, size });
            let elsewhere = self.terms.not(inside);
            outside = self.terms.and([outside, elsewhere]);
        }
        outside
    }

    /// Whether the whole element lies in an object.
    fn inside(&mut self, spot: Spot, object: Room) -> TermId {
        let (bytes, _) = self.element(spot.region);
        debug_assert_eq!(self.terms.sort(spot.address), self.terms.sort(object.start), "addresses are of one width");
        let Some(last) = object.size.checked_sub(bytes) else { return self.terms.falsity() };
        let offset = self.terms.bv_sub(spot.address, object.start);
        let last = self.address(last);
        self.terms.bv_ule(offset, last)
    }
}

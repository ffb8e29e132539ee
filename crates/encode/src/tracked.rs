//! Memory that is surely not lost: in an unrolled program every object has a constant address, so it is known which heap objects
//! there are and where in memory pointers may lie. One is reachable if a pointer to its bytes, or one past them, lies in a global
//! variable, or in a heap object that is reachable itself.
//!
//! Locals are not looked at: which of them live is not known here. So the answer is a reason to say that nothing is lost, never
//! one to say that something is; executions decide that.

use crate::path::PathFormula;
use crate::regions::{MemoryHalf, Region};
use crate::slot::SlotKind;
use crate::{Addressing, Encoder};
use cfa::VarKind;
use flow::uses::size_of;
use smt::{Sort, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// With more heap objects, or more places of pointers, nothing is said.
const MOST_OBJECTS: usize = 12;
const MOST_PLACES: usize = 96;

/// A heap object of the unrolled program.
struct HeapObject {
    start: u64,
    lives: TermId,
    size: TermId,
}

/// What a pointer lies in.
#[derive(Clone, Copy)]
enum Holder {
    /// A global variable of so many bytes.
    Global(u64),
    /// The heap object of this number.
    Heap(usize),
}

/// A place that may hold a pointer.
struct PointerPlace {
    /// The number of the heap object that it lies in, and whether it does; `None` if it is in a global variable.
    heap: Option<(usize, TermId)>,
    value: TermId,
}

impl Encoder<'_> {
    /// Whether pointers lead from global variables to every heap object that lives; `None` if that is not known.
    pub(crate) fn surely_tracked(&mut self, path: &mut PathFormula) -> Option<TermId> {
        if path.instance != 0 || self.addressing != Addressing::Events {
            return None;
        }
        let objects = self.heap_objects(path)?;
        let places = self.pointer_places(path, &objects)?;
        let no = self.terms.falsity();
        let mut reached = vec![no; objects.len()];
        // Each round follows one more pointer; no way without a circle is longer than the number of objects.
        for _ in 0..objects.len() {
            let before = reached.clone();
            for (object, reached) in objects.iter().zip(&mut reached) {
                let mut ways = vec![*reached];
                for place in &places {
                    let leads = self.leads_into(place.value, object);
                    ways.push(match place.heap {
                        None => leads,
                        Some((holder, inside)) => {
                            self.terms.and([leads, inside, objects[holder].lives, before[holder]])
                        }
                    });
                }
                *reached = self.terms.or(ways);
            }
            if before == reached {
                break;
            }
        }
        let mut all = Vec::new();
        for (object, reached) in objects.iter().zip(reached) {
            let dead = self.terms.not(object.lives);
            all.push(self.terms.or([dead, reached]));
        }
        Some(self.terms.and(all))
    }

    /// The heap objects that came into being, if all have constant addresses.
    fn heap_objects(&mut self, path: &mut PathFormula) -> Option<Vec<HeapObject>> {
        let (heap, sizes) = (self.model.regions.living()?, self.model.regions.sizes()?);
        let flags = self.constant_elements(path, heap)?;
        if flags.len() > MOST_OBJECTS {
            return None;
        }
        let mut objects = Vec::new();
        for (start, flag) in flags {
            let address = self.address(start);
            let size = self.read_halves(path, sizes, address);
            objects.push(HeapObject { start, lives: self.terms.bv_is_nonzero(flag), size });
        }
        Some(objects)
    }

    /// Where pointers lie that count, and what they are.
    fn pointer_places(&mut self, path: &mut PathFormula, objects: &[HeapObject]) -> Option<Vec<PointerPlace>> {
        let (program, model) = (self.program, self.model.clone());
        let width = program.model.pointer_bits();
        let mut places = Vec::new();
        let mut holders: BTreeMap<u64, Holder> =
            objects.iter().enumerate().map(|(at, object)| (object.start, Holder::Heap(at))).collect();
        let globals = program.vars.iter().filter(|(_, variable)| variable.kind == VarKind::Global);
        for (var, _) in globals {
            match (program.register(var), size_of(program, var)) {
                (Some(_), _) => {
                    let slot = self.register(var, 0);
                    if self.slots.sort(slot) == Sort::BitVec(width) {
                        places.push(PointerPlace { heap: None, value: self.value(path, slot) });
                    }
                }
                (None, Some(size)) => {
                    holders.insert(self.layout.var(var), Holder::Global(size));
                    for field in model.regions.of_var(var) {
                        let shape = model.regions.shape(field.region);
                        if shape.cell && shape.element == Sort::BitVec(width) {
                            let slot = self.cell_slot(field.region);
                            places.push(PointerPlace { heap: None, value: self.value(path, slot) });
                        }
                    }
                }
                (None, None) => {}
            }
        }
        for (slot, value) in path.written().collect::<Vec<_>>() {
            let of_global = |var| program.vars[var].kind == VarKind::Global;
            if let SlotKind::Piece(var, ..) = self.slots.kind(slot)
                && of_global(var)
                && self.slots.sort(slot) == Sort::BitVec(width)
            {
                places.push(PointerPlace { heap: None, value });
            }
        }
        self.places_in_arrays(path, objects, &holders, &mut places);
        (places.len() <= MOST_PLACES).then_some(places)
    }

    /// Pointers at constant addresses of regions.
    fn places_in_arrays(
        &mut self,
        path: &PathFormula,
        objects: &[HeapObject],
        holders: &BTreeMap<u64, Holder>,
        places: &mut Vec<PointerPlace>,
    ) {
        let width = self.program.model.pointer_bits();
        let regions: BTreeSet<Region> = self.touched(path).into_iter().map(|(region, _)| region).collect();
        for region in regions {
            let is_table = [self.model.regions.living(), self.model.regions.sizes()].contains(&Some(region));
            let (bytes, element) = self.element(region);
            if is_table || element != Sort::BitVec(width) {
                continue;
            }
            for (at, value) in self.known_elements(path, region) {
                match holders.range(..=at).next_back() {
                    Some((&start, &Holder::Global(size))) if at + bytes <= start + size => {
                        places.push(PointerPlace { heap: None, value });
                    }
                    Some((&start, &Holder::Heap(number))) => {
                        let end = self.address(at + bytes - start);
                        let inside = self.terms.bv_ule(end, objects[number].size);
                        places.push(PointerPlace { heap: Some((number, inside)), value });
                    }
                    Some((_, Holder::Global(_))) | None => {}
                }
            }
        }
    }

    /// Whether a value is the address of a byte of the object, or one past them.
    fn leads_into(&mut self, value: TermId, object: &HeapObject) -> TermId {
        let start = self.address(object.start);
        let offset = self.terms.bv_sub(value, start);
        self.terms.bv_ule(offset, object.size)
    }

    /// All elements of a region, if all were written at constant addresses.
    fn constant_elements(&mut self, path: &PathFormula, region: Region) -> Option<Vec<(u64, TermId)>> {
        for half in [MemoryHalf::Zero, MemoryHalf::Arbitrary] {
            if !self.is_written_at_constants(path, region, half) {
                return None;
            }
        }
        Some(self.known_elements(path, region))
    }
}

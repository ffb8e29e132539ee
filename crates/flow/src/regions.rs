//! Memory regions: memory is split so that no access touches two regions. An element of a region is as wide as all
//! accesses to it are, or a byte where widths mix; two accesses then touch the same elements or have none in common.
//! Formulas keep one array per region and [`MemoryHalf`], from addresses to elements. Entries between elements are never
//! looked at, so the index is simply the address.
//!
//! Where the points-to analysis tells the fields of an object apart, so do regions: `p->value` and `p->next` of all
//! nodes of a list are two arrays. A region with one place only is not an array at all.

mod build;

use crate::Prepared;
use crate::points_to::{ObjectId, ObjectKind, Offset, PointsTo};
use crate::uses::Uses;
use base::{IdVec, define_id};
use cfa::{EdgeId, ExprId, Op, Program, Scalar, VarId};
use rustc_hash::FxHashMap;

define_id!(
    /// A memory region.
    Region,
    "region"
);

/// Memory by what it holds before the first write: addresses of the two never meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemoryHalf {
    /// Globals and what `calloc` gives: zeros.
    Zero,
    /// Locals and what `malloc` gives: anything.
    Arbitrary,
}

/// The shape of a region.
#[derive(Clone, Debug)]
pub struct RegionInfo {
    /// Bytes of an element.
    pub bytes: u64,
    /// What an element is: an unsigned integer, also for pointers, or a float.
    pub element: Scalar,
    /// Whether all accesses are of one width, an element's.
    pub uniform: bool,
    /// The objects that have bytes in it, ascending.
    pub objects: Box<[ObjectId]>,
    /// Whether there are objects in the zero half.
    pub zero: bool,
    /// Whether there are objects in the arbitrary half.
    pub arbitrary: bool,
    /// Whether there is just one element, which all accesses mean.
    pub cell: bool,
    /// The same, also of an object that is allocated once at most.
    pub lone: bool,
    /// Whether there is just one object.
    pub single: bool,
    /// The variables of the zero half.
    pub statics: Box<[VarId]>,
    /// Whether there are objects of the heap in the zero half.
    pub heap: bool,
}

/// A part of an object that lies in one region.
#[derive(Clone, Copy, Debug)]
pub struct RegionField {
    /// Which.
    pub region: Region,
    /// Where in the object.
    pub offset: Offset,
    /// Bytes of an access; 0 if the object is accessed as a whole.
    pub width: u64,
    /// Where in the object elements of the region start, less than the size of one.
    pub residue: u64,
}

impl RegionField {
    /// Whether it stands for all bytes of the object.
    pub fn is_whole(&self) -> bool {
        self.width == 0
    }
}

/// All regions of a program.
pub struct Regions {
    shapes: IdVec<Region, RegionInfo>,
    pointers: FxHashMap<ExprId, Region>,
    vars: FxHashMap<VarId, Vec<RegionField>>,
    allocations: FxHashMap<EdgeId, Vec<RegionField>>,
    /// What pointers lead to that point nowhere.
    nowhere: Region,
    /// How many bytes there are at most from a pointer to the end of its range.
    rooms: FxHashMap<ExprId, u64>,
    /// The sizes of objects by their addresses, where the program resizes some or asks about living objects.
    sizes: Option<Region>,
    /// Whether a heap object begins at an address, where the program asks about living objects.
    living: Option<Region>,
    /// Whether a byte was written, where the program asks that.
    written: Option<Region>,
}

fn sorted(mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort_unstable();
    regions.dedup();
    regions
}

impl Regions {
    /// The regions of a program.
    pub fn new(program: &Prepared, uses: &Uses, points_to: &PointsTo) -> Regions {
        build::regions(program, uses, points_to)
    }

    /// The region that accesses through a pointer touch.
    pub fn of_pointer(&self, pointer: ExprId) -> Region {
        self.pointers.get(&pointer).copied().unwrap_or(self.nowhere)
    }

    /// Whether the program accesses memory through a pointer.
    pub fn is_accessed(&self, pointer: ExprId) -> bool {
        self.pointers.contains_key(&pointer)
    }

    /// The parts of a variable that are ever accessed.
    pub fn of_var(&self, var: VarId) -> &[RegionField] {
        self.vars.get(&var).map_or(&[], Vec::as_slice)
    }

    /// The parts of what an edge allocates.
    pub fn of_allocation(&self, edge: EdgeId) -> &[RegionField] {
        self.allocations.get(&edge).map_or(&[], Vec::as_slice)
    }

    /// The region of what lies outside the program.
    pub fn outside(&self) -> Region {
        self.nowhere
    }

    /// The regions with bytes of the objects that a pointer leads to, ascending.
    pub fn behind(&self, points_to: &PointsTo, pointer: ExprId) -> Vec<Region> {
        let targets = points_to.targets(pointer);
        let fields = targets.places.iter().flat_map(|place| match points_to.objects[place.object].kind {
            ObjectKind::Variable(var) => self.of_var(var),
            ObjectKind::Allocation(edge) => self.of_allocation(edge),
            ObjectKind::Unknown | ObjectKind::Function(_) => &[],
        });
        let outside = targets.unknown.then_some(self.nowhere);
        sorted(fields.map(|field| field.region).chain(outside).collect())
    }

    /// The regions in which an edge may change bytes that existed before it, ascending.
    pub fn written(&self, program: &Program, id: EdgeId) -> Vec<Region> {
        let all = |fields: &[RegionField]| sorted(fields.iter().map(|field| field.region).collect());
        match &program.edges[id].op {
            Op::Store { to, .. } | Op::Copy { to, .. } | Op::Fill { to, .. } | Op::HavocMemory { to, .. } => {
                vec![self.of_pointer(*to)]
            }
            Op::Init(var) | Op::Declare(var) => all(self.of_var(*var)),
            Op::Allocate { .. } => all(self.of_allocation(id)),
            Op::Library { function, args, .. } => {
                let pointers = function.writes().iter().filter_map(|&at| args.get(at));
                sorted(pointers.map(|&arg| self.of_pointer(arg)).collect())
            }
            Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(..) | Op::Free(_) | Op::End(_) => Vec::new(),
            Op::Call { .. } | Op::CallPointer { .. } | Op::Return(_) | Op::Halt(_) | Op::Unsupported(_) => Vec::new(),
        }
    }

    /// All regions with their shapes.
    pub fn iter(&self) -> impl Iterator<Item = (Region, &RegionInfo)> {
        self.shapes.iter()
    }

    /// How many bytes there are at most after a pointer to a range whose size the text does not say.
    pub fn room(&self, pointer: ExprId) -> Option<u64> {
        self.rooms.get(&pointer).copied()
    }

    /// Where living heap objects begin, if the program asks about living objects.
    pub fn living(&self) -> Option<Region> {
        self.living
    }

    /// Which bytes were written, if the program asks.
    pub fn written_bytes(&self) -> Option<Region> {
        self.written
    }

    /// The sizes of objects by their addresses, if the program resizes objects or asks about living ones.
    pub fn sizes(&self) -> Option<Region> {
        self.sizes
    }

    /// The shape of a region.
    pub fn shape(&self, region: Region) -> &RegionInfo {
        &self.shapes[region]
    }
}

#[cfg(test)]
mod tests;

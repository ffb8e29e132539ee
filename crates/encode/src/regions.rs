//! Regions: memory that is not cut into pieces is split so that no pointer leads into two regions; each region is one
//! array per [`Segment`], from addresses to elements. An element is as wide as all accesses to the region are, or a byte
//! where widths mix. Entries between elements are never looked at, so the index is simply the address.

use crate::sort::{sort_of, sort_of_bytes};
use crate::uses::{Extent, Uses, direct};
use base::{IdVec, define_id};
use cfa::{Allocation, EdgeId, ExprId, Op, Program, VarId, VarKind};
use smt::{Scalar as Index, Sort};
use std::collections::BTreeSet;

define_id!(
    /// A region of one encoder.
    Region,
    "region"
);

/// Memory by what it holds before the first write: addresses of the two never meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Segment {
    /// Globals and what `calloc` gives: zeros.
    Zero,
    /// Locals and what `malloc` gives: anything.
    Arbitrary,
}

/// Which pointers may lead to the same objects: equal numbers, `0..count`.
pub struct Classes {
    /// Of the objects that variables are.
    pub vars: IdVec<VarId, u32>,
    /// Of the objects that an `Allocate` edge makes.
    pub allocations: IdVec<EdgeId, u32>,
    /// Of what a pointer expression leads to; expressions without a direct variable.
    pub pointers: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Classes {
    /// Without a points-to analysis: variables whose address does not escape are alone, all the rest is together.
    pub fn by_escape(program: &Program, uses: &Uses) -> Classes {
        let mut count = 1;
        let mut vars = IdVec::new();
        for (_, escapes) in uses.escapes.iter() {
            vars.push(if *escapes { 0 } else { count });
            count += u32::from(!escapes);
        }
        let allocations = IdVec::filled(program.edges.len(), 0);
        Classes { vars, allocations, pointers: vec![0; program.exprs.len()], count }
    }
}

/// The shape of a region.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Bytes of an element.
    pub bytes: u64,
    /// What an element is.
    pub element: Sort,
    /// What an array of elements is.
    pub array: Sort,
    /// Whether there are objects in the zero segment, and in the arbitrary one.
    pub zero: bool,
    /// See `zero`.
    pub arbitrary: bool,
    /// How many objects it holds, if that is known: allocations count as many.
    pub single: Option<VarId>,
}

/// All regions of a program.
pub struct Regions {
    classes: Classes,
    shapes: IdVec<Region, Shape>,
}

#[derive(Clone, Default)]
struct Found {
    sizes: BTreeSet<u64>,
    sorts: BTreeSet<Sort>,
    bytes: bool,
    zero: bool,
    arbitrary: bool,
    objects: Vec<VarId>,
    allocated: bool,
}

impl Regions {
    /// One region per class of `classes`.
    pub fn new(program: &Program, uses: &Uses, classes: Classes) -> Regions {
        let mut found = vec![Found::default(); classes.count as usize];
        for (id, var) in program.vars.iter() {
            if crate::uses::size_of(program, id).is_none() {
                continue;
            }
            let region = &mut found[classes.vars[id] as usize];
            region.objects.push(id);
            let zero = matches!(var.kind, VarKind::Global | VarKind::Literal);
            region.zero |= zero;
            region.arbitrary |= !zero;
            for cell in &var.init {
                let ty = program.exprs.ty(cell.value);
                region.scalar(cell.offset, ty.bytes(program.model), sort_of(program.model, ty));
            }
        }
        for (id, edge) in program.edges.iter() {
            if let Op::Allocate { how, .. } = edge.op {
                let region = &mut found[classes.allocations[id] as usize];
                region.allocated = true;
                match how {
                    Allocation::HeapZeroed => region.zero = true,
                    Allocation::Heap | Allocation::Stack | Allocation::Resize(_) => region.arbitrary = true,
                }
            }
        }
        let mut regions = Regions { classes, shapes: IdVec::new() };
        for access in &uses.accesses {
            let region = &mut found[regions.class(program, access.pointer) as usize];
            let offset = direct(program, access.pointer).and_then(|place| place.offset).unwrap_or(0);
            match access.extent {
                Extent::Scalar(ty) => region.scalar(offset, ty.bytes(program.model), sort_of(program.model, ty)),
                Extent::Bytes(_) | Extent::Unknown => {}
            }
        }
        regions.align_copies(program, uses, &mut found);
        for found in &found {
            regions.shapes.push(found.shape(program));
        }
        regions
    }

    /// A copy moves whole elements only if both sides have elements of one width that divides its size.
    fn align_copies(&self, program: &Program, uses: &Uses, found: &mut [Found]) {
        loop {
            let mut changed = false;
            for &(to, from, bytes) in &uses.copies {
                let (a, b) = (self.class(program, to) as usize, self.class(program, from) as usize);
                for (one, other) in [(a, b), (b, a)] {
                    let sizes = found[other].sizes.clone();
                    let before = (found[one].sizes.len(), found[one].bytes);
                    found[one].sizes.extend(sizes);
                    found[one].bytes |= found[other].bytes;
                    found[one].bytes |= found[one].sizes.first().is_some_and(|size| !bytes.is_multiple_of(*size));
                    changed |= before != (found[one].sizes.len(), found[one].bytes);
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn class(&self, program: &Program, pointer: ExprId) -> u32 {
        match direct(program, pointer) {
            Some(place) => self.classes.vars[place.var],
            None => self.classes.pointers[base::Id::index(pointer)],
        }
    }

    /// The region that a pointer leads into.
    pub fn of_pointer(&self, program: &Program, pointer: ExprId) -> Region {
        Region(self.class(program, pointer))
    }

    /// The region that a variable lies in.
    pub fn of_var(&self, var: VarId) -> Region {
        Region(self.classes.vars[var])
    }

    /// The region of what an edge allocates.
    pub fn of_allocation(&self, edge: EdgeId) -> Region {
        Region(self.classes.allocations[edge])
    }

    /// The shape of a region.
    pub fn shape(&self, region: Region) -> &Shape {
        &self.shapes[region]
    }
}

impl Found {
    fn scalar(&mut self, offset: u64, bytes: u64, sort: Sort) {
        self.sizes.insert(bytes);
        self.sorts.insert(sort);
        self.bytes |= !offset.is_multiple_of(bytes);
    }

    fn shape(&self, program: &Program) -> Shape {
        let uniform = (self.sizes.len() == 1 && !self.bytes).then(|| self.sizes.first().copied()).flatten();
        let (bytes, element) = match uniform {
            Some(bytes) => match self.sorts.first() {
                Some(sort) if self.sorts.len() == 1 => (bytes, *sort),
                _ => (bytes, sort_of_bytes(bytes)),
            },
            None => (1, Sort::BitVec(8)),
        };
        let address = Index::BitVec(program.model.pointer_bits());
        let scalar = element.scalar().expect("elements are scalars");
        let single = if self.allocated || self.objects.len() != 1 { None } else { Some(self.objects[0]) };
        let array = Sort::Array { index: address, element: scalar };
        Shape { bytes, element, array, zero: self.zero, arbitrary: self.arbitrary, single }
    }
}

//! The regions of a program in formulas: each is one array per [`MemoryHalf`], or one value where it is a single element.

use crate::sort::sort_of;
use base::IdVec;
use cfa::{Program, VarId};
use flow::regions;
pub use flow::regions::{MemoryHalf, Region, RegionField};
use flow::{PointsTo, Prepared, Uses};
use smt::{ScalarSort as Index, Sort};
use std::ops::Deref;

/// The shape of a region.
#[derive(Clone, Debug)]
pub struct EncodedRegion {
    /// Bytes of an element.
    pub bytes: u64,
    /// What an element is.
    pub element: Sort,
    /// What an array of elements is.
    pub array: Sort,
    /// Whether there are objects in the zero half.
    pub zero: bool,
    /// Whether there are objects in the arbitrary half.
    pub arbitrary: bool,
    /// Whether there is just one element, which all accesses mean.
    pub cell: bool,
    /// Whether there is just one object.
    pub single: bool,
    /// The variables of the zero half.
    pub statics: Box<[VarId]>,
    /// Whether there are objects of the heap in the zero half.
    pub heap: bool,
}

/// All regions of a program.
pub struct EncodedRegions {
    regions: regions::Regions,
    shapes: IdVec<Region, EncodedRegion>,
}

impl EncodedRegions {
    /// The regions of a program.
    pub fn new(program: &Prepared, uses: &Uses, points_to: &PointsTo) -> EncodedRegions {
        let regions = regions::Regions::new(program, uses, points_to);
        let mut shapes = IdVec::new();
        for (_, shape) in regions.iter() {
            shapes.push(in_formulas(program, shape));
        }
        EncodedRegions { regions, shapes }
    }

    /// The shape of a region.
    pub fn shape(&self, region: Region) -> &EncodedRegion {
        &self.shapes[region]
    }
}

impl Deref for EncodedRegions {
    type Target = regions::Regions;

    fn deref(&self) -> &regions::Regions {
        &self.regions
    }
}

fn in_formulas(program: &Program, shape: &regions::RegionInfo) -> EncodedRegion {
    let element = sort_of(program.model, shape.element);
    let index = Index::BitVec(program.model.pointer_bits());
    let array = Sort::Array { index, element: element.scalar().expect("elements are scalars") };
    let &regions::RegionInfo { bytes, zero, arbitrary, cell, single, heap, .. } = shape;
    assert!(!cell || single, "one element is in one object");
    assert!(bytes > 0, "elements have bytes");
    assert!(zero || shape.statics.is_empty() && !heap, "what is zero at first is in that half");
    EncodedRegion { bytes, element, array, zero, arbitrary, cell, single, statics: shape.statics.clone(), heap }
}

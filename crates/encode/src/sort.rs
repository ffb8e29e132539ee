//! Sorts of values: truth values, bit vectors (integers and pointers), floats.

use crate::float;
use cfa::{DataModel, Scalar};
use smt::Sort;

/// The sort of values of a type.
pub fn sort_of(model: DataModel, ty: Scalar) -> Sort {
    match ty {
        Scalar::Bool => Sort::Bool,
        Scalar::Int { bits, .. } => Sort::BitVec(u32::from(bits)),
        Scalar::Float(kind) => Sort::Float(float::format(kind)),
        Scalar::Ptr => Sort::BitVec(model.pointer_bits()),
    }
}

/// The sort of so many raw bytes.
pub fn sort_of_bytes(bytes: u64) -> Sort {
    Sort::BitVec(u32::try_from(8 * bytes).expect("a piece of memory is small"))
}

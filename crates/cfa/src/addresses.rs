//! What all code that places objects or looks at addresses agrees on.

use crate::scalar::DataModel;

/// Bytes of a page. No object lies in the first or in the last one: an address in the first stems from null.
pub const PAGE: u64 = 4096;

/// Every function has an address of its own, this far from the next.
const FUNCTION_STEP: u64 = 16;

/// The address of the function with this index.
pub fn function_address(model: DataModel, index: usize) -> u64 {
    function_base(model) + FUNCTION_STEP * index as u64
}

/// The index of the function at an address, if that is where one of `count` lies.
pub fn function_at(model: DataModel, address: u64, count: usize) -> Option<usize> {
    let distance = address.checked_sub(function_base(model))?;
    let index = (distance / FUNCTION_STEP) as usize;
    (distance.is_multiple_of(FUNCTION_STEP) && index < count).then_some(index)
}

fn function_base(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x0804_9000,
        DataModel::Lp64 => 0x5555_5555_5000,
    }
}

//! What the steps of a run did, for whoever explains it: the values that edges assigned and the memory that they
//! touched.

use cfa::{EdgeId, Scalar};
use std::ops::Range;

/// The story behind a path.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// For every edge of the path, the activation of the function that took it; calls are numbered from 1.
    pub activations: Vec<u32>,
    /// What edges did, in the order of execution.
    pub facts: Vec<Noticed>,
}

/// One thing that an edge did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noticed {
    /// The index in the path of the last edge that was taken by then. A call's result is noticed when the callee has
    /// returned.
    pub step: u32,
    /// The edge that did it, or the first edge of its branch.
    pub edge: EdgeId,
    /// What it did.
    pub fact: Fact,
}

/// What an edge did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// It assigned, stored or returned this value.
    Value {
        /// The type.
        ty: Scalar,
        /// The encoding.
        bits: u128,
    },
    /// It read memory at these addresses.
    Read(Range<u64>),
    /// It wrote memory at these addresses.
    Written(Range<u64>),
    /// It touched no memory after all, since the pointer was invalid.
    Nothing,
}

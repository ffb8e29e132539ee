//! What the steps of a run did, for explanations: the values that edges assigned and the memory that they
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
    /// Uninitialised bytes, when they were first read.
    pub bytes: Vec<DrawnByte>,
    /// For each result of an undefined operation, how many edges of the path were taken by then.
    pub undefined: Vec<u32>,
}

/// A byte that was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnByte {
    /// How many edges of the path were taken by then; a condition reads before its edge is taken.
    pub taken: u32,
    /// Where it lies.
    pub address: u64,
    /// The birth of its object, as in [`crate::choices::Choices`].
    pub birth: u32,
    /// The offset in it.
    pub offset: u64,
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
    pub fact: EdgeEffect,
}

/// What an edge did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EdgeEffect {
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

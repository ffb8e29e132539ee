//! Refinement of an infeasible path by interpolants [BL13]: [`prefixes`] finds the contradictions of the path,
//! [`interpolants`] a sequence of facts that excludes one of them, [`selection`] which one to exclude.

pub mod interpolants;
pub mod prefixes;
pub mod selection;

pub use interpolants::{PathInterpolants, interpolate};
pub use prefixes::{LastPath, Sliced, slice, slice_after};
pub use selection::{Direction, Measure, Measurements, Selection};

//! The obligations of proofs: formulas that have no models, if a proof holds, in the encoding of the crate `reference`.
//!
//! - `obligation`: which formulas a proof consists of, and how they are put together: see [`Checker`]
//! - `segment`: executions between two visits of loop heads
//! - `frames`: functions begin to run and return, executions meet
//! - `known`: equations of a state at a loop head, put in place of what they are about
//! - `skip`: calls that are not followed
#![warn(missing_docs)]

mod frames;
mod known;
mod obligation;
mod segment;
mod skip;

pub use obligation::{Checker, Claims, Obligation, Role, Unrolling};
pub use reference::Refusal;
pub use segment::Cut;

//! The CPA framework.
#![warn(missing_docs)]

pub mod sets;

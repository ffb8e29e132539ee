//! Abstract domains, one file or folder each. Siblings do not see each other; they talk by
//! [`analysis::Query`].
#![warn(missing_docs)]

pub mod affine;
pub mod bdd;
pub mod interval;
pub mod loop_bound;
pub mod octagon;
pub mod parity;
pub mod predicate;
pub mod shape;
pub mod sign;
pub mod value;

//! The SMT solver Bitwuzla (bit vectors, floats, arrays, functions) behind the trait [`smt::Solver`]. `./setup` builds
//! the library; the C API is declared in `raw`, and `unsafe` stays in this crate.
#![warn(missing_docs)]

mod back;
mod const_arrays;
mod failure;
mod instance;
mod linked;
mod manager;
#[allow(missing_docs, reason = "the C header documents the functions")]
mod raw;
mod solver;

pub use linked::{Linked, linked};
pub use solver::{Bitwuzla, BitwuzlaBackend, Simplification};

//! The SMT solver Z3 behind the trait [`smt::Solver`]. It is a second opinion: with the feature `z3` the tests compare
//! its answers with Bitwuzla's, and dumped queries can be run by it. Nothing depends on it by default.
#![cfg(feature = "z3")]
#![warn(missing_docs)]

#[allow(missing_docs, reason = "the C header documents the functions")]
mod raw;
mod solver;
mod translate;

pub use solver::{Z3, Z3Backend};

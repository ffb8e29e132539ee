//! The one evaluator: what every operator and operation of the CFA does to concrete values and memory.
//! Constant folding, the value domain and the interpreter call it; the SMT encoding is tested against it.
#![warn(missing_docs)]

pub mod choices;
pub mod fold;
pub mod formats;
pub mod history;
pub mod interpreter;
pub mod math;
pub mod random;
pub mod replay;
pub mod scalar;
#[cfg(test)]
mod testing;

//! Formulas and the solvers that decide them.
//!
//! [`Terms`] stores terms over truth values, bit vectors, floats, arrays and uninterpreted functions, with the meaning
//! that SMT-LIB 2 gives them, and simplifies them as they are built. A [`Solver`] decides them; the crates `smt-*` bind
//! one solver each. Models are [`Value`]s
//!
//! Invariants: equal terms have equal ids; arguments have smaller ids than the terms that use them; nothing here
//! recurses over terms; a store and its solvers belong to one thread.
#![warn(missing_docs)]

pub mod aig;
mod bitvec;
mod check;
mod construct;
mod counted;
mod dump;
mod eval;
pub mod float;
pub mod interpolation;
mod nested;
mod op;
mod reorder;
mod rewrite;
pub mod smtlib;
mod solver;
mod sort;
mod ssa;
mod terms;
mod value;
mod walk;

pub use bitvec::BitVec;
pub use counted::Counted;
pub use dump::{Dumping, QuerySink};
pub use nested::NestedTerms;
pub use op::{FunctionId, Op, ValueId, VarId};
pub use solver::{Answer, Backend, Solver, SolverFailure, entails, model, scoped};
pub use sort::{FloatFormat, RoundingMode, ScalarSort, Sort};
pub use ssa::SsaMap;
pub use terms::{Rewriting, TermId, Terms};
pub use value::{ArrayValue, FunctionValue, Model, Value};

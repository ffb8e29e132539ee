//! Algorithms, one file or folder each. They know the framework, no domain.
#![warn(missing_docs)]

mod abstraction;
mod acceleration;
pub mod bmc;
pub mod board;
pub mod boxes;
pub mod cegar;
pub mod cells;
pub mod cpa;
pub mod dataflow;
pub mod deepening;
pub mod derived;
pub mod evidence;
pub mod facts;
pub mod folds;
mod head_states;
pub mod houdini;
pub mod hunt;
pub mod inductive;
pub mod k_induction;
mod mailbox;
pub mod proof;
pub mod pruning;
pub mod random;
pub mod refinement;
mod step_case;
pub mod summaries;
pub mod symbolic;
pub mod termination;
#[cfg(test)]
mod test_program;
pub mod transition;
pub mod unfolded;
pub mod unrolled;

pub use abstraction::AbstractionOptions;

//! Passes: each makes one automaton into another that means the same, or, where its file says so, into one of which
//! only proofs count. Afterwards the program verifies.
#![warn(missing_docs)]

mod arrays;
mod cases;
mod cells;
mod constants;
mod contracts;
mod copied;
mod dead;
mod depths;
mod endless;
mod ends;
mod exact;
mod filters;
mod folds;
mod foreseen;
mod initialised;
mod lassos;
mod memory_checks;
mod read_only;
mod reads;
mod register;
mod resolve;
mod returned;
mod single_loop;
mod split;
mod starts;
mod steady;
mod steps;
mod truths;
mod walkers;

pub use cases::{CaseSplit, deciding_registers, split_cases};
pub use cells::Cells;
pub use constants::propagate_constants;
pub use contracts::{Contract, Contracts, Places};
pub use dead::remove_dead;
pub use depths::Depths;
pub use endless::without_end;
pub use ends::drop_unseen_ends;
pub use exact::{arbitrary_overflow, without_overflow};
pub use filters::inline_filters;
pub use folds::{FoldQuestions, Folds};
pub use initialised::check_initialised;
pub use lassos::{close_at, watch_lassos};
pub use memory_checks::{CHECKED, check_memory};
pub use register::add_register;
pub use resolve::resolve_pointer_calls;
pub use returned::check_returned;
pub use single_loop::{AtSource, SingleLoop};
pub use split::split_helpers;
pub use steady::{meeting, steady};
pub use truths::trust_truths;

//! Static analyses of automata: what can be said of a [`cfa::Program`] by looking at it, before any engine runs. An
//! analysis reads a program and gives a value of its own; the few that write mark what they found in the program
//! (loop heads, indeterminate pointers) or list what it assumes.
#![warn(missing_docs)]

mod alignment;
mod call_graph;
pub mod classes;
pub mod graph;
mod holders;
mod indeterminate;
mod literals;
mod liveness;
mod loops;
mod memory_use;
mod order;
pub mod points_to;
mod prepared;
mod reachable;
pub mod regions;
pub mod spoiled;
mod svg;
mod union;
pub mod uses;

pub use call_graph::{CallGraph, address_taken_functions};
pub use holders::Holders;
pub use indeterminate::find_indeterminate_pointers;
pub use literals::{SHARED, list_literal_assumptions, may_share};
pub use liveness::Liveness;
pub use loops::{Loop, LoopId, Loops, Writes, dominators, every_cycle_has_a_head, find_loops, node_graph};
pub use memory_use::list_pointer_assumptions;
pub use order::list_order_assumptions;
pub use points_to::PointsTo;
pub use prepared::{Fact, Prepared};
pub use reachable::Reachable;
pub use svg::svg;
pub use uses::Uses;

//! SMT-LIB 2: every query can be written down, and run again here or by another solver.

mod print;
mod read;
mod sexpr;
mod symbols;

pub use print::Script;
pub use read::{Command, ScriptError};

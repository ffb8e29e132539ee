//! Evidence explained and exported. [`trace`] says what matters of a counterexample, [`harness`] makes a C file of it;
//! [`write`] makes verification witnesses for other tools (YAML 2.0 and GraphML 1.0), [`read`] reads them, [`instrument`]
//! makes a program of a witness that can be verified, [`hints`] are the inputs that it names, and [`lint`] says what is wrong with a witness. Works on data; files
//! are read and written by the caller.
#![warn(missing_docs)]

pub mod arguments;
mod c_expr;
mod c_place;
pub mod calling;
mod code;
mod control;
mod facts;
mod graphml;
pub mod harness;
mod hash;
pub mod heap;
pub mod hints;
pub mod instrument;
pub mod lint;
mod model;
pub mod operands;
pub mod read;
mod story;
#[cfg(test)]
mod testing;
mod time;
pub mod trace;
pub mod write;
mod yaml;

pub use hash::sha256;
pub use model::{Action, Content, Invariant, Location, Mark, Metadata, Waypoint, WaypointKind, Witness};
pub use time::utc;

//! A second encoding of programs as formulas, written from the project's definition of C alone, so that proofs do not
//! rest on one encoder. It is plain and slow: memory is one flat array of bytes with a table of objects (base, size,
//! whether it lives), and a read goes through all writes before it, one by one. Nothing is simplified beyond what the
//! constructors of terms do.
//!
//! Meaning: a formula that follows an execution has a model for every execution that the definition allows. Where the
//! definition leaves a result open, and where this encoding knows less (objects that are older than the formula), the
//! value is arbitrary. What has no formula here is refused with its place, never guessed.
//!
//! - [`SymbolicValue`]s are bits. A pointer that was made from the address of one object by arithmetic on pointers carries
//!   that object: an access through it outside of the object reads an arbitrary value and writes nothing. All other
//!   pointers belong to the object where they point.
//! - [`Obligation`]s are formulas without models, if a proof holds: see [`Checker`].
#![warn(missing_docs)]

mod expression;
mod float;
mod known;
mod living;
mod memory;
mod obligation;
mod segment;
mod skip;
mod state;
mod step;

pub use obligation::{Checker, Claims, Obligation, Role, Unrolling};
pub use segment::{Cut, Encoder, SegmentEnds};
pub use state::{SymbolicState, SymbolicValue};

use base::{Span, Stopped};

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// What has no formula here, and where.
    Unsupported {
        /// What.
        what: String,
        /// Where.
        span: Span,
    },
    /// The formulas would be too large.
    Large(&'static str),
    /// The run was asked to stop, or a limit was reached.
    Stopped(Stopped),
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        Refusal::Stopped(stopped)
    }
}

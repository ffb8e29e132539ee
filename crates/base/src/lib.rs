//! What every other crate stands on: ids and arenas, the string interner, positions in the user's
//! files, diagnostics, cancellation, and what engines count and record. Knows nothing of C.
#![warn(missing_docs)]

mod budget;
mod cancel;
mod counters;
mod diagnostic;
mod id;
mod intern;
mod live;
mod memory;
pub mod options;
mod printable;
mod raw;
mod source;
mod trail;

pub use budget::{Allowance, Budget, Budgets};
pub use cancel::{Cancel, Stopped};
pub use counters::Counters;
pub use diagnostic::{Diagnostic, Severity};
pub use id::{Id, IdVec};
pub use intern::{Interner, Symbol};
pub use live::Live;
pub use printable::{is_obeyed, markup, printable, printable_lines};
pub use raw::{raw_byte, raw_bytes, raw_text};
pub use source::{FileId, MODELS, Position, SourceMap, Span};
pub use trail::{AbstractState, Refined, Tracked, Trail};

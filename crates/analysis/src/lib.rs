//! Configurable program analysis with dynamic precision adjustment [BHT07, BHT08]: the interface that abstract domains
//! implement and algorithms use, and the data structures that both share. Knows no domain and no algorithm.
//!
//! The location and the call stack are part of every abstract state, so they are not domains but [`Place`]s: the
//! reached set is partitioned by them, and a [`Step`] says how control moves between two of them.
#![warn(missing_docs)]

mod arg;
mod composite;
mod contexts;
mod cpa;
pub mod dataflow;
mod drawers;
mod error_path;
mod interpolation;
mod mixed;
mod place;
mod reached;
pub mod registers;
pub mod sets;
mod waitlist;

pub use arg::{Arg, ArgId};
pub use composite::Pair;
pub use contexts::Contexts;
pub use cpa::{Analysis, Cpa, Export, Filing, ForcesCover, Query, QueryAnswer, Settles, StepsOver, Tells, Watches};
pub use drawers::Work;
pub use error_path::ErrorPath;
pub use interpolation::{Incremental, PathDomain, Refinable};
pub use mixed::{Beside, Mixed, Nothing, RefinableBeside, Successor};
pub use place::{Move, Place, StackId, Stacks, Step, is_connected};
pub use reached::Reached;
pub use waitlist::{Order, Ranks, Waitlist};

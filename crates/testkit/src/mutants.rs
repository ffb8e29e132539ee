//! Mutation testing of this workspace: would the tests notice if the code were a little wrong?
//!
//! All mutants of a crate are compiled at once: where the code says `a < b`, it then says
//! `if crate::__mutant(7) { a <= b } else { a < b }`, and a run of the tests with `MUTANT=7` in the environment has that
//! mutant alone. So a mutant costs a run of the tests, not a build. [`sites`] finds what can be changed, [`weave`] changes
//! the text, the command `mutants` builds, runs and counts.

mod sites;
mod weave;

pub use sites::{Site, Wrap, sites};
pub use weave::{SWITCH, weave};

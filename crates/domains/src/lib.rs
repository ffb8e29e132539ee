//! Abstract domains, one file or folder each.
#![warn(missing_docs)]

pub mod bdd;

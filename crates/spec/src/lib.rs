//! What is to be shown: properties in SV-COMP's `.prp` language and task definitions in BenchExec's `.yml` format.
//! Everything here works on text; files are read by `driver`.
#![warn(missing_docs)]

mod property;
mod task;

pub use property::{KNOWN, Property, Specification, violated_part};
pub use task::{TaskDefinition, TaskProperty};

/// What is wrong with a property or task definition, and where in its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What was expected, one line, no final stop.
    pub message: String,
}

impl std::fmt::Display for SpecError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for SpecError {}

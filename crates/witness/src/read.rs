//! Witnesses of any tool, from text. YAML of the versions 2.x and GraphML 1.0 become the same data.

mod graphml;
mod yaml;

use crate::model::Witness;
use std::fmt;

/// What is wrong with the text of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What was expected.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// Reads a witness; what starts with `<` is XML.
pub fn read(text: &str) -> Result<Witness, ReadError> {
    if text.trim_start().starts_with('<') { graphml::read(text) } else { yaml::read(text) }
}

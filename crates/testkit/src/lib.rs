//! Tests that need more than one crate: generated C programs run under the interpreter and under gcc, and what they
//! print is compared; mutated texts go through the whole front end; presets answer questions whose answers gcc knows.
//! The large runs are commands of the binaries `differential`, `fuzz`, `faults`, `agreement`, `memory`, `natural` and `mutants`;
//! `tune` judges the plan of `auto` by a table of runs.
#![warn(missing_docs)]

pub mod agreement;
pub mod ask;
pub mod csmith;
pub mod defects;
pub mod faults;
pub mod fetched;
pub mod floats;
pub mod folder;
pub mod formats;
pub mod front_end;
pub mod fuzz;
pub mod gcc;
pub mod growth;
pub mod hardware;
pub mod initialisers;
pub mod layouts;
pub mod libm;
pub mod loops;
pub mod memory;
pub mod misuse;
pub mod mutants;
pub mod mutate;
pub mod natural;
pub mod order;
pub mod passes;
pub mod probes;
pub mod program;
pub mod readers;
pub mod scratch;
pub mod steps;
pub mod survey;
pub mod tune;
pub mod writes;

use cfa::DataModel;
use program::Finished;
use std::time::Duration;

/// Compares the interpreter with gcc on one program; `Err` says how they differ.
pub fn compare(text: &str, model: DataModel, flags: &[&str]) -> Result<(), String> {
    let expected = gcc::run(text, model, flags, Duration::from_secs(60))?.ok_or("gcc's program does not end")?;
    compare_with(text, model, flags, &expected)
}

/// Compares the interpreter with what gcc's program did.
pub fn compare_with(text: &str, model: DataModel, flags: &[&str], expected: &Finished) -> Result<(), String> {
    let preprocessed = gcc::preprocess(text, model, flags)?;
    let found = program::interpret(&preprocessed, model)?;
    if found == *expected {
        return Ok(());
    }
    let pairs = expected.output.lines().zip(found.output.lines());
    let differing: Vec<String> = pairs
        .filter(|(theirs, ours)| theirs != ours)
        .take(10)
        .map(|(theirs, ours)| format!("  gcc:  {theirs}\n  ours: {ours}"))
        .collect();
    let (theirs, ours) = (expected.output.lines().count(), found.output.lines().count());
    Err(format!(
        "gcc: status {}, {theirs} lines; ours: status {}, {ours} lines\n{}",
        expected.status,
        found.status,
        differing.join("\n")
    ))
}

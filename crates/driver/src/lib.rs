//! From files to a verdict: the only crate that knows all parts and touches files. [`Task::new`] reads what the user
//! asked for, `load` makes a program of it, [`run`] runs a preset on it.
#![warn(missing_docs)]

mod asked;
mod branches;
mod certificate;
pub mod children;
pub mod compile_database;
mod compiler;
pub mod config_file;
mod confirm;
pub mod csv;
mod directives;
mod discharge;
mod export;
mod features;
pub mod functions;
mod independent;
mod load;
mod output;
pub mod panics;
mod preset;
mod private_folder;
pub mod readers;
mod requires;
mod run;
mod schedule;
mod source;
mod store;
mod task;
pub mod task_list;
mod trivial;
mod validate;

pub use analyses::{BadOption, Options};
pub use certificate::{Certificate, Checked, SolverProgram, check_certificate};
pub use compiler::{are_many, name as compiler};
pub use confirm::{
    CALL, Executed, Execution, Harness, INPUTS, Sign, compile_command, execute, include_line, stand_ins,
};
pub use discharge::discharge_checks;
pub use export::{ExportFormat, export};
pub use features::{Condition, FEATURES, Features};
pub use independent::{Effort, check as check_independently};
pub use load::{Loaded, Sources, load, load_instrumented, load_text, prepare, prepare_within, separate_targets};
pub use lower::{Aliasing, Given, Globals};
pub use output::{check_writable, write_bytes, write_file};
pub use preset::{Plan, Preset, Slice};
pub use private_folder::{PrivateFolder, keep};
pub use run::{Outcome, PartRun, Recording, RunEvent, Settings, peak_memory, run, run_with};
pub use schedule::{Queue, RanOut, explain, explain_shared, fitting};
pub use smt_bitwuzla::{Linked, linked};
pub use source::{INPUT_COPY, Preprocessing, c_files, is_standard_input, read_text, standard_input};
pub use store::{Recall, Recalled, STORE, Secret, Store, StoreQuestion, StoreSize, run_with_store};
pub use task::{Request, Task};
pub use trivial::holds_trivially;
pub use validate::{Case, Validation, read_bytes, read_witness};

use base::Stopped;

/// The input cannot be used. The text starts with the file, and where that makes sense with line and column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    message: String,
    details: Vec<String>,
    stopped: Option<Stopped>,
}

impl InputError {
    /// An error with this text.
    pub fn new(message: String) -> Self {
        Self { message, details: Vec::new(), stopped: None }
    }

    /// Nothing is wrong with the input, but reading it does not end within a limit.
    pub fn limit(stopped: Stopped, message: String) -> Self {
        Self { message, details: Vec::new(), stopped: Some(stopped) }
    }

    /// The same, told line by line: each mistake with its source line and a caret.
    pub fn with_details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }

    /// The lines to show instead of the one of the text, if there are any. They are fit for a terminal.
    pub fn details(&self) -> &[String] {
        &self.details
    }

    /// The limit that was met.
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }
}

impl std::fmt::Display for InputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InputError {}

/// The SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).into()
}

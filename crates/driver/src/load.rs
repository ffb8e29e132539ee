//! From files to a program: read, preprocess, parse, lower, prepare.

use crate::InputError;
use crate::source::add_file;
use crate::task::Task;
use base::{Diagnostic, Interner, Severity, SourceMap};
use cfa::Program;

/// A program and what is worth saying about its text.
pub struct Loaded {
    /// Ready for engines.
    pub program: Program,
    /// Rendered, with positions.
    pub warnings: Vec<String>,
}

/// At most so many errors are shown.
const SHOWN_ERRORS: usize = 20;

/// Reads the files of a task and makes a program of them.
pub fn load(task: &Task) -> Result<Loaded, InputError> {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let mut units = Vec::new();
    let mut diagnostics = Vec::new();
    for file in &task.files {
        let start = add_file(&mut sources, file, task.model, &task.preprocessing)?;
        let (ast, found) = syntax::parse(sources.text_at(start), start, &mut names);
        units.push(ast);
        diagnostics.extend(found);
    }
    check(&sources, &diagnostics)?;
    Err(InputError::new(format!("{}: lowering is not built in yet", task.files[0].display())))
}

/// Fails with all errors among the diagnostics, rendered.
fn check(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Result<(), InputError> {
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    if errors.is_empty() {
        return Ok(());
    }
    let mut text: Vec<String> = errors.iter().take(SHOWN_ERRORS).map(|error| error.render(sources)).collect();
    if errors.len() > SHOWN_ERRORS {
        text.push(format!("... and {} more errors", errors.len() - SHOWN_ERRORS));
    }
    Err(InputError::new(text.join("\n")))
}

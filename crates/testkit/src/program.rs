//! C text -> program -> run, all in memory.

use base::{Cancel, Diagnostic, Interner, Severity, SourceMap};
use cfa::{DataModel, Program};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{Options, Outcome, Run, run};
use std::time::Duration;

/// What an ended program leaves behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// Standard output.
    pub output: String,
    /// Exit status as a shell sees it.
    pub status: i32,
}

/// The program of a preprocessed text; `Err` holds the diagnostics.
pub fn lower(text: &str, model: DataModel) -> Result<Program, String> {
    lower_with(text, &lower::Options { model, ..lower::Options::default() })
}

/// [`lower`] with other options.
pub fn lower_with(text: &str, options: &lower::Options) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add("program.i", text.to_owned());
    let (ast, diagnostics) = syntax::parse(text, start, &mut names);
    let errors = |diagnostics: &[Diagnostic], sources: &SourceMap| {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        errors.take(10).map(|error| error.render(sources)).collect::<Vec<_>>().join("\n")
    };
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(errors(&diagnostics, &sources));
    }
    match lower::lower(vec![ast], names, sources, options) {
        Ok(lowered) => Ok(lowered.program),
        Err(rejected) => Err(errors(&rejected.diagnostics, &rejected.sources)),
    }
}

/// Runs a preprocessed text under the interpreter, with all choices 0.
pub fn interpret(text: &str, model: DataModel) -> Result<Finished, String> {
    let program = lower(text, model)?;
    let mut output = Vec::new();
    let run = run_program(&program, &mut output);
    let output = String::from_utf8_lossy(&output).into_owned();
    match run.outcome {
        Outcome::Exit(status) => Ok(Finished { output, status }),
        Outcome::Undefined { what, span } => Err(format!("{}: {what}", program.sources.display(span))),
        Outcome::Unsupported { what, span } => Err(format!("{}: unsupported: {what}", program.sources.display(span))),
        other => Err(format!("{other:?} after {} instructions", run.steps)),
    }
}

/// Runs a program with all choices 0 for at most ten minutes.
pub fn run_program(program: &Program, output: &mut Vec<u8>) -> Run {
    let cancel = Cancel::with_limits(Some(Duration::from_secs(600)), None);
    let choices = Choices::default();
    run(program, &mut Replayer::new(&choices), output, &Options::default(), &cancel)
}

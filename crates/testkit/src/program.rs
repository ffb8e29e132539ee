//! C text -> program -> run, all in memory.

use base::{Cancel, Diagnostic, Interner, Severity, SourceMap};
use cfa::{DataModel, EdgeId, Program, Scalar, Source};
use semantics::choices::{Asked, Choices, Chooser, Replayer};
use semantics::interpreter::{InterpreterRun, Options, RunEnd, run};
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

/// All choices are 0, and standard input is empty.
struct Alone;

impl Chooser for Alone {
    fn outside(&mut self, asked: Asked) -> Option<i64> {
        (asked == Asked::Input).then_some(-1)
    }
    fn havoc(&mut self, _: EdgeId, _: Source, _: Scalar) -> u128 {
        0
    }
    fn byte(&mut self, _: u32, _: u64) -> u8 {
        0
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        0
    }
}

/// Runs a preprocessed text under the interpreter, with all choices 0.
pub fn interpret(text: &str, model: DataModel) -> Result<Finished, String> {
    let program = lower_with(text, &lower::Options { model, running: true, ..lower::Options::default() })?;
    let mut output = Vec::new();
    let cancel = Cancel::with_limits(Some(Duration::from_secs(600)), None);
    let run = run(&program, &mut Alone, &mut output, &Options::default(), &cancel);
    let output = String::from_utf8_lossy(&output).into_owned();
    match run.outcome {
        RunEnd::Exit(status) => Ok(Finished { output, status }),
        RunEnd::Undefined { what, span } => Err(format!("{}: {what}", program.sources.display(span))),
        RunEnd::Unsupported { what, span } => Err(format!("{}: unsupported: {what}", program.sources.display(span))),
        other => Err(format!("{other:?} after {} instructions", run.steps)),
    }
}

/// Runs a program with all choices 0 for at most ten minutes.
pub fn run_program(program: &Program, output: &mut Vec<u8>) -> InterpreterRun {
    let cancel = Cancel::with_limits(Some(Duration::from_secs(600)), None);
    let choices = Choices::default();
    run(program, &mut Replayer::new(&choices), output, &Options::default(), &cancel)
}

//! Golden tests: C in, the text of one function or of the whole program out.

mod calls;
mod errors;
mod expressions;
mod initialisers;
mod library;
mod nested;
mod outside;
mod statements;
mod types;

use crate::{Options, lower};
use base::{Interner, SourceMap};
use cfa::{DataModel, Program};
use expect_test::Expect;

fn program(source: &str, options: &Options) -> Result<Program, String> {
    let mut names = Interner::default();
    let mut sources = SourceMap::new();
    let start = sources.add("test.c", source.to_owned());
    let (ast, mut diagnostics) = syntax::parse(source, start, &mut names);
    diagnostics.retain(|found| found.severity == base::Severity::Error);
    if !diagnostics.is_empty() {
        return Err(diagnostics.iter().map(|found| found.render(&sources)).collect::<Vec<_>>().join("\n"));
    }
    match lower(vec![ast], names, sources, options) {
        Ok(lowered) => Ok(lowered.program),
        Err(rejected) => {
            let lines = rejected.diagnostics.iter().map(|found| found.render(&rejected.sources));
            Err(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The text of `main`.
fn check(source: &str, expected: Expect) {
    check_function(source, "main", expected);
}

fn check_function(source: &str, function: &str, expected: Expect) {
    let text = match program(source, &Options::default()) {
        Ok(program) => match program.function_named(function) {
            Some(function) => program.function_text(function),
            None => "no such function".into(),
        },
        Err(message) => message,
    };
    expected.assert_eq(&text);
}

fn check_ilp32(source: &str, expected: Expect) {
    let options = Options { model: DataModel::Ilp32, ..Options::default() };
    let text = match program(source, &options) {
        Ok(program) => program.function_text(program.function_named("main").expect("there is a main")),
        Err(message) => message,
    };
    expected.assert_eq(&text);
}

/// The whole program.
fn check_all(source: &str, expected: Expect) {
    let text = program(source, &Options::default()).map_or_else(|message| message, |program| program.to_string());
    expected.assert_eq(&text);
}

/// Several files, linked.
fn check_units(units: &[&str], expected: Expect) {
    let mut names = Interner::default();
    let mut sources = SourceMap::new();
    let asts = units
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let start = sources.add(&format!("{index}.c"), (*text).to_owned());
            syntax::parse(text, start, &mut names).0
        })
        .collect();
    let text = match lower(asts, names, sources, &Options::default()) {
        Ok(lowered) => lowered.program.to_string(),
        Err(rejected) => {
            let lines = rejected.diagnostics.iter().map(|found| found.render(&rejected.sources));
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    expected.assert_eq(&text);
}

//! Lowers a preprocessed file and executes it with all inputs zero; for comparing programs with a compiler.
//!
//! `cargo run --release -p lower --example run_preprocessed -- FILE.i 64`

use base::{Cancel, Interner, Severity, SourceMap};
use cfa::DataModel;
use lower::{Options, Targets, lower};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{self, RunEnd};
use std::io::Write;

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("usage: run_preprocessed FILE.i 32|64");
    let model = if args.next().as_deref() == Some("32") { DataModel::Ilp32 } else { DataModel::Lp64 };
    let text = std::fs::read_to_string(&file).expect("the file can be read");
    let mut names = Interner::default();
    let mut sources = SourceMap::new();
    let start = sources.add_preprocessed(&file, text.clone());
    let (ast, diagnostics) = syntax::parse(&text, start, &mut names);
    for found in diagnostics.iter().filter(|found| found.severity == Severity::Error) {
        eprintln!("{}", found.render(&sources));
    }
    let targets = Targets { functions: Vec::new(), assertions: false, labels: Vec::new() };
    let program = match lower(vec![ast], names, sources, &Options { model, targets, ..Options::default() }) {
        Ok(lowered) => lowered.program,
        Err(rejected) => {
            for found in &rejected.diagnostics {
                eprintln!("{}", found.render(&rejected.sources));
            }
            std::process::exit(2);
        }
    };
    let zeros = Choices::default();
    let mut out = std::io::BufWriter::new(std::io::stdout());
    let options = interpreter::Options { steps: 2_000_000_000, ..interpreter::Options::default() };
    let run = interpreter::run(&program, &mut Replayer::new(&zeros), &mut out, &options, &Cancel::never());
    out.flush().expect("standard output takes it");
    match run.outcome {
        RunEnd::Exit(status) => std::process::exit(status),
        RunEnd::Undefined { what, span } => eprintln!("undefined: {what} at {}", program.sources.display(span)),
        RunEnd::Unsupported { what, span } => eprintln!("unsupported: {what} at {}", program.sources.display(span)),
        outcome => eprintln!("{outcome:?}"),
    }
    std::process::exit(99);
}

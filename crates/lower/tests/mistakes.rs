//! What users get wrong, and what looks wrong but is accepted by gcc. The files hold many programs, each after a line
//! `//~ name`; `wrong.txt` holds what is said about the wrong ones, to be renewed by `UPDATE_EXPECT=1`.

use base::{Diagnostic, Interner, Severity, SourceMap};
use expect_test::expect_file;
use lower::{Options, lower};

/// The names and texts of the programs in a file.
fn programs(file: &str) -> impl Iterator<Item = (&str, &str)> {
    file.split("//~ ").skip(1).map(|part| part.split_once('\n').expect("a name is on a line of its own"))
}

/// All errors of a program, rendered.
fn errors(text: &str) -> Vec<String> {
    let (mut names, mut sources) = (Interner::default(), SourceMap::new());
    let start = sources.add("test.c", text.to_owned());
    let (ast, diagnostics) = syntax::parse(text, start, &mut names);
    let rendered = |diagnostics: &[Diagnostic], sources: &SourceMap| -> Vec<String> {
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        errors.map(|error| error.render(sources)).collect()
    };
    let found = rendered(&diagnostics, &sources);
    if !found.is_empty() {
        return found;
    }
    match lower(vec![ast], names, sources, &Options::default()) {
        Ok(_) => Vec::new(),
        Err(rejected) => rendered(&rejected.diagnostics, &rejected.sources),
    }
}

#[test]
fn messages() {
    let mut all = String::new();
    for (name, text) in programs(include_str!("mistakes/wrong.c")) {
        let found = errors(text);
        assert!(!found.is_empty(), "{name} is accepted:\n{text}");
        all += &format!("# {name}\n{}\n", found.join("\n"));
    }
    expect_file!["mistakes/wrong.txt"].assert_eq(&all);
}

#[test]
fn what_gcc_accepts_is_accepted() {
    for (name, text) in programs(include_str!("mistakes/accepted.c")) {
        assert_eq!(errors(text), [""; 0], "{name}");
    }
}

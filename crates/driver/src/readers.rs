//! Every reader of text that users hand over, on its own and without files, for fuzzing. What a reader gives
//! back is also used, as far as that does not take an analysis.

use crate::store::read_stored;
use crate::{compile_database, config_file, task_list};
use analyses::precision_text;
use domains::value::Precision;
use flow::Prepared;
use spec::{Specification, TaskDefinition};
use std::path::PathBuf;
use std::sync::OnceLock;
use witness::lint;

/// Whether a text could be read.
pub type Read = Result<(), String>;

/// What witnesses, precisions and stored answers are about.
const PROGRAM: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint g;\nstruct s { int a; \
                       int b[3]; } s;\nint f(int x) {\n    return x + g;\n}\nint main(void) {\n    int i = \
                       __VERIFIER_nondet_int();\n    while (i < 9) {\n        i = f(i);\n    }\n    if (i < 9) \
                       reach_error();\n    return 0;\n}\n";

fn program() -> &'static Prepared {
    static LOADED: OnceLock<Prepared> = OnceLock::new();
    LOADED.get_or_init(|| crate::load_text("test.c", PROGRAM).expect("a correct program"))
}

/// Properties.
pub fn property(text: &str) -> Read {
    Specification::parse(text).map(|_| ()).map_err(|error| error.to_string())
}

/// Task definitions.
pub fn task(text: &str) -> Read {
    TaskDefinition::parse(text).map(|_| ()).map_err(|error| error.to_string())
}

/// Witnesses of both formats, which are also woven into a program.
pub fn witness(text: &str) -> Read {
    let witness = witness::read::read(text).map_err(|error| error.to_string())?;
    let files = [("test.c".to_owned(), PROGRAM.as_bytes().to_vec())];
    lint::claims(&witness, &files, program());
    lint::structure(&witness);
    lint::weave(&witness, program());
    for (_, part) in lint::parts(&witness).into_iter().take(4) {
        lint::weave(&part, program());
    }
    Ok(())
}

/// Configuration files.
pub fn configuration(text: &str) -> Read {
    config_file::words(text, "test.toml").map(|_| ())
}

/// Compile databases.
pub fn database(text: &str) -> Read {
    let named = compile_database::parse(text, "test.json", &[PathBuf::from("a.c")]).map(|_| ());
    compile_database::parse(text, "test.json", &[]).map(|_| ()).or(named)
}

/// What stands after the authentication code of a stored answer.
pub fn stored(text: &str) -> Read {
    read_stored(program(), text)
}

/// Precisions.
pub fn precision(text: &str) -> Read {
    let mut precision = Precision::scoped();
    precision_text::offer(program(), text, &mut precision);
    precision_text::read(program(), text, &mut precision)?;
    let again = precision_text::write(program(), &precision.items());
    let mut second = Precision::scoped();
    precision_text::read(program(), &again, &mut second).map_err(|error| panic!("written but not read: {error}"))
}

/// Lists of tasks of both kinds.
pub fn list(text: &str) -> Read {
    let mut names = text.split_whitespace().take(8);
    for (_, pattern) in task_list::patterns(text) {
        names.by_ref().for_each(|name| {
            task_list::fits(name, pattern);
        });
    }
    task_list::rows(text).map(|_| ())
}

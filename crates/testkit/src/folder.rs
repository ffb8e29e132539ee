//! Every C program of a folder under gcc and under the interpreter, for test suites of compilers.

use crate::program::Finished;
use crate::{compare_with, gcc};
use cfa::DataModel;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What became of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both do the same.
    Agrees,
    /// gcc rejects it, or its program fails or does not end.
    Skipped,
    /// We say why we cannot run it.
    Refused(String),
    /// We run it and do something else than gcc's program.
    Differs(String),
}

/// The C files of a folder and of those in it, sorted.
pub fn programs(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Compares one program, which must end with status 0.
pub fn check(path: &Path, model: DataModel) -> Outcome {
    let (Ok(bytes), Some(folder)) = (std::fs::read(path), path.parent().and_then(Path::to_str)) else {
        return Outcome::Skipped;
    };
    let text = base::raw_text(bytes);
    let flags = ["-I", folder];
    match gcc::run(&text, model, &flags, Duration::from_secs(20)) {
        Ok(Some(expected @ Finished { status: 0, .. })) => match compare_with(&text, model, &flags, &expected) {
            Ok(()) => Outcome::Agrees,
            Err(how) if how.starts_with("gcc:") => Outcome::Differs(how),
            Err(why) => Outcome::Refused(why),
        },
        Ok(_) | Err(_) => Outcome::Skipped,
    }
}

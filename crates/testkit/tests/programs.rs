//! Hand-written programs of all features (`tests/programs/interpreter`): the interpreter prints what gcc's program
//! printed when the `.out` file beside it was made, for LP64, and what gcc's program prints now, for ILP32.

use cfa::DataModel;
use std::path::{Path, PathBuf};
use testkit::{compare, gcc, program};

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/interpreter");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the programs")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

fn check(model: DataModel, check_one: impl Fn(&Path, &str) -> Result<(), String>) {
    if !gcc::is_available(model) {
        eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
        return;
    }
    let failures: Vec<String> = programs()
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).expect("a readable program");
            check_one(path, &text).err().map(|error| format!("{}: {error}", path.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn lp64_output_is_the_expected_one() {
    check(DataModel::Lp64, |path, text| {
        let expected = std::fs::read_to_string(path.with_extension("out")).map_err(|error| error.to_string())?;
        let found = program::interpret(&gcc::preprocess(text, DataModel::Lp64, &[])?, DataModel::Lp64)?;
        let found = format!("{}exit {}\n", found.output, found.status);
        let first = expected.lines().zip(found.lines()).find(|(theirs, ours)| theirs != ours);
        if found == expected { Ok(()) } else { Err(format!("first difference (expected, found): {first:?}")) }
    });
}

#[test]
fn ilp32_output_is_that_of_gcc() {
    check(DataModel::Ilp32, |_, text| {
        // gcc has no 128-bit integers there.
        if text.contains("__int128") { Ok(()) } else { compare(text, DataModel::Ilp32, &[]) }
    });
}

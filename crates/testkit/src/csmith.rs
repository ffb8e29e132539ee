//! Random programs from csmith [YCER11]: each prints a checksum of its globals, which must be gcc's.

use crate::scratch::Scratch;
use crate::{compare_with, gcc};
use cfa::DataModel;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Where Debian's `libcsmith-dev` puts the header.
pub const INCLUDE: &str = "-I/usr/include/csmith";

/// What a run over many seeds found.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Programs on which both agree.
    pub agreed: usize,
    /// Programs that did not end in time under gcc, and were redrawn.
    pub redrawn: usize,
    /// Programs that gcc's sanitizer calls undefined (csmith's floats are not always converted safely), redrawn too.
    pub undefined: usize,
    /// Seeds on which they differ, and how.
    pub failures: Vec<(u64, String)>,
}

/// Whether csmith is installed.
pub fn is_available() -> bool {
    generate(1).is_ok()
}

/// The program of a seed.
pub fn generate(seed: u64) -> Result<String, String> {
    // Every third program has floats, every fifth is small and heavy on bit-fields and unions.
    let mut command = Command::new("csmith");
    // It leaves a file where it runs.
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    command.current_dir(scratch.path()).args(["--seed", &seed.to_string()]);
    if seed.is_multiple_of(3) {
        command.arg("--float");
    }
    if seed.is_multiple_of(5) {
        command.args(["--max-funcs", "4", "--max-struct-fields", "20", "--bitfields", "--packed-struct"]);
    }
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run csmith: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A small program: few functions and statements, no floats.
pub fn generate_small(seed: u64) -> Result<String, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let mut command = Command::new("csmith");
    command.current_dir(scratch.path()).args(["--seed", &seed.to_string(), "--max-funcs", "2"]);
    command.args(["--max-block-size", "2", "--max-block-depth", "2", "--max-expr-complexity", "4"]);
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run csmith: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// What came of one seed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// Both print the same.
    Agree,
    /// gcc's program does not end within five seconds.
    Endless,
    /// They differ, but the program has undefined behaviour.
    Undefined,
    /// They differ.
    Differ(String),
}

/// Compares on one seed.
pub fn check(seed: u64, model: DataModel) -> Comparison {
    let compared = generate(seed).and_then(|text| {
        let Some(expected) = gcc::run(&text, model, &[INCLUDE], Duration::from_secs(5))? else {
            return Ok(Comparison::Endless);
        };
        let Err(how) = compare_with(&text, model, &[INCLUDE], &expected) else {
            return Ok(Comparison::Agree);
        };
        let undefined = gcc::undefined_behaviour(&text, model, &[INCLUDE]).is_some();
        if undefined { Ok(Comparison::Undefined) } else { Err(how) }
    });
    compared.unwrap_or_else(Comparison::Differ)
}

/// Compares on `count` programs from `first` on; calls `progress` after each.
pub fn check_many(first: u64, count: usize, model: DataModel, mut progress: impl FnMut(u64, &Summary)) -> Summary {
    let mut summary = Summary::default();
    let mut seed = first;
    while summary.agreed + summary.failures.len() < count {
        match check(seed, model) {
            Comparison::Agree => summary.agreed += 1,
            Comparison::Endless => summary.redrawn += 1,
            Comparison::Undefined => summary.undefined += 1,
            Comparison::Differ(how) => summary.failures.push((seed, how)),
        }
        progress(seed, &summary);
        seed += 1;
    }
    summary
}

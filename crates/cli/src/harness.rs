//! `--harness DIR` and `--confirm`: the counterexample as a C file, compiled and executed.

use crate::args::VerifyArgs;
use driver::{Executed, Task};
use std::path::{Path, PathBuf};
use verdict::Counterexample;

/// The name of the C file.
const FILE: &str = "harness.c";
/// The name of the file with the command line.
const SCRIPT: &str = "compile.sh";

/// Writes the harness of a FALSE and runs it, as far as the user wants that. Says how the execution went. Of several, the
/// first is in the user's folder, the others in folders inside, by number.
pub fn write(
    args: &VerifyArgs,
    task: &Task,
    program: &cfa::Program,
    counterexample: &Counterexample,
    number: usize,
) -> Result<Option<Executed>, String> {
    if args.harness.is_none() && !args.confirm {
        return Ok(None);
    }
    let text = match witness::harness::harness(program, counterexample) {
        Ok(text) => text,
        Err(why) if args.harness.is_none() => return Ok(Some(Executed::NotBuilt(why))),
        Err(why) => return Err(format!("no harness is written: {why}")),
    };
    let folder = match &args.harness {
        Some(folder) if number > 1 => Folder { path: folder.join(number.to_string()), keep: true },
        Some(folder) => Folder { path: folder.clone(), keep: true },
        None => Folder { path: temporary_folder(), keep: false },
    };
    std::fs::create_dir_all(&folder.path)
        .map_err(|error| format!("{}: cannot be made ({error})", folder.path.display()))?;
    let harness = folder.path.join(FILE);
    crate::write_file(&harness, &text)?;
    if folder.keep {
        crate::write_file(&folder.path.join(SCRIPT), &script(task, &folder.path))?;
    }
    let run = || driver::execute(task, &harness, &folder.path, witness::harness::REACHED, witness::harness::STATUS);
    Ok(args.confirm.then(run))
}

/// Whether the folder can be made and written to; better known before a long run than after it.
pub fn check_writable(folder: &Path) -> Result<(), String> {
    if folder.exists() && !folder.is_dir() {
        return Err(format!("{}: is a file, expected a folder", folder.display()));
    }
    let existing = folder.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(Path::new("."));
    crate::check_writable(&existing.join(FILE)).map_err(|_| format!("{}: cannot be written", folder.display()))
}

/// A folder that goes away unless the user asked for it.
struct Folder {
    path: PathBuf,
    keep: bool,
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.keep {
            // A folder that stays in the system's place for temporary files harms nobody.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

fn temporary_folder() -> PathBuf {
    std::env::temp_dir().join(format!("argonaut-harness-{}", std::process::id()))
}

fn script(task: &Task, folder: &Path) -> String {
    let words = driver::compile_command(task, &folder.join(FILE), &folder.join("program"));
    let words: Vec<String> = words.iter().map(|word| crate::show::quoted(word)).collect();
    let status = witness::harness::STATUS;
    format!(
        "#!/bin/sh\n# Compiles the program with the inputs that lead to the error; `program` then ends with status {status}.\n{}\n",
        words.join(" ")
    )
}

//! `--harness DIR` and `--confirm`: the counterexample as a C file, compiled and executed.

use crate::args::VerifyArgs;
use cfa::Check;
use driver::{Execution, Sign, Task};
use std::path::Path;
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
) -> Result<Option<Execution>, String> {
    if args.harness.is_none() && !args.confirm {
        return Ok(None);
    }
    let text = match witness::harness::harness(program, counterexample) {
        Ok(text) => text,
        Err(why) if args.harness.is_none() => return Ok(Some(Execution::not_built(why))),
        Err(why) => return Err(format!("no harness is written: {why}")),
    };
    let target = &program.targets[counterexample.target];
    let line = program.sources.position(target.span).line;
    let sign = match target.check() {
        Some(Check::Track | Check::Cleanup) => Sign::Leak,
        Some(Check::Deref | Check::Null | Check::Bounds | Check::Free) => Sign::Access(line),
        Some(_) => Sign::Report(line),
        None => Sign::Marker(witness::harness::REACHED, witness::harness::STATUS),
    };
    if let Some(folder) = &args.harness {
        let folder = if number > 1 { folder.join(number.to_string()) } else { folder.clone() };
        keep(task, &std::path::absolute(&folder).unwrap_or(folder), &text, sign)?;
    }
    let run = || driver::execute(task, &text, sign);
    Ok(args.confirm.then(run))
}

/// Writes the harness and how it is compiled for the user.
fn keep(task: &Task, folder: &Path, text: &str, sign: Sign) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
    for (path, text) in driver::stand_ins(task, folder).map_err(|error| error.to_string())? {
        crate::write_file(&path, &text)?;
    }
    crate::write_file(&folder.join(FILE), text)?;
    crate::write_file(&folder.join(SCRIPT), &script(task, folder, sign)?)
}

/// Whether the folder can be made and written to; better known before a long run than after it.
pub fn check_writable(folder: &Path) -> Result<(), String> {
    if folder.exists() && !folder.is_dir() {
        return Err(format!("{}: is a file, expected a folder", folder.display()));
    }
    let existing = folder.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(Path::new("."));
    crate::check_writable(&existing.join(FILE)).map_err(|_| format!("{}: cannot be written", folder.display()))
}

fn script(task: &Task, folder: &Path, sign: Sign) -> Result<String, String> {
    let words = driver::compile_command(task, &folder.join(FILE), &folder.join("program"), sign);
    let words = words.map_err(|error| error.to_string())?;
    let words: Vec<String> = words.iter().map(|word| crate::show::quoted(word)).collect();
    let ends = match sign {
        Sign::Marker(_, status) => format!("ends with status {status}"),
        Sign::Report(line) | Sign::Access(line) => format!("ends with a report about line {line}"),
        Sign::Leak => "ends with a report of memory that is lost".to_owned(),
    };
    Ok(format!(
        "#!/bin/sh\n# Compiles the program with the inputs that lead to the error; `program` then {ends}.\n{}\n",
        words.join(" ")
    ))
}

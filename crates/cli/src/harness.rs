//! `--harness DIR` and `--confirm`: the counterexample as a C file, compiled and executed.

use crate::args::VerifyArgs;
use cfa::Check;
use driver::{CALL, Executed, Execution, Harness, INPUTS, Sign, Task};
use std::path::Path;
use std::time::Duration;
use verdict::Counterexample;

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
    left: Option<Duration>,
) -> Result<Option<Execution>, String> {
    if args.harness.is_none() && !args.confirm {
        return Ok(None);
    }
    let harness = match made(task, program, counterexample) {
        Ok(harness) => harness,
        Err(why) if args.harness.is_none() => return Ok(Some(Execution::not_built(why))),
        Err(why) => return Err(format!("no harness is written: {why}")),
    };
    let target = &program.targets[counterexample.target];
    let line = program.sources.position(counterexample.place(program)).line;
    let sign = match target.check() {
        Some(Check::Track | Check::Cleanup) => Sign::Leak,
        Some(Check::Deref | Check::Null | Check::Bounds | Check::ReadOnly | Check::Free) => Sign::Access(line),
        Some(_) => Sign::Report(line),
        None => Sign::Marker(witness::harness::REACHED, witness::harness::STATUS),
    };
    if let Some(folder) = &args.harness {
        let folder = if number > 1 { folder.join(number.to_string()) } else { folder.clone() };
        keep(task, &std::path::absolute(&folder).unwrap_or(folder), &harness, sign)?;
    }
    let unseen =
        |check: Check| Execution::not_built(format!("gcc has no sanitizer for this kind of error ({})", check.word()));
    let run = || match target.check() {
        Some(check @ (Check::Uninitialised | Check::Lossy)) => unseen(check),
        // The access that follows may be reported.
        Some(check @ (Check::Pointer | Check::Argument | Check::ReadOnly)) => {
            let execution = driver::execute(task, &harness, sign, left);
            if execution.executed == Executed::Reached { execution } else { unseen(check) }
        }
        Some(_) | None => driver::execute(task, &harness, sign, left),
    };
    Ok(args.confirm.then(run))
}

/// The inputs, and the call of a function that is verified on its own.
fn made(task: &Task, program: &cfa::Program, counterexample: &Counterexample) -> Result<Harness, String> {
    let inputs = witness::harness::harness(program, counterexample)?;
    if task.given.is_none() || task.entry == "main" {
        return Ok(Harness { inputs, call: None });
    }
    let call = witness::arguments::call(program, counterexample).ok_or("the call is not known any more")?;
    let span = program.functions[call.function].span;
    let file = program.sources.starts().take_while(|start| *start <= span.start).count().saturating_sub(1);
    let including = driver::include_line(task, file).map_err(|error| error.to_string())?;
    let name = task.entry.rsplit(':').next().unwrap_or(&task.entry);
    let text = witness::calling::calling(program, &call, counterexample, &including, name)?;
    Ok(Harness { inputs, call: Some((text, file)) })
}

/// Writes the harness and how it is compiled for the user.
fn keep(task: &Task, folder: &Path, harness: &Harness, sign: Sign) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
    for (path, text) in driver::stand_ins(task, folder).map_err(|error| error.to_string())? {
        driver::write_bytes(&path, &text)?;
    }
    crate::write_file(&folder.join(INPUTS), &harness.inputs)?;
    if let Some((text, _)) = &harness.call {
        crate::write_file(&folder.join(CALL), text)?;
    }
    crate::write_file(&folder.join(SCRIPT), &script(task, harness, folder, sign)?)
}

/// Whether the folder can be made and written to; better known before a long run than after it.
pub fn check_writable(folder: &Path) -> Result<(), String> {
    if folder.exists() && !folder.is_dir() {
        return Err(format!("{}: is a file, expected a folder", folder.display()));
    }
    let existing = folder.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(Path::new("."));
    crate::check_writable(&existing.join(INPUTS)).map_err(|_| format!("{}: cannot be written", folder.display()))
}

fn script(task: &Task, harness: &Harness, folder: &Path, sign: Sign) -> Result<String, String> {
    let words = driver::compile_command(task, harness, folder, &folder.join("program"), sign);
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

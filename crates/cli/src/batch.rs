//! Several tasks at once: each runs as a command of its own, so that limits hold for each and none harms another. The
//! exit status is the worst one: bad input, then FALSE, then UNKNOWN.

use crate::args::{Format, VerifyArgs};
use base::printable;
use serde_json::{Value, json};
use std::process::Command;

/// What a task's command left behind.
pub struct TaskResult {
    pub file: String,
    /// `TRUE`, `FALSE`, `UNKNOWN` or `ERROR`.
    pub word: String,
    /// Why it is neither of the first two.
    pub reason: Option<String>,
    pub seconds: f64,
    document: Value,
    code: u8,
}

/// Whether the files are several tasks and not one program.
pub fn is_batch(args: &VerifyArgs) -> bool {
    let files = &args.program.files;
    let definition = |file: &std::path::PathBuf| file.extension().is_some_and(|word| word == "yml" || word == "yaml");
    files.len() > 1 && files.iter().all(definition)
}

/// Verifies one after the other and prints a result for each.
pub fn verify(args: &VerifyArgs) -> Result<u8, String> {
    let files = [&args.witness, &args.report, &args.harness, &args.certificate];
    if files.iter().any(|file| file.is_some()) {
        let options = "--witness, --report, --harness and --certificate";
        return Err(format!("{options} are about one task, but several are given"));
    }
    let mut results = Vec::new();
    for file in &args.program.files {
        let result = one(args, file)?;
        if args.format == Format::Text {
            let reason = result.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let line = format!("{}: {}{reason}  {:.2} s", result.file, result.word, result.seconds);
            crate::print(&format!("{}\n", printable(&line)));
        }
        results.push(result);
    }
    Ok(conclude(args.format, &results, "tasks"))
}

/// Prints what is said of all results together. The exit status is the worst one.
pub fn conclude(format: Format, results: &[TaskResult], things: &str) -> u8 {
    match format {
        Format::Text => crate::print(&summary(results, things)),
        Format::Json => {
            let list: Vec<&Value> = results.iter().map(|result| &result.document).collect();
            crate::print(&crate::show::json_text(&json!(list)));
        }
        Format::Sarif => {
            let runs: Vec<&Value> =
                results.iter().flat_map(|result| result.document["runs"].as_array()).flatten().collect();
            let document = json!({ "$schema": crate::show::sarif::SCHEMA, "version": "2.1.0", "runs": runs });
            crate::print(&crate::show::json_text(&document));
        }
        Format::Junit => crate::print(&crate::show::junit::suite(results)),
    }
    [2, 1, 3].into_iter().find(|&code| results.iter().any(|result| result.code == code)).unwrap_or(0)
}

fn summary(results: &[TaskResult], things: &str) -> String {
    let count = |word: &str| results.iter().filter(|result| result.word == word).count();
    let errors = match count("ERROR") {
        0 => String::new(),
        errors => format!(", {errors} not read"),
    };
    let (holds, fails, open) = (count("TRUE"), count("FALSE"), count("UNKNOWN"));
    format!("{} {things}: {holds} TRUE, {fails} FALSE, {open} UNKNOWN{errors}\n", results.len())
}

/// Runs this very command on one of the files.
fn one(args: &VerifyArgs, file: &std::path::Path) -> Result<TaskResult, String> {
    let others: Vec<&std::ffi::OsStr> = args.program.files.iter().map(|file| file.as_os_str()).collect();
    // The last format and the last value of every option count, see `args_override_self`.
    let is_option = |word: &std::ffi::OsString| word != "--" && !others.contains(&word.as_os_str());
    let mut words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).filter(is_option).collect();
    // After `--` no name is taken for an option.
    words.extend(["--".into(), file.into()]);
    run(args.format, words, file)
}

/// Runs this command with other words; `subject` is what it is about.
pub fn run(
    format: Format,
    mut words: Vec<std::ffi::OsString>,
    subject: &std::path::Path,
) -> Result<TaskResult, String> {
    let start = std::time::Instant::now();
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    let format = if format == Format::Sarif { "sarif" } else { "json" };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(end..end, ["--format".into(), format.into(), "--quiet".into()]);
    command.args(words);
    let file = subject;
    let output = crate::supervise::output_of(command)
        .map_err(|error| format!("internal error: the command could not be started: {error}"))?;
    let code = output.status.code().unwrap_or(3) as u8;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let word = match code {
        0 => "TRUE",
        1 => "FALSE",
        3 => "UNKNOWN",
        _ => "ERROR",
    };
    let reason = match word {
        "ERROR" => String::from_utf8_lossy(&output.stderr).lines().next().map(str::to_owned),
        _ => document["reason"].as_str().map(str::to_owned),
    };
    let document = match document {
        Value::Null => json!({ "files": [file.display().to_string()], "verdict": word, "reason": reason }),
        document => document,
    };
    Ok(TaskResult {
        file: file.display().to_string(),
        word: word.to_owned(),
        reason,
        seconds: start.elapsed().as_secs_f64(),
        document,
        code,
    })
}

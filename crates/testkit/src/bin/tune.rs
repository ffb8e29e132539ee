//! Should the plan of `auto` change?
//!
//! ```text
//! tune [--table FOLDER] [--time 10] [--folds 5] [--plan FILE.toml]
//! tune collect ARGONAUT LIST.csv FOLDER RESULTS.csv...
//! ```
//!
//! Without further words, it prints what `auto`'s plan (or that of a file) would answer according to the table in
//! `experiments/results/tune`, beside plans that are derived from the table and judged on folders that they were not
//! derived from; then the plan that is derived from all of the table.
//!
//! `collect` makes the table: features are those that `ARGONAUT verify --explain` shows for the tasks of the list, runs are
//! those of `ARGONAUT bench --cpu-limit`. Of several results for the same run, the last one counts.

use driver::{Plan, Preset, Slice};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use testkit::ask::Verifier;
use testkit::survey::status;
use testkit::tune::{derivation, table, validation};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/results/tune");
const USAGE: &str = "usage: tune [--table FOLDER] [--time SECONDS] [--folds N] [--plan FILE.toml]\n       \
                     tune collect ARGONAUT LIST.csv FOLDER RESULTS.csv...";
/// Seconds for loading a task and a cheap analysis of it.
const EXPLAIN: f64 = 60.0;

struct Request {
    table: PathBuf,
    time: f64,
    folds: usize,
    plan: Option<PathBuf>,
}

fn parse(words: &[String]) -> Option<Request> {
    let mut request = Request { table: TABLE.into(), time: 10.0, folds: 5, plan: None };
    for pair in words.chunks(2) {
        let [word, value] = pair else { return None };
        match word.as_str() {
            "--table" => request.table = value.into(),
            "--time" => request.time = value.parse().ok().filter(|time| *time > 0.0)?,
            "--folds" => request.folds = value.parse().ok().filter(|folds| *folds > 1)?,
            "--plan" => request.plan = Some(value.into()),
            _ => return None,
        }
    }
    Some(request)
}

fn plan(file: Option<&Path>) -> Result<Vec<Slice>, String> {
    match (file, Preset::named("auto").map(|preset| preset.plan())) {
        (Some(file), _) => {
            Preset::sequence(&table::text(file)?).map_err(|problem| format!("{}: {problem}", file.display()))
        }
        (None, Some(Plan::Sequence(slices))) => Ok(slices),
        (None, _) => Err("no sequence is called `auto`".into()),
    }
}

fn judge(request: &Request) -> Result<bool, String> {
    let tasks = table::read(&request.table)?;
    let plan = plan(request.plan.as_deref())?;
    print!("{}", validation::report(&tasks, &plan, request.time, request.folds));
    let derived = derivation::derive(&tasks.iter().collect::<Vec<_>>(), request.time);
    print!("\nDerived from all tasks:\n\n{}", derivation::written(&derived));
    Ok(true)
}

fn collect(words: &[String]) -> Result<bool, String> {
    let [path, list, folder, results @ ..] = words else { return Err(USAGE.into()) };
    let (folder, verifier) = (Path::new(folder), Verifier { path: path.clone(), time: EXPLAIN });
    let results: Result<Vec<String>, String> = results.iter().map(|file| table::text(Path::new(file))).collect();
    let runs = table::runs(&results?)?;
    let known = folder.join("tasks.csv");
    let known = if known.exists() { table::text(&known)? } else { String::new() };
    let tasks = table::tasks(&verifier, Path::new(list), &known)?;
    table::parse(&tasks, &runs)?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in [("tasks.csv", tasks), ("runs.csv", runs)] {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{}: {error}", folder.join(name).display()))?;
    }
    Ok(true)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    status(
        "tune",
        match words.split_first() {
            Some((word, rest)) if word == "collect" => collect(rest),
            _ => parse(&words).ok_or_else(|| USAGE.to_owned()).and_then(|request| judge(&request)),
        },
    )
}

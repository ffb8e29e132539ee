//! What each preset answers on each task and after how much processor time: `runs.csv` with a line for each run, and
//! `tasks.csv` with a line for each task and its features. Runs that are missing have not been measured.

use crate::ask::Verifier;
use driver::csv::{cells, line};
use driver::{Features, Plan, Preset, RanOut, task_list};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

const RUNS: [&str; 4] = ["task", "preset", "verdict", "seconds"];
const TASKS: [&str; 3] = ["task", "category", "features"];

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With a verdict, which is right or not.
    Verdict(bool),
    /// Without one.
    Open(RanOut),
}

/// The words of `runs.csv`.
const ENDS: [(&str, End); 4] = [
    ("right", End::Verdict(true)),
    ("wrong", End::Verdict(false)),
    ("unknown", End::Open(RanOut::OfIdeas)),
    ("out of time", End::Open(RanOut::OfTime)),
];

/// A run of a preset on a task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// The processor time that it took, with that of loading the program.
    pub seconds: f64,
}

/// A task with its runs.
#[derive(Clone, Debug)]
pub struct Task {
    /// `folder/name`.
    pub name: String,
    /// What tables group by.
    pub category: String,
    /// What conditions of plans ask for.
    pub features: Features,
    /// By preset.
    pub runs: BTreeMap<String, Run>,
}

impl Task {
    /// What tasks have in common that are likely to be alike.
    pub fn folder(&self) -> &str {
        self.name.split_once('/').map_or("", |(folder, _)| folder)
    }

    /// All runs load the program, so that takes no longer than the shortest of them.
    pub fn loading(&self) -> f64 {
        self.runs.values().map(|run| run.seconds).reduce(f64::min).unwrap_or(0.0)
    }
}

/// The cells of these columns, line by line. An error starts with the file's name and the line.
fn columns<const N: usize>(file: &str, text: &str, names: [&str; N]) -> Result<Vec<[String; N]>, String> {
    let mut lines = text.lines().enumerate();
    let header = cells(lines.next().map_or("", |(_, line)| line));
    let places = names.map(|name| header.iter().position(|cell| cell == name));
    if let Some(at) = places.iter().position(Option::is_none) {
        return Err(format!("{file}:1: expected a column `{}`", names[at]));
    }
    let row = |(number, line): (usize, &str)| {
        let cells = cells(line);
        if cells.len() != header.len() {
            return Err(format!("{file}:{}: expected {} columns", number + 1, header.len()));
        }
        Ok(places.map(|place| place.map_or(String::new(), |at| cells[at].clone())))
    };
    lines.map(row).collect()
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    number.ok_or_else(|| format!("`{text}` is not a number of seconds"))
}

/// Reads the table of two texts; tasks without runs are left out.
pub fn parse(tasks: &str, runs: &str) -> Result<Vec<Task>, String> {
    let (mut table, engines) = (BTreeMap::new(), engines());
    for [name, category, features] in columns("tasks.csv", tasks, TASKS)? {
        let features = features.parse().map_err(|problem| format!("{name}: {problem}"))?;
        if table.insert(name.clone(), Task { name, category, features, runs: BTreeMap::new() }).is_some() {
            return Err("tasks.csv: a task is there twice".into());
        }
    }
    for [name, preset, verdict, time] in columns("runs.csv", runs, RUNS)? {
        let task = table.get_mut(&name).ok_or_else(|| format!("{name}: its features are missing"))?;
        let end = ENDS.iter().find(|(word, _)| *word == verdict);
        let (_, end) = *end.ok_or_else(|| format!("{name}: `{verdict}` is not the end of a run"))?;
        if !engines.contains(&preset) {
            return Err(format!("{name}: no preset with one engine is called `{preset}`"));
        }
        if task.runs.insert(preset, Run { end, seconds: seconds(&time)? }).is_some() {
            return Err(format!("{name}: a preset is there twice"));
        }
    }
    Ok(table.into_values().filter(|task| !task.runs.is_empty()).collect())
}

/// Reads the table in a folder.
pub fn read(folder: &Path) -> Result<Vec<Task>, String> {
    parse(&text(&folder.join("tasks.csv"))?, &text(&folder.join("runs.csv"))?)
}

/// The text of a file.
pub fn text(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// The names of presets that are no sequences.
fn engines() -> BTreeSet<String> {
    let single = Preset::all().filter(|preset| matches!(preset.plan(), Plan::Engine { .. }));
    single.map(|preset| preset.name).collect()
}

/// The runs in `results.csv` of `argonaut bench`. Of several on a task with a preset, the last one counts; those with
/// options and of sequences do not.
pub fn runs(results: &[String]) -> Result<String, String> {
    let (mut lines, engines) = (BTreeMap::new(), engines());
    for text in results {
        let names = ["preset", "task", "expected", "verdict", "cpu", "reason"];
        for [preset, task, expected, verdict, cpu, reason] in columns("results.csv", text, names)? {
            let end = match verdict.as_str() {
                "true" | "false" => End::Verdict(expected.is_empty() || expected == verdict),
                _ if reason.contains("time limit reached") || reason.contains("did not end in time") => {
                    End::Open(RanOut::OfTime)
                }
                _ => End::Open(RanOut::OfIdeas),
            };
            let word = ENDS.iter().find(|(_, known)| *known == end).map_or("", |(word, _)| *word);
            if engines.contains(&preset) {
                let cells = [task.as_str(), &preset, word, &cpu];
                lines.insert((task.clone(), preset.clone()), line(&cells));
            }
        }
    }
    Ok(written(RUNS, lines.into_values()))
}

/// A line for each task of a list: those that `known` has, and for all others what the verifier says.
pub fn tasks(verifier: &Verifier, list: &Path, known: &str) -> Result<String, String> {
    let known = if known.is_empty() { Vec::new() } else { columns("tasks.csv", known, TASKS)? };
    let mut lines: BTreeMap<String, String> = known.into_iter().map(|row| (row[0].clone(), line(&row))).collect();
    for row in task_list::rows(&text(list)?)? {
        if !lines.contains_key(&row.task) {
            let features = explained(verifier, list.parent().unwrap_or(Path::new("")), &row)?;
            lines.insert(row.task.clone(), line(&[row.task, row.category, features]));
        }
    }
    Ok(written(TASKS, lines.into_values()))
}

/// The features of a task, which `verify --explain` shows before a cheap analysis.
fn explained(verifier: &Verifier, folder: &Path, row: &task_list::Row) -> Result<String, String> {
    let mut command = Command::new(&verifier.path);
    command.args(["verify", "--explain", "--no-store", "--analysis", "signs", "--extern=pure"]);
    command.args(["--time-limit", &format!("{}s", verifier.time), "--property"]);
    command.arg(folder.join("properties/unreach-call.prp"));
    command.args(["--data-model", if row.bits == "64" { "LP64" } else { "ILP32" }, "--"]);
    let output = command.arg(folder.join(&row.input)).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", verifier.path))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let features = said.lines().find_map(|line| line.strip_prefix("features: "));
    features.map(str::to_owned).ok_or_else(|| format!("{}: no features within {} s", row.task, verifier.time))
}

fn written<const N: usize>(header: [&str; N], lines: impl Iterator<Item = String>) -> String {
    std::iter::once(line(&header)).chain(lines).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_become_runs() {
        let header = "preset,category,task,expected,verdict,cpu,wall,reason\n";
        let first = "bmc,C,a/b,true,unknown,0.30,2,processor time limit reached\nbmc,C,a/c,true,false,0.10,1,\n";
        let second = "bmc,C,a/b,true,true,1.20,2,\nauto,C,a/b,true,true,0.10,2,\nbmc k-max=9,C,a/b,true,true,0.10,2,\n";
        let runs = runs(&[first, second].map(|rows| format!("{header}{rows}"))).expect("all columns are there");
        assert_eq!(runs, "task,preset,verdict,seconds\na/b,bmc,right,1.20\na/c,bmc,wrong,0.10\n");
        let tasks = "task,category,features\na/b,C,\"loops 1, nodes 9\"\na/c,C,nodes 3\na/d,C,nodes 3\n";
        let table = parse(tasks, &runs).expect("it is well formed");
        assert_eq!(
            table.iter().map(|task| (task.folder(), task.loading())).collect::<Vec<_>>(),
            [("a", 1.2), ("a", 0.1)]
        );
    }

    #[test]
    fn mistakes_are_found() {
        let tasks = "task,category,features\na/b,C,nodes 9\n";
        for row in ["a/c,bmc,right,1", "a/b,auto,right,1", "a/b,bmc,perhaps,1", "a/b,bmc,right,-1", "a/b,bmc,right"] {
            assert!(parse(tasks, &format!("task,preset,verdict,seconds\n{row}\n")).is_err(), "{row}");
        }
        assert!(parse("task,category\n", "task,preset,verdict,seconds\n").is_err());
    }
}

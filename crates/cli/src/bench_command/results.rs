//! The results of a benchmark: one line a run in `results.csv`, added when the run ends, so that an interrupted
//! benchmark goes on where it stopped.

use super::list::Task;
use super::run::Limits;
use driver::csv;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The columns that all results have; those of counters follow.
const COLUMNS: [&str; 11] = [
    "preset",
    "category",
    "task",
    "expected",
    "verdict",
    "cpu",
    "wall",
    "time_limit",
    "cpu_limit",
    "memory_limit",
    "reason",
];

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// With the options that were set, see `Configuration`.
    pub preset: String,
    pub category: String,
    pub task: String,
    pub expected: Option<bool>,
    /// `true`, `false`, `unknown` or `error`.
    pub verdict: String,
    /// Seconds of processor time.
    pub cpu: f64,
    /// Seconds.
    pub wall: f64,
    /// Why there is no verdict.
    pub reason: String,
    /// The counters that the benchmark keeps; nothing where the run did not say.
    pub counters: Vec<String>,
}

/// What a verdict is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    Correct,
    Wrong,
    Open,
}

impl Row {
    /// The answer, if there is one.
    pub fn answer(&self) -> Option<bool> {
        self.verdict.parse().ok()
    }

    /// Whether it is right; where the expected verdict is unknown, an answer counts as right.
    pub fn judge(&self) -> Judgement {
        match (self.answer(), self.expected) {
            (None, _) => Judgement::Open,
            (Some(answer), Some(expected)) if answer != expected => Judgement::Wrong,
            (Some(_), _) => Judgement::Correct,
        }
    }

    /// SV-COMP's points.
    pub fn score(&self) -> i64 {
        match (self.judge(), self.answer()) {
            (Judgement::Correct, Some(true)) => 2,
            (Judgement::Correct, _) => 1,
            (Judgement::Wrong, Some(true)) => -32,
            (Judgement::Wrong, _) => -16,
            (Judgement::Open, _) => 0,
        }
    }

    /// The line of the file of results, without its end.
    pub fn line(&self, limits: &Limits) -> String {
        let [time, cpu, memory] = limits.cells();
        let mut cells = vec![
            self.preset.clone(),
            self.category.clone(),
            self.task.clone(),
            self.expected.map_or(String::new(), |expected| expected.to_string()),
            self.verdict.clone(),
            format!("{:.2}", self.cpu),
            format!("{:.2}", self.wall),
            time,
            cpu,
            memory,
            self.reason.clone(),
        ];
        cells.extend(self.counters.iter().cloned());
        cells.resize(COLUMNS.len() + limits.counters.len(), String::new());
        csv::line(&cells)
    }

    /// Reads [`Row::line`].
    pub fn parse(line: &str, limits: &Limits) -> Result<Row, String> {
        let mut cells = csv::cells(line);
        let expected = || format!("expected the columns {}", columns(limits));
        if cells.len() != COLUMNS.len() + limits.counters.len() {
            return Err(expected());
        }
        let counters = cells.split_off(COLUMNS.len());
        let cells: [String; COLUMNS.len()] = cells.try_into().map_err(|_| expected())?;
        let [preset, category, task, expected, verdict, cpu, wall, time, cpu_limit, memory, reason] = cells;
        if [time, cpu_limit, memory] != limits.cells() {
            return Err("results with other limits, expected the same or an empty folder".into());
        }
        let number = |text: String| text.parse().map_err(|_| format!("expected a number, found `{text}`"));
        let (cpu, wall) = (number(cpu)?, number(wall)?);
        Ok(Row { preset, category, task, expected: expected.parse().ok(), verdict, cpu, wall, reason, counters })
    }
}

/// The first line of a file of results.
fn columns(limits: &Limits) -> String {
    let counters = limits.counters.iter().map(String::as_str);
    csv::line(&COLUMNS.into_iter().chain(counters).collect::<Vec<_>>())
}

/// The file that results go to.
pub struct Results {
    path: PathBuf,
    limits: Limits,
    rows: HashMap<(String, String), Row>,
    /// Held as long as this process may write.
    _lock: File,
}

impl Results {
    /// Reads what is there. A last line without end was cut short and does not count.
    pub fn open(folder: &Path, limits: Limits) -> Result<Results, String> {
        let path = folder.join("results.csv");
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
        let lock = lock(folder)?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{}: cannot be read ({error})", path.display())),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let rows = parse(&path, whole, &limits)?;
        if whole.is_empty() {
            crate::write_file(&path, &(columns(&limits) + "\n"))?;
        } else if whole.len() < text.len() {
            crate::write_file(&path, whole)?;
        }
        let rows = rows.into_iter().map(|row| ((row.preset.clone(), row.task.clone()), row)).collect();
        Ok(Results { path, limits, rows, _lock: lock })
    }

    /// What is known of a run.
    pub fn of(&self, preset: &str, task: &Task) -> Option<&Row> {
        self.rows.get(&(preset.to_owned(), task.name.clone()))
    }

    /// Whether the result of a task of this name is known.
    pub fn has(&self, preset: &str, task: &str) -> bool {
        self.rows.contains_key(&(preset.to_owned(), task.to_owned()))
    }

    /// Adds a result, also to the file; a result that was added is on the disk.
    pub fn add(&mut self, row: Row) -> Result<(), String> {
        let line = row.line(&self.limits) + "\n";
        append(&self.path, &line).map_err(|error| format!("{}: cannot be written ({error})", self.path.display()))?;
        self.rows.insert((row.preset.clone(), row.task.clone()), row);
        Ok(())
    }

    /// What all its runs could use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// The runs in a file of results.
pub fn read(path: &Path, limits: &Limits) -> Result<Vec<Row>, String> {
    let text = driver::read_text(path, "a list of results").map_err(|error| error.to_string())?;
    parse(path, &text, limits)
}

/// The runs in the text of a file of results.
fn parse(path: &Path, text: &str, limits: &Limits) -> Result<Vec<Row>, String> {
    let mut lines = text.lines().enumerate();
    let columns = columns(limits);
    if lines.next().is_some_and(|(_, first)| first != columns) {
        return Err(format!("{}: expected the columns {columns}, or an empty folder", path.display()));
    }
    let row = |(number, line): (usize, &str)| {
        Row::parse(line, limits).map_err(|what| format!("{}:{}: {what}", path.display(), number + 1))
    };
    lines.map(row).collect()
}

/// Adds a line completely or not at all.
fn append(path: &Path, line: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(path)?;
    let before = file.metadata()?.len();
    let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
    if written.is_err() {
        // A full disk: half a line would spoil the next one. If even this fails, the half line is the last one.
        let _ = file.set_len(before);
    }
    written
}

/// Keeps a second benchmark away from the folder.
fn lock(folder: &Path) -> Result<File, String> {
    let path = folder.join(".lock");
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file = file.map_err(|error| format!("{}: cannot be written ({error})", path.display()))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(format!("{}: another benchmark is at work there", folder.display())),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

#[cfg(test)]
impl Row {
    /// A run as tests write it: `preset task verdict seconds`, then counters. All tasks are safe, and where there is no
    /// verdict the time was over.
    pub fn written(text: &str) -> Row {
        let words: Vec<&str> = text.split(' ').collect();
        let seconds = words[3].parse().expect("a number");
        Row {
            preset: words[0].into(),
            category: "X".into(),
            task: words[1].into(),
            expected: Some(true),
            verdict: words[2].into(),
            cpu: seconds,
            wall: seconds,
            reason: if words[2] == "unknown" { base::Stopped::Time.to_string() } else { String::new() },
            counters: words[4..].iter().map(|&word| word.into()).collect(),
        }
    }
}

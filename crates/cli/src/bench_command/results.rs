//! The results of a benchmark: one line a run in `results.csv`, added when the run ends, so that an interrupted
//! benchmark goes on where it stopped.

use super::list::Task;
use driver::csv;
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

const COLUMNS: &str = "preset,category,task,expected,verdict,cpu,wall,time_limit,memory_limit,reason";

/// What a run came to.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
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
    pub fn line(&self, limits: &[String; 2]) -> String {
        csv::line(&self.cells(limits))
    }

    fn cells(&self, limits: &[String; 2]) -> [String; 10] {
        [
            self.preset.clone(),
            self.category.clone(),
            self.task.clone(),
            self.expected.map_or(String::new(), |expected| expected.to_string()),
            self.verdict.clone(),
            format!("{:.2}", self.cpu),
            format!("{:.2}", self.wall),
            limits[0].clone(),
            limits[1].clone(),
            self.reason.clone(),
        ]
    }

    /// Reads [`Row::line`].
    pub fn parse(line: &str, limits: &[String; 2]) -> Result<Row, String> {
        let cells: [String; 10] = csv::cells(line).try_into().map_err(|_| format!("expected the columns {COLUMNS}"))?;
        let [preset, category, task, expected, verdict, cpu, wall, time, memory, reason] = cells;
        if [time, memory] != *limits {
            return Err("results with other limits, expected the same or an empty folder".into());
        }
        let number = |text: String| text.parse().map_err(|_| format!("expected a number, found `{text}`"));
        let (cpu, wall) = (number(cpu)?, number(wall)?);
        Ok(Row { preset, category, task, expected: expected.parse().ok(), verdict, cpu, wall, reason })
    }
}

/// The file that results go to.
pub struct Results {
    path: PathBuf,
    limits: [String; 2],
    rows: HashMap<(String, String), Row>,
    /// Held as long as this process may write.
    _lock: File,
}

impl Results {
    /// Reads what is there. A last line without end was cut short and does not count.
    pub fn open(folder: &Path, limits: [String; 2]) -> Result<Results, String> {
        let path = folder.join("results.csv");
        let problem = |what: String| format!("{}: {what}", path.display());
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
        let lock = lock(folder)?;
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(problem(format!("cannot be read ({error})"))),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut rows = HashMap::new();
        for (number, line) in whole.lines().enumerate().skip(1) {
            let row = Row::parse(line, &limits).map_err(|what| format!("{}:{}: {what}", path.display(), number + 1))?;
            rows.insert((row.preset.clone(), row.task.clone()), row);
        }
        match whole.lines().next() {
            None => crate::write_file(&path, &format!("{COLUMNS}\n"))?,
            Some(COLUMNS) if whole.len() < text.len() => crate::write_file(&path, whole)?,
            Some(COLUMNS) => {}
            Some(_) => return Err(problem(format!("is not a list of results, expected the columns {COLUMNS}"))),
        }
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

    /// As results write limits.
    pub fn limits(&self) -> &[String; 2] {
        &self.limits
    }
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

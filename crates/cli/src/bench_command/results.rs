//! The results of a benchmark: one line a run in `results.csv`, added when the run ends, so that an interrupted
//! benchmark goes on where it stopped.

use super::list::Task;
use driver::csv;
use std::collections::HashMap;
use std::fs::OpenOptions;
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

    fn parse(line: &str, limits: &[String; 2]) -> Result<Row, String> {
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
}

impl Results {
    /// Reads what is there. A last line without end was cut short and does not count.
    pub fn open(folder: &Path, limits: [String; 2]) -> Result<Results, String> {
        let path = folder.join("results.csv");
        let problem = |what: String| format!("{}: {what}", path.display());
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
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
        Ok(Results { path, limits, rows })
    }

    /// What is known of a run.
    pub fn of(&self, preset: &str, task: &Task) -> Option<&Row> {
        self.rows.get(&(preset.to_owned(), task.name.clone()))
    }

    /// Adds a result, also to the file.
    pub fn add(&mut self, row: Row) -> Result<(), String> {
        let line = csv::line(&row.cells(&self.limits)) + "\n";
        let file = OpenOptions::new().append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|error| format!("{}: cannot be written ({error})", self.path.display()))?;
        self.rows.insert((row.preset.clone(), row.task.clone()), row);
        Ok(())
    }
}

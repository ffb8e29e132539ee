//! What is known of functions: one line of JSON each in `results.jsonl`, added when a function is done. A project may come
//! from strangers, and with it such a file, so lines count only if they carry a code that takes the user's key to make.

use super::units::Subject;
use driver::{Secret, Store};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What became of a function or of a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    Proved,
    Violated,
    Open,
    /// It was not verified at all.
    Failed,
}

/// One check in a function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checked {
    pub file: String,
    /// From the first line of the function `inside` where there is one, else in the file.
    pub line: u32,
    pub column: u32,
    /// The function that it lies in, if that is one of the same file.
    pub inside: Option<String>,
    pub kind: String,
    pub word: Word,
    pub message: String,
    /// The source line.
    pub source: String,
    /// What the function was called with.
    pub arguments: Vec<String>,
}

/// What is known of a function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    pub digest: String,
    pub word: Word,
    pub reason: Option<String>,
    pub seconds: f64,
    /// How long it was allowed to take.
    pub limit: f64,
    /// How many checks there are, as far as that is known.
    pub count: u64,
    /// Each check, where something is violated.
    pub checks: Vec<Checked>,
    pub assumptions: Vec<String>,
    /// Its report, from the folder of results.
    pub report: Option<String>,
}

impl Record {
    /// In few words.
    pub fn describe(&self) -> String {
        match (self.word, &self.reason) {
            (Word::Proved, _) => "proved".into(),
            (Word::Violated, _) => {
                let count = self.checks.iter().filter(|check| check.word == Word::Violated).count();
                format!("violated ({count})")
            }
            (Word::Open, reason) => format!("open ({})", reason.as_deref().unwrap_or("no reason")),
            (Word::Failed, reason) => format!("not verified ({})", reason.as_deref().unwrap_or("no reason")),
        }
    }

    /// Line numbers of places in functions of the file, so that the record stays right when lines move.
    pub fn relative(mut self, subject: &Subject) -> Record {
        for check in self.checks.iter_mut().filter(|check| check.file == subject.file) {
            let line = check.line;
            let around = subject.neighbours.iter().find(|(_, first, last)| (*first..=*last).contains(&line));
            if let Some((name, first, _)) = around {
                check.inside = Some(name.clone());
                check.line -= first;
            }
        }
        self
    }

    fn absolute(mut self, subject: &Subject) -> Record {
        for check in &mut self.checks {
            let function = check.inside.as_ref().and_then(|name| subject.neighbours.iter().find(|one| one.0 == *name));
            check.line += function.map_or(0, |(_, first, _)| *first);
        }
        self
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    file: String,
    function: String,
    #[serde(flatten)]
    record: Record,
}

/// How a line begins; its code follows, and then what the code is of, without the first brace.
const CODE: &str = "{\"code\":\"";
/// What the code is about.
const KIND: &str = "project";

impl Line {
    fn sealed(&self, secret: Option<&Secret>) -> Result<String, String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        Ok(match secret {
            Some(secret) => format!("{CODE}{}\",{}\n", secret.sign(KIND, &text), &text[1..]),
            None => text + "\n",
        })
    }

    /// A line that was sealed with this key.
    fn read(line: &str, secret: &Secret) -> Option<Line> {
        let (code, rest) = line.strip_prefix(CODE)?.split_once("\",")?;
        let text = format!("{{{rest}");
        secret.fits(KIND, &text, code).then(|| serde_json::from_str(&text).ok())?
    }
}

/// The file.
pub struct Results {
    path: PathBuf,
    limit: f64,
    /// Without one, nothing can be used the next time.
    secret: Option<Secret>,
    /// Lines that were not believed.
    pub strange: usize,
    known: HashMap<(String, String), Record>,
    lines: usize,
}

impl Results {
    /// Reads what is there; lines that were cut short do not count.
    pub fn open(folder: &Path, limit: f64) -> Result<Results, String> {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
        let path = folder.join("results.jsonl");
        super::no_link(&path)?;
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("{}: cannot be read ({error})", path.display())),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            crate::write_file(&path, &text[..end])?;
        }
        let secret = Store::default_folder().and_then(|folder| Secret::make(&folder).ok());
        let mut results =
            Results { path, limit, secret, strange: 0, known: HashMap::new(), lines: text.lines().count() };
        let complete = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        for line in complete {
            match results.secret.as_ref().and_then(|secret| Line::read(line.trim_end(), secret)) {
                Some(Line { file, function, record }) => drop(results.known.insert((file, function), record)),
                None => results.strange += 1,
            }
        }
        Ok(results)
    }

    /// Whether the next run cannot use the results, for lack of a key.
    pub fn are_lost(&self) -> bool {
        self.secret.is_none()
    }

    fn key(subject: &Subject) -> (String, String) {
        (subject.file.clone(), subject.name.clone())
    }

    /// What is known of a function as it is now. What was left open with less time does not count.
    pub fn of(&self, subject: &Subject) -> Option<&Record> {
        let known = self.known.get(&Self::key(subject)).filter(|known| known.digest == subject.digest)?;
        let final_word = known.word == Word::Proved || known.word == Word::Violated && known.is_complete();
        (final_word || known.limit >= self.limit).then_some(known)
    }

    /// The same with the line numbers of today.
    pub fn placed(&self, subject: &Subject) -> Option<Record> {
        self.of(subject).map(|record| record.clone().absolute(subject))
    }

    /// Adds a result, also to the file.
    pub fn add(&mut self, subject: &Subject, record: Record) -> Result<(), String> {
        let record = record.relative(subject);
        let (file, function) = Self::key(subject);
        let line = Line { file: file.clone(), function: function.clone(), record: record.clone() };
        let text = line.sealed(self.secret.as_ref())?;
        let opened = OpenOptions::new().append(true).create(true).open(&self.path);
        opened
            .and_then(|mut opened| opened.write_all(text.as_bytes()))
            .map_err(|error| format!("{}: cannot be written ({error})", self.path.display()))?;
        self.known.insert((file, function), record);
        self.lines += 1;
        Ok(())
    }

    /// Leaves one line for each function that there is, once most lines are of the past.
    pub fn forget_others(&mut self, subjects: &[Subject]) -> Result<(), String> {
        if self.lines <= 4 * subjects.len() + 16 {
            return Ok(());
        }
        let mut keys: Vec<&(String, String)> = self.known.keys().collect();
        keys.sort();
        let mut text = String::new();
        for key in keys {
            let line = Line { file: key.0.clone(), function: key.1.clone(), record: self.known[key].clone() };
            text += &line.sealed(self.secret.as_ref())?;
        }
        crate::write_file(&self.path, &text)
    }
}

impl Record {
    /// Whether no check was left open.
    fn is_complete(&self) -> bool {
        self.checks.iter().all(|check| check.word != Word::Open)
    }
}

//! One run of a benchmark on a cluster. What is to be done stands in a plan, a file that the machines share; an element
//! does one run of it and leaves its result beside the plan, in a file of its own: no two machines write to one file.

use super::list::Task;
use super::run::{self, Limits};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The first word of an element's command line.
pub const ELEMENT: &str = "__bench";
/// How long an element tries to leave its result on a disk that is full.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long it waits in between.
const PAUSE: Duration = Duration::from_secs(2);
/// What a result takes on the disk, at most: its room is kept before the run.
const ROOM: usize = 4096;

/// The runs of one job array, by their index.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub limits: Limits,
    pub runs: Vec<PlannedRun>,
}

/// A preset and the task that it gets.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlannedRun {
    pub preset: String,
    pub task: Task,
}

impl Plan {
    fn path(folder: &Path) -> PathBuf {
        folder.join("plan.json")
    }

    /// Whether there certainly is no plan in the folder.
    pub fn is_missing(folder: &Path) -> bool {
        Plan::path(folder).try_exists().is_ok_and(|exists| !exists)
    }

    /// Reads the plan of a folder.
    pub fn read(folder: &Path) -> Result<Plan, String> {
        let path = Plan::path(folder);
        let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| problem(&error))?;
        serde_json::from_str(&text).map_err(|error| problem(&error))
    }

    /// Writes it into a folder, completely or not at all.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        crate::write_file(&Plan::path(folder), &text)
    }
}

/// Where the result of a run is found once it is complete.
pub fn result_file(folder: &Path, index: usize) -> PathBuf {
    folder.join(format!("{index}.csv"))
}

/// Does the run that the words name, `FOLDER INDEX`. Returns an exit status.
pub fn element(words: &[OsString]) -> u8 {
    let (folder, index) = match words {
        [folder, index] => (PathBuf::from(folder), index.to_str().and_then(|index| index.parse().ok())),
        _ => (PathBuf::new(), None),
    };
    let Some(index) = index else {
        super::note("argonaut: expected the folder of a plan and the index of a run");
        return crate::BAD_INPUT;
    };
    match one(&folder, index) {
        Ok(()) => 0,
        Err(mistake) => {
            super::note(&format!("argonaut: error: {mistake}"));
            crate::BAD_INPUT
        }
    }
}

/// 1. A run that is begun again after its result was written has nothing to do.
/// 2. Room on the disk is kept first: where there is none, the run would be in vain.
/// 3. The result gets its name when it is complete, so that no reader sees half of it.
fn one(folder: &Path, index: usize) -> Result<(), String> {
    let plan = Plan::read(folder)?;
    let planned = plan.runs.get(index).ok_or_else(|| format!("the plan has no run {index}"))?;
    let path = result_file(folder, index);
    if path.exists() {
        return Ok(()); // 1
    }
    // An earlier try on another machine may still be at work.
    let unfinished = folder.join(format!("{index}.{}.{}", machine(), std::process::id()));
    let problem = |error: std::io::Error| format!("{}: cannot be written ({error})", unfinished.display());
    let mut file = patiently(|| keep_room(&unfinished)).map_err(problem)?; // 2
    let row = run::run(&plan.limits, &planned.preset, &planned.task, &AtomicBool::new(false))?;
    let row = row.ok_or("interrupted")?;
    let line = row.line(&plan.limits) + "\n";
    patiently(|| fill(&mut file, &line).and_then(|()| std::fs::rename(&unfinished, &path))).map_err(problem) // 3
}

fn keep_room(path: &Path) -> std::io::Result<File> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    let kept = file.write_all(&[b' '; ROOM]).and_then(|()| file.sync_data());
    if kept.is_err() {
        // It may not even exist.
        let _ = std::fs::remove_file(path);
    }
    kept.map(|()| file)
}

fn fill(file: &mut File, line: &str) -> std::io::Result<()> {
    file.rewind()?;
    file.write_all(line.as_bytes())?;
    file.set_len(line.len() as u64)?;
    file.sync_all()
}

/// Tries again for a while: space may be found, and servers of files come back.
fn patiently<T>(mut attempt: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    let start = Instant::now();
    loop {
        match attempt() {
            Err(_) if start.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            ended => return ended,
        }
    }
}

/// This machine's name, as far as it can be part of a file's.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().replace('/', "-")
}

//! A benchmark on a cluster: runs are handed to the scheduler in job arrays, results are collected as they appear.
//!
//! The state is on the disk alone. `DIR/slurm/NAME` is an array: its plan, and the results that are not yet in
//! `results.csv`, into which a result is copied before its file is removed. So nothing that has finished is lost, whatever
//! ends:
//! - this process: the array goes on, and the next call takes it over, by its name;
//! - an element, its node: without a result it is submitted again, a few times; a node that comes back with a
//!   result that is not waited for does no harm, since rows say themselves what they are about;
//! - the controller: as long as it does not answer, elements are taken to be as they were;
//! - space on the disk: elements keep room before they run (see `element`), a row is added completely or not at all, and
//!   an element that finds no space waits for it.

use super::element::{ELEMENT, PATIENCE, Plan, PlannedRun, result_file};
use super::list::Task;
use super::note;
use super::results::{Results, Row};
use super::run::{GRACE, Limits};
use super::slurm::{self, Order, State};
use crate::args::BenchArgs;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// How often results are looked for.
const TICK: Duration = Duration::from_secs(1);
/// How often the scheduler is asked; administrators ask not to do so every second.
const ASK: Duration = Duration::from_secs(5);
/// How long a result may take from the node's disk to ours, once its element has ended.
const SETTLE: Duration = Duration::from_secs(30);
/// How often a run is tried.
const ATTEMPTS: u32 = 3;
/// Arrays are submitted ahead, so that no node waits for the last element of one.
const AHEAD: usize = 2;
/// Elements of an array, where the scheduler allows more.
const LARGEST: usize = 1000;
/// What a run may take beyond its own limit before the scheduler ends it: for the processes that watch over it.
const RESERVE: u64 = 256 << 20;

/// An array that is not done.
struct Array {
    name: String,
    folder: PathBuf,
    /// Its runs without a result.
    open: BTreeMap<usize, PlannedRun>,
    /// Since when the scheduler has nothing to say of them.
    silent: HashMap<usize, Instant>,
}

/// All that is under way.
struct Cluster<'c> {
    args: &'c BenchArgs,
    limits: Limits,
    /// Where arrays have their folders.
    folder: PathBuf,
    results: Results,
    arrays: Vec<Array>,
    waiting: VecDeque<PlannedRun>,
    attempts: HashMap<(String, String), u32>,
    count: usize,
    done: usize,
    /// The last thing that was complained about.
    complaint: String,
}

/// Does what waits; returns when all is done, or nothing more can be done.
pub fn work(
    args: &BenchArgs,
    waiting: VecDeque<(&str, &Task)>,
    results: Results,
    stopped: &AtomicBool,
) -> Result<Results, String> {
    let folder = std::path::absolute(args.out.join("slurm")).map_err(|error| error.to_string())?;
    let waiting = waiting.into_iter().map(|(preset, task)| PlannedRun { preset: preset.into(), task: task.clone() });
    let limits = Limits { threads: Some(args.threads.unwrap_or(1)), ..results.limits().clone() };
    let mut cluster = Cluster {
        args,
        limits,
        folder,
        results,
        arrays: Vec::new(),
        waiting: waiting.collect(),
        attempts: HashMap::new(),
        count: 0,
        done: 0,
        complaint: String::new(),
    };
    cluster.count = cluster.waiting.len();
    cluster.take_over()?;
    let largest = slurm::largest_array().unwrap_or(LARGEST).clamp(1, LARGEST);
    let mut asked: Option<Instant> = None;
    while !stopped.load(Ordering::Relaxed) {
        if asked.is_none_or(|asked| asked.elapsed() >= ASK) {
            asked = Some(Instant::now());
            cluster.ask();
        }
        cluster.collect()?;
        while cluster.arrays.len() < AHEAD && !cluster.waiting.is_empty() && cluster.submit(largest)? {}
        if cluster.arrays.is_empty() && cluster.waiting.is_empty() {
            // It is there only if something was left in it.
            let _ = std::fs::remove_dir(&cluster.folder);
            return Ok(cluster.results);
        }
        std::thread::sleep(TICK);
    }
    cluster.cancel()?;
    Ok(cluster.results)
}

impl Cluster<'_> {
    /// Finds the arrays that an earlier call left, and no longer waits for what they do.
    fn take_over(&mut self) -> Result<(), String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for folder in entries.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("").to_owned();
            if Plan::is_missing(&folder) {
                // It was never submitted; if it stays, it does no harm.
                let _ = std::fs::remove_dir_all(&folder);
                continue;
            }
            let plan = Plan::read(&folder)?;
            if plan.limits != self.limits {
                let expected = "expected the same limits and threads, or an empty folder";
                return Err(format!("{}: a benchmark with other limits is under way; {expected}", folder.display()));
            }
            let is_open = |run: &PlannedRun| !self.results.has(&run.preset, &run.task.name);
            let open = plan.runs.into_iter().enumerate().filter(|(_, run)| is_open(run)).collect();
            self.arrays.push(Array { name, folder, open, silent: HashMap::new() });
        }
        if !self.arrays.is_empty() && !self.args.quiet {
            note(&format!("{} job arrays of an earlier call are taken over", self.arrays.len()));
        }
        let theirs: HashSet<(String, String)> =
            self.arrays.iter().flat_map(|array| array.open.values()).map(PlannedRun::key).collect();
        self.waiting.retain(|run| !theirs.contains(&run.key()));
        Ok(())
    }

    /// Moves results that are complete to where all are, and forgets arrays that have no more to come.
    fn collect(&mut self) -> Result<(), String> {
        for at in 0..self.arrays.len() {
            for index in self.arrays[at].open.keys().copied().collect::<Vec<_>>() {
                let path = result_file(&self.arrays[at].folder, index);
                let Ok(text) = std::fs::read_to_string(&path) else { continue };
                let row = Row::parse(text.trim_end_matches('\n'), self.results.limits());
                let row = row.map_err(|what| format!("{}: {what}", path.display()))?;
                if let Err(problem) = self.add(row) {
                    // It stays where it is until there is space.
                    self.complain(problem);
                    return Ok(());
                }
                self.arrays[at].open.remove(&index);
                // If it stays, it is found again and not added again.
                let _ = std::fs::remove_file(path);
            }
        }
        for array in self.arrays.extract_if(.., |array| array.open.is_empty()) {
            // An element that is not waited for may be writing there.
            let _ = std::fs::remove_dir_all(array.folder);
        }
        Ok(())
    }

    fn add(&mut self, row: Row) -> Result<(), String> {
        if self.results.has(&row.preset, &row.task) {
            return Ok(());
        }
        let Row { preset, task, verdict, wall, .. } = &row;
        let line = format!("{preset}  {task}  {verdict}  {wall:.2} s");
        self.results.add(row)?;
        self.done += 1;
        if !self.args.quiet {
            note(&format!("{}/{}  {line}", self.done, self.count.max(self.done)));
        }
        Ok(())
    }

    /// Asks the scheduler about elements without a result, and gives up those that will have none.
    fn ask(&mut self) {
        for at in 0..self.arrays.len() {
            match slurm::states(&self.arrays[at].name) {
                Ok(states) => {
                    // What ended before it was asked has its result on the disk by now, as far as ours shows it.
                    let folder = self.arrays[at].folder.clone();
                    let open: Vec<usize> = self.arrays[at].open.keys().copied().collect();
                    for index in open.into_iter().filter(|&index| !result_file(&folder, index).exists()) {
                        self.judge(at, index, states.get(&index));
                    }
                }
                Err(problem) => self.complain(format!("{problem}; what runs goes on, and is asked for again")),
            }
        }
    }

    fn judge(&mut self, at: usize, index: usize, state: Option<&State>) {
        let array = &mut self.arrays[at];
        let since = *array.silent.entry(index).or_insert_with(Instant::now);
        let lost = match state {
            Some(State::Active) => {
                array.silent.remove(&index);
                return;
            }
            Some(State::Ended) | None if since.elapsed() < SETTLE => return,
            Some(State::Ended) => "it ended without a result",
            None => "the scheduler does not know it",
            Some(State::Lost(word) | State::OverLimit(word)) => word.as_str(),
        };
        let Some(run) = array.open.remove(&index) else { return };
        let said = last_line(&array.folder.join(format!("{index}.log")));
        let reason = if said.is_empty() { lost.to_owned() } else { format!("{lost}: {said}") };
        let subject = format!("{}  {}", run.preset, run.task.name);
        if let Some(State::OverLimit(word)) = state {
            if let Err(problem) = self.add(run.killed(word)) {
                self.complain(problem);
                self.arrays[at].open.insert(index, run);
            }
            return;
        }
        let attempts = self.attempts.entry(run.key()).or_insert(0);
        *attempts += 1;
        if *attempts < ATTEMPTS {
            note(&format!("{subject}  is tried again: {reason}"));
            self.waiting.push_back(run);
        } else {
            note(&format!("{subject}  has no result after {ATTEMPTS} attempts: {reason}"));
        }
    }

    /// Hands the next runs to the scheduler. Says whether it took them: a cluster that never did is an error, one that
    /// does not answer now may do so later.
    fn submit(&mut self, largest: usize) -> Result<bool, String> {
        let first = self.done == 0 && self.arrays.is_empty() && self.attempts.is_empty();
        let name = unique_name();
        let folder = self.folder.join(&name);
        let runs: Vec<PlannedRun> = self.waiting.iter().take(largest).cloned().collect();
        let plan = Plan { limits: self.limits.clone(), runs };
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let seconds = (self.limits.time + GRACE + PATIENCE * 2).as_secs_f64();
        let order = Order {
            name: &name,
            count: plan.runs.len(),
            at_a_time: self.args.jobs,
            minutes: (seconds / 60.0).ceil() as u64,
            memory: self.limits.memory.unwrap_or(0).saturating_add(RESERVE),
            processors: self.limits.threads.unwrap_or(1),
            folder: &folder,
            command: &[&program, Path::new(ELEMENT), &folder],
        };
        let made = std::fs::create_dir_all(&folder);
        let made = made.map_err(|error| format!("{}: cannot be made ({error})", folder.display()));
        if let Err(problem) = made.and_then(|()| plan.write(&folder)).and_then(|()| slurm::submit(&order)) {
            // Without its plan an element that was submitted all the same ends at once.
            let _ = std::fs::remove_dir_all(&folder);
            if first {
                return Err(problem);
            }
            // The next try has another name, but the same problem.
            self.complain(problem.replace(&format!("{name}/"), ""));
            return Ok(false);
        }
        self.waiting.drain(..plan.runs.len());
        let open = plan.runs.into_iter().enumerate().collect();
        self.arrays.push(Array { name, folder, open, silent: HashMap::new() });
        Ok(true)
    }

    /// Ends what is under way and keeps what is done.
    fn cancel(&mut self) -> Result<(), String> {
        let mut left = HashSet::new();
        for Array { name, .. } in &self.arrays {
            if let Err(problem) = slurm::cancel(name) {
                note(&format!("argonaut: {problem}; the next call takes {name} over"));
                left.insert(name.clone());
            }
        }
        self.collect()?;
        for array in self.arrays.iter().filter(|array| !left.contains(&array.name)) {
            // What it holds is not done; an element that is about to end may write there just now.
            let _ = std::fs::remove_dir_all(&array.folder);
        }
        Ok(())
    }

    /// Says a thing once, not every few seconds.
    fn complain(&mut self, complaint: String) {
        if self.complaint != complaint {
            note(&format!("argonaut: {complaint}"));
            self.complaint = complaint;
        }
    }
}

impl PlannedRun {
    fn key(&self) -> (String, String) {
        (self.preset.clone(), self.task.name.clone())
    }

    /// The result of a run that the scheduler ended; it did not say how long it took.
    fn killed(&self, word: &str) -> Row {
        Row {
            preset: self.preset.clone(),
            category: self.task.category.clone(),
            task: self.task.name.clone(),
            expected: self.task.expected,
            verdict: "unknown".to_owned(),
            cpu: 0.0,
            wall: 0.0,
            reason: format!("killed by the scheduler: {word}"),
            counters: Vec::new(),
        }
    }
}

/// A name that no other array has, also not one of another folder or time.
fn unique_name() -> String {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("argonaut-{:x}-{:x}", time.as_micros(), std::process::id())
}

fn last_line(path: &Path) -> String {
    let text = std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("").to_owned()
}

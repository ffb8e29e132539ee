//! One run of a benchmark: `verify` as a process of its own, with its processor time.

use super::list::Task;
use super::results::Row;
use crate::args::BenchArgs;
use crate::supervise::ENDS_WITH_INPUT;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a run is looked at.
const TICK: Duration = Duration::from_millis(10);
/// How much longer than its limit a run may take before it is killed.
pub const GRACE: Duration = Duration::from_secs(10);

/// What every run may use.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Limits {
    pub time: Duration,
    /// Bytes.
    pub memory: Option<u64>,
    pub threads: Option<usize>,
}

impl Limits {
    pub fn new(args: &BenchArgs) -> Limits {
        Limits { time: args.time_limit, memory: args.memory_limit, threads: args.threads }
    }

    /// As results write them.
    pub fn cells(&self) -> [String; 2] {
        let memory = self.memory.map_or(String::new(), |bytes| bytes.to_string());
        [format!("{}s", self.time.as_secs_f64()), memory]
    }
}

/// Runs a preset on a task. `None`: it was interrupted.
pub fn run(limits: &Limits, preset: &str, task: &Task, stopped: &AtomicBool) -> Result<Option<Row>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["verify", "--quiet", "--no-store", "--analysis", preset]);
    command.args(["--time-limit", &format!("{}s", limits.time.as_secs_f64())]);
    if let Some(bytes) = limits.memory {
        command.args(["--memory-limit", &bytes.to_string()]);
    }
    if let Some(threads) = limits.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    // It ends when this process does, see `supervise`.
    command.args(&task.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env(ENDS_WITH_INPUT, "yes");
    // Ctrl-C is for us: a run that was stopped half-way has no result.
    command.process_group(0);
    let start = Instant::now();
    let mut child =
        command.spawn().map_err(|error| format!("internal error: the run could not be started: {error}"))?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let end = start + limits.time + GRACE;
    let mut killed = false;
    // A process that ended keeps its times until it is waited for.
    let cpu = loop {
        let seen = Seen::new(&child);
        match seen {
            Some(seen) if !seen.ended => {}
            seen => break seen.map_or(0.0, |seen| seen.cpu),
        }
        let interrupted = stopped.load(Ordering::Relaxed);
        if interrupted || Instant::now() > end {
            killed = true;
            // It may have ended just now.
            let _ = child.kill();
        }
        if interrupted {
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(TICK);
    };
    let wall = start.elapsed().as_secs_f64();
    let status = child.wait().map_err(|error| error.to_string())?;
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (out, err) = (text(out), text(err));
    let (verdict, reason) = match out.lines().last().and_then(|line| line.strip_prefix("Verdict: ")) {
        Some(word) if word.starts_with("TRUE") => ("true", String::new()),
        Some(word) if word.starts_with("FALSE") => ("false", String::new()),
        Some(word) => ("unknown", word.trim_start_matches("UNKNOWN (").trim_end_matches(')').to_owned()),
        None if killed => ("unknown", "killed, since it did not end in time".to_owned()),
        None => ("error", err.lines().next().map_or_else(|| status.to_string(), str::to_owned)),
    };
    Ok(Some(Row {
        preset: preset.to_owned(),
        category: task.category.clone(),
        task: task.name.clone(),
        expected: task.expected,
        verdict: verdict.to_owned(),
        cpu,
        wall,
        reason,
    }))
}

/// Reads a pipe to its end, so that the writer does not block.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// What the system says about a process that has not been waited for yet.
struct Seen {
    ended: bool,
    /// Seconds of its own and of the children that it waited for.
    cpu: f64,
}

impl Seen {
    fn new(child: &Child) -> Option<Seen> {
        /// Ticks a second: the same on all Linux systems that Argonaut runs on.
        const TICKS: f64 = 100.0;
        let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
        // The name in parentheses may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11..15)?.iter().filter_map(|field| field.parse::<f64>().ok()).sum::<f64>();
        Some(Seen { ended: matches!(*fields.first()?, "Z" | "X"), cpu: ticks / TICKS })
    }
}

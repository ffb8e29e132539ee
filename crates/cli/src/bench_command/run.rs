//! One run of a benchmark: `verify` as a process of its own, with its processor time and what it counted.

use super::configuration::Configuration;
use super::list::Task;
use super::results::Row;
use crate::supervise::ENDS_WITH_INPUT;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a run is looked at.
const TICK: Duration = Duration::from_millis(10);
/// How much longer than its limit a run may take before it is killed.
pub const GRACE: Duration = Duration::from_secs(10);

/// Why a run has no verdict that used too much processor time.
pub const OUT_OF_CPU: &str = "processor time limit reached";

/// What every run may use, and what is kept of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Limits {
    pub time: Duration,
    /// Of the processor.
    pub cpu: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
    pub threads: Option<usize>,
    /// The names of counters and phases of the analysis that results keep.
    pub counters: Vec<String>,
}

impl Limits {
    /// As results write them.
    pub fn cells(&self) -> [String; 3] {
        let seconds = |time: Duration| format!("{}s", time.as_secs_f64());
        let memory = self.memory.map_or(String::new(), |bytes| bytes.to_string());
        [seconds(self.time), self.cpu.map_or(String::new(), seconds), memory]
    }
}

/// Runs a preset, perhaps with options set, on a task. `None`: it was interrupted.
pub fn run(limits: &Limits, preset: &str, task: &Task, stopped: &AtomicBool) -> Result<Option<Row>, String> {
    let start = Instant::now();
    let mut child = command(limits, Configuration::new(preset), task)?
        .spawn()
        .map_err(|error| format!("internal error: the run could not be started: {error}"))?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let Some((cpu, killed)) = watch(&mut child, limits, start, stopped) else {
        let _ = child.wait();
        return Ok(None);
    };
    let wall = start.elapsed().as_secs_f64();
    let status = child.wait().map_err(|error| error.to_string())?;
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (out, err) = (text(out), text(err));
    let said = if limits.counters.is_empty() { Said::in_text(&out) } else { Said::in_json(&out, &limits.counters) };
    let said = said.unwrap_or_else(|| match killed {
        Some(why) => Said::nothing("unknown", why),
        None => Said::nothing("error", &err.lines().next().map_or_else(|| status.to_string(), str::to_owned)),
    });
    Ok(Some(Row {
        preset: preset.to_owned(),
        category: task.category.clone(),
        task: task.name.clone(),
        expected: task.expected,
        verdict: said.verdict.to_owned(),
        cpu,
        wall,
        reason: said.reason,
        counters: said.counters,
    }))
}

fn command(limits: &Limits, configuration: Configuration, task: &Task) -> Result<Command, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["verify", "--quiet", "--no-store", "--analysis", configuration.preset]);
    command.args(["--time-limit", &format!("{}s", limits.time.as_secs_f64())]);
    for setting in configuration.settings() {
        command.args(["--set", setting]);
    }
    if let Some(bytes) = limits.memory {
        command.args(["--memory-limit", &bytes.to_string()]);
    }
    if let Some(threads) = limits.threads {
        command.args(["--threads", &threads.to_string()]);
    }
    if !limits.counters.is_empty() {
        command.args(["--format", "json"]);
    }
    // It ends when this process does, see `supervise`.
    command.args(&task.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env(ENDS_WITH_INPUT, "yes");
    // Ctrl-C is for us: a run that was stopped half-way has no result.
    command.process_group(0);
    Ok(command)
}

/// Waits for the end of a run: its processor time, and why it was killed, if it was. `None`: it was interrupted.
fn watch(
    child: &mut Child,
    limits: &Limits,
    start: Instant,
    stopped: &AtomicBool,
) -> Option<(f64, Option<&'static str>)> {
    let end = start + limits.time + GRACE;
    let (mut cpu, mut killed) = (0.0, None);
    loop {
        // A process that ended keeps its times until it is waited for.
        match Seen::new(child.id()) {
            Some(seen) if !seen.ended => cpu = seen.cpu_of_all(child.id()).max(cpu),
            seen => return Some((seen.map_or(0.0, |seen| seen.cpu).max(cpu), killed)),
        }
        let over = limits.cpu.is_some_and(|limit| cpu > limit.as_secs_f64());
        let interrupted = stopped.load(Ordering::Relaxed);
        if interrupted || over || Instant::now() > end {
            killed = Some(if over { OUT_OF_CPU } else { "killed, since it did not end in time" });
            // It may have ended just now.
            let _ = child.kill();
        }
        if interrupted {
            return None;
        }
        std::thread::sleep(TICK);
    }
}

/// What a run says about itself.
struct Said {
    verdict: &'static str,
    reason: String,
    counters: Vec<String>,
}

impl Said {
    fn nothing(verdict: &'static str, reason: &str) -> Said {
        Said { verdict, reason: reason.to_owned(), counters: Vec::new() }
    }

    /// The last line of the answer for people.
    fn in_text(out: &str) -> Option<Said> {
        let words = out.lines().last()?.strip_prefix("Verdict: ")?;
        Some(match words {
            words if words.starts_with("TRUE") => Said::nothing("true", ""),
            words if words.starts_with("FALSE") => Said::nothing("false", ""),
            words => Said::nothing("unknown", words.trim_start_matches("UNKNOWN (").trim_end_matches(')')),
        })
    }

    /// The answer for programs, with what was counted.
    fn in_json(out: &str, names: &[String]) -> Option<Said> {
        let document: Value = serde_json::from_str(out).ok()?;
        let verdict = match document["verdict"].as_str()? {
            "TRUE" => "true",
            "FALSE" => "false",
            "UNKNOWN" => "unknown",
            _ => "error",
        };
        let number = |name: &String| {
            let found = ["counters", "times"].into_iter().find_map(|of| document[of].get(name));
            found.map_or(String::new(), Value::to_string)
        };
        let reason = document["reason"].as_str().unwrap_or("").to_owned();
        Some(Said { verdict, reason, counters: names.iter().map(number).collect() })
    }
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
    fn new(process: u32) -> Option<Seen> {
        /// Ticks a second: the same on all Linux systems that Argonaut runs on.
        const TICKS: f64 = 100.0;
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name in parentheses may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11..15)?.iter().filter_map(|field| field.parse::<f64>().ok()).sum::<f64>();
        Some(Seen { ended: matches!(*fields.first()?, "Z" | "X"), cpu: ticks / TICKS })
    }

    /// With what its children and theirs have used so far.
    fn cpu_of_all(&self, process: u32) -> f64 {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let children = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        let children: Vec<u32> = children
            .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
            .collect();
        let of = |child: u32| Seen::new(child).map_or(0.0, |seen| seen.cpu_of_all(child));
        self.cpu + children.into_iter().map(of).sum::<f64>()
    }
}

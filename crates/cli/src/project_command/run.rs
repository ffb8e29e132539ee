//! One function: `verify --function` as a process of its own, whose answer is a JSON document.

use super::Plan;
use super::results::{Checked, Record, Word};
use super::units::{Subject, Unit, file_name};
use crate::args::VerifyArgs;
use crate::batch::TaskResult;
use crate::supervise::ENDS_WITH_INPUT;
use serde_json::Value;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a run is looked at.
const TICK: Duration = Duration::from_millis(10);
/// How much longer than its limit a run may take before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The second look at a violated function takes at most this many times as long as the first.
const SECOND_LOOK: f64 = 3.0;
/// And at least this long.
const SHORTEST_LOOK: Duration = Duration::from_secs(1);

/// Where the harnesses of findings are: C files that are not part of the project.
pub fn harnesses(out: &Path) -> PathBuf {
    out.join("harnesses")
}

/// Verifies a function: first as a whole, which is fastest, then, if something is violated, check by check. `None`: it was
/// interrupted.
pub fn run(plan: &Plan, unit: &Unit, subject: &Subject, stopped: &AtomicBool) -> Result<Option<Record>, String> {
    let start = Instant::now();
    let left = plan.end.map_or(plan.time, |end| end.saturating_duration_since(start).min(plan.time));
    let limit = left.max(Duration::from_millis(100));
    let mut words: Vec<OsString> = Vec::new();
    let mut report = None;
    if let Some(out) = plan.out {
        let stem = stem(subject);
        let page = format!("reports/{stem}.html");
        for folder in [out.join("reports"), harnesses(out)] {
            super::no_link(&folder)?;
            std::fs::create_dir_all(&folder)
                .map_err(|error| format!("{}: cannot be made ({error})", folder.display()))?;
        }
        let harness = harnesses(out).join(&stem);
        super::no_link(&harness)?;
        words.extend(["--report".into(), out.join(&page).into(), "--harness".into(), harness.into()]);
        report = Some(page);
    }
    let Some(ended) = command(plan, unit, subject, &words, limit, stopped)? else { return Ok(None) };
    let mut record = record(&ended, subject);
    if record.word == Word::Violated {
        let took = start.elapsed();
        let more = took.mul_f64(SECOND_LOOK).max(SHORTEST_LOOK).min(limit.saturating_sub(took));
        if more >= SHORTEST_LOOK {
            let words = ["--all-targets".into()];
            let Some(ended) = command(plan, unit, subject, &words, more, stopped)? else { return Ok(None) };
            let each = self::record(&ended, subject);
            if each.checks.iter().any(|check| check.word == Word::Violated) {
                record.checks = each.checks;
            }
        }
    }
    record.seconds = start.elapsed().as_secs_f64();
    record.limit = limit.as_secs_f64();
    record.report = report.filter(|page| plan.out.is_some_and(|out| out.join(page).is_file()));
    Ok(Some(record))
}

/// What a process left.
struct Ended {
    out: Vec<u8>,
    err: Vec<u8>,
    code: Option<i32>,
}

/// One process. `None`: it was interrupted.
fn command(
    plan: &Plan,
    unit: &Unit,
    subject: &Subject,
    words: &[OsString],
    time: Duration,
    stopped: &AtomicBool,
) -> Result<Option<Ended>, String> {
    let start = Instant::now();
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["verify", "--quiet", "--no-store", "--format", "json", "--threads", "1"]);
    command.args(&plan.words).args(["--time-limit", &format!("{}s", time.as_secs_f64())]);
    command.args(["--function", &subject.name]).args(unit.words()?).args(words);
    if let Some(bytes) = plan.memory {
        command.args(["--memory-limit", &bytes.to_string()]);
    }
    // After `--` no name is taken for an option.
    command.arg("--").args(&unit.files);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).env(ENDS_WITH_INPUT, "yes");
    // Ctrl-C is for us.
    command.process_group(0);
    let mut child =
        command.spawn().map_err(|error| format!("internal error: the run could not be started: {error}"))?;
    let (out, err) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let end = start + time + GRACE;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        let interrupted = stopped.load(Ordering::Relaxed);
        if interrupted || Instant::now() > end {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
        }
        if interrupted {
            return Ok(None);
        }
        std::thread::sleep(TICK);
    };
    let text = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Some(Ended { out: text(out), err: text(err), code: status.code() }))
}

/// The name of a function's report: files of one name in two folders differ by a digest.
fn stem(subject: &Subject) -> String {
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).take(80).collect()
    };
    let hash = driver::sha256(subject.file.as_bytes());
    let folder: String = hash[..3].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{folder}-{}", plain(&file_name(&subject.file)), plain(&subject.name))
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is all there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn record(ended: &Ended, subject: &Subject) -> Record {
    let document: Value = serde_json::from_slice(&ended.out).unwrap_or(Value::Null);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let texts = |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>();
    let word = match (document["verdict"].as_str(), ended.code) {
        (Some("TRUE"), Some(0)) => Word::Proved,
        (Some("FALSE"), Some(1)) => Word::Violated,
        (Some(_), Some(3)) => Word::Open,
        _ => Word::Failed,
    };
    let mut checks: Vec<Checked> = document["targets"].as_array().into_iter().flatten().map(checked).collect();
    if checks.is_empty() && word == Word::Violated {
        let violation = &document["violation"];
        let one = serde_json::json!({
            "location": violation["location"], "kind": violation["kind"], "verdict": "FALSE", "violation": violation,
        });
        checks.push(checked(&one));
    }
    let reason = match word {
        Word::Failed => {
            let said = String::from_utf8_lossy(&ended.err).lines().next().map(str::to_owned);
            document["reason"].as_str().map(str::to_owned).or(said)
        }
        _ => document["reason"].as_str().map(str::to_owned),
    };
    Record {
        digest: subject.digest.clone(),
        word,
        reason,
        seconds: 0.0,
        limit: 0.0,
        count: document["counters"]["checks"].as_u64().unwrap_or(0),
        checks,
        assumptions: texts(&document["assumptions"]),
        report: None,
    }
}

fn checked(target: &Value) -> Checked {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| value.as_u64().unwrap_or(0) as u32;
    let violation = &target["violation"];
    let arguments = violation["arguments"].as_array().into_iter().flatten();
    let arguments = arguments.map(|one| format!("{} = {}", text(&one["name"]), text(&one["value"])));
    let objects = violation["objects"].as_array().into_iter().flatten().map(text);
    let path = violation["path"].as_array();
    Checked {
        file: text(&target["location"]["file"]),
        line: number(&target["location"]["line"]),
        column: number(&target["location"]["column"]),
        inside: None,
        kind: target["kind"].as_str().unwrap_or("assertion").to_owned(),
        word: match target["verdict"].as_str() {
            Some("TRUE") => Word::Proved,
            Some("FALSE") => Word::Violated,
            _ => Word::Open,
        },
        message: match violation["message"].as_str() {
            Some(message) => message.to_owned(),
            None => text(&target["error"]),
        },
        source: path.and_then(|path| path.last()).map(|step| text(&step["source"])).unwrap_or_default(),
        arguments: arguments.chain(objects).collect(),
    }
}

/// The same command for one of the functions.
pub fn same_command(args: &VerifyArgs, function: &str) -> Result<TaskResult, String> {
    let mut words: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    words.retain(|word| word != "--each-function");
    // Before the files, which may stand after `--`.
    words.splice(1..1, ["--function".into(), function.into()]);
    crate::batch::run(args.format, words, Path::new(function))
}

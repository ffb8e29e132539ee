//! `verify` runs in a process of its own, which this module watches: whatever happens to the worker (time, memory,
//! a crash in a solver, Ctrl-C), exactly one verdict is printed, in time.
//!
//! The worker is the same program with the same arguments and [`WORKER`] in its environment. Its standard output is
//! kept until it ends, so that nothing partial is ever shown; its standard error carries messages for the user. Its
//! standard input is a line of its own to us: there it tells which presets start, and that the answer is complete,
//! whereupon we end it, since parts that were not needed may still run. When we die, the line is cut and the worker ends
//! as well; so do the children of both, see `driver::children`.

use crate::limits::{default_memory, margin};
use crate::progress::Progress;
use base::Stopped;
use base::printable;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Set in the worker's environment: the seconds it has, or `none`.
pub const WORKER: &str = "ARGONAUT_WORKER";
/// Set in the worker's environment: the part of a sequence after which it starts.
pub const AFTER: &str = "ARGONAUT_AFTER";
/// Set in the worker's environment if its progress is displayed.
pub const WATCHED: &str = "ARGONAUT_WATCHED";
/// Set in the environment of a command whose standard input closes when its answer is no longer wanted.
pub const ENDS_WITH_INPUT: &str = "ARGONAUT_ENDS_WITH_INPUT";
/// The copy of our standard input, for workers, whose own is a line to us.
static INPUT: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();

/// Makes what standard input holds known to workers by this file.
pub fn pass_input(copy: std::path::PathBuf) {
    // There is one standard input.
    let _ = INPUT.set(copy);
}

/// Starts a message to the supervisor, see [`start_note`].
const NOTE: char = '\u{1}';
/// The same for where the preset is, see [`live_note`].
const LIVE: char = '\u{2}';
/// The same for the exit status of a complete answer, see [`done_note`].
const DONE: char = '\u{3}';
/// The same for a preset that gave up, see [`gave_up_note`].
const GAVE_UP: char = '\u{4}';

/// How often memory is looked at.
const TICK: Duration = Duration::from_millis(25);
/// How much longer than its slice a part of a sequence may take before the next one gets its turn.
const GRACE: f64 = 1.1;
/// How long children of a worker that was killed may take to end by themselves.
const SETTLING: Duration = Duration::from_secs(3);

/// What the worker writes when a preset starts that has this much time.
pub fn start_note(preset: &str, time: Option<Duration>) -> String {
    format!("{NOTE}{preset} {}", time.map_or("none".to_owned(), |time| time.as_secs_f64().to_string()))
}

/// What the worker writes while a preset runs.
pub fn live_note(text: &str) -> String {
    format!("{LIVE}{}", printable(text))
}

/// What the worker writes when all output is written: the exit status.
pub fn done_note(code: u8) -> String {
    format!("{DONE}{code}")
}

/// What the worker writes when a preset gave up, so that it is known whatever happens to the worker.
pub fn gave_up_note(preset: &str, seconds: f64, reason: &str) -> String {
    format!("{GAVE_UP}{preset} {seconds} {}", printable(reason))
}

/// Tells the supervisor.
pub fn tell(note: &str) {
    driver::children::tell(note);
}

/// The process that was supervised last. We do not wait for the system to reclaim its memory.
static LAST: AtomicU32 = AtomicU32::new(0);

/// After the answer: whatever the worker had started ends.
pub fn settle() {
    driver::children::settle(LAST.load(Ordering::Relaxed), SETTLING);
}

/// The preset that is running, when it should have ended, and where it is.
struct Part {
    name: String,
    start: Instant,
    end: Option<Instant>,
    live: String,
}

impl Part {
    /// Reads a [`start_note`] without its first character.
    fn parse(note: &str) -> Part {
        let (name, seconds) = note.split_once(' ').unwrap_or((note, ""));
        let time =
            seconds.parse().ok().and_then(|seconds: f64| Duration::try_from_secs_f64(seconds * GRACE + 1.0).ok());
        let end = time.and_then(|time| Instant::now().checked_add(time));
        Part { name: name.to_owned(), start: Instant::now(), end, live: String::new() }
    }

    /// It was running when all ended.
    fn end_by(&self, reason: &str) -> PartEnd {
        let where_it_was = if self.live.is_empty() { String::new() } else { format!(", at {}", self.live) };
        let seconds = self.start.elapsed().as_secs_f64();
        PartEnd { preset: self.name.clone(), seconds, reason: format!("{reason}{where_it_was}") }
    }
}

/// What the user allows.
pub struct Limits {
    /// From the start of this process.
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
}

/// How a supervised run ended.
pub enum Ending {
    /// The worker answered: its standard output and exit status.
    Answer(Vec<u8>, u8),
    /// It did not; the reason is for the user, and what was tried.
    NoAnswer(String, Vec<PartEnd>),
}

/// A preset that gave up, or was ended.
#[derive(Clone, PartialEq, Debug)]
pub struct PartEnd {
    pub preset: String,
    pub seconds: f64,
    pub reason: String,
}

impl PartEnd {
    /// Reads a [`gave_up_note`] without its first character.
    fn parse(note: &str) -> Option<PartEnd> {
        let (preset, rest) = note.split_once(' ')?;
        let (seconds, reason) = rest.split_once(' ')?;
        Some(PartEnd { preset: preset.to_owned(), seconds: seconds.parse().ok()?, reason: reason.to_owned() })
    }
}

/// What the threads around a worker tell; the number says which worker, since one may outlive its time.
enum Message {
    Output(u32, Vec<u8>),
    Start(u32, Part),
    Live(u32, String),
    Done(u32, u8),
    /// Of whichever worker.
    GaveUp(PartEnd),
    Stopped,
}

/// Runs this very command as a worker within `limits`. `progress` shows what goes on. If the preset is a sequence of
/// `parts`, and one of them takes the process with it or does not end in its time, the later ones still have their
/// chance: a new worker starts after it.
pub fn supervise(
    limits: &Limits,
    parts: &[String],
    start: Instant,
    progress: &mut Progress,
) -> Result<Ending, std::io::Error> {
    let (sender, receiver) = channel();
    let on_signal = sender.clone();
    // A second handler cannot be set; then Ctrl-C ends us the hard way, and the worker notices.
    let _ = ctrlc::set_handler(move || drop(on_signal.send(Message::Stopped)));
    if std::env::var_os(ENDS_WITH_INPUT).is_some() {
        end_with_supervisor();
    }
    driver::children::adopt();
    let margin = limits.time.map(margin);
    let soft = limits.time.zip(margin).map(|(limit, margin)| start + limit - margin);
    let hard = limits.time.zip(margin).map(|(limit, margin)| start + limit - margin / 2);
    let memory = limits.memory.or_else(default_memory);
    let mut after: Option<String> = None;
    let mut ended: Vec<PartEnd> = Vec::new();
    for number in 0.. {
        let mut worker = Worker::start(number, soft, after.as_deref(), progress.is_shown(), &sender)?;
        let mut part = None;
        let watched = worker.watch(
            &receiver,
            &Bounds { hard, memory, has_parts: !parts.is_empty() },
            &mut part,
            &mut ended,
            progress,
        );
        let (reason, may_go_on) = match watched {
            Watched::Answer(ending) => return Ok(ending),
            Watched::Died(reason) => (reason, true),
            Watched::Limit(limit) => (limit.to_string(), limit == Stopped::Memory),
            Watched::Overrun => (Stopped::Time.to_string(), true),
        };
        // The verdict comes first: we only wait for the system to reclaim the worker's memory if another one needs it.
        let _ = worker.child.kill();
        ended.extend(part.as_ref().map(|part| part.end_by(&reason)));
        let time_left = soft.is_none_or(|soft| Instant::now() < soft);
        let at = part.as_ref().and_then(|part| parts.iter().position(|name| *name == part.name));
        let more = at.is_some_and(|at| at + 1 < parts.len());
        if !may_go_on || !time_left || !more {
            return Ok(Ending::NoAnswer(reason, ended));
        }
        let _ = worker.child.wait();
        after = part.map(|part| part.name);
    }
    unreachable!("a sequence has fewer parts than there are numbers")
}

/// What a worker must keep to.
struct Bounds {
    hard: Option<Instant>,
    memory: Option<u64>,
    /// Whether the parts of a sequence keep to their slices matters.
    has_parts: bool,
}

enum Watched {
    Answer(Ending),
    Died(String),
    Limit(Stopped),
    Overrun,
}

struct Worker {
    number: u32,
    child: Child,
    errors: Option<std::thread::JoinHandle<String>>,
    notes: Option<std::thread::JoinHandle<()>>,
    /// Cut when we end.
    _line: UnixStream,
}

impl Worker {
    fn start(
        number: u32,
        soft: Option<Instant>,
        after: Option<&str>,
        watched: bool,
        sender: &Sender<Message>,
    ) -> Result<Worker, std::io::Error> {
        let left = soft.map(|soft| soft.saturating_duration_since(Instant::now()).as_secs_f64());
        let mut command = Command::new(std::env::current_exe()?);
        command.args(std::env::args_os().skip(1));
        command.env(WORKER, left.map_or("none".to_owned(), |left| left.to_string()));
        command.env_remove(AFTER).envs(after.map(|after| (AFTER, after)));
        command.env_remove(WATCHED).envs(watched.then_some((WATCHED, "yes")));
        command.env_remove(ENDS_WITH_INPUT);
        command.envs(INPUT.get().map(|copy| (driver::INPUT_COPY, copy)));
        let (line, theirs) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C at the terminal goes to the foreground group: to us alone.
        command.process_group(0);
        let mut child = command.spawn()?;
        // It keeps the worker's end of the line open.
        drop(command);
        LAST.store(child.id(), Ordering::Relaxed);
        let mut output = child.stdout.take().expect("piped above");
        let done = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // An error means that the worker died: what was read so far decides nothing then.
            let _ = output.read_to_end(&mut bytes);
            drop(done.send(Message::Output(number, bytes)));
        });
        let errors = child.stderr.take().expect("piped above");
        let errors = std::thread::spawn(move || pass_errors(BufReader::new(errors)));
        let (heard, told) = (line.try_clone()?, sender.clone());
        let notes = std::thread::spawn(move || pass_notes(BufReader::new(heard), number, &told));
        Ok(Worker { number, child, errors: Some(errors), notes: Some(notes), _line: line })
    }

    fn watch(
        &mut self,
        receiver: &Receiver<Message>,
        bounds: &Bounds,
        part: &mut Option<Part>,
        ended: &mut Vec<PartEnd>,
        progress: &mut Progress,
    ) -> Watched {
        let mut answered = None;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Message::Output(number, bytes)) if number == self.number => {
                    let status = self.child.wait();
                    let errors = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
                    let _ = self.notes.take().map(|notes| notes.join());
                    progress.clear();
                    // All notes are there now, but this may have come before them.
                    for message in receiver.try_iter() {
                        match message {
                            Message::Done(number, code) if number == self.number => answered = Some(code),
                            _ => {}
                        }
                    }
                    return match (answered, status) {
                        (Some(code), _) => Watched::Answer(Ending::Answer(bytes, code)),
                        (None, Ok(status)) => judge(bytes, status, &errors),
                        (None, Err(error)) => Watched::Died(format!("internal error: {error}")),
                    };
                }
                Ok(Message::Start(number, next)) if number == self.number => *part = Some(next),
                Ok(Message::Live(number, text)) if number == self.number => {
                    if let Some(part) = part {
                        part.live = text;
                    }
                }
                Ok(Message::Done(number, code)) if number == self.number => {
                    answered = Some(code);
                    // What was written stays in the pipe.
                    let _ = self.child.kill();
                }
                Ok(Message::GaveUp(end)) => ended.push(end),
                Ok(Message::Output(..) | Message::Start(..) | Message::Live(..) | Message::Done(..)) => {}
                Ok(Message::Stopped) => return Watched::Limit(Stopped::Asked),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            let passed = |end: Option<Instant>| end.is_some_and(|end| Instant::now() >= end);
            if passed(bounds.hard) {
                return Watched::Limit(Stopped::Time);
            }
            if bounds.has_parts && passed(part.as_ref().and_then(|part| part.end)) {
                return Watched::Overrun;
            }
            let resident = resident_bytes(self.child.id());
            if resident.zip(bounds.memory).is_some_and(|(now, limit)| now > limit) {
                return Watched::Limit(Stopped::Memory);
            }
            progress.show(part.as_ref().map(|part| (part.name.as_str(), part.live.as_str())), resident);
        }
    }
}

/// An answer has a known exit status; everything else is a crash.
fn judge(output: Vec<u8>, status: ExitStatus, errors: &str) -> Watched {
    if let Some(code @ 0..=3) = status.code() {
        return Watched::Answer(Ending::Answer(output, code as u8));
    }
    let out_of_memory = OUT_OF_MEMORY.iter().any(|words| errors.contains(words));
    Watched::Died(match (status.signal(), status.code()) {
        _ if out_of_memory => Stopped::Memory.to_string(),
        _ if errors.contains("overflowed its stack") => "internal error: stack overflow".into(),
        (Some(9), _) => "internal error: the worker was killed, perhaps for lack of memory".into(),
        (Some(signal), _) => format!("internal error: the worker died of signal {signal}"),
        (None, code) => format!("internal error: the worker ended with status {}", code.unwrap_or(-1)),
    })
}

/// What runtimes print that die for lack of memory: Rust's, C++'s, and those of libraries in C.
const OUT_OF_MEMORY: [&str; 5] =
    ["memory allocation of", "bad_alloc", "Cannot allocate memory", "out of memory", "failed to spawn thread"];

/// Hands the worker's messages through; what dying runtimes print is kept for [`judge`] instead.
fn pass_errors(lines: impl BufRead) -> String {
    let mut kept = String::new();
    for line in lines.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        let starts = ["memory allocation of", "fatal runtime error", "terminate called", "  what():", "GNU MP: "];
        let dying = starts.iter().any(|words| line.starts_with(words))
            || line.starts_with("thread '") && line.contains("has overflowed its stack");
        if dying {
            kept.push_str(&line);
        } else if !line.is_empty() {
            // Our standard error may be closed; that is not a reason to stop.
            let _ = writeln!(std::io::stderr(), "{}", printable(&line));
        }
    }
    kept
}

/// Hands on what the worker tells by its own line.
fn pass_notes(lines: impl BufRead, number: u32, told: &Sender<Message>) {
    for line in lines.split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        let message = match line.chars().next() {
            Some(NOTE) => Message::Start(number, Part::parse(&line[1..])),
            Some(LIVE) => Message::Live(number, line[1..].to_owned()),
            Some(GAVE_UP) => match PartEnd::parse(&line[1..]) {
                Some(end) => Message::GaveUp(end),
                None => continue,
            },
            Some(DONE) => match line[1..].parse() {
                Ok(code) => Message::Done(number, code),
                Err(_) => continue,
            },
            Some(_) | None => continue,
        };
        drop(told.send(message));
    }
}

/// What a command of ours leaves behind, which ends with this process.
pub fn output_of(mut command: Command) -> std::io::Result<std::process::Output> {
    let (line, theirs) = UnixStream::pair()?;
    command.stdin(OwnedFd::from(theirs)).env(ENDS_WITH_INPUT, "yes");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn()?;
    drop(command);
    let output = child.wait_with_output();
    drop(line);
    output
}

/// Ends this process when standard input closes: then the supervisor is gone.
pub fn end_with_supervisor() {
    std::thread::spawn(|| {
        let mut byte = [0];
        while matches!(std::io::stdin().read(&mut byte), Ok(1)) {}
        // What this process started has lines of its own, which are cut now.
        std::process::exit(3);
    });
}

/// Resident memory of a process and nothing else; `None` if the system does not tell.
fn resident_bytes(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

//! Programs that a run starts: the compiler, and programs that `--confirm` executes. All go through here, so that all
//! end with the run, keep to limits and get an environment that is a list.
//!
//! The command starts itself as a launcher (`launcher`), which watches the program from a process of its own. A
//! program that uses this crate as a library has no launcher: then the child is started directly, in a process group.

mod calls;
mod isolation;
mod launcher;

pub use launcher::{LAUNCHER, adopt, launch, settle};

use nix::sys::signal::{SigSet, Signal};
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The program that [`launch`]es.
static LAUNCH_BY: OnceLock<PathBuf> = OnceLock::new();
/// Bytes that a child may use.
static MOST_MEMORY: OnceLock<u64> = OnceLock::new();

/// From now on children start by this program, which passes the words after [`LAUNCHER`] to [`launch`].
pub fn launch_by(program: PathBuf) {
    // Who comes first decides; there is one launcher.
    let _ = LAUNCH_BY.set(program);
}

/// A file that grows beyond the system's limit should be an error and not the end of this process. To be called before
/// there is a second thread.
pub fn withstand_file_limits() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // Where that fails, the limit ends the worker, which its supervisor tells.
    let _ = signals.thread_block();
}

/// The program that launches, if there is one.
pub fn launcher_program() -> Option<&'static Path> {
    LAUNCH_BY.get().map(PathBuf::as_path)
}

/// From now on no child gets more memory than this.
pub fn limit_memory(bytes: u64) {
    // A run has one limit.
    let _ = MOST_MEMORY.set(bytes);
}

/// The most memory that a child gets, if there is a limit.
pub fn most_memory() -> Option<u64> {
    MOST_MEMORY.get().copied()
}

/// The word by which a command knows that it keeps a private folder.
pub const KEEPER: &str = "__keep";

/// What the environment of a child holds of ours. Everything else, such as variables that give compilers more options,
/// stays away.
const KEPT: [&str; 3] = ["HOME", "TMPDIR", "TZ"];

/// After a child has ended, its output is there, or lost.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What a child must keep to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ChildLimits {
    /// Bytes of address space of every process.
    pub memory: Option<u64>,
    /// Bytes of memory that all its processes use together.
    pub resident: Option<u64>,
    /// Bytes of every file it writes.
    pub file_size: Option<u64>,
    /// How many processes there may be. The system does not count those of its administrator.
    pub processes: Option<u64>,
}

/// The folders of a list in our environment. A relative one, or an empty one, would let the folder at hand choose the
/// program or its libraries.
fn absolute_folders(name: &str) -> Option<OsString> {
    let list = std::env::var_os(name)?;
    let folders = std::env::split_paths(&list).filter(|folder| folder.is_absolute());
    std::env::join_paths(folders).ok().filter(|folders| !folders.is_empty())
}

/// What the launcher has to know.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Order {
    bounds: ChildLimits,
    /// What the program reads from standard input,
    input: String,
    /// or the file that holds it.
    input_file: Option<PathBuf>,
    /// The one folder that it may write to, without a network.
    alone: Option<PathBuf>,
    /// Whether it is a program under test, which needs no rights of the user but to read.
    tested: bool,
}

/// A program to run, with all that it gets.
#[derive(Clone, Debug)]
pub struct ChildProgram {
    program: OsString,
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    order: Order,
    environment: Vec<(OsString, OsString)>,
    time: Option<Duration>,
    most_output: usize,
    silent: bool,
}

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChildEnd {
    /// With this exit status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It took too long and was killed.
    Time,
    /// It wrote too much and was killed.
    Output,
    /// It used too much memory and was killed.
    Memory,
    /// It was killed together with its launcher.
    Lost,
}

impl std::fmt::Display for ChildEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChildEnd::Exit(status) => write!(f, "exit status {status}"),
            ChildEnd::Signal(signal) => write!(f, "signal {signal}"),
            ChildEnd::Time => f.write_str("it took too long"),
            ChildEnd::Output => f.write_str("it wrote too much"),
            ChildEnd::Memory => f.write_str("it used too much memory"),
            ChildEnd::Lost => f.write_str("it was killed"),
        }
    }
}

/// What a child left behind.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How it ended.
    pub end: ChildEnd,
    /// Standard output.
    pub out: Vec<u8>,
    /// The first and the last half megabyte of standard error.
    pub err: Vec<u8>,
    /// Of what [`ChildProgram::alone`] asks for, what the system did not grant.
    pub not_isolated: Vec<String>,
}

impl ChildProgram {
    /// The program of this name, in a folder that PATH names.
    pub fn new(program: impl AsRef<OsStr>) -> ChildProgram {
        let kept = KEPT.iter().filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)));
        let libraries = absolute_folders("LD_LIBRARY_PATH").map(|folders| ("LD_LIBRARY_PATH".into(), folders));
        let path = absolute_folders("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let fixed = [("PATH".into(), path), ("LC_ALL".into(), "C".into())].into_iter().chain(libraries);
        ChildProgram {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            folder: None,
            order: Order::default(),
            environment: kept.chain(fixed).collect(),
            time: None,
            most_output: 1 << 30,
            silent: false,
        }
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> ChildProgram {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// What it reads from standard input: a few words, since they travel on a command line.
    pub fn input(mut self, text: String) -> ChildProgram {
        assert!(text.len() < 64 << 10, "long input belongs into a file");
        self.order.input = text;
        self
    }

    /// The file that it reads as standard input.
    pub fn input_file(mut self, file: PathBuf) -> ChildProgram {
        self.order.input_file = Some(file);
        self
    }

    /// Where it runs.
    pub fn folder(mut self, folder: &Path) -> ChildProgram {
        self.folder = Some(folder.to_owned());
        self
    }

    /// What it must keep to, and how long it may take.
    pub fn within(mut self, bounds: ChildLimits, time: Duration) -> ChildProgram {
        let least = [bounds.memory, most_memory()].into_iter().flatten().min();
        self.order.bounds = ChildLimits { memory: least, resident: None, ..bounds };
        self.time = Some(time);
        self
    }

    /// Its addresses are not bounded: gcc's address sanitizer maps a shadow of all of them. What it uses of them is.
    pub fn with_shadow(mut self) -> ChildProgram {
        self.order.bounds.resident = self.order.bounds.memory.take();
        self
    }

    /// It is a program under test: where the system allows that, it is nobody's administrator, and changes no attributes of
    /// files. Its memory is bounded as a whole.
    pub fn tested(mut self) -> ChildProgram {
        self.order.tested = true;
        let bounds = &mut self.order.bounds;
        bounds.resident = bounds.resident.or(bounds.memory);
        self
    }

    /// Its output is discarded.
    pub fn silent(mut self) -> ChildProgram {
        self.silent = true;
        self
    }

    /// How many bytes it may write to standard output.
    pub fn most_output(mut self, bytes: usize) -> ChildProgram {
        self.most_output = bytes;
        self
    }

    /// It can write to this folder only and has no network, as far as the system allows that.
    pub fn alone(mut self, folder: &Path) -> ChildProgram {
        self.environment.retain(|(name, _)| name != "TMPDIR");
        self.environment.push(("TMPDIR".into(), folder.into()));
        self.order.alone = Some(folder.to_owned());
        self
    }

    /// Runs it to its end. An error: it could not be started.
    pub fn run(&self) -> std::io::Result<Ended> {
        let (mut child, line) = self.start()?;
        let (sender, receiver) = channel();
        reader(child.stdout.take(), self.most_output, Piece::Out, sender.clone());
        reader(child.stderr.take(), usize::MAX, |bytes, _| Piece::Err(bytes), sender);
        let mut seen = Seen { line, ..Seen::default() };
        seen.watch(&mut child, &receiver, self.time);
        let status = child.wait()?;
        seen.rest(&receiver);
        seen.judge(status, self.order.alone.is_some())
    }

    /// The child, and the line by which a launcher tells of it. The launcher ends it when the line is cut.
    fn start(&self) -> std::io::Result<(Child, Option<UnixStream>)> {
        let mut command = match LAUNCH_BY.get() {
            Some(launcher) => {
                let order = serde_json::to_string(&self.order).expect("plain data has a text");
                let mut command = Command::new(launcher);
                command.args([LAUNCHER, launcher::WATCH, &order]).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        command.args(&self.args).env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
            .stdout(if self.silent { Stdio::null() } else { Stdio::piped() })
            .stderr(Stdio::piped())
            .process_group(0);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        if LAUNCH_BY.get().is_none() {
            command.stdin(launcher::input(&self.order)?);
            return Ok((command.spawn()?, None));
        }
        let (ours, theirs) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(theirs));
        let child = command.spawn()?;
        // The command keeps its end of the line open.
        drop(command);
        Ok((child, Some(ours)))
    }
}

enum Piece {
    /// Whether it is all there is.
    Out(Vec<u8>, bool),
    Err(Vec<u8>),
}

/// What is known of a child so far.
#[derive(Default)]
struct Seen {
    line: Option<UnixStream>,
    out: Option<Vec<u8>>,
    err: Option<Vec<u8>>,
    killed: Option<ChildEnd>,
    told: String,
}

impl Seen {
    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Out(bytes, complete) => {
                self.out = Some(bytes);
                if !complete {
                    self.killed.get_or_insert(ChildEnd::Output);
                }
            }
            Piece::Err(bytes) => self.err = Some(bytes),
        }
    }

    /// Until all output is there or the child has to go.
    fn watch(&mut self, child: &mut Child, receiver: &Receiver<Piece>, time: Option<Duration>) {
        let end = time.and_then(|time| Instant::now().checked_add(time));
        let mut pieces = 0;
        while pieces < 2 && self.killed.is_none() {
            let left = end.map_or(Duration::from_secs(3600), |end| end.saturating_duration_since(Instant::now()));
            match receiver.recv_timeout(left) {
                Ok(piece) => {
                    pieces += 1;
                    self.take(piece);
                }
                Err(RecvTimeoutError::Timeout) if end.is_some_and(|end| Instant::now() >= end) => {
                    self.killed = Some(ChildEnd::Time);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // A program may close its output and go on.
        while self.killed.is_none() && matches!(child.try_wait(), Ok(None)) {
            if end.is_some_and(|end| Instant::now() >= end) {
                self.killed = Some(ChildEnd::Time);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        if self.killed.is_none() {
            self.listen();
            return;
        }
        // A launcher whose line is cut ends all that it started; without one, the group has to do.
        match self.line.take() {
            Some(line) => drop(line),
            None => launcher::kill_group(child.id()),
        }
    }

    /// What the launcher told; it has ended.
    fn listen(&mut self) {
        if let Some(mut line) = self.line.take() {
            let mut told = Vec::new();
            let _ = line.set_read_timeout(Some(LAST_WORDS));
            // What came before an error counts.
            let _ = line.read_to_end(&mut told);
            self.told = String::from_utf8_lossy(&told).into_owned();
        }
    }

    /// What was written before the end and not yet read.
    fn rest(&mut self, receiver: &Receiver<Piece>) {
        let end = Instant::now() + LAST_WORDS;
        while self.out.is_none() || self.err.is_none() {
            let Ok(piece) = receiver.recv_timeout(end.saturating_duration_since(Instant::now())) else { return };
            self.take(piece);
        }
    }

    fn judge(self, status: std::process::ExitStatus, alone: bool) -> std::io::Result<Ended> {
        use std::os::unix::process::ExitStatusExt;
        let number = |word: &str| {
            let line = self.told.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' '));
            line.and_then(|number| number.parse::<i32>().ok())
        };
        if let Some(error) = number(launcher::FAILED) {
            return Err(std::io::Error::from_raw_os_error(error));
        }
        let direct = LAUNCH_BY.get().is_none();
        let end = match (number(launcher::EXIT), number(launcher::SIGNAL)) {
            _ if self.killed.is_some() => self.killed.expect("checked"),
            _ if self.told.lines().any(|line| line == launcher::FULL) => ChildEnd::Memory,
            (Some(code), _) => ChildEnd::Exit(code),
            (None, Some(signal)) => ChildEnd::Signal(signal),
            (None, None) if direct => {
                status.code().map(ChildEnd::Exit).or(status.signal().map(ChildEnd::Signal)).unwrap_or(ChildEnd::Lost)
            }
            (None, None) => ChildEnd::Lost,
        };
        let lacks = self.told.lines().filter_map(|line| line.strip_prefix(launcher::LACKS));
        let mut not_isolated: Vec<String> = lacks.map(|what| what.trim().to_owned()).collect();
        if alone && direct {
            not_isolated.push("there is no launcher".into());
        }
        Ok(Ended { end, out: self.out.unwrap_or_default(), err: self.err.unwrap_or_default(), not_isolated })
    }
}

/// Reads a pipe to its end, so that the writer does not block. More than `most` bytes are not complete; of standard error,
/// which has no such bound, beginning and end are kept.
fn reader<R: Read + Send + 'static>(
    pipe: Option<R>,
    most: usize,
    piece: fn(Vec<u8>, bool) -> Piece,
    sender: Sender<Piece>,
) {
    const KEPT_ERRORS: usize = 1 << 19;
    const CHUNK: usize = 64 << 10;
    std::thread::spawn(move || {
        let (mut bytes, mut chunk) = (Vec::new(), vec![0; CHUNK]);
        let mut complete = true;
        if let Some(mut pipe) = pipe {
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                bytes.extend_from_slice(&chunk[..count]);
                if most == usize::MAX && bytes.len() > 4 * KEPT_ERRORS {
                    bytes.drain(KEPT_ERRORS..bytes.len() - KEPT_ERRORS);
                }
                if bytes.len() > most {
                    complete = false;
                    break;
                }
            }
        }
        // The receiver may be gone.
        let _ = sender.send(piece(bytes, complete));
    });
}

/// Writes a message to the connection that standard input is, for the process that started this one.
pub fn tell(words: &str) {
    use std::os::fd::AsFd;
    if let Ok(line) = std::io::stdin().as_fd().try_clone_to_owned() {
        tell_by(line, words);
    }
}

fn tell_by(line: OwnedFd, words: &str) {
    // The other end may be gone; then this process ends soon.
    let _ = std::fs::File::from(line).write_all(format!("{words}\n").as_bytes());
}

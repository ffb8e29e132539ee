//! Runs a counterexample for real: compiles the program with its harness and executes it. Neither compiler nor program
//! can write outside a private folder or use a network, where the system allows that, and both keep to limits.

use crate::InputError;
use crate::children::{ChildEnd, ChildLimits, ChildProgram, Ended};
use crate::compiler::{including, is_plain, macro_file, macro_text, name, options};
use crate::private_folder::PrivateFolder;
use crate::source::{file_bytes, is_standard_input};
use crate::task::Task;
use base::printable;
use cfa::DataModel;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the compiler may take.
const COMPILE: Duration = Duration::from_secs(60);
/// How long the program may run.
const RUN: Duration = Duration::from_secs(20);
/// What must be left to tell the verdict, which is worth more.
const LAST_WORDS: Duration = Duration::from_millis(700);
/// How much address space it may use.
const MEMORY: u64 = 8 << 30;
/// How large the program may be, or a file that it writes.
const FILE_SIZE: u64 = 256 << 20;
/// How many processes it may start.
const PROCESSES: u64 = 64;

/// What is compiled with a program to repeat an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harness {
    /// C: functions that give the inputs.
    pub inputs: String,
    /// C: a `main` that calls the function which is verified on its own. It includes the file with this number.
    pub call: Option<(String, usize)>,
}

/// The name of the file with the inputs.
pub const INPUTS: &str = "harness.c";
/// The name of the file with the call.
pub const CALL: &str = "call.c";

/// How an execution tells that it came to the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign<'a> {
    /// By this text on standard error and this exit status.
    Marker(&'a str, u8),
    /// By a report of the compiler's sanitizers that names this line, or a warning of the compiler, where it computes
    /// what the line says itself.
    Report(u32),
    /// The same, of the sanitizer of addresses as well.
    Access(u32),
    /// By a report of memory that is lost, which names where it was allocated.
    Leak,
}

/// How the execution of a counterexample ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Executed {
    /// The program reached the error.
    Reached,
    /// The compiler computed the expression itself and warned of it.
    Warned,
    /// It did not.
    Other(String),
    /// It could not be compiled or started.
    NotBuilt(String),
}

/// How it ended, and what the system did not keep the program from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// How it ended.
    pub executed: Executed,
    /// Empty if the program was kept to itself.
    pub not_isolated: Vec<String>,
}

impl Execution {
    /// An execution that did not come about.
    pub fn not_built(why: String) -> Execution {
        Execution { executed: Executed::NotBuilt(why), not_isolated: Vec::new() }
    }
}

/// What stands in `folder` for files and macros that the compiler cannot be given by name.
pub fn stand_ins(task: &Task, folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, InputError> {
    let odd = task.files.iter().enumerate().filter(|(_, file)| !is_plain(file) || is_standard_input(file));
    odd.map(|(at, file)| {
        if is_standard_input(file) {
            return Ok((stand_in(folder, at), file_bytes(file)?));
        }
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        Ok((stand_in(folder, at), including(&absolute)?.into_bytes()))
    })
    .chain(macro_text(&task.preprocessing).map(|text| Ok((macro_file(folder), text.into_bytes()))))
    .collect()
}

fn stand_in(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("file-{}.c", at + 1))
}

/// The command that compiles program and harness to `program`. Undefined functions are not an error, since those that the
/// execution calls are in the harness, whose definitions come first and win.
pub fn compile_command(
    task: &Task,
    harness: &Harness,
    folder: &Path,
    program: &Path,
    sign: Sign,
) -> Result<Vec<String>, InputError> {
    let mut words = vec![name("gcc")];
    if task.model == DataModel::Ilp32 {
        words.extend(["-m32", "-msse2", "-mfpmath=sse"].map(Into::into));
    }
    let flags = "-std=gnu11 -O0 -fno-strict-aliasing -fno-pie -no-pie -ftrivial-auto-var-init=zero \
                 -Wl,--allow-multiple-definition -Wl,--unresolved-symbols=ignore-all";
    // Sanitizers read the program's lines with functions of the library, such as `read`: a program's own ones are not for them.
    let more = match (sign, &harness.call) {
        (Sign::Marker(..), _) => "-w -fcommon -fwrapv -fno-builtin",
        // What may trap is not made simpler before the sanitizer sees it: `a + 1 > 3` stays.
        (Sign::Report(_), None) => {
            "-fvisibility=hidden -fcommon -g1 -ftrapv -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all"
        }
        // What arguments lead to is on the heap, where the other sanitizer sees accesses outside.
        (Sign::Report(_), Some(_)) => {
            "-fvisibility=hidden -fcommon -g1 -ftrapv -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all \
             -fno-omit-frame-pointer"
        }
        // It does not look at common variables.
        (Sign::Access(_), _) => {
            "-w -fvisibility=hidden -fno-common -g1 -fsanitize=address,null,bounds -fsanitize-address-use-after-scope \
             -fno-sanitize-recover=null,bounds"
        }
        // The others bring a library along that keeps memory of its own.
        (Sign::Leak, _) => "-w -fvisibility=hidden -fcommon -g1 -fsanitize=address",
    };
    words.extend(flags.split_whitespace().chain(more.split_whitespace()).map(str::to_owned));
    if harness.inputs.contains(witness::harness::MALLOC) {
        words.push("-Wl,--wrap=malloc".into());
    }
    words.extend(options(&task.preprocessing, folder)?.iter().map(|word| word.to_string_lossy().into_owned()));
    words.extend(["-x".into(), "c".into(), folder.join(INPUTS).display().to_string()]);
    let included = harness.call.as_ref().map(|(_, file)| *file);
    if included.is_some() {
        words.push(folder.join(CALL).display().to_string());
    }
    for (at, file) in task.files.iter().enumerate().filter(|(at, _)| Some(*at) != included) {
        // Text that was preprocessed knows no macros.
        let preprocessed = is_plain(file) && file.extension().is_some_and(|extension| extension == "i");
        words.extend(["-x".to_owned(), if preprocessed { "cpp-output" } else { "c" }.to_owned()]);
        let is_file = is_plain(file) && !is_standard_input(file);
        let file = if is_file { file.clone() } else { stand_in(folder, at) };
        words.push(file.display().to_string());
    }
    words.extend(["-x", "none", "-lm", "-o"].map(str::to_owned));
    words.push(program.display().to_string());
    Ok(words)
}

/// The line that includes a file of the task.
pub fn include_line(task: &Task, file: usize) -> Result<String, InputError> {
    let path = task.files.get(file).ok_or_else(|| InputError::new("the function is in no file of the task".into()))?;
    if is_standard_input(path) {
        return Ok(format!("#include \"{}\"\n", stand_in(Path::new(""), file).display()));
    }
    including(&std::path::absolute(path).unwrap_or_else(|_| path.clone()))
}

/// Compiles and runs in a private folder, in the time that is left.
pub fn execute(task: &Task, harness: &Harness, sign: Sign, left: Option<Duration>) -> Execution {
    let left = left.map(|left| left.saturating_sub(LAST_WORDS));
    if left.is_some_and(|left| left.is_zero()) {
        return Execution::not_built("no time is left for it".into());
    }
    let end = left.map(|left| Instant::now() + left);
    let folder = match PrivateFolder::new() {
        Ok(folder) => folder,
        Err(why) => return Execution::not_built(why),
    };
    let (program, warnings) = match compile(task, harness, folder.path(), sign, within(end, COMPILE)) {
        Ok(compiled) => compiled,
        Err(why) => return Execution::not_built(why),
    };
    let mut execution = run(&program, folder.path(), sign, harness.call.is_some(), within(end, RUN));
    if let (Sign::Report(line), Executed::Other(_)) = (sign, &execution.executed)
        && warns(&warnings, line)
    {
        execution.executed = Executed::Warned;
    }
    execution
}

/// As long as this at most, and no longer than `end`.
fn within(end: Option<Instant>, most: Duration) -> Duration {
    end.map_or(most, |end| end.saturating_duration_since(Instant::now()).min(most).max(Duration::from_millis(1)))
}

/// The program, and what the compiler said.
fn compile(
    task: &Task,
    harness: &Harness,
    folder: &Path,
    sign: Sign,
    time: Duration,
) -> Result<(PathBuf, String), String> {
    let program = folder.join("program");
    let mut files = stand_ins(task, folder).map_err(|error| error.to_string())?;
    files.push((folder.join(INPUTS), harness.inputs.clone().into_bytes()));
    files.extend(harness.call.iter().map(|(text, _)| (folder.join(CALL), text.clone().into_bytes())));
    for (path, text) in files {
        crate::output::write_bytes(&path, &text)?;
    }
    let words = compile_command(task, harness, folder, &program, sign).map_err(|error| error.to_string())?;
    let bounds = ChildLimits { memory: Some(MEMORY), file_size: Some(FILE_SIZE), ..ChildLimits::default() };
    let compiler = ChildProgram::new(&words[0]).args(&words[1..]).within(bounds, time).silent().alone(folder);
    let Ended { end, err, .. } =
        compiler.run().map_err(|error| format!("the compiler `{}` cannot be run ({error})", words[0]))?;
    match end {
        ChildEnd::Exit(0) => Ok((program, String::from_utf8_lossy(&err).into_owned())),
        ChildEnd::Time => Err("the compiler takes too long".into()),
        ChildEnd::Exit(_) | ChildEnd::Signal(_) | ChildEnd::Output | ChildEnd::Memory | ChildEnd::Lost => {
            let errors = String::from_utf8_lossy(&err).into_owned();
            let reason = errors.lines().find(|line| line.contains("error")).map(str::to_owned);
            Err(format!("{} fails: {}", words[0], printable(&reason.unwrap_or_else(|| end.to_string()))))
        }
    }
}

fn run(program: &Path, folder: &Path, sign: Sign, by_itself: bool, time: Duration) -> Execution {
    let bounds = ChildLimits {
        memory: Some(MEMORY),
        file_size: Some(FILE_SIZE),
        processes: Some(PROCESSES),
        ..ChildLimits::default()
    };
    let started = ChildProgram::new(program).folder(folder).within(bounds, time).silent();
    let mut started = started.alone(folder);
    if by_itself && matches!(sign, Sign::Report(_)) || matches!(sign, Sign::Access(_) | Sign::Leak) {
        started = started.with_shadow();
    }
    // An administrator who gave up all rights may not even reach the folder.
    let ended = match started.clone().tested().run() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => started.run().map(|mut ended| {
            ended.not_isolated.push("its folder is closed to others, so it had the rights of the administrator".into());
            ended
        }),
        ended => ended,
    };
    let ended = match ended {
        Ok(ended) => ended,
        Err(error) => return Execution::not_built(format!("it cannot be started ({error})")),
    };
    let err = String::from_utf8_lossy(&ended.err).into_owned();
    let reached = match (sign, &ended.end) {
        (Sign::Marker(text, status), ChildEnd::Exit(code)) => *code == i32::from(status) && err.contains(text),
        (Sign::Report(line) | Sign::Access(line), _) => reports(&err, line),
        (Sign::Leak, _) => err.contains("detected memory leaks"),
        (Sign::Marker(..), _) => false,
    };
    let executed = match ended.end {
        _ if reached => Executed::Reached,
        ChildEnd::Time => Executed::Other(format!("it was still running after {:.0} s", time.as_secs_f64())),
        end => Executed::Other(format!("it ended otherwise ({end})")),
    };
    Execution { executed, not_isolated: ended.not_isolated }
}

/// Whether the compiler warns of an overflow at the line.
fn warns(err: &str, line: u32) -> bool {
    let place = format!(":{line}:");
    err.lines().any(|text| text.contains(&place) && text.ends_with("[-Woverflow]"))
}

/// Whether a sanitizer reports something at the line.
fn reports(err: &str, line: u32) -> bool {
    let (middle, end) = (format!(":{line}:"), format!(":{line}"));
    let is_report = err.contains("runtime error:") || err.contains("Sanitizer:");
    is_report && err.lines().any(|text| text.contains(&middle) || text.ends_with(&end))
}

//! Runs a counterexample for real: compiles the program with its harness and executes it. Neither compiler nor program
//! can write outside a private folder or use a network, where the system allows that, and both keep to limits.

use crate::InputError;
use crate::children::{Bounds, End, Ended, Program};
use crate::compiler::{including, is_plain, macro_file, macro_text, name, options};
use crate::private_folder::PrivateFolder;
use crate::task::Task;
use base::printable;
use cfa::DataModel;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the compiler may take.
const COMPILE: Duration = Duration::from_secs(60);
/// How long the program may run.
const RUN: Duration = Duration::from_secs(20);
/// How much address space it may use.
const MEMORY: u64 = 8 << 30;
/// How large the program may be, or a file that it writes.
const FILE_SIZE: u64 = 256 << 20;
/// How many processes it may start.
const PROCESSES: u64 = 64;

/// How an execution tells that it came to the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign<'a> {
    /// By this text on standard error and this exit status.
    Marker(&'a str, u8),
    /// By a report of the compiler's sanitizers that names this line.
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
pub fn stand_ins(task: &Task, folder: &Path) -> Result<Vec<(PathBuf, String)>, InputError> {
    let odd = task.files.iter().enumerate().filter(|(_, file)| !is_plain(file));
    odd.map(|(at, file)| {
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        Ok((stand_in(folder, at), including(&absolute)?))
    })
    .chain(macro_text(&task.preprocessing).map(|text| Ok((macro_file(folder), text))))
    .collect()
}

fn stand_in(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("file-{}.c", at + 1))
}

/// The command that compiles program and harness to `program`. Undefined functions are no error, since those that the
/// execution calls are in the harness, whose definitions come first and win.
pub fn compile_command(task: &Task, harness: &Path, program: &Path, sign: Sign) -> Result<Vec<String>, InputError> {
    let folder = harness.parent().unwrap_or(Path::new("."));
    let mut words = vec![name("gcc")];
    if task.model == DataModel::Ilp32 {
        words.push("-m32".into());
    }
    let flags = "-std=gnu11 -O0 -w -fno-strict-aliasing -fno-pie -no-pie -fcommon -ftrivial-auto-var-init=zero \
                 -Wl,--allow-multiple-definition -Wl,--unresolved-symbols=ignore-all";
    let more = match sign {
        Sign::Marker(..) => "-fwrapv -fno-builtin",
        Sign::Report(_) => "-g1 -fsanitize=undefined,float-cast-overflow -fno-sanitize-recover=all",
        Sign::Access(_) => {
            "-g1 -fsanitize=address,null,bounds -fsanitize-address-use-after-scope -fno-sanitize-recover=null,bounds"
        }
        // The others bring a library along that keeps memory of its own.
        Sign::Leak => "-g1 -fsanitize=address",
    };
    words.extend(flags.split_whitespace().chain(more.split_whitespace()).map(str::to_owned));
    words.extend(options(&task.preprocessing, folder)?.iter().map(|word| word.to_string_lossy().into_owned()));
    words.extend(["-x".into(), "c".into(), harness.display().to_string()]);
    for (at, file) in task.files.iter().enumerate() {
        // Text that was preprocessed knows no macros.
        let preprocessed = is_plain(file) && file.extension().is_some_and(|extension| extension == "i");
        words.extend(["-x".to_owned(), if preprocessed { "cpp-output" } else { "c" }.to_owned()]);
        let file = if is_plain(file) { file.clone() } else { stand_in(folder, at) };
        words.push(file.display().to_string());
    }
    words.extend(["-x", "none", "-lm", "-o"].map(str::to_owned));
    words.push(program.display().to_string());
    Ok(words)
}

/// Compiles and runs in a private folder.
pub fn execute(task: &Task, harness: &str, sign: Sign) -> Execution {
    let folder = match PrivateFolder::new() {
        Ok(folder) => folder,
        Err(why) => return Execution::not_built(why),
    };
    compile(task, harness, folder.path(), sign)
        .map(|program| run(&program, folder.path(), sign))
        .unwrap_or_else(Execution::not_built)
}

fn compile(task: &Task, harness: &str, folder: &Path, sign: Sign) -> Result<PathBuf, String> {
    let (source, program) = (folder.join("harness.c"), folder.join("program"));
    let mut files = stand_ins(task, folder).map_err(|error| error.to_string())?;
    files.push((source.clone(), harness.to_owned()));
    for (path, text) in files {
        crate::output::write_file(&path, &text)?;
    }
    let words = compile_command(task, &source, &program, sign).map_err(|error| error.to_string())?;
    let bounds = Bounds { memory: Some(MEMORY), file_size: Some(FILE_SIZE), processes: None };
    let compiler = Program::new(&words[0]).args(&words[1..]).within(bounds, COMPILE).silent().alone(folder);
    let Ended { end, err, .. } =
        compiler.run().map_err(|error| format!("the compiler `{}` cannot be run ({error})", words[0]))?;
    match end {
        End::Exit(0) => Ok(program),
        End::Time => Err("the compiler takes too long".into()),
        End::Exit(_) | End::Signal(_) | End::Output | End::Lost => {
            let errors = String::from_utf8_lossy(&err).into_owned();
            let reason = errors.lines().find(|line| line.contains("error")).map(str::to_owned);
            Err(format!("{} fails: {}", words[0], printable(&reason.unwrap_or_else(|| end.to_string()))))
        }
    }
}

fn run(program: &Path, folder: &Path, sign: Sign) -> Execution {
    let bounds = Bounds { memory: Some(MEMORY), file_size: Some(FILE_SIZE), processes: Some(PROCESSES) };
    let mut started = Program::new(program).folder(folder).within(bounds, RUN).silent().alone(folder);
    if matches!(sign, Sign::Access(_) | Sign::Leak) {
        started = started.with_shadow();
    }
    let started = started.run();
    let ended = match started {
        Ok(ended) => ended,
        Err(error) => return Execution::not_built(format!("it cannot be started ({error})")),
    };
    let err = String::from_utf8_lossy(&ended.err).into_owned();
    let reached = match (sign, &ended.end) {
        (Sign::Marker(text, status), End::Exit(code)) => *code == i32::from(status) && err.contains(text),
        (Sign::Report(line) | Sign::Access(line), _) => reports(&err, line),
        (Sign::Leak, _) => err.contains("detected memory leaks"),
        (Sign::Marker(..), _) => false,
    };
    let executed = match ended.end {
        _ if reached => Executed::Reached,
        End::Time => Executed::Other(format!("it was still running after {} s", RUN.as_secs())),
        end => Executed::Other(format!("it ended otherwise ({end})")),
    };
    Execution { executed, not_isolated: ended.not_isolated }
}

/// Whether a sanitizer reports something at the line.
fn reports(err: &str, line: u32) -> bool {
    let (middle, end) = (format!(":{line}:"), format!(":{line}"));
    let is_report = err.contains("runtime error:") || err.contains("Sanitizer:");
    is_report && err.lines().any(|text| text.contains(&middle) || text.ends_with(&end))
}

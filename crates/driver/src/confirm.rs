//! Runs a counterexample for real: compiles the program with its harness and executes it, within limits.

use crate::task::Task;
use cfa::DataModel;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the compiler may take.
const COMPILE: Duration = Duration::from_secs(60);
/// How long the program may run.
const RUN: Duration = Duration::from_secs(20);
/// How much address space it may use.
const MEMORY_KIB: u64 = 8 << 20;

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

/// The command that compiles program and harness to `program`. Undefined functions are no error, since those that the
/// execution calls are in the harness, whose definitions come first and win.
pub fn compile_command(task: &Task, harness: &Path, program: &Path) -> Vec<String> {
    let compiler = std::env::var("CC").ok().filter(|cc| !cc.is_empty()).unwrap_or_else(|| "gcc".into());
    let mut words = vec![compiler];
    if task.model == DataModel::Ilp32 {
        words.push("-m32".into());
    }
    let flags = "-std=gnu11 -O0 -w -fwrapv -fno-strict-aliasing -fno-pie -no-pie -fno-builtin -fcommon \
                 -ftrivial-auto-var-init=zero -Wl,--allow-multiple-definition -Wl,--unresolved-symbols=ignore-all";
    words.extend(flags.split_whitespace().map(str::to_owned));
    words.extend(task.preprocessing.include_dirs.iter().map(|folder| format!("-I{}", folder.display())));
    words.extend(task.preprocessing.defines.iter().map(|define| format!("-D{define}")));
    words.push(harness.display().to_string());
    words.extend(task.files.iter().map(|file| file.display().to_string()));
    words.extend(["-lm".to_owned(), "-o".to_owned(), program.display().to_string()]);
    words
}

/// Compiles and runs in `folder`, which holds the harness. The program tells by `marker` on standard error and by the
/// exit status that it reached the error.
pub fn execute(task: &Task, harness: &Path, folder: &Path, marker: &str, status: u8) -> Executed {
    let program = folder.join(format!("program.{}", std::process::id()));
    let result = compile(task, harness, &program).map(|()| run(&program, folder, marker, status));
    // It may never have been written.
    let _ = std::fs::remove_file(&program);
    match result {
        Ok(executed) => executed,
        Err(why) => Executed::NotBuilt(why),
    }
}

fn compile(task: &Task, harness: &Path, program: &Path) -> Result<(), String> {
    let words = compile_command(task, harness, program);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("the compiler `{}` cannot be run ({error})", words[0]))?;
    let (ended, errors) = wait(child, COMPILE).map_err(|error| error.to_string())?;
    match ended {
        Some(status) if status.success() => Ok(()),
        Some(_) => {
            let reason = errors.lines().find(|line| line.contains("error")).unwrap_or("no reason given");
            Err(format!("{} fails: {reason}", words[0]))
        }
        None => Err("the compiler takes too long".into()),
    }
}

fn run(program: &Path, folder: &Path, marker: &str, status: u8) -> Executed {
    let path: PathBuf = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    // The shell sets the limits; it is replaced by the program.
    let script = format!("ulimit -v {MEMORY_KIB}; ulimit -c 0; exec \"$0\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(path).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Executed::NotBuilt(format!("it cannot be started ({error})")),
    };
    match wait(child, RUN) {
        Ok((Some(ended), errors)) if ended.code() == Some(i32::from(status)) && errors.contains(marker) => {
            Executed::Reached
        }
        Ok((Some(ended), _)) => Executed::Other(format!("it ended otherwise ({ended})")),
        Ok((None, _)) => Executed::Other(format!("it was still running after {} s", RUN.as_secs())),
        Err(error) => Executed::NotBuilt(error.to_string()),
    }
}

/// The exit status, or nothing if time ran out, and what was written to standard error.
fn wait(mut child: Child, limit: Duration) -> std::io::Result<(Option<std::process::ExitStatus>, String)> {
    use std::io::Read;
    const MOST: u64 = 1 << 20;
    let errors = child.stderr.take().expect("piped by the callers");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let mut errors = errors;
        // What comes behind a megabyte is read and dropped, so that the program does not wait for us.
        let _ = errors.by_ref().take(MOST).read_to_end(&mut text);
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        String::from_utf8_lossy(&text).into_owned()
    });
    let start = Instant::now();
    let mut ended = child.try_wait()?;
    while ended.is_none() && start.elapsed() < limit {
        std::thread::sleep(Duration::from_millis(5));
        ended = child.try_wait()?;
    }
    if ended.is_none() {
        child.kill()?;
        child.wait()?;
    }
    Ok((ended, reader.join().unwrap_or_default()))
}

//! The `argonaut` command; the only place that prints or exits. Standard output carries results, standard error
//! messages and progress.

mod args;
mod cfa_command;
mod harness;
mod limits;
mod presets_command;
mod progress;
mod request;
mod run_command;
mod show;
mod supervise;
mod validate_command;
mod verify_command;

use clap::Parser;
use clap::error::ErrorKind;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Exit status of bad usage and bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let start = Instant::now();
    driver::panics::silence();
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are no mistakes.
        Err(error) if !error.use_stderr() => {
            // A closed standard output is no reason to complain about help.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(BAD_INPUT);
        }
        Err(error) => return complain(&args::one_line(&error)),
    };
    let work = || match cli.command {
        args::Command::Verify(args) => verify_command::verify(&args, start),
        args::Command::Validate(args) => validate_command::validate(&args, start),
        args::Command::LintWitness(args) => validate_command::lint(&args),
        args::Command::Run(args) => run_command::run(&args),
        args::Command::Cfa(args) => cfa_command::cfa(&args),
        args::Command::Presets => presets_command::presets(),
    };
    match on_large_stack(work) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(mistake)) => complain(&mistake),
        Err(panic) => complain(&format!("internal error: {panic}")),
    }
}

/// Runs the command with room for deeply nested programs; a panic becomes its message.
fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    const STACK: usize = 512 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || driver::panics::catch(work));
        let thread = thread.map_err(|error| error.to_string())?;
        thread.join().unwrap_or_else(|_| Err("panic".into()))
    })
}

/// One message on standard error, exit status 2. Messages about places in files start with them.
fn complain(message: &str) -> ExitCode {
    let starts_with_place = message.contains(": error: ") || message.contains(": fatal error: ");
    let prefix = if starts_with_place { "" } else { "argonaut: error: " };
    let _ = writeln!(std::io::stderr(), "{prefix}{message}");
    ExitCode::from(BAD_INPUT)
}

/// Prints a result, without colours unless a terminal shows it. A reader that went away has seen enough.
fn print(text: &str) {
    let mut out = anstream::stdout();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Prints a result as it is; the supervisor decides about colours.
fn print_raw(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Writes a file completely or not at all.
fn write_file(path: &Path, text: &str) -> Result<(), String> {
    let temporary = temporary(path)?;
    let written = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    written.map_err(|error| {
        // It may not even exist.
        let _ = std::fs::remove_file(&temporary);
        format!("{}: cannot be written ({error})", path.display())
    })
}

/// Whether `write_file` will find a folder to write to; better known before a long run than after it.
fn check_writable(path: &Path) -> Result<(), String> {
    let temporary = temporary(path)?;
    if path.is_dir() {
        return Err(format!("{}: is a folder, expected a file to write", path.display()));
    }
    let written = std::fs::write(&temporary, "").and_then(|()| std::fs::remove_file(&temporary));
    written.map_err(|error| format!("{}: cannot be written ({error})", path.display()))
}

/// A name beside `path` that nobody else uses.
fn temporary(path: &Path) -> Result<PathBuf, String> {
    let name = path.file_name().ok_or_else(|| format!("{}: expected a file name", path.display()))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}", std::process::id()));
    Ok(path.with_file_name(temporary))
}

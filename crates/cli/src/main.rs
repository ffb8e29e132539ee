//! The `argonaut` command; the only place that prints or exits. Standard output carries results, standard error
//! messages and progress.

mod args;
mod batch;
mod bench_command;
mod certificate_command;
mod cfa_command;
mod compile_commands;
mod config;
mod doctor_command;
mod harness;
mod limits;
mod presets_command;
mod progress;
mod request;
mod run_command;
mod show;
mod store_command;
mod supervise;
mod validate_command;
mod verify_command;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use driver::{check_writable, write_file};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// Exit status of bad usage and bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let start = Instant::now();
    driver::panics::silence();
    let words = match config::expand(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(mistake) => return complain(&mistake),
    };
    let cli = match args::Cli::try_parse_from(words) {
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
        args::Command::CheckCertificate(args) => certificate_command::check(&args),
        args::Command::Run(args) => run_command::run(&args),
        args::Command::Cfa(args) => cfa_command::cfa(&args),
        args::Command::Presets => presets_command::presets(),
        args::Command::Store(args) => store_command::store(&args),
        args::Command::Bench(args) => bench_command::bench(&args),
        args::Command::Doctor => doctor_command::doctor(),
        args::Command::Completions { shell } => generated(|out| {
            clap_complete::generate(shell, &mut args::Cli::command(), "argonaut", out);
            Ok(())
        }),
        args::Command::Man => generated(|out| clap_mangen::Man::new(args::Cli::command()).render(out)),
    };
    match on_large_stack(work) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(mistake)) => complain(&mistake),
        Err(panic) => complain(&format!("internal error: {panic}")),
    }
}

/// Prints what the options' own descriptions say.
fn generated(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Result<u8, String> {
    let mut text = Vec::new();
    write(&mut text).map_err(|error| error.to_string())?;
    print_raw(&String::from_utf8_lossy(&text));
    Ok(0)
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
    end_if_lost(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// A result that nobody can read (a full disk) is an error; a reader that went away is none.
fn end_if_lost(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(std::io::stderr(), "argonaut: error: standard output cannot be written ({error})");
        std::process::exit(i32::from(BAD_INPUT));
    }
}

/// Prints a result as it is; the supervisor decides about colours.
fn print_raw(text: &str) {
    let mut out = std::io::stdout();
    end_if_lost(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

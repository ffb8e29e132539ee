//! The `argonaut` command; the only place that prints or exits. Standard output carries results, standard error
//! messages and progress.

mod args;
mod batch;
mod bench_command;
mod certificate_command;
mod cfa_command;
mod config;
mod doctor_command;
mod export_command;
mod harness;
mod limits;
mod lsp_command;
mod manual;
mod presets_command;
mod progress;
mod project_command;
mod request;
mod run_command;
mod show;
mod store_command;
mod supervise;
mod validate_command;
mod verify_command;
mod version;

use base::{is_obeyed, printable};
use clap::Parser;
use clap::error::ErrorKind;
use driver::{check_writable, children, write_file};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Exit status of bad usage and bad input.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let start = Instant::now();
    driver::children::withstand_file_limits();
    let words: Vec<OsString> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some(children::LAUNCHER) => return ExitCode::from(children::launch(&words[2..])),
        Some(children::KEEPER) => return ExitCode::from(driver::keep(std::io::stdout())),
        Some(bench_command::ELEMENT) => return ExitCode::from(bench_command::element(&words[2..])),
        Some(_) | None => {}
    }
    driver::panics::silence();
    // Without a path to itself the command starts children directly.
    std::env::current_exe().into_iter().for_each(children::launch_by);
    let words = match config::expand(words) {
        Ok(words) => words,
        Err(mistake) => return complain(&mistake),
    };
    let words_given = words.clone();
    let cli = match args::Cli::try_parse_from(words) {
        Ok(cli) => cli,
        // Help and version are not mistakes.
        Err(error) if !error.use_stderr() => {
            // A closed standard output is not worth an error message about help.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(BAD_INPUT);
        }
        Err(error) => {
            let mistake = args::one_line(&error);
            verify_command::print_mistake(args::wanted_format(&words_given), &[], "", &mistake);
            return complain(&mistake);
        }
    };
    let work = || match cli.command {
        args::Command::Verify(args) => verify_command::verify(&args, start),
        args::Command::Validate(args) => validate_command::validate(&args, start),
        args::Command::LintWitness(args) => validate_command::lint(&args),
        args::Command::CheckCertificate(args) => certificate_command::check(&args),
        args::Command::Run(args) => run_command::run(&args),
        args::Command::Cfa(args) => cfa_command::cfa(&args),
        args::Command::Export(args) => export_command::export(&args),
        args::Command::Presets { preset: None } => presets_command::presets(),
        args::Command::Presets { preset: Some(name) } => presets_command::options(&name),
        args::Command::Lsp(args) => lsp_command::serve(&args),
        args::Command::Store(args) => store_command::store(&args),
        args::Command::Project(args) => project_command::project(&args, start),
        args::Command::Bench(args) => bench_command::bench(&args),
        args::Command::Doctor => doctor_command::doctor(),
        args::Command::Completions { shell } => generated(|out| {
            clap_complete::generate(shell, &mut manual::completed(), "argonaut", out);
            Ok(())
        }),
        args::Command::Man => generated(manual::page),
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
    // Where address space is limited, most of it should be left for other things.
    const STACKS: [usize; 3] = [512 << 20, 64 << 20, 8 << 20];
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take().expect("one thread takes it");
    std::thread::scope(|scope| {
        let spawn = |stack| {
            std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, || {
                let work = take();
                driver::panics::catch(work)
            })
        };
        match STACKS.into_iter().map(spawn).find_map(Result::ok) {
            Some(thread) => thread.join().unwrap_or_else(|_| Err("panic".into())),
            None => driver::panics::catch(take()),
        }
    })
}

/// What is wrong with the input, on standard error: all mistakes, with their source lines where they have some.
fn say(error: &driver::InputError) -> u8 {
    if error.details().is_empty() {
        complain(&error.to_string());
    }
    for line in error.details() {
        // Whether it is read does not matter.
        let _ = writeln!(std::io::stderr(), "{}", printable(line));
    }
    BAD_INPUT
}

/// One message on standard error, exit status 2. Messages about places in files start with them.
fn complain(message: &str) -> ExitCode {
    let starts_with_place = message.contains(": error: ") || message.contains(": fatal error: ");
    let prefix = if starts_with_place { "" } else { "argonaut: error: " };
    let _ = writeln!(std::io::stderr(), "{prefix}{}", printable(message));
    ExitCode::from(BAD_INPUT)
}

/// Prints a result, without colours unless a terminal shows it. A reader that went away has seen enough.
fn print(text: &str) {
    let mut out = anstream::stdout();
    end_if_lost(out.write_all(obeyed_colours(text).as_bytes()).and_then(|()| out.flush()));
}

/// The text with nothing that a terminal obeys but ends of lines and colours. What comes from others was made fit where
/// it came in; this is for what was forgotten there.
fn obeyed_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| is_obeyed(c) && c != '\n' && c != '\t') {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let parameters =
            found.strip_prefix("\x1b[").map(|found| found.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        match parameters.and_then(|found| found.strip_prefix('m')) {
            Some(behind) => {
                out.push_str(&found[..found.len() - behind.len()]);
                rest = behind;
            }
            None => {
                let end = found.chars().next().map_or(0, char::len_utf8);
                out.push_str(&printable(&found[..end]));
                rest = &found[end..];
            }
        }
    }
    out + rest
}

/// A result that cannot be written (a full disk) is an error; a reader that went away is not.
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

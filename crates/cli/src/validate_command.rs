//! `argonaut validate` and `argonaut lint-witness`: witnesses of any tool. Validation runs supervised, as `verify` does.

use crate::args::{LintArgs, ValidateArgs};
use crate::limits::default_memory;
use crate::progress::Progress;
use crate::request::request;
use crate::supervise::{self, Ending, Limits, WORKER};
use base::{Cancel, printable};
use driver::{Case, RunEvent, Task, Validation};
use std::time::{Duration, Instant};

/// Checks a witness, and says how it went by the exit status.
pub fn validate(args: &ValidateArgs, start: Instant) -> Result<u8, String> {
    if let Ok(seconds) = std::env::var(WORKER) {
        supervise::end_with_supervisor();
        let time = seconds.parse().ok().map(Duration::from_secs_f64);
        return match driver::panics::catch(|| work(args, time)) {
            Ok(result) => result,
            Err(panic) => Ok(print(&Validation::Unknown(format!("internal error: {panic}")))),
        };
    }
    let copy = crate::verify_command::copied_input(&args.program)?;
    let limits = Limits { time: Some(args.time_limit), memory: args.memory_limit };
    let mut progress = Progress::new(start, args.quiet);
    let ending = supervise::supervise(&limits, &[], start, &mut progress);
    progress.clear();
    let code = match ending {
        Ok(Ending::Answer(output, code)) => {
            crate::print(&String::from_utf8_lossy(&output));
            code
        }
        Ok(Ending::NoAnswer(reason, _)) => print(&Validation::Unknown(reason)),
        Err(error) => print(&Validation::Unknown(format!("the worker could not be started: {error}"))),
    };
    drop(copy);
    supervise::settle();
    Ok(code)
}

fn work(args: &ValidateArgs, time: Option<Duration>) -> Result<u8, String> {
    args.memory_limit.or_else(default_memory).into_iter().for_each(driver::children::limit_memory);
    let task = Task::new(request(&args.program, args.property.as_deref())?).map_err(|error| error.to_string())?;
    let witness = driver::read_witness(&args.witness).map_err(|error| error.to_string())?;
    let case = Case { task: &task, witness: &witness, path: &args.witness };
    let mut tell = |event: RunEvent| match event {
        RunEvent::Start(name, time, _) => supervise::tell(&supervise::start_note(name, time)),
        RunEvent::GaveUp(_) | RunEvent::Warning(_) => {}
    };
    let cancel = Cancel::with_limits(time, None);
    let validation = match case.validate(&cancel, &mut tell) {
        Ok(validation) => validation,
        Err(error) => Validation::Unknown(error.stopped().ok_or_else(|| error.to_string())?.to_string()),
    };
    Ok(print(&validation))
}

fn print(validation: &Validation) -> u8 {
    let (text, code) = match validation {
        Validation::Confirmed => ("CONFIRMED".to_owned(), 0),
        Validation::Rejected(why) => (format!("REJECTED ({why})"), 1),
        Validation::Unknown(why) => (format!("UNKNOWN ({why})"), 3),
    };
    crate::print(&format!("Witness: {}\n", printable(&text)));
    code
}

/// Lists what is wrong with a witness; 0 if nothing is.
pub fn lint(args: &LintArgs) -> Result<u8, String> {
    let task = Task::new(request(&args.program, None)?).map_err(|error| error.to_string())?;
    let witness = driver::read_witness(&args.witness).map_err(|error| error.to_string())?;
    let case = Case { task: &task, witness: &witness, path: &args.witness };
    let problems = case.lint().map_err(|error| error.to_string())?;
    for problem in &problems {
        crate::print(&format!("{}\n", printable(problem)));
    }
    Ok(u8::from(!problems.is_empty()))
}

//! `argonaut project`: every function of a project separately, each a `verify` of its own. What is known is kept one function
//! at a time, with a digest of all that it depends on: the same command goes on where an earlier one stopped, and after an
//! edit only those functions are verified again that it may concern.

mod baseline;
mod page;
mod results;
mod run;
mod sarif;
mod units;

use crate::args::{Format, ProjectArgs, VerifyArgs};
use base::printable;
use results::{Record, Results, Word};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use units::{Subject, Unit};

/// Exit status where functions are left, because the user or the overall time limit stopped the work.
const STOPPED: u8 = 3;

/// Where results go if the user does not say.
pub const DEFAULT_OUT: &str = "argonaut-results";

/// The authors of the project must not choose where files are written: no link leads out of the folder of results.
fn no_link(path: &Path) -> Result<(), String> {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => Err(format!("{}: is a link; remove it or name another --out", path.display())),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// How functions are verified.
pub struct Plan<'a> {
    /// Options of `verify` for every function, but for files and limits.
    pub words: Vec<String>,
    pub time: std::time::Duration,
    pub memory: Option<u64>,
    pub jobs: usize,
    /// Where results, reports and harnesses go.
    pub out: Option<&'a Path>,
    pub quiet: bool,
    /// When no function is begun any more.
    pub end: Option<Instant>,
}

/// Verifies all functions that are wanted and writes the pages.
pub fn project(args: &ProjectArgs, start: Instant) -> Result<u8, String> {
    let baseline = args.baseline.as_deref().map(baseline::read).transpose()?;
    let units = units::find(args)?;
    let given = crate::request::given(&args.given);
    let plan = Plan {
        words: words(args),
        time: args.time_limit_per_function,
        memory: args.memory_limit,
        jobs: args.jobs.unwrap_or_else(processors).max(1),
        out: Some(&args.out),
        quiet: args.quiet,
        end: args.time_limit.map(|limit| start + limit),
    };
    let ignored: BTreeSet<&String> = units.iter().flat_map(Unit::ignored).collect();
    for option in ignored {
        let why = "is not passed on, though it may change what programs mean";
        note(&format!("argonaut: warning: the option {option} of the compile database {why}"));
    }
    let (subjects, problems) = units::subjects(&units, args, &given, plan.jobs);
    for problem in &problems {
        note(&format!("argonaut: warning: {problem}"));
    }
    if subjects.is_empty() {
        return Err(match problems.first() {
            Some(problem) => problem.clone(),
            None => "no function is defined in these files, or none has such a name".into(),
        });
    }
    if args.out == Path::new(DEFAULT_OUT) {
        no_link(&args.out)?;
    }
    let mut results = Results::open(&args.out, args.time_limit_per_function.as_secs_f64())?;
    if results.strange > 0 {
        let file = args.out.join("results.jsonl");
        let why = "not written by this user's runs on this machine, so these functions are verified again";
        note(&format!("argonaut: warning: {}: {} results were {why}", file.display(), results.strange));
    }
    if results.are_lost() {
        let why = "there is no folder for a key (XDG_CACHE_HOME, HOME) that only this user can write to";
        note(&format!("argonaut: warning: the next run cannot use these results: {why}"));
    }
    let stopped = stop_on_signal();
    let waiting: Vec<&Subject> = subjects.iter().filter(|subject| results.of(subject).is_none()).collect();
    if !args.quiet && waiting.len() < subjects.len() {
        note(&format!("{} of {} functions are known already", subjects.len() - waiting.len(), subjects.len()));
    }
    work(&plan, &units, waiting, &mut results, &stopped)?;
    let known: Vec<(&Subject, Record)> =
        subjects.iter().filter_map(|subject| Some((subject, results.placed(subject)?))).collect();
    let left = subjects.len() - known.len();
    let findings = baseline::findings(&known, baseline.as_ref());
    crate::write_file(&args.out.join("results.sarif"), &sarif::render(&known, &findings, &problems))?;
    crate::write_file(&args.out.join("index.html"), &page::render(&known, &findings, left, &problems))?;
    results.forget_others(&subjects)?;
    crate::print(&summary(&known, &findings, left, args));
    let new = findings.iter().any(|finding| finding.is_new);
    Ok(match (new, left) {
        (true, _) => 1,
        (false, 0) => 0,
        (false, _) => STOPPED,
    })
}

/// `verify --each-function`: the same without files. The exit status is the worst one.
pub fn each_function(args: &VerifyArgs) -> Result<u8, String> {
    let outputs = [&args.witness, &args.report, &args.harness, &args.certificate];
    if outputs.iter().any(|file| file.is_some()) {
        let options = "--witness, --report, --harness and --certificate";
        return Err(format!("{options} are about one function; `argonaut project` writes reports of all"));
    }
    let unit = Unit::of(args)?;
    let subjects = units::in_unit(0, &unit, &crate::request::given(&args.given), &[])?;
    let stopped = stop_on_signal();
    let mut results = Vec::new();
    for subject in &subjects {
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        let ended = run::same_command(args, &subject.name)?;
        if args.format == Format::Text {
            let reason = ended.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let line = format!(
                "{}:{}: {}: {}{reason}  {:.2} s",
                subject.file, subject.line, subject.name, ended.word, ended.seconds
            );
            crate::print(&format!("{}\n", printable(&line)));
        }
        results.push(ended);
    }
    Ok(crate::batch::conclude(args.format, &results, "functions"))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

fn stop_on_signal() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let on_signal = stopped.clone();
    // Without a handler Ctrl-C ends us the hard way; finished functions are kept all the same.
    let _ = ctrlc::set_handler(move || on_signal.store(true, Ordering::Relaxed));
    stopped
}

/// The options of `verify` that are those of the project.
fn words(args: &ProjectArgs) -> Vec<String> {
    let mut words = vec!["--analysis".to_owned(), args.analysis.clone()];
    if let Some(check) = &args.check {
        words.extend(["--check".into(), check.clone()]);
    }
    if let Some(model) = args.data_model {
        use clap::ValueEnum;
        words.extend(model.to_possible_value().map(|value| format!("--data-model={}", value.get_name())));
    }
    words.push(format!("--pointer-depth={}", args.given.pointer_depth));
    let lengths: Vec<String> = args.given.array_length.iter().map(u64::to_string).collect();
    words.extend((!lengths.is_empty()).then(|| format!("--array-length={}", lengths.join(","))));
    words.extend(args.given.no_aliasing.then(|| "--no-aliasing".to_owned()));
    words.extend(args.given.arbitrary_globals.then(|| "--arbitrary-globals".to_owned()));
    words.extend(args.given.requires.iter().map(|condition| format!("--requires={condition}")));
    words.extend(args.malloc_may_fail.then(|| "--malloc-may-fail".to_owned()));
    words
}

/// Does what waits, several functions at a time.
fn work(
    plan: &Plan,
    units: &[Unit],
    waiting: Vec<&Subject>,
    results: &mut Results,
    stopped: &AtomicBool,
) -> Result<(), String> {
    let count = waiting.len();
    let (waiting, results) = (Mutex::new(VecDeque::from(waiting)), Mutex::new(results));
    let goes_on = || !stopped.load(Ordering::Relaxed) && plan.end.is_none_or(|end| Instant::now() < end);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let one = || -> Result<(), String> {
        while goes_on() {
            let Some(subject) = next() else { return Ok(()) };
            let Some(record) = run::run(plan, &units[subject.unit], subject, stopped)? else { return Ok(()) };
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            if !plan.quiet {
                let left = waiting.lock().unwrap_or_else(PoisonError::into_inner).len();
                let place = format!("{}:{}: {}", subject.file, subject.line, subject.name);
                note(&format!("{}/{count}  {place}  {}  {:.2} s", count - left, record.describe(), record.seconds));
            }
            results.add(subject, record)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.jobs).map(|_| scope.spawn(one)).collect();
        let ends = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("internal error".into())));
        ends.collect::<Vec<_>>().into_iter().collect::<Result<(), String>>()
    })
}

/// What is printed in the end.
fn summary(known: &[(&Subject, Record)], findings: &[baseline::Finding], left: usize, args: &ProjectArgs) -> String {
    let mut out = String::new();
    for finding in findings.iter().filter(|finding| finding.is_new) {
        let baseline::Finding { file, line, column, function, message, .. } = finding;
        out += &format!("{}\n", printable(&format!("{file}:{line}:{column}: {function}: {message}")));
    }
    let count = |word: Word| known.iter().filter(|(_, record)| record.word == word).count();
    let old = findings.iter().filter(|finding| !finding.is_new).count();
    let (proved, violated) = (count(Word::Proved), count(Word::Violated));
    let open = count(Word::Open) + count(Word::Failed);
    out += &format!("{} functions: {proved} proved, {violated} violated, {open} open", known.len() + left);
    if left > 0 {
        out += &format!(", {left} not begun (the same command continues from here)");
    }
    let new = findings.len() - old;
    out += &format!("\n{new} {}", if new == 1 { "finding" } else { "findings" });
    if args.baseline.is_some() {
        out += &format!(" that the baseline does not have, {old} that it has");
    }
    out += &format!("; see {}\n", printable(&args.out.join("index.html").display().to_string()));
    out
}

/// A line on standard error; whether it is read does not matter.
fn note(line: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{}\n", printable(line)).as_bytes());
}

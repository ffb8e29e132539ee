//! `argonaut verify`. The command runs twice: as supervisor, which only watches, and as worker, which does the work
//! and prints the answer (see `supervise`).

use crate::args::{Format, ProgramArgs, VerifyArgs};
use crate::limits::default_memory;
use crate::progress::Progress;
use crate::request::{options, request};
use crate::show::text::Detail;
use crate::show::{Answer, FinishedRun, html, json, junit, sarif, text};
use crate::supervise::{self, AFTER, Ending, Limits, PartEnd, WATCHED, WORKER};
use base::{Cancel, Live, printable, printable_lines};
use cfa::{CheckCounts, Program};
use driver::{
    Effort, Execution, Outcome, Plan, Preset, Recall, Recalled, Recording, Request, RunEvent, Settings, Sources,
    StoreQuestion, Task,
};
use flow::Prepared;
use spec::Property;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use verdict::{Verdict, Wanted};
use witness::write::{Subject, WitnessFormat, write};

/// Verifies, and says how it went by the exit status. Bad input has no verdict, but a document if a format asks for one.
pub fn verify(args: &VerifyArgs, start: Instant) -> Result<u8, String> {
    let done = verify_input(args, start);
    if let Err(mistake) = &done {
        print_mistake(args.format, &files(args), &property_name(args), mistake);
    }
    done
}

/// The document about input that cannot be used; nothing for people, who read standard error.
pub fn print_mistake(format: Format, files: &[String], property: &str, mistake: &str) {
    let mistake = printable(mistake).into_owned();
    let output = match format {
        Format::Text => return,
        Format::Json => json::mistake(files, property, &mistake),
        Format::Sarif => sarif::mistake(&mistake),
        Format::Junit => junit::mistake(&files.join(" "), &mistake),
    };
    print_output(&output);
}

fn verify_input(args: &VerifyArgs, start: Instant) -> Result<u8, String> {
    if args.each_function {
        return crate::project_command::each_function(args);
    }
    if crate::batch::is_batch(args) {
        return crate::batch::verify(args);
    }
    let preset = Preset::named(&args.analysis)
        .ok_or_else(|| format!("no preset is called `{}`; `argonaut presets` lists them", args.analysis))?;
    let engine = &args.engine;
    for output in args.witness.iter().chain(&args.report).chain(&engine.precision_out).chain(&engine.dump_arg) {
        crate::check_writable(output)?;
    }
    for folder in args.harness.iter().chain(&args.certificate) {
        crate::harness::check_writable(folder)?;
    }
    crate::store_command::wanted(args)?;
    match std::env::var(WORKER) {
        Ok(seconds) => {
            supervise::end_with_supervisor();
            let time = seconds.parse().ok().map(Duration::from_secs_f64);
            work(args, &preset, time, start)
        }
        Err(_) => watch(args, &preset, start),
    }
}

/// The supervisor decides about colours, so the worker prints them always.
fn is_worker() -> bool {
    std::env::var_os(WORKER).is_some()
}

fn watch(args: &VerifyArgs, preset: &Preset, start: Instant) -> Result<u8, String> {
    let limits = Limits { time: args.time_limit, memory: args.memory_limit };
    let mut parts: Vec<String> = match preset.plan() {
        Plan::Sequence(slices) => slices.into_iter().map(|slice| slice.label).collect(),
        Plan::Engine { .. } => Vec::new(),
    };
    if crate::store_command::wanted(args)?.is_some() {
        // Whatever happens to hints, the analysis itself comes after them.
        if parts.is_empty() {
            parts.push(preset.name.clone());
        }
        parts.insert(0, driver::STORE.to_owned());
    }
    let copy = copied_input(&args.program)?;
    let mut progress = Progress::new(start, args.quiet);
    let ending = supervise::supervise(&limits, &parts, start, &mut progress);
    progress.clear();
    let code = match ending {
        Ok(Ending::Answer(output, code)) => {
            crate::print(&String::from_utf8_lossy(&output));
            code
        }
        Ok(Ending::NoAnswer(reason, parts)) => print_unknown_after(args, reason, parts, start),
        Err(error) => print_unknown(args, format!("the worker could not be started: {error}"), start),
    };
    // Its keeper ends only when the copy is not needed any more.
    drop(copy);
    supervise::settle();
    Ok(code)
}

/// A copy of standard input for the worker, if a file of the program is that.
pub fn copied_input(program: &ProgramArgs) -> Result<Option<driver::PrivateFolder>, String> {
    if !program.files.iter().any(|file| driver::is_standard_input(file)) {
        return Ok(None);
    }
    let text = driver::standard_input().map_err(|error| format!("standard input cannot be read ({error})"))?;
    let folder = driver::PrivateFolder::new()?;
    let copy = folder.path().join("input.c");
    driver::write_bytes(&copy, text)?;
    supervise::pass_input(copy);
    Ok(Some(folder))
}

/// The worker: one answer, whatever happens. Bad input is the only thing without a verdict.
fn work(args: &VerifyArgs, preset: &Preset, time: Option<Duration>, start: Instant) -> Result<u8, String> {
    // Below the limit of the supervisor, which ends everything: one part that ends alone leaves the others their chance.
    let memory = args.memory_limit.or_else(default_memory).map(|bytes| bytes / 8 * 7);
    let cancel = Cancel::with_limits(time, memory).with_budgets(preset.budgets());
    args.memory_limit.or_else(default_memory).into_iter().for_each(driver::children::limit_memory);
    let code = match driver::panics::catch(|| answer(args, preset, &cancel, start)) {
        Ok(result) => result?,
        Err(panic) => print_unknown(args, format!("internal error: {panic}"), start),
    };
    supervise::tell(&supervise::done_note(code));
    Ok(code)
}

fn answer(args: &VerifyArgs, preset: &Preset, cancel: &Cancel, start: Instant) -> Result<u8, String> {
    let task = Task::new(wanted(args)?).map_err(|error| error.to_string())?;
    let sources = match Sources::read(&task) {
        Ok(sources) => sources,
        Err(error) => match error.stopped() {
            Some(stopped) => {
                warn(&error.to_string());
                return Ok(print_unknown(args, stopped.to_string(), start));
            }
            None => return Ok(refuse(args, &error)),
        },
    };
    let options = options(&args.engine);
    // What is stored is the answer for all errors together, without its states.
    let unknown_to_store = args.all_targets || args.engine.dump_arg.is_some();
    let store = if unknown_to_store { None } else { crate::store_command::wanted(args)? };
    let recall = store.as_ref().and_then(|store| Recall::new(store, &task, &sources, preset, &options));
    if let Some(recalled) = recall.as_ref().filter(|_| reads_verdict_only(args)).and_then(known) {
        tell_warnings(args, &recalled.warnings);
        print_output(&text::recalled(&recalled, &task, detail(args)));
        return Ok(0);
    }
    let mut loaded = match sources.load(&task) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(refuse(args, &error)),
    };
    tell_warnings(args, &loaded.warnings);
    let trivial = options.is_empty() && driver::holds_trivially(&mut loaded.program);
    let prepared = if trivial { Ok(()) } else { driver::prepare_within(&mut loaded.program, task.outside, cancel) };
    if let Err(stopped) = prepared {
        return Ok(print_unknown(args, stopped.to_string(), start));
    }
    // That one loop is never repeated says nothing of executions that end.
    let each = args.all_targets && loaded.program.termination.is_none();
    let wanted = if each { Wanted::Each } else { Wanted::One };
    let before = Instant::now();
    // Where each check has an answer of its own, none may go.
    if !each {
        driver::discharge_checks(&mut loaded.program, cancel);
    }
    let discharging = before.elapsed();
    if each {
        driver::separate_targets(&mut loaded.program);
    }
    let (program, warnings) = (&Prepared::new(loaded.program), loaded.warnings);
    let after = std::env::var(AFTER).ok();
    let shown = std::env::var_os(WATCHED).map(|_| show_live());
    let mut tell = |event: RunEvent| match event {
        RunEvent::Start(name, time, live) => {
            supervise::tell(&supervise::start_note(name, time));
            if let Some(shown) = &shown {
                *shown.lock().unwrap_or_else(PoisonError::into_inner) = live.clone();
            }
        }
        RunEvent::GaveUp(step) => {
            let reason = step.stop.as_ref().map(|stop| stop.describe(&program.sources)).unwrap_or_default();
            supervise::tell(&supervise::gave_up_note(&step.preset, step.time.as_secs_f64(), &reason));
        }
        RunEvent::Warning(problem) => warn(problem),
    };
    let threads = args.threads.or_else(|| std::thread::available_parallelism().ok().map(|count| count.get()));
    let threads = threads.unwrap_or(1).max(1);
    if args.explain && after.is_none() {
        for line in driver::explain(program, preset, threads, wanted) {
            note(&line);
        }
    }
    let after = after.as_deref();
    let wants_trail = args.report.is_some() || args.engine.dump_arg.is_some();
    let record = if wants_trail { Recording::Trail } else { Recording::Numbers };
    let settings = Settings { threads, after, record, wanted };
    let check = |outcome: &mut Outcome, took| confirm_independently(args, (&task, program), outcome, took, cancel);
    let outcome = match &store {
        Some(store) => {
            let names: Vec<String> = task.files.iter().filter_map(|file| file.file_name()).map(text_of).collect();
            let question =
                StoreQuestion { store, property: task.property.name(), files: &names, settings, check: &check };
            driver::run_with_store(&question, program, preset, &options, cancel, &mut tell)
        }
        None => {
            let begun = Instant::now();
            driver::run_with(&settings, program, preset, &options, cancel, &mut tell).map(|mut outcome| {
                check(&mut outcome, begun.elapsed());
                outcome
            })
        }
    };
    let mut outcome: Outcome = outcome.map_err(|error| error.to_string())?;
    count_checks(program, discharging, &mut outcome);
    if let Some(line) = driver::explain_shared(&outcome.counters).filter(|_| args.explain) {
        note(&line);
    }
    if let Some(Err(problem)) = recall.map(|recall| recall.keep(&warnings, program, &outcome)) {
        warn(&problem);
    }
    let about = outcome.verdict.about(program).clone();
    let program = &about;
    let executed = write_harnesses(args, &task, program, &outcome, cancel);
    write_states(args, program, &outcome);
    let answer = Answer {
        parts: Vec::new(),
        files: files(args),
        property: task.property.name().to_owned(),
        analysis: args.analysis.clone(),
        result: Ok(FinishedRun { program, task: &task, outcome: &outcome, executed, bound_loops: args.bound_loops }),
        seconds: start.elapsed().as_secs_f64(),
    };
    if let Err(problem) = write_witnesses(args, &task, program, &outcome) {
        warn(&problem);
    }
    Ok(print_answer(args, &answer))
}

/// Says all that is wrong with the input.
fn refuse(args: &VerifyArgs, error: &driver::InputError) -> u8 {
    print_mistake(args.format, &files(args), &property_name(args), &error.to_string());
    crate::say(error)
}

/// Adds to the statistics what became of checks before the analyses.
fn count_checks(program: &Program, discharging: Duration, outcome: &mut Outcome) {
    let CheckCounts { made, constant, proved, accesses: _, calls: _ } = program.checks;
    if made > 0 {
        outcome.counters.add("checks", made.into());
        outcome.counters.add("checks decided by constants", constant.into());
        outcome.counters.add("checks decided by intervals", proved.into());
        outcome.counters.add_time("discharging checks", discharging);
    }
}

/// Has the second encoder check a TRUE, and writes the certificate that the user asked for.
fn confirm_independently(
    args: &VerifyArgs,
    (task, program): (&Task, &Prepared),
    outcome: &mut Outcome,
    took: Duration,
    cancel: &Cancel,
) {
    // Where each target has an answer of its own, there is no proof of all of them together.
    if args.all_targets && !args.require_independent_check {
        return;
    }
    let required = args.require_independent_check;
    let effort = match (required, args.certificate.is_some()) {
        (true, _) => Effort::Required,
        (false, true) => Effort::Patient,
        (false, false) => Effort::Share,
    };
    let certificate =
        driver::check_independently(program, &mut outcome.verdict, (effort, took), cancel, &mut outcome.counters);
    let Some(folder) = &args.certificate else { return };
    match certificate {
        Some(certificate) => {
            let files = driver::read_bytes(task).map_err(|error| error.to_string());
            let written = files.and_then(|files| certificate.write(folder, &files, task.property.name()));
            written.unwrap_or_else(|problem| warn(&problem));
        }
        None => {
            warn(&format!("{}: not written, there is no proof that the second encoder confirmed", folder.display()))
        }
    }
}

/// Whether the answer to the user is text about the verdict, without files and numbers.
fn reads_verdict_only(args: &VerifyArgs) -> bool {
    let checked = args.certificate.is_some() || args.require_independent_check;
    let files = checked || args.witness.is_some() || args.report.is_some() || args.harness.is_some();
    args.format == Format::Text && !files && !args.confirm && !args.statistics && !args.explain
}

fn known(recall: &Recall) -> Option<Recalled> {
    recall.known().unwrap_or_else(|problem| {
        warn(&problem);
        None
    })
}

fn tell_warnings(args: &VerifyArgs, warnings: &[String]) {
    for warning in warnings.iter().filter(|_| !args.quiet) {
        note(warning);
    }
}

/// What is to be shown to others: the verdict, or one for each error that is reached.
fn told(outcome: &Outcome) -> Vec<&Verdict> {
    let reached: Vec<&Verdict> = outcome.targets.iter().filter(|one| matches!(one, Verdict::Unsafe(_))).collect();
    if reached.is_empty() { vec![&outcome.verdict] } else { reached }
}

/// Writes and runs the harnesses that the user asked for; says by target how the executions went.
fn write_harnesses(
    args: &VerifyArgs,
    task: &Task,
    program: &Program,
    outcome: &Outcome,
    cancel: &Cancel,
) -> Vec<(usize, Execution)> {
    let mut all = Vec::new();
    for (verdict, number) in told(outcome).into_iter().zip(1..) {
        let Verdict::Unsafe(found) = verdict else { continue };
        match crate::harness::write(args, task, program, found, number, cancel.remaining()) {
            Ok(executed) => all.extend(executed.map(|executed| (found.target, executed))),
            Err(problem) => warn(&problem),
        }
    }
    all
}

/// Writes the abstract reachability graph that the user asked for.
fn write_states(args: &VerifyArgs, program: &Program, outcome: &Outcome) {
    let Some(path) = &args.engine.dump_arg else { return };
    let trail = &outcome.counters.trail;
    if trail.states.is_empty() {
        let preset = outcome.steps.last().map_or("the analysis", |step| &step.preset);
        return warn(&format!("{}: not written, {preset} has no abstract reachability graph", path.display()));
    }
    let extension = path.extension().map_or(String::new(), |word| word.to_string_lossy().to_lowercase());
    let text = match extension.as_str() {
        "svg" => crate::show::svg(program, trail),
        "txt" => crate::show::states(program, trail),
        _ => crate::show::dot(program, trail),
    };
    if let Err(problem) = crate::write_file(path, &text) {
        warn(&problem);
    }
}

/// `w.yml`, then `w-2.yml` and so on.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Writes the witnesses that the user asked for; there is none of UNKNOWN.
fn write_witnesses(args: &VerifyArgs, task: &Task, program: &Program, outcome: &Outcome) -> Result<(), String> {
    let Some(path) = &args.witness else { return Ok(()) };
    let files = driver::read_bytes(task).map_err(|error| error.to_string())?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let subject = Subject { files: &files, property: &task.property, created: &witness::utc(now) };
    let format = match path.extension().is_some_and(|extension| extension == "graphml") {
        true => WitnessFormat::GraphMl,
        false => WitnessFormat::Yaml,
    };
    for (verdict, number) in told(outcome).into_iter().zip(1..) {
        if let Some(text) = write(program, verdict, &subject, format) {
            crate::write_file(&numbered(path, number), &text)?;
        }
    }
    Ok(())
}

fn text_of(name: &std::ffi::OsStr) -> String {
    name.to_string_lossy().into_owned()
}

fn files(args: &VerifyArgs) -> Vec<String> {
    args.program.files.iter().map(|file| printable(&file.display().to_string()).into_owned()).collect()
}

fn wanted(args: &VerifyArgs) -> Result<Request, String> {
    let request = request(&args.program, args.property.as_deref())?;
    let request = match &args.function {
        Some(function) => Request {
            entry: Some(function.clone()),
            given: Some(crate::request::given(&args.given)),
            requires: args.given.requires.clone(),
            ..request
        },
        None => request,
    };
    Ok(Request { checked: args.check.clone(), ..request })
}

/// The property that was asked for, also when the program was not read.
fn property_name(args: &VerifyArgs) -> String {
    let task = wanted(args).ok().and_then(|request| Task::new(request).ok());
    task.map_or_else(Property::default, |task| task.property).name().to_owned()
}

fn print_unknown(args: &VerifyArgs, reason: String, start: Instant) -> u8 {
    print_unknown_after(args, reason, Vec::new(), start)
}

/// The same where it is known what was tried.
fn print_unknown_after(args: &VerifyArgs, reason: String, parts: Vec<PartEnd>, start: Instant) -> u8 {
    let answer = Answer {
        parts,
        files: files(args),
        property: property_name(args),
        analysis: args.analysis.clone(),
        result: Err(printable(&reason).into_owned()),
        seconds: start.elapsed().as_secs_f64(),
    };
    print_answer(args, &answer)
}

fn print_answer(args: &VerifyArgs, answer: &Answer) -> u8 {
    if let Some(path) = &args.report
        && let Err(problem) = crate::write_file(path, &html::render(answer))
    {
        // The verdict is worth more than its report.
        warn(&problem);
    }
    let output = match args.format {
        Format::Text => text::render(answer, detail(args)),
        Format::Json => json::render(answer),
        Format::Sarif => sarif::render(answer),
        Format::Junit => junit::render(answer),
    };
    print_output(&output);
    answer.code()
}

fn detail(args: &VerifyArgs) -> Detail {
    match (args.quiet, args.statistics) {
        (_, true) => Detail::Statistics,
        (true, false) => Detail::Verdict,
        (false, false) => Detail::Evidence,
    }
}

fn print_output(output: &str) {
    if is_worker() { crate::print_raw(output) } else { crate::print(output) }
}

/// How often the supervisor is told where the engine is.
const LIVE: Duration = Duration::from_millis(150);

/// Tells the supervisor where the engine is that is put here, from a thread that ends with the process.
fn show_live() -> Arc<Mutex<Live>> {
    let shown: Arc<Mutex<Live>> = Arc::default();
    let engine = shown.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(LIVE);
            let text = engine.lock().unwrap_or_else(PoisonError::into_inner).text();
            supervise::tell(&supervise::live_note(&text));
        }
    });
    shown
}

fn warn(problem: &str) {
    note(&format!("argonaut: warning: {}", printable(problem)));
}

/// Lines on standard error; it does not matter whether they can be written.
fn note(lines: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable_lines(lines));
}

//! Are all presets right about generated programs over memory?
//!
//! ```text
//! memory ARGONAUT [--count 400] [--first 0] [--time 0.4] [--presets bmc,pred] [--model both|lp64|ilp32] [--jobs 2]
//!                 [--hours H] [--save FOLDER] [--show SEED]
//! ```
//!
//! Makes programs from seeds, executes each with all inputs under gcc and in the interpreter, and asks the given
//! `argonaut` with every preset (or those given) twice: about values that are observed and about values that are not.
//! Prints, by preset, how many answers are right, unknown and wrong, and how often something broke. A wrong answer is a
//! failure; its program is made small and printed, and with `--save` written to a folder. `--hours` goes on until then
//! instead of counting; `--show` prints one program of a seed.

use cfa::DataModel;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use testkit::ask::Verifier;
use testkit::memory::judge::{Judgement, judge};
use testkit::memory::shrink::shrink;
use testkit::memory::truth::{Question, Rejected, ground, questions};
use testkit::memory::{End, generate};
use testkit::survey::{Survey, status};

/// Programs that gcc compiles at a time.
const BATCH: u64 = 25;

struct Request {
    /// Counts questions; two of each program.
    survey: Survey,
    models: Vec<DataModel>,
    end: Option<Instant>,
    save: Option<String>,
    show: Option<u64>,
}

fn parse() -> Option<Request> {
    let mut models = vec![DataModel::Lp64, DataModel::Ilp32];
    let (mut end, mut save, mut show) = (None, None, None);
    let survey = Survey::parse((0.4, 400, Some(2)), |word, value| {
        match word {
            "--hours" => {
                let hours: f64 = value.parse().ok().filter(|hours| *hours > 0.0)?;
                end = Some(Instant::now() + Duration::from_secs_f64(hours * 3600.0));
            }
            "--save" => save = Some(value),
            "--show" => show = Some(value.parse().ok()?),
            "--model" => match value.as_str() {
                "lp64" => models = vec![DataModel::Lp64],
                "ilp32" => models = vec![DataModel::Ilp32],
                "both" => {}
                _ => return None,
            },
            _ => return None,
        }
        Some(())
    })?;
    Some(Request { survey, models, end, save, show })
}

fn main() -> ExitCode {
    let Some(mut request) = parse() else {
        eprintln!(
            "usage: memory ARGONAUT [--count 400] [--first 0] [--time 0.4] [--presets NAME,NAME] \
             [--model both|lp64|ilp32] [--jobs 2] [--hours H] [--save FOLDER] [--show SEED]"
        );
        return ExitCode::from(2);
    };
    if let Some(seed) = request.show {
        return show(&request, seed);
    }
    status("memory", run(&mut request))
}

/// Prints the program of a seed, with what is known about it.
fn show(request: &Request, seed: u64) -> ExitCode {
    let model = request.models[seed as usize % request.models.len()];
    let program = generate(seed, model);
    let truth = ground(std::slice::from_ref(&program), model).pop().expect("one answer for one program");
    match truth {
        Ok(truth) => questions(&program, &truth)
            .iter()
            .for_each(|question| println!("// {model:?}, fails: {}\n{}", question.fails, question.text())),
        Err(why) => println!("// {model:?}: {why:?}\n{}", program.text(&End::Print)),
    }
    ExitCode::SUCCESS
}

#[derive(Clone, Copy, Default)]
struct Tally {
    right: usize,
    unknown: usize,
    wrong: usize,
    broken: usize,
}

/// What is done and what is to do, for all workers.
#[derive(Default)]
struct Work {
    /// The next seed.
    seed: u64,
    asked: u64,
    undefined: usize,
    tallies: BTreeMap<String, Tally>,
    /// Questions that some presets answer wrongly.
    wrong: Vec<(Question, Vec<String>)>,
    /// What else ends with a failure.
    complaints: Vec<String>,
}

fn run(request: &mut Request) -> Result<bool, String> {
    request.survey.complete()?;
    let request = &*request;
    let first = Work { seed: request.survey.first, ..Work::default() };
    let mut work = request.survey.share(first, |work| worker(request, work));
    print_table(&work);
    work.complaints.sort();
    work.complaints.iter().for_each(|complaint| println!("{complaint}"));
    for (question, presets) in &work.wrong {
        println!("{}", describe(request, question, presets)?);
    }
    Ok(work.wrong.is_empty() && work.complaints.is_empty())
}

fn print_table(work: &Work) {
    println!("{:20} {:>8} {:>8} {:>8} {:>6} {:>8}", "preset", "programs", "right", "unknown", "WRONG", "internal");
    for (preset, Tally { right, unknown, wrong, broken }) in &work.tallies {
        let all = right + unknown + wrong + broken;
        println!("{preset:20} {all:>8} {right:>8} {unknown:>8} {wrong:>6} {broken:>8}");
    }
    println!("{} programs, {} more were undefined; the next seed is {}", work.asked, work.undefined, work.seed);
}

/// Takes batches of seeds until there are enough programs.
fn worker(request: &Request, work: &Mutex<Work>) {
    let lock = || work.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let first = {
            let mut work = lock();
            let enough = match request.end {
                Some(end) => Instant::now() >= end,
                None => work.asked >= request.survey.count,
            };
            if enough {
                return;
            }
            work.seed += BATCH;
            work.seed - BATCH
        };
        for &model in &request.models {
            let own =
                (first..first + BATCH).filter(|seed| request.models[*seed as usize % request.models.len()] == model);
            let programs: Vec<_> = own.map(|seed| generate(seed, model)).collect();
            for (program, truth) in programs.iter().zip(ground(&programs, model)) {
                match truth {
                    Err(Rejected::Undefined) => lock().undefined += 1,
                    Err(Rejected::Interpreter(how)) => {
                        let text = program.text(&End::Print);
                        let complaint = format!("INTERPRETER: seed {} ({model:?}): {how}\n{text}", program.seed);
                        eprintln!("{complaint}");
                        lock().complaints.push(complaint);
                    }
                    Ok(truth) => {
                        for question in questions(program, &truth) {
                            let enough = request.end.is_none() && lock().asked >= request.survey.count;
                            if !enough {
                                put(request, question, work);
                            }
                        }
                    }
                }
            }
        }
        let work = lock();
        eprintln!("{} programs asked about, {} wrong", work.asked, work.wrong.len());
    }
}

/// Puts a question to all presets.
fn put(request: &Request, question: Question, work: &Mutex<Work>) {
    let lock = || work.lock().unwrap_or_else(PoisonError::into_inner);
    lock().asked += 1;
    let mut wrong = Vec::new();
    for preset in &request.survey.presets {
        let judgement = judge(&request.survey.verifier, preset, &question);
        let mut work = lock();
        let tally = work.tallies.entry(preset.clone()).or_default();
        match judgement {
            Ok(Judgement::Right) => tally.right += 1,
            Ok(Judgement::Unknown) => tally.unknown += 1,
            Ok(Judgement::Wrong) => {
                tally.wrong += 1;
                wrong.push(preset.clone());
            }
            Ok(Judgement::Broken(what)) => {
                tally.broken += 1;
                let complaint = format!("BROKEN: {preset} on seed {}: {what}", question.program.seed);
                eprintln!("{complaint}");
                work.complaints.push(complaint);
            }
            Err(error) => work.complaints.push(error),
        }
    }
    if !wrong.is_empty() {
        // Told at once, so that a run that is ended early has said what it found.
        eprintln!("WRONG: {} on seed {}\n{}", wrong.join(", "), question.program.seed, question.text());
        lock().wrong.push((question, wrong));
    }
}

/// The question made small, and who answers it wrongly.
fn describe(request: &Request, question: &Question, presets: &[String]) -> Result<String, String> {
    // Longer than before: what a smaller program shows must not depend on a busy machine.
    let patient = Verifier { time: request.survey.verifier.time * 3.0, ..request.survey.verifier.clone() };
    let is_wrong = |preset: &str, question: &Question| judge(&patient, preset, question) == Ok(Judgement::Wrong);
    let small = shrink(question, |smaller| is_wrong(&presets[0], smaller));
    let wrong: Vec<&str> =
        request.survey.presets.iter().map(String::as_str).filter(|preset| is_wrong(preset, &small)).collect();
    let (seed, model) = (small.program.seed, small.program.model);
    let (said, truth) = if small.fails { ("TRUE", "FALSE") } else { ("FALSE", "TRUE") };
    let head = format!("// WRONG: seed {seed}, {model:?}: {said} instead of {truth} by {}", wrong.join(", "));
    let before = format!("// (the whole program: by {})", presets.join(", "));
    let text = format!("{head}\n{before}\n{}", small.text());
    if let Some(folder) = &request.save {
        let name = format!("{folder}/seed{seed}-{}.c", truth.to_lowercase());
        std::fs::write(&name, &text).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(text)
}

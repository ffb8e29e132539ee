//! Do all presets agree with the known verdicts of generated programs?
//!
//! ```text
//! agreement ARGONAUT [--count 300] [--first 0] [--time 5] [--presets bmc,pred] [--jobs 2]
//! ```
//!
//! Runs the given `argonaut` on every program with every preset (of `argonaut presets`, or those given), some at a time,
//! and prints, by preset, how many verdicts are right, unknown and wrong, and the longest run. A wrong verdict is a
//! failure; its program is printed. So is a run that does not end within a second after its time limit. A line a program
//! says how far it is; with `--first` after the last seed a later run goes on from there.

use cfa::DataModel;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use testkit::agreement::{Known, generate};
use testkit::ask::Said;
use testkit::csmith;
use testkit::scratch::Scratch;
use testkit::survey::{Survey, status};

#[derive(Clone, Copy, Default)]
struct Tally {
    right: usize,
    unknown: usize,
    wrong: usize,
    longest: Duration,
}

/// What is done and what is to do, for all workers.
#[derive(Default)]
struct Work {
    /// The next seed.
    seed: u64,
    /// Programs that were begun.
    begun: u64,
    tallies: BTreeMap<String, Tally>,
    /// What ends with a failure.
    complaints: Vec<String>,
}

/// Whether the preset says that the error is reachable, `None` if it does not know; and how long that took.
fn ask(survey: &Survey, preset: &str, known: &Known, scratch: &Scratch) -> Result<(Option<bool>, Duration), String> {
    let file = scratch.file("program.c");
    let (said, took) = survey.verifier.ask(preset, DataModel::Lp64, &[csmith::INCLUDE], &file)?;
    match said {
        Said::True => Ok((Some(false), took)),
        Said::False => Ok((Some(true), took)),
        Said::Unknown => Ok((None, took)),
        Said::Broken(what) => Err(format!("{preset} on {}: {what}", known.name)),
    }
}

fn main() -> ExitCode {
    let Some(mut survey) = Survey::parse((5.0, 300, Some(2)), |_, _| None) else {
        eprintln!("usage: agreement ARGONAUT [--count 300] [--first 0] [--time 5] [--presets NAME,NAME] [--jobs 2]");
        return ExitCode::from(2);
    };
    status("agreement", run(&mut survey))
}

fn run(survey: &mut Survey) -> Result<bool, String> {
    survey.complete()?;
    let survey = &*survey;
    let work = survey.share(Work { seed: survey.first, ..Work::default() }, |work| worker(survey, work));
    println!("{:20} {:>6} {:>8} {:>6} {:>10}", "preset", "right", "unknown", "wrong", "longest s");
    let mut verdicts = 0;
    for (preset, tally) in &work.tallies {
        let Tally { right, unknown, wrong, longest } = tally;
        println!("{preset:20} {right:>6} {unknown:>8} {wrong:>6} {:>10.1}", longest.as_secs_f64());
        verdicts += right + wrong;
    }
    println!("{} programs, {verdicts} verdicts, {} complaints", work.begun, work.complaints.len());
    for complaint in &work.complaints {
        println!("{complaint}");
    }
    Ok(work.complaints.is_empty())
}

/// Takes programs until there are enough.
fn worker(survey: &Survey, work: &Mutex<Work>) {
    let lock = || work.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let seed = {
            let mut work = lock();
            if work.begun >= survey.count {
                return;
            }
            work.begun += 1;
            work.seed += 1;
            work.seed - 1
        };
        // Programs of csmith that do not end are left out.
        let Some(known) = generate(seed) else {
            lock().begun -= 1;
            continue;
        };
        let (tallies, complaints) = judge(survey, &known);
        let mut work = lock();
        eprintln!("{}: {} of {} begun", known.name, work.begun, survey.count);
        for (preset, tally) in tallies {
            let sum = work.tallies.entry(preset).or_default();
            sum.right += tally.right;
            sum.unknown += tally.unknown;
            sum.wrong += tally.wrong;
            sum.longest = sum.longest.max(tally.longest);
        }
        // Told at once as well, so that a run that is ended early has said what it found.
        complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
        work.complaints.extend(complaints);
    }
}

/// What all presets say about a program.
fn judge(survey: &Survey, known: &Known) -> (Vec<(String, Tally)>, Vec<String>) {
    let (mut tallies, mut complaints) = (Vec::new(), Vec::new());
    let scratch = match Scratch::new() {
        Ok(scratch) => scratch,
        Err(error) => return (tallies, vec![error.to_string()]),
    };
    if let Err(error) = std::fs::write(scratch.file("program.c"), &known.text) {
        return (tallies, vec![error.to_string()]);
    }
    for preset in &survey.presets {
        let mut tally = Tally::default();
        match ask(survey, preset, known, &scratch) {
            Err(error) => complaints.push(error),
            Ok((verdict, took)) => {
                tally.longest = took;
                if took.as_secs_f64() > survey.verifier.time + 1.0 {
                    let seconds = took.as_secs_f64();
                    complaints.push(format!("LATE: {preset} on {} takes {seconds:.1} s", known.name));
                }
                match verdict {
                    None => tally.unknown = 1,
                    Some(fails) if fails == known.fails => tally.right = 1,
                    Some(fails) => {
                        tally.wrong = 1;
                        let said = if fails { "FALSE" } else { "TRUE" };
                        complaints.push(format!("WRONG: {preset} says {said} of {}:\n{}", known.name, known.text));
                    }
                }
            }
        }
        tallies.push((preset.clone(), tally));
    }
    (tallies, complaints)
}

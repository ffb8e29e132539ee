//! Presets are right about programs with planted misuses of memory and their repaired twins, as gcc's address and leak
//! sanitizers judge them over all inputs. `MISUSE=500 cargo test --release -p testkit --test misuse` asks about as many;
//! `MISUSE_FIRST=1000` starts with another seed, `MISUSE_PRESETS=4` asks more presets each.

use base::Cancel;
use cfa::{Check, Checks, TargetKind};
use driver::{Options, Preset};
use flow::Prepared;
use std::time::Duration;
use testkit::misuse::{Misuse, generate, reported};
use testkit::program::lower_with;
use verdict::{Stop, Verdict};

const PATIENCE: Duration = Duration::from_millis(700);
/// Programs, half of them twins, if no other number is asked for.
const PROGRAMS: u64 = 40;
/// Presets that a program goes to besides `auto`, others each time.
const ASKED: usize = 2;

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What a preset says: nothing, that all is fine, or what fails.
fn decide(program: &Prepared, preset: &Preset) -> Result<Option<Option<Check>>, String> {
    let cancel = Cancel::with_limits(Some(PATIENCE), None);
    let outcome = driver::run(program, preset, &Options::default(), None, &cancel, &mut |_| {});
    match outcome.expect("presets have good options").verdict {
        Verdict::Safe(_) => Ok(Some(None)),
        Verdict::Unsafe(found) => match program.targets[found.target].kind {
            TargetKind::Check(check) => Ok(Some(Some(check))),
            other => Err(format!("another target is reached: {other:?}")),
        },
        Verdict::Unknown(Stop::Internal(what)) => Err(what),
        Verdict::Unknown(_) => Ok(None),
    }
}

#[test]
fn presets_are_right_about_planted_misuses() {
    let (count, first, asked) =
        (setting("MISUSE", PROGRAMS), setting("MISUSE_FIRST", 0), setting("MISUSE_PRESETS", ASKED as u64));
    let all: Vec<Misuse> = (first..first + count / 2).flat_map(generate).collect();
    let reports = reported(&all).expect("gcc takes them");
    let meant = |planted: Option<Check>, report: &std::collections::BTreeSet<Check>| match planted {
        Some(check) => report.len() == 1 && report.contains(&check),
        None => report.is_empty(),
    };
    let clear: Vec<&Misuse> =
        all.iter().zip(&reports).filter(|(one, report)| meant(one.planted, report)).map(|(one, _)| one).collect();
    for (one, report) in all.iter().zip(&reports).filter(|(one, report)| !meant(one.planted, report)) {
        assert!(one.planted.is_some(), "a twin is not fine: {report:?}\n{}", one.text());
    }
    assert!(clear.len() * 10 >= all.len() * 8, "{} of {} are what they were meant to be", clear.len(), all.len());
    let presets: Vec<Preset> = Preset::all().collect();
    let checks = Checks::of(&[Check::Deref, Check::Free, Check::Track]);
    let (mut complaints, mut answered, mut questions) = (Vec::new(), 0, 0);
    for (at, one) in clear.iter().enumerate() {
        let options = lower::Options { checks, ..lower::Options::default() };
        let mut program = lower_with(&one.text(), &options).expect("gcc takes it, too");
        transform::check_memory(&mut program, checks);
        driver::prepare(&mut program, cfa::Outside::Pure);
        driver::discharge_checks(&mut program, &Cancel::with_limits(Some(10 * PATIENCE), None));
        let program = Prepared::new(program);
        for turn in 0..=asked as usize {
            let preset = match turn {
                0 => Preset::named("auto").expect("a preset"),
                _ => presets[(at * asked as usize + turn) % presets.len()].clone(),
            };
            questions += 1;
            match decide(&program, &preset) {
                Err(what) => complaints.push(format!("{}: {what}\n{}", preset.name, one.text())),
                Ok(Some(says)) if says != one.planted => {
                    complaints.push(format!("{} wrongly says {says:?} of\n{}", preset.name, one.text()));
                }
                Ok(Some(_)) => answered += 1,
                Ok(None) => {}
            }
        }
    }
    eprintln!("{} programs of {} are clear; {answered} right answers of {questions}", clear.len(), all.len());
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
    assert!(answered * 8 > questions, "{answered} answers to {questions} questions");
}

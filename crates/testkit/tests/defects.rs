//! Presets are right about programs with planted defects and their repaired twins, as gcc judges them over all inputs. `DEFECTS=1000 cargo test -p testkit --test defects` asks about as many.

mod verdicts;

use base::Cancel;
use cfa::Check;
use driver::Preset;
use std::time::Duration;
use testkit::defects::{Planted, generate, undefined};
use testkit::program::lower_with;
use verdicts::decide;

/// A preset that needs longer says nothing, which is not wrong.
const PATIENCE: Duration = Duration::from_millis(500);
/// Programs, half of them twins, unless more are asked for.
const PROGRAMS: u64 = 60;
/// Presets that a program goes to besides `auto`, others each time.
const ASKED: usize = 2;

#[test]
fn presets_are_right_about_planted_defects() {
    let count = std::env::var("DEFECTS").ok().and_then(|text| text.parse().ok()).unwrap_or(PROGRAMS);
    let programs: Vec<Planted> = (0..count / 2).flat_map(generate).collect();
    let failing = ask(&programs);
    assert!(failing * 10 >= programs.len() * 3, "{failing} of {} programs fail", programs.len());
}

/// Programs of a file, one a line.
fn rows(kind: Check, text: &str) -> Vec<Planted> {
    text.lines().filter(|row| !row.starts_with('#')).map(|row| Planted::of(kind, row)).collect()
}

#[test]
fn presets_are_right_about_corner_cases_of_arithmetic() {
    ask(&rows(Check::Overflow, include_str!("defects/arithmetic.txt")));
}

#[test]
fn presets_are_right_about_corner_cases_of_initialisation() {
    ask(&rows(Check::Uninitialised, include_str!("defects/initialisation.txt")));
}

#[test]
fn presets_are_right_about_corner_cases_of_pointers() {
    ask(&rows(Check::Pointer, include_str!("defects/pointers.txt")));
}

/// Asks `auto` and some other presets about each program; says how many fail.
fn ask(programs: &[Planted]) -> usize {
    let truth = undefined(programs).expect("gcc is installed");
    let failing = truth.iter().filter(|fails| **fails).count();
    let presets: Vec<Preset> = Preset::all().collect();
    let (mut complaints, mut answered, mut asked) = (Vec::new(), 0, 0);
    for (at, (planted, &fails)) in programs.iter().zip(&truth).enumerate() {
        let options = lower::Options { checks: planted.checks(), ..lower::Options::default() };
        let mut program = lower_with(&planted.text(), &options).expect("gcc takes it, too");
        transform::check_initialised(&mut program, planted.checks());
        driver::prepare(&mut program, cfa::Outside::Pure);
        driver::discharge_checks(&mut program, &Cancel::with_limits(Some(10 * PATIENCE), None));
        for turn in 0..=ASKED {
            let preset = match turn {
                0 => Preset::named("auto").expect("a preset"),
                _ => presets[(at * ASKED + turn) % presets.len()].clone(),
            };
            asked += 1;
            match decide(&program, &preset, PATIENCE) {
                Err(what) => complaints.push(format!("{}: {what}\n{}", preset.name, planted.text())),
                Ok(Some(says)) if says != fails => {
                    let said = if says { "FALSE" } else { "TRUE" };
                    complaints.push(format!("{} wrongly says {said} of\n{}", preset.name, planted.text()));
                }
                Ok(Some(_)) => answered += 1,
                Ok(None) => {}
            }
        }
    }
    eprintln!("{} programs, {failing} fail; {answered} right answers of {asked}", programs.len());
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
    assert!(answered * 8 > asked, "{answered} answers to {asked} questions");
    failing
}

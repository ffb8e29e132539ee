//! Presets are right about 300 questions on generated programs over memory; the command `memory` asks many more.
//!
//! Each question goes to a few presets, others each time, so that all have their turn.

mod verdicts;

use cfa::DataModel;
use driver::Preset;
use std::time::Duration;
use testkit::gcc;
use testkit::memory::truth::{Rejected, ground, questions};
use testkit::memory::{End, generate};
use testkit::program::lower;
use verdicts::decide;

/// A preset that needs longer says nothing, which is not wrong.
const PATIENCE: Duration = Duration::from_millis(400);
/// Presets that a question goes to.
const ASKED: usize = 2;
/// Programs for each data model; two questions each.
const PROGRAMS: u64 = 75;
/// Programs that gcc compiles at a time.
const BATCH: u64 = 25;

fn check(model: DataModel, first: u64) {
    if !gcc::is_available(model) {
        eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
        return;
    }
    let presets: Vec<Preset> = Preset::all().collect();
    let (mut complaints, mut asked, mut answered, mut undefined) = (Vec::new(), 0, 0, 0);
    for batch in (first..first + PROGRAMS).step_by(BATCH as usize) {
        let programs: Vec<_> = (batch..batch + BATCH).map(|seed| generate(seed, model)).collect();
        for (program, truth) in programs.iter().zip(ground(&programs, model)) {
            let truth = match truth {
                Ok(truth) => truth,
                Err(Rejected::Undefined) => {
                    undefined += 1;
                    continue;
                }
                Err(Rejected::Interpreter(how)) => {
                    complaints.push(format!("seed {}: {how}\n{}", program.seed, program.text(&End::Print)));
                    continue;
                }
            };
            for question in questions(program, &truth) {
                let text = question.text();
                let mut lowered = lower(&text, model).expect("the interpreter took it, too");
                driver::prepare(&mut lowered, cfa::Outside::Pure);
                for turn in 0..ASKED {
                    let preset = &presets[(asked + turn * presets.len() / ASKED) % presets.len()];
                    match decide(&lowered, preset, PATIENCE) {
                        Err(what) => complaints.push(format!("{}: {what}\n{text}", preset.name)),
                        Ok(Some(fails)) if fails != question.fails => {
                            let said = if fails { "FALSE" } else { "TRUE" };
                            complaints.push(format!("{} wrongly says {said} of\n{text}", preset.name));
                        }
                        Ok(Some(_)) => answered += 1,
                        Ok(None) => {}
                    }
                }
                asked += 1;
            }
        }
    }
    eprintln!("{model:?}: {asked} questions, {answered} right answers of {}", asked * ASKED);
    assert!(complaints.is_empty(), "{} complaints\n{}", complaints.len(), complaints.join("\n"));
    assert!(undefined * 10 < PROGRAMS, "{undefined} of {PROGRAMS} programs are undefined");
    // Half of it on an idle machine.
    assert!(answered * 8 > asked * ASKED, "{answered} answers to {asked} questions");
}

#[test]
fn presets_are_right_about_memory_lp64() {
    check(DataModel::Lp64, 0);
}

#[test]
fn presets_are_right_about_memory_ilp32() {
    check(DataModel::Ilp32, 10_000);
}

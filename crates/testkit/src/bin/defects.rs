//! Are presets right about programs with planted defects and their repaired twins?
//!
//! ```text
//! defects ARGONAUT [--count 1000] [--first 0] [--time 1] [--presets auto,bmc] [--state FILE]
//! ```
//!
//! Makes programs from seeds, half of them with defects of arithmetic, half with misuses of memory, lets gcc judge them over
//! all inputs, and asks the given `argonaut` with every preset (or those given). Prints, by preset, how many answers are
//! right, unknown and wrong; wrong ones are failures, and their programs are printed at once. With `--state`, each answer is
//! a line of that file, and a run that is started again goes on after the last line.

use cfa::{Check, DataModel};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::process::ExitCode;
use testkit::ask::Said;
use testkit::scratch::Scratch;
use testkit::survey::{Survey, status};
use testkit::{defects, misuse};

/// Seeds whose programs gcc compiles at a time; each has two of each kind.
const BATCH: u64 = 10;
/// Programs of a seed.
const PER_SEED: u64 = 4;
/// The kinds of defects of arithmetic, of values that were never given and of pointers.
const UNDEFINED: &str = "overflow,division,shift,conversion,uninitialised,pointer";
const PROPERTY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                        CHECK( init(main()), LTL(G valid-memtrack) )\n";

fn main() -> ExitCode {
    let mut state = None;
    let survey = Survey::parse((1.0, 1000, None), |word, value| {
        state = Some(value).filter(|_| word == "--state");
        state.is_some().then_some(())
    });
    let Some(mut survey) = survey else {
        eprintln!("usage: defects ARGONAUT [--count 1000] [--first 0] [--time 1] [--presets NAME,NAME] [--state FILE]");
        return ExitCode::from(2);
    };
    status("defects", run(&mut survey, state.as_ref()))
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
enum About {
    Undefined,
    Lossy,
    Memory,
}

/// A program and what is true of it.
struct Question {
    /// `arithmetic-7-1`: the kind, the seed, and whether it is the twin.
    name: String,
    text: String,
    about: About,
    fails: bool,
}

/// The programs of some seeds of which gcc says what they are.
fn questions(seeds: std::ops::Range<u64>) -> Result<Vec<Question>, String> {
    let name = |kind: &str, at: usize| format!("{kind}-{}-{}", seeds.start + at as u64 / 2, at % 2);
    let planted: Vec<defects::Planted> = seeds.clone().flat_map(defects::generate).collect();
    let truth = defects::undefined(&planted)?;
    let arithmetic = planted.iter().zip(truth).enumerate().map(|(at, (one, fails))| Question {
        name: name("arithmetic", at),
        text: one.text(),
        about: if one.kind == Check::Lossy { About::Lossy } else { About::Undefined },
        fails,
    });
    let misused: Vec<misuse::Misuse> = seeds.clone().flat_map(misuse::generate).collect();
    let reports = misuse::reported(&misused)?;
    // Where the sanitizers report something else first, nothing is known.
    let clear = misused.iter().zip(reports).enumerate().filter(|(_, (one, report))| {
        report.len() == usize::from(one.planted.is_some()) && one.planted.is_none_or(|check| report.contains(&check))
    });
    let memory = clear.map(|(at, (one, _))| Question {
        name: name("memory", at),
        text: one.text(),
        about: About::Memory,
        fails: one.planted.is_some(),
    });
    Ok(arithmetic.chain(memory).collect())
}

/// Right, unknown, wrong, broken.
type Tallies = BTreeMap<String, [u64; 4]>;

/// What was answered before: the lines of the state.
#[derive(Default)]
struct State {
    known: BTreeSet<(String, String)>,
    file: Option<File>,
}

impl State {
    fn open(path: Option<&String>, tallies: &mut Tallies) -> Result<State, String> {
        let Some(path) = path else { return Ok(State::default()) };
        let mut state = State::default();
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            let mut parts = line.split(' ');
            if let (Some(name), Some(preset), Some(column)) = (parts.next(), parts.next(), parts.next())
                && let Some(column) = COLUMNS.iter().position(|name| *name == column)
            {
                tallies.entry(preset.to_owned()).or_default()[column] += 1;
                state.known.insert((name.to_owned(), preset.to_owned()));
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        state.file = Some(file.map_err(|error| format!("{path}: {error}"))?);
        Ok(state)
    }

    fn note(&mut self, name: &str, preset: &str, column: usize) -> Result<(), String> {
        let Some(file) = &mut self.file else { return Ok(()) };
        writeln!(file, "{name} {preset} {}", COLUMNS[column]).map_err(|error| error.to_string())
    }
}

const COLUMNS: [&str; 4] = ["right", "unknown", "wrong", "broken"];

fn run(survey: &mut Survey, state: Option<&String>) -> Result<bool, String> {
    survey.complete()?;
    let mut tallies = Tallies::new();
    let mut state = State::open(state, &mut tallies)?;
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (file, property) = (scratch.file("planted.c"), scratch.file("memory.prp"));
    std::fs::write(&property, PROPERTY).map_err(|error| error.to_string())?;
    let property = property.to_str().ok_or("the folder has an odd name")?;
    let end = survey.first + survey.count.div_ceil(PER_SEED);
    let mut at = survey.first;
    while at < end {
        let seeds = at..end.min(at + BATCH);
        at = seeds.end;
        for question in questions(seeds)? {
            std::fs::write(&file, &question.text).map_err(|error| error.to_string())?;
            for preset in &survey.presets {
                if state.known.contains(&(question.name.clone(), preset.clone())) {
                    continue;
                }
                let [flag, value] = match question.about {
                    About::Undefined => ["--check", UNDEFINED],
                    About::Lossy => ["--check", "lossy"],
                    About::Memory => ["--property", property],
                };
                let flags = [flag, value, "--extern", "pure"];
                let (said, _) = survey.verifier.ask(preset, DataModel::Lp64, &flags, &file)?;
                let column = match (&said, question.fails) {
                    (Said::True, false) | (Said::False, true) => 0,
                    (Said::Unknown, _) => 1,
                    (Said::True, true) | (Said::False, false) => 2,
                    (Said::Broken(_), _) => 3,
                };
                if column > 1 {
                    println!("{preset} on {} ({:?}): {said:?}\n{}", question.name, question.about, question.text);
                }
                tallies.entry(preset.clone()).or_default()[column] += 1;
                state.note(&question.name, preset, column)?;
            }
        }
        eprintln!("seeds up to {at} of {end}");
    }
    println!("{:20} {:>8} {:>8} {:>8} {:>8}", "preset", COLUMNS[0], COLUMNS[1], COLUMNS[2], COLUMNS[3]);
    for (preset, counts) in &tallies {
        println!("{preset:20} {:>8} {:>8} {:>8} {:>8}", counts[0], counts[1], counts[2], counts[3]);
    }
    Ok(tallies.values().all(|counts| counts[2] + counts[3] == 0))
}

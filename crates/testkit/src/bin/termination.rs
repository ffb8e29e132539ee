//! Are verdicts about termination right on generated programs with loops and recursion?
//!
//! ```text
//! termination ARGONAUT [--count 500] [--first 0] [--time 2] [--presets auto,ranking]
//! ```
//!
//! Runs the given `argonaut` on every program with the given presets, and prints, by preset and by kind of program, how
//! many verdicts are right, unknown and wrong. A wrong verdict is a failure; its program is printed.

use cfa::DataModel;
use std::collections::BTreeMap;
use std::process::ExitCode;
use testkit::ask::{Said, Verifier};
use testkit::loops::{generate, truth};
use testkit::scratch::Scratch;

const KINDS: [&str; 8] = ["counters", "nests", "phases", "remainders", "bits", "recursion", "lists", "mixtures"];
const PROPERTY: &str = "CHECK( init(main()), LTL(F end) )\n";

struct Request {
    verifier: Verifier,
    count: u64,
    first: u64,
    presets: Vec<String>,
}

fn parse() -> Option<Request> {
    let mut words = std::env::args().skip(1);
    let verifier = Verifier { path: words.next()?, time: 2.0 };
    let mut request = Request { verifier, count: 500, first: 0, presets: vec!["auto".to_owned()] };
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--count" => request.count = value.parse().ok()?,
            "--first" => request.first = value.parse().ok()?,
            "--time" => request.verifier.time = value.parse().ok().filter(|time| *time > 0.0)?,
            "--presets" => request.presets = value.split(',').map(str::to_owned).collect(),
            _ => return None,
        }
    }
    Some(request)
}

fn run(request: &Request) -> Result<bool, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (file, property) = (scratch.file("program.c"), scratch.file("termination.prp"));
    std::fs::write(&property, PROPERTY).map_err(|error| error.to_string())?;
    // Right that it ends, right that it does not, unknown, wrong.
    let mut tallies: BTreeMap<(String, &str), [u32; 4]> = BTreeMap::new();
    let mut good = true;
    for seed in request.first..request.first + request.count {
        let program = generate(seed);
        let Some(ends) = truth::ends(&program) else { continue };
        let text = program.text();
        std::fs::write(&file, &text).map_err(|error| error.to_string())?;
        for preset in &request.presets {
            let flags = ["--property", property.to_str().ok_or("the folder has an odd name")?];
            let (said, _) = request.verifier.ask(preset, DataModel::Lp64, &flags, &file)?;
            let at = match (&said, ends) {
                (Said::True, true) => 0,
                (Said::False, false) => 1,
                (Said::Unknown, _) => 2,
                (Said::True, false) | (Said::False, true) | (Said::Broken(_), _) => 3,
            };
            if at == 3 {
                good = false;
                println!("{preset} on seed {seed} says {said:?}, but ends = {ends}\n{text}");
            }
            tallies.entry((preset.clone(), KINDS[(seed % 8) as usize])).or_default()[at] += 1;
        }
    }
    println!("{:<14}{:<12}{:>6}{:>8}{:>9}{:>7}", "preset", "kind", "ends", "endless", "unknown", "wrong");
    for ((preset, kind), [ended, endless, unknown, wrong]) in &tallies {
        println!("{preset:<14}{kind:<12}{ended:>6}{endless:>8}{unknown:>9}{wrong:>7}");
    }
    Ok(good)
}

fn main() -> ExitCode {
    let Some(request) = parse() else {
        eprintln!("usage: termination ARGONAUT [--count N] [--first SEED] [--time SECONDS] [--presets a,b]");
        return ExitCode::from(2);
    };
    match run(&request) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

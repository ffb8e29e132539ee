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
use testkit::ask::Said;
use testkit::loops::{generate, truth};
use testkit::scratch::Scratch;
use testkit::survey::{Survey, status};

const KINDS: [&str; 8] = ["counters", "nests", "phases", "remainders", "bits", "recursion", "lists", "mixtures"];
const PROPERTY: &str = "CHECK( init(main()), LTL(F end) )\n";

fn run(survey: &Survey) -> Result<bool, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (file, property) = (scratch.file("program.c"), scratch.file("termination.prp"));
    std::fs::write(&property, PROPERTY).map_err(|error| error.to_string())?;
    // Right that it ends, right that it does not, unknown, wrong.
    let mut tallies: BTreeMap<(String, &str), [u32; 4]> = BTreeMap::new();
    let mut good = true;
    for seed in survey.first..survey.first + survey.count {
        let program = generate(seed);
        let Some(ends) = truth::ends(&program) else { continue };
        let text = program.text();
        std::fs::write(&file, &text).map_err(|error| error.to_string())?;
        for preset in &survey.presets {
            let flags = ["--property", property.to_str().ok_or("the folder has an odd name")?];
            let (said, _) = survey.verifier.ask(preset, DataModel::Lp64, &flags, &file)?;
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
    println!("{:<20}{:<12}{:>6}{:>8}{:>9}{:>7}", "preset", "kind", "ends", "endless", "unknown", "wrong");
    for ((preset, kind), [ended, endless, unknown, wrong]) in &tallies {
        println!("{preset:<20}{kind:<12}{ended:>6}{endless:>8}{unknown:>9}{wrong:>7}");
    }
    Ok(good)
}

fn main() -> ExitCode {
    let Some(mut survey) = Survey::parse((2.0, 500, None), |_, _| None) else {
        eprintln!("usage: termination ARGONAUT [--count N] [--first SEED] [--time SECONDS] [--presets a,b]");
        return ExitCode::from(2);
    };
    if survey.presets.is_empty() {
        survey.presets = vec!["auto".to_owned()];
    }
    status("termination", run(&survey))
}

//! Do all presets agree with the known verdicts of generated programs?
//!
//! ```text
//! agreement ARGONAUT [--count 300] [--first 0] [--time 5] [--presets bmc,pred]
//! ```
//!
//! Runs the given `argonaut` on every program with every preset (of `argonaut presets`, or those given) and prints, by
//! preset, how many verdicts are right, unknown and wrong. A wrong verdict is a failure; its program is printed.

use std::collections::BTreeMap;
use std::process::{Command, ExitCode, Stdio};
use testkit::agreement::{Known, generate};
use testkit::csmith;
use testkit::scratch::Scratch;

struct Request {
    argonaut: String,
    count: usize,
    first: u64,
    time: u64,
    presets: Vec<String>,
}

fn parse() -> Option<Request> {
    let mut words = std::env::args().skip(1);
    let argonaut = words.next()?;
    let mut request = Request { argonaut, count: 300, first: 0, time: 5, presets: Vec::new() };
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--count" => request.count = value.parse().ok()?,
            "--first" => request.first = value.parse().ok()?,
            "--time" => request.time = value.parse().ok()?,
            "--presets" => request.presets = value.split(',').map(str::to_owned).collect(),
            _ => return None,
        }
    }
    Some(request)
}

/// The names that `argonaut presets` lists.
fn all_presets(argonaut: &str) -> Result<Vec<String>, String> {
    let output = Command::new(argonaut).arg("presets").output().map_err(|error| format!("{argonaut}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_whitespace().next());
    Ok(names.map(str::to_owned).collect())
}

#[derive(Clone, Copy, Default)]
struct Tally {
    right: usize,
    unknown: usize,
    wrong: usize,
}

/// Whether the preset says that the error is reachable; `None` if it does not know.
fn ask(request: &Request, preset: &str, known: &Known) -> Result<Option<bool>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("program.c");
    std::fs::write(&file, &known.text).map_err(|error| error.to_string())?;
    let mut command = Command::new(&request.argonaut);
    command.args(["verify", "--quiet", "--analysis", preset, "--time-limit", &format!("{}s", request.time)]);
    command.arg(csmith::INCLUDE).arg(&file).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().map_err(|error| format!("{}: {error}", request.argonaut))?;
    match output.status.code() {
        Some(0) => Ok(Some(false)),
        Some(1) => Ok(Some(true)),
        Some(3) => Ok(None),
        other => Err(format!("{preset} on {} ends with status {other:?}", known.name)),
    }
}

fn main() -> ExitCode {
    let Some(mut request) = parse() else {
        eprintln!("usage: agreement ARGONAUT [--count 300] [--first 0] [--time 5] [--presets NAME,NAME]");
        return ExitCode::from(2);
    };
    match run(&mut request) {
        Ok(wrong) => ExitCode::from(u8::from(wrong)),
        Err(error) => {
            eprintln!("agreement: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(request: &mut Request) -> Result<bool, String> {
    if request.presets.is_empty() {
        request.presets = all_presets(&request.argonaut)?;
    }
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut done = 0;
    let mut seed = request.first;
    while done < request.count {
        // Programs of csmith that do not end are left out.
        let known = generate(seed);
        seed += 1;
        let Some(known) = known else { continue };
        done += 1;
        for preset in &request.presets {
            let tally = tallies.entry(preset).or_default();
            match ask(request, preset, &known)? {
                None => tally.unknown += 1,
                Some(fails) if fails == known.fails => tally.right += 1,
                Some(fails) => {
                    tally.wrong += 1;
                    let said = if fails { "FALSE" } else { "TRUE" };
                    println!("WRONG: {preset} says {said} of {}:\n{}", known.name, known.text);
                }
            }
        }
    }
    println!("{:20} {:>6} {:>8} {:>6}", "preset", "right", "unknown", "wrong");
    for (preset, tally) in &tallies {
        println!("{preset:20} {:>6} {:>8} {:>6}", tally.right, tally.unknown, tally.wrong);
    }
    Ok(tallies.values().any(|tally| tally.wrong > 0))
}

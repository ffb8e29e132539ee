//! Disturbs runs of a command at random moments, one after the other:
//!
//! ```text
//! faults ARGONAUT [--seconds 600] [--seed 1]
//! ```
//!
//! Prints what was found wrong and how many runs there were of each kind; the exit status tells whether any was wrong.

use semantics::random::Random;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use testkit::faults::{Fault, trial};

struct Request {
    argonaut: PathBuf,
    time: Duration,
    seed: u64,
}

fn parse(mut words: impl Iterator<Item = String>) -> Option<Request> {
    let argonaut = std::path::absolute(words.next()?).ok()?;
    let mut request = Request { argonaut, time: Duration::from_secs(600), seed: 1 };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => request.time = Duration::from_secs(words.next()?.parse().ok()?),
            "--seed" => request.seed = words.next()?.parse().ok()?,
            _ => return None,
        }
    }
    Some(request)
}

fn main() -> ExitCode {
    let Some(request) = parse(std::env::args().skip(1)) else {
        eprintln!("usage: faults ARGONAUT [--seconds N] [--seed N]");
        return ExitCode::from(2);
    };
    let mut random = Random::new(request.seed);
    let (mut counts, mut wrong): (BTreeMap<Fault, u64>, u64) = Default::default();
    let start = Instant::now();
    for number in 0.. {
        if start.elapsed() >= request.time {
            break;
        }
        match trial(&request.argonaut, &mut random) {
            Ok(fault) => *counts.entry(fault).or_default() += 1,
            Err(problem) => {
                wrong += 1;
                println!("finding {number}: {problem}");
            }
        }
    }
    let counted: Vec<String> = counts.iter().map(|(fault, count)| format!("{count} {fault:?}")).collect();
    println!("{} runs went well ({}), {wrong} findings", counts.values().sum::<u64>(), counted.join(", "));
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

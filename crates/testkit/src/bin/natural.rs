//! How long does a preset take for the harnesses of `examples/natural`?
//!
//! ```text
//! natural ARGONAUT [--preset auto] [--time 60] [--folder examples/natural] [--only NAME,NAME]
//! ```
//!
//! Asks the given `argonaut` about every harness and prints the answer and the seconds that it took. A wrong answer is a
//! failure.

use cfa::DataModel;
use std::path::PathBuf;
use std::process::ExitCode;
use testkit::ask::{Said, Verifier};
use testkit::natural::{Harness, read};

struct Request {
    verifier: Verifier,
    preset: String,
    folder: PathBuf,
    only: Vec<String>,
}

fn parse() -> Option<Request> {
    let mut words = std::env::args().skip(1);
    let verifier = Verifier { path: words.next()?, time: 60.0 };
    let folder = PathBuf::from("examples/natural");
    let mut request = Request { verifier, preset: "auto".to_owned(), folder, only: Vec::new() };
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--preset" => request.preset = value,
            "--time" => request.verifier.time = value.parse().ok().filter(|time| *time > 0.0)?,
            "--folder" => request.folder = PathBuf::from(value),
            "--only" => request.only = value.split(',').map(str::to_owned).collect(),
            _ => return None,
        }
    }
    Some(request)
}

fn main() -> ExitCode {
    let Some(request) = parse() else {
        eprintln!("usage: natural ARGONAUT [--preset auto] [--time 60] [--folder FOLDER] [--only NAME,NAME]");
        return ExitCode::from(2);
    };
    match run(&request) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("natural: {error}");
            ExitCode::from(2)
        }
    }
}

/// How many answers are wrong.
fn run(request: &Request) -> Result<usize, String> {
    let (mut right, mut unknown, mut wrong) = (0, 0, 0);
    let chosen = |harness: &Harness| request.only.is_empty() || request.only.contains(&harness.name);
    for harness in read(&request.folder)?.into_iter().filter(chosen) {
        let property = request.folder.join("valid-deref.prp").to_string_lossy().into_owned();
        let flags: &[&str] = if harness.valid_deref { &["--property", &property] } else { &[] };
        let (said, took) = request.verifier.ask(&request.preset, DataModel::Lp64, flags, &harness.path)?;
        let answer = match said {
            Said::True | Said::False if (said == Said::False) == harness.fails => {
                right += 1;
                if harness.fails { "FALSE" } else { "TRUE" }
            }
            Said::True | Said::False => {
                wrong += 1;
                "WRONG"
            }
            Said::Unknown => {
                unknown += 1;
                "unknown"
            }
            Said::Broken(what) => return Err(format!("{}: {what}", harness.name)),
        };
        println!("{:24} {answer:8} {:8.2} s", harness.name, took.as_secs_f64());
    }
    println!("{right} right, {unknown} unknown, {wrong} wrong");
    Ok(wrong)
}

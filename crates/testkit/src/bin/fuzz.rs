//! Fuzzes the front end with mutated C programs:
//!
//! ```text
//! fuzz lower [--seconds 60] [--seed 1] [--findings FOLDER] [CORPUS_FOLDER]   parser, lowering, all passes
//! fuzz parse ...                                                            the parser alone
//! fuzz file PATH...                                                         checks these texts
//! ```
//!
//! Findings are panics, invalid programs, dead processes (stack overflow, more than 2 GiB), and inputs that take more
//! than 5 s of CPU time. They are kept in `fuzz-findings`; the exit status tells whether there were any.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use testkit::front_end::{self, Stage};
use testkit::fuzz::Campaign;

struct Request {
    campaign: Campaign,
    is_worker: bool,
    round: u64,
}

fn parse(command: String, mut words: impl Iterator<Item = String>) -> Option<Request> {
    let findings = PathBuf::from("fuzz-findings");
    let campaign = Campaign { command, time: Duration::from_secs(60), seed: 1, corpus: None, findings };
    let mut request = Request { campaign, is_worker: false, round: 0 };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => request.campaign.time = Duration::from_secs(words.next()?.parse().ok()?),
            "--seed" => request.campaign.seed = words.next()?.parse().ok()?,
            "--findings" => request.campaign.findings = words.next()?.into(),
            "--worker" => request.is_worker = true,
            "--round" => request.round = words.next()?.parse().ok()?,
            _ => request.campaign.corpus = Some(word.into()),
        }
    }
    Some(request)
}

fn check_parser(text: &str, _: u64) -> &'static str {
    front_end::check_parser(text);
    "parsed"
}

fn check_all(text: &str, choice: u64) -> &'static str {
    match front_end::check(text, &front_end::options(choice)) {
        Stage::Parsed => "unparsed",
        Stage::Rejected => "rejected",
        Stage::Program => "programs",
    }
}

/// Prints how far each file comes under all options.
fn check_files(paths: impl Iterator<Item = String>) -> ExitCode {
    for path in paths {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("{path}: cannot be read");
            return ExitCode::from(2);
        };
        for choice in 0..front_end::CHOICES {
            println!("{path}: {}", check_all(&String::from_utf8_lossy(&bytes), choice));
        }
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let check = match command.as_str() {
        "file" => return check_files(words),
        "parse" => check_parser,
        "lower" => check_all,
        _ => return usage(),
    };
    let Some(request) = parse(command, words) else { return usage() };
    let result = if request.is_worker {
        request.campaign.work(request.round, check).map(|()| true)
    } else {
        request.campaign.supervise()
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: fuzz lower|parse [--seconds N] [--seed N] [--findings FOLDER] [CORPUS_FOLDER], or fuzz file PATH..."
    );
    ExitCode::from(2)
}

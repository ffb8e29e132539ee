//! Fuzzes the front end with mutated C programs, and all other readers with mutated texts:
//!
//! ```text
//! fuzz lower [--seconds 60] [--seed 1] [--findings FOLDER] [CORPUS_FOLDER]   parser, lowering, all passes
//! fuzz parse ...                                                            the parser alone
//! fuzz file PATH...                                                         checks these texts
//! fuzz property|task|witness-yaml|witness-graphml|config|database|store|precision|list [--seconds 60] [--seed 1]
//!                                                                           the reader of that name
//! ```
//!
//! Findings are panics, invalid programs, dead processes (stack overflow, more than 2 GiB), and inputs that take more
//! than 5 s of CPU time. They are kept in `fuzz-findings`; the exit status tells whether there were any.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use testkit::front_end::{self, Stage};
use testkit::fuzz::Campaign;
use testkit::readers;

struct Request {
    campaign: Campaign,
    is_worker: bool,
    round: u64,
}

fn parse(command: String, mut words: impl Iterator<Item = String>) -> Option<Request> {
    let findings = PathBuf::from("fuzz-findings");
    let campaign = Campaign { command, time: Duration::from_secs(60), seed: 1, corpus: None, findings, texts: None };
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
    let reader = readers::named(&command);
    let check = match (command.as_str(), &reader) {
        (_, Some(reader)) => reader.check,
        ("file", None) => return check_files(words),
        ("parse", None) => check_parser,
        ("lower", None) => check_all,
        (_, None) => return usage(),
    };
    let Some(mut request) = parse(command, words) else { return usage() };
    request.campaign.texts = reader.map(|reader| reader.seeds);
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
        "usage: fuzz lower|parse|{} [--seconds N] [--seed N] [--findings FOLDER] [CORPUS_FOLDER], or fuzz file PATH...",
        readers::READERS.map(|reader| reader.name).join("|")
    );
    ExitCode::from(2)
}

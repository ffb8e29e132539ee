//! The large comparisons with gcc, as commands:
//!
//! ```text
//! differential csmith  [--count 500] [--first 1]     random programs, checksum and exit status
//! differential layouts [--count 1000] [--first 1]    random struct and union types
//! differential floats  [--count 60] [--first 1]      operations and conversions on so many operands per type
//! differential formats [--count 5000] [--first 1]    printf conversions
//! differential order   [--count 2000] [--first 1]    operands with side effects on each other
//! differential initialisers [--count 2000] [--first 1]  objects with designated, repeated and replaced values
//! differential libm    [--count 10000] [--first 1]   every function of math.h on so many operands
//! differential file PATH                             one C program
//! differential folder PATH                           all C programs there: which agree, which we refuse, which differ
//! differential print csmith|layouts|floats|formats|order|initialisers   the program of the seed `--first`, of size `--count`
//! ```
//!
//! Each runs for LP64 and, where gcc has its 32-bit libraries, for ILP32; `--model lp64` or `ilp32` picks one.

use cfa::DataModel;
use semantics::random::Random;
use std::path::Path;
use std::process::ExitCode;
use testkit::folder::{self, Outcome};
use testkit::{compare, csmith, floats, formats, gcc, initialisers, layouts, libm, order};

struct Request {
    command: String,
    /// Of `file`, `folder` and `print`.
    subject: String,
    count: Option<usize>,
    first: u64,
    models: Vec<DataModel>,
}

fn parse() -> Option<Request> {
    let mut words = std::env::args().skip(1);
    let models = vec![DataModel::Lp64, DataModel::Ilp32];
    let command = words.next()?;
    let subject = if matches!(command.as_str(), "file" | "folder" | "print") { words.next()? } else { String::new() };
    let mut request = Request { command, subject, count: None, first: 1, models };
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--count" => request.count = Some(value.parse().ok()?),
            "--first" => request.first = value.parse().ok()?,
            "--model" if value == "lp64" => request.models = vec![DataModel::Lp64],
            "--model" if value == "ilp32" => request.models = vec![DataModel::Ilp32],
            _ => return None,
        }
    }
    Some(request)
}

fn main() -> ExitCode {
    let Some(request) = parse() else {
        eprintln!(
            "usage: differential csmith|layouts|floats|formats|order|initialisers|libm|file PATH|folder PATH|print KIND [--count N] [--first SEED] [--model lp64|ilp32]"
        );
        return ExitCode::from(2);
    };
    let mut failed = false;
    for &model in &request.models {
        if !gcc::is_available(model) {
            eprintln!("{model:?}: skipped, gcc cannot make such programs here (install gcc-multilib)");
            continue;
        }
        failed |= match request.command.as_str() {
            "csmith" => run_csmith(&request, model),
            "layouts" => run_batches(&request, model, 1000, 50, |random, size| layouts::generate(random, size, model)),
            "floats" => run_batches(&request, model, 60, 20, floats::generate),
            "formats" => run_batches(&request, model, 5000, 500, formats::generate),
            "order" => run_batches(&request, model, 2000, 20, order::generate),
            "initialisers" => run_batches(&request, model, 2000, 50, initialisers::generate),
            "libm" => run_libm(&request, model),
            "file" => run_file(&request.subject, model),
            "folder" => run_folder(&request.subject, model),
            "print" => print(&request, model),
            _ => {
                eprintln!("unknown command {}", request.command);
                return ExitCode::from(2);
            }
        };
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run_csmith(request: &Request, model: DataModel) -> bool {
    let mut known = 0;
    let summary = csmith::check_many(request.first, request.count.unwrap_or(500), model, |seed, summary| {
        if summary.failures.len() > known {
            known = summary.failures.len();
            eprintln!("{model:?} seed {seed}: {}", summary.failures[known - 1].1);
        }
    });
    let seeds: Vec<u64> = summary.failures.iter().map(|(seed, _)| *seed).collect();
    println!(
        "{model:?}: {} programs agree, {} too slow and {} undefined ones redrawn, {} fail {seeds:?}",
        summary.agreed,
        summary.redrawn,
        summary.undefined,
        summary.failures.len()
    );
    !summary.failures.is_empty()
}

/// One program per `batch` of things until `count` of them were compared.
fn run_batches(
    request: &Request,
    model: DataModel,
    count: usize,
    batch: usize,
    mut generate: impl FnMut(&mut Random, usize) -> String,
) -> bool {
    let count = request.count.unwrap_or(count);
    let (mut done, mut seed, mut failures) = (0, request.first, 0);
    while done < count {
        let size = batch.min(count - done);
        let text = generate(&mut Random::new(seed), size);
        if let Err(how) = compare(&text, model, &[]) {
            eprintln!("{model:?} seed {seed}, size {size}: {how}");
            failures += 1;
        }
        done += size;
        seed += 1;
    }
    println!("{model:?}: {done} compared, {failures} programs with differences");
    failures > 0
}

fn run_libm(request: &Request, model: DataModel) -> bool {
    let programs = libm::programs(model, request.count.unwrap_or(10_000), request.first);
    let mut failed = Vec::new();
    for (name, text) in &programs {
        if let Err(how) = compare(text, model, &["-fno-builtin"]) {
            eprintln!("{model:?} {name}: {how}");
            failed.push(name.as_str());
        }
    }
    println!("{model:?}: {} functions compared, {} with differences: {failed:?}", programs.len(), failed.len());
    !failed.is_empty()
}

fn run_file(path: &str, model: DataModel) -> bool {
    let compared = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let compared = compared.and_then(|text| compare(&text, model, &["-I/usr/include/csmith"]));
    match &compared {
        Ok(()) => println!("{model:?}: agree"),
        Err(how) => eprintln!("{model:?}: {how}"),
    }
    compared.is_err()
}

/// A program that differs is a failure, one that we refuse is not.
fn run_folder(path: &str, model: DataModel) -> bool {
    let programs = match folder::programs(Path::new(path)) {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("{path}: {error}");
            return true;
        }
    };
    let (mut agree, mut skipped, mut refused, mut differ) = (0, 0, 0, 0);
    for program in programs {
        let (count, how) = match folder::check(&program, model) {
            Outcome::Agrees => (&mut agree, None),
            Outcome::Skipped => (&mut skipped, None),
            Outcome::Refused(why) => (&mut refused, Some(("refused", why))),
            Outcome::Differs(how) => (&mut differ, Some(("differs", how))),
        };
        *count += 1;
        if let Some((what, how)) = how {
            eprintln!("{model:?} {}: {what}: {how}", program.display());
        }
    }
    println!("{model:?}: {agree} agree, {refused} refused, {differ} differ, {skipped} skipped");
    differ > 0
}

fn print(request: &Request, model: DataModel) -> bool {
    let (mut random, size) = (Random::new(request.first), request.count.unwrap_or(20));
    let text = match request.subject.as_str() {
        "csmith" => csmith::generate(request.first),
        "layouts" => Ok(layouts::generate(&mut random, size, model)),
        "floats" => Ok(floats::generate(&mut random, size)),
        "formats" => Ok(formats::generate(&mut random, size)),
        "order" => Ok(order::generate(&mut random, size)),
        "initialisers" => Ok(initialisers::generate(&mut random, size)),
        other => Err(format!("nothing generates {other}")),
    };
    match &text {
        Ok(text) => print!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
    text.is_err()
}

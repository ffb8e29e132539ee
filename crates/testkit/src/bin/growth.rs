//! How time and memory grow with the size of a program.
//!
//! ```text
//! growth ARGONAUT [--time 20] [--presets bmc,pred] [--families calls,array] [--doublings 5] [--csv FILE]
//! ```
//!
//! For every family of programs and every preset, runs the given `argonaut` on sizes that double, and prints CPU seconds
//! and memory of each, by how much the last doubling multiplied the time, and the exponents: 1 is linear, 2 quadratic.
//! A row ends at the first size that is not decided in time. A wrong verdict is a failure.

use std::fmt::Write;
use std::process::{Command, ExitCode, Stdio};
use testkit::growth::{FAMILIES, Family, exponent};
use testkit::scratch::Scratch;

/// Less CPU time than this is that of starting up.
const FLOOR_SECONDS: f64 = 0.1;
/// Less memory than this, too.
const FLOOR_MIB: f64 = 40.0;

struct Request {
    path: String,
    time: f64,
    presets: Vec<String>,
    families: Vec<Family>,
    doublings: u32,
    csv: Option<String>,
}

struct Run {
    size: usize,
    seconds: f64,
    mib: f64,
}

fn parse() -> Option<Request> {
    let mut words = std::env::args().skip(1);
    let presets = ["bmc", "k-induction", "pred", "impact", "expl-itp", "bdd", "intervals", "auto"].map(str::to_owned);
    let (path, presets, families) = (words.next()?, presets.to_vec(), FAMILIES.to_vec());
    let mut request = Request { path, time: 20.0, presets, families, doublings: 5, csv: None };
    while let Some(word) = words.next() {
        let value = words.next()?;
        let mut names = value.split(',');
        match word.as_str() {
            "--time" => request.time = value.parse().ok().filter(|time| *time > 0.0)?,
            "--presets" => request.presets = names.map(str::to_owned).collect(),
            "--families" => {
                let find = |name: &str| FAMILIES.into_iter().find(|family| family.name == name);
                request.families = names.try_fold(Vec::new(), |mut all, name| {
                    all.push(find(name)?);
                    Some(all)
                })?;
            }
            "--doublings" => request.doublings = value.parse().ok()?,
            "--csv" => request.csv = Some(value),
            _ => return None,
        }
    }
    Some(request)
}

/// CPU seconds of all children that ended so far, as Linux tells.
fn children_seconds() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/stat").map_err(|error| format!("/proc/self/stat: {error}"))?;
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after.split_whitespace().skip(13).take(2).filter_map(|word| word.parse::<f64>().ok()).sum();
    Ok(ticks / 100.0)
}

/// One run; an error text if the verdict is wrong, `None` if there is none.
fn run(request: &Request, preset: &str, family: Family, size: usize) -> Result<Option<Run>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("program.c");
    std::fs::write(&file, family.program(size)).map_err(|error| error.to_string())?;
    let before = children_seconds()?;
    let limit = format!("{}s", request.time);
    let output = Command::new(&request.path)
        .args(["verify", "--statistics", "--threads", "1", "--analysis", preset, "--time-limit", &limit])
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", request.path))?;
    let seconds = children_seconds()? - before;
    let text = String::from_utf8_lossy(&output.stdout);
    let peak = text.lines().find_map(|line| line.trim().strip_prefix("peak memory, bytes"));
    let mib = peak.and_then(|bytes| bytes.trim().parse::<f64>().ok()).unwrap_or(0.0) / f64::from(1 << 20);
    match output.status.code() {
        Some(0) => Ok(Some(Run { size, seconds, mib })),
        Some(3) => Ok(None),
        code => Err(format!("{preset} on {} of size {size}: status {code:?}\n{text}", family.name)),
    }
}

fn row(request: &Request, preset: &str, family: Family, csv: &mut String) -> Result<String, String> {
    let mut runs = Vec::new();
    for doubling in 0..=request.doublings {
        let Some(run) = run(request, preset, family, family.first << doubling)? else { break };
        writeln!(csv, "{},{preset},{},{:.2},{:.0}", family.name, run.size, run.seconds, run.mib)
            .expect("texts take all that is written");
        runs.push(run);
    }
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let points = |cost: fn(&Run) -> f64| runs.iter().map(|run| (run.size, cost(run))).collect::<Vec<_>>();
    let (time, memory) = (points(|run| run.seconds), points(|run| run.mib));
    let last = match &runs[..] {
        [.., before, last] if before.seconds >= FLOOR_SECONDS => Some(last.seconds / before.seconds),
        _ => None,
    };
    let seconds: String = runs.iter().map(|run| format!("{:>7.2}", run.seconds)).collect();
    let open = " ".repeat(7 * (request.doublings as usize + 1 - runs.len()));
    let mib = runs.last().map_or(0.0, |run| run.mib);
    let (time, memory) = (exponent(&time, FLOOR_SECONDS), exponent(&memory, FLOOR_MIB));
    Ok(format!(
        "{:<11}{preset:<13}{:>5}{seconds}{open}{:>6}{:>6}{mib:>7.0}{:>6}",
        family.name,
        family.first,
        number(last),
        number(time),
        number(memory)
    ))
}

fn main() -> ExitCode {
    let Some(request) = parse() else {
        eprintln!(
            "usage: growth ARGONAUT [--time SECONDS] [--presets a,b] [--families a,b] [--doublings N] [--csv FILE]"
        );
        return ExitCode::from(2);
    };
    let columns = 7 * (request.doublings as usize + 1);
    println!(
        "{:<11}{:<13}{:>5}{:>columns$}{:>6}{:>6}{:>7}{:>6}",
        "family", "preset", "first", "seconds as the size doubles", "last", "exp", "MiB", "exp"
    );
    let (mut good, mut csv) = (true, "family,preset,size,seconds,mib\n".to_owned());
    for &family in &request.families {
        for preset in &request.presets {
            match row(&request, preset, family, &mut csv) {
                Ok(row) => println!("{row}"),
                Err(problem) => {
                    good = false;
                    println!("{problem}");
                }
            }
        }
    }
    if let Some(Err(error)) = request.csv.map(|file| std::fs::write(file, csv)) {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

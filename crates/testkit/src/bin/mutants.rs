//! Would the tests of a crate notice if its code were a little wrong?
//!
//! ```text
//! mutants ROOT CRATE FILE... [--count 40] [--seed 1] [--tests "--lib"] [--filter NAME] [--jobs 2] [--only 7,12] [--show]
//! ```
//!
//! Puts `--count` mutants (0: all) into each FILE (below `crates/CRATE/src` of the workspace ROOT), all at once behind
//! switches, builds tests once (`--tests` says which, in cargo's words; of the crate itself unless it names another by
//! `-p`), runs them (`--filter`: those whose name contains it) for each mutant, and prints the survivors and a score by file. Mutants that do not compile are left
//! out and counted. Tests run one by one: first those that caught the mutants before, since neighbours are often caught by
//! the same test, then the quicker ones, until one fails; one that takes four times its processor time without mutants,
//! or far more memory, fails, too. `--only` runs some mutants again, by the numbers that
//! the same request gave them. The files get their text back in the end, but do give it a copy of the repository
//! (`git worktree add`). `--show` prints the mutated text instead.

use semantics::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use testkit::mutants::{SWITCH, Site, Wrap, sites, weave};

struct Request {
    root: PathBuf,
    package: String,
    files: Vec<String>,
    /// Mutants of each file; 0 for all.
    count: usize,
    seed: u64,
    /// Arguments for cargo that say which tests to build.
    tests: Vec<String>,
    /// Part of the names of the tests to run.
    filter: Option<String>,
    jobs: usize,
    /// If not empty, the numbers of the mutants to be run.
    only: Vec<usize>,
    show: bool,
}

fn parse() -> Option<Request> {
    let mut words = std::env::args().skip(1);
    let (root, package) = (PathBuf::from(words.next()?), words.next()?);
    let (files, tests) = (Vec::new(), vec!["--lib".to_owned()]);
    let mut request = Request {
        root,
        package,
        files,
        count: 40,
        seed: 1,
        tests,
        filter: None,
        jobs: 2,
        only: Vec::new(),
        show: false,
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--count" => request.count = words.next()?.parse().ok()?,
            "--seed" => request.seed = words.next()?.parse().ok()?,
            "--jobs" => request.jobs = words.next()?.parse().ok().filter(|&jobs| jobs > 0)?,
            "--only" => request.only = words.next()?.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?,
            "--tests" => request.tests = words.next()?.split_whitespace().map(str::to_owned).collect(),
            "--filter" => request.filter = Some(words.next()?),
            "--show" => request.show = true,
            file if !file.starts_with("--") => request.files.push(file.to_owned()),
            _ => return None,
        }
    }
    (!request.files.is_empty()).then_some(request)
}

/// A file and what is to be changed in it.
struct Source {
    name: String,
    path: PathBuf,
    text: String,
    mutants: Vec<(usize, Site)>,
}

/// Gives the files their text back when dropped.
struct Restore(Vec<(PathBuf, String)>);

impl Drop for Restore {
    fn drop(&mut self) {
        for (path, text) in &self.0 {
            if let Err(error) = std::fs::write(path, text) {
                eprintln!("mutants: {}: {error}", path.display());
            }
        }
    }
}

fn main() -> ExitCode {
    let Some(request) = parse() else {
        eprintln!(
            "usage: mutants ROOT CRATE FILE... [--count 40] [--seed 1] [--tests \"--lib\"] [--filter NAME] [--jobs 2] [--only 7,12] [--show]"
        );
        return ExitCode::from(2);
    };
    match run(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(request: &Request) -> Result<(), String> {
    let mut sources = read(request)?;
    if request.show {
        sources.iter().for_each(|source| println!("{}", weave(&source.text, &source.mutants)));
        return Ok(());
    }
    let root = request.root.join("crates").join(&request.package).join("src/lib.rs");
    let root_text = std::fs::read_to_string(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    let mut restore: Vec<(PathBuf, String)> =
        sources.iter().map(|source| (source.path.clone(), source.text.clone())).collect();
    restore.push((root.clone(), root_text.clone()));
    let _restore = Restore(restore);
    if !sources.iter().any(|source| source.path == root) {
        std::fs::write(&root, root_text + SWITCH).map_err(|error| error.to_string())?;
    }
    let (mut tests, unfit) = build(request, &mut sources, &root)?;
    for test in &mut tests {
        let Some(cost) = cost(test, 0, Duration::from_secs(600))? else {
            return Err(format!("{} fails without any mutant", test.name));
        };
        test.cost = cost;
    }
    tests.sort_by_key(|test| test.cost);
    let cost: Duration = tests.iter().map(|test| test.cost).sum();
    eprintln!("{} tests take {:.1} s of processor time", tests.len(), cost.as_secs_f64());
    let survivors = survivors(request, &sources, tests)?;
    report(&sources, &survivors, unfit);
    Ok(())
}

/// Reads the files and draws their mutants, which are numbered from 1 on.
fn read(request: &Request) -> Result<Vec<Source>, String> {
    let mut random = Random::new(request.seed);
    let mut next = 1;
    let mut sources = Vec::new();
    for name in &request.files {
        let path = request.root.join("crates").join(&request.package).join("src").join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut all = sites(&text).map_err(|error| format!("{name}: {error}"))?;
        while request.count > 0 && all.len() > request.count {
            all.swap_remove(random.below(all.len() as u64) as usize);
        }
        all.sort_by_key(|site| (site.range.start, site.range.end));
        let mut mutants: Vec<(usize, Site)> = (next..).zip(all).collect();
        next += mutants.len();
        mutants.retain(|(number, _)| request.only.is_empty() || request.only.contains(number));
        sources.push(Source { name: name.clone(), path, text, mutants });
    }
    Ok(sources)
}

/// Builds the tests with all mutants; those in lines with errors are left out, and counted.
fn build(request: &Request, sources: &mut [Source], root: &std::path::Path) -> Result<(Vec<Test>, usize), String> {
    let mut unfit = 0;
    for _ in 0..12 {
        for source in &*sources {
            let mut text = weave(&source.text, &source.mutants);
            if source.path == root {
                text += SWITCH;
            }
            std::fs::write(&source.path, text).map_err(|error| format!("{}: {error}", source.path.display()))?;
        }
        let mut command = Command::new("cargo");
        command.current_dir(&request.root).args(["test", "--no-run"]).args(&request.tests);
        if !request.tests.iter().any(|word| word == "-p") {
            command.args(["-p", &request.package]);
        }
        command.args(["--message-format", "json-diagnostic-rendered-ansi"]).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok((tests_of(&text, request.filter.as_deref())?, unfit));
        }
        let bad = blamed(&text);
        let before: usize = sources.iter().map(|source| source.mutants.len()).sum();
        sources.iter_mut().for_each(|source| source.mutants.retain(|(number, _)| !bad.contains(number)));
        let after: usize = sources.iter().map(|source| source.mutants.len()).sum();
        eprintln!("{} mutants do not compile", before - after);
        if before == after {
            return Err(format!("the tests do not compile, and no mutant is to blame:\n{text}"));
        }
        unfit += before - after;
    }
    Err("mutants that do not compile come to no end".into())
}

/// A test, the binary that it is part of, and the folder of its crate, where cargo runs it.
struct Test {
    name: String,
    binary: String,
    folder: PathBuf,
    /// Its processor time without mutants.
    cost: Duration,
}

/// The tests in the binaries that cargo made.
fn tests_of(messages: &str, filter: Option<&str>) -> Result<Vec<Test>, String> {
    let field = |message: &str, name: &str| -> Option<String> {
        let rest = message.split_once(&format!("\"{name}\":\""))?.1;
        rest.split('"').next().map(str::to_owned)
    };
    let mut tests = Vec::new();
    for message in messages.lines() {
        let (Some(manifest), Some(binary)) = (field(message, "manifest_path"), field(message, "executable")) else {
            continue;
        };
        let folder = PathBuf::from(manifest).parent().map(PathBuf::from).unwrap_or_default();
        let mut command = Command::new(&binary);
        let list = command.args(["--list", "--format", "terse"]).args(filter).current_dir(&folder).output();
        let list = list.map_err(|error| format!("{binary}: {error}"))?;
        let names = String::from_utf8_lossy(&list.stdout).into_owned();
        let names = names.lines().filter_map(|line| line.strip_suffix(": test"));
        tests.extend(names.map(|name| Test {
            name: name.to_owned(),
            binary: binary.clone(),
            folder: folder.clone(),
            cost: Duration::ZERO,
        }));
    }
    if tests.is_empty() { Err("there is no such test".into()) } else { Ok(tests) }
}

/// The numbers of mutants in the source lines of error messages. A line has several; the one before the marked column
/// is the likeliest.
fn blamed(messages: &str) -> BTreeSet<usize> {
    let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<usize>().ok();
    let numbers = |part: &str| -> Vec<usize> { part.split("__mutant(").skip(1).filter_map(number).collect() };
    let mut bad = BTreeSet::new();
    for message in messages.lines().filter(|line| line.contains("\"level\":\"error\"")) {
        let parts: Vec<&str> = message.split("\"highlight_start\":").collect();
        for pair in parts.windows(2) {
            // The text of the line stands after the column in messages of some versions of cargo, before it in others.
            let after = pair[1].trim_start_matches(|c: char| c.is_ascii_digit());
            let line = match after.strip_prefix(",\"text\":\"") {
                Some(line) => line.split("\"}").next().unwrap_or(""),
                None => pair[0].rsplit("\"text\":\"").next().unwrap_or(""),
            };
            let before: String = line.chars().take(number(pair[1]).unwrap_or(1)).collect();
            let near = numbers(&before).last().copied().or_else(|| numbers(line).first().copied());
            bad.extend(near);
        }
    }
    bad
}

fn start(test: &Test, mutant: usize) -> Result<Child, String> {
    let mut command = Command::new(&test.binary);
    command.args(["--exact", &test.name]).current_dir(&test.folder).env("MUTANT", mutant.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().map_err(|error| format!("{}: {error}", test.binary))
}

/// More memory than any test needs.
const MEMORY: u64 = 3 << 30;
/// A test that waits so much longer than it computes waits forever.
const WAITING: u32 = 40;

/// The processor time of a test, if it passes within this time.
fn cost(test: &Test, mutant: usize, patience: Duration) -> Result<Option<Duration>, String> {
    let mut child = start(test, mutant)?;
    let used = watch(&mut child, patience)?;
    if used.is_none() {
        child.kill().ok();
        child.wait().ok();
    }
    Ok(used)
}

/// Whether some test notices a mutant; one that does comes first from then on.
fn is_caught(tests: &Mutex<Vec<Arc<Test>>>, mutant: usize) -> Result<bool, String> {
    let order = tests.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for test in &order {
        if cost(test, mutant, test.cost * 4 + Duration::from_secs(5))?.is_none() {
            let mut tests = tests.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(at) = tests.iter().position(|other| Arc::ptr_eq(other, test)) {
                tests[..=at].rotate_right(1);
            }
            return Ok(true);
        }
    }
    Ok(false)
}

/// The processor time of a process if it succeeds; `None` as soon as it does not, whether or not it has ended.
fn watch(child: &mut Child, patience: Duration) -> Result<Option<Duration>, String> {
    let (begun, mut used) = (Instant::now(), Duration::ZERO);
    let failed = Arc::new(AtomicBool::new(false));
    if let Some(stdout) = child.stdout.take() {
        let failed = failed.clone();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
            failed.store(lines.any(|line| line.ends_with("FAILED")), Ordering::Relaxed);
        });
    }
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status.success().then_some(used));
        }
        let (time, memory) = usage(child.id()).unwrap_or((begun.elapsed(), 0));
        used = used.max(time);
        let is_lost = used > patience || begun.elapsed() > patience * WAITING || memory > MEMORY;
        if is_lost || failed.load(Ordering::Relaxed) {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processor time and the bytes of memory that a process has used, where the system says it as Linux does.
fn usage(process: u32) -> Option<(Duration, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may hold anything, the fields are numbered from 3 on; a tick is a hundredth of a second.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some((Duration::from_millis(10 * (number(14)? + number(15)?)), 4096 * number(24)?))
}

/// The mutants that no test notices.
fn survivors(request: &Request, sources: &[Source], tests: Vec<Test>) -> Result<BTreeSet<usize>, String> {
    let tests = Mutex::new(tests.into_iter().map(Arc::new).collect::<Vec<_>>());
    let mut waiting: Vec<usize> =
        sources.iter().flat_map(|source| source.mutants.iter().map(|(number, _)| *number)).collect();
    waiting.reverse();
    let (waiting, done) = (Mutex::new(waiting), Mutex::new(BTreeSet::new()));
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..request.jobs {
            scope.spawn(|| {
                loop {
                    let Some(mutant) = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop() else { return };
                    match is_caught(&tests, mutant) {
                        Ok(false) => {
                            eprintln!("mutant {mutant} survives");
                            done.lock().unwrap_or_else(PoisonError::into_inner).insert(mutant);
                        }
                        Ok(true) => {}
                        Err(error) => *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
                    }
                }
            });
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

fn report(sources: &[Source], survivors: &BTreeSet<usize>, unfit: usize) {
    let mut scores: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for source in sources {
        for (number, site) in &source.mutants {
            let score = scores.entry(&source.name).or_default();
            score.1 += 1;
            if !survivors.contains(number) {
                score.0 += 1;
                continue;
            }
            let line = source.text[..site.range.start].matches('\n').count() + 1;
            let text = source.text[site.range.clone()].lines().next().unwrap_or("");
            let change = match site.wrap {
                Wrap::Expression => format!("`{text}` as `{}`", site.mutated.lines().next().unwrap_or("")),
                Wrap::True => format!("`{text}` always true"),
                Wrap::False => format!("`{text}` always false"),
                Wrap::Statement => format!("`{text}` left out"),
            };
            println!("survivor {number}: {}:{line}: {change}", source.name);
        }
    }
    println!("{:30} {:>6} {:>8} {:>6}", "file", "caught", "mutants", "score");
    let all = scores.values().fold((0, 0), |sum, score| (sum.0 + score.0, sum.1 + score.1));
    for (name, (caught, mutants)) in scores.into_iter().chain([("all", all)]) {
        println!("{name:30} {caught:>6} {mutants:>8} {:>5.0} %", 100.0 * caught as f64 / mutants.max(1) as f64);
    }
    println!("{unfit} more do not compile");
}

#[cfg(test)]
mod tests {
    use super::blamed;

    #[test]
    fn errors_name_the_mutant_before_the_marked_column() {
        let line = "(if crate::__mutant(7) { a.any() } else { (if crate::__mutant(8) { 2 } else { 1 }) })";
        let column = line.find("any").expect("it is there") + 1;
        for span in [
            format!("{{\"highlight_end\":9,\"highlight_start\":{column},\"text\":\"{line}\"}}"),
            format!("{{\"text\":\"{line}\",\"highlight_start\":{column},\"highlight_end\":9}}"),
        ] {
            let message = format!("{{\"level\":\"error\",\"spans\":[{{\"text\":[{span}]}}]}}");
            assert_eq!(blamed(&message).into_iter().collect::<Vec<_>>(), [7], "{message}");
        }
    }
}

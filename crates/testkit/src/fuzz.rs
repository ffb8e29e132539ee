//! A fuzzing campaign. A worker process checks mutated inputs one after the other; its supervisor keeps the input that
//! killed it (by a stack overflow, by too much time or memory) and starts the next one.

use crate::mutate::{SNIPPETS, mutate, mutate_text};
use semantics::random::Random;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Larger files are slow to mutate and teach little more.
const MAX_SEED_BYTES: u64 = 40_000;

/// CPU time that no input of a few kilobytes may take.
const SLOW: Duration = Duration::from_secs(5);

/// CPU time after which an input is given up.
const STUCK: Duration = Duration::from_secs(20);

/// Memory after which an input is given up.
const MAX_MEMORY: u64 = 2 << 30;

/// Of one panic only so many inputs are kept.
const KEPT_PER_PLACE: u32 = 2;

/// What to do.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The command that runs a worker, without the options below.
    pub command: String,
    /// How long.
    pub time: Duration,
    /// The sequence of inputs depends on it and on the seeds alone.
    pub seed: u64,
    /// A folder with more C files to mutate.
    pub corpus: Option<PathBuf>,
    /// Where findings go.
    pub findings: PathBuf,
    /// What is mutated instead of C programs.
    pub texts: Option<&'static [&'static str]>,
}

/// The built-in programs, and the small C files below a folder.
pub fn seeds(folder: Option<&Path>) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = SNIPPETS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let mut files = Vec::new();
    folder.into_iter().for_each(|folder| collect(folder, &mut files));
    // The order of a folder is not the same everywhere.
    files.sort();
    for path in files {
        let Ok(bytes) = std::fs::read(path) else { continue };
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        seeds.push(lines.filter(|line| !line.starts_with(b"#include")).flatten().copied().collect());
    }
    seeds
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "c" || end == "i")
            && path.metadata().is_ok_and(|data| data.len() <= MAX_SEED_BYTES)
        {
            files.push(path);
        }
    }
}

impl Campaign {
    /// Starts workers until the time is over, prints what they find; whether they found nothing.
    pub fn supervise(&self) -> std::io::Result<bool> {
        std::fs::create_dir_all(&self.findings)?;
        let begin = Instant::now();
        let (mut total, mut findings) = (BTreeMap::new(), 0u32);
        for round in 0.. {
            let left = self.time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                break;
            }
            let (counts, found, ended) = self.worker_process(round, left)?;
            findings += found;
            counts.into_iter().for_each(|(what, count)| *total.entry(what).or_insert(0) += count);
            if !ended {
                findings += 1;
                let kept = self.findings.join(format!("dead-{}-{round}.c", self.seed));
                std::fs::copy(self.current(), &kept)?;
                println!("the worker died, see {}", kept.display());
            }
        }
        let counts: Vec<String> = total.iter().map(|(what, count)| format!("{count} {what}")).collect();
        println!("{} inputs ({}), {findings} findings", total.values().sum::<u64>(), counts.join(", "));
        Ok(findings == 0)
    }

    fn current(&self) -> PathBuf {
        self.findings.join(format!("current-{}.c", self.seed))
    }

    /// Runs one worker: what it counted, how many findings it reported, whether it came to its end.
    fn worker_process(&self, round: u64, left: Duration) -> std::io::Result<(BTreeMap<String, u64>, u32, bool)> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(&self.command).arg("--worker").args(["--seconds", &left.as_secs().max(1).to_string()]);
        // Workers of one campaign must not repeat each other, nor those of a campaign with the next seed.
        command.args(["--seed", &self.seed.to_string(), "--round", &round.to_string()]);
        command.arg("--findings").arg(&self.findings).args(&self.corpus);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let (mut counts, mut found) = (BTreeMap::new(), 0);
        for line in BufReader::new(child.stdout.take().expect("it is piped")).lines() {
            let line = line?;
            match line.split_once(' ') {
                Some(("count", rest)) => {
                    let pairs = rest.split(' ').filter_map(|pair| pair.split_once('='));
                    counts = pairs.map(|(what, count)| (what.to_owned(), count.parse().unwrap_or(0))).collect();
                }
                _ => {
                    found += u32::from(line.starts_with("finding"));
                    println!("{line}");
                }
            }
        }
        Ok((counts, found, child.wait()?.success()))
    }

    /// Checks inputs until the time is over. `check` gets an input and a number that chooses options, and says how far
    /// the input came.
    pub fn work(&self, round: u64, check: impl Fn(&str, u64) -> &'static str) -> std::io::Result<()> {
        let seeds = match self.texts {
            Some(texts) => texts.iter().map(|text| text.as_bytes().to_vec()).collect(),
            None => seeds(self.corpus.as_deref()),
        };
        let mut random = Random::new(self.seed.wrapping_mul(1 << 32).wrapping_add(round << 24));
        let places = Arc::new(Mutex::new(String::new()));
        silence(places.clone());
        let started = watch();
        let (begin, mut shown) = (Instant::now(), Instant::now());
        let (mut counts, mut kept): (BTreeMap<&str, u64>, BTreeMap<String, u32>) = Default::default();
        while begin.elapsed() < self.time {
            let text =
                if self.texts.is_some() { mutate_text(&mut random, &seeds) } else { mutate(&mut random, &seeds) };
            let choice = random.next();
            std::fs::write(self.current(), &text)?;
            let before = cpu_time();
            started.store(before.as_millis() as u64, Ordering::Relaxed);
            let result = catch_unwind(AssertUnwindSafe(|| check(&text, choice)));
            let slow = cpu_time() - before > SLOW;
            let problem = match result {
                Err(_) => places.lock().map(|place| place.clone()).unwrap_or_default(),
                Ok(_) if slow => "slow".to_owned(),
                Ok(_) => String::new(),
            };
            *counts.entry(result.unwrap_or("broken")).or_default() += 1;
            if !problem.is_empty() {
                let times = kept.entry(problem.clone()).or_default();
                *times += 1;
                if *times <= KEPT_PER_PLACE {
                    let path = self.findings.join(format!("finding-{}-{round}-{}.c", self.seed, sum(&kept)));
                    std::fs::write(&path, &text)?;
                    println!("finding {}: {problem}", path.display());
                }
            }
            if shown.elapsed() > Duration::from_millis(300) {
                shown = Instant::now();
                print_counts(&counts);
            }
        }
        print_counts(&counts);
        Ok(())
    }
}

fn sum(kept: &BTreeMap<String, u32>) -> u32 {
    kept.values().sum()
}

fn print_counts(counts: &BTreeMap<&str, u64>) {
    let pairs: Vec<String> = counts.iter().map(|(what, count)| format!("{what}={count}")).collect();
    println!("count {}", pairs.join(" "));
}

/// Panics print nothing; the last one's place and message are kept.
fn silence(last: Arc<Mutex<String>>) {
    std::panic::set_hook(Box::new(move |info| {
        let text = info.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        if let Ok(mut last) = last.lock() {
            *last = text.chars().take(300).collect();
        }
    }));
}

/// Ends this process when the input at hand takes too much; returns where its begin (CPU milliseconds) is noted.
fn watch() -> Arc<AtomicU64> {
    let started = Arc::new(AtomicU64::new(u64::MAX));
    let seen = started.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let used = cpu_time().as_millis() as u64;
            if used.saturating_sub(seen.load(Ordering::Relaxed)) > STUCK.as_millis() as u64 {
                println!("stuck: more than {} s", STUCK.as_secs());
                std::process::exit(3);
            }
            if memory() > MAX_MEMORY {
                println!("greedy: more than {} MiB", MAX_MEMORY >> 20);
                std::process::exit(3);
            }
        }
    });
    started
}

/// CPU time of this process: unlike the clock it does not depend on what else the machine does.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, in parentheses, may hold blanks.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// Bytes of memory in use.
fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

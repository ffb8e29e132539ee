//! Fuzzes the parser: `fuzz_parse [--seconds N] [--seed N] [CORPUS_FOLDER]`. Mutates the built-in snippets and the
//! small files of the folder. The input under test is kept in `fuzz-current.c` (it survives a crash of the process);
//! inputs that panic or take long are kept as `fuzz-finding-N.c`.

#[path = "../tests/mutate/mod.rs"]
mod mutate;

use mutate::{Random, SNIPPETS, check, mutate};
use std::path::Path;
use std::time::{Duration, Instant};

/// Larger files are slow to mutate and teach little more.
const MAX_SEED_BYTES: u64 = 40_000;

fn main() {
    let (mut seconds, mut seed, mut folder) = (60, 1, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let number = |value: Option<String>| value.and_then(|value| value.parse().ok()).expect("a number");
        match arg.as_str() {
            "--seconds" => seconds = number(args.next()),
            "--seed" => seed = number(args.next()),
            _ => folder = Some(arg),
        }
    }
    let mut seeds: Vec<Vec<u8>> = SNIPPETS.iter().map(|text| text.as_bytes().to_vec()).collect();
    if let Some(folder) = folder {
        collect(Path::new(&folder), &mut seeds);
    }
    println!("{} seeds, {seconds} seconds", seeds.len());
    let (mut runs, mut findings) = (0u64, 0);
    let mut random = Random(seed);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        let text = mutate(&mut random, &seeds);
        keep("fuzz-current.c", &text);
        let started = Instant::now();
        let panicked = std::panic::catch_unwind(|| check(&text)).is_err();
        if panicked || started.elapsed() > Duration::from_secs(2) {
            let name = format!("fuzz-finding-{findings}.c");
            keep(&name, &text);
            println!("{name}: {}", if panicked { "panic" } else { "slow" });
            findings += 1;
        }
        runs += 1;
    }
    println!("{runs} inputs, {findings} findings");
    std::process::exit(i32::from(findings > 0));
}

fn keep(name: &str, text: &str) {
    std::fs::write(name, text).expect("the current folder is writable");
}

/// All small C files below `folder`.
fn collect(folder: &Path, seeds: &mut Vec<Vec<u8>>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, seeds);
        } else if path.extension().is_some_and(|end| end == "c" || end == "i")
            && path.metadata().is_ok_and(|data| data.len() <= MAX_SEED_BYTES)
        {
            seeds.extend(std::fs::read(&path));
        }
    }
}

//! Any input gives a tree and messages, never a panic. `examples/fuzz_parse.rs` runs the same for longer.

mod mutate;
use mutate::{Random, SNIPPETS, check, mutate};
use std::time::{Duration, Instant};

#[test]
fn mutated_programs_never_panic() {
    let seeds: Vec<Vec<u8>> = SNIPPETS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let mut random = Random(2024);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(2) {
        let text = mutate(&mut random, &seeds);
        if let Err(panic) = std::panic::catch_unwind(|| check(&text)) {
            eprintln!("on this input:\n{text}");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn snippets_are_correct_or_at_least_sound() {
    SNIPPETS.iter().for_each(|text| check(text));
}

/// Inputs that once broke something.
#[test]
fn findings_stay_fixed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        check(&String::from_utf8_lossy(&bytes));
    }
}

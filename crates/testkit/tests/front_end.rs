//! Any text goes through the whole front end without a panic. `fuzz lower` runs the same for longer.

use testkit::front_end::{CHOICES, check, options};
use testkit::fuzz::seeds;
use testkit::mutate::{SNIPPETS, mutate};

fn check_or_show(text: &str, choice: u64) {
    let result = std::panic::catch_unwind(|| check(text, &options(choice)));
    if let Err(panic) = result {
        eprintln!("on this input, with the options {choice}:\n{text}");
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn mutated_programs_never_panic() {
    let seeds = seeds(None);
    let mut random = semantics::random::Random::new(2024);
    for _ in 0..400 {
        check_or_show(&mutate(&mut random, &seeds), random.next());
    }
}

#[test]
fn snippets_are_correct_or_at_least_sound() {
    SNIPPETS.iter().for_each(|text| (0..CHOICES).for_each(|choice| check_or_show(text, choice)));
}

/// Inputs that once broke something.
#[test]
fn findings_stay_fixed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        (0..CHOICES).for_each(|choice| check_or_show(&String::from_utf8_lossy(&bytes), choice));
    }
}

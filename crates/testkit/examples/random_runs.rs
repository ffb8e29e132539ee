//! Runs every program of a task list (`category,task,input,bits,expected`) with random choices. No run may panic, none
//! may reach a target of a task whose expected verdict is `true`, and each must repeat from its record.
//!
//! `cargo run --release -p testkit --example random_runs -- tasks/train.csv [SUBSTRING]`

use base::Cancel;
use cfa::{DataModel, Program};
use semantics::interpreter::{Options, RunEnd, Tracing, Undefined, run};
use semantics::random::Random;
use semantics::replay::replay;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use testkit::program;

const SEEDS: u64 = 6;
const STEPS: u64 = 300_000;

fn main() {
    let list = std::env::args().nth(1).expect("usage: random_runs TASKS.csv [SUBSTRING]");
    let only = std::env::args().nth(2).unwrap_or_default();
    let folder = Path::new(&list).parent().expect("a file has a folder").to_owned();
    let text = std::fs::read_to_string(&list).expect("the list can be read");
    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    for line in text.lines().skip(1).filter(|line| line.contains(&only)) {
        let fields: Vec<&str> = line.split(',').collect();
        let [_, _, input, bits, expected] = fields[..] else { continue };
        let model = if bits == "32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        let Ok(bytes) = std::fs::read(folder.join(input)) else {
            println!("{input}: cannot be read");
            continue;
        };
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let program = program::lower(&String::from_utf8_lossy(&bytes), model)?;
            Ok::<Vec<String>, String>((0..SEEDS).map(|seed| one(&program, seed, input, expected == "true")).collect())
        }));
        let found = match ran {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => vec![format!("rejected: {}", error.lines().next().unwrap_or(""))],
            Err(_) => {
                println!("{input}: PANIC");
                vec!["panic".into()]
            }
        };
        for outcome in found {
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    for (outcome, count) in outcomes {
        println!("{count:6} {outcome}");
    }
}

/// One run and its replay; the outcome in a word.
fn one(program: &Program, seed: u64, input: &str, safe: bool) -> String {
    let options = Options { undefined: Undefined::Report, steps: STEPS, tracing: Tracing::On, recording: true };
    let cancel = Cancel::never();
    let first = run(program, &mut Random::new(seed), &mut std::io::sink(), &options, &cancel);
    let again = replay(program, &first.choices, STEPS, &cancel);
    if (&first.outcome, &first.path) != (&again.outcome, &again.path) {
        println!("{input}: seed {seed} does not repeat: {:?} then {:?}", first.outcome, again.outcome);
    }
    match first.outcome {
        RunEnd::Target(_) if safe => {
            println!("{input}: seed {seed} reaches a target of a safe program, inputs {:?}", first.drawn.len());
            "target in a safe task".into()
        }
        RunEnd::Target(_) => "target".into(),
        RunEnd::Undefined { what, span } => {
            println!("{input}: seed {seed}: {}: {what}", program.sources.display(span));
            format!("undefined: {what}")
        }
        RunEnd::Unsupported { what, span } => {
            println!("{input}: seed {seed}: {}: {what}", program.sources.display(span));
            format!("unsupported: {what}")
        }
        RunEnd::Exit(_) => "exit".into(),
        RunEnd::Assumed => "assumption fails".into(),
        RunEnd::StepLimit => "step limit".into(),
        RunEnd::Diverged | RunEnd::Stopped(_) => "stopped".into(),
    }
}

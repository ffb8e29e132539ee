//! Runs of the example programs with random choices happen again when their record is replayed, edge by edge.

use base::Cancel;
use cfa::DataModel;
use semantics::interpreter::{Options, RunEnd, Tracing, Undefined, run};
use semantics::random::Random;
use semantics::replay::{follow, replay};
use std::path::{Path, PathBuf};
use testkit::{gcc, program};

const STEPS: u64 = 20_000;

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = [root.clone(), root.join("papers")]
        .iter()
        .filter_map(|folder| std::fs::read_dir(folder).ok())
        .flatten()
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    files.sort();
    files
}

#[test]
fn recorded_runs_repeat() {
    if !gcc::is_available(DataModel::Lp64) {
        eprintln!("skipped: no gcc to preprocess the examples");
        return;
    }
    let files = examples();
    assert!(!files.is_empty(), "there are examples");
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a readable example");
        let text = gcc::preprocess(&text, DataModel::Lp64, &[]).expect("examples preprocess");
        let mut program =
            program::lower(&text, DataModel::Lp64).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (seed, undefined) in (0..8).flat_map(|seed| [(seed, Undefined::Report), (seed, Undefined::Continue)]) {
            program.undefined = undefined;
            let options = Options { undefined, steps: STEPS, tracing: Tracing::On, recording: true };
            let cancel = Cancel::never();
            let first = run(&program, &mut Random::new(seed), &mut std::io::sink(), &options, &cancel);
            let again = replay(&program, &first.choices, STEPS, &cancel);
            let name = path.display();
            assert_eq!(first.outcome, again.outcome, "{name} with seed {seed}");
            assert_eq!(first.path, again.path, "{name} with seed {seed}");
            assert_eq!(first.choices, again.choices, "{name} with seed {seed}");
            if first.outcome != RunEnd::StepLimit {
                let followed = follow(&program, &first.path, &first.choices, &cancel);
                assert_eq!((followed.run.outcome, followed.left_at), (first.outcome, None), "{name} with seed {seed}");
            }
        }
    }
}

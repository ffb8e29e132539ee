//! The harnesses of `examples/natural`: gcc confirms what every head promises, and bounded model checking decides those
//! that need nothing but a complete unrolling. The command `natural` asks about all of them.

mod verdicts;

use cfa::DataModel;
use driver::{Preset, Request, Task};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testkit::gcc;
use testkit::natural::{Harness, execute, read};
use verdicts::decide;

/// So many random executions must end without a violation before a promise counts as confirmed.
const ENOUGH: u64 = 100;
const PATIENCE: Duration = Duration::from_secs(60);
/// Decided in a fraction of a second by unrolling them completely.
const QUICK: [&str; 13] = [
    "adler32",
    "chosen-element",
    "copy-size",
    "copy-size-bug",
    "fields-bug",
    "grow",
    "grow-bug",
    "hex",
    "lz-bug",
    "matrix",
    "recursive-counter",
    "stack-machine",
    "varint-bug",
];

/// Elements and sizes that inputs choose, and recursion that touches memory: what presets decide that know neither by themselves.
const BY_PRESET: [(&str, &[&str]); 6] = [
    ("expl-itp", &["chosen-element", "chosen-element-bug", "swapped-elements", "swapped-elements-bug", "malloc-sum"]),
    (
        "bdd-value",
        &[
            "chosen-element",
            "chosen-element-bug",
            "swapped-elements",
            "swapped-elements-bug",
            "malloc-loop",
            "malloc-loop-bug",
        ],
    ),
    (
        "pred",
        &["recursive-counter", "recursive-counter-bug", "recursive-reverse-bug", "recursive-sum", "recursive-tree"],
    ),
    (
        "impact",
        &["recursive-counter", "recursive-counter-bug", "recursive-reverse-bug", "recursive-sum", "recursive-tree"],
    ),
    ("symbolic-execution", &["parse-int", "parse-int-bug"]),
    ("summaries", &["recursive-counter", "recursive-counter-bug", "recursive-reverse", "recursive-reverse-bug"]),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/natural")
}

fn harnesses() -> Vec<Harness> {
    read(&folder()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn gcc_confirms_the_heads() {
    if !gcc::is_available(DataModel::Lp64) {
        eprintln!("skipped: no gcc (install gcc)");
        return;
    }
    let all = harnesses();
    assert!(all.len() >= 40 && all.iter().any(|one| one.fails) && all.iter().any(|one| one.valid_deref));
    for harness in all {
        let executed = execute(&harness).unwrap_or_else(|error| panic!("{error}"));
        let name = &harness.name;
        match harness.fails {
            true => assert!(executed.violated > 0, "{name}: no violation in {} executions", executed.ended),
            false => {
                assert_eq!(executed.violated, 0, "{name}: violations");
                assert!(executed.ended >= ENOUGH, "{name}: only {} executions ended", executed.ended);
            }
        }
    }
}

/// Whether the harness of a name is decided as its head promises.
fn decides(all: &[Harness], preset: &Preset, name: &str) {
    let harness = all.iter().find(|one| one.name == name).expect("a harness of this name");
    let property = harness.valid_deref.then(|| folder().join("valid-deref.prp"));
    let files = vec![harness.path.clone()];
    let request = Request { files, property, data_model: Some(DataModel::Lp64), ..Request::default() };
    let task = Task::new(request).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut program = driver::load(&task).unwrap_or_else(|error| panic!("{name}: {error}")).program;
    driver::prepare(&mut program, task.outside);
    assert_eq!(decide(&program, preset, PATIENCE), Ok(Some(harness.fails)), "{}: {name}", preset.name);
}

#[test]
fn complete_unrolling_decides_quick_ones() {
    let all = harnesses();
    let preset = Preset::named("bmc").expect("it is a preset");
    QUICK.iter().for_each(|name| decides(&all, &preset, name));
}

#[test]
fn presets_decide_what_takes_a_change_of_the_program() {
    let all = harnesses();
    for (preset, names) in BY_PRESET {
        let preset = Preset::named(preset).expect("it is a preset");
        names.iter().for_each(|name| decides(&all, &preset, name));
    }
}

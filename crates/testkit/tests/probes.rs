//! Corner cases of C and of gcc (`tests/probes`): what holds is never called FALSE, what fails never TRUE, and most is
//! decided. gcc executes every probe first.

mod verdicts;

use cfa::DataModel;
use driver::{Preset, Request, Task};
use std::path::Path;
use std::time::Duration;
use testkit::gcc;
use testkit::probes::{Probe, execute, parse};
use testkit::scratch::Scratch;
use verdicts::decide;

/// Quick ones first; the second is asked if the first does not know.
const PRESETS: [&str; 2] = ["expl-itp", "bmc"];
const PATIENCE: Duration = Duration::from_secs(3);
/// So many of the questions (two a probe) must be decided.
const LEAST: usize = 880;

fn probes() -> Vec<Probe> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/probes");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder of the probes").collect();
    files.sort_by_key(|entry| entry.as_ref().expect("a readable folder").path());
    let read = |path: &Path| {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a readable file");
        parse(&name, &text).unwrap_or_else(|error| panic!("{error}"))
    };
    files.into_iter().flat_map(|entry| read(&entry.expect("a readable folder").path())).collect()
}

fn check(model: DataModel) {
    if !gcc::is_available(model) {
        eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
        return;
    }
    let all = probes();
    let own: Vec<&Probe> = all.iter().filter(|probe| probe.is_for(model)).collect();
    let values = execute(&own, model).unwrap_or_else(|error| panic!("{error}"));
    let mistaken: Vec<String> = own
        .iter()
        .zip(&values)
        .filter(|(_, values)| **values != [1, 0])
        .map(|(probe, values)| format!("{}: holds {}, fails {}", probe.name, values[0], values[1]))
        .collect();
    assert!(mistaken.is_empty(), "gcc says otherwise:\n{}", mistaken.join("\n"));

    let (mut wrong, mut undecided, mut decided) = (Vec::new(), Vec::new(), 0);
    for probe in own {
        for (which, word) in ["holds", "fails"].into_iter().enumerate() {
            match ask(probe, which, model) {
                Ok(Some(fails)) if fails != (which == 1) => {
                    wrong.push(format!("{}, {word}: {}", probe.name, probe.expressions[which]))
                }
                Ok(Some(_)) => decided += 1,
                Ok(None) => undecided.push(format!("{} ({word})", probe.name)),
                Err(why) => undecided.push(format!("{} ({word}): {}", probe.name, why.lines().next().unwrap_or(""))),
            }
        }
    }
    println!("{model:?}: {decided} decided, {} not:\n{}", undecided.len(), undecided.join("\n"));
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    assert!(decided >= LEAST, "only {decided} questions are decided, not {LEAST}");
}

/// Whether the presets say that the expression can fail. The text goes the way of a file that a user gives.
fn ask(probe: &Probe, which: usize, model: DataModel) -> Result<Option<bool>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("probe.c");
    std::fs::write(&file, probe.program(which)).map_err(|error| error.to_string())?;
    let request = Request { files: vec![file], data_model: Some(model), ..Request::default() };
    let task = Task::new(request).map_err(|error| error.to_string())?;
    let mut program = driver::load(&task).map_err(|error| error.to_string())?.program;
    driver::prepare(&mut program, task.outside);
    for name in PRESETS {
        let preset = Preset::named(name).expect("it is a preset");
        let decided = decide(&program, &preset, PATIENCE)?;
        if decided.is_some() {
            return Ok(decided);
        }
    }
    Ok(None)
}

#[test]
fn probes_lp64() {
    check(DataModel::Lp64);
}

#[test]
fn probes_ilp32() {
    check(DataModel::Ilp32);
}

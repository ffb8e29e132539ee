//! The C library function by function (`tests/library`): for each, an assertion that holds and one that fails, both judged
//! by gcc; then what an execution does, and what `auto` says: of every sixth within two seconds, or with `LIBRARY=1` of all
//! within ten.

mod verdicts;

use base::Cancel;
use cfa::{DataModel, EdgeId, Scalar, Source};
use driver::{Preset, Request, Task};
use semantics::choices::{Asked, Chooser};
use semantics::interpreter::{self, Options, RunEnd};
use std::path::Path;
use std::time::Duration;
use testkit::gcc;
use testkit::probes::{Probe, execute, parse};
use testkit::scratch::Scratch;
use verdicts::decide;

const PATIENCE: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_secs(2);
/// So many of 100 that `auto` is asked about must be decided rightly, and so many of 100 executed.
const LEAST: usize = 60;
/// Without `LIBRARY=1`, `auto` is asked about one probe of so many.
const EACH: usize = 6;

fn probes() -> Vec<Probe> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    let read = |path: &Path| {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a readable file");
        parse(&name, &text).unwrap_or_else(|error| panic!("{error}"))
    };
    files.iter().flat_map(|path| read(path)).collect()
}

/// The task of one of the expressions.
fn with_task<T>(probe: &Probe, which: usize, f: impl FnOnce(Task) -> Result<T, String>) -> Result<T, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("probe.c");
    std::fs::write(&file, probe.program(which)).map_err(|error| error.to_string())?;
    f(Task::new(Request { files: vec![file], ..Request::default() }).map_err(|error| error.to_string())?)
}

fn verify(probe: &Probe, which: usize, patience: Duration) -> Result<Option<bool>, String> {
    with_task(probe, which, |task| {
        let mut program = driver::load(&task).map_err(|error| error.to_string())?.program;
        driver::prepare(&mut program, task.outside);
        decide(&program, &Preset::named("auto").expect("it is a preset"), patience)
    })
}

/// Choices are 0 and standard input is empty, as for gcc's program.
struct Alone;

impl Chooser for Alone {
    fn outside(&mut self, asked: Asked) -> Option<i64> {
        Some(if asked == Asked::Input { -1 } else { 1_000_000 })
    }
    fn havoc(&mut self, _: EdgeId, _: Source, _: Scalar) -> u128 {
        0
    }
    fn byte(&mut self, _: u32, _: u64) -> u8 {
        0
    }
    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        0
    }
}

/// Whether an execution reaches the error.
fn run(probe: &Probe, which: usize) -> Result<bool, String> {
    with_task(probe, which, |mut task| {
        task.running = true;
        let program = driver::load(&task).map_err(|error| error.to_string())?.program;
        let cancel = Cancel::with_limits(Some(PATIENCE), None);
        let run = interpreter::run(&program, &mut Alone, &mut Vec::new(), &Options::default(), &cancel);
        match run.outcome {
            RunEnd::Exit(_) => Ok(false),
            RunEnd::Target(_) => Ok(true),
            RunEnd::Unsupported { what, .. } => Err(what),
            other => Err(format!("{other:?}")),
        }
    })
}

#[test]
fn the_library_does_what_gcc_says() {
    if !gcc::is_available(DataModel::Lp64) {
        eprintln!("skipped: no gcc");
        return;
    }
    let all = probes();
    let values = execute(&all.iter().collect::<Vec<_>>(), DataModel::Lp64).unwrap_or_else(|error| panic!("{error}"));
    let (mut wrong, mut open, mut right) = (Vec::new(), Vec::new(), 0);
    let (mut executed, mut refused) = (0, Vec::new());
    let (each, patience) = if std::env::var("LIBRARY").is_ok() { (1, PATIENCE) } else { (EACH, SHORT) };
    let mut asked = 0;
    for (at, (probe, values)) in all.iter().zip(&values).enumerate() {
        assert_eq!(*values, [1, 0], "gcc says otherwise of {}", probe.name);
        let is_asked = at % each == 0;
        asked += usize::from(is_asked);
        let mut decided = is_asked;
        for which in [0, 1] {
            let answer = if is_asked { verify(probe, which, patience) } else { Ok(Some(which == 1)) };
            match answer {
                Ok(Some(fails)) if fails != (which == 1) => wrong.push(format!("auto on {} {which}", probe.name)),
                Ok(Some(_)) => {}
                Ok(None) => {
                    decided = false;
                    open.push(format!("{} {which}", probe.name));
                }
                Err(why) => {
                    decided = false;
                    open.push(format!("{} {which}: {}", probe.name, why.lines().next().unwrap_or("")));
                }
            }
            match run(probe, which) {
                Ok(fails) if fails != (which == 1) => wrong.push(format!("run of {} {which}", probe.name)),
                Ok(_) => executed += 1,
                Err(why) => refused.push(format!("{} {which}: {}", probe.name, why.lines().next().unwrap_or(""))),
            }
        }
        right += usize::from(decided);
    }
    println!("{asked} of {} functions, {right} pairs decided; open:\n{}", all.len(), open.join("\n"));
    println!("{executed} of {} executed as by gcc; refused:\n{}", 2 * all.len(), refused.join("\n"));
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all.len() >= 200 && 100 * right >= LEAST * asked, "only {right} of {asked} pairs are decided");
    assert!(100 * executed >= LEAST * 2 * all.len(), "only {executed} are executed");
}

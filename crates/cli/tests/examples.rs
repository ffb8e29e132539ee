//! Every example program with every preset. TRUE and FALSE must never contradict the verdict in the program's head
//! (`//~ verdict: true`); UNKNOWN is allowed for single engines, but `auto` must answer.

mod command;

use command::{argonaut, root};
use std::sync::Mutex;

struct Example {
    path: String,
    expected: String,
}

fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    for folder in ["examples", "examples/papers"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("the folder of examples");
        for entry in entries {
            let name = entry.expect("readable").file_name().into_string().expect("a plain name");
            if !name.ends_with(".c") {
                continue;
            }
            let path = format!("{folder}/{name}");
            let text = std::fs::read_to_string(root().join(&path)).expect("readable");
            let verdict = text.lines().find_map(|line| line.strip_prefix("//~ verdict: "));
            let expected = match verdict {
                Some("true") => "Verdict: TRUE",
                Some("true, there is no error") => "Verdict: TRUE (the program contains no error location)",
                Some("false") => "Verdict: FALSE (unreach-call)",
                other => panic!(
                    "{path}: expected `//~ verdict: true`, `true, there is no error` or `false`, found {other:?}"
                ),
            };
            found.push(Example { path, expected: expected.into() });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn presets() -> Vec<String> {
    let list = argonaut(&["presets"]).out;
    list.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Calls `work` on every item, as many at a time as there are processors.
fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = Mutex::new(items.iter());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let Some(item) = next.lock().expect("no thread panics inside").next() else { return };
                    work(item);
                }
            });
        }
    });
}

/// Answers of a preset that contradict the expectation, and how many are UNKNOWN.
fn judge(preset: &str, limit: &str) -> (Vec<String>, Vec<String>) {
    let wrong = Mutex::new(Vec::new());
    let unknown = Mutex::new(Vec::new());
    in_parallel(&examples(), |example| {
        let run = argonaut(&["verify", "--quiet", "--analysis", preset, "--time-limit", limit, &example.path]);
        let line = format!("{}: {} {}", example.path, run.verdict(), run.err);
        if run.code == 3 && run.verdict().starts_with("Verdict: UNKNOWN (") {
            unknown.lock().expect("no thread panics inside").push(line);
        } else if run.verdict() != example.expected
            || run.code != i32::from(!example.expected.starts_with("Verdict: TRUE"))
        {
            wrong.lock().expect("no thread panics inside").push(line);
        }
    });
    (wrong.into_inner().expect("no thread panics inside"), unknown.into_inner().expect("no thread panics inside"))
}

#[test]
fn no_preset_contradicts_an_expected_verdict() {
    for preset in presets().iter().filter(|preset| *preset != "auto") {
        let (wrong, unknown) = judge(preset, "1.5s");
        println!("{preset}: {} of {} unknown", unknown.len(), examples().len());
        assert!(wrong.is_empty(), "{preset}: {wrong:#?}");
        let crashes: Vec<&String> = unknown.iter().filter(|line| line.contains("internal error")).collect();
        assert!(crashes.is_empty(), "{preset}: {crashes:#?}");
    }
}

#[test]
fn auto_solves_every_example() {
    let (wrong, unknown) = judge("auto", "120s");
    assert!(wrong.is_empty() && unknown.is_empty(), "wrong: {wrong:#?}\nunknown: {unknown:#?}");
}

#[test]
fn every_example_has_an_automaton() {
    for example in examples() {
        let run = argonaut(&["cfa", &example.path]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", example.path);
        assert!(run.out.contains("main"), "{}", example.path);
    }
}

//! `verify --store`: what is kept, what is used again, and what is not believed.

mod command;

use command::{Run, argonaut, file};
use std::path::PathBuf;

/// A folder that does not exist yet.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn verify(folder: &std::path::Path, program: &str) -> Run {
    let store = format!("--store={}", folder.display());
    argonaut(&["verify", "--analysis", "k-induction", "--statistics", &store, program])
}

#[test]
fn the_second_run_uses_the_first() {
    let folder = folder("store-again");
    for (program, code, how) in
        [("examples/first-proof.c", 0, "verdict from the store"), ("examples/first-bug.c", 1, "inputs from the store")]
    {
        let first = verify(&folder, program);
        assert_eq!((first.code, first.out.contains(how)), (code, false), "{}", first.out);
        let second = verify(&folder, program);
        assert_eq!((second.code, second.out.contains(how)), (code, true), "{}", second.out);
        assert_eq!(first.verdict(), second.verdict());
    }
    let shown = argonaut(&["store", "--store", folder.to_str().expect("a plain path")]);
    assert!(shown.code == 0 && shown.out.contains(": 2 answers"), "{}", shown.out);
    let cleared = argonaut(&["store", "clear", "--store", folder.to_str().expect("a plain path")]);
    assert!(cleared.code == 0 && cleared.out.contains(": 0 answers, 0.0 MiB"), "{}", cleared.out);
}

#[test]
fn the_words_of_a_text_are_enough_for_a_verdict() {
    let folder = folder("store-words");
    let store = format!("--store={}", folder.display());
    let proof = std::fs::read_to_string(command::root().join("examples/first-proof.c")).expect("an example");
    let run = |name: &str, text: &str| {
        let run = argonaut(&["verify", "--analysis", "k-induction", &store, &file(name, text)]);
        assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{}{}", run.out, run.err);
        run.out
    };
    let first = run("words.c", &proof);
    assert!(!first.contains("earlier run"), "{first}");
    // Without entries, only what is kept by words is left.
    for file in std::fs::read_dir(&folder).expect("the store").map(|file| file.expect("readable").path()) {
        if file.extension().is_some_and(|kind| kind != "words") {
            std::fs::remove_file(file).expect("own files");
        }
    }
    for text in [proof.clone(), format!("/* one\n more */\n{proof}")] {
        let again = run("words.c", &text);
        assert_eq!(
            again,
            first.replace(".\n", ". The proof comes from the store: an earlier run found it for the same program.\n")
        );
    }
    let other = run("words.c", &proof.replacen("return 0", "return 1", 1));
    assert!(!other.contains("earlier run"), "{other}");
}

#[test]
fn positions_are_those_of_the_changed_text() {
    let folder = folder("store-moved");
    let text = "extern void reach_error(void);\nint main(void) {\n    reach_error();\n}\n";
    let first = verify(&folder, &file("moved.c", text));
    assert!(first.out.contains("moved.c:3:5: error"), "{}", first.out);
    let second = verify(&folder, &file("moved.c", format!("// one line more\n{text}")));
    assert!(second.out.contains("moved.c:4:5: error"), "{}", second.out);
    assert!(second.out.contains("inputs from the store"), "{}", second.out);
}

#[test]
fn a_damaged_store_is_ignored_with_a_warning() {
    let folder = folder("store-damaged");
    assert_eq!(verify(&folder, "examples/first-proof.c").code, 0);
    for entry in std::fs::read_dir(&folder).expect("the store") {
        let path = entry.expect("readable").path();
        if path.ends_with("key") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        std::fs::write(&path, text.replace("TRUE", "true").replace("Safe", "safe")).expect("writable");
    }
    let again = verify(&folder, "examples/first-proof.c");
    assert_eq!(again.code, 0);
    assert!(!again.out.contains("verdict from the store"), "{}", again.out);
    assert!(again.err.contains("warning: ") && again.err.contains("ignored, it is damaged"), "{}", again.err);
}

#[test]
fn a_store_that_cannot_be_written_is_a_warning_a_file_is_an_error() {
    let run = verify(std::path::Path::new("/proc/no-such-folder"), "examples/first-proof.c");
    assert_eq!(run.code, 0);
    assert!(run.err.contains("argonaut: warning: /proc/no-such-folder: cannot be made"), "{}", run.err);
    let run = verify(std::path::Path::new("examples/first-proof.c"), "examples/first-proof.c");
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert!(run.err.contains("is a file, expected a folder"), "{}", run.err);
}

#[test]
fn without_the_option_nothing_is_kept() {
    let folder = folder("store-cache");
    let cache = |args: &[&str]| {
        let mut command = command::command(args);
        command::finish(command.env("XDG_CACHE_HOME", &folder).output().expect("starts"))
    };
    assert_eq!(cache(&["verify", "examples/first-proof.c"]).code, 0);
    assert_eq!(cache(&["verify", "--store", "--no-store", "examples/first-proof.c"]).code, 0);
    assert!(!folder.exists());
    assert_eq!(cache(&["verify", "--store", "examples/first-proof.c"]).code, 0);
    assert!(folder.join("argonaut/store").is_dir());
}

#[test]
fn concurrent_runs_do_not_harm_each_other() {
    let folder = folder("store-concurrent");
    let store = format!("--store={}", folder.display());
    let args = ["verify", "--analysis", "k-induction", &store, "examples/first-proof.c"];
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = command::command(&args);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().expect("starts")
        })
        .collect();
    for child in children {
        let run = command::finish(child.wait_with_output().expect("ends"));
        assert_eq!(run.code, 0);
        assert!(!run.err.contains("warning"), "{}", run.err);
    }
    assert!(verify(&folder, "examples/first-proof.c").out.contains("verdict from the store"));
}

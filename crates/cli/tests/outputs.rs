//! Files that cannot be written, readers that go away, interrupts: the verdict and its exit status stay, a line says what
//! is missing, and no half-written file is left.

mod command;

use command::{Run, argonaut, command, file, finish, without_folder};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BUG: &str = "examples/first-bug.c";

/// Options that write a file, each with a name for it; `verify` with the last two needs the value analysis.
const FILES: [(&str, &str); 5] = [
    ("--witness", "w.yml"),
    ("--witness", "w.graphml"),
    ("--report", "r.html"),
    ("--precision-out", "p.txt"),
    ("--dump-arg", "a.dot"),
];

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

fn inside(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").file_name());
    entries.map(|name| name.into_string().expect("a plain name")).collect()
}

/// Runs the command in a shell in which not a byte can be written to a file, as on a full disk.
fn on_full_disk(args: &[&str]) -> Run {
    let mut plain = command(args);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""]).arg(plain.get_program()).args(args);
    shell.current_dir(command::root()).stdin(Stdio::null());
    // The same environment, where it differs from ours.
    for (key, value) in plain.env_remove("CC").get_envs() {
        match value {
            Some(value) => shell.env(key, value),
            None => shell.env_remove(key),
        };
    }
    finish(shell.output().expect("a shell"))
}

#[test]
fn a_full_disk_costs_the_file_and_not_the_verdict() {
    let counter = "extern void reach_error(void); int main(void) { int i = 0; while (i < 5) i++; if (i != 5) \
                   reach_error(); return 0; }";
    let program = file("outputs-counter.c", counter);
    for (option, name) in FILES {
        let folder = folder("outputs-full");
        let path = folder.join(name).display().to_string();
        let run = on_full_disk(&["verify", "--quiet", "--analysis", "expl-itp", option, &path, &program]);
        assert_eq!((run.verdict(), run.code), ("Verdict: TRUE", 0), "{option}: {}", run.err);
        let expected =
            format!("argonaut: warning: outputs-full/{name}: cannot be written (File too large (os error 27))\n");
        assert_eq!(without_folder(&run.err), expected, "{option}");
        assert_eq!(inside(&folder), [""; 0], "{option}");
    }
    let folder = folder("outputs-full-harness");
    let path = folder.join("h").display().to_string();
    let run = on_full_disk(&["verify", "--quiet", "--harness", &path, BUG]);
    assert_eq!((run.verdict(), run.code), ("Verdict: FALSE (unreach-call)", 1), "{}", run.err);
    assert!(run.err.contains("harness.c: cannot be written (") && run.err.lines().count() == 1, "{}", run.err);
    assert_eq!(inside(&folder.join("h")), [""; 0]);
}

#[test]
fn a_full_disk_behind_pictures_is_an_error() {
    let folder = folder("outputs-full-cfa");
    for option in ["--dot", "--svg"] {
        let path = folder.join("cfa").display().to_string();
        let run = on_full_disk(&["cfa", option, &path, BUG]);
        assert_eq!((run.code, run.err.lines().count()), (2, 1), "{}", run.err);
        assert!(run.err.contains("cfa: cannot be written ("), "{}", run.err);
        assert_eq!(inside(&folder), [""; 0], "{option}");
    }
}

#[test]
fn places_that_cannot_be_written_are_named_before_the_run() {
    for (option, name) in FILES {
        for (path, why) in [
            (format!("examples/nowhere/{name}"), "cannot be written (No such file or directory (os error 2))"),
            ("examples".to_owned(), "is a folder, expected a file to write"),
        ] {
            let run = argonaut(&["verify", "--analysis", "expl", option, &path, BUG]);
            let expected = format!("argonaut: error: {path}: {why}\n");
            assert_eq!((run.code, run.out.as_str(), run.err), (2, "", expected), "{option}");
        }
    }
    let run = argonaut(&["verify", "--harness", "/proc/nowhere", BUG]);
    assert_eq!((run.code, run.err.as_str()), (2, "argonaut: error: /proc/nowhere: cannot be written\n"));
}

#[test]
fn formats_on_a_full_or_closed_standard_output() {
    for format in ["text", "json", "sarif", "junit"] {
        let args = ["verify", "--quiet", "--format", format, BUG];
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let child = command(&args).stdout(Stdio::from(full)).stderr(Stdio::piped()).spawn();
        let run = finish(child.expect("starts").wait_with_output().expect("ends"));
        assert_eq!((run.code, run.err.lines().count()), (2, 1), "{format}: {}", run.err);
        assert!(run.err.starts_with("argonaut: error: standard output cannot be written ("), "{}", run.err);
        // A reader that goes away has seen enough.
        let mut child =
            command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
        drop(child.stdout.take());
        let run = finish(child.wait_with_output().expect("ends"));
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{format}");
    }
}

#[test]
fn an_interrupt_leaves_no_files() {
    let folder = folder("outputs-interrupt");
    let endless = "extern void reach_error(void); int main(void) { unsigned x = 0; while (1) { x++; if (x == 4000000007u) \
                   reach_error(); } return 0; }";
    let program = file("outputs-endless.c", endless);
    let path = |name: &str| folder.join(name).display().to_string();
    let args = ["verify", "--quiet", "--analysis", "expl", "--time-limit", "60s"];
    let mut all: Vec<String> = args.map(str::to_owned).to_vec();
    for (option, name) in FILES.into_iter().filter(|(option, _)| *option != "--report") {
        all.extend([option.to_owned(), path(name)]);
    }
    all.extend(["--harness".to_owned(), path("h"), program]);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let child = command(&all).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    command::await_worker(child.id());
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let run = finish(child.wait_with_output().expect("it ends"));
    assert_eq!((run.verdict(), run.code, run.err.as_str()), ("Verdict: UNKNOWN (stopped)", 3, ""));
    assert_eq!(inside(&folder), [""; 0]);
}

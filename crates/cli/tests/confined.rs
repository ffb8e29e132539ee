//! Programs that runs start: they keep to themselves and to limits, and end with the run, however that ends.

mod command;

use command::finish;
use command::hostile::Place;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CONFIRMED: &str = "confirmed: compiled and executed with these inputs, the program reaches the error";

/// Runs `verify --confirm`; the verdict is FALSE whatever the execution came to. What was said about the execution.
fn confirm(place: &Place, args: &[&str]) -> String {
    let run = place.run(&[&["verify", "--confirm"], args].concat());
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (unreach-call)"), "{}{}", run.out, run.err);
    let said = run.out.lines().find(|line| line.contains("confirmed:"));
    said.unwrap_or_else(|| panic!("nothing about the execution in {}", run.out)).to_owned()
}

/// Whether the system isolates programs here; elsewhere the output must say that it does not.
fn isolates(said: &str, what: &str) -> bool {
    let denied = !said.contains(what);
    if !denied {
        eprintln!("the system does not isolate programs: {said}");
    }
    denied
}

#[test]
fn confirmed_programs_write_only_to_their_folder() {
    let place = Place::new("writes");
    let victim = place.temporary.with_file_name("victim");
    let said = confirm(&place, &[&format!("-DVICTIM=\"{}\"", victim.display()), "writes.c"]);
    assert!(said.starts_with(CONFIRMED), "{said}");
    assert_eq!(victim.exists(), !isolates(&said, "could write everywhere"), "{said}");
}

#[test]
fn confirmed_programs_have_no_network() {
    let place = Place::new("connects");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a socket");
    let port = listener.local_addr().expect("bound").port();
    let said = confirm(&place, &[&format!("-DPORT={port}"), "connects.c"]);
    assert!(said.starts_with(CONFIRMED), "{said}");
    if isolates(&said, "could use the network") {
        assert!(listener.accept().is_err(), "it came through: {said}");
    }
}

/// Sockets of this machine lead to services that do as they are told.
#[test]
fn confirmed_programs_have_no_local_sockets() {
    let place = Place::new("sockets");
    let path = std::env::temp_dir().join(format!("argonaut-test-{}", std::process::id()));
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("a writable folder");
    listener.set_nonblocking(true).expect("a socket");
    let said = confirm(&place, &[&format!("-DVICTIM=\"{}\"", path.display()), "sockets.c"]);
    std::fs::remove_file(&path).expect("our own socket");
    assert!(said.starts_with(CONFIRMED), "{said}");
    if isolates(&said, "could use local sockets") {
        assert!(listener.accept().is_err(), "it came through: {said}");
    }
}

#[test]
fn confirmed_programs_change_no_attributes() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new("modes");
    let victim = place.folder.join("plain.c");
    let attributes = || std::fs::metadata(&victim).map(|data| (data.mode(), data.mtime())).expect("a file");
    let before = attributes();
    let said = confirm(&place, &[&format!("-DVICTIM=\"{}\"", victim.display()), "modes.c"]);
    assert!(said.starts_with(CONFIRMED), "{said}");
    if isolates(&said, "seccomp") {
        assert_eq!(attributes(), before, "{said}");
    }
}

/// The sanitizer's own limit does not see what is forked.
#[test]
fn memory_of_all_processes_counts() {
    let place = Place::new("eats");
    let run = place.run(&["verify", "--confirm", "--check", "bounds", "--memory-limit", "1GiB", "eats.c"]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("not confirmed") && run.out.contains("it used too much memory"), "{}", run.out);
}

#[test]
fn confirmed_programs_leave_nobody_behind() {
    let place = Place::new("forks");
    let start = Instant::now();
    let said = confirm(&place, &["forks.c"]);
    assert!(said.starts_with(CONFIRMED), "{said}");
    // The children sleep for a quarter of an hour and hold the pipe open.
    assert!(start.elapsed() < Duration::from_secs(300), "{:?}", start.elapsed());
}

#[test]
fn confirmed_programs_cannot_fill_the_disk() {
    let said = confirm(&Place::new("floods"), &["floods.c"]);
    assert!(said.contains("signal 25"), "{said}");
}

#[test]
fn odd_names_are_confirmed_as_well() {
    let place = Place::new("odd");
    for name in ["@bug.c", "-fplugin=x.c", "./@bug.c"] {
        let said = confirm(&place, &["--", name]);
        assert!(said.starts_with(CONFIRMED), "{said}");
    }
}

/// A command whose compiler waits for a pipe that is never written to.
fn waiting(place: &Place, args: &[&str]) -> Child {
    let pipe = place.folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let path = place.folder.join("waits.c");
    let mut command = place.command(args);
    let child = command.arg(path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    wait_until(|| place.processes().iter().any(|words| words.contains("cc1")), "the compiler starts");
    child
}

fn wait_until(is_so: impl Fn() -> bool, what: &str) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(word: &str, process: u32) {
    let sent = Command::new("kill").args([word, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// Process ids of the commands of ours in this place, the first one first.
fn own(place: &Place, first: u32) -> Vec<u32> {
    let mut found = vec![first];
    let mut at = 0;
    while at < found.len() {
        let threads = std::fs::read_dir(format!("/proc/{}/task", found[at])).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        let all: Vec<String> = lists.collect();
        found.extend(all.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse::<u32>().ok()));
        at += 1;
    }
    assert!(!place.processes().is_empty());
    found
}

#[test]
fn whatever_ends_a_run_ends_its_compiler() {
    for command in ["verify", "cfa", "run"] {
        for word in ["-INT", "-TERM", "-KILL"] {
            let place = Place::new(&format!("orphan-{command}{word}"));
            let child = waiting(&place, &[command]);
            signal(word, child.id());
            let run = finish(child.wait_with_output().expect("it ends"));
            if command == "verify" && word != "-KILL" {
                assert_eq!((run.code, run.out.as_str()), (3, "Verdict: UNKNOWN (stopped)\n"), "{}", run.err);
            }
            place.assert_clean();
        }
    }
}

/// Every process between the command and the compiler may be the one that is killed.
#[test]
fn whoever_is_killed_nobody_stays() {
    let mut at = 0;
    loop {
        let place = Place::new(&format!("killed-{at}"));
        let child = waiting(&place, &["verify"]);
        let Some(&victim) = own(&place, child.id()).get(at) else {
            signal("-KILL", child.id());
            break;
        };
        signal("-KILL", victim);
        let run = finish(child.wait_with_output().expect("it ends"));
        place.assert_clean();
        assert!(at == 0 || (run.code >= 2 && !run.out.contains("TRUE")), "{at}: {} {}", run.code, run.out);
        at += 1;
    }
    assert!(at >= 3, "a supervisor, a worker and a compiler");
}

#[test]
fn limits_hold_for_the_compiler() {
    let place = Place::new("time");
    let child = waiting(&place, &["verify", "--time-limit", "3s"]);
    let run = finish(child.wait_with_output().expect("it ends"));
    assert_eq!((run.code, run.verdict()), (3, "Verdict: UNKNOWN (time limit reached)"), "{}", run.err);
    place.assert_clean();
    let place = Place::new("memory");
    let run = place.run(&["verify", "--memory-limit", "300MiB", "zero.c"]);
    assert_eq!((run.code, run.verdict()), (3, "Verdict: UNKNOWN (memory limit reached)"), "{}", run.err);
}

/// A benchmark or a list of tasks that is killed takes its runs with it.
#[test]
fn runs_end_with_their_benchmark() {
    let place = Place::new("benchmark");
    let out = place.temporary.with_file_name("results");
    let list = place.folder.join("waiting.csv");
    let rows =
        format!("category,task,input,bits,expected\nx,waits,{},64,true\n", place.folder.join("waits.c").display());
    std::fs::write(&list, rows).expect("a writable folder");
    let pipe = place.folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    let mut command = place.command(&["bench", "--time-limit", "500s", "--out", out.to_str().expect("plain")]);
    let mut child = command.arg(list).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    wait_until(|| place.processes().iter().any(|words| words.contains("cc1")), "the compiler starts");
    signal("-KILL", child.id());
    child.wait().expect("it ends");
    place.assert_clean();
}

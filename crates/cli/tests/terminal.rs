//! What `verify` shows on a terminal, tried on a pseudo terminal that script(1) of util-linux makes. Skipped, with a
//! message, where there is none.

mod command;

use command::{argonaut, command, file, root};
use std::process::{Command, Stdio};

/// A program that takes one analysis thousands of refinements or states, so that a run has to be stopped.
const LONG: &str = "
extern void reach_error(void);
int main(void) {
    unsigned i = 0, sum = 0;
    while (i < 100000000u) { i++; sum += i * i; }
    if (sum == 4242) reach_error();
    return 0;
}
";

/// All that the command writes to a terminal; `None` without script(1).
fn on_a_terminal(args: &[&str]) -> Option<String> {
    let found = Command::new("script").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: no script(1) (apt install bsdutils)");
        return None;
    }
    let words: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let line = format!("'{}' {}", env!("CARGO_BIN_EXE_argonaut"), words.join(" "));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(root())
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .output()
        .expect("script(1) starts");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn long_runs_show_engine_phase_counts_and_time() {
    let program = file("long.c", LONG);
    let Some(shown) = on_a_terminal(&["verify", "--analysis", "expl", "--time-limit", "4s", &program]) else { return };
    let lines: Vec<&str> = shown.split('\r').filter(|line| line.contains(" s  expl: exploration, ")).collect();
    let reached = |line: &&str| line.split(", ").find_map(|part| part.strip_suffix(" reached")?.parse::<u64>().ok());
    let counts: Vec<u64> = lines.iter().filter_map(reached).collect();
    assert!(counts.len() > 1 && counts.is_sorted() && counts.first() < counts.last(), "{shown:?}");
    assert!(lines.iter().all(|line| line.contains(" MiB")), "{shown:?}");
    assert!(shown.contains("\r\x1b[K"), "the line is removed: {shown:?}");
    assert!(shown.contains("UNKNOWN (time limit reached)"), "{shown:?}");
}

#[test]
fn refinements_are_counted() {
    let mut text =
        String::from("extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n");
    for number in 0..400 {
        text += &format!("  unsigned v{number} = {number}; if (__VERIFIER_nondet_int()) v{number} = {number};\n");
    }
    for number in 0..400 {
        text += &format!("  if (v{number} != {number}) reach_error();\n");
    }
    text += "  unsigned i = 0; while (i < 100000000u) i++;\n  if (i != 100000000u) reach_error();\n}\n";
    let program = file("refinements.c", text);
    let Some(shown) = on_a_terminal(&["verify", "--analysis", "expl-itp", "--time-limit", "6s", &program]) else {
        return;
    };
    assert!(shown.contains(" refinements, "), "{shown:?}");
}

#[test]
fn verdicts_have_colour_on_a_terminal_only() {
    let args = ["verify", "examples/first-bug.c"];
    assert!(!argonaut(&args).out.contains('\x1b'));
    let Some(shown) = on_a_terminal(&args) else { return };
    assert!(shown.contains("\x1b[") && shown.contains("FALSE"), "{shown:?}");
}

#[test]
fn nothing_is_shown_where_nobody_watches() {
    let program = file("long-unseen.c", LONG);
    let run = command(&["verify", "--analysis", "expl", "--time-limit", "3s", &program]).output();
    let run = command::finish(run.expect("the command starts"));
    assert_eq!(run.err, "");
    assert!(run.out.contains("more time may help (--time-limit)"), "a hint after UNKNOWN: {}", run.out);
}

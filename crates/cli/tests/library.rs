//! The C library means what gcc and glibc say: every line of `library/probes.txt` is executed by gcc first, and then put
//! to the verifier twice, with what holds and with what does not. `library/programs` holds what a single run of gcc cannot
//! judge: inputs, failures, and functions without model, on whose results no FALSE may rest.

mod command;

use command::{argonaut, file};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const HEAD: &str = "#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
extern void reach_error(void);
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int comparisons;
static int compare_counting(const void *a, const void *b) { comparisons++; return compare(a, b); }
";

struct Probe {
    name: &'static str,
    setup: &'static str,
    holds: &'static str,
    fails: &'static str,
    /// Whether the verifier may leave it open.
    open: bool,
}

fn probes() -> Vec<Probe> {
    let lines = include_str!("library/probes.txt").lines();
    let parse = |line: &'static str| {
        let open = line.starts_with('~');
        let (name, rest) = line.trim_start_matches('~').split_once(':').expect("a name");
        let [setup, holds, fails] = rest.split(" | ").collect::<Vec<_>>()[..] else { panic!("three parts: {line}") };
        Probe { name, setup, holds, fails, open }
    };
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(parse).collect()
}

/// What gcc's program prints for each probe: whether the two conditions held.
fn executed(probes: &[Probe]) -> String {
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for Probe { name, setup, holds, fails, .. } in probes {
        text += &format!(
            "static void probe_{name}(void) {{ {setup} int holds = !!({holds}), fails = !!({fails});\n  \
             printf(\"@{name} %d%d\\n\", holds, fails); }}\n"
        );
        calls += &format!("probe_{name}();");
    }
    text += &format!("void reach_error(void) {{}}\nint main(void) {{ {calls} return 0; }}\n");
    let (source, binary) = (file("all-probes.c", text), file("all-probes", ""));
    let flags = ["-std=gnu11", "-w", "-O0", "-fno-builtin", "-o", &binary, &source, "-lm"];
    assert!(Command::new("gcc").args(flags).status().expect("gcc").success());
    let output = Command::new(&binary).stdin(Stdio::null()).output().expect("gcc's program");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The verdict on a probe with one of its conditions as assertion.
fn verdict(probe: &Probe, condition: &str, which: &str) -> String {
    let text = format!("{HEAD}int main(void) {{ {} if (!({condition})) reach_error(); return 0; }}\n", probe.setup);
    let path = file(&format!("probe-{}-{which}.c", probe.name), text);
    let run = argonaut(&["verify", "--extern", "pure", "--time-limit", "10s", &path]);
    run.verdict().to_owned()
}

#[test]
fn library_functions_mean_what_glibc_does() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("skipped: gcc is missing");
        return;
    }
    let probes = probes();
    assert!(probes.len() >= 170, "only {} probes", probes.len());
    let printed = executed(&probes);
    for probe in &probes {
        assert!(printed.contains(&format!("@{} 10\n", probe.name)), "gcc does not agree: {}", probe.name);
    }
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(probe) = probes.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for (condition, which, right) in
                        [(probe.holds, "holds", "Verdict: TRUE"), (probe.fails, "fails", "Verdict: FALSE")]
                    {
                        let found = verdict(probe, condition, which);
                        let fine = found.starts_with(right) || probe.open && found.starts_with("Verdict: UNKNOWN");
                        if !fine {
                            wrong.lock().expect("no panic").push(format!("{} {which}: {found}", probe.name));
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_that_use_the_library() {
    let folder = command::root().join("crates/cli/tests/library/programs");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of the programs") {
        let path = entry.expect("a readable folder").path();
        let text = std::fs::read_to_string(&path).expect("a readable program");
        let expected = text.lines().next().and_then(|line| line.strip_prefix("//~ verdict: ")).expect("a verdict");
        let path = path.to_str().expect("a plain path");
        let run = argonaut(&["verify", "--extern", "pure", "--time-limit", "20s", path]);
        let expected = format!("Verdict: {expected}");
        assert!(run.verdict().starts_with(&expected), "{path}: {}, not {expected}\n{}", run.verdict(), run.err);
        count += 1;
    }
    assert!(count >= 45, "only {count} programs");
}

//! Corner cases of memory: one small program each with what is true of it, as gcc's address and leak sanitizers judge it. A
//! program is a line `=== name verdict [flags]` and its text; the verdict is `fine`, `deref`, `free`, `lost` or `written` (to a constant). Flags:
//! `nondet` for programs with inputs, which are judged over several; `pattern` where locals must not be zero by chance;
//! `unjudged` where the sanitizers cannot tell (an address of a dead frame, an object of no bytes) and C decides.
//! `CORNERS=1` judges all of them again, else every twelfth.

use base::Cancel;
use cfa::{Check, Checks, DataModel, Outside, TargetKind};
use driver::{Options, Preset};
use flow::Prepared;
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;
use testkit::program::lower_with;
use testkit::scratch::Scratch;
use verdict::{Stop, Verdict};

const PROGRAMS: &str = include_str!("corners/memory.txt");
const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n#include <setjmp.h>\n\
                    extern int __VERIFIER_nondet_int(void);\n";
/// Counts down from the number in the environment.
const INPUT: &str = "int __VERIFIER_nondet_int(void) { static int left = -1; if (left < 0) left = atoi(getenv(\"X\"));\n\
                     int now = left; if (left > 0) left--; return now; }\n";
const INPUTS: [u32; 9] = [0, 1, 2, 3, 5, 9, 10, 11, 77];
const PATIENCE: Duration = Duration::from_secs(2);
/// Presets beside `auto`, by turns.
const PRESETS: [&str; 5] = ["lists", "k-induction", "bmc", "expl-itp", "pred"];

struct Corner {
    name: &'static str,
    /// `None`: all is fine.
    fails: Option<Check>,
    flags: Vec<&'static str>,
    text: &'static str,
}

fn corners() -> Vec<Corner> {
    let blocks = PROGRAMS.split("=== ").skip(1);
    blocks
        .map(|block| {
            let (head, text) = block.split_once('\n').expect("a head and a text");
            let mut words = head.split_whitespace();
            let name = words.next().expect("a name");
            let fails = match words.next().expect("a verdict") {
                "fine" => None,
                "deref" => Some(Check::Deref),
                "free" => Some(Check::Free),
                "lost" => Some(Check::Track),
                "written" => Some(Check::ReadOnly),
                other => panic!("{name}: '{other}' is not a verdict"),
            };
            Corner { name, fails, flags: words.collect(), text }
        })
        .collect()
}

#[test]
fn presets_are_right_about_corners_of_memory() {
    let checks = Checks::of(&[Check::Deref, Check::ReadOnly, Check::Free, Check::Track]);
    let (mut complaints, mut answered, mut asked) = (Vec::new(), 0, 0);
    for (at, corner) in corners().into_iter().enumerate() {
        let text = format!("{HEAD}{}", corner.text);
        let text = testkit::gcc::preprocess(&text, DataModel::Lp64, &[]).expect("gcc preprocesses it");
        let targets = lower::Targets { functions: Vec::new(), assertions: false, labels: Vec::new() };
        let options = lower::Options { checks, targets, ..lower::Options::default() };
        let mut program = lower_with(&text, &options).unwrap_or_else(|why| panic!("{}: {why}", corner.name));
        transform::check_memory(&mut program, checks);
        driver::prepare(&mut program, Outside::Pure);
        let program = Prepared::new(program);
        for preset in ["auto", PRESETS[at % PRESETS.len()]] {
            asked += 1;
            let cancel = Cancel::with_limits(Some(PATIENCE), None);
            let preset = Preset::named(preset).expect("a preset");
            let outcome = driver::run(&program, &preset, &Options::default(), None, &cancel, &mut |_| {});
            let says = match outcome.expect("presets have good options").verdict {
                Verdict::Safe(_) => None,
                Verdict::Unsafe(found) => match program.targets[found.target].kind {
                    TargetKind::Check(check) => Some(check),
                    other => panic!("{}: {other:?} is reached", corner.name),
                },
                Verdict::Unknown(Stop::Internal(what)) => panic!("{}: {what}", corner.name),
                Verdict::Unknown(_) => continue,
            };
            answered += 1;
            if says != corner.fails {
                complaints.push(format!("{} [{}]: {says:?}, but it is {:?}", corner.name, preset.name, corner.fails));
            }
        }
    }
    eprintln!("{answered} answers to {asked} questions");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(answered * 10 > asked * 6, "{answered} answers to {asked} questions");
}

#[test]
fn sanitizers_agree_about_corners_of_memory() {
    let all = std::env::var("CORNERS").is_ok();
    let scratch = Scratch::new().expect("a folder");
    let judged = corners().into_iter().filter(|corner| !corner.flags.contains(&"unjudged"));
    for (_, corner) in judged.enumerate().filter(|(at, _)| all || at % 12 == 0) {
        let (file, binary) = (scratch.file("corner.c"), scratch.file("corner"));
        let input = if corner.flags.contains(&"nondet") { INPUT } else { "" };
        std::fs::write(&file, format!("{HEAD}{input}{}", corner.text)).expect("it can be written");
        let mut gcc = Command::new("gcc");
        gcc.args(["-g", "-O0", "-w", "-fsanitize=address,null,bounds", "-fsanitize-address-use-after-scope"]);
        if corner.flags.contains(&"pattern") {
            gcc.arg("-ftrivial-auto-var-init=pattern");
        }
        let built = gcc.arg(&file).arg("-o").arg(&binary).output().expect("gcc is installed");
        assert!(built.status.success(), "{}: {}", corner.name, String::from_utf8_lossy(&built.stderr));
        let inputs = if corner.flags.contains(&"nondet") { &INPUTS[..] } else { &INPUTS[..1] };
        let kinds: BTreeSet<Check> = inputs.iter().filter_map(|input| report(&binary, *input)).collect();
        assert_eq!(kinds, corner.fails.into_iter().collect(), "{}", corner.name);
    }
}

/// What the sanitizers report for an input.
fn report(binary: &std::path::Path, input: u32) -> Option<Check> {
    let mut run = Command::new("timeout");
    run.arg("20").arg(binary).env("X", input.to_string()).env("ASAN_OPTIONS", "detect_stack_use_after_return=1");
    let text = String::from_utf8_lossy(&run.output().expect("it runs").stderr).into_owned();
    // Constants lie on pages that cannot be written.
    let is_protected = text.contains("caused by a WRITE memory access") && !text.contains("zero page");
    if is_protected { Some(Check::ReadOnly) } else { testkit::misuse::kind(&text) }
}

//! Inputs of strangers: whatever they hold, only the compiler is executed, no file is written, and the last line is ours.

mod command;

use command::hostile::Place;
use command::{Run, finish};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;

/// Runs a command in the hostile folder; the exit status, and how the last line of output or, without output, the only
/// line of complaint begins.
fn check(name: &str, args: &[&str], code: i32, begins: &str) -> Run {
    let run = Place::new(name).run(args);
    let last = if run.out.is_empty() { run.err.lines().last().unwrap_or("") } else { run.verdict() };
    assert!(run.code == code && last.starts_with(begins), "{args:?}: {} {}{}", run.code, run.out, run.err);
    run
}

#[test]
fn no_name_is_an_option_of_the_compiler() {
    check("verify-response", &["verify", "@x.c"], 0, "Verdict: TRUE");
    check("cfa-response", &["cfa", "./@x.c"], 0, "}");
    check("task-response", &["verify", "response.yml"], 0, "Verdict: TRUE");
    check("base-response", &["verify", "./@bug.c"], 1, "Verdict: FALSE");
    check("define", &["cfa", "-D@opts", "plain.c"], 2, "argonaut: error: macro `@opts`: expected NAME");
    check("define-line", &["cfa", "-DA=1\n#include <x>", "plain.c"], 2, "argonaut: error: macro `A=1\\n#include <x>`");
    check("database", &["verify", "--compile-commands", "define.json"], 2, "argonaut: error: macro `@opts`");
    check("database-folder", &["verify", "--compile-commands", "folder.json"], 0, "Verdict: TRUE");
    check("folder", &["verify", "-I@opts", "-I-wrapper", "plain.c"], 0, "Verdict: TRUE");
    check("option", &["verify", "--", "-fplugin=x.c"], 1, "Verdict: FALSE");
}

#[test]
fn no_name_is_an_option_of_ours() {
    let place = Place::new("bench");
    let out = place.temporary.with_file_name("results");
    let run = place.run(&["bench", "--time-limit", "20s", "--out", out.to_str().expect("plain"), "options.csv"]);
    let results = std::fs::read_to_string(out.join("results.csv")).expect("written");
    assert!(results.contains(",file,false,false,"), "{results}{}", run.err);
    assert!(results.contains(",option,true,error,") && results.contains("--confirm: no such file"), "{results}");
}

/// Programs that `strace` saw started, by their last names.
fn executed(place: &Place, args: &[&str]) -> Option<BTreeSet<String>> {
    let log = place.temporary.with_file_name("trace");
    let mut strace = place.other("strace");
    strace.args(["-f", "-qq", "-e", "trace=execve", "-o"]).arg(&log);
    strace.arg(env!("CARGO_BIN_EXE_argonaut")).args(args).output().ok()?;
    let text = std::fs::read_to_string(log).ok()?;
    let started = text.lines().filter(|line| line.ends_with("= 0"));
    let name = |line: &str| Some(line.split('"').nth(1)?.rsplit('/').next()?.to_owned());
    let names: BTreeSet<String> = started.filter_map(name).collect();
    (!names.is_empty()).then_some(names)
}

#[test]
fn only_the_compiler_is_executed() {
    for (name, args) in [
        ("strace-name", &["verify", "@x.c"][..]),
        ("strace-task", &["verify", "response.yml"]),
        ("strace-folder", &["verify", "--compile-commands", "folder.json"]),
        ("strace-define", &["cfa", "-D@opts", "plain.c"]),
        ("strace-confirm", &["verify", "--confirm", "--", "-fplugin=x.c"]),
    ] {
        let place = Place::new(name);
        let Some(names) = executed(&place, args) else {
            eprintln!("strace does not work here: not tested");
            return;
        };
        // The link editor has several names; `program` is what `--confirm` builds.
        let known = ["argonaut", "cc", "gcc", "cc1", "as", "collect2", "ld", "ld.bfd", "program"];
        let other: Vec<&String> = names.iter().filter(|name| !known.contains(&name.as_str())).collect();
        assert!(other.is_empty() && names.contains("argonaut"), "{args:?}: {names:?}");
        assert_eq!(names.contains("program"), args.contains(&"--confirm"), "{names:?}");
        place.assert_clean();
    }
}

/// What a compile database might want of the compiler.
#[test]
fn no_option_of_a_database_reaches_the_compiler() {
    let place = Place::new("strace-options");
    let options = [
        "-o pwned -wrapper ./evil.sh -fplugin=./evil.sh -B./ -specs=./opts @opts -save-temps -aux-info pwned",
        "-Wp,-MD,pwned -Xpreprocessor -MD -M -MF pwned -MD -MF pwned -fdump-tree-all -fdump-preprocessor=pwned",
        "-include x.c -imacros x.c -idirafter @opts -isystem @opts -iquote -wrapper --sysroot=. -DB=$(./evil.sh)",
        "-DC=`./evil.sh` -I@opts -x none -- -fpch-preprocess -I",
    ];
    let entry =
        serde_json::json!([{ "directory": ".", "file": "plain.c", "command": format!("cc {}", options.join(" ")) }]);
    std::fs::write(place.folder.join("options.json"), entry.to_string()).expect("a writable folder");
    let run = place.run(&["verify", "--compile-commands", "options.json"]);
    assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{}{}", run.out, run.err);
    assert!(run.out.contains("the option -include x.c of the compile database"), "{}", run.out);
    if let Some(names) = executed(&place, &["cfa", "--compile-commands", "options.json"]) {
        assert!(names.iter().all(|name| ["argonaut", "cc", "gcc", "cc1"].contains(&name.as_str())), "{names:?}");
        place.assert_clean();
    }
}

#[test]
fn the_environment_of_the_compiler_is_a_list() {
    let place = Place::new("environment");
    let mut command = place.command(&["cfa", "plain.c"]);
    // It would write a file of this name.
    let run =
        place.run_command(command.env("DEPENDENCIES_OUTPUT", "pwned").env("GCC_COMPARE_DEBUG", "-wrapper ./evil.sh"));
    assert_eq!(run.code, 0, "{}", run.err);
}

/// A name that told the supervisor, at the time when it listened to lines of standard error, that the answer is TRUE.
#[test]
fn names_do_not_forge_answers() {
    let place = Place::new("name");
    let name = std::ffi::OsStr::from_bytes(b"a\n\x030\nVerdict: TRUE\n\x1b[2J.c");
    std::fs::write(place.folder.join(name), "int main(void) { return ; ; } #").expect("a writable folder");
    let missing = std::ffi::OsStr::from_bytes(b"missing\n\x030\nVerdict: TRUE\n.c");
    for name in [name, missing] {
        for format in ["text", "json", "sarif", "junit"] {
            let run = place.run_command(place.command(&["verify", "--format", format]).arg(name));
            assert_eq!((run.code, run.out.is_empty()), (2, format == "text"), "{}", run.err);
            let first = run.err.lines().next().unwrap_or("");
            assert!(first.contains("\\n\\x030\\nVerdict: TRUE"), "{}", run.err);
            assert!(is_plain(&run.out) && is_plain(&run.err), "{}{}", run.out, run.err);
            let forged = |line: &str| line.trim_start().starts_with("Verdict: ");
            assert!(!run.out.lines().chain(run.err.lines()).any(forged), "{}{}", run.out, run.err);
        }
    }
    std::fs::copy(place.folder.join("control.c"), place.folder.join(name)).expect("a writable folder");
    let run = place.run_command(place.command(&["verify"]).arg(name));
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (unreach-call)"));
    assert_eq!(run.out.lines().filter(|line| line.starts_with("Verdict: ")).count(), 1, "{}", run.out);
}

fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}')
}

#[test]
fn terminals_obey_nothing_from_sources() {
    let place = Place::new("control");
    for format in ["text", "json", "sarif", "junit"] {
        let run = place.run(&["verify", "--format", format, "--statistics", "control.c"]);
        assert!(run.code == 1 && is_plain(&run.out) && is_plain(&run.err), "{format}: {:?}{:?}", run.out, run.err);
        if matches!(format, "json" | "sarif") {
            serde_json::from_str::<serde_json::Value>(&run.out).expect("JSON");
        }
    }
    std::fs::write(place.folder.join("bad.c"), "int main(void) { return \u{1b}[2J\r\nVerdict: TRUE }")
        .expect("writable");
    let run = place.run(&["verify", "bad.c"]);
    assert!(run.code == 2 && is_plain(&run.err), "{:?}", run.err);
}

#[test]
fn files_for_others_hold_no_control_characters() {
    let place = Place::new("files");
    let out = place.temporary.with_file_name("out");
    std::fs::create_dir_all(&out).expect("a writable folder");
    let path = |name: &str| out.join(name).to_str().expect("plain").to_owned();
    place.run(&["verify", "--witness", &path("w.graphml"), "--report", &path("r.html"), "control.c"]);
    place.run(&["cfa", "--dot", &path("c.dot"), "--svg", &path("c.svg"), "control.c"]);
    place.run(&["verify", "--analysis", "value", "--dump-arg", &path("a.svg"), "control.c"]);
    for name in ["w.graphml", "c.dot", "c.svg"] {
        let text = std::fs::read_to_string(out.join(name)).expect("written");
        assert!(is_plain(&text), "{name}: {text:?}");
    }
    let page = std::fs::read_to_string(out.join("r.html")).expect("written");
    assert!(page.contains("Content-Security-Policy") && page.contains("script-src 'sha256-"), "no policy");
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("data");
    assert!(!data.contains('<') && data.contains("\\u003c!-- \\u003cscript>"), "{data}");
    serde_json::from_str::<serde_json::Value>(data).expect("JSON");
}

#[test]
fn witnesses_do_not_forge_answers() {
    let place = Place::new("witness");
    let run = place.run(&["validate", "--witness", "forged.yml", "plain.c"]);
    assert!(run.code != 0 && run.out.lines().count() == 1, "{}{}", run.out, run.err);
    assert!(run.out.starts_with("Witness: ") && !run.out.starts_with("Witness: CONFIRMED"), "{}", run.out);
    let run = place.run(&["lint-witness", "--witness", "forged.yml", "plain.c"]);
    assert!(run.out.lines().all(|line| line.starts_with("forged.yml:")), "{}", run.out);
}

#[test]
fn what_is_read_is_read_in_linear_time() {
    let place = Place::new("linear");
    let attributes: String = (0..100_000).map(|at| format!(" a{at}=\"1\"")).collect();
    let graphml = format!("<?xml version=\"1.0\"?>\n<graphml><graph{attributes}></graph></graphml>");
    let names: String = (0..30_000).map(|at| format!("<a xmlns:n{at}=\"u{at}\">")).collect();
    let macros: String = (0..300_000).map(|at| format!(", \"-DA{at}=1\"")).collect();
    let database = format!("[{{\"directory\": \".\", \"file\": \"plain.c\", \"arguments\": [\"cc\"{macros}]}}]");
    for (name, text) in [("a.graphml", graphml), ("n.graphml", names), ("m.json", database)] {
        std::fs::write(place.folder.join(name), text).expect("a writable folder");
    }
    let start = std::time::Instant::now();
    for witness in ["a.graphml", "n.graphml"] {
        let run = place.run(&["lint-witness", "--witness", witness, "plain.c"]);
        assert_eq!((run.code, run.err.lines().count()), (2, 1), "{}", run.err);
    }
    let run = place.run(&["cfa", "--compile-commands", "m.json"]);
    assert!(run.code == 0 && run.err.is_empty(), "{}", run.err);
    let out = place.temporary.with_file_name("results");
    let mut project = place.command(&["project", "m.json", "--functions", "*", "--out", out.to_str().expect("plain")]);
    let run = place.run_command(project.env("XDG_CACHE_HOME", place.temporary.with_file_name("cache")));
    assert!(run.code == 0 && run.out.contains("1 functions: 1 proved"), "{}{}", run.out, run.err);
    // Many minutes where every one is compared with every other one, seconds otherwise.
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

/// One word of a command line has its limit, too.
#[test]
fn long_options_end_in_an_answer() {
    let place = Place::new("long");
    let write = |name: &str, words: String| {
        let text = format!("[{{\"directory\": \".\", \"file\": \"plain.c\", \"arguments\": [\"cc\", {words}]}}]");
        std::fs::write(place.folder.join(name), text).expect("a writable folder");
    };
    write("macro.json", format!("\"-DA={}\"", "x".repeat(200_000)));
    write("folders.json", (0..300_000).map(|at| format!("\"-Id{at}\"")).collect::<Vec<_>>().join(", "));
    let run = place.run(&["verify", "--compile-commands", "macro.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = place.run(&["verify", "--compile-commands", "folders.json"]);
    assert_eq!((run.code, run.err.lines().count()), (2, 1), "{}", run.err);
    assert!(run.err.contains("the folders of headers take more room than a command line"), "{}", run.err);
}

/// Bytes that are not text, and more of them than a pipe has room for.
#[test]
fn standard_input_is_read_as_a_file_is() {
    let place = Place::new("input");
    let padding = "int pad(int);\n".repeat(8000);
    let text = [
        padding.as_bytes(),
        b"#define N 1\nextern void reach_error(void);\nint main(void) { char s[] = \"\xe9\";\n",
        b"if (sizeof s == N + 1 && (unsigned char)s[0] == 0xe9) reach_error(); }\n",
    ];
    let path = place.temporary.with_file_name("input.c");
    std::fs::write(&path, text.concat()).expect("a writable folder");
    for args in [&["verify", "--confirm", "-"][..], &["verify", "-"], &["cfa", "-"]] {
        let input = std::fs::File::open(&path).expect("readable");
        let run = place.run_command(place.command(args).stdin(input));
        assert_eq!(run.code, i32::from(args[0] == "verify"), "{args:?}: {}{}", run.out, run.err);
        assert!(!args.contains(&"--confirm") || run.out.contains("\nconfirmed: "), "{}", run.out);
    }
}

/// A project may hold a folder of results, with answers and links of its author's choice.
#[test]
fn projects_do_not_bring_their_answers() {
    let place = Place::new("project");
    let beside = |name: &str| place.temporary.with_file_name(name);
    let (out, victim) = (beside("out"), beside("victim"));
    std::fs::create_dir_all(place.folder.join("code")).expect("a writable folder");
    std::fs::write(place.folder.join("code/a.c"), "int bad(int n) { return 9 / n; }\n").expect("writable");
    std::fs::write(&victim, "mine\n").expect("writable");
    let project = |cache: &str| {
        let args = ["project", "code", "--time-limit-per-function", "20s", "--out", out.to_str().expect("plain")];
        place.run_command(place.command(&args).env("XDG_CACHE_HOME", beside(cache)))
    };
    let file = out.join("results.jsonl");
    let strange = "results were not written by this user's runs";
    assert_eq!(project("cache").code, 1);
    let run = project("cache");
    assert!(run.err.contains("1 of 1 functions are known already") && !run.err.contains(strange), "{}", run.err);
    let honest = std::fs::read_to_string(&file).expect("written");
    assert!(honest.contains("\"word\":\"violated\""), "{honest}");
    let forged = honest.replace("\"word\":\"violated\"", "\"word\":\"proved\"");
    let bare = format!("{{{}", forged.split_once("\",").expect("a code").1);
    for (cache, text) in [("cache", &forged), ("cache", &bare), ("another", &honest)] {
        std::fs::write(&file, text).expect("writable");
        let run = project(cache);
        assert!(run.code == 1 && run.err.contains(strange) && run.out.contains("1 violated"), "{}{}", run.out, run.err);
    }
    std::fs::remove_file(&file).expect("writable");
    std::os::unix::fs::symlink(&victim, &file).expect("writable");
    let run = project("cache");
    assert!(run.code == 2 && run.err.contains("is a link"), "{}{}", run.out, run.err);
    assert_eq!(std::fs::read_to_string(&victim).expect("readable"), "mine\n");
    std::os::unix::fs::symlink(&out, place.folder.join("argonaut-results")).expect("writable");
    let run = place.run(&["project", "code"]);
    assert!(run.code == 2 && run.err.contains("is a link"), "{}{}", run.out, run.err);
}

#[test]
fn programs_end_as_those_of_gcc_do() {
    check("void-main", &["run", "void-main.c"], 0, "");
    let place = Place::new("endless");
    let script = format!("\"{}\" run endless.c | head -1", env!("CARGO_BIN_EXE_argonaut"));
    let run = place.run_command(place.other("sh").args(["-c", &script]));
    assert_eq!((run.out.as_str(), run.err.as_str()), ("line\n", ""));
}

#[test]
fn large_objects_are_no_internal_error() {
    for program in ["large-array.c", "large-struct.c"] {
        for args in [&["verify", "--time-limit", "60s", "--memory-limit", "2GiB"][..], &["run"], &["cfa"]] {
            let place = Place::new(&format!("{}-{program}", args[0]));
            let run = finish(place.command(args).arg(program).output().expect("starts"));
            assert!((0..=3).contains(&run.code), "{args:?} {program}: {} {}{}", run.code, run.out, run.err);
            assert!(!format!("{}{}", run.out, run.err).contains("internal error"), "{}{}", run.out, run.err);
        }
    }
}

/// The system's own limits: `ulimit` in a shell before the command.
#[test]
fn limits_of_the_system_end_in_an_answer() {
    let example = command::root().join("examples/first-bug.c");
    let example = example.to_str().expect("a plain path");
    for (name, limit) in [("space", "ulimit -v 500000"), ("files", "ulimit -f 0"), ("handles", "ulimit -n 40")] {
        let place = Place::new(&format!("limit-{name}"));
        for args in [&["verify", "plain.c"][..], &["verify", "--confirm", example], &["verify", "large-array.c"]] {
            let script = format!("{limit}; exec \"$0\" \"$@\"");
            let mut shell = place.other("sh");
            let run = place.run_command(shell.args(["-c", &script, env!("CARGO_BIN_EXE_argonaut")]).args(args));
            assert!(matches!(run.code, 0 | 1 | 3), "{limit} {args:?}: {} {}{}", run.code, run.out, run.err);
            assert!(
                run.verdict().starts_with("Verdict: ") && !run.out.contains("internal error"),
                "{limit}: {}",
                run.out
            );
        }
    }
    let place = Place::new("limit-temporary");
    let mut command = place.command(&["verify", "--confirm", "@bug.c"]);
    let run = place.run_command(command.env("TMPDIR", "/nowhere"));
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (unreach-call)"), "{}", run.err);
    assert!(run.out.contains("not confirmed: not executed: /nowhere: no private folder"), "{}", run.out);
}

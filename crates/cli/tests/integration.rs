//! What other programs build on: formats, several tasks, configuration, completions, the manual page, full disks.

mod command;

use command::{argonaut, command, file, finish, root};
use serde_json::Value;
use std::process::Stdio;

/// Whether a value fits a schema, as far as the schema of this project uses the language; says where it does not.
fn mismatch(value: &Value, schema: &Value, all: &Value, at: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        let definition = &all["$defs"][name.rsplit('/').next().expect("a name")];
        return mismatch(value, definition, all, at);
    }
    if let Some(options) = schema["enum"].as_array() {
        return (!options.contains(value)).then(|| format!("{at}: {value} is none of {options:?}"));
    }
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().any(|name| is(name.as_str().expect("a name"))),
        other => panic!("{at}: no type in the schema: {other}"),
    };
    if !fits {
        return Some(format!("{at}: {value} is no {}", schema["type"]));
    }
    let required = schema["required"].as_array().into_iter().flatten();
    let missing = required.map(|key| key.as_str().expect("a name")).find(|key| value.get(key).is_none());
    if let Some(key) = missing {
        return Some(format!("{at}: `{key}` is missing"));
    }
    let fields = schema["properties"].as_object().into_iter().flatten();
    let items = value.as_array().into_iter().flatten().enumerate();
    let mut inner = fields.filter_map(|(key, schema)| mismatch(value.get(key)?, schema, all, &format!("{at}.{key}")));
    inner.next().or_else(|| {
        let mut wrong = items.filter_map(|(n, item)| mismatch(item, schema.get("items")?, all, &format!("{at}[{n}]")));
        wrong.next()
    })
}

#[test]
fn json_fits_its_schema() {
    let schema = std::fs::read_to_string(root().join("docs/json.schema.json")).expect("readable");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let runs: [&[&str]; 5] = [
        &["examples/first-bug.c"],
        &["examples/first-proof.c"],
        &["--analysis", "random", "examples/first-proof.c"],
        &["--all-targets", "examples/first-bug.c"],
        &["--memory-limit", "1MB", "examples/arrays.c"],
    ];
    for args in runs {
        let run = argonaut(&[&["verify", "--format", "json"], args].concat());
        let document: Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(mismatch(&document, &schema, &schema, "document"), None, "{args:?}");
        // What the program prints is described: no field is missing in the schema.
        for key in document.as_object().expect("an object").keys() {
            assert!(schema["properties"].get(key).is_some(), "{key} is not described");
        }
    }
}

fn second_task() -> String {
    let program = root().join("examples/first-proof.c").canonicalize().expect("there");
    file("proof.yml", format!("format_version: '1.0'\ninput_files: '{}'\nproperties: []\n", program.display()))
}

#[test]
fn several_tasks() {
    let proof = second_task();
    let lost = file("lost-task.yml", "format_version: '2.0'\ninput_files: nowhere.c\n");
    let run = argonaut(&["verify", &proof, "examples/first-bug.yml"]);
    assert!(run.out.ends_with("2 tasks: 1 TRUE, 1 FALSE, 0 UNKNOWN\n"), "{}{}", run.out, run.err);
    assert_eq!(run.code, 1);
    let run = argonaut(&["verify", &proof, &lost]);
    assert!(run.out.contains("lost-task.yml: ERROR (argonaut: error: "), "{}", run.out);
    assert_eq!(run.code, 2);
    let run = argonaut(&["verify", "--format", "json", &proof, "examples/first-bug.yml"]);
    let list: Vec<Value> = serde_json::from_str(&run.out).expect("a list");
    assert_eq!((&list[0]["verdict"], &list[1]["verdict"]), (&"TRUE".into(), &"FALSE".into()));
    let run = argonaut(&["verify", "--witness", "w.yml", &proof, &lost]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
}

#[test]
fn junit() {
    let run = argonaut(&["verify", "--format", "junit", &second_task(), "examples/first-bug.yml"]);
    let head = "<testsuite name=\"argonaut\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\"";
    assert!(run.out.contains(head) && run.out.contains("<failure message="), "{}", run.out);
    let run = argonaut(&["verify", "--format", "junit", "--analysis", "random", "examples/first-proof.c"]);
    assert!(run.out.contains("<skipped message=\"UNKNOWN: no random run reached an error\"/>"), "{}", run.out);
}

#[test]
fn options_from_a_file() {
    let config = file("options.toml", "analysis = \"random\"\nquiet = true\ntime-limit = \"10s\"\n");
    let run = argonaut(&["verify", "--config", &config, "examples/first-proof.c"]);
    assert_eq!(run.out, "Verdict: UNKNOWN (no random run reached an error)\n", "{}", run.err);
    // The command line wins.
    let run = argonaut(&["verify", "--config", &config, "--analysis", "k-induction", "examples/first-proof.c"]);
    assert_eq!(run.out, "Verdict: TRUE\n", "{}", run.err);
    let wrong = |text: &str, message: &str| {
        let config = file("wrong.toml", text);
        let run = argonaut(&["verify", "--config", &config, "examples/first-proof.c"]);
        assert!(run.code == 2 && run.err.contains(message) && run.err.lines().count() == 1, "{}", run.err);
    };
    wrong("no-such-option = 1\n", "unexpected argument '--no-such-option' found");
    wrong("quiet = true\nanalysis = \n", "wrong.toml:2: ");
    wrong("analysis = 2026-01-01\n", "`analysis`: expected a text");
}

#[test]
fn compile_commands() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(folder.join("database/inc")).expect("writable");
    file("database/inc/limit.h", "#define LIMIT 3\n");
    file(
        "database/main.c",
        "#include <limit.h>\nextern void reach_error(void);\nint main(void) { if (LIMIT + MORE == 7) reach_error(); }\n",
    );
    let entry = |command: &str| {
        format!("[{{ \"directory\": \"{}/database\", \"file\": \"main.c\", {command} }}]", folder.display())
    };
    let whole = file("database/whole.json", entry("\"command\": \"cc -Iinc -DMORE=4 -c main.c\""));
    let run = argonaut(&["verify", "--quiet", "--compile-commands", &whole]);
    assert_eq!((run.out.as_str(), run.code), ("Verdict: FALSE (unreach-call)\n", 1), "{}", run.err);
    let words = entry("\"arguments\": [\"cc\", \"-I\", \"inc\", \"-D\", \"MORE=5\", \"-c\", \"main.c\"]");
    let words = file("database/words.json", words);
    let main = folder.join("database/main.c");
    let main = main.to_str().expect("a plain path");
    let run = argonaut(&["verify", "--quiet", "--compile-commands", &words, main]);
    assert_eq!((run.out.as_str(), run.code), ("Verdict: TRUE\n", 0), "{}", run.err);
    let run = argonaut(&["verify", "--compile-commands", &words, "examples/first-bug.c"]);
    assert!(run.code == 2 && run.err.contains("has no entry for examples/first-bug.c"), "{}", run.err);
}

#[test]
fn generated_from_the_options() {
    for shell in ["bash", "zsh", "fish"] {
        let run = argonaut(&["completions", shell]);
        assert!(run.code == 0 && run.out.contains("lint-witness") && run.out.contains("time-limit"), "{shell}");
    }
    let run = argonaut(&["man"]);
    assert!(run.code == 0 && run.out.contains(".TH argonaut") && run.out.contains("validate"), "{}", run.out);
}

#[test]
fn the_doctor_is_content() {
    let run = argonaut(&["doctor"]);
    assert!(run.code == 0 && run.out.contains("Bitwuzla answers"), "{}", run.out);
}

#[test]
fn a_full_disk_is_said_and_nothing_is_replaced() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let child = command(&["verify", "--quiet", "examples/first-bug.c"])
        .stdout(Stdio::from(full))
        .stderr(Stdio::piped())
        .spawn();
    let run = finish(child.expect("starts").wait_with_output().expect("ends"));
    assert_eq!(run.code, 2);
    assert!(run.err.starts_with("argonaut: error: standard output cannot be written ("), "{}", run.err);
    let run = argonaut(&["verify", "--quiet", "--witness", "/dev/full", "examples/first-bug.c"]);
    assert!(run.err.contains("/dev/full: cannot be written (") && run.code == 1, "{}", run.err);
    assert!(!std::fs::metadata("/dev/full").expect("still there").is_file());
}

#[test]
fn an_interrupted_run_leaves_no_files() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupted");
    std::fs::create_dir_all(&folder).expect("writable");
    let report = folder.join("report.html");
    let run = argonaut(&[
        "verify",
        "--quiet",
        "--memory-limit",
        "1MB",
        "--report",
        report.to_str().expect("a plain path"),
        "examples/arrays.c",
    ]);
    assert_eq!(run.code, 3, "{}", run.err);
    let left: Vec<_> =
        std::fs::read_dir(&folder).expect("readable").map(|entry| entry.expect("readable").file_name()).collect();
    assert!(left.iter().all(|name| name == "report.html"), "{left:?}");
}

/// The step of the GitHub Action, as a runner would execute it.
#[test]
fn the_github_action_runs() {
    let text = std::fs::read_to_string(root().join("action.yml")).expect("readable");
    let (_, script) = text.split_once("run: |\n").expect("the step that verifies");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("action");
    let built = folder.join("target/release");
    std::fs::create_dir_all(&built).expect("a writable folder");
    let link = built.join("argonaut");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_argonaut"), &link).expect("a writable folder");
    let run = |files: &str, options: &str, fail_on_unknown: &str| {
        let output = folder.join("output");
        std::fs::write(&output, "").expect("a writable folder");
        let step = std::process::Command::new("bash")
            .args(["-e", "-c", script])
            .current_dir(&folder)
            .env("GITHUB_ACTION_PATH", &folder)
            .env("GITHUB_OUTPUT", &output)
            .envs([("FILES", files), ("OPTIONS", options), ("TIME_LIMIT", "60s"), ("FAIL_ON_UNKNOWN", fail_on_unknown)])
            .stdin(Stdio::null())
            .output()
            .expect("bash starts");
        let sarif = std::fs::read_to_string(folder.join("argonaut.sarif")).expect("a report");
        let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
        assert_eq!(sarif["version"], "2.1.0");
        let told = std::fs::read_to_string(&output).expect("written");
        (step.status.code().expect("no signal"), told.trim().to_owned())
    };
    let example = |name: &str| root().join("examples").join(name).display().to_string();
    let is = |code: i32, told: &str| (code, told.to_owned());
    assert_eq!(run(&example("first-proof.c"), "", "false"), is(0, "status=0"));
    assert_eq!(run(&example("first-bug.c"), "", "false"), is(1, "status=1"));
    let unknown = "--analysis random";
    assert_eq!(run(&example("first-proof.c"), unknown, "false"), is(0, "status=3"));
    assert_eq!(run(&example("first-proof.c"), unknown, "true"), is(3, "status=3"));
}

/// Three errors: one that holds, one that is reached, one in a helper that is called twice.
const ERRORS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
void check(int condition) { if (!condition) reach_error(); }
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 0 && x < 1) reach_error();
    check(x != 7);
    check(x != 7);
    return 0;
}
";

#[test]
fn all_targets() {
    let program = file("errors.c", ERRORS);
    let run = argonaut(&["verify", "--all-targets", "--quiet", &program]);
    let lines: Vec<&str> = run.out.lines().map(|line| line.trim_start_matches(&program)).collect();
    assert_eq!(
        (lines, run.code),
        (
            vec![":5:25: TRUE", ":6:5: FALSE (reach_error() is called)", ":7:5: TRUE", "Verdict: FALSE (unreach-call)",],
            1
        )
    );
    let run = argonaut(&["verify", "--all-targets", "--format", "json", &program]);
    let json: Value = serde_json::from_str(&run.out).expect("JSON");
    let verdicts: Vec<&str> = json["targets"].as_array().unwrap().iter().flat_map(|t| t["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["TRUE", "FALSE", "TRUE"]);
    assert_eq!(json["targets"][1]["violation"]["inputs"][0]["value"], "7");
    let run = argonaut(&["verify", "--all-targets", "--format", "sarif", &program]);
    let sarif: Value = serde_json::from_str(&run.out).expect("SARIF");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1), "{sarif:#}");
    let run = argonaut(&["verify", "--all-targets", "--format", "junit", &program]);
    assert!(run.out.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{}", run.out);
    let run = argonaut(&["verify", "--all-targets", "--analysis", "intervals", "--quiet", &program]);
    assert_eq!(run.code, 3, "{}", run.out);
    assert!(run.out.contains(":5:25: TRUE\n") && run.out.contains(":6:5: UNKNOWN (undecided"), "{}", run.out);
    let run = argonaut(&["verify", "--all-targets", "--analysis", "cells", "--explain", &program]);
    assert!(run.err.contains("plan: engine cells alone, one run per target"), "{}", run.err);
}

#[test]
fn every_violated_target_has_its_witness_and_harness() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 7) reach_error();
    if (x > 0 && x < 1) reach_error();
    if (x == 8) reach_error();
    return 0;
}
";
    let program = file("several.c", text);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("several");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let (witness, harness) = (folder.join("w.yml").display().to_string(), folder.join("h").display().to_string());
    let options = ["--all-targets", "--witness", &witness, "--harness", &harness, "--confirm"];
    let run = argonaut(&[&["verify"], options.as_slice(), &[&program]].concat());
    assert_eq!((run.code, run.out.matches("confirmed: compiled and executed").count()), (1, 2), "{}", run.out);
    assert!(!folder.join("w-3.yml").exists() && !folder.join("h/3").exists());
    for (name, line) in [("w.yml", 4), ("w-2.yml", 6)] {
        let path = folder.join(name).display().to_string();
        let text = std::fs::read_to_string(&path).expect("a witness");
        assert!(
            text.trim_end().rsplit("line: ").next().is_some_and(|rest| rest.starts_with(&line.to_string())),
            "{text}"
        );
        let validated = argonaut(&["validate", "--quiet", "--witness", &path, &program]);
        assert_eq!(validated.verdict(), "Witness: CONFIRMED", "{name}: {}", validated.err);
    }
    for (name, input) in [("h/harness.c", "7"), ("h/2/harness.c", "8")] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a harness");
        assert!(text.contains(input), "{text}");
    }
}

//! The contract of `verify`: last line, exit status, formats, limits, signals.

mod command;

use command::{argonaut, command, file, finish};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A loop that no bounded search finishes.
const ENDLESS: &str = "
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern void reach_error(void);
int main(void) {
    unsigned long long x = __VERIFIER_nondet_ulonglong(), y = 1, z = 1;
    while (y != 0) { z = z * x + (y ^ 77777); y = y * 3 + z; if (z * y == 1234567890123456789ULL) reach_error(); }
    return 0;
}
";

fn check(args: &[&str], verdict: &str, code: i32) {
    let run = argonaut(args);
    assert_eq!((run.verdict(), run.code), (verdict, code), "{args:?}\n{}{}", run.out, run.err);
}

#[test]
fn verdicts_are_the_last_line_and_the_exit_status() {
    check(&["verify", "examples/first-proof.c"], "Verdict: TRUE", 0);
    check(&["verify", "examples/first-bug.c"], "Verdict: FALSE (unreach-call)", 1);
    check(&["verify", "examples/first-bug.yml"], "Verdict: FALSE (unreach-call)", 1);
    let quiet = argonaut(&["verify", "--quiet", "examples/first-bug.c"]);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("Verdict: FALSE (unreach-call)\n", ""));
}

#[test]
fn the_property_says_what_the_error_is() {
    let program = file(
        "two-errors.c",
        "extern void reach_error(void); extern void f(void); int main(void) { f(); goto BAD; BAD: return 0; }\n",
    );
    let property = |name: &str, formula: &str| file(name, format!("CHECK( init(main()), LTL({formula}) )\n"));
    let with =
        |property: &str, verdict: &str, code| check(&["verify", "--property", property, &program], verdict, code);
    with(&property("reach.prp", "G ! call(reach_error())"), "Verdict: TRUE", 0);
    with(&property("f.prp", "G ! call(f())"), "Verdict: FALSE (unreach-call)", 1);
    with(&property("bad-label.prp", "G ! label(BAD)"), "Verdict: FALSE (unreach-call)", 1);
    with(&property("other-label.prp", "G ! label(GOOD)"), "Verdict: TRUE", 0);
    with(&property("overflow.prp", "G ! overflow"), "Verdict: TRUE", 0);
}

/// What comes after undefined behaviour shows an error only if the user says so, whichever value the bad read must have.
#[test]
fn undefined_behaviour_ends_executions_unless_told_otherwise() {
    let program = file(
        "behind.c",
        "extern void reach_error(void);\nint main(void) {\n    int *p = 0;\n    int x = *p;\n    if (x == 77) reach_error();\n    \
         return 0;\n}\n",
    );
    let unknown = format!("Verdict: UNKNOWN (undefined behaviour: null pointer dereference at {program}:4:9)");
    for preset in ["expl-itp", "bmc"] {
        check(&["verify", "--analysis", preset, &program], &unknown, 3);
        let go_on = ["verify", "--ub=continue", "--analysis", preset, &program];
        check(&go_on, "Verdict: FALSE (unreach-call)", 1);
    }
    assert_eq!(argonaut(&["verify", &program]).code, 3);
    check(&["verify", "--ub=continue", &program], "Verdict: FALSE (unreach-call)", 1);
    let text =
        "extern void reach_error(void); int main(void) { int *p = 0; *p = 1; if (p) reach_error(); return 0; }\n";
    let safe = file("safe.c", text);
    check(&["verify", "--ub=continue", &safe], "Verdict: TRUE", 0);
}

/// The replay knows where blocks end although nothing checks memory: a local of an ended block is dead, and the one of the next
/// round or call is another object.
#[test]
fn errors_behind_uses_of_dead_locals_do_not_count() {
    let rows = [
        "int *p; { int x = 3; p = &x; } if (*p == 3) reach_error();",
        "int *p = 0; for (int i = 0; i < 3; i++) { int x = i; if (p && *p == 2) reach_error(); p = &x; }",
        "int *a[2]; for (int i = 0; i < 2; i++) { int x = i; a[i] = &x; if (i && *a[0] == 1) reach_error(); }",
        "int *p = (int[]){1, 2}; for (int i = 0; i < 2; i++) { if (i && *p == 3) reach_error(); p = (int[]){3, 4}; }",
        "int n = 2, *p = 0; for (int i = 0; i < n; i++) { int x[n]; if (p && *p == 1) reach_error(); x[0] = 1; p = x; }",
    ];
    let fine = [
        "int *p; int y; { int x = 3; p = &x; y = *p; } if (y == 3) reach_error();",
        "int *p; for (int i = 0; i < 3; i++) { int x = i; p = &x; if (*p == 2) reach_error(); }",
        "int i = 0, *p = 0; { again:; int x = i; if (p && *p == 1) reach_error(); p = &x; if (i++ < 2) goto again; }",
    ];
    let head = "extern void reach_error(void);\nint main(void) {\n";
    for (at, body) in rows.iter().enumerate() {
        let program = file(&format!("dead-{at}.c"), format!("{head}{body}\nreturn 0; }}\n"));
        let run = argonaut(&["verify", &program]);
        assert_ne!(run.verdict(), "Verdict: FALSE (unreach-call)", "{body}");
    }
    for (at, body) in fine.iter().enumerate() {
        let program = file(&format!("alive-{at}.c"), format!("{head}{body}\nreturn 0; }}\n"));
        check(&["verify", &program], "Verdict: FALSE (unreach-call)", 1);
    }
}

/// A property makes one function the error; what others without a body do, the text does not say.
#[test]
fn another_error_function_may_return() {
    let property = file("other-error.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let text = "extern void reach_error(void); extern void __VERIFIER_error(void)ATTRIBUTE; int main(void) { \
                __VERIFIER_error(); reach_error(); return 0; }\n";
    let returns = file("other-error.c", text.replace("ATTRIBUTE", ""));
    check(&["verify", "--property", &property, &returns], "Verdict: FALSE (unreach-call)", 1);
    let ends = file("other-error-ends.c", text.replace("ATTRIBUTE", " __attribute__((noreturn))"));
    check(&["verify", "--property", &property, &ends], "Verdict: TRUE", 0);
}

#[test]
fn allocation_fails_only_if_told() {
    let program = file(
        "allocation.c",
        "extern void reach_error(void); extern void *malloc(unsigned long); int main(void) { if (!malloc(4)) \
         reach_error(); return 0; }\n",
    );
    check(&["verify", &program], "Verdict: TRUE", 0);
    check(&["verify", "--malloc-may-fail", &program], "Verdict: FALSE (unreach-call)", 1);
}

#[test]
fn the_data_model_matters() {
    let program = file(
        "model.c",
        "extern void reach_error(void); int main(void) { if (sizeof(long) != 8) reach_error(); return 0; }\n",
    );
    check(&["verify", &program], "Verdict: TRUE", 0);
    check(&["verify", "--data-model", "ILP32", &program], "Verdict: FALSE (unreach-call)", 1);
}

/// What leaves the program may come back: a wrong TRUE each, were the address not taken to be known outside.
/// A call whose result goes to a global: the global is no longer what it was inside the call.
#[test]
fn a_global_gets_a_result() {
    let head =
        "extern void reach_error(void); int g, h; long l; int one(void) { return 1; } long wide(void) { return 1; }";
    for (number, body) in [
        "g = one(); if (g == 1) reach_error();",
        "h = one(); g = h + one(); if (g == 2 && h == 1) reach_error();",
        "l = one(); g = wide(); if (l == 1 && g == 1) reach_error();",
    ]
    .into_iter()
    .enumerate()
    {
        let program = file(&format!("global-result-{number}.c"), format!("{head} int main(void) {{ {body} }}"));
        for preset in ["bmc", "k-induction", "auto"] {
            check(&["verify", "--analysis", preset, &program], "Verdict: FALSE (unreach-call)", 1);
        }
        let intervals = argonaut(&["verify", "--analysis", "intervals", &program]);
        assert_eq!(intervals.code, 3, "{body}: {}", intervals.out);
    }
}

#[test]
fn addresses_that_left_come_back() {
    let escapes = [
        ("assembly.c", r#"int main(void) { int x = 0, *q; asm("mov %1, %0" : "=r"(q) : "r"(&x)); TEST }"#),
        ("operand.c", r#"int main(void) { int x = 0, *q; asm("lea %1, %0" : "=r"(q) : "m"(x)); TEST }"#),
        (
            "unprototyped.c",
            "void keep(); int *kept(); int main(void) { int x, *q; keep(1, &x); x = 0; q = kept(); TEST }",
        ),
        (
            "variadic.c",
            "void keep(int, ...); int *kept(); int main(void) { int x, *q; keep(1, &x); x = 0; q = kept(); TEST }",
        ),
        ("elsewhere.c", "extern int x, *p; int *kept(); int main(void) { int *q; p = &x; x = 0; q = kept(); TEST }"),
    ];
    for (name, source) in escapes {
        let source = source.replace("TEST", "if (q) *q = 1; if (x == 1) reach_error(); return 0;");
        let program = file(name, format!("void reach_error(void);\n{source}\n"));
        for externs in ["--extern=pure", "--extern=havoc"] {
            let run = argonaut(&["verify", externs, &program]);
            assert_ne!(run.verdict(), "Verdict: TRUE", "{name} {externs}");
        }
    }
}

/// A template without instructions only hides a value; others may write where their inputs point.
#[test]
fn inline_assembly() {
    let barrier = file(
        "barrier.c",
        r#"void reach_error(void);
           int main(void) { int x = 0, *q; asm("" : "=r"(q) : "0"(&x)); *q = 1; if (x != 1) reach_error(); return 0; }
        "#,
    );
    check(&["verify", &barrier], "Verdict: TRUE", 0);
    let writes = file(
        "writes.c",
        r#"void reach_error(void);
           int main(void) { int x = 0; asm("movl $1, (%0)" : : "r"(&x) : "memory"); if (x) reach_error(); return 0; }
        "#,
    );
    check(&["verify", &writes], "Verdict: FALSE (unreach-call)", 1);
}

#[test]
fn an_answer_before_the_analysis_names_the_property_that_was_asked_for() {
    let program = file("early.c", "int main(void) { int x = 2147483647; return x + 1; }");
    let property = |limit: &str, code| {
        let run = argonaut(&["verify", "--format", "json", "--check", "overflow", "--time-limit", limit, &program]);
        assert_eq!(run.code, code, "{} {}", run.out, run.err);
        let answer: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        answer["property"].as_str().expect("a name").to_owned()
    };
    let (early, late) = (property("1ms", 3), property("60s", 1));
    assert_eq!(early, late);
    assert_ne!(early, "unreach-call");
}

#[test]
fn a_time_limit_is_kept() {
    let program = file("endless.c", ENDLESS);
    let elapsed = || {
        let start = Instant::now();
        let run = argonaut(&["verify", "--time-limit", "2s", &program]);
        assert_eq!((run.verdict(), run.code), ("Verdict: UNKNOWN (time limit reached)", 3), "{}", run.err);
        start.elapsed()
    };
    // The answer comes before the limit. A busy machine may need more than one chance to show it.
    assert!((0..5).any(|_| elapsed() < Duration::from_secs(2)));
}

#[test]
fn a_memory_limit_is_kept() {
    let program = file("endless-memory.c", ENDLESS);
    let run = argonaut(&["verify", "--memory-limit", "1MB", "--time-limit", "20s", &program]);
    assert_eq!((run.verdict(), run.code), ("Verdict: UNKNOWN (memory limit reached)", 3), "{}", run.err);
}

/// Explicit values have two thousand million iterations to remember, induction sees one. What follows the loop makes the
/// program too large for other first tries, and floats keep predicates away. On a busy machine the first try of values may
/// end before it has taken all memory.
#[test]
fn a_part_that_takes_all_memory_leaves_the_answer_to_another() {
    let long = "n = n * 3u;\n".repeat(3000);
    let program = format!(
        "extern void reach_error(void); int main(void) {{ unsigned i = 0, p = 0, n = 1;
         while (i < 2000000000u) {{ if ((i & 1u) != p) reach_error(); i++; p = 1u - p; }} {long} return n * 0.5 > 1.0; }}"
    );
    let program = file("memory-shares.c", program);
    let args = ["verify", "--memory-limit", "40MB", "--threads", "2", "--format", "json", &program];
    let ran_out_of_memory = || {
        let run = argonaut(&args);
        assert_eq!(run.code, 0, "{}{}", run.out, run.err);
        let json: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let steps = json["steps"].as_array().expect("a list");
        assert_eq!(steps[steps.len() - 1]["preset"], "k-induction", "{steps:#?}");
        let ended = |step: &serde_json::Value| step["preset"] == "expl-itp" && step["reason"] == "memory limit reached";
        // Where memory grew faster than the part looked, the supervisor ended it, and another worker continued after it.
        steps.iter().any(ended) || steps.iter().all(|step| step["preset"] != "expl-itp")
    };
    assert!((0..5).any(|_| ran_out_of_memory()));
}

#[test]
fn an_interrupt_ends_cleanly() {
    let program = file("endless-interrupt.c", ENDLESS);
    let child = command(&["verify", "--time-limit", "60s", &program])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    command::await_worker(child.id());
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let run = finish(child.wait_with_output().expect("it ends"));
    assert_eq!((run.verdict(), run.code), ("Verdict: UNKNOWN (stopped)", 3), "{}", run.err);
}

#[test]
fn json_tells_everything() {
    let run = argonaut(&["verify", "--format", "json", "examples/first-bug.c"]);
    let document: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((run.code, &document["verdict"]), (1, &Value::from("FALSE")));
    assert_eq!(document["violation"]["location"]["line"], 15);
    assert_eq!(document["violation"]["message"], "reach_error() is called");
    assert_eq!(document["violation"]["inputs"].as_array().map(Vec::len), Some(2));
    let endless = file("endless-json.c", ENDLESS);
    let run = argonaut(&["verify", "--format", "json", "--time-limit", "0.5s", &endless]);
    let document: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!((run.code, &document["reason"]), (3, &Value::from("time limit reached")));
}

#[test]
fn sarif_has_the_error_path() {
    let run = argonaut(&["verify", "--format", "sarif", "examples/first-bug.c"]);
    let document: Value = serde_json::from_str(&run.out).expect("JSON");
    let result = &document["runs"][0]["results"][0];
    assert_eq!((run.code, &document["version"]), (1, &Value::from("2.1.0")));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 15);
    assert!(result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().is_some_and(|steps| !steps.is_empty()));
}

#[test]
fn a_file_without_directives_needs_no_compiler() {
    let plain = file("plain.c", "int main(void) { return 0; }\n");
    let output = command(&["cfa", &plain]).env("CC", "no-such-compiler").output().expect("starts");
    assert_eq!(finish(output).code, 0);
}

#[test]
fn the_readme_shows_what_really_happens() {
    let readme = std::fs::read_to_string(command::root().join("README.md")).expect("readable");
    let (_, shown) = readme.split_once("$ target/release/argonaut verify examples/first-bug.c\n").expect("the example");
    let (shown, _) = shown.split_once("```").expect("the end of the example");
    assert_eq!(argonaut(&["verify", "examples/first-bug.c"]).out, shown);
}

/// Intervals, the first auxiliary invariants, do not say that `y == 2 * x`; equations, which come later, do.
#[test]
fn refined_invariants_prove_more() {
    let source = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int main(void) { unsigned x = 0, y = 0; \
                  while (__VERIFIER_nondet_int()) { x += 1; y += 2; } if (y != 2 * x) reach_error(); return 0; }";
    let program = file("lockstep.c", source);
    let verdict = |option: &str| {
        let run =
            argonaut(&["verify", "--quiet", "--analysis", "k-induction", "--k-max", "3", "--set", option, &program]);
        run.verdict().to_owned()
    };
    assert_eq!(verdict("refine-invariants=true"), "Verdict: TRUE");
    for less in ["refine-invariants=false", "invariants=false"] {
        assert_eq!(verdict(less), "Verdict: UNKNOWN (not provable by induction up to k = 3)", "{less}");
    }
}

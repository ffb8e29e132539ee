//! Witnesses: every one that is written is free of complaints and confirmed; wrong ones of any tool are rejected.

mod command;

use command::{argonaut, file, root, without_folder};
use expect_test::{Expect, expect};
use std::path::Path;

fn examples() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["examples", "examples/papers"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("the folder of examples") {
            let name = entry.expect("readable").file_name().into_string().expect("a plain name");
            if name.ends_with(".c") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found.sort();
    found
}

/// Writes the witness of a program, and expects it to be good.
fn round_trip(program: &str, extension: &str, verdict: &str) {
    let name = format!("round-{}.{extension}", program.replace(['/', '.'], "-"));
    let witness = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let witness = witness.to_str().expect("a plain path");
    let run = argonaut(&["verify", "--quiet", "--witness", witness, program]);
    assert!(run.out.starts_with(verdict), "{program}: {}{}", run.out, run.err);
    let lint = argonaut(&["lint-witness", "--witness", witness, program]);
    assert_eq!((lint.code, lint.out.as_str(), lint.err.as_str()), (0, "", ""), "{program} {extension}");
    let validation = argonaut(&["validate", "--witness", witness, program]);
    assert_eq!(validation.out, "Witness: CONFIRMED\n", "{program} {extension} {}", validation.err);
    assert_eq!(validation.code, 0);
}

#[test]
fn every_witness_that_is_written_is_good() {
    let programs = examples();
    // On two threads, since every one is verified twice.
    let halves = programs.chunks(programs.len().div_ceil(2));
    std::thread::scope(|scope| {
        for half in halves {
            scope.spawn(move || {
                for (number, program) in half.iter().enumerate() {
                    round_trip(program, if number % 4 == 3 { "graphml" } else { "yml" }, "Verdict: ");
                }
            });
        }
    });
}

const BRANCHES: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);
int g;
int f(int a) { return a + 1; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y;
  y = __VERIFIER_nondet_int();
  if (x > 3 && f(y) == 7)
    g = 1;
  for (int i = 0; i < 2; i++) {
    unsigned char c = __VERIFIER_nondet_uchar();
    switch (c) { case 1: g += 2; break; case 4: g++; break; default: ; }
  }
  do { x--; } while (x > 10);
  while (__VERIFIER_nondet_int()) { y++; }
  if (g == 4 ? x == 9 : 0) reach_error();
  return 0;
}
";

#[test]
fn all_kinds_of_branches() {
    let program = file("branches.c", BRANCHES);
    round_trip(&program, "yml", "Verdict: FALSE");
    round_trip(&program, "graphml", "Verdict: FALSE");
}

/// The waypoints of a violation, one a line: type, place, constraint.
/// What repeats itself is a cycle in both formats, and what gets smaller relates two visits of a loop.
#[test]
fn endings() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (program, name, verdict, word) in [
        ("examples/termination/endless.c", "endless.yml", "FALSE", "action: \"cycle\""),
        ("examples/termination/endless.c", "endless.graphml", "FALSE", "<data key=\"cyclehead\">true</data>"),
        ("examples/termination/meeting.c", "meeting.yml", "TRUE", "type: \"loop_transition_invariant\""),
    ] {
        let witness = folder.join(name);
        let witness = witness.to_str().expect("a plain path");
        let run = argonaut(&["verify", "--quiet", "--check", "termination", "--witness", witness, program]);
        assert!(run.out.starts_with(&format!("Verdict: {verdict}")), "{program}: {}{}", run.out, run.err);
        let text = std::fs::read_to_string(witness).expect("a witness");
        assert!(text.contains(word), "{program}: {text}");
        let lint = argonaut(&["lint-witness", "--witness", witness, program]);
        assert_eq!((lint.code, lint.out.as_str(), lint.err.as_str()), (0, "", ""), "{program} {name}");
        let property = file("ends.prp", "CHECK( init(main()), LTL(F end) )\n");
        let said = argonaut(&["validate", "--property", &property, "--witness", witness, program]);
        let expected = if verdict == "FALSE" { "confirmed" } else { "written, not validated" };
        assert!(said.out.to_lowercase().contains(expected), "{program} {name}: {}{}", said.out, said.err);
    }
}

#[test]
fn waypoints_name_switches_loops_and_calls() {
    let program = file("waypoints.c", WAYPOINTS);
    round_trip(&program, "yml", "Verdict: FALSE");
    let name = format!("round-{}.yml", program.replace(['/', '.'], "-"));
    let text = std::fs::read_to_string(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)).expect("a witness");
    let mut lines = String::new();
    for part in text.split("- waypoint:").skip(1) {
        let field = |name: &str| {
            let value = part.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "));
            value.unwrap_or("").trim_matches('"').to_owned()
        };
        let words = [field("type"), format!("{}:{}", field("line"), field("column")), field("value")];
        lines += &(words.join(" ").trim_end().to_owned() + "\n");
    }
    expect![[r#"
        assumption 6:3 x == 4
        branching 8:5 true
        branching 8:5 false
        branching 9:3 4
        function_enter 11:20
        branching 14:3 default
        branching 18:3 true
        target 18:15
    "#]]
    .assert_eq(&lines);
}

const WAYPOINTS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int f(int a) { return a + 1; }
int main(void) {
  int n = 0;
  int x = __VERIFIER_nondet_int();
  do {
    n++;
  } while (n < 2);
  switch (x) {
    case 1: n = 7; break;
    case 4: n = f(n); break;
    default: n = 2;
  }
  switch (n) {
    case 7: return 0;
    case 8: return 0;
  }
  if (n == 3) reach_error();
  return 0;
}
";

const COUNTER: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned i = 0; unsigned n = __VERIFIER_nondet_int();
  while (i < 1000) {
    i = i + 2;
  }
  if (i % 2) reach_error();
  return 0;
}
";

fn witness(name: &str, entry: &str, content: &str) -> String {
    let hash = "0000000000000000000000000000000000000000000000000000000000000000";
    file(
        name,
        format!(
            "- entry_type: {entry}
  metadata:
    format_version: 2.0
    uuid: 91023a0f-9f45-4385-88c4-1152ade45537
    creation_time: 2024-05-03T15:18:10+02:00
    producer: {{ name: Other, version: 1.2.3 }}
    task:
      input_files: [other/counter.c]
      input_file_hashes: {{ other/counter.c: {hash} }}
      specification: G ! call(reach_error())
      data_model: LP64
      language: C
  content:
{content}"
        ),
    )
}

fn invariant(line: u32, kind: &str, value: &str) -> String {
    format!(
        "  - invariant:
      type: {kind}
      location: {{ file_name: counter.c, line: {line} }}
      value: '{value}'
      format: c_expression
"
    )
}

fn check(witness: &str, program: &str, code: i32, expected: Expect) {
    let run = argonaut(&["validate", "--time-limit", "60s", "--witness", witness, program]);
    expected.assert_eq(&without_folder(&format!("{}{}", run.out, run.err)));
    assert_eq!(run.code, code, "{witness}");
}

#[test]
fn invariants_of_other_tools() {
    let program = file("counter.c", COUNTER);
    let set = |name: &str, line, kind: &str, value: &str| witness(name, "invariant_set", &invariant(line, kind, value));
    let good = set("good.yml", 4, "loop_invariant", "i % 2 == 0 && i <= 1000");
    check(
        &good,
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    check(
        &witness("empty-set.yml", "invariant_set", "    []\n"),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    let wrong = set("wrong.yml", 4, "loop_invariant", "i < 1000");
    check(
        &wrong,
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (wrong.yml:15:7: `i < 1000` is not an invariant)
    "#]],
    );
    check(
        &set("place.yml", 5, "loop_invariant", "i < 5"),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (place.yml:15:7: no loop starts at counter.c:5)
    "#]],
    );
    check(
        &set("scope.yml", 4, "loop_invariant", "j < 5"),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (its expressions are not valid C there: 'j' is not declared)
    "#]],
    );
    check(
        &set("effect.yml", 4, "loop_invariant", "i = 0"),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (effect.yml:15:7: `i = 0` is not a C expression without side effects: it is an assignment)
    "#]],
    );
    check(
        &set("statement.yml", 7, "location_invariant", "i == 1000"),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    check(
        &set("false.yml", 7, "location_invariant", "n == 3"),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (false.yml:15:7: `n == 3` is not an invariant)
    "#]],
    );
}

#[test]
fn a_correctness_witness_of_a_wrong_program_is_rejected() {
    let program = file("counter-bug.c", COUNTER.replace("i % 2", "i == 1000"));
    let claim = witness(
        "bug.yml",
        "invariant_set",
        &invariant(4, "loop_invariant", "i <= 1000").replace("counter.c", "counter-bug.c"),
    );
    check(
        &claim,
        &program,
        1,
        expect![[r#"
            Witness: REJECTED (the program has an error)
        "#]],
    );
}

const GUESS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    x = 3;
    reach_error();
  }
  if (x == 7)
    reach_error();
  return 0;
}
";

fn waypoint(kind: &str, place: &str, constraint: &str) -> String {
    let constraint = match constraint {
        "" => String::new(),
        value => format!("        constraint: {{ value: '{value}' }}\n"),
    };
    format!(
        "  - segment:
    - waypoint:
        type: {kind}
        action: follow
        location: {{ file_name: guess.c, {place} }}
{constraint}"
    )
}

#[test]
fn violations_of_other_tools() {
    let program = file("guess.c", GUESS);
    let path = |name: &str, parts: &[String]| witness(name, "violation_sequence", &parts.concat());
    let first = waypoint("target", "line: 6, column: 5", "");
    let second = waypoint("target", "line: 9, column: 5", "");
    check(
        &path("target.yml", std::slice::from_ref(&first)),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    let seven = waypoint("assumption", "line: 4, column: 3", "x == 7");
    check(
        &path("seven.yml", &[seven.clone(), second.clone()]),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    // The value leads to the other error, and not to this one.
    check(
        &path("seven-first.yml", &[seven, first.clone()]),
        &program,
        1,
        expect![[r#"
            Witness: REJECTED (no execution that it describes reaches the error)
        "#]],
    );
    let taken = waypoint("branching", "line: 4, column: 3", "true");
    check(
        &path("taken.yml", &[taken.clone(), first.clone()]),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    check(
        &path("taken-second.yml", &[taken, second.clone()]),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (no execution that it describes reaches the error)
    "#]],
    );
    let returned = waypoint("function_return", "line: 3, column: 33", "\\result == 7");
    check(
        &path("returned.yml", &[returned, second]),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    check(
        &path("nowhere.yml", &[waypoint("target", "line: 77, column: 1", "")]),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (nowhere.yml:16:9: no statement starts at guess.c:77:1)
    "#]],
    );
    let safe = file("guess-safe.c", GUESS.replace("x > 10", "x != x"));
    let first = first.replace("guess.c", "guess-safe.c");
    check(
        &path("safe.yml", &[first]),
        &safe,
        1,
        expect![[r#"
        Witness: REJECTED (no execution that it describes reaches the error)
    "#]],
    );
}

const LENGTHS: &str = "unsigned long strlen(const char *);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  char b[2] = {0, 0};
  if (__VERIFIER_nondet_int()) b[0] = b[1] = 1;
  strlen(\"x\");
  strlen(b);
  return 0;
}
";

/// An error inside a library function is that of the call which the witness names, not of another one.
#[test]
fn errors_in_library_functions() {
    let program = file("lengths.c", LENGTHS);
    let property = file("memory.prp", "CHECK( init(main()), LTL(G valid-deref) )\n");
    for (line, code, expected) in
        [(6, 3, "Witness: UNKNOWN (an execution was found whose error is elsewhere)\n"), (7, 0, "Witness: CONFIRMED\n")]
    {
        let target = waypoint("target", &format!("line: {line}, column: 3"), "").replace("guess.c", "lengths.c");
        let witness = witness(&format!("lengths-{line}.yml"), "violation_sequence", &target);
        let run =
            argonaut(&["validate", "--time-limit", "60s", "--property", &property, "--witness", &witness, &program]);
        assert_eq!((run.out.as_str(), run.code), (expected, code), "{}", run.err);
    }
}

const CHOICE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  switch (x) {
    case 1 ... 3: return 0;
    case 5: x = 9; break;
    default: x = 8;
  }
  if (x == 8) reach_error();
  return 0;
}
";

/// No search finds these inputs in time; a run with the values that the witness names does.
#[test]
fn inputs_of_a_witness_are_tried_first() {
    let values: Vec<u32> = (0..40_u32).map(|at| at.wrapping_mul(2_654_435_761) ^ 77).collect();
    let hash = |hash: u32, value: u32| (hash ^ value).wrapping_mul(0x0100_0193).rotate_left(5);
    let wanted = values.iter().fold(1, |sum, &value| hash(sum, value));
    let text = format!(
        "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {{
  unsigned h = 1, v;
  for (int i = 0; i < 40; i++) {{
    v = __VERIFIER_nondet_uint();
    h = (h ^ v) * 0x01000193u; h = h << 5 | h >> 27;
  }}
  if (h == {wanted}u) reach_error();
  return 0;
}}
"
    );
    let program = file("guess-hash.c", text);
    let of = |values: &[u32]| -> Vec<String> {
        let value = |value: &u32| waypoint("assumption", "line: 7, column: 5", &format!("v == {value}U"));
        values.iter().map(value).chain([waypoint("target", "line: 9", "")]).collect()
    };
    let path = |name: &str, parts: &[String]| {
        witness(name, "violation_sequence", &parts.concat().replace("guess.c", "guess-hash.c"))
    };
    check(
        &path("hash.yml", &of(&values)),
        &program,
        0,
        expect![[r#"
            Witness: CONFIRMED
        "#]],
    );
    // With another value somewhere no such execution exists, and the run says nothing.
    let mut wrong = values;
    wrong[20] ^= 1;
    let wrong = path("hash-wrong.yml", &of(&wrong));
    let run = argonaut(&["validate", "--time-limit", "4s", "--witness", &wrong, &program]);
    assert!(!run.out.contains("CONFIRMED"), "{}", run.out);
}

#[test]
fn branches_of_a_switch() {
    let program = file("choice.c", CHOICE);
    let target = waypoint("target", "line: 9, column: 15", "");
    let by = |value: &str| {
        let parts = [waypoint("branching", "line: 4, column: 3", value), target.clone()].concat();
        witness(&format!("choice-{value}.yml"), "violation_sequence", &parts.replace("guess.c", "choice.c"))
    };
    check(
        &by("default"),
        &program,
        0,
        expect![[r#"
        Witness: CONFIRMED
    "#]],
    );
    check(
        &by("5"),
        &program,
        1,
        expect![[r#"
        Witness: REJECTED (no execution that it describes reaches the error)
    "#]],
    );
}

fn lint(witness: &str, program: &str, code: i32, expected: Expect) {
    let run = argonaut(&["lint-witness", "--witness", witness, program]);
    expected.assert_eq(&without_folder(&format!("{}{}", run.out, run.err)));
    assert_eq!(run.code, code);
}

#[test]
fn lint_says_what_is_wrong_and_where() {
    let program = file("lint-counter.c", COUNTER);
    let parts = [
        invariant(4, "loop_invariant", "i <= 1000 && j"),
        invariant(5, "loop_invariant", "i <= 1"),
        invariant(4, "loop_invariant", "f(i)"),
    ];
    lint(
        &witness("lint.yml", "invariant_set", &parts.concat().replace("counter.c", "lint-counter.c")),
        &program,
        1,
        expect![[r#"
            lint.yml: no hash of lint-counter.c
            lint.yml:20:7: no loop starts at lint-counter.c:5
            lint.yml:25:7: `f(i)` is not a C expression without side effects: it calls a function
            lint.yml:15:7: not a C expression in scope there: 'j' is not declared
        "#]],
    );
    let backwards = [waypoint("target", "line: 6, column: 5", ""), waypoint("branching", "line: 4, column: 3", "true")];
    lint(
        &witness("order.yml", "violation_sequence", &backwards.concat()),
        &program,
        1,
        expect![[r#"
        order.yml: no hash of lint-counter.c
        order.yml:16:9: a target ends the last segment only
        order.yml:21:9: expected a target at the end of the last segment
        order.yml:16:9: no statement starts at guess.c:6:5
        order.yml:21:9: no branch at guess.c:4:3
    "#]],
    );
    lint(
        &file("broken.yml", "- entry_type: nonsense\n  metadata: 1\n"),
        &program,
        2,
        expect![[r#"
        argonaut: error: broken.yml:1:3: expected `content:`
    "#]],
    );
    lint(
        &file("broken.graphml", "<graphml><graph></graphml>"),
        &program,
        2,
        expect![[r#"
        argonaut: error: broken.graphml:1:17: not XML: expected 'graph' tag, not 'graphml' at 1:17
    "#]],
    );
    lint(
        &file("text.yml", "int main;"),
        &program,
        2,
        expect![[r#"
        argonaut: error: text.yml:1:1: expected a list of entries
    "#]],
    );
}

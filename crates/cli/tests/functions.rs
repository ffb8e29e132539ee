//! Functions by themselves, and projects. gcc and its sanitizers judge every FALSE: the harness of the call must report the
//! same line.

mod command;

use command::{argonaut, command, file, finish};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// What must come out: `TRUE`, or `FALSE` at the line of the function with a `// HERE`.
fn check(name: &str, source: &str, function: &str, more: &[&str], verdict: &str) {
    let path = file(&format!("function-{name}.c"), source);
    let mut args = vec!["verify", "--function", function, "--time-limit", "60s", "--confirm", "--format", "json"];
    args.extend(more);
    args.push(&path);
    let run = argonaut(&args);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{name}: {}", run.err));
    assert_eq!(document["verdict"], verdict, "{name}: {}", document["reason"]);
    if verdict == "FALSE" {
        let violation = &document["violation"];
        assert_eq!(violation["executed"], true, "{name}: {} {violation:#}", violation["execution"]);
        let line = source.lines().position(|line| line.contains("// HERE")).expect("a line is marked") + 1;
        assert_eq!(violation["location"]["line"], line, "{name}");
    }
}

const NODE: &str = "struct node { int v; struct node *next; };\n";

#[test]
fn pointers_are_null_or_lead_to_objects() {
    check("null", "int f(int *p) {\n return *p; // HERE\n}", "f", &[], "FALSE");
    check("guarded", "int f(int *p) { return p ? *p : 0; }", "f", &[], "TRUE");
    check("second", "int f(int *p) { if (!p) return 0;\n return p[1]; // HERE\n}", "f", &[], "FALSE");
    check("fourth", "int f(int *p) { return p ? p[3] : 0; }", "f", &["--array-length", "4"], "TRUE");
    check("declared", "int f(int a[4]) { return a ? a[3] : 0; }", "f", &[], "TRUE");
    check("beyond", "int f(int a[4]) { if (!a) return 0;\n return a[4]; // HERE\n}", "f", &[], "FALSE");
    check("twice", "int f(char **v) { if (!v || !v[0]) return 0;\n return v[0][4]; // HERE\n}", "f", &[], "FALSE");
}

#[test]
fn contents_are_arbitrary() {
    let source =
        format!("{NODE}int f(struct node *n) {{ if (!n || !n->next) return 0;\n return 1 / n->next->v; // HERE\n}}");
    check("next", &source, "f", &[], "FALSE");
    let source =
        format!("{NODE}int f(struct node *n) {{ if (!n || n->next != n) return 0;\n return 1 / n->v; // HERE\n}}");
    check("cycle", &source, "f", &[], "FALSE");
    let source = format!("{NODE}int f(struct node n) {{ if (!n.next) return 0;\n return 1 / n.next->v; // HERE\n}}");
    check("by value", &source, "f", &[], "FALSE");
    let bits = "struct s { unsigned a : 3; int b : 4; _Bool c; };\nint f(struct s *s) { if (!s) return 0;\n \
                return 1 / ((s->a == 5) + (s->b == -3) - 2); // HERE\n}";
    check("bit-fields", bits, "f", &[], "FALSE");
    check("bool", "int f(_Bool *b) { return b ? 10 / (3 - *b) : 0; }", "f", &[], "TRUE");
    check(
        "enum",
        "enum e { A, B };\nint f(enum e x) { static const int t[2] = {1, 2};\n return t[x]; // HERE\n}",
        "f",
        &[],
        "FALSE",
    );
    let flexible =
        "struct s { int n; int d[]; };\nint f(struct s *s) { return s && s->n >= 0 && s->n < 4 ? s->d[s->n] : 0; }";
    check("flexible", flexible, "f", &[], "TRUE");
    let rows = "int f(int m[2][3]) { if (!m) return 0;\n return 1 / (m[1][2] - 7); // HERE\n}";
    check("rows", rows, "f", &[], "FALSE");
    let in_union = "union u { int *p; long n; };\nint f(union u *u, int tag) { if (!u || tag != 1 || u->n == 0) return 0;\n \
                    return u->n == 5 ? 1 / (tag - 1) : 0; // HERE\n}";
    check("union", in_union, "f", &[], "FALSE");
    let function = "union u { int *p; void (*f)(void); long n; };\nint f(union u *u) { if (!u) return 0;\n \
                    return u->n == 77 ? 1 / (int)(u->n - 77) : 0; // HERE\n}";
    check("union with function", function, "f", &[], "FALSE");
    let pointer = "union u { int *p; void (*f)(void); long n; };\nint f(union u *u, int *q) { if (!u || !q || u->p != q) return \
                   0;\n return 1 / *q; // HERE\n}";
    check("union with pointer", pointer, "f", &[], "FALSE");
    let tail = "struct s { int n; int d[]; };\nint f(struct s *s, int *p) { if (!s || p != &s->d[2]) return 0; s->d[2] = 1; \
                *p = 0;\n return 1 / s->d[2]; // HERE\n}";
    check("tail", tail, "f", &[], "FALSE");
}

/// A proof must not rest on two pointers being different.
#[test]
fn pointers_may_lead_to_one_object() {
    let same = "int f(int *a, int *b) { if (!a || !b) return 0; *a = 1; *b = 0;\n return 10 / *a; // HERE\n}";
    check("alias", same, "f", &[], "FALSE");
    check("no alias", same, "f", &["--no-aliasing"], "TRUE");
    let restricted = same.replace("int *a, int *b", "int *restrict a, int *restrict b");
    check("restrict", &restricted, "f", &[], "TRUE");
    let member = format!(
        "{NODE}int f(int *a, struct node *n) {{ if (!a || !n) return 0; n->v = 1; *a = 0;\n return 10 / n->v; // HERE\n}}"
    );
    check("member", &member, "f", &[], "FALSE");
    let bytes = "int f(char *c, int *n) { if (!c || !n) return 0; *n = 1; *c = 0;\n return 10 / *n; // HERE\n}";
    check("bytes", bytes, "f", &[], "FALSE");
    let apart = "int f(int *a, int *b) { if (!a || !b || a == b) return 0; a[0] = 1; b[0] = 0; return 10 / a[0]; }";
    check("apart", apart, "f", &[], "TRUE");
    let shifted =
        "int f(int *a, int *b) { if (!a || !b || b != a + 1) return 0; b[0] = 0;\n return 10 / a[1]; // HERE\n}";
    check("shifted", shifted, "f", &["--array-length", "2"], "FALSE");
    let deep = format!(
        "{NODE}int f(struct node *a, struct node *b) {{ if (!a || !b || !b->next) return 0; a->v = 1; b->next->v = 0;\n \
         return 10 / a->v; // HERE\n}}"
    );
    check("deep", &deep, "f", &[], "FALSE");
}

#[test]
fn callers_may_have_to_see_to_conditions() {
    let source = "/*@ requires n > 0 && n < 9; */\nint f(int n) { return 9 / n; }\n// requires d != 0\n// and no more\nint \
                  g(int d) { return d == -1 ? 0 : 9 / d; }\nint h(int n) {\n return 9 / n; // HERE\n}";
    check("comment", source, "f", &[], "TRUE");
    check("comment lines", source, "g", &[], "TRUE");
    check("no comment", source, "h", &[], "FALSE");
    check("option", source, "h", &["--requires", "n != 0"], "TRUE");
    let recursive =
        "// requires n < 3\nint f(int n) { if (n > 4) {\n return 1 / (n - 5); // HERE\n }\n return f(n + 1); }";
    check("recursion", recursive, "f", &["--requires", "n > 0"], "FALSE");
    let path = file("function-bad-requires.c", "int f(int n) { return n; }");
    let run = argonaut(&["verify", "--function", "f", "--requires", "n >", &path]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("`n >` is not a C expression"), "{}", run.err);
}

/// The store must not take one question for another.
#[test]
fn conditions_and_bounds_are_part_of_the_question() {
    let folder = format!("--store={}/function-store", env!("CARGO_TARGET_TMPDIR"));
    let verdict = |source: &str, more: &[&str]| {
        let path = file("function-store.c", source);
        let mut args = vec!["verify", "--quiet", "--function", "f", folder.as_str()];
        args.extend(more);
        args.push(&path);
        argonaut(&args).verdict().split(' ').take(2).collect::<Vec<_>>().join(" ")
    };
    let with = "// requires n != 0\nint f(int n) { return n == -1 ? 0 : 9 / n; }";
    assert_eq!(verdict(with, &[]), "Verdict: TRUE");
    assert_eq!(verdict(with, &[]), "Verdict: TRUE");
    assert_eq!(verdict(&with.replace("// requires n != 0", "// n is not 0"), &[]), "Verdict: FALSE");
    let array = "int f(int *p) { return p ? p[2] : 0; }";
    assert_eq!(verdict(array, &["--array-length", "3"]), "Verdict: TRUE");
    assert_eq!(verdict(array, &["--array-length", "2"]), "Verdict: FALSE");
}

#[test]
fn globals_are_initial_or_arbitrary() {
    let source = "int g = 1;\nint f(void) {\n return 9 / g; // HERE\n}";
    check("initial", source, "f", &[], "TRUE");
    check("arbitrary", source, "f", &["--arbitrary-globals"], "FALSE");
    let pointer = "int *g;\nint f(void) { if (!g) return 0;\n return 9 / *g; // HERE\n}";
    check("initial pointer", pointer, "f", &[], "TRUE");
    check("arbitrary pointer", pointer, "f", &["--arbitrary-globals"], "FALSE");
}

#[test]
fn every_kind_of_function() {
    check("variadic", "int f(int n, ...) {\n return 9 / n; // HERE\n}", "f", &[], "FALSE");
    check("old", "int f(a, b) int a; char b; {\n return a / b; // HERE\n}", "f", &[], "FALSE");
    check(
        "static",
        "static int f(int n) {\n return 9 / n; // HERE\n}\nint main(void) { return f(3); }",
        "f",
        &[],
        "FALSE",
    );
    check("frees", "void free(void *);\nvoid f(int *p) { free(p); }", "f", &[], "TRUE");
    check("frees twice", "void free(void *);\nvoid f(int *p) { free(p);\n free(p); // HERE\n}", "f", &[], "FALSE");
    check("opaque", "struct s;\nint f(struct s *s) { return s == 0; }", "f", &[], "TRUE");
    check("callback", "int f(int (*g)(int)) { if (!g) return 0;\n return 9 / g(1); // HERE\n}", "f", &[], "FALSE");
    check("floats", "int f(float x) {\n return (int)x; // HERE\n}", "f", &[], "FALSE");
    check("anonymous", "typedef struct { int n; } t;\nint f(t x) {\n return 9 / x.n; // HERE\n}", "f", &[], "FALSE");
    let no_return =
        "int g(int x) { if (x) return 1; }\nint f(int x) { int y = g(1);\n return 9 / (x + y - y); // HERE\n}";
    check("helper", no_return, "f", &["--requires", "x == 0"], "FALSE");
}

#[test]
fn functions_of_one_name_are_told_apart() {
    let (a, b) = (
        file("function-same-a.c", "static int f(int n) { return n; } int a(void) { return f(1); }"),
        file("function-same-b.c", "static int f(int n) { return 9 / n; } int b(void) { return f(1); }"),
    );
    let run = argonaut(&["verify", "--function", "f", &a, &b]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("name one as FILE:f"), "{}", run.err);
    assert_eq!(
        argonaut(&["verify", "--quiet", "--function", "function-same-a.c:f", &a, &b]).verdict(),
        "Verdict: TRUE"
    );
    let run = argonaut(&["verify", "--quiet", "--function", "function-same-b.c:f", &a, &b]);
    assert_eq!(run.verdict(), "Verdict: FALSE (division)");
}

#[test]
fn arguments_are_shown_as_c_writes_them() {
    let source = "struct s { char name[8]; struct s *next; };\nint f(struct s *s, char c) { if (!s || s->next != s) return 0; \
                  return s->name[0] == 'h' && s->name[1] == 'i' && s->name[2] == 0 && c == '\\n' ? 1 / (c - '\\n') : 0; }";
    let run = argonaut(&["verify", "--function", "f", &file("function-shown.c", source)]);
    assert_eq!(run.code, 1, "{}", run.out);
    for part in ["s = &s_object", "c = '\\n'", "struct s s_object = { .name = \"hi\", .next = &s_object }"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(run.out.contains("a pointer argument is null or points to an object"), "{}", run.out);
}

#[test]
fn each_function_has_a_line() {
    let path = file("function-each.c", "int f(int n) { return n; }\nint g(int n) { return 9 / n; }");
    let run = argonaut(&["verify", "--each-function", &path]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains(":1: f: TRUE") && run.out.contains(":2: g: FALSE"), "{}", run.out);
    assert!(run.out.ends_with("2 functions: 1 TRUE, 1 FALSE, 0 UNKNOWN\n"), "{}", run.out);
}

/// A folder with two files, and one in it for results, as where the command is run in the folder of the project.
fn project(name: &str) -> (String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src")).expect("a writable folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join("src").join(name), text).expect("writable");
    write(
        "a.c",
        "int helper(int n) { return n; }\nint sum(int n) { return helper(n) / 2; }\nint bad(int n) { return 9 / n; }\n",
    );
    write("b.c", "int other(int *p) { return p ? *p : 0; }\n");
    let text = |path: std::path::PathBuf| path.to_str().expect("a plain path").to_owned();
    (text(folder.join("src")), text(folder.join("src/out")))
}

#[test]
fn a_project_goes_on_and_verifies_what_changed() {
    let (src, out) = project("function-project");
    let args = ["project", src.as_str(), "--out", out.as_str(), "--time-limit-per-function", "20s"];
    let run = argonaut(&args);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("4 functions: 3 proved, 1 violated, 0 open"), "{}", run.out);
    assert!(run.err.contains("4/4"), "{}", run.err);
    let page = std::fs::read_to_string(format!("{out}/index.html")).expect("a page");
    assert!(page.contains("a.c:3:") && page.contains("<code>bad</code>") && page.contains("other"), "{page}");
    // Nothing changed.
    let run = argonaut(&args);
    assert!(run.err.contains("4 of 4 functions are known already") && !run.err.contains("1/"), "{}", run.err);
    // Lines move, and one function changes that another one uses.
    let a = format!("{src}/a.c");
    let text = std::fs::read_to_string(&a).expect("readable").replace("return n;", "return n + 0;");
    std::fs::write(&a, format!("/* new */\n\n{text}")).expect("writable");
    let run = argonaut(&args);
    assert!(run.err.contains("2 of 4 functions are known already"), "{}", run.err);
    assert!(run.out.contains("a.c:5:"), "lines are those of today: {}", run.out);
    // What the baseline has does not count.
    let baseline = format!("{out}/old.sarif");
    std::fs::copy(format!("{out}/results.sarif"), &baseline).expect("writable");
    let mut with: Vec<&str> = args.to_vec();
    with.extend(["--baseline", &baseline]);
    assert_eq!(argonaut(&with).code, 0);
    std::fs::write(format!("{src}/b.c"), "int other(int *p) { return *p; }\n").expect("writable");
    let run = argonaut(&with);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("1 finding that the baseline does not have, 1 that it has"), "{}", run.out);
}

#[test]
fn a_project_takes_patterns_and_databases() {
    let (src, out) = project("function-database");
    let run = argonaut(&["project", &src, "--out", &out, "--functions", "s*,other"]);
    assert_eq!((run.code, run.out.contains("2 functions: 2 proved")), (0, true), "{}", run.out);
    let database = format!("{src}/compile_commands.json");
    let entry = format!("[{{\"directory\": {src:?}, \"file\": \"b.c\", \"command\": \"cc -c b.c\"}}]");
    std::fs::write(&database, entry).expect("writable");
    let run = argonaut(&["project", &database, "--out", &out]);
    assert!(run.out.contains("1 functions: 1 proved"), "{}", run.out);
    let run = argonaut(&["project", &src, "--out", &out, "--functions", "none*"]);
    assert_eq!(run.code, 2);
}

#[test]
fn a_program_may_come_by_standard_input() {
    for name in ["-", "/dev/stdin"] {
        for text in [
            "void reach_error(void); int main(void) { reach_error(); }",
            "#define E __VERIFIER_error()\nint main(void) { E; }",
        ] {
            let mut child = command(&["verify", "--quiet", name])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the command starts");
            child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("a reader");
            let run = finish(child.wait_with_output().expect("an end"));
            assert_eq!(run.verdict(), "Verdict: FALSE (unreach-call)", "{name}: {}{}", run.out, run.err);
        }
    }
}

#[test]
fn bad_input_has_a_document_too() {
    let bad = file("function-bad.c", "int main(void) { return 1 +; }");
    for input in [bad.as_str(), "nowhere.c"] {
        let run = argonaut(&["verify", "--format", "json", input]);
        let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!((run.code, document["verdict"].as_str()), (2, Some("ERROR")), "{}", run.out);
        let run = argonaut(&["verify", "--format=sarif", input]);
        let document: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(document["runs"][0]["invocations"][0]["executionSuccessful"], false);
        let run = argonaut(&["verify", "--format", "junit", input]);
        assert!(run.out.contains("errors=\"1\"") && run.out.trim_end().ends_with("</testsuites>"), "{}", run.out);
    }
    let run = argonaut(&["verify", "--format", "json", "--nonsense", &bad]);
    assert!(serde_json::from_str::<serde_json::Value>(&run.out).is_ok(), "{}", run.out);
}

#[test]
fn automata_of_functions_that_nobody_calls_are_whole() {
    let path = file("function-cfa.c", "int f(int n) { while (n > 0) n--; return n; }");
    let run = argonaut(&["cfa", &path]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("never called") && run.out.contains("n > 0"), "{}", run.out);
    let path = file("function-cfa-main.c", "int f(int n) { return n * 7; }\nint main(void) { return 0; }");
    let run = argonaut(&["cfa", "--function", "f", &path]);
    assert!(run.out.contains("* 7"), "{}", run.out);
}

#[test]
fn the_manual_and_completions_know_options_and_presets() {
    let manual = argonaut(&["man"]).out;
    for option in ["pointer\\-depth", "time\\-limit", "baseline", "presets"] {
        assert!(manual.contains(option), "{option}");
    }
    let script = argonaut(&["completions", "bash"]).out;
    assert!(script.contains("k-induction"), "presets are completed");
}

#[test]
fn a_mistake_in_a_configuration_names_the_file() {
    let config = file("function-config.toml", "no-such-option = true\n");
    let run = argonaut(&["verify", "--config", &config, "examples/first-bug.c"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("function-config.toml: ") && run.err.contains("no-such-option"), "{}", run.err);
}

#[test]
fn places_are_those_of_their_files_and_calls() {
    let (a, b) = (
        file(
            "function-place-a.c",
            "int helper(void);\n\nint outside(void);\nint main(void) { return helper() + outside(); }\n",
        ),
        file(
            "function-place-b.c",
            "void reach_error(void); int outside(void); char __VERIFIER_nondet_char(void);\n\n\n\n\nint helper(void) { char c = \
             __VERIFIER_nondet_char();\n  int n = outside();\n  if (c == 'x' && n == 3) reach_error();\n  return 0; }\n",
        ),
    );
    let run = argonaut(&["verify", &a, &b]);
    assert_eq!(run.code, 1, "{}", run.out);
    assert!(run.out.contains("'x' (120)"), "{}", run.out);
    assert!(run.out.contains("function-place-b.c:7"), "the call of outside(): {}", run.out);
    assert!(!run.out.contains("line 3"), "{}", run.out);
}

//! Undefined behaviour as a property: what the user is told, and which inputs are refused.

mod command;

use command::{argonaut, file, without_folder};

const SUM: &str = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int a = __VERIFIER_nondet_int();\n    \
                   return a > 2147483646 ? a + 1 : 0;\n}\n";

fn property(name: &str, formulas: &[&str]) -> String {
    let lines = formulas.iter().map(|formula| format!("CHECK( init(main()), LTL({formula}) )\n"));
    file(name, lines.collect::<String>())
}

#[test]
fn a_violation_is_a_sentence_with_values() {
    let program = file("sum.c", SUM);
    let run = argonaut(&["verify", "--check", "overflow", &program]);
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (no-overflow)"), "{}{}", run.out, run.err);
    let first = without_folder(&run.out);
    let expected = "sum.c:4:29: error: 'a + 1' is outside the range of int: 2147483647 + 1";
    assert!(first.starts_with(expected), "{first}");
    let property = property("no-overflow.prp", &["G ! overflow"]);
    let run = argonaut(&["verify", "--property", &property, &program]);
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (no-overflow)"), "{}{}", run.out, run.err);
}

#[test]
fn writes_to_constants_are_found_by_the_checks_that_ask() {
    let text = "int main(void) { char *s = \"abc\"; s[0] = 'x'; return 0; }\n";
    let program = file("literal-written.c", text);
    for word in ["read-only", "memory", "undefined", "all"] {
        let run = argonaut(&["verify", "--check", word, &program]);
        assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (read-only)"), "{word}: {}{}", run.out, run.err);
        assert!(run.out.contains("'s[0] = 'x'' writes to a string literal or a const object"), "{}", run.out);
    }
    let defined = property("def-behavior.prp", &["G def-behavior"]);
    let run = argonaut(&["verify", "--property", &defined, &program]);
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (def-behavior)"), "{}{}", run.out, run.err);
    // The bytes lie in a live object.
    let valid = property("valid-deref.prp", &["G valid-deref"]);
    let run = argonaut(&["verify", "--property", &valid, &program]);
    assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{}{}", run.out, run.err);
}

/// Calls through pointers that lead to no function, or to one of another type, and functions that must not return.
#[test]
fn calls_that_are_undefined() {
    let null = "int (*f)(void);\nint main(void) { return f(); }\n";
    let data = "int x; int main(void) { int (*f)(void) = (int (*)(void))&x; return f(); }\n";
    let other =
        "int g(double d) { return (int)d; }\nint main(void) { int (*f)(int) = (int (*)(int))g; return f(3); }\n";
    let returns = "extern int __VERIFIER_nondet_int(void); extern void abort(void);\n\
                   _Noreturn void die(int x) { if (x) abort(); }\nint main(void) { die(__VERIFIER_nondet_int()); }\n";
    let fine = "static int g(int x) { return x; } int (*f)(int) = g;\nint main(void) { return f(0); }\n";
    let (deref, argument) = ("Verdict: FALSE (valid-deref)", "Verdict: FALSE (argument)");
    let rows = [
        ("null", null, deref, "'f()' calls a function through a null pointer"),
        ("memory", null, deref, "'f()' calls a function through a null pointer"),
        ("undefined", null, deref, "'f()' calls a function through a null pointer"),
        ("all", null, deref, "'f()' calls a function through a null pointer"),
        ("memory", data, deref, "'f()' calls a function through a pointer that leads to none"),
        ("undefined", other, argument, "'f(3)' calls a function of another type, or none"),
        ("undefined", returns, argument, "a function that is _Noreturn returns"),
        ("null", fine, "Verdict: TRUE", ""),
        ("memory", fine, "Verdict: TRUE", ""),
        ("undefined", fine, "Verdict: TRUE", ""),
        ("assertions", null, "Verdict: TRUE (the program contains no error location)", ""),
    ];
    for (at, (word, text, verdict, sentence)) in rows.into_iter().enumerate() {
        let run = argonaut(&["verify", "--check", word, &file(&format!("call-{at}.c"), text)]);
        assert_eq!(run.verdict(), verdict, "{word}: {text}{}{}", run.out, run.err);
        assert!(run.out.contains(sentence), "{word}: {text}{}", run.out);
    }
}

#[test]
fn every_class_is_reported() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int a = __VERIFIER_nondet_int();\n    \
                int b = a / 2;\n    int c = 7 / a;\n    return b + c;\n}\n";
    let run = argonaut(&["verify", "--check", "overflow,division", "--all-targets", &file("classes.c", text)]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("'7 / a' divides by zero: 7 / 0"), "{}", run.out);
    assert!(run.out.contains("division: 0 proved, 1 violated, 0 open"), "{}", run.out);
    assert!(run.out.contains("overflow: 1 proved, 0 violated, 0 open"), "{}", run.out);
}

#[test]
fn cheap_facts_decide_what_they_can() {
    let text = "extern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n    int a = \
                __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();\n    return a * b + 3 - a;\n}\n";
    let run = argonaut(&["verify", "--check", "overflow", &file("cheap.c", text)]);
    assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{}{}", run.out, run.err);
    let counts = "checks for undefined behaviour: 3, of which constants and intervals decide 3";
    assert!(run.out.contains(counts), "{}", run.out);
}

#[test]
fn nothing_to_prove_is_not_a_proof() {
    let program = file("nothing.c", "int main(void) { return 0; }\n");
    let run = argonaut(&["verify", &program]);
    assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE (the program contains no error location)"), "{}", run.err);
    assert!(run.out.contains("--check"), "{}", run.out);
    // An error in dead code is one that was looked for.
    let program = file("dead.c", "extern void reach_error(void); int main(void) { if (0) reach_error(); return 0; }\n");
    let run = argonaut(&["verify", &program]);
    assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{}{}", run.out, run.err);
    assert!(!run.out.contains("no error location"), "{}", run.out);
}

#[test]
fn what_is_not_known_is_refused_in_one_line() {
    let program = file("refused.c", SUM);
    let refused = |args: &[&str], expected: &str| {
        let run = argonaut(&[&["verify"], args, &[&program]].concat());
        assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (2, "", 1), "{args:?}: {}", run.err);
        assert!(run.err.contains(expected), "{}", run.err);
    };
    refused(&["--check", "overflows"], "unknown check `overflows`, expected some of assertions, overflow");
    let unknown = property("unknown.prp", &["G (a -> F b)"]);
    refused(&["--property", &unknown], "property not supported: G (a -> F b); known are `G ! call(F())`");
    let mixed = property("mixed.prp", &["G ! overflow", "F end"]);
    refused(&["--property", &mixed], "property not supported: no-overflow and termination in one file");
}

#[test]
fn gcc_confirms_a_violation() {
    let program = file("confirmed.c", SUM);
    let run = argonaut(&["verify", "--check", "overflow", "--confirm", &program]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.out.contains("\nconfirmed: "), "{}", run.out);
}

#[test]
fn gcc_reports_each_kind_it_knows_on_the_same_line() {
    for kind in ["overflow", "division", "shift", "conversion"] {
        let program = format!("{}/../../examples/defined/{kind}.c", env!("CARGO_MANIFEST_DIR"));
        let run = argonaut(&["verify", "--check", kind, "--confirm", &program]);
        assert!(run.out.contains("\nconfirmed: "), "{kind}: {}{}", run.out, run.err);
    }
    let program = format!("{}/../../examples/defined/uninitialised.c", env!("CARGO_MANIFEST_DIR"));
    let run = argonaut(&["verify", "--check", "uninitialised", "--confirm", &program]);
    assert!(run.out.contains("gcc has no sanitizer for this kind of error (uninitialised)"), "{}{}", run.out, run.err);
}

/// gcc computes some expressions before its sanitizer sees them: it warns of constants, and other simplifications are
/// turned off.
#[test]
fn what_gcc_computes_itself_is_confirmed() {
    let rows = [
        (
            "int main(void) {\n  int x = (2147483647 + 1) - 23;\n  return x == 1;\n}\n",
            "confirmed by the compiler, which",
        ),
        ("int f(int a) { return a + 1 > 3; }\nint main(void) { return f(2147483647); }\n", "confirmed: compiled"),
    ];
    for (at, (text, expected)) in rows.iter().enumerate() {
        let program = file(&format!("folded-{at}.c"), text);
        let run = argonaut(&["verify", "--check", "overflow", "--confirm", &program]);
        assert!(run.out.contains(&format!("\n{expected}")), "{text}: {}{}", run.out, run.err);
    }
}

#[test]
fn witnesses_of_other_kinds_are_confirmed() {
    let property = property("defined-behaviour.prp", &["G def-behavior"]);
    for (at, (kind, body, ..)) in KINDS.iter().enumerate().filter(|(_, (kind, ..))| *kind != "lossy") {
        let text = format!("extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n    {body}\n}}\n");
        let (program, witness) = (file(&format!("witness-{at}.c"), text), file(&format!("witness-{at}.yml"), ""));
        let run = argonaut(&["verify", "--property", &property, "--witness", &witness, &program]);
        assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (def-behavior)"), "{kind}: {}{}", run.out, run.err);
        let run = argonaut(&["validate", "--property", &property, "--witness", &witness, &program]);
        assert!(run.out.ends_with("Witness: CONFIRMED\n"), "{kind}: {}{}", run.out, run.err);
    }
}

#[test]
fn what_library_functions_choose_is_shown_at_their_calls() {
    let text = "#include <string.h>\n#include <stdlib.h>\nextern char __VERIFIER_nondet_char(void);\nint main(void) {\n    \
                char a[2] = {__VERIFIER_nondet_char(), 0};\n    int way = strcmp(a, \"k\");\n    if (way > 0) way += 2;\n    \
                return way;\n}\n";
    let run = argonaut(&["verify", "--check", "overflow", &file("library-choice.c", text)]);
    assert_eq!(run.verdict(), "Verdict: FALSE (no-overflow)", "{}{}", run.out, run.err);
    let choice = run.out.lines().find(|line| line.contains("chosen by a library function")).unwrap_or_default();
    assert!(choice.ends_with("line 6"), "{}", run.out);
}

/// Validators know the program only, not what stands for the library.
#[test]
fn errors_in_library_functions_are_those_of_their_calls() {
    let text = "#include <string.h>\n#include <stdlib.h>\nextern char __VERIFIER_nondet_char(void);\n\
                static int order(const void *a, const void *b) { return strlen(a) < strlen(b); }\nint main(void) {\n    \
                char t[2][2] = {\"a\", \"b\"};\n    t[1][1] = __VERIFIER_nondet_char();\n    qsort(t, 2, 2, order);\n    return 0;\n}\n";
    let (program, property) = (file("library-call.c", text), property("library-call.prp", &["G valid-deref"]));
    let expected = [("yml", "line: 4"), ("graphml", "<data key=\"startline\">4</data>")];
    for (kind, line) in expected {
        let witness = file(&format!("library-call.{kind}"), "");
        let run = argonaut(&["verify", "--property", &property, "--witness", &witness, &program]);
        assert_eq!(run.verdict(), "Verdict: FALSE (valid-deref)", "{}{}", run.out, run.err);
        assert!(run.out.contains("library-call.c:4:69: error: in strlen: "), "{}", run.out);
        let text = std::fs::read_to_string(&witness).expect("written");
        assert!(text.contains(line) && !text.contains("<models>"), "{text}");
        let run = argonaut(&["validate", "--property", &property, "--witness", &witness, &program]);
        assert!(run.out.ends_with("Witness: CONFIRMED\n"), "{kind}: {}{}\n{text}", run.out, run.err);
    }
}

#[test]
fn kinds_are_rules_with_their_weaknesses() {
    let run = argonaut(&["verify", "--check", "overflow", "--format", "sarif", &file("sarif.c", SUM)]);
    assert!(run.out.contains("\"ruleId\": \"overflow\""), "{}", run.out);
    assert!(run.out.contains("external/cwe/cwe-190"), "{}", run.out);
    let run = argonaut(&["verify", "--check", "overflow", "--format", "json", &file("json.c", SUM)]);
    assert!(run.out.contains("\"violates\": \"no-overflow\""), "{}", run.out);
}

#[test]
fn witnesses_name_the_full_expression_and_are_confirmed() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int a = __VERIFIER_nondet_int();\n    \
                int b = 0;\n    if (a > 5) {\n        b = (a - 3) * 2;\n    }\n    return b;\n}\n";
    let (program, property) = (file("witness.c", text), property("w.prp", &["G ! overflow"]));
    for name in ["overflow.yml", "overflow.graphml"] {
        let witness = file(name, "");
        let run = argonaut(&["verify", "--property", &property, "--witness", &witness, &program]);
        assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (no-overflow)"), "{}{}", run.out, run.err);
        let text = std::fs::read_to_string(&witness).expect("written");
        assert!(text.contains("G ! overflow"), "{text}");
        let run = argonaut(&["validate", "--property", &property, "--witness", &witness, &program]);
        assert!(run.out.ends_with("Witness: CONFIRMED\n"), "{name}: {}{}\n{text}", run.out, run.err);
    }
}

/// One program for each kind: what is wrong with it, as it is told, and the change that repairs it.
const KINDS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "uninitialised",
        "int n = __VERIFIER_nondet_int(), a;\n    if (n > 3) a = 1;\n    return n > 2 ? a : 0;",
        "'a' is read, but was never given a value",
        "n > 2",
        "n > 3",
    ),
    (
        "uninitialised",
        "int n = __VERIFIER_nondet_int(), a[4];\n    a[n & 3] = 1;\n    return a[n & 2];",
        "'a[n & 2]' is read, but was never given a value",
        "a[n & 2]",
        "a[n & 3]",
    ),
    (
        "uninitialised",
        "char s[4];\n    s[0] = 'a';\n    s[__VERIFIER_nondet_int() & 3] = 0;\n    return __builtin_strlen(s) == 9;",
        "is read, but was never given a value",
        "& 3] = 0",
        "& 1] = 0",
    ),
    (
        "lossy",
        "int n = __VERIFIER_nondet_int() & 511;\n    unsigned char c = n;\n    return c;",
        "'n' changes its value when it is converted: it is",
        "511",
        "255",
    ),
    (
        "pointer",
        "char a[4], *p = a + (__VERIFIER_nondet_int() & 7);\n    return p == a;",
        "leaves the object:",
        "& 7",
        "& 3",
    ),
    (
        "pointer",
        "char a[4], b[4], *p = b;\n    return p < a;",
        "'p < a' compares pointers into different objects",
        "*p = b",
        "*p = a + 4",
    ),
    (
        "pointer",
        "char a[4], b[4], *p = b;\n    return (int)(p - a);",
        "'p - a' subtracts pointers into different objects",
        "*p = b",
        "*p = a",
    ),
];

#[test]
fn each_kind_is_told_in_a_sentence_and_gone_when_repaired() {
    for (at, (kind, body, sentence, wrong, right)) in KINDS.iter().enumerate() {
        let text = |body: &str| format!("extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n    {body}\n}}\n");
        let run = argonaut(&["verify", "--check", kind, &file(&format!("kind-{at}.c"), text(body))]);
        let verdict = format!("Verdict: FALSE ({kind})");
        assert_eq!((run.code, run.verdict()), (1, verdict.as_str()), "{body}: {}{}", run.out, run.err);
        assert!(run.out.contains(sentence), "{}", run.out);
        let repaired = body.replace(wrong, right);
        assert_ne!(&repaired, body);
        let run = argonaut(&["verify", "--check", kind, &file(&format!("kind-{at}-repaired.c"), text(&repaired))]);
        assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{repaired}: {}{}", run.out, run.err);
    }
}

#[test]
fn defined_behaviour_is_one_property() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int n = __VERIFIER_nondet_int(), a[3] = {1, 2, \
                3};\n    return n >= 0 && n < 4 ? a[n] : 0;\n}\n";
    let property = property("defined.prp", &["G def-behavior"]);
    let run = argonaut(&["verify", "--property", &property, &file("defined.c", text)]);
    assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (def-behavior)"), "{}{}", run.out, run.err);
    let run = argonaut(&["verify", "--property", &property, &file("defined-3.c", text.replace("n < 4", "n < 3"))]);
    assert_eq!((run.code, run.verdict()), (0, "Verdict: TRUE"), "{}{}", run.out, run.err);
}

#[test]
fn null_is_null_however_far_behind_it_the_access_lies() {
    for (at, (body, expected)) in [
        ("struct s { char far[5000]; int b; } x, *p = &x; if (n) p = 0; p->b = 1;", "Verdict: FALSE"),
        ("struct s { char far[5000]; int b; } x, *p = &x; if (n) p = &x; p->b = 1;", "Verdict: TRUE"),
        ("int *p = __builtin_malloc(8); if (n) p = 0; p[1] = 1;", "Verdict: FALSE"),
        ("int *p = __builtin_malloc(8); if (n) p = p + 1; p[0] = 1;", "Verdict: TRUE"),
    ]
    .into_iter()
    .enumerate()
    {
        let head = "extern int __VERIFIER_nondet_int(void);";
        let text = format!("{head} int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}\n");
        let run = argonaut(&["verify", "--check", "null", &file(&format!("far-{at}.c"), text)]);
        assert!(run.verdict().starts_with(expected), "{body}: {}{}", run.out, run.err);
    }
}

/// What `--check uninitialised` says about bodies of `main` with an input `n`.
fn check_uninitialised(name: &str, head: &str, rows: &[(&str, &str)]) {
    for (at, (body, expected)) in rows.iter().enumerate() {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\n{head}\n\
             int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}\n"
        );
        let run = argonaut(&["verify", "--check", "uninitialised", &file(&format!("{name}-{at}.c"), text)]);
        assert_eq!(run.verdict(), *expected, "{body}: {}{}", run.out, run.err);
    }
}

#[test]
fn a_value_that_is_not_returned_must_not_be_used() {
    let rows = [
        ("int r = f(n);", "Verdict: FALSE (uninitialised)"),
        ("return f(n) > 0;", "Verdict: FALSE (uninitialised)"),
        ("return p(n) > 0;", "Verdict: FALSE (uninitialised)"),
        ("f(n); p(n); int r = f(4);", "Verdict: TRUE"),
        ("if (n > 3) return f(n);", "Verdict: TRUE"),
    ];
    check_uninitialised("returned", "int f(int y) { if (y > 3) return 1; } int (*p)(int) = f;", &rows);
}

#[test]
fn values_are_read_where_nothing_depends_on_them() {
    let wrong = "Verdict: FALSE (uninitialised)";
    let rows = [
        ("int x; x = x;", wrong),
        ("int x; x = (long)+x;", wrong),
        ("int x; if (n) x = 1; x = x;", wrong),
        ("int x; if (x || 1) n = 1;", wrong),
        ("int x; if (x && 0) n = 1;", wrong),
        ("int x; switch (x) { default: n = 1; }", wrong),
        ("int x; n = x ? 1 : 1;", wrong),
        ("char c; char d = c;", wrong),
        ("int x; if (n) x = 1; x = n ? x : 2;", "Verdict: TRUE"),
        ("int x = n; x = x; if (x || 1) n = 1; switch (x) { default: n = 1; }", "Verdict: TRUE"),
        ("int x; if (1 || x) n = 1; if (0 && x) n = 1; n = sizeof x;", "Verdict: TRUE"),
        ("int x; (void) x; int y = y;", "Verdict: TRUE"),
    ];
    check_uninitialised("unused", "", &rows);
}

/// A pointer that walks is followed by registers, which copy it also where it is declared.
#[test]
fn following_a_pointer_is_not_reading_it() {
    let text = "int main(void) { char text[3] = \"ab\", *p; int c;\n    FIRST\n\
                for (;;) { c = *p; if (c == 0) break; p++; }\n    return c; }\n";
    for (name, first, verdict) in [
        ("set", "p = text;", "Verdict: TRUE"),
        ("maybe", "if (text[1] == 'c') p = text;", "Verdict: FALSE (uninitialised)"),
    ] {
        let path = file(&format!("walk-{name}.c"), text.replace("FIRST", first));
        let run = argonaut(&["verify", "--quiet", "--check", "undefined", &path]);
        assert_eq!(run.verdict(), verdict, "{name}: {}{}", run.out, run.err);
    }
}

#[test]
fn what_was_not_written_is_not_written_where_it_is_copied_to() {
    let head =
        "static void spoil(char *d) { char s[4]; __builtin_memcpy(d, s, 4); } struct S { int a, b; } g, h, z; int i;";
    let rows = [
        ("int s, t = 0, *p = &s, *q = &t; __builtin_memcpy(q, p, 4); return t;", "Verdict: FALSE (uninitialised)"),
        (
            "char s[4], t[4]; __builtin_memset(t, 0, 4); __builtin_memcpy(t, s, 4); return t[1];",
            "Verdict: FALSE (uninitialised)",
        ),
        ("char t[4]; __builtin_memset(t, 0, 4); spoil(t); return t[1];", "Verdict: FALSE (uninitialised)"),
        ("char t[4]; __builtin_memset(t, 0, 4); n = t[1]; spoil(t);", "Verdict: TRUE"),
        (
            "char s[4], t[4]; __builtin_memset(s, 0, 4); __builtin_memset(t, 0, 4); __builtin_memcpy(t, s, 4); return t[1];",
            "Verdict: TRUE",
        ),
        ("struct S s; s.a = 1; g = s; return g.b;", "Verdict: FALSE (uninitialised)"),
        ("struct S s; s.a = 1; g = s; h = g; return h.b;", "Verdict: FALSE (uninitialised)"),
        ("spoil((char *) &i); return i;", "Verdict: FALSE (uninitialised)"),
        ("struct S s; s.a = 1; g = s; h = z; return h.b + g.a + i;", "Verdict: TRUE"),
    ];
    check_uninitialised("copied", head, &rows);
}

#[test]
fn constants_are_not_written() {
    let property = property("constants.prp", &["G def-behavior"]);
    for (at, (globals, body, expected)) in [
        ("", "char *s = \"abc\"; s[1] = 'x';", "FALSE"),
        ("", "char s[] = \"abc\"; s[1] = 'x';", "TRUE"),
        ("char a[4];", "char *s = n ? a : \"abc\"; s[1] = 'x';", "FALSE"),
        ("static const int c = 1;", "*(int *)&c = 2;", "FALSE"),
        ("static const int c = 1; static int d;", "*(n ? &d : (int *)&c) = 2;", "FALSE"),
        ("static const int c = 1; static int d;", "const int *p = n ? &d : &c; d = *p;", "TRUE"),
    ]
    .into_iter()
    .enumerate()
    {
        let head = "extern int __VERIFIER_nondet_int(void);";
        let text = format!("{head} {globals} int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}\n");
        let run = argonaut(&["verify", "--property", &property, &file(&format!("constants-{at}.c"), text)]);
        assert!(run.verdict().starts_with(&format!("Verdict: {expected}")), "{body}: {}{}", run.out, run.err);
        assert!(expected == "TRUE" || run.out.contains("writes to a string literal or a const object"), "{}", run.out);
    }
}

#[test]
fn labels_and_calls_are_named() {
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid danger(void) {}\nint main(void) {\n    if \
                (__VERIFIER_nondet_int() == 5) goto BAD;\n    danger();\n    return 0;\nBAD: return 1;\n}\n";
    let program = file("label.c", text);
    for (formula, sentence) in
        [("G ! label(BAD)", "label BAD is reached"), ("G ! call(danger())", "danger() is called")]
    {
        let run = argonaut(&["verify", "--property", &property("label.prp", &[formula]), &program]);
        assert_eq!((run.code, run.verdict()), (1, "Verdict: FALSE (unreach-call)"), "{}{}", run.out, run.err);
        assert!(run.out.contains(sentence), "{}", run.out);
    }
}

#[test]
fn every_kind_is_a_rule_with_weaknesses() {
    for check in cfa::Check::ALL {
        assert!(!check.weaknesses().is_empty() && !check.describe().is_empty(), "{}", check.word());
    }
    let (_, body, ..) = KINDS[0];
    let text = format!("extern int __VERIFIER_nondet_int(void);\nint main(void) {{ {body} }}\n");
    let run = argonaut(&["verify", "--check", "uninitialised", "--format", "sarif", &file("sarif-457.c", text)]);
    assert!(run.out.contains("external/cwe/cwe-457"), "{}", run.out);
}

#[test]
fn the_report_colours_checked_lines() {
    let text = "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int a = __VERIFIER_nondet_int();\n    int b = \
                a / 2 + 1;\n    int c = 7 / a;\n    return c > b;\n}\n";
    let page = file("checked.html", "");
    let program = file("checked.c", text);
    let run = argonaut(&["verify", "--check", "overflow,division", "--all-targets", "--report", &page, &program]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.contains("\"checked\":[[4,\"proved\"],[5,\"violated\"]]"), "{page}");
}

/// Loops whose counters are bounded by others, and whether octagons prove that nothing overflows.
const COUNTERS: &[(&str, bool)] = &[
    ("int main(void) { int x = 0, z = __VERIFIER_nondet_int(); while (z > 0) { x++; z--; } return x; }", true),
    ("int main(void) { int x = 12, z = __VERIFIER_nondet_int(); while (z > 0) { x++; z--; } return x; }", false),
    ("int main(void) { int x = 0, y = 0, z = __VERIFIER_nondet_int(); while (z > y) { y++; x--; } return x; }", true),
    (
        "extern void *malloc(unsigned long); int main(void) { int *x = malloc(4), *z = malloc(4); *x = 0; *z = \
         __VERIFIER_nondet_int(); while (*z > 0) { *x = *x + 1; *z = *z - 1; } return *x; }",
        true,
    ),
    (
        "extern void *malloc(unsigned long); int main(void) { int *x = malloc(4), *z = x; *x = 0; *z = \
         __VERIFIER_nondet_int(); while (*z > 0) { *x = *x + 1; *z = *z - 2; } return *x; }",
        false,
    ),
    (
        "int rec(int a) { return a == 0 ? 0 : 1 + rec(a - 1); } int main(void) { int i = __VERIFIER_nondet_int(); return i \
         > 0 ? rec(i) : 0; }",
        true,
    ),
    (
        "int rec(int a) { return a == 0 ? 0 : 2 + rec(a - 1); } int main(void) { int i = __VERIFIER_nondet_int(); return i \
         > 0 ? rec(i) : 0; }",
        false,
    ),
    (
        "int log2(int x) { return x < 2 ? 0 : 1 + log2(x / 2); } int main(void) { int i = __VERIFIER_nondet_int(); return i \
         > 0 ? log2(i) : 0; }",
        true,
    ),
];

#[test]
fn octagons_bound_counters_by_others() {
    for (at, (text, proved)) in COUNTERS.iter().enumerate() {
        let program = file(&format!("counter-{at}.c"), format!("extern int __VERIFIER_nondet_int(void);\n{text}\n"));
        let run = argonaut(&["verify", "--check", "overflow", "--analysis", "octagons", &program]);
        assert_eq!(run.code, if *proved { 0 } else { 3 }, "{text}: {}{}", run.out, run.err);
    }
}

/// Merging compares the first element with the third, but not with the last, as another way of sorting may.
#[test]
fn elements_that_sorting_compares() {
    let expect = |name: &str, elements: &str, limit: &str, verdict: &str| {
        let text = format!(
            "#include <stdlib.h>\nint order(const void *a, const void *b) {{ return *(const int *)a - *(const int *)b; }}\n\
             int main(void) {{ int a[] = {{{elements}}}; qsort(a, 4, sizeof *a, order); return 0; }}\n"
        );
        let run = argonaut(&["verify", "--check", "overflow", "--time-limit", limit, &file(name, text)]);
        assert!(run.verdict().starts_with(verdict), "{name}: {}{}", run.out, run.err);
    };
    expect("sorted-merged.c", "-1200000000, 0, 1200000000, 2000000000", "300s", "Verdict: FALSE (no-overflow)");
    // Without a limit, inductions go on for ever.
    expect("sorted-otherwise.c", "-1200000000, 0, 900000000, 2000000000", "5s", "Verdict: UNKNOWN");
    expect("sorted-near.c", "-1, 0, 1200000000, 2000000000", "300s", "Verdict: TRUE");
}

/// What glibc's newer headers call `strtol` takes 0b for a prefix; `strtol` does not.
#[test]
fn binary_numbers_are_read_since_c23() {
    let text = "long __isoc23_strtol(const char *, char **, int); long strtol(const char *, char **, int);\n\
                int main(void) { int k = 2147483647; char *e; const char *s = \"-0b11x\";\n\
                if (__isoc23_strtol(s, &e, 0) != -3 || *e != 'x') k++;\n\
                if (__isoc23_strtol(\"0b2\", &e, 2) != 0 || *e != 'b') k++;\n\
                if (strtol(\"0b11\", &e, 0) != 0 || *e != 'b') k++;\n\
                return k == 0; }\n";
    let run = argonaut(&["verify", "--check", "overflow", &file("binary-numbers.c", text)]);
    assert_eq!(run.verdict(), "Verdict: TRUE", "{}{}", run.out, run.err);
}

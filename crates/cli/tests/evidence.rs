//! What a FALSE comes with: the trace, the command that reproduces it, the harness.

mod command;

use command::{argonaut, file};
use expect_test::{Expect, expect};
use std::path::Path;

fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&argonaut(args).out);
}

#[test]
fn the_trace_tells_what_matters() {
    check(
        &["verify", "--analysis", "bmc", "examples/lists.c"],
        expect![[r#"
            examples/lists.c:22:13: error: reach_error() is called
                          reach_error();
                          ^
            path, as far as it matters
              main:
              13 | for (int i = 0; i < 3; i++) {                                  i = 0, true, i = 1
              13 | for (int i = 0; i < 3; i++) {                                  true, i = 2
              13 | for (int i = 0; i < 3; i++) {                                  true
              14 | struct node *node = malloc(sizeof *node);                      node = 0x10002000
              15 | node->value = i;                                               2
              17 | list = node;                                                   list = 0x10002000
              19 | int expected = 3;                                              expected = 3
              20 | for (struct node *node = list; node != NULL; node = node->ne   node = 0x10002000, true
              21 | if (node->value != expected) {                                 true
              22 | reach_error();                                                 error
            reproduce with
              argonaut run examples/lists.c
            assuming that
              memory is accessed inside live objects, aligned as its type requires (4 places)
            Verdict: FALSE (unreach-call)
        "#]],
    );
}

#[test]
fn the_printed_command_reproduces_the_error() {
    let out = argonaut(&["verify", "examples/first-bug.c"]).out;
    let command = out.lines().find_map(|line| line.trim().strip_prefix("argonaut ")).expect("a command");
    let words: Vec<&str> = command.split(' ').collect();
    let run = argonaut(&words);
    assert_eq!(run.code, 134, "{}", run.err);
    assert!(run.err.contains("first-bug.c:15:9: error: reach_error() is called"), "{}", run.err);
}

#[test]
fn no_colours_without_a_terminal() {
    let run = argonaut(&["verify", "examples/first-bug.c"]);
    assert!(!run.out.contains('\x1b') && run.err.is_empty(), "{}{}", run.out, run.err);
}

#[test]
fn the_harness_reaches_the_error() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("harness");
    let folder = folder.to_str().expect("a plain path");
    let run = argonaut(&["verify", "--confirm", "--harness", folder, "examples/first-bug.c"]);
    assert!(run.out.contains("confirmed: compiled and executed"), "{}{}", run.out, run.err);
    let script = std::fs::read_to_string(format!("{folder}/compile.sh")).expect("a script");
    assert!(script.contains("harness.c -x c examples/first-bug.c"), "{script}");
    // Inputs of all kinds, functions and variables without definition, an error function with a body of its own.
    let program = file(
        "many-inputs.c",
        "extern float __VERIFIER_nondet_float(void); extern long __VERIFIER_nondet_long(void);
        extern char __VERIFIER_nondet_char(void); extern int outside(int *); extern int level;
        extern struct { int a[3]; } table; int *__VERIFIER_nondet_pointer(void);
        void reach_error(void) { for (;;); }
        int main(void) {
            float f = __VERIFIER_nondet_float(); long l = __VERIFIER_nondet_long(); int x = 0;
            if (f != 0.5f || l != -5000000000 || __VERIFIER_nondet_char() != -3 || outside(&x) != 7) return 0;
            if (level != 9 || table.a[1] != 4 || __VERIFIER_nondet_pointer() == 0) return 0;
            reach_error();
        }
",
    );
    let run = argonaut(&["verify", "--extern", "pure", "--confirm", "--analysis", "bmc", &program]);
    assert!(run.out.contains("confirmed: compiled and executed"), "{}{}", run.out, run.err);
}

#[test]
fn what_cannot_be_executed_is_said() {
    let program = file("label.c", "int main(void) { ERROR: return 0; }\n");
    let run = argonaut(&["verify", "--confirm", &program]);
    assert!(run.out.contains("not executed: the error is a label"), "{}", run.out);
    let program = file(
        "uninitialised.c",
        "extern void reach_error(void); int main(void) { int x; if (x == 77) reach_error(); }\n",
    );
    let run = argonaut(&["verify", "--confirm", "--analysis", "bmc", &program]);
    assert!(run.out.contains("not confirmed: executed with these inputs, it ended otherwise"), "{}", run.out);
}

/// What a function without body writes through a pointer, a model says as the array behind the pointer; the replay needs
/// bytes of the object that it points to.
/// A sanitizer that calls the program's own `read` and `fstat` would not find out which line it is about.
#[test]
fn programs_with_functions_of_the_library_are_confirmed() {
    let text = "extern int nondet(void); long read(int f, void *to, unsigned long n) { return -1; }\n\
                int open(const char *p, int how, ...) { return -1; } int fstat(int f, void *to) { return -1; }\n\
                int main(void) { int few[2] = {1, 2}; return few[nondet() & 3]; }\n";
    let program = file("own-library.c", text);
    let run = argonaut(&["verify", "--confirm", "--check", "bounds", &program]);
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    assert!(run.out.contains("\nconfirmed: compiled and executed"), "{}", run.out);
}

/// The second `malloc` that the program calls is the third object on the heap.
#[test]
fn what_new_memory_held_is_part_of_the_execution() {
    let head = "extern void reach_error(void); extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);\n\
                struct pair { int first; void *second; };\n";
    for (options, body) in [
        (&["--analysis", "bmc"][..], "if (p->second && p->first == 7 && *q == 3 && *z == 0) reach_error(); return 0;"),
        (&["--analysis", "bmc", "--check", "bounds"], "int few[2] = {1, 2}; return p->second ? few[*q & 7] : 0;"),
    ] {
        let text = format!(
            "{head}int main(void) {{ struct pair *p = malloc(sizeof *p); int *z = calloc(1, 4), *q = malloc(4);\n{body}\n}}\n"
        );
        let program = file("new-memory.c", &text);
        let run = argonaut(&[&["verify", "--confirm"], options, &[&program]].concat());
        assert_eq!(run.code, 1, "{}{}", run.out, run.err);
        assert!(run.out.contains("\nconfirmed: compiled and executed"), "{}", run.out);
    }
}

#[test]
fn externals_write_through_pointers() {
    let array = "extern void reach_error(void); extern void out(int *p);
int main(void) { int t[3]; t[0] = 1; out(t); if (t[1] == 4) reach_error(); return 0; }
";
    let several = "extern void reach_error(void); extern int out(int *p, char *q);
int main(void) { int x = 0; char b[8]; b[1] = 1; out(&x, b); if (x == 77 && b[5] == 'z') reach_error(); return 0; }
";
    for (name, text) in [("out-array.c", array), ("out-several.c", several)] {
        let program = file(name, text);
        for analysis in ["bmc", "pred"] {
            let run = argonaut(&["verify", "--quiet", "--time-limit", "60s", "--analysis", analysis, &program]);
            assert_eq!(run.out, "Verdict: FALSE (unreach-call)\n", "{name} {analysis} {}", run.err);
        }
    }
}

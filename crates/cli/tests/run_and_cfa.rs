//! `argonaut run` behaves as the program does; `argonaut cfa` prints and draws automata; `argonaut export` writes systems.

mod command;

use command::{argonaut, file, without_folder};
use expect_test::{Expect, expect};

/// Standard output, then standard error, then the exit status.
fn check(args: &[&str], expected: Expect) {
    let run = argonaut(args);
    expected.assert_eq(&without_folder(&format!("{}{}exit {}\n", run.out, run.err, run.code)));
}

#[test]
fn output_and_exit_status_are_the_programs() {
    let program = file(
        "hello.c",
        "#include <stdio.h>\nint main(void) { printf(\"%s %d %.2f\\n\", \"hello\", 42, 0.5); return 7; }\n",
    );
    check(
        &["run", &program],
        expect![[r#"
            hello 42 0.50
            exit 7
        "#]],
    );
}

#[test]
fn ends_of_blocks_and_expressions_are_noticed() {
    let text = "int main(void) { int *p; { int x = 1; p = &x; }\n  return *p; }\n";
    check(
        &["run", &file("block.c", text)],
        expect![[r#"
            block.c:2:3: error: undefined behaviour: access to an object after the end of its life
                return *p; }
                ^
            exit 3
        "#]],
    );
    let text = "struct S { int a[2]; };\nstatic struct S f(void) { struct S s = {{3, 4}}; return s; }\n\
                int main(void) { int *p = f().a;\n  return *p; }\n";
    check(
        &["run", &file("returned.c", text)],
        expect![[r#"
            returned.c:4:3: error: undefined behaviour: access to an object after the end of its life
                return *p; }
                ^
            exit 3
        "#]],
    );
    let text = "struct S { int a[2]; };\nstatic struct S f(void) { struct S s = {{3, 4}}; return s; }\n\
                int main(void) { int sum = 0; for (int i = 0; i < 2; i++) { int x = f().a[i], *p = &x; sum += *p; }\n\
                return sum; }\n";
    check(
        &["run", &file("rounds.c", text)],
        expect![[r#"
            exit 7
        "#]],
    );
}

#[test]
fn writes_to_constants_are_noticed() {
    let text = "const int c = 1;\nint main(void) {\n  *(int *)&c = 2; return 0; }\n";
    check(
        &["run", &file("constant.c", text)],
        expect![[r#"
            constant.c:3:3: error: undefined behaviour: write to a string literal or a const object
                *(int *)&c = 2; return 0; }
                ^
            exit 3
        "#]],
    );
    let text = "static int *p = (int[]){1, 2};\nint main(void) { p[0] = 5; return p[0]; }\n";
    check(
        &["run", &file("literal.c", text)],
        expect![[r#"
            exit 5
        "#]],
    );
}

#[test]
fn inputs_come_from_the_command_line_and_files() {
    let program = file(
        "inputs.c",
        "extern int printf(const char *, ...);
extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);
int main(void) {
    int a = __VERIFIER_nondet_int();
    double b = __VERIFIER_nondet_double();
    int c = __VERIFIER_nondet_int();
    return printf(\"%d %g %d\\n\", a, b, c) < 0;
}
",
    );
    check(
        &["run", &program, "--input", "-3,0.25", "--input", "0x10"],
        expect![[r#"
            -3 0.25 16
            exit 0
        "#]],
    );
    let values = file("values.txt", "1 2.5\n3\n");
    check(
        &["run", &program, "--input-file", &values],
        expect![[r#"
            1 2.5 3
            exit 0
        "#]],
    );
    check(
        &["run", &program],
        expect![[r#"
            0 0 0
            exit 0
        "#]],
    );
    check(
        &["run", &program, "--input", "many"],
        expect![[r#"
            argonaut: error: input `many`: expected a number such as 7, -1, 0xff or 0.5
            exit 2
        "#]],
    );
    let seeded = argonaut(&["run", &program, "--seed", "5"]);
    assert_eq!(seeded.out, argonaut(&["run", &program, "--seed", "5"]).out, "a seed decides everything");
}

#[test]
fn errors_and_undefined_behaviour_are_reported_where_they_are_met() {
    let assertion =
        file("assertion.c", "#include <assert.h>\nint main(void) { int x = 3; assert(x == 4); return 0; }\n");
    check(
        &["run", &assertion],
        expect![[r#"
            assertion.c:2:29: error: assertion fails
              int main(void) { int x = 3; assert(x == 4); return 0; }
                                          ^
            exit 134
        "#]],
    );
    let bounds = file("bounds.c", "int main(void) {\n    int a[2] = {1, 2};\n    int i = 2;\n    return a[i];\n}\n");
    let run = argonaut(&["run", &bounds]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("bounds.c:4:") && run.err.contains("undefined behaviour"), "{}", run.err);
}

#[test]
fn automata_are_printed_and_drawn() {
    let program = file("loop.c", "int main(void) { int x = 0; while (x < 5) { x = x + 1; } return x; }\n");
    let text = argonaut(&["cfa", &program, "--function", "main"]);
    assert_eq!(text.code, 0);
    assert!(text.out.contains("[x < 5]") && text.out.contains("x := x + 1"), "{}", text.out);
    let (dot, svg) = (file("loop.dot", ""), file("loop.svg", ""));
    let drawn = argonaut(&["cfa", &program, "--dot", &dot, "--svg", &svg]);
    assert_eq!((drawn.code, drawn.out.as_str()), (0, ""));
    assert!(std::fs::read_to_string(dot).is_ok_and(|text| text.starts_with("digraph")));
    assert!(std::fs::read_to_string(svg).is_ok_and(|text| text.contains("<svg")));
    let missing = argonaut(&["cfa", &program, "--function", "f"]);
    assert_eq!((missing.code, missing.err.as_str()), (2, "argonaut: error: no function is called `f`\n"));
}

#[test]
fn reports_and_witnesses_are_files() {
    let (page, witness) = (file("report.html", ""), file("witness.yml", ""));
    let run = argonaut(&["verify", "examples/first-bug.c", "--quiet", "--report", &page, "--witness", &witness]);
    assert_eq!(run.code, 1, "{}", run.err);
    let page = std::fs::read_to_string(page).expect("written");
    assert!(page.contains("reach_error() is called") && page.contains("\"error\":{\"file\":0,\"line\":15}"));
    let witness = std::fs::read_to_string(witness).expect("written");
    assert!(witness.contains("violation_sequence") && witness.contains("line: 15"), "{witness}");
}

#[test]
fn systems_are_files() {
    let program = file(
        "export.c",
        "int nondet(void);\nint main(void) { int x = 0; while (nondet()) x += 2; if (x == 3) { ERROR: return 1; } return 0; }\n",
    );
    let (words, bits) = (file("export.btor2", ""), file("export.aag", ""));
    let run = argonaut(&["export", "--btor2", &words, "--aiger", &bits, &program]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    assert!(
        std::fs::read_to_string(words).is_ok_and(|text| text.contains("\n1 sort bitvec 1\n") && text.contains(" bad "))
    );
    assert!(std::fs::read_to_string(bits).is_ok_and(|text| text.starts_with("aag ")));
    let floats = file(
        "float.c",
        "int nondet(void);\nint main(void) { double x = 0; while (nondet()) x += 2; if (x == 3) { ERROR: return 1; } return 0; }\n",
    );
    let run = argonaut(&["export", "--btor2", "none.btor2", &floats]);
    let expected = "argonaut: error: none.btor2: the program is not a transition system of this kind: a floating-point \
                    number is not bits\n";
    assert_eq!((run.code, run.err.as_str()), (2, expected));
    let run = argonaut(&["export", &program]);
    assert_eq!(run.code, 2);
}

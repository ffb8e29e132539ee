//! Bad usage and bad input of every kind: exit status 2, a line that says where and what was expected, with the source
//! line if there is one, nothing on standard output.

mod command;

use command::{argonaut, file, without_folder};
use expect_test::{Expect, expect};

fn check(args: &[&str], expected: Expect) {
    let run = argonaut(args);
    expected.assert_eq(&without_folder(&run.err));
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}");
}

#[test]
fn files_that_are_none() {
    check(
        &["verify", "nowhere/no.c"],
        expect![[r#"
            argonaut: error: nowhere/no.c: no such file, expected a C program
        "#]],
    );
    check(
        &["verify", "examples"],
        expect![[r#"
            argonaut: error: examples: is a folder, expected a C program
        "#]],
    );
    check(
        &["verify", &file("empty.c", " \n")],
        expect![[r#"
            argonaut: error: empty.c: is empty, expected a C program
        "#]],
    );
    check(
        &["cfa", &file("binary.c", b"\x7fELF\0\0")],
        expect![[r#"
            argonaut: error: binary.c: is a binary file, expected a C program
        "#]],
    );
}

#[test]
fn syntax_errors_have_a_place() {
    check(
        &["verify", &file("syntax.c", "int main(void) {\n    int x = ;\n    return x +;\n}\n")],
        expect![[r#"
            syntax.c:2:13: error: expected an expression, found ';'
                  int x = ;
                          ^
            syntax.c:3:15: error: expected an expression, found ';'
                  return x +;
                            ^
        "#]],
    );
}

#[test]
fn mistakes_of_meaning_have_a_place() {
    let text = "int add(int a, int b) { return a + b; }\nint main(void) {\n    int x = add(1);\n    5 = y;\n}\n";
    check(
        &["verify", &file("meaning.c", text)],
        expect![[r#"
            meaning.c:3:13: error: expected 2 arguments, found 1
                  int x = add(1);
                          ^
            meaning.c:4:5: error: expected an lvalue: a variable, a member, an element or '*' of a pointer
                  5 = y;
                  ^
        "#]],
    );
}

#[test]
fn positions_are_those_of_the_users_file_behind_the_preprocessor() {
    check(
        &["verify", &file("directives.c", "#include <assert.h>\n#define ONE 1\nint main(void) { return ONE +; }\n")],
        expect![[r#"
            directives.c:3:30: error: expected an expression, found ';'
              int main(void) { return ONE +; }
                                           ^
        "#]],
    );
}

#[test]
fn preprocessor_errors_come_through() {
    let path = file("include.c", "#include \"nowhere.h\"\nint main(void) { return 0; }\n");
    let run = argonaut(&["verify", &path]);
    assert_eq!((run.code, run.err.lines().count()), (2, 1), "{}", run.err);
    assert!(without_folder(&run.err).starts_with("include.c:1:10: fatal error: nowhere.h"), "{}", run.err);
}

#[test]
fn a_missing_compiler_is_named() {
    let needs = file("needs.c", "#define A 0\nint main(void) { return A; }\n");
    let output = command::command(&["cfa", &needs]).env("CC", "no-such-compiler").output().expect("starts");
    let run = command::finish(output);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("the compiler `no-such-compiler` cannot be run"), "{}", run.err);
}

#[test]
fn property_files() {
    let program = "examples/first-proof.c";
    check(
        &["verify", "--property", "examples/none.prp", program],
        expect![[r#"
            argonaut: error: examples/none.prp: no such file, expected a property (.prp)
        "#]],
    );
    check(
        &["verify", "--property", &file("bad.prp", "CHECK( init(main()), LTL(G ! call(f()) )\n"), program],
        expect![[r#"
            argonaut: error: bad.prp:2:1: expected `)`, but the text ends
        "#]],
    );
    check(
        &["verify", "--property", program, program],
        expect![[r#"
            argonaut: error: examples/first-proof.c:3:1: expected `CHECK( init(main()), LTL(G ! call(reach_error())) )`, but found `e`
        "#]],
    );
}

#[test]
fn task_definitions() {
    check(
        &["verify", &file("bad.yml", "format_version: '2.0'\ninput_files: a.c\noptions:\n  data_model: LP32\n")],
        expect![[r#"
            argonaut: error: bad.yml:4:15: expected data model `ILP32` or `LP64`
        "#]],
    );
    check(
        &["verify", &file("lost.yml", "format_version: '2.0'\ninput_files: lost.c\n")],
        expect![[r#"
            argonaut: error: lost.c: no such file, expected a C program
        "#]],
    );
    check(
        &["verify", "examples/first-bug.yml", "examples/first-bug.c"],
        expect![[r#"
            argonaut: error: examples/first-bug.yml: a task definition names all its files, expected no other file next to it
        "#]],
    );
}

#[test]
fn options() {
    let program = "examples/first-proof.c";
    check(
        &["verify", "--no-such-option", program],
        expect![[r#"
            argonaut: error: unexpected argument '--no-such-option' found; tip: to pass '--no-such-option' as a value, use '-- --no-such-option'
        "#]],
    );
    check(
        &["verify", "--time-limit", "soon", program],
        expect![[r#"
            argonaut: error: invalid value 'soon' for '--time-limit <TIME>': expected a number and a unit, such as 60s or 4GiB
        "#]],
    );
    check(
        &["verify", "--data-model", "LLP64", program],
        expect![[r#"
            argonaut: error: invalid value 'LLP64' for '--data-model <MODEL>'; [possible values: ILP32, LP64]; tip: a similar value exists: 'LP64'
        "#]],
    );
    check(
        &["verify", "--analysis", "magic", program],
        expect![[r#"
            argonaut: error: no preset is called `magic`; `argonaut presets` lists them
        "#]],
    );
    check(
        &["verify", "--set", "k-max=3", program],
        expect![[r#"
            argonaut: error: options belong to one engine: choose it by --analysis instead of `auto`
        "#]],
    );
    check(
        &["verify"],
        expect![[r#"
            argonaut: error: the following required arguments were not provided: <FILE>...
        "#]],
    );
    check(
        &["verify", "--witness", "examples/nowhere/w.yml", program],
        expect![[r#"
            argonaut: error: examples/nowhere/w.yml: cannot be written (No such file or directory (os error 2))
        "#]],
    );
    check(
        &["verify", "--harness", program, program],
        expect![[r#"
            argonaut: error: examples/first-proof.c: is a file, expected a folder
        "#]],
    );
    check(
        &["verify", "--report", "examples", program],
        expect![[r#"
            argonaut: error: examples: is a folder, expected a file to write
        "#]],
    );
}

/// Every option that reads a file says so of files that are none.
#[test]
fn files_that_options_read() {
    let (empty, binary) = (file("option-empty", " \n"), file("option-binary", b"\x7fELF\0\0"));
    let program = "examples/first-proof.c";
    let options: [&[&str]; 7] = [
        &["verify", program, "--property"],
        &["verify", program, "--config"],
        &["verify", program, "--compile-commands"],
        &["verify", program, "--analysis", "expl-itp", "--precision-in"],
        &["validate", program, "--witness"],
        &["lint-witness", program, "--witness"],
        &["run", program, "--input-file"],
    ];
    for option in options {
        for path in ["examples/nowhere", "examples", &empty, &binary] {
            // No precision is a precision.
            if path == empty && option.contains(&"--precision-in") {
                continue;
            }
            let run = argonaut(&[option, &[path]].concat());
            assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (2, "", 1), "{option:?}: {}", run.err);
            assert!(run.err.starts_with(&format!("argonaut: error: {path}")), "{option:?}: {}", run.err);
        }
    }
}

#[test]
fn broken_witnesses() {
    let program = "examples/first-bug.c";
    for command in ["validate", "lint-witness"] {
        for (name, text) in [
            ("broken.yml", "- entry_type: [\n"),
            ("other.yml", "a: b\n"),
            ("none.yml", "just text\n"),
            ("broken.graphml", "<graphml><graph></graphml>"),
            ("other.graphml", "<?xml version=\"1.0\"?><html/>"),
        ] {
            let run = argonaut(&[command, "--witness", &file(name, text), program]);
            assert_eq!((run.code, run.out.as_str(), run.err.lines().count()), (2, "", 1), "{name}: {}", run.err);
            assert!(without_folder(&run.err).starts_with(&format!("argonaut: error: {name}:")), "{}", run.err);
        }
    }
}

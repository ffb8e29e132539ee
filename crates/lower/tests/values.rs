//! What expressions and builtins compute: one program that prints the value of every row, executed by the interpreter
//! and by gcc. Operators stand there twice, on constants, which lowering folds, and on variables.

#![allow(clippy::unwrap_used, reason = "a test")]

use base::{Cancel, Interner, Severity, SourceMap};
use cfa::DataModel;
use lower::{Options, lower};
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{self, RunEnd};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

#[path = "values/rows.rs"]
mod rows;

const HEAD: &str = "
extern int printf(const char *, ...);
extern void *memset(void *, int, __SIZE_TYPE__), *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memmove(void *, const void *, __SIZE_TYPE__), *mempcpy(void *, const void *, __SIZE_TYPE__);
extern void bcopy(const void *, void *, __SIZE_TYPE__), bzero(void *, __SIZE_TYPE__);
extern int abs(int); extern long labs(long); extern long long llabs(long long);
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long long u64;
typedef signed char i8; typedef short i16; typedef int i32; typedef long long i64;
";

fn ours(text: &str, model: DataModel) -> String {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add("values.c", text.to_owned());
    let (ast, diagnostics) = syntax::parse(text, start, &mut names);
    let errors: Vec<_> = diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let lowered = lower(vec![ast], names, sources, &Options { model, ..Options::default() });
    let program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    let (choices, mut output) = (Choices::default(), Vec::new());
    let options = interpreter::Options::default();
    let run = interpreter::run(&program, &mut Replayer::new(&choices), &mut output, &options, &Cancel::never());
    let place = |span| program.sources.display(span).to_string();
    match run.outcome {
        RunEnd::Exit(_) => String::from_utf8(output).unwrap(),
        RunEnd::Undefined { what, span } => panic!("{}: {what}", place(span)),
        RunEnd::Unsupported { what, span } => panic!("{}: unsupported: {what}", place(span)),
        other => panic!("{other:?}"),
    }
}

/// What gcc's program prints; `None` without such a gcc.
fn gcc(text: &str, flag: &str) -> Option<String> {
    static USED: AtomicU32 = AtomicU32::new(0);
    let number = USED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("argonaut-values-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (file, binary) = (folder.join("values.c"), folder.join("values"));
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new("gcc");
    command
        .args([flag, "-msse2", "-mfpmath=sse", "-O0", "-fwrapv", "-w", "-std=gnu11"])
        .arg(&file)
        .arg("-o")
        .arg(&binary);
    let built = command.stderr(Stdio::inherit()).status().is_ok_and(|status| status.success());
    let output = built.then(|| Command::new(&binary).output().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    output.map(|output| String::from_utf8(output.stdout).unwrap())
}

/// Prints each row's value, in several functions so that none is large.
fn program(rows: &[String]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str(rows::FILE);
    let chunks: Vec<&[String]> = rows.chunks(50).collect();
    for (number, chunk) in chunks.iter().enumerate() {
        text.push_str(&format!("static void part{number}(void) {{\n"));
        chunk.iter().for_each(|row| text.push_str(&format!("    {row}\n")));
        text.push_str("}\n");
    }
    text.push_str("int main(void) {\n");
    (0..chunks.len()).for_each(|number| text.push_str(&format!("    part{number}();\n")));
    text + "    return 0;\n}\n"
}

fn check(rows: &[String]) {
    let text = program(rows);
    for (model, flag, size) in [(DataModel::Lp64, "-m64", "unsigned long"), (DataModel::Ilp32, "-m32", "unsigned")] {
        let text = text.replace("__SIZE_TYPE__", size);
        let Some(expected) = gcc(&text, flag) else {
            eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
            continue;
        };
        let found = ours(&text, model);
        let different =
            expected.lines().zip(found.lines()).zip(rows).filter(|((expected, found), _)| expected != found);
        let different: Vec<String> =
            different.map(|((expected, found), row)| format!("{row}\n  gcc: {expected}, ours: {found}")).collect();
        assert!(different.is_empty(), "{model:?}: {} differ\n{}", different.len(), different.join("\n"));
        assert_eq!(expected.lines().count(), rows.len(), "each row prints a line");
        assert_eq!(found.lines().count(), rows.len(), "each row prints a line");
    }
}

#[test]
fn builtins() {
    check(&rows::builtins());
}

#[test]
fn integer_operators() {
    check(&rows::integers());
}

#[test]
fn float_operators_and_conversions() {
    check(&rows::floats());
}

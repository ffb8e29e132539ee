//! Checks of arithmetic, judged by gcc's sanitizers: each row is executed by the interpreter, which must end at a
//! target of the kind that gcc reports, or at none if gcc is silent.

use base::{Cancel, Interner, SourceMap};
use cfa::{Check, Checks, Program};
use lower::Options;
use semantics::interpreter::RunEnd;
use semantics::replay::replay;
use std::path::PathBuf;
use std::process::Command;

/// Bodies of functions. Values go through volatile objects, so that gcc computes them when the program runs.
const ROWS: &[&str] = &[
    "volatile int a = 2147483647, b = 1; volatile int r = a + b;",
    "volatile int a = 2147483646, b = 1; volatile int r = a + b;",
    "volatile int a = -2147483647 - 1, b = -1; volatile int r = a + b;",
    "volatile int a = 2147483647; volatile int r = a + 1;",
    "volatile int a = 2147483647; volatile int r = 1 + a;",
    "volatile int a = -2147483647 - 1; volatile int r = a + -1;",
    "volatile int a = -2147483647 - 1; volatile int r = a - 1;",
    "volatile int a = -2147483647 - 1; volatile int r = 0 - a;",
    "volatile int a = -2147483647 - 1; volatile int r = -1 - a;",
    "volatile int a = 2147483647; volatile int r = -1 - a;",
    "volatile int a = 2147483647; volatile int r = -2 - a;",
    "volatile int a = 2147483647, b = -1; volatile int r = a - b;",
    "volatile int a = 46341; volatile int r = a * a;",
    "volatile int a = 46340; volatile int r = a * a;",
    "volatile int a = 1073741824; volatile int r = a * 2;",
    "volatile int a = -1073741824; volatile int r = a * 2;",
    "volatile int a = -1073741825; volatile int r = 2 * a;",
    "volatile int a = -2147483647 - 1; volatile int r = a * -1;",
    "volatile int a = 1073741824; volatile int r = a * -2;",
    "volatile int a = 1073741825; volatile int r = a * -2;",
    "volatile int a = -1073741824; volatile int r = a * -2;",
    "volatile int a = 2147483647; volatile int r = a * 0;",
    "volatile int a = -2147483647 - 1, b = -1; volatile int r = a / b;",
    "volatile int a = -2147483647 - 1, b = -1; volatile int r = a % b;",
    "volatile int a = -2147483647 - 1; volatile int r = a / -1;",
    "volatile int a = -2147483647, b = -1; volatile int r = a / b;",
    "volatile int a = 5, b = 0; volatile int r = a / b;",
    "volatile int a = 5, b = 0; volatile int r = a % b;",
    "volatile unsigned a = 5, b = 0; volatile unsigned r = a / b;",
    "volatile int a = -2147483647 - 1; volatile int r = -a;",
    "volatile int a = 2147483647; volatile int r = -a;",
    "volatile int a = 2147483647; a++;",
    "volatile int a = -2147483647 - 1; --a;",
    "volatile int a = 2147483647; a += 1;",
    "volatile int a = -2147483647 - 1; a -= 1;",
    "volatile int a = 65536; a *= 65536;",
    "volatile int a = -2147483647 - 1; a /= -1;",
    "volatile int a = 1; a /= 0;",
    "volatile int a = 2147483647; int r = 0; if (r && a + 1) r = 2;",
    "volatile int a = 2147483647; int r = 1; if (r || a + 1) r = 2;",
    "volatile int a = 2147483647; int r = 1; r = r ? 3 : a + 1;",
    "volatile int a = 2147483647; int r = 1; r = r ? a + 1 : 3;",
    "volatile int a = 2147483647; int r = sizeof(a + 1);",
    "int r = 2147483647; r = r + 1;",
    "volatile signed char a = 127; a++;",
    "volatile signed char a = -128; a = -a;",
    "volatile signed char a = 127, b = 127; volatile int r = a * b;",
    "volatile short a = 32767; a += 1;",
    "volatile unsigned short a = 65535, b = 65535; volatile int r = a * b;",
    "volatile unsigned short a = 65535; volatile unsigned r = (unsigned)a * a;",
    "volatile unsigned a = 4294967295u; a++;",
    "volatile unsigned a = 0; volatile unsigned r = a - 1;",
    "volatile unsigned a = 1; volatile int b = -2; volatile unsigned r = a + b;",
    "volatile long a = 9223372036854775807L; volatile long r = a + 1;",
    "volatile long a = 9223372036854775807L, b = 1; volatile long r = a + b;",
    "volatile long a = 9223372036854775807L, b = -1; volatile long r = a + b;",
    "volatile long a = 4294967296L, b = 2147483648L; volatile long r = a * b;",
    "volatile long a = 4294967296L, b = 2147483647L; volatile long r = a * b;",
    "volatile long a = 2147483647L; volatile long r = a + 1;",
    "volatile int a = 2147483647; volatile long r = a + 1L;",
    "volatile int a = 2147483647; volatile long r = a + 1;",
    "volatile long a = 2147483648L; volatile int r = a;",
    "volatile unsigned long a = 18446744073709551615UL; volatile long r = a;",
    "volatile int a = 1, b = 31; volatile int r = a << b;",
    "volatile int a = 1, b = 30; volatile int r = a << b;",
    "volatile int a = 2; volatile int r = a << 30;",
    "volatile int a = -1; volatile int r = a << 1;",
    "volatile int a = 1, b = 32; volatile int r = a << b;",
    "volatile int a = 1, b = -1; volatile int r = a << b;",
    "volatile unsigned a = 1; volatile int b = 32; volatile unsigned r = a << b;",
    "volatile unsigned a = 3; volatile int b = 31; volatile unsigned r = a << b;",
    "volatile int a = -5, b = 1; volatile int r = a >> b;",
    "volatile int a = 5, b = 32; volatile int r = a >> b;",
    "volatile long a = 1, b = 62; volatile long r = a << b;",
    "volatile long a = 1, b = 63; volatile long r = a << b;",
    "volatile int a = 1; a <<= 31;",
    "volatile unsigned char a = 255; volatile int r = a << 23;",
    "volatile unsigned char a = 255; volatile int r = a << 24;",
    "volatile double a = 2147483647.5; volatile int r = (int)a;",
    "volatile double a = 2147483648.0; volatile int r = (int)a;",
    "volatile double a = -2147483648.5; volatile int r = (int)a;",
    "volatile double a = -2147483649.0; volatile int r = (int)a;",
    "volatile float a = 2147483648.0f; volatile int r = a;",
    "volatile float a = -2147483648.0f; volatile int r = a;",
    "volatile double a = -0.5; volatile unsigned r = a;",
    "volatile double a = -1.0; volatile unsigned r = a;",
    "volatile double a = 1e300; volatile long r = a;",
    "volatile double a = 0.0; volatile int r = a / a;",
    "volatile double a = 300.0; volatile unsigned char r = a;",
    "volatile double a = 1.0, b = 0.0; volatile double r = a / b;",
    "volatile int a = -2147483647 - 1; volatile int r = __builtin_abs(a);",
    "volatile int a = -2147483647; volatile int r = __builtin_abs(a);",
    "volatile long a = -9223372036854775807L - 1; volatile long r = __builtin_labs(a);",
    "struct { int f : 5; } s = {15}; s.f++; volatile int r = s.f;",
    "struct { int f : 31; } s = {1073741823}; volatile int r = s.f + 1073741824;",
    "struct { int f : 31; } s = {1073741823}; volatile int r = s.f + 1073741825;",
    "struct { unsigned f : 31; } s = {2147483647}; volatile int r = s.f + 1;",
    "struct { unsigned f : 32; } s = {4294967295u}; volatile unsigned r = s.f + 1;",
    "struct { long f : 40; } s = {549755813887L}; s.f++;",
    "struct { unsigned f : 4; } s; volatile double d = 16.0; s.f = d;",
    "struct { unsigned f : 4; } s; volatile double d = 15.5; s.f = d;",
    "struct { int f : 4; } s = {1}; volatile double d = 7.5; s.f += d;",
    "struct { int f : 4; } s = {1}; volatile double d = 6.5; s.f += d;",
    "volatile double d = 9.0; struct { int f : 4; } s = {d};",
    "volatile int n = 0; int v[n]; volatile int r = sizeof v;",
    "volatile int n = -1; int v[n]; volatile int r = 1;",
    "volatile int n = 1; int v[n]; volatile int r = sizeof v;",
    "volatile int n = 2147483647; volatile int r = sizeof(int[n + 1]);",
    "_Atomic int a = 2147483647; a += 1;",
    "_Atomic int a = 2147483647; a++;",
    "_Atomic int a = 2147483647; a *= 2;",
    "volatile int a = 2147483647; volatile int r; r = __builtin_add_overflow(a, 1, &a);",
    "int x[4] = {0}; int *p = x + 3; p += 1; p -= 4; volatile long r = p - x;",
    "volatile _Bool a = 1; a++;",
    "enum { A = 2147483647 } e = A; volatile int r = 0; r = e + 1u > 0;",
    "volatile int n = 2147483647; for (volatile int i = 2147483645; i < n; i++) { }",
    "volatile int n = 2147483647; volatile int i = 2147483645; while (i <= n) i++;",
    "volatile __int128 a = ((__int128)9223372036854775807L << 64) + -1L; a = a + ((__int128)1 << 64); a = a + 1;",
    "volatile __int128 a = (__int128)1 << 100, b = (__int128)1 << 27; a = a * b;",
    "volatile __int128 a = (__int128)1 << 100, b = (__int128)1 << 26; a = a * b;",
    "volatile unsigned a = 0; volatile int r = __builtin_clz(a);",
    "volatile unsigned a = 1; volatile int r = __builtin_clz(a) + __builtin_ctz(a);",
    "volatile unsigned long long a = 0; volatile int r = __builtin_ctzll(a);",
    "volatile int a = 0; if (a == 0) __builtin_unreachable();",
    "volatile int a = 0; if (a == 1) __builtin_unreachable();",
    "volatile _Bool b; *(volatile char *)&b = 2; volatile int r = b;",
    "volatile _Bool b; *(volatile char *)&b = 1; volatile int r = b;",
    "volatile _Bool b; *(volatile char *)&b = 255; if (b) b = 0;",
    "volatile _Bool b; *(volatile char *)&b = 2; b = 1; volatile int r = b;",
    "volatile _Bool b = 1; *(volatile char *)&b += 1; b ^= 1;",
    "union { _Bool b; char c; } u; volatile char n = 3; u.c = n; volatile int r = u.b;",
    "union { _Bool b; char c; } u; volatile char n = 3; u.b = n; volatile int r = u.b;",
    "struct { _Bool b : 1; } s; __builtin_memset(&s, 2, sizeof s); volatile int r = s.b;",
    "_Bool b[3]; volatile int n = 1; __builtin_memset(b, n, sizeof b); volatile int r = b[2];",
    "_Bool b[3]; volatile int n = 4; __builtin_memset(b, n, sizeof b); volatile int r = b[2];",
    "int a[3][3]; volatile int n = 3; a[0][n] = 1;",
    "int a[3][3]; volatile int n = 2; a[0][n] = 1;",
    "int a[3][3]; volatile int n = 3; int *p = &a[0][n]; p[-1] = 1;",
    "int a[3][3]; volatile int n = 4; int *p = &a[0][n]; p[-1] = 1;",
    "int a[3][3]; volatile int n = -1; a[1][n] = 1;",
    "struct { int a[3], b; } s; volatile int n = 3; s.a[n] = 1;",
    "struct { int a[3], b; } s, *q = &s; volatile unsigned char n = 3; q->a[n] = 1;",
    "struct { int a[2][2], b; } s; volatile int n = 2; s.a[1][n] = 1;",
    "int a[2][3], (*p)[3] = a; volatile int n = 3; (*p)[n] = 1;",
    "struct { int *a[3], *b; } s = {{0}}; volatile int n = 3; int x = 0; s.b = &x; int *volatile p = &*s.a[n];",
];

/// What C says of arguments of library functions, where gcc's sanitizers see nothing or another kind.
const LIBRARY: &[(&str, End)] = &[
    ("struct { int quot, rem; } div(int, int); volatile int a = 1, b = 0; div(a, b);", End::Division),
    ("struct { int quot, rem; } div(int, int); volatile int a = -2147483647 - 1, b = -1; div(a, b);", End::Overflow),
    ("struct { int quot, rem; } div(int, int); volatile int a = 7, b = -1; div(a, b);", End::Defined),
    ("struct { long quot, rem; } ldiv(long, long); volatile long a = 1, b = 0; ldiv(a, b);", End::Division),
    ("char a[8] = {0}; volatile int i = 1; __builtin_memcpy(a + i, a, 3);", End::Argument),
    ("char a[8] = {0}; volatile int i = 3; __builtin_memcpy(a + i, a, 3);", End::Defined),
    ("char a[8] = {0}; volatile int i = 1; __builtin_memmove(a + i, a, 3);", End::Defined),
    ("char a[8] = {0}, b[8]; __builtin_memcpy(b, a, 8);", End::Defined),
    ("char a[8] = \"abcd\"; __builtin_strcpy(a + 1, a + 2);", End::Argument),
    ("char a[8] = \"ab\"; __builtin_strcpy(a + 4, a);", End::Defined),
    ("char a[8] = \"abcd\"; __builtin_strncpy(a + 1, a, 3);", End::Argument),
    ("char a[8] = \"ab\"; __builtin_strcat(a, a + 1);", End::Argument),
    ("int isalpha(int); volatile int c = 1000000; isalpha(c);", End::Argument),
    ("int isalpha(int); volatile int c = 256; isalpha(c);", End::Argument),
    ("int isspace(int); volatile signed char c = -23; isspace(c);", End::Argument),
    ("int isdigit(int); volatile int c = -1; isdigit(c); c = 255; isdigit(c);", End::Defined),
    ("int toupper(int); volatile int c = -2; toupper(c);", End::Argument),
    ("int tolower(int); volatile int c = -1; tolower(c); c = 255; tolower(c);", End::Defined),
    ("int isascii(int), toascii(int); volatile int c = -2; isascii(c); toascii(c);", End::Defined),
    ("unsigned towlower(unsigned); volatile unsigned c = 1000000; towlower(c);", End::Defined),
];

/// The kinds that gcc's sanitizers know.
const ARITHMETIC: Checks = Checks::of(&[
    Check::Overflow,
    Check::Division,
    Check::Shift,
    Check::Conversion,
    Check::Length,
    Check::Argument,
    Check::Value,
    Check::Subscript,
]);

/// How a row ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Defined,
    Overflow,
    Division,
    Shift,
    Conversion,
    Length,
    Argument,
    Value,
    Subscript,
}

/// All rows in one program, which executes the one that its argument names.
fn gcc_program() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("undefined.c"), folder.join("undefined"));
    let mut text = String::from("#include <stdlib.h>\n");
    for (at, row) in ROWS.iter().enumerate() {
        text += &format!("static void row{at}(void) {{ {row} }}\n");
    }
    text += "int main(int argc, char **argv) {\n    switch (atoi(argv[1])) {\n";
    for at in 0..ROWS.len() {
        text += &format!("    case {at}: row{at}(); break;\n");
    }
    text += "    }\n    return 0;\n}\n";
    std::fs::write(&source, text).expect("a writable folder");
    let flags = ["-w", "-O0", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-o"];
    let status = Command::new("gcc").args(flags).arg(&program).arg(&source).status().expect("gcc is installed");
    assert!(status.success());
    program
}

fn as_gcc(program: &PathBuf, row: usize) -> End {
    let output = Command::new(program).arg(row.to_string()).output().expect("the program runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    let says = |text: &str| err.contains(text);
    if says("variable length array bound") {
        End::Length
    } else if says("not a valid argument") || says("unreachable program point") {
        End::Argument
    } else if says("not a valid value") {
        End::Value
    } else if says("out of bounds for type") {
        End::Subscript
    } else if says("division by zero") {
        End::Division
    } else if says("shift") {
        End::Shift
    } else if says("outside the range of representable values") {
        End::Conversion
    } else if says("cannot be represented in type") {
        End::Overflow
    } else {
        assert!(output.status.success() && err.is_empty(), "{}: {err}", ROWS[row]);
        End::Defined
    }
}

fn program(row: &str, checks: Checks) -> Program {
    let (mut sources, mut names) = (SourceMap::new(), Interner::default());
    let start = sources.add("row.c", format!("int main(void) {{ {row} return 0; }}\n"));
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{row}: {diagnostics:?}");
    let options = Options { checks, ..Options::default() };
    lower::lower(vec![ast], names, sources, &options)
        .unwrap_or_else(|rejected| panic!("{row}: {:?}", rejected.diagnostics))
        .program
}

fn as_lowered(row: &str, checks: Checks) -> End {
    let program = program(row, checks);
    program.assert_valid();
    let run = replay(&program, &Default::default(), 1_000_000, &Cancel::never());
    match run.outcome {
        RunEnd::Target(target) => match program.targets[target].check() {
            Some(Check::Overflow) => End::Overflow,
            Some(Check::Division) => End::Division,
            Some(Check::Shift) => End::Shift,
            Some(Check::Conversion) => End::Conversion,
            Some(Check::Length) => End::Length,
            Some(Check::Argument) => End::Argument,
            Some(Check::Value) => End::Value,
            Some(Check::Subscript) => End::Subscript,
            other => panic!("{row}: {other:?}"),
        },
        RunEnd::Exit(0) => End::Defined,
        other => panic!("{row}: {other:?}"),
    }
}

#[test]
fn checks_fail_where_gcc_reports() {
    let gcc = gcc_program();
    let wrong: Vec<String> = (0..ROWS.len())
        .filter_map(|at| {
            let (expected, found) = (as_gcc(&gcc, at), as_lowered(ROWS[at], ARITHMETIC));
            (expected != found).then(|| format!("{}: gcc {expected:?}, checks {found:?}", ROWS[at]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn arguments_of_library_functions_are_checked() {
    for &(row, expected) in LIBRARY {
        assert_eq!(as_lowered(row, ARITHMETIC), expected, "{row}");
    }
}

/// Overflow alone includes left shifts, but neither division by zero nor counts of right shifts.
#[test]
fn overflow_alone_is_about_signed_results() {
    let overflow = Checks::of(&[Check::Overflow]);
    for row in ROWS {
        let found = program(row, overflow).targets.len();
        let all = program(row, ARITHMETIC).targets.len();
        assert!(found <= all, "{row}");
    }
    let ends = [
        ("volatile int a = 1, b = 31; volatile int r = a << b;", End::Overflow),
        ("volatile int a = 1, b = 40; volatile int r = a << b;", End::Overflow),
        ("volatile int a = -2147483647 - 1, b = -1; volatile int r = a / b;", End::Overflow),
        ("volatile unsigned a = 3; volatile int b = 31; volatile unsigned r = a << b;", End::Defined),
        ("volatile int a = 300; volatile signed char r = a;", End::Defined),
    ];
    // gcc computes constants without a word.
    let constant = ("volatile int r = 2147483647 + 1;", End::Overflow);
    for (row, expected) in ends.into_iter().chain([constant]) {
        assert_eq!(as_lowered(row, overflow), expected, "{row}");
    }
}

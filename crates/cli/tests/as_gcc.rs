//! C read and lowered as gcc does it: probes that call `reach_error` or do not, each judged by gcc, too.

mod command;

use command::{argonaut, file, root};
use std::path::Path;
use std::process::Command;

const TRUE: &str = "Verdict: TRUE";
const FALSE: &str = "Verdict: FALSE (unreach-call)";
const HEADER: &str = "extern void reach_error(void);\n";

/// The verdict on a program whose executions are all alike; gcc's program must agree.
fn check(name: &str, text: impl AsRef<[u8]>, expected: &str) {
    check_with(&[], name, text, expected);
}

fn check_with(flags: &[&str], name: &str, text: impl AsRef<[u8]>, expected: &str) {
    let path = program(name, text);
    let gcc_flags: &[&str] = if flags.contains(&"ILP32") { &["-m32"] } else { &[] };
    let reached = gcc_reaches(&path, gcc_flags);
    assert_eq!(reached, expected == FALSE, "gcc's program of {name}");
    verdict(flags, &path, expected);
}

fn program(name: &str, text: impl AsRef<[u8]>) -> String {
    let mut bytes = HEADER.as_bytes().to_vec();
    bytes.extend_from_slice(text.as_ref());
    file(&format!("as-gcc-{name}"), bytes)
}

fn verdict(flags: &[&str], path: &str, expected: &str) {
    let args: Vec<&str> =
        ["verify", "--quiet", "--time-limit", "60s"].iter().chain(flags).copied().chain([path]).collect();
    let run = argonaut(&args);
    assert!(run.verdict().starts_with(expected), "{path}: {}{}", run.out, run.err);
}

/// Whether gcc's program calls `reach_error`.
fn gcc_reaches(path: &str, flags: &[&str]) -> bool {
    // Tests run side by side, so each program has its own.
    let error = format!("{path}.error.c");
    std::fs::write(&error, "#include <unistd.h>\nvoid reach_error(void) { _exit(77); }\n").expect("a writable folder");
    let binary = format!("{path}.out");
    let mut command = Command::new("gcc");
    command.args(["-O0", "-w", "-std=gnu11", "-x", "c", &error]).args(flags);
    let kind = if Path::new(path).extension().is_some_and(|end| end == "i") { "cpp-output" } else { "c" };
    command.args(["-x", kind, path, "-o", &binary]).current_dir(root());
    let output = command.output().expect("gcc is installed");
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    Command::new(&binary).status().expect("gcc's program runs").code() == Some(77)
}

#[test]
fn overflow_builtins_convert_to_the_type_that_they_name() {
    let holds = "int main(void) {
        unsigned r; int x = -1, s; long l; unsigned long long u;
        if (!__builtin_uadd_overflow(x, 1, &r)) reach_error();
        if (__builtin_sadd_overflow(0x80000000u, 0, &s) || s != -2147483647 - 1) reach_error();
        if (__builtin_saddll_overflow(0xffffffffffffffffUL, 1, (long long *)&l) || l != 0) reach_error();
        if (!__builtin_umulll_overflow(-1, 2, &u) || !__builtin_usub_overflow(1, 2, &r)) reach_error();
        if (__builtin_smul_overflow(0x100000001LL, 5, &s) || s != 5) reach_error();
        return 0;
    }";
    check("overflow.c", holds, TRUE);
    check(
        "overflow-fails.c",
        "int main(void) { unsigned r; int x = -1; if (__builtin_uadd_overflow(x, 1, &r)) reach_error(); return 0; }",
        FALSE,
    );
    let predicates = "int main(void) {
        struct { int a : 3; unsigned b : 3; } f;
        if (!__builtin_add_overflow_p(3, 1, f.a) || __builtin_add_overflow_p(3, 1, f.b)) reach_error();
        if (!__builtin_add_overflow_p(7, 1, f.b) || !__builtin_mul_overflow_p(200, 2, (unsigned char)0)) reach_error();
        if (__builtin_sub_overflow_p(1, 2, (signed char)0) || !__builtin_sub_overflow_p(1, 2, 0u)) reach_error();
        return 0;
    }";
    check("overflows.c", predicates, TRUE);
}

/// What the system says about the arguments of `main` holds of no other function.
#[test]
fn only_main_gets_the_arguments_of_a_program() {
    let text = "void foo(int n, int *a) { if (n < 0) reach_error(); }
        void bar(struct { int x; } s, _Bool b) { if (b > 1) reach_error(); }
        int main(int argc, char **argv) {
            if (argc < 0 || argv[argc] || argc > 1 && !argv[1]) reach_error();
            return 0;
        }";
    let path = program("entry.c", text);
    verdict(&["--entry", "foo"], &path, FALSE);
    verdict(&["--entry", "bar"], &path, TRUE);
    verdict(&[], &path, TRUE);
}

/// What `argv` holds: terminated strings, each an object of its own.
#[test]
fn arguments_are_terminated_strings() {
    let head = "int main(int argc, char **argv) { if (argc < 2) return 0;";
    for (name, condition, expected) in [
        ("argv-any.c", "argv[argc - 1][0] == 'x' && argv[argc - 1][1] == 'y' && !argv[argc - 1][2]", FALSE),
        ("argv-apart.c", "argv[0] == argv[1] || !argv[1]", TRUE),
    ] {
        let path = program(name, format!("{head} if ({condition}) reach_error(); return 0; }}"));
        verdict(&[], &path, expected);
    }
}

#[test]
fn handlers_and_destructors_run_at_the_end() {
    let destructor = "int x; __attribute__((destructor)) void d(void) { if (x == 1) reach_error(); }";
    check("destructor.c", format!("{destructor} int main(void) {{ x = 1; return 0; }}"), FALSE);
    check("destructor-none.c", format!("{destructor} int main(void) {{ x = 2; return 0; }}"), TRUE);
    let exit = "extern void exit(int), _exit(int); int main(void) { x = 1; ";
    check("destructor-exit.c", format!("{destructor} {exit} exit(0); }}"), FALSE);
    check("destructor-_exit.c", format!("{destructor} {exit} _exit(0); }}"), TRUE);
    let order = "extern int atexit(void (*)(void)), on_exit(void (*)(int, void *), void *); int at;
        static void step(int from) { if (at != from) reach_error(); at = from + 1; }
        __attribute__((constructor)) static void c3(void) { step(2); }
        __attribute__((constructor(300))) static void c2(void) { step(1); }
        __attribute__((constructor(200))) static void c1(void) { step(0); }
        __attribute__((destructor(200))) static void d4(void) { step(9); }
        __attribute__((destructor(300))) static void d3(void) { step(8); }
        __attribute__((destructor)) static void d2(void) { step(7); }
        __attribute__((destructor)) static void d1(void) { step(6); }
        static void h1(void) { step(5); }
        static void h2(int status, void *p) { step(status); *(int *)p = 1; }
        int done;
        int main(void) { step(3); atexit(h1); on_exit(h2, &done); return 4; }";
    check("order.c", order, TRUE);
    check("order-fails.c", order.replace("return 4", "return 3"), FALSE);
    let quick = "extern int at_quick_exit(void (*)(void)); extern void quick_exit(int), exit(int);
        static void h(void) { reach_error(); } int main(void) { at_quick_exit(h); ";
    check("quick.c", format!("{quick} quick_exit(0); }}"), FALSE);
    check("not-quick.c", format!("{quick} exit(0); }}"), TRUE);
}

#[test]
fn aliases_are_the_same_object_or_function() {
    let text = "extern int b __attribute__((alias(\"a\"))); int g(int) __attribute__((alias(\"f\")));
        int a = 3; static int s = 1; extern int t __attribute__((alias(\"s\"))); int f(int x) { return x + 1; }
        int main(void) { int *p = &t; b = 7; *p = 9;
            if (a == 7 && g(1) == 2 && s == 9 && &b == &a && g == f) reach_error(); return 0; }";
    check("alias.c", text, FALSE);
    check("alias-holds.c", text.replace("a == 7", "a != 7"), TRUE);
    let label = "extern int b asm(\"a\"); int g(int) asm(\"f\"); int a = 3; int f(int x) { return x + 1; }
        int h(void) asm(\"other\"); int h(void) { return 5; } extern int other(void);
        int main(void) { b = 7; if (a == 7 && g(1) == 2 && other() == 5) reach_error(); return 0; }";
    check("label.c", label, FALSE);
    let view = "struct s { int a, b; }; static struct s t[2] = {{1, 2}, {3, 4}};
        extern struct s first __attribute__((alias(\"t\")));
        int main(void) { t[0].b = 7; if (first.b == 7 && first.a == 1) reach_error(); return 0; }";
    check("alias-of-another-type.c", view, FALSE);
    let user = "extern int b; int g(int); int main(void) { b = 7; if (g(1) == 8) reach_error(); return 0; }";
    let owner = "static int a = 3; extern int b __attribute__((alias(\"a\")));
        static int f(int x) { return x + a; } int g(int) __attribute__((alias(\"f\")));";
    let (user, owner) = (program("alias-user.c", user), file("as-gcc-alias-owner.c", owner));
    assert!(gcc_reaches(&user, &[&owner]), "gcc's program of two files");
    for files in [[&user, &owner], [&owner, &user]] {
        let run = argonaut(&["verify", "--quiet", files[0], files[1]]);
        assert_eq!(run.verdict(), FALSE, "{}{}", run.out, run.err);
    }
}

#[test]
fn unknown_truth_values_are_zero_or_one() {
    let text = "extern _Bool e; struct s { int i; _Bool b, c[3]; }; extern struct s es; extern struct s f(void);
        int main(void) { _Bool b, m, *p = &m; struct s l;
            if (b > 1 || e > 1 || es.b > 1 || es.c[2] > 1 || l.b > 1 || l.c[1] > 1 || *p > 1 || f().b > 1) reach_error();
            return 0; }";
    verdict(&[], &program("bools.c", text), TRUE);
    let text = "extern _Bool e; int main(void) { if (e) reach_error(); return 0; }";
    verdict(&[], &program("bool.c", text), FALSE);
}

#[test]
fn sizes_and_alignments() {
    let atomic = "struct s { char c; _Atomic long long x; }; struct t { char c; _Atomic double x; };
        struct u { char c; _Atomic struct { char a[8]; } x; }; struct v { char c; _Atomic(long long) x; };
        int main(void) { if (_Alignof(_Atomic long long) != 8 || sizeof(struct s) != 16 || sizeof(struct t) != 16
            || sizeof(struct u) != 16 || sizeof(struct v) != 16) reach_error(); return 0; }";
    check("atomic.c", atomic, TRUE);
    check_with(&["--data-model", "ILP32"], "atomic-32.c", atomic, TRUE);
    let fields = "struct bf { char c : 3; unsigned long long q : 40; int i : 5; unsigned u : 32; long long l : 20; };
        int main(void) { struct bf x = {0};
            if (sizeof(x.c += 1) != 1 || sizeof(x.q += 1) != 8 || sizeof(x.i += 1) != 1 || sizeof(x.u += 1) != 4
                || sizeof(x.l += 1) != 4 || sizeof(x.i++) != 1 || sizeof(0, x.l) != 4 || sizeof(x.l = 1) != 4)
                reach_error();
            return 0; }";
    check("bit-fields.c", fields, TRUE);
    let objects = "char b[10]; struct { int a; char c[4]; } s;
        int main(int argc, char **v) { char l[7], *p = l;
            if (__builtin_object_size(b, 0) != 10 || __builtin_object_size(b + 3, 0) != 7
                || __builtin_object_size(&s.a, 0) != 8 || __builtin_object_size(&s.c, 1) != 4
                || __builtin_object_size(l, 2) != 7 || __builtin_object_size(p, 0) != -1
                || __builtin_object_size(\"abc\", 0) != 4 || __builtin_object_size(&b[argc], 0) != -1
                || __builtin_object_size(&b[2], 1) != 8 || __builtin_object_size(p = b, 0) != -1
                || __builtin_dynamic_object_size(l, 0) != 7 || __builtin_object_size(p, 2) != 0) reach_error();
            return 0; }";
    check("object-size.c", objects, TRUE);
}

#[test]
fn types_are_told_apart() {
    let text = "typedef enum { a, b } x; typedef enum { c, d } y;
        int main(void) { const char *q = 0;
            if (_Generic(q, char *: 1, const char *: 2) == 2 && !__builtin_types_compatible_p(char *, const char *)
                && !__builtin_types_compatible_p(x, y) && __builtin_types_compatible_p(x, x)
                && __builtin_classify_type(q) == 5 && __builtin_classify_type(1.0f) == 8) reach_error();
            return 0; }";
    check("types.c", text, FALSE);
}

#[test]
fn vectors_and_complex_numbers() {
    let vectors = "typedef int v4 __attribute__((vector_size(16))); typedef float f4 __attribute__((vector_size(16)));
        typedef long long w2 __attribute__((vector_size(16)));
        v4 twice(v4 x) { return x + x; }
        int main(void) { v4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8}; f4 f = {1.5f, 2, 3, 4}; w2 w = (w2){1, 2};
            a[1] = 9; v4 c = twice(a) * b - 1, m = a > b, n = -a; f = f * 2.0f;
            if (c[0] == 9 && c[1] == 107 && c[3] == 63 && m[1] == -1 && m[0] == 0 && n[2] == -3 && f[0] == 3.0f
                && w[1] == 2 && ((v4)w)[2] == 2 && (a << 1)[3] == 8 && sizeof(v4) == 16) reach_error();
            return 0; }";
    check("vectors.c", vectors, FALSE);
    check("vectors-hold.c", vectors.replace("c[0] == 9", "c[0] == 8"), TRUE);
    let complex = "int n; double _Complex next(void) { n++; return 1.0 + 2.0i; }
        int main(void) { double _Complex a = 1.0 + 2.0i, b = 3.0 - 1.0i, p = a * b; float _Complex f = a;
            if (__real__ p == 5 && __imag__ p == 5 && a != b && __imag__ (a + 1) == 2 && __imag__ ~a == -2
                && __imag__ -a == -2 && __real__ f == 1 && (int)b == 3 && __real__ (a * 2.0) == 2 && !!a
                && __imag__ (1.0 - a) == -2 && __imag__ next() == 2 && n == 1) reach_error();
            return 0; }";
    check("complex.c", complex, FALSE);
    check("complex-holds.c", complex.replace("n == 1", "n == 2"), TRUE);
    let constants = "float _Complex f = 1.1f - 2.25if, g[2] = {3, -1.5if}; static double _Complex d = -2 + 0.1i;
        int main(void) { if (__imag__ f == -2.25f && __real__ f == 1.1f && __real__ g[0] == 3 && __imag__ g[1] == -1.5f
            && __real__ d == -2 && __imag__ d == 0.1) reach_error(); return 0; }";
    check("complex-constants.c", constants, FALSE);
}

#[test]
fn text_without_directives() {
    let main = |condition: &str| format!("int main(void) {{ if ({condition}) reach_error(); return 0; }}\n");
    check("predefined.c", main("__CHAR_BIT__ == 8 && __INT_MAX__ > 0 && sizeof(__SIZE_TYPE__) == 8"), FALSE);
    check("cast.c", "int main(void) { int x; if ((__UINTPTR_TYPE__)(&x) == 0) reach_error(); return 0; }", TRUE);
    check("line.c", main("__LINE__ == 2 && __COUNTER__ == 0"), FALSE);
    check("trigraph.c", main("sizeof(\"??=\") == 4"), FALSE);
    check("digraph.c", format!("%:define A 1\n/* c */ #define B 2\n{}", main("A == 1 && B == 2")), FALSE);
    check(
        "pragma.c",
        format!("_Pragma(\"pack(1)\") struct s {{ char c; int i; }};\n{}", main("sizeof(struct s) == 5")),
        FALSE,
    );
    let mut raw =
        b"int main(void) { char *s = \"\xe9\xc3\xa9\"; if ((unsigned char)s[0] == 0xe9 && s[3] == 0 && '".to_vec();
    raw.extend_from_slice(b"\xe9' == -23) reach_error(); return 0; }");
    check("raw.c", &raw, FALSE);
    check("raw.i", &raw, FALSE);
    let comment =
        |end: &str| format!("int main(void) {{ int x = 0; // c{end}x = 1;\n if (x) reach_error(); return 0; }}\n");
    check("carriage.c", comment("\r"), FALSE);
    check("carriage.i", comment("\r"), FALSE);
    check("splice.c", comment("\\\n"), TRUE);
    check("splice-blanks.c", comment("\\ \t\n"), TRUE);
    check("splice.i", comment("\\\n"), FALSE);
    check("universal.c", "int main(void) { int \\u00e9 = 3; if (é == 3) reach_error(); return 0; }", FALSE);
}

/// What is not modelled is said, not ignored.
#[test]
fn constants_are_not_written() {
    let unknown = "Verdict: UNKNOWN (undefined behaviour: write to a string literal or a const object";
    for (name, globals, write) in [
        ("object", "static const int c = 1;", "*(int *)&c = 2"),
        ("array", "static const char c[3] = {1, 2, 3};", "((char *)c)[1] = 2"),
        ("copied", "const struct s { int a, b; } c = {1, 2}; struct s d;", "*(struct s *)&c = d"),
        ("literal", "static char *p = \"abc\";", "*p = 2"),
    ] {
        let text = format!("{globals} int main(void) {{ {write}; reach_error(); return 0; }}");
        check(&format!("constant-{name}.c"), text, unknown);
    }
    let member = "struct s { const int a; int b; } s = {1, 2}; static int *const p = &s.b;
        int main(void) { *p = 3; if (s.b == 3) reach_error(); return 0; }";
    check("constant-pointer.c", member, FALSE);
}

#[test]
fn wider_registers_are_an_assumption() {
    let sum = "int main(void) { volatile float a = 0.1f; float b = a + 0.2f; if (b == 7) reach_error(); return 0; }";
    let path = program("wider.c", sum);
    let narrow = argonaut(&["verify", "--data-model", "ILP32", &path]);
    assert!(narrow.out.contains("not done in wider registers (gcc -msse2 -mfpmath=sse)"), "{}", narrow.out);
    let wide = argonaut(&["verify", "--data-model", "LP64", &path]);
    assert!(!wide.out.contains("wider registers"), "{}", wide.out);
}

#[test]
fn a_name_is_one_symbol_to_the_linker() {
    let one = program("label.c", "int f(int) asm(\"g\"); int main(void) { if (f(1) != 2) reach_error(); return 0; }");
    let defined = program("label-defined.c", "int g(int x) { return x + 1; }");
    let both = program("label-both.c", "int g(int x) { return x + 1; } int f(int x) { return x; }");
    let run = argonaut(&["verify", "--quiet", &one, &defined]);
    assert_eq!(run.verdict(), TRUE, "{}{}", run.out, run.err);
    let run = argonaut(&["verify", "--quiet", &one, &both]);
    assert!(run.code == 2 && run.err.contains("'f' is 'g' to the linker"), "{}{}", run.out, run.err);
}

/// Weak is what one declaration of a unit says, whichever it is; gcc's program returns 0 for each of them.
#[test]
fn strong_definitions_replace_weak_ones() {
    let strong = file("weak-strong.c", "int f(void) { return 2; } int v = 2;\n");
    for (name, weak) in [
        ("definition", "__attribute__((weak)) int f(void) { return 1; } __attribute__((weak)) int v = 1;"),
        (
            "before",
            "int f(void) __attribute__((weak)); int f(void) { return 1; } extern int v __attribute__((weak)); int v = 1;",
        ),
        (
            "after",
            "int f(void) { return 1; } int f(void) __attribute__((weak)); int v = 1; extern int v __attribute__((weak));",
        ),
    ] {
        let text = format!("{weak}\nint main(void) {{ if (f() != 2 || v != 2) reach_error(); return f() + v - 4; }}");
        let weak = program(&format!("weak-{name}-replaced.c"), &text);
        for files in [[&weak, &strong], [&strong, &weak]] {
            let run = argonaut(&["verify", files[0], files[1]]);
            assert_eq!(run.verdict(), "Verdict: TRUE", "{name}: {}{}", run.out, run.err);
        }
    }
}

#[test]
fn other_layouts_and_weak_symbols() {
    let weak = "extern int f(void) __attribute__((weak)); int main(void) { if (!f) reach_error(); return 0; }";
    verdict(&[], &program("weak.c", weak), "Verdict: UNKNOWN");
    let weak = "extern int v __attribute__((weak)); int main(void) { if (!&v) reach_error(); return 0; }";
    verdict(&[], &program("weak-object.c", weak), "Verdict: UNKNOWN");
    // What a block declares is a symbol, too.
    for (name, declared) in [("function", "f(void)"), ("object", "f")] {
        let weak = format!(
            "int main(void) {{ extern int {declared} __attribute__((weak)); if (!&f) reach_error(); return 0; }}"
        );
        verdict(&[], &program(&format!("weak-{name}-in-block.c"), weak), "Verdict: UNKNOWN");
    }
    check(
        "label-in-block.c",
        "int other = 5; int main(void) { extern int v __asm__(\"other\"); if (v != 5) reach_error(); return 0; }",
        TRUE,
    );
    // A table that nothing reads, as kernel modules have them, and one that is read.
    let table = "extern void *v __attribute__((weak));\nstatic unsigned long const t __attribute__((used)) = (unsigned long)&v;\n";
    let unused = format!("{table}int main(void) {{ return 0; }}");
    check("weak-table.c", unused, TRUE);
    for (name, use_of) in [("read", "t == 0"), ("pointed", "*(&t) == 0"), ("copied", "u == 0")] {
        let text = format!(
            "{table}static unsigned long const *p = &t; static unsigned long const u = (unsigned long)&v;\n\
             int main(void) {{ if ({use_of}) reach_error(); return p == 0; }}"
        );
        verdict(&[], &program(&format!("weak-{name}.c"), text), "Verdict: UNKNOWN");
    }
    check(
        "weak-defined.c",
        "int f(void) __attribute__((weak)); int f(void) { return 1; } int main(void) { if (!f) reach_error(); return 0; }",
        TRUE,
    );
    for (name, text) in [
        ("order", "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int x; };"),
        ("pragma-order", "#pragma scalar_storage_order big-endian\nstruct s { int x; };"),
        ("ms", "struct __attribute__((ms_struct)) s { char c; int x : 3; };"),
        (
            "section",
            "static void f(void) {} __attribute__((section(\".init_array\"), used)) static void (*p)(void) = f;",
        ),
    ] {
        let path = program(&format!("{name}.c"), format!("{text}\nint main(void) {{ return 0; }}\n"));
        let run = argonaut(&["verify", &path]);
        assert!(run.err.contains("is not supported") && run.err.contains(":2:"), "{name}: {}{}", run.out, run.err);
    }
}

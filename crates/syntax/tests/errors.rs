//! Messages: what was expected, what was found, where; and going on after an error.

mod check;
use check::check_errors;
use expect_test::expect;

#[test]
fn what_was_expected() {
    check_errors(
        "int x\nint y;\nint f(void) { return 1 }\nvoid g(void) { if x; }\nvoid h(void) { a + ; b; f(1 2); c[1; (d; }\nint 3;\nint z = ;",
        expect![[r#"
            t.c:1:5: expected ';', found 'int'
            t.c:3:22: expected ';', found '}'
            t.c:4:19: expected '(', found 'x'
            t.c:5:20: expected an expression, found ';'
            t.c:5:29: expected ',' or ')' in a call, found '2'
            t.c:5:36: expected ']', found ';'
            t.c:5:40: expected ')', found ';'
            t.c:6:5: expected an identifier, '*' or '(', found '3'
            t.c:7:9: expected an expression, found ';'
        "#]],
    );
}

#[test]
fn recovery_goes_on_in_the_same_block() {
    check_errors(
        "void f(void) { a b c; d e; { f(; } g(]; for (;;; } \nvoid g(void) { h(1; }\nstruct S { int a; int; foo_t b; 3; int c; };\nfoo_t x; bar *y; int ok, f(foo_t *x), g(foo_t y); int z = sizeof(const foo_t *);",
        expect![[r#"
            t.c:1:16: unknown type name 'a'
            t.c:1:18: expected ';', found 'c'
            t.c:1:23: unknown type name 'd'
            t.c:1:32: expected an expression, found ';'
            t.c:1:38: expected an expression, found ']'
            t.c:1:48: expected an expression, found ';'
            t.c:2:19: expected ',' or ')' in a call, found ';'
            t.c:3:24: unknown type name 'foo_t'
            t.c:3:33: expected a member declaration, found '3'
            t.c:4:1: unknown type name 'foo_t'
            t.c:4:10: unknown type name 'bar'
            t.c:4:28: unknown type name 'foo_t'
            t.c:4:41: unknown type name 'foo_t'
            t.c:4:72: unknown type name 'foo_t'
        "#]],
    );
}

#[test]
fn types_that_do_not_go_together() {
    check_errors(
        "short long a; int T b; unsigned signed c; struct S int d; int struct S e; long long long f; static extern int g; struct H { static int h; };\nint i(static int j); int k = sizeof(typedef int); void void l; unsigned float m; _Complex struct S n;",
        expect![[r#"
            t.c:1:1: these type specifiers do not go together
            t.c:1:19: expected ';', found 'b'
            t.c:1:24: these type specifiers do not go together
            t.c:1:52: 'int' does not fit the type specifiers before it
            t.c:1:63: 'struct' does not fit the type specifiers before it
            t.c:1:85: 'long' does not fit the type specifiers before it
            t.c:1:100: more than one storage class
            t.c:1:125: a storage class is not allowed here
            t.c:2:7: a storage class is not allowed here
            t.c:2:37: expected an expression, found 'typedef'
            t.c:2:56: 'void' does not fit the type specifiers before it
            t.c:2:64: these type specifiers do not go together
            t.c:2:91: 'struct' does not fit the type specifiers before it
        "#]],
    );
}

#[test]
fn bad_literals() {
    check_errors(
        "int a = 08; int b = 1uu; int c = '';\nchar *d = \"abc\n;int e = 'x;\nint f = 0x;\nint g = 99999999999999999999; double h = 1e; char *i = L\"a\" u\"b\"; int j = '\\x';",
        expect![[r#"
            t.c:1:9: digit '8' in a constant of base 8
            t.c:1:21: 'uu' is not a suffix of an integer constant
            t.c:1:34: an empty character constant
            t.c:2:11: this string is not closed
            t.c:3:10: this character constant is not closed
            t.c:5:9: this integer constant needs more than 64 bits
            t.c:5:42: an exponent without digits
            t.c:5:61: adjacent strings with different prefixes
            t.c:5:75: \x without hexadecimal digits
        "#]],
    );
}

#[test]
fn what_is_not_supported_says_so() {
    check_errors(
        "void f(void) { for (int g(int x) { return x; };) 1; }\n#define X 1\nint x @ 3; int `y; /* open",
        expect![[r#"
            t.c:1:25: a function cannot be defined here
            t.c:2:1: a preprocessor directive in preprocessed text
            t.c:3:5: expected ';', found invalid character "@"
            t.c:3:16: expected an identifier, '*' or '(', found invalid character "`"
            t.c:3:20: this comment is not closed
        "#]],
    );
}

#[test]
fn statements_in_wrong_places() {
    check_errors(
        "void f(void) { else x; if (a) int b; case: 1; goto 3; break }\n}\nint x;\n__attribute__((a b)) int y; __attribute__((1)) int z; enum E { 1 }; enum { A B }; struct;",
        expect![[r#"
            t.c:1:16: 'else' without an 'if' before it
            t.c:1:31: expected a statement, found 'int'
            t.c:1:42: expected an expression, found ':'
            t.c:1:52: expected a label or '*', found '3'
            t.c:1:59: expected ';', found '}'
            t.c:2:1: expected a declaration, found '}'
            t.c:4:18: expected ',' or ')' after an attribute, found 'b'
            t.c:4:44: expected the name of an attribute, found '1'
            t.c:4:64: expected an identifier, found '1'
            t.c:4:78: expected ',' or '}' in an enum, found 'B'
            t.c:4:89: expected a tag or '{', found ';'
        "#]],
    );
}

#[test]
fn unfinished_files() {
    for source in [
        "int",
        "int x",
        "int f(",
        "int f(int",
        "void f(void) {",
        "void f(void) { x",
        "struct S {",
        "enum {",
        "int x = {",
        "int x = (",
        "asm(",
        "__attribute__((",
        "typedef",
        "int x[",
        "\"",
        "'",
        "#",
        "#pragma pack(",
        "\\",
        "void f(void) { if (a) b; else",
        "void f(void) { do ;",
        "0x",
        "int a = b ? c",
    ] {
        let (_, diagnostics, _) = check::parse(source);
        assert!(!diagnostics.is_empty() || source == "#", "{source}");
    }
}

#[test]
fn too_many_errors_end_the_run() {
    let source = "int 1; ".repeat(500);
    let (_, diagnostics, _) = check::parse(&source);
    assert_eq!(diagnostics.len(), 101);
    assert_eq!(diagnostics[100].message, "100 errors; the rest is skipped");
}

#[test]
fn what_gcc_rejects_too() {
    check_errors(
        "typedef int T; void f(void) { x = & T; (T); T + 1; &&l(0); ##\n }\nint long double a; signed int char b;
         void g(int (*)(unknown)); typedef int h(void) {}\nvoid i(void) { asm goto (\"\"); asm goto (\"\" ::::); asm(\"\" :::: l); __extension__ goto l; }
         struct S { inline int x; int __extension__ y; int z; int t,; }; ## int j;\n## int k;\n#pragma pack(3)\n#pragma pack(pop)\nstruct P { int x; };",
        expect![[r##"
            t.c:1:37: expected an expression, found type name 'T'
            t.c:1:43: expected an expression, found ';'
            t.c:1:47: expected an identifier, '*' or '(', found '+'
            t.c:1:54: expected ';', found '('
            t.c:1:60: expected an expression, found invalid character "#"
            t.c:3:1: these type specifiers do not go together
            t.c:3:20: these type specifiers do not go together
            t.c:4:25: expected a parameter declaration, found 'unknown'
            t.c:4:48: a function with a body cannot be a typedef
            t.c:5:28: expected ':', found ')'
            t.c:5:48: expected an identifier, found ')'
            t.c:5:61: expected ')', found ':'
            t.c:5:81: expected an expression, found 'goto'
            t.c:6:21: expected a member declaration, found 'inline'
            t.c:6:39: expected an identifier or '(', found '__extension__'
            t.c:6:69: expected an identifier or '(', found ';'
            t.c:6:74: expected a declaration, found invalid character "#"
            t.c:7:1: a preprocessor directive in preprocessed text
            t.c:8:1: #pragma pack needs a small power of two; it is ignored
            t.c:9:1: #pragma pack(pop) without a matching push; it is ignored
        "##]],
    );
}

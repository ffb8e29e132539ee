//! What the user got wrong.

use super::*;
use expect_test::expect;

#[test]
fn names() {
    check(
        "int main(void) { return x; }",
        expect![[r#"
        test.c:1:25: error: 'x' is not declared
          int main(void) { return x; }
                                  ^"#]],
    );
    check(
        "int main(void) { struct s { int a; } y; return y.b; }",
        expect![[r#"
        test.c:1:48: error: 'struct s' has no member 'b'
          int main(void) { struct s { int a; } y; return y.b; }
                                                         ^"#]],
    );
    check(
        "int f(void) { return 1; }",
        expect![[r#"
        test.c:1:1: error: the entry function 'main' is not defined
          int f(void) { return 1; }
          ^"#]],
    );
}

#[test]
fn wrong_types() {
    check(
        "struct s { int a; } g; int main(void) { int x = g; return x; }",
        expect![[r#"
            test.c:1:49: error: cannot convert 'struct s' to 'int'
              struct s { int a; } g; int main(void) { int x = g; return x; }
                                                              ^"#]],
    );
    check(
        "int main(void) { int x; return *x; }",
        expect![[r#"
        test.c:1:32: error: expected a pointer, found 'int'
          int main(void) { int x; return *x; }
                                         ^"#]],
    );
    check(
        "int main(void) { int x; x(); return 0; }",
        expect![[r#"
        test.c:1:25: error: expected a function, found 'int'
          int main(void) { int x; x(); return 0; }
                                  ^"#]],
    );
    check(
        "struct s { int a; } g; int main(void) { return g + 1; }",
        expect![[r#"
            test.c:1:48: error: '+' does not take 'struct s' and 'int'
              struct s { int a; } g; int main(void) { return g + 1; }
                                                             ^"#]],
    );
    check(
        "int f(int, int); int main(void) { return f(1); }",
        expect![[r#"
        test.c:1:42: error: expected 2 arguments, found 1
          int f(int, int); int main(void) { return f(1); }
                                                   ^"#]],
    );
    check(
        "int main(void) { 3 = 4; return 0; }",
        expect![[r#"
            test.c:1:18: error: expected an lvalue: a variable, a member, an element or '*' of a pointer
              int main(void) { 3 = 4; return 0; }
                               ^"#]],
    );
}

#[test]
fn constants() {
    check(
        "int n; int a[n]; int main(void) { return 0; }",
        expect![[r#"
        test.c:1:14: error: expected a constant as array length
          int n; int a[n]; int main(void) { return 0; }
                       ^"#]],
    );
    check(
        "int f(void); int x = f(); int main(void) { return 0; }",
        expect![[r#"
        test.c:1:22: error: expected a constant initialiser
          int f(void); int x = f(); int main(void) { return 0; }
                               ^"#]],
    );
    check(
        "int main(void) { switch (1) { case 1: ; int y; case y: ; } return 0; }",
        expect![[r#"
        test.c:1:53: error: expected an integer constant
          int main(void) { switch (1) { case 1: ; int y; case y: ; } return 0; }
                                                              ^"#]],
    );
    check(
        r#"_Static_assert(sizeof(int) == 8, "no"); int main(void) { return 0; }"#,
        expect![[r#"
        test.c:1:16: error: static assertion failed: no
          _Static_assert(sizeof(int) == 8, "no"); int main(void) { return 0; }
                         ^"#]],
    );
}

#[test]
fn jumps_to_nowhere() {
    check(
        "int main(void) { goto nowhere; }",
        expect![[r#"
        test.c:1:18: error: the label 'nowhere' is not defined
          int main(void) { goto nowhere; }
                           ^"#]],
    );
    check(
        "int main(void) { break; }",
        expect![[r#"
        test.c:1:18: error: 'break' outside of a loop or switch
          int main(void) { break; }
                           ^"#]],
    );
    check(
        "int main(void) { case 1: return 0; }",
        expect![[r#"
        test.c:1:18: error: 'case' outside of a switch
          int main(void) { case 1: return 0; }
                           ^"#]],
    );
}

#[test]
fn redefinitions() {
    check(
        "int f(void) { return 1; } int f(void) { return 2; } int main(void) { return 0; }",
        expect![[r#"
        test.c:1:31: error: redefinition of 'f'
          int f(void) { return 1; } int f(void) { return 2; } int main(void) { return 0; }
                                        ^"#]],
    );
    check(
        "struct s { int a; }; struct s { int b; }; int main(void) { return 0; }",
        expect![[r#"
        test.c:1:22: error: redefinition of 's'
          struct s { int a; }; struct s { int b; }; int main(void) { return 0; }
                               ^"#]],
    );
    check(
        "int x = 1; int x = 2; int main(void) { return 0; }",
        expect![[r#"
        test.c:1:16: error: the object is initialised twice
          int x = 1; int x = 2; int main(void) { return 0; }
                         ^"#]],
    );
}

#[test]
fn several_at_once() {
    check(
        "int main(void) { int x = y; z = 1; return w; }",
        expect![[r#"
        test.c:1:26: error: 'y' is not declared
          int main(void) { int x = y; z = 1; return w; }
                                   ^
        test.c:1:29: error: 'z' is not declared
          int main(void) { int x = y; z = 1; return w; }
                                      ^
        test.c:1:43: error: 'w' is not declared
          int main(void) { int x = y; z = 1; return w; }
                                                    ^"#]],
    );
}

#[test]
fn incomplete_types() {
    check(
        "struct s; int main(void) { struct s x; return 0; }",
        expect![[r#"
        test.c:1:37: error: 'x' has the incomplete type 'struct s'
          struct s; int main(void) { struct s x; return 0; }
                                              ^"#]],
    );
    check(
        "struct s; int main(void) { return sizeof(struct s); }",
        expect![[r#"
        test.c:1:35: error: the incomplete type 'struct s' has no size
          struct s; int main(void) { return sizeof(struct s); }
                                            ^"#]],
    );
}

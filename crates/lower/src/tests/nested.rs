//! Functions inside functions, jumps out of functions, structs of variable length, strings of arguments.

use super::{check, check_all};
use expect_test::expect;

#[test]
fn functions_inside_functions() {
    check_all(
        "int apply(int (*f)(int)) { return f(2); }
         int main(void) { int x = 1; int add(int y) { x += y; return x; } return add(3) + apply(add); }",
        expect![[r#""#]],
    );
}

#[test]
fn jumps_out_of_functions() {
    check(
        "int main(void) { __label__ out; int r = 0; void f(void) { r = 1; goto out; } f(); r = 2; out: return r; }",
        expect![[r#""#]],
    );
}

#[test]
fn long_jumps() {
    check_all(
        "typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); jmp_buf b;
         void g(void) { longjmp(b, 7); }
         int main(void) { int r = setjmp(b); if (r == 0) g(); return r; }",
        expect![[r#""#]],
    );
}

#[test]
fn structs_of_variable_length() {
    check(
        "int main(int n) { struct { char c; int v[n]; short s; } s; s.v[1] = 4; s.s = 5; return sizeof s; }",
        expect![[r#""#]],
    );
}

#[test]
fn unions_of_variable_length_are_rejected() {
    check(
        "int main(int n) { union { char c[n]; int v; } s; return sizeof s; }",
        expect![[r#""#]],
    );
}

#[test]
fn strings_behind_arguments() {
    check_all("int main(int argc, char **argv) { return argc > 1 ? argv[1][0] : 0; }", expect![[r#""#]]);
}

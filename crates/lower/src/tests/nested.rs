//! Functions inside functions, jumps out of functions, structs of variable length, strings of arguments.

use super::{check, check_all};
use expect_test::expect;

#[test]
fn functions_inside_functions() {
    check_all(
        "int apply(int (*f)(int)) { return f(2); }
         int main(void) { int x = 1; int add(int y) { x += y; return x; } return add(3) + apply(add); }",
        expect![[r#"
            $link$add: ptr;

            fn apply(f: ptr) -> i32 {
              $1: i32;
              n0: entry
              n0 -> n1: $1 := (*f)(2);
              n1 -> n2: return $1;
              n2: exit
            }

            fn main() -> i32 {
              x: int [4 bytes];
              $frame: void * [4] [32 bytes];
              $1: i32;
              $2: i32;
              n6: entry
              n6 -> n7: $frame[2] := &x;
              n7 -> n8: declare x;
              n8 -> n9: x := 1;
              n9 -> n10: $1 := add(&$frame, 3);
              n10 -> n11: [$link$add == null || $link$add == &$frame]
              n10 -> n14: [!($link$add == null || $link$add == &$frame)]
              n11 -> n12: $link$add := &$frame;
              n12 -> n13: $2 := apply(&add);
              n13 -> n26: $link$add := $link$add == &$frame ? null : $link$add;
              n14 -> n11: unsupported "pointers to a function inside two activations of another";
              n15: exit
              n26 -> n15: return $1 + $2;
            }

            fn add($link: ptr, y: i32) -> i32 {
              n3: entry
              n3 -> n4: *(i32*)*(ptr*)&$link[16] := *(i32*)*(ptr*)&$link[16] + y;
              n4 -> n5: return *(i32*)*(ptr*)&$link[16];
              n5: exit
            }

            fn add(y: i32) -> i32 {
              $1: i32;
              n16: entry
              n16 -> n17: [$link$add == null]
              n16 -> n18: [$link$add != null]
              n17 -> n18: unsupported "call of a function inside another one that has returned";
              n18 -> n19: $1 := add($link$add, y);
              n19 -> n20: return $1;
              n20: exit
            }

            start fn $start() {
              $1: i32;
              n21: entry
              n21 -> n22: $link$add := null;
              n22 -> n23: $1 := main();
              n23 -> n24: halt $1;
              n25: exit
            }
        "#]],
    );
}

#[test]
fn jumps_out_of_functions() {
    check(
        "int main(void) { __label__ out; int r = 0; void f(void) { r = 1; goto out; } f(); r = 2; out: return r; }",
        expect![[r#"
            fn main() -> i32 {
              r: int [4 bytes];
              $frame: void * [6] [48 bytes];
              $activation: u64;
              n5: entry
              n5 -> n6: $frame[2] := &r;
              n6 -> n7: $activations := $activations + 1;
              n7 -> n8: $activation := $activations;
              n8 -> n9: *(u64*)&$frame[4] := $activation;
              n9 -> n10: declare r;
              n10 -> n11: r := 0;
              n11 -> n12: f(&$frame);
              n12 -> n13: [$unwind == 0]
              n12 -> n15: [$unwind != 0]
              n13 -> n14: r := 2;
              n14 -> n22: return r;
              n15 -> n16: [$unwind == $activation]
              n15 -> n21: [$unwind != $activation]
              n16 -> n17: $unwind := 0;
              n17 -> n14: [$site == 0]
              n17 -> n18: [$site != 0]
              n18 -> n19: unsupported "jump to a place that does not exist";
              n19 -> n20: halt;
              n21 -> n22: return 0;
              n22: exit
            }
        "#]],
    );
}

#[test]
fn long_jumps() {
    check_all(
        "typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); jmp_buf b;
         void g(void) { longjmp(b, 7); }
         int main(void) { int r = setjmp(b); if (r == 0) g(); return r; }",
        expect![[r#"
            $unwind: u64;
            $site: i32;
            $jumped: i32;
            $activations: u64;
            b: long [25] [200 bytes];

            fn g() {
              n0: entry
              n0 -> n1: $jumped := 7;
              n1 -> n2: $site := *(i32*)&b[1];
              n2 -> n3: $unwind := *(u64*)&b;
              n3 -> n4: [$unwind == 0]
              n3 -> n7: [$unwind != 0]
              n4 -> n5: unsupported "longjmp to where no setjmp was";
              n5 -> n6: halt;
              n7 -> n8: return;
              n8: exit
            }

            fn main() -> i32 {
              r: i32;
              $activation: u64;
              $1: i32;
              n9: entry
              n9 -> n10: $activations := $activations + 1;
              n10 -> n11: $activation := $activations;
              n11 -> n12: *(u64*)&b := $activation;
              n12 -> n13: *(i32*)&b[1] := 0;
              n13 -> n14: $1 := 0;
              n14 -> n15: r := $1;
              n15 -> n16: [r == 0]
              n15 -> n18: [r != 0]
              n16 -> n17: g();
              n17 -> n18: [$unwind == 0]
              n17 -> n19: [$unwind != 0]
              n18 -> n27: return r;
              n19 -> n20: [$unwind == $activation]
              n19 -> n26: [$unwind != $activation]
              n20 -> n21: $unwind := 0;
              n21 -> n22: [$site == 0]
              n21 -> n23: [$site != 0]
              n22 -> n14: $1 := $jumped;
              n23 -> n24: unsupported "jump to a place that does not exist";
              n24 -> n25: halt;
              n26 -> n27: return 0;
              n27: exit
            }

            start fn $start() {
              $1: i32;
              n28: entry
              n28 -> n29: $unwind := 0;
              n29 -> n30: $site := 0;
              n30 -> n31: $jumped := 0;
              n31 -> n32: $activations := 0;
              n32 -> n33: init b;
              n33 -> n34: $1 := main();
              n34 -> n35: [$unwind == 0]
              n34 -> n37: [$unwind != 0]
              n35 -> n36: halt $1;
              n37 -> n38: unsupported "jump to a function that has returned";
              n38 -> n39: halt;
              n40: exit
            }
        "#]],
    );
}

#[test]
fn structs_of_variable_length() {
    check(
        "int main(int n) { struct { char c; int v[n]; short s; } s; s.v[1] = 4; s.s = 5; return sizeof s; }",
        expect![[r#"
            fn main(n: i32) -> i32 {
              $1: u64;
              $2: u64;
              $3: u64;
              $4: u64;
              $5: u64;
              s: ptr;
              n0: entry
              n0 -> n1: $1 := (u64)n;
              n1 -> n2: $2 := 0;
              n2 -> n3: $3 := $2 + 1 + 3 & 18446744073709551612;
              n3 -> n4: $4 := $3 + $1 * 4 + 1 & 18446744073709551614;
              n4 -> n5: $5 := $4 + 2 + 3 & 18446744073709551612;
              n5 -> n6: s := alloca($5);
              n6 -> n7: *(i32*)(s + (i64)$3 + 4) := 4;
              n7 -> n8: *(i16*)(s + (i64)$4) := 5;
              n8 -> n9: return (i32)$5;
              n9: exit
            }
        "#]],
    );
}

#[test]
fn unions_of_variable_length_are_rejected() {
    check(
        "int main(int n) { union { char c[n]; int v; } s; return sizeof s; }",
        expect![[r#"
            test.c:1:19: error: this combination of variable lengths and other members is not supported
              int main(int n) { union { char c[n]; int v; } s; return sizeof s; }
                                ^
            test.c:1:64: error: 's' is not declared
              int main(int n) { union { char c[n]; int v; } s; return sizeof s; }
                                                                             ^"#]],
    );
}

#[test]
fn strings_behind_arguments() {
    check_all(
        "int main(int argc, char **argv) { return argc > 1 ? argv[1][0] : 0; }",
        expect![[r#"

            fn main(argc: i32, argv: ptr) -> i32 {
              $1: i32;
              n0: entry
              n0 -> n1: [argc > 1]
              n0 -> n3: [argc <= 1]
              n1 -> n2: $1 := (i32)*argv[1];
              n2 -> n4: return $1;
              n3 -> n2: $1 := 0;
              n4: exit
            }

            start fn $start() {
              $1: i32;
              $2: ptr;
              $3: u64;
              $4: ptr;
              $5: u64;
              $6: ptr;
              $7: i32;
              n5: entry
              n5 -> n6: $1 := parameter;
              n6 -> n7: [$1 >= 0 && $1 <= 1048576]
              n7 -> n8: $2 := alloca(((u64)$1 + 1) * 8);
              n8 -> n9: *(ptr*)&$2[(u64)$1 * 8] := null;
              n9 -> n10: [$1 > 0]
              n9 -> n23: [$1 <= 0]
              n10 -> n11: $3 := parameter;
              n11 -> n12: [$3 >= 1 && $3 <= 131072]
              n12 -> n13: $4 := alloca($3);
              n13 -> n14: havoc($4, $3) := parameter;
              n14 -> n15: *(u8*)&$4[$3 - 1] := 0;
              n15 -> n16: *(ptr*)$2 := $4;
              n16 -> n17: [$1 > 1]
              n16 -> n23: [$1 <= 1]
              n17 -> n18: $5 := parameter;
              n18 -> n19: [$5 >= 1 && $5 <= 131072]
              n19 -> n20: $6 := alloca($5);
              n20 -> n21: havoc($6, $5) := parameter;
              n21 -> n22: *(u8*)&$6[$5 - 1] := 0;
              n22 -> n23: *(ptr*)&$2[8] := $6;
              n23 -> n24: $7 := main($1, $2);
              n24 -> n25: halt $7;
              n26: exit
            }
        "#]],
    );
}

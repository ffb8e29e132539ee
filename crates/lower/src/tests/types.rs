//! Declarations and types.

use super::*;
use expect_test::expect;

#[test]
fn layouts() {
    check_all(
        "struct __attribute__((packed)) p { char c; int i; }; struct a { char c; int i __attribute__((aligned(16))); }; typedef long long u __attribute__((aligned(4))); struct q { char c; u v; }; enum e { A, B = 5, C } e; enum big { D = 1LL << 40 }; int main(void) { return sizeof(struct p) + sizeof(struct a) * 100 + sizeof(struct q) * 10000 + C + sizeof(enum big); }",
        expect![[r#"
            e: u32;

            fn main() -> i32 {
              n0: entry
              n0 -> n1: return 123219;
              n1: exit
            }

            start fn $start() {
              $1: i32;
              n2: entry
              n2 -> n3: e := 0;
              n3 -> n4: $1 := main();
              n4 -> n5: halt $1;
              n6: exit
            }
        "#]],
    );
}

#[test]
fn tentative_definitions() {
    check_all(
        "int x; int x; extern int x; int a[]; int a[3]; static int y; int b[]; int main(void) { return x + y + a[0] + b[0]; }",
        expect![[r#"
            x: i32;
            a: int [3] [12 bytes];
            y: i32;
            b: int [] [4 bytes];

            fn main() -> i32 {
              n0: entry
              n0 -> n1: return x + y + a[0] + *(i32*)&b;
              n1: exit
            }

            start fn $start() {
              $1: i32;
              n2: entry
              n2 -> n3: x := 0;
              n3 -> n4: init a;
              n4 -> n5: y := 0;
              n5 -> n6: init b;
              n6 -> n7: $1 := main();
              n7 -> n8: halt $1;
              n9: exit
            }
        "#]],
    );
}

#[test]
fn registers_and_memory() {
    check_all(
        "int plain, taken, *p = &taken; volatile int v; void f(int plain) { int *q = &plain; } int main(void) { return plain + taken + v; }",
        expect![[r#"
            plain: i32;
            taken: int [4 bytes];
            p: ptr;
            v: i32;

            fn f(plain: i32) {
              plain'2: int [4 bytes];
              q: ptr;
              n0: entry
              n0 -> n1: declare plain'2;
              n1 -> n2: plain'2 := plain;
              n2 -> n3: q := &plain'2;
              n3 -> n4: return;
              n4: exit
            }

            fn main() -> i32 {
              n5: entry
              n5 -> n6: return plain + taken + v;
              n6: exit
            }

            start fn $start() {
              $1: i32;
              n7: entry
              n7 -> n8: plain := 0;
              n8 -> n9: init taken;
              n9 -> n10: p := &taken;
              n10 -> n11: v := 0;
              n11 -> n12: $1 := main();
              n12 -> n13: halt $1;
              n14: exit
            }
        "#]],
    );
}

#[test]
fn what_is_not_modelled_is_said_where_it_is_used() {
    check_all(
        "typedef float v4 __attribute__((vector_size(16))); static v4 add(v4 a, v4 b) { return a + b; } int main(void) { v4 x; return sizeof x; }",
        expect![[r#"

            fn add($result: ptr, a: ptr, b: ptr) {
              $1: struct vector type [16 bytes];
              n0: entry
              n0 -> n1: declare $1;
              n1 -> n2: $1.[0] := *(f32*)a + *(f32*)b;
              n2 -> n3: $1.[1] := *(f32*)(a + 4) + *(f32*)(b + 4);
              n3 -> n4: $1.[2] := *(f32*)(a + 8) + *(f32*)(b + 8);
              n4 -> n5: $1.[3] := *(f32*)(a + 12) + *(f32*)(b + 12);
              n5 -> n6: copy($result, &$1, 16);
              n6 -> n7: return;
              n7: exit
            }

            fn main() -> i32 {
              x: struct vector type [16 bytes];
              n8: entry
              n8 -> n9: declare x;
              n9 -> n10: return 16;
              n10: exit
            }

            start fn $start() {
              $1: i32;
              n11: entry
              n11 -> n12: $1 := main();
              n12 -> n13: halt $1;
              n14: exit
            }
        "#]],
    );
    check(
        "int main(void) { _Complex double z = 1.0 + 2.0i, w = z; return __real__ w; }",
        expect![[r#"
            fn main() -> i32 {
              z: double _Complex [16 bytes];
              $1: double _Complex [16 bytes];
              $2: f64;
              $3: f64;
              $4: f64;
              $5: f64;
              $6: double _Complex [16 bytes];
              w: double _Complex [16 bytes];
              n0: entry
              n0 -> n1: declare z;
              n1 -> n2: declare $1;
              n2 -> n3: *(f64*)&$1 := 0.0;
              n3 -> n4: *(f64*)(&$1 + 8) := 2.0;
              n4 -> n5: $2 := 1.0;
              n5 -> n6: $3 := *(f64*)&$1;
              n6 -> n7: $4 := *(f64*)(&$1 + 8);
              n7 -> n8: $5 := $2 + $3;
              n8 -> n9: declare $6;
              n9 -> n10: *(f64*)&$6 := $5;
              n10 -> n11: *(f64*)(&$6 + 8) := $4;
              n11 -> n12: copy(&z, &$6, 16);
              n12 -> n13: declare w;
              n13 -> n14: copy(&w, &z, 16);
              n14 -> n15: return (i32)*(f64*)&w;
              n15: exit
            }
        "#]],
    );
}

#[test]
fn nests_of_typeof_take_no_time() {
    let nest = (0..24).fold("&x".to_owned(), |inner, at| format!("({{ __typeof__(*{inner}) *p{at} = 0; p{at}; }})"));
    check(
        &format!("int x; int main(void) {{ return sizeof *{nest}; }}"),
        expect![[r#"
            fn main() -> i32 {
              p0: ptr;
              p1: ptr;
              p2: ptr;
              p3: ptr;
              p4: ptr;
              p5: ptr;
              p6: ptr;
              p7: ptr;
              p8: ptr;
              p9: ptr;
              p10: ptr;
              p11: ptr;
              p12: ptr;
              p13: ptr;
              p14: ptr;
              p15: ptr;
              p16: ptr;
              p17: ptr;
              p18: ptr;
              p19: ptr;
              p20: ptr;
              p21: ptr;
              p22: ptr;
              p23: ptr;
              n0: entry
              n0 -> n1: return 4;
              n1: exit
            }
        "#]],
    );
}

//! Values that leave the program: inline assembly, functions without body.

use super::{check, program};
use crate::Options;
use cfa::{Outside, Program};
use expect_test::expect;
use flow::PointsTo;

fn analysed(source: &str, outside: Outside) -> (Program, PointsTo) {
    let mut program = program(source, &Options { outside, ..Options::default() }).expect("correct C");
    let points_to = PointsTo::new(&program);
    transform::resolve_pointer_calls(&mut program, &points_to, outside);
    transform::remove_dead(&mut program);
    let points_to = PointsTo::new(&program);
    (program, points_to)
}

/// The variables whose addresses escape, whatever functions without body do.
fn check_escaped(source: &str, expected: &str) {
    for outside in [Outside::Pure, Outside::Writes] {
        let (program, points_to) = analysed(source, outside);
        let escaped = points_to.objects.iter().filter(|(_, object)| object.escaped);
        let names = escaped.map(|(id, _)| points_to.object_text(&program, id));
        let mut names: Vec<String> = names.filter(|name| !name.contains(['$', '"']) && name != "unknown").collect();
        names.sort();
        assert_eq!(names.join(" "), expected, "{source}");
    }
}

#[test]
fn assembly() {
    check(
        r#"int main(void) { int x, y; struct { int a : 3; } s; asm("nop" : "=r"(x), "=r"(s.a) : "r"(y) : "memory"); return x; }"#,
        expect![[r#"
            fn main() -> i32 {
              x: i32;
              y: i32;
              s: struct <anonymous> [4 bytes];
              $1: i32;
              n2: entry
              n2 -> n3: x := uninitialised;
              n3 -> n4: y := uninitialised;
              n4 -> n5: declare s;
              n5 -> n6: outside$(y);
              n6 -> n7: x := asm;
              n7 -> n8: $1 := asm;
              n8 -> n9: *(u8*)&s := *(u8*)&s & 248 | (u8)$1 & 7;
              n9 -> n10: return x;
              n10: exit
            }
        "#]],
    );
    check(
        r#"int main(void) { asm goto("jmp %l0" : : : : out); return 1; out: return 2; }"#,
        expect![[r#"
        fn main() -> i32 {
          $1: i32;
          n0: entry
          n0 -> n1: $1 := asm;
          n1 -> n2: [$1 == 1]
          n1 -> n3: [$1 != 1]
          n2 -> n4: return 2;
          n3 -> n4: return 1;
          n4: exit
        }
    "#]],
    );
}

#[test]
fn assembly_may_write_what_its_inputs_point_to() {
    let source =
        r#"int main(void) { int a, b; const int *p = &b; asm("mov" : : "r"(&a), "r"(p) : "memory"); return a; }"#;
    check(
        source,
        expect![[r#"
        fn main() -> i32 {
          a: int [4 bytes];
          b: int [4 bytes];
          p: ptr;
          n2: entry
          n2 -> n3: declare a;
          n3 -> n4: declare b;
          n4 -> n5: p := &b;
          n5 -> n6: outside$(&a, p);
          n6 -> n7: havoc(&a, all) := asm;
          n7 -> n8: return a;
          n8: exit
        }
    "#]],
    );
    let pure = Options { outside: Outside::Pure, ..Options::default() };
    let text = |options: &Options| program(source, options).map(|program| program.to_string()).expect("correct C");
    assert!(text(&Options::default()).contains("havoc(&a, all) := asm"));
    assert!(!text(&pure).contains("havoc"));
}

#[test]
fn assembly_without_instructions_moves_its_inputs() {
    check(
        r#"int main(void) {
             int x = 1, y = 2, z = 3, v; float f; void *p;
             asm("" : "=r"(x), "=r"(y) : "0"(y), "1"(x));
             asm volatile("" : "+r"(z) : : "memory");
             asm(" \t" : "=r"(v), "=x"(f), "=r"(p) : "1"(f), "2"((unsigned long)&x));
             return z;
           }"#,
        expect![[r#"
            fn main() -> i32 {
              x: int [4 bytes];
              y: i32;
              z: i32;
              v: i32;
              f: f32;
              p: ptr;
              $1: i32;
              $2: i32;
              $3: f32;
              $4: u64;
              n0: entry
              n0 -> n1: declare x;
              n1 -> n2: x := 1;
              n2 -> n3: y := 2;
              n3 -> n4: z := 3;
              n4 -> n5: v := uninitialised;
              n5 -> n6: f := uninitialised;
              n6 -> n7: p := uninitialised;
              n7 -> n8: $1 := y;
              n8 -> n9: $2 := x;
              n9 -> n10: x := $1;
              n10 -> n11: y := $2;
              n11 -> n12: $3 := f;
              n12 -> n13: $4 := (u64)&x;
              n13 -> n14: v := asm;
              n14 -> n15: f := asm;
              n15 -> n16: p := (ptr)$4;
              n16 -> n17: return z;
              n17: exit
            }
        "#]],
    );
}

#[test]
fn inputs_of_assembly_escape() {
    check_escaped(r#"int main(void) { int x, *q; asm("mov %1,%0" : "=r"(q) : "0"(&x)); return *q; }"#, "x");
    check_escaped(r#"int main(void) { int x; asm("lea %0" : : "m"(x)); return x; }"#, "x");
    check_escaped(r#"int main(void) { int x; asm("incl %0" : "+m"(x)); return *&x; }"#, "x");
    check_escaped(r#"int main(void) { int x, *p = &x; asm("call" : "+r"(p)); return *p; }"#, "x");
    check_escaped(r#"int main(void) { int x, *p = &x, **q = &p; asm("call" : : "r"(q)); return *p; }"#, "p x");
    check_escaped(r#"int main(void) { int x; asm("call" : : "r"((unsigned long)&x + 1)); return x; }"#, "x");
    check_escaped(r#"int main(void) { int x, *q; asm("" : "=r"(q) : "0"(&x)); return *q; }"#, "");
}

#[test]
fn arguments_of_functions_without_body_escape() {
    check_escaped("void f(const int *); int main(void) { int x; f(&x); return x; }", "x");
    check_escaped("void f(); int main(void) { int x, y; f(&x, 1, &y); return x; }", "x y");
    check_escaped("int main(void) { int x; f(2.0, &x); return x; }", "x");
    check_escaped("void f(int, ...); int main(void) { int x; f(1, 2, &x); return x; }", "x");
    check_escaped("void f(struct s *); int main(void) { int x; ((void (*)(int, int *))f)(1, &x); return x; }", "x");
    check_escaped("void f(); void (*p)() = f; int main(void) { int x; p(1, &x); return x; }", "x");
    check_escaped(
        "struct s { int *p; }; void f(); int main(void) { int x; struct s s = { &x }; f(s); return x; }",
        "x",
    );
    check_escaped("extern int *p; int main(void) { int x; p = &x; return x; }", "x");
    check_escaped("extern struct s { int *p; } s; int main(void) { int x; s.p = &x; return x; }", "s x");
    check_escaped("int *p; int main(void) { int x; p = &x; return x; }", "");
    check_escaped("extern struct s { int a; } s; int main(void) { return s.a; }", "s");
    check_escaped("void f(int *p) { *p = 1; } int main(void) { int x; f(&x); return x; }", "");
}

#[test]
fn addresses_that_are_written_escape() {
    let declared = "int printf(const char *, ...); int sprintf(char *, const char *, ...); int puts(const char *); int putchar(int);
        long write(int, const void *, unsigned long); unsigned long fwrite(const void *, unsigned long, unsigned long, void *);
        char b[80]; void *f; const char *t;";
    for (body, expected) in [
        (r#"sprintf(b, "%p", &x);"#, "x"),
        (r#"sprintf(b, "%s %p", t, &x);"#, "x"),
        (r#"sprintf(b, "%s %lx", t, (unsigned long)&x);"#, "x"),
        ("sprintf(b, t, &x);", "x"),
        (r#"printf("%d %p", 1, &x);"#, "x"),
        (r#"sprintf(b, "%s", (char *)&x);"#, ""),
        (r#"printf("%s", (char *)&x);"#, "x"),
        (r#"printf("%lu", (unsigned long)&x);"#, "x"),
        (r#"printf("%x %x", (unsigned)(unsigned long)&x, (unsigned)((unsigned long)&x >> 32));"#, "x"),
        (r#"printf("%d", x);"#, ""),
        ("printf(t, &x);", "x"),
        ("int *p = &x; putchar(*(char *)&p);", "x"),
        ("puts((char *)&x);", "x"),
        ("int *p = &x; write(1, &p, sizeof p);", "p x"),
        ("int *p = &x; fwrite(&p, sizeof p, 1, f);", "p x"),
    ] {
        check_escaped(&format!("{declared} int main(void) {{ int x = 0; {body} return x; }}"), expected);
    }
}

//! Where C leaves the order of evaluation open, gcc's is taken; where another one may matter, the verdict says so.

use base::Cancel;
use driver::{Options, Preset};
use verdict::Verdict;

const HEAD: &str = "extern void reach_error(void); extern int nondet(void); extern void abort(void);
    int g, h, a[4]; struct S { int x, y; } s;
    static int add(int k) { g += k; return k; }
    static int read(void) { return g; }
    static int other(int k) { h = k; return k; }
    static int pure(int k) { int t[2] = { k, k }; return t[0] + t[1]; }
    static int element(int k) { a[k & 3] = 1; return k; }
    static int end(int k) { if (k) abort(); return 0; }
    static int fail(int k) { if (k) reach_error(); return 0; }
    static int two(int x, int y) { return x - y; }
    static int (*pointer)(int);\n";

fn lower(body: &str) -> flow::Prepared {
    let text = format!("{HEAD}int main(void) {{ int x = nondet(), y = 1; {body} return 0; }}");
    driver::load_text("test.c", &text).expect("a correct program")
}

#[test]
fn orders_that_matter_are_listed() {
    let table = [
        // An access and a write, or two writes.
        ("g + add(1);", true),
        ("add(1) + g;", true),
        ("add(1) - add(2);", true),
        ("add(1) + read();", true),
        ("two(add(1), read());", true),
        ("a[g] = add(1);", true),
        ("g += add(1);", true),
        ("a[0] + element(1);", true),
        ("int t[2] = { add(1), add(2) };", true),
        ("pointer = add; pointer(1) + read();", true),
        ("two(x, 1) + (g = 2, add(1)) * read();", true),
        // Where the program ends on one side, what the other one does may never happen.
        ("end(x) + fail(x);", true),
        // Other objects, or only reads.
        ("h + add(1);", false),
        ("add(1) + other(2);", false),
        ("read() + read();", false),
        ("pure(1) + pure(2);", false),
        ("g + read();", false),
        ("two(pure(x), pure(y));", false),
        ("a[x & 3] = pure(2);", false),
        ("y += pure(1);", false),
        ("s.x = add(1); s.y = s.x + pure(3);", false),
        ("nondet() + nondet();", false),
        // Sequenced by C.
        ("add(1) && read();", false),
        ("add(1), read();", false),
        ("x = add(1) ? g : read();", false),
        ("add(add(1));", false),
        ("end(x) + pure(1);", false),
    ];
    for (body, listed) in table {
        let program = lower(body);
        let found: Vec<&String> = program.assumptions.iter().filter(|text| text.contains("gcc's order")).collect();
        assert_eq!(!found.is_empty(), listed, "{body}: {found:?}");
        assert!(found.iter().all(|text| *text == "operands at test.c:12 are evaluated in gcc's order"), "{found:?}");
    }
}

#[test]
fn errors_are_those_of_gccs_order() {
    let table = [
        ("two(add(1), add(g)); if (g == 1) reach_error();", "FALSE"),
        ("two(add(1), add(g)); if (g == 2) reach_error();", "TRUE"),
        ("g = 5; y = g + add(3); if (y == 11) reach_error();", "FALSE"),
        ("g = 5; y = g - add(3); if (y == 2) reach_error();", "FALSE"),
        ("g = 5; g += add(3); if (g != 11) reach_error();", "TRUE"),
        ("g = 1; a[g] = add(1); if (a[1] == 1) reach_error();", "FALSE"),
        ("end(1) + fail(1);", "TRUE"),
        ("two(end(1), fail(1));", "FALSE"),
        // Undefined.
        ("y = y++ + 1; if (y == 2) reach_error();", "UNKNOWN"),
        ("y = x++ + x; if (y == 2) reach_error();", "UNKNOWN"),
        ("y = (y++, y); if (y == 2) reach_error();", "FALSE"),
        ("y = two(y++, 0); if (y == 1) reach_error();", "FALSE"),
    ];
    for (body, expected) in table {
        let program = lower(body);
        for preset in ["bmc", "pred", "expl-itp"] {
            let preset = Preset::named(preset).expect("the preset exists");
            let outcome = driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
            let found = match outcome.expect("no options").verdict {
                Verdict::Safe(_) => "TRUE",
                Verdict::Unsafe(_) => "FALSE",
                Verdict::Unknown(_) => "UNKNOWN",
            };
            assert_eq!(found, expected, "{}: {body}", preset.name);
        }
    }
}

/// C leaves open whether equal literals are one object, and whether one is the end of another.
#[test]
fn comparisons_of_literals_are_listed() {
    let table = [
        ("y = \"abc\" == \"abc\";", true),
        ("y = \"abc\" + 1 == \"bc\";", true),
        ("const char *p = \"abc\", *q = x ? \"abc\" : 0; y = p == q;", true),
        ("const char *p = \"abc\", *q = x ? \"bc\" : 0; y = p != q;", true),
        ("const char *p = \"abc\", *q = x ? p : \"d\"; y = p == q;", false),
        ("const char *p = \"abc\"; y = p == 0 || p == p;", false),
        ("const char *p = x ? \"abc\" : \"bcd\"; y = p == \"b\";", false),
    ];
    for (body, listed) in table {
        let program = lower(body);
        let count = program.assumptions.iter().filter(|text| *text == flow::SHARED).count();
        assert_eq!(count, usize::from(listed), "{body}: {:?}", program.assumptions);
    }
}

//! What is written, read and written again is the same; what is wrong says where.

use super::{read, write};

/// Reads a text and writes it; the result is read again.
fn again(text: &str) -> String {
    let program = read(text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let written = write(&program);
    let second = read(&written).unwrap_or_else(|wrong| panic!("{wrong}\n{written}"));
    assert_eq!(write(&second), written);
    written
}

/// The error of a function with these lines.
fn check_wrong(lines: &str, expected: &str) {
    let text = format!("global memory g: int;\nstart fn s() {{\n{lines}\nn8: entry; n9: exit; }}");
    let wrong = read(&text).expect_err("something is wrong");
    assert_eq!(wrong.to_string(), expected);
}

#[test]
fn bare_constants_have_the_type_of_their_place() {
    let text = again(
        "start fn s() -> r: long {
           x: long; p: *int; b: unsigned char;
           n0: entry;
           n0 -> n1: x := x + 1;
           n1 -> n2: p := p + 4;
           n2 -> n3: [5 < x && p != 0];
           n3 -> n4: i32[p + x] := b > 3 ? -1 : i32(b << 2);
           n4 -> n5: return 2 * x - 1;
           n5: exit;
         }",
    );
    for line in [
        "n0 -> n1: x := x + 1:i64;",
        "n1 -> n2: p := p + 4:i64;",
        "n2 -> n3: [(5:i64 < x) & (!(p == 0:ptr))];",
        "n3 -> n4: i32[p + x] := (3:u8 < b) ? (-1) : i32(b << 2);",
        "n4 -> n5: return (2:i64 * x) - 1:i64;",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn every_operation() {
    again(
        "model ilp32;
         enum 0 e: unsigned int complete;
         record 0 s: struct 8 4 {next: *record 0 at 0 4, bits: int at 32 4 width 3 unit 4 1};
         makes any into fn(int, ...) -> void;
         global memory g: record 0 = {0: &@g + 4, 4: 7:u8};
         literal memory 3 1 text: [3]char;
         temporary ghost: enum 0;
         global memory g'2: [4]const f64;
         start fn start() {
           p: *void; x: int; `a b`: int; x'2: int as u8; memory o: record 0; d: f64; temporary call$: complex f32 as f80;
           n0: entry;
           n0 -> n1: skip;
           n1 -> n2: init @g;
           n2 -> n3: declare o;
           n3 -> n4: p := malloc(x'2 == 3 ? 4 : 5);
           n4 -> n5: p := calloc(8);
           n5 -> n6: p := alloca(8);
           n6 -> n7: p := realloc(p, 16);
           n7 -> n8: copy(p, &o, 8);
           n8 -> n9: fill(&@g'2, 0, 32);
           n9 -> n10: havoc(p, all) := extern `some thing`;
           n10 -> n11: havoc(p, 4) := asm;
           n11 -> n12: x := input __VERIFIER_nondet_int;
           n12 -> n13: p := indeterminate;
           n13 -> n14: x := call f(1, p);
           n14 -> n15: call through &fn f as fn(int, *void) -> int (1, 0:ptr);
           n15 -> n16: d := library sin(1.5);
           n16 -> n17: d := sqrt(d) * (- d) + #7ff8000000000001;
           n17 -> n18: free(p);
           n18 -> n19: ptr[&o] := &o + 4;
           n19 -> n20: [signbit(d) || f64[&@g'2 + 8] <= d];
           n20 -> n21: `a b` := uninitialised;
           n21 -> n22: @ghost := 1;
           n22 -> n23: unsupported \"\\\"it\\\"\";
           n23 -> n24: halt 3;
           n24 -> n25: return;
           n26: target reach_error, -; n32 -> n33: end(&o); n33 -> n32: [room(p) < 4 || freeable(p) && no_heap()];
           n34: target overflow!; n35: target repetition!;
           n27: target assertion!;
           n28: target label!;
           n29: -;
           n25: exit;
         }
         fn f(a: int, b: *void) -> result: int { n30: entry, loop_head; n30 -> n30: a := ~a % 3 ^ 5; n31: exit; }",
    );
}

#[test]
fn large_expressions_are_shared() {
    let mut program =
        read("start fn s() { x: int; n0: entry; n0 -> n1: x := x + 1; n1 -> n2: return; n2: exit; }").unwrap();
    let edge = crate::EdgeId(0);
    let crate::Op::Assign(x, mut value) = program.edges[edge].op else { panic!("an assignment") };
    for _ in 0..100 {
        value = program.exprs.binary(crate::BinOp::Mul, value, value);
    }
    program.edges[edge].op = crate::Op::Assign(x, value);
    let text = write(&program);
    assert!(text.len() < 10_000, "{}", text.len());
    assert_eq!(write(&read(&text).unwrap()), text);
}

#[test]
fn errors_say_where() {
    check_wrong("x: int; n0 -> n1: x := y;", "3:24: no variable y");
    check_wrong("x: int; n0 -> n1: x := x +;", "3:27: expected an expression, found `;`");
    check_wrong("x: int; n0 -> n1: x := 1.5;", "3:24: expected a value of type i32, not of f64");
    check_wrong("x: char; n0 -> n1: x := 300;", "3:25: no such constant of type i8");
    check_wrong("x: int; n0 -> n1: x := x & true;", "3:24: And of i32 and bool");
    check_wrong("x: int; n0 -> n1: x := @g;", "3:24: g is in memory");
    check_wrong("x: int; x: int;", "3:9: declared before");
    check_wrong("x: record 3;", "3:4: a register holds a scalar");
    check_wrong("n0 -> n1: call nobody();", "3:16: no function nobody");
    check_wrong("n0 -> n1: jump;", "3:11: no variable jump");
    check_wrong("n0 -> n1: [true]; n1 -> n2: skip", "4:1: expected `;`, found `n8:`");
    check_wrong("n0 -> n9: skip; n9 -> n0: skip;", "1:1: no valid program: fn0: edges leave the exit");
}

#[test]
fn no_text_is_a_surprise() {
    let good = "global memory g: int = {0: 1}; start fn s(a: int) -> r: int of fn(int) -> int { `x y`: int; n0: entry; \
                n0 -> n1: `x y` := (a + 1) * i32[&@g] ? 1 : -5:i32; n1: exit; }";
    for end in 0..good.len() {
        let _ = read(&good[..end]);
        for insert in
            ["(", "\"", "`", "%", "@", "&", ":", "é", "-", "{", "9999999999999999999999999", "fn ", "[", "memory 1 1 "]
        {
            let _ = read(&format!("{}{insert}{}", &good[..end], &good[end..]));
        }
    }
    assert!(read(&format!("start fn s() {{ x: int; n0: entry; n0 -> n1: x := {}", "(".repeat(100_000))).is_err());
    assert!(read(&format!("start fn s() {{ x: int; n0: entry; n0 -> n1: x := 1{}", "+1".repeat(100_000))).is_err());
}

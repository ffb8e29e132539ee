//! Programs that write memory in many ways, without undefined behaviour and without loops: the values that are left in
//! the end depend on one small input. For comparisons of encoders, which must know these values exactly.

use semantics::random::Random;
use std::fmt::Write;

/// Inputs are smaller than this.
pub const INPUTS: u64 = 4;

const HEAD: &str = "\
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern int printf(const char *, ...);
extern void *memcpy(void *, const void *, __SIZE_TYPE__), *memmove(void *, const void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__), *calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern void *realloc(void *, __SIZE_TYPE__);
typedef unsigned long long u64;
union bits { unsigned char b[8]; unsigned short h[4]; unsigned w[2]; u64 d; float f; };
struct mixed { signed char c; unsigned n : 5; int : 0; short s; u64 d; unsigned k : 11, l : 21; };
static unsigned char m[16] = { 1, 2, 3, 250, 251, 6, 7, 128, 9 };
static union bits g = { .w = { 0x12345678, 77 } };
static void put(void *to, const void *from, unsigned n) { memcpy(to, from, n); }
static unsigned twice(unsigned *p) { *p = *p * 2 + 1; return *p; }
";

/// A program without its end: `in` is the input, `sum` what is left.
fn body(random: &mut Random) -> String {
    let mut text = String::from(
        "    union bits u = { .d = 0x8040201008040201ull };
    struct mixed s = { -3, 17, 300, 5, 9, 12 };
    unsigned char *heap = calloc(1, 8), *p = m;
    unsigned x = 7, y = in + 3; int i = -5; u64 v = 1;
    unsigned *q = in & 1 ? &x : &u.w[1];
",
    );
    for _ in 0..4 + random.below(6) {
        let line = statement(random);
        let guarded = random.below(4) == 0;
        let condition = if guarded {
            format!("if (in {} {}) ", pick(random, &["==", "<", "!="]), random.below(4))
        } else {
            String::new()
        };
        writeln!(text, "    {condition}{{ {line} }}").expect("strings take all text");
    }
    text.push_str("    u64 sum = x ^ (u64)y << 7 ^ (u64)(unsigned)i << 13 ^ v ^ *q;\n");
    text.push_str(
        "    sum ^= (u64)s.c << 3 ^ (u64)s.n << 5 ^ (u64)(unsigned short)s.s << 9 ^ s.d ^ s.k ^ (u64)s.l << 40;\n",
    );
    for (array, bytes) in [("m", 16), ("u.b", 8), ("g.b", 8), ("heap", 8)] {
        for at in 0..bytes {
            writeln!(text, "    sum = (sum << 5 | sum >> 59) ^ {array}[{at}];").expect("strings take all text");
        }
    }
    text
}

fn pick<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

/// An expression without undefined behaviour.
fn value(random: &mut Random) -> String {
    match random.below(12) {
        0 => format!("{}u", random.below(1000)),
        1 => "in".into(),
        2 => pick(random, &["x", "y", "(unsigned)i", "(unsigned)v", "*q"]).into(),
        3 => format!("m[({}) & 15]", pick(random, &["x", "y", "in", "in + 3"])),
        4 => format!("u.h[({}) & 3]", pick(random, &["x", "in", "y"])),
        5 => format!("(x {} y)", pick(random, &["+", "-", "*", "^", "&", "|"])),
        6 => format!("(y {} (x | 1))", pick(random, &["/", "%"])),
        7 => format!("(unsigned)(i {} (int)(in + 1))", pick(random, &["/", "%", "<", ">="])),
        8 => format!("(unsigned)({}x)", pick(random, &["(signed char)", "(short)", "(unsigned short)", "-(int)"])),
        9 => format!("(x {} (y & 31))", pick(random, &["<<", ">>"])),
        10 => "(unsigned)((float)(short)y * 0.5f < 3.25f)".into(),
        _ => pick(random, &["s.n", "(unsigned)s.s", "(unsigned)s.d", "s.k", "p[in]", "heap[in + 1]"]).into(),
    }
}

fn statement(random: &mut Random) -> String {
    let (a, b, c) = (value(random), value(random), value(random));
    let to = pick(random, &["m + 4", "&u", "g.b", "heap", "&v", "p"]);
    let from = pick(random, &["m", "m + 8", "&u", "&g", "heap", "&s.d", "&v"]);
    match random.below(18) {
        0 => format!("m[({a}) & 15] = {b};"),
        1 => format!("u.h[({a}) & 3] = {b};"),
        2 => format!("g.w[({a}) & 1] {}= {b};", pick(random, &["", "+", "^"])),
        3 => format!("memset(m + (({a}) & 7), (int)({b}), ({c}) & 7);"),
        4 => format!("memcpy({to}, {from}, ({a}) & 7);").replace("memcpy", "memmove"),
        5 => format!("memmove(m + (({a}) & 7), m + (({b}) & 7), ({c}) & 7);"),
        6 => format!("put({to}, {from} , in + 1);").replace("put(p, m ,", "put(p, m + 8,"),
        7 => format!("memset({to}, {}, in * 2);", random.below(256)),
        8 => format!("x = {a};"),
        9 => format!("y ^= {a};"),
        10 => format!("i = (int)({a}) >> 3;"),
        11 => format!("v = (u64)({a}) << 20 ^ ({b});"),
        12 => format!("p = ({a}) & 1 ? m + (({b}) & 7) : {};", pick(random, &["u.b", "g.b", "heap", "m"])),
        13 => format!("p[({a}) & 7] = (unsigned char)({b});"),
        14 => format!("s.{} = {a};", pick(random, &["n", "k", "l", "c", "s", "d"])),
        15 => "q = in < 2 ? &g.w[0] : &y;".into(),
        16 => format!("*q {} {a}; twice(q);", pick(random, &["=", "+="])),
        _ => "heap = realloc(heap, 8 + in); heap[7] = 3; p = m;".into(),
    }
}

/// A program about which two things are known.
#[derive(Clone, Debug)]
pub struct Writes {
    body: String,
}

impl Writes {
    /// The program of a seed.
    pub fn new(seed: u64) -> Self {
        Writes { body: body(&mut Random::new(seed)) }
    }

    fn text(&self, input: &str, end: &str) -> String {
        format!(
            "{HEAD}int main(void) {{\n    unsigned in = {input};\n    if (in >= {INPUTS}) return 0;\n{}{end}    return 0;\n}}\n",
            self.body
        )
    }

    /// Prints the sum for one input.
    pub fn printing(&self, input: u64) -> String {
        self.text(&format!("{input}u"), "    printf(\"%llu\\n\", sum);\n")
    }

    /// Reaches an error if for this input the sum is, or is not, the one that is known.
    pub fn asking(&self, input: u64, sum: u64, equal: bool) -> String {
        let sign = if equal { "==" } else { "!=" };
        let test = format!("    if (in == {input} && sum {sign} {sum}ull) reach_error();\n");
        self.text("__VERIFIER_nondet_uint()", &test)
    }
}

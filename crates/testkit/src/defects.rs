//! Small programs of one byte of input with a planted defect, and their twins with a guard. What is true of them is not
//! what the generator meant but what gcc finds over all inputs: reports of its sanitizers, other results where memory
//! begins with other bytes, and for what no sanitizer looks at a condition on integers that gcc computes.

use crate::scratch::Scratch;
use cfa::{Check, Checks};
use semantics::random::Random;
use std::process::Command;

/// A program with what was planted.
#[derive(Clone, Debug)]
pub struct Planted {
    /// What it is made from.
    pub seed: u64,
    /// The kind of defect.
    pub kind: Check,
    /// Statements over the input `x`, one a line.
    body: String,
    /// The same with a report where the operation is wrong, if no sanitizer reports it.
    judged: String,
}

/// An operation that fails for some values of `x`: what comes before it, when it is fine, the operation, and when it is
/// wrong if no sanitizer can tell.
struct Template {
    kind: Check,
    before: String,
    guard: String,
    operation: String,
    wrong: String,
}

/// The program of a seed and its repaired twin.
pub fn generate(seed: u64) -> [Planted; 2] {
    let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let template = template(&mut random);
    let Template { kind, before, guard, operation, wrong } = template;
    // Narrow counters lose values on purpose.
    let noises = if kind == Check::Lossy { 0 } else { random.below(4) };
    let noise: Vec<String> = (0..noises).map(|at| noise(at, &mut random)).collect();
    let loops = random.below(4) == 0;
    [false, true].map(|guarded| {
        let body = |judge: &str| {
            let operation =
                if guarded { format!("if ({guard}) {{ {judge}{operation} }}") } else { format!("{judge}{operation}") };
            let operation = if loops { format!("for (int j = 0; j < 2; j++) {{ {operation} }}") } else { operation };
            format!("{}    {before}\n    {operation}\n", noise.concat())
        };
        let judge = if wrong.is_empty() { String::new() } else { format!("if ({wrong}) {REPORT} ") };
        Planted { seed, kind, body: body(""), judged: body(&judge) }
    })
}

/// How a program that gcc compiles says that something is wrong.
const REPORT: &str = "fputs(\"runtime error\", stderr);";

fn template(random: &mut Random) -> Template {
    let k = 1 + random.below(250);
    let make = |kind, before: String, guard: String, operation: String| {
        let wrong = String::new();
        Template { kind, before, guard, operation, wrong }
    };
    let below = format!("x <= {k}");
    let rows = 20;
    match random.below(2 * rows) {
        row @ 20.. => other(row, k),
        0 => make(Check::Overflow, format!("int a = 2147483647 - {k};"), below, "r = a + x;".into()),
        1 => make(Check::Overflow, format!("int a = -2147483647 - 1 + {k};"), below, "a -= x; r = a;".into()),
        2 => {
            let factor = 2_147_483_647 / k;
            make(Check::Overflow, String::new(), below, format!("r = x * {factor};"))
        }
        3 => {
            let before = format!("int a = x == {k} ? -2147483647 - 1 : x;");
            make(Check::Overflow, before, format!("x != {k}"), "r = -a;".into())
        }
        4 => {
            let before = format!("int a = 2147483647 - {k}; int i = 0;");
            make(Check::Overflow, before, below, "while (i < x) { a++; i++; } r = a;".into())
        }
        5 => make(
            Check::Overflow,
            format!("long long a = 9223372036854775807LL - {k};"),
            below,
            "a += x; r = a > 5;".into(),
        ),
        6 => make(
            Check::Overflow,
            format!("long long a = (long long)x * 36170086419038336LL, b = {k};"),
            "b < 128 && x < 2".into(),
            "r = a * b > 7;".into(),
        ),
        7 => make(
            Check::Overflow,
            format!("int a = -2147483647 - 1, d = x - {k};"),
            "d != -1 && d != 0".into(),
            "if (d != 0) r = a / d;".into(),
        ),
        8 => make(
            Check::Overflow,
            "short s = 32767; int a = 2147483647;".into(),
            format!("s > 0 && x < {k}"),
            format!("s += x; if (x >= {k}) r = a + s * s; else r = s;"),
        ),
        9 => make(Check::Division, format!("int d = x - {k};"), "d != 0".into(), "r = 1000 / d;".into()),
        10 => make(Check::Division, format!("unsigned d = x % {k};"), "d > 0".into(), "r = (int)(77u % d);".into()),
        11 => make(Check::Division, format!("int d = x; d /= {k};"), format!("x >= {k}"), "r = 12 % d;".into()),
        12 => make(Check::Shift, format!("int n = x - {k};"), "n >= 0 && n < 31".into(), "r = 1 << n;".into()),
        13 => {
            let n = 23 + random.below(8);
            let most = 2_147_483_647 >> n;
            make(Check::Shift, String::new(), format!("x <= {most}"), format!("r = x << {n};"))
        }
        14 => make(Check::Shift, format!("int a = x - {k};"), "a >= 0".into(), "r = a << 1;".into()),
        15 => make(Check::Shift, format!("unsigned n = x / {};", 1 + k % 8), "n < 32".into(), "r = x >> n;".into()),
        16 => make(Check::Shift, "long long a = 1;".into(), "x < 63".into(), "a <<= x; r = a > 9;".into()),
        17 => make(
            Check::Conversion,
            format!("double d = x * {}.0;", 2_147_483_648 / k),
            "d < 2147483648.0".into(),
            "r = (int)d;".into(),
        ),
        18 => make(
            Check::Conversion,
            format!("float d = x - {k}.5f;"),
            "d > -1.0f".into(),
            "{ unsigned char c = d; r = c; }".into(),
        ),
        _ => make(
            Check::Conversion,
            format!("double d = (x - {k}) / (double)(x - {k});"),
            "d == d".into(),
            "{ unsigned c = d; r = (int)c; }".into(),
        ),
    }
}

/// Values that were never given, conversions that lose something, pointers that leave their objects.
fn other(row: u64, k: u64) -> Template {
    let make = |kind, before: &str, guard: &str, operation: &str, wrong: &str| {
        let fill = |text: &str| {
            text.replace("K16", &(k % 16).to_string()).replace("K4", &(k % 4).to_string()).replace('K', &k.to_string())
        };
        let [before, guard, operation, wrong] = [before, guard, operation, wrong].map(fill);
        Template { kind, before, guard, operation, wrong }
    };
    let (unset, lossy, pointer) = (Check::Uninitialised, Check::Lossy, Check::Pointer);
    match row {
        20 => make(unset, "int a; if (x < K) a = x;", "x < K", "r = a;", ""),
        21 => make(unset, "int a[4]; a[x % 4] = 7;", "x % 4 == K4", "r = a[K4];", ""),
        22 => make(unset, "struct { int f, g; } s; s.f = x; if (x > K) s.g = 2;", "x > K", "r = s.g + s.f;", ""),
        23 => make(unset, "int a, *p = &a; if (x != K) *p = x;", "x != K", "r = *p;", ""),
        24 => make(unset, "int *p = malloc(8); p[0] = x; if (x > K) p[1] = x;", "x > K", "r = p[1] - p[0];", ""),
        25 => {
            make(unset, "struct { int f, g; } s, t; s.f = x; t = s; if (x > K) t.g = 1;", "x > K", "r = t.g + t.f;", "")
        }
        26 => make(unset, "int a; for (int i = 0; i < x - K; i++) a = i;", "x - K > 0", "r = a;", ""),
        27 => make(unset, "int a, b = x > K && (a = 1);", "b", "r = a + b;", ""),
        28 => {
            make(unset, "int a; switch (x % 4) { case K4: a = 1; break; case 7: a = 2; }", "x % 4 == K4", "r = a;", "")
        }
        29 => {
            make(unset, "char a[4]; for (int i = 0; i < x % 6 && i < 4; i++) a[i] = i;", "x % 6 > 3", "r = a[3];", "")
        }
        30 => make(lossy, "int a = x * K;", "a <= 255", "{ unsigned char c = a; r = c; }", "a < 0 || a > 255"),
        31 => make(lossy, "int a = x - K;", "a >= 0", "u = a;", "a < 0"),
        32 => make(lossy, "unsigned a = x * 16843009u;", "a <= 2147483647u", "r = a;", "a > 2147483647u"),
        33 => make(lossy, "long long a = (long long)x * 16777216;", "a < 2147483648LL", "r = a;", "a > 2147483647LL"),
        34 => make(lossy, "signed char c = x / 2;", "c + K16 < 128", "c += K16; r = c;", "c + K16 > 127"),
        35 => make(lossy, "struct { unsigned f : 4; } s = {0};", "x < 16", "s.f = x; r = s.f;", "x > 15"),
        36 => make(pointer, "int a[8], *p = a;", "x <= 8", "{ int *q = p + x; r = q == p; }", "x > 8"),
        37 => make(pointer, "char a[16], *p = a + K16;", "x <= K16", "{ char *q = p - x; r = q == a; }", "x > K16"),
        38 => make(pointer, "int a[4], b[4], *p = x > K ? a : b;", "x > K", "r = p < a + 2;", "x <= K"),
        _ => make(pointer, "char *p = malloc(K);", "x <= K", "{ char *q = p + x; r = (int)(q - p); }", "x > K"),
    }
}

/// A statement that is always defined and gives analyses something to carry along.
fn noise(at: u64, random: &mut Random) -> String {
    let (a, b) = (1 + random.below(50), random.below(100));
    match random.below(5) {
        0 => format!("    int n{at} = x * {a} + {b}; if (n{at} > {b}) n{at} = n{at} - 1;\n"),
        1 => format!("    unsigned n{at} = x; n{at} = n{at} * 4294967291u + {b}u; u = u + n{at};\n"),
        2 => format!("    signed char n{at} = (signed char)(x + {a}); n{at}++; u += (unsigned char)n{at};\n"),
        3 => format!("    for (int i{at} = 0; i{at} < {}; i{at}++) u ^= (unsigned)x << i{at};\n", 1 + a % 8),
        _ => format!("    if (x > {b}) u = u / {a}u; else u = u + {a}u;\n"),
    }
}

impl Planted {
    /// A program of these statements, whose defects of this kind gcc finds.
    pub fn of(kind: Check, body: &str) -> Planted {
        let body = format!("    {{ {body} }}\n");
        Planted { seed: 0, kind, judged: body.clone(), body }
    }

    /// The program.
    pub fn text(&self) -> String {
        let input = "extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void *malloc(unsigned long);\n\
                     extern void *calloc(unsigned long, unsigned long), *realloc(void *, unsigned long);\n\
                     extern void *memset(void *, int, unsigned long), *memcpy(void *, const void *, unsigned long);\n\
                     extern void free(void *);\n";
        format!(
            "{input}int main(void) {{\n    int x = __VERIFIER_nondet_uchar(), r = 0;\n    unsigned u = 1;\n{}    return r == 3 && u == 9;\n}}\n",
            self.body
        )
    }

    /// The kinds that it is asked about. Conversions that lose something are defined, so other programs may do that.
    pub fn checks(&self) -> Checks {
        match self.kind {
            Check::Lossy => Checks::of(&[Check::Lossy]),
            _ => lower::CHECKED.without(Checks::of(&[Check::Lossy])),
        }
    }
}

/// The programs that gcc finds something wrong with for some input. Each is executed by itself: after the report of a
/// division by zero comes the trap.
pub fn undefined(programs: &[Planted]) -> Result<Vec<bool>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let file = scratch.file("planted.c");
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    for (at, program) in programs.iter().enumerate() {
        let begin = "    int r = 0;\n    unsigned u = 1;\n";
        let end = "    printf(\"%d %u\\n\", r, u);\n";
        text += &format!("static void f{at}(int x) {{\n{begin}{}{end}}}\n", program.judged);
    }
    text +=
        "int main(int argc, char **argv) {\n    for (int x = 0; x < 256; x++) {\n        switch (atoi(argv[1])) {\n";
    for at in 0..programs.len() {
        text += &format!("        case {at}: f{at}(x); break;\n");
    }
    text += "        }\n    }\n    return 0;\n}\n";
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let build = |name: &str, flag: &str| {
        let binary = scratch.file(name);
        let built = Command::new("gcc").args(["-w", "-O0", flag, "-o"]).arg(&binary).arg(&file).output();
        let built = built.map_err(|error| error.to_string())?;
        let errors = String::from_utf8_lossy(&built.stderr).into_owned();
        if built.status.success() { Ok(binary) } else { Err(errors) }
    };
    let sanitized = build("sanitized", "-fsanitize=undefined,float-cast-overflow")?;
    let zeros = build("zeros", "-ftrivial-auto-var-init=zero")?;
    let pairs = build("pairs", "-fsanitize=address,pointer-compare,pointer-subtract")?;
    let patterns = build("patterns", "-ftrivial-auto-var-init=pattern")?;
    let run = |binary: &std::path::Path, at: usize, perturb: &str| {
        let mut command = Command::new("timeout");
        command.env("ASAN_OPTIONS", "detect_invalid_pointer_pairs=2:detect_leaks=0");
        let run = command.arg("60").arg(binary).arg(at.to_string()).env("MALLOC_PERTURB_", perturb).output();
        run.map_err(|error| error.to_string())
    };
    let is_wrong = |(at, program): (usize, &Planted)| -> Result<bool, String> {
        // What is read before it is written depends on what was there.
        if program.kind == Check::Uninitialised {
            return Ok(run(&zeros, at, "85")?.stdout != run(&patterns, at, "170")?.stdout);
        }
        let binary = if program.kind == Check::Pointer { &pairs } else { &sanitized };
        let said = run(binary, at, "0")?.stderr;
        let said = String::from_utf8_lossy(&said);
        Ok(said.contains("runtime error") || said.contains("invalid-pointer-pair"))
    };
    programs.iter().enumerate().map(is_wrong).collect()
}

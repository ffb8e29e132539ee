//! Small programs of one byte of input with a planted defect of arithmetic, and their twins with a guard. What is
//! true of them is not what the generator meant but what gcc's sanitizers report over all inputs.

use crate::scratch::Scratch;
use cfa::Check;
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
}

/// An operation that fails for some values of `x`: what comes before it, when it is fine, the operation.
struct Template {
    kind: Check,
    before: String,
    guard: String,
    operation: String,
}

/// The program of a seed and its repaired twin.
pub fn generate(seed: u64) -> [Planted; 2] {
    let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let template = template(&mut random);
    let noise: Vec<String> = (0..random.below(4)).map(|at| noise(at, &mut random)).collect();
    let Template { kind, before, guard, operation } = template;
    let loops = random.below(4) == 0;
    [false, true].map(|guarded| {
        let operation = if guarded { format!("if ({guard}) {operation}") } else { operation.clone() };
        let operation = if loops { format!("for (int j = 0; j < 2; j++) {{ {operation} }}") } else { operation };
        let body = format!("{}    {before}\n    {operation}\n", noise.concat());
        Planted { seed, kind, body }
    })
}

fn template(random: &mut Random) -> Template {
    let k = 1 + random.below(250);
    let make = |kind, before: String, guard: String, operation: String| Template { kind, before, guard, operation };
    let below = format!("x <= {k}");
    let rows = 20;
    match random.below(rows) {
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
    /// The program.
    pub fn text(&self) -> String {
        let input = "extern unsigned char __VERIFIER_nondet_uchar(void);\n";
        format!(
            "{input}int main(void) {{\n    int x = __VERIFIER_nondet_uchar(), r = 0;\n    unsigned u = 1;\n{}    return r == 3 && u == 9;\n}}\n",
            self.body
        )
    }
}

/// The programs that gcc's sanitizers report something about for some input. Each is executed by itself: after the
/// report of a division by zero comes the trap.
pub fn undefined(programs: &[Planted]) -> Result<Vec<bool>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (file, binary) = (scratch.file("planted.c"), scratch.file("planted"));
    let mut text = String::from("#include <stdlib.h>\n");
    for (at, program) in programs.iter().enumerate() {
        let begin = "    int r = 0;\n    unsigned u = 1;\n";
        text += &format!("static int f{at}(int x) {{\n{begin}{}    return r == 3 && u == 9;\n}}\n", program.body);
    }
    text += "int main(int argc, char **argv) {\n    int sum = 0;\n    for (int x = 0; x < 256; x++) {\n        \
             switch (atoi(argv[1])) {\n";
    for at in 0..programs.len() {
        text += &format!("        case {at}: sum += f{at}(x); break;\n");
    }
    text += "        }\n    }\n    return sum == 77;\n}\n";
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let flags = ["-w", "-O0", "-fsanitize=undefined,float-cast-overflow", "-o"];
    let built = Command::new("gcc").args(flags).arg(&binary).arg(&file).output().map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let reported = |at: usize| {
        let run = Command::new("timeout").arg("60").arg(&binary).arg(at.to_string()).output();
        run.map(|run| String::from_utf8_lossy(&run.stderr).contains("runtime error")).map_err(|error| error.to_string())
    };
    (0..programs.len()).map(reported).collect()
}

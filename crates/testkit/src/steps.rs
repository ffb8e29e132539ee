//! Single steps: one statement on a state that is known in every byte and register. A run prints the state afterwards,
//! or that the step is not possible; questions put the same step to encoders, from values that only an assumption
//! fixes, so that nothing is folded away before a formula sees it.

use semantics::random::Random;
use std::fmt::Write;

const HEAD: &str = "\
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern int printf(const char *, ...);
extern void *memcpy(void *, const void *, unsigned long), *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
typedef struct __attribute__((packed)) { unsigned short v; } p2;
typedef struct __attribute__((packed)) { unsigned v; } p4;
typedef struct __attribute__((packed)) { unsigned long long v; } p8;
static unsigned char m[12], n[12];
static short h[6];
static int w[3];
static long long d[2];
static struct { unsigned a : 3, b : 7; short c; signed char e[8]; } s;
";

/// Bytes that lie after each pointer.
const REACH: u64 = 12;

/// A part of the state: how C names it, and its type.
const REGISTERS: [(&str, &str); 6] =
    [("x", "unsigned"), ("y", "unsigned"), ("z", "long long"), ("t", "int"), ("k", "unsigned"), ("l", "unsigned")];

/// A step from one state.
#[derive(Clone, Debug)]
pub struct SingleStep {
    /// Names, types and values of all parts, in order.
    state: Vec<(String, &'static str, u64)>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Statement(String),
    /// Goes on only where this holds.
    Assume(String),
}

/// What a step leads to: the values of all parts, or nothing if it is not possible.
pub type After = Option<Vec<i64>>;

impl SingleStep {
    /// The step of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let kind = statement(&mut random);
        let mut state = Vec::new();
        for (array, ty, length) in [
            ("m", "unsigned char", 12),
            ("n", "unsigned char", 12),
            ("h", "short", 6),
            ("w", "int", 3),
            ("d", "long long", 2),
            ("s.e", "signed char", 8),
        ] {
            state.extend((0..length).map(|at| (format!("{array}[{at}]"), ty, any(&mut random))));
        }
        state.push(("s.a".into(), "unsigned", random.below(8)));
        state.push(("s.b".into(), "unsigned", random.below(128)));
        state.push(("s.c".into(), "short", any(&mut random)));
        for (name, ty) in REGISTERS {
            let value = if matches!(name, "k" | "l") { random.below(6) } else { any(&mut random) };
            state.push((name.into(), ty, value));
        }
        SingleStep { state, kind }
    }

    fn text(&self, set: impl Fn(&str, &str, u64) -> String, assume: impl Fn(&str) -> String, end: &str) -> String {
        let mut text = format!("{HEAD}int main(void) {{\n    unsigned x, y, k, l; long long z; int t;\n");
        for (name, ty, value) in &self.state {
            writeln!(text, "    {}", set(name, ty, *value)).expect("strings take all text");
        }
        for (pointer, choice) in [("p", "k"), ("q", "l")] {
            writeln!(
                text,
                "    unsigned char *{pointer} = {choice} == 0 ? m : {choice} == 1 ? n : {choice} == 2 ? (unsigned char *)h \
                 : {choice} == 3 ? (unsigned char *)w : {choice} == 4 ? (unsigned char *)d : (unsigned char *)&s;"
            )
            .expect("strings take all text");
        }
        let step = match &self.kind {
            Kind::Statement(statement) => statement.clone(),
            Kind::Assume(condition) => assume(condition),
        };
        format!("{text}    {step}\n{end}    return 0;\n}}\n")
    }

    /// Executes the step and prints the state.
    pub fn printing(&self) -> String {
        let set = |name: &str, ty: &str, value: u64| format!("{name} = ({ty}){value}ull;");
        let mut end = String::new();
        for (name, _, _) in &self.state {
            writeln!(end, "    printf(\"%lld \", (long long){name});").expect("strings take all text");
        }
        self.text(set, |condition| format!("if (!({condition})) {{ printf(\"stuck\"); return 0; }}"), &end)
    }

    /// What the output of such a run says.
    pub fn after(&self, output: &str) -> After {
        if output.trim() == "stuck" {
            return None;
        }
        let values: Vec<i64> = output.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        assert_eq!(values.len(), self.state.len(), "each part of the state is printed");
        Some(values)
    }

    /// Reaches an error if the step leads to these values (`equal`), or if it leads elsewhere.
    pub fn asking(&self, after: &[i64], equal: bool) -> String {
        let set = |name: &str, ty: &str, value: u64| {
            format!("{name} = ({ty})__VERIFIER_nondet_ulonglong(); __VERIFIER_assume({name} == ({ty}){value}ull);")
        };
        let same = |((name, _, _), value): (&(String, &str, u64), &i64)| format!("{name} == ({value}ll)");
        let same: Vec<String> = self.state.iter().zip(after).map(same).collect();
        let same = if same.is_empty() { "1".into() } else { same.join(" && ") };
        let same = same.replace("(-9223372036854775808ll)", "(-9223372036854775807ll - 1)");
        let sign = if equal { "" } else { "!" };
        let assume = |condition: &str| format!("__VERIFIER_assume(({condition}) != 0);");
        self.text(set, assume, &format!("    if ({sign}({same})) reach_error();\n"))
    }

    /// Reaches an error if the step is possible.
    pub fn asking_whether(&self) -> String {
        self.asking(&[], true)
    }
}

fn any(random: &mut Random) -> u64 {
    match random.below(4) {
        0 => random.below(4),
        1 => u64::MAX - random.below(3),
        2 => 1 << random.below(64),
        _ => random.bits128() as u64,
    }
}

fn pick<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

/// How many bytes into an object, so that `width` bytes still fit: a constant, or what a register says.
fn offset(random: &mut Random, width: u64) -> String {
    let most = REACH - width;
    match random.below(3) {
        0 => format!("{} % {}", pick(random, &["x", "y", "(unsigned)t"]), most + 1),
        _ => random.below(most + 1).to_string(),
    }
}

/// An expression without undefined behaviour.
fn value(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return match random.below(8) {
            0 => format!("{}u", random.below(300)),
            1 => format!("p[{}]", offset(random, 1)),
            2 => format!("((p2 *)(p + {}))->v", offset(random, 2)),
            3 => format!("((p4 *)(q + {}))->v", offset(random, 4)),
            4 => format!("((p8 *)(p + {}))->v", offset(random, 8)),
            5 => pick(random, &["h[x % 6]", "w[y % 3]", "d[x & 1]", "m[3]", "w[1]", "s.a", "s.b", "s.c", "s.e[y & 7]"])
                .into(),
            _ => pick(random, &["x", "y", "z", "t"]).into(),
        };
    }
    let (a, b) = (value(random, depth - 1), value(random, depth - 1));
    match random.below(9) {
        0 => format!(
            "({}({a}))",
            pick(random, &["(signed char)", "(short)", "(unsigned short)", "(unsigned)", "~", "!"])
        ),
        1 => format!("((unsigned)({a}) {} ({b} & 31))", pick(random, &["<<", ">>"])),
        2 => format!("((long long)({a}) >> ({b} & 63))"),
        3 => format!("((unsigned)({a}) {} ((unsigned)({b}) | 1))", pick(random, &["/", "%"])),
        4 => format!("(({a}) {} ({b}))", pick(random, &["<", "<=", "==", "!="])),
        5 => format!("(x & 1 ? (unsigned)({a}) : (unsigned)({b}))"),
        _ => {
            let op = pick(random, &["+", "-", "*", "^", "&", "|"]);
            format!("((unsigned long long)({a}) {op} (unsigned long long)({b}))")
        }
    }
}

fn statement(random: &mut Random) -> Kind {
    let (simple, deep) = (value(random, 0), value(random, 2));
    Kind::Statement(match random.below(15) {
        0 => format!("{} = {deep};", pick(random, &["x", "y", "z", "t"])),
        1 => format!("{} = {simple};", pick(random, &["x", "z", "t"])),
        2 => format!("p[{}] = {deep};", offset(random, 1)),
        3 => format!("((p2 *)(p + {}))->v = {deep};", offset(random, 2)),
        4 => format!("((p4 *)(p + {}))->v = {simple};", offset(random, 4)),
        5 => format!("((p8 *)(q + {}))->v = {simple};", offset(random, 8)),
        6 => format!("{} = {deep};", pick(random, &["h[x % 6]", "w[y % 3]", "d[x & 1]", "m[5]", "w[2]", "s.e[y & 7]"])),
        7 => format!("s.{} = {deep};", pick(random, &["a", "b", "c"])),
        8 | 9 => {
            let (to, from) = (offset(random, 5), offset(random, 5));
            format!("memmove(p + {to}, q + {from}, {});", pick(random, &["1", "2", "3", "4", "5", "x % 6", "y & 3"]))
        }
        10 => format!("memcpy({}, {}, 8);", pick(random, &["w", "d", "s.e", "m + 4"]), pick(random, &["h", "n + 1"])),
        11 | 12 => {
            let to = offset(random, 6);
            format!("memset(p + {to}, (int)({simple}), {});", pick(random, &["1", "3", "4", "6", "x % 7", "t & 3"]))
        }
        13 => return Kind::Assume(value(random, 1)),
        _ => format!("if ({deep}) p[{}] = {simple};", offset(random, 1)),
    })
}

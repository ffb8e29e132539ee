//! The functions of `math.h`: one program per function and type that prints the results for many operands, bit by bit.
//! NaNs are quiet and compared as such. Operands are made by the program itself, from a seed.

use cfa::DataModel;

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Of one number.
    One,
    /// Of two.
    Two,
    /// Of three.
    Three,
    /// Of a number, to a `long long`; only numbers that fit are passed.
    Whole,
    /// Of a number, to an `int`.
    Int,
    /// Of a number and an `int`.
    Scale,
    /// Of a number, to a number and an `int`.
    Exponent,
    /// Of a number, to two numbers.
    Parts,
    /// Of two numbers, to a number and an `int`.
    Quotient,
}

/// All functions that the interpreter executes, named as for `double`.
pub const FUNCTIONS: &[(&str, Form)] = &[
    ("fabs", Form::One),
    ("sqrt", Form::One),
    ("floor", Form::One),
    ("ceil", Form::One),
    ("trunc", Form::One),
    ("round", Form::One),
    ("rint", Form::One),
    ("nearbyint", Form::One),
    ("roundeven", Form::One),
    ("logb", Form::One),
    ("lround", Form::Whole),
    ("llround", Form::Whole),
    ("lrint", Form::Whole),
    ("llrint", Form::Whole),
    ("ilogb", Form::Int),
    ("fmin", Form::Two),
    ("fmax", Form::Two),
    ("fmod", Form::Two),
    ("fdim", Form::Two),
    ("copysign", Form::Two),
    ("remainder", Form::Two),
    ("drem", Form::Two),
    ("nextafter", Form::Two),
    ("ldexp", Form::Scale),
    ("scalbn", Form::Scale),
    ("scalbln", Form::Scale),
    ("frexp", Form::Exponent),
    ("modf", Form::Parts),
    ("remquo", Form::Quotient),
];

/// Functions that only the interpreter executes, for `double` and `float`.
pub const TRANSCENDENTAL: &[(&str, Form)] = &[
    ("sin", Form::One),
    ("cos", Form::One),
    ("tan", Form::One),
    ("asin", Form::One),
    ("acos", Form::One),
    ("atan", Form::One),
    ("sinh", Form::One),
    ("cosh", Form::One),
    ("tanh", Form::One),
    ("exp", Form::One),
    ("exp2", Form::One),
    ("expm1", Form::One),
    ("log", Form::One),
    ("log2", Form::One),
    ("log10", Form::One),
    ("log1p", Form::One),
    ("atan2", Form::Two),
    ("pow", Form::Two),
    ("hypot", Form::Two),
    ("fma", Form::Three),
];

/// C's name, the suffix of functions, bits of exponent and of the significand field.
pub const TYPES: [(&str, &str, u32, u32); 3] =
    [("double", "", 11, 52), ("float", "f", 8, 23), ("long double", "l", 15, 64)];

/// A program that prints the results of a function on `count` operands, and what it does to `errno`.
pub fn generate(name: &str, form: Form, ty: usize, count: usize, seed: u64) -> String {
    let (ty, suffix, exponent, significand) = TYPES[ty];
    let (bytes, function) = ((1 + exponent + significand) / 8, format!("{name}{suffix}"));
    let call = match form {
        Form::One => format!("show({function}(x));"),
        Form::Two => format!("show({function}(x, y));"),
        Form::Three => format!("show({function}(x, y, z));"),
        Form::Whole => format!("if (x > -1e9 && x < 1e9) printf(\" %lld\", (long long){function}(x));"),
        Form::Int => format!("printf(\" %d\", {function}(x));"),
        Form::Scale => format!("show({function}(x, n)); show({function}(x, n % 64));"),
        Form::Exponent => format!("int e = 0; show({function}(x, &e)); if (x - x == 0) printf(\" %d\", e);"),
        Form::Parts => format!("{ty} w; show({function}(x, &w)); show(w);"),
        Form::Quotient => {
            format!("int q = 0; show({function}(x, y, &q)); if (x - x == 0 && y != 0) printf(\" %d\", q);")
        }
    };
    format!(
        "#define _GNU_SOURCE\n#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\
         static unsigned long long state = {seed}ull * 0x9e3779b97f4a7c15ull + 1;\n\
         static unsigned long long next(void) {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }}\n\
         static void show({ty} x) {{\n  unsigned char b[sizeof x];\n  memcpy(b, &x, sizeof x);\n  if (x != x) {{ printf(\" nan\"); return; }}\n  \
         printf(\" \");\n  for (int i = {last}; i >= 0; i--) printf(\"%02x\", b[i]);\n}}\n\
         static {ty} operand(void) {{\n  unsigned char b[16] = {{0}};\n  unsigned long long kind = next() % 16, top = (1ull << {exponent}) - 1, bias = top / 2;\n  \
         unsigned long long e = kind == 0 ? 0 : kind == 1 ? next() % 3 : kind == 2 ? top - next() % 3 : kind == 3 ? next() & top : \
         kind < 8 ? bias - 2 + next() % 5 : bias - 20 + next() % 60;\n  \
         unsigned long long ones = {ones}, f = next() % 6 == 0 ? 0 : next() & ones;\n  if (next() % 6 == 0) f &= ~(ones >> next() % 20);\n  \
         {integer_bit}if (e == top && f != {infinite}) f |= {quiet};\n  unsigned long long s = next() & 1;\n  unsigned short high = (unsigned short)(s << {exponent} | e);\n  {pack}\
         {ty} x;\n  memcpy(&x, b, sizeof x);\n  return x;\n}}\n\
         int main(void) {{\n  for (int i = 0; i < {count}; i++) {{\n    {ty} x = operand(), y = operand(), z = operand();\n    int n = (int)(next() % 2500) - 1250;\n    \
         printf(\"%d\", i);\n    {call}\n    printf(\"\\n\");\n  }}\n  return 0;\n}}\n",
        last = bytes - 1,
        ones = if significand == 64 { "~0ull".to_owned() } else { format!("(1ull << {significand}) - 1") },
        integer_bit = if significand == 64 { "if (e == 0) f &= ~(1ull << 63); else f |= 1ull << 63;\n  " } else { "" },
        infinite = if significand == 64 { "1ull << 63" } else { "0" },
        quiet = if significand == 64 { "1ull << 62".to_owned() } else { format!("1ull << {}", significand - 1) },
        pack = match significand {
            52 => "unsigned long long all = (unsigned long long)high << 52 | f;\n  memcpy(b, &all, 8);\n  ",
            23 => "unsigned all = (unsigned)high << 23 | (unsigned)f;\n  memcpy(b, &all, 4);\n  ",
            _ => "memcpy(b, &f, 8);\n  memcpy(b + 8, &high, 2);\n  ",
        },
    )
}

/// All programs for a data model, with a name for the reader. The interpreter executes transcendental functions as the
/// 64-bit library does; of 32-bit programs it does not.
pub fn programs(model: DataModel, count: usize, seed: u64) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (ty, (_, suffix, ..)) in TYPES.iter().enumerate() {
        let transcendental = TRANSCENDENTAL.iter().filter(|_| *suffix != "l" && model == DataModel::Lp64);
        for &(name, form) in FUNCTIONS.iter().chain(transcendental) {
            all.push((format!("{name}{suffix}"), generate(name, form, ty, count, seed)));
        }
    }
    all
}

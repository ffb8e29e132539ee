//! Float arithmetic and conversions, all types with all types, on tables of random and telling operands. NaNs are
//! compared as such, everything else bit by bit.

use semantics::random::Random;

/// C's name, a short name, bytes that carry value, bits of the significand field (x87: with its integer bit).
const TYPES: [(&str, &str, usize, u32); 4] =
    [("float", "f", 4, 23), ("double", "d", 8, 52), ("long double", "l", 10, 64), ("__float128", "q", 16, 112)];

/// C's name, a short name, the limits within which a float may be converted.
const INTEGERS: [(&str, &str, &str, &str); 8] = [
    ("signed char", "c", "-129", "128"),
    ("unsigned short", "us", "-1", "65536"),
    ("int", "i", "-2147483649.0", "2147483648.0"),
    ("unsigned", "u", "-1", "4294967296.0"),
    ("long", "li", "-2147483649.0", "2147483648.0"),
    ("long long", "ll", "-9223372036854775808.0", "9223372036854775808.0"),
    ("unsigned long long", "ull", "-1", "18446744073709551616.0"),
    ("_Bool", "b", "-1e30", "1e30"),
];

/// A program that prints the results of operations on `count` operands of each type.
pub fn generate(random: &mut Random, count: usize) -> String {
    let mut text =
        "int printf(const char *, ...);\ndouble sqrt(double); float sqrtf(float); long double sqrtl(long double);\n\
                    double fmod(double, double); double floor(double); double ceil(double); double trunc(double); \
                    double round(double);\n\
                    static void dump(const void *p, int n) {\n  for (int i = n - 1; i >= 0; i--)\n    \
                    printf(\"%02x\", ((const unsigned char *)p)[i]);\n}\n"
            .to_owned();
    for (ty, short, bytes, significand) in TYPES {
        let values: Vec<u128> = (0..count).map(|_| operand(random, bytes as u32 * 8, significand)).collect();
        text += &table(ty, short, bytes, &values);
    }
    for (ty, short, ..) in INTEGERS {
        text += &format!("static {ty} {short}s[{count}] = {{ {} }};\n", integers(random, ty, count));
    }
    for (ty, short, ..) in TYPES {
        text += &arithmetic(ty, short, count);
        text += &conversions(ty, short, count);
    }
    text += &library(count);
    text += "int main(void) {\n";
    for (_, short, ..) in TYPES {
        text += &format!("  arithmetic_{short}();\n  conversions_{short}();\n");
    }
    text += "  library();\n  return 0;\n}\n";
    text
}

/// Zeros, subnormals, powers of two, neighbours of integers, infinities, NaNs and plain random numbers.
fn operand(random: &mut Random, bits: u32, significand: u32) -> u128 {
    let exponent_bits = bits - 1 - significand;
    let bias = (1_u128 << (exponent_bits - 1)) - 1;
    let top = (1_u128 << exponent_bits) - 1;
    let exponent = match random.below(10) {
        0 => 0,
        1 => u128::from(random.below(3)),
        2 => top - u128::from(random.below(3)),
        3 => random.bits128() & top,
        _ => bias - 20 + u128::from(random.below(90)),
    };
    let ones = (1_u128 << significand) - 1;
    let mut fraction = match random.below(5) {
        0 => 0,
        1 => ones,
        2 => ones & !(ones >> random.below(u64::from(significand))),
        _ => random.bits128() & ones,
    };
    if bits == 80 {
        // The machine rejects numbers without the integer bit.
        let integer_bit = 1 << 63;
        fraction = if exponent == 0 { fraction & !integer_bit } else { fraction | integer_bit };
    }
    u128::from(random.below(2)) << (bits - 1) | exponent << significand | fraction
}

fn table(ty: &str, short: &str, bytes: usize, values: &[u128]) -> String {
    let rows: Vec<String> = values
        .iter()
        .map(|value| {
            let all: Vec<String> = value.to_le_bytes()[..bytes].iter().map(u8::to_string).collect();
            format!("{{ {{ {} }} }}", all.join(", "))
        })
        .collect();
    format!(
        "union {short}_bits {{ unsigned char bytes[sizeof({ty})]; {ty} value; }};\n\
         static union {short}_bits {short}s[] = {{ {} }};\n\
         static void show_{short}({ty} x) {{\n  union {short}_bits all;\n  all.value = x;\n  if (x != x) printf(\" nan\");\n  \
         else {{ printf(\" \"); dump(all.bytes, {bytes}); }}\n}}\n",
        rows.join(", ")
    )
}

fn integers(random: &mut Random, ty: &str, count: usize) -> String {
    let all: Vec<String> = (0..count)
        .map(|_| {
            let bits = random.next() >> random.below(64);
            let sign = if random.below(2) == 0 { "" } else { "-" };
            format!("({ty}){sign}{bits}ull")
        })
        .collect();
    all.join(", ")
}

fn arithmetic(ty: &str, short: &str, count: usize) -> String {
    format!(
        "static void arithmetic_{short}(void) {{\n  for (int i = 0; i < {count}; i++)\n    for (int j = 0; j < {count}; j++) {{\n      \
         {ty} a = {short}s[i].value, b = {short}s[j].value;\n      printf(\"{short} %d %d:\", i, j);\n      \
         show_{short}(a + b); show_{short}(a - b); show_{short}(a * b); show_{short}(a / b); show_{short}(-a);\n      \
         printf(\" %d%d%d%d%d%d%d\\n\", a < b, a <= b, a > b, a >= b, a == b, a != b, !a);\n    }}\n}}\n"
    )
}

fn conversions(ty: &str, short: &str, count: usize) -> String {
    let mut body = String::new();
    for (to, to_short, ..) in TYPES {
        body += &format!("    show_{to_short}(({to})a);\n");
    }
    for (to, _, low, high) in INTEGERS {
        body += &format!("    if (a > {low} && a < {high}) printf(\" %lld\", (long long)({to})a);\n");
    }
    for (_, from_short, ..) in INTEGERS {
        body += &format!("    show_{short}(({ty}){from_short}s[i]);\n");
    }
    body += &format!("    {{ {ty} c = a; c += is[i]; show_{short}(c); c = a; c++; show_{short}(c); }}\n");
    format!(
        "static void conversions_{short}(void) {{\n  for (int i = 0; i < {count}; i++) {{\n    {ty} a = {short}s[i].value;\n    \
         printf(\"{short} %d:\", i);\n{body}    printf(\"\\n\");\n  }}\n}}\n"
    )
}

fn library(count: usize) -> String {
    format!(
        "static void library(void) {{\n  for (int i = 0; i < {count}; i++) {{\n    double a = ds[i].value;\n    \
         printf(\"m %d:\", i);\n    show_d(sqrt(a)); show_f(sqrtf(fs[i].value)); show_l(sqrtl(ls[i].value)); show_d(floor(a)); \
         show_d(ceil(a)); show_d(trunc(a)); show_d(round(a));\n    \
         for (int j = 0; j < {count}; j++) show_d(fmod(a, ds[j].value));\n    printf(\"\\n\");\n  }}\n}}\n"
    )
}

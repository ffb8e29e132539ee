//! Float arithmetic and conversions, all types with all types, on tables of random and telling operands. NaNs are
//! compared as such, everything else bit by bit. Conversions of `_Float16` are compared for all its values, NaNs bit by
//! bit.

use semantics::random::Random;

/// C's name, a short name, bytes that carry value, bits of the significand field (x87: with its integer bit).
const TYPES: [(&str, &str, usize, u32); 5] = [
    ("_Float16", "h", 2, 10),
    ("float", "f", 4, 23),
    ("double", "d", 8, 52),
    ("long double", "l", 10, 64),
    ("__float128", "q", 16, 112),
];

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
    text += &wider_than_half(count);
    text += ALL_HALVES;
    text += "int main(void) {\n";
    for (_, short, ..) in TYPES {
        text += &format!("  arithmetic_{short}();\n  conversions_{short}();\n");
    }
    text += "  library();\n  wider_than_half();\n  all_halves();\n  return 0;\n}\n";
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
        _ => (bias + u128::from(random.below(90))).saturating_sub(20).min(top),
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

/// Expressions of type `_Float16` whose values have the precision of `float`, and where they are rounded.
fn wider_than_half(count: usize) -> String {
    format!(
        "static _Float16 same(_Float16 x) {{ return x; }}\nstatic float wide(float x) {{ return x; }}\n\
         static _Float16 last(int n, ...) {{\n  __builtin_va_list list;\n  __builtin_va_start(list, n);\n  \
         _Float16 x = __builtin_va_arg(list, _Float16);\n  __builtin_va_end(list);\n  return x;\n}}\n\
         static void wider_than_half(void) {{\n  for (int i = 0; i < {count}; i++)\n    for (int j = 0; j < {count}; j++) {{\n      \
         _Float16 a = hs[i].value, b = hs[j].value, c = hs[(i + j) % {count}].value, z;\n      int n = is[j];\n      \
         printf(\"w %d %d:\", i, j);\n      \
         show_f(a * b); show_f(a * b + c); show_h(a * b + c); show_h(a * b - a * b); show_d(a / b * c);\n      \
         show_h((a + b) + c); show_h((_Float16)(a + b) + c); show_f(a + n); show_f(n ? n : a); show_f(n > 0 ? a * b : c);\n      \
         show_h(same(a * b)); show_f(same(a * b)); show_f(wide(a * b)); show_h(last(1, a * b)); show_h(wide(a) * b);\n      \
         show_f(({{ a * b; }})); show_f((n, a * b)); show_f(-(a * b)); show_f(z = a * b); show_f(a * b ?: c);\n      \
         z = a; show_f(z *= b); z += n; show_h(z); z -= ds[i].value; show_h(z); z /= fs[j].value; show_h(z);\n      \
         z = a; show_h(z++); show_h(--z); show_f(a * b * 0.1f16); show_h(0.1f16 * c);\n      \
         n = n % 1000; n += a < 1000 && a > -1000 ? a : c == c; printf(\" %d\", n);\n      \
         printf(\" %d%d%d%d%d\\n\", a * b == (_Float16)(a * b), a * b < c, a + b >= c + c, !(a * b) == 0, a == 0.1f16);\n    }}\n}}\n"
    )
}

/// Conversions from all values of `_Float16`, and to it from what lies between two of them, and next to that.
const ALL_HALVES: &str = "static unsigned sum;
static void add(const void *p, int n) {
  for (int i = 0; i < n; i++)
    sum = sum * 31 + ((const unsigned char *)p)[i];
}
static void add_half(_Float16 x) { add(&x, 2); }
static void all_halves(void) {
  for (int high = 0; high < 256; high++) {
    sum = 0;
    for (int low = 0; low < 256; low++) {
      union { unsigned short bits; _Float16 value; } x, y;
      union { float value; unsigned bits; } f;
      union { double value; unsigned long long bits; } d;
      union { long double value; } l;
      x.bits = high << 8 | low;
      y.bits = x.bits + 1;
      f.value = x.value;
      add(&f, 4);
      d.value = x.value;
      add(&d, 8);
      l.value = x.value;
      add(&l, 10);
      add_half(f.value);
      add_half(d.value);
      add_half(l.value);
      add_half(-x.value);
      add_half(__builtin_fabsf16(x.value));
      add_half(__builtin_copysignf16(x.value, y.value));
      sum += !x.value + 2 * !!__builtin_isnan(x.value) + 4 * !!__builtin_isinf(x.value) + 8 * !!__builtin_signbit(x.value);
      sum += 16 * !!__builtin_isnormal(x.value) + 32 * !!__builtin_isfinite(x.value);
      if (x.value == x.value) {
        __float128 q = x.value;
        add(&q, 16);
        add_half(q);
      }
      if (x.value > -65536 && x.value < 65536) {
        sum += (int)x.value + 3 * (long long)x.value;
        add_half((int)x.value);
        add_half((long long)x.value * 3);
        if (x.value > -1)
          sum += (unsigned short)x.value + (unsigned long long)x.value;
      }
      f.value = f.value / 2 + (float)y.value / 2;
      d.value = f.value;
      if (d.value != d.value)
        continue;
      long double middle = l.value = d.value;
      for (int step = 0; step < 3; step++) {
        add_half(f.value);
        add_half(d.value);
        add_half(l.value);
        if (l.value == l.value)
          add_half((__float128)l.value);
        f.bits += step == 0 ? 1 : -2;
        d.bits += step == 0 ? 1 : -2;
        l.value = middle + (step == 0 ? middle : -middle) * 0x1p-60L;
      }
    }
    printf(\"all %d: %08x\\n\", high, sum);
  }
}
";

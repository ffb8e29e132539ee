//! Statements that print one line each.

/// What stands before all functions.
pub const FILE: &str = "
static u8 buffer[16];
static u64 sum(void) { u64 all = 0; for (int i = 0; i < 16; i++) all = all * 31 + buffer[i]; return all; }
static void fresh(void) { for (int i = 0; i < 16; i++) buffer[i] = 10 * i + 1; }
static struct { int s : 5; unsigned u : 7; } bits;
static int calls; static int called(void) { calls++; return 3; }
";

fn show(value: &str) -> String {
    format!("printf(\"%llx\\n\", (u64)({value}));")
}

/// Library functions and builtins that lowering knows itself.
pub fn builtins() -> Vec<String> {
    let mut rows: Vec<String> = [
        "memset(buffer + 3, 0x1ff, 4)",
        "memset(buffer, -1, 16)",
        "memset(buffer + 15, 7, 1)",
        "memset(buffer, 7, 0)",
        "memcpy(buffer + 8, buffer, 5)",
        "memmove(buffer + 2, buffer, 9)",
        "memmove(buffer, buffer + 2, 9)",
        "mempcpy(buffer + 8, buffer + 1, 5)",
        "__builtin_memset(buffer + 1, 'x', 2)",
    ]
    .into_iter()
    .flat_map(|call| {
        let result = format!("fresh(); printf(\"%d\\n\", (int)((u8 *){call} - buffer));");
        [result, show("sum()")]
    })
    .collect();
    for call in ["bzero(buffer + 5, 6)", "bcopy(buffer + 1, buffer + 4, 7)", "__builtin_bzero(buffer, 3)"] {
        rows.push(format!("fresh(); {call}; {}", show("sum()")));
    }
    let mut values = vec![
        "__builtin_expect(called() + 4, 7)",
        "__builtin_expect((u32)-1, 1)",
        "__builtin_constant_p(3)",
        "__builtin_constant_p(called())",
        "calls",
        "__builtin_classify_type(1)",
        "__builtin_classify_type(1.0)",
        "__builtin_classify_type(buffer)",
        "__builtin_object_size(buffer, 0)",
        "__builtin_object_size(buffer + 5, 0)",
        "__builtin_object_size(buffer + 1000, 0)",
        "__builtin_object_size(\"abc\" + 7, 0)",
        "__builtin_assume_aligned(buffer, 16) == buffer",
        "__builtin_bswap16(0x1234)",
        "__builtin_bswap32(0x12345678)",
        "__builtin_bswap64(0x123456789abcdef0ull)",
        "__builtin_bswap16((u16)(called() * 1000))",
        "__builtin_bswap32(called() * 100000007u)",
        "__builtin_bswap64(called() * 1000000000000000003ull)",
        "__builtin_add_overflow_p(15, 1, bits.s)",
        "__builtin_add_overflow_p(14, 1, bits.s)",
        "__builtin_add_overflow_p(-16, 0, bits.s)",
        "__builtin_sub_overflow_p(-16, 1, bits.s)",
        "__builtin_mul_overflow_p(12, 11, bits.u)",
        "__builtin_mul_overflow_p(12, 10, bits.u)",
        "__builtin_sub_overflow_p(0, 1, bits.u)",
        "__builtin_add_overflow_p(127, 0, bits.u)",
        "__builtin_add_overflow_p(128, 0, bits.u)",
        "__builtin_add_overflow_p(0xffffffffu, 1u, (u64)0)",
        "__builtin_add_overflow_p(0x7fffffff, 1, (i32)0)",
        "__builtin_add_overflow_p(-1ll, 0, (u64)0)",
    ]
    .into_iter()
    .map(str::to_owned)
    .collect::<Vec<_>>();
    for x in ["-5", "5", "0", "-2147483647 - 1", "2147483647"] {
        values.extend(["abs", "labs", "llabs", "__builtin_abs", "__builtin_llabs"].map(|f| format!("{f}({x})")));
    }
    values.push("llabs(-9223372036854775807ll)".into());
    values.extend(TYPED.iter().map(|&value| value.to_owned()));
    values.extend(counts());
    rows.extend(values.iter().map(|value| show(value)));
    rows.extend(STATEMENTS.iter().map(|&row| row.to_owned()));
    rows.extend(overflows());
    rows
}

/// What gcc knows of undeclared builtins, and which arguments it sees through.
const TYPED: &[&str] = &[
    "sizeof(__builtin_strlen(\"a\"))",
    "sizeof(__builtin_strspn(\"a\", \"b\"))",
    "sizeof(*__builtin_strstr(\"abc\", \"b\"))",
    "sizeof(__builtin_ldexp(1, 2))",
    "sizeof(__builtin_ldexpf(1, 2))",
    "sizeof(__builtin_ldexpl(1, 2))",
    "sizeof(__builtin_sinf(1))",
    "sizeof(__builtin_sin(1))",
    "sizeof(__builtin_expect((char)1, 1))",
    "sizeof(__builtin_bswap16(1))",
    "sizeof(__builtin_bswap32(1))",
    "sizeof(__builtin_bswap64(1))",
    "sizeof(__builtin_popcountll(1))",
    "sizeof(abs(1))",
    "sizeof(labs(1))",
    "sizeof(__builtin_llabs(1))",
    "(int)__builtin_ldexp(3.0, 2)",
    "(int)__builtin_ldexpl(3.0L, 2)",
    "*__builtin_strchr(\"abc\", 'b')",
    "*(char *)__builtin_memchr(\"abc\", 'c', 3)",
    "__builtin_labs(-5)",
    "__builtin_imaxabs(-5000000000)",
    "__builtin_bswap16(0x123456)",
    "__builtin_bswap32(-2ll)",
    "__builtin_expect_with_probability(called(), 3, 0.9)",
    "__builtin_constant_p(\"abc\")",
    "__builtin_constant_p(1.5)",
    "__builtin_constant_p(buffer[1])",
    "__builtin_classify_type(bits)",
    "__builtin_classify_type((char)1)",
    "__builtin_object_size(buffer + 5, 2)",
    "calls",
];

/// Arguments are evaluated once, and results are what they were before memory changed.
const STATEMENTS: &[&str] = &[
    "{ u32 k = 7; u32 r = __builtin_bswap32(k++ + 0x01020304u); printf(\"%x %u\\n\", r, k); }",
    "{ static u8 *at; at = (u8 *)&at; u8 *r = memset(at, 0, sizeof at); printf(\"%d\\n\", r == (u8 *)&at); }",
    "{ static u8 *at; u8 *q = buffer; at = (u8 *)&at; u8 *r = memcpy(at, &q, sizeof q); printf(\"%d\\n\", r == (u8 *)&at); }",
    "{ static __SIZE_TYPE__ n; __SIZE_TYPE__ two = 2; n = sizeof n; u8 *r = mempcpy(&n, &two, n); printf(\"%d\\n\", (int)(r - (u8 *)&n)); }",
    "{ static int n = __builtin_strlen(\"abcd\"); printf(\"%d\\n\", n); }",
    "{ static int n = __builtin_strlen(\"ab\\0cd\"); printf(\"%d\\n\", n); }",
    "{ static int n = __builtin_popcount(0xf0f1) + 100 * __builtin_clz(5); printf(\"%d\\n\", n); }",
    "{ static char t[__builtin_ctz(8)]; printf(\"%d\\n\", (int)sizeof t); }",
    "{ int n = __builtin_strlen((char *)memcpy(buffer, \"xyz\", 4)); printf(\"%d\\n\", n); }",
];

/// Functions that count bits, of constants and of variables.
fn counts() -> Vec<String> {
    let numbers =
        ["1", "2", "8", "0x80", "0x7fffffff", "-1", "-2", "0x12345600", "0x80000000u", "0x8000000000000000ull"];
    let mut values = Vec::new();
    for (name, suffix) in ["ctz", "clz", "ffs", "popcount", "parity", "clrsb"]
        .into_iter()
        .flat_map(|name| ["", "l", "ll"].map(|suffix| (name, suffix)))
    {
        // Of zero the first two say nothing; where fewer bits are looked at, the last number is zero.
        let defined = match (name, suffix) {
            ("ctz" | "clz", "ll") => &numbers[..],
            ("ctz" | "clz", _) => &numbers[..9],
            _ => &["0", "3", "-2", "0x100", "0x8000000000000000ull", "-9223372036854775807ll"],
        };
        for number in defined {
            values.push(format!("__builtin_{name}{suffix}({number})"));
            values.push(format!("__builtin_{name}{suffix}({number} + (called() - 3))"));
        }
    }
    values
}

/// Generic and typed arithmetic that says whether it overflowed, around the limits of all types.
fn overflows() -> Vec<String> {
    let mut rows = Vec::new();
    let edges = ["0", "1", "-1", "127", "-128", "255", "32768", "2147483647", "-2147483647 - 1", "4294967295u"];
    let large = ["9223372036854775807ll", "-9223372036854775807ll - 1", "18446744073709551615ull"];
    let all: Vec<&str> = edges.into_iter().chain(large).collect();
    for (at, a) in all.iter().enumerate() {
        for (step, op) in ["add", "sub", "mul"].into_iter().enumerate() {
            for (shift, ty) in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"].into_iter().enumerate() {
                let b = all[(3 * at + step + 5 * shift + 1) % all.len()];
                rows.push(format!(
                    "{{ {ty} r; int o = __builtin_{op}_overflow({a}, {b}, &r); printf(\"%d %llx\\n\", o, (u64)r); }}"
                ));
            }
            for (shift, (name, ty)) in [
                ("s", "int"),
                ("sl", "long"),
                ("sll", "long long"),
                ("u", "unsigned"),
                ("ul", "unsigned long"),
                ("ull", "u64"),
            ]
            .into_iter()
            .enumerate()
            {
                let b = all[(5 * at + 2 * step + 7 * shift) % all.len()];
                let name = format!("__builtin_{}{op}{}_overflow", &name[..1], &name[1..]);
                rows.push(format!("{{ {ty} r; int o = {name}({a}, {b}, &r); printf(\"%d %llx\\n\", o, (u64)r); }}"));
            }
        }
    }
    rows
}

/// An expression on constants and the same on variables.
fn twice(
    ty: &str,
    a: &str,
    b: &str,
    show: impl Fn(&str) -> String,
    value: impl Fn(&str, &str) -> String,
) -> [String; 2] {
    let folded = show(&value(&format!("(({ty}){a})"), &format!("(({ty}){b})")));
    [folded, format!("{{ {ty} a = ({ty}){a}, b = ({ty}){b}; {} }}", show(&value("a", "b")))]
}

pub fn integers() -> Vec<String> {
    let mut rows = Vec::new();
    let edges =
        ["0", "1", "2", "-1", "7", "100", "128", "-128", "32767", "2147483647", "-2147483648ll", "0x123456789abcdefll"];
    for (shift, ty) in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"].into_iter().enumerate() {
        for (at, a) in edges.into_iter().enumerate().filter(|(at, _)| (at + shift) % 2 == 0) {
            let b = edges[(at * 5 + shift * 3 + 4) % edges.len()];
            for op in ["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"] {
                rows.extend(twice(ty, a, b, show, |a, b| format!("{a} {op} {b}")));
            }
            // Neither zero nor -1 divides.
            rows.extend(twice(ty, a, "3", show, |a, b| format!("{a} / {b} * 1000 + {a} % {b}")));
            rows.extend(twice(ty, a, "100", show, |a, b| format!("{a} / {b} - {a} % {b}")));
            for distance in ["0", "5"] {
                rows.extend(twice(ty, a, distance, show, |a, b| format!("({a} << {b}) ^ ({a} >> {b})")));
            }
            rows.extend(twice(ty, a, b, show, |a, b| format!("-{a} + ~{b} * 3 + !{a}")));
            rows.extend(twice(ty, a, b, show, |a, b| format!("{a} < 0 ? {b} : {a} == 0 ? 17 : {a}")));
            for other in ["i8", "u16", "i32", "u64", "_Bool"] {
                rows.extend(twice(ty, a, b, show, |a, b| format!("({other}){a} + ({other}){b}")));
            }
            if (at + shift) % 4 == 0 {
                rows.extend(same_operands(ty, a));
            }
        }
    }
    rows
}

/// Identities that lowering may use: operators whose operands are equal, zero, one or all ones.
fn same_operands(ty: &str, a: &str) -> Vec<String> {
    let values = [
        "a - a",
        "a ^ a",
        "a & a",
        "a | a",
        "a == a",
        "a != a",
        "a < a",
        "a <= a",
        "a + 0",
        "0 + a",
        "a * 1",
        "1 * a",
        "a * 0",
        "0 * a",
        "a & 0",
        "a & -1",
        "a | 0",
        "a | -1",
        "a ^ 0",
        "a ^ -1",
        "a - 0",
        "0 - a",
        "a / 1",
        "a % 1",
        "a << 0",
        "a >> 0",
        "- -a",
        "~~a",
        "!!a",
        "a == 0",
        "0 == a",
        "(a == 0) == 0",
        "(a < 5) != 0",
        "(a < 5) == 1",
        "(a == 3) & 1",
        "(i64)(i8)a",
        "(u8)(i64)a",
        "(i8)(i16)(i32)a",
        "(u64)(u8)a",
        "a + 5 - 5",
        "a + 5 == 12",
        "(a & 15) == 7",
        "(a | 1) == 0",
    ];
    values.iter().map(|value| format!("{{ {ty} a = ({ty}){a}; {} }}", show(value))).collect()
}

pub fn floats() -> Vec<String> {
    let mut rows = Vec::new();
    let edges = [
        "0.0",
        "-0.0",
        "1.5",
        "-2.75",
        "1e300",
        "-1e-320",
        "3.4e38",
        "1.0 / 0.0",
        "-1.0 / 0.0",
        "0.1",
        "16777217.0",
        "0.5",
    ];
    for (shift, ty) in ["float", "double", "long double"].into_iter().enumerate() {
        let bits = |value: &str| format!("{{ double r = (double)({value}); u64 v; memcpy(&v, &r, 8); {} }}", show("v"));
        for (at, a) in edges.into_iter().enumerate() {
            for step in [1, 4, 7] {
                let b = edges[(at + step + shift) % edges.len()];
                for op in ["+", "-", "*", "/"] {
                    // The sign of a NaN that an operation makes is not defined.
                    let value = |a: &str, b: &str| format!("({a} {op} {b}) != ({a} {op} {b}) ? -7 : ({a} {op} {b})");
                    rows.extend(twice(ty, &format!("({a})"), &format!("({b})"), bits, value));
                }
                for op in ["<", "<=", ">", ">=", "==", "!=", "&&", "||"] {
                    rows.extend(twice(ty, &format!("({a})"), &format!("({b})"), show, |a, b| format!("{a} {op} {b}")));
                }
            }
            rows.extend(twice(ty, &format!("({a})"), "1", bits, |a, _| format!("-{a}")));
            rows.extend(twice(ty, &format!("({a})"), "1", show, |a, _| format!("!{a}")));
            rows.extend(twice(ty, &format!("({a})"), "1", show, |a, _| format!("{a} ? 3 : 4")));
        }
        for a in ["0.0", "-0.75", "1.5", "-2.75", "100.999", "-127.5", "0.1"] {
            for to in ["i8", "i16", "i32", "i64", "_Bool"] {
                rows.extend(twice(ty, &format!("({a})"), "1", show, |a, _| format!("({to}){a}")));
            }
        }
    }
    for from in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "_Bool"] {
        for a in ["0", "1", "-1", "16777217", "2147483647", "-9007199254740993ll", "0x7fffffffffffffffll"] {
            for to in ["float", "double"] {
                let value = |a: &str, _: &str| format!("({to}){a}");
                let bits = |value: &str| {
                    format!("{{ double r = (double)({value}); u64 v; memcpy(&v, &r, 8); {} }}", show("v"))
                };
                rows.extend(twice(from, a, "1", bits, value));
            }
        }
    }
    rows
}

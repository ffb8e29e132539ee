//! Random `printf` conversions: every flag, width, precision, length and letter, on telling values.

use semantics::random::Random;

/// A program that prints `count` random conversions.
pub fn generate(random: &mut Random, count: usize) -> String {
    let mut body = String::new();
    for at in 0..count {
        body += &call(random, at);
    }
    format!(
        "int printf(const char *, ...);\nint snprintf(char *, __SIZE_TYPE__, const char *, ...);\n\
         static char buffer[100];\nint main(void) {{\n{body}  return 0;\n}}\n"
    )
}

fn pick<'t>(random: &mut Random, from: &[&'t str]) -> &'t str {
    from[random.below(from.len() as u64) as usize]
}

fn call(random: &mut Random, at: usize) -> String {
    let flags: String = "-+ #0".chars().filter(|_| random.below(4) == 0).collect();
    let mut arguments = String::new();
    let width = match random.below(4) {
        0 => format!("{}", 1 + random.below(25)),
        1 => {
            arguments += &format!(", {}", random.below(40) as i64 - 20);
            "*".to_owned()
        }
        _ => String::new(),
    };
    let precision = match random.below(5) {
        0 => format!(".{}", random.below(25)),
        1 => ".".to_owned(),
        2 => {
            arguments += &format!(", {}", random.below(30) as i64 - 5);
            ".*".to_owned()
        }
        _ => String::new(),
    };
    let (length, letter, value) = value(random);
    let format = format!("%{flags}{width}{precision}{length}{letter}");
    if random.below(6) == 0 {
        let size = random.below(30);
        return format!(
            "  printf(\"{at} %d \", snprintf(buffer, {size}, \"{format}\"{arguments}, {value}));\n  \
             printf(\"[%s]\\n\", buffer);\n"
        );
    }
    format!("  printf(\"{at} [{format}] %d\\n\"{arguments}, {value}, {at});\n")
}

fn value(random: &mut Random) -> (&'static str, &'static str, String) {
    let integer = random.next() >> random.below(64);
    let sign = pick(random, &["", "-"]);
    match random.below(10) {
        0..4 => {
            let letter = pick(random, &["d", "i", "u", "x", "X", "o"]);
            let (length, ty) = [
                ("", "int"),
                ("hh", "int"),
                ("h", "int"),
                ("l", "long"),
                ("ll", "long long"),
                ("z", "__SIZE_TYPE__"),
                ("j", "long long"),
                ("t", "__PTRDIFF_TYPE__"),
            ][random.below(8) as usize];
            let number = if random.below(6) == 0 { 0 } else { integer };
            (length, letter, format!("({ty}){sign}{number}ull"))
        }
        4 => ("", "c", (33 + random.below(90)).to_string()),
        5 => ("", "s", pick(random, &["\"\"", "\"a\"", "\"hello, world\"", "(char *)0"]).to_owned()),
        6 => ("", "p", pick(random, &["(void *)0", "(void *)1", "(void *)0x7fffabcd"]).to_owned()),
        _ => {
            let letter = pick(random, &["f", "F", "e", "E", "g", "G", "a", "A"]);
            let number = float(random);
            if random.below(4) == 0 { ("L", letter, format!("{number}L")) } else { ("", letter, number) }
        }
    }
}

fn float(random: &mut Random) -> String {
    let sign = pick(random, &["", "-"]);
    let number = match random.below(8) {
        0 => "0.0".to_owned(),
        1 => format!("{}.5", random.below(100)),
        2 => format!("{}.0", random.next() >> random.below(64)),
        3 => pick(random, &["0.1", "0.5", "1e-5", "9.9999995", "99999.95", "0.00001234", "123456.0", "1234567.0"])
            .to_owned(),
        4 => format!("{}e-{}", random.next(), random.below(330)),
        5 => format!("{}e{}", random.below(1000), random.below(300)),
        _ => format!("0x1.{:x}p{}", random.next() >> 12, random.below(140) as i64 - 70),
    };
    format!("{sign}{number}")
}

//! Harnesses of the kind that engineers write for small pieces of C (`examples/natural`), and gcc as the judge of what
//! their heads promise.
//!
//! ```text
//! //~ verdict: false
//! //~ property: valid-deref
//! //~ inputs: 32 32 32
//! ```
//!
//! The property is that no assertion fails, unless a head names another one. A promise is judged by executions: with the
//! inputs of the head, or with many that are drawn from the numbers and characters of the text.

use crate::gcc;
use crate::scratch::Scratch;
use cfa::DataModel;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One program.
#[derive(Clone, Debug)]
pub struct Harness {
    /// The file without its ending.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Whether the property is violated.
    pub fails: bool,
    /// Whether the property is that accesses of memory are valid.
    pub valid_deref: bool,
    /// Inputs that show a violation, if the head has some.
    pub inputs: Vec<i64>,
}

/// What executions showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Executed {
    /// So many reached their end.
    pub ended: u64,
    /// So many violated the property; one at most if that ends the program.
    pub violated: u64,
}

/// Random executions of a program.
const RUNS: u64 = 100_000;

/// The harnesses of a folder, by name.
pub fn read(folder: &Path) -> Result<Vec<Harness>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|ending| ending == "c") {
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            found.push(parse(path, text)?);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn parse(path: PathBuf, text: String) -> Result<Harness, String> {
    let wrong = |what: &str| format!("{}: {what}", path.display());
    let head = |key: &str| text.lines().find_map(|line| line.strip_prefix("//~ ")?.strip_prefix(key));
    let fails = match head("verdict: ") {
        Some("true") => false,
        Some("false") => true,
        _ => return Err(wrong("expected `//~ verdict: true` or `false`")),
    };
    let valid_deref = match head("property: ") {
        None => false,
        Some("valid-deref") => true,
        Some(_) => return Err(wrong("the only property to name is `valid-deref`")),
    };
    let inputs = head("inputs: ").unwrap_or("").split_whitespace().map(str::parse).collect::<Result<_, _>>();
    let inputs = inputs.map_err(|_| wrong("inputs are numbers"))?;
    let name = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Harness { name, path, text, fails, valid_deref, inputs })
}

/// The numbers and the codes of the characters in a text.
fn constants(text: &str) -> Vec<i64> {
    let mut found = vec![0];
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let word = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let number = match word.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => word.parse(),
        };
        found.extend(number);
    }
    let quotes: Vec<char> = text.chars().collect();
    found.extend(quotes.windows(3).filter(|three| three[0] == '\'' && three[2] == '\'').map(|three| three[1] as i64));
    found.sort_unstable();
    found.dedup();
    found
}

/// What gcc's program does.
pub fn execute(harness: &Harness) -> Result<Executed, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let (file, binary) = (scratch.file("harness.c"), scratch.file("harness"));
    let text = format!("{JUDGE}\n#define main judge_harness\n{}", harness.text);
    let sanitize: &[&str] = if harness.valid_deref { &["-fsanitize=address"] } else { &[] };
    gcc::compile(&text, DataModel::Lp64, sanitize, &file, &binary)?;
    let (runs, numbers) = match harness.inputs.is_empty() {
        true => (RUNS, constants(&harness.text)),
        false => (0, harness.inputs.clone()),
    };
    let words = numbers.iter().map(i64::to_string);
    let output = Command::new(&binary).arg(runs.to_string()).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| error.to_string())?;
    if harness.valid_deref && String::from_utf8_lossy(&output.stderr).contains("ERROR: AddressSanitizer") {
        return Ok(Executed { ended: 0, violated: 1 });
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut counts = text.split_whitespace().map(str::parse);
    match (counts.next(), counts.next()) {
        (Some(Ok(ended)), Some(Ok(violated))) => Ok(Executed { ended, violated }),
        _ => Err(format!("{}: gcc's program ends with {}", harness.name, output.status)),
    }
}

/// Executes a harness again and again: a failed assumption or assertion leads back to the loop. A number of runs of 0
/// means one run with the given inputs.
const JUDGE: &str = r#"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf judge_start;
static unsigned long long judge_state = 88172645463325252ull;
static long long judge_numbers[512];
static int judge_count, judge_used, judge_given;
static unsigned long judge_ended, judge_violated;
static unsigned long long judge_random(void) {
    judge_state ^= judge_state << 13;
    judge_state ^= judge_state >> 7;
    return judge_state ^= judge_state << 17;
}
static long long judge_input(void) {
    if (judge_given) return judge_used < judge_count ? judge_numbers[judge_used++] : 0;
    long long a = judge_numbers[judge_random() % judge_count], b = judge_numbers[judge_random() % judge_count];
    switch (judge_random() % 4) {
    case 0: return (long long)judge_random();
    case 1: return (long long)(judge_random() % 8);
    case 2: return a + (long long)(judge_random() % 3) - 1;
    default: return a < b ? a + (long long)(judge_random() % (unsigned long long)(b - a)) : a;
    }
}
#define JUDGE_INPUT(name, type) type __VERIFIER_nondet_##name(void) { return (type)judge_input(); }
JUDGE_INPUT(bool, _Bool)
JUDGE_INPUT(char, char)
JUDGE_INPUT(schar, signed char)
JUDGE_INPUT(uchar, unsigned char)
JUDGE_INPUT(short, short)
JUDGE_INPUT(ushort, unsigned short)
JUDGE_INPUT(int, int)
JUDGE_INPUT(uint, unsigned)
JUDGE_INPUT(size_t, size_t)
void __VERIFIER_assume(int holds) { if (!holds) longjmp(judge_start, 1); }
void __assert_fail(const char *condition, const char *file, unsigned line, const char *function) {
    longjmp(judge_start, 2);
}
int judge_harness(void);
int main(int argc, char **argv) {
    unsigned long runs = strtoul(argv[1], NULL, 10);
    for (judge_count = 0; judge_count + 2 < argc && judge_count < 512; judge_count++) {
        judge_numbers[judge_count] = strtoll(argv[judge_count + 2], NULL, 10);
    }
    judge_given = runs == 0;
    static unsigned long run;
    for (run = 0; run < (judge_given ? 1 : runs); run++) {
        switch (setjmp(judge_start)) {
        case 0:
            judge_harness();
            judge_ended++;
            break;
        case 2: judge_violated++;
        }
    }
    printf("%lu %lu\n", judge_ended, judge_violated);
    return 0;
}
"#;

//! Lowering never panics and never makes an invalid program, whatever the text: golden programs with tokens
//! dropped, doubled, swapped and replaced.

use base::{Interner, Severity, SourceMap};
use cfa::DataModel;
use lower::{Options, lower};
use semantics::random::Random;

const SEEDS: &[&str] = &[
    include_str!("programs/gnu.c"),
    include_str!("programs/library.c"),
    include_str!("programs/types.c"),
    "int g; int f(int a, ...) { return a ? f(a - 1, 2) : g; } int main(int c, char **v) { return f(c, v[0], 1.5); }",
    "struct s { int a : 3; struct s *n; union { float f; long l; }; } x = { 1, &x, { .l = 3 } }; int main(void) { struct s y = x; return y.n->a + (y.f > 1); }",
    "typedef int (*fp)(void); int one(void) { return 1; } fp t[] = { one, [3] = one }; int main(void) { for (int i = 0; i < 4; i++) if (t[i] && t[i]()) goto out; out: return 0; }",
    "int main(void) { int n = 3, a[n], *p = a; void *l = &&end; switch (n) { case 1: do { n--; default: a[n] = *p++; } while (n > 0 && a[n - 1]); } goto *l; end: return sizeof a; }",
    "enum e { A, B = A + 2 } v; _Complex double z; int main(void) { __auto_type q = v ? B : A; asm volatile(\"\" : \"+r\"(q) : \"m\"(v)); return ({ int t = q; t; }) + _Generic(q, int: 1, default: 2); }",
];

fn tokens(text: &str) -> Vec<String> {
    let mut result = Vec::new();
    let mut current = String::new();
    let mut quoted = false;
    for c in text.chars() {
        let word = c.is_alphanumeric() || c == '_' || c == '"' || quoted;
        if !word && !current.is_empty() {
            result.push(std::mem::take(&mut current));
        }
        if c == '"' {
            quoted = !quoted;
        }
        if word {
            current.push(c);
        } else {
            result.push(c.to_string());
        }
    }
    result.push(current);
    result
}

fn mutate(tokens: &mut Vec<String>, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(tokens.len() as u64) as usize;
        let other = random.below(tokens.len() as u64) as usize;
        match random.below(5) {
            0 => _ = tokens.remove(at),
            1 => tokens.insert(at, tokens[other].clone()),
            2 => tokens.swap(at, other),
            3 => tokens[at] = tokens[other].clone(),
            _ => {
                let words =
                    ["0", "-1", "*", "&", "int", "struct", "(", ")", "{", "}", "1.5", "\"s\"", "x", "[", "]", "."];
                tokens[at] = words[random.below(words.len() as u64) as usize].to_owned();
            }
        }
    }
}

#[test]
fn no_text_makes_lowering_panic() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let from: u64 = number("MUTATIONS_FROM").unwrap_or(0);
    let rounds: u64 = number("MUTATIONS").unwrap_or(300);
    let mut lowered = 0;
    for round in from..from + rounds {
        let mut random = Random::new(round);
        let mut words = tokens(SEEDS[round as usize % SEEDS.len()]);
        mutate(&mut words, &mut random);
        let text = words.concat();
        let model = if round % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let mut names = Interner::default();
        let mut sources = SourceMap::new();
        let start = sources.add("m.c", text.clone());
        let result = std::panic::catch_unwind(move || {
            let (ast, diagnostics) = syntax::parse(&text, start, &mut names);
            if diagnostics.iter().any(|found| found.severity == Severity::Error) {
                return None;
            }
            let program = lower(vec![ast], names, sources, &Options { model, ..Options::default() }).ok()?.program;
            Some(program.violations())
        });
        match result {
            Ok(None) => {}
            Ok(Some(found)) => {
                lowered += 1;
                assert!(found.is_empty(), "round {round}: {found:?}\n{}", words.concat());
            }
            Err(_) => panic!("round {round} panicked:\n{}", words.concat()),
        }
    }
    assert!(lowered > 0 || rounds < 300, "some mutants are still programs");
}

//! Loops that are taken at once end as the interpreter says.

use super::*;
use crate::test_program::program;
use semantics::choices::{Choices, Replayer};
use semantics::interpreter::{self, Options, RunEnd, Tracing};
use semantics::random::Random;
use std::fmt::Write;

/// How the interpreter says that the program ends, and after how many edges.
fn executed(program: &Program) -> Option<(End, u128)> {
    let none = Choices::default();
    let (mut chooser, cancel) = (Replayer::new(&none), Cancel::never());
    let options = Options { steps: 300_000, tracing: Tracing::On, ..Options::default() };
    let run = interpreter::run(program, &mut chooser, &mut std::io::sink(), &options, &cancel);
    let end = match run.outcome {
        RunEnd::Target(target) => End::Target(target),
        RunEnd::Exit(_) | RunEnd::Assumed => End::Ended,
        _ => return None,
    };
    Some((end, run.path.len() as u128))
}

fn accelerated(text: &str, most: u64) -> Option<(End, u128)> {
    accelerate(&program(text), most, &Cancel::never()).expect("nobody stops it")
}

#[test]
fn loops_that_count_take_few_steps() {
    let ends = |text: &str| accelerated(text, 20_000).map(|(end, _)| end);
    let count = "int main() { unsigned x = 0, y; while (x < 0x0fffffff) { y = 0; while (y < 10) y++; x++; }";
    assert_eq!(ends(&format!("{count} if (x % 2) reach_error(); }}")), Some(End::Target(0)));
    assert_eq!(ends(&format!("{count} if (x % 2 == 0) reach_error(); }}")), Some(End::Ended));
    let phases = "int main() { unsigned x = 0; while (x < 0x0fffffff) { if (x < 0xfff1) x++; else x += 2; }";
    assert_eq!(ends(&format!("{phases} if (x % 2) reach_error(); }}")), Some(End::Target(0)));
    let nested = "int main() { unsigned x, y, z; for (x = 0; x < 300000000; x++) for (y = 0; y < 300000000; y++) \
                  for (z = 0; z < 300000000; z++) if (z == 300000000) reach_error(); ";
    assert_eq!(ends(&format!("{nested} if (x != y || y != z) reach_error(); }}")), Some(End::Ended));
    assert_eq!(ends(&format!("{nested} if (x == y) reach_error(); }}")), Some(End::Target(1)));
    let called = "int next(int x) { return x + 3; } int main() { int x = 0; while (x < 2000000000) x = next(x);";
    assert_eq!(ends(&format!("{called} if (x == 2000000001) reach_error(); }}")), Some(End::Target(0)));
    let turns = "int main() { long n = 0, odd = 0; while (n < 2000000001) { if (n % 2) odd++; n++; }";
    assert_eq!(ends(&format!("{turns} if (odd == 1000000000) reach_error(); }}")), Some(End::Target(0)));
}

#[test]
fn loops_without_end_and_open_values() {
    assert_eq!(
        accelerated("int main() { unsigned x = 0; while (1) x += 3; reach_error(); }", 1000).unwrap().0,
        End::Endless
    );
    assert_eq!(accelerated("int main() { int x; if (x) reach_error(); }", 1000), None);
    assert_eq!(accelerated("int main() { int x = 0; if (1 / x) reach_error(); }", 1000), None);
    // The counter comes round before it meets the odd number.
    let odd = "int main() { unsigned char c = 0; unsigned n = 0; while (c != 7) { c += 2; n++; if (n == 1000000) reach_error(); } }";
    assert_eq!(accelerated(odd, 200_000).unwrap().0, End::Target(0));
}

/// A loop nest over a few variables: updates are mostly by constants, conditions compare anything.
struct Generator(Random);

impl Generator {
    fn below(&mut self, most: u64) -> u64 {
        self.0.below(most)
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c", "d", "e"][self.below(5) as usize]
    }

    fn operand(&mut self) -> String {
        match self.below(3) {
            0 => self.variable().into(),
            1 => (self.below(200) as i64 - 50).to_string(),
            _ => ["127", "128", "255", "256", "-1", "32767", "65535", "1000"][self.below(8) as usize].into(),
        }
    }

    fn condition(&mut self) -> String {
        let comparison = ["<", "<=", "!=", "==", ">", ">="][self.below(6) as usize];
        match self.below(5) {
            0 => format!("({} + {}) {comparison} {}", self.variable(), self.operand(), self.operand()),
            1 => format!("{} % {} {comparison} {}", self.variable(), 2 + self.below(3), self.below(3)),
            2 => format!("(long)({}) * {} {comparison} {}", self.variable(), self.below(5), self.operand()),
            _ => format!("{} {comparison} {}", self.variable(), self.operand()),
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let variable = self.variable();
        match self.below(if depth == 0 { 7 } else { 10 }) {
            0..=1 => format!("{variable} += {};", self.below(9) as i64 - 3),
            2 => format!("{variable} += {};", self.below(1 << 32) as i32),
            3 => format!("{variable} = {};", self.operand()),
            4 => format!("{variable} -= {};", self.operand()),
            5 => format!("{variable} = step({});", self.operand()),
            6 => format!("{variable} = {} * {} + {};", self.variable(), self.below(3), self.operand()),
            7 => {
                let (condition, yes, no) = (self.condition(), self.statement(depth - 1), self.statement(depth - 1));
                format!("if ({condition}) {{ {yes} }} else {{ {no} }}")
            }
            _ => {
                let (condition, body, more) = (self.condition(), self.statement(depth - 1), self.statement(depth - 1));
                format!("while ({condition}) {{ {body} {more} }}")
            }
        }
    }

    fn program(&mut self) -> String {
        let types = ["unsigned char", "signed char", "unsigned short", "int", "unsigned", "long", "short"];
        let mut text = String::from("int step(int x) { return x + 2; }\nint main() { int fuel = 2000;\n");
        for name in ["a", "b", "c", "d", "e"] {
            let ty = types[self.below(types.len() as u64) as usize];
            writeln!(text, "{ty} {name} = {};", self.below(300) as i64 - 100).unwrap();
        }
        for _ in 0..3 {
            writeln!(text, "while ({}) {{ {} if (fuel-- == 0) return 0; }}", self.condition(), self.statement(2))
                .unwrap();
            writeln!(text, "if ({}) reach_error();", self.condition()).unwrap();
        }
        text + "}"
    }
}

/// The same end after the same number of edges as the interpreter, with and without jumps.
#[test]
fn random_loops_end_as_they_are_executed() {
    let (mut generator, mut compared, mut jumped) = (Generator(Random::new(7)), 0, 0);
    for _ in 0..400 {
        let text = generator.program();
        let program = program(&text);
        let Some(expected) = executed(&program) else { continue };
        let found = accelerate(&program, 300_000, &Cancel::never()).unwrap();
        assert_eq!(found, Some(expected), "{text}");
        compared += 1;
        let few = accelerate(&program, (expected.1 / 4) as u64, &Cancel::never()).unwrap();
        jumped += u32::from(few.is_some() && expected.1 > 400);
    }
    assert!(compared > 200 && jumped > 40, "{compared} programs were compared, in {jumped} of them loops were skipped");
}

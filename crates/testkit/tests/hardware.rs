//! Exported transition systems, read and simulated by readers of their own, reach their bad states where the interpreter
//! reaches errors. All inputs of one step have one value; a step begins where a program asks for an `unsigned char`.

use base::Cancel;
use cfa::{DataModel, EdgeId, Scalar, Source};
use driver::{ExportFormat, export};
use flow::Prepared;
use semantics::choices::Chooser;
use semantics::interpreter::{self, Options, RunEnd, Tracing};
use semantics::random::Random;
use testkit::hardware::{aiger, btor2};
use testkit::program::lower;

const STEPS: usize = 30;
const RUNS: u64 = 40;
const HEAD: &str = "unsigned char __VERIFIER_nondet_uchar(void); int __VERIFIER_nondet_int(void);
    unsigned __VERIFIER_nondet_uint(void); long __VERIFIER_nondet_long(void); void reach_error(void);
    void abort(void);";

/// Bodies of `main`, or whole programs where they begin with a function.
const PROGRAMS: [&str; 20] = [
    "int x = 0; while (__VERIFIER_nondet_uchar() < 250) { x++; if (x == 3) reach_error(); }",
    "unsigned x = 0; while (__VERIFIER_nondet_uchar() != 1) { x += __VERIFIER_nondet_uint(); if (x % 7 == 3) reach_error(); }",
    "int x = 1; while (__VERIFIER_nondet_uchar()) { x = x * 3 - __VERIFIER_nondet_int(); if (x < -100) reach_error(); }",
    "int a = 0, b = 5; while (__VERIFIER_nondet_uchar() > 2) { int t = a; a = b; b = t + 1; if (a - b > 2) reach_error(); }",
    "short s = 0; while (__VERIFIER_nondet_uchar() < 240) { s = (short)(s + __VERIFIER_nondet_int()); if (s > 2000) reach_error(); }",
    "unsigned x = 1; while (__VERIFIER_nondet_uchar() % 11) { x = x << 1 | x >> 31; if (x & 64) reach_error(); }",
    "int x = __VERIFIER_nondet_int(); while (__VERIFIER_nondet_uchar()) { x = x / 3 + 2; if (x == 2) reach_error(); }",
    "int x = __VERIFIER_nondet_int(); while (__VERIFIER_nondet_uchar()) { x = x % 5; if (x == -2) reach_error(); x += 17; }",
    "long x = 0; while (__VERIFIER_nondet_uchar() < 200) { x += __VERIFIER_nondet_long(); if ((x ^ 5) > 1000) reach_error(); }",
    "int state = 0; while (__VERIFIER_nondet_uchar() < 253) { int in = __VERIFIER_nondet_int() & 3;
       switch (state) { case 0: if (in == 1) state = 1; break; case 1: state = in == 2 ? 2 : 0; break;
       default: if (in == 3) reach_error(); state = 0; } }",
    "int x = 0; while (__VERIFIER_nondet_uchar() < 250) { if (__VERIFIER_nondet_int() > 5) abort(); x++; if (x > 4) reach_error(); }",
    "int x = 0, y = 0; while (__VERIFIER_nondet_uchar() < 200) x++; while (__VERIFIER_nondet_uchar() < 200) { y++; if (y > x + 1) reach_error(); }",
    "int x = 0; while (__VERIFIER_nondet_uchar() < 220) { x++; while (__VERIFIER_nondet_uchar() < 100) { x += 2; if (x == 7) reach_error(); } }",
    "int f(int n) { int s = 0; while (__VERIFIER_nondet_uchar() < 128) s += n; return s; }
     int main(void) { int a = f(1); int b = f(2); if (a == 1 && b >= 2) reach_error(); return 0; }",
    "int g; int add(int n) { g += n; return g; }
     int main(void) { while (__VERIFIER_nondet_uchar() < 230) if (add(__VERIFIER_nondet_int() & 7) > 20) reach_error(); return 0; }",
    "struct { int a; short b; } s = { 1, 2 }; while (__VERIFIER_nondet_uchar() < 230) { s.a += s.b; s.b = (short)s.a; if (s.a > 50) reach_error(); }",
    "unsigned long long x = 1; while (__VERIFIER_nondet_uchar() < 250) { x = x * 6364136223846793005ull + 1; if (x >> 61 == 5) reach_error(); }",
    "_Bool b = 0; while (__VERIFIER_nondet_uchar() < 240) { b = !b && __VERIFIER_nondet_int() > 2; if (b) reach_error(); }",
    "if (__VERIFIER_nondet_int() == 2) reach_error(); while (__VERIFIER_nondet_uchar() < 200) { }",
    "int x = 0; for (;;) { if (__VERIFIER_nondet_uchar() > 250) break; x -= 5; if (x < -40) reach_error(); }",
];

/// The value of the step for everything that is asked in it.
struct PerStep<'a> {
    values: &'a [u128],
    step: usize,
}

impl Chooser for PerStep<'_> {
    fn havoc(&mut self, _: EdgeId, _: Source, ty: Scalar) -> u128 {
        if ty == Scalar::int(8, false) {
            self.step += 1;
        }
        let bits = ty.bytes(DataModel::Lp64) * 8;
        self.values.get(self.step).copied().unwrap_or(0) & ((1 << bits) - 1)
    }

    fn byte(&mut self, _: u32, _: u64) -> u8 {
        0
    }

    fn undefined(&mut self, _: EdgeId, _: Scalar) -> u128 {
        0
    }
}

/// The step in which the interpreter reaches an error.
fn interpreted(program: &Prepared, values: &[u128]) -> Option<usize> {
    let mut chooser = PerStep { values, step: 0 };
    let options = Options { undefined: program.undefined, steps: 100_000, recording: false, tracing: Tracing::Off };
    let run = interpreter::run(program, &mut chooser, &mut std::io::sink(), &options, &Cancel::never());
    matches!(run.outcome, RunEnd::Target(_)).then_some(chooser.step).filter(|&step| step < STEPS)
}

#[test]
fn systems_do_what_programs_do() {
    let mut reached = 0;
    for (number, body) in PROGRAMS.iter().enumerate() {
        let whole = body.contains("main(void)");
        let text =
            if whole { format!("{HEAD} {body}") } else { format!("{HEAD} int main(void) {{ {body} return 0; }}") };
        let mut program = lower(&text, DataModel::Lp64).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        driver::prepare(&mut program, cfa::Outside::Pure);
        let program = Prepared::new(program);
        let written = |format| export(&program, format, &Cancel::never()).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let words = btor2::read(&written(ExportFormat::Btor2)).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let bits = aiger::read(&written(ExportFormat::Aiger)).unwrap_or_else(|why| panic!("{why}\n{text}"));
        for seed in 0..RUNS {
            let mut random = Random::new(100 * number as u64 + seed + 1);
            let bound = [4, 16, 300, u64::MAX][seed as usize % 4];
            let values: Vec<u128> = (0..STEPS).map(|_| u128::from(random.below(bound))).collect();
            let expected = interpreted(&program, &values);
            assert_eq!(words.simulate(&values), Ok(expected), "words, {values:?} of\n{text}");
            assert_eq!(bits.simulate(&values), expected, "bits, {values:?} of\n{text}");
            reached += usize::from(expected.is_some());
        }
    }
    assert!(reached >= 100, "only {reached} runs reach an error");
}

#[test]
fn what_is_not_a_circuit_is_said() {
    let check = |body: &str, expected: &str| {
        let text = format!("{HEAD} {body}");
        let mut program = lower(&text, DataModel::Lp64).expect("it is C");
        driver::prepare(&mut program, cfa::Outside::Pure);
        let found = export(&Prepared::new(program), ExportFormat::Aiger, &Cancel::never());
        assert_eq!(found.expect_err("no circuit"), expected);
    };
    check("int main(void) { return 0; }", "there are no loops");
    check(
        "int f(int n) { return n ? f(n - 1) : 0; } int main(void) { while (f(3)); reach_error(); return 0; }",
        "`f` is recursive",
    );
    check(
        "int main(void) { double d = 0; while (d < __VERIFIER_nondet_int()) d += 0.5; if (d == 3) reach_error(); return 0; }",
        "a floating-point number is not bits",
    );
}

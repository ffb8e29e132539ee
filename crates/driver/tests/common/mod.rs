//! What tests of proofs share: a program is proved by a preset, or it is not.

use base::{Cancel, Interner, SourceMap};
use cfa::DataModel;
use driver::{Options, Preset};
use flow::Prepared;
use verdict::Verdict;

const PRELUDE: &str = "
    extern int __VERIFIER_nondet_int(void);
    extern void reach_error(void);
    void *malloc(unsigned long);
    void *memset(void *, int, unsigned long);
    static void check(int condition) { if (!condition) reach_error(); }
";

fn lower(source: &str, model: DataModel) -> Prepared {
    let mut sources = SourceMap::new();
    let mut names = Interner::default();
    let start = sources.add("test.c", format!("{PRELUDE}{source}"));
    let (ast, diagnostics) = syntax::parse(sources.text_at(start), start, &mut names);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let lowered = lower::lower(vec![ast], names, sources, &lower::Options { model, ..lower::Options::default() });
    let mut program = lowered.unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics)).program;
    driver::prepare(&mut program, cfa::Outside::Pure);
    Prepared::new(program)
}

/// What a preset says about a program.
pub fn verdict(preset: &str, source: &str, model: DataModel) -> Verdict {
    let program = lower(source, model);
    let preset = Preset::named(preset).expect("the preset exists");
    let options = Options::default();
    let outcome = driver::run(&program, &preset, &options, None, &Cancel::never(), &mut |_| {});
    outcome.expect("the preset has no bad options").verdict
}

/// The preset proves the program.
pub fn proved(preset: &str, body: &str) {
    let verdict = verdict(preset, body, DataModel::Ilp32);
    assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}\n{body}");
}

/// The error can be reached, so nothing may be proved; finding it is the business of others.
pub fn not_proved(preset: &str, body: &str) {
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let verdict = verdict(preset, body, model);
        assert!(matches!(verdict, Verdict::Unknown(_)), "{model:?}: {verdict:?}\n{body}");
    }
}

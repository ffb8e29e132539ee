//! What is the same program, what an entry must look like to be believed, and how old entries go.

use super::content::{Content, Digest, Feed, Names};
use super::*;
use crate::{Outcome, Recording, Settings};
use base::Cancel;
use flow::Prepared;
use verdict::{Stop, Verdict, Wanted};

fn program(source: &str) -> Prepared {
    crate::load_text("test.c", source).expect("a correct program")
}

fn digest(source: &str) -> Digest {
    let program = program(source);
    Content::new(&program, &Names::new(&program)).program
}

const BASE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int g = 1; int f(int x) { \
                    return x + g; } int main(void) { int i = __VERIFIER_nondet_int(); while (i < 9) i = f(i); if (i < \
                    9) reach_error(); return 0; }";

fn check_same(from: &str, to: &str) {
    assert!(BASE.contains(from), "{from}");
    assert_eq!(digest(BASE), digest(&BASE.replacen(from, to, 1)), "{from} -> {to}");
}

fn check_other(from: &str, to: &str) {
    assert!(BASE.contains(from), "{from}");
    assert_ne!(digest(BASE), digest(&BASE.replacen(from, to, 1)), "{from} -> {to}");
}

#[test]
fn comments_layout_and_uncalled_functions_do_not_count() {
    check_same("int g", "/* a comment */\n\n int g");
    check_same("return x + g;", "// another\n return x\n+ g ;");
    check_same("int f(", "int unused(int y) { return y * 7; } int f(");
}

#[test]
fn every_change_of_meaning_counts() {
    check_other("g = 1", "g = 2");
    check_other("int g", "unsigned g");
    check_other("x + g", "x - g");
    check_other("x + g", "x + 1");
    check_other("i < 9) i", "i < 10) i");
    check_other("while (i < 9)", "if (i < 9)");
    check_other("i < 9) reach_error()", "i < 9) f(0)");
    check_other("__VERIFIER_nondet_int(); while", "other(); while");
    check_other("int x)", "long x)");
    check_other("i = f(i)", "i = f(f(i))");
    check_other("int i = __VERIFIER_nondet_int()", "int i");
    check_other("int g = 1", "int h[2] = {1, 2}; int g = 1");
}

/// Whether a change of the function `f` counts, which `main` calls in a certain way.
fn counts(call: &str, from: &str, to: &str) -> bool {
    let text = |body: &str| {
        format!(
            "extern void reach_error(void); extern void abort(void); extern int __VERIFIER_nondet_int(void); int g; int \
             *p = &g; int h(int x) {{ return x + 1; }} int f(int x) {{ {body} }} int main(void) {{ int i = 0; {call} if (i \
             || g) reach_error(); return 0; }}"
        )
    };
    digest(&text(from)) != digest(&text(to))
}

#[test]
fn functions_whose_calls_do_nothing_do_not_count() {
    for (from, to) in [
        ("return x;", "return 2 * x;"),
        ("return x;", "int y = x; if (y > 3) y = y - g; return y;"),
        ("return h(x);", "int y = h(h(x)); return x ? y : __VERIFIER_nondet_int();"),
        ("return x / 2;", "int y; return x / y;"),
    ] {
        assert!(!counts("f(1);", from, to), "{from} -> {to}");
        assert!(counts("i = f(1);", from, to), "{from} -> {to}");
        assert!(counts("if (f(1)) i = 0;", from, to), "{from} -> {to}");
    }
}

#[test]
fn functions_whose_calls_may_do_something_count() {
    for (from, to) in [
        ("return x;", "g = x; return x;"),
        ("return x;", "*p = x; return x;"),
        ("return x;", "while (x > 0) x = x - h(x); return x;"),
        ("return x;", "if (x > 3) abort(); return x;"),
        ("return x;", "if (x > 3) reach_error(); return x;"),
        ("return x;", "return x > 3 ? f(x - 1) : 0;"),
        ("return f(x);", "return f(x + 1);"),
        ("g = x; return x;", "g = x + 1; return x;"),
    ] {
        assert!(counts("f(1);", from, to), "{from} -> {to}");
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("argonaut-store-test-{}-{name}", std::process::id()));
    // It may be left from an earlier run.
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn key(text: &str) -> Digest {
    let mut feed = Feed::default();
    feed.text(text);
    feed.finish()
}

fn entry(key: Digest, havocs: usize) -> Entry {
    let inputs = Inputs::new(&semantics::choices::Choices { havocs: vec![u128::MAX; havocs], ..Default::default() });
    Entry {
        key: key.to_string(),
        preset: "bmc".into(),
        seconds: 1.5,
        k: 3,
        precision: None,
        found: Found::Unsafe { inputs },
    }
}

#[test]
fn what_is_written_is_read() {
    let store = Store::new(folder("written"));
    assert_eq!(store.read(key("a")), Ok(None));
    store.write(key("a"), &entry(key("a"), 2), &[(key("f"), 10)]).expect("a writable folder");
    assert_eq!(store.read(key("a")), Ok(Some(entry(key("a"), 2))));
    assert_eq!(store.most_similar(&[(key("f"), 1), (key("unknown"), 1)]), Some(key("a")));
    assert_eq!(store.size().entries, 1);
    store.clear().expect("a writable folder");
    assert_eq!(store.size(), StoreSize::default());
    let _ = std::fs::remove_dir_all(store.folder());
}

#[test]
fn what_shares_most_is_most_similar() {
    let store = Store::new(folder("similar"));
    store.write(key("a"), &entry(key("a"), 1), &[(key("f"), 9), (key("g"), 9)]).expect("a writable folder");
    store.write(key("b"), &entry(key("b"), 1), &[(key("f"), 9), (key("h"), 9)]).expect("a writable folder");
    assert_eq!(store.most_similar(&[(key("f"), 5), (key("g"), 5)]), Some(key("a")));
    assert_eq!(store.most_similar(&[(key("f"), 5), (key("h"), 5)]), Some(key("b")));
    assert_eq!(store.most_similar(&[(key("none"), 5)]), None);
    let _ = std::fs::remove_dir_all(store.folder());
}

#[test]
fn a_store_that_others_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let store = Store::new(folder("open"));
    store.write(key("a"), &entry(key("a"), 2), &[]).expect("a writable folder");
    let mode = |path: &Path| std::fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!((mode(store.folder()), mode(&store.folder().join("key"))), (0o700, 0o600));
    let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("ours");
    for (path, open, closed) in [(store.folder().to_owned(), 0o777, 0o700), (store.folder().join("key"), 0o644, 0o600)]
    {
        set(&path, open);
        assert!(store.check().is_err() && store.read(key("a")).is_err(), "{}", path.display());
        assert!(store.write(key("b"), &entry(key("b"), 2), &[]).is_err(), "{}", path.display());
        set(&path, closed);
        assert!(matches!(store.read(key("a")), Ok(Some(_))));
    }
    let _ = std::fs::remove_dir_all(store.folder());
}

#[test]
fn damaged_entries_are_not_believed() {
    let store = Store::new(folder("damaged"));
    let secret = Secret::make(store.folder()).expect("a writable folder");
    let text = render(&secret, "entry", &entry(key("a"), 2));
    let version = text.replace(MAGIC, "argonaut-store-0");
    let moved = render(&secret, "entry", &entry(key("b"), 2));
    let other_kind = render(&secret, "words", &entry(key("a"), 2));
    let elsewhere = Secret::make(&folder("elsewhere")).expect("a writable folder");
    let foreign = render(&elsewhere, "entry", &entry(key("a"), 2));
    let cut = &text[..text.len() / 2];
    for damaged in
        ["", "\n", cut, &text.replace("bmc", "bdd"), &version, &moved, &other_kind, &foreign, &format!("{text}x")]
    {
        std::fs::write(store.path(key("a"), "entry"), damaged).expect("a writable folder");
        let problem = store.read(key("a")).expect_err(damaged);
        assert!(problem.ends_with("ignored, it is damaged or not of this store"), "{problem}");
    }
    std::fs::write(store.path(key("f"), "index"), "no key\n\u{1}\n").expect("a writable folder");
    assert_eq!(store.most_similar(&[(key("f"), 1)]), None);
    let _ = std::fs::remove_dir_all(store.folder());
}

#[test]
fn the_oldest_go_first() {
    let store = Store { most_bytes: 20_000, ..Store::new(folder("room")) };
    for name in ["a", "b", "c", "d"] {
        store.write(key(name), &entry(key(name), 200), &[]).expect("a writable folder");
        let path = store.path(key(name), "entry");
        let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(u64::from(name.as_bytes()[0]));
        if let Ok(file) = std::fs::File::options().append(true).open(path) {
            file.set_modified(old).expect("own files");
        }
    }
    assert!(store.size().bytes <= 20_000, "{:?}", store.size());
    assert_eq!(store.read(key("a")), Ok(None));
    assert!(matches!(store.read(key("d")), Ok(Some(_))));
    let _ = std::fs::remove_dir_all(store.folder());
}

/// Runs a preset twice, on two programs, with one store; says how the second answer came about.
fn check_again(preset: &str, first: &str, second: &str, verdict: &str, how: &str) {
    let store = Store::new(folder(&format!("{preset}-{}", key(&format!("{first}{second}")))));
    let preset = crate::Preset::named(preset).expect("a preset");
    let run = |source: &str| {
        let question = StoreQuestion {
            store: &store,
            property: "unreach-call",
            files: &[],
            settings: Settings { threads: 1, after: None, record: Recording::Numbers, wanted: Wanted::One },
            check: &|_, _| {},
        };
        let mut tell = |event: crate::RunEvent| {
            if let crate::RunEvent::Warning(problem) = event {
                panic!("{problem}");
            }
        };
        let (program, options) = (program(source), crate::Options::default());
        run_with_store(&question, &program, &preset, &options, &Cancel::never(), &mut tell).expect("no options")
    };
    assert_eq!(run(first).verdict.to_string(), verdict, "{first}");
    let again = run(second);
    assert_eq!(again.verdict.to_string(), verdict, "{second}");
    assert_eq!(again.counters.value(how), 1, "{second}: {:?}", again.counters);
    let _ = std::fs::remove_dir_all(store.folder());
}

const BUG: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int f(int x) { return x + 1; } \
                   int main(void) { f(2); int i = __VERIFIER_nondet_int(); int j = __VERIFIER_nondet_int(); if (i == \
                   77 && j == 1234567) reach_error(); return 0; }";

const COUNTER: &str = "extern void reach_error(void); int f(int x) { return x; } int main(void) { int i = 0; while (i < \
                       5) i++; f(1); if (i != 5) reach_error(); return 0; }";

#[test]
fn proofs_of_the_same_program_are_reused() {
    check_again("k-induction", BASE, &format!("/* changed */ {BASE}"), "TRUE", "verdict from the store");
    check_again("expl-itp", COUNTER, COUNTER, "TRUE", "verdict from the store");
}

#[test]
fn proofs_are_reused_where_a_function_changed_whose_calls_do_nothing() {
    let changed = COUNTER.replace("return x;", "int y = 3 * x; if (y > 2) y = 0; return y;");
    check_again("k-induction", COUNTER, &changed, "TRUE", "verdict from the store");
    check_again("expl-itp", COUNTER, &changed, "TRUE", "verdict from the store");
}

#[test]
fn executions_are_repeated() {
    check_again("bmc", BUG, BUG, "FALSE", "inputs from the store");
    check_again("bmc", BUG, &BUG.replace("x + 1", "x + 2"), "FALSE", "inputs from the store");
}

#[test]
fn other_inputs_are_found_where_the_old_ones_fail() {
    let hints = "analyses with hints from the store";
    check_again("bmc", BUG, &BUG.replace("i == 77", "i == 78"), "FALSE", hints);
}

#[test]
fn invariants_are_proved_again() {
    let changed = BASE.replace("return x + g", "return x + g + 0 * x");
    check_again("k-induction", BASE, &changed, "TRUE", "invariants from the store");
}

#[test]
fn invariants_of_unrollings_are_proved_again() {
    let changed = COUNTER.replace("i != 5", "i < 5");
    check_again("bmc", COUNTER, &changed, "TRUE", "invariants from the store");
}

/// A proof that the check takes back is found anew by the next run, not in the store.
#[test]
fn refuted_proofs_are_not_kept() {
    let store = Store::new(folder("refuted"));
    let preset = crate::Preset::named("k-induction").expect("a preset");
    let refute = |outcome: &mut Outcome, _| outcome.verdict = Verdict::Unknown(Stop::Evidence("refuted".into()));
    let (program, options) = (program(BASE), crate::Options::default());
    for _ in 0..2 {
        let question = StoreQuestion {
            store: &store,
            property: "unreach-call",
            files: &[],
            settings: Settings { threads: 1, after: None, record: Recording::Numbers, wanted: Wanted::One },
            check: &refute,
        };
        let outcome =
            run_with_store(&question, &program, &preset, &options, &Cancel::never(), &mut |_| {}).expect("none");
        assert_eq!(outcome.verdict.to_string(), "UNKNOWN");
        assert_eq!(outcome.steps.last().map(|step| step.preset.as_str()), Some("k-induction"));
    }
    let _ = std::fs::remove_dir_all(store.folder());
}

#[test]
fn stale_proofs_do_not_hide_a_bug() {
    let store = Store::new(folder("stale"));
    let preset = crate::Preset::named("k-induction").expect("a preset");
    let run = |source: &str| {
        let question = StoreQuestion {
            store: &store,
            property: "unreach-call",
            files: &["a.c".into()],
            settings: Settings { threads: 1, after: None, record: Recording::Numbers, wanted: Wanted::One },
            check: &|_, _| {},
        };
        let (program, options) = (program(source), crate::Options::default());
        let outcome =
            run_with_store(&question, &program, &preset, &options, &Cancel::never(), &mut |_| {}).expect("none");
        outcome.verdict.to_string()
    };
    assert_eq!(run(BASE), "TRUE");
    assert_eq!(run(&BASE.replace("if (i < 9)", "if (i < 10)")), "FALSE");
    let _ = std::fs::remove_dir_all(store.folder());
}

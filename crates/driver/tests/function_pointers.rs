//! Calls through pointers of another type than the function's: what the program converts on purpose is called.

use base::Cancel;
use driver::{Options, Preset};
use verdict::Verdict;

/// `pointer` gets one of two functions; the error is in the one of another type.
fn check(bad: &str, conversion: &str, expected: &str) {
    let source = format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); typedef int (*fn)(void *);
         union both {{ void (*without)(void); fn with; }}; struct a {{ int x; }};
         int good(void *p) {{ return 0; }} {bad} {{ reach_error(); }}
         int main(void) {{ fn pointer = good; struct a a = {{3}}; union both u;
           if (__VERIFIER_nondet_int() == 1) {{ {conversion} }} pointer(&a); return 0; }}"
    );
    let program = driver::load_text("test.c", &source).expect("a program");
    for preset in ["expl-itp", "k-induction"] {
        let preset = Preset::named(preset).expect("a preset");
        let outcome = driver::run(&program, &preset, &Options::default(), None, &Cancel::never(), &mut |_| {});
        let verdict = match outcome.expect("good options").verdict {
            Verdict::Safe(_) => "TRUE",
            Verdict::Unsafe(_) => "FALSE",
            Verdict::Unknown(_) => "UNKNOWN",
        };
        assert_eq!(verdict, expected, "{}: {bad} {conversion}", preset.name);
    }
}

#[test]
fn what_is_converted_is_called() {
    for bad in ["int bad(struct a *p)", "unsigned bad(const char *p)", "long bad(void *p)", "void bad(void *p)"] {
        check(bad, "pointer = (fn)bad;", "FALSE");
        check(bad, "void *any = bad; pointer = any;", "FALSE");
        check(bad, "unsigned long any = (unsigned long)bad; pointer = (fn)any;", "FALSE");
    }
    check("int bad(void)", "pointer = (fn)bad;", "FALSE");
    check("void bad(void)", "u.without = bad; pointer = u.with;", "FALSE");
}

#[test]
fn what_is_not_stays_away() {
    check("void bad(int x)", "void (*other)(int) = bad; if (!other) pointer = 0;", "TRUE");
}

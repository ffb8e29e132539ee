//! Questions about all values of `_Float16`: gcc's program tries them all, and no preset says otherwise.

mod verdicts;

use cfa::DataModel;
use driver::Preset;
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::gcc;
use testkit::program::lower;
use verdicts::decide;

const PATIENCE: Duration = Duration::from_millis(300);
/// For `auto`, which decides them all.
const MORE_PATIENCE: Duration = Duration::from_secs(20);

/// About bits of NaNs that signal: which NaN an operation gives is left open, so the error may stay undecided.
const OF_NANS: &[&str] = &[
    "float wide = h; both.value = wide; return both.bits != bits;",
    "union { unsigned bits; float value; } from = {0x7f800000 | bits}, to; double wide = from.value; to.value = wide; \
     return to.bits != from.bits;",
];

/// What `fails` does with `bits` and the number `h` that they encode.
const QUESTIONS: &[&str] = &[
    "return h >= 0 && h <= 1 && (_Float16)(h / 2) > h;",
    "return h * h < 0;",
    "float f = h * h; _Float16 g = h * h; return f != g && h > 1 && h < 2;",
    "_Float16 back = (double)h; return back != h && h == h;",
    "_Float16 back = (long double)h; return back < h || back > h;",
    "return h > 0 && bits >= 0x7c00;",
    "return h >= 1 && h < 2048 && h + 1 - 1 != h;",
    "return h >= 1 && h < 2048 && (_Float16)(h + 1) - 1 != h;",
    "return h != 0 && !(h * h);",
    "_Float16 square = h * h; return h != 0 && !square;",
    "return h > -2000 && h < 2000 && (int)h > h + 1;",
    "short s = bits; _Float16 g = s; return g - s > 16 || s - g > 16;",
    "short s = bits; _Float16 g = s; return g != s && s < 2048 && s > -2048;",
    "_Float16 x = h; int n = 0; if (h >= 1 && h < 2) for (; x < 1000; n++) x *= 2; return n > 10;",
    "_Float16 x = h; int n = 0; if (h >= 1 && h < 2) for (; x < 1000; n++) x *= 2; return n == 9;",
    "_Float16 t[2] = {1, h}; t[bits & 1] += 1; return t[0] + t[1] == 2049;",
    "return h == 0.1f16;",
    "return h == (_Float16)0.1f16;",
    "_Float16 n = -h; return n > 0 && h > 0;",
    "return h == h && h - h != 0 && !__builtin_isinf(h);",
];

fn text(body: &str, main: &str) -> String {
    format!(
        "extern unsigned short __VERIFIER_nondet_ushort(void);\nextern void reach_error(void);\n\
         int printf(const char *, ...);\n\
         static int fails(unsigned short bits) {{\n  union {{ unsigned short bits; _Float16 value; }} both = {{bits}};\n  \
         _Float16 h = both.value;\n  {body}\n}}\nint main(void) {{\n  {main}\n  return 0;\n}}\n"
    )
}

/// What gcc's program finds.
fn judged(questions: &[&str], model: DataModel) -> Vec<bool> {
    let all = "int some = 0; for (int i = 0; i < 65536; i++) some |= fails(i); printf(\"%d\", some);";
    let judge = |body: &&str| {
        let run = gcc::run(&text(body, all), model, &[], Duration::from_secs(60)).expect("gcc takes it");
        run.expect("it ends").output == "1"
    };
    questions.iter().map(judge).collect()
}

fn check(model: DataModel, presets: &[Preset]) {
    if !gcc::is_available(model) {
        eprintln!("skipped: no gcc for {model:?} (install gcc and gcc-multilib)");
        return;
    }
    let questions = [QUESTIONS, OF_NANS].concat();
    let judged = judged(&questions, model);
    assert_eq!(judged.iter().collect::<BTreeSet<_>>().len(), 2, "some fail and some do not");
    let mut decided = 0;
    for (body, &fails) in questions.iter().zip(&judged) {
        let text = text(body, "if (fails(__VERIFIER_nondet_ushort())) reach_error();");
        let mut program = lower(&text, model).expect("it is C");
        driver::prepare(&mut program, cfa::Outside::Pure);
        for preset in presets {
            let patience = if preset.name == "auto" { MORE_PATIENCE } else { PATIENCE };
            let found = decide(&program, preset, patience).unwrap_or_else(|what| panic!("{}: {what}", preset.name));
            assert!(found.is_none_or(|found| found == fails), "{}: {found:?} of {body}", preset.name);
            assert!(found.is_some() || preset.name != "auto" || OF_NANS.contains(body), "auto does not decide {body}");
            decided += usize::from(found.is_some());
        }
    }
    println!("{model:?}: {decided} of {} answers", presets.len() * questions.len());
}

#[test]
fn all_presets_agree_with_gcc() {
    check(DataModel::Lp64, &Preset::all().collect::<Vec<_>>());
}

#[test]
fn auto_agrees_with_gcc_in_ilp32() {
    check(DataModel::Ilp32, &[Preset::named("auto").expect("it is a preset")]);
}

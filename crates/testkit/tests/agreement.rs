//! All presets agree with the known verdicts of a few generated programs, and decide enough of them; the command
//! `agreement` tries many.

mod verdicts;

use cfa::{DataModel, Program};
use driver::Preset;
use std::time::Duration;
use testkit::agreement::{Known, generate};
use testkit::program::lower;
use verdicts::decide;

/// A preset that needs longer says nothing, which does not count as disagreement.
const PATIENCE: Duration = Duration::from_millis(300);
/// For a preset that has decided too few by then: on a busy machine everything takes longer.
const MORE_PATIENCE: Duration = Duration::from_secs(6);

/// How many of the 16 programs a preset decides at least. A new preset needs a line here. `summaries` is for recursion,
/// which none of them has, `folds` for arrays, and `boxes` for floats; `ranking`, `recurrence` and `unwinding` answer another question, whether executions end.
const LEAST: &[(&str, usize)] = &[
    ("auto", 16),
    ("bdd", 10),
    ("bdd-value", 13),
    ("bmc", 12),
    ("boxes", 0),
    ("cells", 2),
    ("complete", 9),
    ("dar", 4),
    ("expl", 13),
    ("expl-itp", 13),
    ("expl-itp-lazy", 10),
    ("expl-itp-pred", 13),
    ("expl-pred", 13),
    ("expl-refsel", 13),
    ("folds", 0),
    ("hunt", 7),
    ("ic3", 4),
    ("imc", 4),
    ("impact", 7),
    ("intervals", 2),
    ("ismc", 4),
    ("k-induction", 15),
    ("lists", 6),
    ("octagons", 0),
    ("parity", 0),
    ("pdr", 4),
    ("pred", 7),
    ("pred-cartesian", 8),
    ("pred-lf", 7),
    ("pred-refsel", 7),
    ("random", 5),
    ("ranking", 0),
    ("recurrence", 0),
    ("signs", 0),
    ("summaries", 0),
    ("symbolic-execution", 10),
    ("ufo", 7),
    ("unwinding", 0),
    ("va-pa-refsel", 12),
];

/// Whether the preset decides the program; it must not be wrong.
fn decides(known: &Known, program: &Program, preset: &Preset, patience: Duration) -> bool {
    let fails =
        decide(program, preset, patience).unwrap_or_else(|what| panic!("{}: {what}\n{}", preset.name, known.text));
    if let Some(fails) = fails {
        assert_eq!(fails, known.fails, "{} of\n{}", preset.name, known.text);
    }
    fails.is_some()
}

#[test]
fn presets_agree_with_what_is_known() {
    let programs: Vec<(Known, Program)> = (0..20)
        .filter(|seed| seed % 5 != 4)
        .map(|seed| generate(seed).expect("these need no tool"))
        .map(|known| {
            let mut program = lower(&known.text, DataModel::Lp64).expect("it is C");
            driver::prepare(&mut program, cfa::Outside::Pure);
            (known, program)
        })
        .collect();
    let mut lazy = Vec::new();
    for preset in Preset::all() {
        let least = LEAST.iter().find(|(name, _)| *name == preset.name);
        let (_, least) = *least.unwrap_or_else(|| panic!("{} has no line in LEAST", preset.name));
        let mut open: Vec<&(Known, Program)> = programs.iter().collect();
        for patience in [PATIENCE, MORE_PATIENCE] {
            if programs.len() - open.len() < least {
                open.retain(|(known, program)| !decides(known, program, &preset, patience));
            }
        }
        let decided = programs.len() - open.len();
        if decided < least {
            lazy.push(format!("{} decides {decided} of {}, not {least}", preset.name, programs.len()));
        }
    }
    assert_eq!(lazy, [""; 0]);
}

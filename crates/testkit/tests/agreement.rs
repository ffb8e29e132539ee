//! All presets agree with the known verdicts of a few generated programs; the command `agreement` tries many.

use base::Cancel;
use cfa::DataModel;
use driver::{Options, Preset};
use std::time::Duration;
use testkit::agreement::generate;
use verdict::Verdict;

/// Whoever needs longer says nothing, which is no disagreement.
const PATIENCE: Duration = Duration::from_millis(300);

#[test]
fn presets_agree_with_what_is_known() {
    let mut answered = 0;
    for seed in (0..20).filter(|seed| seed % 5 != 4) {
        let known = generate(seed).expect("these need no tool");
        let mut program = testkit::program::lower(&known.text, DataModel::Lp64).expect("it is C");
        driver::prepare(&mut program, cfa::Outside::Pure);
        for preset in Preset::all() {
            let cancel = Cancel::with_limits(Some(PATIENCE), None);
            let outcome = driver::run(&program, &preset, &Options::default(), None, &cancel, &mut |_| {});
            let fails = match outcome.expect("presets have good options").verdict {
                Verdict::Safe(_) => false,
                Verdict::Unsafe(_) => true,
                Verdict::Unknown(_) => continue,
            };
            answered += 1;
            assert_eq!(fails, known.fails, "{} of\n{}", preset.name, known.text);
        }
    }
    assert!(answered > 0, "nobody ever knows an answer");
}

//! Asks presets in this process.

use base::Cancel;
use cfa::Program;
use driver::{Options, Preset};
use flow::Prepared;
use std::time::Duration;
use verdict::{Stop, Verdict};

/// Whether the preset says that the error is reached; `None` if it does not know within `patience`. `Err` if something
/// in it is broken.
pub fn decide(program: &Program, preset: &Preset, patience: Duration) -> Result<Option<bool>, String> {
    let cancel = Cancel::with_limits(Some(patience), None);
    let outcome = driver::run(&Prepared::new(program.clone()), preset, &Options::default(), None, &cancel, &mut |_| {});
    match outcome.expect("presets have good options").verdict {
        Verdict::Safe(_) => Ok(Some(false)),
        Verdict::Unsafe(_) => Ok(Some(true)),
        Verdict::Unknown(Stop::Internal(what)) => Err(what),
        Verdict::Unknown(_) => Ok(None),
    }
}

//! The engines by name: the one place that connects `engine = "..."` of a preset with code. A new engine is one arm
//! here and one file in `presets/`.

use crate::options::{BadOption, Options};
use base::{Cancel, Counters};
use cfa::Program;
use smt_bitwuzla::BitwuzlaBackend;
use verdict::Verdict;

/// Runs an engine on a program. Options come from the preset and the user: `options.read::<EngineOptions>()?`.
/// An engine asks `cancel` now and then, returns `Unknown` when stopped, and counts what it does in `counters`.
pub fn run(
    engine: &str,
    program: &Program,
    options: &Options,
    cancel: &Cancel,
    counters: &mut Counters,
) -> Result<Verdict, BadOption> {
    let backend = BitwuzlaBackend;
    match engine {
        "bmc" => Ok(engine::bmc::verify(program, &backend, &options.read()?, cancel, counters)),
        "random" => Ok(engine::random::random(program, &options.read()?, cancel, counters)),
        unknown => Err(BadOption(format!("no engine is called `{unknown}`"))),
    }
}

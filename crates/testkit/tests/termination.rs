//! Presets are right about whether generated programs with loops and recursion end; the command `termination` asks about
//! many more.

mod verdicts;

use cfa::{DataModel, Question};
use driver::Preset;
use std::time::Duration;
use testkit::loops::{generate, truth};
use testkit::program::lower;
use verdicts::decide;

/// A preset that needs longer says nothing, which is not wrong.
const PATIENCE: Duration = Duration::from_millis(500);
/// Programs, each for some presets.
const PROGRAMS: u64 = 48;
/// Presets that answer most of them.
const ALWAYS: [&str; 3] = ["ranking", "unwinding", "k-induction"];

#[test]
fn presets_know_which_generated_programs_end() {
    let others: Vec<Preset> = Preset::all().filter(|preset| !ALWAYS.contains(&preset.name.as_str())).collect();
    let (mut complaints, mut ended, mut endless) = (Vec::new(), 0, 0);
    for seed in 0..PROGRAMS {
        let program = generate(seed);
        let Some(ends) = truth::ends(&program) else { continue };
        let text = program.text();
        let mut lowered = lower(&text, DataModel::Lp64).expect("generated programs are C");
        lowered.question = Question::End;
        driver::prepare(&mut lowered, cfa::Outside::Pure);
        let one = others[seed as usize % others.len()].clone();
        let fixed = ALWAYS.iter().map(|name| Preset::named(name).expect("the preset exists"));
        for preset in fixed.chain([one]) {
            match decide(&lowered, &preset, PATIENCE) {
                Err(what) => complaints.push(format!("{} on seed {seed}: {what}\n{text}", preset.name)),
                Ok(Some(endless)) if endless == ends => {
                    complaints.push(format!("{} is wrong about seed {seed}, where ends = {ends}\n{text}", preset.name));
                }
                Ok(Some(true)) => endless += 1,
                Ok(Some(false)) => ended += 1,
                Ok(None) => {}
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
    assert!(ended > 20 && endless > 20, "hardly any answers: {ended} that executions end, {endless} that some do not");
}

//! Programs that end, or do not, for a reason that is easily overlooked (`tests/endings.txt`): no preset is wrong about one
//! of them. Each program is put to some of the presets that answer such questions and to one other.

mod verdicts;

use cfa::{DataModel, Program, Question};
use driver::Preset;
use lower::{Options, Targets};
use std::time::Duration;
use testkit::program::lower_with;
use verdicts::decide;

/// A preset that needs longer says nothing, which is not wrong.
const PATIENCE: Duration = Duration::from_millis(250);
/// Presets that answer many of them, in turn.
const USUAL: [&str; 3] = ["ranking", "bmc", "k-induction"];

struct Ending {
    name: String,
    ends: bool,
    text: String,
}

fn endings() -> Vec<Ending> {
    let text = include_str!("endings.txt");
    let mut all: Vec<Ending> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        if let Some((name, truth)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            assert!(truth == "ends" || truth == "endless", "{name}: {truth}");
            all.push(Ending { name: name.to_owned(), ends: truth == "ends", text: String::new() });
        } else if let Some(last) = all.last_mut() {
            last.text += line;
            last.text.push('\n');
        }
    }
    all
}

fn prepared(text: &str) -> Program {
    // Calls of an error function do not end the program.
    let targets = Targets { functions: Vec::new(), assertions: false, labels: Vec::new() };
    let options = Options { model: DataModel::Lp64, targets, ..Options::default() };
    let mut program = lower_with(text, &options).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    program.question = Question::End;
    driver::prepare(&mut program, cfa::Outside::Pure);
    program
}

/// It never ends where integers wrap, but C leaves undefined what it does.
#[test]
fn no_execution_that_overflows_is_a_reason() {
    let around =
        |step: &str| format!("int main(void) {{ int x = 2147483647, y = 0; while (!y) {{ {step} }} return 0; }}");
    for (preset, step, expected) in [
        ("bmc", "x = x + 1; y = x > 0; x = x - 1;", None),
        ("bmc", "x = x - 1; y = x < 0; x = x + 1;", Some(true)),
        ("random", "x = x + 1; y = x > 0; x = x - 1;", None),
    ] {
        let preset = Preset::named(preset).expect("the preset exists");
        let said = decide(&prepared(&around(step)), &preset, Duration::from_secs(5)).expect("nothing is broken");
        assert_eq!(said, expected, "{} on {step}", preset.name);
    }
}

/// In formulas the activations of a recursive function share the addresses of its locals.
#[test]
fn no_recursion_ends_because_of_addresses() {
    let ranking = Preset::named("ranking").expect("the preset exists");
    let rows: Vec<Ending> = endings().into_iter().filter(|ending| ending.name.starts_with("recursion-")).collect();
    for row in &rows {
        let said = decide(&prepared(&row.text), &ranking, Duration::from_secs(10)).expect("nothing is broken");
        assert_eq!(said, row.ends.then_some(false), "{}", row.name);
    }
    assert!(rows.len() > 5);
}

#[test]
fn no_preset_is_wrong_about_an_ending() {
    let all: Vec<Preset> = Preset::all().collect();
    let (mut complaints, mut ended, mut endless) = (Vec::new(), 0, 0);
    for (at, ending) in endings().iter().enumerate() {
        let program = prepared(&ending.text);
        let usual = Preset::named(USUAL[at % USUAL.len()]).expect("the preset exists");
        for preset in [usual, all[at % all.len()].clone()] {
            match decide(&program, &preset, PATIENCE) {
                Err(what) => complaints.push(format!("{} on {}: {what}", preset.name, ending.name)),
                Ok(Some(never)) if never == ending.ends => {
                    complaints.push(format!("{} is wrong about {}:\n{}", preset.name, ending.name, ending.text));
                }
                Ok(Some(true)) => endless += 1,
                Ok(Some(false)) => ended += 1,
                Ok(None) => {}
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(ended > 30 && endless > 30, "hardly any answers: {ended} that executions end, {endless} that some do not");
}

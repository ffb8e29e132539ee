//! How the user makes a counterexample happen again: a call of `argonaut run` with the inputs.

use super::{FinishedRun, value};
use base::Cancel;
use cfa::{DataModel, FloatKind, Scalar, Source, Undefined};
use driver::Task;
use semantics::choices::Choices;
use semantics::interpreter::RunEnd;
use semantics::replay::replay;
use spec::Property;
use verdict::{Choice, Counterexample};

/// More inputs than this make the command line unreadable.
const MOST_INPUTS: usize = 64;
/// A replay that takes longer was found by other means than its inputs.
const MOST_STEPS: u64 = 100_000_000;

impl FinishedRun<'_> {
    /// The command line, if inputs are all that the execution needs.
    pub fn reproduce(&self, counterexample: &Counterexample) -> Option<String> {
        let stops_there = match &self.task.property {
            Property::NoError | Property::NoFailure => true,
            Property::NoCall(function) => matches!(function.as_str(), "reach_error" | "__VERIFIER_error"),
            Property::NoLabel(_) | Property::Unsupported(_) | Property::Termination => false,
            // A run goes on where arithmetic wraps.
            Property::NoOverflow
            | Property::ValidMemory(_)
            | Property::ValidCleanup
            | Property::DefinedBehaviour
            | Property::Checked { .. } => false,
        };
        let is_input = |choice: &&Choice| matches!(choice.source, Source::Input(_));
        let inputs: Vec<&Choice> = counterexample.choices.iter().filter(is_input).collect();
        let wide = |choice: &&Choice| matches!(choice.ty, Scalar::Float(FloatKind::X87 | FloatKind::F128));
        let by_itself = self.task.given.is_some();
        if by_itself || !stops_there || inputs.len() > MOST_INPUTS || inputs.iter().any(wide) {
            return None;
        }
        let havoc = |choice: &Choice| if is_input(&choice) { choice.bits } else { 0 };
        let havocs = counterexample.choices.iter().map(havoc).collect();
        let choices = Choices { havocs, ..Choices::default() };
        let run = replay(self.program, &choices, MOST_STEPS, &Cancel::never());
        if run.outcome != RunEnd::Target(counterexample.target) {
            return None;
        }
        let mut command = format!("argonaut run{}", program_words(self.task));
        if !inputs.is_empty() {
            let values = inputs.iter().map(|choice| match (choice.ty, choice.bits) {
                (Scalar::Ptr, 0) => "0".to_owned(),
                (ty, bits) => value::display(ty, bits),
            });
            command += &format!(" --input {}", values.collect::<Vec<_>>().join(","));
        }
        Some(command)
    }
}

/// The program as options and files, each with a blank before it.
fn program_words(task: &Task) -> String {
    let mut words = Vec::new();
    if task.model == DataModel::Ilp32 {
        words.push("--data-model ILP32".to_owned());
    }
    if task.outside == cfa::Outside::Pure {
        words.push("--extern pure".to_owned());
    }
    if task.undefined == Undefined::Continue {
        words.push("--ub continue".to_owned());
    }
    if task.malloc_may_fail {
        words.push("--malloc-may-fail".to_owned());
    }
    if task.entry != "main" {
        words.push(format!("--entry {}", quoted(&task.entry)));
    }
    words.extend(task.models.iter().map(|file| format!("--models {}", quoted(&file.display().to_string()))));
    let folders = task.preprocessing.include_dirs.iter();
    words.extend(folders.map(|folder| format!("-I {}", quoted(&folder.display().to_string()))));
    words.extend(task.preprocessing.defines.iter().map(|define| format!("-D {}", quoted(define))));
    words.extend(task.files.iter().map(|file| quoted(&file.display().to_string())));
    words.iter().map(|word| format!(" {word}")).collect()
}

/// A word as the shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_for_the_shell() {
        assert_eq!(quoted("a/b-1.c"), "a/b-1.c");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}

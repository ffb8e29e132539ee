//! The analyses by name: how domains and algorithms are put together, what each can decide, and its options. One file
//! each with an [`Entry`]; a new one is a file, its word in [`ALL`] and a preset.
#![warn(missing_docs)]

mod bdd;
mod bdd_value;
mod bmc;
mod boxes;
mod cases;
mod cells;
mod combined;
mod dar;
mod dataflow;
mod fact_sources;
mod folds;
mod hunt;
mod ic3;
mod imc;
mod ismc;
mod k_induction;
mod octagons;
mod options;
mod parity;
mod pdr;
pub mod precision_text;
mod predicate;
mod random;
mod ranking;
mod recurrence;
mod run;
mod shapes;
mod signs;
mod summaries;
mod unwinding;
mod value;

pub use fact_sources::{flow_sources, interval_states};
pub use options::{BadOption, Options};
pub use run::{Files, Run, run};
pub use value::TrackedValues;

use base::Stopped;
use base::options::Declared;
use verdict::{Stop, Verdict};

/// Every analysis, by name.
pub const ALL: &[&Entry] = &[
    &bdd::ENTRY,
    &bdd_value::ENTRY,
    &bmc::ENTRY,
    &boxes::ENTRY,
    &cells::ENTRY,
    &combined::ENTRY,
    &dar::ENTRY,
    &dataflow::ENTRY,
    &folds::ENTRY,
    &hunt::ENTRY,
    &ic3::ENTRY,
    &imc::ENTRY,
    &ismc::ENTRY,
    &k_induction::ENTRY,
    &octagons::ENTRY,
    &parity::ENTRY,
    &pdr::ENTRY,
    &predicate::ENTRY,
    &random::ENTRY,
    &ranking::ENTRY,
    &recurrence::ENTRY,
    &shapes::ENTRY,
    &signs::ENTRY,
    &summaries::ENTRY,
    &unwinding::ENTRY,
    &value::ENTRY,
];

/// An analysis.
pub struct Entry {
    /// What presets call it: `engine = "..."`.
    pub name: &'static str,
    /// Its options, as their struct declares them.
    pub options: fn() -> Vec<Declared>,
    /// Which answers it can give.
    pub decides: Decides,
    /// What it does with several targets.
    pub targets: TargetHandling,
    /// Runs it. Options are read into its own struct: `options.read::<MyOptions>()?`. It asks `run.cancel` now and then,
    /// returns `Unknown` when stopped, and counts what it does in `run.counters`.
    pub run: fn(&Options, &mut Run) -> Result<Verdict, Failed>,
}

/// Why an analysis did not even come to an `Unknown` of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// It gave up.
    Stop(Stop),
    /// The user's options make no sense.
    Option(BadOption),
}

impl From<Stop> for Failed {
    fn from(stop: Stop) -> Self {
        Failed::Stop(stop)
    }
}

impl From<Stopped> for Failed {
    fn from(stopped: Stopped) -> Self {
        Failed::Stop(stopped.into())
    }
}

impl From<BadOption> for Failed {
    fn from(bad: BadOption) -> Self {
        Failed::Option(bad)
    }
}

/// Which answers an analysis can give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decides {
    /// TRUE only: what it works on can do more than the program.
    Proofs,
    /// FALSE only: it looks at some executions.
    Errors,
    /// Both.
    Both,
}

/// What an analysis does with several targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetHandling {
    /// Each is decided by itself, in one exploration.
    Each,
    /// All are decided together, so that each takes a run of its own.
    Together,
}

/// The analysis of a name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().copied().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_described() {
        for entry in ALL {
            for option in (entry.options)() {
                assert!(option.help.ends_with('.'), "{}: {}", entry.name, option.name);
            }
        }
    }

    #[test]
    fn entries_are_sorted_by_name() {
        assert!(ALL.is_sorted_by(|a, b| a.name < b.name));
    }
}
